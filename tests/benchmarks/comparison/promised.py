"""One promised cell, measured: our time beside NumPy's, the others', LAPACK's or a pass."""

from __future__ import annotations

import importlib
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from . import bare_lapack, memory_pass
from .timing import REST, Contestant, in_turns

PEERS = ("scipy", "torch", "jax")
"""The others; each has a module here, which is imported only if it is measured against."""

Peer = Callable[[str, tuple[Any, ...], dict[str, Any]], list[Contestant]]


def installed(wanted: Sequence[str]) -> list[str]:
    """Return those of the others that are wanted and installed."""
    return [name for name in PEERS if name in wanted and find_spec(name)]


def imported(names: Sequence[str]) -> dict[str, Peer]:
    """Import the modules of the others, and return how each makes its calls."""
    return {
        name: importlib.import_module(f"{__package__}.with_{name}").contestants for name in names
    }


@dataclass(frozen=True)
class Result:
    """Median seconds per call of a cell by library, and who refused its arguments."""

    cell: Any
    seconds: dict[str, float]
    refusals: dict[str, str]

    @property
    def ours(self) -> float | None:
        return self.seconds.get("numerics")

    @property
    def over_numpy(self) -> float | None:
        """NumPy's time in ours."""
        return self._ratio(self.seconds.get("numpy"))

    @property
    def best(self) -> str | None:
        """The fastest of the others."""
        others = [name for name in self.seconds if name.partition(",")[0] in PEERS]
        return min(others, key=self.seconds.__getitem__, default=None)

    @property
    def over_others(self) -> float | None:
        return self._ratio(self.seconds[self.best]) if self.best else None

    @property
    def measure(self) -> str | None:
        """What the cell's limit is counted from: LAPACK's call, or the fastest of the passes."""
        if "LAPACK" in self.seconds:
            return "LAPACK"
        passes = [name for name in self.seconds if name.startswith("np.")]
        return min(passes, key=self.seconds.__getitem__, default=None)

    @property
    def excess(self) -> float | None:
        """Microseconds above LAPACK's call, or our time in passes."""
        if self.ours is None or self.measure is None:
            return None
        if self.measure == "LAPACK":
            return 1e6 * (self.ours - self.seconds["LAPACK"])
        return self.ours / self.seconds[self.measure]

    @property
    def misses(self) -> list[str]:
        """The floors that are not reached, in words; empty too for what is not measured."""
        found = []
        for words, ratio, floor in (
            ("numpy", self.over_numpy, self.cell.numpy_floor),
            ("others", self.over_others, self.cell.others_floor),
        ):
            if ratio is not None and floor is not None and ratio < floor:
                found.append(words)
        limit = self.cell.limit
        if limit is not None and self.excess is not None and self.excess > limit:
            found.append(str(self.cell.promise.limit))
        return found

    def _ratio(self, theirs: float | None) -> float | None:
        return theirs / self.ours if theirs is not None and self.ours is not None else None


def measure(cell: Any, peers: dict[str, Peer], with_numpy: bool, seconds: float) -> Result:
    """Time a cell: everybody on the same arrays, in turns."""
    row, draw = cell.work.row, cell.draw()
    arguments, keywords = row.arguments(draw), row.keywords(draw)
    found = [
        Contestant(library, function, arguments, keywords)
        for library, function in row.functions(draw).items()
        if library == "numerics"
        or (library == "numpy" and with_numpy)
        or (library in peers and cell.others_floor is not None)
    ]
    refusals: dict[str, str] = {}
    common = {key: value for key, value in keywords.items() if key != "check_finite"}  # SciPy's
    for name, peer in peers.items() if cell.others_floor is not None else ():
        try:
            made = peer(row.name, arguments, common)
            for contestant in made:
                contestant.timer().timeit(1)
        except (TypeError, ValueError, RuntimeError, NotImplementedError) as error:
            refusals[name] = str(error).partition("\n")[0]
        else:
            found += made
    if cell.limit is not None and cell.promise.limit == "pass":
        found += memory_pass.contestants(arguments[0])
    if cell.limit is not None and cell.promise.limit == "lapack":
        found += bare_lapack.contestants(row.name, arguments[0], draw.definite())
    names = [contestant.library for contestant in found]
    samples = dict(zip(names, in_turns(found, seconds, REST), strict=True))
    times = {name: statistics.median(turns) for name, turns in samples.items()}
    if "LAPACK" in samples:
        # Round by round, so that a slow stretch of the machine is in both.
        pairs = zip(samples["LAPACK"], samples["LAPACK, n = 0"], strict=True)
        times["LAPACK"] = max(0.0, statistics.median(whole - empty for whole, empty in pairs))
        del times["LAPACK, n = 0"]
    return Result(cell, times, refusals)
