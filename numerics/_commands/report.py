"""What ``numerics run --report`` prints: the functions that a program called.

A row is a public function as the program called it: `pinv`, not the decomposition behind it. Calls
through NumPy's names are counted where they are routed, calls of `numerics` itself by the profiler
layer. Times include the counting, some microseconds per call.
"""

from __future__ import annotations

import atexit
import inspect
import os
import sys
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np

from numerics._core import layers
from numerics.profiler import CallCounts

__all__ = ["ProgramCalls", "begin"]

_is_inside: ContextVar[bool] = ContextVar("numerics_report_is_inside", default=False)


@dataclass(frozen=True)
class _Named:
    """Stands in an op's place: all that counting wants of one."""

    name: str


@dataclass(frozen=True)
class _Shaped:
    """Stands in an array's place."""

    shape: tuple[int, ...]


class ProgramCalls(CallCounts):
    """A layer that counts ops, but a routed function as one call, whatever ops it consists of."""

    def __call__(
        self, op: Any, arrays: tuple[Any, ...], static: dict[str, Any], next: layers.Next
    ) -> Any:
        """Time one call, unless it is part of one that is being timed."""
        if _is_inside.get():
            return next(op, arrays, static)
        return super().__call__(op, arrays, static, next)

    def around(self, name: str, implementation: Callable[..., Any]) -> Callable[..., Any]:
        """Return `implementation`, counted: for `dropin.install`."""
        signature = inspect.signature(implementation)
        needed = [p.name for p in signature.parameters.values() if p.default is p.empty]

        @wraps(implementation)
        def counted(*args: Any, **kwargs: Any) -> Any:
            if _is_inside.get():
                return implementation(*args, **kwargs)
            given = dict(zip(needed, args, strict=False)) | kwargs
            shapes = tuple(s for n in needed if n in given for s in _shapes(given[n]))
            token = _is_inside.set(True)
            try:
                return super(ProgramCalls, self).__call__(
                    _Named(name), shapes, {}, lambda *_: implementation(*args, **kwargs)
                )
            finally:
                _is_inside.reset(token)

        return counted

    def text(self) -> str:
        """Return the report."""
        if not self.counts:
            return "numerics: the program called no function of numpy.linalg or numerics"
        calls = sum(count.calls for count in self.counts.values())
        seconds = sum(count.seconds for count in self.counts.values())
        return f"numerics: {calls} calls, {1e3 * seconds:.3f} ms\n{self.table()}"


def _shapes(argument: Any) -> list[_Shaped]:
    """Shapes of the arrays that an argument is: one, several of `multi_dot`, or none."""
    if hasattr(argument, "shape"):
        return [_Shaped(tuple(argument.shape))]
    if not isinstance(argument, list | tuple):
        return []
    try:
        return [_Shaped(np.shape(argument))]
    except ValueError:  # arrays of several shapes
        return [shaped for item in argument for shaped in _shapes(item)]


def begin() -> Callable[[str, Any], Any]:
    """Count from now on, and print to standard error when the process ends.

    The last one registered runs first: the program's own exit handlers are counted too, and the
    report comes after a traceback. A fork does not print.

    Returns
    -------
    callable
        For `dropin.install`: what counts the calls of a routed function.
    """
    counts = ProgramCalls()
    switch = layers.everywhere("profiler", counts)
    switch.__enter__()
    process = os.getpid()

    def show() -> None:
        if os.getpid() == process and sys.stderr is not None:
            print(counts.text(), file=sys.stderr)

    atexit.register(switch.__exit__, None, None, None)
    atexit.register(show)
    return counts.around
