"""Linear equations and inverses by LU with partial pivoting."""

from __future__ import annotations

import math
from typing import Any

from .._core.call import convert
from .._core.dtypes import LAPACK
from .._core.errors import LinAlgError
from .._core.op import PER_THREAD_COUNT, op
from .._core.results import SolveExResult
from .._core.rules import UNWRITTEN
from ._common import array_wrap, linalg_function

__all__ = ["inv", "inv_ex", "solve", "solve_ex", "tensorinv", "tensorsolve"]

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


SOLVE_EX = op(
    "linalg.solve_ex",
    kernel="gesv_ex",
    signature="(n,n),(n,k?)->(n,k?),()",
    dtypes=LAPACK("xx", "xi"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

INV_EX = op(
    "linalg.inv_ex",
    kernel="inv_ex",
    signature="(n,n)->(n,n),()",
    dtypes=LAPACK("x", "xi"),
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


@linalg_function()
def solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    """Solve ``A x = B``, and report singular matrices instead of raising.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrices.
    B : (n,) or (..., n, k) array_like
        Right-hand sides. A vector exactly if it is 1-D; the stacks broadcast.
    left : bool, default True
        False solves ``x A = B`` for `B` of shape (..., k, n).
    check_errors : bool, default False
        Raise if a matrix is singular, as `solve` does.

    Returns
    -------
    SolveExResult
        ``result``, the solutions as `solve` has them, NaN for singular matrices; and ``info``,
        (...) of int32: 0, or the number of the pivot that is exactly zero, counted from 1.

    Raises
    ------
    LinAlgError
        If `A` is not square or has fewer than two axes; with `check_errors`, if a matrix is
        singular.
    ValueError
        If the shapes of `A` and `B` do not fit together.
    TypeError
        For half and extended precision and for objects.

    See Also
    --------
    solve : The same, but raises for singular matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> a = np.array([[[2.0, 0.0], [0.0, 4.0]], [[1.0, 2.0], [2.0, 4.0]]])
    >>> x, info = linalg.solve_ex(a, np.array([1.0, 1.0]))
    >>> x
    array([[0.5 , 0.25],
           [ nan,  nan]])
    >>> info
    array([0, 2], dtype=int32)
    """
    if left:
        return _solve_ex(A, B, check_errors)
    A, B = convert(A), convert(B)
    if A.ndim < 2:
        return SOLVE_EX(A, B)  # which refuses it
    if B.ndim < 2:
        return _solve_ex(A.swapaxes(-2, -1), B, check_errors)
    result, info = _solve_ex(A.swapaxes(-2, -1), B.swapaxes(-2, -1), check_errors)
    return SolveExResult(result.swapaxes(-2, -1), info)


def _solve_ex(A: Any, B: Any, check_errors: bool) -> Any:
    if check_errors:
        SOLVE(A, B)  # its error tells more than a number
    return SOLVE_EX(A, B)


@linalg_function()
def inv_ex(A: Any, *, check_errors: bool = False) -> Any:
    """Inverse of a square matrix, with a report of singular ones instead of an error.

    Parameters
    ----------
    A : (..., n, n) array_like
        Matrices to invert.
    check_errors : bool, default False
        Raise if a matrix is singular, as `inv` does.

    Returns
    -------
    InvExResult
        ``inverse``, (..., n, n), NaN for singular matrices; and ``info``, (...) of int32: 0, or the
        number of the pivot that is exactly zero, counted from 1.

    Raises
    ------
    LinAlgError
        If `A` is not square or has fewer than two axes; with `check_errors`, if a matrix is
        singular.
    TypeError
        For half and extended precision and for objects.

    See Also
    --------
    inv : The same, but raises for singular matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> a = np.array([[[1.0, 2.0], [2.0, 4.0]], [[2.0, 0.0], [0.0, 4.0]]])
    >>> linalg.inv_ex(a).info
    array([2, 0], dtype=int32)
    """
    if check_errors:
        INV(A)
    return INV_EX(A)


@linalg_function()
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """Solve the tensor equation ``a x = b``.

    The sum runs over all indices of ``x``, the rightmost ones of `a`:
    ``tensordot(a, x, axes=x.ndim)`` is `b`.

    Parameters
    ----------
    a : array_like
        Coefficients, of shape ``b.shape + Q`` with ``prod(Q) == prod(b.shape)``.
    b : array_like
        Right-hand side, of any shape.
    axes : tuple of int, optional
        Axes of `a` to move to the right before solving.

    Returns
    -------
    ndarray
        ``x``, of shape ``Q``.

    Raises
    ------
    LinAlgError
        If `a` is singular or not square in the above sense.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> a = np.eye(2 * 3 * 4).reshape(2 * 3, 4, 2, 3, 4)
    >>> linalg.tensorsolve(a, np.ones((2 * 3, 4))).shape
    (2, 3, 4)
    """
    wrap = array_wrap(a)
    a, b = convert(a), convert(b)
    if axes is not None:
        order = list(range(a.ndim))
        for axis in axes:
            order.remove(axis)
            order.insert(a.ndim, axis)
        a = a.transpose(order)
    shape = a.shape[-(a.ndim - b.ndim) :]
    size = math.prod(shape)
    if a.size != size**2:
        raise LinAlgError(
            "linalg.tensorsolve: Input arrays must satisfy the requirement "
            "prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim]); "
            f"`a` has shape {a.shape}, `b` has shape {b.shape}"
        )
    return wrap(SOLVE(a.reshape(size, size), b.ravel())).reshape(shape)


@linalg_function()
def tensorinv(a: Any, ind: Any = 2) -> Any:
    """Inverse of a tensor under `tensordot`.

    Parameters
    ----------
    a : array_like
        Tensor with ``prod(a.shape[:ind]) == prod(a.shape[ind:])``.
    ind : int, default 2
        Number of first axes that belong to the inverse's sum.

    Returns
    -------
    ndarray
        ``x`` of shape ``a.shape[ind:] + a.shape[:ind]`` for which ``tensordot(x, a, ind)`` is
        the identity.

    Raises
    ------
    LinAlgError
        If `a` is singular or not square in the above sense.
    ValueError
        If `ind` is not positive.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.tensorinv(np.eye(4 * 6).reshape(4, 6, 8, 3)).shape
    (8, 3, 4, 6)
    """
    a = convert(a)
    if ind <= 0:
        raise ValueError(f"linalg.tensorinv: Invalid ind argument. It must be positive, not {ind}")
    shape = a.shape[ind:] + a.shape[:ind]
    return INV(a.reshape(math.prod(a.shape[ind:]), -1)).reshape(shape)
