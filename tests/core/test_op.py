"""An op is a record of six facts and refuses what cannot be one."""

import numpy as np
import pytest

from numerics import _kernels
from numerics._core.op import BITWISE, OPS, op
from numerics._core.rules import UNWRITTEN

FACTS = {
    "kernel": "det",
    "signature": "(n,n)->()",
    "dtypes": "f->f d->d",
    "determinism": BITWISE,
    "rule": UNWRITTEN,
}


@pytest.fixture
def made():
    """Make an op under a name of the test's own, which is taken out afterwards."""
    yield lambda **facts: op("test.op", **(FACTS | facts))
    OPS.pop("test.op", None)


def test_an_op_holds_its_facts(made):
    record = made()

    assert record.name == "test.op"
    assert {field: getattr(record, field) for field in FACTS} == FACTS


def test_an_op_is_entered_in_the_table(made):
    assert made() is OPS["test.op"]


def test_an_op_runs_its_kernel(made):
    assert made()(np.diag([2.0, 3.0])) == 6


def test_an_op_takes_only_the_loops_it_names(made):
    record = made(dtypes="d->d")

    assert record.run(np.eye(2, dtype=np.complex128)) is NotImplemented


def test_an_op_says_what_it_is(made):
    assert repr(made()) == "<op test.op (n,n)->()>"


@pytest.mark.parametrize("field", ["name", "kernel", "signature", "dtypes", "rule", "cpu"])
def test_a_fact_cannot_be_changed(made, field):
    record = made()

    with pytest.raises(AttributeError, match="readonly"):
        setattr(record, field, None)


def test_a_name_is_given_once(made):
    made()

    with pytest.raises(ValueError, match=r"op test\.op exists"):
        made()


@pytest.mark.parametrize(
    ("facts", "error", "words"),
    [
        ({"kernel": "unheard_of"}, LookupError, "the cpu backend has no kernel unheard_of"),
        ({"determinism": "mostly"}, ValueError, "unknown determinism 'mostly'"),
        ({"rule": None}, TypeError, "None is no rule"),
        ({"rule": lambda x: x}, TypeError, "is no rule"),
        ({"dtypes": ""}, ValueError, "no loops"),
        ({"dtypes": "d->dd"}, ValueError, r"loop d->dd does not fit \(n,n\)->\(\)"),
        ({"dtypes": "dd->d"}, ValueError, "loop dd->d does not fit"),
        ({"dtypes": "x->x"}, ValueError, "cannot be compiled"),
        ({"signature": "(n,n,n)->()"}, ValueError, "cannot be compiled"),
        ({"signature": "(n,n)->(q)"}, ValueError, "cannot be compiled"),
    ],
)
def test_a_bad_fact_is_refused(made, facts, error, words):
    with pytest.raises(error, match=words):
        made(**facts)


@pytest.mark.parametrize("facts", [{"dtypes": "x->x"}, {"signature": "(n,n)->(q)"}, {"rule": 1}])
def test_a_refused_op_is_not_entered(made, facts):
    with pytest.raises((TypeError, ValueError)):
        made(**facts)

    assert "test.op" not in OPS


@pytest.mark.parametrize("field", FACTS)
def test_no_fact_has_a_default(field):
    facts = {key: value for key, value in FACTS.items() if key != field}

    with pytest.raises(TypeError, match=field):
        op("test.op", **facts)


def test_a_static_parameter_that_the_kernel_lacks_is_an_error():
    with pytest.raises(TypeError, match=r"linalg\.det: static parameters .*upper"):
        OPS["linalg.det"](np.eye(2), upper=True)


def test_the_type_cannot_be_made_without_facts():
    with pytest.raises(TypeError):
        _kernels.Op()
