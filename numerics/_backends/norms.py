"""Vector and matrix norms in array functions that every backend's arrays understand."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["matrix_norm", "vector_norm"]


def vector_norm(x: Any, *, ord: float) -> Any:
    """Norm of order `ord` along the last axis."""
    if ord == 2:
        return _two_norm(x)
    magnitude = np.abs(x)
    if ord == np.inf:
        return np.max(magnitude, axis=-1, initial=0)
    if ord == -np.inf:
        return np.min(magnitude, axis=-1)
    if ord == 0:
        return np.sum((x != 0).astype(x.real.dtype), axis=-1)
    if ord == 1:
        return np.add.reduce(magnitude, axis=-1)
    powers = magnitude**ord
    total = np.add.reduce(powers, axis=-1)
    # The exponent in the dtype of the sum keeps float32 from becoming float64.
    return total ** np.reciprocal(ord, dtype=total.dtype)


def _two_norm(x: Any) -> Any:
    if x.ndim > 1:
        return np.sqrt(np.add.reduce((x.conj() * x).real, axis=-1))
    if x.dtype.kind != "c":
        return np.sqrt(x.dot(x))
    real, imaginary = x.real, x.imag
    return np.sqrt(real.dot(real) + imaginary.dot(imaginary))


def matrix_norm(x: Any, *, ord: float | str) -> Any:
    """Frobenius norm, or the largest or smallest row or column sum, of the last two axes."""
    if ord == "fro":
        return np.sqrt(np.add.reduce((x.conj() * x).real, axis=(-2, -1)))
    summed = -2 if abs(ord) == 1 else -1  # type: ignore[arg-type]
    sums = np.add.reduce(np.abs(x), axis=summed)
    return np.max(sums, axis=-1, initial=0) if ord > 0 else np.min(sums, axis=-1)  # type: ignore[operator]
