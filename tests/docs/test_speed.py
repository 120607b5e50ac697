"""The figures of the guide's page on speed, and their picture."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
SVG = "{http://www.w3.org/2000/svg}"


def cell(function, n, count, ratio, others=None, excess=None, misses=(), dtype="float64"):
    return {
        "row": "lapack" if excess else "stacks",
        "function": function,
        "n": n,
        "count": count,
        "dtype": dtype,
        "floors": {"numpy": 15.0, "others": others and 8.0},
        "ratios": {"numpy": ratio, "others": others},
        "best": others and "jax",
        "limit": {"of": "lapack", "at most": 0.3} if excess else None,
        "excess": excess,
        "measure": excess and "LAPACK",
        "misses": list(misses),
        "seconds": {"numerics": 1e-6},
    }


RESULT = {
    "machine": {"processor": "An abacus", "versions": "numpy 2", "threads of numerics": "1"},
    "rows": {"stacks": "stack of 10", "lapack": "one matrix: qr"},
    "cells": [
        cell("solve", 2, 10, 20.0, others=9.0),
        cell("solve", 8, 10, 12.5, others=8.5, misses=["numpy"]),
        cell("solve", 2, 10, 30.0, dtype="float32"),
        cell("qr", 2, 1, 16.0, excess=0.25),
        cell("inv", 2, 1, 25.0),
    ],
}


@pytest.fixture
def result(tmp_path):
    path = tmp_path / "speed.json"
    path.write_text(json.dumps(RESULT), "utf-8")
    return path


def run(script, *arguments):
    return subprocess.run(
        [sys.executable, DOCS / script, *arguments], capture_output=True, text=True, check=False
    )


def built(tmp_path, *options):
    out = tmp_path / "out"
    found = run("build.py", "--out", out, "--cases", tmp_path, *options)
    assert found.returncode == 0, found.stderr
    return (out / "guide" / "speed.md").read_text("utf-8")


def drawn(tmp_path, path):
    out = tmp_path / "speed.svg"
    found = run("speed_picture.py", path, "--out", out)
    assert found.returncode == 0, found.stderr
    return ElementTree.fromstring(out.read_text("utf-8"))


def test_without_a_result_the_page_says_that_it_has_no_figures(tmp_path):
    page = built(tmp_path)

    assert "holds no figures" in page
    assert "<!--" not in page


def test_the_page_names_the_machine_and_the_worst_cell_of_each_line(tmp_path, result):
    page = built(tmp_path, "--speed", result)

    lines = re.findall(r"^\| (.*) \|$", page, re.MULTILINE)[2:]
    assert "An abacus" in page
    assert lines[0].split(" | ") == [
        "stack of 10: solve",
        "float64",
        "12.5–20× (solve, n = 8)",
        "15×",
        "8.5–9× (solve, n = 8: jax)",
        "8×",
        "–",
        "1 of 2",
    ]
    assert lines[1].split(" | ")[1:5] == ["float32", "30–30× (solve, n = 2)", "15×", "–"]
    assert "at most +0.25 µs over LAPACK (limit 0.3; qr)" in lines[2]


def test_the_built_picture_is_that_of_the_result(tmp_path, result):
    built(tmp_path, "--speed", result)

    assert "An abacus" in (tmp_path / "out" / "guide" / "speed.svg").read_text("utf-8")


@pytest.mark.parametrize("text", ["", "[1]", '{"cells": []}'])
def test_a_file_that_holds_something_else_is_refused(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text, "utf-8")

    found = run("build.py", "--out", tmp_path / "out", "--cases", tmp_path, "--speed", path)

    assert found.returncode == 1
    assert "no result of compare.py" in found.stderr


def test_the_picture_has_a_point_for_each_double_precision_cell_of_its_functions(tmp_path, result):
    picture = drawn(tmp_path, result)

    assert len(picture.findall(f"{SVG}circle")) == 3
    assert "solve, n = 8, stacked: 12.5" in picture.find(f"{SVG}desc").text


def test_a_faster_cell_is_drawn_higher(tmp_path, result):
    picture = drawn(tmp_path, result)

    (line,) = (p for p in picture.iter(f"{SVG}polyline") if len(p.get("points").split()) == 4)
    _, first, _, second = map(float, line.get("points").split())
    assert first < second


def test_nothing_measured_leaves_the_promises_in_the_picture(tmp_path):
    path = tmp_path / "speed.json"
    cells = [
        {**one, "seconds": {}, "ratios": {"numpy": None, "others": None}} for one in RESULT["cells"]
    ]
    path.write_text(json.dumps({**RESULT, "cells": cells}), "utf-8")

    picture = drawn(tmp_path, path)

    assert picture.findall(f"{SVG}circle") == []
    assert "Only the floors" in picture.find(f"{SVG}desc").text
