"""Measure what is promised of the speed: every cell of the table beside its floors.

A floor is the smallest ratio of another library's time to ours: NumPy's, and that of the fastest
of SciPy, torch and jitted jax, as far as they are installed. Everybody gets the same arrays; what
it costs to convert them to tensors is not counted. The calls are interleaved in one process, so
that a machine that slows down slows all of them; the figures are medians. A cell that is below a
floor says so. The whole table takes some twenty minutes; Ctrl-C prints what is measured so far.

`compare.py functions` prints another table instead: every public function beside the same one of
NumPy or SciPy, at any size.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import suite  # sets the threads of BLAS, and so comes before whoever loads NumPy

# isort: split
from comparison import every_function, machine, promised, report
from suite.promises import ALL, CELLS, PROMISES, ROWS
from suite.table import LAYOUTS, SIZES, STACKS, TABLE, Draw

from numerics._commands.progress import with_progress

THREADS = """\
BLAS runs one thread in NumPy, SciPy and jax unless OPENBLAS_NUM_THREADS is set: each brings its
own pool, and on a busy machine a thread that waits for its partner can cost a hundred times the
work. To give them a thread for each core, as they take by default:
    OPENBLAS_NUM_THREADS=$(nproc) python tests/benchmarks/compare.py
torch is measured with the threads it takes by default and with one; numerics has its own."""


def main() -> None:
    options = parser().parse_args()
    options.run(options)


# --- The promises -------------------------------------------------------------------------------


def compare_promised(options: argparse.Namespace) -> None:
    cells = [
        cell
        for cell in CELLS
        if _wanted(cell.promise.row, options.rows)
        and _wanted(cell.work.row.name, options.functions)
        and _wanted(cell.n, options.sizes)
        and _wanted(cell.dtype, options.dtypes)
    ]
    if not cells:
        raise SystemExit("compare.py: no cell of the table fits all of these options")
    names = promised.installed(options.beside)
    where = machine.description(names)
    peers = {} if options.list else _imported(names)
    results = []
    try:
        for cell in _with_progress(cells, lambda cell: cell.label):
            results.append(
                promised.Result(cell, {}, {})
                if options.list
                else promised.measure(cell, peers, "numpy" in options.beside, options.seconds)
            )
    except KeyboardInterrupt:
        print(f"interrupted: {len(results)} of {len(cells)} cells are measured\n")
    report.print_table(where, ROWS, results)
    if options.json:
        report.write(options.json, where, ROWS, results)


def _imported(names: list[str]) -> dict[str, promised.Peer]:
    """Import the others with the threads that they take by default."""
    for name in suite.ASSUMED:
        del os.environ[name]  # NumPy and SciPy have read it
    return promised.imported(names)


def _wanted(value: Any, chosen: Iterable[Any] | None) -> bool:
    return not chosen or value in chosen


def _with_progress(cells: list[Any], label: Callable[[Any], str]) -> Iterable[Any]:
    return with_progress(cells, lambda cell: label(cell)[:28])


# --- Every function -----------------------------------------------------------------------------


def compare_functions(options: argparse.Namespace) -> None:
    cells = [
        (row, layout, n)
        for row in TABLE
        if _wanted(row.name, options.functions)
        for layout in row.layouts
        if layout in options.layouts
        for n in options.sizes
    ]
    results: dict[tuple[Any, str], dict[int, every_function.Cell]] = {}
    for row, layout, n in _with_progress(cells, lambda cell: cell[0].dotted):
        cell = every_function.measure(row, Draw(n, layout), options.seconds)
        results.setdefault((row, layout), {})[n] = cell
    every_function.print_table(results, options.sizes)


# --- The command line ---------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    rows = "\n".join(f"  {name:<13} {title}" for name, title in ROWS.items())
    made = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"rows of the table:\n{rows}\n\n{THREADS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.set_defaults(run=compare_promised)
    made.add_argument(
        "--rows", nargs="+", metavar="ROW", choices=list(ROWS), help="only these, as named below"
    )
    names = sorted({work.row.name for promise in PROMISES for work in promise.works})
    _add_functions(made, names)
    made.add_argument("--sizes", nargs="+", type=int, metavar="N", help="only these n")
    made.add_argument("--dtypes", nargs="+", choices=ALL, help="only these")
    made.add_argument(
        "--beside",
        nargs="*",
        choices=("numpy", *promised.PEERS),
        default=["numpy", *promised.PEERS],
        help="measure only these beside ours, or none (default: all that are installed)",
    )
    _add_seconds(made, 0.2, "everybody together, and at least three calls of each")
    made.add_argument(
        "--list", action="store_true", help="only say what is promised, and measure nothing"
    )
    made.add_argument(
        "--json", type=Path, metavar="FILE", help="write the result too, for docs/build.py --speed"
    )
    _add_functions_command(made.add_subparsers(title="another table", metavar=""))
    return made


def _add_functions_command(commands: Any) -> None:
    stacks = ", ".join(f"{count} at n = {n}" for n, count in STACKS.items())
    made = commands.add_parser(
        "functions",
        help="every public function, at any size: `functions --help`",
        description=(
            "Every public function beside NumPy's, or SciPy's where NumPy has none: microseconds "
            "per call of the other library, of numerics, and their ratio (above 1: numerics is "
            "faster). Where the other takes no stacks, it is called matrix by matrix.\n\n"
            f"Matrices in a stack: {stacks}.\nFunctions that take no stacks are measured alone."
        ),
        epilog=THREADS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.set_defaults(run=compare_functions)
    _add_functions(made, [row.name for row in TABLE])
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
    _add_seconds(made, 0.1, "both libraries together")


def _add_functions(made: argparse.ArgumentParser, names: list[str]) -> None:
    made.add_argument(
        "--functions",
        nargs="+",
        metavar="NAME",
        choices=names,
        help="only these, such as `solve inv det` (default: all of them)",
    )


def _add_seconds(made: argparse.ArgumentParser, default: float, words: str) -> None:
    made.add_argument(
        "--seconds",
        type=float,
        default=default,
        help=f"time for each cell, {words} (default: %(default)s)",
    )


if __name__ == "__main__":
    main()
