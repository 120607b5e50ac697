"""Result types: NumPy's own named tuples, so that isinstance, pickles and reprs agree; and ours.

Ours have the field names of the library whose function it is: torch's, or SciPy's words.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "RESULTS",
    "CholeskyExResult",
    "EigResult",
    "EighResult",
    "InvExResult",
    "LDLFactorResult",
    "LUFactorResult",
    "LUResult",
    "NullSpaceResult",
    "OrthResult",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "SolveExResult",
]

# The classes have no public name; one call each shows them.
_ONE = np.ones((1, 1))
EigResult: type = type(np.linalg.eig(_ONE))
EighResult: type = type(np.linalg.eigh(_ONE))
QRResult: type = type(np.linalg.qr(_ONE))
SlogdetResult: type = type(np.linalg.slogdet(_ONE))
SVDResult: type = type(np.linalg.svd(_ONE))


class LUResult(NamedTuple):
    """``a = P L U``."""

    P: Any
    L: Any
    U: Any


class LUFactorResult(NamedTuple):
    """L without its diagonal of ones below U, and the row that changed places with each row."""

    lu: Any
    piv: Any


class LDLFactorResult(NamedTuple):
    """L and D in one matrix, and LAPACK's record of exchanges and of blocks."""

    LD: Any
    pivots: Any


class InvExResult(NamedTuple):
    """Inverses, and 0 or the pivot that is exactly zero."""

    inverse: Any
    info: Any


class SolveExResult(NamedTuple):
    """Solutions, and 0 or the pivot that is exactly zero."""

    result: Any
    info: Any


class CholeskyExResult(NamedTuple):
    """Factors, and 0 or the order of the leading minor that is not positive definite."""

    L: Any
    info: Any


class NullSpaceResult(NamedTuple):
    """Orthonormal columns that the matrix maps to zero, followed by zeros; and the rank."""

    basis: Any
    rank: Any


class OrthResult(NamedTuple):
    """Orthonormal columns that span the range, followed by zeros; and the rank."""

    basis: Any
    rank: Any


RESULTS: dict[str, type] = {
    "linalg.cholesky_ex": CholeskyExResult,
    "linalg.eig": EigResult,
    "linalg.eigh": EighResult,
    "linalg.inv_ex": InvExResult,
    "linalg.ldl_factor": LDLFactorResult,
    "linalg.lu_factor": LUFactorResult,
    "linalg.qr.reduced": QRResult,
    "linalg.qr.complete": QRResult,
    "linalg.slogdet": SlogdetResult,
    "linalg.solve_ex": SolveExResult,
    "linalg.svd": SVDResult,
    "linalg.svd.full": SVDResult,
}
"""By op; every other op with several results returns a plain tuple."""
