"""How errors are measured, and the units in which bounds are written.

The double-precision unit is n·eps·κ, with the condition number κ of what is computed (1 where the
error is measured backwards). Single precision is computed in double and rounded once, so that its
unit is half an ulp of float32 on top of the ten units that double precision is granted, and its
bound is 1.
"""

import numpy as np

from oracle import linalg as truth

DOUBLE = 2.0**-52
HALF_SINGLE = 2.0**-24
GRANTED = 10.0

LAPACK_BOUND = {"f": 1.0, "d": GRANTED, "F": 1.0, "D": GRANTED}
"""Standard backward error analysis gives a modest constant times n·eps; ten is promised."""

EXACT = dict.fromkeys("?bBhHiIlLqQO", 0.0)


def eps(letter):
    """Spacing at 1 of a dtype; 0 for integers."""
    return 0.0 if letter in EXACT else float(np.finfo(letter).eps)


def unit(letter, n, kappa=1.0, rounded=1.0):
    """Return the unit for results of LAPACK; `rounded` results contribute their half ulps."""
    double = max(n, 1) * DOUBLE * kappa
    return double if letter in "dD" else GRANTED * double + rounded * HALF_SINGLE


def _wrong(result, expected):
    """Does an integer differ, modulo the wrap-around of its dtype?"""
    if isinstance(result, bool | np.bool_):
        return bool(result) != (expected != 0)
    difference = int(result) - int(expected.real)
    if isinstance(result, np.integer):
        difference %= 2 ** (8 * result.itemsize)
    return difference != 0


def worst(letter, result, expected, n, scale):
    """Largest error in n·eps of `scale`; for integers the number of wrong ones."""
    result, expected = np.asarray(result), np.asarray(expected, object)
    if result.shape != expected.shape:
        return float("inf")
    if letter in EXACT:
        return float(sum(_wrong(result[i], expected[i]) for i in np.ndindex(result.shape)))
    tiny = float(np.finfo(letter).smallest_subnormal)
    units = max(n, 1) * np.maximum(eps(letter) * np.asarray(scale, float), tiny)
    gaps = truth.gap(result, expected)
    return largest(np.append(np.where(gaps == 0, 0, gaps / np.where(units > 0, units, 1)), 0))


def frobenius(a):
    """Frobenius norm in double, which is enough for an error or a scale; infinite if too large."""
    magnitudes = np.abs(np.asarray(a).astype(complex))
    largest = float(magnitudes.max(initial=0))
    if largest == 0 or not np.isfinite(largest):
        return largest
    return largest * float(np.sqrt(np.sum((magnitudes / largest) ** 2)))


def ratio(error, scale):
    """Quotient with 0/0 = 0; NaN stays NaN, so that no bound holds for it."""
    return 0.0 if error == 0 else error / scale if scale > 0 else float("inf")


def largest(values):
    """Maximum of at least one number; NaN if any is."""
    return float(np.max(np.fromiter(values, float)))


def distance(*factors, target):
    """Frobenius norm of the exact product less `target`."""
    return frobenius(truth.gap(truth.product(*factors), target))


def away_from_unitary(q):
    """‖qᴴq - I‖ / √(columns) of a matrix with orthonormal columns."""
    q = truth.exact(q)
    columns = q.shape[1]
    return distance(truth.adjoint(q), q, target=np.eye(columns)) / max(columns, 1) ** 0.5


def condition(a):
    """Condition number in the Frobenius norm."""
    return frobenius(a) * frobenius(truth.inverse(a))


def each(inputs, outputs):
    """Make an error of one matrix that of a stack: the largest.

    Parameters
    ----------
    inputs, outputs : tuple of int
        Axes that belong to one problem, by operand.
    """

    def decorate(error):
        def of_stack(problem, results):
            shapes = [a.shape for a in problem.arrays]
            cores = [min(core, len(s)) for core, s in zip(inputs, shapes, strict=True)]
            ends = [len(s) - core for core, s in zip(cores, shapes, strict=True)]
            fronts = [s[:end] for end, s in zip(ends, shapes, strict=True)]
            stack = np.broadcast_shapes(*fronts)
            arrays = [
                np.broadcast_to(a, stack + s[end:])
                for end, s, a in zip(ends, shapes, problem.arrays, strict=True)
            ]
            results = [np.asarray(r) for r in results]
            wrong = [r.shape[: len(stack)] != stack for r in results]
            if any(wrong) or [r.ndim - len(stack) for r in results] != list(outputs):
                return float("inf")
            return largest(
                error([a[i] for a in arrays], [r[i] for r in results], problem.static)
                for i in np.ndindex(stack)
            )

        return of_stack

    return decorate
