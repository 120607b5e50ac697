"""Triangular systems, and systems whose matrix has been factored by Cholesky."""

from __future__ import annotations

from typing import Any

from .._core.dtypes import LAPACK
from .._core.op import PER_THREAD_COUNT, op
from .._core.rules import UNWRITTEN
from ._common import linalg_function, require_finite, trans_number

__all__ = ["cholesky_solve", "solve_triangular"]

SOLVE_TRIANGULAR = op(
    "linalg.solve_triangular",
    kernel="trtrs",
    signature="(n,n),(n,k?)->(n,k?)",
    dtypes=LAPACK("xx", "x"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

CHOLESKY_SOLVE = op(
    "linalg.cholesky_solve",
    kernel="potrs",
    signature="(n,n),(n,k?)->(n,k?)",
    dtypes=LAPACK("xx", "x"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)


@linalg_function(op=SOLVE_TRIANGULAR, trans=0, lower=False, unit_diagonal=False)
def solve_triangular(
    a: Any,
    b: Any,
    trans: Any = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = False,
) -> Any:
    """Solve ``a x = b`` for triangular `a`.

    Parameters
    ----------
    a : (..., n, n) array_like
        Triangular matrices. The other triangle is not read.
    b : (n,) or (..., n, k) array_like
        Right-hand sides. A vector exactly if it is 1-D; the stacks broadcast.
    trans : {0, 1, 2, 'N', 'T', 'C'}, default 0
        System to solve: 0 or 'N' ``a x = b``, 1 or 'T' ``aᵀ x = b``, 2 or 'C' ``aᴴ x = b``.
    lower : bool, default False
        `a` is lower triangular; by default it is upper triangular.
    unit_diagonal : bool, default False
        The diagonal of `a` is taken to be 1 and not read.
    overwrite_b : bool, default False
        A permission of SciPy's, of which no use is made.
    check_finite : bool, default False
        Raise if `a` or `b` holds NaN or infinity. By default they are computed with: a matrix that
        holds NaN leaves the others of its stack alone.

    Returns
    -------
    (n,) or (..., n) or (..., n, k) ndarray
        The solutions, in the common dtype of `a` and `b`; integers become float64. Single
        precision is computed in double and rounded once.

    Raises
    ------
    LinAlgError
        If a matrix has an exact zero on its diagonal; the message names the first, ``indices``
        lists all. Also if `a` is not square or has fewer than two axes.
    ValueError
        If the shapes of `a` and `b` do not fit together, if `trans` is none of the above, or with
        `check_finite`.
    TypeError
        For half and extended precision and for objects.

    Notes
    -----
    Name and arguments are those of `scipy.linalg.solve_triangular`.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., section 3.1.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> a = np.array([[2.0, 0.0], [1.0, 4.0]])
    >>> linalg.solve_triangular(a, np.array([2.0, 5.0]), lower=True)
    array([1., 1.])
    """
    number = trans_number("solve_triangular", trans)
    if check_finite:
        require_finite("solve_triangular", a=a, b=b)
    return SOLVE_TRIANGULAR(a, b, trans=number, lower=lower, unit_diagonal=unit_diagonal)


@linalg_function()
def cholesky_solve(B: Any, L: Any, upper: bool = False) -> Any:
    """Solve a system whose matrix is given by its Cholesky factor: ``L Lᴴ x = B``.

    Parameters
    ----------
    B : (n,) or (..., n, k) array_like
        Right-hand sides. A vector exactly if it is 1-D; the stacks broadcast.
    L : (..., n, n) array_like
        Factors, as `cholesky` returns them. The other triangle is not read.
    upper : bool, default False
        `L` is the upper factor of ``Lᴴ L``.

    Returns
    -------
    (n,) or (..., n) or (..., n, k) ndarray
        The solutions, in the common dtype of `B` and `L`; integers become float64.

    Raises
    ------
    LinAlgError
        If a factor has an exact zero on its diagonal, is not square or has fewer than two axes.
    ValueError
        If the shapes of `B` and `L` do not fit together.
    TypeError
        For half and extended precision and for objects.

    Notes
    -----
    Name and arguments are those of ``torch.cholesky_solve``.

    See Also
    --------
    cholesky : Makes the factor.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> L = linalg.cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]))
    >>> linalg.cholesky_solve(np.array([6.0, 7.0]), L)
    array([1., 1.])
    """
    return CHOLESKY_SOLVE(L, B, upper=upper)
