"""``numpy.linalg``, drop-in: the same functions, signatures, dtypes, results and errors."""

from __future__ import annotations

from .._core.errors import LinAlgError
from ._chains import multi_dot
from ._determinants import det, slogdet
from ._eigen import eig, eigh, eigvals, eigvalsh
from ._factor import cholesky, householder_product, qr
from ._lstsq import lstsq
from ._norms import cond, matrix_norm, norm, vector_norm
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
from ._solve import inv, solve
from ._svd import matrix_rank, pinv, svd, svdvals
from ._tensors import tensordot, tensorinv, tensorsolve

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
    "householder_product",
    "inv",
    "lstsq",
    "matmul",
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
