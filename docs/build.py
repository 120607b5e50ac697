"""Write the documentation: reference pages from the docstrings and the op table, and an index.

    python docs/build.py [--out docs/_build] [--cases tests]

numerics must be installed. The result is plain Markdown and is never committed: `index.md`, the
guide and the fragments of changes as they are, and one reference page per family of functions.
Accuracy bounds come from `tests/cases`; without mpmath and python-flint, which those need, the
pages say that the bounds are missing.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import pkgutil
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from docstrings import complaint, doc, heading, is_borrowed, markdown, methods, summary

import gradcheck
from numerics import dropin, linalg, profiler, special
from numerics._core.op import OPS
from numerics._core.rules import Partials

DOCS = Path(__file__).parent
FAMILIES = (linalg, special)
"""Packages with a page for each of their files."""
FAMILY_NAMES = [package.__name__ for package in FAMILIES]
MODULES = (dropin, profiler, gradcheck)
"""Modules with one page."""


@dataclass(frozen=True)
class Page:
    """One reference page: the public names of one file."""

    module: str
    file: str
    summary: str
    members: Mapping[str, Any]

    @property
    def title(self) -> str:
        """For the head of the page and the index."""
        return f"{self.module}: {self.summary.rstrip('.')}"


# --- What belongs where -------------------------------------------------------------------------


def pages() -> list[Page]:
    """Return the reference pages in the order of the index."""
    made = [page for package in FAMILIES for page in family_pages(package)]
    return made + [
        Page(module.__name__, _short(module.__name__), summary(module), _public_members(module))
        for module in MODULES
    ]


def _public_members(module: ModuleType) -> dict[str, Any]:
    return {name: getattr(module, name) for name in module.__all__}


def family_pages(package: ModuleType) -> Iterator[Page]:
    """Yield a page for each private file of a package, and one for what none of them defines."""
    left = _public_members(package)
    for found in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        names = [name for name in module.__all__ if name in left]
        members = {name: left.pop(name) for name in names}
        if members:
            file = f"{_short(package.__name__)}-{found.name.strip('_')}"
            yield Page(package.__name__, file, summary(module), members)
    if left:
        file = f"{_short(package.__name__)}-other"
        yield Page(package.__name__, file, "Names that belong to no family.", left)


def _short(module: str) -> str:
    return module.rpartition(".")[2]


def owner(op_name: str, functions: Iterable[str]) -> str:
    """Return the public function of an op: ``linalg.qr`` for ``linalg.qr.reduced``."""
    found = ".".join(op_name.split(".")[:2])
    if found not in functions:
        raise LookupError(f"op {op_name} belongs to no public function")
    return found


def _ops_by_function() -> dict[str, list[Any]]:
    functions = [
        f"{_short(package.__name__)}.{name}" for package in FAMILIES for name in package.__all__
    ]
    found: dict[str, list[Any]] = {}
    for name, op in OPS.items():
        found.setdefault(owner(name, functions), []).append(op)
    return found


def load_bounds(tests: Path) -> dict[str, Mapping[str, float]]:
    """Return the promised bounds by op and dtype letter, or nothing if they cannot be imported."""
    sys.path.insert(0, str(tests.resolve()))
    try:
        cases = importlib.import_module("cases.table").CASES
    except ImportError as error:
        print(f"docs/build.py: no accuracy bounds: {error}", file=sys.stderr)
        return {}
    finally:
        sys.path.pop(0)
    return {name: case.bound for name, case in cases.items()}


def _dtype_name(letter: str) -> str:
    """Return a dtype's name, the same on every machine."""
    return {"g": "longdouble", "G": "clongdouble"}.get(letter) or np.dtype(letter).name


def _dtype_names(loops: str) -> str:
    return ", ".join(dict.fromkeys(_dtype_name(word[0]) for word in loops.split()))


def _bound_text(bound: Mapping[str, float] | None) -> str:
    if bound is None:
        return "not available"
    by_value: dict[float, list[str]] = {}
    for letter, value in bound.items():
        by_value.setdefault(value, []).append(_dtype_name(letter))
    return "; ".join(f"{value:g} ({', '.join(names)})" for value, names in by_value.items())


def _rule_text(rule: Any) -> str:
    return "partial derivatives" if isinstance(rule, Partials) else f"none: {rule.why}"


def _op_table(ops: list[Any], bounds: Mapping[str, Mapping[str, float]]) -> str:
    if not ops:
        return "No op of its own: it only calls others, or only looks at the array."
    facts = ("op", "signature", "dtypes", "kernel", "determinism", "derivative", "error bound")
    lines = [facts, ["---"] * len(facts)]
    for op in ops:
        lines.append(
            [
                f"`{op.name}`",
                f"`{op.signature}`",
                _dtype_names(op.dtypes),
                f"`{op.kernel}`",
                op.determinism,
                _rule_text(op.rule),
                _bound_text(bounds.get(op.name)),
            ]
        )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _entry(
    page: Page,
    name: str,
    ops: Mapping[str, list[Any]],
    bounds: Mapping[str, Mapping[str, float]],
) -> str:
    member = page.members[name]
    title = f'<a id="{name}"></a>\n\n## `{heading(name, member)}`'
    if not callable(member):
        return f"{title}\n\nA type: `{member}`"
    if is_borrowed(member):
        return f"{title}\n\n{summary(member)} It is NumPy's own class."
    parts = [title, markdown(doc(member))]
    if inspect.isclass(member):
        parts += [
            f"### `{heading(name, method)}`\n\n{markdown(doc(method))}"
            for name, method in methods(member).items()
        ]
    elif page.module in FAMILY_NAMES:
        parts.append(_op_table(ops.get(f"{_short(page.module)}.{name}", []), bounds))
    return "\n\n".join(parts)


# --- Writing ------------------------------------------------------------------------------------

UNITS = (
    "Error bounds hold for every input of the domain in `tests/cases`, against mpmath. Special "
    "functions: units in the last place of the result. Linear algebra: the unit that "
    "`tests/cases/errors.py` defines, n·eps·κ in double precision. What the words on determinism "
    "mean stands in [Architecture](../guide/architecture.md)."
)


def build(out: Path, tests: Path, reference: list[Page]) -> None:
    """Write everything under `out`, whose old content goes.

    Raises
    ------
    ValueError
        If a public name lacks its docstring, or a parameter its entry; the message lists them all.
    """
    problems = [
        f"{page.module}.{name} {problem}"
        for page in reference
        for name, member in page.members.items()
        if callable(member) and (problem := complaint(member))
    ]
    if problems:
        raise ValueError("docs/build.py: " + "; ".join(problems))
    ops, bounds = _ops_by_function(), load_bounds(tests)
    shutil.rmtree(out, ignore_errors=True)
    (out / "reference").mkdir(parents=True)
    for folder in ("guide", "changes"):
        shutil.copytree(DOCS / folder, out / folder)
    for page in reference:
        parts = [f"# {page.title}"]
        if page.module in FAMILY_NAMES:
            parts.append(UNITS)
        parts += [_entry(page, name, ops, bounds) for name in page.members]
        (out / "reference" / f"{page.file}.md").write_text("\n\n".join(parts) + "\n", "utf-8")
    (out / "index.md").write_text(_index(out, reference), "utf-8")


def _index(out: Path, reference: list[Page]) -> str:
    lines = ["# numerics", "", "## Guide", ""]
    lines += [_link(out, path) for path in sorted((out / "guide").glob("*.md"))]
    lines += ["", "## Reference", ""]
    for page in reference:
        target = f"reference/{page.file}.md"
        names = ", ".join(f"[`{name}`]({target}#{name})" for name in page.members)
        lines.append(f"- [{page.title}]({target}): {names}")
    lines += ["", "## Changes", ""]
    lines += [_link(out, path) for path in sorted((out / "changes").glob("[0-9]*.md"))]
    return "\n".join(lines) + "\n"


def _link(out: Path, path: Path) -> str:
    title = path.read_text("utf-8").partition("\n")[0].lstrip("# ")
    return f"- [{title}]({path.relative_to(out).as_posix()})"


def main() -> None:
    """Build from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--out", type=Path, default=DOCS / "_build", help="folder to write, emptied first"
    )
    parser.add_argument(
        "--cases",
        type=Path,
        default=DOCS.parent / "tests",
        help="folder that holds the package `cases`, where the bounds are (default: %(default)s)",
    )
    options = parser.parse_args()
    try:
        build(options.out, options.cases, pages())
    except ValueError as error:
        sys.exit(str(error))
    print(f"wrote {options.out / 'index.md'}")


if __name__ == "__main__":
    main()
