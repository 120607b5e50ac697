"""Powers: of a square matrix, and of the numbers that make a Vandermonde matrix."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .._core.errors import LinAlgError
from ._common import as_any_array, linalg_function
from ._products import MATMUL
from ._solve import INV

__all__ = ["matrix_power"]


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
    return _positive_power(a if n > 0 else INV(a), abs(n))


def _positive_power(a: Any, n: int) -> Any:
    if n == 3:  # one product less than by squaring
        return MATMUL(MATMUL(a, a), a)
    result = None
    while True:
        n, is_odd = divmod(n, 2)
        if is_odd:
            result = a if result is None else MATMUL(result, a)
        if n == 0:
            return result
        a = MATMUL(a, a)
