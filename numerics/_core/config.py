"""Settings, and the environment variables that set them."""

from __future__ import annotations

import os

from .. import _kernels

__all__ = ["apply_environment"]


def apply_environment() -> None:
    """Read the environment once, at import.

    ``NUMERICS_ISA`` forces an instruction set of the elementwise kernels (``baseline``, ``v3``,
    ``v4`` on x86-64), for comparing bits and speed.

    Raises
    ------
    ImportError
        If it names one that is unknown or that this machine lacks.
    """
    name = os.environ.get("NUMERICS_ISA")
    if not name:
        return
    try:
        _kernels.use_instruction_set(name)
    except ValueError as error:
        raise ImportError(f"NUMERICS_ISA: {error}") from None
