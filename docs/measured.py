"""What `tests/benchmarks/compare.py --json FILE` measured, read back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["Cell", "Result", "load"]

Cell = Mapping[str, Any]
"""One cell of the table, with the keys that `compare.py` writes."""
Result = Mapping[str, Any]
"""The machine, the titles of the rows, and the cells."""


def load(path: Path) -> Result:
    """Return what `compare.py` wrote.

    Raises
    ------
    ValueError
        If the file is something else, or cannot be read.
    """
    try:
        result = json.loads(path.read_text("utf-8"))
        if {"machine", "rows", "cells"} <= set(result):
            return dict(result)
    except (OSError, TypeError, ValueError) as error:
        raise ValueError(f"docs: {path} holds no result of compare.py: {error}") from error
    raise ValueError(f"docs: {path} holds no result of compare.py")
