"""NumPy's own tests, unmodified from the installed package, with our functions routed in.

All of them pass: none is left out.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

NUMPY = Path(np.__file__).parent
LIB_TESTS = NUMPY / "lib" / "tests"
SUITE = [
    "--pyargs",
    "numpy.linalg",
    "numpy.polynomial",
    "numpy.matrixlib",
    str(LIB_TESTS / "test_polynomial.py"),
    str(LIB_TESTS / "test_function_base.py"),
]
FEWEST = 2500
"""NumPy 2.0 has 2535 tests that pass there, NumPy 2.4 has 2752."""

WRONG_DET = """
from numerics import dropin

def around(name, implementation):
    if name != "linalg.det":
        return implementation
    return lambda a: implementation(a) * (1 + 1e-3)

dropin.uninstall()
dropin.install(around)
"""


@pytest.fixture
def run_pytest(tmp_path):
    """Run pytest under ``numerics run``, with an empty configuration; its status and output."""
    ini = tmp_path / "empty.ini"
    ini.write_text("[pytest]\n")

    def run(*words):
        own = ["-c", str(ini), "--rootdir", str(tmp_path), "-p", "no:cacheprovider"]
        quiet = ["-q", "--disable-warnings", "--tb=short"]
        done = subprocess.run(
            [sys.executable, "-m", "numerics", "run", "-m", "pytest", *own, *quiet, *words],
            cwd=tmp_path,
            env={name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    return run


def passed(output):
    found = re.search(r"(\d+) passed", output)
    return int(found[1]) if found else 0


def test_numpys_own_tests_pass(run_pytest):
    status, output = run_pytest(*SUITE)

    assert status == 0, output[-20000:]
    assert passed(output) >= FEWEST


def test_numpys_own_tests_find_a_function_that_is_wrong(run_pytest, tmp_path):
    (tmp_path / "wrong_det.py").write_text(WRONG_DET)
    file = str(NUMPY / "linalg" / "tests" / "test_linalg.py")

    status, output = run_pytest("-p", "wrong_det", file, "-k", "TestDet")

    assert (status, "AssertionError" in output) == (1, True)
