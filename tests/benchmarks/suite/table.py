"""What is measured: for every public function, how to make its arguments.

One row serves the asv benchmarks, `compare.py` and the test that no function is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.special

from numerics import linalg, special

from . import peers
from .peers import Peer, one_by_one

SIZES = (2, 4, 16, 100, 500)
LAYOUTS = ("alone", "stacked")
STACKS = {2: 1000, 4: 1000, 16: 200, 100: 10, 500: 2}
"""Matrices in a stack by n, few enough for a call to take well under a second."""

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

    def columns(self) -> np.ndarray:
        """One right-hand side per matrix, as a column."""
        return self.array(self.n, 1)

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

    def indefinite(self) -> np.ndarray:
        """Symmetric, with eigenvalues of both signs."""
        a = self.square()
        return a + a.swapaxes(-2, -1)


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
    peer: Peer

    @property
    def dotted(self) -> str:
        return f"{self.module}.{self.name}"

    @property
    def layouts(self) -> tuple[str, ...]:
        return LAYOUTS if self.stacks else LAYOUTS[:1]

    @property
    def libraries(self) -> dict[str, Callable[..., Any]]:
        """The function to measure against, under its library's name, and ours."""
        ours = getattr(OURS[self.module], self.name)
        return {self.peer.library: self.peer.function, "numerics": ours}

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


def _numpy(
    name: str,
    arguments: Callable[[Draw], tuple[Any, ...]],
    keywords: Callable[[Draw], dict[str, Any]] = _nothing,
    stacks: bool = True,
) -> Row:
    """Return the row of a function of `numpy.linalg`."""
    peer = Peer("numpy", getattr(np.linalg, name))
    return Row("linalg", name, arguments, keywords, stacks, peer)


def _own(
    name: str,
    arguments: Callable[[Draw], tuple[Any, ...]],
    library: str,
    function: Callable[..., Any],
    keywords: Callable[[Draw], dict[str, Any]] = _nothing,
) -> Row:
    """Return the row of a function that NumPy lacks, or whose stacks it lacks."""
    return Row("linalg", name, arguments, keywords, True, Peer(library, function))


def _unchecked(draw: Draw) -> dict[str, Any]:
    """SciPy looks for NaN by default, which ours does not."""
    return {"check_finite": False}


def _lu(draw: Draw) -> tuple[np.ndarray, np.ndarray]:
    """Factors and pivots of regular matrices."""
    return one_by_one(scipy.linalg.lu_factor, 2)(draw.regular())


def _reflectors(draw: Draw) -> tuple[np.ndarray, np.ndarray]:
    h, tau = np.linalg.qr(draw.tall(), "raw")
    return h.swapaxes(-2, -1), tau


def _ldl(draw: Draw) -> tuple[np.ndarray, np.ndarray]:
    return one_by_one(peers.ldl_factor, 2)(draw.indefinite())


TABLE = (
    _numpy("cholesky", lambda d: (d.definite(),)),
    _own("cholesky_ex", lambda d: (d.definite(),), "numpy", np.linalg.cholesky),
    _own(
        "cholesky_solve",
        lambda d: (d.columns(), np.linalg.cholesky(d.definite())),
        "scipy",
        one_by_one(peers.cholesky_solve, 2),
    ),
    _numpy("cond", lambda d: (d.regular(),)),
    _numpy("cross", lambda d: (d.array(d.n, 3), d.array(d.n, 3))),
    _numpy("det", lambda d: (d.regular(),)),
    _numpy("diagonal", lambda d: (d.square(),)),
    _numpy("eig", lambda d: (d.square(),)),
    _numpy("eigh", lambda d: (d.definite(),)),
    _numpy("eigvals", lambda d: (d.square(),)),
    _numpy("eigvalsh", lambda d: (d.definite(),)),
    _own("householder_product", _reflectors, "scipy", one_by_one(peers.householder_product, 2)),
    _numpy("inv", lambda d: (d.regular(),)),
    _own("inv_ex", lambda d: (d.regular(),), "numpy", np.linalg.inv),
    _own("ldl_factor", lambda d: (d.indefinite(),), "scipy", one_by_one(peers.ldl_factor, 2)),
    _own("ldl_solve", lambda d: (*_ldl(d), d.columns()), "scipy", one_by_one(peers.ldl_solve, 2)),
    _own(
        "lstsq",
        lambda d: (d.tall(), d.array(2 * d.n, 1)),
        "numpy",
        one_by_one(np.linalg.lstsq, 2),
    ),
    _own("lu", lambda d: (d.regular(),), "scipy", scipy.linalg.lu, _unchecked),
    _own(
        "lu_factor",
        lambda d: (d.regular(),),
        "scipy",
        one_by_one(scipy.linalg.lu_factor, 2),
        _unchecked,
    ),
    _own(
        "lu_solve",
        lambda d: (_lu(d), d.columns()),
        "scipy",
        one_by_one(scipy.linalg.lu_solve, 2),
        _unchecked,
    ),
    _numpy("matmul", lambda d: (d.square(), d.square())),
    _own("matrix_exp", lambda d: (d.square(),), "scipy", scipy.linalg.expm),
    _numpy("matrix_norm", lambda d: (d.square(),)),
    _numpy("matrix_power", lambda d: (d.regular(), 5)),
    _numpy("matrix_rank", lambda d: (d.square(),)),
    _numpy("matrix_transpose", lambda d: (d.square(),)),
    _own(
        "multi_dot",
        lambda d: ([d.square(), d.square(), d.columns()],),
        "numpy",
        one_by_one(np.linalg.multi_dot, 2),
    ),
    _numpy("norm", lambda d: (d.square(),), _last_two),
    _own(
        "null_space", lambda d: (d.array(d.n, 2 * d.n),), "scipy", one_by_one(peers.null_space, 2)
    ),
    _own("orth", lambda d: (d.regular(),), "scipy", one_by_one(scipy.linalg.orth, 2)),
    _numpy("outer", lambda d: (d.vector(), d.vector()), stacks=False),
    _numpy("pinv", lambda d: (d.tall(),)),
    _numpy("qr", lambda d: (d.tall(),)),
    _numpy("slogdet", lambda d: (d.regular(),)),
    _numpy("solve", lambda d: (d.regular(), d.right_hand_side())),
    _own("solve_ex", lambda d: (d.regular(), d.right_hand_side()), "numpy", np.linalg.solve),
    _own(
        "solve_triangular",
        lambda d: (d.regular(), d.columns()),
        "scipy",
        one_by_one(scipy.linalg.solve_triangular, 2),
        _unchecked,
    ),
    _own("sqrtm", lambda d: (d.definite(),), "scipy", one_by_one(scipy.linalg.sqrtm, 2)),
    _numpy("svd", lambda d: (d.square(),)),
    _numpy("svdvals", lambda d: (d.square(),)),
    _numpy("tensordot", lambda d: (d.square(), d.square()), stacks=False),
    _numpy("tensorinv", lambda d: (d.regular()[np.newaxis],), stacks=False),
    _numpy("tensorsolve", lambda d: (d.regular()[np.newaxis], d.array(1, d.n)), stacks=False),
    _numpy("trace", lambda d: (d.square(),)),
    _own("vander", lambda d: (d.vector(),), "numpy", one_by_one(peers.vander, 1)),
    _numpy("vecdot", lambda d: (d.vector(), d.vector())),
    _numpy("vector_norm", lambda d: (d.vector(),), _last),
    Row(
        "special",
        "erfcx",
        lambda d: (np.abs(d.vector()),),
        _nothing,
        True,
        Peer("scipy", scipy.special.erfcx),
    ),
)
