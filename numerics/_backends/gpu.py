"""CuPy arrays: cupy.linalg and cuSOLVER, with NumPy's semantics.

Imported when the first CuPy array arrives. By default CuPy ignores what cuSOLVER reports and
returns NaN; here its errors are raised, for the matrices of a stack that failed. Single precision
is computed in single precision.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import cupy
import cupyx
import cupyx.scipy.linalg
import cupyx.scipy.special
import numpy as np

from .. import _kernels
from .._core import errors
from .._core.backends import Backend, sign_in
from .._core.errors import LinAlgError
from .._core.op import OPS
from .._core.results import (
    CholeskyExResult,
    EighResult,
    EigResult,
    InvExResult,
    LUFactorResult,
    QRResult,
    SlogdetResult,
    SolveExResult,
    SVDResult,
)
from . import norms

__all__: list[str] = []


# --- What failed --------------------------------------------------------------------------------


def _raising(function: Callable[..., Any], *arrays: Any, **options: Any) -> Any:
    with cupyx.errstate(linalg="raise"):
        return function(*arrays, **options)


def _report(name: str, info: np.ndarray, n: int) -> None:
    """Raise what the CPU raises for LAPACK's infos of a stack, if one is not 0."""
    failed = np.flatnonzero(info)
    if failed.size:
        failures = np.stack([failed, info.ravel()[failed]], axis=1).astype(np.int64)
        raise errors.failure(OPS[name], failures, info.shape, {"n": n})


def _attempt(
    function: Callable[..., Any],
    find_info: Callable[[Any], int],
    a: Any,
    *arrays: Any,
) -> tuple[Any, np.ndarray]:
    """Return the results of a stack and LAPACK's infos, which are looked for where CuPy fails."""
    info = np.zeros(a.shape[:-2], np.int32)
    try:
        return _raising(function, a, *arrays), info
    except LinAlgError:
        for index in np.ndindex(info.shape):
            info[index] = find_info(a[index])
        with cupyx.errstate(linalg="ignore"):
            return function(a, *arrays), info


def _marked(result: Any, info: np.ndarray) -> tuple[Any, Any]:
    """Return results with NaN for the matrices that failed, and the infos on the GPU."""
    on_gpu = cupy.asarray(info)
    return _nan_unless(on_gpu == 0, result), on_gpu


def _nan_unless(is_good: Any, result: Any) -> Any:
    """Replace matrices, or vectors, of a stack by NaN; the dtype stays."""
    condition = is_good.reshape(is_good.shape + (1,) * (result.ndim - is_good.ndim))
    return cupy.where(condition, result, np.nan).astype(result.dtype, copy=False)


def _finite_only(a: Any, triangle: str = "") -> tuple[Any, Any]:
    """Tell which matrices are finite where they are read, and put the identity for the others."""
    read = {"": lambda x: x, "L": cupy.tril, "U": cupy.triu}[triangle](a)
    is_finite = cupy.isfinite(read).all(axis=(-2, -1))
    condition = is_finite.reshape((*is_finite.shape, 1, 1))
    identity = cupy.eye(a.shape[-2], a.shape[-1], dtype=a.dtype)
    return is_finite, cupy.where(condition, a, identity)


# --- Solving ------------------------------------------------------------------------------------


def _with_columns(solver: Callable[..., Any], factors: tuple[Any, ...], b: Any) -> Any:
    """NumPy's rule: `b` is a vector exactly if it is 1-D; the stacks broadcast.

    The first of the factors is a matrix, a second one has an axis less.
    """
    columns = b[:, None] if b.ndim == 1 else b
    cores = [2, 1][: len(factors)]
    fronts = [f.shape[: f.ndim - core] for f, core in zip(factors, cores, strict=True)]
    stack = np.broadcast_shapes(*fronts, columns.shape[:-2])
    full = [
        cupy.broadcast_to(f, stack + f.shape[f.ndim - core :])
        for f, core in zip(factors, cores, strict=True)
    ]
    x = solver(*full, cupy.broadcast_to(columns, stack + columns.shape[-2:]))
    return x[..., 0] if b.ndim == 1 else x


def _solve(a: Any, b: Any) -> Any:
    def solver(a: Any, columns: Any) -> Any:
        x, info = _attempt(cupy.linalg.solve, _zero_pivot, a, columns)
        _report("linalg.solve", info, a.shape[-1])
        return x

    return _with_columns(solver, (a,), b)


def _solve_ex(a: Any, b: Any) -> Any:
    infos = []

    def solver(a: Any, columns: Any) -> Any:
        x, info = _marked(*_attempt(cupy.linalg.solve, _zero_pivot, a, columns))
        infos.append(info)
        return x

    return SolveExResult(_with_columns(solver, (a,), b), *infos)


def _inv(a: Any) -> Any:
    x, info = _attempt(cupy.linalg.inv, _zero_pivot, a)
    _report("linalg.inv", info, a.shape[-1])
    return x


def _inv_ex(a: Any) -> Any:
    return InvExResult(*_marked(*_attempt(cupy.linalg.inv, _zero_pivot, a)))


def _zero_pivot(a: Any) -> int:
    """LAPACK's info of LU: the first pivot that is exactly zero, counted from 1, or 0."""
    return _first_zero(_lu_factor(a)[0])


def _first_zero(triangle: Any) -> int:
    return int(_zeros_of_diagonal(triangle).item())


def _zeros_of_diagonal(triangle: Any) -> Any:
    """For each matrix the first zero on the diagonal, counted from 1, or 0."""
    is_zero = cupy.diagonal(triangle, axis1=-2, axis2=-1) == 0
    return cupy.where(is_zero.any(axis=-1), is_zero.argmax(axis=-1) + 1, 0)


def _substitute(a: Any, columns: Any, **options: Any) -> Any:
    """Solve triangular systems; cuBLAS refuses empty ones."""
    if columns.size == 0:
        return cupy.zeros(columns.shape, columns.dtype)
    return cupyx.scipy.linalg.solve_triangular(a, columns, **options)


def _solve_triangular(a: Any, b: Any, *, trans: int, lower: bool, unit_diagonal: bool) -> Any:
    def solver(a: Any, columns: Any) -> Any:
        if not unit_diagonal and a.shape[-1]:
            _report("linalg.solve_triangular", _zeros_of_diagonal(a).get(), a.shape[-1])
        return _substitute(a, columns, trans="NTC"[trans], lower=lower, unit_diagonal=unit_diagonal)

    return _with_columns(solver, (a,), b)


# --- Factorizations -----------------------------------------------------------------------------


def _lu_factor(a: Any) -> Any:
    """LU of one matrix; CuPy warns of a zero pivot, which is no failure here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return cupyx.scipy.linalg.lu_factor(a, check_finite=False)


def _getrf(a: Any) -> Any:
    """Matrix by matrix: CuPy factors no stacks, and nothing empty."""
    lu = cupy.zeros(a.shape, a.dtype)
    piv = cupy.zeros((*a.shape[:-2], min(a.shape[-2:])), np.int32)
    for index in np.ndindex(a.shape[:-2] if piv.size else (0,)):
        lu[index], piv[index] = _lu_factor(a[index])
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


def _getrs(lu: Any, piv: Any, b: Any, *, trans: int) -> Any:
    def solver(lu: Any, piv: Any, columns: Any) -> Any:
        n = lu.shape[-1]
        if n:
            info = _zeros_of_diagonal(lu).get().astype(np.int64)
            info[((piv < 0) | (piv >= n)).any(axis=-1).get()] = _kernels.NOT_PIVOTS
            _report("linalg.lu_solve", info, n)
        x = cupy.zeros(columns.shape, columns.dtype)
        for index in np.ndindex(columns.shape[:-2] if x.size else (0,)):
            x[index] = cupyx.scipy.linalg.lu_solve(
                (lu[index], piv[index]), columns[index], trans=trans, check_finite=False
            )
        return x

    return _with_columns(solver, (lu, piv), b)


def _cholesky(a: Any, *, upper: bool) -> Any:
    L, info = _factor(a, upper)
    _report("linalg.cholesky", info, a.shape[-1])
    return L


def _cholesky_ex(a: Any, *, upper: bool) -> Any:
    return CholeskyExResult(*_marked(*_factor(a, upper)))


def _factor(a: Any, upper: bool) -> tuple[Any, np.ndarray]:
    """CuPy reads the lower triangle; the upper one of `a` is the lower one of ``aᴴ``."""
    is_finite, a = _finite_only(_adjoint(a) if upper else a, "L")
    L, info = _attempt(cupy.linalg.cholesky, _failing_minor, a)
    L = cupy.tril(_nan_unless(is_finite, L))
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
        _raising(cupy.linalg.cholesky, a)
    except LinAlgError:
        return False
    return True


def _cholesky_solve(L: Any, b: Any, *, upper: bool) -> Any:
    def solver(L: Any, columns: Any) -> Any:
        if L.shape[-1]:
            _report("linalg.cholesky_solve", _zeros_of_diagonal(L).get(), L.shape[-1])
        for trans in "CN" if upper else "NC":
            columns = _substitute(L, columns, trans=trans, lower=not upper)
        return columns

    return _with_columns(solver, (L,), b)


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


def _adjoint(a: Any) -> Any:
    return cupy.swapaxes(a, -2, -1).conj()


def _qr(a: Any, mode: str) -> Any:
    return QRResult(*_raising(cupy.linalg.qr, a, mode=mode))


# --- Eigenvalues, singular values and functions of them -----------------------------------------


def _eigh(a: Any, *, UPLO: str) -> Any:
    is_finite, a = _finite_only(a, UPLO)
    w, v = _raising(cupy.linalg.eigh, a, UPLO=UPLO)
    return EighResult(_nan_unless(is_finite, w), _nan_unless(is_finite, v))


def _eigvalsh(a: Any, *, UPLO: str) -> Any:
    is_finite, a = _finite_only(a, UPLO)
    return _nan_unless(is_finite, _raising(cupy.linalg.eigvalsh, a, UPLO=UPLO))


def _require_finite(name: str, a: Any) -> None:
    is_finite = cupy.isfinite(a).all(axis=(-2, -1)).get()
    _report(name, np.where(is_finite, 0, _kernels.NOT_FINITE), a.shape[-1])


def _eig(a: Any, name: str = "linalg.eig") -> Any:
    """Matrix by matrix: CuPy's own loop keeps only the status of the last one."""
    _require_finite(name, a)
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
    return _eig(a, "linalg.eigvals")[0]


def _require_no_nan(name: str, a: Any) -> None:
    has_nan = cupy.isnan(a).any(axis=(-2, -1)).get()
    _report(name, np.where(has_nan, _kernels.NOT_FINITE, 0), a.shape[-1])


def _svd(a: Any, full_matrices: bool) -> Any:
    _require_no_nan("linalg.svd", a)
    is_finite, a = _finite_only(a)
    parts = _raising(cupy.linalg.svd, a, full_matrices=full_matrices)
    return SVDResult(*(_nan_unless(is_finite, part) for part in parts))


def _svdvals(a: Any) -> Any:
    _require_no_nan("linalg.svdvals", a)
    is_finite, a = _finite_only(a)
    return _nan_unless(is_finite, _raising(cupy.linalg.svd, a, compute_uv=False))


def _lstsq(a: Any, b: Any, *, rcond: float) -> Any:
    _require_finite("linalg.lstsq", a)
    return _raising(cupy.linalg.lstsq, a, b, rcond=rcond)


def _slogdet(a: Any) -> Any:
    return SlogdetResult(*cupy.linalg.slogdet(a))


def _matrix_exp(a: Any) -> Any:
    """Matrix by matrix: CuPy's expm takes no stacks."""
    is_finite, a = _finite_only(a)
    result = cupy.zeros(a.shape, a.dtype)
    for index in np.ndindex(a.shape[:-2] if a.size else (0,)):
        result[index] = _exponential(a[index])
    return _nan_unless(is_finite, result)


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


def _vecdot(x1: Any, x2: Any, *, axis: int) -> Any:
    return cupy.sum(x1.conj() * x2, axis=axis)


KERNELS: dict[str, Callable[..., Any]] = {
    "gesv": _solve,
    "gesv_ex": _solve_ex,
    "inv": _inv,
    "inv_ex": _inv_ex,
    "trtrs": _solve_triangular,
    "getrf": _getrf,
    "getrf_parts": _getrf_parts,
    "getrs": _getrs,
    "det": cupy.linalg.det,
    "slogdet": _slogdet,
    "potrf": _cholesky,
    "potrf_ex": _cholesky_ex,
    "potrs": _cholesky_solve,
    "orgqr": _householder_product,
    "heevd": _eigh,
    "heevd_values": _eigvalsh,
    "gesdd_full": partial(_svd, full_matrices=True),
    "gesdd_reduced": partial(_svd, full_matrices=False),
    "gesdd_values": _svdvals,
    "geqrf_reduced": partial(_qr, mode="reduced"),
    "geqrf_complete": partial(_qr, mode="complete"),
    "geqrf_r": partial(_raising, cupy.linalg.qr, mode="r"),
    "geqrf_raw": partial(_raising, cupy.linalg.qr, mode="raw"),
    "gelsd": _lstsq,
    "matrix_exp": _matrix_exp,
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
