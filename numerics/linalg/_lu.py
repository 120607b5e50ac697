"""LU factorization with partial pivoting, and systems whose matrix has been factored by it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.dtypes import LAPACK
from .._core.op import PER_THREAD_COUNT, op
from .._core.results import LUResult
from .._core.rules import UNWRITTEN
from ._common import linalg_function, require_finite, trans_number

__all__ = ["lu", "lu_factor", "lu_solve"]

LU = op(
    "linalg.lu",
    kernel="getrf_parts",
    signature="(m,n)->(m),(m,k),(k,n)",
    dtypes=LAPACK("x", "ixx"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

LU_FACTOR = op(
    "linalg.lu_factor",
    kernel="getrf",
    signature="(m,n)->(m,n),(k)",
    dtypes=LAPACK("x", "xi"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)

LU_SOLVE = op(
    "linalg.lu_solve",
    kernel="getrs",
    signature="(n,n),(n),(n,k?)->(n,k?)",
    dtypes=LAPACK("xix", "x"),
    determinism=PER_THREAD_COUNT,
    rule=UNWRITTEN,
)


@linalg_function()
def lu(
    a: Any,
    permute_l: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = False,
    p_indices: bool = False,
) -> Any:
    """LU factorization with partial pivoting: ``a = P L U``.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrices to factor.
    permute_l : bool, default False
        Return ``P L`` as one matrix.
    overwrite_a : bool, default False
        A permission of SciPy's, of which no use is made.
    check_finite : bool, default False
        Raise if `a` holds NaN or infinity. By default they are computed with: a matrix that holds
        NaN leaves the others of its stack alone.
    p_indices : bool, default False
        Return the permutation as row numbers ``p``, for which ``L[p] @ U`` is `a`.

    Returns
    -------
    LUResult or tuple
        With ``k = min(m, n)``: ``P``, (..., m, m) permutation matrices in the real dtype of the
        factors, or with `p_indices` (..., m) of int32; ``L``, (..., m, k), lower triangular with
        ones on the diagonal; ``U``, (..., k, n), upper triangular. With `permute_l` the tuple
        ``(P L, U)``.

    Raises
    ------
    LinAlgError
        If `a` has fewer than two axes.
    ValueError
        With `check_finite`.
    TypeError
        For half and extended precision and for objects.

    Notes
    -----
    Name and arguments are those of `scipy.linalg.lu`. Singular matrices have a factorization too:
    U has a zero on its diagonal.

    References
    ----------
    .. [1] Golub & Van Loan, *Matrix Computations*, 4th ed., section 3.4.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> P, L, U = linalg.lu(np.array([[1.0, 2.0], [4.0, 4.0]]))
    >>> L
    array([[1.  , 0.  ],
           [0.25, 1.  ]])
    >>> P @ L @ U
    array([[1., 2.],
           [4., 4.]])
    """
    if check_finite:
        require_finite("lu", a=a)
    p, L, U = LU(a)
    if permute_l:
        return np.take_along_axis(L, p[..., np.newaxis], axis=-2), U
    if p_indices:
        return LUResult(p, L, U)
    # Row i of P has its one in column p[i].
    is_one = p[..., np.newaxis] == np.arange(p.shape[-1], like=p)
    return LUResult(is_one.astype(U.real.dtype), L, U)


@linalg_function(op=LU_FACTOR)
def lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = False) -> Any:
    """LU factorization with partial pivoting, in the form that `lu_solve` takes.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrices to factor.
    overwrite_a : bool, default False
        A permission of SciPy's, of which no use is made.
    check_finite : bool, default False
        Raise if `a` holds NaN or infinity. By default they are computed with.

    Returns
    -------
    LUFactorResult
        ``lu``, (..., m, n): U in the upper triangle, L without its diagonal of ones below it. And
        ``piv``, (..., min(m, n)) of int32: row i changed places with row ``piv[i]``, counted from
        0.

    Raises
    ------
    LinAlgError
        If `a` has fewer than two axes.
    ValueError
        With `check_finite`.
    TypeError
        For half and extended precision and for objects.

    Notes
    -----
    Name, arguments and pivots are those of `scipy.linalg.lu_factor`. A singular matrix has a
    factorization too and is no error here; `lu_solve` raises for it.

    See Also
    --------
    lu : L and U as matrices of their own.
    lu_solve : Solves systems with the factors.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> linalg.lu_factor(np.array([[1.0, 2.0], [4.0, 4.0]]))
    LUFactorResult(lu=array([[4.  , 4.  ],
           [0.25, 1.  ]]), piv=array([1, 1], dtype=int32))
    """
    if check_finite:
        require_finite("lu_factor", a=a)
    return LU_FACTOR(a)


@linalg_function(looks_inside=True)
def lu_solve(
    lu_and_piv: Any,
    b: Any,
    trans: Any = 0,
    overwrite_b: bool = False,
    check_finite: bool = False,
) -> Any:
    """Solve ``a x = b`` with the factors of `lu_factor`.

    Parameters
    ----------
    lu_and_piv : tuple of (..., n, n) and (..., n) array_like
        What `lu_factor` returned for `a`.
    b : (n,) or (..., n, k) array_like
        Right-hand sides. A vector exactly if it is 1-D; the stacks broadcast.
    trans : {0, 1, 2, 'N', 'T', 'C'}, default 0
        System to solve: 0 or 'N' ``a x = b``, 1 or 'T' ``aᵀ x = b``, 2 or 'C' ``aᴴ x = b``.
    overwrite_b : bool, default False
        A permission of SciPy's, of which no use is made.
    check_finite : bool, default False
        Raise if the factors or `b` hold NaN or infinity. By default they are computed with.

    Returns
    -------
    (n,) or (..., n) or (..., n, k) ndarray
        The solutions, in the common dtype of the factors and `b`.

    Raises
    ------
    LinAlgError
        If a matrix is exactly singular; the message names the first, ``indices`` lists all.
    ValueError
        If the shapes do not fit together, if the pivots cannot be those of a factorization, if
        `trans` is none of the above, or with `check_finite`.
    TypeError
        If the pivots are not integers, and for half and extended precision and for objects.

    Notes
    -----
    Name and arguments are those of `scipy.linalg.lu_solve`.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg
    >>> factors = linalg.lu_factor(np.array([[1.0, 2.0], [4.0, 4.0]]))
    >>> linalg.lu_solve(factors, np.array([3.0, 8.0]))
    array([1., 1.])
    """
    try:
        factors, pivots = lu_and_piv
    except (TypeError, ValueError):
        raise TypeError(
            "linalg.lu_solve: `lu_and_piv` must be the pair that lu_factor returns, "
            f"not {type(lu_and_piv).__name__}"
        ) from None
    number = trans_number("lu_solve", trans)
    if check_finite:
        require_finite("lu_solve", lu=factors, b=b)
    return LU_SOLVE(factors, pivots, b, trans=number)
