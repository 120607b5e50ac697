"""The singular value decomposition."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.call import convert
from .._core.dtypes import LAPACK
from .._core.op import PER_THREAD_COUNT, op
from .._core.results import SVDResult
from .._core.rules import UNWRITTEN
from ._common import array_wrap, linalg_function
from ._eigen import EIGH, EIGVALSH

__all__ = ["svd", "svdvals"]

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


_DRIVERS = (None, "gesdd", "gesvd", "jacobi")


@linalg_function(op=SVD_FULL, driver=None)
def svd(
    a: Any,
    full_matrices: bool = True,
    compute_uv: bool = True,
    hermitian: bool = False,
    *,
    driver: str | None = None,
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
    driver : {None, 'gesdd', 'gesvd', 'jacobi'}, optional
        The algorithm: divide and conquer, QR iteration, or Jacobi rotations. None takes rotations
        for graded matrices, whose rows or columns differ in magnitude by more than 2^26; for all
        others divide and conquer, or QR iteration if they are small (up to 16 rows and columns, of
        complex numbers 5). Where the one does not converge, the other is tried.

    Returns
    -------
    SVDResult or (..., k) ndarray
        ``SVDResult(U, S, Vh)`` or S alone. S is real, descending.

    Raises
    ------
    LinAlgError
        If the iteration does not converge, as with NaN, or `a` has fewer than two axes.
    ValueError
        For an unknown `driver`, or one beside ``hermitian=True``.

    Notes
    -----
    Of ``a = C D`` or ``a = D C`` with diagonal D, Jacobi rotations find all singular values with a
    relative error of about ``n eps κ(C)``, the smallest too. The other algorithms find them with
    an error of about ``n eps`` times the largest one. Rotations take several times as long.

    Of an infinite matrix all results are NaN.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., section 8.6.
    .. [2] Z. Drmač & K. Veselić, "New fast and accurate Jacobi SVD algorithm I", SIAM J. Matrix
       Anal. Appl. 29 (2008) 1322-1342.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.svd(np.array([[3.0, 0.0], [4.0, 0.0]])).S
    array([5., 0.])
    """
    if driver is not None:
        _check_driver("svd", driver, hermitian)
    if hermitian:
        return svd_hermitian(a) if compute_uv else svdvals_hermitian(a)
    if not compute_uv:
        return SVDVALS(a, driver=driver)
    return SVD_FULL(a, driver=driver) if full_matrices else SVD(a, driver=driver)


def _check_driver(function: str, driver: Any, hermitian: bool = False) -> None:
    if not isinstance(driver, str) or driver not in _DRIVERS:
        raise ValueError(
            f"linalg.{function}: `driver` must be None, 'gesdd', 'gesvd' or 'jacobi', "
            f"not {driver!r}"
        )
    if hermitian:
        raise ValueError(
            f"linalg.{function}: `driver` must be None with hermitian=True, which computes "
            f"eigenvalues, not {driver!r}"
        )


def svd_hermitian(a: Any) -> Any:
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


def svdvals_hermitian(a: Any) -> Any:
    """Return the magnitudes of the eigenvalues, descending."""
    return np.sort(np.abs(EIGVALSH(a, UPLO="L")))[..., ::-1]


@linalg_function(op=SVDVALS, driver=None)
def svdvals(x: Any, /, *, driver: str | None = None) -> Any:
    """Singular values of a matrix.

    Parameters
    ----------
    x : (..., m, n) array_like
        Matrices.
    driver : {None, 'gesdd', 'gesvd', 'jacobi'}, optional
        The algorithm, as in `svd`.

    Returns
    -------
    (..., min(m, n)) ndarray
        Real, descending.

    Raises
    ------
    LinAlgError
        If the iteration does not converge, as with NaN, or `x` has fewer than two axes.
    ValueError
        For an unknown `driver`.

    Examples
    --------
    >>> from numerics import linalg
    >>> linalg.svdvals([[3.0, 0.0], [0.0, 5.0]])
    array([5., 3.])
    """
    if driver is not None:
        _check_driver("svdvals", driver)
    return SVDVALS(x, driver=driver)
