"""Dtypes and LAPACK's letters: which loop of an op takes which arrays."""

from __future__ import annotations

import numpy as np

from . import errors

__all__ = ["INEXACT", "LAPACK", "promote"]

INEXACT = "fdFD"
"""What LAPACK's kernels take, single and double, real and complex (z is D: complex128)."""


def LAPACK(inputs: int, outputs: str) -> str:
    """Return the loops of a LAPACK kernel in NumPy's letters.

    Parameters
    ----------
    inputs : int
        Number of arrays, all of one dtype.
    outputs : str
        One letter per result: ``x`` the dtype of the input, ``r`` its real counterpart, ``c``
        its complex counterpart, ``i`` a C int.

    Returns
    -------
    str
        For instance ``"f->ff d->dd F->fF D->dD"`` for ``LAPACK(1, "rx")``.
    """
    letters = {
        "f": {"x": "f", "r": "f", "c": "F", "i": "i"},
        "d": {"x": "d", "r": "d", "c": "D", "i": "i"},
        "F": {"x": "F", "r": "f", "c": "F", "i": "i"},
        "D": {"x": "D", "r": "d", "c": "D", "i": "i"},
    }
    return " ".join(
        f"{letter * inputs}->{''.join(letters[letter][o] for o in outputs)}" for letter in INEXACT
    )


def promote(name: str, arrays: tuple[np.ndarray, ...]) -> np.dtype:
    """Return the dtype in which NumPy's linear algebra computes these arrays together.

    Every bool and integer counts as double, single precision stays single only among its own,
    and one complex array makes all complex.

    Parameters
    ----------
    name : str
        The op, for the message.
    arrays : tuple of ndarray
        Of any dtype and byte order.

    Returns
    -------
    dtype
        One of float32, float64, complex64, complex128, in native byte order.

    Raises
    ------
    TypeError
        For half and extended precision, and for what does not cast to a number.
    """
    for array in arrays:
        if array.dtype.kind in "fc" and array.dtype.char not in INEXACT:
            raise errors.unsupported_dtype(name, array.dtype)
    is_complex = any(array.dtype.kind == "c" for array in arrays)
    for index, array in enumerate(arrays):
        if array.dtype.kind not in "biufc":
            raise errors.not_a_number(name, index, len(arrays), array.dtype, is_complex)
    is_double = any(array.dtype.char not in "fF" for array in arrays)
    return np.dtype("fdFD"[2 * is_complex + is_double])
