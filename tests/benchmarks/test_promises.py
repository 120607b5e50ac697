"""The promised cells, the other libraries' calls, and the script that prints both."""

import json
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg

from benchmarks.comparison import bare_lapack, memory_pass
from benchmarks.comparison.promised import PEERS, Result
from benchmarks.comparison.timing import Contestant, in_turns
from benchmarks.suite import promised
from benchmarks.suite.promises import CELLS, PROMISES, ROWS, Cell, Promise, Work
from numerics.linalg import __all__ as public

HERE = Path(__file__).parent
SMALLEST = list(
    {(cell.work.label, cell.promise.stacked, cell.dtype): cell for cell in CELLS}.values()
)
"""Every call once: sizes differ in nothing but time."""
AGAINST_OTHERS = [cell for cell in SMALLEST if cell.others_floor is not None]
UNIQUE = "solve inv det slogdet cholesky eigvalsh svdvals pinv cond matrix_exp lu_solve".split()
"""Functions with one right result, which the others must return too."""


def name_of(value):
    return getattr(value, "label", None)


def tiny(cell):
    """A draw of two sizes of its own: n = 2, and three matrices where there is a stack."""
    return Cell(cell.promise, cell.work, 2, cell.dtype).draw(3)


def parts(result):
    items = result if isinstance(result, list | tuple) else (result,)
    return [np.asarray(item) for item in items if item is not None]


def run(*arguments):
    return subprocess.run(
        [sys.executable, HERE / "compare.py", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


# --- The records --------------------------------------------------------------------------------


def test_every_row_of_the_table_has_cells_in_its_order():
    assert list(dict.fromkeys(cell.promise.row for cell in CELLS)) == list(ROWS)


def test_no_cell_is_there_twice():
    places = [(cell.promise.row, cell.label) for cell in CELLS]

    assert len(set(places)) == len(places)


def test_every_promised_function_is_public():
    assert {work.row.name for promise in PROMISES for work in promise.works} <= set(public)


@pytest.mark.parametrize(
    ("dtype", "floors"),
    [("float64", (15, 6)), ("complex128", (7.5, 3)), ("float32", (15, 6)), ("complex64", (15, 6))],
)
def test_double_complex_cells_are_held_to_half_of_the_floors(dtype, floors):
    (cell,) = (
        cell
        for cell in CELLS
        if cell.promise.row == "stack-small" and cell.label == f"inv 3 10000 {dtype}"
    )

    assert (cell.numpy_floor, cell.others_floor) == floors


def test_single_precision_is_promised_of_stacks_of_small_matrices():
    cells = [cell for cell in CELLS if cell.dtype in ("float32", "complex64")]

    assert {cell.n for cell in cells} == {2, 3, 4, 8}
    assert all(cell.promise.stacked for cell in cells)


@pytest.mark.parametrize("cell", SMALLEST, ids=name_of)
def test_the_libraries_of_a_cell_take_its_arguments_and_agree_in_shape_and_dtype(cell):
    draw = tiny(cell)
    arguments, keywords = cell.work.row.arguments(draw), cell.work.row.keywords(draw)

    theirs, ours = (
        parts(function(*arguments, **keywords))
        for function in cell.work.row.functions(draw).values()
    )

    common = slice(len(theirs))
    assert [part.shape for part in ours[common]] == [part.shape for part in theirs]
    assert ours[0].dtype == theirs[0].dtype


@pytest.mark.parametrize("library", PEERS)
@pytest.mark.parametrize("cell", AGAINST_OTHERS, ids=name_of)
def test_the_others_compute_the_same(cell, library):
    if not find_spec(library):
        pytest.skip(f"{library} is not installed")
    contestants = import_module(f"benchmarks.comparison.with_{library}").contestants
    draw, row = tiny(cell), cell.work.row
    arguments = row.arguments(draw)
    keywords = {k: v for k, v in row.keywords(draw).items() if k != "check_finite"}
    ours = parts(row.functions(draw)["numerics"](*arguments, **keywords))[0]

    made = contestants(row.name, arguments, keywords)
    theirs = [parts(one.function(*one.arguments, **one.keywords))[0] for one in made]

    assert {part.shape for part in theirs} <= {ours.shape}
    if row.name in UNIQUE:
        digits = 1e-3 if cell.dtype in ("float32", "complex64") else 1e-9
        assert all(np.allclose(part, ours, digits, digits) for part in theirs)


# --- asv ----------------------------------------------------------------------------------------


def test_asv_has_every_cell():
    classes = [getattr(promised, row.replace("-", "_").capitalize()) for row in ROWS]

    labels = [label for made in classes for label in made.params[1]]

    assert labels == [cell.label for cell in CELLS]


def test_an_asv_benchmark_of_a_cell_runs():
    benchmark = promised.Matmul()

    benchmark.setup("numerics", "matmul 2 10000 float64")

    assert benchmark.time_cell("numerics", "matmul 2 10000 float64") is None


def test_asv_skips_numpy_where_it_has_no_such_function():
    with pytest.raises(NotImplementedError):
        promised.One_other().setup("numpy", "lu 2 1 float64")


def test_asv_imports_no_library_beside_numpy_and_scipy():
    code = (
        "import sys; from benchmarks.suite import functions, promised; "
        "print(sorted({'torch', 'jax', 'mpmath'} & set(sys.modules)))"
    )

    found = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.append({str(HERE.parent)!r}); {code}"],
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE,
    )

    assert (found.stdout, found.stderr) == ("[]\n", "")


# --- What cells are measured against ------------------------------------------------------------


@pytest.mark.parametrize("name", bare_lapack.ROUTINES)
def test_the_bare_routines_report_success(name):
    a = np.random.default_rng(3).standard_normal((3, 3))
    definite = a @ a.T + np.eye(3)
    memory = bare_lapack.prepared(name, definite, definite)

    for call in memory.calls(bare_lapack.ROUTINES[name].rpartition("|")[2], 3):
        call()

    assert memory.arrays["info"] == 0


def test_the_bare_eigenvalues_are_scipys():
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    memory = bare_lapack.prepared("eigvalsh", a, a)

    for call in memory.calls(bare_lapack.ROUTINES["eigvalsh"], 2):
        call()

    assert memory.arrays["w"] == pytest.approx(scipy.linalg.eigvalsh(a), rel=1e-15)


def test_the_bare_call_solves_again_what_it_has_overwritten():
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    memory = bare_lapack.prepared("lu_solve", None, a)
    timed = bare_lapack.ROUTINES["lu_solve"].rpartition("|")[2]
    call = memory.after_copying(memory.calls(timed, 2))

    call()
    call()

    assert memory.arrays["b"] == pytest.approx(np.linalg.solve(a, np.ones(2)))


def test_a_pass_reads_real_and_imaginary_parts():
    contestants = memory_pass.contestants(np.array([[3 + 4j]]))

    results = [made.function(*made.arguments) for made in contestants]

    assert results == [25.0, 7.0, 4.0]


def test_every_contestant_has_three_turns_even_without_time():
    calls = []
    contestants = [Contestant(name, calls.append, (name,)) for name in "ab"]

    samples = in_turns(contestants, 0.0)

    assert [len(turns) for turns in samples] == [3, 3]
    assert min(map(calls.count, "ab")) >= 3


@pytest.mark.parametrize(
    ("seconds", "misses"),
    [
        ({"numpy": 4.0, "scipy": 9.0, "torch, 1 thread": 3.0, "LAPACK": 0.9999999}, []),
        ({"numpy": 1.0}, ["numpy"]),
        ({"scipy": 9.0, "jax": 1.0}, ["others"]),
        ({"LAPACK": 0.9999}, ["lapack"]),
        ({}, []),
    ],
)
def test_a_result_names_the_floors_it_misses(seconds, misses):
    solve = next(cell.work for cell in CELLS if cell.work.label == "solve_ex")
    promise = Promise("one-other", (Work("solve_ex", solve.row),), (2,), False, 2, 1.5, "lapack")
    cell = next(promise.cells())

    assert Result(cell, {"numerics": 1.0, **seconds}, {}).misses == misses


# --- The script ---------------------------------------------------------------------------------


def test_compare_prints_the_cells_with_ratios_and_floors():
    found = run("--functions", "det", "--sizes", "2", "--dtypes", "float64", "--rows", "one-small",
                "--seconds", "0.01", "--beside", "numpy", "scipy")  # fmt: skip

    assert found.returncode == 0, found.stderr
    assert found.stderr == ""
    (line,) = (line for line in found.stdout.splitlines() if line.startswith("det"))
    assert line.split()[1:4] == ["float64", "2", "1"]
    assert line.count("×") == 2
    assert "scipy" in line
    assert "of 1 " in found.stdout


def test_compare_says_versions_and_threads():
    found = run("--list")

    assert found.returncode == 0, found.stderr
    assert f"numpy {np.__version__}" in found.stdout
    assert "threads of numerics" in found.stdout
    assert "threads of BLAS" in found.stdout


def test_compare_lists_every_cell_with_its_title():
    found = run("--list")

    assert all(title in found.stdout for title in ROWS.values())
    assert sum(" float64 " in line for line in found.stdout.splitlines()) == sum(
        cell.dtype == "float64" for cell in CELLS
    )


def test_compare_writes_what_it_measured(tmp_path):
    options = ("--rows", "one-other", "--functions", "lu_factor", "--sizes", "3")

    found = run(*options, "--seconds", "0.01", "--beside", "--json", tmp_path / "speed.json")

    assert found.returncode == 0, found.stderr
    written = json.loads((tmp_path / "speed.json").read_text("utf-8"))
    assert written["rows"] == ROWS
    assert "numpy" in written["machine"]["versions"]
    first, second = written["cells"]
    assert (first["function"], first["n"], first["dtype"]) == ("lu_factor", 3, "float64")
    assert set(first["seconds"]) == {"numerics", "LAPACK"}
    assert set(second["seconds"]) == {"numerics"}


def test_compare_help_names_rows_threads_and_the_other_table():
    found = run("--help")

    assert found.returncode == 0
    assert all(row in found.stdout for row in ROWS)
    assert "OPENBLAS_NUM_THREADS" in found.stdout
    assert "functions --help" in found.stdout


def test_compare_says_so_if_no_cell_is_left():
    found = run("--rows", "matmul", "--sizes", "5")

    assert found.returncode == 1
    assert "no cell" in found.stderr
