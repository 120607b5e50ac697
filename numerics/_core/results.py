"""Result types: NumPy's own named tuples, so that isinstance, pickles and reprs agree."""

from __future__ import annotations

import numpy as np

__all__ = ["RESULTS", "EigResult", "EighResult", "QRResult", "SVDResult", "SlogdetResult"]

# The classes have no public name; one call each shows them.
_ONE = np.ones((1, 1))
EigResult: type = type(np.linalg.eig(_ONE))
EighResult: type = type(np.linalg.eigh(_ONE))
QRResult: type = type(np.linalg.qr(_ONE))
SlogdetResult: type = type(np.linalg.slogdet(_ONE))
SVDResult: type = type(np.linalg.svd(_ONE))

RESULTS: dict[str, type] = {
    "linalg.eig": EigResult,
    "linalg.eigh": EighResult,
    "linalg.qr.reduced": QRResult,
    "linalg.qr.complete": QRResult,
    "linalg.slogdet": SlogdetResult,
    "linalg.svd": SVDResult,
    "linalg.svd.full": SVDResult,
}
"""By op; every other op with several results returns a plain tuple."""
