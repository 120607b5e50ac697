"""``numpy.linalg``, drop-in: the same functions, signatures, dtypes, results and errors."""

from __future__ import annotations

from .._core.errors import LinAlgError
from ._chains import multi_dot
from ._condition import cond
from ._determinants import det, slogdet
from ._eigen import eig, eigh, eigvals, eigvalsh
from ._factor import cholesky, cholesky_ex, householder_product, qr
from ._functions import expm, matrix_exp, sqrtm
from ._ldl import ldl_factor, ldl_solve
from ._lstsq import lstsq
from ._lu import lu, lu_factor, lu_solve
from ._norms import matrix_norm, norm, vector_norm
from ._powers import matrix_power, vander
from ._products import (
    cross,
    diagonal,
    matmul,
    matrix_transpose,
    outer,
    trace,
    vecdot,
)
from ._rank import matrix_rank, null_space, orth, pinv
from ._solve import inv, inv_ex, solve, solve_ex
from ._svd import svd, svdvals
from ._tensors import tensordot, tensorinv, tensorsolve
from ._triangular import cholesky_solve, solve_triangular

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cholesky_solve",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_solve",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "null_space",
    "orth",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "sqrtm",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vander",
    "vecdot",
    "vector_norm",
]
