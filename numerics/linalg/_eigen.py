"""Eigenvalues and eigenvectors."""

from __future__ import annotations

from typing import Any

from .._core.dtypes import LAPACK
from .._core.op import PER_THREAD_COUNT, op
from .._core.rules import UNWRITTEN
from ._common import linalg_function

__all__ = ["eig", "eigh", "eigvals", "eigvalsh"]

EIG = op(
    "linalg.eig",
    kernel="geev",
    signature="(n,n)->(n),(n,n)",
    dtypes=LAPACK("x", "cc"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

EIGVALS = op(
    "linalg.eigvals",
    kernel="geev_values",
    signature="(n,n)->(n)",
    dtypes=LAPACK("x", "c"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

EIGH = op(
    "linalg.eigh",
    kernel="heevd",
    signature="(n,n)->(n),(n,n)",
    dtypes=LAPACK("x", "rx"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

EIGVALSH = op(
    "linalg.eigvalsh",
    kernel="heevd_values",
    signature="(n,n)->(n)",
    dtypes=LAPACK("x", "r"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)


def _triangle(function: str, UPLO: str) -> str:
    triangle = UPLO.upper()
    if triangle not in ("L", "U"):
        raise ValueError(f"linalg.{function}: UPLO argument must be 'L' or 'U', not {UPLO!r}")
    return triangle


@linalg_function(op=EIG)
def eig(a: Any) -> Any:
    """Eigenvalues and right eigenvectors of a square matrix.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrices of finite numbers.

    Returns
    -------
    EigResult
        ``eigenvalues``, (..., n), in no particular order, and ``eigenvectors``, (..., n, n), whose
        column i belongs to eigenvalue i and has Euclidean length 1. Of real input they are real if
        every eigenvalue of the whole stack is, otherwise complex.

    Raises
    ------
    LinAlgError
        If a matrix holds NaN or infinity, if the iteration does not converge, or if a matrix is
        not square.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., section 7.5.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.eig(np.diag([1.0, 2.0, 3.0])).eigenvalues
    array([1., 2., 3.])
    """
    return EIG(a)


@linalg_function(op=EIGVALS)
def eigvals(a: Any) -> Any:
    """Eigenvalues of a square matrix.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrices of finite numbers.

    Returns
    -------
    (..., n) ndarray
        In no particular order. Of real input they are real if every eigenvalue of the whole stack
        is, otherwise complex.

    Raises
    ------
    LinAlgError
        If a matrix holds NaN or infinity, if the iteration does not converge, or if a matrix is
        not square.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.eigvals(np.array([[0.0, -1.0], [1.0, 0.0]]))
    array([0.+1.j, 0.-1.j])
    """
    return EIGVALS(a)


@linalg_function(op=EIGH, UPLO="L")
def eigh(a: Any, UPLO: str = "L") -> Any:
    """Eigenvalues and eigenvectors of a Hermitian or real symmetric matrix.

    Parameters
    ----------
    a : (..., n, n) array_like
        Hermitian matrices. One triangle is read; imaginary parts on the diagonal are ignored.
    UPLO : {'L', 'U'}, default 'L'
        The triangle, lower or upper; lower-case letters do too.

    Returns
    -------
    EighResult
        ``eigenvalues``, (..., n) real and ascending, and ``eigenvectors``, (..., n, n) in the dtype
        of `a`, whose orthonormal column i belongs to eigenvalue i.

    Raises
    ------
    LinAlgError
        If the iteration does not converge, or a matrix is not square.
    ValueError
        If `UPLO` is neither.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., section 8.4.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.eigh(np.array([[2.0, 1.0], [1.0, 2.0]])).eigenvalues
    array([1., 3.])
    """
    return EIGH(a, UPLO=_triangle("eigh", UPLO))


@linalg_function(op=EIGVALSH, UPLO="L")
def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """Eigenvalues of a Hermitian or real symmetric matrix.

    Parameters
    ----------
    a : (..., n, n) array_like
        Hermitian matrices. One triangle is read.
    UPLO : {'L', 'U'}, default 'L'
        The triangle, lower or upper; lower-case letters do too.

    Returns
    -------
    (..., n) ndarray
        Real, ascending.

    Raises
    ------
    LinAlgError
        If the iteration does not converge, or a matrix is not square.
    ValueError
        If `UPLO` is neither.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.eigvalsh(np.array([[2.0, 1.0], [1.0, 2.0]]))
    array([1., 3.])
    """
    return EIGVALSH(a, UPLO=_triangle("eigvalsh", UPLO))
