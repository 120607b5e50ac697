"""The Python path of a call: everything that the doorway's fast path leaves.

Lists, integers, other byte orders, subclasses, other backends' arrays, mismatched shapes, and
every call while a layer is on. Arguments are brought into the form that the kernel takes, and
enter it through the same door: `Op.run`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .. import _kernels
from . import backends, dtypes, errors, layers, public, signature

__all__ = ["call", "convert"]


def convert(argument: Any) -> Any:
    """Return `argument` as an array: a backend's as it is, anything else as an exact ndarray."""
    if type(argument) is np.ndarray or backends.owns(argument):
        return argument
    return np.asarray(argument)


def call(op: _kernels.Op, arguments: tuple[Any, ...], static: dict[str, Any]) -> Any:
    """Run `op` on anything array-like, through the layers that are on.

    Matrix-shaped results of compiled kernels pass through the ``__array_wrap__`` of the last
    argument, as in NumPy. Kernels that are NumPy's functions know subclasses, and whatever else
    takes part in its protocols, themselves.
    """
    if op.cpu is not None:
        arrays = tuple(x if hasattr(type(x), "__array_ufunc__") else convert(x) for x in arguments)
        return _next(layers.active(), op, arrays, static)
    arrays = tuple(convert(argument) for argument in arguments)
    result = _next(layers.active(), op, arrays, static)
    wrap = getattr(arguments[-1], "__array_wrap__", None)
    if wrap is None or type(arguments[-1]) is np.ndarray or arrays[-1] is arguments[-1]:
        return result
    return _wrapped(op, result, wrap)


def _next(
    stack: tuple[layers.Layer, ...],
    op: _kernels.Op,
    arrays: tuple[Any, ...],
    static: dict[str, Any],
) -> Any:
    if not stack:
        return _run(op, arrays, static)
    return stack[0](op, arrays, static, partial(_next, stack[1:]))


def _run(op: _kernels.Op, arrays: tuple[Any, ...], static: dict[str, Any]) -> Any:
    for array in arrays:
        backend = backends.find(array)
        if backend is not None:
            return backend.run(op, arrays, static)
    if op.cpu is not None:
        return op.cpu(*arrays, **static)
    result = op.run(*arrays, **static)
    if result is not NotImplemented:
        return result
    signature.check(errors.function(op), op.signature, arrays)
    op.require_size(*arrays)
    loops = dtypes.for_loops(errors.function(op), op.dtypes, arrays)
    behaved = tuple(np.require(array, None, "A") for array in loops)
    result = op.run(*behaved, **static)
    if result is NotImplemented:
        raise TypeError(f"{op.name}: static parameters {static} are not this op's")
    return result


def _wrapped(op: _kernels.Op, result: Any, wrap: Any) -> Any:
    shapes = signature.parse(op.signature).outputs
    if len(shapes) == 1:
        return wrap(result) if len(shapes[0]) == 2 else result
    items = [wrap(r) if len(shape) == 2 else r for r, shape in zip(result, shapes, strict=True)]
    return type(result)(*items) if hasattr(result, "_fields") else tuple(items)


_kernels.sign_in(
    call=call,
    failure=errors.failure,
    too_large=errors.too_large,
    unsupported=errors.unsupported_input,
    floating_point=errors.floating_point,
    dispatch=public.dispatch,
    owns=backends.owns,
)
