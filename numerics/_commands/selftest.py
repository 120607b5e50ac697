"""What ``numerics doctor`` computes: every public function once, on small systems.

Each check returns an error in units of eps: against an exact result, or as a residual. That takes
a moment and finds a broken installation; accuracy as promised is measured by the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from numerics import linalg, special

__all__ = ["BOUND", "CHECKS"]

BOUND = 50.0
"""Error that is allowed, in units of eps: the systems are small and well conditioned."""

A = np.array([[4.0, 1, 0, 2], [1, 5, 3, 0], [0, 3, 6, 1], [2, 0, 1, 7]])
"""Symmetric positive definite; its determinant is 431, in integers."""
B = np.array([[1.0, 2, 0], [0, 1, 1], [3, 0, 1], [1, 1, 1]])
C = A + 1j * np.tril(A, -1)
X = np.array([3.0, -1, 2, 5])
UNIT = np.eye(4)
EPS = float(np.finfo(np.float64).eps)


def far(found: Any, exact: Any) -> float:
    """Largest difference, relative to the largest exact entry, in units of eps."""
    found, exact = np.asarray(found), np.asarray(exact)
    if found.shape != exact.shape:
        return float("inf")
    return float(np.max(np.abs(found - exact)) / np.max(np.abs(exact)) / EPS)


def _orthonormal(columns: np.ndarray) -> float:
    return far(columns.conj().T @ columns, np.eye(columns.shape[1]))


def _svd() -> float:
    U, s, Vh = linalg.svd(B, full_matrices=False)
    return max(far((U * s) @ Vh, B), _orthonormal(U), _orthonormal(Vh.T))


def _qr() -> float:
    Q, R = linalg.qr(C)
    return max(far(Q @ R, C), far(np.triu(R), R), _orthonormal(Q))


def _cholesky() -> float:
    L = linalg.cholesky(A)
    return max(far(L @ L.T, A), far(np.tril(L), L))


def _slogdet() -> float:
    sign, logarithm = linalg.slogdet(-A[:3, :3])
    return far(sign * np.exp(logarithm), -78.0)


def _eig() -> float:
    values, vectors = linalg.eig(C)
    return far(C @ vectors, vectors * values)


def _eigh() -> float:
    values, vectors = linalg.eigh(A)
    return max(far(A @ vectors, vectors * values), _orthonormal(vectors))


def _lu() -> float:
    P, L, U = linalg.lu(C)
    return max(far(P @ L @ U, C), far(np.tril(L), L), far(np.triu(U), U))


def _lu_factor() -> float:
    lu, piv = linalg.lu_factor(A)
    product = (np.tril(lu, -1) + UNIT) @ np.triu(lu)
    for i in reversed(range(4)):
        product[[i, piv[i]]] = product[[piv[i], i]]
    return far(product, A)


def _ldl_factor() -> float:
    LD, _ = linalg.ldl_factor(A)  # A is dominated by its diagonal: nothing is exchanged
    L = np.tril(LD, -1) + UNIT
    return far(L @ np.diag(np.diagonal(LD)) @ L.T, A)


def _householder_product() -> float:
    h, tau = linalg.qr(B, "raw")
    return far(linalg.householder_product(h.T, tau), linalg.qr(B).Q)


def _cholesky_ex() -> float:
    L, info = linalg.cholesky_ex(A)
    return far(L @ L.T, A) if info == 0 else float("inf")


def _inv_ex() -> float:
    inverse, info = linalg.inv_ex(C)
    return far(C @ inverse, UNIT) if info == 0 else float("inf")


def _solve_ex() -> float:
    x, info = linalg.solve_ex(A, A @ X)
    return far(x, X) if info == 0 else float("inf")


def _null_space() -> float:
    basis, rank = linalg.null_space(B @ B.T)
    v = basis[:, : 4 - int(rank)]
    return max(_orthonormal(v), far(B @ B.T + B @ (B.T @ v) @ v.T, B @ B.T))


def _orth() -> float:
    basis, rank = linalg.orth(B @ B.T)
    v = basis[:, : int(rank)]
    return max(_orthonormal(v), far(v @ (v.T @ B), B))


CHECKS: dict[str, Callable[[], float]] = {
    "linalg.cholesky": _cholesky,
    "linalg.cholesky_ex": _cholesky_ex,
    "linalg.cholesky_solve": lambda: far(
        linalg.cholesky_solve((A @ X)[:, None], linalg.cholesky(A))[:, 0], X
    ),
    "linalg.cond": lambda: far(linalg.cond(np.diag([1.0, 2, 8])), 8.0),
    "linalg.cross": lambda: far(linalg.cross([1, 0, 0], [0, 2, 0]), [0, 0, 2]),
    "linalg.det": lambda: far(linalg.det(A), 431.0),
    "linalg.diagonal": lambda: far(linalg.diagonal(A), [4, 5, 6, 7]),
    "linalg.eig": _eig,
    "linalg.eigh": _eigh,
    "linalg.eigvals": lambda: far(linalg.eigvals(C).sum(), 22.0),
    "linalg.eigvalsh": lambda: far(linalg.eigvalsh(A).prod(), 431.0),
    "linalg.householder_product": _householder_product,
    "linalg.inv": lambda: far(C @ linalg.inv(C), UNIT),
    "linalg.inv_ex": _inv_ex,
    "linalg.ldl_factor": _ldl_factor,
    "linalg.ldl_solve": lambda: far(
        linalg.ldl_solve(*linalg.ldl_factor(A), (A @ X)[:, None])[:, 0], X
    ),
    "linalg.lstsq": lambda: far(linalg.lstsq(B, B @ X[:3])[0], X[:3]),
    "linalg.lu": _lu,
    "linalg.lu_factor": _lu_factor,
    "linalg.lu_solve": lambda: far(linalg.lu_solve(linalg.lu_factor(A), A @ X), X),
    "linalg.matmul": lambda: far(linalg.matmul([[1, 2], [3, 4]], [1, 1]), [3, 7]),
    "linalg.matrix_exp": lambda: far(
        linalg.matrix_exp([[0, np.pi], [-np.pi, 0]]), [[-1, 0], [0, -1]]
    ),
    "linalg.matrix_norm": lambda: far(linalg.matrix_norm([[3.0, 0], [0, 4]]), 5.0),
    "linalg.matrix_power": lambda: far(linalg.matrix_power([[1, 1], [1, 0]], 3), [[3, 2], [2, 1]]),
    "linalg.matrix_rank": lambda: far(linalg.matrix_rank(B @ B.T), 3),
    "linalg.matrix_transpose": lambda: far(linalg.matrix_transpose(A[:2]), A[:, :2]),
    "linalg.multi_dot": lambda: far(linalg.multi_dot([B.T, A, B]), B.T @ A @ B),
    "linalg.norm": lambda: far(linalg.norm([3.0, 4.0]), 5.0),
    "linalg.null_space": _null_space,
    "linalg.orth": _orth,
    "linalg.outer": lambda: far(linalg.outer([1, 2], [3, 4]), [[3, 4], [6, 8]]),
    "linalg.pinv": lambda: far(linalg.pinv(B) @ B, np.eye(3)),
    "linalg.qr": _qr,
    "linalg.slogdet": _slogdet,
    "linalg.solve": lambda: far(linalg.solve(A, A @ X), X),
    "linalg.solve_ex": _solve_ex,
    "linalg.solve_triangular": lambda: far(linalg.solve_triangular(A, np.triu(A) @ X), X),
    "linalg.sqrtm": lambda: far(linalg.sqrtm([[33.0, 24], [48, 57]]), [[5, 2], [4, 7]]),
    "linalg.svd": _svd,
    "linalg.svdvals": lambda: far(linalg.svdvals([[3.0, 0], [0, 5]]), [5.0, 3.0]),
    "linalg.tensordot": lambda: far(linalg.tensordot(A, B, axes=1), A @ B),
    "linalg.tensorinv": lambda: far(
        linalg.tensorinv(UNIT.reshape(4, 2, 2), 1).ravel(), UNIT.ravel()
    ),
    "linalg.tensorsolve": lambda: far(linalg.tensorsolve(A, A @ X), X),
    "linalg.trace": lambda: far(linalg.trace(A), 22.0),
    "linalg.vander": lambda: far(linalg.vander([2, 3], N=3), [[1, 2, 4], [1, 3, 9]]),
    "linalg.vecdot": lambda: far(linalg.vecdot([1, 2, 3], [4, 5, 6]), 32),
    "linalg.vector_norm": lambda: far(linalg.vector_norm([[1.0, 2], [2, 4]]), 5.0),
    # mpmath: exp(1) * erfc(1)
    "special.erfcx": lambda: far(special.erfcx(1.0), 0.42758357615580700441),
}
"""By public name; a test compares it with what is public."""
