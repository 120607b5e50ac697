"""Products of matrices and vectors, and the faces of NumPy's shape functions."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from .._core.call import convert
from .._core.errors import LinAlgError
from .._core.op import BITWISE, PER_THREAD_COUNT, op
from .._core.rules import UNWRITTEN
from ._common import linalg_function
from ._solve import INV

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_power",
    "matrix_transpose",
    "multi_dot",
    "outer",
    "tensordot",
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


def _as_any_array(x: Any) -> Any:
    """Return `x` as an array of whatever class: a subclass keeps its own behaviour."""
    return x if isinstance(x, np.ndarray) else convert(x)


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
    x1, x2 = _as_any_array(x1), _as_any_array(x2)
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
    x1, x2 = _as_any_array(x1), _as_any_array(x2)
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
    return np.diagonal(_as_any_array(x), offset, axis1=-2, axis2=-1)


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
    x = _as_any_array(x)
    if x.ndim < 2:
        raise ValueError(
            "linalg.matrix_transpose: Input array must be at least 2-dimensional, "
            f"but it is {x.ndim}"
        )
    return np.swapaxes(x, -1, -2)


@linalg_function()
def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """Sum of products over given axes of two tensors.

    Parameters
    ----------
    x1, x2 : array_like
        Tensors.
    axes : int or (2,) array_like of sequences of int, default 2
        Number of last axes of `x1` and first axes of `x2` to sum over, or the two lists of axes.

    Returns
    -------
    ndarray
        The remaining axes of `x1`, then those of `x2`.

    Raises
    ------
    ValueError
        If the axes differ in number or length.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.tensordot(np.ones((2, 3, 4)), np.ones((3, 4, 5))).shape
    (2, 5)
    """
    x1, x2 = convert(x1), convert(x2)
    first, second = _tensordot_axes(axes)
    if len(set(first)) < len(first) or len(set(second)) < len(second):
        raise ValueError(
            f"linalg.tensordot: duplicate axes are not allowed in tensordot: {first}, {second}"
        )
    if len(first) != len(second) or any(
        x1.shape[i] != x2.shape[j] for i, j in zip(first, second, strict=True)
    ):
        raise ValueError(
            f"linalg.tensordot: shape-mismatch for sum: axes {first} of shape {x1.shape} "
            f"against axes {second} of shape {x2.shape}"
        )
    summed = [x1.shape[i] for i in first]
    first = [i % x1.ndim for i in first]
    second = [j % x2.ndim for j in second]
    rest1 = [i for i in range(x1.ndim) if i not in first]
    rest2 = [j for j in range(x2.ndim) if j not in second]
    shape1 = [x1.shape[i] for i in rest1]
    shape2 = [x2.shape[j] for j in rest2]
    length = math.prod(summed)
    left = x1.transpose(rest1 + first).reshape(math.prod(shape1), length)
    right = x2.transpose(second + rest2).reshape(length, math.prod(shape2))
    return MATMUL(left, right).reshape(shape1 + shape2)


def _tensordot_axes(axes: Any) -> tuple[list[int], list[int]]:
    try:
        first, second = axes
    except TypeError:
        return list(range(-axes, 0)), list(range(axes))
    return _as_list(first), _as_list(second)


def _as_list(axes: Any) -> list[int]:
    try:
        return [operator.index(axis) for axis in axes]
    except TypeError:
        return [operator.index(axes)]


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
    a = _as_any_array(a)
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


@linalg_function(looks_inside=True)
def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    """Product of several matrices in the cheapest order.

    Parameters
    ----------
    arrays : sequence of array_like
        At least two matrices; the first and the last may be vectors.
    out : ndarray, optional
        C-contiguous array of the right shape and dtype that takes the result.

    Returns
    -------
    ndarray or scalar
        The product.

    Raises
    ------
    ValueError
        For fewer than two arrays, or shapes that do not chain.
    LinAlgError
        If an inner array is not two-dimensional.

    References
    ----------
    .. [1] Cormen, Leiserson, Rivest & Stein, *Introduction to Algorithms*, 3rd ed., section 15.2.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.multi_dot([np.ones((2, 100)), np.ones((100, 3)), np.ones(3)])
    array([300., 300.])
    """
    count = len(arrays)
    if count < 2:
        raise ValueError(f"linalg.multi_dot: Expecting at least two arrays. Given: {count}")
    matrices = [_as_any_array(a) for a in arrays]
    if count == 2:
        return _dot(matrices[0], matrices[1], out)
    ends = matrices[0].ndim, matrices[-1].ndim
    if ends[0] == 1:
        matrices[0] = matrices[0][np.newaxis, :]
    if ends[1] == 1:
        matrices[-1] = matrices[-1][:, np.newaxis]
    for matrix in matrices:
        if matrix.ndim != 2:
            raise LinAlgError(
                f"linalg.multi_dot: {matrix.ndim}-dimensional array given. "
                "Array must be two-dimensional"
            )
    split = _cheapest_splits(matrices) if count > 3 else _cheapest_of_three(*matrices)
    result = _chain(matrices, split, 0, count - 1, out)
    if ends == (1, 1):
        return result[0, 0]
    return result.ravel() if 1 in ends else result


def _dot(a: Any, b: Any, out: Any) -> Any:
    # For subclasses dot and matmul do not choose the same class of result, and they word shapes
    # that do not fit differently.
    is_plain = all(type(x) is np.ndarray or not isinstance(x, np.ndarray) for x in (a, b))
    is_product = a.ndim in (1, 2) and b.ndim in (1, 2) and a.shape[-1] == b.shape[0]
    if is_plain and is_product and out is None:
        return MATMUL(a, b)
    return np.dot(a, b, out=out)


def _cheapest_of_three(a: Any, b: Any, c: Any) -> list[list[int]]:
    """``a (b c)`` or ``(a b) c``, as `_cheapest_splits` would have it."""
    (m, n), (p, q) = a.shape, c.shape
    is_left_first = m * p * (n + q) < n * q * (m + p)
    return [[0, 0, 1 if is_left_first else 0], [0, 0, 1]]


def _cheapest_splits(matrices: list[Any]) -> list[list[int]]:
    """Where to split the product of matrices i to j so that it costs fewest multiplications."""
    count = len(matrices)
    sizes = [matrix.shape[0] for matrix in matrices] + [matrices[-1].shape[1]]
    cost = [[0.0] * count for _ in range(count)]
    split = [[0] * count for _ in range(count)]
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            costs = [
                cost[i][k] + cost[k + 1][j] + float(sizes[i]) * sizes[k + 1] * sizes[j + 1]
                for k in range(i, j)
            ]
            cost[i][j] = min(costs)
            split[i][j] = i + costs.index(cost[i][j])
    return split


def _chain(matrices: list[Any], split: list[list[int]], i: int, j: int, out: Any) -> Any:
    if i == j:
        return matrices[i]
    k = split[i][j]
    left = _chain(matrices, split, i, k, None)
    right = _chain(matrices, split, k + 1, j, None)
    return _dot(left, right, out)
