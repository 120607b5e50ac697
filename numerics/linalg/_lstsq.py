"""Least squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import dtypes
from .._core.call import convert
from .._core.errors import LinAlgError
from .._core.op import PER_THREAD_COUNT, op
from .._core.rules import UNWRITTEN
from ._common import array_wrap, linalg_function

__all__ = ["lstsq"]

_EPS = float(np.finfo(np.float64).eps)

LSTSQ = op(
    "linalg.lstsq",
    kernel="gelsd",
    signature="(m,n),(m,r)->(n,r),(r),(),(k)",
    dtypes=dtypes.LAPACK("xx", "xrir"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)


@linalg_function()
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """Least-squares solution of ``a x = b`` with the smallest Euclidean norm.

    Parameters
    ----------
    a : (..., m, n) array_like
        Coefficients, of any rank.
    b : (m,) or (..., m, r) array_like
        Right-hand sides. `b` is a vector exactly if it is 1-D; the stacks of `a` and `b`
        broadcast.
    rcond : float or (...) array_like of float, optional
        Singular values up to `rcond` times the largest count as zero; an array has one for each
        matrix. By default ``eps * max(m, n)``, with the eps of the precision computed in; a
        negative value means eps.

    Returns
    -------
    x : (..., n) or (..., n, r) ndarray
        Solutions. A column of `b` with NaN or infinity has NaN.
    residuals : (..., r) or (..., 1) or (..., 0) ndarray
        Sums of squares ``‖b - a x‖²`` per right-hand side; empty unless ``m > n``. For a single
        matrix of a rank below n it is empty too; in a stack, where another may have rank n, such a
        matrix has NaN.
    rank : int or (...) ndarray of int
        Rank of each matrix by `rcond`.
    s : (..., min(m, n)) ndarray
        Singular values of `a`, descending.

    Raises
    ------
    LinAlgError
        If the iteration does not converge, as with NaN or infinity in `a`; its ``indices`` name the
        matrices. Also if `a` or `b` has too few axes, or if they differ in m.
    ValueError
        If the stacks of `a`, `b` and `rcond` do not broadcast.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., section 5.5.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> a = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
    >>> slope, intercept = linalg.lstsq(a, np.array([-1.0, 0.2, 0.9, 2.1]))[0]
    >>> round(float(slope), 6), round(float(intercept), 6)
    (1.0, -0.95)
    """
    is_plain = type(a) is type(b) is np.ndarray
    if not is_plain:
        wrap = array_wrap(b)
        a, b = convert(a), convert(b)
    is_vector = b.ndim == 1
    if is_vector:
        b = b[:, np.newaxis]
    if a.ndim < 2 or b.ndim < 2 or a.shape[-2] != b.shape[-2]:
        raise _misfit(a, b)
    m, n = a.shape[-2:]
    tolerance = _EPS * max(m, n) if rcond is None else _tolerance(rcond, a, b)
    x, residuals, rank, s = LSTSQ(a, b, rcond=tolerance)
    if m <= n or not (x.ndim > 2 or rank.item() == n):
        residuals = residuals[..., :0]
    if is_vector:
        x = x[..., 0]
    return (x, residuals, rank, s) if is_plain else (wrap(x), wrap(residuals), rank, s)


def _misfit(a: Any, b: Any) -> LinAlgError:
    for name, array in (("a", a), ("b", b)):
        if array.ndim < 2:
            return LinAlgError(
                f"linalg.lstsq: {array.ndim}-dimensional array given. Array must be "
                f"two-dimensional, or a stack of such; `{name}` has shape {array.shape}"
            )
    return LinAlgError(
        f"linalg.lstsq: Incompatible dimensions; `a` has {a.shape[-2]} rows and `b` has "
        f"{b.shape[-2]}"
    )


def _tolerance(rcond: Any, a: Any, b: Any) -> float | tuple[float, ...]:
    """Return `rcond` as the op takes it: one number, or one for each matrix of the stack."""
    given = np.asarray(rcond)
    if given.dtype.kind not in "fiub":
        raise TypeError(f"linalg.lstsq: `rcond` must be a real number, not {rcond!r}")
    if given.size == 1:
        return float(given.item())
    try:
        stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        per_matrix = np.broadcast_to(given, stack)
    except ValueError as error:
        raise ValueError(
            f"linalg.lstsq: `rcond` must be a number or broadcast to the stack; it has shape "
            f"{given.shape}, `a` has shape {a.shape}, `b` has shape {b.shape}"
        ) from error
    return tuple(per_matrix.ravel().tolist()) or 0.0
