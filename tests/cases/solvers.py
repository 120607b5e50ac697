"""Systems that are triangular or factored, and the factorizations that serve them."""

import numpy as np
import scipy.linalg

from cases import Case, Edge, Problem, draws
from cases import domains as where
from cases.errors import LAPACK_BOUND, each, frobenius, ratio, unit
from cases.factorizations import cholesky_error
from cases.linalg import inverse_error, solve_error
from oracle import linalg as truth

EMPTY = np.zeros((0, 0))
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])


# --- Systems --------------------------------------------------------------------------------------


def transposed(a, trans):
    """The matrix of the system that SciPy's `trans` names."""
    return (a, a.T, truth.adjoint(a))[trans]


def _residual(matrix, scale, b, x, letter):
    """‖b - matrix x‖ / (scale ‖x‖): `scale` bounds the matrix, and what its factors multiply to."""
    columns = (x[:, None], b[:, None]) if x.ndim == 1 else (x, b)
    x, b = columns
    residual = frobenius(truth.gap(truth.product(matrix, x), b))
    # A solution that was rounded to single precision is off by half an ulp of its own.
    return ratio(residual, scale * frobenius(x) * unit(letter, len(matrix)))


def system(arrays_before_b, make):
    """Measure ``x = matrix⁻¹ b``, with ``make(*arrays, static) -> matrix, scale``."""

    def error(problem, results):
        *_, b = problem.arrays
        letter = problem.arrays[0].dtype.char

        @each((*arrays_before_b, min(b.ndim, 2)), (min(b.ndim, 2),))
        def one(arrays, results, static):
            *given, b = arrays
            matrix, scale = make(*given, static)
            return _residual(matrix, scale, b, results[0], letter)

        return one(problem, results)

    return error


def _triangle(a, static):
    part = np.tril(a) if static["lower"] else np.triu(a)
    if static["unit_diagonal"]:
        part = part - np.diag(np.diagonal(part)) + np.eye(len(a))
    return transposed(part, static["trans"]), frobenius(part)


def _cholesky_product(L, static):
    L = truth.adjoint(np.triu(L)) if static["upper"] else np.tril(L)
    return truth.product(L, truth.adjoint(L)), frobenius(L) ** 2


# --- LU -------------------------------------------------------------------------------------------


def _rows(pivots, m):
    """Row numbers of the matrix, in the order in which L U has its rows."""
    rows = np.arange(m)
    for i, row in enumerate(pivots):
        rows[[i, row]] = rows[[row, i]]
    return rows


def _unpacked(lu, pivots):
    """L with its rows where those of the matrix are, and U."""
    m, n = lu.shape
    k = min(m, n)
    L = np.tril(lu[:, :k], -1) + np.eye(m, k, dtype=lu.dtype)
    return L[np.argsort(_rows(pivots, m))], np.triu(lu[:k])


def _lu_residual(a, L, U):
    """‖a - L U‖ / (‖L‖ ‖U‖), and no multiplier larger than partial pivoting allows."""
    if (
        frobenius(L) > 0 and np.abs(L).max() > 1.5
    ):  # √2 for complex numbers, compared by their parts
        return float("inf")
    scale = frobenius(L) * frobenius(U) * unit(a.dtype.char, max(a.shape), rounded=2)
    return ratio(frobenius(truth.gap(truth.product(L, U), a)), scale)


@each((2,), (2, 1))
def _lu_factor_error(arrays, results, static):
    (a,), (lu, pivots) = arrays, results
    if not ((pivots >= np.arange(len(pivots))) & (pivots < len(a))).all():
        return float("inf")
    return _lu_residual(a, *_unpacked(lu, pivots))


@each((2,), (1, 2, 2))
def _lu_error(arrays, results, static):
    (a,), (p, L, U) = arrays, results
    is_permutation = sorted(p.tolist()) == list(range(len(a)))
    is_unit_lower = not np.triu(L, 1).any() and (np.diagonal(L) == 1).all()
    if not (is_permutation and is_unit_lower) or np.tril(U, -1).any():
        return float("inf")
    return _lu_residual(a, L[p], U)


def _lu_product(lu, pivots, static):
    L, U = _unpacked(lu, pivots)
    return transposed(truth.product(L, U), static["trans"]), frobenius(L) * frobenius(U)


# --- LDL ------------------------------------------------------------------------------------------


def _ldl_parts(LD, pivots):
    """M and D of A = M D Mᵀ: M = P₁ L₁ P₂ L₂ …, as LAPACK's sytrf stores it."""
    n = len(LD)
    M, D = truth.exact(np.eye(n)), np.zeros_like(LD)
    i = 0
    while i < n:
        size = 1 if pivots[i] > 0 else 2
        last, row = i + size - 1, abs(int(pivots[i])) - 1
        order = np.arange(n)
        order[[last, row]] = order[[row, last]]
        M = M[:, order]
        below = LD[i + size :, i : i + size]
        if below.size:
            M[:, i : i + size] += truth.product(M[:, i + size :], below)
        D[i : i + size, i : i + size] = np.tril(LD[i : i + size, i : i + size])
        i += size
    return M, D


def _ldl_product(LD, pivots, static):
    """The matrix that was factored, and ‖ |M| |D| |Mᵀ| ‖, which is what errors are relative to."""
    M, D = _ldl_parts(LD, pivots)
    off_diagonal = np.tril(D, -1)
    if static["hermitian"]:
        D, right = D + truth.adjoint(off_diagonal), truth.adjoint(M)
    else:
        D, right = D + off_diagonal.T, M.T
    sizes = [np.abs(x.astype(complex)) for x in (M, D, right)]
    return truth.product(M, D, right), frobenius(sizes[0] @ sizes[1] @ sizes[2])


def _from_lower(a, is_hermitian):
    if is_hermitian:
        return where.hermitian(a, "L")
    return np.tril(a) + np.tril(a, -1).T


@each((2,), (2, 1))
def _ldl_factor_error(arrays, results, static):
    (a,), (LD, pivots) = arrays, results
    if np.triu(LD, 1).any() or ((pivots == 0) | (np.abs(pivots) > len(a))).any():
        return float("inf")
    product, scale = _ldl_product(LD, pivots, static)
    a = _from_lower(a, static["hermitian"])
    one = unit(a.dtype.char, len(a), rounded=3)
    return ratio(frobenius(truth.gap(product, a)), scale * one)


# --- With a report instead of an error ------------------------------------------------------------


def with_info(error):
    """Measure all results but the last, which must say that nothing failed."""

    def measured(problem, results):
        *results, info = results
        if np.any(info) or np.asarray(info).dtype != np.int32:
            return float("inf")
        return error(problem, tuple(results))

    return measured


# --- Draws ----------------------------------------------------------------------------------------


def _regular_triangles(rng, letter, stack, n):
    """Triangular whichever way they are read, with a diagonal that is not small."""
    a = draws.square(rng, letter, stack, n) / max(n, 1)
    return (a + np.eye(n) * (1 + rng.random((*stack, 1, 1)))).astype(letter)


def _with_right_hand_sides(make, *statics):
    def draw(rng, letter, size):
        problems = []
        for static in statics:
            for stack in draws.stacks(size):
                arrays = make(rng, letter, stack, size, static)
                shape = (size,) if not stack and static is statics[0] else (*stack, size, 2)
                b = draws.numbers(rng, letter, shape)
                problems.append(Problem((*arrays, b), dict(static)))
        return problems

    return draw


def _triangular(rng, letter, stack, n, static):
    return (_regular_triangles(rng, letter, stack, n),)


def _cholesky_factor(rng, letter, stack, n, static):
    return (_regular_triangles(rng, letter, stack, n),)


def _factored(factor, letter, a):
    """Matrix by matrix, in double, and rounded."""
    pairs = [factor(matrix) for matrix in a.reshape(-1, *a.shape[-2:])]
    factors = np.stack([pair[0] for pair in pairs]).reshape(a.shape)
    pivots = np.stack([pair[1] for pair in pairs]).reshape(a.shape[:-1])
    return factors.astype(letter), pivots.astype(np.intc)


def _wide(letter):
    return letter.replace("f", "d").replace("F", "D")


def _lu_factored(rng, letter, stack, n, static):
    return _factored(scipy.linalg.lu_factor, letter, draws.square(rng, _wide(letter), stack, n))


def _ldl_factored(rng, letter, stack, n, static):
    is_complex, is_hermitian = letter in "FD", static["hermitian"]
    name = ("zhetrf" if is_hermitian else "zsytrf") if is_complex else "dsytrf"
    routine = getattr(scipy.linalg.lapack, name)
    LD, pivots = _factored(
        lambda a: routine(a, lower=1)[:2], letter, draws.square(rng, _wide(letter), stack, n)
    )
    if is_hermitian:  # its diagonal stays real in single precision too
        LD = np.where(np.eye(n, dtype=bool), LD.real, LD).astype(letter)
    return np.tril(LD), pivots


TRIANGULAR = [
    {"trans": trans, "lower": lower, "unit_diagonal": unit_diagonal}
    for trans in (0, 1, 2)
    for lower in (False, True)
    for unit_diagonal in (False, True)
]
PLAIN = {"trans": 0, "lower": False, "unit_diagonal": False}


def _any_square(**static):
    return draws.one(**static)(draws.square)


def _both_kinds(rng, letter, size):
    return [p for kind in (False, True) for p in _any_square(hermitian=kind)(rng, letter, size)]


SOLVERS = (
    Case(
        "linalg.solve_triangular",
        error=system((2,), _triangle),
        bound=LAPACK_BOUND,
        domain=where.finite,
        smooth=where.finite,
        edges=(
            Edge((EMPTY, np.zeros((0, 2))), PLAIN, (np.zeros((0, 2)),)),
            Edge((np.diag([2.0, 4.0]), np.ones(2)), PLAIN, (np.array([0.5, 0.25]),)),
            Edge(
                (np.array([[0.0, 1.0], [np.nan, 0.0]]), np.array([3.0, 2.0])),
                PLAIN | {"unit_diagonal": True},
                (np.array([1.0, 2.0]),),
            ),
        ),
        draw=_with_right_hand_sides(_triangular, *TRIANGULAR),
    ),
    Case(
        "linalg.cholesky_solve",
        error=system((2,), _cholesky_product),
        bound=LAPACK_BOUND,
        domain=where.finite,
        smooth=where.finite,
        edges=(
            Edge((np.diag([2.0, 4.0]), np.ones(2)), {"upper": False}, (np.array([0.25, 0.0625]),)),
        ),
        draw=_with_right_hand_sides(_cholesky_factor, {"upper": False}, {"upper": True}),
    ),
    Case(
        "linalg.lu",
        error=_lu_error,
        bound=LAPACK_BOUND,
        domain=where.finite,
        smooth=where.full_rank,
        edges=(
            Edge((np.zeros((2, 0)),), {}, (np.arange(2, dtype="i"), np.zeros((2, 0)), EMPTY)),
            Edge(
                (SINGULAR,),
                {},
                (
                    np.array([1, 0], "i"),
                    np.array([[1.0, 0.0], [0.5, 1.0]]),
                    np.array([[2.0, 4.0], [0.0, 0.0]]),
                ),
            ),
        ),
        draw=draws.rectangles,
    ),
    Case(
        "linalg.lu_factor",
        error=_lu_factor_error,
        bound=LAPACK_BOUND,
        domain=where.finite,
        smooth=where.full_rank,
        edges=(Edge((SINGULAR,), {}, (np.array([[2.0, 4.0], [0.5, 0.0]]), np.array([1, 1], "i"))),),
        draw=draws.rectangles,
    ),
    Case(
        "linalg.lu_solve",
        error=system((2, 1), _lu_product),
        bound=LAPACK_BOUND,
        domain=where.finite,
        smooth=where.finite,
        edges=(
            Edge(
                (np.array([[2.0, 4.0], [0.5, 1.0]]), np.array([1, 1], "i"), np.array([2.0, 2.0])),
                {"trans": 0},
                (np.array([-1.0, 1.0]),),
            ),
        ),
        draw=_with_right_hand_sides(_lu_factored, {"trans": 0}, {"trans": 1}, {"trans": 2}),
    ),
    Case(
        "linalg.ldl_factor",
        error=_ldl_factor_error,
        bound=LAPACK_BOUND,
        domain=where.finite,
        smooth=where.finite,
        edges=(
            Edge(
                (np.array([[4.0, 7.0], [2.0, -1.0]]),),
                {"hermitian": True},
                (np.array([[4.0, 0.0], [0.5, -2.0]]), np.array([1, 2], "i")),
            ),
            Edge((np.zeros((1, 1)),), {"hermitian": False}, (np.zeros((1, 1)), np.array([1], "i"))),
        ),
        draw=_both_kinds,
    ),
    Case(
        "linalg.ldl_solve",
        error=system((2, 1), _ldl_product),
        bound=LAPACK_BOUND,
        domain=where.finite,
        smooth=where.finite,
        edges=(
            Edge(
                (np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([-2, -2], "i"), np.array([3.0, 5.0])),
                {"hermitian": False},
                (np.array([5.0, 3.0]),),
            ),
        ),
        draw=_with_right_hand_sides(_ldl_factored, {"hermitian": False}, {"hermitian": True}),
    ),
    Case(
        "linalg.solve_ex",
        error=with_info(solve_error),
        bound=LAPACK_BOUND,
        domain=where.invertible,
        smooth=where.invertible,
        edges=(
            Edge((np.diag([2.0, 4.0]), np.ones(2)), {}, (np.array([0.5, 0.25]), np.int32(0))),
            Edge((SINGULAR, np.ones(2)), {}, (np.full(2, np.nan), np.int32(2))),
        ),
        draw=draws.systems,
    ),
    Case(
        "linalg.inv_ex",
        error=with_info(inverse_error),
        bound=LAPACK_BOUND,
        domain=where.invertible,
        smooth=where.invertible,
        edges=(
            Edge(
                (np.array([[[2.0]], [[0.0]]]),),
                {},
                (np.array([[[0.5]], [[np.nan]]]), np.array([0, 1], "i")),
            ),
        ),
        draw=draws.squares,
    ),
    Case(
        "linalg.cholesky_ex",
        error=with_info(cholesky_error),
        bound=LAPACK_BOUND,
        domain=where.positive_definite,
        smooth=where.positive_definite,
        edges=(
            Edge((np.array([[4.0]]),), {"upper": False}, (np.array([[2.0]]), np.int32(0))),
            Edge((np.diag([1.0, -1.0]),), {"upper": True}, (np.full((2, 2), np.nan), np.int32(2))),
        ),
        draw=draws.positive_definites,
    ),
)
