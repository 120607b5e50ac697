"""The profiler layer: what is called, on which shapes, how often, and how long it takes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from ._core import layers

__all__ = ["CallCounts", "Count", "count_calls"]

_Key = tuple[str, tuple[tuple[int, ...], ...]]


@dataclass
class Count:
    """Calls of one op on one combination of shapes."""

    calls: int = 0
    seconds: float = 0.0


@dataclass
class CallCounts:
    """A layer that counts; `counts` maps (op name, shapes) to a `Count`."""

    counts: dict[_Key, Count] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __call__(
        self, op: Any, arrays: tuple[Any, ...], static: dict[str, Any], next: layers.Next
    ) -> Any:
        """Time one call; a call that raises is counted too."""
        start = perf_counter()
        try:
            return next(op, arrays, static)
        finally:
            seconds = perf_counter() - start
            key = (op.name, tuple(array.shape for array in arrays))
            with self._lock:
                count = self.counts.setdefault(key, Count())
                count.calls += 1
                count.seconds += seconds

    def table(self) -> str:
        """Return the counts as text, the longest total first."""
        rows = sorted(self.counts.items(), key=lambda item: -item[1].seconds)
        lines = [("function", "shapes", "calls", "total ms")]
        for (name, shapes), count in rows:
            text = " ".join("×".join(map(str, shape)) or "scalar" for shape in shapes)
            lines.append((name, text, str(count.calls), f"{1e3 * count.seconds:.3f}"))
        widths = [max(len(line[i]) for line in lines) for i in range(4)]
        return "\n".join(
            f"{line[0]:<{widths[0]}}  {line[1]:<{widths[1]}}  "
            f"{line[2]:>{widths[2]}}  {line[3]:>{widths[3]}}"
            for line in lines
        )


@contextmanager
def count_calls(everywhere: bool = False) -> Iterator[CallCounts]:
    """Count the calls of the functions of this package within a block.

    Parameters
    ----------
    everywhere : bool, default False
        Count the calls of every thread, instead of this thread's and task's.

    Yields
    ------
    CallCounts
        Fills while the block runs.

    Examples
    --------
    >>> import numpy as np
    >>> from numerics import linalg, profiler
    >>> with profiler.count_calls() as counted:
    ...     x = linalg.solve(np.eye(2), np.ones(2))
    >>> [(name, count.calls) for (name, shapes), count in counted.counts.items()]
    [('linalg.solve', 1)]
    """
    counts = CallCounts()
    switch = layers.everywhere if everywhere else layers.here
    with switch("profiler", counts):
        yield counts
