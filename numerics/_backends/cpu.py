"""The CPU: our compiled kernels, and NumPy's where there is nothing to add."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .. import _kernels
from .._core.backends import cpu_kernels
from . import norms

__all__: list[str] = []


def _trace(x: np.ndarray, *, offset: int, dtype: Any) -> Any:
    if type(x) is np.ndarray:
        return x.trace(offset, -2, -1, dtype)  # what np.trace calls in the end
    return np.trace(x, offset, -2, -1, dtype)


def _product(
    name: str, fallback: Callable[..., Any], repeat: Callable[[np.ndarray], Any]
) -> _kernels.ProductKernel:
    """Return NumPy's function with the shortcut of our own for small arrays of plain numbers.

    What numbers met with on the shortcut, ``repeat(pair)`` has two numbers meet with in NumPy's
    function, which words it and reacts as `numpy.errstate` asks.
    """

    def react(letter: str, overflow: bool, underflow: bool, invalid: bool) -> None:
        limits = np.finfo(letter)
        if overflow:
            repeat(np.full(2, limits.max, letter))
        if underflow:
            repeat(np.full(2, limits.tiny, letter))
        if invalid:
            repeat(np.array([np.inf, 0], letter))

    return _kernels.ProductKernel(name, fallback, react)


def _sum_on_a_diagonal(pair: np.ndarray) -> None:
    first, second = pair
    np.trace(np.diag([first, -first if second == 0 else second]))


def _extended(norm: Callable[..., Any], x: Any, *, ord: Any) -> Any:
    """One order of memory, and so of summation, for vectors alone and in any stack."""
    return norm(np, np.ascontiguousarray(x) if x.ndim else x, ord=ord)


cpu_kernels.update(dict.fromkeys(_kernels.native_kernels()))
cpu_kernels.update({name: _kernels.elementwise(name) for name in _kernels.elementwise_names()})
cpu_kernels.update(
    matmul=_product("matmul", np.matmul, lambda pair: np.matmul(pair[:1], pair[1:])),
    vecdot=_product("vecdot", np.vecdot, lambda pair: np.vecdot(pair[:1], pair[1:])),
    # Where numbers meet with anything, these compute again, with the same bits.
    outer=_kernels.ProductKernel("outer", np.outer, None),
    cross=_kernels.ProductKernel("cross", np.cross, None),
    trace=_product("trace", _trace, _sum_on_a_diagonal),
    vector_norm_extended=partial(_extended, norms.vector_norm),
    matrix_norm_extended=partial(_extended, norms.matrix_norm),
)
