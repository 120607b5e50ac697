"""The table that the benchmarks are made from, and the scripts that print it."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.suite import functions
from benchmarks.suite.peers import OneByOne
from benchmarks.suite.table import LAYOUTS, SIZES, TABLE, Draw, stack_size
from numerics._core.public import FUNCTIONS

HERE = Path(__file__).parent
CELLS = [(row, layout) for row in TABLE for layout in row.layouts]


def run(script, *arguments):
    return subprocess.run(
        [sys.executable, HERE / script, *arguments], capture_output=True, text=True, check=False
    )


def shapes_of(result):
    items = result if isinstance(result, tuple) else (result,)
    return [tuple(getattr(item, "shape", ())) for item in items]


def test_every_public_function_has_one_row():
    assert sorted(row.dotted for row in TABLE) == sorted(FUNCTIONS)


@pytest.mark.parametrize(("row", "layout"), CELLS, ids=lambda value: getattr(value, "name", value))
def test_both_libraries_take_the_arguments_and_return_the_same_shapes(row, layout):
    calls = [row.call(library, Draw(2, layout)) for library in row.libraries]

    theirs, ours = (shapes_of(call()) for call in calls)

    assert ours[: len(theirs)] == theirs  # an info or a rank of ours comes last


def test_asv_finds_one_benchmark_per_row():
    methods = [name for made in vars(functions).values() for name in getattr(made, "__dict__", {})]

    assert {f"time_{row.name}" for row in TABLE} <= set(methods)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_a_benchmark_has_a_cell_for_every_library_size_and_layout(row):
    made = getattr(functions, f"{row.module.capitalize()}_{row.name}")

    assert made.params == (tuple(row.libraries), SIZES, row.layouts)


def test_an_asv_benchmark_runs():
    benchmark = functions.Linalg_solve()

    benchmark.setup("numerics", 2, "stacked")

    assert benchmark.time_solve("numerics", 2, "stacked") is None


def test_a_changed_row_changes_the_version_of_its_benchmark():
    solve = next(row for row in TABLE if row.name == "solve")
    changed = replace(solve, arguments=lambda d: (d.definite(), d.vector()))

    versions = {functions._benchmark(row).time_solve.version for row in (solve, changed)}

    assert len(versions) == 2


def test_a_peer_without_stacks_is_called_for_each_matrix():
    calls = []
    determinant = OneByOne(lambda a: calls.append(a.shape) or np.linalg.det(a), 2)

    result = determinant(np.stack([np.eye(2), 2 * np.eye(2)]))

    assert result.tolist() == [1.0, 4.0]
    assert calls == [(2, 2), (2, 2)]


@pytest.mark.parametrize(("n", "expected"), [(1, 1000), (3, 1000), (16, 200), (499, 10), (900, 2)])
def test_sizes_between_the_listed_ones_take_the_stack_of_the_one_below(n, expected):
    assert stack_size(n) == expected


def test_compare_prints_microseconds_and_ratio_for_every_layout():
    options = ("--functions", "det", "--sizes", "2", "3", "--seconds", "0.001")

    found = run("compare.py", "functions", *options)

    assert found.returncode == 0, found.stderr
    assert found.stderr == ""
    assert [line.split()[1] for line in found.stdout.splitlines()[3:]] == list(LAYOUTS)
    assert found.stdout.count(" = ") == 2 + 1 + 4  # two headings, the title, four cells


def test_compare_functions_help_names_every_option():
    found = run("compare.py", "functions", "--help")

    assert found.returncode == 0
    assert all(word in found.stdout for word in ("--functions", "--sizes", "--seconds", "stack"))


@pytest.mark.parametrize("command", [(), ("functions",)])
def test_compare_refuses_a_function_that_is_not_in_the_table(command):
    found = run("compare.py", *command, "--functions", "solev")

    assert found.returncode == 2
    assert "solev" in found.stderr


def test_overhead_prints_a_row_per_function():
    found = run("overhead.py", "--rounds", "1", "--calls", "10")

    assert found.returncode == 0, found.stderr
    assert [line.split()[0] for line in found.stdout.splitlines()[3:]] == [
        "solve",
        "inv",
        "det",
        "slogdet",
        "cholesky",
    ]
