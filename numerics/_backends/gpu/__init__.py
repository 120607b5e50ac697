"""CuPy arrays: cupy.linalg and cuSOLVER, with NumPy's semantics.

Imported when the first CuPy array arrives. By default CuPy ignores what cuSOLVER reports and
returns NaN; here its errors are raised, for the matrices of a stack that failed. Single precision
is computed in single precision.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import cupy
import cupyx.scipy.special

from ..._core.backends import Backend, sign_in
from .. import norms
from .factors import FACTORS
from .solvers import SOLVERS
from .spectral import SPECTRAL

__all__: list[str] = []


def _vecdot(x1: Any, x2: Any, *, axis: int) -> Any:
    return cupy.sum(x1.conj() * x2, axis=axis)


KERNELS: dict[str, Callable[..., Any]] = {
    **SOLVERS,
    **FACTORS,
    **SPECTRAL,
    "matmul": cupy.matmul,
    "vecdot": _vecdot,
    "outer": cupy.outer,
    "cross": cupy.cross,
    "trace": partial(cupy.trace, axis1=-2, axis2=-1),
    "vector_norm": partial(norms.vector_norm, cupy),
    "matrix_norm": partial(norms.matrix_norm, cupy),
    "erfcx": cupyx.scipy.special.erfcx,
}

sign_in(Backend("gpu", cupy.ndarray, KERNELS))
