"""asv's benchmarks of the promised cells: one class per row, ``promised.Stack_small.time_cell``.

Its parameters are the library and the cell: function, n, matrices in the stack, and dtype.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from .promises import CELLS, ROWS, Cell


class _Row:
    param_names = ("library", "cell")
    cells: dict[str, Cell]

    def setup(self, library: str, label: str) -> None:
        cell = self.cells[label]
        if library not in cell.work.row.libraries:
            raise NotImplementedError  # asv's word for a cell that does not exist
        self.call = cell.work.row.call(library, cell.draw())


def _benchmark(row: str) -> type[_Row]:
    def time(self: _Row, *parameters: Any) -> None:
        self.call()

    cells = {cell.label: cell for cell in CELLS if cell.promise.row == row}
    # asv compares results only within one version: other cells are another.
    time.version = sha256("\n".join(cells).encode()).hexdigest()
    return type(
        row.replace("-", "_").capitalize(),
        (_Row,),
        {
            "cells": cells,
            "params": (("numpy", "numerics"), tuple(cells)),
            "time_cell": time,
            "__module__": __name__,
        },
    )


for _name in ROWS:
    _made = _benchmark(_name)
    globals()[_made.__name__] = _made
