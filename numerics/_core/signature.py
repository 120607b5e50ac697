"""Shapes: NumPy's gufunc notation, and the words for what does not fit it.

``(n,n),(n,k?)->(n,k?)`` says how many trailing axes of each array belong to one problem and which
of them agree; everything in front is the stack and broadcasts. ``k?`` may be absent: an array with
no axis left for it is a vector. Two additions of ours, for what only results name: ``k`` is
``min(m, n)``, and ``N`` is the static parameter of that name.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from . import errors

__all__ = ["Signature", "check", "parse"]


class Signature(NamedTuple):
    """Core dimensions by operand, as strings such as ``("n", "k?")``."""

    inputs: tuple[tuple[str, ...], ...]
    outputs: tuple[tuple[str, ...], ...]


@cache
def parse(text: str) -> Signature:
    """Return the core dimensions that `text` names."""

    def operands(side: str) -> tuple[tuple[str, ...], ...]:
        groups = side.strip().removeprefix("(").removesuffix(")").split("),(")
        return tuple(tuple(name for name in group.split(",") if name) for group in groups)

    inputs, _, outputs = text.partition("->")
    return Signature(operands(inputs), operands(outputs))


def check(name: str, text: str, arrays: tuple[np.ndarray, ...]) -> None:
    """Raise if the shapes of `arrays` do not fit the signature `text`.

    Parameters
    ----------
    name : str
        The op, for the message.
    text : str
        Its signature.
    arrays : tuple of ndarray
        One per input.

    Raises
    ------
    LinAlgError
        If a matrix has too few axes or is not square, in NumPy's words.
    ValueError
        If core dimensions disagree between arrays, or the stacks do not broadcast.
    """
    signature = parse(text)
    sizes: dict[str, tuple[int, int]] = {}
    stacks = []
    for index, (dimensions, array) in enumerate(zip(signature.inputs, arrays, strict=True)):
        required = [d for d in dimensions if not d.endswith("?")]
        if array.ndim < len(required):
            raise errors.too_few_axes(name, text, index, array.shape, len(required))
        core = min(len(dimensions), array.ndim)
        shape = array.shape[array.ndim - core :]
        if core == 2 and dimensions[0] == dimensions[1] and shape[0] != shape[1]:
            raise errors.not_square(name, index, array.shape)
        for axis, (dimension, size) in enumerate(zip(dimensions, shape, strict=False)):
            letter = dimension.rstrip("?")
            first, known = sizes.setdefault(letter, (index, size))
            if known != size:
                raise errors.mismatch(
                    name, text, letter, (index, axis, size), (first, known), array
                )
        stacks.append(array.shape[: array.ndim - core])
    try:
        np.broadcast_shapes(*stacks)
    except ValueError:
        raise errors.stacks_differ(name, text, [a.shape for a in arrays], stacks) from None
