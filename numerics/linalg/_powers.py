"""Powers: of a square matrix, and of the numbers that make a Vandermonde matrix."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .._core.call import convert
from .._core.dtypes import LAPACK
from .._core.errors import LinAlgError, overflow
from .._core.op import hot_path
from ._common import as_any_array, linalg_function
from ._number_powers import powers_of, powers_overflow
from ._overflow import by_squaring, power_overflows
from ._products import MATMUL
from ._solve import INV

__all__ = ["matrix_power", "vander"]

VANDER = hot_path("linalg.vander", kernel="powers", signature="(n)->(n,N)", dtypes=LAPACK("x", "x"))


@linalg_function()
def matrix_power(a: Any, n: Any) -> Any:
    """Integer power of a square matrix.

    Parameters
    ----------
    a : (..., m, m) array_like
        Square matrices.
    n : int
        Exponent; negative ones invert.

    Returns
    -------
    (..., m, m) ndarray
        Powers, in the dtype of `a` (a negative power of integers is float64).

    Raises
    ------
    TypeError
        If `n` is no integer.
    LinAlgError
        If a matrix is not square, or singular where an inverse is needed.
    NotImplementedError
        For a stack of matrices of objects.

    Notes
    -----
    Integers that do not fit their dtype wrap around, as in NumPy, but are reported: as
    `numpy.errstate` asks for overflow, by default with a RuntimeWarning. Whether they fit is
    decided without error; what wraps on the way to a power that fits is no overflow. Objects are
    computed with Python's own arithmetic, exactly if they are integers.

    Examples
    --------
    >>> from numerics import linalg
    >>> linalg.matrix_power([[1, 1], [1, 0]], 10)
    array([[89, 55],
           [55, 34]])
    """
    a = as_any_array(a)
    if a.ndim < 2:
        raise LinAlgError(
            f"linalg.matrix_power: {a.ndim}-dimensional array given. Array must be at least "
            "two-dimensional"
        )
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError(
            "linalg.matrix_power: Last 2 dimensions of the array must be square; "
            f"`a` has shape {a.shape}"
        )
    try:
        n = operator.index(n)
    except TypeError as error:
        raise TypeError(
            f"linalg.matrix_power: exponent must be an integer, not {type(n).__name__}"
        ) from error
    if a.dtype == object and a.ndim > 2:
        raise NotImplementedError("matrix_power not supported for stacks of object arrays")
    if n == 0:
        identity = np.empty_like(a)
        identity[...] = np.eye(a.shape[-2], dtype=a.dtype, like=a)
        return identity
    power = by_squaring(a if n > 0 else INV(a), abs(n), MATMUL)
    if a.dtype.kind in "iu" and np.geterr()["over"] != "ignore" and power_overflows(a, n, power):
        overflow("linalg.matrix_power")
    return power


@linalg_function(hot_path=VANDER, N=None)
def vander(x: Any, /, *, N: Any = None) -> Any:
    """Vandermonde matrix: the powers of some numbers, ascending.

    Parameters
    ----------
    x : (..., n) array_like
        Numbers of any dtype.
    N : int, optional
        Number of powers; by default n, so that the matrices are square.

    Returns
    -------
    (..., n, N) ndarray
        ``x[..., i] ** j`` at ``[..., i, j]``, in the dtype of `x`; bool and signed integers become
        int64, unsigned ones uint64.

    Raises
    ------
    LinAlgError
        If `x` is a scalar.
    ValueError
        If `N` is negative.
    TypeError
        If `N` is no integer, or `x` does not hold numbers.

    Notes
    -----
    The power 0 is 1 for every number, NaN included. Integers that do not fit wrap around; like
    floats that become infinite they are reported as `numpy.errstate` asks for overflow.

    Examples
    --------
    >>> from numerics import linalg
    >>> linalg.vander([2, 3], N=4)
    array([[ 1,  2,  4,  8],
           [ 1,  3,  9, 27]])
    """
    x = convert(x)
    if x.ndim == 0:
        raise LinAlgError(
            "linalg.vander: 0-dimensional array given. Array must be at least one-dimensional"
        )
    if x.dtype.kind not in "biufcO":
        raise TypeError(f"linalg.vander: `x` has dtype {x.dtype.name}; numbers are needed")
    count = _count_of_powers(x, N)
    powers = VANDER.run(x, N=count)
    if powers is not NotImplemented:
        return powers
    with np.errstate(all="ignore"):
        powers = powers_of(x, count)
    if np.geterr()["over"] != "ignore" and powers_overflow(x, powers):
        overflow("linalg.vander")
    return powers


def _count_of_powers(x: Any, N: Any) -> int:
    if N is None:
        return int(x.shape[-1])
    try:
        count = operator.index(N)
    except TypeError as error:
        raise TypeError(f"linalg.vander: `N` must be an integer, not {type(N).__name__}") from error
    if count < 0:
        raise ValueError(f"linalg.vander: `N` must not be negative, but it is {count}")
    return count
