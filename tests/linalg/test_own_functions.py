"""Functions that NumPy lacks, on what programs hand in: SciPy's results, matrix by matrix.

Shapes, stacks, dtypes, byte orders, strides, overlapping, misaligned and read-only arrays are
drawn; what is compared is unique, or made so: products of factors, projectors, residuals.
"""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import assume, given
from hypothesis import strategies as st

from numerics import linalg

from cases.inputs import INEXACT, LAYOUTS, NUMBERS, arrays

SIZES = st.sampled_from([2, 3, 1, 4])
STACKS = st.sampled_from([(), (), (1,), (2,), (3, 2), (1, 2)])
PLAIN = st.just(False)
ARRAYS = tuple(name for name in LAYOUTS if name != "matrix")
WELL = 1e-3
"""What singular values and diagonals are asked to exceed, so that 1e-9 is left of the digits."""


def drawn(shape, letters=INEXACT, layouts=ARRAYS):
    """Numbers without infinities or extremes."""
    return arrays(shape, letters, PLAIN, layouts)


@st.composite
def squares(draw, **options):
    n = draw(SIZES)
    return draw(drawn((*draw(STACKS), n, n), **options))


@st.composite
def rectangles(draw, **options):
    return draw(drawn((*draw(STACKS), draw(SIZES), draw(SIZES)), **options))


@st.composite
def systems(draw, **options):
    """A matrix, and right-hand sides: a vector, a matrix, or a stack that broadcasts."""
    a = draw(squares(**options))
    n, stack = np.shape(a)[-1], np.shape(a)[:-2]
    shapes = [(n,), (n, 2), (*stack, n, 1), (2, *([1] * len(stack)), n, 3)]
    return a, draw(drawn(draw(st.sampled_from(shapes)), **options))


def double(a):
    """A plain array in double precision."""
    a = np.asarray(a)
    return np.array(a, complex if a.dtype.kind == "c" else float)


def letter(*given):
    """The dtype that results have."""
    letters = (np.asarray(a).dtype for a in given)
    return np.result_type(*(d if d.char in "fdFD" else np.float64 for d in letters)).newbyteorder(
        "="
    )


def one_by_one(function, *stacks):
    """Stack what a function of single matrices gives for each of a stack; a vector is for all."""
    stacks = [double(a) for a in stacks]
    fronts = [a.shape[:-2] for a in stacks]
    front = np.broadcast_shapes(*fronts)
    full = [a if a.ndim < 2 else np.broadcast_to(a, front + a.shape[-2:]) for a in stacks]
    results = [function(*(a if a.ndim < 2 else a[i] for a in full)) for i in np.ndindex(front)]
    if not isinstance(results[0], tuple):
        return np.reshape(results, front + np.shape(results[0]))
    return tuple(
        np.reshape(column, front + np.shape(column[0])) for column in zip(*results, strict=True)
    )


def assert_close(found, expected, dtype):
    found, expected = np.asarray(found), np.asarray(expected)
    tolerance = max(1e-9, 10 * float(np.finfo(dtype).eps))
    assert found.dtype == dtype
    assert found.shape == expected.shape
    assert np.abs(found - expected).max(initial=0) <= tolerance * np.abs(expected).max(initial=0)


def adjoint(a):
    return np.conj(np.swapaxes(a, -2, -1))


def is_well_conditioned(a):
    return bool((np.linalg.svd(double(a), compute_uv=False) > WELL).all())


def has_a_large_diagonal(a):
    return bool((np.abs(np.diagonal(double(a), axis1=-2, axis2=-1)) > 0.1).all())


# --- Triangles and LU ---------------------------------------------------------------------------


@given(system=systems(), trans=st.sampled_from([0, 1, 2, "N", "T", "C"]), lower=st.booleans(),
       unit_diagonal=st.booleans())  # fmt: skip
def test_triangular_systems_are_solved_as_scipy_does(system, trans, lower, unit_diagonal):
    a, b = system
    assume(has_a_large_diagonal(a))
    options = {"trans": trans, "lower": lower, "unit_diagonal": unit_diagonal}

    x = linalg.solve_triangular(a, b, **options)

    expected = one_by_one(lambda *args: scipy.linalg.solve_triangular(*args, **options), a, b)
    assert_close(x, expected, letter(a, b))


@given(a=rectangles())
def test_lu_is_that_of_scipy(a):
    P, L, U = linalg.lu(a)

    theirs = one_by_one(scipy.linalg.lu, a)
    assert np.asarray(P).tolist() == theirs[0].tolist()
    assert_close(L, theirs[1], letter(a))
    assert_close(U, theirs[2], letter(a))


@given(a=rectangles(letters=NUMBERS))
def test_lu_multiplies_to_its_matrix_in_each_of_its_forms(a):
    P, L, U = linalg.lu(a)
    PL, U_too = linalg.lu(a, permute_l=True)
    p, L_too, U_three = linalg.lu(a, p_indices=True)

    assert_close(PL @ U_too, double(a), letter(a))
    assert (P @ L == PL).all()
    assert (np.take_along_axis(L_too, np.asarray(p)[..., None], -2) == PL).all()
    assert np.asarray(U).tobytes() == np.asarray(U_too).tobytes() == np.asarray(U_three).tobytes()


@given(a=rectangles())
def test_lu_factor_is_that_of_scipy(a):
    lu, piv = linalg.lu_factor(a)

    theirs = one_by_one(scipy.linalg.lu_factor, a)
    assert_close(lu, theirs[0], letter(a))
    assert piv.dtype == np.int32
    assert piv.tolist() == theirs[1].tolist()


@given(system=systems(letters=NUMBERS), trans=st.sampled_from([0, 1, 2]))
def test_lu_solve_solves_what_lu_factor_has_factored(system, trans):
    a, b = system
    assume(is_well_conditioned(a))

    x = linalg.lu_solve(linalg.lu_factor(a), b, trans)

    turned = (double(a), np.swapaxes(double(a), -2, -1), adjoint(double(a)))[trans]
    precision = np.promote_types(letter(a), letter(b))
    # The factors are rounded to the precision of `a`, and the solution feels them.
    tolerance = 1e-9 if precision.char in "dD" and letter(a).char in "dD" else 1e-2
    expected = np.linalg.solve(turned, double(b))
    assert x.shape == expected.shape
    assert np.abs(x - expected).max() <= tolerance * np.abs(expected).max()


# --- Cholesky, LDL and reflectors ---------------------------------------------------------------


@given(system=systems(), upper=st.booleans())
def test_cholesky_solve_is_cho_solve(system, upper):
    a, b = system
    b = b if np.ndim(b) > 1 else np.asarray(b)[:, None]
    assume(has_a_large_diagonal(a))
    triangle = (np.triu if upper else np.tril)(np.asarray(a))

    x = linalg.cholesky_solve(b, triangle, upper=upper)

    expected = one_by_one(lambda c, d: scipy.linalg.cho_solve((c, not upper), d), triangle, b)
    assert_close(x, expected, letter(a, b))


def reconstructed(LD, pivots, hermitian):
    """P₁ L₁ P₂ L₂ ⋯ D ⋯ of sytrf's or hetrf's lower triangle."""
    turn = adjoint if hermitian else (lambda x: x.T)
    n = len(LD)
    factor, D = np.eye(n, dtype=LD.dtype), np.zeros_like(LD)
    k = 0
    while k < n:
        size = 1 if pivots[k] > 0 else 2
        end, other = k + size, abs(pivots[k + size - 1]) - 1
        order = np.arange(n)
        order[[end - 1, other]] = order[[other, end - 1]]
        column = np.eye(n, dtype=LD.dtype)
        column[end:, k:end] = LD[end:, k:end]
        factor = factor @ np.eye(n)[order] @ column
        below = np.tril(LD[k:end, k:end], -1)
        D[k:end, k:end] = below + turn(below) + np.diag(np.diagonal(LD[k:end, k:end]))
        k = end
    return factor @ D @ turn(factor)


def symmetric(a, hermitian):
    """What a lower triangle stands for."""
    below = np.tril(a, -1)
    diagonal = np.diagonal(a, axis1=-2, axis2=-1)
    diagonal = (np.real(diagonal) if hermitian else diagonal)[..., None] * np.eye(a.shape[-1])
    return below + (adjoint(below) if hermitian else np.swapaxes(below, -2, -1)) + diagonal


@given(a=squares(letters=NUMBERS), hermitian=st.booleans())
def test_ldl_factors_multiply_to_their_matrix(a, hermitian):
    LD, pivots = linalg.ldl_factor(a, hermitian=hermitian)

    back = one_by_one(lambda f, p: reconstructed(f, p[:, 0].real.astype(int), hermitian), LD,
                      pivots[..., None])  # fmt: skip
    expected = symmetric(double(a), hermitian)
    tolerance = max(1e-9, 100 * float(np.finfo(letter(a)).eps))
    assert LD.dtype == letter(a)
    assert pivots.dtype == np.int32
    assert np.abs(back - expected).max() <= tolerance * np.abs(expected).max()


@given(system=systems(letters=["d", "D"]), hermitian=st.booleans())
def test_ldl_solve_solves_what_ldl_factor_has_factored(system, hermitian):
    a, b = system
    b = b if np.ndim(b) > 1 else np.asarray(b)[:, None]
    matrices = symmetric(double(a), hermitian)
    assume(is_well_conditioned(matrices))
    assume(letter(a) == letter(b))

    x = linalg.ldl_solve(*linalg.ldl_factor(a, hermitian=hermitian), b, hermitian=hermitian)

    assert_close(x, np.linalg.solve(matrices, double(b)), letter(a, b))


@given(a=rectangles(letters=["d", "D"]))
def test_the_product_of_the_reflectors_of_qr_is_its_q(a):
    assume(np.shape(a)[-2] >= np.shape(a)[-1])

    h, tau = linalg.qr(a, "raw")

    Q = linalg.householder_product(np.swapaxes(h, -2, -1), tau)
    assert_close(Q, linalg.qr(a).Q, letter(a))


# --- Functions of matrices ----------------------------------------------------------------------


@given(a=squares(letters=NUMBERS))
def test_the_exponential_is_that_of_scipy(a):
    found = linalg.matrix_exp(a)

    assert_close(found, one_by_one(scipy.linalg.expm, a), letter(a))


def test_expm_is_another_name():
    assert linalg.expm is linalg.matrix_exp


@given(a=squares())
def test_the_square_root_squares_to_its_matrix_and_is_the_principal_one(a):
    assume(is_well_conditioned(a))

    root = np.asarray(linalg.sqrtm(a))

    eps = max(1e-10, 100 * float(np.finfo(letter(a)).eps))
    wide = root.astype(complex)
    size = np.linalg.norm(wide, axis=(-2, -1))
    assert (np.linalg.norm(wide @ wide - double(a), axis=(-2, -1)) <= eps * size**2).all()
    assert (np.linalg.eigvals(wide).real >= -(eps**0.5) * size[..., None]).all()


@given(a=squares())
def test_the_square_root_of_real_matrices_is_real_if_all_of_them_have_one(a):
    real = letter(a).kind == "f"
    definite = (double(a) @ adjoint(double(a)) + np.eye(np.shape(a)[-1])).astype(letter(a))

    assert linalg.sqrtm(definite).dtype == letter(a)
    assert linalg.sqrtm(-definite).dtype.kind == "c"
    assert real == (linalg.sqrtm(definite).dtype.kind == "f")


# --- Bases --------------------------------------------------------------------------------------

CLEAR = 1e-6


def has_a_clear_rank(a):
    s = np.linalg.svd(double(a), compute_uv=False)
    return bool(((s > 100 * CLEAR * s[..., :1]) | (s < CLEAR / 100 * s[..., :1])).all())


def projector(basis):
    return basis @ adjoint(basis)


@given(a=rectangles(letters=NUMBERS))
def test_the_null_space_is_that_of_scipy_and_zeros_fill_it_up(a):
    assume(has_a_clear_rank(a))

    basis, rank = linalg.null_space(a, rtol=CLEAR)

    expected = one_by_one(lambda x: projector(scipy.linalg.null_space(x, rcond=CLEAR)), a)
    n = np.shape(a)[-1]
    filled = np.arange(n) < n - np.asarray(rank)[..., None]
    assert basis.shape == (*np.shape(a)[:-2], n, n)
    assert basis.dtype == letter(a)
    assert np.asarray(rank).tolist() == np.linalg.matrix_rank(double(a), rtol=CLEAR).tolist()
    assert np.abs(projector(basis) - expected).max() <= 1e-5
    assert (basis.any(axis=-2) == filled).all()


@given(a=rectangles(letters=NUMBERS))
def test_the_range_is_that_of_scipy_and_zeros_fill_it_up(a):
    assume(has_a_clear_rank(a))

    basis, rank = linalg.orth(a, rtol=CLEAR)

    expected = one_by_one(lambda x: projector(scipy.linalg.orth(x, rcond=CLEAR)), a)
    k = min(np.shape(a)[-2:])
    filled = np.arange(k) < np.asarray(rank)[..., None]
    assert basis.shape == (*np.shape(a)[:-1], k)
    assert np.asarray(rank).tolist() == np.linalg.matrix_rank(double(a), rtol=CLEAR).tolist()
    assert np.abs(projector(basis) - expected).max() <= 1e-5
    assert (basis.any(axis=-2) == filled).all()


@st.composite
def nodes(draw):
    return draw(drawn((*draw(STACKS), draw(SIZES)), letters=NUMBERS))


@given(x=nodes(), N=st.sampled_from([None, 1, 3, 0]))
def test_vandermonde_matrices_are_those_of_numpy_row_by_row(x, N):
    found = linalg.vander(x, N=N)

    plain = np.asarray(x)
    rows = plain.reshape(-1, plain.shape[-1])
    rows = rows.astype(letter(x) if plain.dtype.kind in "fc" else np.result_type(plain, np.int64))
    expected = np.array([np.vander(row, N, increasing=True) for row in rows])
    assert found.shape == (*plain.shape, plain.shape[-1] if N is None else N)
    assert np.allclose(found.reshape(expected.shape), expected, rtol=1e-5, atol=0)


@given(x=nodes())
def test_vandermonde_matrices_of_integers_are_of_integers(x):
    assume(np.asarray(x).dtype.kind in "iu")

    found = linalg.vander(x)

    assert found.dtype.kind in "iu"
    assert found.dtype.itemsize >= 8


# --- Functions that return LAPACK's info --------------------------------------------------------


@st.composite
def partly_singular(draw):
    """A stack of matrices some of which are zero, and right-hand sides."""
    n, stack = draw(SIZES), draw(STACKS)
    layouts = tuple(set(ARRAYS) - {"list", "read-only", "overlapping", "broadcast"})
    a = draw(drawn((*stack, n, n), layouts=layouts))
    bad = np.reshape([draw(st.booleans()) for _ in range(int(np.prod(stack)))], stack)
    a[bad] = 0
    return a, bad, draw(drawn((n, 2)))


def raised(function, *args, **options):
    """The matrices that a function complains of."""
    with pytest.raises(linalg.LinAlgError) as caught:
        function(*args, **options)
    return caught.value.indices


EX = {
    "inv": lambda a, b, name, **options: getattr(linalg, name)(a, **options),
    "solve": lambda a, b, name, **options: getattr(linalg, name)(a, b, **options),
    "cholesky": lambda a, b, name, **options: getattr(linalg, name)(gram(a), **options),
}


def gram(a):
    """Products that do not depend on how the matrices lie in memory."""
    a = np.ascontiguousarray(a)
    return a @ adjoint(a)


@pytest.mark.parametrize("name", EX)
@given(drawn_stack=partly_singular())
def test_results_with_info_are_those_of_the_function_that_raises(name, drawn_stack):
    a, bad, b = drawn_stack
    good = a.copy()
    good[bad] = np.eye(a.shape[-1])
    assume(is_well_conditioned(good))

    result, info = EX[name](a, b, f"{name}_ex")

    expected = np.asarray(EX[name](good, b, name))
    assert np.asarray(info).dtype == np.int32
    assert ((np.asarray(info) != 0) == bad).all()
    assert result[~bad].tobytes() == expected[~bad].tobytes()
    assert np.isnan(result[bad]).all()


@pytest.mark.parametrize("name", EX)
@given(drawn_stack=partly_singular())
def test_errors_are_checked_as_the_function_that_raises_does(name, drawn_stack):
    a, bad, b = drawn_stack
    assume(bad.any())
    assume(is_well_conditioned(np.where(bad[..., None, None], np.eye(a.shape[-1]), a)))

    ours = raised(EX[name], a, b, f"{name}_ex", check_errors=True)

    assert ours == raised(EX[name], a, b, name) == list(map(tuple, np.argwhere(bad).tolist()))
