"""Linear equations, determinants and eigenvalues."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from cases import Case, Edge, draws
from cases import domains as where
from cases.errors import (
    LAPACK_BOUND,
    away_from_unitary,
    condition,
    distance,
    each,
    frobenius,
    largest,
    ratio,
    unit,
)
from oracle import linalg as truth

EMPTY = np.zeros((0, 0))
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])


@each((2, 2), (2,))
def _backward_error(arrays, results, static):
    """‖b - a x‖ / (‖a‖ ‖x‖), the smallest relative change of `a` that makes `x` exact."""
    (a, b), (x,) = arrays, results
    residual = distance(a, x, target=b)
    return ratio(residual, frobenius(a) * frobenius(x) * unit(a.dtype.char, len(a)))


def solve_error(problem, results):
    """A vector `b` is a matrix of one column."""
    a, b = problem.arrays
    if b.ndim > 1:
        return _backward_error(problem, results)
    columns = problem._replace(arrays=(a, b[:, None]))
    return _backward_error(columns, (results[0][..., None],))


@each((2,), (2,))
def inverse_error(arrays, results, static):
    (a,), (x,) = arrays, results
    expected = truth.inverse(a)
    scale = frobenius(expected) * unit(a.dtype.char, len(a), condition(a))
    return ratio(frobenius(truth.gap(x, expected)), scale)


@each((2,), (0,))
def _det_error(arrays, results, static):
    (a,), (d,) = arrays, results
    expected = truth.determinant(a)
    scale = float(abs(expected)) * unit(a.dtype.char, len(a), condition(a))
    return ratio(float(truth.gap(d, expected)), scale)


@each((2,), (0, 0))
def _slogdet_error(arrays, results, static):
    (a,) = arrays
    sign, logarithm = truth.sign_and_log(a)
    one = unit(a.dtype.char, len(a), condition(a))
    scales = one, one * max(1.0, abs(float(logarithm)))
    gaps = truth.gap(results[0], sign), truth.gap(results[1], logarithm)
    return largest(ratio(float(g), scale) for g, scale in zip(gaps, scales, strict=True))


@each((2, 2), (2, 1, 0, 1))
def _lstsq_error(arrays, results, static):
    """Wedin's bound: the solution moves by κ + κ² ‖r‖ / (‖a‖ ‖x‖) times the backward error."""
    (a, b), (x, squares, rank, s) = arrays, results
    expected, expected_squares, expected_rank = truth.least_squares(a, b, static["rcond"])
    if int(rank) != expected_rank:
        return float("inf")
    singular = truth.singular_values(a)
    n, letter = max(a.shape), a.dtype.char
    kappa = float(singular[0] / singular[expected_rank - 1])
    residual = float(sum(expected_squares)) ** 0.5
    size = frobenius(a) * frobenius(expected)
    moved = frobenius(truth.gap(x, expected))
    sums = squares if expected_rank == a.shape[1] < len(a) else expected_squares
    return largest(
        [
            ratio(moved, frobenius(expected) * unit(letter, n, kappa + kappa**2 * residual / size)),
            ratio(truth.gap(sums, expected_squares).max(), frobenius(b) ** 2 * unit(letter, n)),
            ratio(truth.gap(s, singular).max(), float(singular[0]) * unit(letter, n)),
        ]
    )


def _unmatched(values, expected):
    """Largest distance in the best pairing of two sets of eigenvalues."""
    values, expected = np.asarray(values, complex), np.asarray(expected, complex)
    gaps = np.abs(values[:, None] - expected)
    if not np.isfinite(gaps).all():
        return float("nan")
    return float(gaps[linear_sum_assignment(gaps)].max(initial=0))


def _bauer_fike(a, values):
    """Eigenvalues move by the condition number of the eigenvectors times the backward error."""
    vectors = np.linalg.eig(a.astype(complex))[1]
    scale = frobenius(a) * unit(a.dtype.char, len(a), condition(vectors))
    return ratio(_unmatched(values, truth.eigenvalues(a)), scale)


@each((2,), (1,))
def _eigvals_error(arrays, results, static):
    return _bauer_fike(arrays[0], results[0])


@each((2,), (1, 2))
def _eig_error(arrays, results, static):
    (a,), (w, v) = arrays, results
    one = unit(a.dtype.char, len(a), rounded=2 * len(a) ** 0.5)
    lengths = truth.gap([frobenius(column) for column in v.T], np.ones(len(a)))
    return largest(
        [
            ratio(distance(a, v, target=truth.product(v, np.diag(w))), frobenius(a) * one),
            ratio(lengths.max(), one),
            _bauer_fike(a, w),
        ]
    )


def _weyl(a, w):
    """Eigenvalues of a Hermitian matrix move by at most the backward error."""
    if (np.diff(w) < 0).any():
        return float("inf")
    gaps = truth.gap(w, truth.hermitian_eigenvalues(a))
    return ratio(gaps.max(), frobenius(a) * unit(a.dtype.char, len(a)))


@each((2,), (1,))
def _eigvalsh_error(arrays, results, static):
    return _weyl(where.hermitian(arrays[0], static["UPLO"]), results[0])


@each((2,), (1, 2))
def _eigh_error(arrays, results, static):
    a, (w, v) = where.hermitian(arrays[0], static["UPLO"]), results
    one = unit(a.dtype.char, len(a), rounded=2 * len(a) ** 0.5)
    return largest(
        [
            ratio(distance(a, v, target=truth.product(v, np.diag(w))), frobenius(a) * one),
            ratio(away_from_unitary(v), one),
            _weyl(a, w),
        ]
    )


LINALG = (
    Case(
        "linalg.solve",
        error=solve_error,
        bound=LAPACK_BOUND,
        domain=where.invertible,
        smooth=where.invertible,
        edges=(
            Edge((EMPTY, np.zeros((0, 2))), {}, (np.zeros((0, 2)),)),
            Edge((np.diag([2.0, 4.0]), np.array([1.0, 1.0])), {}, (np.array([0.5, 0.25]),)),
        ),
        draw=draws.systems,
    ),
    Case(
        "linalg.inv",
        error=inverse_error,
        bound=LAPACK_BOUND,
        domain=where.invertible,
        smooth=where.invertible,
        edges=(
            Edge((EMPTY,), {}, (EMPTY,)),
            Edge((np.array([[2.0]]),), {}, (np.array([[0.5]]),)),
        ),
        draw=draws.squares,
    ),
    Case(
        "linalg.det",
        error=_det_error,
        bound=LAPACK_BOUND,
        domain=where.invertible,
        smooth=where.finite,
        edges=(
            Edge((EMPTY,), {}, (np.float64(1),)),
            Edge((2 * np.eye(3),), {}, (np.float64(8),)),
            Edge((np.eye(3)[::-1],), {}, (np.float64(-1),)),
            Edge((SINGULAR,), {}, (np.float64(0),)),
        ),
        draw=draws.squares,
    ),
    Case(
        "linalg.slogdet",
        error=_slogdet_error,
        bound=LAPACK_BOUND,
        domain=where.invertible,
        smooth=where.invertible,
        edges=(
            Edge((EMPTY,), {}, (np.float64(1), np.float64(0))),
            Edge((SINGULAR,), {}, (np.float64(0), np.float64(-np.inf))),
        ),
        draw=draws.squares,
    ),
    Case(
        "linalg.lstsq",
        error=_lstsq_error,
        bound=LAPACK_BOUND,
        domain=where.rank_is_clear,
        smooth=where.full_rank,
        edges=(
            Edge(
                (np.zeros((0, 2)), np.zeros((0, 1))),
                {"rcond": 1e-10},
                (np.zeros((2, 1)), np.zeros(1), np.int32(0), np.zeros(0)),
            ),
        ),
        draw=draws.least_squares,
    ),
    Case(
        "linalg.eigvals",
        error=_eigvals_error,
        bound=LAPACK_BOUND,
        domain=where.finite,
        smooth=where.distinct_eigenvalues,
        edges=(Edge((np.diag([3.0, 1.0]),), {}, (np.array([3.0, 1.0]),)),),
        draw=draws.one()(draws.square),
    ),
    Case(
        "linalg.eig",
        error=_eig_error,
        bound=LAPACK_BOUND,
        domain=where.finite,
        smooth=where.distinct_eigenvalues,
        edges=(Edge((np.diag([3.0, 1.0]),), {}, (np.array([3.0, 1.0]), np.eye(2))),),
        draw=draws.one()(draws.square),
    ),
    Case(
        "linalg.eigvalsh",
        error=_eigvalsh_error,
        bound=LAPACK_BOUND,
        domain=where.finite,
        smooth=where.distinct_hermitian_eigenvalues,
        edges=(Edge((EMPTY,), {"UPLO": "L"}, (np.zeros(0),)),),
        draw=draws.triangles,
    ),
    Case(
        "linalg.eigh",
        error=_eigh_error,
        bound=LAPACK_BOUND,
        domain=where.finite,
        smooth=where.distinct_hermitian_eigenvalues,
        edges=(Edge((EMPTY,), {"UPLO": "U"}, (np.zeros(0), EMPTY)),),
        draw=draws.triangles,
    ),
)
