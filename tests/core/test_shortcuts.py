"""Plain calls that go straight to an op do what the function's body does."""

import inspect
import sys
import warnings

import numpy as np
import pytest

from numerics import _kernels, linalg
from numerics._core import layers
from numerics._core.op import OPS
from numerics._core.public import FUNCTIONS
from numerics._core.signature import parse

from cases.table import CASES

SHORTCUTS = {name: face for name, face in FUNCTIONS.items() if getattr(face, "_op", None)}
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
    for problem in problems(face, letter)[:4]:
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
