"""Least squares over stacks, at the limits of the numbers, and beside what is not finite."""

import numpy as np
import pytest

from numerics import linalg

RNG = np.random.default_rng(7)
TALL = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
LOW = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
B = np.array([[1.0, 0.0], [2.0, 1.0], [4.0, 5.0]])


def bits(results):
    return [np.asarray(r).tobytes() for r in results]


# --- Stacks -------------------------------------------------------------------------------------


@pytest.mark.parametrize("letter", "fdFD")
@pytest.mark.parametrize("shape", [(4, 3), (3, 3), (2, 4)])
def test_matrices_of_a_stack_are_solved_as_alone(shape, letter):
    a = RNG.standard_normal((2, 3, *shape)).astype(letter)
    b = RNG.standard_normal((2, 3, shape[0], 2)).astype(letter)

    x, residuals, rank, s = linalg.lstsq(a, b)

    alone = [linalg.lstsq(a[i], b[i]) for i in np.ndindex(2, 3)]
    stacked = [(x[i], residuals[i], rank[i], s[i]) for i in np.ndindex(2, 3)]
    assert [bits(one) for one in stacked] == [bits(one) for one in alone]
    assert rank.dtype == np.int32


@pytest.mark.parametrize(
    ("a", "b", "shapes"),
    [
        ((5, 3, 2), (3,), [(5, 2), (5, 1), (5,), (5, 2)]),
        ((5, 3, 2), (3, 4), [(5, 2, 4), (5, 4), (5,), (5, 2)]),
        ((3, 2), (5, 3, 4), [(5, 2, 4), (5, 4), (5,), (5, 2)]),
        ((5, 1, 3, 2), (6, 3, 4), [(5, 6, 2, 4), (5, 6, 4), (5, 6), (5, 6, 2)]),
        ((5, 2, 3), (2,), [(5, 3), (5, 0), (5,), (5, 2)]),
        ((5, 2, 3), (5, 2, 4), [(5, 3, 4), (5, 0), (5,), (5, 2)]),
        ((0, 3, 2), (3, 4), [(0, 2, 4), (0, 4), (0,), (0, 2)]),
        ((5, 0, 2), (0, 4), [(5, 2, 4), (5, 0), (5,), (5, 0)]),
        ((5, 3, 0), (3, 4), [(5, 0, 4), (5, 4), (5,), (5, 0)]),
        ((5, 3, 2), (3, 0), [(5, 2, 0), (5, 0), (5,), (5, 2)]),
    ],
)
def test_shapes_of_stacks(a, b, shapes):
    results = linalg.lstsq(np.ones(a), np.ones(b))

    assert [r.shape for r in results] == shapes


def test_without_rows_the_solution_is_zero_and_without_columns_everything_remains():
    x, _, rank, _ = linalg.lstsq(np.zeros((2, 0, 3)), np.zeros((0, 1)))
    _, residuals, _, _ = linalg.lstsq(np.zeros((2, 3, 0)), np.array([1.0, 2.0, 2.0]))

    assert not x.any()
    assert rank.tolist() == [0, 0]
    assert residuals.tolist() == [[9.0], [9.0]]


def test_without_right_hand_sides_rank_and_singular_values_are_there():
    _, _, rank, s = linalg.lstsq(np.stack([TALL, LOW]), np.zeros((3, 0)))

    assert rank.tolist() == [2, 1]
    assert s[0] == pytest.approx([3**0.5, 1.0])


def test_a_matrix_of_low_rank_has_its_shortest_solution_and_no_residuals():
    x, residuals, rank, _ = linalg.lstsq(np.stack([TALL, LOW]), B)

    assert rank.tolist() == [2, 1]
    assert np.isfinite(residuals[0]).all()
    assert np.isnan(residuals[1]).all()
    assert x[1] == pytest.approx(np.linalg.pinv(LOW) @ B, rel=1e-13)


def test_residuals_are_sums_of_squares():
    x, residuals, _, _ = linalg.lstsq(np.stack([TALL, 2 * TALL]), B)

    expected = ((B - TALL @ x[0]) ** 2).sum(axis=0)
    assert residuals[0] == pytest.approx(expected, rel=1e-13)
    assert residuals[1] == pytest.approx(expected, rel=1e-13)


# --- Tolerances ---------------------------------------------------------------------------------

STEPS = np.diag([4.0, 2.0, 1.0])


@pytest.mark.parametrize(("rcond", "rank"), [(0.2, 3), (0.25, 2), (0.4, 2), (0.5, 1), (-1, 3)])
def test_the_tolerance_is_exclusive(rcond, rank):
    assert linalg.lstsq(STEPS, np.ones(3), rcond)[2] == rank


def test_a_tolerance_per_matrix_cuts_each_by_its_own():
    a = np.broadcast_to(STEPS, (2, 3, 3, 3))

    x, _, rank, _ = linalg.lstsq(a, np.ones(3), np.array([0.1, 0.3, 0.6]))

    assert rank.tolist() == [[3, 2, 1]] * 2
    assert x[0] == pytest.approx(np.array([[0.25, 0.5, 1], [0.25, 0.5, 0], [0.25, 0, 0]]))


def test_an_array_of_one_tolerance_serves_a_single_matrix():
    assert linalg.lstsq(STEPS, np.ones(3), np.array([0.3]))[2] == 2


def test_several_tolerances_for_one_matrix_are_refused():
    with pytest.raises(ValueError, match="`rcond` must be a number or broadcast to the stack"):
        linalg.lstsq(STEPS, np.ones(3), [0.1, 0.2])


# --- What is not finite -------------------------------------------------------------------------


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_column_that_is_not_finite_gives_nan_for_itself_alone(value):
    b = np.stack([B[:, 0], [1.0, value, 2.0], B[:, 1]], axis=1)

    x, residuals, rank, _ = linalg.lstsq(TALL, b)

    clean = linalg.lstsq(TALL, B)
    assert np.isnan(x[:, 1]).all()
    assert np.isnan(residuals[1])
    assert x[:, ::2] == pytest.approx(clean[0], rel=1e-14)
    assert residuals[::2] == pytest.approx(clean[1], rel=1e-13)
    assert rank == 2


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_coefficients_that_are_not_finite_raise_and_name_their_matrices(value):
    with pytest.raises(linalg.LinAlgError, match=r"`a`\[1\] holds NaN or infinity") as caught:
        linalg.lstsq(np.stack([TALL, np.full((3, 2), value), TALL]), B)

    assert caught.value.indices == [(1,)]


# --- Overflow and underflow ---------------------------------------------------------------------

SCALES = [1e300, 1e-300, 2.0**-1040, 1.0]


@pytest.mark.parametrize("scale_a", SCALES)
@pytest.mark.parametrize("scale_b", SCALES)
@pytest.mark.parametrize("letter", "dD")
def test_scaled_systems_have_scaled_solutions(scale_a, scale_b, letter):
    if not 1e-300 < scale_b / scale_a < 1e300:
        scale_b = scale_a  # the solution itself would be out of range
    x, residuals, rank, s = linalg.lstsq(
        (TALL * scale_a).astype(letter), (B * scale_b).astype(letter)
    )

    plain = linalg.lstsq(TALL, B)
    assert x / (scale_b / scale_a) == pytest.approx(plain[0], rel=1e-12)
    with np.errstate(over="ignore"):
        assert residuals == pytest.approx(plain[1] * scale_b * scale_b, rel=1e-12, abs=0)
    assert rank == 2
    assert s / scale_a == pytest.approx(plain[3], rel=1e-9)  # a subnormal s has few digits


def test_a_small_column_beside_a_large_one_is_not_lost():
    b = B * [1e300, 1e-300]

    x = linalg.lstsq(TALL, b)[0]

    assert x / [1e300, 1e-300] == pytest.approx(linalg.lstsq(TALL, B)[0], rel=1e-12)


def test_complex_entries_whose_magnitude_overflows_are_solved():
    a = np.array([[1.5e308 + 1.5e308j]])

    x, _, rank, _ = linalg.lstsq(a, a[0])

    assert rank == 1
    assert x == pytest.approx([1.0])


def test_single_precision_is_solved_in_double():
    t = np.arange(1, 7, dtype=np.float32) * 1000
    a = np.stack([np.ones(6, np.float32), t, t * t], axis=-1)
    b = t * t - 4000 * t + np.float32(3e6)

    x, _, rank, _ = linalg.lstsq(a[np.newaxis], b)

    assert rank.tolist() == [3]
    assert x.dtype == np.float32
    assert x[0] == pytest.approx([3e6, -4000, 1], rel=1e-6)
