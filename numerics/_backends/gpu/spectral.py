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


def _svd(a: Any, full_matrices: bool) -> Any:
    _require_no_nan("linalg.svd", a)
    is_finite, a = finite_only(a)
    parts = raising(cupy.linalg.svd, a, full_matrices=full_matrices)
    return SVDResult(*(nan_unless(is_finite, part) for part in parts))


def _svdvals(a: Any) -> Any:
    _require_no_nan("linalg.svdvals", a)
    is_finite, a = finite_only(a)
    return nan_unless(is_finite, raising(cupy.linalg.svd, a, compute_uv=False))


def _lstsq(a: Any, b: Any, *, rcond: float) -> Any:
    _require_finite("linalg.lstsq", a)
    return raising(cupy.linalg.lstsq, a, b, rcond=rcond)


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
