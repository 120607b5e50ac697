"""Cholesky, QR, products of reflectors, and singular values."""

import numpy as np

from cases import Case, Edge, Problem, draws
from cases import domains as where
from cases.errors import (
    LAPACK_BOUND,
    away_from_unitary,
    distance,
    each,
    frobenius,
    largest,
    ratio,
    unit,
)
from oracle import linalg as truth

TALL = np.zeros((3, 0))
WIDE = np.zeros((0, 3))


def _is_lower(a):
    return not np.triu(a, 1).any()


@each((2,), (2,))
def cholesky_error(arrays, results, static):
    """‖a - L Lᴴ‖ / ‖a‖, for an L with a real diagonal and zeros above it."""
    (a,), (factor,) = arrays, results
    a = where.hermitian(a, "U" if static["upper"] else "L")
    L = truth.adjoint(factor) if static["upper"] else factor
    if not _is_lower(L) or not (np.diagonal(L) == np.abs(np.diagonal(L))).all():
        return float("inf")
    one = unit(a.dtype.char, len(a), rounded=2 * len(a) ** 0.5)
    return ratio(distance(L, truth.adjoint(L), target=a), frobenius(a) * one)


def _qr_unit(a, columns):
    return unit(a.dtype.char, max(a.shape), rounded=2 * columns**0.5)


def _qr_error(arrays, results, static):
    """Residual, orthogonality, and zeros below the diagonal of R."""
    (a,), (Q, R) = arrays, results
    if not _is_lower(R.T):
        return float("inf")
    one = _qr_unit(a, Q.shape[1])
    return largest(
        [ratio(distance(Q, R, target=a), frobenius(a) * one), away_from_unitary(Q) / one]
    )


@each((2,), (2,))
def _qr_r_error(arrays, results, static):
    """RᴴR = aᴴa: all that is known of R without Q."""
    (a,), (R,) = arrays, results
    if not _is_lower(R.T):
        return float("inf")
    gram = truth.product(truth.adjoint(a), a)
    scale = 2 * frobenius(a) ** 2 * _qr_unit(a, len(R))
    return ratio(distance(truth.adjoint(R), R, target=gram), scale)


@each((2,), (2, 1))
def _qr_raw_error(arrays, results, static):
    (a,), (h, tau) = arrays, results
    Q, R = truth.reflectors(h, tau), np.triu(h.T)
    one = _qr_unit(a, 3 * len(a))  # each reflector is made of two rounded parts
    return largest(
        [ratio(distance(Q, R, target=a), frobenius(a) * one), away_from_unitary(Q) / one]
    )


@each((2, 1), (2,))
def _householder_product_error(arrays, results, static):
    """‖Q - H₁ H₂ …‖ / ‖Q‖, the reflectors taken as they are given."""
    (A, tau), (Q,) = arrays, results
    expected = truth.reflectors(A.T, tau)[:, : A.shape[1]]
    if Q.shape != expected.shape:
        return float("inf")
    return ratio(
        frobenius(truth.gap(Q, expected)), frobenius(expected) * unit(A.dtype.char, len(A))
    )


def _reflectors(rng, letter, size):
    """Those of square and of tall matrices, fewer than columns, and stacks that broadcast."""
    problems = []
    for m, n in ((size, size), (2 * size + 1, size)):
        a = draws.numbers(rng, letter, (m, n))
        h, tau = (x.astype(letter) for x in np.linalg.qr(a, "raw"))
        problems += [Problem((h.T, tau), {}), Problem((h.T, tau[: size // 2]), {})]
    # A reflector whose factor is 0 is the identity.
    some = np.stack([tau, np.where(np.arange(size) == 0, 0, tau).astype(letter), 0 * tau])
    return [*problems, Problem((np.stack([h.T, h.T])[:, np.newaxis], some), {})]


def _spectrum_error(a, s, driver):
    """Distance from the singular values: relative to the largest, and for rotations to each.

    Demmel & Veselić (SIAM J. Matrix Anal. Appl. 13, 1992): one-sided rotations move singular
    values by n·eps·κ of themselves, with κ of the matrix whose rows or columns have unit length.
    """
    if (np.diff(s) > 0).any():
        return float("inf")
    expected = truth.singular_values(a)
    gaps, n = truth.gap(s, expected), max(a.shape)
    error = ratio(gaps.max(), frobenius(a) * unit(a.dtype.char, n))
    if driver != "jacobi" or not _kappa(a) < 1e8:
        return error
    one = unit(a.dtype.char, n, _kappa(a))
    relative = [ratio(gap, float(x) * one) for gap, x in zip(gaps, expected, strict=True)]
    return largest([error, *relative])


def _kappa(a):
    """The lower condition number of rows and columns at unit length.

    Rows count where there are no more of them than columns, and columns where there are no more of
    them than rows: only then is a small change of each a product with a matrix near the identity.
    """
    wide = a.astype(np.result_type(a.dtype, np.float64))
    sides = [
        axis
        for axis in (0, 1)
        if a.shape[1 - axis] <= a.shape[axis] and np.linalg.norm(wide, axis=axis).all()
    ]
    scaled = [wide / np.linalg.norm(wide, axis=axis, keepdims=True) for axis in sides]
    return min((float(np.linalg.cond(x)) for x in scaled), default=float("inf"))


@each((2,), (1,))
def _svdvals_error(arrays, results, static):
    return _spectrum_error(arrays[0], results[0], static["driver"])


@each((2,), (2, 1, 2))
def _svd_error(arrays, results, static):
    (a,), (U, s, Vh) = arrays, results
    k = len(s)
    one = unit(a.dtype.char, max(a.shape), rounded=3 * max(a.shape) ** 0.5)
    product = truth.product(U[:, :k], np.diag(s), Vh[:k])
    return largest(
        [
            ratio(frobenius(truth.gap(product, a)), frobenius(a) * one),
            away_from_unitary(U) / one,
            away_from_unitary(truth.adjoint(Vh)) / one,
            _spectrum_error(a, s, static["driver"]),
        ]
    )


def _factorization(name, error, smooth, *edges, draw=draws.rectangles):
    return Case(
        name,
        error=error,
        bound=LAPACK_BOUND,
        domain=where.finite,
        smooth=smooth,
        edges=edges,
        draw=draw,
    )


FACTORIZATIONS = (
    Case(
        "linalg.cholesky",
        error=cholesky_error,
        bound=LAPACK_BOUND,
        domain=where.positive_definite,
        smooth=where.positive_definite,
        edges=(
            Edge((np.array([[4.0]]),), {"upper": False}, (np.array([[2.0]]),)),
            Edge((np.zeros((0, 0)),), {"upper": True}, (np.zeros((0, 0)),)),
        ),
        draw=draws.positive_definites,
    ),
    _factorization(
        "linalg.qr.reduced",
        each((2,), (2, 2))(_qr_error),
        where.full_rank,
        Edge((TALL,), {}, (TALL, np.zeros((0, 0)))),
        Edge((WIDE,), {}, (np.zeros((0, 0)), WIDE)),
    ),
    _factorization(
        "linalg.qr.complete",
        each((2,), (2, 2))(_qr_error),
        where.full_rank,
        Edge((TALL,), {}, (np.eye(3), TALL)),
    ),
    _factorization("linalg.qr.r", _qr_r_error, where.full_rank, Edge((WIDE,), {}, (WIDE,))),
    _factorization(
        "linalg.qr.raw", _qr_raw_error, where.full_rank, Edge((TALL,), {}, (WIDE, np.zeros(0)))
    ),
    Case(
        "linalg.householder_product",
        error=_householder_product_error,
        bound=LAPACK_BOUND,
        domain=where.finite,
        smooth=where.everywhere,
        edges=(
            Edge((TALL, np.zeros(0)), {}, (TALL,)),
            Edge((np.full((3, 2), np.nan), np.zeros(0)), {}, (np.eye(3, 2),)),
            Edge((np.array([[5.0], [1.0]]), np.array([1.0])), {}, (np.array([[0.0], [-1.0]]),)),
        ),
        draw=_reflectors,
    ),
    _factorization(
        "linalg.svd",
        _svd_error,
        where.distinct_singular_values,
        Edge((TALL,), {"driver": None}, (TALL, np.zeros(0), np.zeros((0, 0)))),
        draw=draws.decompositions,
    ),
    _factorization(
        "linalg.svd.full",
        _svd_error,
        where.distinct_singular_values,
        Edge((WIDE,), {"driver": "jacobi"}, (np.zeros((0, 0)), np.zeros(0), np.eye(3))),
        draw=draws.decompositions,
    ),
    _factorization(
        "linalg.svdvals",
        _svdvals_error,
        where.distinct_singular_values,
        *(
            Edge((np.zeros((2, 3)),), {"driver": driver}, (np.zeros(2),))
            for driver in (None, "gesdd", "gesvd", "jacobi")
        ),
        draw=draws.decompositions,
    ),
)
