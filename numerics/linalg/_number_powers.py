"""Powers 0, 1, 2, … of numbers, which are the columns of a Vandermonde matrix.

============  =====================================================  ====================
dtype         method                                                 error
============  =====================================================  ====================
integers      products, by doubling                                  none, modulo 2^bits
objects       products, by doubling                                  that of the objects
real          pow of NumPy, in double for single and half            about one ulp
complex       products of pairs of numbers, by doubling              one ulp of |x|ᵏ
============  =====================================================  ====================

Numbers of single and double precision on the CPU have a kernel (`kernels/cpu/powers.cpp`).
Products of rounded numbers would lose more: power k up to k/2 ulps, in whatever order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["powers_of", "powers_overflow"]


def powers_of(x: Any, count: int) -> Any:
    """Return ``x[..., None] ** arange(count)``.

    Parameters
    ----------
    x : (..., n) array
        Of bool, integers, real or complex numbers or objects.
    count : int
        Number of powers.

    Returns
    -------
    (..., n, count) array
        In the dtype of `x`; bool and integers in 64 bits.
    """
    kind = x.dtype.kind
    if kind == "f":
        wide = x.astype(np.result_type(x.dtype, np.float64))
        # Of the magnitudes, for which pow is many times faster than for negative numbers.
        powers = abs(wide)[..., None] ** np.arange(count, dtype=wide.dtype, like=x)
        powers[..., 1::2] = np.copysign(powers[..., 1::2], wide[..., None])
        return powers.astype(x.dtype, copy=False)
    if kind == "c":
        return _complex_powers(x, count)
    dtype = {"O": np.dtype(object), "u": np.dtype(np.uint64)}.get(kind, np.dtype(np.int64))
    return _products(x.astype(dtype), count)


def powers_overflow(x: Any, powers: Any) -> bool:
    """Tell whether `powers_of` a finite number did not fit its dtype."""
    if powers.size == 0 or x.dtype == object:
        return False
    if x.dtype.kind == "f":  # what overflows at all does so in the highest power
        return bool((np.isinf(powers[..., -1]) & np.isfinite(x)).any().item())
    if x.dtype.kind == "c":
        return bool((np.isinf(powers) & np.isfinite(x)[..., None]).any().item())
    highest = powers.shape[-1] - 1
    limits = np.iinfo(powers.dtype)
    bases = {int(x.min().item()), int(x.max().item())}
    # Where the highest power of the lowest and the highest number fits, all others do.
    return any(
        not limits.min <= base ** min(highest, 65) <= limits.max for base in bases - {-1, 0, 1}
    )


def _doubled(count: int) -> list[tuple[int, int]]:
    """Return how many powers are known, and how many more follow from a product, step by step."""
    steps = []
    known = 1
    while known < count:
        steps.append((known, min(known, count - known)))
        known *= 2
    return steps


def _products(x: Any, count: int) -> Any:
    powers = np.empty((*x.shape, count), dtype=x.dtype, like=x)
    powers[..., :1] = 1
    factor = x
    for known, more in _doubled(count):
        if known > 1:
            factor = factor * factor
        powers[..., known : known + more] = powers[..., :more] * factor[..., None]
    return powers


# --- Complex numbers in twice the precision -----------------------------------------------------
# A number is a mantissa of modest size times a power of two, so that nothing overflows or
# underflows but results. The mantissa's real and imaginary part are sums high + low without
# overlap (Dekker, Numer. Math. 18 (1971) 224-242), which leaves k·2^-100 as the error of power k.

Pair = tuple[Any, Any]


def _normalized(high: Any, low: Any) -> Pair:
    total = high + low
    return total, low - (total - high)


def _split(x: Any) -> Pair:
    """Return two halves of the digits, products of which are exact."""
    digits = np.finfo(x.dtype).nmant + 1
    scaled = x * (2.0 ** ((digits + 1) // 2) + 1)
    high = scaled - (scaled - x)
    return high, x - high


def _times(a: Pair, b: Pair) -> Pair:
    product = a[0] * b[0]
    (a_high, a_low), (b_high, b_low) = _split(a[0]), _split(b[0])
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return _normalized(product, error + (a[0] * b[1] + a[1] * b[0]))


def _plus(a: Pair, b: Pair) -> Pair:
    total = a[0] + b[0]
    second = total - a[0]
    error = (a[0] - (total - second)) + (b[0] - second)
    return _normalized(total, error + (a[1] + b[1]))


class _Scaled(NamedTuple):
    """Complex numbers ``(real + 1j * imaginary) * 2**exponent`` in pairs."""

    real: Any
    real_low: Any
    imaginary: Any
    imaginary_low: Any
    exponent: Any

    def at(self, index: Any) -> _Scaled:
        return _Scaled(*(part[index] for part in self))


def _scaled(real: Pair, imaginary: Pair, exponent: Any) -> _Scaled:
    """Return numbers whose larger part is between 1/2 and 1."""
    _, shift = np.frexp(np.maximum(abs(real[0]), abs(imaginary[0])))
    parts = [np.ldexp(part, -shift) for part in (*real, *imaginary)]
    return _Scaled._make([*parts, exponent + shift])


def _product(a: _Scaled, b: _Scaled) -> _Scaled:
    a_real, a_imaginary, b_real, b_imaginary = a[:2], a[2:4], b[:2], b[2:4]
    minus_b = -b.imaginary, -b.imaginary_low
    return _scaled(
        _plus(_times(a_real, b_real), _times(a_imaginary, minus_b)),
        _plus(_times(a_real, b_imaginary), _times(a_imaginary, b_real)),
        a.exponent + b.exponent,
    )


def _complex_powers(x: Any, count: int) -> Any:
    wide = x.astype(np.result_type(x.dtype, np.complex128))
    real, imaginary = wide.real, wide.imag
    zero = 0 * np.frexp(real)[1].astype(np.int64)
    factor = _scaled((real, np.zeros_like(real)), (imaginary, np.zeros_like(real)), zero)
    shape = (*x.shape, count)
    powers = _Scaled(*(np.empty(shape, dtype=part.dtype, like=x) for part in factor))
    for part, one in zip(powers, (1, 0, 0, 0, 0), strict=True):
        part[..., :1] = one
    for known, more in _doubled(count):
        if known > 1:
            factor = _product(factor, factor)
        block = _product(powers.at((..., slice(more))), factor.at((..., None)))
        for whole, part in zip(powers, block, strict=True):
            whole[..., known : known + more] = part
    result = np.empty(shape, dtype=wide.dtype, like=x)
    # Far beyond the range of every dtype, and within that of a C int.
    exponent = np.minimum(np.maximum(powers.exponent, -(2**16)), 2**16).astype(np.intc)
    result.real[...] = np.ldexp(powers.real, exponent)
    result.imag[...] = np.ldexp(powers.imaginary, exponent)
    result[..., 1:2] = wide[..., None][..., : max(count - 1, 0)]
    return result.astype(x.dtype, copy=False)
