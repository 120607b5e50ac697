"""Every example of the README, the pages and the docstrings runs and shows what it says.

A ```python block with prompts is a doctest; one without is a program. The blocks of a page share
their names, as a reader's session would. Pieces that cannot run alone are fenced as ```py.
"""

import doctest
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import gradcheck
import numerics
from numerics import dropin, linalg, profiler, special

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs" / "guide").glob("*.md")),
    *sorted((ROOT / "docs" / "families").glob("*.md")),
]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

DOCUMENTED = {
    f"{module.__name__}.{name}": (module, inspect.getdoc(getattr(module, name)))
    for module in (linalg, special, numerics, dropin, profiler, gradcheck)
    for name in module.__all__
    if name not in ("LinAlgError", "__version__")  # NumPy's own, and a text
}
WITH_EXAMPLES = [name for name, (_, doc) in DOCUMENTED.items() if doc and ">>> " in doc]


def run_doctest(text, names, filename, line):
    """Return what is wrong with the prompts of a text, and let `names` grow by what they define."""
    test = doctest.DocTestParser().get_doctest(text, names, filename, filename, line)
    complaints = []
    doctest.DocTestRunner(verbose=False).run(test, out=complaints.append, clear_globs=False)
    names.update(test.globs)
    return "".join(complaints)


def run_page(text, filename):
    """Return what is wrong with the examples of a page; a program that fails raises."""
    names = {"__name__": "__main__"}
    complaints = ""
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start(1))
        if ">>> " in block[1]:
            complaints += run_doctest(block[1], names, filename, line)
        else:
            exec(compile("\n" * line + block[1], filename, "exec"), names)
    return complaints


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_examples_of_a_page_run(path):
    text = path.read_text("utf-8")

    complaints = run_page(text, str(path))

    assert complaints == ""


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_docstring_run(name):
    module, doc = DOCUMENTED[name]
    names = {"np": np} | {public: getattr(module, public) for public in module.__all__}

    complaints = run_doctest(doc, names, name, 0)

    assert complaints == ""


@pytest.mark.parametrize("name", [f"linalg.{name}" for name in linalg.__all__])
def test_every_function_of_linear_algebra_has_an_example(name):
    assert name == "linalg.LinAlgError" or f"numerics.{name}" in WITH_EXAMPLES


def test_a_wrong_example_is_noticed():
    page = "```python\n>>> x = 1\n```\ntext\n```python\n>>> x + 1\n3\n```\n"

    complaints = run_page(page, "page.md")

    assert "Expected:\n    3\nGot:\n    2" in complaints
    assert "line 6" in complaints


def test_a_program_that_fails_is_noticed():
    with pytest.raises(NameError, match="undefined"):
        run_page("```python\nx = 1\n```\n\n```python\nx + undefined\n```\n", "page.md")


def test_the_blocks_of_a_page_share_their_names():
    blocks = ("x = 1", ">>> x\n1\n>>> y = 2", "assert y == 2")
    page = "\n".join(f"```python\n{block}\n```\n" for block in blocks)

    assert run_page(page, "page.md") == ""


def test_pieces_fenced_as_py_do_not_run():
    assert run_page("```py\nx + undefined\n```\n", "page.md") == ""
