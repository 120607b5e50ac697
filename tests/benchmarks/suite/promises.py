"""What is promised of the speed, one record for each group of cells with the same floors.

A floor is the smallest ratio of another library's time to ours. `compare.py` prints every cell
beside its floors, and asv keeps the times of ours and NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .table import TABLE, Draw, Row

COUNTS = {
    2: 10_000,
    3: 10_000,
    4: 10_000,
    8: 10_000,
    16: 2000,
    32: 1000,
    64: 100,
    256: 4,
}
"""Matrices in a stack by n."""

DOUBLE = ("float64", "complex128")
ALL = ("float64", "complex128", "float32", "complex64")
SINGLES_UP_TO = 8
"""Stacks of matrices up to this size are promised in single precision too."""

DISCOUNT = {"complex128": 0.5}
"""What a floor is multiplied by."""

ROWS = {
    "one-small": "one matrix, n ≤ 4: solve, inv, det, slogdet, cholesky",
    "one-other": "one matrix, n ≤ 4: every other function with LAPACK underneath",
    "one-16": "one matrix, n = 16",
    "stack-small": "stack of 10 000, n = 2, 3, 4",
    "stack-8": "stack of 10 000, n = 8",
    "stack-medium": "stack of 2000, n = 16; of 1000, n = 32",
    "stack-large": "stacks of n = 64 and 256",
    "stack-eigen": "stacks, eigh, svd, qr, eig",
    "norms": "norm, matrix_norm, vector_norm, any axis",
    "norms-large": "norms of 2²² numbers, beside one pass over memory",
    "matmul": "matmul of small stacks",
}
"""The table's rows: what stands above their cells."""

LIMITS = {"lapack": 0.3, "pass": 1.5}
"""What a cell is held to beside other libraries: microseconds more than the bare call of LAPACK,
or times one pass over the memory of the argument."""


@dataclass(frozen=True)
class Work:
    """A function on its arguments, as a label such as ``norm(square, axis=0)`` names them."""

    label: str
    row: Row


@dataclass(frozen=True)
class Promise:
    """Cells of one row of the table that share their floors; None where there is no such floor."""

    row: str
    works: tuple[Work, ...]
    sizes: tuple[int, ...]
    stacked: bool
    numpy: float | None
    others: float | None
    limit: str | None = None

    def cells(self) -> Iterator[Cell]:
        for work in self.works:
            for n in self.sizes:
                single = self.stacked and n <= SINGLES_UP_TO
                for dtype in ALL if single else DOUBLE:
                    yield Cell(self, work, n, dtype)


@dataclass(frozen=True)
class Cell:
    """One function on arrays of one size and dtype."""

    promise: Promise
    work: Work
    n: int
    dtype: str

    @property
    def count(self) -> int:
        """Matrices in the stack; 1 is a matrix without a leading axis."""
        return COUNTS[self.n] if self.promise.stacked else 1

    @property
    def label(self) -> str:
        return f"{self.work.label} {self.n} {self.count} {self.dtype}"

    @property
    def numpy_floor(self) -> float | None:
        return self._discounted(self.promise.numpy if self.numpy else None)

    @property
    def others_floor(self) -> float | None:
        return self._discounted(self.promise.others)

    @property
    def limit(self) -> float | None:
        """That of `LIMITS`, None where it does not apply."""
        if self.promise.limit == "lapack" and self.dtype != "float64":
            return None
        return LIMITS[self.promise.limit] if self.promise.limit else None

    @property
    def numpy(self) -> Callable[..., Any] | None:
        """NumPy's function, if it has one for this work."""
        return self.work.row.libraries.get("numpy")

    def draw(self, count: int | None = None) -> Draw:
        layout = "stacked" if self.promise.stacked else "alone"
        return Draw(self.n, layout, count or self.count, self.dtype)

    def _discounted(self, floor: float | None) -> float | None:
        return None if floor is None else floor * DISCOUNT.get(self.dtype, 1.0)


_ROW = {row.name: row for row in TABLE}


def _works(names: str) -> tuple[Work, ...]:
    return tuple(Work(name, _ROW[name]) for name in names.split())


def _on(arguments: Callable[[Draw], tuple[Any, ...]], names: str) -> tuple[Work, ...]:
    """Return functions on other arguments than those of the table."""
    return tuple(Work(name, replace(_ROW[name], arguments=arguments)) for name in names.split())


def _variant(name: str, arguments: Callable[[Draw], tuple[Any, ...]], **keywords: Any) -> Work:
    """Return a function with keywords; its label names them and what it is called on."""
    words = [arguments.__name__.strip("_"), *(f"{key}={value}" for key, value in keywords.items())]
    row = replace(_ROW[name], arguments=arguments, keywords=lambda draw: keywords)
    return Work(f"{name}({', '.join(words)})", row)


def _square(draw: Draw) -> tuple[Any, ...]:
    return (draw.square(),)


def _vector(draw: Draw) -> tuple[Any, ...]:
    return (draw.vector(),)


def _square_system(draw: Draw) -> tuple[Any, ...]:
    return draw.square(), draw.columns()


def _square_reflectors(draw: Draw) -> tuple[Any, ...]:
    h, tau = np.linalg.qr(draw.square(), "raw")
    return h.swapaxes(-2, -1), tau


SPECTRAL = _variant("matrix_norm", _square, ord=2)

OTHERS = (
    *_on(_square, "qr pinv"),
    *_on(_square_system, "lstsq"),
    *_on(_square_reflectors, "householder_product"),
    *_works(
        "cholesky_ex cholesky_solve cond eig eigh eigvals eigvalsh inv_ex "
        "ldl_factor ldl_solve lu lu_factor lu_solve matrix_exp matrix_rank null_space orth "
        "solve_ex solve_triangular sqrtm svd svdvals tensorinv tensorsolve"
    ),
    SPECTRAL,
)
"""Every function with LAPACK underneath that is in no other row of one matrix."""

NORMS_ALONE = (
    _variant("norm", _vector),
    _variant("norm", _square),
    _variant("norm", _square, ord=1),
    _variant("norm", _square, axis=0),
    _variant("vector_norm", _vector),
    _variant("vector_norm", _vector, ord=1),
    _variant("vector_norm", _square, axis=0),
    _variant("matrix_norm", _square),
    _variant("matrix_norm", _square, ord=float("inf")),
)

NORMS_STACKED = (
    _variant("vector_norm", _vector, axis=-1),
    _variant("vector_norm", _vector, axis=0),
    _variant("vector_norm", _vector, ord=1, axis=-1),
    _variant("vector_norm", _vector, ord=float("inf"), axis=-1),
    _variant("vector_norm", _vector, ord=3, axis=-1),
    _variant("vector_norm", _square, axis=0),
    _variant("vector_norm", _square, axis=1),
    _variant("vector_norm", _square, axis=(1, 2)),
    _variant("norm", _square, axis=1),
    _variant("norm", _square, axis=(1, 2)),
    _variant("norm", _square, ord=1, axis=(0, 1)),
    _variant("matrix_norm", _square),
    _variant("matrix_norm", _square, ord=1),
    _variant("matrix_norm", _square, ord=float("inf")),
)

NORMS_LARGE = (
    _variant("norm", _square),
    _variant("vector_norm", _square),
    _variant("vector_norm", _square, ord=1),
    _variant("vector_norm", _square, ord=float("inf")),
    _variant("vector_norm", _square, axis=0),
    _variant("vector_norm", _square, axis=1),
    _variant("vector_norm", _square, ord=1, axis=0),
    _variant("matrix_norm", _square),
    _variant("matrix_norm", _square, ord=1),
    _variant("matrix_norm", _square, ord=float("inf")),
)

EIGEN = (*_works("eigh svd eig"), *_on(_square, "qr"), SPECTRAL)

PROMISES = (
    Promise("one-small", _works("solve inv det slogdet cholesky"), (1, 2, 3, 4), False, 15, 15),
    Promise("one-other", OTHERS, (1, 2, 3, 4), False, 2, 1.5, "lapack"),
    Promise("one-16", (*_works("solve cholesky"), *_on(_square, "qr")), (16,), False, 1.5, 1.2),
    Promise("one-16", _works("inv det eigvalsh"), (16,), False, 1.3, 1.2),
    Promise("one-16", _works("eigh svd eig"), (16,), False, 1.0, 1.0),
    Promise("stack-small", _works("solve slogdet cholesky"), (2, 3, 4), True, 15, 8),
    Promise("stack-small", _works("inv det"), (2, 3, 4), True, 15, 6),
    Promise("stack-8", _works("solve inv slogdet"), (8,), True, 6, 4),
    Promise("stack-8", _works("det"), (8,), True, 6, 2.5),
    Promise("stack-8", _works("cholesky"), (8,), True, 5, 3),
    Promise("stack-medium", _works("solve inv det slogdet cholesky"), (16,), True, 4, 1.7),
    Promise("stack-medium", _works("solve inv det slogdet cholesky"), (32,), True, 3, 2),
    Promise("stack-large", _works("solve inv det cholesky"), (64, 256), True, 1.3, 1.1),
    Promise("stack-eigen", EIGEN, tuple(COUNTS), True, 1.1, 1.0),
    Promise("norms", NORMS_ALONE, (4, 64), False, 2, None),
    Promise("norms", NORMS_STACKED, (3, 4, 32), True, 2, None),
    Promise("norms-large", NORMS_LARGE, (2048,), False, None, None, "pass"),
    Promise("matmul", _works("matmul"), (2, 3, 4, 8), True, 2, None),
)

CELLS = tuple(cell for promise in PROMISES for cell in promise.cells())
