"""The error function's relatives: edges, overflow, subnormal results, and the same bits always."""

import numpy as np
import pytest

from numerics import _kernels
from numerics.special import erfcx

from oracle import special as truth

# erfcx(x) is the largest double near -26.6287357137514…; bisected between the two neighbours.
LAST_FINITE = -26.628735713751489
POINTS = np.concatenate(
    [
        np.linspace(-27, 30, 4001),
        -np.logspace(-320, 1, 500),
        np.logspace(-320, 308, 1500),
        [0.0, -0.0, np.inf, -np.inf, np.nan],
    ]
)


@pytest.fixture(params=_kernels.instruction_sets())
def instruction_set(request):
    """Each instruction set of this machine in turn; the one in use comes back afterwards."""
    before = _kernels.instruction_set()
    _kernels.use_instruction_set(request.param)
    yield request.param
    _kernels.use_instruction_set(before)


def bits(x):
    return np.ascontiguousarray(x).tobytes()


# --- Edges --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("x", "expected"),
    [(0.0, 1.0), (-0.0, 1.0), (np.inf, 0.0), (-np.inf, np.inf), (-1e30, np.inf), (-27.0, np.inf)],
)
def test_exact_values(x, expected, dtype):
    with np.errstate(over="ignore"):
        y = erfcx(dtype(x))

    assert y == expected
    assert y.dtype == dtype
    assert not np.signbit(y)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_nan_gives_nan(dtype):
    assert np.isnan(erfcx(dtype(np.nan)))


def test_the_last_argument_before_overflow_is_finite():
    edge = bisected(lambda x: np.isfinite(plain(x)), -27.0, -26.0)

    assert abs(truth.erfcx(edge)) <= np.finfo(float).max
    assert abs(edge - LAST_FINITE) < 1e-13
    assert plain(np.nextafter(edge, -np.inf)) == np.inf


def test_the_last_argument_before_overflow_is_finite_in_single_precision():
    edge = bisected(lambda x: np.isfinite(plain(np.float32(x))), -10.0, -9.0)

    beyond = np.nextafter(np.float32(edge), np.float32(-np.inf))
    assert plain(np.float32(edge)) < np.inf
    assert float(truth.erfcx(beyond)) > 0.999999 * float(np.finfo(np.float32).max)


def plain(x):
    with np.errstate(all="ignore"):
        return erfcx(x)


def bisected(is_good, bad, good):
    """The last good number on the way from `good` to `bad`."""
    while True:
        middle = (bad + good) / 2
        if middle in (bad, good):
            return good
        bad, good = (bad, middle) if is_good(middle) else (middle, good)


@pytest.mark.parametrize(
    "x", [5e-324, -5e-324, 2.3e-308, 1e-300, 1e8, 1e154, 1e300, 1.7e308, -26.6, -26.0, 25.0]
)
def test_extreme_arguments_are_right_to_two_ulp(x):
    assert truth.ulp_error(erfcx(x), truth.erfcx(x)) <= 2


@pytest.mark.parametrize("x", [1e37, 5e37, 2e38, 3.4e38])
def test_subnormal_results_are_right_in_single_precision(x):
    x = np.float32(x)

    with np.errstate(under="ignore"):
        y = erfcx(x)

    assert truth.ulp_error(y, truth.erfcx(float(x))) <= 1


# --- Bits ---------------------------------------------------------------------------------------

WAYS = {
    "one by one": lambda x: np.array([plain(float(value)) for value in x]),
    "through NumPy": lambda x: plain(x[:, None])[:, 0],
    "strided": lambda x: plain(np.repeat(x, 3)[::3]),
    "reversed": lambda x: plain(x[::-1])[::-1],
    "other byte order": lambda x: plain(x.astype(">f8")),
    "offset by one": lambda x: plain(np.concatenate([[1.0], x])[1:]),
    "in pieces": lambda x: np.concatenate([plain(part) for part in np.array_split(x, 101)]),
    "two-dimensional": lambda x: plain(x.reshape(-1, 2, order="F")).ravel(order="F"),
}
EVEN = POINTS[: len(POINTS) // 2 * 2]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_every_way_gives_the_same_bits(way, instruction_set):
    assert bits(way(EVEN)) == bits(plain(EVEN))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_instruction_set_gives_the_same_bits(instruction_set, dtype):
    with np.errstate(all="ignore"):
        x = POINTS.astype(dtype)
    found = plain(x)

    _kernels.use_instruction_set("baseline")

    assert bits(found) == bits(plain(x))


def test_an_unknown_instruction_set_is_refused():
    with pytest.raises(ValueError, match="no instruction set 'unheard of'"):
        _kernels.use_instruction_set("unheard of")


def test_ordinary_arguments_raise_no_floating_point_flags(instruction_set):
    x = np.concatenate([np.linspace(-26, 40, 1001), np.logspace(1, 300, 100), [np.nan]])

    with np.errstate(all="raise"):
        y = erfcx(x)

    assert np.isfinite(y[:-1]).all()


def test_infinite_arguments_raise_no_floating_point_flags(instruction_set):
    with np.errstate(all="raise"):
        y = erfcx(np.array([np.inf, -np.inf, 1.0]))

    assert y.tolist() == [0.0, np.inf, erfcx(1.0)]
