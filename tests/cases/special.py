"""Special functions: errors in ulp of the dtype of the result."""

import numpy as np

from cases import Case, Edge, Problem
from cases import domains as where
from cases.errors import largest
from oracle import special


def ulps(function):
    """Measure a function of one real number against ``function(x) -> mpf``."""

    def error(problem, results):
        (x,) = problem.arrays
        y = np.asarray(results[0])
        if y.shape != x.shape or y.dtype != x.dtype:
            return float("inf")
        return largest(
            special.ulp_error(value, function(argument))
            for value, argument in zip(y.ravel(), x.ravel(), strict=True)
        )

    return error


OVERFLOWS_BELOW = {"f": -9.38, "d": -26.62}


def _erfcx_domain(problem):
    (x,) = problem.arrays
    return where.finite(problem) and bool((x > OVERFLOWS_BELOW[x.dtype.char]).all())


def _erfcx_draw(rng, letter, size):
    low = OVERFLOWS_BELOW[letter]
    moderate = rng.uniform(low, 30, (2, size))
    wide = rng.choice([-1.0, 1.0], size) * 10.0 ** rng.uniform(-30, 0, size)
    large = 10.0 ** rng.uniform(0, 38 if letter == "f" else 300, size)
    return [Problem((x.astype(letter),), {}) for x in (moderate, wide, large)]


SPECIAL = (
    Case(
        "special.erfcx",
        error=ulps(special.erfcx),
        bound={"f": 1.0, "d": 2.0},
        domain=_erfcx_domain,
        smooth=_erfcx_domain,
        edges=(
            Edge((np.array([0.0, -0.0]),), {}, (np.array([1.0, 1.0]),)),
            Edge((np.array([np.inf, -np.inf]),), {}, (np.array([0.0, np.inf]),)),
            Edge((np.array([np.nan]),), {}, (np.array([np.nan]),)),
        ),
        draw=_erfcx_draw,
    ),
)
