"""The faces of the functions: names, signatures, static parameters and docstrings."""

import doctest
import inspect
import re

import numpy as np
import pytest

from numerics import _kernels, linalg
from numerics._core import layers
from numerics._core.op import OPS
from numerics._core.public import FUNCTIONS

SIGNATURES = {  # of NumPy 2.4
    "cholesky": "(a, /, *, upper=False)",
    "cond": "(x, p=None)",
    "cross": "(x1, x2, /, *, axis=-1)",
    "det": "(a)",
    "diagonal": "(x, /, *, offset=0)",
    "eig": "(a)",
    "eigh": "(a, UPLO='L')",
    "eigvals": "(a)",
    "eigvalsh": "(a, UPLO='L')",
    "inv": "(a)",
    "lstsq": "(a, b, rcond=None)",
    "matmul": "(x1, x2, /)",
    "matrix_norm": "(x, /, *, keepdims=False, ord='fro')",
    "matrix_power": "(a, n)",
    "matrix_rank": "(A, tol=None, hermitian=False, *, rtol=None)",
    "matrix_transpose": "(x, /)",
    "multi_dot": "(arrays, *, out=None)",
    "norm": "(x, ord=None, axis=None, keepdims=False)",
    "outer": "(x1, x2, /)",
    "pinv": "(a, rcond=None, hermitian=False, *, rtol=<no value>)",
    "qr": "(a, mode='reduced')",
    "slogdet": "(a)",
    "solve": "(a, b)",
    "svd": "(a, full_matrices=True, compute_uv=True, hermitian=False)",
    "svdvals": "(x, /)",
    "tensordot": "(x1, x2, /, *, axes=2)",
    "tensorinv": "(a, ind=2)",
    "tensorsolve": "(a, b, axes=None)",
    "trace": "(x, /, *, offset=0, dtype=None)",
    "vecdot": "(x1, x2, /, *, axis=-1)",
    "vector_norm": "(x, /, *, axis=None, keepdims=False, ord=2)",
}

ADDED = {
    "svd": ", *, driver=None)",
    "svdvals": ", *, driver=None)",
}
"""What our signature has behind NumPy's: the end of ours where NumPy's has its parenthesis."""

OWN = {
    "cholesky_ex": "(A, *, upper=False, check_errors=False)",
    "cholesky_solve": "(B, L, upper=False)",
    "inv_ex": "(A, *, check_errors=False)",
    "ldl_factor": "(A, *, hermitian=False)",
    "ldl_solve": "(LD, pivots, B, *, hermitian=False)",
    "lu": "(a, permute_l=False, overwrite_a=False, check_finite=False, p_indices=False)",
    "lu_factor": "(a, overwrite_a=False, check_finite=False)",
    "lu_solve": "(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=False)",
    "solve_ex": "(A, B, *, left=True, check_errors=False)",
    "solve_triangular": "(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, "
    "check_finite=False)",
    "householder_product": "(A, tau)",
    "vander": "(x, /, *, N=None)",
    "null_space": "(A, rcond=None, *, rtol=None)",
    "orth": "(A, rcond=None, *, rtol=None)",
    "expm": "(A)",
    "matrix_exp": "(A)",
    "sqrtm": "(A)",
}
"""Signatures of the functions that NumPy lacks: torch's, SciPy's or the Array API's."""

MATRIX = np.array([[4.0, 1.0], [1.0, 3.0]])
FACTORS = (MATRIX, np.array([0, 1], "i"))
CALLS = {
    "linalg.cholesky_ex": lambda: linalg.cholesky_ex(MATRIX),
    "linalg.cholesky_solve": lambda: linalg.cholesky_solve(MATRIX, MATRIX),
    "linalg.inv_ex": lambda: linalg.inv_ex(MATRIX),
    "linalg.ldl_factor": lambda: linalg.ldl_factor(MATRIX),
    "linalg.ldl_solve": lambda: linalg.ldl_solve(MATRIX, [1, 2], MATRIX),
    "linalg.lu": lambda: linalg.lu(MATRIX),
    "linalg.lu_factor": lambda: linalg.lu_factor(MATRIX),
    "linalg.lu_solve": lambda: linalg.lu_solve(FACTORS, MATRIX),
    "linalg.solve_ex": lambda: linalg.solve_ex(MATRIX, MATRIX),
    "linalg.solve_triangular": lambda: linalg.solve_triangular(MATRIX, MATRIX),
    "linalg.cholesky": lambda: linalg.cholesky(MATRIX),
    "linalg.det": lambda: linalg.det(MATRIX),
    "linalg.eig": lambda: linalg.eig(MATRIX),
    "linalg.eigh": lambda: linalg.eigh(MATRIX, "u"),
    "linalg.eigvals": lambda: linalg.eigvals(MATRIX),
    "linalg.eigvalsh": lambda: linalg.eigvalsh(MATRIX),
    "linalg.householder_product": lambda: linalg.householder_product(MATRIX, MATRIX[0]),
    "linalg.inv": lambda: linalg.inv(MATRIX),
    "linalg.lstsq": lambda: linalg.lstsq(MATRIX, MATRIX),
    "linalg.matrix_norm": lambda: linalg.matrix_norm(MATRIX),
    "linalg.matrix_exp": lambda: linalg.matrix_exp(MATRIX),
    "linalg.qr.complete": lambda: linalg.qr(MATRIX, "complete"),
    "linalg.qr.r": lambda: linalg.qr(MATRIX, "r"),
    "linalg.qr.raw": lambda: linalg.qr(MATRIX, "raw"),
    "linalg.qr.reduced": lambda: linalg.qr(MATRIX),
    "linalg.slogdet": lambda: linalg.slogdet(MATRIX),
    "linalg.solve": lambda: linalg.solve(MATRIX, MATRIX),
    "linalg.sqrtm": lambda: linalg.sqrtm(MATRIX),
    "linalg.svd": lambda: linalg.svd(MATRIX, full_matrices=False),
    "linalg.svd.full": lambda: linalg.svd(MATRIX),
    "linalg.svdvals": lambda: linalg.svdvals(MATRIX),
    "linalg.vector_norm": lambda: linalg.vector_norm(MATRIX),
}
"""A public call that reaches each compiled op."""

numpy_is_new = tuple(map(int, np.__version__.split(".")[:2])) >= (2, 4)


def described(function):
    """The signature as text, without annotations."""
    signature = inspect.signature(function)
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(inspect.Signature(bare))


def test_all_names_are_those_of_numpy_and_our_own():
    assert sorted(linalg.__all__) == sorted([*SIGNATURES, *OWN, "LinAlgError"])


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_are_those_of_numpy(name):
    numpys = SIGNATURES[name].removesuffix(")") + ADDED.get(name, ")")

    assert described(getattr(linalg, name)) == numpys


@pytest.mark.parametrize("name", OWN)
def test_signatures_of_what_numpy_lacks_are_those_that_are_listed(name):
    assert described(getattr(linalg, name)) == OWN[name]
    assert not hasattr(np.linalg, name)


def test_the_table_of_signatures_is_that_of_the_installed_numpy_if_that_is_new():
    installed = {name: described(getattr(np.linalg, name)) for name in SIGNATURES}

    assert installed == SIGNATURES or not numpy_is_new


def test_no_name_of_the_installed_numpy_is_missing():
    assert set(np.linalg.__all__) <= set(linalg.__all__)


def test_the_error_is_that_of_numpy():
    assert linalg.LinAlgError is np.linalg.LinAlgError


@pytest.mark.parametrize("name", [*SIGNATURES, *OWN])
def test_a_function_says_where_it_is_public(name):
    function = getattr(linalg, name)

    own_name = {"expm": "matrix_exp"}.get(name, name)
    assert (function.__module__, function.__name__) == ("numerics.linalg", own_name)


# --- Static parameters --------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name, op in OPS.items() if op.cpu is None])
def test_public_functions_pass_the_static_parameters_that_the_kernel_names(name):
    seen = []

    def watch(op, arrays, static, next):
        seen.append((op.name, tuple(static)))
        return next(op, arrays, static)

    with layers.here("profiler", watch):
        CALLS[name]()

    assert seen == [(name, _kernels.native_kernels()[OPS[name].kernel])]


# --- Docstrings ---------------------------------------------------------------------------------

by_function = pytest.mark.parametrize(("name", "function"), FUNCTIONS.items(), ids=FUNCTIONS)


def section(function, title):
    """The text of a numpydoc section, or None."""
    doc = inspect.cleandoc(function.__doc__)
    found = re.search(rf"^{title}\n-{{{len(title)}}}\n(.*?)(?=^\w+\n-+\n|\Z)", doc, re.M | re.S)
    return found and found[1]


@by_function
@pytest.mark.parametrize("title", ["Parameters", "Returns", "Raises", "Examples"])
def test_the_docstring_has_every_section(name, function, title):
    assert section(function, title)


@pytest.mark.parametrize("name", [*SIGNATURES, *OWN])
def test_the_docstring_begins_with_one_line(name):
    first, second, *_ = inspect.cleandoc(getattr(linalg, name).__doc__).split("\n")

    assert first.endswith(".")
    assert second == ""


@pytest.mark.parametrize("name", [*SIGNATURES, *OWN])
def test_the_docstring_lists_the_parameters_of_the_signature(name):
    function = getattr(linalg, name)

    listed = re.findall(r"^([\w, ]+) : ", section(function, "Parameters"), re.MULTILINE)

    assert ", ".join(listed).split(", ") == list(inspect.signature(function).parameters)


@by_function
def test_the_examples_run(name, function):
    text = section(function, "Examples")
    examples = doctest.DocTestParser().get_doctest(text, {}, name, None, None)

    failed, tried = doctest.DocTestRunner(verbose=False).run(examples)

    assert tried > 0
    assert failed == 0
