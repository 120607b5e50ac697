"""Vector and matrix norms, over the array functions of the module `xp`: numpy or cupy."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["matrix_norm", "vector_norm"]


def vector_norm(xp: Any, x: Any, *, ord: float) -> Any:
    """Norm of order `ord` along the last axis."""
    if ord == 2:
        return _two_norm(xp, x)
    magnitude = xp.abs(x)
    if ord == np.inf:
        return _largest(magnitude)
    if ord == -np.inf:
        return magnitude.min(axis=-1)
    if ord == 0:
        return xp.add.reduce((x != 0).astype(x.real.dtype), axis=-1)
    if ord == 1:
        return xp.add.reduce(magnitude, axis=-1)
    total = xp.add.reduce(magnitude**ord, axis=-1)
    # The exponent in the dtype of the sum keeps float32 from becoming float64.
    return total ** np.reciprocal(ord, dtype=total.dtype)


def _squares(x: Any) -> Any:
    """|x|², elementwise."""
    return x * x if x.dtype.kind == "f" else (x.conj() * x).real


def _two_norm(xp: Any, x: Any) -> Any:
    if x.ndim > 1:
        return xp.sqrt(xp.add.reduce(_squares(x), axis=-1))
    if x.dtype.kind != "c":
        return xp.sqrt(x.dot(x))
    real, imaginary = x.real, x.imag
    return xp.sqrt(real.dot(real) + imaginary.dot(imaginary))


def _largest(magnitudes: Any) -> Any:
    """Maximum along the last axis, 0 of nothing (where the sum is that 0)."""
    return magnitudes.max(axis=-1) if magnitudes.shape[-1] else magnitudes.sum(axis=-1)


def matrix_norm(xp: Any, x: Any, *, ord: float | str) -> Any:
    """Frobenius norm, or the largest or smallest row or column sum, of the last two axes."""
    if isinstance(ord, str):  # "fro"
        return xp.sqrt(xp.add.reduce(_squares(x), axis=(-2, -1)))
    sums = xp.add.reduce(xp.abs(x), axis=-2 if abs(ord) == 1 else -1)
    return _largest(sums) if ord > 0 else sums.min(axis=-1)
