"""Norms and condition numbers at the ends of the range of numbers, and what they do with NaN."""

import numpy as np
import pytest
from numpy import inf, nan

from numerics import _kernels, linalg

REAL_OF = {"f": "f", "d": "d", "F": "f", "D": "d", "g": "g", "G": "g"}
by_letter = pytest.mark.parametrize("letter", REAL_OF)
by_double = pytest.mark.parametrize("letter", "dD")


def ends(letter):
    """Exponents at which 3-4-5 is exact: huge, with lost squares, and subnormal."""
    limits = np.finfo(letter)
    return limits.maxexp - 4, limits.minexp // 2 - 20, limits.minexp - limits.nmant


def triple(letter, exponent):
    """3·2^exponent and 4·2^exponent, the latter imaginary if it can be, and their 2-norm."""
    three, four, five = np.ldexp(np.array([3, 4, 5], REAL_OF[letter]), exponent)
    parts = [three, 1j * four] if letter in "FDG" else [three, -four]
    return np.array(parts, letter), five


@pytest.fixture(autouse=True)
def _healthy_input_raises_nothing():
    with np.errstate(all="raise"):
        yield


# --- Exact at every scale -----------------------------------------------------------------------


@pytest.mark.parametrize("which", [0, 1, 2])
@by_letter
def test_a_triple_is_exact_at_every_scale(letter, which):
    x, five = triple(letter, ends(letter)[which])

    result = linalg.norm(x)

    assert result == five
    assert result.dtype == five.dtype


@pytest.mark.parametrize("which", [0, 1, 2])
@by_letter
def test_every_vector_of_a_stack_has_its_own_scale(letter, which):
    plain, scaled = triple(letter, 0), triple(letter, ends(letter)[which])
    x = np.stack([plain[0], scaled[0], plain[0]])

    assert linalg.norm(x, axis=1).tolist() == [plain[1], scaled[1], plain[1]]
    assert linalg.norm(np.ascontiguousarray(x.T), axis=0).tolist() == [
        plain[1],
        scaled[1],
        plain[1],
    ]


@pytest.mark.parametrize("which", [0, 1, 2])
@by_letter
def test_the_frobenius_norm_is_exact_at_every_scale(letter, which):
    x, five = triple(letter, ends(letter)[which])

    assert linalg.matrix_norm(np.diag(x)) == five
    assert linalg.norm(np.diag(x)[::-1], "fro") == five


@pytest.mark.parametrize("ord", [1, -1, inf, -inf])
@pytest.mark.parametrize("which", [0, 1, 2])
@by_letter
def test_row_and_column_sums_are_exact_at_every_scale(letter, which, ord):
    exponent = ends(letter)[which]
    unit = np.ldexp(np.ones((), REAL_OF[letter]), exponent)
    x = np.array([[1, 2], [3, 0]], letter) * unit
    expected = {1: 4, -1: 2, inf: 3, -inf: 3}[ord]

    assert linalg.norm(x, ord) == expected * unit


@pytest.mark.parametrize("ord", [1, inf, -inf, 3, -2])
@by_letter
def test_a_complex_magnitude_neither_overflows_nor_underflows(letter, ord):
    for_one = [triple(letter, exponent) for exponent in ends(letter)]
    if letter not in "FDG":
        for_one = [(five[None], five) for _, five in for_one]
    else:
        for_one = [(x.sum(keepdims=True), five) for x, five in for_one]

    assert [linalg.norm(x, ord) for x, _ in for_one] == [five for _, five in for_one]


@pytest.mark.parametrize("ord", [3, 2.5, 0.5, -1, -3, 1.7, -0.3, 700])
@pytest.mark.parametrize("exponent", [1000, -600, -1050])
@by_double
def test_other_powers_do_not_depend_on_the_scale(letter, exponent, ord):
    x = np.array([1, 2, 5], letter)

    result = linalg.norm(x * 2.0**exponent, ord)

    expected = float(linalg.norm(x, ord)) * 2.0**exponent
    assert abs(float(result) - expected) <= max(4e-16 * expected, 5e-324)


@pytest.mark.parametrize("ord", [2, 1, inf, -inf, 0, 3])
def test_what_is_small_beside_something_large_is_not_lost_from_its_own_norm(ord):
    x = np.array([[1e300, 1e300], [1e-300, 1e-300]])

    result = linalg.norm(x, ord, axis=1)

    scales = 1 if ord == 0 else np.array([1e300, 1e-300])
    np.testing.assert_allclose(result / scales, linalg.norm(np.ones(2), ord), rtol=1e-15)


@pytest.mark.parametrize("size", [1, 31, 32, 33, 64, 511, 512, 513, 5000])
@by_letter
def test_ones_are_counted_exactly_at_every_length(letter, size):
    x = np.ones(size, letter)

    assert linalg.norm(x, 1) == size
    assert linalg.norm(x, 0) == size
    assert linalg.norm(x) == np.sqrt(np.array(size, REAL_OF[letter]))


# --- Overflow -----------------------------------------------------------------------------------

TOO_LARGE = {
    "2": lambda: linalg.norm(np.full(4, 1.5e308)),
    "1": lambda: linalg.norm(np.full(4, 1.5e308), 1),
    "3": lambda: linalg.norm(np.full(40, 1.5e308), 3),
    "inf": lambda: linalg.norm(np.array([1.5e308 + 1.5e308j]), inf),
    "fro": lambda: linalg.norm(np.full((2, 2), 1.5e308), "fro"),
    "columns": lambda: linalg.norm(np.full((2, 2), 1.5e308), 1),
    "axis": lambda: linalg.norm(np.full((9, 9), 1.5e308), axis=0)[0],
    "single": lambda: linalg.norm(np.full(4, 3e38, "f")),
    "half": lambda: linalg.norm(np.full(4, 6e4, "e")),
    "extended": lambda: linalg.norm(np.full(4, np.finfo("g").max)),
}


@pytest.mark.parametrize("call", TOO_LARGE.values(), ids=TOO_LARGE)
def test_a_norm_that_is_no_number_is_an_overflow(call):
    with pytest.raises(FloatingPointError, match="overflow encountered in"):
        call()


@pytest.mark.parametrize("call", TOO_LARGE.values(), ids=TOO_LARGE)
def test_an_overflow_that_is_ignored_is_infinite(call):
    with np.errstate(over="ignore"):
        assert call() == inf


def test_an_overflowing_column_is_none_if_another_is_the_smallest():
    x = np.array([[1.5e308, 1.0], [1.5e308, 2.0]])

    assert linalg.norm(x, -1) == 3


# --- NaN and infinity ---------------------------------------------------------------------------


@pytest.mark.parametrize("ord", [2, 1, inf, -inf, 3, -1, 0.5])
@pytest.mark.parametrize("place", [0, 1, 40])
@by_letter
def test_nan_stays(letter, place, ord):
    x = np.arange(50).astype(letter)
    x[place] = nan

    with np.errstate(invalid="ignore"):
        assert np.isnan(linalg.norm(x, ord))


@pytest.mark.parametrize("ord", ["fro", 1, -1, inf, -inf])
@by_letter
def test_nan_in_a_matrix_stays(letter, ord):
    x = np.ones((3, 40, 41), letter)
    x[1, 20, 30] = nan

    with np.errstate(invalid="ignore"):
        result = linalg.matrix_norm(x, ord=ord)

    assert np.isnan(result).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("x", "ord", "expected"),
    [
        ([inf, 1], 2, inf),
        ([-inf, nan], 2, nan),
        ([inf, 1], 3, inf),
        ([inf, 1], -1, 1),
        ([inf, inf], -1, inf),
        ([inf, 0], -2, 0),
        ([complex(inf, nan)], 1, inf),
        ([complex(inf, nan)], 2, nan),
        ([complex(nan, -inf), nan], inf, nan),
        ([complex(nan, -inf), 2], -inf, 2),
        ([nan, 0, 1], 0, 2),
        ([0, 0], -1, 0),
        ([0, 0], 0.5, 0),
        ([], -1, inf),
        ([], 3, 0),
        ([], inf, 0),
    ],
)
def test_infinity_zero_and_nothing_give_what_numpy_gives(x, ord, expected):
    np.testing.assert_equal(linalg.vector_norm(np.array(x), ord=ord), expected)


@pytest.mark.parametrize("letter", "efdFDgG")
def test_the_smallest_of_nothing_is_an_error(letter):
    with pytest.raises(ValueError, match="zero-size array to reduction operation minimum"):
        linalg.norm(np.zeros((3, 0), letter), -inf, axis=1)


@pytest.mark.parametrize("ord", [-1, -inf])
def test_a_stack_of_no_matrices_has_no_norm(ord):
    shape = (0, 3, 0) if ord == -1 else (0, 0, 3)

    assert linalg.matrix_norm(np.zeros(shape), ord=ord).shape == (0,)


# --- Half precision -----------------------------------------------------------------------------


@pytest.mark.parametrize("ord", [2, 1, inf, -inf, 3, "fro"])
def test_half_precision_stays_half_and_does_not_overflow_on_the_way(ord):
    x = np.array([[2e4, 0], [0, 3e4]], "e")
    x = x if ord == "fro" else np.diag(x)

    result = linalg.norm(x, ord)

    assert result.dtype == np.float16
    assert result == np.linalg.norm(x.astype("d"), ord).astype("e")


def test_the_smallest_half_is_its_own_norm():
    assert linalg.norm(np.array([6e-8, 0], "e")) == np.float16(6e-8)


# --- Bits ---------------------------------------------------------------------------------------

SHAPES = [(5, 3), (70, 9), (3, 200), (130, 131), (2, 1000)]
ORDERS = [2, 1, inf, -inf, 0, 3, 2.7, -1]


def drawn(shape, letter):
    rng = np.random.default_rng(sum(shape))
    x = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    return (x if letter in "FDG" else x.real).astype(letter)


def apart(x):
    """The same numbers with gaps, backwards."""
    wide = np.zeros([2 * n for n in x.shape], x.dtype)
    gaps = wide[tuple(slice(None, None, -2) for _ in x.shape)]
    gaps[...] = x
    return gaps


@pytest.mark.parametrize("ord", ORDERS)
@pytest.mark.parametrize("shape", SHAPES)
@by_letter
def test_a_vector_has_the_same_norm_alone_in_a_stack_and_in_any_layout(letter, shape, ord):
    x = drawn(shape, letter)
    alone = [linalg.norm(row, ord) for row in x]

    layouts = [x, np.asfortranarray(x), apart(x), apart(np.asfortranarray(x).T).T]

    assert [linalg.norm(each, ord, axis=1).tolist() for each in layouts] == 4 * [alone]
    assert linalg.norm(np.ascontiguousarray(x.T), ord, axis=0).tolist() == alone


@pytest.mark.parametrize("ord", ["fro", 1, -1, inf, -inf])
@pytest.mark.parametrize("shape", SHAPES)
@by_letter
def test_a_matrix_has_the_same_norm_alone_and_in_a_stack(letter, shape, ord):
    x = drawn((4, *shape), letter)
    alone = [linalg.norm(matrix, ord) for matrix in x]

    layouts = [x, apart(x), x[:, :, :].copy()]

    assert [linalg.matrix_norm(each, ord=ord).tolist() for each in layouts] == 3 * [alone]
    assert linalg.norm(x.transpose(1, 0, 2).copy(), ord, axis=(0, 2)).tolist() == alone


@pytest.mark.parametrize("isa", _kernels.instruction_sets())
@pytest.mark.parametrize("ord", ORDERS)
@pytest.mark.parametrize("letter", "fdFD")
def test_every_instruction_set_gives_the_same_bits(letter, ord, isa):
    x = drawn((70, 131), letter)
    used = _kernels.instruction_set()
    expected = [linalg.norm(x, ord, axis=axis).tolist() for axis in (0, 1)]

    _kernels.use_instruction_set(isa)
    try:
        found = [linalg.norm(x, ord, axis=axis).tolist() for axis in (0, 1)]
    finally:
        _kernels.use_instruction_set(used)

    assert found == expected


@pytest.mark.parametrize("axis", [None, 0, 2, (0, 2), (1, 0, 2), (2, 1, 0)])
@pytest.mark.parametrize("ord", [2, 1, inf, 3])
@pytest.mark.parametrize("keepdims", [False, True])
@by_letter
def test_axes_and_kept_dimensions_are_those_of_numpy(letter, keepdims, ord, axis):
    x = drawn((3, 4, 5), letter)

    result = linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)

    expected = np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
    np.testing.assert_allclose(result, expected, rtol=1e-6 if letter in "fF" else 1e-14)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)


# --- Condition numbers --------------------------------------------------------------------------

CONDITIONS = [None, 2, -2, 1, -1, inf, -inf, "fro", "nuc"]
by_p = pytest.mark.parametrize("p", CONDITIONS)
A = np.array([[4.0, 1.0, 2.0], [0.0, 3.0, 1.0], [1.0, 1.0, 5.0]])


@pytest.mark.parametrize("exponent", [1018, 600, -600, -1015])
@by_p
@by_double
def test_a_condition_number_does_not_depend_on_the_scale(letter, p, exponent):
    a = A.astype(letter)

    result = linalg.cond(a * 2.0**exponent, p)

    np.testing.assert_allclose(result, linalg.cond(a, p), rtol=1e-13)


@pytest.mark.parametrize("c", [1e200, 1.0, 1e-170, 1e-320, 1e308])
@pytest.mark.parametrize(("p", "expected"), [("fro", 3), ("nuc", 9), (1, 1), (2, 1), (-1, 1)])
def test_the_condition_of_a_multiple_of_the_identity_is_known(c, p, expected):
    assert linalg.cond(c * np.eye(3), p) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("p", [None, 1, inf])
def test_a_condition_number_of_far_apart_entries_is_right(p):
    assert linalg.cond(np.diag([1e-100, 1e-320]), p) == pytest.approx(1e-100 / 1e-320, rel=1e-10)
    assert linalg.cond(np.diag([1e308, 1e8]), p) == pytest.approx(1e300, rel=1e-10)


@by_p
def test_singular_and_nan_matrices_of_a_stack_speak_for_themselves(p):
    with_nan = np.eye(3)
    with_nan[0, 1] = nan
    stack = np.stack([A, np.zeros((3, 3)), with_nan, A * 1e200])

    result = linalg.cond(stack, p)

    good = linalg.cond(A, p)
    singular = [inf] if p != -2 else [result[1]]
    np.testing.assert_allclose(result, [good, *singular, nan, good], rtol=1e-13)


@by_p
def test_the_condition_of_nan_is_nan(p):
    result = linalg.cond(np.full((2, 2), nan), p)

    assert isinstance(result, np.float64)
    assert np.isnan(result)


@pytest.mark.parametrize("p", [None, 1, "fro"])
def test_single_precision_conditions_are_those_of_double_rounded_once(p):
    a = drawn((4, 3, 3), "f") * np.float32(1e-30)

    result = linalg.cond(a, p)

    assert result.dtype == np.float32
    assert result.tolist() == linalg.cond(a.astype("d"), p).astype("f").tolist()
