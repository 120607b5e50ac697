"""Where arrays live: a table from kernel name to callable for each backend.

Backends sign in. The CPU's table is complete; a kernel that another backend lacks is an error
that names op and backend, and no array moves between backends by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from .. import _kernels
from . import dtypes, errors, signature

__all__ = ["Backend", "cpu_kernels", "find", "on_arrival", "owns", "sign_in"]


@dataclass(frozen=True)
class Backend:
    """One device's kernels.

    Attributes
    ----------
    name : str
        For messages.
    array_type : type
        Exact base class of its arrays.
    kernels : mapping of str to callable
        ``kernel(*arrays, **static)``, with NumPy's semantics: errors raised, nothing moved.
    """

    name: str
    array_type: type
    kernels: Mapping[str, Callable[..., Any]]

    def run(self, op: _kernels.Op, arrays: tuple[Any, ...], static: dict[str, Any]) -> Any:
        """Run the kernel of `op`; every array must be this backend's."""
        for index, array in enumerate(arrays):
            if not isinstance(array, self.array_type):
                raise TypeError(
                    f"{errors.function(op)}: `{errors.argument(op.name, index)}` is a "
                    f"{type(array).__name__}, the other array is on {self.name}; "
                    "move one of them explicitly"
                )
        kernel = self.kernels.get(op.kernel)
        if kernel is None:
            raise errors.missing_kernel(op, self.name)
        if op.cpu is None:  # a kernel of our own on the CPU: the same shapes and dtypes here
            signature.check(errors.function(op), op.signature, arrays)
            arrays = dtypes.for_loops(errors.function(op), op.dtypes, arrays)
        return kernel(*arrays, **static)


cpu_kernels: dict[str, Callable[..., Any] | None] = {}
"""The CPU's table; None stands for a compiled kernel."""

_backends: list[Backend] = []
_modules: dict[str, str] = {}


def sign_in(backend: Backend) -> None:
    """Add a backend; a second one for the same array type replaces the first."""
    _backends[:] = [b for b in _backends if b.array_type is not backend.array_type]
    _backends.append(backend)


def on_arrival(package: str, module: str) -> None:
    """Import `module`, which signs a backend in, when an array of `package` first arrives."""
    _modules[package] = module


def find(array: Any) -> Backend | None:
    """Return the backend that owns `array`, None for the CPU and for foreign objects."""
    module = _modules.pop(type(array).__module__.partition(".")[0], None)
    if module is not None:
        import_module(module)
    for backend in _backends:
        if isinstance(array, backend.array_type):
            return backend
    return None


def owns(array: Any) -> bool:
    """Tell whether a backend other than the CPU owns `array`."""
    return find(array) is not None
