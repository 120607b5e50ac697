"""Products of several matrices, and of stacks of them."""

from functools import reduce
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fake_gpu
from numerics import linalg
from numerics._core import layers


def integers(rng, shape):
    """Integers as doubles, products of which are exact in any order."""
    return rng.integers(-3, 4, shape).astype(float)


@st.composite
def stacks(draw):
    """Arrays that chain and broadcast, the ends now and then vectors; some are single matrices."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = draw(st.lists(st.integers(0, 4), min_size=3, max_size=6))
    stack = draw(st.sampled_from([(2,), (3, 2), (1, 3), (0,)]))
    arrays = []
    for core in pairwise(sizes):
        axes = [draw(st.sampled_from([size, size, 1])) for size in stack]
        arrays.append(integers(rng, (*axes[draw(st.integers(0, len(axes))) :], *core)))
    if draw(st.booleans()):
        arrays[0] = integers(rng, sizes[1])
    if draw(st.booleans()):
        arrays[-1] = integers(rng, sizes[-2])
    return arrays


def multiplied(arrays):
    """The product from the left; a vector on the left stays a row until the end."""
    first, *others = arrays
    is_row = first.ndim == 1
    product = reduce(np.matmul, others, first[None] if is_row else first)
    if not is_row:
        return product
    return product[..., 0] if others[-1].ndim == 1 else product[..., 0, :]


@given(stacks())
def test_the_product_of_stacks_is_that_of_their_matrices(arrays):
    result = linalg.multi_dot(arrays)

    expected = multiplied(arrays)
    assert np.shape(result) == expected.shape
    assert np.array_equal(result, expected)


def watched(arrays):
    """The shapes of the factors of every product, in their order."""
    seen = []

    def watch(op, factors, static, next):
        seen.append(tuple(factor.shape for factor in factors))
        return next(op, factors, static)

    with layers.here("profiler", watch):
        linalg.multi_dot(arrays)
    return seen


def cost(factors):
    (*_, m, n), (*_, k) = factors
    stack = np.broadcast_shapes(*(shape[:-2] for shape in factors))
    return int(np.prod(stack)) * m * n * k


def cheapest(shapes):
    """Fewest multiplications, by trying every order."""
    if len(shapes) == 1:
        return 0
    costs = []
    for i, (left, right) in enumerate(pairwise(shapes)):
        stack = np.broadcast_shapes(left[:-2], right[:-2])
        merged = (*stack, left[-2], right[-1])
        rest = cheapest([*shapes[:i], merged, *shapes[i + 2 :]])
        costs.append(cost((left, right)) + rest)
    return min(costs)


@given(
    st.lists(st.integers(1, 9), min_size=4, max_size=6),
    st.lists(st.sampled_from([(), (1,), (5,)]), min_size=5, max_size=5),
)
def test_the_order_is_the_cheapest_for_the_sizes_of_matrices_and_of_stacks(sizes, stacks):
    shapes = [(*stack, *core) for core, stack in zip(pairwise(sizes), stacks, strict=False)]

    products = watched([np.ones(shape) for shape in shapes])

    assert sum(map(cost, products)) == cheapest(shapes)


def test_single_matrices_are_multiplied_before_they_meet_a_stack():
    shapes = [(100, 4, 4), (4, 4), (4, 4)]

    products = watched([np.ones(shape) for shape in shapes])

    assert products == [((4, 4), (4, 4)), ((100, 4, 4), (4, 4))]


@pytest.mark.parametrize("letter", "?leFgO")
def test_stacks_of_every_dtype_are_multiplied(letter):
    arrays = [np.ones((2, 3, 3), letter), np.eye(3).astype(letter), np.ones(3, letter)]

    result = linalg.multi_dot(arrays)

    assert result.dtype == letter
    assert result.tolist() == multiplied(arrays).tolist()


# --- `out` --------------------------------------------------------------------------------------


def test_out_takes_the_product_of_stacks_and_is_returned():
    a = np.arange(18.0).reshape(2, 3, 3)
    out = np.empty((2, 3, 3))

    result = linalg.multi_dot([a, a, a], out=out)

    assert result is out
    assert np.array_equal(out, a @ a @ a)


def test_out_may_be_one_of_the_factors():
    a = np.arange(18.0).reshape(2, 3, 3)
    expected = a @ a @ a

    linalg.multi_dot([a, a, a], out=a)

    assert np.array_equal(a, expected)


@pytest.mark.parametrize(
    "out",
    [np.empty((3, 3, 2)), np.empty((2, 3, 3), "f"), np.empty((3, 3, 2)).T, np.empty((1, 2, 3, 3))],
    ids=["shape", "dtype", "order", "axes"],
)
def test_an_out_that_does_not_fit_is_refused_in_the_words_of_dot(out):
    with pytest.raises(ValueError, match=r"^linalg.multi_dot: output array is not acceptable"):
        linalg.multi_dot([np.ones((2, 3, 3))] * 3, out=out)


# --- What does not chain ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shapes", "error", "text"),
    [
        (
            [(2, 2, 3), (3, 4), (2, 5, 6)],
            ValueError,
            r"shapes \(3, 4\) and \(2, 5, 6\) not aligned: 4 != 5: columns of `arrays`\[1\] and "
            r"rows of `arrays`\[2\]",
        ),
        ([(2, 2, 3), (2, 4, 1)], ValueError, r"columns of `arrays`\[0\] and rows of `arrays`\[1\]"),
        (
            [(2, 2, 2), (2, 2), (3, 2, 2)],
            ValueError,
            r"could not be broadcast together: the stacks \(2,\) of `arrays`\[0\] and \(3,\) of "
            r"`arrays`\[2\] differ",
        ),
        ([(2, 2, 2), (2,), (2, 2)], linalg.LinAlgError, "1-dimensional array given"),
        ([(2, 2, 2), (2, 2), ()], linalg.LinAlgError, "0-dimensional array given"),
        ([(), (2, 2, 2), (2, 2)], linalg.LinAlgError, "0-dimensional array given"),
    ],
)
def test_an_error_names_the_arrays_that_do_not_fit(shapes, error, text):
    with pytest.raises(error, match=rf"^linalg.multi_dot: .*{text}"):
        linalg.multi_dot([np.ones(shape) for shape in shapes])


def test_a_number_times_a_stack_is_what_numpy_makes_of_it():
    assert linalg.multi_dot([2.0, np.ones((2, 3, 3))]).tolist() == np.full((2, 3, 3), 2).tolist()


@pytest.mark.parametrize("ends", [*combinations(["matrix", "vector"] * 2, 2)])
def test_stacks_on_a_gpu_are_multiplied_there(ends):
    a = np.arange(18.0).reshape(2, 3, 3)
    first, last = (np.ones(3) if end == "vector" else a for end in ends)

    with fake_gpu.installed() as cupy:
        result = linalg.multi_dot([cupy.asarray(x) for x in (first, a, last)])

    assert np.array_equal(result.get(), multiplied([first, a, last]))
