"""Products of matrices and vectors, and the faces of NumPy's shape functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.op import BITWISE, PER_THREAD_COUNT, op
from .._core.rules import UNWRITTEN
from ._common import as_any_array, linalg_function

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_transpose",
    "outer",
    "trace",
    "vecdot",
]

MATMUL = op(
    "linalg.matmul",
    kernel="matmul",
    signature="(m?,n),(n,k?)->(m?,k?)",
    dtypes=" ".join(np.matmul.types),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

VECDOT = op(
    "linalg.vecdot",
    kernel="vecdot",
    signature="(n),(n)->()",
    dtypes=" ".join(np.vecdot.types),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

OUTER = op(
    "linalg.outer",
    kernel="outer",
    signature="(m),(n)->(m,n)",
    dtypes=" ".join(word for word in np.multiply.types if word[0] == word[1]),
    determinism=BITWISE,
    rule=UNWRITTEN,
)

CROSS = op(
    "linalg.cross",
    kernel="cross",
    signature="(3),(3)->(3)",
    # Objects are the business of NumPy's cross, which takes them in some versions.
    dtypes=" ".join(
        word for word in np.multiply.types if word in np.subtract.types and word[0] != "O"
    ),
    determinism=BITWISE,
    rule=UNWRITTEN,
)

TRACE = op(
    "linalg.trace",
    kernel="trace",
    signature="(m,n)->()",
    dtypes=" ".join(
        f"{letter}->{np.sum(np.zeros(1, letter), keepdims=True).dtype.char}"
        for letter in "?bBhHiIlLqQefdgFDGO"
    ),
    determinism=BITWISE,
    rule=UNWRITTEN,
)


@linalg_function()
def matmul(x1: Any, x2: Any, /) -> Any:
    """Matrix product.

    Parameters
    ----------
    x1 : (..., m, n) or (n,) array_like
        Left factors.
    x2 : (..., n, k) or (n,) array_like
        Right factors.

    Returns
    -------
    (..., m, k) ndarray
        Products, without the axes that a vector lacks.

    Raises
    ------
    ValueError
        If the inner dimensions differ, or an argument is a scalar.

    Examples
    --------
    >>> from numerics import linalg
    >>> linalg.matmul([[1, 2], [3, 4]], [1, 1])
    array([3, 7])
    """
    return MATMUL(x1, x2)


@linalg_function()
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Inner product of vectors, ``Σ conj(x1) x2``.

    Parameters
    ----------
    x1, x2 : array_like
        Vectors along `axis`; the other axes broadcast.
    axis : int, default -1
        Axis of the vectors in both.

    Returns
    -------
    ndarray or scalar
        Inner products.

    Raises
    ------
    ValueError
        If the lengths differ.

    Examples
    --------
    >>> from numerics import linalg
    >>> int(linalg.vecdot([1, 2, 3], [4, 5, 6]))
    32
    """
    return VECDOT(x1, x2, axis=axis)


@linalg_function()
def outer(x1: Any, x2: Any, /) -> Any:
    """Outer product of two vectors.

    Parameters
    ----------
    x1 : (m,) array_like
        First vector.
    x2 : (n,) array_like
        Second vector.

    Returns
    -------
    (m, n) ndarray
        ``x1[i] * x2[j]``.

    Raises
    ------
    ValueError
        If an argument is not 1-D.

    Examples
    --------
    >>> from numerics import linalg
    >>> linalg.outer([1, 2], [3, 4])
    array([[3, 4],
           [6, 8]])
    """
    x1, x2 = as_any_array(x1), as_any_array(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(
            "linalg.outer: Input arrays must be one-dimensional, but they are "
            f"x1.ndim={x1.ndim!r} and x2.ndim={x2.ndim!r}."
        )
    return OUTER(x1, x2)


@linalg_function()
def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Cross product of vectors with three components.

    Parameters
    ----------
    x1, x2 : array_like
        Vectors along `axis`; the other axes broadcast.
    axis : int, default -1
        Axis of the vectors in both and in the result.

    Returns
    -------
    ndarray
        Vectors perpendicular to both.

    Raises
    ------
    ValueError
        If the vectors do not have three components.

    Examples
    --------
    >>> from numerics import linalg
    >>> linalg.cross([1, 0, 0], [0, 1, 0])
    array([0, 0, 1])
    """
    x1, x2 = as_any_array(x1), as_any_array(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            "linalg.cross: Both input arrays must be (arrays of) 3-dimensional vectors, "
            f"but they are {x1.shape[axis]} and {x2.shape[axis]} dimensional instead."
        )
    return CROSS(x1, x2, axis=axis)


@linalg_function()
def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """Sum along a diagonal of matrices.

    Parameters
    ----------
    x : (..., m, n) array_like
        Matrices, in the last two axes.
    offset : int, default 0
        Diagonal: above the main one if positive, below if negative.
    dtype : dtype, optional
        Of the sum; by default at least the platform's integer for integers.

    Returns
    -------
    (...) ndarray or scalar
        Traces.

    Raises
    ------
    ValueError
        If `x` has fewer than two axes.

    Examples
    --------
    >>> from numerics import linalg
    >>> int(linalg.trace([[1, 2], [3, 4]]))
    5
    """
    return TRACE(x, offset=offset, dtype=dtype)


@linalg_function()
def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """Diagonals of matrices.

    Parameters
    ----------
    x : (..., m, n) array_like
        Matrices, in the last two axes.
    offset : int, default 0
        Diagonal: above the main one if positive, below if negative.

    Returns
    -------
    (..., d) ndarray
        Read-only view of the diagonals.

    Raises
    ------
    ValueError
        If `x` has fewer than two axes.

    Examples
    --------
    >>> from numerics import linalg
    >>> linalg.diagonal([[1, 2], [3, 4]])
    array([1, 4])
    """
    if type(x) is np.ndarray:
        return x.diagonal(offset, -2, -1)  # what np.diagonal calls in the end
    return np.diagonal(as_any_array(x), offset, axis1=-2, axis2=-1)


@linalg_function()
def matrix_transpose(x: Any, /) -> Any:
    """Transpose of matrices: the last two axes exchanged.

    Parameters
    ----------
    x : (..., m, n) array_like
        Matrices.

    Returns
    -------
    (..., n, m) ndarray
        A view.

    Raises
    ------
    ValueError
        If `x` has fewer than two axes.

    Examples
    --------
    >>> from numerics import linalg
    >>> linalg.matrix_transpose([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    """
    if type(x) is np.ndarray and x.ndim >= 2:
        return x.mT
    x = as_any_array(x)
    if x.ndim < 2:
        raise ValueError(
            "linalg.matrix_transpose: Input array must be at least 2-dimensional, "
            f"but it is {x.ndim}"
        )
    return np.swapaxes(x, -1, -2)
