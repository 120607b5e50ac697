"""``numpy.linalg``, drop-in: the same functions, signatures, dtypes, results and errors."""

from __future__ import annotations

from .._core.errors import LinAlgError
from ._determinants import det, slogdet
from ._eigen import eig, eigh, eigvals, eigvalsh
from ._factor import cholesky, qr
from ._functions import expm, matrix_exp, sqrtm
from ._lstsq import lstsq
from ._norms import cond, matrix_norm, norm, vector_norm
from ._products import (
    cross,
    diagonal,
    matmul,
    matrix_power,
    matrix_transpose,
    multi_dot,
    outer,
    tensordot,
    trace,
    vecdot,
)
from ._solve import inv, solve, tensorinv, tensorsolve
from ._svd import matrix_rank, pinv, svd, svdvals

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "inv",
    "lstsq",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]
