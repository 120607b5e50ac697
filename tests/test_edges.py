"""Results that are known to the bit: empty and singular matrices, poles, zeros, infinities."""

import numpy as np
import pytest

from numerics._core.op import OPS

from cases.table import CASES

EDGES = [
    pytest.param(name, edge, id=f"{name}-{number}")
    for name, case in CASES.items()
    for number, edge in enumerate(case.edges)
]


def bits(x):
    """Dtype, shape, values and signs; every NaN counts as the same."""
    x = np.asarray(x)
    parts = (x.real, x.imag) if x.dtype.kind == "c" else (x,)
    signs = [np.signbit(part) & ~np.isnan(part) for part in parts]
    return x.dtype, x.shape, [repr(part.tolist()) for part in parts], [s.tolist() for s in signs]


@pytest.mark.parametrize(("name", "edge"), EDGES)
def test_the_result_at_an_edge_is_exact(name, edge):
    result = OPS[name](*edge.arrays, **edge.static)

    found = result if isinstance(result, tuple) else (result,)
    assert [bits(x) for x in found] == [bits(x) for x in edge.expected]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_case_knows_an_edge(case):
    assert case.edges
