"""The type stub of the extension says what the extension holds."""

from __future__ import annotations

import ast
from pathlib import Path

import numerics
from numerics import _kernels


def stub_names() -> set[str]:
    tree = ast.parse((Path(numerics.__file__).parent / "_kernels.pyi").read_text())
    names = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


def test_the_stub_lists_every_name_of_the_extension() -> None:
    assert stub_names() == {name for name in dir(_kernels) if not name.startswith("__")}
