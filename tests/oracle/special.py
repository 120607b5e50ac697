"""Special functions of one float64 or float32, taken exactly, in 72 digits.

mpmath gives the value; the `_enclosure` of the same name is python-flint's ball around it, with
the guarantees of ball arithmetic, and the judge of the first.
"""

import flint
import numpy as np
from mpmath import mp

from oracle.linalg import BITS, precise

# --- Error ---------------------------------------------------------------------------------------


@precise
def ulp_error(result, exact):
    """Distance of a float64 or float32 from an mpf, in units in the last place of the latter.

    The unit is that of the binade of `exact`, subnormal numbers included. Where `exact` rounds to
    infinity, infinity has no error and everything else an infinite one; NaN is right nowhere.
    """
    facts = np.finfo(np.asarray(result).dtype)
    overflow = mp.ldexp(2 - mp.ldexp(1, -facts.nmant - 1), facts.maxexp - 1)
    if abs(exact) >= overflow:
        return 0.0 if np.isinf(result) and (result > 0) == (exact > 0) else np.inf
    if not np.isfinite(result):
        return np.inf
    binade = mp.mag(exact) - 1 if exact else facts.minexp
    unit = mp.ldexp(1, max(binade, facts.minexp) - facts.nmant)
    return float(abs(mp.mpf(float(result)) - exact) / unit)


# --- The error function and its relatives --------------------------------------------------------


@precise
def erfcx(x):
    """``exp(x**2) erfc(x)``: the definition, and DLMF 7.12.1 where x^2 would cost digits."""
    x = mp.mpf(float(x))
    if not mp.isfinite(x):
        return {mp.inf: mp.zero, mp.ninf: mp.inf}.get(x, mp.nan)
    if x < 50:
        with mp.workprec(BITS + 2 * max(0, mp.mag(x)) + 20):
            return mp.exp(x * x) * mp.erfc(x)
    # The terms alternate and shrink until m = x^2 > 2500: the first one left out bounds the rest.
    term = total = 1 / (x * mp.sqrt(mp.pi))
    m = 0
    while abs(term) > mp.ldexp(total, -BITS):
        m += 1
        term *= -(2 * m - 1) / (2 * x * x)
        total += term
    return total


@precise
def erfcx_enclosure(x):
    """A ball that holds ``erfcx(x)``: Tricomi's U for x >= 1 (DLMF 7.11.5), else the definition."""
    x = flint.arb(float(x))
    if x < 1:
        return (x * x).exp() * x.erfc()
    half = flint.arb(1) / 2
    return (x * x).hypgeom_u(half, half) / flint.arb.pi().sqrt()
