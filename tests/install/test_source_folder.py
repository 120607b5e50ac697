"""The source folder of an unbuilt checkout, and what the installed package leaves out."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import numerics

CHECKOUT = Path(__file__).parents[2]


def test_importing_the_source_folder_says_what_to_do() -> None:
    run = subprocess.run(
        [sys.executable, "-c", "import numerics"], cwd=CHECKOUT, capture_output=True, text=True
    )

    assert run.returncode == 1
    assert "is the source folder, where the extension is not built" in run.stderr
    assert "pip install ." in run.stderr


def test_the_installed_package_is_the_one_under_test() -> None:
    assert Path(numerics.__file__).parent != CHECKOUT / "numerics"


@pytest.mark.parametrize("marker", ["numerics/py.typed", "gradcheck/py.typed"])
def test_both_packages_are_marked_as_typed(marker: str) -> None:
    files = metadata.files("numerics") or []

    assert marker in {str(file) for file in files}


def test_numpy_and_scipy_are_the_only_dependencies() -> None:
    required = [r for r in metadata.requires("numerics") or [] if "extra ==" not in r]

    assert sorted(required) == ["numpy>=2.0", "scipy>=1.15"]


def test_importing_takes_neither_cupy_nor_mpmath() -> None:
    code = (
        "import sys, numerics, gradcheck;"
        "sys.exit(any(m in sys.modules for m in ('cupy', 'mpmath', 'flint', 'torch', 'jax')))"
    )

    assert subprocess.run([sys.executable, "-P", "-c", code]).returncode == 0
