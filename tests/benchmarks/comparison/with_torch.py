"""torch's functions on CPU tensors, with a thread for each core and with one."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from .timing import Contestant

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


def cores() -> int:
    """Return how many threads torch takes when no variable says otherwise."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
            partial(torch.set_num_threads, count),
        )
        for count in dict.fromkeys((cores(), 1))
    ]


def _tensor(argument: Any) -> Any:
    return torch.from_numpy(argument.copy()) if isinstance(argument, np.ndarray) else argument
