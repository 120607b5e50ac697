"""Functions of a square matrix: the exponential and the principal square root."""

from __future__ import annotations

from typing import Any

from .._core.dtypes import LAPACK
from .._core.op import PER_THREAD_COUNT, op
from .._core.rules import UNWRITTEN
from ._common import linalg_function

__all__ = ["expm", "matrix_exp", "sqrtm"]

MATRIX_EXP = op(
    "linalg.matrix_exp",
    kernel="matrix_exp",
    signature="(n,n)->(n,n)",
    dtypes=LAPACK("x", "x"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

SQRTM = op(
    "linalg.sqrtm",
    kernel="sqrtm",
    signature="(n,n)->(n,n)",
    dtypes=LAPACK("x", "c"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)


@linalg_function(op=MATRIX_EXP)
def matrix_exp(A: Any) -> Any:
    """Exponential of a square matrix.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrices.

    Returns
    -------
    (..., n, n) ndarray
        ``e^A`` in the dtype of `A`; integers become float64. It is NaN for a matrix that holds NaN
        or infinity. Entries too large for the dtype are infinite, and reported as
        ``numpy.errstate(over=...)`` asks.

    Raises
    ------
    LinAlgError
        If a matrix is not square.
    TypeError
        For half and extended precision.

    Notes
    -----
    The exponential is the sum of ``A^k / k!`` over ``k >= 0``. With ``r`` a diagonal Padé
    approximant of degree 3, 5, 7, 9 or 13 it is computed as ``r(A / 2^s)^(2^s)``. Degree and ``s``
    are chosen for each matrix of a stack by itself, from norms of powers of `A` instead of powers
    of its norm, so that a matrix far from normal is not halved too often [1]_. The exponential of a
    diagonal matrix is that of its entries. Of a triangular one, diagonal and first off-diagonal are
    computed by their formulas. Where a result has infinite entries, the finite ones are right only
    relative to the largest.

    ``expm``, its name in SciPy, is the same object.

    References
    ----------
    .. [1] A. H. Al-Mohy & N. J. Higham, "A new scaling and squaring algorithm for the matrix
       exponential", SIAM J. Matrix Anal. Appl. 31 (2009) 970-989.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.matrix_exp(np.array([[0.0, 3.0], [0.0, 0.0]]))
    array([[1., 3.],
           [0., 1.]])
    """
    return MATRIX_EXP(A)


expm = matrix_exp


@linalg_function(op=SQRTM)
def sqrtm(A: Any) -> Any:
    """Principal square root of a square matrix.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrices.

    Returns
    -------
    (..., n, n) ndarray
        ``X`` with ``X X = A``. Of real input it is real if that of every matrix of the stack is,
        otherwise complex. It is NaN for a matrix that holds NaN or infinity.

    Raises
    ------
    LinAlgError
        If a matrix has no square root that is a function of it, for its eigenvalue 0 is defective;
        if the iteration for the eigenvalues does not converge; or if a matrix is not square.
    TypeError
        For half and extended precision.

    Notes
    -----
    The eigenvalues of the principal root are the principal roots of those of `A`: they lie in the
    right half-plane, and the root of a negative number is a positive multiple of i. A singular
    matrix has this root if its eigenvalue 0 is semisimple, that is, has as many eigenvectors as
    its multiplicity says.

    From the Schur form ``A = Q T Qᴴ`` follows ``X = Q U Qᴴ``, where ``U U = T`` is solved column by
    column [1]_. A real Schur form, with blocks of two rows for pairs of conjugate eigenvalues,
    keeps the root of a real matrix real [2]_. The residual ``‖X X - A‖`` is at most a modest
    multiple of ``n eps ‖X‖²``.

    Triangular matrices are taken as they are, others within rounding: an eigenvalue of a real or
    Hermitian matrix that is negative by no more than ``n eps ‖A‖``, with eps of the dtype of `A`,
    is taken for 0. The root of a Hermitian positive semidefinite matrix is Hermitian to the bit.

    References
    ----------
    .. [1] Å. Björck & S. Hammarling, "A Schur method for the square root of a matrix", Linear
       Algebra Appl. 52/53 (1983) 127-140.
    .. [2] N. J. Higham, "Computing real square roots of a real matrix", Linear Algebra Appl. 88/89
       (1987) 405-430.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.sqrtm(np.array([[4.0, 5.0], [0.0, 9.0]]))
    array([[2., 1.],
           [0., 3.]])
    """
    return SQRTM(A)
