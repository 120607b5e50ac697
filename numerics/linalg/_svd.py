"""The singular value decomposition, and what is read off it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.call import convert
from .._core.dtypes import LAPACK
from .._core.op import PER_THREAD_COUNT, op
from .._core.results import SVDResult
from .._core.rules import UNWRITTEN
from ._common import array_wrap, is_empty, linalg_function, per_matrix, real_eps
from ._eigen import EIGH, EIGVALSH
from ._products import MATMUL

__all__ = ["matrix_rank", "pinv", "svd", "svdvals"]

SVD = op(
    "linalg.svd",
    kernel="gesdd_reduced",
    signature="(m,n)->(m,k),(k),(k,n)",
    dtypes=LAPACK("x", "xrx"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

SVD_FULL = op(
    "linalg.svd.full",
    kernel="gesdd_full",
    signature="(m,n)->(m,m),(k),(n,n)",
    dtypes=LAPACK("x", "xrx"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

SVDVALS = op(
    "linalg.svdvals",
    kernel="gesdd_values",
    signature="(m,n)->(k)",
    dtypes=LAPACK("x", "r"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)


@linalg_function()
def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Singular value decomposition ``a = U diag(S) Vh``.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrices to decompose.
    full_matrices : bool, default True
        U is (..., m, m) and Vh (..., n, n); otherwise (..., m, k) and (..., k, n) with
        ``k = min(m, n)``.
    compute_uv : bool, default True
        Whether U and Vh are wanted besides S.
    hermitian : bool, default False
        `a` is Hermitian: eigenvalues are computed instead, which is faster. Only the lower
        triangle is read.

    Returns
    -------
    SVDResult or (..., k) ndarray
        ``SVDResult(U, S, Vh)`` or S alone. S is real, descending.

    Raises
    ------
    LinAlgError
        If the iteration does not converge (as with NaN or infinity), or `a` has fewer than two
        axes.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., section 8.6.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.svd(np.array([[3.0, 0.0], [4.0, 0.0]])).S
    array([5., 0.])
    """
    if hermitian:
        return _svd_hermitian(a) if compute_uv else _svdvals_hermitian(a)
    if not compute_uv:
        return SVDVALS(a)
    return SVD_FULL(a) if full_matrices else SVD(a)


def _svd_hermitian(a: Any) -> Any:
    """U diag(S) Uᴴ with the signs of the eigenvalues moved from S to Vh."""
    wrap = array_wrap(a)
    w, u = EIGH(convert(a), UPLO="L")
    sign, s = np.copysign(1.0, w), np.abs(w)
    order = np.argsort(s)[..., ::-1]
    s = np.take_along_axis(s, order, axis=-1)
    sign = np.take_along_axis(sign, order, axis=-1)
    u = np.take_along_axis(u, order[..., np.newaxis, :], axis=-1)
    vh = (u * sign[..., np.newaxis, :]).swapaxes(-2, -1).conjugate()
    return SVDResult(wrap(u), s, wrap(vh))


def _svdvals_hermitian(a: Any) -> Any:
    return np.sort(np.abs(EIGVALSH(a, UPLO="L")))[..., ::-1]


@linalg_function()
def svdvals(x: Any, /) -> Any:
    """Singular values of a matrix.

    Parameters
    ----------
    x : (..., m, n) array_like
        Matrices.

    Returns
    -------
    (..., min(m, n)) ndarray
        Real, descending.

    Raises
    ------
    LinAlgError
        If the iteration does not converge, or `x` has fewer than two axes.

    Examples
    --------
    >>> from numerics import linalg
    >>> linalg.svdvals([[3.0, 0.0], [0.0, 5.0]])
    array([5., 3.])
    """
    return SVDVALS(x)


@linalg_function()
def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """Rank of a matrix: the number of singular values above a tolerance.

    Parameters
    ----------
    A : (..., m, n) array_like
        Matrices. A vector or number has rank 1, or 0 if it is zero.
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
        If the iteration does not converge.

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
        return int(not np.all(A == 0))
    S = _svdvals_hermitian(A) if hermitian else SVDVALS(A)
    if tol is None:
        relative = max(A.shape[-2:]) * real_eps(S.dtype) if rtol is None else per_matrix(rtol)
        threshold = S[..., :1] * relative  # S descends
    else:
        threshold = per_matrix(tol)
    return np.count_nonzero(threshold < S, axis=-1)


@linalg_function()
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
        if rtol is np._NoValue:
            rcond = 1e-15
        elif rtol is None:
            rcond = max(a.shape[-2:]) * real_eps(a.dtype)
        else:
            rcond = rtol
    elif rtol is not np._NoValue:
        raise ValueError("linalg.pinv: `rtol` and `rcond` can't be both set.")
    if a.ndim >= 2 and is_empty(a):
        return wrap(np.empty_like(a, shape=(*a.shape[:-2], a.shape[-1], a.shape[-2])))
    conjugate = a.conjugate()
    u, s, vh = _svd_hermitian(conjugate) if hermitian else SVD(conjugate)
    cutoff = per_matrix(rcond) * s[..., :1]  # s descends
    is_large = s > cutoff
    reciprocal = np.where(is_large, 1 / np.where(is_large, s, 1), 0)
    scaled = reciprocal[..., np.newaxis] * u.swapaxes(-2, -1)
    return wrap(MATMUL(vh.swapaxes(-2, -1), scaled))
