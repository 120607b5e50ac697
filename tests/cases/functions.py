"""Functions of a matrix: the exponential and the square root."""

import numpy as np
from scipy.linalg import expm_frechet

from cases import Case, Edge, Problem, draws
from cases import domains as where
from cases.errors import LAPACK_BOUND, distance, each, frobenius, ratio, unit
from oracle import linalg as truth

EMPTY = np.zeros((0, 0))
POWER_STEPS = 10


def exponential_condition(a):
    """Return ‖L‖ ‖a‖ / ‖e^a‖, with L the derivative of the exponential at `a`, and at least 1.

    The power method on L*L finds ‖L‖, or somewhat less, which makes the promise stricter.
    """
    a = a.astype(complex if a.dtype.kind == "c" else float)
    rng = np.random.default_rng(len(a))
    direction = rng.standard_normal(a.shape).astype(a.dtype)
    size = 0.0
    for _ in range(POWER_STEPS):
        direction /= frobenius(direction)
        exponential, change = expm_frechet(a, direction)
        size = max(size, frobenius(change))
        direction = expm_frechet(a.conj().T, change, compute_expm=False)
    return max(1.0, size * frobenius(a) / frobenius(exponential))


@each((2,), (2,))
def _exponential_error(arrays, results, static):
    """‖x - e^a‖ / ‖e^a‖, for the condition of the exponential at `a`."""
    (a,), (x,) = arrays, results
    expected = truth.exponential(a)
    scale = frobenius(expected) * unit(a.dtype.char, len(a), exponential_condition(a))
    return ratio(frobenius(truth.gap(x, expected)), scale)


@each((2,), (2,))
def _root_error(arrays, results, static):
    """‖x x - a‖ / ‖x‖², Björck and Hammarling's; infinite if `x` is not the principal root."""
    (a,), (x,) = arrays, results
    if not np.isfinite(x).all():
        return float("nan")
    if (np.linalg.eigvals(x.astype(complex)).real < -1e-3 * frobenius(x)).any():
        return float("inf")
    one = unit(a.dtype.char, len(a), rounded=2)
    return ratio(distance(x, x, target=a), frobenius(x) ** 2 * one)


def _sized(size, make):
    """Matrices of spectral norm `size`."""

    def sized(rng, letter, stack, n):
        a = make(rng, letter, stack, n)
        return (a * (size / np.linalg.norm(a, 2, axis=(-2, -1), keepdims=True))).astype(letter)

    return sized


def _upper(rng, letter, stack, n):
    """Upper triangular matrices whose columns shrink to a thousandth."""
    return np.triu(draws.graded(rng, letter, stack, n))


def _nilpotent(rng, letter, stack, n):
    """Powers of these are far smaller than the powers of their norms; of one row, they are 0."""
    return 5 * np.triu(draws.square(rng, letter, stack, n), 1)


def _lower(rng, letter, stack, n):
    return np.tril(draws.square(rng, letter, stack, n))


def _skew(rng, letter, stack, n):
    """Skew-Hermitian matrices: the exponential is unitary."""
    a = draws.square(rng, letter, stack, n)
    skew = a - a.conj().swapaxes(-2, -1)
    return 5 * skew + (1 if n == 1 and letter in "fd" else 0)  # else 0, which has no size


def _exponents(rng, letter, size):
    kinds = [
        _sized(3, draws.square),
        draws.graded,
        _sized(1e-4, draws.square),
        _sized(0.3, draws.square),
        _sized(50, draws.square),
        _sized(30, _skew),
        _sized(10, _upper),
        _lower,
        _nilpotent,
    ]
    problems = [problem for kind in kinds for problem in draws.one()(kind)(rng, letter, size)[:1]]
    scales = np.array([12, 0.01, 5, 0.5, 1e-4])[:, None, None]
    stack = _sized(1, draws.square)(rng, letter, (), size) * scales
    return [*problems, Problem((stack.astype(letter),), {})]


def _shifted(rng, letter, stack, n):
    """Matrices with eigenvalues about 2 √n, so that the root of a real one is real."""
    return draws.square(rng, letter, stack, n) + (2 * n**0.5 * np.eye(n)).astype(letter)


def _negative(rng, letter, stack, n):
    """Matrices of which the real ones have a negative determinant, thus a negative eigenvalue."""
    a = draws.square(rng, letter, stack, n)
    if letter in "fd":
        a[..., 0, :] *= -np.sign(np.linalg.det(a))[..., None].astype(letter)
    return a


def _hermitian(rng, letter, stack, n):
    a = draws.positive_definite(rng, letter, stack, n)
    return np.tril(a) + np.tril(a, -1).conj().swapaxes(-2, -1)


def _triangular(rng, letter, stack, n):
    return np.triu(_shifted(rng, letter, stack, n))


def _squares(rng, letter, size):
    kinds = [_negative, _shifted, _hermitian, _triangular]
    return [problem for kind in kinds for problem in draws.one()(kind)(rng, letter, size)]


FUNCTIONS = (
    Case(
        "linalg.matrix_exp",
        error=_exponential_error,
        bound=LAPACK_BOUND,
        domain=where.finite,
        smooth=where.finite,
        edges=(
            Edge((EMPTY,), {}, (EMPTY,)),
            Edge((np.zeros((3, 3)),), {}, (np.eye(3),)),
            Edge((np.array([[0.0, 3.0], [0.0, 0.0]]),), {}, (np.array([[1.0, 3.0], [0.0, 1.0]]),)),
            Edge((np.diag([-1e300, 0.0]),), {}, (np.diag([0.0, 1.0]),)),
            Edge((np.array([[1.0, np.nan], [0.0, 1.0]]),), {}, (np.full((2, 2), np.nan),)),
            Edge((np.array([[1.0, 0.0], [0.0, -np.inf]]),), {}, (np.full((2, 2), np.nan),)),
        ),
        draw=_exponents,
    ),
    Case(
        "linalg.sqrtm",
        error=_root_error,
        bound=LAPACK_BOUND,
        domain=where.invertible,
        smooth=where.off_the_negative_axis,
        edges=(
            Edge((EMPTY,), {}, (EMPTY,)),
            Edge((np.zeros((2, 2)),), {}, (np.zeros((2, 2)),)),
            Edge((np.diag([0.0, 1.0]),), {}, (np.diag([0.0, 1.0]),)),
            Edge((np.diag([-4.0, 9.0]),), {}, (np.diag([2j, 3.0]),)),
            Edge((np.array([[4.0, 5.0], [0.0, 9.0]]),), {}, (np.array([[2.0, 1.0], [0.0, 3.0]]),)),
            Edge((np.array([[1.0, np.nan], [0.0, 1.0]]),), {}, (np.full((2, 2), np.nan),)),
            Edge((np.array([[1.0, 0.0], [0.0, np.inf]]),), {}, (np.full((2, 2), np.nan),)),
        ),
        draw=_squares,
    ),
)
