"""Elementwise functions: real ufuncs whose plain calls come through the doorway."""

from __future__ import annotations

import inspect

import numpy as np

from .. import _kernels
from .public import FUNCTIONS

__all__ = ["ufunc"]


def ufunc(op: _kernels.Op, doc: str) -> np.ufunc:
    """Return the public ufunc of `op`.

    Layers see its plain calls; ufunc methods and keywords take NumPy's own path over the same
    loops.

    Parameters
    ----------
    op : Op
        An op whose kernel is a row of ``functions.def``.
    doc : str
        The docstring.

    Returns
    -------
    ufunc
        Entered in `FUNCTIONS` under the op's name.
    """
    made = _kernels.public_ufunc(op, inspect.cleandoc(doc))
    FUNCTIONS[op.name] = made
    return made
