"""Plain calls that go straight to an op do what the function's body does."""

import inspect
import re
import sys
import warnings

import numpy as np
import pytest

from numerics import _kernels, linalg
from numerics._core import layers
from numerics._core.op import HOT_PATHS, OPS
from numerics._core.public import FUNCTIONS
from numerics._core.signature import parse

from cases.table import CASES

FACES = {name: face for name, face in FUNCTIONS.items() if getattr(face, "_op", None)}
SHORTCUTS = {name: face for name, face in FACES.items() if name not in HOT_PATHS}
A = np.array([[2.0, 1.0], [1.0, 3.0]])

by_face = pytest.mark.parametrize("face", SHORTCUTS.values(), ids=SHORTCUTS)
by_loop = pytest.mark.parametrize(
    ("face", "letter"),
    [(face, word[0]) for face in SHORTCUTS.values() for word in face._op.dtypes.split()],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)


def calls_of_ops(function, arrays, keywords):
    """The ops that a call reaches through its body, and with what."""
    seen = []

    def watch(op, arrays, static, next):
        seen.append((op, arrays, static))
        return next(op, arrays, static)

    with layers.here("profiler", watch):
        function(*arrays, **keywords)
    return seen


def bodies_entered(function, *args, **kwargs):
    """Names of the Python functions of this package that run during a call."""
    entered = []

    def note(frame, event, arg):
        if event == "call" and frame.f_globals["__name__"].startswith("numerics."):
            entered.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        function(*args, **kwargs)
    finally:
        sys.setprofile(None)
    return entered


def problems(face, letter):
    rng = np.random.default_rng(8)
    return [
        problem for size in (1, 2, 5) for problem in CASES[face._op.name].draw(rng, letter, size)
    ]


def results_of(function, problem):
    result = function(*problem.arrays, **problem.static)
    return result if isinstance(result, tuple) else (result,)


# --- The declaration says what the signature and the body say -------------------------------------


@by_face
def test_the_arguments_without_default_are_the_arrays_of_the_op(face):
    parameters = inspect.signature(face).parameters.values()

    needed = [p for p in parameters if p.default is p.empty]
    assert len(needed) == len(parse(face._op.signature).inputs)


@by_face
def test_the_static_parameters_are_the_defaults_of_the_signature(face):
    parameters = inspect.signature(face).parameters

    assert face._static == {name: parameters[name].default for name in face._static}


@by_face
def test_the_body_calls_this_op_alone_with_these_static_parameters(face):
    (problem, *_) = problems(face, "d")

    ((op, arrays, static),) = calls_of_ops(face, problem.arrays, {})

    assert (op, static) == (face._op, face._static)
    assert all(a is b for a, b in zip(arrays, problem.arrays, strict=True))


@by_loop
def test_the_body_hands_on_the_keywords_of_these_names(face, letter):
    for problem in problems(face, letter)[:4]:
        ((op, _, static),) = calls_of_ops(face, problem.arrays, problem.static)

        assert (op, static) == (face._op, problem.static)


# --- Results --------------------------------------------------------------------------------------


@by_loop
def test_results_are_those_of_the_body_to_the_bit(face, letter):
    for problem in problems(face, letter):
        short = results_of(face, problem)
        long = results_of(face._implementation, problem)

        assert [type(item) for item in short] == [type(item) for item in long]
        assert [item.dtype for item in short] == [item.dtype for item in long]
        assert [item.tobytes() for item in short] == [item.tobytes() for item in long]


@by_face
def test_several_results_come_in_the_tuple_of_the_body(face):
    (problem, *_) = problems(face, "d")

    short = face(*problem.arrays)

    assert type(short) is type(face._implementation(*problem.arrays))


@pytest.mark.parametrize("letter", "fdFD")
def test_a_number_is_the_scalar_that_numpy_makes(letter):
    a = (A + (0.5j if letter in "FD" else 0)).astype(letter)

    result = linalg.det(a)

    assert type(result) is np.dtype(letter).type
    assert result == pytest.approx(np.linalg.det(a), rel=1e-5)
    assert isinstance(result, np.generic)


def test_an_integer_is_the_scalar_that_numpy_makes():
    assert type(linalg.inv_ex(A).info) is np.intc


# --- Which calls ----------------------------------------------------------------------------------


@by_loop
def test_a_plain_call_runs_no_body(face, letter):
    plain = [p for p in problems(face, letter) if all(array.size for array in p.arrays)]

    for problem in plain[:4]:
        assert bodies_entered(face, *problem.arrays, **problem.static) == []


@pytest.mark.parametrize(
    "call",
    [
        lambda: linalg.eigh(A, UPLO="u"),
        lambda: linalg.eigh(A, "U"),
        lambda: linalg.solve_triangular(A, A, trans="T"),
        lambda: linalg.solve_triangular(A, A, check_finite=True),
        lambda: linalg.svd(A, full_matrices=False),
        lambda: linalg.cholesky(A, upper=np.True_),
        lambda: linalg.inv_ex(A, check_errors=True),
        lambda: linalg.det(A.tolist()),
        lambda: linalg.solve(a=A, b=A),
    ],
)
def test_what_is_not_plain_runs_the_body(call):
    assert len(bodies_entered(call)) > 0


def test_a_layer_sees_plain_calls():
    assert [op for op, _, _ in calls_of_ops(linalg.det, (A,), {})] == [OPS["linalg.det"]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: linalg.eigh(A, UPLO="X"), "linalg.eigh: UPLO argument must be 'L' or 'U'"),
        (lambda: linalg.svd(A, driver="no"), "linalg.svd: `driver` must be None"),
        (lambda: linalg.solve_triangular(A, A, trans=2**70), "linalg.solve_triangular: `trans`"),
    ],
)
def test_a_parameter_that_the_op_refuses_is_worded_by_the_body(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(
    "call", [lambda: linalg.inv(A, 1), lambda: linalg.inv(), lambda: linalg.inv(A, lower=True)]
)
def test_wrong_arguments_are_worded_by_the_body(call):
    with pytest.raises(TypeError, match=r"^inv\(\)"):
        call()


# --- What happens on the way ----------------------------------------------------------------------


def test_a_failure_is_that_of_the_body():
    singular = np.ones((2, 2))

    with pytest.raises(linalg.LinAlgError) as short:
        linalg.inv(singular)
    with pytest.raises(linalg.LinAlgError) as long:
        linalg.inv._implementation(singular)

    assert (str(short.value), short.value.indices) == (str(long.value), long.value.indices)


@pytest.mark.parametrize("function", [linalg.matrix_exp, linalg.matrix_exp._implementation])
def test_a_warning_names_the_line_of_the_caller(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(np.array([[1000.0, 1.0], [1.0, 1000.0]]))

    assert [warning.filename for warning in caught] == [__file__]


# --- Hot paths of compositions --------------------------------------------------------------------

by_hot_path = pytest.mark.parametrize(
    "face", [FUNCTIONS[name] for name in HOT_PATHS], ids=list(HOT_PATHS)
)
# Those that leave to the body what is unusual; powers of numbers know nothing unusual.
by_composition = pytest.mark.parametrize(
    "face",
    [FUNCTIONS[name] for name in HOT_PATHS if name != "linalg.vander"],
    ids=[name for name in HOT_PATHS if name != "linalg.vander"],
)
SHAPES = [
    (1, 1),
    (2, 2),
    (3, 3),
    (4, 4),
    (6, 6),
    (20, 20),
    (5, 2),
    (2, 5),
    (30, 3),
    (3, 30),
    (1, 4),
]


def with_rank(letter, stack, m, n, rank, rng):
    a = rng.standard_normal((*stack, m, rank)) @ rng.standard_normal((*stack, rank, n))
    return a if letter == "d" else a * np.exp(1j * rng.standard_normal((*stack, m, n)))


def assert_same(short, long):
    assert type(short) is type(long)
    assert facts(short) == facts(long)


def facts(result):
    items = result if isinstance(result, tuple) else (result,)
    arrays = map(np.asarray, items)
    return [(type(x), a.dtype, a.shape, a.tobytes()) for x, a in zip(items, arrays, strict=True)]


@by_hot_path
@pytest.mark.parametrize("letter", "dD")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("stack", [(), (3,), (2, 2)])
def test_a_hot_path_has_the_bits_of_the_body(face, letter, shape, stack):
    rng = np.random.default_rng(5)
    ranks = {1, min(shape), max(1, min(shape) - 1)}

    for rank in ranks:
        a = with_rank(letter, stack, *shape, rank, rng)

        assert_same(face(a), face._implementation(a))


@by_hot_path
@pytest.mark.parametrize("factor", [1 - 2**-52, 1.0, 1 + 2**-52])
@pytest.mark.parametrize("longer", [2, 3, 7])
def test_a_hot_path_has_the_tolerance_of_the_body(face, factor, longer):
    a = np.zeros((longer, 2))
    a[0, 0], a[1, 1] = 3.0, 3.0 * longer * 2.0**-52 * factor

    assert_same(face(a), face._implementation(a))
    assert_same(face(a.T), face._implementation(a.T))


@by_hot_path
@pytest.mark.parametrize("letter", "dD")
def test_plain_matrices_of_a_hot_path_run_no_body(face, letter):
    a = with_rank(letter, (2,), 3, 3, 3, np.random.default_rng(6))

    assert bodies_entered(face, a) == []


UNUSUAL = {
    "zero": np.zeros((2, 2)),
    "tiny": np.diag([1e-310, 1e-320]),
    "huge": np.full((2, 2), 1e308),
    "one of a stack": np.stack([np.eye(2), np.zeros((2, 2)), np.diag([1e300, 1.0])]),
    "infinite": np.array([[np.inf, 0.0], [0.0, 1.0]]),
    "no matrices": np.zeros((0, 2, 2)),
    "single": np.eye(2, dtype="f"),
    "integers": np.eye(2, dtype=int),
    "vector": np.ones(3),
}


@np.errstate(over="ignore")  # the inverse of what is tiny may be no number
def assert_left_to_the_body(face, a):
    try:
        long = face._implementation(a)
    except (linalg.LinAlgError, ValueError) as error:
        with pytest.raises(type(error), match=f"^{re.escape(str(error))}$"):
            face(a)
        return

    assert len(bodies_entered(face, a)) > 0
    assert_same(face(a), long)


@by_composition
@pytest.mark.parametrize("a", UNUSUAL.values(), ids=UNUSUAL)
def test_what_is_unusual_is_for_the_body(face, a):
    assert_left_to_the_body(face, a)


@by_composition
@pytest.mark.parametrize("shape", [(0, 2), (2, 0), (0, 0), (0, 2, 0)])
def test_empty_matrices_are_for_the_body(face, shape):
    assert_left_to_the_body(face, np.zeros(shape))


@by_composition
def test_nan_is_worded_by_the_body(face):
    assert_left_to_the_body(face, np.array([[np.nan, 0.0], [0.0, 1.0]]))


@by_composition
def test_a_layer_sees_the_ops_of_a_composition(face):
    seen = {op.name for op, _, _ in calls_of_ops(face, (A,), {})}

    assert seen < set(OPS)
    assert seen


# --- Declarations that make no sense --------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "static"),
    [
        (len, {}),
        (OPS["linalg.matmul"], {}),
        (OPS["linalg.det"], {"upper": False}),
        (OPS["linalg.cholesky"], {}),
        (OPS["linalg.cholesky"], {"lower": False}),
        (OPS["linalg.eigh"], {"UPLO": "l"}),
    ],
)
def test_an_op_with_other_static_parameters_is_refused(op, static):
    with pytest.raises(TypeError, match=r"is not an op|are not its static parameters"):
        _kernels.PublicFunction(len, False, op, static)
