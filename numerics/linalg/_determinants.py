"""Determinants by LU with partial pivoting."""

from __future__ import annotations

from typing import Any

from .._core.dtypes import LAPACK
from .._core.op import PER_THREAD_COUNT, op
from .._core.rules import UNWRITTEN
from ._common import linalg_function

__all__ = ["det", "slogdet"]

DET = op(
    "linalg.det",
    kernel="det",
    signature="(n,n)->()",
    dtypes=LAPACK("x", "x"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

SLOGDET = op(
    "linalg.slogdet",
    kernel="slogdet",
    signature="(n,n)->(),()",
    dtypes=LAPACK("x", "xr"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)


@linalg_function(op=DET)
def det(a: Any) -> Any:
    """Determinant of a square matrix.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrices.

    Returns
    -------
    (...) ndarray or scalar
        Determinants in the dtype of `a`; integers become float64. 1 for an empty matrix, 0 for a
        singular one.

    Raises
    ------
    LinAlgError
        If a matrix is not square.

    Notes
    -----
    The product of the pivots, kept with a running power of two: it neither overflows nor
    underflows before the result does.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> float(linalg.det(2.0 * np.eye(3)))
    8.0
    """
    return DET(a)


@linalg_function(op=SLOGDET)
def slogdet(a: Any) -> Any:
    """Sign and logarithm of the determinant of a square matrix.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrices.

    Returns
    -------
    SlogdetResult
        ``sign``, (...) in the dtype of `a`: on the unit circle, or 0 for a singular matrix;
        ``logabsdet``, (...) real: the natural logarithm of the magnitude, or -inf. The
        determinant is ``sign * exp(logabsdet)``.

    Raises
    ------
    LinAlgError
        If a matrix is not square.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> sign, logabsdet = linalg.slogdet(1e-200 * np.eye(10))
    >>> float(sign), round(float(logabsdet), 6)
    (1.0, -4605.170186)
    """
    return SLOGDET(a)
