"""What failed, and where: CuPy reports neither of its own accord."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupy
import cupyx
import numpy as np

from ..._core import errors
from ..._core.errors import LinAlgError
from ..._core.op import OPS

__all__ = ["attempt", "finite_only", "marked", "nan_unless", "raising", "report"]


def raising(function: Callable[..., Any], *arrays: Any, **options: Any) -> Any:
    with cupyx.errstate(linalg="raise"):
        return function(*arrays, **options)


def report(name: str, info: np.ndarray, n: int) -> None:
    """Raise what the CPU raises for LAPACK's infos of a stack, if one is not 0."""
    failed = np.flatnonzero(info)
    if failed.size:
        failures = np.stack([failed, info.ravel()[failed]], axis=1).astype(np.int64)
        raise errors.failure(OPS[name], failures, info.shape, {"n": n})


def attempt(
    function: Callable[..., Any],
    find_info: Callable[[Any], int],
    a: Any,
    *arrays: Any,
) -> tuple[Any, np.ndarray]:
    """Return the results of a stack and LAPACK's infos, which are looked for where CuPy fails."""
    info = np.zeros(a.shape[:-2], np.int32)
    try:
        return raising(function, a, *arrays), info
    except LinAlgError:
        for index in np.ndindex(info.shape):
            info[index] = find_info(a[index])
        with cupyx.errstate(linalg="ignore"):
            return function(a, *arrays), info


def marked(result: Any, info: np.ndarray) -> tuple[Any, Any]:
    """Return results with NaN for the matrices that failed, and the infos on the GPU."""
    on_gpu = cupy.asarray(info)
    return nan_unless(on_gpu == 0, result), on_gpu


def nan_unless(is_good: Any, result: Any) -> Any:
    """Replace matrices, or vectors, of a stack by NaN; the dtype stays."""
    condition = is_good.reshape(is_good.shape + (1,) * (result.ndim - is_good.ndim))
    return cupy.where(condition, result, np.nan).astype(result.dtype, copy=False)


def finite_only(a: Any, triangle: str = "") -> tuple[Any, Any]:
    """Tell which matrices are finite where they are read, and put the identity for the others."""
    read = {"": lambda x: x, "L": cupy.tril, "U": cupy.triu}[triangle](a)
    is_finite = cupy.isfinite(read).all(axis=(-2, -1))
    condition = is_finite.reshape((*is_finite.shape, 1, 1))
    identity = cupy.eye(a.shape[-2], a.shape[-1], dtype=a.dtype)
    return is_finite, cupy.where(condition, a, identity)
