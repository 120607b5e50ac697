"""jax's functions, compiled for the shapes, on device arrays, with 64-bit numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.linalg
import numpy as np

from .timing import Contestant

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)

_SAME = (
    "cholesky cond det eig eigh eigvals eigvalsh inv lstsq matrix_norm matrix_rank pinv qr "
    "slogdet solve svd svdvals tensorinv tensorsolve"
)
_SCIPY = "lu lu_factor lu_solve solve_triangular sqrtm"

FUNCTIONS: dict[str, Callable[..., Any]] = (
    {name: getattr(jnp.linalg, name) for name in _SAME.split()}
    | {name: getattr(jax.scipy.linalg, name) for name in _SCIPY.split()}
    | {
        "cholesky_ex": jnp.linalg.cholesky,
        "cholesky_solve": lambda b, factor: jax.scipy.linalg.cho_solve((factor, True), b),
        "householder_product": jax.lax.linalg.householder_product,
        "inv_ex": jnp.linalg.inv,
        "matrix_exp": jax.scipy.linalg.expm,
        "solve_ex": jnp.linalg.solve,
    }
)
"""jax raises nothing for a singular matrix, which is what the functions in ``_ex`` are for."""


def contestants(
    name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> list[Contestant]:
    """Return jax's call on arrays of the same values; none where it has no such function."""
    if name not in FUNCTIONS:
        return []
    compiled = jax.jit(partial(FUNCTIONS[name], **keywords))
    arrays = jax.tree.map(_on_device, arguments)
    if isinstance(compiled(*arrays), jax.Array):
        return [Contestant("jax", lambda *given: compiled(*given).block_until_ready(), arrays)]
    return [Contestant("jax", lambda *given: jax.block_until_ready(compiled(*given)), arrays)]


def _on_device(argument: Any) -> Any:
    return jnp.asarray(argument) if isinstance(argument, np.ndarray) else argument
