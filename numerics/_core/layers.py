"""Layers: what may come between a call and its kernel.

A layer is a callable ``layer(op, arrays, static, next)`` that returns ``next(op, arrays, static)``
or something in its place. What is on is per thread and per task (a ContextVar), or for the whole
process. The doorway tests one counter, so that nothing is paid while nothing is on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from .. import _kernels

__all__ = ["ORDER", "Layer", "active", "everywhere", "here"]

Next = Callable[[_kernels.Op, tuple[Any, ...], dict[str, Any]], Any]
Layer = Callable[[_kernels.Op, tuple[Any, ...], dict[str, Any], Next], Any]

ORDER = ("profiler", "autograd", "mixed precision", "determinism")
"""Outermost first; the backend comes last."""

_Entry = tuple[int, Layer]
_here: ContextVar[tuple[_Entry, ...]] = ContextVar("numerics_layers", default=())
_everywhere: tuple[_Entry, ...] = ()
_lock = threading.Lock()


def active() -> tuple[Layer, ...]:
    """Return the layers that are on for this thread and task, outermost first."""
    entries = sorted(_everywhere + _here.get(), key=lambda entry: entry[0])
    return tuple(layer for _, layer in entries)


def _place(kind: str) -> int:
    if kind not in ORDER:
        raise ValueError(f"layers: `kind` must be one of {', '.join(ORDER)}, not {kind!r}")
    return ORDER.index(kind)


@contextmanager
def here(kind: str, layer: Layer) -> Iterator[None]:
    """Switch `layer` on for this thread and task, in the place of its `kind` in `ORDER`."""
    token = _here.set((*_here.get(), (_place(kind), layer)))
    _kernels.count_layers(1)
    try:
        yield
    finally:
        _kernels.count_layers(-1)
        _here.reset(token)


@contextmanager
def everywhere(kind: str, layer: Layer) -> Iterator[None]:
    """Switch `layer` on for every thread of the process."""
    global _everywhere
    entry = (_place(kind), layer)
    with _lock:
        _everywhere = (*_everywhere, entry)
    _kernels.count_layers(1)
    try:
        yield
    finally:
        _kernels.count_layers(-1)
        with _lock:
            remaining = list(_everywhere)
            remaining.remove(entry)
            _everywhere = tuple(remaining)
