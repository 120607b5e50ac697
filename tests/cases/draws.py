"""How inputs are drawn: numbers in every dtype, and matrices with what an op asks of them."""

from collections.abc import Callable

import numpy as np

from cases import Problem

Draw = Callable[[np.random.Generator, str, int], list[Problem]]

STACKED = 5
"""Up to this size, stacks are drawn too."""


def numbers(rng: np.random.Generator, letter: str, shape: tuple[int, ...]) -> np.ndarray:
    """Normal numbers; small integers, whose sums of products fit into a byte."""
    if letter in "?bBhHiIlLqQO":
        low = -2 if letter in "bhilqO" else 0
        high = 2 if letter == "?" else 3
        return rng.integers(low, high, shape).astype(letter)
    real = rng.standard_normal(shape)
    if letter in "FDG":
        return (real + 1j * rng.standard_normal(shape)).astype(letter)
    return real.astype(letter)


def stacks(size: int) -> list[tuple[int, ...]]:
    """Shapes of the stacks at this size: none, and for small ones 2 × 3."""
    return [(), (2, 3)] if size <= STACKED else [()]


def one(**static) -> Callable[[Callable[..., np.ndarray]], Draw]:
    """Draw problems of one array from ``make(rng, letter, shape of the stack, size)``."""

    def decorate(make):
        def draw(rng, letter, size):
            arrays = (make(rng, letter, stack, size) for stack in stacks(size))
            return [Problem((array,), dict(static)) for array in arrays]

        return draw

    return decorate


def square(rng, letter, stack, n):
    """Matrices without structure."""
    return numbers(rng, letter, (*stack, n, n))


def graded(rng, letter, stack, n):
    """Square matrices whose columns shrink to a thousandth, of condition about 1e4."""
    return (square(rng, letter, stack, n) * np.logspace(0, -3, n)).astype(letter)


def squares(rng, letter, size):
    """Matrices without structure, graded ones, and stacks."""
    plain = one()(square)(rng, letter, size)
    return [*plain, *one()(graded)(rng, letter, size)[:1]]


def positive_definite(rng, letter, stack, n):
    """Hermitian positive-definite matrices; the triangle that is not to be read is nonsense."""
    a = numbers(rng, letter.replace("f", "d").replace("F", "D"), (*stack, n, 2 * n))
    return (a @ a.conj().swapaxes(-2, -1) / n).astype(letter)


def positive_definites(rng, letter, size):
    """Both triangles in turn, with nonsense in the other."""
    problems = []
    for upper in (False, True):
        for problem in one(upper=upper)(positive_definite)(rng, letter, size):
            (a,) = problem.arrays
            is_read = np.tri(size, dtype=bool).T if upper else np.tri(size, dtype=bool)
            problems.append(Problem((np.where(is_read, a, a.dtype.type(7)),), problem.static))
    return problems


def triangles(rng, letter, size):
    """Hermitian matrices given by one triangle and a real diagonal; the rest is nonsense."""
    return [problem for UPLO in ("L", "U") for problem in one(UPLO=UPLO)(square)(rng, letter, size)]


def rectangles(rng, letter, size):
    """Tall, wide and square matrices, alone and stacked."""
    shapes = [(size, size), (size, max(1, size // 2)), (max(1, size // 3), size)]
    return [
        Problem((numbers(rng, letter, (*stack, *shape)),), {})
        for shape in shapes
        for stack in stacks(size)
    ]


def decompositions(rng, letter, size):
    """Rectangles for every driver of the SVD, and for rotations what only they can do."""
    shapes = rectangles(rng, letter, size)
    drivers = [None, *("gesdd", "gesvd", "jacobi")[: 3 if size < 30 else 1]]
    plain = [
        Problem(problem.arrays, {"driver": driver})
        for driver in drivers
        for problem in (shapes if driver is None else shapes[:: len(stacks(size))])
    ]
    return plain + [
        Problem((a,), {"driver": driver})
        for driver in (("jacobi",) if size >= 30 else (None, "jacobi"))
        for a in steep(rng, letter, size)
    ]


def steep(rng, letter, size):
    """Columns, or rows, that grow or shrink over twenty orders of magnitude in no order."""
    m, n = size, max(1, size - 1)
    scales = 10.0 ** rng.permutation(np.linspace(-12, 8, n))
    by_columns = numbers(rng, letter, (m, n)) * scales
    by_rows = (numbers(rng, letter, (m, n)) * scales).T
    return [by_columns.astype(letter), by_rows.astype(letter)]


def systems(rng, letter, size):
    """Matrices with a vector, with three right-hand sides, and with stacks that broadcast."""
    a = square(rng, letter, (), size)
    problems = [
        Problem((a, numbers(rng, letter, (size,))), {}),
        Problem((graded(rng, letter, (), size), numbers(rng, letter, (size, 3))), {}),
    ]
    if size > STACKED:
        return problems
    stack = square(rng, letter, (2, 1), size)
    return [*problems, Problem((stack, numbers(rng, letter, (3, size, 2))), {})]


def least_squares(rng, letter, size):
    """Tall, wide and square systems, stacks that broadcast, and integers of lower rank."""
    problems = []
    for m, n in ((2 * size, size), (size, size), (size, size + 3)):
        a, b = numbers(rng, letter, (m, n)), numbers(rng, letter, (m, 2))
        problems.append(Problem((a, b), {"rcond": 1e-10}))
    if size <= STACKED:
        a, b = numbers(rng, letter, (2, 1, size + 1, size)), numbers(rng, letter, (3, size + 1, 2))
        problems.append(Problem((a, b), {"rcond": 1e-10}))
    if size == 1 or size > 10:
        return problems
    rank = size // 2
    left = rng.integers(-2, 3, (size + 2, rank)) + 3 * np.eye(size + 2, rank, dtype=int)
    right = rng.integers(-2, 3, (rank, size)) + 3 * np.eye(rank, size, dtype=int)
    low = (left @ right).astype(letter)
    b = numbers(rng, letter, (size + 2, 2))
    return [*problems, Problem((low, b), {"rcond": 1e-5})]
