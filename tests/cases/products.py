"""Products: computed in the dtype they come in, whatever it is."""

import numpy as np

from cases import Case, Edge, Problem
from cases import domains as where
from cases.draws import numbers, rectangles, stacks
from cases.errors import EXACT, each, worst
from oracle import linalg as truth

REAL, COMPLEX = "efdg", "FDG"


def bounds(real, complex_):
    """Bounds for every loop: integers are exact."""
    return EXACT | dict.fromkeys(REAL, real) | dict.fromkeys(COMPLEX, complex_)


def _magnitudes(a):
    return np.abs(np.asarray(a, complex))


@each((2, 2), (2,))
def _matrix_product_error(arrays, results, static):
    a, b = arrays
    scale = _magnitudes(a) @ _magnitudes(b)
    return worst(a.dtype.char, results[0], truth.product(a, b), len(b), scale)


def _matmul_error(problem, results):
    """A vector on the right is a matrix of one column."""
    a, b = problem.arrays
    if b.ndim > 1:
        return _matrix_product_error(problem, results)
    columns = problem._replace(arrays=(a, b[:, None]))
    return _matrix_product_error(columns, (np.asarray(results[0])[..., None],))


@each((1, 1), (0,))
def _vecdot_error(arrays, results, static):
    a, b = arrays
    expected = truth.product(truth.adjoint(truth.exact(a)[:, None]), b[:, None])[0, 0]
    scale = (_magnitudes(a) * _magnitudes(b)).sum()
    return worst(a.dtype.char, results[0], expected, len(a), scale)


@each((1, 1), (2,))
def _outer_error(arrays, results, static):
    a, b = arrays
    expected = truth.product(a[:, None], b[None, :])
    scale = np.outer(_magnitudes(a), _magnitudes(b))
    return worst(a.dtype.char, results[0], expected, 1, scale)


@truth.precise
@each((1, 1), (1,))
def _cross_error(arrays, results, static):
    a, b = arrays
    x, y, z = truth.exact(a)
    matrix = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], object)
    expected = truth.product(matrix, b[:, None])[:, 0]
    scale = _magnitudes(matrix) @ _magnitudes(b)
    return worst(a.dtype.char, results[0], expected, 1, scale)


@each((2,), (0,))
def _trace_error(arrays, results, static):
    diagonal = np.diagonal(arrays[0], static["offset"])
    expected = truth.product(np.ones((1, len(diagonal))), diagonal[:, None])[0, 0]
    scale = _magnitudes(diagonal).sum()
    return worst(arrays[0].dtype.char, results[0], expected, len(diagonal), scale)


# --- Draws --------------------------------------------------------------------------------------


def _factors(rng, letter, size):
    shapes = [((size, size), (size,)), ((3, size), (size, size))]
    if size <= 5:
        shapes.append(((2, 1, size, 2), (3, 2, size)))
    return [Problem(tuple(numbers(rng, letter, s) for s in pair), {}) for pair in shapes]


def _pairs(core=None, **static):
    def draw(rng, letter, size):
        shapes = [(*stack, core or size) for stack in stacks(size)]
        return [
            Problem((numbers(rng, letter, s), numbers(rng, letter, s)), dict(static))
            for s in shapes
        ]

    return draw


def _two_vectors(rng, letter, size):
    return [Problem((numbers(rng, letter, (size,)), numbers(rng, letter, (2,))), {})]


def _diagonals(rng, letter, size):
    return [
        problem._replace(static={"offset": offset, "dtype": None})
        for problem in rectangles(rng, letter, size)
        for offset in (0, 1, -size // 2)
        if offset < problem.arrays[0].shape[1] and -offset < problem.arrays[0].shape[0]
    ]


# Sums of n products: n·eps/2 for real numbers, √2 of twice that for complex ones. One product of
# complex numbers: √5·eps/2.
PRODUCTS = (
    Case(
        "linalg.matmul",
        error=_matmul_error,
        bound=bounds(1.0, 2.0),
        domain=where.finite,
        smooth=where.everywhere,
        edges=(Edge((np.ones((2, 0)), np.ones((0, 3))), {}, (np.zeros((2, 3)),)),),
        draw=_factors,
    ),
    Case(
        "linalg.vecdot",
        error=_vecdot_error,
        bound=bounds(1.0, 2.0),
        domain=where.finite,
        smooth=where.everywhere,
        edges=(
            Edge((np.ones(0), np.ones(0)), {"axis": -1}, (np.float64(0),)),
            Edge((np.array([1j]), np.array([1j])), {"axis": -1}, (np.complex128(1),)),
        ),
        draw=_pairs(axis=-1),
    ),
    Case(
        "linalg.outer",
        error=_outer_error,
        bound=bounds(0.5, 1.2),
        domain=where.finite,
        smooth=where.everywhere,
        edges=(Edge((np.ones(2), np.ones(0)), {}, (np.ones((2, 0)),)),),
        draw=_two_vectors,
    ),
    Case(
        "linalg.cross",
        error=_cross_error,
        bound={k: v for k, v in bounds(1.5, 2.0).items() if k not in "?O"},
        domain=where.finite,
        smooth=where.everywhere,
        edges=(Edge((np.eye(3)[0], np.eye(3)[1]), {"axis": -1}, (np.eye(3)[2],)),),
        draw=_pairs(3, axis=-1),
    ),
    Case(
        "linalg.trace",
        error=_trace_error,
        bound=bounds(1.0, 1.0),
        domain=where.finite,
        smooth=where.everywhere,
        edges=(Edge((np.eye(2),), {"offset": 5, "dtype": None}, (np.float64(0),)),),
        draw=_diagonals,
    ),
)
