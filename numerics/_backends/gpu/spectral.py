"""Eigenvalues, singular values, and what is made of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import cupy
import cupyx.scipy.linalg
import numpy as np

from ... import _kernels
from ..._core.results import EighResult, EigResult, SlogdetResult, SVDResult
from .failures import finite_only, nan_unless, raising, report

__all__ = ["SPECTRAL"]


def _eigh(a: Any, *, UPLO: str) -> Any:
    is_finite, a = finite_only(a, UPLO)
    w, v = raising(cupy.linalg.eigh, a, UPLO=UPLO)
    return EighResult(nan_unless(is_finite, w), nan_unless(is_finite, v))


def _eigvalsh(a: Any, *, UPLO: str) -> Any:
    is_finite, a = finite_only(a, UPLO)
    return nan_unless(is_finite, raising(cupy.linalg.eigvalsh, a, UPLO=UPLO))


def _require_finite(name: str, a: Any) -> None:
    is_finite = cupy.isfinite(a).all(axis=(-2, -1)).get()
    report(name, np.where(is_finite, 0, _kernels.NOT_FINITE), a.shape[-1])


def _eig(a: Any, name: str = "linalg.eig") -> Any:
    """Matrix by matrix: CuPy's own loop keeps only the status of the last one."""
    _require_finite(name, a)
    flat = a.reshape(-1, *a.shape[-2:])
    pairs = [raising(cupy.linalg.eig, flat[i]) for i in range(flat.shape[0])]
    dtype = np.result_type(a.dtype, np.complex64)
    w = cupy.empty(a.shape[:-1], dtype)
    v = cupy.empty(a.shape, dtype)
    for i, (values, vectors) in enumerate(pairs):
        w.reshape(-1, w.shape[-1])[i] = values
        v.reshape(flat.shape)[i] = vectors
    if a.dtype.kind != "c" and bool((w.imag == 0).all().item()):
        w, v = w.real, v.real
    return EigResult(w, v)


def _eigvals(a: Any) -> Any:
    return _eig(a, "linalg.eigvals")[0]


def _require_no_nan(name: str, a: Any) -> None:
    has_nan = cupy.isnan(a).any(axis=(-2, -1)).get()
    report(name, np.where(has_nan, _kernels.NOT_FINITE, 0), a.shape[-1])


def _require_no_jacobi(driver: str | None, name: str) -> None:
    """Of the drivers, "gesdd" and "gesvd" are names for what cuSOLVER does."""
    if driver == "jacobi":
        raise NotImplementedError(
            f"{name}: the gpu backend has no driver 'jacobi'; move the array to the CPU"
        )


def _svd(a: Any, full_matrices: bool, *, driver: str | None) -> Any:
    _require_no_jacobi(driver, "linalg.svd")
    _require_no_nan("linalg.svd", a)
    is_finite, a = finite_only(a)
    parts = raising(cupy.linalg.svd, a, full_matrices=full_matrices)
    return SVDResult(*(nan_unless(is_finite, part) for part in parts))


def _svdvals(a: Any, *, driver: str | None) -> Any:
    _require_no_jacobi(driver, "linalg.svdvals")
    _require_no_nan("linalg.svdvals", a)
    is_finite, a = finite_only(a)
    return nan_unless(is_finite, raising(cupy.linalg.svd, a, compute_uv=False))


def _lstsq(a: Any, b: Any, *, rcond: float | tuple[float, ...]) -> Any:
    """Matrix by matrix, for CuPy's function takes no stacks."""
    _require_finite("linalg.lstsq", a)
    if a.ndim == b.ndim == 2:
        return raising(cupy.linalg.lstsq, a, b, rcond=rcond)
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    (m, n), r = a.shape[-2:], b.shape[-1]
    a = cupy.broadcast_to(a, (*stack, m, n))
    b = cupy.broadcast_to(b, (*stack, m, r))
    real = a.real.dtype
    x, residuals = cupy.empty((*stack, n, r), a.dtype), cupy.empty((*stack, r), real)
    rank, s = cupy.empty(stack, np.int32), cupy.empty((*stack, min(m, n)), real)
    rconds = np.broadcast_to(np.reshape(rcond, stack if np.ndim(rcond) else ()), stack)
    for i in np.ndindex(stack):
        x[i], sums, rank[i], s[i] = raising(cupy.linalg.lstsq, a[i], b[i], rcond=float(rconds[i]))
        residuals[i] = sums if sums.size else np.nan
    return x, residuals, rank, s


def _slogdet(a: Any) -> Any:
    return SlogdetResult(*cupy.linalg.slogdet(a))


def _matrix_exp(a: Any) -> Any:
    """Matrix by matrix: CuPy's expm takes no stacks."""
    is_finite, a = finite_only(a)
    result = cupy.zeros(a.shape, a.dtype)
    for index in np.ndindex(a.shape[:-2] if a.size else (0,)):
        result[index] = _exponential(a[index])
    return nan_unless(is_finite, result)


def _exponential(a: Any) -> Any:
    """Square ``exp(a/2)`` as long as the norm may exceed 256.

    CuPy takes the factor exp(mean eigenvalue) out, which raises or spoils the rest where it leaves
    the range of numbers.
    """
    largest = max(float(abs(part).max().item()) for part in (a.real, a.imag))
    squarings = max(0, math.frexp(largest)[1] + a.shape[-1].bit_length() - 7)
    result = cupyx.scipy.linalg.expm(a * 2.0**-squarings)
    for _ in range(squarings):
        result = result @ result
    return result


SPECTRAL: dict[str, Callable[..., Any]] = {
    "det": cupy.linalg.det,
    "slogdet": _slogdet,
    "heevd": _eigh,
    "heevd_values": _eigvalsh,
    "gesdd_full": partial(_svd, full_matrices=True),
    "gesdd_reduced": partial(_svd, full_matrices=False),
    "gesdd_values": _svdvals,
    "gelsd": _lstsq,
    "matrix_exp": _matrix_exp,
}
if hasattr(cupy.linalg, "eig"):  # CuPy 14, where cuSOLVER has Xgeev
    SPECTRAL |= {"geev": _eig, "geev_values": _eigvals}
