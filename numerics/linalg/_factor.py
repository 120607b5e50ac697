"""Cholesky and QR factorizations, and products of reflectors."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np

from .._core import backends
from .._core.call import convert
from .._core.dtypes import LAPACK
from .._core.op import PER_THREAD_COUNT, op
from .._core.rules import UNWRITTEN
from ._common import linalg_function, with_errors

__all__ = ["cholesky", "cholesky_ex", "householder_product", "qr"]

CHOLESKY = op(
    "linalg.cholesky",
    kernel="potrf",
    signature="(n,n)->(n,n)",
    dtypes=LAPACK("x", "x"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

CHOLESKY_EX = op(
    "linalg.cholesky_ex",
    kernel="potrf_ex",
    signature="(n,n)->(n,n),()",
    dtypes=LAPACK("x", "xi"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

QR_REDUCED = op(
    "linalg.qr.reduced",
    kernel="geqrf_reduced",
    signature="(m,n)->(m,k),(k,n)",
    dtypes=LAPACK("x", "xx"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

QR_COMPLETE = op(
    "linalg.qr.complete",
    kernel="geqrf_complete",
    signature="(m,n)->(m,m),(m,n)",
    dtypes=LAPACK("x", "xx"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

QR_R = op(
    "linalg.qr.r",
    kernel="geqrf_r",
    signature="(m,n)->(k,n)",
    dtypes=LAPACK("x", "x"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

QR_RAW = op(
    "linalg.qr.raw",
    kernel="geqrf_raw",
    signature="(m,n)->(n,m),(k)",
    dtypes=LAPACK("x", "xx"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

HOUSEHOLDER_PRODUCT = op(
    "linalg.householder_product",
    kernel="orgqr",
    signature="(m,n),(t)->(m,n)",
    dtypes=LAPACK("xx", "x"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)


@linalg_function(op=CHOLESKY, upper=False)
def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    """Cholesky factor of a Hermitian positive-definite matrix.

    Parameters
    ----------
    a : (..., n, n) array_like
        Hermitian matrices. Only the lower triangle is read, the upper one if `upper`.
    upper : bool, default False
        Return ``U`` with ``a = Uᴴ U`` instead of ``L`` with ``a = L Lᴴ``.

    Returns
    -------
    (..., n, n) ndarray
        Factor in the dtype of `a`; integers become float64.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite; the message gives its place in the stack and the
        failing pivot, ``indices`` lists all such matrices.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., section 4.2.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 0.],
           [1., 2.]])
    """
    return CHOLESKY(a, upper=upper)


@linalg_function(op=CHOLESKY_EX, upper=False)
def cholesky_ex(A: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    """Cholesky factor, with a report of matrices that have none instead of an error.

    Parameters
    ----------
    A : (..., n, n) array_like
        Hermitian matrices. Only the lower triangle is read, the upper one if `upper`.
    upper : bool, default False
        Return ``U`` with ``A = Uᴴ U`` instead of ``L`` with ``A = L Lᴴ``.
    check_errors : bool, default False
        Raise if a matrix is not positive definite, as `cholesky` does.

    Returns
    -------
    CholeskyExResult
        ``L``, (..., n, n), NaN for matrices that are not positive definite; and ``info``, (...) of
        int32: 0, or the order of the first leading minor that is not positive.

    Raises
    ------
    LinAlgError
        If `A` is not square or has fewer than two axes; with `check_errors`, if a matrix is not
        positive definite.
    TypeError
        For half and extended precision and for objects.

    Notes
    -----
    A result that is NaN because the input holds NaN is no failure: ``info`` is 0 for it.

    See Also
    --------
    cholesky : The same, but raises.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.cholesky_ex(np.array([[[4.0]], [[-4.0]]]))
    CholeskyExResult(L=array([[[ 2.]],
    <BLANKLINE>
           [[nan]]]), info=array([0, 1], dtype=int32))
    """
    result = CHOLESKY_EX(A, upper=upper)
    return with_errors(result, partial(CHOLESKY, A, upper=upper)) if check_errors else result


_DEPRECATED_MODES = {
    "f": "reduced",
    "full": "reduced",
    "e": "economic",
    "economic": "economic",
}


def _current_mode(mode: str) -> str:
    """Return the mode that NumPy's deprecated name stands for, with NumPy's warning."""
    if mode not in _DEPRECATED_MODES:
        raise ValueError(
            f"linalg.qr: Unrecognized mode '{mode}'; it must be 'reduced', 'complete', 'r' or 'raw'"
        )
    current = _DEPRECATED_MODES[mode]
    text = (
        "The 'full' option is deprecated in favor of 'reduced'.\n"
        "For backward compatibility let mode default."
        if current == "reduced"
        else "The 'economic' option is deprecated."
    )
    warnings.warn(text, DeprecationWarning, stacklevel=3)
    return current


def _as_numbers(a: Any) -> Any:
    """Cast objects, strings and times: NumPy's qr does, where its other functions refuse."""
    if backends.owns(a):
        return a
    array = np.asanyarray(a)
    is_number = array.dtype.kind in "fciub"
    return a if is_number or array.ndim < 2 else array.astype(np.float64)


@linalg_function(op=QR_REDUCED)
def qr(a: Any, mode: str = "reduced") -> Any:
    """QR factorization: ``a = Q R`` with orthonormal columns of Q and triangular R.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrices to factor.
    mode : {'reduced', 'complete', 'r', 'raw'}, default 'reduced'
        With ``k = min(m, n)``: 'reduced' returns Q (..., m, k) and R (..., k, n), 'complete' Q
        (..., m, m) and R (..., m, n), 'r' only R (..., k, n), 'raw' the reflectors h (..., n, m)
        and their factors tau (..., k) as LAPACK's geqrf leaves them, h transposed.

    Returns
    -------
    QRResult, tuple or ndarray
        ``QRResult(Q, R)``, ``R``, or ``(h, tau)``, in the dtype of `a`; integers become float64.

    Raises
    ------
    LinAlgError
        If `a` has fewer than two axes.
    ValueError
        If `mode` is unknown.

    Notes
    -----
    The diagonal of R has LAPACK's signs, which are not made positive.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., section 5.2.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> a = np.array([[3.0, 1.0], [4.0, 2.0], [0.0, 1.0]])
    >>> Q, R = linalg.qr(a)
    >>> bool(np.allclose(Q @ R, a))
    True
    """
    if type(a) is not np.ndarray or a.dtype.kind not in "fciub":
        a = _as_numbers(a)
    if mode == "reduced":
        return QR_REDUCED(a)
    if mode == "r":
        return QR_R(a)
    if mode == "raw":
        return QR_RAW(a)
    if mode == "complete":
        return QR_COMPLETE(a)
    if _current_mode(mode) == "reduced":
        return QR_REDUCED(a)
    return QR_RAW(a)[0].swapaxes(-2, -1)


@linalg_function(hot_path=HOUSEHOLDER_PRODUCT)
def householder_product(A: Any, tau: Any) -> Any:
    """First columns of a product of Householder reflectors.

    Parameters
    ----------
    A : (..., m, n) array_like
        Column i holds reflector i below its diagonal; nothing else is read.
    tau : (..., t) array_like
        Factors of the t reflectors, with ``m >= n >= t``. The stacks broadcast.

    Returns
    -------
    (..., m, n) ndarray
        The first n columns of ``H_1 H_2 ... H_t``, in the common dtype of `A` and `tau`; integers
        become float64.

    Raises
    ------
    LinAlgError
        If `A` has fewer than two axes.
    ValueError
        If `tau` is a scalar, if ``m >= n >= t`` does not hold, or the stacks do not broadcast.
    TypeError
        For half and extended precision and for objects.

    Notes
    -----
    ``H_i = I - tau_i v_i v_iᴴ``, where ``v_i`` is zero above place i, one there, and below it the
    column of `A`. ``qr(a, 'raw')`` returns such reflectors, transposed.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., section 5.1.6.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> a = np.array([[3.0, 1.0], [4.0, 2.0], [0.0, 1.0]])
    >>> h, tau = linalg.qr(a, "raw")
    >>> bool(np.allclose(linalg.householder_product(h.T, tau), linalg.qr(a).Q))
    True
    """
    A, tau = convert(A), convert(tau)
    if A.ndim > 1 and tau.ndim > 0:
        (m, n), t = A.shape[-2:], tau.shape[-1]
        if not m >= n >= t:
            raise ValueError(
                "linalg.householder_product: `A` must have at least as many rows as columns, and "
                f"`tau` no more entries than these; `A` has {m} rows and {n} columns, `tau` has "
                f"{t} entries"
            )
    return HOUSEHOLDER_PRODUCT(A, tau)
