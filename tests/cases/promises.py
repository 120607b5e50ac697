"""What a call of a function of linear algebra must give, or that it must raise.

The prediction is made from shapes, dtypes and options alone: by a signature that is written down
for the test, or, of a product or a norm of NumPy's, by asking NumPy about arrays of ones.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Shape = tuple[int, ...]


class Refused(Exception):
    """The call is wrong: an exception must be raised."""


Expected = list[tuple[Shape | None, str | None]] | None
"""Shape and dtype of each result. None stands for what is not predicted."""


def cores(signature: str) -> tuple[list[list[str]], list[list[str]]]:
    """Names of the core dimensions of inputs and outputs."""
    inputs, _, outputs = signature.partition("->")
    return _operands(inputs), _operands(outputs)


def _operands(side: str) -> list[list[str]]:
    return [re.findall(r"[\w?]+", core) for core in re.findall(r"\(([^()]*)\)", side)]


def shapes_by(signature: str, shapes: Sequence[Shape]) -> list[Shape]:
    """Shapes of the results; ``k?`` is absent from an array of exactly one axis."""
    inputs, outputs = cores(signature)
    sizes: dict[str, int] = {}
    stacks = []
    absent: set[str] = set()
    for names, shape in zip(inputs, shapes, strict=True):
        if len(shape) == 1:
            absent.update(name for name in names if name.endswith("?"))
            names = [name for name in names if name not in absent]
        if len(shape) < len(names):
            raise Refused(f"{shape} has too few axes for {names}")
        end = len(shape) - len(names)
        stacks.append(shape[:end])
        for name, size in zip(names, shape[end:], strict=True):
            if sizes.setdefault(name, size) != size:
                raise Refused(f"dimension {name} is {sizes[name]} and {size}")
    try:
        stack = np.broadcast_shapes(*stacks)
    except ValueError as error:
        raise Refused(str(error)) from error
    if "min" not in sizes and {"m", "n"} <= set(sizes):
        sizes["min"] = min(sizes["m"], sizes["n"])
    kept = [[name for name in names if name not in absent] for names in outputs]
    return [stack + tuple(int(n) if n.isdigit() else sizes[n] for n in names) for names in kept]


def common(arrays: Sequence[np.ndarray]) -> str:
    """The dtype that LAPACK's functions compute in and return."""
    letters = [a.dtype.char for a in arrays]
    if set(letters) & set("egGO"):
        raise Refused("a dtype that linalg does not support")
    return np.result_type(*(x if x in "fdFD" else "d" for x in letters)).char


def dtypes_by(word: str, arrays: Sequence[np.ndarray]) -> list[str | None]:
    """Dtypes of the results: x the common one, r its real one, i int32, anything else unknown.

    An asterisk stands for a function that takes dtypes which LAPACK's functions do not.
    """
    if word == "*":
        return [None]
    x = common(arrays)
    return [{"x": x, "r": x.lower(), "i": "i"}.get(letter) for letter in word]


def promised(
    row: Any, name: str, arrays: Sequence[np.ndarray], options: Mapping[str, Any]
) -> Expected:
    """What the call must give, by its `cases.calls.Row`; raises `Refused` if it must raise."""
    if row.word is None:
        return by_numpy(row, name, arrays, options)
    for option, value in options.items():
        if any(value is wrong for wrong in row.wrong.get(option, ())):
            raise Refused(f"{option}={value!r}")
    signature = row.signature(options) if callable(row.signature) else row.signature
    word = row.word(options) if callable(row.word) else row.word
    if word != "*":
        common(arrays)
    shapes = shapes_by(signature, [a.shape for a in arrays])
    if row.refuses is not None and row.refuses(arrays, options):
        raise Refused("by a rule of its own")
    return list(zip(shapes, dtypes_by(word, arrays), strict=True))


def by_numpy(
    row: Any, name: str, arrays: Sequence[np.ndarray], options: Mapping[str, Any]
) -> Expected:
    """What NumPy's function gives for ones of these shapes and dtypes."""
    ones = [np.ones(a.shape, a.dtype) for a in arrays]
    try:
        with np.errstate(all="ignore"):
            if name == "multi_dot" and any(a.ndim > 2 for a in ones) and len(ones) > 1:
                result = product_of_stacks(ones)
            else:
                result = getattr(np.linalg, name)(*row.pack(ones), **options)
    except (ValueError, TypeError, np.linalg.LinAlgError, IndexError) as error:
        # A dtype that NumPy has no loop for may get one here, and a shape a meaning.
        is_alone = name == "multi_dot" and len(ones) == 1
        if (
            (row.goes_beyond and not is_alone)
            or isinstance(error, TypeError)
            or "zero-size" in str(error)
        ):
            return None
        raise Refused(str(error)) from error
    return [
        (None if i == row.depends_on_values else np.shape(r), np.asarray(r).dtype.str)
        for i, r in enumerate(parts(result))
    ]


def product_of_stacks(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """What multi_dot gives for stacks, which NumPy's does not take; the ends may be vectors."""
    is_row, is_column = arrays[0].ndim == 1, arrays[-1].ndim == 1
    chain = [*arrays]
    chain[0] = chain[0][np.newaxis] if is_row else chain[0]
    chain[-1] = chain[-1][:, np.newaxis] if is_column else chain[-1]
    result = functools.reduce(np.matmul, chain)
    ends = (-2,) * is_row + (-1,) * is_column
    return result.squeeze(ends) if ends else result


def parts(result: Any) -> tuple[Any, ...]:
    """Results as a tuple."""
    return result if isinstance(result, tuple) else (result,)
