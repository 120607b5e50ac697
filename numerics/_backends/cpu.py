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


def _extended(norm: Callable[..., Any], x: Any, *, ord: Any) -> Any:
    """One order of memory, and so of summation, for vectors alone and in any stack."""
    return norm(np, np.ascontiguousarray(x) if x.ndim else x, ord=ord)


cpu_kernels.update(dict.fromkeys(_kernels.native_kernels()))
cpu_kernels.update({name: _kernels.elementwise(name) for name in _kernels.elementwise_names()})
cpu_kernels.update(
    matmul=np.matmul,
    vecdot=np.vecdot,
    outer=np.outer,
    cross=np.cross,
    trace=_trace,
    vector_norm_extended=partial(_extended, norms.vector_norm),
    matrix_norm_extended=partial(_extended, norms.matrix_norm),
)
