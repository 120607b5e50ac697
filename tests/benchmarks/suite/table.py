"""What is measured: for every public function, how to make its arguments.

One row serves the asv benchmarks, `compare.py` and the test that no function is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special

from numerics import linalg, special

SIZES = (2, 4, 16, 100, 500)
LAYOUTS = ("alone", "stacked")
STACKS = {2: 1000, 4: 1000, 16: 200, 100: 10, 500: 2}
"""Matrices in a stack by n, few enough for a call to take well under a second."""

PEERS = {"linalg": ("numpy", np.linalg), "special": ("scipy", scipy.special)}
OURS = {"linalg": linalg, "special": special}


class Draw:
    """Random float64 arrays of one size, alone (no leading axis) or stacked."""

    def __init__(self, n: int, layout: str) -> None:
        self.n = n
        self.stack = () if layout == "alone" else (stack_size(n),)
        self._random = np.random.default_rng(n)

    def array(self, *core: int) -> np.ndarray:
        return self._random.standard_normal((*self.stack, *core))

    def vector(self) -> np.ndarray:
        return self.array(self.n)

    def right_hand_side(self) -> np.ndarray:
        """One per matrix: a vector alone, a column in a stack, where NumPy needs the axis."""
        return self.array(self.n, 1) if self.stack else self.array(self.n)

    def square(self) -> np.ndarray:
        return self.array(self.n, self.n)

    def tall(self) -> np.ndarray:
        return self.array(2 * self.n, self.n)

    def regular(self) -> np.ndarray:
        """Far from singular."""
        return self.square() / (2 * self.n) + np.eye(self.n)

    def definite(self) -> np.ndarray:
        """Symmetric and positive definite."""
        a = self.square()
        return a @ a.swapaxes(-2, -1) / self.n + np.eye(self.n)


def stack_size(n: int) -> int:
    """Matrices in a stack of n×n ones: that of the nearest listed size from below."""
    return STACKS[max((size for size in SIZES if size <= n), default=SIZES[0])]


@dataclass(frozen=True)
class Row:
    """One function; `arguments` returns what it is called with, positionally, for a `Draw`."""

    module: str
    name: str
    arguments: Callable[[Draw], tuple[Any, ...]]
    keywords: Callable[[Draw], dict[str, Any]]
    stacks: bool

    @property
    def dotted(self) -> str:
        return f"{self.module}.{self.name}"

    @property
    def layouts(self) -> tuple[str, ...]:
        return LAYOUTS if self.stacks else LAYOUTS[:1]

    @property
    def libraries(self) -> dict[str, Callable[..., Any]]:
        """The function to measure against, under its library's name, and ours."""
        peer, module = PEERS[self.module]
        return {
            peer: getattr(module, self.name),
            "numerics": getattr(OURS[self.module], self.name),
        }

    def call(self, function: Callable[..., Any], draw: Draw) -> Callable[[], Any]:
        """Return `function` with its arguments bound, arrays and all."""
        arguments, keywords = self.arguments(draw), self.keywords(draw)
        return bound(function, arguments, keywords)


def bound(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Callable[[], Any]:
    """Return a call without arguments that costs as little as possible itself."""
    if keywords:
        return lambda: function(*arguments, **keywords)
    if len(arguments) == 1:
        (a,) = arguments
        return lambda: function(a)
    if len(arguments) == 2:
        a, b = arguments
        return lambda: function(a, b)
    return lambda: function(*arguments)


def _nothing(draw: Draw) -> dict[str, Any]:
    return {}


def _last(draw: Draw) -> dict[str, Any]:
    """Along the last axis of a stack; a single vector needs no axis."""
    return {"axis": -1} if draw.stack else {}


def _last_two(draw: Draw) -> dict[str, Any]:
    return {"axis": (-2, -1)} if draw.stack else {}


def _linalg(
    name: str,
    arguments: Callable[[Draw], tuple[Any, ...]],
    keywords: Callable[[Draw], dict[str, Any]] = _nothing,
    stacks: bool = True,
) -> Row:
    return Row("linalg", name, arguments, keywords, stacks)


TABLE = (
    _linalg("cholesky", lambda d: (d.definite(),)),
    _linalg("cond", lambda d: (d.regular(),)),
    _linalg("cross", lambda d: (d.array(d.n, 3), d.array(d.n, 3))),
    _linalg("det", lambda d: (d.regular(),)),
    _linalg("diagonal", lambda d: (d.square(),)),
    _linalg("eig", lambda d: (d.square(),)),
    _linalg("eigh", lambda d: (d.definite(),)),
    _linalg("eigvals", lambda d: (d.square(),)),
    _linalg("eigvalsh", lambda d: (d.definite(),)),
    _linalg("inv", lambda d: (d.regular(),)),
    _linalg("lstsq", lambda d: (d.tall(), d.array(2 * d.n)), stacks=False),
    _linalg("matmul", lambda d: (d.square(), d.square())),
    _linalg("matrix_norm", lambda d: (d.square(),)),
    _linalg("matrix_power", lambda d: (d.regular(), 5)),
    _linalg("matrix_rank", lambda d: (d.square(),)),
    _linalg("matrix_transpose", lambda d: (d.square(),)),
    _linalg("multi_dot", lambda d: ([d.square(), d.square(), d.vector()],), stacks=False),
    _linalg("norm", lambda d: (d.square(),), _last_two),
    _linalg("outer", lambda d: (d.vector(), d.vector()), stacks=False),
    _linalg("pinv", lambda d: (d.tall(),)),
    _linalg("qr", lambda d: (d.tall(),)),
    _linalg("slogdet", lambda d: (d.regular(),)),
    _linalg("solve", lambda d: (d.regular(), d.right_hand_side())),
    _linalg("svd", lambda d: (d.square(),)),
    _linalg("svdvals", lambda d: (d.square(),)),
    _linalg("tensordot", lambda d: (d.square(), d.square()), stacks=False),
    _linalg("tensorinv", lambda d: (d.regular()[np.newaxis],), stacks=False),
    _linalg("tensorsolve", lambda d: (d.regular()[np.newaxis], d.array(1, d.n)), stacks=False),
    _linalg("trace", lambda d: (d.square(),)),
    _linalg("vecdot", lambda d: (d.vector(), d.vector())),
    _linalg("vector_norm", lambda d: (d.vector(),), _last),
    Row("special", "erfcx", lambda d: (np.abs(d.vector()),), _nothing, stacks=True),
)
