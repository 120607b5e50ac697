"""Backward errors of the solve family on nasty matrices, alone and stacked, by instruction set.

The gallery has one matrix at a time, so it never meets the kernels that do several at once. Here
every matrix is tried both ways. Residuals of small matrices are measured in extended precision
where there is one; else in double, whose own error is a small part of the bound.
"""

import numpy as np
import pytest

from numerics import _kernels, linalg

from cases.errors import DOUBLE, GRANTED

SIZES = [1, 2, 3, 4, 5, 8, 16, 17, 33, 100, 200]
LARGE = 64  # rows from which stacks are few, and residuals in double


@pytest.fixture(params=_kernels.instruction_sets())
def instruction_set(request):
    before = _kernels.instruction_set()
    _kernels.use_instruction_set(request.param)
    yield request.param
    _kernels.use_instruction_set(before)


@pytest.fixture(params=["alone", "stacked"])
def applied(request):
    """How a function comes to a stack: matrix by matrix, or at once."""

    def one_by_one(function, *arrays):
        results = [function(*one) for one in zip(*arrays, strict=True)]
        if isinstance(results[0], tuple):
            return tuple(np.stack(part) for part in zip(*results, strict=True))
        return np.stack(results)

    def at_once(function, *arrays):
        return function(*arrays)

    return one_by_one if request.param == "alone" else at_once


# --- Matrices -----------------------------------------------------------------------------------


def numbers(rng, letter, *shape):
    real = rng.standard_normal(shape)
    return real + 1j * rng.standard_normal(shape) if letter == "D" else real


def unitary(rng, letter, n):
    return np.linalg.qr(numbers(rng, letter, n, n))[0]


def with_singular_values(rng, letter, s):
    n = len(s)
    return unitary(rng, letter, n) * s @ unitary(rng, letter, n)


def small_diagonal(rng, letter, n):
    """[[1e-20, 1], [1, 1]] and the like: without exchanges of rows all digits are lost."""
    return np.where(np.eye(n) > 0, 1e-20 if n > 1 else 1.0, numbers(rng, letter, n, n))


def cyclic(rng, letter, n):
    """A permutation and a grain of noise: every pivot is in another row."""
    return np.roll(np.eye(n), 1, 0) + 1e-18 * numbers(rng, letter, n, n)


NASTY = {
    "random": lambda rng, letter, n: numbers(rng, letter, n, n),
    "graded rows": lambda rng, letter, n: (
        numbers(rng, letter, n, n) * np.logspace(0, -12, n)[:, None]
    ),
    "graded columns": lambda rng, letter, n: numbers(rng, letter, n, n) * np.logspace(0, -12, n),
    "badly scaled": lambda rng, letter, n: (
        numbers(rng, letter, n, n) * 10 ** rng.uniform(-20, 20, (n, 1))
    ),
    "clustered": lambda rng, letter, n: with_singular_values(
        rng, letter, np.where(np.arange(n) < (n + 1) // 2, 1, 1e-12)
    ),
    "nearly deficient": lambda rng, letter, n: with_singular_values(
        rng, letter, np.where(np.arange(n) < (n + 1) // 2, 1, 1e-15)
    ),
    "needs pivoting": small_diagonal,
    "cyclic": cyclic,
}
EVENLY_SCALED = ("random", "clustered", "needs pivoting", "cyclic")
EXPONENTS = {"huge": 1000, "tiny": -1000, "subnormal": -1030}


def stack(name, letter, n):
    """At least a pack and one more, so that there are lanes left empty too."""
    rng = np.random.default_rng(n)
    count = 9 if n < LARGE else 2
    return np.stack([NASTY[name](rng, letter, n) for _ in range(count)]).astype(letter)


def definite(name, letter, n):
    """A matrix of the nasty one's squares, which has the same grading."""
    a = stack(name, letter, n)
    return a @ a.conj().mT + np.eye(n) * 1e-10 * np.abs(a).max((1, 2), keepdims=True) ** 2


def scaled(a, exponent):
    """``a 2**exponent``, the subnormal ones rounded."""
    half = 2.0 ** (exponent // 2)
    return a * half * 2.0 ** (exponent - exponent // 2)


# --- Residuals ----------------------------------------------------------------------------------


def wide(a):
    return a.astype(np.result_type(a.dtype, np.longdouble)) if a.shape[-2] < LARGE else a


def size(a):
    """Frobenius norms of a stack."""
    return np.sqrt((np.abs(wide(a)) ** 2).sum((-2, -1)))


def backward_error(a, x, b):
    """Largest ‖b - a x‖ / (n eps ‖a‖ ‖x‖); NaN if anything is."""
    residual = size(wide(b) - wide(a) @ wide(x))
    return float(np.max(residual / (size(a) * size(x) * a.shape[-1] * DOUBLE)))


def right_hand_sides(letter, n, count):
    return numbers(np.random.default_rng(1), letter, count, n, 3)


by_size = pytest.mark.parametrize("n", SIZES)
by_letter = pytest.mark.parametrize("letter", "dD")


def exceeding(errors):
    """What is not within the promise; NaN is not."""
    return {name: error for name, error in errors.items() if not error <= GRANTED}


@by_size
@by_letter
def test_solutions_are_backward_stable(instruction_set, applied, letter, n):
    errors = {}
    for name in NASTY:
        a = stack(name, letter, n)
        b = right_hand_sides(letter, n, len(a))
        errors[name] = backward_error(a, applied(linalg.solve, a, b), b)

    assert exceeding(errors) == {}


@pytest.mark.parametrize("n", [2, 3, 5, 16, 17, 40])
@by_letter
@pytest.mark.parametrize("exponent", EXPONENTS.values(), ids=EXPONENTS)
def test_the_error_does_not_depend_on_the_scale(instruction_set, applied, letter, n, exponent):
    errors = {}
    for name in EVENLY_SCALED:
        a = scaled(stack(name, letter, n), exponent)
        # Solutions of tiny matrices must not overflow.
        small = min(exponent, 0)
        b = scaled(right_hand_sides(letter, n, len(a)), small)

        x = applied(linalg.solve, a, b)

        # All are scaled back without an error, so that nothing overflows or underflows here.
        back = scaled(a, -exponent), scaled(x, exponent - small), scaled(b, -small)
        errors[name] = backward_error(*back)

    assert exceeding(errors) == {}


@by_size
@by_letter
def test_inverses_solve_for_the_identity(instruction_set, applied, letter, n):
    errors = {}
    for name in NASTY:
        a = stack(name, letter, n)
        x = applied(linalg.inv, a)
        errors[name] = backward_error(a, x, np.broadcast_to(np.eye(n), a.shape))

    assert exceeding(errors) == {}


def with_rows_exchanged(a, pivots):
    permuted = a.copy()
    for matrix, exchanges in zip(permuted, pivots, strict=True):
        for i, row in enumerate(exchanges):
            matrix[[i, row]] = matrix[[row, i]]
    return permuted


@by_size
@by_letter
def test_factors_multiply_to_the_matrix_and_solve(instruction_set, applied, letter, n):
    errors, multipliers = {}, {}
    for name in NASTY:
        a = stack(name, letter, n)
        b = right_hand_sides(letter, n, len(a))
        lu, pivots = applied(linalg.lu_factor, a)
        x = applied(lambda lu, pivots, b: linalg.lu_solve((lu, pivots), b), lu, pivots, b)

        L, U = np.tril(lu, -1) + np.eye(n), np.triu(lu)
        multipliers[name] = np.abs(L).max()
        errors[name, "factors"] = backward_error(L, U, with_rows_exchanged(a, pivots))
        errors[name, "solutions"] = backward_error(a, x, b)

    assert exceeding(errors) == {}
    # √2 for complex numbers, whose sizes are compared by their parts
    assert max(multipliers.values()) <= (1 if letter == "d" else 1.5)


@by_size
@by_letter
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_factors_multiply_to_the_matrix(instruction_set, applied, letter, n, upper):
    errors = {}
    for name in NASTY:
        a = definite(name, letter, n)
        factor = applied(lambda a: linalg.cholesky(a, upper=upper), a)
        L = factor.conj().mT if upper else factor
        read = np.triu(a) if upper else np.tril(a).conj().mT
        hermitian = read + np.triu(read, 1).conj().mT
        errors[name] = backward_error(L, L.conj().mT, hermitian)

    assert exceeding(errors) == {}


@pytest.mark.parametrize("n", [n for n in SIZES if n < LARGE])
@by_letter
@pytest.mark.parametrize("lower", [False, True])
def test_triangular_solutions_are_backward_stable(instruction_set, applied, letter, n, lower):
    errors = {}
    for name in (name for name in NASTY if name not in ("needs pivoting", "cyclic")):
        a = (np.tril if lower else np.triu)(stack(name, letter, n))
        b = right_hand_sides(letter, n, len(a))
        x = applied(lambda a, b: linalg.solve_triangular(a, b, lower=lower), a, b)
        errors[name] = backward_error(a, x, b)

    assert exceeding(errors) == {}


# --- The judge is judged ------------------------------------------------------------------------


def solved_without_pivoting(a, b):
    """Gauss without exchanges of rows, the fault that lanes and masks could have."""
    a, b = a.copy(), b.copy()
    n = a.shape[-1]
    for k in range(n):
        for i in range(k + 1, n):
            factor = a[:, i, k : k + 1] / a[:, k, k : k + 1]
            a[:, i] -= factor * a[:, k]
            b[:, i] -= factor * b[:, k]
    for k in reversed(range(n)):
        b[:, k] /= a[:, k, k : k + 1]
        b[:, :k] -= a[:, :k, k : k + 1] * b[:, k : k + 1]
    return b


@pytest.mark.parametrize("name", ["needs pivoting", "cyclic"])
@pytest.mark.parametrize("n", [n for n in SIZES if 1 < n <= 33])
def test_elimination_without_pivoting_is_noticed(n, name):
    a = stack(name, "d", n)
    b = right_hand_sides("d", n, len(a))

    with np.errstate(all="ignore"):
        x = solved_without_pivoting(a, b)
        error = backward_error(a, x, b)

    assert not error <= GRANTED
