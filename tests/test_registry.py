"""The tables agree with each other: ops, cases, kernels and public names."""

import re
from pathlib import Path

import numpy as np
import pytest

from numerics import _kernels, linalg, special
from numerics._core import op as records
from numerics._core.backends import cpu_kernels
from numerics._core.errors import function
from numerics._core.op import HOT_PATHS, OPS
from numerics._core.public import FUNCTIONS
from numerics._core.rules import NotDifferentiable, Partials
from numerics._core.signature import parse

from cases import SIZES
from cases.table import CASES

KERNELS = Path(__file__).parent.parent / "kernels"

COMPOSITIONS = {
    "linalg.cond": "norms of a matrix and of its inverse, or singular values",
    "linalg.diagonal": "a view",
    "linalg.matrix_power": "products and an inverse",
    "linalg.matrix_rank": "a count of singular values",
    "linalg.matrix_transpose": "a view",
    "linalg.multi_dot": "products in the cheapest order",
    "linalg.norm": "vector_norm, matrix_norm or singular values, by its arguments",
    "linalg.null_space": "right singular vectors",
    "linalg.orth": "left singular vectors",
    "linalg.pinv": "singular values and products",
    "linalg.tensordot": "a product of reshaped arrays",
    "linalg.tensorinv": "the inverse of a reshaped array",
    "linalg.tensorsolve": "a solution of reshaped arrays",
    "linalg.vander": "powers of numbers",
}
"""Public functions that have no op, and why."""

ALIASES = {"linalg.expm": "linalg.matrix_exp"}
"""Second names of the same object."""

by_op = pytest.mark.parametrize("op", OPS.values(), ids=OPS)
by_loop = pytest.mark.parametrize(
    ("name", "word"),
    [(name, word) for name, op in OPS.items() for word in op.dtypes.split()],
)


def rows_of_functions_def():
    text = (KERNELS / "functions.def").read_text()
    return re.findall(r"^\s*FUNCTION\((\w+)", text, re.MULTILINE)


def test_every_op_has_a_case_and_every_case_an_op():
    assert set(CASES) == set(OPS)


def test_every_case_promises_a_bound_for_exactly_the_loops_of_its_op():
    promised = {name: set(case.bound) for name, case in CASES.items()}

    assert promised == {name: {w[0] for w in op.dtypes.split()} for name, op in OPS.items()}


def test_special_ops_are_the_rows_of_functions_def():
    ops = [op.kernel for name, op in OPS.items() if name.startswith("special.")]

    assert sorted(ops) == sorted(rows_of_functions_def())


def test_the_extension_holds_the_rows_of_functions_def():
    assert _kernels.elementwise_names() == rows_of_functions_def()


def test_public_names_are_ops_or_written_compositions():
    public = {f"linalg.{name}" for name in linalg.__all__ if name != "LinAlgError"}
    public |= {f"special.{name}" for name in special.__all__}

    assert public - set(COMPOSITIONS) - set(ALIASES) == {function(op) for op in OPS.values()}
    assert set(COMPOSITIONS) <= public


def test_public_names_are_the_functions_that_signed_in():
    public = {f"linalg.{name}" for name in linalg.__all__ if name != "LinAlgError"}
    public |= {f"special.{name}" for name in special.__all__}

    assert set(FUNCTIONS) == public - set(ALIASES)


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_an_alias_is_the_same_object(alias, name):
    assert getattr(linalg, alias.partition(".")[2]) is FUNCTIONS[name]


# --- The fields of an op ------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "op"), OPS.items(), ids=OPS)
def test_an_op_stands_under_its_own_name(name, op):
    assert op.name == name


@by_op
def test_the_kernel_is_in_the_table_of_the_cpu(op):
    assert op.cpu is cpu_kernels[op.kernel]


@by_op
def test_the_kernel_is_compiled_exactly_if_it_is_no_callable(op):
    assert (op.cpu is None) == (op.kernel in _kernels.native_kernels())


@pytest.mark.parametrize(("name", "hot_path"), HOT_PATHS.items(), ids=HOT_PATHS)
def test_a_hot_path_is_that_of_a_composition(name, hot_path):
    assert name in COMPOSITIONS
    assert FUNCTIONS[name]._op is hot_path


def test_every_compiled_kernel_serves_an_op_or_a_hot_path():
    used = {op.kernel for op in (*OPS.values(), *HOT_PATHS.values())}

    assert set(_kernels.native_kernels()) | set(_kernels.elementwise_names()) <= used


@by_op
def test_the_signature_is_in_the_notation(op):
    operand = r"\((?:[a-z0-9]\??(?:,[a-z0-9]\??)*)?\)"

    assert re.fullmatch(rf"{operand}(,{operand})*->{operand}(,{operand})*", op.signature)


@by_op
def test_a_dimension_that_only_results_name_is_the_smaller_of_m_and_n(op):
    shapes = parse(op.signature)
    given = {d.rstrip("?") for shape in shapes.inputs for d in shape}
    made = {d.rstrip("?") for shape in shapes.outputs for d in shape}

    assert made - given in (set(), {"k"})
    assert "k" not in made - given or {"m", "n"} <= given


@by_op
def test_every_loop_has_one_letter_per_operand(op):
    shapes = parse(op.signature)
    letter = "[?bBhHiIlLqQefdgFDGO]"
    loop = rf"{letter}{{{len(shapes.inputs)}}}->{letter}{{{len(shapes.outputs)}}}"

    assert all(re.fullmatch(loop, word) for word in op.dtypes.split())


@by_op
def test_the_arrays_of_a_loop_are_of_one_dtype_or_integers(op):
    inputs = [word.partition("->")[0] for word in op.dtypes.split()]

    assert all(set(letters[1:]) <= {letters[0], "i"} for letters in inputs)


@by_op
def test_determinism_is_one_of_the_known_words(op):
    assert op.determinism in (records.BITWISE, records.PER_THREAD_COUNT)


@by_op
def test_the_rule_is_one_partial_per_argument_or_says_why_there_is_none(op):
    arguments = len(parse(op.signature).inputs)

    if isinstance(op.rule, Partials):
        assert len(op.rule.partials) == arguments
    else:
        assert isinstance(op.rule, NotDifferentiable)
        assert op.rule.why


@by_op
def test_a_named_result_has_a_field_per_output(op):
    fields = getattr(op.result_type, "_fields", None)

    assert fields is None or len(fields) == len(parse(op.signature).outputs)


# --- Loops --------------------------------------------------------------------------------------


def numpy_kernel(op):
    """The function that a kernel is, or that it is a shortcut to."""
    return getattr(op.cpu, "fallback", op.cpu)


@pytest.mark.parametrize(
    "op", [o for o in OPS.values() if isinstance(numpy_kernel(o), np.ufunc)], ids=repr
)
def test_loops_are_those_of_the_ufunc(op):
    assert op.dtypes.split() == list(numpy_kernel(op).types)


@pytest.mark.parametrize("name", special.__all__)
def test_loops_are_those_of_the_public_ufunc(name):
    assert OPS[f"special.{name}"].dtypes.split() == getattr(special, name).types


@by_loop
def test_results_have_the_dtype_that_the_loop_names(name, word):
    (problem, *_) = CASES[name].draw(np.random.default_rng(2), word[0], SIZES[2])

    result = OPS[name](*problem.arrays, **problem.static)

    results = result if isinstance(result, tuple) else (result,)
    found = "".join("O" if word[-1] == "O" else np.asarray(r).dtype.char for r in results)
    assert found == word.partition("->")[2]
