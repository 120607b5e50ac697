"""Symmetric and Hermitian matrices that need not be definite: the LDL factorization."""

from __future__ import annotations

from typing import Any

from .._core.dtypes import LAPACK
from .._core.op import PER_THREAD_COUNT, op
from .._core.rules import UNWRITTEN
from ._common import linalg_function

__all__ = ["ldl_factor", "ldl_solve"]

LDL_FACTOR = op(
    "linalg.ldl_factor",
    kernel="sytrf",
    signature="(n,n)->(n,n),(n)",
    dtypes=LAPACK("x", "xi"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

LDL_SOLVE = op(
    "linalg.ldl_solve",
    kernel="sytrs",
    signature="(n,n),(n),(n,k?)->(n,k?)",
    dtypes=LAPACK("xix", "x"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)


@linalg_function(op=LDL_FACTOR, hermitian=False)
def ldl_factor(A: Any, *, hermitian: bool = False) -> Any:
    """LDL factorization of a symmetric or Hermitian matrix, in the form that `ldl_solve` takes.

    Parameters
    ----------
    A : (..., n, n) array_like
        Symmetric matrices, complex ones included. Only the lower triangle is read.
    hermitian : bool, default False
        The matrices are Hermitian; imaginary parts on the diagonal are ignored. For real ones it
        makes no difference.

    Returns
    -------
    LDLFactorResult
        ``LD``, (..., n, n): in the lower triangle the blocks of D and, below them, L without its
        diagonal of ones; zero above. And ``pivots``, (..., n) of int32, as LAPACK has them: a
        positive one for a block of one row, which changed places with the row of that number,
        counted from 1; two equal negative ones for a block of two rows, the second of which
        changed places with the row of that number.

    Raises
    ------
    LinAlgError
        If `A` is not square or has fewer than two axes.
    TypeError
        For half and extended precision and for objects.

    Notes
    -----
    ``A = M D Mᵀ``, or ``A = M D Mᴴ`` if `hermitian`, where ``M = P₁ L₁ P₂ L₂ …`` has an exchange
    and the columns of L for each block, by the pivoting of Bunch and Kaufman [1]_. It costs half as
    much as LU. Name, arguments and results are those of ``torch.linalg.ldl_factor``. A singular
    matrix has a factorization too and is no error here; `ldl_solve` raises for it.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., section 4.4.4.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.ldl_factor(np.array([[4.0, 2.0], [2.0, -1.0]]))
    LDLFactorResult(LD=array([[ 4. ,  0. ],
           [ 0.5, -2. ]]), pivots=array([1, 2], dtype=int32))
    """
    return LDL_FACTOR(A, hermitian=hermitian)


@linalg_function(op=LDL_SOLVE, hermitian=False)
def ldl_solve(LD: Any, pivots: Any, B: Any, *, hermitian: bool = False) -> Any:
    """Solve ``A x = B`` with the factors of `ldl_factor`.

    Parameters
    ----------
    LD : (..., n, n) array_like
        What `ldl_factor` returned for `A`. Only the lower triangle is read.
    pivots : (..., n) array_like of int
        Its pivots.
    B : (n,) or (..., n, k) array_like
        Right-hand sides. A vector exactly if it is 1-D; the stacks broadcast.
    hermitian : bool, default False
        As it was for `ldl_factor`.

    Returns
    -------
    (n,) or (..., n) or (..., n, k) ndarray
        The solutions, in the common dtype of `LD` and `B`.

    Raises
    ------
    LinAlgError
        If a matrix is exactly singular; the message names the first, ``indices`` lists all.
    ValueError
        If the shapes do not fit together, or the pivots cannot be those of a factorization.
    TypeError
        If the pivots are not integers, and for half and extended precision and for objects.

    Notes
    -----
    Name and arguments are those of ``torch.linalg.ldl_solve``.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> LD, pivots = linalg.ldl_factor(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> linalg.ldl_solve(LD, pivots, np.array([3.0, 5.0]))
    array([5., 3.])
    """
    return LDL_SOLVE(LD, pivots, B, hermitian=hermitian)
