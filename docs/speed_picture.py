"""The picture of the speed-up over NumPy, from what `tests/benchmarks/compare.py --json` wrote.

    python docs/speed_picture.py FILE

draws that of the guide, `docs/guide/speed.svg`. `docs/build.py --speed FILE` draws it too, into
the documentation that it writes.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from measured import Cell, Result, load

__all__ = ["picture"]

COLORS = {"solve": "#1f5fa8", "inv": "#b03a2e", "det": "#2e7d32", "cholesky": "#8e44ad"}
WIDTH, HEIGHT = 920, 430
TOP, BOTTOM = 70, 340
PANELS = {"one matrix": (70, 440), "stack": (520, 890)}
"""Left and right end of each panel."""


def picture(result: Result) -> str:
    """Return an SVG: the speed-up over NumPy against n, of one matrix and of stacks.

    A grey bar is the promised floor at that n.
    """
    cells = [
        cell
        for cell in result["cells"]
        if cell["function"] in COLORS and cell["dtype"] == "float64" and cell["floors"]["numpy"]
    ]
    scale = _Scale(cells)
    parts = [*_legend(), *_caption(result, any(cell["seconds"] for cell in cells))]
    for panel, title in enumerate(PANELS):
        inside = [cell for cell in cells if (cell["count"] > 1) == bool(panel)]
        parts += [*_axes(title, scale), *_floors(title, inside, scale)]
        for function, color in COLORS.items():
            parts += _line(title, [c for c in inside if c["function"] == function], color, scale)
    body = "\n".join(f"  {part}" for part in parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" font-family="sans-serif" font-size="13" fill="#111">\n'
        "  <title>Speed-up over NumPy</title>\n"
        f"  <desc>{escape(_description(cells))}</desc>\n"
        f'  <rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n{body}\n</svg>\n'
    )


class _Scale:
    """Where n and a ratio are on the canvas; both axes are logarithmic."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.sizes = sorted({cell["n"] for cell in cells})
        values = [
            value
            for cell in cells
            for value in (cell["ratios"]["numpy"], cell["floors"]["numpy"])
            if value is not None
        ]
        self.low = min(0, math.floor(math.log10(min(values, default=1.0))))
        self.high = max(1, math.ceil(math.log10(max(values, default=1.0))))

    def x(self, panel: str, n: int) -> float:
        left, right = PANELS[panel]
        first, last = (math.log(size) for size in (self.sizes[0], self.sizes[-1]))
        share = (math.log(n) - first) / (last - first) if last > first else 0.5
        return round(left + 15 + share * (right - left - 30), 1)

    def y(self, ratio: float) -> float:
        share = (math.log10(ratio) - self.low) / (self.high - self.low)
        return round(BOTTOM - share * (BOTTOM - TOP), 1)


def _text(x: float, y: float, text: str, anchor: str = "middle", size: int = 13) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'


def _axes(panel: str, scale: _Scale) -> Iterator[str]:
    left, right = PANELS[panel]
    yield _text((left + right) / 2, TOP - 14, panel, size=14)
    for power in range(scale.low, scale.high + 1):
        y = scale.y(10.0**power)
        yield f'<path d="M{left} {y}H{right}" stroke="{"#444" if power == 0 else "#ddd"}"/>'
        yield _text(left - 8, y + 4, f"{10.0**power:g}×", "end", 12)
    yield f'<path d="M{left} {TOP}V{BOTTOM}H{right}" fill="none" stroke="#444"/>'
    for n in scale.sizes:
        yield _text(scale.x(panel, n), BOTTOM + 18, str(n), size=12)
    yield _text((left + right) / 2, BOTTOM + 38, "n")


def _floors(panel: str, cells: Sequence[Cell], scale: _Scale) -> Iterator[str]:
    for n, floor in dict.fromkeys((cell["n"], cell["floors"]["numpy"]) for cell in cells):
        x, y = scale.x(panel, n), scale.y(floor)
        yield f'<path d="M{x - 9} {y}h18" stroke="#999" stroke-width="4"/>'


def _line(panel: str, cells: Sequence[Cell], color: str, scale: _Scale) -> Iterator[str]:
    points = [
        (scale.x(panel, cell["n"]), scale.y(ratio))
        for cell in sorted(cells, key=lambda cell: int(cell["n"]))
        if (ratio := cell["ratios"]["numpy"])
    ]
    if points:
        path = " ".join(f"{x} {y}" for x, y in points)
        yield f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>'
    yield from (f'<circle cx="{x}" cy="{y}" r="3.5" fill="{color}"/>' for x, y in points)


def _legend() -> Iterator[str]:
    yield _text(PANELS["one matrix"][0], 24, "NumPy's time / ours", "start", 14)
    for i, (function, color) in enumerate(COLORS.items()):
        x = 330 + 110 * i
        yield f'<path d="M{x} 20h24" stroke="{color}" stroke-width="2"/>'
        yield _text(x + 30, 24, function, "start")
    yield '<path d="M776 20h18" stroke="#999" stroke-width="4"/>'
    yield _text(800, 24, "promised", "start")


def _caption(result: Result, is_measured: bool) -> Iterator[str]:
    machine = result["machine"]
    first, second = "float64; nothing is measured here, only what is promised", ""
    if is_measured:
        first = f"float64; {machine['processor']}; {machine['threads of numerics']} threads"
        second = machine["versions"]
    yield _text(WIDTH / 2, HEIGHT - 30, first, size=12)
    yield _text(WIDTH / 2, HEIGHT - 12, second, size=12)


def _description(cells: Sequence[Cell]) -> str:
    words = [
        f"{cell['function']}, n = {cell['n']}, {'stacked' if cell['count'] > 1 else 'alone'}: "
        f"{ratio:.3g}"
        for cell in cells
        if (ratio := cell["ratios"]["numpy"])
    ]
    return "NumPy's time divided by ours. " + ("; ".join(words) or "Only the floors are drawn.")


def main() -> None:
    """Draw the picture from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="what compare.py --json wrote")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(__file__).parent / "guide" / "speed.svg",
        help="the picture (default: %(default)s)",
    )
    options = parser.parse_args()
    try:
        options.out.write_text(picture(load(options.file)), "utf-8")
    except ValueError as error:
        sys.exit(str(error))
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
