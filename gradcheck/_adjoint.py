"""The adjoint test: is vjp the adjoint of jvp under the real inner product?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
#: An array or scalar, or tuples and lists of these, nested as deep as one likes.
Nested: TypeAlias = "Array | np.generic | complex | Sequence[Nested]"


def inner(a: Nested, b: Nested, /) -> float:
    """Real inner product of two nests of arrays.

    Parameters
    ----------
    a, b : nested arrays
        Real or complex arrays, or tuples and lists of them, of the same nesting and shapes.

    Returns
    -------
    float
        ``Re Σ conj(a)·b`` over all entries of all arrays, summed in float64 at least.

    Raises
    ------
    ValueError
        If nesting or shapes differ. There is no broadcasting.

    Notes
    -----
    With this product a complex number is a pair of real ones: ⟨a, b⟩ = Re a Re b + Im a Im b.
    Under it the gradient of a real function of z = x + iy is ∂f/∂x + i ∂f/∂y.

    Examples
    --------
    >>> inner([1.0, 2j], [3.0, 4j])
    11.0
    """
    total = 0.0
    for x, y in _pairs("inner", ("a", a), ("b", b)):
        dtype = np.result_type(x.dtype, y.dtype, np.float64)
        total += float(np.sum(np.multiply(x.conj(), y, dtype=dtype).real))
    return total


def adjoint_defect(
    jvp: Callable[[Nested, Nested], Nested],
    vjp: Callable[[Nested, Nested], Nested],
    primals: Nested,
    rng: np.random.Generator,
) -> float:
    """Relative defect of the adjoint identity at one point, for one random pair of directions.

    Parameters
    ----------
    jvp : callable
        ``jvp(primals, v)`` is the derivative J v, nested as the function's output.
    vjp : callable
        ``vjp(primals, u)`` is the adjoint Jᴴ u, nested as `primals`.
    primals : nested arrays
        The point: float or complex arrays, or tuples and lists of them.
    rng : numpy.random.Generator
        Source of v, of the shapes and dtypes of `primals`, and of u, of those of J v: standard
        normal, in both parts where the array is complex.

    Returns
    -------
    float
        ``|⟨u, J v⟩ - ⟨Jᴴ u, v⟩| / max(‖u‖ ‖J v‖, ‖Jᴴ u‖ ‖v‖)``, and 0 where both products of norms
        are 0. A few units of rounding where both derivatives belong together, nan where one of
        them is not finite.

    Raises
    ------
    TypeError
        If an array of `primals` is neither float nor complex.
    ValueError
        If Jᴴ u differs from `primals` in nesting or shapes, or is complex where they are real.

    Notes
    -----
    ⟨a, b⟩ = Re Σ conj(a)·b, see `inner`. The identity says that the two belong together, not that
    either is the derivative of the function: that takes a comparison with differences as well.

    Examples
    --------
    The derivative of the conjugate is v ↦ conj(v), which is its own adjoint:

    >>> z = np.array([1 + 2j, 3 - 1j])
    >>> conjugate = lambda primals, direction: np.conj(direction)
    >>> adjoint_defect(conjugate, conjugate, z, np.random.default_rng(0)) < 1e-15
    True
    """
    for x in _leaves(primals):
        if x.dtype.kind not in "fc":
            raise TypeError(
                "gradcheck.adjoint_defect: `primals` must be float or complex arrays; "
                f"one has dtype {x.dtype}"
            )

    v = _draw_like(primals, rng)
    Jv = jvp(primals, v)
    u = _draw_like(Jv, rng)
    JHu = vjp(primals, u)
    for x, g in _pairs("adjoint_defect", ("primals", primals), ("vjp(primals, u)", JHu)):
        if g.dtype.kind == "c" and x.dtype.kind != "c":
            raise ValueError(
                "gradcheck.adjoint_defect: `vjp(primals, u)` must be real where `primals` is; "
                f"it has dtype {g.dtype} for {x.dtype}"
            )

    scales = (_norm(u) * _norm(Jv), _norm(JHu) * _norm(v))
    if scales == (0.0, 0.0):
        return 0.0
    if not all(map(math.isfinite, scales)):
        return math.nan
    return abs(inner(u, Jv) - inner(JHu, v)) / max(scales)


def _norm(a: Nested) -> float:
    return math.sqrt(inner(a, a))


def _draw_like(a: Nested, rng: np.random.Generator) -> Nested:
    if isinstance(a, (tuple, list)):
        return tuple(_draw_like(x, rng) for x in a)
    x = np.asarray(a)
    draw = rng.standard_normal(x.shape)
    if x.dtype.kind == "c":
        return (draw + 1j * rng.standard_normal(x.shape)).astype(x.dtype)
    return draw.astype(x.dtype if x.dtype.kind == "f" else np.float64)


def _leaves(a: Nested) -> Iterator[Array]:
    if isinstance(a, (tuple, list)):
        for x in a:
            yield from _leaves(x)
    else:
        yield np.asarray(a)


def _pairs(
    function: str, named_a: tuple[str, Nested], named_b: tuple[str, Nested]
) -> Iterator[tuple[Array, Array]]:
    """Arrays of `a` and `b` side by side."""
    (name_a, a), (name_b, b) = named_a, named_b
    shapes = _shapes(a), _shapes(b)
    if shapes[0] != shapes[1]:
        raise ValueError(
            f"gradcheck.{function}: `{name_b}` must have the nesting and shapes of `{name_a}`, "
            f"{shapes[0]}; it has {shapes[1]}"
        )
    yield from zip(_leaves(a), _leaves(b), strict=True)


def _shapes(a: Nested) -> object:
    """Shape of an array; for a nest, the list of its members' shapes."""
    return [_shapes(x) for x in a] if isinstance(a, (tuple, list)) else np.shape(np.asarray(a))
