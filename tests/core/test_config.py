"""The environment variables."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from numerics import _kernels


def imported_with(**environment: str) -> subprocess.CompletedProcess[str]:
    code = "from numerics import _kernels; print(_kernels.instruction_set())"
    return subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("name", _kernels.instruction_sets())
def test_an_instruction_set_can_be_forced(name: str) -> None:
    run = imported_with(NUMERICS_ISA=name)

    assert run.stdout.strip() == name


def test_the_best_instruction_set_is_the_default() -> None:
    run = imported_with(NUMERICS_ISA="")

    assert run.stdout.strip() == _kernels.instruction_sets()[-1]


def test_an_unknown_instruction_set_is_an_error_that_names_the_variable() -> None:
    run = imported_with(NUMERICS_ISA="v5")

    assert run.returncode == 1
    assert "ImportError: NUMERICS_ISA: no instruction set 'v5' here" in run.stderr
