"""Route NumPy's own names here: programs that call ``numpy.linalg`` get `numerics.linalg`.

What NumPy's dispatchers call is exchanged, the dispatchers stay. So names that a program imported
earlier (``from numpy.linalg import solve``) are routed, NumPy's own callers are (`numpy.polyfit`,
`numpy.roots`, the polynomial package), and ``__array_function__`` registries, which are keyed by
the functions, keep working. The exchange holds for the whole process, every thread of it; child
processes that are not forks start without it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

import numpy as np

from . import _kernels
from ._core.public import FUNCTIONS

__all__ = ["Installation", "install", "is_installed", "uninstall"]

_lock = threading.Lock()
_count = 0
_originals: list[tuple[Any, Any]] = []


class Installation:
    """What `install` returns: a context manager that uninstalls on leaving its block."""

    def __enter__(self) -> None:
        """Enter the block; installing is done already."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Take back the installation."""
        uninstall()


def install(around: Callable[[str, Any], Any] | None = None) -> Installation:
    """Let ``numpy.linalg`` compute with `numerics.linalg`, in the whole process.

    Installations are counted: NumPy's own functions come back when each is taken back.

    Parameters
    ----------
    around : callable, optional
        ``around(name, implementation)`` returns what NumPy calls instead of `implementation`, the
        function of that dotted name (``linalg.solve``). Of nested installations the first decides.

    Returns
    -------
    Installation
        Use it in a ``with`` statement to uninstall at the end of the block, or ignore it and call
        `uninstall`, or stay installed.

    Raises
    ------
    RuntimeError
        If this NumPy keeps its functions in a form that is not known here. Nothing is routed then.

    See Also
    --------
    uninstall : The inverse.

    Notes
    -----
    Arrays of other libraries that implement ``__array_function__`` still answer first, as under
    NumPy alone. Other threads see the functions change one after the other, and each call runs
    wholly in one library.

    Examples
    --------
    >>> import numpy as np
    >>> from numpy.linalg import det
    >>> from numerics import dropin
    >>> with dropin.install():
    ...     inside = dropin.is_installed(), float(det(2 * np.eye(3)))  # computed by numerics
    >>> inside, dropin.is_installed()
    ((True, 8.0), False)
    """
    global _count
    with _lock:
        if _count == 0:
            _route(around)
        _count += 1
    return Installation()


def uninstall() -> None:
    """Take back one `install`; with the last, NumPy's functions are exactly what they were.

    Raises
    ------
    RuntimeError
        If every installation has been taken back already.
    """
    global _count
    with _lock:
        if _count == 0:
            raise RuntimeError("dropin.uninstall: nothing is installed; call `install` first")
        _count -= 1
        if _count == 0:
            _restore()


def is_installed() -> bool:
    """Tell whether ``numpy.linalg`` computes with `numerics.linalg`.

    Returns
    -------
    bool
        True between `install` and the last `uninstall`.
    """
    return _count > 0


def _route(around: Callable[[str, Any], Any] | None) -> None:
    for full_name, function in list(FUNCTIONS.items()):
        module, _, name = full_name.rpartition(".")
        dispatcher = getattr(np.linalg, name, None) if module == "linalg" else None
        if not hasattr(dispatcher, "_implementation"):
            continue
        ours = function._implementation
        try:
            old = _kernels.swap_implementation(
                dispatcher, ours if around is None else around(full_name, ours)
            )
        except BaseException:
            _restore()
            raise
        _originals.append((dispatcher, old))


def _restore() -> None:
    while _originals:
        _kernels.swap_implementation(*_originals.pop())
