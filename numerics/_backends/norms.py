"""Vector and matrix norms, over the array functions of the module `xp`: numpy or cupy.

For the gpu, and for the dtypes that the compiled kernels do not take. Sums of squares are done
again with everything scaled where they left the range of numbers; other powers always are scaled.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["matrix_norm", "vector_norm"]


@np.errstate(under="ignore")
def vector_norm(xp: Any, x: Any, *, ord: float) -> Any:
    """Norm of order `ord` along the last axis."""
    if ord == 2:
        return _two_norm_of_objects(xp, x) if x.dtype.kind == "O" else _two_norm(xp, x)
    if ord == 0:
        return xp.add.reduce((x != 0).astype(x.real.dtype), axis=-1)
    magnitude = xp.abs(x)
    if ord == np.inf:
        return _largest(magnitude)
    if ord == -np.inf:
        return magnitude.min(axis=-1)
    if ord == 1:
        return xp.add.reduce(magnitude, axis=-1)
    if x.dtype.kind == "O":
        return _root(xp.add.reduce(magnitude**ord, axis=-1), ord)
    return _power_norm(xp, magnitude, ord)


def _largest(magnitudes: Any) -> Any:
    """Maximum along the last axis, 0 of nothing (where the sum is that 0)."""
    return magnitudes.max(axis=-1) if magnitudes.shape[-1] else magnitudes.sum(axis=-1)


def _root(total: Any, ord: float) -> Any:
    # The exponent in the dtype of the sum keeps float32 from becoming float64.
    return total ** np.reciprocal(ord, dtype=total.dtype)


def _two_norm(xp: Any, x: Any) -> Any:
    limits = np.finfo(x.dtype)
    with np.errstate(all="ignore"):
        total = _sum_of_squares(xp, x)
        # Above this, what left the range of normal numbers is nothing to it, be it 1/eps terms.
        is_right = (total > limits.smallest_normal / limits.eps**2) & xp.isfinite(total)
        plain = xp.sqrt(total)
        if xp.all(is_right).item():
            return plain
        scale = _power_of_two(xp, _largest(_largest_part(xp, x)))
        scaled = xp.sqrt(_sum_of_squares(xp, x, scale[..., None]))
        plain, scaled = xp.where(is_right, plain, 0), xp.where(is_right, 0, scaled)
    return plain + scaled * scale  # whose overflow is one


def _sum_of_squares(xp: Any, x: Any, scale: Any = 1) -> Any:
    parts = (x.real, x.imag) if x.dtype.kind == "c" else (x,)
    squares = [part / scale * (part / scale) for part in parts]
    return xp.add.reduce(sum(squares[1:], squares[0]), axis=-1)


def _largest_part(xp: Any, x: Any) -> Any:
    return xp.maximum(xp.abs(x.real), xp.abs(x.imag)) if x.dtype.kind == "c" else xp.abs(x)


def _power_of_two(xp: Any, size: Any) -> Any:
    """The one not above `size`; 1 for zero, infinity and NaN."""
    exponent = xp.where(xp.isfinite(size) & (size != 0), xp.frexp(size)[1] - 1, 0)
    return xp.ldexp(xp.ones_like(size), exponent)


def _power_norm(xp: Any, magnitude: Any, ord: float) -> Any:
    """Divided by the magnitude that counts most: one term is 1, and none is larger."""
    if magnitude.shape[-1] == 0:
        return magnitude.sum(axis=-1) if ord > 0 else magnitude.sum(axis=-1) + np.inf
    size = magnitude.max(axis=-1) if ord > 0 else magnitude.min(axis=-1)
    is_plain = xp.isfinite(size) & (size != 0)
    with np.errstate(all="ignore"):
        ratio = magnitude / xp.where(is_plain, size, 1)[..., None]
        root = _root(xp.add.reduce(ratio**ord, axis=-1), ord)
        root = xp.where(is_plain, root, 1)
    return size * root  # whose overflow is one


def _two_norm_of_objects(xp: Any, x: Any) -> Any:
    if x.ndim == 1:
        return xp.sqrt(x.dot(x))
    return xp.sqrt(xp.add.reduce((x.conj() * x).real, axis=-1))


@np.errstate(under="ignore")
def matrix_norm(xp: Any, x: Any, *, ord: float | str) -> Any:
    """Frobenius norm, or the largest or smallest row or column sum, of the last two axes."""
    if isinstance(ord, str):  # "fro"
        return vector_norm(xp, x.reshape((*x.shape[:-2], math.prod(x.shape[-2:]))), ord=2)
    sums = xp.add.reduce(xp.abs(x), axis=-2 if abs(ord) == 1 else -1)
    return _largest(sums) if ord > 0 else sums.min(axis=-1)
