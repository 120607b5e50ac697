"""Triangular, factored and singular systems: what a table of values cannot say."""

import numpy as np
import pytest

from numerics import linalg

GOOD = np.array([[2.0, 1.0], [1.0, 3.0]])
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])
STACK = np.stack([GOOD, SINGULAR, 2 * GOOD])
LinAlgError = linalg.LinAlgError


# --- A report instead of an error -----------------------------------------------------------------

EX = {
    "inv_ex": (linalg.inv_ex, linalg.inv, STACK),
    "solve_ex": (lambda a: linalg.solve_ex(a, GOOD), lambda a: linalg.solve(a, GOOD), STACK),
    "cholesky_ex": (linalg.cholesky_ex, linalg.cholesky, np.stack([GOOD, -GOOD, 2 * GOOD])),
}
by_ex = pytest.mark.parametrize(("ex", "raising", "stack"), EX.values(), ids=EX)


@by_ex
def test_good_matrices_of_a_stack_have_the_bits_that_they_have_alone(ex, raising, stack):
    result, _ = ex(stack)

    assert result[0].tobytes() == raising(stack[0]).tobytes()
    assert result[2].tobytes() == raising(stack[2]).tobytes()


@by_ex
def test_a_matrix_that_fails_is_nan_and_its_info_names_the_pivot(ex, raising, stack):
    result, info = ex(stack)

    assert np.isnan(result[1]).all()
    assert info.dtype == np.int32
    assert info.tolist() == [0, 1 if raising is linalg.cholesky else 2, 0]


@by_ex
def test_the_info_is_where_the_error_says(ex, raising, stack):
    with pytest.raises(LinAlgError) as caught:
        raising(stack)

    assert np.argwhere(ex(stack).info).tolist() == [list(i) for i in caught.value.indices]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: linalg.inv_ex(STACK, check_errors=True),
            r"linalg\.inv: Singular matrix: `a`\[1\]",
        ),
        (
            lambda: linalg.solve_ex(STACK, GOOD, check_errors=True),
            r"linalg\.solve: Singular matrix: `a`\[1\]",
        ),
        (
            lambda: linalg.cholesky_ex(-GOOD, check_errors=True),
            r"linalg\.cholesky: Matrix is not positive definite: `a`, pivot 1 of 2",
        ),
    ],
)
def test_check_errors_raises_the_error_of_the_function_that_raises(call, words):
    with pytest.raises(LinAlgError, match=words):
        call()


@pytest.mark.parametrize("b", [np.ones((3, 2)), np.ones((2, 3, 2)), np.ones(2)])
def test_solve_ex_solves_from_the_right_too(b):
    x, info = linalg.solve_ex(GOOD, b, left=False)

    np.testing.assert_allclose(x @ GOOD, b, rtol=1e-14)
    assert not info.any()


def test_single_precision_matrices_that_fail_are_nan_in_single_precision():
    inverse, _ = linalg.inv_ex(STACK.astype("F"))

    assert inverse.dtype == np.complex64
    assert np.isnan(inverse[1]).all()


# --- LU -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 5), (0, 3), (3, 0), (2, 4, 3)])
def test_the_three_forms_of_lu_multiply_to_the_matrix(shape):
    a = np.random.default_rng(1).standard_normal(shape)

    P, L, U = linalg.lu(a)
    PL, U_of_two = linalg.lu(a, permute_l=True)
    p, L_of_rows, U_of_rows = linalg.lu(a, p_indices=True)

    rows = np.take_along_axis(L_of_rows, p[..., None], axis=-2)
    np.testing.assert_allclose(P @ L @ U, a, atol=1e-14)
    np.testing.assert_allclose(PL @ U_of_two, a, atol=1e-14)
    np.testing.assert_allclose(rows @ U_of_rows, a, atol=1e-14)


def test_lu_of_a_singular_matrix_exists_and_solving_with_it_is_the_error():
    factors = linalg.lu_factor(STACK)

    with pytest.raises(
        LinAlgError, match=r"Singular matrix: `lu`\[1\] has an exactly zero"
    ) as caught:
        linalg.lu_solve(factors, np.ones(2))

    assert factors.lu[1, 1, 1] == 0
    assert caught.value.indices == [(1,)]


@pytest.mark.parametrize("n", [2, 3, 4, 5, 30])
def test_solving_with_the_factors_gives_the_bits_of_solve(n):
    rng = np.random.default_rng(n)
    a, b = rng.standard_normal((2, n, n)), rng.standard_normal((2, n, 3))

    x = linalg.lu_solve(linalg.lu_factor(a), b)

    assert x.tobytes() == linalg.solve(a, b).tobytes()


@pytest.mark.parametrize("letter", "bBhHlLqQ")
def test_pivots_of_any_integer_type_do(letter):
    lu, piv = linalg.lu_factor(GOOD)

    x = linalg.lu_solve((lu, piv.astype(letter)), GOOD)

    np.testing.assert_allclose(x, np.eye(2), atol=1e-15)


@pytest.mark.parametrize("pivots", [[0, 2], [-1, 1], [0, 2**40], [2**32, 1]])
def test_pivots_that_name_no_row_are_an_error(pivots):
    with pytest.raises(
        ValueError, match="the pivots of `lu` are not those of a factorization of 2"
    ):
        linalg.lu_solve((GOOD, np.array(pivots)), np.ones(2))


@pytest.mark.parametrize("pivots", [[0, 1], [-1, 2], [1, -2], [3, 1], [-3, -3], [-2, -1]])
def test_pivots_that_are_no_blocks_are_an_error(pivots):
    with pytest.raises(
        ValueError, match="the pivots of `LD` are not those of a factorization of 2"
    ):
        linalg.ldl_solve(GOOD, pivots, np.ones(2))


# --- Parameters of SciPy's ------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "number"), [("N", 0), ("T", 1), ("C", 2), (True, 1)])
def test_the_system_may_be_named_by_letter(name, number):
    a = GOOD + 1j * np.triu(GOOD)
    by_name = linalg.solve_triangular(a, GOOD, trans=name)

    assert by_name.tobytes() == linalg.solve_triangular(a, GOOD, trans=number).tobytes()


CHECKED = {
    "solve_triangular": lambda a, **o: linalg.solve_triangular(a, np.ones(2), **o),
    "lu": linalg.lu,
    "lu_factor": linalg.lu_factor,
    "lu_solve": lambda a, **o: linalg.lu_solve((a, np.array([0, 1])), np.ones(2), **o),
}


@pytest.mark.parametrize("name", CHECKED)
def test_check_finite_raises_what_scipy_raises(name):
    with pytest.raises(ValueError, match="array must not contain infs or NaNs"):
        CHECKED[name](np.array([[1.0, np.nan], [0.0, 1.0]]), check_finite=True)


@pytest.mark.parametrize("trans", [3, "H", None, [1]])
@pytest.mark.parametrize("name", ["solve_triangular", "lu_solve"])
def test_an_unknown_system_is_an_error(name, trans):
    with pytest.raises(ValueError, match=rf"linalg\.{name}: `trans` must be 0, 1 or 2"):
        CHECKED[name](GOOD, trans=trans)


def test_nan_in_the_other_triangle_does_not_matter():
    a = np.array([[4.0, np.nan], [2.0, 5.0]])

    x = linalg.solve_triangular(a, np.array([4.0, 7.0]), lower=True)
    y = linalg.cholesky_solve(np.array([16.0, 8.0]), a)
    LD, _ = linalg.ldl_factor(a)

    np.testing.assert_allclose(x, [1, 1])
    assert np.isfinite(y).all()
    assert np.isfinite(LD).all()


# --- NaN in one matrix of a stack -----------------------------------------------------------------

NAN_STACK = np.stack([GOOD, np.array([[np.nan, 1.0], [1.0, 3.0]]), 2 * GOOD])
ONE_STACK = {
    "solve": lambda a: linalg.solve(a, GOOD),
    "inv": linalg.inv,
    "det": linalg.det,
    "cholesky": linalg.cholesky,
    "eigvalsh": linalg.eigvalsh,
    "eigh": lambda a: linalg.eigh(a)[1],
    "qr": lambda a: linalg.qr(a)[1],
    "lu_factor": lambda a: linalg.lu_factor(a).lu,
    "ldl_factor": lambda a: linalg.ldl_factor(a).LD,
    "solve_triangular": lambda a: linalg.solve_triangular(a, GOOD),
    "inv_ex": lambda a: linalg.inv_ex(a).inverse,
}


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@pytest.mark.parametrize("name", ONE_STACK)
def test_a_matrix_that_holds_nan_gives_nan_and_leaves_its_neighbours_alone(name):
    function = ONE_STACK[name]

    found = function(NAN_STACK)

    assert np.isnan(found[1]).any()
    assert found[0].tobytes() == np.asarray(function(GOOD)).tobytes()
    assert found[2].tobytes() == np.asarray(function(2 * GOOD)).tobytes()


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 40, 130])
@pytest.mark.parametrize("place", [(0, 0), (-1, 0), (-1, -1)])
def test_cholesky_of_nan_is_nan_in_its_whole_triangle_at_every_size(n, place):
    a = np.eye(n)
    a[place] = np.nan

    L = linalg.cholesky(a)

    assert np.isnan(L[np.tril_indices(n)]).all()
    assert not np.triu(L, 1).any()


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("UPLO", ["L", "U"])
@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_eigenvalues_of_what_is_not_finite_are_nan(n, UPLO, value):
    a = np.eye(n)
    a[(-1, 0) if UPLO == "L" else (0, -1)] = value

    w, v = linalg.eigh(a, UPLO)

    assert np.isnan(w).all()
    assert np.isnan(v).all()
    assert np.isnan(linalg.eigvalsh(a, UPLO)).all()


@pytest.mark.parametrize("n", [33, 64, 100, 101])
@pytest.mark.parametrize("trans", [0, 1, 2])
@pytest.mark.parametrize("letter", "dD")
def test_many_right_hand_sides_are_solved_by_the_factors_of_larger_matrices(n, trans, letter):
    rng = np.random.default_rng(n)
    a = rng.standard_normal((2, n, n)).astype(letter)
    b = rng.standard_normal((2, n, 40)).astype(letter)
    if letter == "D":
        a, b = a + 1j * rng.standard_normal(a.shape), b + 1j * rng.standard_normal(b.shape)
    system = [a, a.mT, a.conj().mT][trans]

    x = linalg.lu_solve(linalg.lu_factor(a), b, trans=trans)

    # The backward error of each column: the residual, in units of |a| |x| + |b|.
    size = np.abs(system) @ np.abs(x) + np.abs(b)
    assert (np.abs(system @ x - b) <= 10 * n * np.finfo(float).eps * size).all()


@pytest.mark.parametrize("n", [40, 100, 101])
@pytest.mark.parametrize("trans", [0, 1, 2])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit_diagonal", [False, True])
def test_many_right_hand_sides_are_solved_by_larger_triangles(n, trans, lower, unit_diagonal):
    rng = np.random.default_rng(n)
    a = rng.standard_normal((2, n, n)) + 1j * rng.standard_normal((2, n, n))
    a = a / n + np.eye(n)
    b = rng.standard_normal((2, n, 30)) + 0j
    triangle = np.tril(a) if lower else np.triu(a)
    if unit_diagonal:
        triangle[:, range(n), range(n)] = 1
    system = [triangle, triangle.mT, triangle.conj().mT][trans]

    x = linalg.solve_triangular(a, b, trans=trans, lower=lower, unit_diagonal=unit_diagonal)

    size = np.abs(system) @ np.abs(x) + np.abs(b)
    assert (np.abs(system @ x - b) <= 10 * n * np.finfo(float).eps * size).all()


@pytest.mark.parametrize("k", [63, 64, 65, 200])
@pytest.mark.parametrize("n", [3, 9])
def test_a_matrix_with_many_right_hand_sides_has_the_same_bits_alone_and_stacked(n, k):
    rng = np.random.default_rng(n)
    a, b = rng.standard_normal((5, n, n)), rng.standard_normal((5, n, k))

    x = linalg.solve(a, b)

    assert [part.tobytes() for part in x] == [
        linalg.solve(*pair).tobytes() for pair in zip(a, b, strict=True)
    ]
