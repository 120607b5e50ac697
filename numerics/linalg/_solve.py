"""Linear equations and inverses by LU with partial pivoting."""

from __future__ import annotations

from functools import partial
from typing import Any

from .._core.call import convert
from .._core.dtypes import LAPACK
from .._core.op import PER_THREAD_COUNT, op
from .._core.results import SolveExResult
from .._core.rules import UNWRITTEN
from ._common import linalg_function, with_errors

__all__ = ["inv", "inv_ex", "solve", "solve_ex"]

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


@linalg_function(op=SOLVE)
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


@linalg_function(op=INV)
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


@linalg_function(op=SOLVE_EX)
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

    Notes
    -----
    A result that is NaN because the input holds NaN is no failure: ``info`` is 0 for it.

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
    result = SOLVE_EX(A, B)
    return with_errors(result, partial(SOLVE, A, B)) if check_errors else result


@linalg_function(op=INV_EX)
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

    Notes
    -----
    A result that is NaN because the input holds NaN is no failure: ``info`` is 0 for it.

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
    result = INV_EX(A)
    return with_errors(result, partial(INV, A)) if check_errors else result
