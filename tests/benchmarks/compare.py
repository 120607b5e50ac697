"""Compare the speed of numerics with NumPy's, or SciPy's where NumPy has no such function.

Every cell of the table is one function at one size, with the same arrays for both libraries:
microseconds per call of the other library, of numerics, and their ratio (above 1: numerics is
faster). Where the other library takes no stacks, its function is called matrix by matrix. The
calls are interleaved in one process, so that a machine that slows down slows both; the figures
are medians. BLAS runs one thread unless OPENBLAS_NUM_THREADS is set.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, NamedTuple

from suite.table import LAYOUTS, SIZES, STACKS, TABLE, Draw, Row, bound

from numerics._commands.progress import with_progress

TURN = 3e-4
"""Seconds of a turn: long beside the clock's resolution, short beside a scheduler's slice."""


class Cell(NamedTuple):
    """Median seconds per call."""

    theirs: float
    ours: float

    def text(self) -> str:
        theirs, ours = (f"{1e6 * seconds:.3g}" for seconds in self)
        return f"{_plain(theirs)} / {_plain(ours)} = {self.theirs / self.ours:.2f}"


def _plain(number: str) -> str:
    """1.2e+03 as 1200."""
    return f"{float(number):.0f}" if "e" in number else number


def seconds_per_call(call: Callable[[], Any], calls: int) -> float:
    """Return the mean of a few calls in a row."""
    repeats = range(calls)
    start = perf_counter()
    for _ in repeats:
        call()
    return (perf_counter() - start) / calls


def calls_within(seconds: float, call: Callable[[], Any]) -> int:
    """Return how many calls fill a span of time, at least one."""
    guess = max(1, int(seconds / seconds_per_call(call, 1)))
    return guess if guess == 1 else max(1, int(seconds / seconds_per_call(call, guess)))


def measure(theirs: Callable[[], Any], ours: Callable[[], Any], seconds: float) -> Cell:
    """Time two calls in turns for about `seconds`, and in any case a few times each."""
    pair = (theirs, ours)
    for call in pair:
        call()  # first calls fill caches and load libraries
    turns = [(call, calls_within(TURN, call), list[float]()) for call in pair]
    samples = [found for _, _, found in turns]
    end = perf_counter() + seconds
    while len(samples[0]) < 3 or perf_counter() < end:
        for call, calls, found in turns:
            found.append(seconds_per_call(call, calls))
        turns.reverse()  # nobody always comes second, where the caches are the other's
    return Cell(*map(statistics.median, samples))


def compare_row(row: Row, layout: str, n: int, seconds: float) -> Cell:
    draw = Draw(n, layout)
    arguments, keywords = row.arguments(draw), row.keywords(draw)
    theirs, ours = (bound(f, arguments, keywords) for f in row.libraries.values())
    return measure(theirs, ours, seconds)


def print_table(results: dict[tuple[str, str], dict[int, Cell]], sizes: Sequence[int]) -> None:
    lines = [["function", "", "beside", *(f"n = {n}" for n in sizes)]]
    peers = {row.dotted: row.peer.library for row in TABLE}
    for (name, layout), cells in results.items():
        lines.append([name, layout, peers[name], *(cells[n].text() for n in sizes)])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    print("µs per call: the other library / numerics = ratio of medians\n")
    for line in lines:
        padded = [
            text.ljust(width) if column < 3 else text.rjust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(padded).rstrip())


def parser() -> argparse.ArgumentParser:
    stacks = ", ".join(f"{count} at n = {n}" for n, count in STACKS.items())
    made = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"Matrices in a stack: {stacks}. Functions that take no stacks are measured alone.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "--functions",
        nargs="+",
        metavar="NAME",
        choices=[row.name for row in TABLE],
        help="only these, such as `solve inv erfcx` (default: all of them)",
    )
    made.add_argument(
        "--sizes",
        nargs="+",
        type=int,
        metavar="N",
        default=list(SIZES),
        help=f"matrices of n×n, vectors of n (default: {' '.join(map(str, SIZES))})",
    )
    made.add_argument(
        "--layouts",
        nargs="+",
        choices=LAYOUTS,
        default=list(LAYOUTS),
        help="one matrix alone, or a stack (default: both)",
    )
    made.add_argument(
        "--seconds",
        type=float,
        default=0.1,
        help="time for each cell, both libraries together (default: %(default)s)",
    )
    return made


def main() -> None:
    options = parser().parse_args()
    cells = [
        (row, layout, n)
        for row in TABLE
        if not options.functions or row.name in options.functions
        for layout in row.layouts
        if layout in options.layouts
        for n in options.sizes
    ]
    results: dict[tuple[str, str], dict[int, Cell]] = {}
    for row, layout, n in with_progress(cells, lambda cell: cell[0].dotted):
        cell = compare_row(row, layout, n, options.seconds)
        results.setdefault((row.dotted, layout), {})[n] = cell
    print_table(results, options.sizes)


if __name__ == "__main__":
    main()
