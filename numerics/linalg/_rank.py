"""What is read off singular values: rank, pseudo-inverse, null space and range."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .._core.call import convert
from .._core.op import hot_path
from .._core.results import NullSpaceResult, OrthResult
from ._common import (
    array_wrap,
    is_empty,
    linalg_function,
    per_matrix,
    real_eps,
    scaled,
    scaling_exponent,
)
from ._norms import norm as norm_of
from ._products import MATMUL
from ._svd import SVD, SVD_FULL, SVDVALS, svd_hermitian, svdvals_hermitian

__all__ = ["matrix_rank", "null_space", "orth", "pinv"]

# Single precision is rounded on the way, between the singular values and what is made of them.
RANK = hot_path("linalg.matrix_rank", kernel="rank", signature="(m,n)->()", dtypes="d->p D->p")
PINV = hot_path("linalg.pinv", kernel="pinv", signature="(m,n)->(n,m)", dtypes="d->d D->D")
ORTH = hot_path(
    "linalg.orth",
    kernel="range",
    signature="(m,n)->(m,k),()",
    dtypes="d->dp D->Dp",
    result=OrthResult,
)
NULL_SPACE = hot_path(
    "linalg.null_space",
    kernel="null_space",
    signature="(m,n)->(n,n),()",
    dtypes="d->dp D->Dp",
    result=NullSpaceResult,
)


def threshold(s: Any, shape: tuple[int, ...], tol: Any = None, rtol: Any = None) -> Any:
    """Return what a singular value must exceed to count: the one rule of this file.

    Parameters
    ----------
    s : (..., k) array
        Singular values, descending.
    shape : tuple of int
        Shape of the matrices; the last two count.
    tol, rtol : (...) array_like, optional
        Absolute tolerance, or one relative to the largest singular value. The default is relative:
        ``max(m, n) * eps``, with the eps of the precision of `s`.

    Returns
    -------
    (..., 1) array or number
        To be compared with `s`.
    """
    if tol is not None:
        return per_matrix(tol)
    relative = max(shape[-2:]) * real_eps(s.dtype) if rtol is None else per_matrix(rtol)
    return relative * s[..., :1]


@linalg_function(hot_path=RANK)
def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """Rank of a matrix: the number of singular values above a tolerance.

    Parameters
    ----------
    A : (..., m, n) array_like
        Matrices. A vector or number counts as a single row: its rank is 1 if its 2-norm exceeds the
        tolerance, else 0.
    tol : (...) array_like, optional
        Absolute tolerance, exclusive.
    hermitian : bool, default False
        `A` is Hermitian; its eigenvalues are used.
    rtol : (...) array_like, optional
        Tolerance relative to the largest singular value. By default ``max(m, n) * eps``.

    Returns
    -------
    (...) ndarray of int, or int
        Ranks.

    Raises
    ------
    ValueError
        If both `tol` and `rtol` are given.
    LinAlgError
        If the iteration does not converge, as with NaN.

    See Also
    --------
    null_space, orth : Bases by the same rule.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> int(linalg.matrix_rank(np.ones((4, 4))))
    1
    """
    if rtol is not None and tol is not None:
        raise ValueError("linalg.matrix_rank: `tol` and `rtol` can't be both set.")
    A = convert(A)
    if A.ndim < 2:
        row = A.reshape(1, -1)
        wider = {"e": np.float32, "O": np.complex128}.get(row.dtype.char, row.dtype)
        norm = norm_of(row.astype(wider, copy=False), axis=-1)  # the only singular value
        rank = (norm > threshold(norm, row.shape, tol, rtol)).sum(axis=-1)
        return rank.item() if rank.ndim == 0 else rank
    s = _values(A, hermitian)
    if tol is None and _is_extreme(s):
        s = _values(scaled(A, scaling_exponent(A)), hermitian)
    return (s > threshold(s, A.shape, tol, rtol)).sum(axis=-1)


def _values(A: Any, hermitian: bool) -> Any:
    return svdvals_hermitian(A) if hermitian else SVDVALS(A, driver=None)


@linalg_function(hot_path=PINV)
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> Any:
    """Moore-Penrose pseudo-inverse of a matrix.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrices.
    rcond : (...) array_like of float, optional
        Singular values up to `rcond` times the largest count as zero; by default 1e-15.
    hermitian : bool, default False
        `a` is Hermitian; its eigenvalues are used.
    rtol : (...) array_like of float, optional
        The same as `rcond`; None means ``max(m, n) * eps``.

    Returns
    -------
    (..., n, m) ndarray
        Pseudo-inverses.

    Raises
    ------
    ValueError
        If both `rcond` and `rtol` are given.
    LinAlgError
        If the iteration does not converge.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., section 5.5.2.

    Examples
    --------
    >>> from numerics import linalg
    >>> linalg.pinv([[2.0, 0.0], [0.0, 0.0]])
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    wrap = array_wrap(a)
    a = convert(a)
    if rcond is None:
        rcond = 1e-15 if rtol is np._NoValue else rtol
    elif rtol is not np._NoValue:
        raise ValueError("linalg.pinv: `rtol` and `rcond` can't be both set.")
    if a.ndim >= 2 and is_empty(a):
        return wrap(np.empty_like(a, shape=(*a.shape[:-2], a.shape[-1], a.shape[-2])))
    if a.dtype.kind not in "fcbiu":
        a.conj()  # refuses what is no number, as in NumPy
    factors = _factors(a, hermitian)
    if not _is_extreme(factors[1]):
        return wrap(_inverted(factors, a.shape, rcond))
    scale = scaling_exponent(a)
    inverse = _inverted(_factors(scaled(a, scale), hermitian), a.shape, rcond)
    return wrap(scaled(inverse, scale))


def _factors(a: Any, hermitian: bool) -> Any:
    return svd_hermitian(a) if hermitian else SVD(a, driver=None)


def _inverted(factors: Any, shape: tuple[int, ...], rcond: Any) -> Any:
    """Return the pseudo-inverse of what the factors are of."""
    u, s, vh = factors
    cutoff = threshold(s, shape, rtol=rcond)
    if cutoff.size == 1 and s[..., -1:].item() > cutoff.item():  # one matrix, of full rank
        reciprocal = 1 / s
    else:
        reciprocal = 1 / np.where(s > cutoff, s, np.inf)
    inverse = MATMUL(vh.swapaxes(-2, -1), reciprocal[..., np.newaxis] * u.swapaxes(-2, -1))
    return inverse.conj()


@linalg_function(hot_path=NULL_SPACE)
def null_space(A: Any, rcond: Any = None, *, rtol: Any = None) -> Any:
    """Orthonormal basis of the null space of a matrix.

    Parameters
    ----------
    A : (..., m, n) array_like
        Matrices.
    rcond : (...) array_like of float, optional
        Singular values up to `rcond` times the largest count as zero; by default
        ``max(m, n) * eps``.
    rtol : (...) array_like of float, optional
        The same as `rcond`.

    Returns
    -------
    NullSpaceResult
        ``NullSpaceResult(basis, rank)``. The first ``n - rank`` columns of `basis` (..., n, n) are
        the basis, the others are zero; so all matrices of a stack fit into one array. `rank` (...)
        is the rank of `A`.

    Raises
    ------
    ValueError
        If both `rcond` and `rtol` are given.
    LinAlgError
        If the iteration does not converge, as with NaN.

    Notes
    -----
    The null space is ``{x : A x = 0}``. Its basis are right singular vectors, that of the smallest
    singular value first. SciPy's function of this name returns the basis without the zeros, for
    one matrix: ``basis[:, :n - rank]``. Of an infinite matrix the basis is NaN.

    See Also
    --------
    orth : Basis of the range.
    matrix_rank : The rank by the same rule.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., section 5.4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> basis, rank = linalg.null_space(np.array([[3.0, 4.0]]))
    >>> int(rank), np.abs(basis).round(6)
    (1, array([[0.8, 0. ],
           [0.6, 0. ]]))
    """
    A = convert(A)
    _, s, vh = _decomposed(SVD_FULL, A)
    is_range, rank = _range(s, A.shape, "null_space", rcond, rtol)
    n, k = vh.shape[-1], s.shape[-1]
    # The columns of V backwards: those beyond k, and then from the smallest singular value on.
    beyond = np.zeros_like(is_range, shape=(*is_range.shape[:-1], n - k))
    is_null = ~np.concatenate([is_range, beyond], axis=-1)[..., ::-1]
    columns = vh[..., ::-1, :].swapaxes(-2, -1).conj()
    return NullSpaceResult(_columns(columns, is_null), rank)


@linalg_function(hot_path=ORTH)
def orth(A: Any, rcond: Any = None, *, rtol: Any = None) -> Any:
    """Orthonormal basis of the range of a matrix.

    Parameters
    ----------
    A : (..., m, n) array_like
        Matrices.
    rcond : (...) array_like of float, optional
        Singular values up to `rcond` times the largest count as zero; by default
        ``max(m, n) * eps``.
    rtol : (...) array_like of float, optional
        The same as `rcond`.

    Returns
    -------
    OrthResult
        ``OrthResult(basis, rank)``. The first `rank` columns of `basis` (..., m, min(m, n)) are
        the basis, the others are zero; so all matrices of a stack fit into one array. `rank` (...)
        is the rank of `A`.

    Raises
    ------
    ValueError
        If both `rcond` and `rtol` are given.
    LinAlgError
        If the iteration does not converge, as with NaN.

    Notes
    -----
    The range is ``{A x}``. Its basis are left singular vectors, that of the largest singular value
    first. SciPy's function of this name returns the basis without the zeros, for one matrix:
    ``basis[:, :rank]``. Of an infinite matrix the basis is NaN.

    See Also
    --------
    null_space : Basis of the null space.
    matrix_rank : The rank by the same rule.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., section 5.4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> basis, rank = linalg.orth(np.array([[3.0, 0.0], [4.0, 0.0]]))
    >>> int(rank), np.abs(basis).round(6)
    (1, array([[0.6, 0. ],
           [0.8, 0. ]]))
    """
    A = convert(A)
    u, s, _ = _decomposed(SVD, A)
    is_range, rank = _range(s, A.shape, "orth", rcond, rtol)
    return OrthResult(_columns(u, is_range), rank)


def _range(s: Any, shape: tuple[int, ...], function: str, rcond: Any, rtol: Any) -> tuple[Any, Any]:
    """Return which singular values count, and how many."""
    if rcond is not None and rtol is not None:
        raise ValueError(f"linalg.{function}: `rtol` and `rcond` can't be both set.")
    is_range = s > threshold(s, shape, rtol=rcond if rtol is None else rtol)
    return is_range, is_range.sum(axis=-1)


def _columns(basis: Any, is_kept: Any) -> Any:
    """Return `basis` with zeros for the columns that are not kept; NaN stays."""
    return np.where(is_kept[..., np.newaxis, :] | np.isnan(basis), basis, 0)


# --- At the limits ------------------------------------------------------------------------------
#
# The largest singular value may overflow; near the smallest number, singular values lose the digits
# that a relative tolerance looks at, and their reciprocals overflow although products with entries
# of U need not. Such matrices are decomposed after multiplication with a power of two.


def _is_extreme(s: Any) -> bool:
    """Tell whether the largest singular value of some matrix is near overflow or underflow."""
    low, high = _limits(s.dtype)
    largest = s[..., :1]
    if largest.size == 1:
        value = largest.item()
        return 0 < value < low or value > high
    is_tiny = (largest < low) & (largest > 0)
    return bool((is_tiny | (largest > high)).any().item())


@cache
def _limits(dtype: np.dtype) -> tuple[float, float]:
    limits = np.finfo(dtype)
    return float(limits.tiny / limits.eps), float(limits.max / 4)


def _decomposed(op: Any, a: Any) -> Any:
    """Return the decomposition of `a`, or of a multiple where that is out of range."""
    factors = op(a, driver=None)
    return op(scaled(a, scaling_exponent(a)), driver=None) if _is_extreme(factors[1]) else factors
