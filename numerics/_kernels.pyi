from collections.abc import Callable
from typing import Any, final

import numpy as np

NOT_FINITE: int
NOT_PIVOTS: int
NO_ROOT: int
MOST_THREADS: int
OVERFLOW_IN_CAST: int
OVERFLOW: int
INVALID: int

@final
class Op:
    name: str
    kernel: str
    signature: str
    dtypes: str
    determinism: str
    rule: Any
    cpu: Callable[..., Any] | None
    result_type: type | None

    def __new__(
        cls,
        name: str,
        kernel: str,
        signature: str,
        dtypes: str,
        determinism: str,
        rule: Any,
        result: type | None,
        cpu: Callable[..., Any] | None,
    ) -> Op: ...
    def __call__(self, *arrays: Any, **static: Any) -> Any: ...
    def run(self, *arrays: Any, **static: Any) -> Any: ...
    def require_size(self, *arrays: Any) -> None: ...

@final
class PublicFunction:
    _implementation: Callable[..., Any]
    _op: Op | None
    _static: dict[str, Any]
    __name__: str
    __qualname__: str
    __module__: str

    def __new__(
        cls,
        implementation: Callable[..., Any],
        looks_inside: bool,
        op: Op | None = None,
        static: dict[str, Any] = ...,
        leaves_unusual: bool = False,
    ) -> PublicFunction: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

@final
class ProductKernel:
    fallback: Callable[..., Any]

    def __new__(
        cls, name: str, fallback: Callable[..., Any], react: Callable[..., None] | None
    ) -> ProductKernel: ...
    def __call__(self, *arrays: Any, **static: Any) -> Any: ...

def sign_in(
    call: Callable[..., Any],
    failure: Callable[..., BaseException],
    too_large: Callable[..., BaseException],
    unsupported: Callable[..., BaseException],
    floating_point: Callable[[Op, int, int], None],
    dispatch: Callable[..., Any],
    owns: Callable[[Any], bool],
) -> None: ...
def count_layers(change: int, /) -> int: ...
def native_kernels() -> dict[str, tuple[str, ...]]: ...
def lapack_integer_bits() -> int: ...
def swap_lapack(name: str, address: int, /) -> int: ...
def get_num_threads() -> int: ...
def set_num_threads(count: int, /) -> None: ...
def exaggerate_durations(factor: float, /) -> float: ...
def swap_implementation(
    dispatcher: Any, implementation: Callable[..., Any], /
) -> Callable[..., Any]: ...
def elementwise(name: str, /) -> np.ufunc: ...
def public_ufunc(op: Op, doc: str, /) -> np.ufunc: ...
def elementwise_names() -> list[str]: ...
def instruction_sets() -> list[str]: ...
def instruction_set() -> str: ...
def use_instruction_set(name: str, /) -> None: ...
