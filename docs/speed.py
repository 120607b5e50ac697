"""What was measured of the speed, as a table in the guide's page on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measured import Cell, Result
from speed_picture import picture

__all__ = ["write"]

MARK = "<!-- speed -->"
"""Where the figures go in the guide's page."""
NOT_MEASURED = "This copy of the documentation holds no figures."


def write(guide: Path, result: Result | None) -> None:
    """Put table and picture into a built guide; without a result, say that there is none."""
    page = guide / "speed.md"
    text = page.read_text("utf-8")
    if MARK not in text:
        raise ValueError(f"docs/build.py: {page.name} has no place for the figures, {MARK}")
    figures = NOT_MEASURED if result is None else f"{_where(result)}\n\n{_table(result)}"
    page.write_text(text.replace(MARK, figures), "utf-8")
    if result is not None:
        (guide / "speed.svg").write_text(picture(result), "utf-8")


HEADINGS = (
    "work",
    "dtype",
    "against NumPy",
    "floor",
    "against the best other",
    "floor",
    "beside a limit",
    "cells that reach all",
)
SHORT = 6
"""Functions of a line that are named; of more, the title says which they are."""


def _where(result: Result) -> str:
    machine = "; ".join(f"{key}: {value}" for key, value in result["machine"].items())
    return (
        "Ratios of medians, their time in ours: the smallest and the largest of each line's "
        f"cells, and where the smallest was. {machine}."
    )


def _table(result: Result) -> str:
    groups: dict[tuple[Any, ...], list[Cell]] = {}
    for cell in result["cells"]:
        if cell["seconds"]:
            floors = cell["floors"]
            key = (cell["row"], cell["dtype"], floors["numpy"], floors["others"])
            groups.setdefault(key, []).append(cell)
    lines = [HEADINGS, ["---"] * len(HEADINGS)]
    lines += [
        [
            _work(result["rows"][row], cells),
            dtype,
            _range(cells, "numpy"),
            _floor(numpy),
            _range(cells, "others"),
            _floor(others),
            _limit(cells),
            f"{sum(not cell['misses'] for cell in cells)} of {len(cells)}",
        ]
        for (row, dtype, numpy, others), cells in groups.items()
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _work(title: str, cells: Sequence[Cell]) -> str:
    names = list(dict.fromkeys(cell["function"] for cell in cells))
    if len(names) > SHORT or all(name in title for name in names):
        return title
    return f"{title}: {', '.join(names)}"


def _range(cells: Sequence[Cell], against: str) -> str:
    measured = [cell for cell in cells if cell["ratios"][against] is not None]
    if not measured:
        return "–"
    in_order = sorted(measured, key=lambda cell: float(cell["ratios"][against]))
    low, high = in_order[0], in_order[-1]
    place = f"{low['function']}, n = {low['n']}"
    if against == "others":
        place = f"{place}: {low['best']}"
    return f"{low['ratios'][against]:.3g}–{high['ratios'][against]:.3g}× ({place})"


def _floor(value: float | None) -> str:
    return "–" if value is None else f"{value:g}×"


LIMITS = {"lapack": "at most {:+.2f} µs over LAPACK", "pass": "at most {:.2f} passes"}
"""How the largest of a line is said; the unit is that of `suite/promises.py`."""


def _limit(cells: Sequence[Cell]) -> str:
    measured = [cell for cell in cells if cell["excess"] is not None and cell["limit"]]
    if not measured:
        return "–"
    worst = max(measured, key=lambda cell: float(cell["excess"]))
    text = LIMITS[worst["limit"]["of"]].format(worst["excess"])
    return f"{text} (limit {worst['limit']['at most']:g}; {worst['function']})"
