"""numpydoc docstrings: what they lack, and how they look in Markdown."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np

__all__ = ["complaint", "doc", "heading", "is_borrowed", "markdown", "methods", "summary"]

LISTS = ("Parameters", "Returns", "Yields", "Raises", "Attributes", "See Also")


def doc(thing: Any) -> str:
    """Return a docstring without the signature that NumPy gives ufuncs."""
    text = inspect.getdoc(thing) or ""
    return text.partition("\n\n")[2] if isinstance(thing, np.ufunc) else text


def summary(thing: Any) -> str:
    """Return the first line in Markdown."""
    return doc(thing).partition("\n")[0].replace("``", "`")


def is_borrowed(member: Any) -> bool:
    """Tell whether a class comes from elsewhere, as NumPy's LinAlgError does."""
    home = getattr(member, "__module__", "").partition(".")[0]
    return inspect.isclass(member) and home not in ("numerics", "gradcheck")


def complaint(member: Any) -> str | None:
    """Return what the docstring of a function or class lacks, None if nothing."""
    text = doc(member)
    if not text:
        return "has no docstring"
    if inspect.isclass(member):
        bare = [] if is_borrowed(member) else [n for n, m in methods(member).items() if not doc(m)]
        return f"has no docstring at {', '.join(bare)}" if bare else None
    missing = set(_parameters(member)) - _documented_parameters(text)
    return f"does not document {', '.join(sorted(missing))}" if missing else None


def _parameters(function: Any) -> list[str]:
    if isinstance(function, np.ufunc):
        return ["x"] if function.nin == 1 else []
    return list(inspect.signature(function).parameters)


def _documented_parameters(text: str) -> set[str]:
    lines = dict(_sections(text)).get("Parameters", [])
    heads = [line.partition(" : ")[0] for line in lines if line and not line.startswith(" ")]
    return {name.strip("* ") for head in heads for name in head.split(",")}


def _sections(text: str) -> list[tuple[str, list[str]]]:
    """Split a docstring at its underlined titles; the part before the first has no title."""
    found: list[tuple[str, list[str]]] = [("", [])]
    lines = text.splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line and re.fullmatch(r"-{3,}", following):
            found.append((line, []))
        elif not re.fullmatch(r"-{3,}", line):
            found[-1][1].append(line)
    return found


def markdown(text: str) -> str:
    """Return a docstring as Markdown."""
    return "\n\n".join(part for part in map(_section, *zip(*_sections(text), strict=True)) if part)


def _section(title: str, lines: list[str]) -> str:
    text = "\n".join(lines).strip("\n")
    if title == "Examples":
        text = re.sub(r"(?ms)^>>> .*?(?=\n\n|\Z)", lambda m: f"```python\n{m[0]}\n```", text)
    elif title in LISTS:
        text = _definitions(lines)
    elif title == "References":
        text = re.sub(r"^\.\. \[(\d+)\] ", r"\1. ", text, flags=re.MULTILINE)
    if title != "Examples":
        text = text.replace("``", "`")
    return f"**{title}**\n\n{text}" if title else text


def _definitions(lines: list[str]) -> str:
    """``name : type`` and its indented text as a list item."""
    items: list[str] = []
    for line in lines:
        if line.startswith(" "):
            items[-1] += f" {line.strip()}"
        elif line:
            name, colon, kind = line.partition(" : ")
            items.append(f"- **{name}** ({kind}):" if colon else f"- **{name}**:")
    return "\n".join(items)


def heading(name: str, member: Any) -> str:
    """Return how a name is used: a function's with its parameters and their defaults."""
    if isinstance(member, np.ufunc):
        return f"{name}({', '.join(_parameters(member))})"
    if inspect.isclass(member) or not callable(member):
        return name
    signature = inspect.signature(member)
    bare = [
        parameter.replace(annotation=parameter.empty)
        for parameter_name, parameter in signature.parameters.items()
        if parameter_name != "self"
    ]
    return name + str(signature.replace(parameters=bare, return_annotation=signature.empty))


def methods(member: type) -> dict[str, Any]:
    """Return the public methods that a class defines itself."""
    return {
        name: method
        for name, method in vars(member).items()
        if not name.startswith("_") and inspect.isfunction(method)
    }
