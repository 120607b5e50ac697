"""Derivative rules, as values that the autograd layer reads.

The convention: ⟨a, b⟩ = Re Σ conj(a)·b, and vjp is the adjoint of jvp under it. The conjugate
that a holomorphic rule needs is applied by the reader, never written in a rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["UNWRITTEN", "NotDifferentiable", "Partials", "Rule"]


@dataclass(frozen=True)
class Partials:
    """An elementwise function, by its partial derivatives.

    Attributes
    ----------
    partials : tuple of callable
        One per argument: ``partial(m, y, *x)``, where `m` is the namespace of traced functions,
        `y` the result and `x` the arguments.
    """

    partials: tuple[Callable[..., Any], ...]

    def __init__(self, *partials: Callable[..., Any]) -> None:
        object.__setattr__(self, "partials", partials)


@dataclass(frozen=True)
class NotDifferentiable:
    """There is no derivative, and `why` says it to the user."""

    why: str


Rule = Partials | NotDifferentiable

UNWRITTEN = NotDifferentiable("its derivative is not part of this version")
"""For ops whose rule comes with the autograd layer."""
