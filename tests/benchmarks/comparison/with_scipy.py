"""SciPy's functions, as a program calls them that knows its arrays: without the look for NaN.

Here are those that NumPy has too; for all others the table of functions names SciPy's already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy
import scipy.linalg

from .timing import Contestant

_SAME = "cholesky det eig eigh eigvals eigvalsh inv lstsq pinv qr solve svd svdvals"

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(scipy.linalg, name) for name in _SAME.split()
} | {
    "cholesky_ex": scipy.linalg.cholesky,
    "inv_ex": scipy.linalg.inv,
    "solve_ex": scipy.linalg.solve,
}

KEYWORDS: dict[str, dict[str, Any]] = {
    "cholesky": {"lower": True},
    "cholesky_ex": {"lower": True},
    "qr": {"mode": "economic"},
    "solve": {"assume_a": "gen"},
    "solve_ex": {"assume_a": "gen"},
}
"""What makes SciPy compute the same; `assume_a` spares it the search for a structure."""


TAKES_STACKS = tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 17)


def contestants(
    name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> list[Contestant]:
    """Return SciPy's call on the same arrays; none where SciPy has no such function for them."""
    if name not in FUNCTIONS or keywords or (arguments[0].ndim > 2 and not TAKES_STACKS):
        return []
    found = {**KEYWORDS.get(name, {}), "check_finite": False}
    return [Contestant("scipy", FUNCTIONS[name], arguments, found)]
