"""A bar on the terminal for what takes longer than a moment."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

__all__ = ["with_progress"]

Cell = TypeVar("Cell")

WIDTH = 40


def with_progress(cells: Sequence[Cell], label: Callable[[Cell], str]) -> Iterator[Cell]:
    """Yield the cells; on a terminal, draw a bar on stderr meanwhile."""
    is_terminal = sys.stderr.isatty()
    for done, cell in enumerate(cells):
        if is_terminal:
            filled = WIDTH * done // len(cells)
            bar = "#" * filled + "." * (WIDTH - filled)
            sys.stderr.write(f"\r[{bar}] {done}/{len(cells)} {label(cell):<28}")
            sys.stderr.flush()
        yield cell
    if is_terminal:
        sys.stderr.write("\r" + " " * 85 + "\r")
