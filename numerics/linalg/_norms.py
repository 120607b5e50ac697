"""Norms of vectors and matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from .._core.call import convert
from .._core.dtypes import INEXACT, LAPACK
from .._core.op import BITWISE, op
from .._core.rules import UNWRITTEN
from ._common import linalg_function
from ._svd import SVDVALS

__all__ = ["matrix_norm", "norm", "vector_norm"]

Norm = Callable[..., Any]

_LAST_TWO = (-2, -1)

VECTOR_NORM = op(
    "linalg.vector_norm",
    kernel="vector_norm",
    signature="(n)->()",
    dtypes=LAPACK("x", "r"),
    determinism=BITWISE,
    rule=UNWRITTEN,
)

VECTOR_NORM_EXTENDED = op(
    "linalg.vector_norm.extended",
    kernel="vector_norm_extended",
    signature="(n)->()",
    dtypes="g->g G->g O->O",
    determinism=BITWISE,
    rule=UNWRITTEN,
)

MATRIX_NORM = op(
    "linalg.matrix_norm",
    kernel="matrix_norm",
    signature="(m,n)->()",
    dtypes=LAPACK("x", "r"),
    determinism=BITWISE,
    rule=UNWRITTEN,
)

MATRIX_NORM_EXTENDED = op(
    "linalg.matrix_norm.extended",
    kernel="matrix_norm_extended",
    signature="(m,n)->()",
    dtypes="g->g G->g O->O",
    determinism=BITWISE,
    rule=UNWRITTEN,
)


@linalg_function()
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Norm of a vector or a matrix.

    Parameters
    ----------
    x : array_like
        Vectors or matrices. Without `axis`, x is 1-D or 2-D unless `ord` is None.
    ord : {None, int, float, inf, -inf, 'fro', 'nuc'}, optional
        Order. For matrices: None and 'fro' the Frobenius norm, 'nuc' the sum of the singular
        values, 2 and -2 the largest and smallest of them, 1 and -1 the largest and smallest
        column sum, inf and -inf row sum of magnitudes. For vectors: None and 2
        ``sqrt(Σ|x|²)``, inf and -inf the largest and smallest magnitude, 0 the number of
        non-zeros, any other p ``(Σ|x|^p)^(1/p)``.
    axis : int or 2-tuple of int, optional
        Axis of the vectors, or axes of rows and columns of the matrices. By default all of x is
        one vector (`ord` None) or one vector or matrix.
    keepdims : bool, default False
        Leave the axes that were reduced in place, with length 1.

    Returns
    -------
    ndarray or scalar
        Real norms in the precision of `x`; integers become float64.

    Raises
    ------
    ValueError
        For an order that does not exist, or more than two axes.
    TypeError
        If `axis` is no integer or tuple of integers.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., sections 2.2 and 2.3.

    Examples
    --------
    >>> from numerics import linalg
    >>> float(linalg.norm([3.0, 4.0]))
    5.0
    >>> linalg.norm([[3.0, 4.0], [5.0, 12.0]], axis=1)
    array([ 5., 13.])
    """
    if type(x) is np.ndarray and x.dtype.char in INEXACT:
        result = _of_plain(x, ord, axis, keepdims)
        if result is not None:
            return result
    x = _inexact(x)
    ndim = x.ndim
    if axis is None:
        if ord is None or (ord == 2 and ndim == 1) or (ndim == 2 and ord in ("f", "fro")):
            result = _of_all(x)
            return result.reshape(ndim * [1]) if keepdims else result
        axes: tuple[Any, ...] = tuple(range(ndim))
    elif isinstance(axis, tuple):
        axes = axis
    else:
        axes = (_as_integer(axis),)
    if len(axes) == 1:
        return _vector_norm(x, ord, axes[0], keepdims)
    if len(axes) == 2:
        return norms_of_matrices(x, ord, _LAST_TWO if axis is None else axes, keepdims)
    raise ValueError(
        f"linalg.norm: Improper number of dimensions to norm. One or two axes are needed, "
        f"not {len(axes)}; `x` has shape {x.shape}"
    )


def _of_plain(x: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
    """Return the norm if the call is one of the commonest; the rest of `norm` serves them too.

    Axes of length 1 in front of what is reduced are those that `keepdims` leaves.
    """
    ndim = x.ndim
    if axis is None:
        if ndim == 1 and (ord is None or (type(ord) in (int, float) and ord > 0)):
            return VECTOR_NORM(x[np.newaxis] if keepdims else x, ord=2 if ord is None else ord)
        if ndim == 2 and (ord is None or (type(ord) is str and ord == "fro")):
            return MATRIX_NORM(x[np.newaxis, np.newaxis] if keepdims else x, ord="fro")
    elif ord is None and type(axis) is int:
        if ndim > 0 and axis in (-1, ndim - 1):
            return VECTOR_NORM(x[..., np.newaxis, :] if keepdims else x, ord=2)
        if ndim == 2 and axis in (-2, 0):
            return VECTOR_NORM(x.T[np.newaxis] if keepdims else x.T, ord=2)
    return None


def _as_integer(axis: Any) -> int:
    try:
        return int(axis)
    except Exception as error:
        raise TypeError(
            "linalg.norm: 'axis' must be None, an integer or a tuple of integers, "
            f"not {type(axis).__name__}"
        ) from error


def _inexact(x: Any) -> Any:
    x = convert(x)
    return x if x.dtype.kind in "fcO" else x.astype(np.float64)


def _of_all(x: Any) -> Any:
    """2-norm of all entries, summed in the order of memory."""
    if x.ndim == 2 and x.dtype.kind != "O":
        return _by_dtype(MATRIX_NORM, MATRIX_NORM_EXTENDED, x, "fro")
    return _by_dtype(VECTOR_NORM, VECTOR_NORM_EXTENDED, _raveled(x), 2)


def _raveled(x: Any) -> Any:
    return x if x.ndim == 1 else x.ravel(order="K")


def _by_dtype(standard: Norm, extended: Norm, x: Any, ord: Any) -> Any:
    letter = x.dtype.char
    if letter in INEXACT:
        return standard(x, ord=ord)
    if letter == "e":
        return standard(x.astype(np.float32), ord=ord).astype(np.float16)
    return extended(x, ord=ord)


def _vector_norm(x: Any, ord: Any, axis: int, keepdims: bool) -> Any:
    if isinstance(ord, str):
        raise ValueError(f"linalg.norm: Invalid norm order '{ord}' for vectors")
    axis = normalize_axis_index(axis, x.ndim)
    vectors = x if axis == x.ndim - 1 else _with_last(x, axis)
    if ord == -np.inf:
        _require_one(x, vectors.shape[:-1], vectors.shape[-1])
    result = _by_dtype(VECTOR_NORM, VECTOR_NORM_EXTENDED, vectors, 2 if ord is None else ord)
    return _with_axes(result, x, axis) if keepdims else result


def _with_axes(result: Any, x: Any, *axes: int) -> Any:
    """Put the axes of `x` that were reduced back in, with length 1."""
    shape = list(x.shape)
    for axis in axes:
        shape[axis] = 1
    return result.reshape(shape)


def _require_one(x: Any, stack: tuple[int, ...], candidates: int) -> None:
    """The smallest of nothing is an error, in NumPy's words."""
    if candidates == 0 and 0 not in stack:
        raise ValueError(
            "linalg.norm: zero-size array to reduction operation minimum which has no identity; "
            f"`x` has shape {x.shape}"
        )


def _with_last(x: Any, *axes: int) -> Any:
    """Move `axes` to the end, in this order."""
    ndim = x.ndim
    if axes[-1] == ndim - 1 and (len(axes) == 1 or axes == (ndim - 2, ndim - 1)):
        return x
    if ndim == 2:
        return x.transpose()
    return x.transpose([axis for axis in range(ndim) if axis not in axes] + list(axes))


_FOLDED = {1: 1, -1: -1, np.inf: np.inf, -np.inf: -np.inf, None: "fro", "fro": "fro", "f": "fro"}
"""Orders that are sums of magnitudes or squares, under the names that they have in the op."""


def _folded(ord: Any) -> Any:
    try:
        return _FOLDED.get(ord)
    except TypeError:  # an array of one number has no hash
        return next((value for key, value in _FOLDED.items() if ord == key), None)


def norms_of_matrices(x: Any, ord: Any, axes: tuple[Any, ...], keepdims: bool) -> Any:
    if axes is _LAST_TWO and x.ndim >= 2:
        row, column = axes
        matrices = x
    else:
        row, column = (normalize_axis_index(axis, x.ndim) for axis in axes)
        if row == column:
            raise ValueError("linalg.norm: Duplicate axes given.")
        matrices = _with_last(x, row, column)
    folded = _folded(ord)
    if folded is not None:
        if folded in (-1, -np.inf):
            _require_one(x, matrices.shape[:-2], matrices.shape[-1 if folded == -1 else -2])
        result = _by_dtype(MATRIX_NORM, MATRIX_NORM_EXTENDED, matrices, folded)
    elif ord == 2:
        s = SVDVALS(matrices, driver=None)
        result = s.max(axis=-1) if s.shape[-1] else s.sum(axis=-1)
    elif ord == -2:
        result = SVDVALS(matrices, driver=None).min(axis=-1)
    elif ord == "nuc":
        result = SVDVALS(matrices, driver=None).sum(axis=-1)
    else:
        raise ValueError(f"linalg.norm: Invalid norm order for matrices. It is {ord!r}")
    return _with_axes(result, x, row, column) if keepdims else result


@linalg_function()
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Norm of matrices.

    Parameters
    ----------
    x : (..., m, n) array_like
        Matrices.
    keepdims : bool, default False
        Leave the last two axes in place, with length 1.
    ord : {'fro', 'nuc', 1, -1, 2, -2, inf, -inf}, default 'fro'
        Order, as in `norm`.

    Returns
    -------
    (...) ndarray or scalar
        Real norms.

    Raises
    ------
    ValueError
        For an order that does not exist.

    Examples
    --------
    >>> from numerics import linalg
    >>> float(linalg.matrix_norm([[3.0, 0.0], [0.0, 4.0]]))
    5.0
    """
    return norms_of_matrices(_inexact(x), ord, _LAST_TWO, keepdims)


@linalg_function()
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """Norm of vectors.

    Parameters
    ----------
    x : array_like
        Vectors.
    axis : int or tuple of int, optional
        Axes that make up one vector; by default all.
    keepdims : bool, default False
        Leave the axes that were reduced in place, with length 1.
    ord : {int, float, inf, -inf}, default 2
        Order, as in `norm`.

    Returns
    -------
    ndarray or scalar
        Real norms.

    Raises
    ------
    ValueError
        For an order that does not exist.

    Examples
    --------
    >>> from numerics import linalg
    >>> float(linalg.vector_norm([[1.0, 2.0], [2.0, 4.0]], ord=1))
    9.0
    """
    x = _inexact(x)
    if axis is None:
        result = _vector_norm(_raveled(x), ord, 0, keepdims=False)
    elif isinstance(axis, tuple):
        normalized = normalize_axis_tuple(axis, x.ndim)
        rest = tuple(i for i in range(x.ndim) if i not in normalized)
        together = x.transpose(rest + normalized)
        # A length of -1 cannot be inferred for empty vectors.
        length = math.prod([x.shape[i] for i in normalized])
        flat = together.reshape(*(x.shape[i] for i in rest), length)
        result = _vector_norm(flat, ord, -1, keepdims=False)
    else:
        result = _vector_norm(x, ord, _as_integer(axis), keepdims=False)
    if not keepdims:
        return result
    return _with_axes(
        result, x, *normalize_axis_tuple(range(x.ndim) if axis is None else axis, x.ndim)
    )
