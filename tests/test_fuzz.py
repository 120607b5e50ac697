"""Some random calls of every function, and what the script that makes them must notice."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import fuzz
from numerics import linalg

from cases.calls import ROWS

TESTS = Path(__file__).parent
CALLS = 2000


def test_every_function_is_called():
    assert sorted(ROWS) == sorted(name for name in linalg.__all__ if name != "LinAlgError")


@pytest.mark.parametrize("name", ROWS)
def test_random_calls_of_a_function_keep_its_promises(name):
    plan = fuzz.Plan("numerics.linalg", seed=0, names=(name,), step=1)

    tried = [plan.try_call(linalg, number) for number in range(CALLS // len(ROWS))]

    assert [f"{call}: {fault}" for call, fault in tried if fault is not None] == []


# --- Planted faults -----------------------------------------------------------------------------

PLANTED = {
    "a wrong shape": ("return linalg.det(a)[..., None]", "results are"),
    "a wrong dtype": ("return linalg.det(a).astype('F')", "results are"),
    "no exception": (
        "try:\n        return linalg.det(a)\n    except Exception:\n        return 0.0",
        "no exception for a wrong call",
    ),
    "an exception that is not documented": ("raise RuntimeError", "not documented"),
    "a refusal": ("raise TypeError('no')", "a good call is refused"),
    "a warning": (
        "warnings.warn('slow')\n    return linalg.det(a)",
        "an exception that is not documented",
    ),
    "an argument that is written to": (
        "a = np.asarray(a)\n    if a.flags.writeable: a[...] = 0\n    return linalg.det(a)",
        "an argument was changed",
    ),
    "a sum over the stack": (
        "d = linalg.det(a)\n    return d + 0 * np.sum(d)",
        "changes the results of other matrices",
    ),
}
FATAL = {
    "a crash": ("os.abort()", "the process ended with "),
    "a hang": ("while True: pass", "no end in sight"),
}
"""The body of a function `det`, and the words in which its fault is reported."""

HEAD = """\
import os, warnings
import numpy as np
from numerics import linalg

def det(a):
    """


def run(folder, *options):
    command = [sys.executable, TESTS / "fuzz.py", "--workers", "1", *options]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=100, check=False
    )


def plant(folder, monkeypatch, body):
    (folder / "planted.py").write_text(HEAD + body + "\n")
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)


@pytest.mark.parametrize(("body", "words"), PLANTED.values(), ids=PLANTED)
def test_a_planted_fault_is_found(body, words):
    planted = {}
    exec(HEAD + body, planted)
    plan = fuzz.Plan("planted", seed=0, names=("det",), step=1)

    tried = [plan.try_call(SimpleNamespace(**planted), number) for number in range(100)]

    assert any(words in fault for _, fault in tried if fault is not None)


def test_a_fault_comes_with_the_command_that_repeats_it(tmp_path, monkeypatch):
    plant(tmp_path, monkeypatch, "return linalg.det(a)[..., None]")

    found = run(tmp_path, "--module=planted", "--calls=5")
    again = found.stdout.split("again: python tests/fuzz.py ")[1].splitlines()[0].split()
    repeated = run(tmp_path, "--module=planted", *again)

    assert (found.returncode, repeated.returncode) == (1, 1)
    assert "results are" in found.stdout
    assert "results are" in repeated.stdout


@pytest.mark.parametrize(("body", "words"), FATAL.values(), ids=FATAL)
def test_what_ends_or_stops_a_process_is_found_and_the_calls_go_on(
    body, words, tmp_path, monkeypatch
):
    plant(tmp_path, monkeypatch, body)

    found = run(tmp_path, "--module=planted", "--calls=2", "--patience=0.5")

    assert found.returncode == 1, found.stderr
    assert found.stdout.count(words) == 2
    assert "2 calls of 1 functions" in found.stdout


def test_a_run_without_faults_says_so_and_draws_no_bar_into_a_file(tmp_path):
    found = run(tmp_path, "--function=det", "--function=inv", "--calls=50")

    assert found.returncode == 0
    assert found.stderr == ""
    assert found.stdout.startswith("50 calls of 2 functions in ")


def test_a_command_line_with_an_unknown_function_is_refused(tmp_path):
    found = run(tmp_path, "--function=dte")

    assert found.returncode == 2
    assert "dte" in found.stderr
