"""Condition numbers of matrices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .._core import signature
from .._core.call import convert
from .._core.errors import LinAlgError
from .._core.op import hot_path
from ._common import is_empty, linalg_function, scaled, scaling_exponent
from ._norms import norms_of_matrices
from ._solve import INV
from ._svd import SVDVALS

__all__ = ["cond"]

COND = hot_path("linalg.cond", kernel="cond", signature="(m,n)->()", dtypes="d->d D->d")

_LAST_TWO = (-2, -1)
_LOW, _HIGH = 1e-120, 1e120
"""Between these neither a norm, nor that of the inverse, nor their product has lost anything."""


@linalg_function(hot_path=COND)
def cond(x: Any, p: Any = None) -> Any:
    """Condition number of a matrix: ``‖x‖ ‖x⁻¹‖``.

    Parameters
    ----------
    x : (..., m, n) array_like
        Matrices, square unless `p` is None, 2 or -2.
    p : {None, 1, -1, 2, -2, inf, -inf, 'fro', 'nuc'}, optional
        Order of the norm, as in `norm`; None is 2, the ratio of the largest to the smallest
        singular value, and -2 is its reciprocal.

    Returns
    -------
    (...) ndarray or scalar
        Condition numbers; infinite for singular matrices, NaN for those that hold NaN.

    Raises
    ------
    LinAlgError
        If the matrices are empty, or not square where they must be.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., section 2.6.

    Examples
    --------
    >>> from numerics import linalg
    >>> float(linalg.cond([[1.0, 0.0], [0.0, 8.0]], 1))
    8.0
    """
    x = convert(x)
    if is_empty(x):
        raise LinAlgError(
            f"linalg.cond: cond is not defined on empty arrays; `x` has shape {x.shape}"
        )
    wide = _wide(x)
    with np.errstate(all="ignore"):
        result, is_ordinary = _plain(wide, p)
        if not is_ordinary.all().item():
            rescued = _plain(scaled(wide, scaling_exponent(wide)), p)[0]
            # What became NaN without NaN in the input is singular.
            is_singular = np.isnan(rescued) & ~np.isnan(wide).any(axis=_LAST_TWO)
            rescued = np.where(is_singular, np.inf, rescued)
            result = np.where(is_ordinary, result, rescued)[()]
        return result if wide is x else result.astype(_real_dtype(x))


def _wide(x: Any) -> Any:
    """In double precision what is not, so that neither an inverse nor a norm leaves its range."""
    if x.dtype.char in "fF" or x.dtype.kind in "biu":
        return x.astype(np.complex128 if x.dtype.char == "F" else np.float64)
    return x


def _real_dtype(x: Any) -> np.dtype[Any]:
    return np.dtype(np.float32 if x.dtype.char in "fF" else np.float64)


def _plain(x: Any, p: Any) -> tuple[Any, Any]:
    """Condition numbers, and whether all that they were computed from was of moderate size."""
    if p is None or p in (2, -2):
        s = _each(partial(SVDVALS, driver=None), x)
        largest, smallest = s[..., 0], s[..., -1]
        is_ordinary = (largest < _HIGH) & (smallest > _LOW)
        return (smallest / largest if p == -2 else largest / smallest), is_ordinary
    if isinstance(p, str) and p == "nuc":
        signature.check("linalg.cond", INV.signature, (x,))
        s = _each(partial(SVDVALS, driver=None), x)
        size, size_of_inverse = s.sum(axis=-1), (1 / s).sum(axis=-1)
    else:
        inverse = _each(INV, x)
        size = norms_of_matrices(x, p, _LAST_TWO, False)
        size_of_inverse = norms_of_matrices(inverse, p, _LAST_TWO, False)
    is_ordinary = (size > _LOW) & (size < _HIGH)
    is_ordinary &= (size_of_inverse > _LOW) & (size_of_inverse < _HIGH)
    return size * size_of_inverse, is_ordinary


def _each(op: Callable[[Any], Any], x: Any) -> Any:
    """What `op` makes of each matrix of a stack; NaN where it refuses."""
    try:
        return op(x)
    except LinAlgError as error:
        if not hasattr(error, "indices"):
            raise
        is_refused = np.zeros_like(x[..., :1, :1], dtype=bool)
        is_refused[tuple(zip(*error.indices, strict=True))] = True
    result = op(np.where(is_refused, np.eye(*x.shape[-2:], dtype=x.dtype, like=x), x))
    return np.where(is_refused if result.ndim == x.ndim else is_refused[..., 0], np.nan, result)
