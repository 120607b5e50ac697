"""Every public function beside one other library's, at any size."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

from .columns import aligned, microseconds
from .timing import Contestant, in_turns


class Cell(NamedTuple):
    """Median seconds per call."""

    theirs: float
    ours: float

    def text(self) -> str:
        theirs, ours = map(microseconds, self)
        return f"{theirs} / {ours} = {self.theirs / self.ours:.2f}"


def measure(row: Any, draw: Any, seconds: float) -> Cell:
    """Time both libraries on the same arrays, in turns."""
    arguments, keywords = row.arguments(draw), row.keywords(draw)
    functions = row.functions(draw).items()
    pair = [Contestant(library, function, arguments, keywords) for library, function in functions]
    return Cell(*map(statistics.median, in_turns(pair, seconds)))


def print_table(results: dict[tuple[Any, str], dict[int, Cell]], sizes: Sequence[int]) -> None:
    lines = [["function", "", "beside", *(f"n = {n}" for n in sizes)]]
    for (row, layout), cells in results.items():
        lines.append([row.dotted, layout, row.peer.library, *(cells[n].text() for n in sizes)])
    print("µs per call: the other library / numerics = ratio of medians\n")
    print("\n".join(aligned(lines, (0, 1, 2))))
