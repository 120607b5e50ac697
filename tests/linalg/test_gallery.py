"""Promises hold on the matrices of the gallery as they do on random ones.

Every op whose case draws a matrix is tried on every matrix that its promise covers: the matrix, or
its leading rows and columns, takes the place of the one that was drawn. What has no op, or is
promised beyond its case, comes after.
"""

import numpy as np
import pytest

from numerics import linalg
from numerics._core.op import OPS

from cases import Problem
from cases import domains as where
from cases.errors import (
    DOUBLE,
    GRANTED,
    LAPACK_BOUND,
    condition,
    distance,
    each,
    frobenius,
    largest,
    ratio,
)
from cases.gallery import GALLERY, Specimen, pascal, with_phases
from cases.table import CASES
from oracle import linalg as truth

SMALL = 10  # complex numbers and size cost the oracle most
SPECIMENS = {f"{name}, real": specimen for name, specimen in GALLERY.items()} | {
    f"{name}, complex": Specimen(with_phases(specimen.matrix), specimen.growth)
    for name, specimen in GALLERY.items()
    if len(specimen.matrix) <= SMALL
}
RELATED = ("linalg.lu_solve", "linalg.ldl_solve", "linalg.householder_product")
"""Ops whose arrays belong to each other, so that none can be exchanged; see below for them."""

TRIANGULAR = ("linalg.solve_triangular", "linalg.cholesky_solve")
LARGEST_LOGARITHM = 700.0  # about log of the largest double
ELIMINATING = ("solve", "solve_ex", "inv", "inv_ex", "det", "slogdet", "lu", "lu_factor")
"""Functions whose backward error is multiplied by the growth of elimination (ASNA 9.3)."""


def is_hermitian(a):
    return bool((a == truth.adjoint(a)).all())


def is_definite(a):
    """Hermitian, and so far from singular that no rounding makes it indefinite."""
    return is_hermitian(a) and where.positive_definite(Problem((a,), {"upper": False}))


def is_regular(a):
    return where.invertible(Problem((a,), {}))


def such_that(condition):
    """Parametrize by the specimens whose matrix meets a condition."""
    chosen = {name: s for name, s in SPECIMENS.items() if condition(s.matrix)}
    return pytest.mark.parametrize("specimen", chosen.values(), ids=chosen)


by_specimen = such_that(lambda a: True)


# --- Ops, by their cases ------------------------------------------------------------------------


def in_place_of_the_drawn(case, a):
    """The problems of a case with a matrix of the gallery in the place of the first array."""
    n = len(a)
    for problem in case.draw(np.random.default_rng(n), a.dtype.char, n):
        first, *others = problem.arrays
        if first.ndim == 2 and first.dtype == a.dtype and 0 < max(first.shape) <= n:
            rows, columns = first.shape
            leading = np.ascontiguousarray(a[:rows, :columns])
            yield problem._replace(arrays=(leading, *others))


def takes_a_matrix(name):
    case, a = CASES[name], np.eye(3)
    is_free = name not in RELATED and "d" in case.bound
    return is_free and any(True for _ in in_place_of_the_drawn(case, a))


def is_covered(case, problem):
    """The domain of the case, less exponentials that overflow and triangles without an inverse."""
    a = problem.arrays[0]
    if case.name == "linalg.matrix_exp" and frobenius(a) > LARGEST_LOGARITHM:
        return False
    if case.name in TRIANGULAR and not np.diagonal(a).all():
        return False
    return case.domain(problem)


MATRIX_OPS = [name for name in CASES if name.startswith("linalg.") and takes_a_matrix(name)]


def solved(name, problem):
    """Results of an op as a tuple."""
    result = OPS[name](*problem.arrays, **problem.static)
    return result if isinstance(result, tuple) else (result,)


def granted(name, specimen):
    """The bound of the case, times the growth of the elimination that it rests on."""
    growth = specimen.growth if name.split(".")[1] in ELIMINATING else 1
    return growth * CASES[name].bound[specimen.matrix.dtype.char]


def test_every_op_on_square_matrices_is_tried():
    square = [n for n, op in OPS.items() if n in CASES and op.signature.startswith("(n,n)")]

    assert sorted(set(square) - set(MATRIX_OPS) - set(RELATED)) == []


@by_specimen
@pytest.mark.parametrize("name", MATRIX_OPS)
def test_the_error_on_a_nasty_matrix_stays_below_the_promise(name, specimen):
    case = CASES[name]
    problems = [p for p in in_place_of_the_drawn(case, specimen.matrix) if is_covered(case, p)]

    errors = [case.error(problem, solved(name, problem)) for problem in problems]

    assert np.max(errors, initial=0) <= granted(name, specimen)


# --- Scales near the ends of the exponent range -------------------------------------------------

DEGREES = {
    "linalg.solve": (-1,),
    "linalg.inv": (-1,),
    "linalg.lstsq": (-1, 0, 0, 1),
    "linalg.cholesky": (0.5,),
    "linalg.qr.reduced": (0, 1),
    "linalg.qr.complete": (0, 1),
    "linalg.svd": (0, 1, 0),
    "linalg.svd.full": (0, 1, 0),
    "linalg.svdvals": (1,),
    "linalg.eig": (1, 0),
    "linalg.eigvals": (1,),
    "linalg.eigh": (1, 0),
    "linalg.eigvalsh": (1,),
    "linalg.matrix_norm": (1,),
}
"""How the results of an op grow with its first array: those of ``c a`` are ``c**degree`` times."""

SCALES = {"huge": 990, "tiny": -960, "subnormal": -1050}
MODERATE = ["minimum 12", "growing 10", "grcar 10", "jordan 6", "pascal 6"]
"""Of small integers, which are exact in the subnormal range, and of moderate condition."""


def scaled(a, exponent):
    """``a 2**exponent``, by way of two steps each of which is representable."""
    half = exponent // 2
    return a * 2.0**half * 2.0 ** (exponent - half)


@pytest.mark.parametrize(("name", "degrees"), DEGREES.items(), ids=DEGREES)
@pytest.mark.parametrize("exponent", SCALES.values(), ids=SCALES)
@pytest.mark.parametrize("matrix", MODERATE)
def test_the_error_does_not_depend_on_the_scale(matrix, exponent, name, degrees):
    case, specimen = CASES[name], GALLERY[matrix]
    # What overflows has no digits; 2**-1050 has 24 bits before the subnormal range ends.
    grows = exponent * min(degrees) > 1000
    coarse = 2.0 ** max(0, -1074 - exponent + 52)
    problems = [p for p in in_place_of_the_drawn(case, specimen.matrix) if is_covered(case, p)]

    errors = []
    for problem in problems if not grows else []:
        first, *others = problem.arrays
        small = problem._replace(arrays=(scaled(first, exponent), *others))
        results = zip(solved(name, small), degrees, strict=True)
        back = [scaled(np.asarray(r), int(-degree * exponent)) for r, degree in results]
        errors.append(case.error(problem, back))

    assert np.max(errors, initial=0) <= granted(name, specimen) * coarse


@pytest.mark.parametrize("exponent", [SCALES["huge"], SCALES["tiny"]])
def test_the_logarithm_of_a_determinant_does_not_overflow(exponent):
    sign, logarithm = linalg.slogdet(scaled(pascal(6), exponent))

    assert sign == 1
    assert logarithm == pytest.approx(6 * exponent * np.log(2), rel=1e-14)


# --- Equations: backward errors, however ill-conditioned ----------------------------------------


@each((2, 1), (1,))
def backward_error(arrays, results, static):
    """‖b - a x‖ / (‖a‖ ‖x‖ n eps), which says nothing about how far `x` is from the solution."""
    (a, b), (x,) = arrays, results
    residual = distance(a, x[:, None], target=b[:, None])
    return ratio(residual, frobenius(a) * frobenius(x) * len(a) * DOUBLE)


def right_hand_side(a):
    return np.random.default_rng(len(a)).standard_normal(len(a)).astype(a.dtype)


def error_of_solution(solve, a):
    b = right_hand_side(a)
    return backward_error(Problem((a, b), {}), (solve(a, b),))


LU_SOLVERS = {
    "solve": linalg.solve,
    "solve_ex": lambda a, b: linalg.solve_ex(a, b).result,
    "lu_solve": lambda a, b: linalg.lu_solve(linalg.lu_factor(a), b),
    "tensorsolve": linalg.tensorsolve,
}


@pytest.mark.parametrize("solve", LU_SOLVERS.values(), ids=LU_SOLVERS)
@such_that(lambda a: np.linalg.matrix_rank(a, tol=0) == len(a) and a[0, 0] != 16)
def test_elimination_is_backward_stable_but_for_its_growth(solve, specimen):
    error = error_of_solution(solve, specimen.matrix)

    assert error <= GRANTED * specimen.growth


@such_that(lambda a: is_hermitian(a) and is_regular(a))
def test_solving_by_ldl_is_backward_stable(specimen):
    def solve(a, b):
        LD, pivots = linalg.ldl_factor(a, hermitian=True)
        return linalg.ldl_solve(LD, pivots, b[:, None], hermitian=True)[:, 0]

    assert error_of_solution(solve, specimen.matrix) <= GRANTED


@such_that(is_definite)
def test_solving_by_cholesky_is_backward_stable(specimen):
    def solve(a, b):
        return linalg.cholesky_solve(b[:, None], linalg.cholesky(a))[:, 0]

    assert error_of_solution(solve, specimen.matrix) <= GRANTED


@such_that(lambda a: bool((np.diagonal(a) != 0).all()))
@pytest.mark.parametrize("triangle", [np.tril, np.triu])
def test_substitution_is_backward_stable_on_any_triangle(triangle, specimen):
    def solve(a, b):
        return linalg.solve_triangular(a, b, lower=triangle is np.tril)

    assert error_of_solution(solve, triangle(specimen.matrix)) <= GRANTED


# --- Eigenvalues, however sensitive -------------------------------------------------------------

FEW = 2


@such_that(lambda a: not is_hermitian(a) and len(a) <= SMALL)
@pytest.mark.parametrize("values", [linalg.eigvals, lambda a: linalg.eig(a)[0]])
def test_every_eigenvalue_is_one_of_a_matrix_nearby(values, specimen):
    """The smallest singular value of ``a - λ`` is the distance to a matrix that has λ."""
    a = specimen.matrix

    found = sorted(values(a), key=abs)[:FEW] + sorted(values(a), key=abs)[-FEW:]
    distances = [truth.singular_values(truth.exact(a) - w * np.eye(len(a)))[-1] for w in found]

    assert float(max(distances)) <= GRANTED * len(a) * DOUBLE * frobenius(a)


# --- Singular values, and what is read off them -------------------------------------------------


@by_specimen
@pytest.mark.parametrize("driver", [None, "gesdd", "gesvd", "jacobi"])
def test_every_driver_finds_the_singular_values(driver, specimen):
    a = specimen.matrix

    s = linalg.svdvals(a, driver=driver)

    gaps = truth.gap(s, truth.singular_values(a))
    assert largest(gaps) <= GRANTED * len(a) * DOUBLE * frobenius(a)


@by_specimen
@pytest.mark.parametrize("driver", ["gesdd", "gesvd", "jacobi"])
def test_every_driver_finds_unitary_factors_of_the_matrix(driver, specimen):
    case, problem = CASES["linalg.svd.full"], Problem((specimen.matrix,), {"driver": driver})

    factors = linalg.svd(specimen.matrix, driver=driver)

    assert case.error(problem, factors) <= LAPACK_BOUND["d"]


@such_that(is_regular)
def test_the_condition_number_is_that_of_the_singular_values(specimen):
    a = specimen.matrix
    s = truth.singular_values(a)

    kappa = linalg.cond(a)

    expected = float(s[0] / s[-1])
    # Both singular values move by n eps ‖a‖, which the small one feels κ times as much.
    assert abs(kappa / expected - 1) <= GRANTED * len(a) * DOUBLE * condition(a)


@such_that(is_regular)
@pytest.mark.parametrize("p", [1, -np.inf, "fro"])
def test_condition_numbers_of_other_norms_are_those_of_the_exact_inverse(p, specimen):
    a = specimen.matrix

    kappa = linalg.cond(a, p)

    inverse = truth.inverse(a)
    expected = float(truth.matrix_norm(a, p) * truth.matrix_norm(inverse, p))
    # The inverse moves by n eps κ of its norm, of which the smallest sum may be a small part.
    largest_kappa = frobenius(a) * frobenius(inverse)
    tolerance = GRANTED * len(a) * DOUBLE * largest_kappa * specimen.growth
    assert abs(kappa / expected - 1) <= tolerance * largest_kappa / expected


def has_a_clear_rank(a):
    """No singular value lies within a factor of ten of where the default tolerance cuts."""
    s = [float(x) for x in truth.singular_values(a)]
    cut = s[0] * len(a) * DOUBLE
    return s[0] == 0 or all(x > 10 * cut or x < cut / 10 for x in s)


@such_that(has_a_clear_rank)
def test_the_rank_is_the_number_of_singular_values_above_the_tolerance(specimen):
    a = specimen.matrix
    s = truth.singular_values(a)

    rank = linalg.matrix_rank(a)

    assert rank == sum(x > s[0] * len(a) * DOUBLE for x in s)


@such_that(is_regular)
def test_the_pseudoinverse_of_a_regular_matrix_is_its_inverse(specimen):
    a = specimen.matrix
    expected = truth.inverse(a)

    p = linalg.pinv(a)

    error = frobenius(truth.gap(p, expected)) / frobenius(expected)
    assert error <= GRANTED * len(a) * DOUBLE * condition(a)


@such_that(lambda a: has_a_clear_rank(a) and not is_regular(a) and a.any())
def test_the_pseudoinverse_of_low_rank_meets_the_equations_of_penrose(specimen):
    a = specimen.matrix
    s = [float(x) for x in truth.singular_values(a)]
    kappa = s[0] / min(x for x in s if x > s[0] * len(a) * DOUBLE)

    p = linalg.pinv(a, rtol=len(a) * DOUBLE)

    unit = len(a) * DOUBLE * kappa
    ap, pa = truth.product(a, p), truth.product(p, a)
    errors = [
        distance(a, p, a, target=a) / (frobenius(a) * unit),
        distance(p, a, p, target=p) / (frobenius(p) * unit),
        frobenius(truth.gap(ap, truth.adjoint(ap))) / (len(a) ** 0.5 * unit),
        frobenius(truth.gap(pa, truth.adjoint(pa))) / (len(a) ** 0.5 * unit),
    ]
    assert largest(errors) <= GRANTED


@by_specimen
@pytest.mark.parametrize("order", [2, -2, "nuc"])
def test_norms_of_singular_values(order, specimen):
    a = specimen.matrix

    norm = linalg.norm(a, order)

    gap = abs(norm - float(truth.matrix_norm(a, order)))
    summed = len(a) if order == "nuc" else 1
    assert gap <= GRANTED * len(a) * DOUBLE * frobenius(a) * summed
