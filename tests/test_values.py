"""Every op keeps the promise of its case, in every dtype and at every size."""

import numpy as np
import pytest

from numerics._core.op import OPS

from cases import SIZES
from cases.table import CASES

LOOPS = [
    pytest.param(case, letter, id=f"{name}-{letter}")
    for name, case in CASES.items()
    for letter in case.bound
]
SINGLE = [
    pytest.param(case, letter, id=f"{name}-{letter}")
    for name, case in CASES.items()
    for letter in "fF"
    if OPS[name].cpu is None
]


def outputs(case, problem):
    """Results of the op as a tuple."""
    result = OPS[case.name](*problem.arrays, **problem.static)
    return result if isinstance(result, tuple) else (result,)


def draws(case, letter, size):
    return case.draw(np.random.default_rng(size), letter, size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("case", "letter"), LOOPS)
def test_the_error_stays_below_the_promise(case, letter, size):
    problems = draws(case, letter, size)

    errors = [case.error(problem, outputs(case, problem)) for problem in problems]

    assert np.max(errors) <= case.bound[letter]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("case", "letter"), LOOPS)
def test_what_is_drawn_lies_in_the_domain(case, letter, size):
    problems = draws(case, letter, size)

    outside = [problem for problem in problems if not case.domain(problem)]

    assert problems
    assert outside == []


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_some_draw_is_smooth(case):
    problems = draws(case, "d", 3)

    assert any(case.smooth(problem) for problem in problems)


@pytest.mark.parametrize("size", [1, 3, 10])
@pytest.mark.parametrize(("case", "letter"), SINGLE)
def test_single_precision_is_double_precision_rounded_once(case, letter, size):
    (problem, *_) = draws(case, letter, size)
    wide = problem._replace(
        arrays=tuple(
            a.astype({"f": "d", "F": "D"}.get(a.dtype.char, a.dtype)) for a in problem.arrays
        )
    )

    single, double = outputs(case, problem), outputs(case, wide)

    rounded = [np.asarray(d).astype(s.dtype) for s, d in zip(single, double, strict=True)]
    assert [s.tobytes() for s in single] == [r.tobytes() for r in rounded]
