"""The exponential and the square root of a matrix, where a table cannot say what is right."""

import re
from fractions import Fraction
from math import factorial
from pathlib import Path

import mpmath
import numpy as np
import pytest

from numerics import linalg

from cases.errors import DOUBLE, away_from_unitary, distance, frobenius
from oracle import linalg as truth

SOURCE = Path(__file__).parents[2] / "kernels" / "cpu" / "exponential.cpp"
DEGREES = {3: "Three", 5: "Five", 7: "Seven", 9: "Nine", 13: "Thirteen"}
GOOD = np.array([[2.0, 1.0], [0.5, 3.0]])
LinAlgError = linalg.LinAlgError

functions = pytest.mark.parametrize("function", [linalg.matrix_exp, linalg.sqrtm])
letters = pytest.mark.parametrize("letter", "fdFD")


def random(letter, *shape, seed=1):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(shape)
    return (a + 1j * rng.standard_normal(shape) if letter in "FD" else a).astype(letter)


def entrywise(x, expected):
    """Largest relative error of an entry that is not zero."""
    expected = truth.exact(expected)
    gaps = truth.gap(x, expected)
    sizes = np.abs(expected).astype(float)
    assert not gaps[sizes == 0].any()
    return (gaps[sizes > 0] / sizes[sizes > 0]).max()


# --- Both ---------------------------------------------------------------------------------------


@functions
@letters
@pytest.mark.parametrize("n", [1, 2, 3, 5, 20])
def test_a_matrix_has_the_same_bits_alone_and_in_a_stack(function, letter, n):
    scales = np.array([12, 0.01, 5, 0.5, 1e-4, 1])[:, None, None]
    stack = (random(letter, n, n) / n * scales).astype(letter)
    stack[1] = np.triu(stack[1])
    stack[-1] += stack[-1].conj().T

    found = function(stack)

    alone = np.stack([function(a).astype(found.dtype) for a in stack])
    assert found.tobytes() == alone.tobytes()


@functions
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 0), (0, 1), (1, 0)])
def test_a_matrix_that_is_not_finite_is_nan_and_leaves_the_others_alone(function, value, place):
    bad = GOOD.copy()
    bad[place] = value

    found = function(np.stack([GOOD, bad, GOOD]))

    assert np.isnan(found[1]).all()
    assert found[0].tobytes() == found[2].tobytes() == function(GOOD).tobytes()


@functions
def test_integers_become_doubles(function):
    found = function(np.array([[4, 1], [0, 9]]))

    assert found.dtype == np.float64
    assert found.tobytes() == function(np.array([[4.0, 1.0], [0.0, 9.0]])).tobytes()


@functions
@pytest.mark.parametrize("shape", [(0, 0), (3, 0, 0), (0, 2, 2)])
def test_an_empty_stack_is_returned_in_its_shape(function, shape):
    found = function(np.zeros(shape))

    assert (found.shape, found.dtype) == (shape, np.float64)


@functions
def test_a_matrix_that_is_not_square_is_an_error(function):
    with pytest.raises(LinAlgError, match=r"must be square; `A` has shape \(2, 3\)"):
        function(np.ones((2, 3)))


@functions
@pytest.mark.parametrize("dtype", [np.float16, np.longdouble])
def test_half_and_extended_precision_are_refused(function, dtype):
    with pytest.raises(TypeError, match="is unsupported in linalg"):
        function(np.eye(2, dtype=dtype))


# --- The constants of the exponential -----------------------------------------------------------


def constants_of(m):
    """Theta and 1/|c(2m+1)| as the source has them."""
    row = re.search(rf"k{DEGREES[m]} = {{{m}, ([^,]+), ([^}}]+)}}", SOURCE.read_text())
    return float(row[1]), float(row[2])


def backward_error_series(m, terms):
    """Coefficients of log(e^-x r(x)), r the [m/m] Padé approximant, by its derivative."""
    numerator = mpmath.taylor(lambda x: sum(b * x**j for j, b in enumerate(pade(m))), 0, terms)
    derivative = [(k + 1) * c for k, c in enumerate(numerator[1:])]
    quotient = []  # of the derivative and the numerator
    for k, c in enumerate(derivative):
        known = sum(quotient[i] * numerator[k - i] for i in range(k))
        quotient.append((c - known) / numerator[0])
    # The denominator is the numerator at -x: the even powers of the two quotients add up.
    even = [2 * q if k % 2 == 0 else mpmath.mpf(0) for k, q in enumerate(quotient)]
    even[0] -= 1
    return [mpmath.mpf(0)] + [c / (k + 1) for k, c in enumerate(even)]


def pade(m):
    return [
        Fraction(factorial(2 * m - j), factorial(j) * factorial(m - j)).numerator
        for j in range(m + 1)
    ]


@pytest.mark.parametrize("m", DEGREES)
def test_the_coefficients_of_the_approximants_are_pades(m):
    text = re.search(rf"kPade{m}\[\] = {{([^}}]+)}}", SOURCE.read_text())[1]

    assert [int(b) for b in text.split(",")] == pade(m)


@pytest.mark.parametrize("m", DEGREES)
def test_the_bounds_for_the_degrees_are_those_of_the_backward_error(m):
    theta, inverse = constants_of(m)
    with mpmath.workdps(100):
        c = backward_error_series(m, 100)
        low = sum(abs(c[k]) * mpmath.mpf(theta) ** (k - 1) for k in range(2 * m + 1, 101))

        first = [abs(x) > 1e-60 for x in c].index(True)

        assert first == 2 * m + 1
        assert float(1 / abs(c[first])) == inverse
        assert low <= 2.0**-53 * (1 + 1e-14 * 2 * m)
        assert m == 13 or low >= 2.0**-53 * (1 - 1e-14 * 2 * m)


# --- The exponential ----------------------------------------------------------------------------


@letters
@pytest.mark.parametrize("turn", [np.triu, np.tril], ids=["upper", "lower"])
def test_the_diagonal_of_a_triangular_exponential_is_that_of_numbers(letter, turn):
    a = turn(random(letter, 6, 6) * np.array([30, 10, 3, 1, 0.1, 0.01])).astype(letter)

    found = linalg.matrix_exp(a)

    wide = np.exp(np.diagonal(a).astype({"f": "d", "F": "D"}.get(letter, letter)))
    assert np.abs(np.diagonal(found) / wide - 1).max() <= 3 * np.finfo(letter).eps
    assert (turn(found) == found).all()


@pytest.mark.parametrize("letter", "dD")
def test_the_superdiagonal_of_a_triangular_exponential_is_right_in_each_entry(letter):
    a = np.triu(random(letter, 6, 6))
    a[np.diag_indices(6)] *= np.array([-30, -30.5, 40, 3, 1e-8, -1e-9])

    found = linalg.matrix_exp(a)

    expected = truth.exponential(a)
    assert entrywise(np.diagonal(found, 1), np.diagonal(expected, 1)) <= 10 * DOUBLE


@pytest.mark.parametrize("size", [1e3, 1e6])
def test_a_matrix_far_from_normal_is_not_halved_too_often(size):
    a = np.array([[1.0, size, 0.0], [0.0, -1.0, size], [1 / size**2, 0.0, 0.5]])

    found = linalg.matrix_exp(a)

    assert distance(found, target=truth.exponential(a)) <= 1e-14 * frobenius(found)


@letters
@pytest.mark.parametrize("size", [1.0, 50.0, 1e4])
def test_the_exponential_of_a_skew_hermitian_matrix_is_unitary(letter, size):
    a = random(letter, 8, 8)
    a = (a - a.conj().T) * np.float32(size / 8)

    found = linalg.matrix_exp(a)

    assert away_from_unitary(found) <= 10 * 8 * (np.finfo(letter).eps + size * DOUBLE)


HUGE = {
    "nilpotent": ([[0, 1e300], [0, 0]], [[1, 1e300], [0, 1]]),
    "vanishing": ([[-1e300, 1e300], [1e299, -1e300]], [[0, 0], [0, 0]]),
    "vanishing triangle": ([[-1e300, 1e308], [0, -2e300]], [[0, 0], [0, 0]]),
    "one vanishing": ([[-1e300, 0], [3, 0]], [[0, 0], [3e-300, 1]]),
    "a diagonal": ([[-1e308, 0], [0, 0]], [[0, 0], [0, 1]]),
}


@pytest.mark.parametrize(("a", "expected"), HUGE.values(), ids=HUGE)
def test_huge_entries_do_not_overflow_on_the_way(a, expected):
    found = linalg.matrix_exp(np.array(a, float))

    np.testing.assert_allclose(found, expected, rtol=4 * DOUBLE, atol=0)


def test_a_hump_beyond_the_largest_number_is_passed():
    a = np.array([[-800.0, 1e300], [0.0, -900.0]])

    found = linalg.matrix_exp(a)

    expected = mpmath.mpf(1e300) * (mpmath.exp(-800) - mpmath.exp(-900)) / 100
    assert abs(found[0, 1] - expected) <= 4 * DOUBLE * expected


INFINITE = {
    "the whole matrix": ([[1e300, 1e300], [1e300, 1e300]], [[np.inf, np.inf], [np.inf, np.inf]]),
    "one entry of a diagonal": ([[710, 0], [0, 0]], [[np.inf, 0], [0, 1]]),
    "one entry of a triangle": (
        [[800, 1e-300], [0, 0]],
        [[np.inf, float(mpmath.exp(800) * mpmath.mpf("1e-300") / 800)], [0, 1]],
    ),
    "all beyond a first number": (
        [[0, 0, 0, 1e260], [0, 0, 0, 1], [0, 0, 0, 1e290], [0, 0, 0, 1e97]],
        [[1, 0, 0, np.inf], [0, 1, 0, np.inf], [0, 0, 1, np.inf], [0, 0, 0, np.inf]],
    ),
    "opposite extremes": ([[-1e308, 1], [0, 1e308]], [[0, np.inf], [0, np.inf]]),
}


@pytest.mark.parametrize(("a", "expected"), INFINITE.values(), ids=INFINITE)
def test_what_is_too_large_is_infinite_and_reported(a, expected):
    with pytest.warns(RuntimeWarning, match="overflow encountered in matrix_exp"):
        found = linalg.matrix_exp(np.array(a, float))

    np.testing.assert_allclose(found, expected, rtol=4 * DOUBLE, atol=0)


def test_overflow_is_reported_as_errstate_asks():
    a = np.diag([1e3, 0.0])

    with np.errstate(over="ignore"):
        assert linalg.matrix_exp(a)[0, 0] == np.inf
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
        linalg.matrix_exp(a)


def test_overflow_of_single_precision_alone_is_one_of_the_cast():
    with pytest.warns(RuntimeWarning, match="overflow encountered in cast"):
        found = linalg.matrix_exp(np.diag([100.0, 0.0]).astype(np.float32))

    assert found.tolist() == [[np.inf, 0], [0, 1]]


def test_small_entries_keep_their_digits_beside_the_ones():
    a = 1e-12 * random("d", 5, 5)

    found = linalg.matrix_exp(a)

    off = ~np.eye(5, dtype=bool)
    assert entrywise(found[off], truth.exponential(a)[off]) <= 100 * DOUBLE


# --- The square root ----------------------------------------------------------------------------


def residual(x, a):
    """‖x x - a‖ in units of the rounding error n eps ‖x‖²."""
    return distance(x, x, target=a) / (frobenius(x) ** 2 * len(a) * DOUBLE)


@pytest.mark.parametrize("letter", "fd")
def test_the_root_of_a_real_matrix_is_real_if_no_eigenvalue_is_negative(letter):
    found = linalg.sqrtm(np.array([[0.0, -1.0], [1.0, 0.0]], letter))

    assert found.dtype.char == letter
    assert np.abs(found - np.array([[1, -1], [1, 1]]) / 2**0.5).max() <= 2 * np.finfo(letter).eps


@pytest.mark.parametrize("letter", "fd")
def test_one_negative_eigenvalue_makes_the_whole_stack_complex(letter):
    found = linalg.sqrtm(np.stack([GOOD, -GOOD, GOOD]).astype(letter))

    alone = linalg.sqrtm(GOOD.astype(letter))
    assert found.dtype.char == letter.upper()
    assert (found[0] == alone).all()
    assert np.abs(found[1] - 1j * alone).max() <= 10 * np.finfo(letter).eps


def test_a_real_matrix_with_eigenvalues_of_every_kind_has_its_root():
    a = np.zeros((6, 6))
    a[:2, :2] = [[1.0, 5.0], [-2.0, 1.0]]  # a pair
    a[2, 2] = -3.0
    a[3:5, 3:5] = [[-4.0, 1.0], [-1.0, -4.0]]  # a pair near the branch cut
    a[5, 5] = 2.0
    basis = np.eye(6) + 0.3 * random("d", 6, 6)
    a = basis @ a @ np.linalg.inv(basis)

    found = linalg.sqrtm(a)

    assert residual(found, a) <= 10
    assert np.linalg.eigvals(found).real.min() > -1e-12


NO_ROOT = {
    "upper": [[0.0, 1.0], [0.0, 0.0]],
    "lower": [[0.0, 0.0], [1e-20, 0.0]],
    "beside others": [[0.0, 2.0, 1.0], [0.0, 1.0, 3.0], [0.0, 0.0, 0.0]],
    "complex": [[0.0, 1j], [0.0, 0.0]],
}


@pytest.mark.parametrize("a", NO_ROOT.values(), ids=NO_ROOT)
def test_a_defective_zero_has_no_root(a):
    words = "linalg.sqrtm: `A` has no square root that is a function of it: its eigenvalue 0 is"

    with pytest.raises(LinAlgError, match=re.escape(words)):
        linalg.sqrtm(np.array(a))


def test_matrices_without_root_are_named():
    bad = np.array(NO_ROOT["upper"])

    with pytest.raises(
        LinAlgError, match=r"`A`\[0, 1\] has no square root .* \(and 1 more of 4\)"
    ) as e:
        linalg.sqrtm(np.array([[GOOD, bad], [bad, GOOD]]))

    assert e.value.indices == [(0, 1), (1, 0)]


x, y, M = np.array([1.0, 2.0]), np.array([3.0, -1.0]), np.array([[1.0, 2.0], [-3.0, 2.0]])
BETWEEN = np.block(
    [[0.0, x @ M, x @ M @ y], [np.zeros((2, 1)), M, (M @ y)[:, None]], [np.zeros(4)]]
)
PROJECTIONS = {
    "zero": np.zeros((3, 3)),
    "diagonal": np.diag([0.0, 1.0, 0.0]),
    "triangular": np.array([[0.0, 0.5, 0.125], [0.0, 1.0, 0.25], [0.0, 0.0, 0.0]]),
    "lower": np.array([[0.0, 0.0, 0.0], [0.25, 1.0, 0.0], [0.125, 0.5, 0.0]]),
    "symmetric": np.full((4, 4), 0.25),
    "oblique": np.outer([1.0, 2.0, 3.0], [0.5, 1.0, -0.5]),
}


@letters
@pytest.mark.parametrize("a", PROJECTIONS.values(), ids=PROJECTIONS)
def test_a_projection_is_its_own_root(letter, a):
    a = a.astype(letter)

    found = linalg.sqrtm(a)

    # An eigenvalue 0 that comes out as eps has the root of eps for its root.
    tolerance = (
        4 * np.finfo(letter).eps if (np.tril(a) == a).all() or (np.triu(a) == a).all() else 1e-7
    )
    assert found.dtype.char == letter
    assert np.abs(found - a).max() <= tolerance


def test_a_zero_that_is_semisimple_but_for_rounding_has_a_root():
    a = np.array([[0.0, 0.1, 0.1 * 0.3], [0.0, 1.0, 0.3], [0.0, 0.0, 0.0]])

    found = linalg.sqrtm(a)

    assert np.abs(found - a).max() <= DOUBLE


def test_zeros_around_a_block_have_the_root_that_shares_their_null_vectors():
    found = linalg.sqrtm(BETWEEN)

    root = linalg.sqrtm(M)
    assert residual(found, BETWEEN) <= 10
    assert np.abs(found[0, 3] - x @ root @ y) <= 100 * DOUBLE * frobenius(found)


@letters
@pytest.mark.parametrize("rank", [1, 3, 6])
def test_the_root_of_a_semidefinite_matrix_is_hermitian_to_the_bit_and_of_its_dtype(letter, rank):
    a = random(letter, 6, rank)
    a = a @ a.conj().T
    a = np.tril(a) + np.tril(a, -1).conj().T

    found = linalg.sqrtm(a)

    assert found.dtype.char == letter
    assert (found == found.conj().T).all()
    one = frobenius(found) ** 2 * 6 * np.finfo(letter).eps
    assert distance(found, found, target=a) <= 10 * one


@pytest.mark.parametrize("letter", "dD")
def test_an_indefinite_hermitian_matrix_has_the_root_of_positive_real_part(letter):
    a = random(letter, 5, 5)
    a = a + a.conj().T

    found = linalg.sqrtm(a)

    roots, w = np.linalg.eigvals(found), np.linalg.eigvalsh(a)
    tolerance = 1e-13 * frobenius(found)
    assert residual(found, a) <= 10
    assert np.abs(np.sort(roots.real) - np.sqrt(w.clip(0))).max() <= tolerance
    assert np.abs(np.sort(-roots.imag) + np.sqrt((-w).clip(0))).max() <= tolerance


@pytest.mark.parametrize("scale", [1e300, 1e-300, 4.0**505, 4.0**-500])
@pytest.mark.parametrize("letter", "dD")
def test_very_large_and_small_matrices_keep_their_digits(letter, scale):
    a = random(letter, 4, 4) + 8 * np.eye(4)

    found = linalg.sqrtm(a * scale)

    plain = linalg.sqrtm(a)
    assert np.abs(found / scale**0.5 - plain).max() <= 100 * DOUBLE * frobenius(plain)


def test_tiny_eigenvalues_of_a_triangular_matrix_are_not_rounded_to_zero():
    found = linalg.sqrtm(np.array([[1.0, 2.0, 0.0], [0.0, -1e-40, 0.0], [0.0, 0.0, 1e-50]]))

    np.testing.assert_allclose(np.diagonal(found), [1, 1e-20j, 1e-25], rtol=1e-15, atol=0)


def test_an_entry_of_a_diagonal_block_of_its_own_is_left_alone():
    a = np.array([[4.0, 0, 0], [0, 2.0, 1j], [0, -1j, 2.0]])

    found = linalg.sqrtm(a)

    assert residual(found, a) <= 10


def test_equal_negative_eigenvalues_have_equal_roots_on_either_side_of_the_cut():
    a = np.array([[-1.0, 1.0], [0.0, complex(-1.0, -0.0)]])

    found = linalg.sqrtm(a)

    assert np.abs(found - np.array([[1j, -0.5j], [0, 1j]])).max() <= DOUBLE


# --- Rows and columns of very different size ------------------------------------------------------


@pytest.mark.parametrize("bits", [30, 100, 300, 600])
@pytest.mark.parametrize("letter", "dD")
def test_the_exponential_of_a_badly_scaled_matrix_is_right_in_every_entry(letter, bits):
    b = random(letter, 4, 4)
    scale = np.ldexp(1.0, np.array([-bits // 2, 0, bits // 3, bits // 2]))

    found = linalg.matrix_exp(b * scale[:, None] / scale)

    assert entrywise(found / scale[:, None] * scale, truth.exponential(b)) < 1e-13


def test_a_rotation_between_huge_and_tiny_axes_is_one_of_angle_one():
    found = linalg.matrix_exp(np.array([[0.0, 2.0**600], [-(2.0**-600), 0.0]]))

    expected = np.array([[np.cos(1), np.sin(1) * 2.0**600], [-np.sin(1) * 2.0**-600, np.cos(1)]])
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_a_badly_scaled_matrix_leaves_the_others_of_its_stack_alone():
    plain = np.array([[1.0, 2.0], [3.0, 4.0]])

    found = linalg.matrix_exp(np.stack([plain, [[1, 1e50], [1e-50, 2]], plain]))

    assert found[0].tobytes() == found[2].tobytes() == linalg.matrix_exp(plain).tobytes()
