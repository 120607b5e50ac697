"""Linear equations: by LU, triangles and factors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupy
import cupyx.scipy.linalg
import numpy as np

from ... import _kernels
from ..._core.results import InvExResult, SolveExResult
from .factors import lu_factor
from .failures import attempt, marked, report

__all__ = ["SOLVERS"]


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
        x, info = attempt(cupy.linalg.solve, _zero_pivot, a, columns)
        report("linalg.solve", info, a.shape[-1])
        return x

    return _with_columns(solver, (a,), b)


def _solve_ex(a: Any, b: Any) -> Any:
    infos = []

    def solver(a: Any, columns: Any) -> Any:
        x, info = marked(*attempt(cupy.linalg.solve, _zero_pivot, a, columns))
        infos.append(info)
        return x

    return SolveExResult(_with_columns(solver, (a,), b), *infos)


def _inv(a: Any) -> Any:
    x, info = attempt(cupy.linalg.inv, _zero_pivot, a)
    report("linalg.inv", info, a.shape[-1])
    return x


def _inv_ex(a: Any) -> Any:
    return InvExResult(*marked(*attempt(cupy.linalg.inv, _zero_pivot, a)))


def _zero_pivot(a: Any) -> int:
    """LAPACK's info of LU: the first pivot that is exactly zero, counted from 1, or 0."""
    return _first_zero(lu_factor(a)[0])


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
            report("linalg.solve_triangular", _zeros_of_diagonal(a).get(), a.shape[-1])
        return _substitute(a, columns, trans="NTC"[trans], lower=lower, unit_diagonal=unit_diagonal)

    return _with_columns(solver, (a,), b)


def _getrs(lu: Any, piv: Any, b: Any, *, trans: int) -> Any:
    def solver(lu: Any, piv: Any, columns: Any) -> Any:
        n = lu.shape[-1]
        if n:
            info = _zeros_of_diagonal(lu).get().astype(np.int64)
            info[((piv < 0) | (piv >= n)).any(axis=-1).get()] = _kernels.NOT_PIVOTS
            report("linalg.lu_solve", info, n)
        x = cupy.zeros(columns.shape, columns.dtype)
        for index in np.ndindex(columns.shape[:-2] if x.size else (0,)):
            x[index] = cupyx.scipy.linalg.lu_solve(
                (lu[index], piv[index]), columns[index], trans=trans, check_finite=False
            )
        return x

    return _with_columns(solver, (lu, piv), b)


def _cholesky_solve(L: Any, b: Any, *, upper: bool) -> Any:
    def solver(L: Any, columns: Any) -> Any:
        if L.shape[-1]:
            report("linalg.cholesky_solve", _zeros_of_diagonal(L).get(), L.shape[-1])
        for trans in "CN" if upper else "NC":
            columns = _substitute(L, columns, trans=trans, lower=not upper)
        return columns

    return _with_columns(solver, (L,), b)


SOLVERS: dict[str, Callable[..., Any]] = {
    "gesv": _solve,
    "gesv_ex": _solve_ex,
    "inv": _inv,
    "inv_ex": _inv_ex,
    "trtrs": _solve_triangular,
    "getrs": _getrs,
    "potrs": _cholesky_solve,
}
