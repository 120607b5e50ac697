"""The command ``numerics run``: an unmodified program, with NumPy's functions routed here.

The program runs in this process, set up as Python sets it up: ``sys.argv``, ``sys.path[0]``, a new
``__main__`` module, exit status and traceback. What follows the program's name is its own.
"""

from __future__ import annotations

import argparse
import builtins
import io
import linecache
import os
import pkgutil
import runpy
import sys
import textwrap
from collections.abc import Sequence
from importlib.machinery import BuiltinImporter, SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Any, NamedTuple

from numerics import dropin

from . import report

__all__ = ["Program", "add_arguments", "run", "split"]

USAGE = """\
numerics run [-h] [--report] script.py [argument ...]
       numerics run [-h] [--report] -m module [argument ...]
       numerics run [-h] [--report] -c code [argument ...]"""

DESCRIPTION = """\
Run a program as Python does, unmodified, while numpy.linalg computes with numerics. The program is
a script, a folder or zip file that holds a __main__.py, a module (-m), code (-c) or standard input
(-). Everything after it belongs to the program. Processes that the program starts are plain Python,
except forks."""

EPILOG = """\
examples:
  numerics run script.py data.csv --verbose
  numerics run --report script.py
  numerics run -m pytest --pyargs some_package
  numerics run -c "import numpy as np; print(np.linalg.det(2 * np.eye(3)))"
"""


class Program(NamedTuple):
    """What to run.

    Attributes
    ----------
    kind : str
        ``"-m"``, ``"-c"``, ``"-"`` as on Python's command line, ``""`` for a file or folder.
    target : str
        Name of the module, the code, or the path.
    arguments : list of str
        The program's own words.
    """

    kind: str
    target: str
    arguments: list[str]


def split(words: Sequence[str]) -> tuple[list[str], Program | None]:
    """Split a command line in front of the program.

    No parser may look at what follows: a program's ``--report`` is not ours.

    Parameters
    ----------
    words : sequence of str
        The command line from ``run`` on.

    Returns
    -------
    own : list of str
        Words for our parser.
    program : Program or None
        The rest; None if nothing is left.
    """
    for i, word in enumerate(words[1:], start=1):
        own, rest = list(words[:i]), list(words[i + 1 :])
        if word[:2] in ("-m", "-c"):
            target = [word[2:]] if word[2:] else rest[:1]
            if not target:
                return list(words), None
            return own, Program(word[:2], target[0], rest if word[2:] else rest[1:])
        if word == "--":
            return own, Program("", rest[0], rest[1:]) if rest else None
        if word == "-":
            return own, Program("-", "-", rest)
        if not word.startswith("-"):
            return own, Program("", word, rest)
    return list(words), None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the command its options; the program is none of them, see `split`."""
    explanation = (
        "afterwards, list on standard error which functions were called: shapes, count, time"
    )
    parser.add_argument("--report", action="store_true", help=explanation)


def run(namespace: argparse.Namespace) -> int:
    """Route NumPy's functions for the rest of the process, and run the program.

    Its exceptions pass through, `SystemExit` included; the interpreter then ends as it would have
    ended without us.
    """
    program = namespace.program
    if program is None:
        namespace.fail("name a program: a script, a folder, -m module, -c code, or -")
    dropin.install(report.begin() if namespace.report else None)
    try:
        _START[program.kind](program)
    except SystemExit:
        raise
    except BaseException as error:
        _hide_our_frames(error)
        raise
    return 0


def _hide_our_frames(error: BaseException) -> None:
    """Let ``sys.excepthook``, ours or the program's, see the traceback from the program on."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_frame.f_globals is globals():
        traceback = traceback.tb_next
    show = sys.excepthook

    def hook(kind: type[BaseException], value: BaseException, full: TracebackType | None) -> None:
        if value is error:
            full = traceback
            value.__traceback__ = traceback
        show(kind, value, full)

    sys.excepthook = hook


# --- The four kinds, set up as in CPython's Modules/main.c --------------------------------------

# What `python -m` calls. The public runpy.run_module clears the module before exit handlers run.
_run_main: Any = getattr(runpy, "_run_module_as_main")  # noqa: B009


def _set_up(argv: list[str], first_path: str, is_always_first: bool = False) -> ModuleType:
    """Set ``sys.argv`` and ``sys.path[0]``, and return a new ``__main__`` module."""
    sys.argv = argv
    if not sys.flags.safe_path:
        sys.path[0] = first_path
    elif is_always_first:
        sys.path.insert(0, first_path)
    module = ModuleType("__main__")
    vars(module).update(__builtins__=builtins, __loader__=BuiltinImporter)
    if "__annotations__" in vars(sys.modules["__main__"]):  # until Python 3.13
        module.__annotations__ = {}
    sys.modules["__main__"] = module
    return module


def _run_module(program: Program) -> None:
    _set_up(["-m", *program.arguments], os.getcwd())
    _run_main(program.target)


def _run_code(program: Program) -> None:
    module = _set_up(["-c", *program.arguments], "")
    source = program.target + "\n"
    if sys.version_info >= (3, 14):
        source = textwrap.dedent(source)
    if sys.version_info >= (3, 13):  # tracebacks show the lines
        linecache.cache["<string>"] = len(source), None, source.splitlines(True), "<string>"
    exec(compile(source, "<string>", "exec", dont_inherit=True), vars(module))


def _run_standard_input(program: Program) -> None:
    module = _set_up(["-", *program.arguments], "")
    vars(module).update(__file__="<stdin>", __cached__=None)
    exec(compile(sys.stdin.buffer.read(), "<stdin>", "exec", dont_inherit=True), vars(module))


def _run_path(program: Program) -> None:
    path, argv = _absolute(program.target), [program.target, *program.arguments]
    if pkgutil.get_importer(path) is not None:  # a folder or a zip file
        _set_up(argv, path, is_always_first=True)
        _run_main("__main__", alter_argv=False)
        return
    code = _read(path)
    folder = os.path.dirname(path if os.name == "nt" else os.path.realpath(path))
    module = _set_up(argv, folder)
    loader = SourceFileLoader("__main__", path)
    vars(module).update(__file__=path, __cached__=None, __loader__=loader)
    exec(code, vars(module))


def _absolute(path: str) -> str:
    """Return an absolute path in the spelling that Python gives ``__file__``."""
    if os.name == "nt":
        return os.path.abspath(path)
    return os.getcwd() if path == "." else os.path.join(os.getcwd(), path)


def _read(path: str) -> CodeType:
    """Return the code of a file, compiled already or not."""
    try:
        with io.open_code(path) as file:
            compiled = pkgutil.read_code(file)
            if compiled is not None:
                return compiled
            file.seek(0)
            source = file.read()
    except OSError as error:
        text = f"{sys.executable}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}"
        print(text, file=sys.stderr)
        raise SystemExit(2) from None
    return compile(source, path, "exec", dont_inherit=True)


_START = {"": _run_path, "-m": _run_module, "-c": _run_code, "-": _run_standard_input}
