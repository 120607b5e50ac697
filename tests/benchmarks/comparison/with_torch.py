"""torch's functions on CPU tensors, with the threads it takes by default and with one.

The count is OpenMP's. `torch.set_num_threads` would set MKL's too, and then torch 2.13 calls a
parallel MKL from threads of its own: `solve` of four 256×256 matrices never returns.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .timing import Contestant, nothing

_SAME = (
    "cholesky cholesky_ex cond det eig eigh eigvals eigvalsh householder_product inv inv_ex "
    "ldl_factor ldl_solve lstsq lu lu_factor matrix_exp matrix_norm matrix_rank pinv qr slogdet "
    "solve solve_ex svd svdvals tensorinv tensorsolve"
)

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(torch.linalg, name) for name in _SAME.split()
} | {
    "cholesky_solve": torch.cholesky_solve,
    "lu_solve": torch.linalg.lu_solve,
    "solve_triangular": torch.linalg.solve_triangular,
}

KEYWORDS = {"solve_triangular": {"upper": True}}
"""What is a default of ours and must be said to torch."""

ADAPTED: dict[str, Callable[..., tuple[Any, ...]]] = {
    "lu_solve": lambda factors, b: (factors[0], factors[1] + 1, b),
}
"""Arguments that torch takes in another form: its pivots count from 1."""


DEFAULT_THREADS = torch.get_num_threads()


def _openmp() -> ctypes.CDLL | None:
    """Return the OpenMP library that came with torch, if it did."""
    found = Path(torch.__file__).parent.glob("lib/lib[gi]omp*.so*")
    return next((ctypes.CDLL(str(path)) for path in found), None)


OPENMP = _openmp()


def contestants(
    name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> list[Contestant]:
    """Return torch's calls on tensors of the same values; none where it has no such function."""
    if name not in FUNCTIONS:
        return []
    if name in ADAPTED:
        arguments = ADAPTED[name](*arguments)
    tensors = tuple(map(_tensor, arguments))
    return [
        Contestant(
            f"torch, {count} thread{'s' * (count > 1)}",
            FUNCTIONS[name],
            tensors,
            {**KEYWORDS.get(name, {}), **keywords},
            partial(OPENMP.omp_set_num_threads, count) if OPENMP else nothing,
        )
        for count in dict.fromkeys((DEFAULT_THREADS, 1) if OPENMP else (DEFAULT_THREADS,))
    ]


def _tensor(argument: Any) -> Any:
    return torch.from_numpy(argument.copy()) if isinstance(argument, np.ndarray) else argument
