"""Write the documentation: reference pages from the docstrings and the op table, and an index.

    python docs/build.py [--out docs/_build] [--cases tests] [--measure] [--speed FILE]

numerics must be installed. The result is plain Markdown and is never committed: `index.md`, the
guide and the fragments of changes as they are, and one reference page per family of functions,
headed by the family's text in `docs/families`. Accuracy bounds come from `tests/cases`; without
mpmath and python-flint, which those need, the pages say that the bounds are missing. With
`--measure`, which takes minutes, the largest errors found here stand beside the bounds. With
`--speed`, the page on speed holds what `tests/benchmarks/compare.py --json FILE` measured.
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

import speed
from accuracy import Accuracy, dtype_name, load_cases
from docstrings import complaint, doc, heading, is_borrowed, markdown, methods, summary
from measured import Result, load

import gradcheck
import numerics
from numerics import dropin, linalg, profiler, special
from numerics._core.op import OPS
from numerics._core.rules import Partials

DOCS = Path(__file__).parent
FAMILIES = (linalg, special)
"""Packages with a page for each of their files."""
FAMILY_NAMES = [package.__name__ for package in FAMILIES]
TEXTS = DOCS / "families"
MODULES = (numerics, dropin, profiler, gradcheck)
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

    @property
    def is_family(self) -> bool:
        """Does the page hold one file of a package, with ops behind its functions?"""
        return self.module in FAMILY_NAMES

    @property
    def text_file(self) -> Path:
        """What stands above the functions of a family, written by hand."""
        return TEXTS / f"{self.file}.md"


# --- What belongs where -------------------------------------------------------------------------


def pages() -> list[Page]:
    """Return the reference pages in the order of the index."""
    made = [page for package in FAMILIES for page in family_pages(package)]
    return made + [
        Page(module.__name__, _short(module.__name__), summary(module), _public_members(module))
        for module in MODULES
    ]


def _public_members(module: ModuleType) -> dict[str, Any]:
    members = {name: getattr(module, name) for name in module.__all__ if name != "__version__"}
    return {name: member for name, member in members.items() if not inspect.ismodule(member)}


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


def _dtype_names(loops: str) -> str:
    return ", ".join(dict.fromkeys(dtype_name(word[0]) for word in loops.split()))


def _rule_text(rule: Any) -> str:
    return "partial derivatives" if isinstance(rule, Partials) else f"none: {rule.why}"


FACTS = (
    "op",
    "signature",
    "dtypes",
    "kernel",
    "determinism",
    "derivative",
    "error bound",
    "largest error measured",
)


def _op_table(ops: list[Any], accuracy: Accuracy) -> str:
    if not ops:
        return "No op of its own: it only calls others, or only looks at the array."
    lines = [FACTS, ["---"] * len(FACTS)]
    for op in ops:
        lines.append(
            [
                f"`{op.name}`",
                f"`{op.signature}`",
                _dtype_names(op.dtypes),
                f"`{op.kernel}`",
                op.determinism,
                _rule_text(op.rule),
                accuracy.bound(op.name),
                accuracy.largest(op.name),
            ]
        )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _entry(page: Page, name: str, ops: Mapping[str, list[Any]], accuracy: Accuracy) -> str:
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
    elif page.is_family:
        parts.append(_op_table(ops.get(f"{_short(page.module)}.{name}", []), accuracy))
    return "\n\n".join(parts)


# --- Writing ------------------------------------------------------------------------------------


def build(
    out: Path, reference: list[Page], accuracy: Accuracy, speeds: Result | None = None
) -> None:
    """Write everything under `out`, whose old content goes.

    Raises
    ------
    ValueError
        If a public name lacks its docstring, a parameter its entry, or a family its text; the
        message lists them all.
    """
    problems = [
        f"{page.module}.{name} {problem}"
        for page in reference
        for name, member in page.members.items()
        if callable(member) and (problem := complaint(member))
    ]
    problems += [
        f"docs/families/{page.file}.md is missing: the family's text"
        for page in reference
        if page.is_family and not page.text_file.exists()
    ]
    if problems:
        raise ValueError("docs/build.py: " + "; ".join(problems))
    ops = _ops_by_function()
    shutil.rmtree(out, ignore_errors=True)
    (out / "reference").mkdir(parents=True)
    for folder in ("guide", "changes"):
        shutil.copytree(DOCS / folder, out / folder)
    speed.write(out / "guide", speeds)
    for page in reference:
        parts = [f"# {page.title}"]
        if page.is_family:
            parts += [page.text_file.read_text("utf-8").strip(), accuracy.units()]
        parts += [_entry(page, name, ops, accuracy) for name in page.members]
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
    parser.add_argument(
        "--measure",
        action="store_true",
        help="measure the largest errors on this machine; takes minutes",
    )
    parser.add_argument(
        "--speed",
        type=Path,
        metavar="FILE",
        help="what compare.py --json wrote, for the page on speed",
    )
    options = parser.parse_args()
    try:
        accuracy = Accuracy.of(*load_cases(options.cases), options.measure)
        build(options.out, pages(), accuracy, load(options.speed) if options.speed else None)
    except ValueError as error:
        sys.exit(str(error))
    print(f"wrote {options.out / 'index.md'}")


if __name__ == "__main__":
    main()
