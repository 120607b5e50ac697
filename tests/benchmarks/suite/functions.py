"""asv's benchmarks: one class per row of the table, ``functions.Linalg_solve.time_solve``.

Its parameters are the library, the size n, and whether one matrix is alone or in a stack.
"""

from __future__ import annotations

import inspect
from hashlib import sha256
from typing import Any

from .table import SIZES, TABLE, Draw, Row


class _Function:
    param_names = ("library", "n", "layout")
    row: Row

    def setup(self, library: str, n: int, layout: str) -> None:
        self.call = self.row.call(library, Draw(n, layout))


def _benchmark(row: Row) -> type[_Function]:
    def time(self: _Function, *parameters: Any) -> None:
        self.call()

    # asv compares results only within one version: another way to make the arguments is another.
    source = inspect.getsource(row.arguments) + inspect.getsource(row.keywords)
    time.version = sha256(source.encode()).hexdigest()
    return type(
        f"{row.module.capitalize()}_{row.name}",
        (_Function,),
        {
            "row": row,
            "params": (tuple(row.libraries), SIZES, row.layouts),
            f"time_{row.name}": time,
            "__module__": __name__,
        },
    )


for _row in TABLE:
    _made = _benchmark(_row)
    globals()[_made.__name__] = _made
