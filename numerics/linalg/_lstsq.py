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
    a : (m, n) array_like
        Coefficients, of any rank.
    b : (m,) or (m, r) array_like
        Right-hand sides.
    rcond : float, optional
        Singular values below `rcond` times the largest count as zero. By default ``eps * max(m,
        n)``, with the eps of the precision computed in; a negative value means eps.

    Returns
    -------
    x : (n,) or (n, r) ndarray
        Solutions.
    residuals : (r,) or (1,) or (0,) ndarray
        Sums of squares ``‖b - a x‖²`` per right-hand side; empty unless ``m > n = rank``.
    rank : int
        Rank of `a` by `rcond`.
    s : (min(m, n),) ndarray
        Singular values of `a`, descending.

    Raises
    ------
    LinAlgError
        If the iteration does not converge, if `a` or `b` has the wrong number of axes, or if
        they differ in m.

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
    wrap = array_wrap(b)
    a, b = convert(a), convert(b)
    is_vector = b.ndim == 1
    if is_vector:
        b = b[:, np.newaxis]
    for name, array in (("a", a), ("b", b)):
        if array.ndim != 2:
            raise LinAlgError(
                f"linalg.lstsq: {array.ndim}-dimensional array given. Array must be "
                f"two-dimensional; `{name}` has shape {array.shape}"
            )
    (m, n), r = a.shape, b.shape[1]
    if b.shape[0] != m:
        raise LinAlgError(
            f"linalg.lstsq: Incompatible dimensions; `a` has {m} rows and `b` has {b.shape[0]}"
        )
    if rcond is None:
        rcond = np.finfo(np.float64).eps * max(m, n)
    # Without a right-hand side, rank and singular values still come from a solve.
    b = b if r > 0 else np.zeros_like(b, shape=(m, 1))
    x, residuals, rank, s = LSTSQ(a, b, rcond=_as_float(rcond))
    x, residuals = x[:, :r], residuals[:r]
    if rank.item() != n or m <= n:
        residuals = residuals[:0]
    return wrap(x[:, 0] if is_vector else x), wrap(residuals), rank, s


def _as_float(rcond: Any) -> float:
    """Return `rcond`, a real number or an array of one."""
    given = np.asarray(rcond)
    if given.dtype.kind not in "fiub" or given.size != 1:
        raise TypeError(f"linalg.lstsq: `rcond` must be a real number, not {rcond!r}")
    return float(given.item())
