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
def test_inner_products_are_those_of_numpy_to_the_bit(drawn):
    assert_same("vecdot", *drawn)


@given(st.sampled_from([3, 3, 3, 2]).flatmap(pairs))
def test_cross_products_are_those_of_numpy_to_the_bit(drawn):
    assert_same("cross", *drawn)


@pytest.mark.parametrize("letter", "FDG")
def test_the_inner_product_conjugates_its_first_argument(letter):
    x, y = np.array([[1j, 2]], letter), np.array([[1, 1j]], letter)

    assert linalg.vecdot(x, y).tolist() == [1j]
