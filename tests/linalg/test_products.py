"""Products of vectors and matrices are NumPy's, in every dtype and over every stack."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from numerics import linalg

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
        assert np.all((error <= bound) | ~np.isfinite(theirs))
        assert np.array_equal(np.isnan(ours), np.isnan(theirs))


@given(st.sampled_from([3, 3, 3, 2]).flatmap(pairs))
def test_cross_products_are_those_of_numpy_to_the_bit(drawn):
    assert_same("cross", *drawn)


@pytest.mark.parametrize("letter", "FDG")
def test_the_inner_product_conjugates_its_first_argument(letter):
    x, y = np.array([[1j, 2]], letter), np.array([[1, 1j]], letter)

    assert linalg.vecdot(x, y).tolist() == [1j]
