"""``numerics run`` against plain Python: the same program, the same everything."""

import os
import subprocess
import sys
import zipfile

import pytest

from numerics._commands.run import Program, split

PROBE = """
import json, sys
here = {name: repr(value).partition(" object at ")[0] for name, value in list(vars().items())}
del here["json"], here["sys"]
print(json.dumps([sys.argv, sys.path[0], here], sort_keys=True))
print(sys.modules["__main__"].__dict__ is globals())
"""

IS_ROUTED = "np.linalg.det._implementation.__module__.startswith('numerics')"


def run_python(words, folder, text=None):
    """Exit status, standard output and standard error of Python with these words."""
    hidden = ("PYTHONSAFEPATH", "PYTEST_ADDOPTS")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=environment,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def run_ours(words, folder, text=None):
    return run_python(["-m", "numerics", "run", *words], folder, text)


def assert_same(words, folder, text=None):
    assert run_ours(words, folder, text) == run_python(words, folder, text)


@pytest.fixture
def folder(tmp_path):
    """A folder with the probe as script, module, package, folder and zip file."""
    (tmp_path / "probe.py").write_text(PROBE)
    for name in ("package", "plain_folder", "below"):
        (tmp_path / name).mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package" / "__main__.py").write_text(PROBE)
    (tmp_path / "plain_folder" / "__main__.py").write_text(PROBE)
    if os.name != "nt":  # there it takes a privilege
        (tmp_path / "below" / "link.py").symlink_to(tmp_path / "probe.py")
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("__main__.py", PROBE)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["probe.py", "data", "--report", "-h", "-m", "x"],
        ["./probe.py"],
        pytest.param(["below/link.py"], marks=pytest.mark.skipif("os.name == 'nt'")),
        ["-m", "probe", "-c", "y"],
        ["-mprobe", "--report"],
        ["-m", "package", "--", "z"],
        ["plain_folder", "-x"],
        ["archive.zip", "-x"],
        ["-c", PROBE, "-c", "--report"],
        ["--", "probe.py", "--"],
    ],
    ids=lambda words: " ".join(words[:2]).partition("\n")[0],
)
def test_a_program_finds_itself_set_up_as_under_plain_python(folder, words):
    assert_same(words, folder)


def test_a_program_from_standard_input_is_set_up_as_under_plain_python(folder):
    assert_same(["-", "data"], folder, PROBE)


ENDINGS = [
    "pass",
    "raise SystemExit",
    "raise SystemExit(None)",
    "raise SystemExit(3)",
    "raise SystemExit('a text')",
    "raise SystemExit(2.5)",
    "1 / 0",
    "raise KeyboardInterrupt",
    "try:\n    [][1]\nexcept IndexError as e:\n    raise KeyError from e",
    "this is no Python",
    "raise ExceptionGroup('several', [ValueError(1), KeyError(2)])",
]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_script_ends_with_the_status_and_traceback_of_plain_python(tmp_path, ending):
    (tmp_path / "script.py").write_text(f"print('before')\n{ending}\n")

    assert_same(["script.py"], tmp_path)


@pytest.mark.parametrize("ending", ["1 / 0", "raise SystemExit(3)", "this is no Python"])
@pytest.mark.parametrize("words", [["-m", "script"], ["-c"], ["-"]], ids=["-m", "-c", "-"])
def test_other_programs_end_with_the_status_and_traceback_of_plain_python(tmp_path, words, ending):
    (tmp_path / "script.py").write_text(ending)

    assert_same([*words, ending] if words == ["-c"] else words, tmp_path, ending)


@pytest.mark.parametrize("words", [["missing.py"], ["-m", "missing"], ["empty"], ["."]])
def test_a_missing_program_is_reported_as_by_plain_python(tmp_path, words):
    (tmp_path / "empty").mkdir()

    assert_same(words, tmp_path)


def test_a_hook_of_the_program_sees_the_traceback_of_plain_python(tmp_path):
    hook = (
        "import sys, traceback\nsys.excepthook = lambda *e: print(*traceback.format_exception(*e))"
    )
    (tmp_path / "script.py").write_text(f"{hook}\n1 / 0\n")

    assert_same(["script.py"], tmp_path)


def test_a_script_in_another_encoding_is_read_as_by_plain_python(tmp_path):
    source = "# -*- coding: latin-1 -*-\nprint(ascii('\xe4'))\n"
    (tmp_path / "script.py").write_bytes(source.encode("latin-1"))

    assert_same(["script.py"], tmp_path)


def test_a_script_does_not_inherit_the_future_of_the_command(tmp_path):
    (tmp_path / "script.py").write_text("def f(x: int): pass\nprint(f.__annotations__)\n")

    assert_same(["script.py"], tmp_path)


def test_classes_of_a_script_can_be_pickled(tmp_path):
    script = "import pickle\nclass C: pass\nprint(type(pickle.loads(pickle.dumps(C()))) is C)\n"
    (tmp_path / "script.py").write_text(script)

    assert run_ours(["script.py"], tmp_path) == (0, "True\n", "")


def test_a_script_can_spawn_processes(tmp_path):
    script = """
import multiprocessing
class Pair:
    def __init__(self, x): self.x = x
def double(pair): return Pair(2 * pair.x)
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(double, [Pair(3)])[0].x)
"""
    (tmp_path / "script.py").write_text(script)

    assert run_ours(["script.py"], tmp_path) == (0, "6\n", "")


def test_exit_handlers_run_with_their_globals_and_routed_functions(tmp_path):
    script = f"import atexit, numpy as np\natexit.register(lambda: print({IS_ROUTED}))\n"
    (tmp_path / "script.py").write_text(script)

    assert run_ours(["script.py"], tmp_path) == (0, "True\n", "")


def test_a_module_runs_with_routed_functions(tmp_path):
    (tmp_path / "test_it.py").write_text(f"import numpy as np\ndef test(): assert {IS_ROUTED}\n")

    status, output, _ = run_ours(["-m", "pytest", "-q", "test_it.py"], tmp_path)

    assert (status, "1 passed" in output) == (0, True)


def test_processes_that_a_program_starts_are_plain_python(tmp_path):
    child = f"import numpy as np; print({IS_ROUTED})"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"

    assert run_ours(["-c", code], tmp_path) == (0, "False\n", "")


# --- The report ---------------------------------------------------------------------------------

CALLS = "import numpy as np\nfor _ in range(3): np.linalg.pinv(np.ones((2, 3)))\n"


def rows(text):
    """The table's rows: function, shapes, calls."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.split()[:2] == ["function", "shapes"])
    return [line.split()[:-1] for line in lines[first + 1 :]]


def test_a_report_names_the_function_that_was_called_not_what_it_is_made_of(tmp_path):
    _, _, errors = run_ours(["--report", "-c", CALLS], tmp_path)

    assert rows(errors) == [["linalg.pinv", "2×3", "3"]]


def test_a_report_has_the_calls_that_numpy_makes(tmp_path):
    code = "import numpy as np; np.polyfit([1, 2, 3], [1, 2, 4], 1)"

    _, _, errors = run_ours(["--report", "-c", code], tmp_path)

    assert rows(errors) == [["linalg.lstsq", "3×2", "3", "1"]]


def test_a_report_has_direct_calls_of_numerics(tmp_path):
    code = "import numpy as np, numerics; numerics.linalg.solve(np.eye(2), np.ones(2))"

    _, _, errors = run_ours(["--report", "-c", code], tmp_path)

    assert rows(errors) == [["linalg.solve", "2×2", "2", "1"]]


def test_a_report_has_every_shape_of_a_list_of_arrays(tmp_path):
    code = "import numpy as np; np.linalg.multi_dot([np.ones((2, 3)), np.ones((3, 4)), np.ones(4)])"

    _, _, errors = run_ours(["--report", "-c", code], tmp_path)

    assert rows(errors) == [["linalg.multi_dot", "2×3", "3×4", "4", "1"]]


def test_a_report_has_the_calls_of_threads_that_outlive_the_main_one(tmp_path):
    code = f"import threading\ndef f():\n{''.join('  ' + x for x in CALLS.splitlines(True))}"

    _, _, errors = run_ours(
        ["--report", "-c", f"{code}threading.Thread(target=f).start()"], tmp_path
    )

    assert rows(errors) == [["linalg.pinv", "2×3", "3"]]


def test_a_report_follows_the_traceback(tmp_path):
    _, _, plain = run_python(["-c", f"{CALLS}1 / 0"], tmp_path)

    status, _, errors = run_ours(["--report", "-c", f"{CALLS}1 / 0"], tmp_path)

    assert (status, errors.startswith(plain), len(rows(errors))) == (1, True, 1)


def test_a_report_is_printed_when_the_program_exits(tmp_path):
    status, _, errors = run_ours(["--report", "-c", f"{CALLS}raise SystemExit(7)"], tmp_path)

    assert (status, len(rows(errors))) == (7, 1)


def test_a_report_counts_a_call_that_raises(tmp_path):
    code = "import numpy as np; np.linalg.inv(np.zeros((2, 2)))"

    _, _, errors = run_ours(["--report", "-c", code], tmp_path)

    assert rows(errors) == [["linalg.inv", "2×2", "1"]]


def test_a_report_of_no_calls_says_so(tmp_path):
    answer = "numerics: the program called no function of numpy.linalg or numerics\n"

    assert run_ours(["--report", "-c", "pass"], tmp_path) == (0, "", answer)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_prints_no_report_of_its_own(tmp_path):
    code = "import os\nif os.fork(): os.wait()"

    _, _, errors = run_ours(["--report", "-c", code], tmp_path)

    assert errors.count("numerics:") == 1


def test_without_report_nothing_is_printed(tmp_path):
    assert run_ours(["-c", CALLS], tmp_path) == (0, "", "")


# --- The command line ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "own", "program"),
    [
        ("run", "run", None),
        ("run --report", "run --report", None),
        ("run a.py", "run", Program("", "a.py", [])),
        ("run --report a.py --report", "run --report", Program("", "a.py", ["--report"])),
        ("run -m pytest -m slow", "run", Program("-m", "pytest", ["-m", "slow"])),
        ("run -mpytest -x", "run", Program("-m", "pytest", ["-x"])),
        ("run -cpass -x", "run", Program("-c", "pass", ["-x"])),
        ("run - -x", "run", Program("-", "-", ["-x"])),
        ("run -- --odd.py -x", "run", Program("", "--odd.py", ["-x"])),
        ("run -m", "run -m", None),
        ("run --bogus a.py", "run --bogus", Program("", "a.py", [])),
    ],
)
def test_what_follows_the_program_belongs_to_it(words, own, program):
    assert split(words.split()) == (own.split(), program)


@pytest.mark.parametrize("words", [[], ["-m"], ["-c"], ["--bogus", "a.py"]])
def test_a_command_line_without_a_program_has_status_2(tmp_path, words):
    status, _, errors = run_ours(words, tmp_path)

    assert (status, errors.splitlines()[0].startswith("usage: numerics")) == (2, True)
