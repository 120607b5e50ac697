"""Does a power of a matrix of integers fit its dtype? Its value, which has wrapped, cannot tell.

A power overflows exactly if it differs from the wrapped one, whatever happened on the way: wrapped
arithmetic is exact modulo 2^bits. Three questions, each dearer than the one before, and the next
is asked only of what the one before leaves open.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core.call import convert
from ._products import MATMUL

__all__ = ["by_squaring", "power_overflows"]


def by_squaring(a: Any, n: int, product: Callable[[Any, Any], Any]) -> Any:
    """Return ``a ** n``, n > 0; no factor on the way is a higher power than that."""
    if n == 3:  # one product less than by squaring
        return product(product(a, a), a)
    result = None
    while True:
        n, is_odd = divmod(n, 2)
        if is_odd:
            result = a if result is None else product(result, a)
        if n == 0:
            return result
        a = product(a, a)


def power_overflows(a: Any, n: int, wrapped: Any) -> bool:
    """Tell whether any of the matrices ``a ** n`` does not fit its dtype.

    Parameters
    ----------
    a : (..., m, m) array
        Integers, of any class.
    n : int
        Exponent.
    wrapped : (..., m, m) array
        The power in the arithmetic of the dtype.

    Returns
    -------
    bool
        False for n < 2, negative powers included, which are floats.
    """
    if n < 2 or a.size == 0:
        return False
    a, wrapped = convert(a), convert(wrapped)
    peak = _peak(a)
    if _is_bounded(a, n, peak):
        return False
    is_over, is_open = _compared_in_floats(a, n, wrapped)
    if is_over or not is_open.any().item():
        return is_over
    matrices = _integers(a, is_open), _integers(wrapped, is_open)
    return _residues_differ(*matrices, n) or any(
        _differs(matrix, power, n, peak) for matrix, power in zip(*matrices, strict=True)
    )


def _peak(a: Any) -> int:
    """Return the largest magnitude."""
    if a.size <= 64:  # the calls below cost more than all products of matrices that small
        return max(map(abs, a.reshape(-1).tolist()))
    return max(a.max().item(), -a.min().item())


def _bits(a: Any) -> int:
    return 8 * int(a.dtype.itemsize)


def _is_bounded(a: Any, n: int, peak: int) -> bool:
    """Is ``mⁿ⁻¹ peakⁿ``, which no entry of the power exceeds, small enough?"""
    m = a.shape[-1]
    if m * peak <= 1:
        return True
    if n > _bits(a):
        return False
    room = _bits(a) - (a.dtype.kind == "i")
    # The logarithms are off by less than 1e-12, for the numbers are at most 64.
    return n * math.log2(m * peak) - math.log2(m) < room - 1e-9


def _compared_in_floats(a: Any, n: int, wrapped: Any) -> tuple[bool, Any]:
    """Does a wrapped power certainly differ from the true one, and which matrices remain open?

    The power P in floats is off by at most γ |a|ⁿ, entry by entry, with γ = Ku / (1 - Ku) for K =
    n (m + 1) roundings of relative size u: n of ``a`` to floats, and at most m in each of the n - 1
    factors of products of length m (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd
    ed., equations 3.4 and 3.13). |a|ⁿ itself is found up to the same γ, which gives the bound
    Ku / (1 - 2Ku), at most 2Ku where Ku ≤ 1/4. The true power is one of the numbers wrapped + k
    2^bits, and the bound tells k = 0 from the others unless it is half as large as 2^bits.
    """
    m = a.shape[-1]
    roundings = n * (m + 2)  # one more for each, which the roundings of the bound stay below
    if roundings > 2**51:
        return False, np.ones_like(a[..., 0, :1], dtype=bool)
    span = 2.0 ** _bits(a)
    with np.errstate(all="ignore"):
        floats = a.astype(np.float64)
        power = by_squaring(floats, n, MATMUL)
        is_signed = bool((a < 0).any().item())
        size = by_squaring(abs(floats), n, MATMUL) if is_signed else power
        gap = abs(power - wrapped.astype(np.float64))
        # The gap has two roundings, of numbers below 2^bits and of itself.
        error = roundings * 2.0**-52 * size + span * 2.0**-50
        is_over = gap * (1 - 2.0**-50) > error
        if not is_signed:  # sums of positive numbers that exceed the range of floats
            is_over = is_over | np.isinf(power)
        is_same = gap < (1 - 2.0**-50) * span - error
    return bool(is_over.any().item()), ~is_same.all(axis=(-2, -1))


def _integers(a: Any, is_open: Any) -> np.ndarray:
    """Return the matrices that are open as Python's integers, on the host."""
    matrices = a.reshape(-1, *a.shape[-2:])[is_open.reshape(-1)]
    return np.array(matrices.tolist(), object)


# The largest prime below 2^20: sums of up to 2^23 products of residues fit 64 bits.
_PRIME = 1048573


def _residues_differ(a: np.ndarray, wrapped: np.ndarray, n: int) -> bool:
    """Do the powers differ modulo a prime? If so, they differ; nearly all that differ do so."""
    residues = (a % _PRIME).astype(np.int64)
    power = by_squaring(residues, n, lambda x, y: MATMUL(x, y) % _PRIME)
    return bool((power != wrapped % _PRIME).any())


def _differs(a: np.ndarray, wrapped: np.ndarray, n: int, peak: int) -> bool:
    """Compare in exact arithmetic, which ends early where the numbers grow too large.

    If no entry of aⁿ exceeds 2^64, no eigenvalue exceeds ρ with ρⁿ = m 2^64. By Schur's
    decomposition a = Q (D + U) Qᴴ, then, every power up to the n-th is at most the sum over i < m
    of binomial(n, i) ρⁿ ‖U‖ⁱ (Golub & Van Loan, *Matrix Computations*, 4th ed., lemma 7.3.2),
    hence at most m · m 2^64 · (n m peak)^(m - 1). A larger entry is proof of overflow.
    """
    m = len(a)
    limit = 64 + 2 * m.bit_length() + (m - 1) * (n * m * peak).bit_length()

    def product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        result = np.matmul(x, y)
        if int(abs(result).max()).bit_length() > limit:
            raise OverflowError
        return result

    try:
        return bool((by_squaring(a, n, product) != wrapped).any())
    except OverflowError:
        return True
