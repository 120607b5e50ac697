"""Linear equations and inverses by LU with partial pivoting."""

from __future__ import annotations

from typing import Any

from .._core.dtypes import LAPACK
from .._core.op import PER_THREAD_COUNT, op
from .._core.rules import UNWRITTEN
from ._common import linalg_function

__all__ = ["inv", "solve"]

SOLVE = op(
    "linalg.solve",
    kernel="gesv",
    signature="(n,n),(n,k?)->(n,k?)",
    dtypes=LAPACK("xx", "x"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

INV = op(
    "linalg.inv",
    kernel="inv",
    signature="(n,n)->(n,n)",
    dtypes=LAPACK("x", "x"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)


@linalg_function()
def solve(a: Any, b: Any) -> Any:
    """Solve the linear equations ``a x = b``.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrices of full rank.
    b : (n,) or (..., n, k) array_like
        Right-hand sides. A vector exactly if it is 1-D; the stacks broadcast.

    Returns
    -------
    (n,) or (..., n) or (..., n, k) ndarray
        The solutions, in the common dtype of `a` and `b`; integers become float64. Single
        precision is computed in double and rounded once.

    Raises
    ------
    LinAlgError
        If a matrix is exactly singular; the message names the first, ``indices`` lists all. Also
        if `a` is not square or has fewer than two axes.
    ValueError
        If the shapes of `a` and `b` do not fit together.
    TypeError
        For half and extended precision and for objects.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., section 3.4.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.solve(np.array([[1.0, 2.0], [3.0, 5.0]]), np.array([1.0, 2.0]))
    array([-1.,  1.])
    """
    return SOLVE(a, b)


@linalg_function()
def inv(a: Any) -> Any:
    """Inverse of a square matrix.

    Parameters
    ----------
    a : (..., n, n) array_like
        Matrices to invert.

    Returns
    -------
    (..., n, n) ndarray
        ``x`` with ``a x = I``, in the dtype of `a`; integers become float64.

    Raises
    ------
    LinAlgError
        If a matrix is exactly singular (``indices`` lists all that are) or not square.

    Notes
    -----
    To solve equations, `solve` is faster and more accurate than multiplying by an inverse.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.inv(np.array([[1.0, 2.0], [3.0, 4.0]])).round(6)
    array([[-2. ,  1. ],
           [ 1.5, -0.5]])
    """
    return INV(a)
