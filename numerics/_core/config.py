"""Settings, and the environment variables that set them."""

from __future__ import annotations

import operator
import os

from .. import _kernels

__all__ = ["apply_environment", "get_num_threads", "set_num_threads", "usable_processors"]


def usable_processors() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def get_num_threads() -> int:
    """Return the number of threads that a call may use, the caller's own among them.

    Returns
    -------
    int
        At first ``NUMERICS_NUM_THREADS``, or the number of processors that this process may use.

    See Also
    --------
    set_num_threads

    Examples
    --------
    >>> import numerics
    >>> numerics.get_num_threads() >= 1
    True
    """
    return _kernels.get_num_threads()


def set_num_threads(n: int) -> None:
    """Set the number of threads that share a stack of matrices.

    Holds for the whole process, from the next call on. Results do not depend on it. The threads of
    the BLAS library are its own, and are left alone.

    Parameters
    ----------
    n : int
        Number of threads, 1 to 1024, the caller's own among them; 1 means that no other is used.

    Raises
    ------
    TypeError
        If `n` is not an integer.
    ValueError
        If `n` is below 1 or above 1024.

    See Also
    --------
    get_num_threads

    Examples
    --------
    >>> import numerics
    >>> before = numerics.get_num_threads()
    >>> numerics.set_num_threads(1)
    >>> numerics.get_num_threads()
    1
    >>> numerics.set_num_threads(before)
    """
    try:
        number = operator.index(n)
    except TypeError:
        raise TypeError(
            f"set_num_threads: `n` must be an integer, it is {n!r} of type {type(n).__name__}"
        ) from None
    if not 1 <= number <= _kernels.MOST_THREADS:
        raise ValueError(
            f"set_num_threads: `n` must be 1 to {_kernels.MOST_THREADS}, it is {number}"
        )
    _kernels.set_num_threads(number)


def _use_instruction_set(name: str) -> None:
    try:
        _kernels.use_instruction_set(name)
    except ValueError as error:
        raise ImportError(f"NUMERICS_ISA: {error}") from None


def _use_threads(text: str) -> None:
    try:
        set_num_threads(int(text))
    except ValueError:
        raise ImportError(
            f"NUMERICS_NUM_THREADS: must be an integer from 1 to {_kernels.MOST_THREADS}, "
            f"it is {text!r}"
        ) from None


def apply_environment() -> None:
    """Read the environment once, at import.

    ``NUMERICS_ISA`` forces an instruction set of the elementwise kernels (``baseline``, ``v3``,
    ``v4`` on x86-64), for comparing bits and speed. ``NUMERICS_NUM_THREADS`` is the number of
    threads that a call may use, in place of that of the usable processors.

    Raises
    ------
    ImportError
        If ``NUMERICS_ISA`` names one that is unknown or that this machine lacks, or
        ``NUMERICS_NUM_THREADS`` is no number of threads.
    """
    if name := os.environ.get("NUMERICS_ISA"):
        _use_instruction_set(name)
    if text := os.environ.get("NUMERICS_NUM_THREADS"):
        _use_threads(text)
    else:
        set_num_threads(min(usable_processors(), _kernels.MOST_THREADS))
