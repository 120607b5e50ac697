"""Tensors as matrices: their product, equations and inverse."""

from __future__ import annotations

import math
import operator
from typing import Any

from .._core.call import convert
from .._core.errors import LinAlgError
from ._common import array_wrap, linalg_function
from ._products import MATMUL
from ._solve import INV, SOLVE

__all__ = ["tensordot", "tensorinv", "tensorsolve"]


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
    if type(axes) is int and 0 <= axes <= x1.ndim:
        kept = x1.ndim - axes
        shape1, shape2, summed = x1.shape[:kept], x2.shape[axes:], x1.shape[kept:]
        if x2.shape[:axes] == summed:
            return _as_matrices(x1, x2, shape1, summed, shape2)
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
    summed = tuple(x1.shape[i] for i in first)
    first = [i % x1.ndim for i in first]
    second = [j % x2.ndim for j in second]
    rest1 = [i for i in range(x1.ndim) if i not in first]
    rest2 = [j for j in range(x2.ndim) if j not in second]
    shape1 = tuple(x1.shape[i] for i in rest1)
    shape2 = tuple(x2.shape[j] for j in rest2)
    return _as_matrices(
        x1.transpose(rest1 + first), x2.transpose(second + rest2), shape1, summed, shape2
    )


Shape = tuple[int, ...]


def _as_matrices(x1: Any, x2: Any, shape1: Shape, summed: Shape, shape2: Shape) -> Any:
    """Sum over the last axes of `x1`, of lengths `summed`, and the first ones of `x2`."""
    if len(shape1) == len(summed) == len(shape2) == 1:
        return MATMUL(x1, x2)
    length = math.prod(summed)
    left = x1.reshape(math.prod(shape1), length)
    right = x2.reshape(length, math.prod(shape2))
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
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """Solve the tensor equation ``a x = b``.

    The sum runs over all indices of ``x``, the rightmost ones of `a`:
    ``tensordot(a, x, axes=x.ndim)`` is `b`.

    Parameters
    ----------
    a : array_like
        Coefficients, of shape ``b.shape + Q`` with ``prod(Q) == prod(b.shape)``; or, for a stack of
        equations, of shape ``stack + core + Q`` with ``prod(Q) == prod(core)``.
    b : array_like
        Right-hand side, of any shape; for a stack, of shape ``stack + core``.
    axes : tuple of int, optional
        Axes of `a` to move to the right before solving.

    Returns
    -------
    ndarray
        ``x``, of shape ``Q`` or ``stack + Q``.

    Raises
    ------
    LinAlgError
        If `a` is singular or not square in the above sense, or can be read as several different
        stacks.

    Notes
    -----
    As a stack is read what cannot be read as one equation.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> a = np.eye(2 * 3 * 4).reshape(2 * 3, 4, 2, 3, 4)
    >>> linalg.tensorsolve(a, np.ones((2 * 3, 4))).shape
    (2, 3, 4)
    >>> stack = np.stack([a, 2 * a])
    >>> linalg.tensorsolve(stack, np.ones((2, 2 * 3, 4))).shape
    (2, 2, 3, 4)
    """
    wrap = array_wrap(a)
    a, b = convert(a), convert(b)
    if axes is not None:
        order = list(range(a.ndim))
        for axis in axes:
            order.remove(axis)
            order.insert(a.ndim, axis)
        a = a.transpose(order)
    shape = a.shape[-(a.ndim - b.ndim) :]
    size = math.prod(shape)
    if a.size == size**2:
        return wrap(SOLVE(a.reshape(size, size), b.ravel())).reshape(shape)
    readings = _readings(a.shape, b.ndim) if a.shape[: b.ndim] == b.shape else []
    if not readings:
        raise LinAlgError(
            "linalg.tensorsolve: Input arrays must satisfy the requirement "
            "prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim]); "
            f"`a` has shape {a.shape}, `b` has shape {b.shape}"
        )
    stack, _, shape = _the_only("tensorsolve", readings)
    size = math.prod(shape)
    x = SOLVE(a.reshape(*stack, size, size), b.reshape(*stack, size, 1))
    return wrap(x.reshape(stack + shape))


Reading = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""A shape as that of a stack of square matrices: stack, rows, columns."""


def _readings(shape: tuple[int, ...], columns_from: int) -> list[Reading]:
    """Return the stacks that `shape` can be, if columns begin at axis `columns_from`."""
    columns = shape[columns_from:]
    return [
        (shape[:rows_from], shape[rows_from:columns_from], columns)
        for rows_from in range(1, columns_from)
        if columns and math.prod(shape[rows_from:columns_from]) == math.prod(columns)
    ]


def _the_only(name: str, readings: list[Reading]) -> Reading:
    if len(readings) == 1:
        return readings[0]
    given = " or ".join(
        f"a stack {stack} of {rows} by {columns}" for stack, rows, columns in readings
    )
    raise LinAlgError(f"linalg.{name}: `a` is ambiguous: it may be {given}; reshape it")


@linalg_function()
def tensorinv(a: Any, ind: Any = 2) -> Any:
    """Inverse of a tensor under `tensordot`.

    Parameters
    ----------
    a : array_like
        Tensor with ``prod(a.shape[:ind]) == prod(a.shape[ind:])``; or a stack of them, in front.
    ind : int, default 2
        Number of first axes that belong to the inverse's sum.

    Returns
    -------
    ndarray
        ``x`` of shape ``a.shape[ind:] + a.shape[:ind]`` for which ``tensordot(x, a, ind)`` is
        the identity; of a stack, with the stack's axes in front.

    Raises
    ------
    LinAlgError
        If `a` is singular or not square in the above sense, or can be read as several different
        stacks.
    ValueError
        If `ind` is not positive.

    Notes
    -----
    As a stack is read what cannot be read as one tensor.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> a = np.eye(4 * 6).reshape(4, 6, 8, 3)
    >>> linalg.tensorinv(a).shape
    (8, 3, 4, 6)
    >>> linalg.tensorinv(np.stack([a, 2 * a])).shape
    (2, 8, 3, 4, 6)
    """
    a = convert(a)
    if ind <= 0:
        raise ValueError(f"linalg.tensorinv: Invalid ind argument. It must be positive, not {ind}")
    rows, columns = a.shape[:ind], a.shape[ind:]
    size = math.prod(columns)
    readings = []
    if size != math.prod(rows):
        readings = [
            reading
            for last in range(ind + 1, a.ndim)
            for reading in _readings(a.shape, last)
            if len(reading[1]) == ind
        ]
    if not readings:
        return INV(a.reshape(size, -1)).reshape(columns + rows)
    stack, rows, columns = _the_only("tensorinv", readings)
    size = math.prod(columns)
    return INV(a.reshape(*stack, size, size)).reshape(stack + columns + rows)
