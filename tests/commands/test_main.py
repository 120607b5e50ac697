"""The ``numerics`` command: its subcommands, help and exit statuses."""

import subprocess
import sys

import pytest

import numerics
from numerics import __main__ as command


def exit_of(words, capsys):
    """Exit status and output of a command line that ends by `SystemExit`."""
    with pytest.raises(SystemExit) as ended:
        command.main(words)
    output, errors = capsys.readouterr()
    return ended.value.code, output + errors


def test_help_names_every_command(capsys):
    status, text = exit_of(["--help"], capsys)

    assert (status, [name for name in command.COMMANDS if f"\n    {name} " not in text]) == (0, [])


@pytest.mark.parametrize("name", command.COMMANDS)
def test_the_help_of_a_command_has_an_example(capsys, name):
    status, text = exit_of([name, "--help"], capsys)

    assert (status, f"  numerics {name}" in text.partition("example")[2]) == (0, True)


def test_version_is_that_of_the_package(capsys):
    assert exit_of(["--version"], capsys) == (0, f"numerics {numerics.__version__}\n")


@pytest.mark.parametrize("words", [[], ["operate"], ["doctor", "--bogus"], ["run"]])
def test_a_command_line_that_says_nothing_has_status_2(capsys, words):
    status, text = exit_of(words, capsys)

    assert (status, text.startswith("usage: numerics")) == (2, True)


def test_a_command_gives_its_status_back(capsys, monkeypatch):
    monkeypatch.setattr(command.doctor, "CHECKS", ())

    assert command.main(["doctor"]) == 0


def test_python_m_numerics_is_the_command(tmp_path):
    words = [sys.executable, "-m", "numerics", "--version"]

    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)

    assert done.stdout == f"numerics {numerics.__version__}\n"
