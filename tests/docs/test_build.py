"""The pages that `docs/build.py` writes."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import scipy

import gradcheck
from numerics import dropin, linalg, profiler, special
from numerics._core.op import OPS

DOCS = Path(__file__).parents[2] / "docs"
MODULES = (linalg, special, dropin, profiler, gradcheck)
NAMES = [f"{module.__name__}.{name}" for module in MODULES for name in module.__all__]
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#([^)\s]*))?\)")

CASES = """
from types import SimpleNamespace

import numpy as np

ERFCX = SimpleNamespace(
    name="special.erfcx",
    bound={"f": 1.0, "d": 2.5, "q": 0.0},
    draw=lambda rng, letter, size: [
        SimpleNamespace(arrays=(np.full(size, i, letter),), static={}) for i in range(2)
    ],
    error=lambda problem, outputs: {"f": 0.125, "d": 0.25}[problem.arrays[0].dtype.char]
    * problem.arrays[0].sum(),
)
CASES = {"special.erfcx": ERFCX}
"""
"""Of size n the errors are 0, and n/8 in single or n/4 in double precision."""


def load(monkeypatch):
    """Return docs/build.py as a module; it finds its neighbour as a script does."""
    monkeypatch.syspath_prepend(DOCS)
    spec = importlib.util.spec_from_file_location("docs_build", DOCS / "build.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "docs_build", module)
    spec.loader.exec_module(module)
    return module


def run(out, cases, *options):
    return subprocess.run(
        [sys.executable, DOCS / "build.py", "--out", out, "--cases", cases, *options],
        capture_output=True,
        text=True,
        check=False,
    )


def plant_cases(tests, sizes=(1, 3)):
    """Make a package `cases` with a promise that only this test makes."""
    (tests / "cases").mkdir()
    (tests / "cases" / "__init__.py").write_text(f"SIZES = {sizes}\n")
    (tests / "cases" / "table.py").write_text(CASES)
    return tests


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """The documentation with planted promises."""
    out = tmp_path_factory.mktemp("docs")
    found = run(out, plant_cases(tmp_path_factory.mktemp("tests")))
    assert found.returncode == 0, found.stderr
    assert found.stderr == ""
    return out


@pytest.fixture(scope="module")
def reference(out):
    return "\n".join(path.read_text("utf-8") for path in (out / "reference").iterdir())


@pytest.fixture
def build(monkeypatch):
    return load(monkeypatch)


def no_accuracy(build):
    return build.Accuracy({}, {}, "")


def planted(name, member):
    """A module with one public name."""
    module = ModuleType("planted", "A module.")
    module.__all__ = [name]
    setattr(module, name, member)
    return module


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_its_entry_and_its_link(name, out, reference):
    anchor = name.rpartition(".")[2]

    assert f'<a id="{anchor}"></a>' in reference
    assert f"#{anchor})" in (out / "index.md").read_text("utf-8")


@pytest.mark.parametrize("name", OPS)
def test_every_op_is_a_row_with_its_facts(name, reference):
    (row,) = re.findall(rf"^\| `{re.escape(name)}` \|.*$", reference, re.MULTILINE)

    op = OPS[name]
    assert all(fact in row for fact in (op.signature, op.kernel, op.determinism))


def test_bounds_come_from_the_cases(reference):
    (row,) = re.findall(r"^\| `special.erfcx` \|.*$", reference, re.MULTILINE)

    assert "1 (float32); 2.5 (float64)" in row


def test_nothing_is_measured_unless_asked_for(reference):
    (row,) = re.findall(r"^\| `special.erfcx` \|.*$", reference, re.MULTILINE)

    assert row.endswith("| not measured |")


def test_the_largest_measured_error_stands_beside_its_bound(tmp_path):
    found = run(tmp_path / "out", plant_cases(tmp_path), "--measure")

    assert found.returncode == 0, found.stderr
    page = (tmp_path / "out" / "reference" / "special-erf.md").read_text("utf-8")
    assert "| 0.38 (float32); 0.75 (float64) |" in page


def test_a_page_of_measured_errors_says_where_they_were_measured(tmp_path):
    run(tmp_path / "out", plant_cases(tmp_path), "--measure")

    page = (tmp_path / "out" / "reference" / "special-erf.md").read_text("utf-8")
    assert re.search(rf"sizes 1, 3; .* NumPy {np.__version__}, SciPy {scipy.__version__} ", page)


def test_an_error_above_its_bound_stops_the_build(tmp_path):
    found = run(tmp_path / "out", plant_cases(tmp_path, sizes=(1, 16)), "--measure")

    assert found.returncode == 1
    assert "special.erfcx of float64 is off by 4; 2.5 is promised" in found.stderr
    assert not (tmp_path / "out").exists()


def test_a_family_without_a_text_stops_the_build(build, tmp_path, monkeypatch):
    monkeypatch.setattr(build, "TEXTS", tmp_path)

    with pytest.raises(ValueError, match=r"docs/families/linalg-solve\.md is missing"):
        build.build(tmp_path / "out", build.pages(), no_accuracy(build))


def test_the_text_of_a_family_stands_at_the_head_of_its_page(build, out):
    heads = {
        page.file: (out / "reference" / f"{page.file}.md").read_text("utf-8")
        for page in build.pages()
        if page.is_family
    }

    texts = {name: (DOCS / "families" / f"{name}.md").read_text("utf-8").strip() for name in heads}
    assert [name for name in heads if texts[name] not in heads[name].partition("<a id=")[0]] == []


def test_every_text_belongs_to_a_family(build):
    texts = {path.stem for path in (DOCS / "families").glob("*.md")}

    assert texts <= {page.file for page in build.pages()}


def test_every_link_leads_somewhere(out):
    broken = [
        f"{page.relative_to(out)}: {target}"
        for page in out.rglob("*.md")
        for target, anchor in LINK.findall(page.read_text("utf-8"))
        if not leads_somewhere(page, target, anchor) and not target.startswith("../../")
    ]

    assert broken == []


def leads_somewhere(page, target, anchor):
    path = page.parent / target
    return path.exists() and (not anchor or f'<a id="{anchor}"></a>' in path.read_text("utf-8"))


def test_the_architecture_lists_every_file_of_matrix_kernels():
    sources = (DOCS.parent / "kernels" / "cpu").glob("*.cpp")
    with_table = [
        path.name for path in sources if "std::vector<Native> k" in path.read_text("utf-8")
    ]

    listed = (DOCS / "guide" / "architecture.md").read_text("utf-8")
    assert [name for name in with_table if f"`{name}`" not in listed] == []


def test_links_out_of_the_documentation_lead_somewhere():
    outside = [
        (page, target)
        for page in [*(DOCS / "guide").glob("*.md"), *(DOCS / "families").glob("*.md")]
        for target, _ in LINK.findall(page.read_text("utf-8"))
        if target.startswith("../../")
    ]

    assert [target for page, target in outside if not (page.parent / target).exists()] == []


def test_without_the_cases_the_pages_say_so(tmp_path):
    found = run(tmp_path / "out", tmp_path)

    assert found.returncode == 0, found.stderr
    assert "no accuracy bounds" in found.stderr
    assert "not available" in (tmp_path / "out" / "reference" / "special-erf.md").read_text("utf-8")


def test_a_missing_docstring_stops_the_build(build, tmp_path, monkeypatch):
    monkeypatch.setattr(build, "MODULES", (planted("bare", lambda: None),))

    with pytest.raises(ValueError, match=r"planted\.bare has no docstring"):
        build.build(tmp_path / "out", build.pages(), no_accuracy(build))

    assert not (tmp_path / "out").exists()


def test_a_parameter_that_is_not_documented_stops_the_build(build, tmp_path, monkeypatch):
    def function(a, b):
        """Do something.

        Parameters
        ----------
        a : int
            Documented.
        """

    monkeypatch.setattr(build, "MODULES", (planted("function", function),))

    with pytest.raises(ValueError, match=r"planted\.function does not document b"):
        build.build(tmp_path / "out", build.pages(), no_accuracy(build))


def test_a_method_without_docstring_stops_the_build(build, tmp_path, monkeypatch):
    made = type("Made", (), {"__doc__": "A class.", "__module__": "numerics", "go": lambda self: 0})
    monkeypatch.setattr(build, "MODULES", (planted("Made", made),))

    with pytest.raises(ValueError, match=r"planted\.Made has no docstring at go"):
        build.build(tmp_path / "out", build.pages(), no_accuracy(build))


def test_an_op_that_belongs_to_no_function_is_an_error(build):
    with pytest.raises(LookupError, match=r"linalg\.stray"):
        build.owner("linalg.stray", ["linalg.solve"])


def test_a_variant_belongs_to_the_function_whose_name_it_begins_with(build):
    names = ["linalg.svd", "linalg.svdvals", "linalg.matrix_norm"]

    owners = [build.owner(op, names) for op in ("linalg.svd.full", "linalg.matrix_norm")]

    assert owners == ["linalg.svd", "linalg.matrix_norm"]
