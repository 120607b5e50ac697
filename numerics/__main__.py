"""The command ``numerics``: run, demo and doctor, also as ``python -m numerics``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numerics
from numerics._commands import demo, doctor, run

__all__ = ["main"]

COMMANDS: dict[str, tuple[Any, str]] = {
    "run": (run, "run a program with NumPy's functions routed to numerics"),
    "demo": (demo, "solve real figures with NumPy and with numerics, side by side"),
    "doctor": (doctor, "say what is installed here, and test that it works"),
}

EPILOG = """\
examples:
  numerics run script.py data.csv
  numerics run --report -m pytest --pyargs some_package
  numerics demo
  numerics doctor

`numerics COMMAND --help` says more about each.
"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="numerics",
        description="numpy.linalg and scipy.special, faster and right to the last digits.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"numerics {numerics.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=summary,
            usage=getattr(module, "USAGE", None),
            description=getattr(module, "DESCRIPTION", f"{summary[0].upper()}{summary[1:]}."),
            epilog=getattr(module, "EPILOG", f"example:\n  numerics {name}"),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        module.add_arguments(command)
        command.set_defaults(execute=module.run, fail=command.error)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with the words of a command line.

    Parameters
    ----------
    argv : sequence of str, optional
        Words after ``numerics``; by default those that the process was started with.

    Returns
    -------
    int
        Exit status: 0, or 1 if `doctor` finds something wrong.

    Raises
    ------
    SystemExit
        For a command line that cannot be understood (status 2), after ``--help``, and from a
        program under ``run`` that exits. Other exceptions of the program pass through as well.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    program = None
    if words[:1] == ["run"]:
        words, program = run.split(words)
    namespace = build_parser().parse_args(words, argparse.Namespace(program=program))
    return namespace.execute(namespace)


if __name__ == "__main__":
    sys.exit(main())
