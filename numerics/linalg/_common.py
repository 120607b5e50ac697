"""What several families of this folder share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from .._core.call import convert
from .._core.public import public

__all__ = [
    "array_wrap",
    "as_any_array",
    "is_empty",
    "linalg_function",
    "per_matrix",
    "real_eps",
    "require_finite",
    "scaled",
    "scaling_exponent",
    "trans_number",
    "with_errors",
]

linalg_function = partial(public, "linalg")
"""``@linalg_function()`` makes a function public under ``numerics.linalg``."""


def array_wrap(original: Any) -> Callable[[Any], Any]:
    """Return what brings a result into the class of `original`, as NumPy's functions do."""
    if type(original) is np.ndarray:
        return _as_it_is
    return getattr(original, "__array_wrap__", _as_it_is)


def _as_it_is(result: Any) -> Any:
    return result


def as_any_array(x: Any) -> Any:
    """Return `x` as an array of whatever class: a subclass keeps its own behaviour."""
    return x if isinstance(x, np.ndarray) else convert(x)


def is_empty(a: Any) -> bool:
    """Tell whether the matrices of the stack `a` have no entries."""
    return a.size == 0 and 0 in a.shape[-2:]


@cache
def real_eps(dtype: np.dtype) -> float:
    """Return the spacing at 1 of the precision in which `dtype` is computed."""
    return float(np.finfo(dtype if dtype.kind in "fc" else np.float64).eps)


def per_matrix(tolerance: Any) -> Any:
    """Return a tolerance so that it broadcasts against singular values: (...) becomes (..., 1)."""
    if isinstance(tolerance, float | int):
        return tolerance
    return convert(tolerance)[..., np.newaxis]


_TRANS = {0: 0, "N": 0, 1: 1, "T": 1, 2: 2, "C": 2}
"""SciPy's names for the system to solve: as it is, transposed, conjugate transposed."""


def trans_number(function: str, trans: Any) -> int:
    """Return 0, 1 or 2 for one of SciPy's names."""
    try:
        return _TRANS[trans]
    except (KeyError, TypeError):
        raise ValueError(
            f"linalg.{function}: `trans` must be 0, 1 or 2 or 'N', 'T' or 'C', not {trans!r}"
        ) from None


def require_finite(function: str, **arrays: Any) -> None:
    """Raise SciPy's error if an array holds NaN or infinity."""
    for name, array in arrays.items():
        converted = convert(array)
        if converted.dtype.kind in "fc" and not bool(np.isfinite(converted).all()):
            raise ValueError(
                f"linalg.{function}: array must not contain infs or NaNs, but `{name}` does"
            )


def with_errors(result: Any, raising: Callable[[], Any]) -> Any:
    """Return `result` if its ``info`` speaks of no failure; else call what raises for it.

    The error tells more than a number, and every matrix is computed once where all are good.
    """
    if result.info.any().item():
        raising()
    return result


def scaling_exponent(a: Any) -> Any:
    """Return exponents (..., 1, 1) of the powers of two that bring each matrix to about 1."""
    largest = np.maximum(np.abs(a.real), np.abs(a.imag)).max(axis=(-2, -1))
    return -np.frexp(largest)[1][..., np.newaxis, np.newaxis]


def scaled(a: Any, exponent: Any) -> Any:
    """Multiply by ``2**exponent``, in two steps, for 2^1074 is no number."""
    one = a.real.dtype.type(1)
    half = exponent // 2
    return a * np.ldexp(one, half) * np.ldexp(one, exponent - half)
