"""The record of an operation: six facts, none of them optional."""

from __future__ import annotations

from .. import _kernels
from . import backends
from .results import RESULTS
from .rules import NotDifferentiable, Partials, Rule
from .signature import parse

__all__ = ["BITWISE", "HOT_PATHS", "OPS", "PER_THREAD_COUNT", "hot_path", "op"]

BITWISE = "bitwise"
"""Same input, same bits: on this machine, at any position in a stack."""
PER_THREAD_COUNT = "per thread count"
"""Same input, same bits for a given number of BLAS threads; see the architecture page."""

OPS: dict[str, _kernels.Op] = {}
"""Every op by name."""
HOT_PATHS: dict[str, _kernels.Op] = {}
"""What computes a composition at once, by the name of the public function."""


def op(
    name: str, *, kernel: str, signature: str, dtypes: str, determinism: str, rule: Rule
) -> _kernels.Op:
    """Make an op and enter it in `OPS`.

    Parameters
    ----------
    name : str
        The public name, ``"linalg.solve"``, or that and a variant, ``"linalg.svd.full"``.
    kernel : str
        Name in the backends' tables: LAPACK's without the letter, or the function's own.
    signature : str
        Core dimensions in NumPy's gufunc notation (`numerics._core.signature`).
    dtypes : str
        Loops in NumPy's letters, ``"d->d D->D"``.
    determinism : str
        `BITWISE` or `PER_THREAD_COUNT`.
    rule : Rule
        The derivative.

    Returns
    -------
    Op
        A callable: ``OP(*arrays, **static)``.
    """
    if name in OPS:
        raise ValueError(f"op {name} exists")
    if kernel not in backends.cpu_kernels:
        raise LookupError(f"op {name}: the cpu backend has no kernel {kernel}")
    if determinism not in (BITWISE, PER_THREAD_COUNT):
        raise ValueError(f"op {name}: unknown determinism {determinism!r}")
    if not isinstance(rule, Partials | NotDifferentiable):
        raise TypeError(f"op {name}: {rule!r} is no rule")
    _check_loops(name, signature, dtypes)
    OPS[name] = made = _kernels.Op(
        name,
        kernel,
        signature,
        dtypes,
        determinism,
        rule,
        RESULTS.get(name),
        backends.cpu_kernels[kernel],
    )
    return made


def hot_path(
    name: str, *, kernel: str, signature: str, dtypes: str, result: type | None = None
) -> _kernels.Op:
    """Make the hot path of a public function that composes ops, and enter it in `HOT_PATHS`.

    It computes what the function's body computes, to the bit, for plain arrays while no layer is
    on. It is no op: layers, derivatives and other backends see the ops that the body composes.

    Parameters
    ----------
    name : str
        The public name.
    kernel, signature, dtypes : str
        As for `op`. Dtypes that no loop takes are for the body.
    result : type, optional
        Named tuple of several results.

    Returns
    -------
    Op
        For the parameter `hot_path` of `numerics._core.public.public`.
    """
    HOT_PATHS[name] = made = _kernels.Op(
        name, kernel, signature, dtypes, PER_THREAD_COUNT, None, result, None
    )
    return made


def _check_loops(name: str, signature: str, words: str) -> None:
    """Every loop must have one letter per operand."""
    shapes = parse(signature)
    counts = len(shapes.inputs), len(shapes.outputs)
    for word in words.split():
        inputs, _, outputs = word.partition("->")
        if (len(inputs), len(outputs)) != counts:
            raise ValueError(f"op {name}: loop {word} does not fit {signature}")
    if not words.split():
        raise ValueError(f"op {name}: no loops")
