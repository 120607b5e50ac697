"""The CPU: our compiled kernels, and NumPy's where there is nothing to add."""

from __future__ import annotations

from functools import partial

import numpy as np

from .. import _kernels
from .._core.backends import cpu_kernels
from . import norms

__all__: list[str] = []

cpu_kernels.update(dict.fromkeys(_kernels.native_kernels()))
cpu_kernels.update({name: _kernels.elementwise(name) for name in _kernels.elementwise_names()})
cpu_kernels.update(
    matmul=np.matmul,
    vecdot=np.vecdot,
    outer=np.outer,
    cross=np.cross,
    trace=partial(np.trace, axis1=-2, axis2=-1),
    vector_norm=partial(norms.vector_norm, np),
    matrix_norm=partial(norms.matrix_norm, np),
)
