"""The judges are judged: a planted fault must be noticed, and the two libraries of truth agree."""

import mpmath
import numpy as np
import pytest

from numerics._core.op import OPS

from cases.errors import unit
from cases.table import CASES
from oracle import linalg as truth

SIZE = 3
CONDITION = 30.0  # of what is drawn, at most
INEXACT = [
    pytest.param(case, letter, id=f"{name}-{letter}")
    for name, case in CASES.items()
    for letter in "fdFD"
    if letter in case.bound
]
SQUARE = (
    "linalg.inv",
    "linalg.matmul",
    "linalg.matrix_exp",
    "linalg.sqrtm",
    "linalg.cholesky",
    "linalg.qr.complete",
    "linalg.svd.full",
)
COMPLEX = [name for name, case in CASES.items() if "D" in case.bound]
REAL_RESULTS = ("svdvals", "eigvalsh", "vector_norm", "matrix_norm", "trace")


def solved(case, letter, number=0, size=SIZE):
    """A problem and the op's own results, as arrays that may be written to."""
    problem = case.draw(np.random.default_rng(size), letter, size)[number]
    result = OPS[case.name](*problem.arrays, **problem.static)
    return problem, [np.array(r) for r in (result if isinstance(result, tuple) else (result,))]


def size_of_fault(case, letter):
    """A hundred times the promise relative to the largest entry, at the problem's condition."""
    if OPS[case.name].cpu is None:
        return 100 * case.bound[letter] * unit(letter, SIZE, kappa=CONDITION)
    return 100 * case.bound[letter] * SIZE * float(np.finfo(letter).eps)


@pytest.mark.parametrize(("case", "letter"), INEXACT)
def test_a_fault_in_one_entry_of_any_output_is_noticed(case, letter):
    problem, results = solved(case, letter)
    noticed = []
    for number, output in enumerate(results):
        if output.dtype.kind not in "fc":
            continue
        faulty = [r.copy() for r in results]
        flat = faulty[number].reshape(-1)
        place = np.argmax(np.abs(flat))
        flat[place] += flat[place] * size_of_fault(case, letter)
        noticed.append(not case.error(problem, faulty) <= case.bound[letter])

    assert noticed
    assert all(noticed)


@pytest.mark.parametrize(("case", "letter"), INEXACT)
def test_nan_is_noticed(case, letter):
    problem, results = solved(case, letter)

    first = next(r for r in results if r.dtype.kind in "fc")
    first.reshape(-1)[0] = np.nan

    assert not case.error(problem, results) <= case.bound[letter]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_result_of_the_wrong_shape_is_noticed(case):
    letter = "d" if "d" in case.bound else "g"
    problem, results = solved(case, letter)

    results[0] = results[0][np.newaxis]

    assert not case.error(problem, results) <= case.bound[letter]


@pytest.mark.parametrize("name", [n for n in COMPLEX if not n.endswith(REAL_RESULTS)])
def test_a_missing_conjugate_is_noticed(name):
    case = CASES[name]
    problem, results = solved(case, "D")

    conjugated = [r.conj() for r in results]

    assert not case.error(problem, conjugated) <= case.bound["D"]


@pytest.mark.parametrize("name", SQUARE)
def test_a_transposed_factor_is_noticed(name):
    case = CASES[name]
    problem, results = solved(case, "d", number=-1 if name == "linalg.matmul" else 0)

    results[0] = results[0].swapaxes(-2, -1).copy()

    assert not case.error(problem, results) <= case.bound["d"]


@pytest.mark.parametrize("name", ["linalg.eig", "linalg.eigvals"])
def test_an_eigenvalue_found_twice_is_noticed(name):
    case = CASES[name]
    problem, results = solved(case, "D")

    for output in results:
        output[..., 1] = output[..., 0]

    assert not case.error(problem, results) <= case.bound["D"]


@pytest.mark.parametrize("name", ["linalg.svdvals", "linalg.eigvalsh", "linalg.eigh"])
def test_values_in_the_wrong_order_are_noticed(name):
    case = CASES[name]
    problem, results = solved(case, "d")

    results[0] = results[0][..., ::-1].copy()

    assert not case.error(problem, results) <= case.bound["d"]


@pytest.mark.parametrize("name", ["linalg.matmul", "linalg.outer", "linalg.trace"])
def test_an_integer_that_is_one_off_is_noticed(name):
    case = CASES[name]
    problem, results = solved(case, "l")

    results[0].reshape(-1)[0] += 1

    assert case.error(problem, results) > case.bound["l"]


# --- The truth ----------------------------------------------------------------------------------


def matrix(letter="d", n=5):
    rng = np.random.default_rng(n)
    real = rng.standard_normal((n, n))
    return real if letter == "d" else real + 1j * rng.standard_normal((n, n))


def agrees(found, expected):
    return truth.gap(np.array(found, object), np.array(expected, object)).max() < 1e-40


@pytest.mark.parametrize("letter", "dD")
def test_singular_values_agree_with_mpmath(letter):
    a = matrix(letter)

    with mpmath.workdps(60):
        expected = list(mpmath.svd_c(mpmath.matrix(truth.exact(a).tolist()), compute_uv=False))

    assert agrees(truth.singular_values(a), expected)


@pytest.mark.parametrize("letter", "dD")
def test_hermitian_eigenvalues_agree_with_mpmath(letter):
    a = matrix(letter)
    a = np.tril(a, -1) + np.tril(a, -1).conj().T + np.diag(a.diagonal().real)

    with mpmath.workdps(60):
        expected = mpmath.eighe(mpmath.matrix(truth.exact(a).tolist()), eigvals_only=True)

    assert agrees(truth.hermitian_eigenvalues(a), sorted(expected))


@pytest.mark.parametrize("letter", "dD")
def test_inverse_and_determinant_agree_with_mpmath(letter):
    a = matrix(letter)

    with mpmath.workdps(60):
        expected = mpmath.matrix(truth.exact(a).tolist())
        inverse, determinant = (expected**-1).tolist(), mpmath.det(expected)

    assert agrees(truth.inverse(a), inverse)
    assert agrees([truth.determinant(a)], [determinant])


@pytest.mark.parametrize("letter", "dD")
def test_the_exponential_agrees_with_mpmath(letter):
    a = matrix(letter)

    with mpmath.workdps(60):
        expected = mpmath.expm(mpmath.matrix(truth.exact(a).tolist())).tolist()

    assert agrees(truth.exponential(a), expected)


def test_the_cholesky_factor_multiplies_to_its_matrix():
    a = truth.product(matrix(), matrix().T)

    L = truth.cholesky(a)

    assert agrees(truth.product(L, truth.adjoint(L)), a)


def test_least_squares_of_low_rank_meets_the_normal_equations_and_is_shortest():
    a = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    b = np.array([[1.0], [2.0], [4.0], [5.0]])

    x, squares, rank = truth.least_squares(a, b, 1e-10)

    null = np.array([[1.0, 1.0, -1.0]])  # a @ null.T is zero
    assert rank == 2
    assert agrees(squares, [25])
    assert agrees(truth.product(a.T, a, x), truth.product(a.T, b))
    assert agrees(truth.product(null, x), [[0]])
