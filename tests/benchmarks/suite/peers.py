"""What functions are measured against where NumPy has none of the name, or takes no stacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from scipy.linalg import lapack


class Peer(NamedTuple):
    """What a function is measured against: it takes the same arguments, and what it returns are
    the first of our results.
    """

    library: str
    function: Callable[..., Any]


@dataclass(frozen=True)
class OneByOne:
    """`function`, called for each matrix of a stack with one axis.

    That is what a program does where a library has no stacks. (SciPy has them in some versions,
    by the same loop.) `ndim` counts the axes of the first array when it is alone.
    """

    function: Callable[..., Any]
    ndim: int

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        first = arguments[0] if isinstance(arguments[0], np.ndarray) else arguments[0][0]
        if first.ndim == self.ndim:
            return self.function(*arguments, **keywords)
        results = [
            self.function(*(_item(argument, i) for argument in arguments), **keywords)
            for i in range(len(first))
        ]
        if isinstance(results[0], tuple):
            return tuple(np.stack(parts) for parts in zip(*results, strict=True))
        return np.stack(results)


def _item(argument: Any, i: int) -> Any:
    if isinstance(argument, tuple | list):
        return type(argument)(part[i] for part in argument)
    return argument[i]


_ORGQR = {"d": lapack.dorgqr, "D": lapack.zungqr}
_SYTRF = {"d": lapack.dsytrf, "D": lapack.zsytrf}
_SYTRS = {"d": lapack.dsytrs, "D": lapack.zsytrs}


def householder_product(a: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """LAPACK's orgqr, ungqr of complex numbers."""
    return _ORGQR[a.dtype.char](a, tau)[0]


def ldl_factor(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """LAPACK's sytrf, for SciPy's ldl returns other factors."""
    return _SYTRF[a.dtype.char](a, lower=1)[:2]


def ldl_solve(factor: np.ndarray, pivots: np.ndarray, b: np.ndarray) -> np.ndarray:
    """LAPACK's sytrs."""
    return _SYTRS[b.dtype.char](factor, pivots, b, lower=1)[0]


def cholesky_solve(b: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """SciPy's cho_solve with torch's order of arguments."""
    return scipy.linalg.cho_solve((factor, True), b, check_finite=False)


def null_space(a: np.ndarray) -> np.ndarray:
    """SciPy's basis, with the zeros that make the shape independent of the values."""
    basis = scipy.linalg.null_space(a)
    full = np.zeros((len(basis), len(basis)), basis.dtype)
    full[:, : basis.shape[1]] = basis
    return full


def vander(x: np.ndarray) -> np.ndarray:
    """NumPy's vander with torch's order of powers."""
    return np.vander(x, increasing=True)
