"""The table of promises with what was measured, on the terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .columns import aligned, microseconds
from .promised import Result

HEADINGS = (
    "function",
    "dtype",
    "n",
    "count",
    "µs",
    "numpy",
    "floor",
    "others",
    "floor",
    "the best of them",
    "limit",
    "",
)
LEFT = (0, 1, 9, 10, 11)
"""Columns of words; numbers are aligned to the right."""

LIMITS = {"lapack": "LAPACK {:+.2f} µs ≤ {:g}", "pass": "{:.2f} passes ≤ {:g}"}


def print_table(
    machine: Mapping[str, str], titles: Mapping[str, str], results: Sequence[Result]
) -> None:
    """Print the rows of the table, each with its cells, and how many floors are reached."""
    print("Ratios of medians: their time / ours, to be at least the floor beside it.\n")
    width = max(map(len, machine))
    print("\n".join(f"{key:<{width}}  {value}" for key, value in machine.items()))
    lines = aligned([HEADINGS, *map(_line, results)], LEFT)
    row = None
    for result, line in zip(results, lines[1:], strict=True):
        if result.cell.promise.row != row:
            row = result.cell.promise.row
            print(f"\n{titles[row]}  [{row}]\n{lines[0]}")
        print(line)
    _print_summary(titles, results)


def _line(result: Result) -> list[str]:
    cell = result.cell
    misses = result.misses
    return [
        cell.work.label,
        cell.dtype,
        str(cell.n),
        str(cell.count),
        "" if result.ours is None else microseconds(result.ours),
        _ratio(result.over_numpy),
        _number(cell.numpy_floor),
        _ratio(result.over_others),
        _number(cell.others_floor),
        result.best or "",
        _limit(result),
        f"below: {', '.join(misses)}" if misses else "",
    ]


def _limit(result: Result) -> str:
    if result.excess is None or result.cell.limit is None:
        return ""
    text = LIMITS[result.cell.promise.limit].format(result.excess, result.cell.limit)
    return text if result.measure == "LAPACK" else f"{text} ({result.measure})"


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}×" if value < 1000 else f"{value:.0f}×"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _print_summary(titles: Mapping[str, str], results: Sequence[Result]) -> None:
    measured = [result for result in results if result.ours is not None]
    if not measured:
        return
    print("\ncells that reach their floors")
    for row, title in titles.items():
        cells = [result for result in measured if result.cell.promise.row == row]
        if cells:
            reached = sum(not result.misses for result in cells)
            print(f"{reached:>5} of {len(cells):<4} {title}")
    refusals = {
        (name, result.cell.work.row.name, text)
        for result in measured
        for name, text in result.refusals.items()
    }
    for name, function, text in sorted(refusals):
        print(f"{name} is left out where it does not take the arguments of {function}: {text}")


def write(
    path: Path, machine: Mapping[str, str], titles: Mapping[str, str], results: Sequence[Result]
) -> None:
    """Write machine, titles and cells; `docs/build.py --speed` reads them."""
    cells = ",\n".join(f"  {json.dumps(_record(result), ensure_ascii=False)}" for result in results)
    head = json.dumps({"machine": machine, "rows": titles}, ensure_ascii=False, indent=1)
    path.write_text(f'{head[:-2]},\n "cells": [\n{cells}\n ]\n}}\n', "utf-8")


def _record(result: Result) -> dict[str, Any]:
    cell = result.cell
    return {
        "row": cell.promise.row,
        "function": cell.work.label,
        "n": cell.n,
        "count": cell.count,
        "dtype": cell.dtype,
        "floors": {"numpy": cell.numpy_floor, "others": cell.others_floor},
        "ratios": {"numpy": _digits(result.over_numpy), "others": _digits(result.over_others)},
        "best": result.best,
        "limit": None if cell.limit is None else {"of": cell.promise.limit, "at most": cell.limit},
        "excess": _digits(result.excess),
        "measure": result.measure,
        "misses": result.misses,
        "seconds": {name: _digits(seconds) for name, seconds in result.seconds.items()},
    }


def _digits(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")
