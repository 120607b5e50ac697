"""Public functions: the face that honours NumPy's ``__array_function__`` protocol."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _kernels
from . import backends

__all__ = ["FUNCTIONS", "dispatch", "public"]

FUNCTIONS: dict[str, Any] = {}
"""Every public function by its dotted name, ``linalg.solve``; `dropin` reads it."""


def public(
    module: str,
    looks_inside: bool = False,
    op: _kernels.Op | None = None,
    hot_path: _kernels.Op | None = None,
    **static: Any,
) -> Callable[[Callable[..., Any]], Any]:
    """Make a function public under ``numerics.<module>``.

    Parameters
    ----------
    module : str
        ``"linalg"`` or ``"special"``.
    looks_inside : bool, default False
        Items of lists and tuples may override the function too, as those of `multi_dot` do.
    op : Op, optional
        What the function comes down to if its positional arguments are just the arrays of `op`:
        plain calls, while no layer is on, go there without running the function's body.
    hot_path : Op, optional
        Instead of `op`, for a function that composes ops: what computes the same results at once,
        as `numerics._core.op.hot_path` returns it. Empty arrays, and stacks in which the kernel
        reports a matrix, are for the body.
    **static : Any
        Static parameters of `op`, as the function's defaults have them. Keywords of these names in
        a plain call replace them, unless their values are for the body: other than bool, int, str
        and None, or refused by the op.

    Returns
    -------
    callable
        The decorator.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        # Type checkers read them in the source; in help() they would hide the arguments.
        function.__annotations__ = {}
        face = _kernels.PublicFunction(
            function, looks_inside, op or hot_path, static, hot_path is not None
        )
        functools.update_wrapper(face, function)
        face.__module__ = f"numerics.{module}"
        FUNCTIONS[f"{module}.{function.__name__}"] = face
        return face

    return decorate


def dispatch(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a public function some of whose arguments override functions.

    Arrays of our own backends are served here. For anybody else's the function is NumPy's, for
    that is what their registries know, and NumPy runs its protocol. While our functions are
    routed into NumPy, its fallback is ours again. Of a function that NumPy lacks, the protocol
    runs here, and what registries see is the function itself.
    """
    values: list[Any] = []
    for value in (*args, *kwargs.values()):
        values.extend(value if isinstance(value, list | tuple) else [value])
    if any(backends.owns(value) for value in values):
        return function._implementation(*args, **kwargs)
    numpy_function = getattr(np.linalg, function.__name__, None)
    if numpy_function is not None:
        return numpy_function(*args, **kwargs)
    return _array_function(function, values, args, kwargs)


def _array_function(
    function: Any, values: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Ask each type once whether it answers, subclasses first: NumPy's NEP 18."""
    relevant: list[Any] = []
    for value in values:
        kind = type(value)
        if not hasattr(kind, "__array_function__") or kind in map(type, relevant):
            continue
        later = [i for i, other in enumerate(relevant) if issubclass(kind, type(other))]
        relevant.insert(later[0] if later else len(relevant), value)
    types = tuple(map(type, relevant))
    for value in relevant:
        result = value.__array_function__(function, types, args, kwargs)
        if result is not NotImplemented:
            return result
    names = ", ".join(kind.__name__ for kind in types)
    raise TypeError(
        f"{function.__module__.removeprefix('numerics.')}.{function.__name__}: no implementation "
        f"found for arrays of the types {names}, which all returned NotImplemented"
    )
