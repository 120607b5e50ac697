"""What is promised: one `Case` per op, under the same name.

From the cases come the value tests, the checks of the checkers, and whatever else has to draw
inputs or measure errors. A bound is chosen from theory before a result is seen; loosening one is
a change of its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

SIZES = (1, 2, 3, 5, 10, 30)
"""The sizes at which inputs are drawn."""


class Problem(NamedTuple):
    """The arguments of one call of an op."""

    arrays: tuple[np.ndarray, ...]
    static: dict[str, Any]


class Edge(NamedTuple):
    """A call whose result is known to the bit; `expected` is a tuple, one item per output."""

    arrays: tuple[Any, ...]
    static: dict[str, Any]
    expected: tuple[Any, ...]


@dataclass(frozen=True)
class Case:
    """The promise about one op.

    Attributes
    ----------
    name : str
        The op's.
    error : callable
        ``error(problem, outputs)`` in the unit of the bound; `outputs` is a tuple of arrays.
    bound : mapping of str to float
        What the error stays below, by the letter of the input's dtype. Every loop has one.
    domain : callable
        ``domain(problem)``: does the promise cover this input?
    smooth : callable
        ``smooth(problem)``: is the op differentiable there?
    edges : tuple of Edge
        Calls whose results are known to the bit.
    draw : callable
        ``draw(rng, letter, size)``: a list of problems within the domain.
    """

    name: str
    error: Callable[[Problem, tuple[Any, ...]], float]
    bound: Mapping[str, float]
    domain: Callable[[Problem], bool]
    smooth: Callable[[Problem], bool]
    edges: tuple[Edge, ...]
    draw: Callable[[np.random.Generator, str, int], list[Problem]]
