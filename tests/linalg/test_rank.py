"""Rank, null space, range and pseudo-inverse by one tolerance, near it and at the limits."""

import numpy as np
import pytest

from numerics import linalg

EPS = 2.0**-52
RNG = np.random.default_rng(5)
RANK_TWO = np.array([[1.0, 0.0, 1.0, 2.0], [0.0, 1.0, 1.0, 0.0], [1.0, 1.0, 2.0, 2.0]])
STEPS = np.diag([4.0, 2.0, 1.0])


def ranks(a, **tolerance):
    """The rank by every function that takes a relative tolerance."""
    inverse = linalg.pinv(a, **tolerance)
    return [
        int(linalg.matrix_rank(a, **tolerance)),
        int(linalg.null_space(a, **tolerance).rank),
        int(linalg.orth(a, **tolerance).rank),
        int(np.count_nonzero(np.diagonal(inverse))),
    ]


# --- One tolerance ------------------------------------------------------------------------------


@pytest.mark.parametrize(("rtol", "rank"), [(0.2, 3), (0.25, 2), (0.3, 2), (0.5, 1), (1.0, 0)])
def test_a_relative_tolerance_is_exclusive_in_every_function(rtol, rank):
    assert ranks(STEPS, rtol=rtol) == [rank] * 4


@pytest.mark.parametrize(("tol", "rank"), [(0.9, 3), (1.0, 2), (2.0, 1), (4.0, 0), (-1.0, 3)])
def test_an_absolute_tolerance_is_exclusive(tol, rank):
    assert linalg.matrix_rank(STEPS, tol=tol) == rank


def test_tolerances_are_taken_per_matrix():
    stack, rtol = np.stack([STEPS, STEPS, STEPS]), [0.1, 0.25, 0.5]

    found = [
        linalg.matrix_rank(stack, rtol=rtol).tolist(),
        linalg.null_space(stack, rtol=rtol).rank.tolist(),
        linalg.orth(stack, rcond=rtol).rank.tolist(),
        np.count_nonzero(linalg.pinv(stack, rtol=rtol), axis=(-2, -1)).tolist(),
    ]

    assert found == [[3, 2, 1]] * 4


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_the_default_is_eps_times_the_longer_side(factor):
    a = np.zeros((3, 5))
    a[0, 0], a[1, 1] = 1.0, factor * 5 * EPS

    expected = 1 + (factor > 1)
    assert linalg.matrix_rank(a) == expected
    assert linalg.null_space(a).rank == expected
    assert linalg.orth(a).rank == expected
    assert np.count_nonzero(linalg.pinv(a, rtol=None)) == expected


def test_the_default_of_single_precision_is_its_own():
    a = np.diag([1.0, 1e-7]).astype(np.float32)

    assert ranks(a, rtol=None)[:3] == [1, 1, 1]


@pytest.mark.parametrize("function", [linalg.null_space, linalg.orth, linalg.pinv])
def test_two_tolerances_are_refused(function):
    with pytest.raises(ValueError, match="`rtol` and `rcond` can't be both set"):
        function(STEPS, 0.1, rtol=0.1)


@pytest.mark.parametrize("scale", [1.5e308, 1e-300, 1e-310])
@pytest.mark.parametrize("kind", [float, complex])
def test_the_rank_does_not_depend_on_a_scale_that_makes_singular_values_overflow(scale, kind):
    a = np.full((4, 4), scale, kind)

    found = linalg.matrix_rank(a), linalg.null_space(a).rank, linalg.orth(a).rank

    assert found == (1, 1, 1)
    assert linalg.matrix_rank(a, hermitian=True) == 1


# --- Vectors and numbers ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "tolerance", "rank"),
    [
        ([3.0, 4.0], {}, 1),
        ([0.0, 0.0], {}, 0),
        ([], {}, 0),
        (2.0, {}, 1),
        (0, {}, 0),
        ([3.0, 4.0], {"tol": 4.9}, 1),
        ([3.0, 4.0], {"tol": 5.0}, 0),
        ([3.0, 4.0], {"rtol": 0.9}, 1),
        ([3.0, 4.0], {"rtol": 1.0}, 0),
        (2, {"tol": 2}, 0),
        ([np.nan, 1.0], {}, 0),
        (np.nan, {}, 0),
    ],
)
def test_the_rank_of_a_vector_is_that_of_a_matrix_of_one_row(x, tolerance, rank):
    found = linalg.matrix_rank(x, **tolerance)

    assert type(found) is int
    assert found == rank


# --- Bases --------------------------------------------------------------------------------------


def cases():
    complex_one = RANK_TWO[:, :3] * np.exp(1j * np.arange(3))
    return {
        "wide": (RANK_TWO, 2),
        "tall": (RANK_TWO.T, 2),
        "complex": (complex_one, 2),
        "full rank": (STEPS, 3),
        "zero": (np.zeros((2, 3)), 0),
        "integers": (RANK_TWO.astype(int), 2),
        "graded": (np.array([[1.0, 0.0, 0.0], [1e18, 1.0, 0.0]]), 1),
    }


by_case = pytest.mark.parametrize(("a", "rank"), cases().values(), ids=cases())


@by_case
def test_the_null_space_is_orthonormal_and_maps_to_zero(a, rank):
    basis, found = linalg.null_space(a)

    n = a.shape[1]
    kept, rest = basis[:, : n - rank], basis[:, n - rank :]
    assert found == rank
    assert basis.shape == (n, n)
    assert np.linalg.norm(kept.conj().T @ kept - np.eye(n - rank)) <= 20 * EPS
    assert np.linalg.norm(a @ kept) <= 20 * EPS * np.linalg.norm(a)
    assert not rest.any()


@by_case
def test_the_range_is_orthonormal_and_holds_every_column(a, rank):
    basis, found = linalg.orth(a)

    kept, rest = basis[:, :rank], basis[:, rank:]
    assert found == rank
    assert basis.shape == (a.shape[0], min(a.shape))
    assert np.linalg.norm(kept.conj().T @ kept - np.eye(rank)) <= 20 * EPS
    assert np.linalg.norm(kept @ (kept.conj().T @ a) - a) <= 20 * EPS * np.linalg.norm(a)
    assert not rest.any()


@pytest.mark.parametrize("function", [linalg.null_space, linalg.orth])
def test_matrices_of_different_ranks_share_an_array_bit_by_bit(function):
    stack = np.stack([np.zeros((3, 3)), np.ones((3, 3)), STEPS])

    basis, rank = function(stack)

    alone = [function(a) for a in stack]
    assert rank.tolist() == [0, 1, 3]
    assert [b.tobytes() for b in basis] == [one.basis.tobytes() for one in alone]


def test_without_rows_the_null_space_is_everything():
    basis, rank = linalg.null_space(np.zeros((0, 3)))

    assert rank == 0
    assert np.abs(basis).sum(axis=0).tolist() == [1, 1, 1]
    assert np.linalg.norm(basis.T @ basis - np.eye(3)) == 0


@pytest.mark.parametrize(
    ("function", "shape", "expected"),
    [
        (linalg.null_space, (3, 0), (0, 0)),
        (linalg.null_space, (2, 0, 3), (2, 3, 3)),
        (linalg.null_space, (0, 2, 3), (0, 3, 3)),
        (linalg.orth, (3, 0), (3, 0)),
        (linalg.orth, (0, 3), (0, 0)),
        (linalg.orth, (0, 2, 3), (0, 2, 2)),
    ],
)
def test_empty_input_gives_bases_of_the_right_shape(function, shape, expected):
    basis, rank = function(np.zeros(shape))

    assert basis.shape == expected
    assert np.shape(rank) == shape[:-2]


@pytest.mark.parametrize("function", [linalg.null_space, linalg.orth])
def test_infinity_gives_nan_for_its_matrix_alone(function):
    basis, rank = function(np.stack([STEPS, np.full((3, 3), np.inf)]))

    assert np.isnan(basis[1]).all()
    assert np.isfinite(basis[0]).all()
    assert rank.tolist() == [3, 0]


@pytest.mark.parametrize("function", [linalg.null_space, linalg.orth, linalg.pinv])
def test_nan_raises_and_names_its_matrix(function):
    with pytest.raises(linalg.LinAlgError, match="holds NaN") as caught:
        function(np.stack([STEPS, STEPS * np.nan]))

    assert caught.value.indices == [(1,)]


def test_single_precision_keeps_its_dtype():
    a = RANK_TWO.astype(np.float32)

    assert linalg.null_space(a).basis.dtype == linalg.orth(a).basis.dtype == np.float32


# --- Pseudo-inverse at the limits ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "expected"),
    [
        ([[3e-309], [4e-309]], [[1.2e308, 1.6e308]]),
        ([[3e-309j], [4e-309]], [[-1.2e308j, 1.6e308]]),
        ([[1.2e308, 1.6e308]], [[3e-309], [4e-309]]),
        ([[1.2e308, 1.6e308j]], [[3e-309], [-4e-309j]]),
        ([[1.5e308 + 1.5e308j]], [[(1 - 1j) / 3 * 1e-308]]),
        ([[3e-300, 0], [0, 5e-300]], [[1 / 3e-300, 0], [0, 1 / 5e-300]]),
    ],
)
def test_the_pseudo_inverse_neither_overflows_nor_underflows_before_its_end(a, expected):
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        inverse = linalg.pinv(np.array(a))

    assert inverse == pytest.approx(np.array(expected), rel=1e-12, abs=0)


@pytest.mark.parametrize("a", [np.full((2, 2), 1.5e308), np.diag([8e-309, 9e-309])])
def test_the_pseudo_inverse_of_a_hermitian_matrix_at_the_limits_agrees_with_that_of_any(a):
    plain, hermitian = linalg.pinv(a), linalg.pinv(a, hermitian=True)

    assert np.isfinite(plain).all()
    assert hermitian == pytest.approx(plain, rel=1e-12, abs=1e-322)


def test_the_pseudo_inverse_scales_each_matrix_by_itself():
    stack = np.array([[[3e-309], [4e-309]], [[3.0], [4.0]], [[0.0], [0.0]]])

    inverse = linalg.pinv(stack)

    assert inverse[0] == pytest.approx(np.array([[1.2e308, 1.6e308]]), rel=1e-12)
    assert inverse[1] == pytest.approx(np.array([[0.12, 0.16]]), rel=1e-14)
    assert not inverse[2].any()


def test_the_pseudo_inverse_of_subnormal_singles_is_finite():
    a = np.array([[3e-39], [4e-39]], np.float32)

    inverse = linalg.pinv(a)

    assert inverse == pytest.approx(np.array([[1.2e38, 1.6e38]]), rel=1e-5)


@pytest.mark.parametrize("hermitian", [False, True])
def test_the_pseudo_inverse_of_zero_is_zero(hermitian):
    assert not linalg.pinv(np.zeros((3, 3)), hermitian=hermitian).any()


@pytest.mark.parametrize("letter", "efdgFDGbO")
def test_the_rank_of_a_vector_of_any_numbers_is_one_or_zero(letter):
    x = np.array([3, 4]).astype(letter)

    assert linalg.matrix_rank(x) == 1
    assert linalg.matrix_rank(x, tol=4) == 1
    assert linalg.matrix_rank(x, tol=5) == 0
    assert linalg.matrix_rank(0 * x) == 0


def test_a_half_precision_vector_has_rank_one_however_large_it_is():
    assert linalg.matrix_rank(np.full(4, 65000, np.float16)) == 1


@pytest.mark.parametrize("function", [linalg.null_space, linalg.orth])
def test_several_tolerances_for_one_matrix_give_several_bases(function):
    a = np.diag([1.0, 1e-5, 1e-9])

    basis, rank = function(a, rtol=[1e-3, 1e-7])

    assert basis.shape == (2, 3, 3)
    assert rank.tolist() == [1, 2]
