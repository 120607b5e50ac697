"""The CPU: our compiled kernels, and NumPy's where there is nothing to add."""

from __future__ import annotations

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


cpu_kernels.update(dict.fromkeys(_kernels.native_kernels()))
cpu_kernels.update({name: _kernels.elementwise(name) for name in _kernels.elementwise_names()})
cpu_kernels.update(
    matmul=np.matmul,
    vecdot=np.vecdot,
    outer=np.outer,
    cross=np.cross,
    trace=_trace,
    vector_norm=partial(norms.vector_norm, np),
    matrix_norm=partial(norms.matrix_norm, np),
)
