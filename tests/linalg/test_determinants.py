"""Determinants that are known: of integers, and of matrices of every scale."""

import math

import numpy as np
import pytest

from numerics import linalg

from oracle import linalg as truth


def exact(a):
    return complex(truth.determinant(a))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 10, 16])
@pytest.mark.parametrize("seed", range(5))
def test_the_determinant_of_small_integers_is_exact(n, seed):
    a = np.random.default_rng(seed).integers(-1, 2, (n, n)) if n > 10 else (
        np.random.default_rng(seed).integers(-9, 10, (n, n))
    )  # fmt: skip

    assert linalg.det(a) == exact(a)


@pytest.mark.parametrize("seed", range(5))
def test_the_determinant_of_small_complex_integers_is_exact(seed):
    parts = np.random.default_rng(seed).integers(-5, 6, (2, 5, 5))
    a = parts[0] + 1j * parts[1]

    assert linalg.det(a) == exact(a)


@pytest.mark.parametrize("letter", "bBhilfdFD")
def test_integers_in_any_dtype_have_an_exact_determinant(letter):
    a = np.array([[3, 1, 2], [1, 2, 5], [4, 1, 1]], letter)

    assert linalg.det(a) == -4


def test_minors_that_need_more_than_53_bits_to_multiply_are_exact():
    # Products of minors of this matrix are as long as 2**90.
    a = np.random.default_rng(3).integers(-30000, 30000, (3, 3))

    assert linalg.det(a) == exact(a)


def test_integers_whose_rows_depend_on_each_other_have_determinant_zero():
    a = np.arange(1, 26).reshape(5, 5)

    assert linalg.det(a) == 0
    assert linalg.slogdet(a) == (0, -np.inf)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 10, 33, 100, 1023])
def test_the_determinant_of_twice_the_identity_is_a_power_of_two(n):
    assert linalg.det(2 * np.eye(n)) == 2.0**n


@pytest.mark.parametrize("scale", [5e-324, 1e-320, 1e-160, 1e150, 1e308])
def test_slogdet_of_a_multiple_of_the_identity_is_the_sum_of_logarithms(scale):
    sign, logarithm = linalg.slogdet(np.full((3, 3), 0.0) + np.diag([scale] * 3))

    assert sign == 1
    assert logarithm == pytest.approx(3 * math.log(scale), rel=1e-15)


@pytest.mark.parametrize("n", [3, 8])
@pytest.mark.parametrize("exponent", [-1000, -500, 500, 1020])
def test_slogdet_and_det_of_scaled_matrices_are_those_of_the_matrix(n, exponent):
    a = np.random.default_rng(n).uniform(-1, 1, (n, n))

    sign, logarithm = linalg.slogdet(np.ldexp(a, exponent))

    expected_sign, expected = truth.sign_and_log(np.ldexp(a, exponent))
    assert sign == expected_sign
    assert logarithm == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize("letter", "dD")
def test_elimination_that_overflows_is_done_again_at_another_scale(letter):
    a = np.array([[1.0, 1.2], [-1.0, 1.3]], letter) * 1e308  # 1.2e308 + 1.3e308 on the way

    sign, logarithm = linalg.slogdet(a)
    x = linalg.solve(a, np.array([1e308, 1e308]))

    assert sign == pytest.approx(1)
    assert logarithm == pytest.approx(math.log(2.5) + 2 * math.log(1e308), rel=1e-15)
    np.testing.assert_allclose(x, [0.04, 0.8], rtol=1e-14)


def test_the_magnitude_of_a_pivot_may_overflow():
    sign, logarithm = linalg.slogdet(np.array([[1.5e308 * (1 + 1j)]]))

    assert sign == pytest.approx((1 + 1j) / math.sqrt(2))
    assert logarithm == pytest.approx(math.log(1.5e308) + math.log(2) / 2, rel=1e-15)


def test_scales_that_cancel_give_a_determinant_without_rounding():
    a = np.diag([1e200, 1e200, 1e-200, 1e-200])

    assert linalg.det(a) == pytest.approx(1, rel=1e-15)
    assert linalg.det(np.ldexp(np.eye(4), [1000, 1000, -1000, -1000])) == 1


def test_an_inverse_of_subnormal_numbers_exists_where_it_can_be_written():
    a = np.ldexp(np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]]), -1024)

    inverse = linalg.inv(a)

    np.testing.assert_allclose(inverse @ a, np.eye(3), atol=1e-14)


def test_determinant_overflow_follows_errstate():
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
        linalg.det(np.diag([1e300, 1e300, 0.5]))
