"""Norms: right at every scale at which the result is a number."""

import numpy as np

from cases import Case, Edge, Problem
from cases import domains as where
from cases.draws import numbers, rectangles, stacks
from cases.errors import each, worst
from oracle import linalg as truth


@each((1,), (0,))
def _vector_norm_error(arrays, results, static):
    (x,) = arrays
    expected = truth.vector_norm(x, static["ord"])
    return worst(x.dtype.char, results[0], expected, len(x), float(expected))


@each((2,), (0,))
def _matrix_norm_error(arrays, results, static):
    (x,) = arrays
    expected = truth.matrix_norm(x, static["ord"])
    return worst(x.dtype.char, results[0], expected, x.size, float(expected))


# --- Draws --------------------------------------------------------------------------------------


def _times_two_to(x, exponents):
    """x · 2^exponents, part by part, in the dtype of x."""
    if x.dtype.kind != "c":
        return np.ldexp(x, exponents)
    return (np.ldexp(x.real, exponents) + 1j * np.ldexp(x.imag, exponents)).astype(x.dtype)


def _at_all_scales(rng, letter, shape):
    """Numbers whose squares overflow, or underflow; subnormal ones; and some of every size."""
    limits = np.finfo(letter)
    high = limits.maxexp - 20  # room for (Σ√|x|)² of 30 numbers
    low = limits.minexp // 2 - limits.nmant
    subnormal = limits.minexp - limits.nmant + 3
    scales = [high, low, subnormal, rng.integers(subnormal, high, shape)]
    with np.errstate(under="ignore"):
        return [_times_two_to(numbers(rng, letter, shape), scale) for scale in scales]


def _vectors(rng, letter, size):
    orders = (1, np.inf, -np.inf) if letter == "O" else (2, 1, np.inf, -np.inf, 0, 3, 0.5)
    arrays = [numbers(rng, letter, (*stack, size)) for stack in stacks(size)]
    if letter in "fdFD":
        arrays += _at_all_scales(rng, letter, (size,))
    return [Problem((array,), {"ord": order}) for array in arrays for order in orders]


def _powers(rng, letter, size):
    """Orders that are no product of roots and squares, and orders that the smallest decides."""
    arrays = [numbers(rng, letter, (size,)), *_at_all_scales(rng, letter, (size,))]
    orders = (2.7, 0.3, 100, 2000.5, -1, -2.5, -0.3, -50)
    return [Problem((array,), {"ord": order}) for array in arrays for order in orders]


def _inexact_vectors(rng, letter, size):
    powers = _powers(rng, letter, size) if size <= 10 else []
    return [*_vectors(rng, letter, size), *powers]


def _matrices(rng, letter, size):
    orders = (1, -1, np.inf, -np.inf) if letter == "O" else ("fro", 1, -1, np.inf, -np.inf)
    problems = rectangles(rng, letter, size)
    if letter in "fdFD":
        shape = (size, max(1, size // 2))
        problems += [Problem((a,), {}) for a in _at_all_scales(rng, letter, shape)]
    return [problem._replace(static={"ord": order}) for problem in problems for order in orders]


# With u = eps/2: a magnitude of a complex number has an error of 2u, a power of it as a product one
# more u for each factor, and the root divides by the order. The worst is the order 1/2 of one
# number: 2·(2/2 + 1)u, and 2u for the root. Sums of n add less than n·u/2. Single precision is
# double precision rounded once.
DOUBLE = {"f": 0.51, "d": 3.0, "F": 0.51, "D": 3.0}
# NumPy's own sums, powers and roots.
EXTENDED = {"g": 4.0, "G": 4.0, "O": 0.0}

NORMS = (
    Case(
        "linalg.vector_norm",
        error=_vector_norm_error,
        bound=DOUBLE,
        domain=where.finite,
        smooth=where.smooth_norm,
        edges=(
            Edge((np.zeros(0),), {"ord": 2}, (np.float64(0),)),
            Edge((np.array([3.0, -4.0]),), {"ord": 2}, (np.float64(5),)),
            Edge((np.array([3.0, -4.0]),), {"ord": np.inf}, (np.float64(4),)),
            Edge((np.array([3e-320, 4e-320j]),), {"ord": 0}, (np.float64(2),)),
            Edge((np.array([np.inf, np.nan]),), {"ord": 2}, (np.float64(np.nan),)),
            Edge((np.array([-np.inf, 1.0]),), {"ord": 2}, (np.float64(np.inf),)),
        ),
        draw=_inexact_vectors,
    ),
    Case(
        "linalg.vector_norm.extended",
        error=_vector_norm_error,
        bound=EXTENDED,
        domain=where.finite,
        smooth=where.smooth_norm,
        edges=(
            Edge((np.zeros(0, "g"),), {"ord": 2}, (np.longdouble(0),)),
            Edge((np.array([3, -4], "g"),), {"ord": 2}, (np.longdouble(5),)),
        ),
        draw=_vectors,
    ),
    Case(
        "linalg.matrix_norm",
        error=_matrix_norm_error,
        bound=DOUBLE,
        domain=where.finite,
        smooth=where.smooth_norm,
        edges=(
            Edge((np.zeros((0, 2)),), {"ord": "fro"}, (np.float64(0),)),
            Edge((np.zeros((2, 0)),), {"ord": 1}, (np.float64(0),)),
            Edge((np.array([[3.0, 0.0], [0.0, -4.0]]),), {"ord": "fro"}, (np.float64(5),)),
        ),
        draw=_matrices,
    ),
    Case(
        "linalg.matrix_norm.extended",
        error=_matrix_norm_error,
        bound=EXTENDED,
        domain=where.finite,
        smooth=where.smooth_norm,
        edges=(Edge((np.diag(np.array([3, -4], "g")),), {"ord": "fro"}, (np.longdouble(5),)),),
        draw=_matrices,
    ),
)
