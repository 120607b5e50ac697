"""CuPy arrays: cupy.linalg and cuSOLVER, with NumPy's semantics.

Imported when the first CuPy array arrives. By default CuPy ignores what cuSOLVER reports and
returns NaN; here its errors are raised. Single precision is computed in single precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import cupy
import cupyx
import cupyx.scipy.special
import numpy as np

from .._core.backends import Backend, sign_in
from .._core.errors import LinAlgError
from .._core.results import EighResult, EigResult, QRResult, SlogdetResult, SVDResult
from . import norms

__all__: list[str] = []


def _raising(function: Callable[..., Any], *arrays: Any, **options: Any) -> Any:
    with cupyx.errstate(linalg="raise"):
        return function(*arrays, **options)


def _solve(a: Any, b: Any) -> Any:
    """NumPy's rule: `b` is a vector exactly if it is 1-D; the stacks broadcast."""
    columns = b[:, None] if b.ndim == 1 else b
    stack = np.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    a = cupy.broadcast_to(a, (*stack, *a.shape[-2:]))
    columns = cupy.broadcast_to(columns, (*stack, *columns.shape[-2:]))
    x = _raising(cupy.linalg.solve, a, columns)
    return x[..., 0] if b.ndim == 1 else x


def _inv(a: Any) -> Any:
    """Name the singular matrices: they are what CuPy, left alone, fills with NaN or infinity."""
    try:
        return _raising(cupy.linalg.inv, a)
    except LinAlgError as error:
        is_singular = ~cupy.isfinite(cupy.linalg.inv(a)).all(axis=(-2, -1))
        named: Any = error
        named.indices = [tuple(index) for index in cupy.argwhere(is_singular).get().tolist()]
        raise


def _cholesky(a: Any, *, upper: bool) -> Any:
    """CuPy reads the lower triangle; the upper one of `a` is the lower one of ``aᴴ``."""
    if not upper:
        return _raising(cupy.linalg.cholesky, a)
    return _adjoint(_raising(cupy.linalg.cholesky, _adjoint(a)))


def _adjoint(a: Any) -> Any:
    return cupy.swapaxes(a, -2, -1).conj()


def _eigh(a: Any, *, UPLO: str) -> Any:
    return EighResult(*_raising(cupy.linalg.eigh, a, UPLO=UPLO))


def _require_finite(a: Any, words: str) -> None:
    if not bool(cupy.isfinite(a).all().item()):
        raise LinAlgError(f"{words}: `a` holds NaN or infinity")


def _eig(a: Any) -> Any:
    """Matrix by matrix: CuPy's own loop keeps only the status of the last one."""
    _require_finite(a, "linalg.eig: Array must not contain infs or NaNs")
    flat = a.reshape(-1, *a.shape[-2:])
    pairs = [_raising(cupy.linalg.eig, flat[i]) for i in range(flat.shape[0])]
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
    return _eig(a)[0]


def _require_no_jacobi(driver: str | None, name: str) -> None:
    """Of the drivers, "gesdd" and "gesvd" are names for what cuSOLVER does."""
    if driver == "jacobi":
        raise NotImplementedError(
            f"linalg.{name}: the gpu backend has no driver 'jacobi'; move the array to the CPU"
        )


def _svd(a: Any, full_matrices: bool, *, driver: str | None) -> Any:
    _require_no_jacobi(driver, "svd")
    _require_finite(a, "linalg.svd: SVD did not converge")
    return SVDResult(*_raising(cupy.linalg.svd, a, full_matrices=full_matrices))


def _svdvals(a: Any, *, driver: str | None) -> Any:
    _require_no_jacobi(driver, "svdvals")
    _require_finite(a, "linalg.svdvals: SVD did not converge")
    return _raising(cupy.linalg.svd, a, compute_uv=False)


def _qr(a: Any, mode: str) -> Any:
    return QRResult(*_raising(cupy.linalg.qr, a, mode=mode))


def _lstsq(a: Any, b: Any, *, rcond: float | tuple[float, ...]) -> Any:
    """Matrix by matrix, for CuPy's function takes no stacks."""
    _require_finite(a, "linalg.lstsq: SVD did not converge in Linear Least Squares")
    if a.ndim == b.ndim == 2:
        return _raising(cupy.linalg.lstsq, a, b, rcond=rcond)
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    count, (m, n), r = math.prod(stack), a.shape[-2:], b.shape[-1]
    a = cupy.broadcast_to(a, (*stack, m, n)).reshape(count, m, n)
    b = cupy.broadcast_to(b, (*stack, m, r)).reshape(count, m, r)
    dtype = np.result_type(a.dtype, b.dtype)
    real = np.dtype(dtype.char.lower())
    x, residuals = cupy.empty((count, n, r), dtype), cupy.empty((count, r), real)
    rank, s = cupy.empty(count, np.int32), cupy.empty((count, min(m, n)), real)
    rconds = rcond if isinstance(rcond, tuple) else (rcond,) * count
    for i in range(count):
        x[i], sums, rank[i], s[i] = _raising(cupy.linalg.lstsq, a[i], b[i], rcond=rconds[i])
        residuals[i] = sums if sums.size else np.nan
    return (
        x.reshape(*stack, n, r),
        residuals.reshape(*stack, r),
        rank.reshape(stack),
        s.reshape(*stack, min(m, n)),
    )


def _slogdet(a: Any) -> Any:
    return SlogdetResult(*cupy.linalg.slogdet(a))


def _vecdot(x1: Any, x2: Any, *, axis: int) -> Any:
    return cupy.sum(x1.conj() * x2, axis=axis)


KERNELS: dict[str, Callable[..., Any]] = {
    "gesv": _solve,
    "inv": _inv,
    "det": cupy.linalg.det,
    "slogdet": _slogdet,
    "potrf": _cholesky,
    "heevd": _eigh,
    "heevd_values": partial(_raising, cupy.linalg.eigvalsh),
    "gesdd_full": partial(_svd, full_matrices=True),
    "gesdd_reduced": partial(_svd, full_matrices=False),
    "gesdd_values": _svdvals,
    "geqrf_reduced": partial(_qr, mode="reduced"),
    "geqrf_complete": partial(_qr, mode="complete"),
    "geqrf_r": partial(_raising, cupy.linalg.qr, mode="r"),
    "geqrf_raw": partial(_raising, cupy.linalg.qr, mode="raw"),
    "gelsd": _lstsq,
    "matmul": cupy.matmul,
    "vecdot": _vecdot,
    "outer": cupy.outer,
    "cross": cupy.cross,
    "trace": partial(cupy.trace, axis1=-2, axis2=-1),
    "vector_norm": partial(norms.vector_norm, cupy),
    "matrix_norm": partial(norms.matrix_norm, cupy),
    "erfcx": cupyx.scipy.special.erfcx,
}
if hasattr(cupy.linalg, "eig"):  # CuPy 14, where cuSOLVER has Xgeev
    KERNELS |= {"geev": _eig, "geev_values": _eigvals}

sign_in(Backend("gpu", cupy.ndarray, KERNELS))
