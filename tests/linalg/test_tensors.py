"""Equations and inverses of tensors, alone and in stacks."""

import math

import numpy as np
import pytest

import fake_gpu
from numerics import linalg


def coefficients(stack, rows, columns):
    """Well-conditioned tensors."""
    rng = np.random.default_rng(3)
    size = math.prod(rows)
    a = rng.standard_normal((*stack, size, size)) + 3 * size * np.eye(size)
    return a.reshape(*stack, *rows, *columns)


SHAPES = [
    ((3,), (2, 2), (4,)),
    ((3,), (6,), (3, 2)),
    ((2, 3), (4, 3), (6, 2, 1)),
    ((5,), (6,), (6,)),
    ((0,), (2,), (2,)),
]


@pytest.mark.parametrize(("stack", "rows", "columns"), SHAPES)
def test_equations_in_a_stack_are_solved_one_by_one(stack, rows, columns):
    a = coefficients(stack, rows, columns)
    b = np.random.default_rng(4).standard_normal(stack + rows)

    x = linalg.tensorsolve(a, b)

    assert x.shape == stack + columns
    for i in np.ndindex(stack):
        assert np.allclose(np.tensordot(a[i], x[i], len(columns)), b[i], rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(("stack", "rows", "columns"), SHAPES)
def test_tensors_in_a_stack_are_inverted_one_by_one(stack, rows, columns):
    a = coefficients(stack, rows, columns)

    x = linalg.tensorinv(a, len(rows))

    size = math.prod(rows)
    assert x.shape == stack + columns + rows
    for i in np.ndindex(stack):
        product = np.tensordot(x[i], a[i], len(rows)).reshape(size, size)
        assert np.allclose(product, np.eye(size), atol=1e-13)


def test_axes_are_moved_before_stacks_are_looked_for():
    a = coefficients((3,), (2, 2), (4,))

    x = linalg.tensorsolve(np.moveaxis(a, -1, 0), np.ones((3, 2, 2)), axes=(0,))

    assert np.array_equal(x, linalg.tensorsolve(a, np.ones((3, 2, 2))))


def test_what_can_be_read_as_one_equation_is_one():
    a = coefficients((), (1, 2, 3), (6,))
    b = np.ones((1, 2, 3))

    x = linalg.tensorsolve(a, b)

    assert np.allclose(x, np.linalg.tensorsolve(a, b), rtol=1e-14, atol=0)
    assert x.shape == (6,)


def test_what_can_be_read_as_one_tensor_is_one():
    a = coefficients((), (4,), (2, 2))

    assert linalg.tensorinv(a, 1).shape == (2, 2, 4)


@pytest.mark.parametrize("letter", "fdFD")
def test_a_stack_keeps_its_dtype(letter):
    a = coefficients((3,), (2,), (2,)).astype(letter)

    assert linalg.tensorsolve(a, np.ones((3, 2), letter)).dtype == letter
    assert linalg.tensorinv(a, 1).dtype == letter


# --- What is wrong ------------------------------------------------------------------------------


def test_a_right_hand_side_that_can_be_several_stacks_is_refused():
    a = np.ones((5, 1, 4, 4))

    with pytest.raises(linalg.LinAlgError) as caught:
        linalg.tensorsolve(a, np.ones((5, 1, 4)))

    assert str(caught.value) == (
        "linalg.tensorsolve: `a` is ambiguous: it may be a stack (5,) of (1, 4) by (4,) or "
        "a stack (5, 1) of (4,) by (4,); reshape it"
    )


def test_a_tensor_that_can_be_several_stacks_is_refused():
    with pytest.raises(linalg.LinAlgError) as caught:
        linalg.tensorinv(np.ones((4, 4, 2, 2, 1)), 1)

    assert str(caught.value) == (
        "linalg.tensorinv: `a` is ambiguous: it may be a stack (4,) of (4,) by (2, 2, 1) or "
        "a stack (4, 4) of (2,) by (2, 1); reshape it"
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: linalg.tensorsolve(np.ones((3, 2, 4)), np.ones((3, 2))), "prod(a.shape[b.ndim:])"),
        (lambda: linalg.tensorsolve(np.ones((3, 2, 2)), np.ones((1, 2))), "`b` has shape (1, 2)"),
        (lambda: linalg.tensorsolve(np.ones(3), np.ones(3)), "prod(a.shape[:b.ndim])"),
        (lambda: linalg.tensorinv(np.ones((3, 2, 4)), 1), "dimensions of the array must be square"),
        (lambda: linalg.tensorinv(np.ones((3, 3, 2)), 2), "dimensions of the array must be square"),
    ],
)
def test_what_is_no_stack_either_is_refused_in_the_words_of_numpy(call, words):
    with pytest.raises(linalg.LinAlgError) as caught:
        call()

    assert words in str(caught.value)


@pytest.mark.parametrize(
    "call",
    [lambda a: linalg.tensorsolve(a, np.ones((2, 2, 4))), lambda a: linalg.tensorinv(a, 1)],
    ids=["tensorsolve", "tensorinv"],
)
def test_singular_members_of_a_stack_are_named(call):
    a = coefficients((2, 2), (4,), (4,))
    a[0, 1] = 0
    a[1, 0] = 1

    with pytest.raises(linalg.LinAlgError, match="Singular matrix") as caught:
        call(a)

    assert caught.value.indices == [(0, 1), (1, 0)]


@pytest.mark.parametrize(
    "call",
    [lambda a: linalg.tensorsolve(a, a[..., 0]), lambda a: linalg.tensorinv(a, 1)],
    ids=["tensorsolve", "tensorinv"],
)
def test_stacks_on_a_gpu_are_solved_there(call):
    a = coefficients((3,), (4,), (4,))

    with fake_gpu.installed() as cupy:
        result = call(cupy.asarray(a))

    assert np.allclose(result.get(), call(a), rtol=1e-12, atol=1e-12)
