"""Products of several matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from .._core.errors import LinAlgError
from ._common import as_any_array, linalg_function
from ._products import MATMUL

__all__ = ["multi_dot"]


@linalg_function(looks_inside=True)
def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    """Product of several matrices in the cheapest order.

    Parameters
    ----------
    arrays : sequence of array_like
        At least two matrices or stacks of matrices (..., m, n), which broadcast. The first and the
        last are vectors exactly if they are 1-D.
    out : ndarray, optional
        C-contiguous array of the right shape and dtype that takes the result.

    Returns
    -------
    ndarray or scalar
        The product, without the axes that a vector lacks.

    Raises
    ------
    ValueError
        For fewer than two arrays, shapes that do not chain, stacks that do not broadcast, or an
        `out` that does not fit.
    LinAlgError
        If an array is a scalar, or an inner one a vector.

    Notes
    -----
    NumPy knows no stacks: two arrays of more than two axes get its `dot` of all their matrices.

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
    if out is None:
        result = _of_plain_matrices(arrays, count)
        if result is not None:
            return result
    matrices = [as_any_array(a) for a in arrays]
    is_stacked = any(matrix.ndim > 2 for matrix in matrices)
    if count == 2 and not (is_stacked and all(matrix.ndim for matrix in matrices)):
        return _dot(matrices[0], matrices[1], out)
    ends = matrices[0].ndim, matrices[-1].ndim
    if ends[0] == 1:
        matrices[0] = matrices[0][np.newaxis, :]
    if ends[1] == 1:
        matrices[-1] = matrices[-1][:, np.newaxis]
    for matrix in matrices:
        if matrix.ndim < 2:
            raise LinAlgError(
                f"linalg.multi_dot: {matrix.ndim}-dimensional array given. "
                "Array must be two-dimensional"
            )
    if is_stacked:
        return _stacked(matrices, ends, out)
    split = _cheapest_splits(_sizes(matrices))
    result = _chain(matrices, split, 0, count - 1, _dot, out)
    if ends == (1, 1):
        return result[0, 0]
    return result.ravel() if 1 in ends else result


def _of_plain_matrices(arrays: Any, count: int) -> Any:
    """Return the product of matrices of the class ndarray that chain, None for anything else."""
    if count == 2:
        a, b = arrays
        if _chain_plainly(a, b):
            return MATMUL(a, b)
    elif count == 3:
        a, b, c = arrays
        if _chain_plainly(a, b) and _chain_plainly(b, c):
            if _left_is_cheaper(*a.shape, *c.shape):
                return MATMUL(MATMUL(a, b), c)
            return MATMUL(a, MATMUL(b, c))
    elif all(_chain_plainly(a, b) for a, b in pairwise(arrays)):
        return _product(arrays, _cheapest_splits(_sizes(arrays)), 0, count - 1)
    return None


def _chain_plainly(a: Any, b: Any) -> bool:
    return type(a) is type(b) is np.ndarray and a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0]


def _product(matrices: Any, split: list[list[int]], i: int, j: int) -> Any:
    if i == j:
        return matrices[i]
    k = split[i][j]
    return MATMUL(_product(matrices, split, i, k), _product(matrices, split, k + 1, j))


def _dot(a: Any, b: Any, out: Any) -> Any:
    # For subclasses dot and matmul do not choose the same class of result, and they word shapes
    # that do not fit differently.
    is_plain = all(type(x) is np.ndarray or not isinstance(x, np.ndarray) for x in (a, b))
    is_product = a.ndim in (1, 2) and b.ndim in (1, 2) and a.shape[-1] == b.shape[0]
    if is_plain and is_product and out is None:
        return MATMUL(a, b)
    return np.dot(a, b, out=out)


def _left_is_cheaper(m: int, n: int, p: int, q: int) -> bool:
    """Does ``(a b) c`` cost fewer multiplications than ``a (b c)``?"""
    return m * p * (n + q) < n * q * (m + p)


def _cheapest_splits(sizes: list[int], matrices: Any = None) -> list[list[int]]:
    """Where to split the product of matrices i to j so that it costs fewest multiplications.

    Matrix i has ``sizes[i]`` rows and ``sizes[i + 1]`` columns; `matrices` counts only if they are
    stacks.
    """
    count = len(sizes) - 1
    cost = [[0.0] * count for _ in range(count)]
    split = [[0] * count for _ in range(count)]
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            products = float(_stack_size(matrices[i : j + 1])) if matrices else 1.0
            outside = products * sizes[i] * sizes[j + 1]
            row = cost[i]
            best = math.inf
            for k in range(i, j):
                found = row[k] + cost[k + 1][j] + outside * sizes[k + 1]
                if found < best:
                    best, split[i][j] = found, k
            row[j] = best
    return split


def _sizes(matrices: list[Any]) -> list[int]:
    return [matrix.shape[-2] for matrix in matrices] + [matrices[-1].shape[-1]]


def _chain(
    matrices: list[Any],
    split: list[list[int]],
    i: int,
    j: int,
    product: Callable[[Any, Any, Any], Any],
    out: Any,
) -> Any:
    if i == j:
        return matrices[i]
    k = split[i][j]
    left = _chain(matrices, split, i, k, product, None)
    right = _chain(matrices, split, k + 1, j, product, None)
    return product(left, right, out)


# --- Stacks -------------------------------------------------------------------------------------


def _stack_size(matrices: list[Any]) -> int:
    """Return how many matrices the product of these stacks has."""
    return math.prod(np.broadcast_shapes(*(matrix.shape[:-2] for matrix in matrices)))


def _stacked(matrices: list[Any], ends: tuple[int, int], out: Any) -> Any:
    _require_a_chain(matrices)
    split = _cheapest_splits(_sizes(matrices), matrices)
    result = _chain(matrices, split, 0, len(matrices) - 1, lambda a, b, _: MATMUL(a, b), None)
    if ends[0] == 1:
        result = result[..., 0, :]
    if ends[1] == 1:
        result = result[..., 0]
    return result if out is None else _written(result, out)


def _require_a_chain(matrices: list[Any]) -> None:
    shapes = [matrix.shape for matrix in matrices]
    for i, (left, right) in enumerate(pairwise(shapes)):
        if left[-1] != right[-2]:
            raise ValueError(
                f"linalg.multi_dot: shapes {left} and {right} not aligned: {left[-1]} != "
                f"{right[-2]}: columns of `arrays`[{i}] and rows of `arrays`[{i + 1}]"
            )
    for (i, left), (j, right) in combinations(enumerate(shapes), 2):
        try:
            np.broadcast_shapes(left[:-2], right[:-2])
        except ValueError:
            raise ValueError(
                "linalg.multi_dot: operands could not be broadcast together: the stacks "
                f"{left[:-2]} of `arrays`[{i}] and {right[:-2]} of `arrays`[{j}] differ"
            ) from None


def _written(result: Any, out: Any) -> Any:
    """Copy `result` into `out`, of which is asked what `numpy.dot` asks."""
    fits = (out.shape, out.dtype) == (result.shape, result.dtype) and out.flags.c_contiguous
    if type(out) is not type(result) or not fits:
        raise ValueError(
            "linalg.multi_dot: output array is not acceptable (must have the right datatype, "
            "number of dimensions, and be a C-Array): needed are "
            f"{result.dtype} and shape {result.shape}"
        )
    out[...] = result
    return out
