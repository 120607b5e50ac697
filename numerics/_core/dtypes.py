"""Dtypes and LAPACK's letters: which loop of an op takes which arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import errors

__all__ = ["INEXACT", "LAPACK", "for_loops", "promote"]

INEXACT = "fdFD"
"""What LAPACK's kernels take, single and double, real and complex (z is D: complex128)."""


def LAPACK(inputs: str, outputs: str) -> str:
    """Return the loops of a LAPACK kernel in NumPy's letters.

    Parameters
    ----------
    inputs, outputs : str
        One letter per array: ``x`` the dtype that is computed with, ``r`` its real counterpart,
        ``c`` its complex counterpart, ``i`` a C int.

    Returns
    -------
    str
        For instance ``"f->ff d->dd F->fF D->dD"`` for ``LAPACK("x", "rx")``.
    """
    letters = {
        "f": {"x": "f", "r": "f", "c": "F", "i": "i"},
        "d": {"x": "d", "r": "d", "c": "D", "i": "i"},
        "F": {"x": "F", "r": "f", "c": "F", "i": "i"},
        "D": {"x": "D", "r": "d", "c": "D", "i": "i"},
    }
    return " ".join(
        "->".join("".join(letters[letter][x] for x in side) for side in (inputs, outputs))
        for letter in INEXACT
    )


def for_loops(name: str, loops: str, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arrays of any dtype in the dtypes of one of the loops of a LAPACK kernel.

    Parameters
    ----------
    name : str
        The op, for messages.
    loops : str
        As `LAPACK` returns them.
    arrays : tuple of array
        One per input, of any backend.

    Returns
    -------
    tuple of array
        In native byte order; copies only where needed.

    Raises
    ------
    TypeError
        As `promote`; and if an array is not of integers where integers are needed.
    """
    is_integer = [letter == "i" for letter in loops.partition("->")[0]]
    numbers = [a for a, integer in zip(arrays, is_integer, strict=True) if not integer]
    dtype = promote(name, tuple(numbers))
    return tuple(
        _as_int(name, index, array) if integer else array.astype(dtype, copy=False)
        for index, (array, integer) in enumerate(zip(arrays, is_integer, strict=True))
    )


def _as_int(name: str, index: int, array: Any) -> Any:
    """Return integers as C ints; what does not fit becomes the nearest one, which is no pivot."""
    if array.dtype.kind not in "iu":
        raise errors.not_an_integer(name, index, array.dtype)
    if np.can_cast(array.dtype, np.intc):
        return array.astype(np.intc, copy=False)
    limits = np.iinfo(np.intc)
    if array.dtype.kind == "u":
        return array.clip(0, limits.max).astype(np.intc)
    return array.astype(np.int64).clip(limits.min, limits.max).astype(np.intc)


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
