"""``scipy.special``, drop-in: real ufuncs on kernels of our own."""

from __future__ import annotations

from ._erf import erfcx

__all__ = ["erfcx"]
