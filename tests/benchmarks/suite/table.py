"""What is measured: for every public function, how to make its arguments.

One row serves the asv benchmarks, `compare.py` and the test that no function is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.linalg
import scipy.special

from numerics import linalg, special

from . import peers
from .peers import OneByOne, Peer

SIZES = (2, 4, 16, 100, 500)
LAYOUTS = ("alone", "stacked")
STACKS = {2: 1000, 4: 1000, 16: 200, 100: 10, 500: 2}
"""Matrices in a stack by n, few enough for a call to take well under a second."""

OURS = {"linalg": linalg, "special": special}


class Draw:
    """Random arrays of one size and dtype, alone (no leading axis) or `count` of them stacked."""

    def __init__(
        self, n: int, layout: str, count: int | None = None, dtype: str = "float64"
    ) -> None:
        self.n = n
        self.stack = () if layout == "alone" else (count or stack_size(n),)
        self.dtype = np.dtype(dtype)
        self._random = np.random.default_rng(n)

    def array(self, *core: int) -> np.ndarray:
        shape = (*self.stack, *core)
        drawn = self._random.standard_normal(shape)
        if self.dtype.kind == "c":
            drawn = drawn + 1j * self._random.standard_normal(shape)
        return drawn.astype(self.dtype, copy=False)

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
        return self.square() / (2 * self.n) + np.eye(self.n, dtype=self.dtype)

    def definite(self) -> np.ndarray:
        """Symmetric (Hermitian if complex) and positive definite."""
        a = self.square()
        return a @ a.conj().swapaxes(-2, -1) / self.n + np.eye(self.n, dtype=self.dtype)

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

    def functions(self, draw: Draw) -> dict[str, Callable[..., Any]]:
        """Return both libraries' functions; for one matrix, without the loop over a stack."""
        return {
            library: function.function
            if isinstance(function, OneByOne) and not draw.stack
            else function
            for library, function in self.libraries.items()
        }

    def call(self, library: str, draw: Draw) -> Callable[[], Any]:
        """Return a library's function with its arguments bound, arrays and all."""
        arguments, keywords = self.arguments(draw), self.keywords(draw)
        return partial(self.functions(draw)[library], *arguments, **keywords)


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
    return OneByOne(scipy.linalg.lu_factor, 2)(draw.regular())


def _reflectors(draw: Draw) -> tuple[np.ndarray, np.ndarray]:
    h, tau = np.linalg.qr(draw.tall(), "raw")
    return h.swapaxes(-2, -1), tau


def _ldl(draw: Draw) -> tuple[np.ndarray, np.ndarray]:
    return OneByOne(peers.ldl_factor, 2)(draw.indefinite())


TABLE = (
    _numpy("cholesky", lambda d: (d.definite(),)),
    _own("cholesky_ex", lambda d: (d.definite(),), "numpy", np.linalg.cholesky),
    _own(
        "cholesky_solve",
        lambda d: (d.columns(), np.linalg.cholesky(d.definite())),
        "scipy",
        OneByOne(peers.cholesky_solve, 2),
    ),
    _numpy("cond", lambda d: (d.regular(),)),
    _numpy("cross", lambda d: (d.array(d.n, 3), d.array(d.n, 3))),
    _numpy("det", lambda d: (d.regular(),)),
    _numpy("diagonal", lambda d: (d.square(),)),
    _numpy("eig", lambda d: (d.square(),)),
    _numpy("eigh", lambda d: (d.definite(),)),
    _numpy("eigvals", lambda d: (d.square(),)),
    _numpy("eigvalsh", lambda d: (d.definite(),)),
    _own("householder_product", _reflectors, "scipy", OneByOne(peers.householder_product, 2)),
    _numpy("inv", lambda d: (d.regular(),)),
    _own("inv_ex", lambda d: (d.regular(),), "numpy", np.linalg.inv),
    _own("ldl_factor", lambda d: (d.indefinite(),), "scipy", OneByOne(peers.ldl_factor, 2)),
    _own("ldl_solve", lambda d: (*_ldl(d), d.columns()), "scipy", OneByOne(peers.ldl_solve, 2)),
    _own(
        "lstsq",
        lambda d: (d.tall(), d.array(2 * d.n, 1)),
        "numpy",
        OneByOne(np.linalg.lstsq, 2),
    ),
    _own("lu", lambda d: (d.regular(),), "scipy", scipy.linalg.lu, _unchecked),
    _own(
        "lu_factor",
        lambda d: (d.regular(),),
        "scipy",
        OneByOne(scipy.linalg.lu_factor, 2),
        _unchecked,
    ),
    _own(
        "lu_solve",
        lambda d: (_lu(d), d.columns()),
        "scipy",
        OneByOne(scipy.linalg.lu_solve, 2),
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
        OneByOne(np.linalg.multi_dot, 2),
    ),
    _numpy("norm", lambda d: (d.square(),), _last_two),
    _own("null_space", lambda d: (d.array(d.n, 2 * d.n),), "scipy", OneByOne(peers.null_space, 2)),
    _own("orth", lambda d: (d.regular(),), "scipy", OneByOne(scipy.linalg.orth, 2)),
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
        OneByOne(scipy.linalg.solve_triangular, 2),
        _unchecked,
    ),
    _own("sqrtm", lambda d: (d.definite(),), "scipy", OneByOne(scipy.linalg.sqrtm, 2)),
    _numpy("svd", lambda d: (d.square(),)),
    _numpy("svdvals", lambda d: (d.square(),)),
    _numpy("tensordot", lambda d: (d.square(), d.square()), stacks=False),
    _numpy("tensorinv", lambda d: (d.regular()[np.newaxis],), stacks=False),
    _numpy("tensorsolve", lambda d: (d.regular()[np.newaxis], d.array(1, d.n)), stacks=False),
    _numpy("trace", lambda d: (d.square(),)),
    _own("vander", lambda d: (d.vector(),), "numpy", OneByOne(peers.vander, 1)),
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
