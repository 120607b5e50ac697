"""Text in columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def aligned(lines: Sequence[Sequence[str]], left: Collection[int]) -> list[str]:
    """Return lines with their cells under each other, those in the columns `left` to the left."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            text.ljust(width) if column in left else text.rjust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def microseconds(seconds: float) -> str:
    """Three digits of a time; 1.2e+03 as 1200."""
    number = f"{1e6 * seconds:.3g}"
    return f"{float(number):.0f}" if "e+" in number else number
