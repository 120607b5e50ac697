"""A stand-in for CuPy: arrays that compute with NumPy and refuse whatever a GPU array refuses.

`installed()` puts modules `cupy` and `cupyx` in place whose arrays cannot be turned into NumPy
arrays silently, cannot be mixed with them, cannot be iterated, indexed down to a number or used as
a truth value; and whose `linalg` returns NaN instead of raising unless asked to, as CuPy's does.
"""

from __future__ import annotations

import cmath
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import scipy.linalg
import scipy.special

from numerics._core import backends

_REAL_LINALG = SimpleNamespace(
    **{
        name: getattr(np.linalg, name)._implementation
        for name in (
            "cholesky",
            "det",
            "eig",
            "eigh",
            "eigvalsh",
            "inv",
            "lstsq",
            "qr",
            "slogdet",
            "solve",
            "svd",
        )
    }
)
"""NumPy's own, whatever may be routed in their place later."""


BACKEND = "numerics._backends.gpu"


class Refused(TypeError):
    """What the array does not do silently."""


class ndarray:
    """A GPU array as far as its manners go."""

    __module__ = "cupy"
    __array_priority__ = 100

    def __init__(self, host: Any) -> None:
        self._host = np.asarray(host)

    shape = property(lambda self: self._host.shape)
    ndim = property(lambda self: self._host.ndim)
    size = property(lambda self: self._host.size)
    dtype = property(lambda self: self._host.dtype)
    real = property(lambda self: ndarray(self._host.real))
    imag = property(lambda self: ndarray(self._host.imag))

    def get(self) -> np.ndarray:
        """Return a copy in host memory: the one way out."""
        return self._host.copy()

    def item(self) -> Any:
        """Return the only element: an explicit transfer."""
        return self._host.item()

    def tolist(self) -> Any:
        """Return Python's numbers: an explicit transfer too."""
        return self._host.tolist()

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise Refused("implicit conversion to a NumPy array")

    def __iter__(self) -> Any:
        raise Refused("iteration over a GPU array")

    def __bool__(self) -> bool:
        raise Refused("truth value of a GPU array")

    __float__ = __complex__ = __int__ = __index__ = __bool__

    def __getitem__(self, index: Any) -> ndarray:
        result = self._host[_host(index)]
        if np.ndim(result) == 0:
            raise Refused("indexing down to a single element")
        return ndarray(result)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._host[_host(index)] = _host(value)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        _refuse_mixing(inputs)
        if "where" in kwargs or method not in ("__call__", "reduce"):
            return NotImplemented
        return _device(getattr(ufunc, method)(*map(_host, inputs), **kwargs))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        own = getattr(sys.modules["cupy"], function.__name__, None)
        if own is None or function.__module__ != "numpy":
            return NotImplemented
        return own(*args, **kwargs)


def _method(name: str) -> Callable[..., Any]:
    def method(self: ndarray, *args: Any, **kwargs: Any) -> Any:
        _refuse_mixing(args)
        return _device(getattr(self._host, name)(*map(_host, args), **kwargs))

    return method


for _name in (
    "all any argmax astype conj conjugate copy dot max min ravel reshape swapaxes transpose sum "
    "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__ "
    "__pow__ __rpow__ __matmul__ __neg__ __invert__ __and__ __or__ __abs__ "
    "__eq__ __ne__ __lt__ __le__ __gt__ __ge__"
).split():
    setattr(ndarray, _name, _method(_name))
ndarray.__hash__ = None  # type: ignore[assignment]


def _host(value: Any) -> Any:
    if isinstance(value, ndarray):
        return value._host
    if isinstance(value, tuple | list):
        return type(value)(map(_host, value))
    return value


def _device(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_device, value))
    return ndarray(value) if isinstance(value, np.ndarray | np.generic) else value


def _refuse_mixing(values: Any) -> None:
    for value in values:
        if isinstance(value, np.ndarray):
            raise Refused("a NumPy array among GPU arrays")


def _function(function: Callable[..., Any]) -> Callable[..., Any]:
    def on_device(*args: Any, **kwargs: Any) -> Any:
        _refuse_mixing(args)
        kwargs.pop("like", None)
        return _device(function(*map(_host, args), **{k: _host(v) for k, v in kwargs.items()}))

    return on_device


_linalg_errors = ["ignore"]


@contextmanager
def _errstate(*, linalg: str) -> Iterator[None]:
    _linalg_errors.append(linalg)
    try:
        yield
    finally:
        _linalg_errors.pop()


def _linalg_function(name: str) -> Callable[..., Any]:
    function = getattr(_REAL_LINALG, name)

    def quiet(a: np.ndarray, *args: Any, **kwargs: Any) -> Any:
        """CuPy's restrictions: equal stacks in solve, one status for all, NaN by default."""
        if name == "solve" and (a.ndim != args[0].ndim or a.shape[:-2] != args[0].shape[:-2]):
            raise ValueError("Dimension mismatched")
        try:
            return function(a, *args, **kwargs)
        except np.linalg.LinAlgError:
            if _linalg_errors[-1] == "raise":
                raise
        if a.ndim > 2:
            stacks = zip(a, *args, strict=True)  # of solve, whose b is a stack too
            return np.stack([quiet(*matrices, **kwargs) for matrices in stacks])
        return np.full_like(args[0] if args else a, np.nan)

    return _function(quiet)


# cupyx.scipy.linalg: its signatures, and what it refuses.


def _solve_triangular(
    a: np.ndarray,
    b: np.ndarray,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
) -> np.ndarray:
    """Equal stacks only, nothing empty, and no look at the diagonal."""
    if a.shape[:-2] != b.shape[: a.ndim - 2]:
        raise ValueError("incompatible batch count")
    if b.size == 0:
        raise RuntimeError("CUBLAS_STATUS_INVALID_VALUE")
    x = np.empty_like(b)
    (trsm,) = scipy.linalg.blas.get_blas_funcs(("trsm",), (a, b))
    number = {"N": 0, "T": 1, "C": 2}.get(trans, trans)
    for i in np.ndindex(a.shape[:-2]):
        x[i] = trsm(1.0, a[i], b[i], trans_a=number, lower=lower, diag=unit_diagonal)
    return x


def _require_matrix(a: np.ndarray) -> None:
    if a.ndim != 2:
        raise np.linalg.LinAlgError(f"{a.ndim}-dimensional array given.")
    if a.size == 0:
        raise RuntimeError("CUSOLVER_STATUS_INVALID_VALUE")


def _lu_factor(
    a: np.ndarray, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """One matrix; a zero pivot is a warning."""
    _require_matrix(a)
    (getrf,) = scipy.linalg.lapack.get_lapack_funcs(("getrf",), (a,))
    lu, piv, info = getrf(a)
    if info > 0:
        warnings.warn(f"Diagonal number {info} is exactly zero.", RuntimeWarning, stacklevel=2)
    return lu, piv.astype(np.intc)


def _lu_solve(
    lu_and_piv: tuple[np.ndarray, np.ndarray],
    b: np.ndarray,
    trans: int = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> np.ndarray:
    """One matrix, square."""
    lu, piv = lu_and_piv
    _require_matrix(lu)
    (getrs,) = scipy.linalg.lapack.get_lapack_funcs(("getrs",), (lu, b))
    return getrs(lu, piv, b, trans=trans)[0]


def _expm(a: np.ndarray) -> np.ndarray:
    """One matrix; the factor exp(mean eigenvalue) is Python's, which raises for overflow."""
    _require_matrix(a)
    mean = np.trace(a) / len(a)
    factor = cmath.exp(mean) if a.dtype.kind == "c" else math.exp(mean)
    return scipy.linalg.expm(a - mean * np.eye(len(a), dtype=a.dtype)) * factor


class _AddUfunc:
    """`cupy.add`, with the one ufunc method that CuPy implements for it."""

    __call__ = staticmethod(_function(np.add))
    reduce = staticmethod(_function(np.add.reduce))


def _modules() -> dict[str, ModuleType]:
    cupy, linalg = ModuleType("cupy"), ModuleType("cupy.linalg")
    cupyx, scipy_, special, scipy_linalg = (
        ModuleType(name)
        for name in ("cupyx", "cupyx.scipy", "cupyx.scipy.special", "cupyx.scipy.linalg")
    )
    for name in vars(_REAL_LINALG):
        setattr(linalg, name, _linalg_function(name))
    for name in (
        "abs all any arange argsort argwhere broadcast_to concatenate copysign count_nonzero "
        "cross diagonal empty empty_like expand_dims eye frexp isfinite isnan ldexp matmul max "
        "maximum min moveaxis ones_like outer sort sqrt stack sum swapaxes take_along_axis trace "
        "tril triu where zeros zeros_like"
    ).split():
        setattr(cupy, name, _function(getattr(np, name)))
    cupy.ndarray, cupy.linalg, cupy.add = ndarray, linalg, _AddUfunc()  # type: ignore[attr-defined]
    cupy.asarray = _device  # type: ignore[attr-defined]
    special.erfcx = _function(scipy.special.erfcx)  # type: ignore[attr-defined]
    for function in (_solve_triangular, _lu_factor, _lu_solve, _expm):
        setattr(scipy_linalg, function.__name__.strip("_"), _function(function))
    cupyx.scipy, scipy_.special = scipy_, special  # type: ignore[attr-defined]
    scipy_.linalg = scipy_linalg  # type: ignore[attr-defined]
    cupyx.errstate = _errstate  # type: ignore[attr-defined]
    modules = (cupy, linalg, cupyx, scipy_, special, scipy_linalg)
    return {module.__name__: module for module in modules}


def _replaced(modules: dict[str, ModuleType]) -> dict[str, ModuleType]:
    """Put modules in the place of CuPy's and of whatever was made from those; return the old."""
    old = {
        name: module
        for name, module in sys.modules.items()
        if name.partition(".")[0] in ("cupy", "cupyx") or name.startswith(BACKEND)
    }
    for name in old:
        del sys.modules[name]
    sys.modules.update(modules)
    return old


@contextmanager
def installed() -> Iterator[ModuleType]:
    """Put the stand-in in place as `cupy`; yields the module. The gpu backend is imported anew."""
    fakes = _modules()
    before = _replaced(fakes)
    signed_in = list(backends._backends)
    backends.on_arrival("cupy", BACKEND)
    try:
        yield fakes["cupy"]
    finally:
        backends._backends[:] = signed_in
        _replaced(before)
        backends.on_arrival("cupy", BACKEND)
