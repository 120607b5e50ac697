"""Every message, in one voice: function, argument, what was needed, what was given.

Types are NumPy's, and where NumPy has a text for the case, ours contains it: programs match them.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from .. import _kernels

LinAlgError = np.linalg.LinAlgError

__all__ = ["LinAlgError"]

_ARGUMENTS = {
    "linalg.solve_triangular": ("a", "b"),
    "linalg.lu_solve": ("lu", "piv", "b"),
    "linalg.cholesky_solve": ("L", "B"),
    "linalg.ldl_factor": ("A",),
    "linalg.ldl_solve": ("LD", "pivots", "B"),
    "linalg.inv_ex": ("A",),
    "linalg.solve_ex": ("A", "B"),
    "linalg.cholesky_ex": ("A",),
    "linalg.householder_product": ("A", "tau"),
    "linalg.matrix_exp": ("A",),
    "linalg.sqrtm": ("A",),
    "linalg.matmul": ("x1", "x2"),
    "linalg.vecdot": ("x1", "x2"),
    "linalg.outer": ("x1", "x2"),
    "linalg.cross": ("x1", "x2"),
}


def argument(name: str, index: int) -> str:
    """Return what the public function calls its array number `index`."""
    if name.startswith("special."):
        return "x"
    return _ARGUMENTS.get(name, ("a", "b", "c"))[index]


def function(op: _kernels.Op) -> str:
    """Return the public function that `op` serves: ``linalg.svd`` for ``linalg.svd.full``."""
    return ".".join(op.name.split(".")[:2])


# --- Shapes -------------------------------------------------------------------------------------


def too_few_axes(
    name: str, signature: str, index: int, shape: tuple[int, ...], needed: int
) -> Exception:
    which = argument(name, index)
    if index == 0:
        return LinAlgError(
            f"{name}: {len(shape)}-dimensional array given. Array must be at least "
            f"{'two-dimensional' if needed == 2 else 'one-dimensional'}; "
            f"`{which}` has shape {shape}"
        )
    return ValueError(
        f"{name}: Input operand {index} does not have enough dimensions (has {len(shape)}, "
        f"gufunc core with signature {signature} requires {needed}); `{which}` has shape {shape}"
    )


def not_square(name: str, index: int, shape: tuple[int, ...]) -> Exception:
    return LinAlgError(
        f"{name}: Last 2 dimensions of the array must be square; "
        f"`{argument(name, index)}` has shape {shape}"
    )


def mismatch(
    name: str,
    signature: str,
    letter: str,
    found: tuple[int, int, int],
    first: tuple[int, int],
    array: np.ndarray,
) -> Exception:
    index, axis, size = found
    which = argument(name, index)
    return ValueError(
        f"{name}: `{which}` must match {signature}; dimension {letter} is {first[1]} in "
        f"`{argument(name, first[0])}` and {size} in `{which}` of shape {array.shape}: "
        f"Input operand {index} has a mismatch in its core dimension {axis}, "
        f"(size {size} is different from {first[1]})"
    )


def stacks_differ(
    name: str, signature: str, shapes: Sequence[tuple[int, ...]], stacks: Sequence[tuple[int, ...]]
) -> Exception:
    given = ", ".join(f"`{argument(name, i)}` has shape {s}" for i, s in enumerate(shapes))
    return ValueError(
        f"{name}: operands could not be broadcast together: the stacks "
        f"{' and '.join(map(str, stacks))} in front of {signature} differ; {given}"
    )


def too_large(op: _kernels.Op, sizes: dict[str, int], limit: float) -> Exception:
    given = ", ".join(f"{name} = {size}" for name, size in sizes.items())
    bits = _kernels.lapack_integer_bits()
    return ValueError(
        f"{function(op)}: {given} is too large: LAPACK in this SciPy counts in {bits}-bit "
        "integers, and neither a dimension nor the length of its workspace may exceed "
        f"{int(limit)}"
    )


# --- Dtypes -------------------------------------------------------------------------------------


def unsupported_dtype(name: str, dtype: np.dtype) -> Exception:
    return TypeError(
        f"{name}: array type {dtype.name} is unsupported in linalg; "
        "supported: float32, float64, complex64, complex128, integers and bool (as float64)"
    )


def not_an_integer(name: str, index: int, dtype: np.dtype) -> Exception:
    return TypeError(
        f"{name}: `{argument(name, index)}` has dtype {dtype.name}; integers are needed: pivots "
        "as the factorization returned them"
    )


def unsupported_input(op: _kernels.Op, arguments: tuple[Any, ...], error: Exception) -> Exception:
    """Return NumPy's complaint about the input of a ufunc, with the dtypes named."""
    given = ", ".join(
        f"`{argument(op.name, i)}` has dtype {np.asarray(x).dtype}" for i, x in enumerate(arguments)
    )
    supported = ", ".join(np.dtype(word[0]).name for word in op.dtypes.split())
    return TypeError(f"{function(op)}: {given}; supported: {supported} ({error})")


def not_a_number(name: str, index: int, count: int, dtype: np.dtype, is_complex: bool) -> Exception:
    """Return the casting error of a ufunc, in NumPy's own class where it can be had.

    The class (UFuncTypeError's subclass) is private, but any failing cast shows it.
    """
    target = np.dtype("D" if is_complex else "d")
    ufunc = SimpleNamespace(__name__=name.rpartition(".")[2], nin=count)
    text = (
        f"Cannot cast ufunc '{ufunc.__name__}' input {index} from {dtype!r} to {target!r} "
        "with casting rule 'same_kind'"
    )
    try:
        np.negative(np.empty(0, object), dtype=np.float64, casting="same_kind")
    except TypeError as shown:
        try:
            kind = cast(Callable[..., Exception], type(shown))
            return kind(ufunc, "same_kind", dtype, target, index)
        except TypeError:
            return TypeError(text)
    return TypeError(text)


def floating_point(op: _kernels.Op, flags: int, frames: int) -> None:
    """React to overflow and NaN as `numpy.errstate` asks for, in NumPy's words.

    Parameters
    ----------
    op : Op
        Whose results they are.
    flags : int
        Sum of ``OVERFLOW_IN_CAST``, ``OVERFLOW`` and ``INVALID``.
    frames : int
        Python frames between this and the caller of the public function, whom a warning names.

    Raises
    ------
    FloatingPointError
        If ``errstate`` says "raise".
    """
    name = function(op).rpartition(".")[2]
    if flags & _kernels.OVERFLOW_IN_CAST:
        _react("over", "overflow", "overflow encountered in cast", frames)
    if flags & _kernels.OVERFLOW:
        _react("over", "overflow", f"overflow encountered in {name}", frames)
    if flags & _kernels.INVALID:
        _react("invalid", "invalid value", f"invalid value encountered in {name}", frames)


def overflow(name: str) -> None:
    """React to overflow in the public function `name`, which calls this, as `errstate` asks for.

    Of integers that wrap around too, about which NumPy is silent.
    """
    _react("over", "overflow", f"overflow encountered in {name.rpartition('.')[2]}", frames=1)


def _react(kind: str, category: str, text: str, frames: int) -> None:
    reaction = np.geterr()[kind]  # type: ignore[literal-required]
    handler: Any = np.geterrcall()
    if reaction == "warn":
        warnings.warn(text, RuntimeWarning, stacklevel=3 + frames)
    elif reaction == "raise":
        raise FloatingPointError(text)
    elif reaction == "print":
        print(f"Warning: {text}")
    elif reaction == "call":
        handler(category, _FLAGS[kind])
    elif reaction == "log":
        handler.write(f"Warning: {text}\n")


_FLAGS = {"over": 2, "invalid": 8}
"""NumPy's bits for a callback."""


# --- What LAPACK reports ------------------------------------------------------------------------


def _singular(where: str, info: int, n: int) -> str:
    if info == _kernels.NOT_PIVOTS:
        return f"the pivots of {where} are not those of a factorization of {n} rows"
    return f"Singular matrix: {where} has an exactly zero pivot ({info} of {n})"


def _not_positive_definite(where: str, info: int, n: int) -> str:
    return f"Matrix is not positive definite: {where}, pivot {info} of {n}"


def _eigenvalues(where: str, info: int, n: int) -> str:
    if info == _kernels.NOT_FINITE:
        return f"Array must not contain infs or NaNs: {where} does"
    return f"Eigenvalues did not converge: {where}"


def _svd(where: str, info: int, n: int) -> str:
    reason = " holds NaN" if info == _kernels.NOT_FINITE else ""
    return f"SVD did not converge: {where}{reason}"


def _lstsq(where: str, info: int, n: int) -> str:
    reason = " holds NaN or infinity" if info == _kernels.NOT_FINITE else ""
    return f"SVD did not converge in Linear Least Squares: {where}{reason}"


def _qr(where: str, info: int, n: int) -> str:
    return f"Incorrect argument found while performing QR factorization: {where}"


def _sqrtm(where: str, info: int, n: int) -> str:
    if info == _kernels.NO_ROOT:
        return f"{where} has no square root that is a function of it: its eigenvalue 0 is defective"
    return f"Eigenvalues did not converge: {where}"


_WORDS: dict[str, Callable[[str, int, int], str]] = {
    "gesv": _singular,
    "inv": _singular,
    "trtrs": _singular,
    "getrs": _singular,
    "sytrs": _singular,
    "potrs": _singular,
    "potrf": _not_positive_definite,
    "geev": _eigenvalues,
    "heevd": _eigenvalues,
    "gesdd": _svd,
    "gelsd": _lstsq,
    "geqrf": _qr,
    "orgqr": _qr,
    "sqrtm": _sqrtm,
}


def failure(
    op: _kernels.Op,
    failures: np.ndarray[Any, np.dtype[np.int64]],
    stack: tuple[int, ...],
    sizes: dict[str, int],
) -> Exception:
    """Return the error for what a kernel reported of a stack.

    Parameters
    ----------
    op : Op
        Whose kernel reported.
    failures : (count, 2) ndarray of int64
        Number of a matrix in the flattened stack, and its info.
    stack : tuple of int
        Shape of the stack; empty for a single matrix.
    sizes : dict
        Core dimensions by letter.

    Returns
    -------
    LinAlgError or ValueError
        Its ``indices`` holds the index of every matrix that failed.
    """
    axes = np.unravel_index(failures[:, 0], stack) if stack else ()
    indices = list(zip(*(axis.tolist() for axis in axes), strict=True)) if stack else [()]
    first = f"[{', '.join(map(str, indices[0]))}]" if stack else ""
    info = int(failures[0, 1])
    name = function(op)
    words = _WORDS[op.kernel.partition("_")[0]](
        f"`{argument(name, 0)}`{first}", info, sizes.get("n", 1)
    )
    more = f" (and {len(failures) - 1} more of {math.prod(stack)})" if len(failures) > 1 else ""
    kind = ValueError if info == _kernels.NOT_PIVOTS else LinAlgError
    error = kind(f"{name}: {words}{more}")
    error.indices = indices  # type: ignore[attr-defined]
    return error


def missing_kernel(op: _kernels.Op, backend: str) -> Exception:
    return NotImplementedError(f"{op.name}: the {backend} backend has no kernel `{op.kernel}`")
