"""What the cases promise of the ops, the largest errors on their draws, and on which machine."""

from __future__ import annotations

import importlib
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from numerics import _kernels
from numerics._commands.progress import with_progress
from numerics._core.op import OPS

__all__ = ["Accuracy", "dtype_name", "load_cases"]

UNITS = (
    "Error bounds hold for every input of the domain in `tests/cases`, against mpmath. Special "
    "functions: units in the last place of the result. Linear algebra: the unit that "
    "`tests/cases/errors.py` defines, n·eps·κ in double precision. What the words on determinism "
    "mean stands in [Architecture](../guide/architecture.md)."
)

Errors = Mapping[str, Mapping[str, float]]
"""Errors or their bounds, by op and by the letter of the dtype."""


def dtype_name(letter: str) -> str:
    """Return a dtype's name, the same on every machine."""
    return {"g": "longdouble", "G": "clongdouble"}.get(letter) or np.dtype(letter).name


def load_cases(tests: Path) -> tuple[Mapping[str, Any], Sequence[int]]:
    """Return the promises by op and the sizes to draw at; nothing if they cannot be imported."""
    sys.path.insert(0, str(tests.resolve()))
    try:
        table = importlib.import_module("cases.table").CASES
        return table, importlib.import_module("cases").SIZES
    except ImportError as error:
        print(f"docs/build.py: no accuracy bounds: {error}", file=sys.stderr)
        return {}, ()
    finally:
        sys.path.pop(0)


@dataclass(frozen=True)
class Accuracy:
    """Bounds of the ops, and the largest errors; no errors and no machine if not measured."""

    bounds: Errors
    measured: Errors
    measured_on: str

    @classmethod
    def of(cls, cases: Mapping[str, Any], sizes: Sequence[int], measure: bool) -> Accuracy:
        """Return the promises of the cases, with errors beside them if asked to measure.

        Raises
        ------
        ValueError
            If an error is above its bound; the message lists them all.
        """
        bounds = {name: case.bound for name, case in cases.items()}
        if not measure or not cases:
            return cls(bounds, {}, "")
        measured = _largest_errors(cases, sizes)
        broken = [
            f"{name} of {dtype_name(letter)} is off by {error:.3g}; {bounds[name][letter]:g} is "
            "promised"
            for name, errors in measured.items()
            for letter, error in errors.items()
            if not error <= bounds[name][letter]
        ]
        if broken:
            raise ValueError("docs/build.py: " + "; ".join(broken))
        return cls(bounds, measured, f"sizes {', '.join(map(str, sizes))}; {_machine()}")

    def bound(self, op: str) -> str:
        """Return what is promised of an op, for a cell of the table."""
        if op not in self.bounds:
            return "not available"
        by_value: dict[float, list[str]] = {}
        for letter, value in self.bounds[op].items():
            by_value.setdefault(value, []).append(dtype_name(letter))
        return "; ".join(f"{value:g} ({', '.join(names)})" for value, names in by_value.items())

    def largest(self, op: str) -> str:
        """Return what was measured of an op, for a cell of the table."""
        if op not in self.measured:
            return "not measured"
        errors = self.measured[op].items()
        return "; ".join(f"{error:.2g} ({dtype_name(letter)})" for letter, error in errors)

    def units(self) -> str:
        """Return what the numbers of the tables mean."""
        if not self.measured_on:
            return f"{UNITS} Errors were not measured for this copy (`docs/build.py --measure`)."
        return (
            f"{UNITS} The largest errors, in the same units, are those of the inputs that the "
            f"tests draw: {self.measured_on}."
        )


# --- Measuring ----------------------------------------------------------------------------------

LETTERS = "fdFD"
"""The loops that round; those of integers and objects promise exact results."""


def _largest_errors(cases: Mapping[str, Any], sizes: Sequence[int]) -> dict[str, dict[str, float]]:
    """Return the largest error of every op, in the unit of its bound, on the tests' draws."""
    cells = [
        (name, case, letter)
        for name, case in cases.items()
        for letter in case.bound
        if letter in LETTERS
    ]
    found: dict[str, dict[str, float]] = {}
    for name, case, letter in with_progress(cells, lambda cell: cell[0]):
        found.setdefault(name, {})[letter] = _largest(case, letter, sizes)
    return found


def _largest(case: Any, letter: str, sizes: Sequence[int]) -> float:
    problems = (
        problem
        for size in sizes
        for problem in case.draw(np.random.default_rng(size), letter, size)
    )
    # NumPy's maximum is NaN if any is, which Python's is not.
    return float(np.max([case.error(problem, _outputs(case, problem)) for problem in problems]))


def _outputs(case: Any, problem: Any) -> tuple[Any, ...]:
    result = OPS[case.name](*problem.arrays, **problem.static)
    return result if isinstance(result, tuple) else (result,)


def _machine() -> str:
    """Return what errors depend on: processor, instruction set, and the libraries."""
    return (
        f"{_processor()} ({_kernels.instruction_set()} kernels), NumPy {np.__version__}, "
        f"SciPy {scipy.__version__} with LAPACK from {_lapack()}"
    )


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:  # not Linux
        text = ""
    named = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return named[1] if named else platform.processor() or platform.machine()


def _lapack() -> str:
    built: Any = scipy.show_config(mode="dicts")["Build Dependencies"]["lapack"]
    return f"{built.get('name')} {built.get('version')}"
