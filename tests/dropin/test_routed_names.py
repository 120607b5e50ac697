"""Our own code never calls a routed name: while routed, it would call itself."""

import ast
import os
from pathlib import Path

import pytest

import numerics
from numerics import linalg

NAMES = [name for name in linalg.__all__ if name != "LinAlgError"]
PACKAGE = Path(numerics.__file__).parent
SOURCES = {
    Path(folder, name).relative_to(PACKAGE).as_posix(): Path(folder, name)
    for folder, _, names in os.walk(PACKAGE, followlinks=True)
    for name in names
    if name.endswith(".py")
}
ROUTED_CALLERS = {"poly", "poly1d", "polyfit", "polynomial", "roots", "matrix"}
ALLOWED = {
    # At import nothing is routed: the calls show the classes of NumPy's named tuples.
    "_core/results.py": {"eig", "eigh", "qr", "slogdet", "svd"},
    # Hands foreign types to NumPy's dispatcher, which falls back on an implementation.
    "_core/public.py": {"linalg"},
    "dropin.py": {"linalg"},
    # Compares the two libraries; looks whether routing reaches NumPy's own callers.
    "_commands/demo.py": {"linalg"},
    "_commands/doctor.py": {"linalg", "roots"},
}


def routed_uses(source):
    """Names in `source` that lead to a routed function; ``linalg`` is the module as a value."""
    nodes = list(ast.walk(ast.parse(source)))
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    within = {id(node.value) for node in attributes}
    chains = [ast.unparse(node).split(".") for node in attributes if id(node) not in within]
    found = set()
    for root, name, *rest in chains:
        if root in ("np", "numpy") and name == "linalg":
            found |= {*rest[:1]} & {*NAMES} if rest else {name}
        elif root in ("np", "numpy"):
            found |= {name} & ROUTED_CALLERS
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and f"{node.module}".split(".")[0] == "numpy":
            found |= {alias.name for alias in node.names} & {*NAMES, *ROUTED_CALLERS, "linalg"}
    return found


@pytest.mark.parametrize("name", SOURCES)
def test_no_source_file_calls_a_routed_name(name):
    assert routed_uses(SOURCES[name].read_text(encoding="utf-8")) == ALLOWED.get(name, set())


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("np.linalg.solve(a, b)", {"solve"}),
        ("numpy.linalg.norm", {"norm"}),
        ("np.polyfit(x, y, 1)", {"polyfit"}),
        ("np.polynomial.Polynomial", {"polynomial"}),
        ("library = np.linalg", {"linalg"}),
        ("getattr(np.linalg, name)(a)", {"linalg"}),
        ("from numpy.linalg import solve as s", {"solve"}),
        ("from numpy import linalg", {"linalg"}),
        ("np.linalg.LinAlgError", set()),
        ("np.matmul(a, b); np.trace(a); linalg.solve(a, b)", set()),
        ("from .. import linalg", set()),
    ],
)
def test_the_search_for_routed_names_finds_them(line, found):
    assert routed_uses(line) == found
