"""Small inputs on which well-known libraries fail, with the right answers beside them.

Each test carries the name under which the failure was collected; `NAMES` lists them all.
"""

from math import comb, factorial

import numpy as np
import pytest

from numerics import linalg

NAMES = """
norm_fro_big norm_subnormal norm_axis_big_small norm_ord3_big eigvalsh_nan cond_fro_scaled_identity
pinv_tiny_column matrix_power_int_overflow rank_nan inv_complex_symmetric svd_inf_terminates
pinv_int_rtol_none det_large_relative svd_values_agree_graded vector_norm_keepdims_all
norm_longdouble cond_batch_singular pinv_default_rcond pinv_hermitian_complex lstsq_empty
solve_matrix_rule solve_singular_no_rhs inv_singular_raises eigh_reads_lower nan_in_unused_triangle
slogdet_singular det_no_spurious_overflow eigh_zero_matrix eig_batch_mixed matrix_power_object
strides_readonly_byteswap svd_hermitian_signs result_namedtuples errstate_not_disturbed
lstsq_f32_badly_scaled f32_inv_is_double_inside lstsq_batched expm_batch_vs_single
sqrtm_complex_block multi_dot_stack
""".split()

TESTED = []
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])  # eliminates exactly
LinAlgError = linalg.LinAlgError


def known(name):
    """Say which of the collected failures a test is about."""

    def decorate(test):
        TESTED.append(name)
        return test

    return decorate


def test_each_known_failure_has_its_test():
    assert len(NAMES) == 40
    assert sorted(set(TESTED)) == sorted(NAMES)


def close(expected, relative):
    return pytest.approx(np.asarray(expected), rel=relative, abs=0)


def adjoint(a):
    return a.conj().swapaxes(-2, -1)


def is_unitary(q):
    return np.abs(adjoint(q) @ q - np.eye(q.shape[-1])).max() < 1e-14


# --- Wrong values: overflow, underflow, NaN that is swallowed -----------------------------------


@known("norm_fro_big")
def test_the_frobenius_norm_of_large_numbers_does_not_overflow():
    a = np.diag([5e180, 12e180])

    assert linalg.norm(a, "fro") == close(13e180, 1e-15)


@known("norm_subnormal")
def test_the_norm_of_subnormal_numbers_is_not_lost():
    x = np.ldexp([3.0, 4.0], -1070)

    assert abs(linalg.norm(x) - np.ldexp(5.0, -1070)) <= np.ldexp(1.0, -1074)


@known("norm_axis_big_small")
def test_the_norm_along_an_axis_is_scaled_row_by_row():
    x = np.array([[7e190, 24e190], [7e-190, 24e-190]])

    assert linalg.norm(x, axis=1) == close([25e190, 25e-190], 1e-15)


@known("norm_ord3_big")
def test_the_norm_of_order_3_does_not_overflow_in_the_powers():
    assert linalg.norm(np.full(8, 2e150), 3) == close(4e150, 1e-14)


@known("eigvalsh_nan")
@pytest.mark.parametrize("off_diagonal", [0.25, 0.0])
def test_eigenvalues_of_a_hermitian_matrix_with_nan_are_nan(off_diagonal):
    a = np.array([[np.nan, off_diagonal], [off_diagonal, 2.0]])

    assert np.isnan(linalg.eigvalsh(a)).all()


@known("cond_fro_scaled_identity")
@pytest.mark.parametrize("factor", [1e200, 1.0, 1e-170])
def test_the_condition_number_in_the_frobenius_norm_does_not_depend_on_scale(factor):
    assert linalg.cond(factor * np.eye(2), "fro") == close(2, 5e-14)


@known("pinv_tiny_column")
def test_the_pseudoinverse_of_a_subnormal_column_does_not_overflow():
    a = np.array([[3e-309], [4e-309]])

    # aᵀ / (aᵀa). A subnormal of this size has some 48 bits, hence the tolerance.
    assert linalg.pinv(a) == close([[1.2e308, 1.6e308]], 1e-10)


@known("matrix_power_int_overflow")
def test_a_power_of_integers_that_overflows_is_reported():
    fibonacci = np.array([[1, 1], [1, 0]])

    with pytest.warns(RuntimeWarning, match="overflow"):
        linalg.matrix_power(fibonacci, 95)


@known("rank_nan")
def test_a_matrix_with_nan_has_no_rank():
    with pytest.raises(LinAlgError):
        linalg.matrix_rank(np.diag([np.nan, 2.0]))


@known("inv_complex_symmetric")
def test_a_complex_symmetric_matrix_is_not_taken_for_hermitian():
    a = np.array([[2.0, 1j], [1j, 3.0]])  # of determinant 2·3 - i² = 7

    assert linalg.inv(a) == close(np.array([[3, -1j], [-1j, 2]]) / 7, 1e-14)
    assert linalg.solve(a, np.array([1.0, 0.0])) == close([3 / 7, -1j / 7], 1e-14)


# --- Hangs and crashes --------------------------------------------------------------------------


@known("svd_inf_terminates")
def test_singular_values_of_a_matrix_with_an_infinity_end_and_are_nan():
    a = np.ones((4, 4))
    a[1, 2] = np.inf

    assert np.isnan(linalg.svd(a).S).all()


@known("pinv_int_rtol_none")
def test_the_pseudoinverse_of_integers_takes_the_default_tolerance():
    p = linalg.pinv(np.array([[2, 1], [1, 1]]), rtol=None)

    assert p == close([[1, -1], [-1, 2]], 1e-13)


# --- Accuracy -----------------------------------------------------------------------------------


@known("det_large_relative")
def test_a_large_determinant_keeps_its_digits():
    assert linalg.det(np.diag([1e150, 1e150])) == close(1e300, 2e-15)


@known("svd_values_agree_graded")
@pytest.mark.parametrize("values", [lambda a: linalg.svd(a).S, linalg.svdvals])
def test_the_middle_singular_values_of_a_graded_companion_matrix_are_1(values):
    n = 28
    a = np.diag(np.ones(n - 1), -1)
    a[0] = [-float(factorial(n)) / factorial(n - 1 - j) for j in range(n)]

    # n - 2 singular values of a companion matrix are 1, whatever its first row.
    assert values(a)[1 : n - 1] == close(np.ones(n - 2), 1e-6)


# --- Contracts: shapes, dtypes, tolerances ------------------------------------------------------


@known("vector_norm_keepdims_all")
def test_the_norm_of_everything_keeps_every_axis():
    norm = linalg.vector_norm(np.ones((2, 1, 3)), keepdims=True)

    assert norm.shape == (1, 1, 1)
    assert norm.item() == close(6**0.5, 1e-15)


@known("norm_longdouble")
def test_the_norm_of_long_doubles_has_their_precision():
    norm = linalg.norm(np.ones(2, np.longdouble))

    assert norm.dtype == np.longdouble
    assert abs(norm * norm - 2) <= 4 * np.finfo(np.longdouble).eps


@known("cond_batch_singular")
def test_a_singular_matrix_does_not_stop_the_condition_numbers_of_others():
    stack = np.stack([np.eye(2), np.zeros((2, 2)), np.diag([1.0, 8.0])])

    assert linalg.cond(stack, 1).tolist() == [1, np.inf, 8]


@known("pinv_default_rcond")
def test_the_pseudoinverse_drops_only_what_lies_below_1e_minus_15():
    p = linalg.pinv(np.diag([1.0, 3e-15]))

    assert np.diagonal(p) == close([1, 1 / 3e-15], 1e-12)


@known("pinv_hermitian_complex")
def test_the_pseudoinverse_of_a_complex_hermitian_matrix_of_rank_1():
    a = np.array([[2.0, 2j], [-2j, 2.0]])  # 4 v vᴴ

    assert linalg.pinv(a, hermitian=True) == close(a / 16, 1e-14)


@known("lstsq_empty")
def test_least_squares_without_equations_is_0_of_rank_0():
    x, _, rank, _ = linalg.lstsq(np.zeros((0, 3)), np.zeros((0, 2)), rcond=None)

    assert x.tolist() == np.zeros((3, 2)).tolist()
    assert rank == 0


@known("lstsq_empty")
def test_least_squares_without_right_hand_sides_still_has_a_rank():
    a = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])

    x, _, rank, _ = linalg.lstsq(a, np.zeros((3, 0)), rcond=None)

    assert x.shape == (2, 0)
    assert rank == 2


@known("solve_matrix_rule")
def test_a_right_hand_side_of_two_axes_is_a_matrix_for_every_system():
    a = np.stack([np.eye(2), np.diag([2.0, 4.0])])
    b = np.array([[2.0, 4.0], [8.0, 16.0]])

    assert linalg.solve(a, b).tolist() == [b.tolist(), [[1, 2], [2, 4]]]


@known("solve_singular_no_rhs")
def test_a_singular_system_is_an_error_without_right_hand_sides_too():
    with pytest.raises(LinAlgError, match="Singular matrix"):
        linalg.solve(SINGULAR, np.zeros((2, 0)))


@known("inv_singular_raises")
@pytest.mark.parametrize("a", [np.zeros((1, 1)), SINGULAR, np.zeros((2, 2), complex)])
def test_a_singular_matrix_has_no_inverse(a):
    with pytest.raises(LinAlgError, match="Singular matrix"):
        linalg.inv(a)


@known("eigh_reads_lower")
@pytest.mark.parametrize(("UPLO", "expected"), [("L", [1, 3]), ("U", [-97, 101])])
@pytest.mark.parametrize("values", [linalg.eigvalsh, lambda a, UPLO: linalg.eigh(a, UPLO)[0]])
def test_only_one_triangle_of_a_hermitian_matrix_is_read(values, UPLO, expected):
    a = np.array([[2.0, 99.0], [1.0, 2.0]])

    assert values(a, UPLO) == close(expected, 1e-14)


@known("nan_in_unused_triangle")
def test_nan_in_the_triangle_that_is_not_read_does_not_matter():
    lower = np.array([[4.0, np.nan], [2.0, 5.0]])

    assert linalg.cholesky(lower) == pytest.approx(np.array([[2.0, 0.0], [1.0, 2.0]]))
    assert linalg.eigvalsh([[2.0, np.nan], [1.0, 2.0]]) == close([1, 3], 1e-14)


@known("slogdet_singular")
@pytest.mark.parametrize("a", [np.zeros((3, 3)), SINGULAR])
def test_the_determinant_of_a_singular_matrix_is_0_and_its_logarithm_minus_infinity(a):
    assert linalg.slogdet(a) == (0, -np.inf)
    assert linalg.det(a) == 0


@known("det_no_spurious_overflow")
def test_a_determinant_does_not_overflow_half_way():
    assert linalg.det(np.diag([1e200, 1e200, 1e-200, 1e-200])) == close(1, 1e-14)


@known("eigh_zero_matrix")
def test_zero_matrices_have_eigenvalues_0_and_orthonormal_eigenvectors():
    w, v = linalg.eigh(np.zeros((2, 3, 3)))

    assert not w.any()
    assert is_unitary(v)


@known("eig_batch_mixed")
def test_a_stack_of_real_and_complex_spectra_has_pairs_in_every_matrix():
    rotation, defective = [[0.0, -1.0], [1.0, 0.0]], [[3.0, 1.0], [0.0, 3.0]]
    a = np.array([np.diag([1.0, 2.0]), rotation, defective])

    w, v = linalg.eig(a)

    assert np.abs(a @ v - v * w[:, None, :]).max() < 1e-14
    assert np.abs(w[1]) == close([1, 1], 1e-14)


@known("matrix_power_object")
def test_powers_of_python_integers_are_exact():
    power = linalg.matrix_power(np.array([[1, 1], [1, 0]], object), 120)

    assert power[0, 1] == 5358359254990966640871840


# --- Contracts: layouts, names, settings --------------------------------------------------------

BASE = np.array([[4.0, 1.0, 0.5], [2.0, 5.0, 1.5], [0.25, 3.0, 6.0]])


def _read_only():
    a = BASE.copy()
    a.flags.writeable = False
    return a


def _sliced():
    wide = np.zeros((6, 6))
    wide[::2, ::2] = BASE
    return wide[::2, ::2]


LAYOUTS = {
    "negative strides": BASE[::-1, ::-1].copy()[::-1, ::-1],
    "zero strides": np.broadcast_to(BASE, (3, 3, 3)),
    "sliced": _sliced(),
    "transposed": BASE.T.copy().T,
    "read-only": _read_only(),
    "big-endian": BASE.astype(">f8"),
    "little-endian": BASE.astype("<f8"),
}


@known("strides_readonly_byteswap")
@pytest.mark.parametrize("a", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("function", [linalg.inv, linalg.svdvals, linalg.det])
def test_the_layout_of_an_array_does_not_change_what_comes_out(function, a):
    found, expected = function(a), function(BASE)

    assert found.dtype == np.float64
    assert {x.tobytes() for x in np.reshape(found, (-1, *expected.shape))} == {expected.tobytes()}


@known("svd_hermitian_signs")
@pytest.mark.parametrize(
    "a",
    [np.diag([0.0, 2.0, -3.0]), np.zeros((2, 2)), np.array([[0, 1j], [-1j, 0]]), -np.eye(3)],
    ids=["indefinite", "zero", "complex", "negative"],
)
def test_the_svd_of_a_hermitian_matrix_has_positive_values_and_unitary_factors(a):
    U, S, Vh = linalg.svd(a, hermitian=True)

    assert np.abs((U * S) @ Vh - a).max() < 1e-14
    assert (S >= 0).all()
    assert (np.diff(S) <= 0).all()
    assert is_unitary(U)
    assert is_unitary(adjoint(Vh))


FIELDS = {
    "eigh": ("eigenvalues", "eigenvectors"),
    "eig": ("eigenvalues", "eigenvectors"),
    "svd": ("U", "S", "Vh"),
    "qr": ("Q", "R"),
    "slogdet": ("sign", "logabsdet"),
}


@known("result_namedtuples")
@pytest.mark.parametrize(("name", "fields"), FIELDS.items(), ids=FIELDS)
def test_results_of_several_parts_have_the_names_of_the_array_api(name, fields):
    result = getattr(linalg, name)(np.array([[2.0, 1.0], [1.0, 2.0]]))

    assert result._fields == fields


@known("errstate_not_disturbed")
def test_healthy_input_raises_no_floating_point_error():
    with np.errstate(all="raise"):
        inverse = linalg.inv(np.diag([1e-200, 1e200]))
        singular_values = linalg.svd(np.diag([1e-200, 1.0])).S
        setting = np.geterr()

    assert set(setting.values()) == {"raise"}
    assert np.diagonal(inverse) == close([1e200, 1e-200], 1e-15)
    assert singular_values == close([1, 1e-200], 1e-15)


@known("lstsq_f32_badly_scaled")
def test_least_squares_in_single_precision_is_computed_in_double():
    x = np.arange(1, 7) * 1000.0
    a = np.stack([np.ones(6), x, x * x], -1).astype(np.float32)
    b = (x * x - 4000 * x + 3e6).astype(np.float32)

    assert linalg.lstsq(a, b, rcond=None)[0] == close([3e6, -4000, 1], 1e-5)


@known("f32_inv_is_double_inside")
def test_the_inverse_in_single_precision_is_computed_in_double():
    n = 8
    pascal = np.array([[comb(i + j, i) for j in range(n)] for i in range(n)], np.float32)
    # L⁻¹ of P = L Lᵀ has the binomials with alternating signs: P⁻¹ is integer.
    lower = np.array([[(-1) ** (i - j) * comb(i, j) for j in range(n)] for i in range(n)])
    expected = (lower.T @ lower)[:, ::-1]

    inverse = linalg.inv(pascal[::-1])

    assert inverse.dtype == np.float32
    assert np.abs(inverse - expected).max() <= 1e-6 * np.abs(expected).max()


# --- Features that libraries lack ---------------------------------------------------------------


@known("lstsq_batched")
def test_least_squares_takes_stacks():
    a = np.array([[[1.0, 0], [0, 1], [1, 1]], [[2, 0], [0, 3], [0, 0]]])
    b = np.array([[[1.0], [2], [3]], [[4], [9], [5]]])

    x = linalg.lstsq(a, b)[0]

    assert x == close([[[1], [2]], [[2], [3]]], 1e-13)


@known("expm_batch_vs_single")
def test_the_exponential_of_a_stack_is_scaled_matrix_by_matrix():
    base = np.array([[1.0, 0.3, -0.2], [0.1, -0.5, 0.7], [0.4, 0.2, 0.3]])
    stack = np.stack([base * scale for scale in (12.0, 0.01, 5.0, 0.5, 1e-4)])

    together = linalg.expm(stack)

    alone = np.stack([linalg.expm(a) for a in stack])
    largest = np.abs(alone).max(axis=(1, 2), keepdims=True)
    assert (np.abs(together - alone) <= 1e-14 * largest).all()


@known("sqrtm_complex_block")
def test_the_square_root_of_a_hermitian_matrix_with_a_decoupled_entry():
    a = np.array([[4.0, 0, 0], [0, 2.0, 1j], [0, -1j, 2.0]])

    root = linalg.sqrtm(a)

    assert np.abs(root @ root - a).max() < 1e-14


@known("multi_dot_stack")
def test_multi_dot_multiplies_stacks():
    a, b = np.arange(12.0).reshape(2, 2, 3), np.arange(24.0).reshape(2, 3, 4)
    c = np.ones((2, 4, 1))

    assert linalg.multi_dot([a, b, c]).tolist() == (a @ b @ c).tolist()
