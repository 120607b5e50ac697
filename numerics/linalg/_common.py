"""What several families of this folder share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .._core.call import convert
from .._core.public import public

__all__ = [
    "array_wrap",
    "as_any_array",
    "is_empty",
    "linalg_function",
    "per_matrix",
    "real_eps",
]

linalg_function = partial(public, "linalg")
"""``@linalg_function()`` makes a function public under ``numerics.linalg``."""


def array_wrap(original: Any) -> Callable[[Any], Any]:
    """Return what brings a result into the class of `original`, as NumPy's functions do."""
    if type(original) is np.ndarray:
        return lambda result: result
    return getattr(original, "__array_wrap__", lambda result: result)


def as_any_array(x: Any) -> Any:
    """Return `x` as an array of whatever class: a subclass keeps its own behaviour."""
    return x if isinstance(x, np.ndarray) else convert(x)


def is_empty(a: Any) -> bool:
    """Tell whether the matrices of the stack `a` have no entries."""
    return a.size == 0 and 0 in a.shape[-2:]


def real_eps(dtype: np.dtype) -> float:
    """Return the spacing at 1 of the precision in which `dtype` is computed."""
    return float(np.finfo(dtype if dtype.kind in "fc" else np.float64).eps)


def per_matrix(tolerance: Any) -> Any:
    """Return a tolerance so that it broadcasts against singular values: (...) becomes (..., 1)."""
    if isinstance(tolerance, float | int):
        return tolerance
    return convert(tolerance)[..., np.newaxis]
