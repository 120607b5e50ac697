"""Products of vectors and matrices agree with NumPy's, in every dtype and over every stack."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from numerics import _kernels, linalg

from cases import agreement
from cases.inputs import arrays

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")

DTYPES = [*"?bBhHiIlLqQefdgFDGO"]
STACKS = st.sampled_from([(), (1,), (3,), (2, 3), (2, 1), (0,)])


@st.composite
def pairs(draw, size):
    """Two stacks of vectors of any two dtypes and layouts, along any axis."""
    operands = []
    for _ in range(2):
        operands.append(draw(arrays((*draw(STACKS), size), letters=DTYPES)))
    axis = draw(st.sampled_from([-1, -1, 0, -2]))
    if axis != -1:
        operands = [np.moveaxis(x, -1, axis) if np.ndim(x) > 1 else x for x in operands]
    return operands, {"axis": axis}


def assert_same(name, args, options):
    ours = agreement.outcome(getattr(linalg, name), args, options)
    theirs = agreement.outcome(getattr(np.linalg, name), args, options)

    if isinstance(theirs, Exception):
        assert agreement.errors_agree(ours, theirs, args), f"{ours!r} is not {theirs!r}"
    else:
        assert agreement.faces(ours) == agreement.faces(theirs)
        assert np.array_equal(ours, theirs, equal_nan=np.asarray(theirs).dtype.kind in "fc")


@given(st.integers(0, 4).flatmap(pairs))
def test_inner_products_are_those_of_numpy_up_to_rounding(drawn):
    (x, y), options = drawn
    ours = agreement.outcome(linalg.vecdot, (x, y), options)
    theirs = agreement.outcome(np.linalg.vecdot, (x, y), options)

    if isinstance(theirs, Exception):
        assert agreement.errors_agree(ours, theirs, (x, y)), f"{ours!r} is not {theirs!r}"
    elif np.asarray(theirs).dtype.char not in "fdFD":
        assert_same("vecdot", *drawn)
    else:
        assert agreement.faces(ours) == agreement.faces(theirs)
        with np.errstate(all="ignore"):
            scale = np.linalg.vecdot(np.abs(x), np.abs(y), **options)
            error = np.abs(ours - theirs)
        # Both are off by n·eps/2·Σ|x y|, with √2 of twice that for complex numbers.
        bound = 3 * 4 * np.finfo(np.asarray(theirs).dtype).eps * scale
        assert np.all((error <= bound) | ~np.isfinite(theirs) | ~np.isfinite(scale))
        # Which part of a complex number infinity makes NaN depends on how BLAS multiplies.
        assert not np.any(np.isfinite(ours) & np.isnan(theirs) & ~np.isinf(theirs))


@given(st.sampled_from([3, 3, 3, 2]).flatmap(pairs))
def test_cross_products_are_those_of_numpy_to_the_bit(drawn):
    assert_same("cross", *drawn)


@pytest.mark.parametrize("letter", "FDG")
def test_the_inner_product_conjugates_its_first_argument(letter):
    x, y = np.array([[1j, 2]], letter), np.array([[1, 1j]], letter)

    assert linalg.vecdot(x, y).tolist() == [1j]


# --- Small products are computed here, by themselves ----------------------------------------------

SHAPES = [
    (1, 1, 1),
    (2, 2, 2),
    (3, 3, 3),
    (4, 4, 4),
    (5, 7, 9),
    (8, 3, 17),
    (12, 1, 6),
    (16, 16, 16),
]
SHAPES += [(33, 9, 2), (3, 20, 1), (1, 40, 1), (1, 6, 33), (23, 24, 25)]
ISAS = _kernels.instruction_sets()


@pytest.fixture(params=ISAS)
def instruction_set(request):
    before = _kernels.instruction_set()
    _kernels.use_instruction_set(request.param)
    yield request.param
    _kernels.use_instruction_set(before)


def factors(letter, shape, count=5):
    rng = np.random.default_rng(sum(shape))
    m, n, k = shape
    pair = rng.standard_normal((count, m, n)), rng.standard_normal((count, n, k))
    if letter in "FD":
        pair = tuple(x + 1j * rng.standard_normal(x.shape) for x in pair)
    return tuple(x.astype(letter) for x in pair)


def bits(x):
    return np.ascontiguousarray(x).tobytes()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("letter", "fdFD")
def test_small_matrices_are_multiplied_up_to_rounding(instruction_set, letter, shape):
    a, b = factors(letter, shape)

    result = linalg.matmul(a, b)

    wide = "D" if letter in "FD" else "d"
    expected = np.einsum("sij,sjk->sik", a.astype(wide), b.astype(wide))
    scale = np.abs(a).astype("d") @ np.abs(b).astype("d")
    assert result.dtype == letter
    assert np.all(np.abs(result - expected) <= 3 * shape[1] * np.finfo(letter).eps * scale)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("letter", "fdFD")
def test_a_product_has_the_same_bits_alone_and_in_a_stack(instruction_set, letter, shape):
    a, b = factors(letter, shape)

    stacked = linalg.matmul(a, b)

    assert bits(stacked) == b"".join(bits(linalg.matmul(x, y)) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("letter", "fdFD")
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_product_has_the_same_bits_for_any_strides(instruction_set, letter, shape, axis):
    a, b = factors(letter, shape)
    expected = linalg.matmul(a, b)

    def spread(x):
        wide = np.zeros([2 * n if i == axis else n for i, n in enumerate(x.shape)], x.dtype)
        every_other = np.moveaxis(np.moveaxis(wide, axis, 0)[::-2], 0, axis)
        every_other[...] = x
        return every_other

    assert bits(linalg.matmul(spread(a), spread(b))) == bits(expected)
    transposed = [np.ascontiguousarray(x.mT).mT for x in (a, b)]
    assert bits(linalg.matmul(*transposed)) == bits(expected)


@pytest.mark.parametrize("letter", "fdFD")
def test_vectors_and_broadcast_stacks_are_those_of_numpy(letter):
    a, b = factors(letter, (3, 4, 2), count=6)
    a, b = a.reshape(2, 3, 3, 4), b.reshape(6, 4, 2)[:3]
    pairs = [(a, b), (a[0, 0, 0], b), (a, b[0, :, 0]), (a[0, 0, 0], b[0, :, 0]), (a, b[0])]

    shapes = [np.shape(linalg.matmul(x, y)) for x, y in pairs]

    assert shapes == [np.shape(np.matmul(x, y)) for x, y in pairs]


@pytest.mark.parametrize("name", ["matmul", "vecdot", "outer", "trace", "cross"])
@pytest.mark.parametrize("kind", ["over", "invalid"])
@pytest.mark.parametrize("letter", "fdFD")
def test_numbers_out_of_range_are_reported_as_numpy_does(name, kind, letter):
    x = np.array([np.finfo(letter).max, np.inf][kind == "invalid"] * np.ones(3), letter)
    y = np.array(x if kind == "over" else [0, -np.inf, 1], letter)
    args = {"trace": (np.diag(x if kind == "over" else [np.inf, -np.inf, 0]).astype(letter),)}
    theirs = agreement_of_warnings(getattr(np.linalg, name), args.get(name, (x, y)))

    ours = agreement_of_warnings(getattr(linalg, name), args.get(name, (x, y)))

    assert ours == theirs


def agreement_of_warnings(function, args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*args)
    return sorted({str(warning.message) for warning in caught})


def test_overflow_raises_where_errstate_asks_for_it():
    x = np.full((2, 2), 1e300)

    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow encountered"):
        linalg.matmul(x, x)


@pytest.mark.parametrize("offset", [0, 1, -1, 7, -7])
@pytest.mark.parametrize("letter", "fdFD")
def test_traces_of_long_diagonals_are_sums(letter, offset):
    a = np.asfortranarray(factors(letter, (40, 37, 1))[0])

    result = linalg.trace(a, offset=offset)

    expected = np.diagonal(a.astype("D"), offset, 1, 2).sum(-1)
    assert np.allclose(result, expected, rtol=0, atol=400 * np.finfo(letter).eps)
