"""What a call costs beside its arithmetic: µs per call on one 2×2 matrix, and the floor of it.

    empty      a Python function that does nothing
    face       the same behind a public function's face (the look for foreign arrays)
    op         the op itself: doorway and kernel, without the public function
    numerics   the public function, as users call it
    numpy      the function of numpy.linalg
    ratio      of the last two

All of them get the same arguments. Figures are medians; the rounds are interleaved.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence
from importlib.metadata import version
from timeit import Timer
from typing import Any

from suite.table import TABLE, Draw

from numerics import _kernels
from numerics._core.op import OPS

FUNCTIONS = ("solve", "inv", "det", "slogdet", "cholesky")
STATIC: dict[str, dict[str, Any]] = {"cholesky": {"upper": False}}
COLUMNS = ("empty", "face", "op", "numerics", "numpy")


def empty_one(a: Any) -> None:
    """Do nothing with one argument."""


def empty_two(a: Any, b: Any) -> None:
    """Do nothing with two arguments."""


def timers(name: str) -> dict[str, Timer]:
    """Return a timer for each column; every statement is one call."""
    row = next(row for row in TABLE if row.name == name)
    arguments = row.arguments(Draw(2, "alone"))
    nothing = {1: empty_one, 2: empty_two}[len(arguments)]
    called: dict[str, Callable[..., Any]] = {
        "empty": nothing,
        "face": _kernels.PublicFunction(nothing, False),
        "op": OPS[row.dotted],
        "numerics": row.libraries["numerics"],
        "numpy": row.libraries["numpy"],
    }
    letters = "ab"[: len(arguments)]
    values = dict(zip(letters, arguments, strict=True))
    made = {}
    for column, function in called.items():
        static = STATIC.get(name, {}) if column == "op" else {}
        words = [*letters, *(f"{key}={value!r}" for key, value in static.items())]
        made[column] = Timer(
            f"function({', '.join(words)})", globals={"function": function, **values}
        )
    return made


def measure(name: str, rounds: int, calls: int) -> dict[str, float]:
    """Return the median µs per call for each column."""
    times: dict[str, list[float]] = {column: [] for column in COLUMNS}
    made = timers(name)
    for _ in range(rounds):
        for column, timer in made.items():
            times[column].append(1e6 * timer.timeit(calls) / calls)
    return {column: statistics.median(found) for column, found in times.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--rounds", type=int, default=500, help="turns of each column (default: %(default)s)"
    )
    parser.add_argument(
        "--calls", type=int, default=200, help="calls per turn (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    print(f"µs per call on one 2×2 float64 matrix; NumPy {version('numpy')}\n")
    print(f"{'':<10}" + "".join(f"{column:>10}" for column in (*COLUMNS, "ratio")))
    for name in FUNCTIONS:
        found = measure(name, options.rounds, options.calls)
        figures = "".join(f"{found[column]:>10.3f}" for column in COLUMNS)
        print(f"{name:<10}{figures}{found['numpy'] / found['numerics']:>10.1f}")


if __name__ == "__main__":
    main()
