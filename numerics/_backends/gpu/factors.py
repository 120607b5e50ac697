"""LU, Cholesky and QR factorizations."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import cupy
import cupyx.scipy.linalg
import numpy as np

from ..._core.errors import LinAlgError
from ..._core.results import CholeskyExResult, LUFactorResult, QRResult
from .failures import attempt, finite_only, marked, nan_unless, raising, report

__all__ = ["FACTORS", "lu_factor"]


def lu_factor(a: Any) -> Any:
    """LU of one matrix; CuPy warns of a zero pivot, which is no failure here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return cupyx.scipy.linalg.lu_factor(a, check_finite=False)


def _getrf(a: Any) -> Any:
    """Matrix by matrix: CuPy factors no stacks, and nothing empty."""
    lu = cupy.zeros(a.shape, a.dtype)
    piv = cupy.zeros((*a.shape[:-2], min(a.shape[-2:])), np.int32)
    for index in np.ndindex(a.shape[:-2] if piv.size else (0,)):
        lu[index], piv[index] = lu_factor(a[index])
    return LUFactorResult(lu, piv)


def _getrf_parts(a: Any) -> Any:
    """Rows of L U that the rows of `a` are, and L and U apart."""
    (m, n), front = a.shape[-2:], a.shape[:-2]
    k = min(m, n)
    lu, piv = _getrf(a)
    p = np.empty((*front, m), np.int32)
    exchanges = piv.get()
    for index in np.ndindex(front):
        rows = np.arange(m)
        for i, j in enumerate(exchanges[index]):
            rows[[i, j]] = rows[[j, i]]
        p[index][rows] = np.arange(m)
    L = cupy.tril(lu[..., :k], -1) + cupy.eye(m, k, dtype=a.dtype)
    return cupy.asarray(p), L, cupy.triu(lu[..., :k, :])


def _cholesky(a: Any, *, upper: bool) -> Any:
    L, info = _factor(a, upper)
    report("linalg.cholesky", info, a.shape[-1])
    return L


def _cholesky_ex(a: Any, *, upper: bool) -> Any:
    return CholeskyExResult(*marked(*_factor(a, upper)))


def _factor(a: Any, upper: bool) -> tuple[Any, np.ndarray]:
    """CuPy reads the lower triangle; the upper one of `a` is the lower one of ``aᴴ``."""
    is_finite, a = finite_only(_adjoint(a) if upper else a, "L")
    L, info = attempt(cupy.linalg.cholesky, _failing_minor, a)
    L = cupy.tril(nan_unless(is_finite, L))
    return (_adjoint(L) if upper else L), info


def _failing_minor(a: Any) -> int:
    """Order of the first leading minor that is not positive definite, or 0.

    Of the infos CuPy shows no more than that one is not 0. The minors before the first failing
    one are definite and those after it are not, so it is found by bisection.
    """
    if _is_definite(a):
        return 0
    good, bad = 0, a.shape[-1]
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if _is_definite(a[:middle, :middle]) else (good, middle)
    return bad


def _is_definite(a: Any) -> bool:
    try:
        raising(cupy.linalg.cholesky, a)
    except LinAlgError:
        return False
    return True


def _householder_product(a: Any, tau: Any) -> Any:
    """``H₁ ⋯ H_k I`` from the last reflector on: CuPy has orgqr for its own qr only."""
    (m, n), k = a.shape[-2:], tau.shape[-1]
    stack = np.broadcast_shapes(a.shape[:-2], tau.shape[:-1])
    vectors = cupy.tril(a[..., :k], -1) + cupy.eye(m, k, dtype=a.dtype)
    Q = cupy.broadcast_to(cupy.eye(m, n, dtype=a.dtype), (*stack, m, n))
    for i in reversed(range(k)):
        v = vectors[..., i : i + 1]
        Q = Q - tau[..., i : i + 1, None] * v @ (_adjoint(v) @ Q)
    return Q


def _qr(a: Any, mode: str) -> Any:
    return QRResult(*raising(cupy.linalg.qr, a, mode=mode))


def _adjoint(a: Any) -> Any:
    return cupy.swapaxes(a, -2, -1).conj()


FACTORS: dict[str, Callable[..., Any]] = {
    "getrf": _getrf,
    "getrf_parts": _getrf_parts,
    "potrf": _cholesky,
    "potrf_ex": _cholesky_ex,
    "orgqr": _householder_product,
    "geqrf_reduced": partial(_qr, mode="reduced"),
    "geqrf_complete": partial(_qr, mode="complete"),
    "geqrf_r": partial(raising, cupy.linalg.qr, mode="r"),
    "geqrf_raw": partial(raising, cupy.linalg.qr, mode="raw"),
}
