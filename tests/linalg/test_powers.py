"""Powers of matrices and of numbers: what overflows, and how precise they are."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

import fake_gpu
from numerics import linalg
from numerics._core import layers

from oracle import linalg as truth

INTEGERS = "bBhHiIlLqQ"
FIBONACCI = np.array([[1, 1], [1, 0]])
ROTATION = np.array([[0, -1], [1, 1]])  # of order 6
# Of finite order too, but the power of its magnitudes leaves the range of floats.
COMPANION = np.array([[0, 0, 0, -1], [1, 0, 0, -1], [0, 1, 0, -1], [0, 0, 1, -1]])
NILPOTENT = np.array([[1, -1], [1, -1]])
# The identity and u vᵀ with vᵀu = 0: the products of 2^106 that cancel in its square are rounded.
SHEAR = np.eye(3, dtype=int) + np.outer(
    [12345677, 23456789, -34567891], np.cross([12345677, 23456789, -34567891], [3, 5, 7])
)


def exact_power(a, n):
    """A power in Python's integers."""
    result = np.eye(len(a), dtype=int).astype(object)
    for _ in range(n):
        result = result @ a.astype(object)
    return result


def fits(a, dtype):
    limits = np.iinfo(dtype)
    return all(limits.min <= x <= limits.max for x in np.ravel(a))


def reports_overflow(function, *args, **kwargs):
    """The result of a call, and whether it warned of overflow."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*args, **kwargs)
    name = function.__name__
    assert {str(w.message) for w in caught} <= {f"overflow encountered in {name}"}
    return result, bool(caught)


@st.composite
def integer_matrices(draw):
    """Small matrices of integers of any width, with entries of any size."""
    dtype = np.dtype(draw(st.sampled_from(INTEGERS)))
    limits = np.iinfo(dtype)
    peak = draw(st.sampled_from([1, 2, 3, 10, 1000, limits.max]))
    entries = st.integers(max(limits.min, -peak), min(limits.max, peak))
    m = draw(st.integers(1, 4))
    rows = st.lists(st.lists(entries, min_size=m, max_size=m), min_size=m, max_size=m)
    return np.array(draw(rows), dtype)


@given(integer_matrices(), st.integers(2, 70))
def test_overflow_is_reported_exactly_if_the_power_does_not_fit(a, n):
    _, is_reported = reports_overflow(linalg.matrix_power, a, n)

    assert is_reported == (not fits(exact_power(a, n), a.dtype))


@given(integer_matrices(), st.integers(0, 70))
def test_a_power_of_integers_is_that_of_numpy(a, n):
    result, _ = reports_overflow(linalg.matrix_power, a, n)

    expected = np.linalg.matrix_power(a, n)
    assert (result.dtype, result.tolist()) == (expected.dtype, expected.tolist())


@pytest.mark.parametrize("letter", INTEGERS)
@pytest.mark.parametrize("offset", [-1, 0])
def test_the_last_power_that_fits_is_told_from_the_next(letter, offset):
    limits = np.iinfo(letter)
    n = limits.bits - (limits.min < 0) + offset

    _, is_reported = reports_overflow(linalg.matrix_power, np.array([[2]], letter), n)

    assert is_reported == (offset == 0)


@pytest.mark.parametrize("letter", "bhilq")
def test_the_lowest_integer_fits_though_its_magnitude_does_not(letter):
    n = np.iinfo(letter).bits - 1

    result, is_reported = reports_overflow(linalg.matrix_power, np.array([[-2]], letter), n | 1)

    assert (int(result[0, 0]), is_reported) == (np.iinfo(letter).min, False)


@pytest.mark.parametrize(
    ("a", "n", "is_over"),
    [
        (FIBONACCI, 91, False),
        (FIBONACCI, 92, True),
        (FIBONACCI, 2000, True),
        (ROTATION, 6 * 10**5, False),
        (COMPANION, 5 * 10**6, False),
        (COMPANION, 10**30, False),
        (NILPOTENT, 5000, False),
        (NILPOTENT * 2**40, 2, False),
        (SHEAR, 2, False),
        (SHEAR, 400, False),
        (SHEAR, 4000, True),
        (np.array([[2**32, -(2**32)], [2**32, 2**32]]), 2, True),
        (np.array([[1, 1], [0, 1]]), 10**18, False),
        (np.array([[1, 1], [0, 1]]), 10**30, True),
        (np.array([[1, -1], [0, 1]]), 10**30, True),
        (np.array([[0, 1], [-1, 0]]), 10**30, False),
        (np.array([[2, 1], [-1, 2]]), 5000, True),
        (np.diag([2, -2]) * 1048573, 5000, True),
        (np.array([[0]]), 10**30, False),
        (np.array([[-1]]), 10**400, False),
    ],
)
def test_overflow_of_large_powers_and_of_what_cancels(a, n, is_over):
    _, is_reported = reports_overflow(linalg.matrix_power, a, n)

    assert is_reported == is_over


def test_one_matrix_of_a_stack_that_overflows_is_reported():
    stack = np.stack([ROTATION, FIBONACCI, ROTATION])

    _, is_reported = reports_overflow(linalg.matrix_power, stack, 92)

    assert is_reported


@pytest.mark.parametrize("n", [0, 1, 92])
@pytest.mark.parametrize("shape", [(0, 2, 2), (3, 0, 0), (0, 0)])
def test_empty_stacks_and_matrices_do_not_overflow(shape, n):
    result, is_reported = reports_overflow(linalg.matrix_power, np.zeros(shape, int), n)

    assert (result.shape, is_reported) == (shape, False)


@pytest.mark.parametrize("n", [0, 1])
def test_the_powers_zero_and_one_do_not_overflow(n):
    _, is_reported = reports_overflow(linalg.matrix_power, np.full((2, 2), -128, np.int8), n)

    assert not is_reported


def test_powers_of_bool_are_paths_and_do_not_overflow():
    result, is_reported = reports_overflow(linalg.matrix_power, FIBONACCI.astype(bool), 500)

    assert result.dtype == bool
    assert result.all()
    assert not is_reported


def test_powers_of_objects_are_exact():
    result, is_reported = reports_overflow(linalg.matrix_power, FIBONACCI.astype(object), 120)

    assert result[0, 1] == 5358359254990966640871840
    assert not is_reported


@pytest.mark.parametrize("function", [linalg.matrix_power, linalg.vander])
def test_errstate_says_what_happens_on_overflow(function):
    heard = []
    call = {
        "matrix_power": lambda: function(FIBONACCI, 95),
        "vander": lambda: function([2], N=80),
    }[function.__name__]

    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow encounter"):
        call()
    with np.errstate(over="call", call=lambda kind, flag: heard.append((kind, flag))):
        call()
    with np.errstate(over="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        call()

    assert heard == [("overflow", 2)]


def test_the_warning_points_at_the_caller():
    with pytest.warns(RuntimeWarning, match="overflow encountered in matrix_power") as caught:
        linalg.matrix_power(FIBONACCI, 95)

    assert caught[0].filename == __file__


def test_overflow_is_noticed_under_a_layer():
    seen = []

    def watch(op, arrays, static, next):
        seen.append(op.name)
        return next(op, arrays, static)

    with layers.here("profiler", watch):
        _, is_reported = reports_overflow(linalg.matrix_power, FIBONACCI, 95)

    assert is_reported
    assert set(seen) == {"linalg.matmul"}


@pytest.mark.parametrize(
    ("a", "n", "is_over"),
    [(FIBONACCI, 91, False), (FIBONACCI, 92, True), (COMPANION, 5 * 10**6, False)],
)
def test_overflow_is_reported_of_arrays_on_a_gpu(a, n, is_over):
    with fake_gpu.installed() as cupy:
        _, is_reported = reports_overflow(linalg.matrix_power, cupy.asarray(a), n)

    assert is_reported == is_over


# --- Vandermonde matrices -----------------------------------------------------------------------

ULPS = 1.0  # the promise: one of the power's magnitude


def ulps(x, powers):
    """Largest error of a Vandermonde matrix in units in the last place of |x|ᵏ."""
    tiny = float(np.finfo(powers.dtype).smallest_subnormal)
    eps = float(np.finfo(powers.dtype).eps)
    worst = 0.0
    with mp.workprec(400):
        for i, base in enumerate(truth.exact(x)):
            for k, found in enumerate(truth.exact(powers[i])):
                expected = base**k
                unit = max(eps * 2.0 ** mp.floor(mp.log(abs(expected), 2)), tiny)
                worst = max(worst, float(abs(found - expected) / unit))
    return worst


def numbers(letter, count=12, spread=0.05):
    """Numbers near the unit circle, whose high powers neither vanish nor overflow."""
    rng = np.random.default_rng(7)
    real = 1 + spread * rng.standard_normal(count)
    phases = np.exp(2j * np.pi * rng.random(count))
    turned = real * (phases if letter in "FDG" else np.sign(phases.real))
    return turned.astype(letter)


@pytest.mark.parametrize("letter", "fdgFDG")
def test_every_power_is_right_to_one_unit_in_the_last_place(letter):
    x = numbers(letter)

    powers = linalg.vander(x, N=300)

    assert powers.dtype == letter
    assert ulps(x, powers) <= ULPS


@pytest.mark.parametrize("letter", "eFD")
def test_powers_are_right_where_they_overflow_or_underflow_at_last(letter):
    x = numbers(letter, count=6, spread=0.9)

    with np.errstate(all="ignore"):
        powers = linalg.vander(x, N=20 if letter == "e" else 120)

    assert ulps(x, powers) <= ULPS


@pytest.mark.parametrize("letter", "dD")
@pytest.mark.parametrize("count", [9, 1500, 2300])
def test_powers_of_double_precision_are_right_on_the_way_out_of_the_range(letter, count):
    x = np.array([-(2.0 ** (1020 / count)), 0.7, -0.62, 1e-3, 1e-300]).astype(letter)
    x = x * (0.8 + 0.6j if letter == "D" else 1)

    with np.errstate(all="ignore"):
        powers = linalg.vander(x, N=count)

    assert ulps(x, powers) <= ULPS


@pytest.mark.parametrize("letter", "fdFD")
def test_powers_of_a_number_are_the_same_alone_and_in_any_company(letter):
    x = np.concatenate([numbers(letter, count=19), np.array([0, 1e-30, np.inf, 1e30], letter)])

    with np.errstate(all="ignore"):
        together = linalg.vander(x, N=40)
        alone = [linalg.vander(x[i : i + 1], N=40)[0] for i in range(len(x))]

    assert together.tobytes() == np.array(alone).tobytes()


def test_high_powers_of_a_complex_number_on_the_unit_circle_stay_there():
    z = np.array([0.6 + 0.8j])

    power = linalg.vander(z, N=100_001)[0, -1]

    with mp.workprec(400):
        expected = truth.exact(z)[0] ** 100_000
    assert abs(mp.mpc(power) - expected) <= 2.0**-53 * abs(expected) * 1.5


@pytest.mark.parametrize("letter", "dDgG")
@pytest.mark.parametrize("base", [2.0**-500, 2.0**500])
def test_powers_reach_to_the_ends_of_the_range(letter, base):
    powers = linalg.vander(np.array([base], letter), N=3)

    assert powers[0].tolist() == [1, base, np.array(base, letter) ** 2]


def test_the_product_of_parts_of_a_complex_number_does_not_overflow_before_the_power():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        powers = linalg.vander([(1 + 1j) * 2.0**340], N=4)

    assert powers[0, 3] == (-2 + 2j) * 2.0**1020


@pytest.mark.parametrize("letter", "efdg")
def test_odd_powers_have_the_sign_of_their_base_that_of_zero_too(letter):
    powers = linalg.vander(np.array([-2, -0.0, -np.inf], letter), N=4)

    assert np.signbit(powers).tolist() == [[False, True, False, True]] * 3
    assert powers[0].tolist() == [1, -2, 4, -8]


@pytest.mark.parametrize("letter", "efdFD")
def test_a_float_power_that_becomes_infinite_is_reported(letter):
    x = np.array([np.finfo(letter).max / 2], letter)

    result, is_reported = reports_overflow(linalg.vander, x, N=3)

    assert np.isinf(result[0, 2])
    assert np.isfinite(result[0, 1])
    assert is_reported


@pytest.mark.parametrize("letter", "efdgFDG")
def test_infinity_and_nan_overflow_nothing_and_have_the_power_one(letter):
    result, is_reported = reports_overflow(linalg.vander, np.array([np.inf, np.nan], letter), N=3)

    assert result[:, 0].tolist() == [1, 1]
    assert np.isinf(result[0, 1])
    assert np.isnan(result[1, 1:]).all()
    assert not is_reported


@pytest.mark.parametrize("letter", "?bBhHiIlLqQ")
def test_integers_stay_integers(letter):
    powers = linalg.vander(np.array([0, 1], letter), N=4)

    assert powers.dtype == (np.uint64 if letter in "BHILQ" else np.int64)
    assert powers.tolist() == [[1, 0, 0, 0], [1, 1, 1, 1]]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=4), st.integers(0, 140))
def test_overflow_of_integers_is_reported_exactly_if_a_power_does_not_fit(x, count):
    result, is_reported = reports_overflow(linalg.vander, np.array(x), N=count)

    expected = [[base**k for k in range(count)] for base in x]
    wrapped = [[(p + 2**63) % 2**64 - 2**63 for p in row] for row in expected]
    assert result.tolist() == wrapped
    assert is_reported == (not fits(np.array(expected, object), np.int64))


@given(
    st.lists(st.integers(-3, 3) | st.integers(-(2**22), 2**22), min_size=1, max_size=3),
    st.integers(0, 66),
)
def test_overflow_of_small_integers_is_reported_too(x, count):
    _, is_reported = reports_overflow(linalg.vander, np.array(x), N=count)

    expected = [base**k for base in x for k in range(count)]
    assert is_reported == (not fits(np.array(expected, object), np.int64))


@pytest.mark.parametrize(("count", "is_over"), [(64, False), (65, True)])
def test_unsigned_integers_have_all_their_bits(count, is_over):
    result, is_reported = reports_overflow(linalg.vander, np.array([2], np.uint8), N=count)

    assert int(result[0, 63]) == 2**63
    assert is_reported == is_over


def test_powers_of_objects_are_their_own_products():
    powers = linalg.vander(np.array([Fraction(1, 3), 10**30], object), N=4)

    assert powers.tolist() == [
        [1, Fraction(1, 3), Fraction(1, 9), Fraction(1, 27)],
        [1, 10**30, 10**60, 10**90],
    ]


@pytest.mark.parametrize("letter", "?ldDO")
@pytest.mark.parametrize(
    ("shape", "options", "expected"),
    [
        ((3,), {}, (3, 3)),
        ((2, 3), {}, (2, 3, 3)),
        ((2, 3), {"N": 5}, (2, 3, 5)),
        ((3,), {"N": 1}, (3, 1)),
        ((3,), {"N": 0}, (3, 0)),
        ((0,), {}, (0, 0)),
        ((0,), {"N": 2}, (0, 2)),
        ((0, 3), {"N": np.int8(2)}, (0, 3, 2)),
    ],
)
def test_there_is_one_row_per_number_and_one_column_per_power(letter, shape, options, expected):
    assert linalg.vander(np.ones(shape, letter), **options).shape == expected


def test_strides_and_byte_order_do_not_matter():
    x = np.array([3.0, 0.0, 2.0, 0.0], ">f8")[::-2]

    assert linalg.vander(x, N=3).tolist() == [[1, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize(
    ("x", "count", "error", "text"),
    [
        ([1.0], -1, ValueError, "`N` must not be negative, but it is -1"),
        ([1.0], 2.0, TypeError, "`N` must be an integer, not float"),
        (1.0, 2, linalg.LinAlgError, "0-dimensional array given. Array must be at least one-dim"),
        (["a"], 2, TypeError, "`x` has dtype str"),
    ],
)
def test_vander_names_what_is_wrong(x, count, error, text):
    with pytest.raises(error, match=f"linalg.vander: {text}"):
        linalg.vander(x, N=count)


@pytest.mark.parametrize("letter", "dflDF")
def test_vander_of_a_gpu_array_stays_there(letter):
    x = np.array([1, 2, 3]).astype(letter)

    with fake_gpu.installed() as cupy:
        powers = linalg.vander(cupy.asarray(x), N=6)

        assert isinstance(powers, cupy.ndarray)
    assert powers.get().tolist() == linalg.vander(x, N=6).tolist()
    assert powers.dtype == letter
