"""Whatever a program hands in, it gets back what NumPy would have given it."""

import inspect
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from numerics import linalg

from cases import agreement
from cases.inputs import NUMBERS, SIZES, STACKS, arrays, rectangles, squares, vectors, wrong

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")


def _is_not_finite(args, options):
    a = np.asarray(args[0])
    return a.dtype.kind in "fc" and not np.isfinite(a).all()


def _is_vector_of_a_rank_of_its_own(args, options):
    """NumPy ignores tolerances, NaN and infinity in a vector, and calls a text or a time 1."""
    (a,) = args
    if np.ndim(a) >= 2:
        return False
    kind = np.asarray(a).dtype.kind
    return bool(options) or kind in "MmU" or (kind in "fc" and not np.isfinite(a).all())


def holds(args, is_odd):
    """Is there such a number among inexact ones?"""
    arrays = [np.asarray(a) for a in args]
    return any(a.dtype.kind in "fc" and bool(is_odd(a).any()) for a in arrays)


def underflows(args):
    """Numbers whose squares are lost, in NumPy's norms."""
    return holds(args, lambda a: (a != 0) & (np.abs(a) < 1e-100))


BETTER = {
    # NaN for NaN and infinity, where NumPy gives NaN, numbers or an error, as LAPACK happens to.
    "eigh": _is_not_finite,
    "eigvalsh": _is_not_finite,
    "matrix_rank": _is_vector_of_a_rank_of_its_own,
    # Condition numbers of NaN are NaN for every p; NumPy's singular values raise.
    "cond": lambda args, options: underflows(args) or holds(args, np.isnan),
    "matrix_norm": lambda args, options: underflows(args),
    "norm": lambda args, options: underflows(args),
    # All of a matrix is one vector; the ravel of NumPy's matrix class keeps it a row.
    "vector_norm": lambda args, options: isinstance(args[0], np.matrix) or underflows(args),
    # The default tolerance of integers is that of double; NumPy asks for the eps of an integer.
    "pinv": lambda args, options: (
        options.get("rtol", 0) is None and np.asarray(args[0]).dtype.kind in "biuOMmU"
    ),
}
"""Calls in which numerics is better than NumPy on purpose, and which are not compared."""


IS_OLD = tuple(map(int, np.__version__.split(".")[:2])) < (2, 4)
CHANGED = {"cond", "matrix_norm", "matrix_rank", "norm", "vector_norm"} if IS_OLD else set()
"""Functions that gave errors for empty arrays, or complex conditions, before NumPy 2.4."""

MULTIPLIED = [*NUMBERS, "e", "g", "G", "O"]
"""Without times and strings, which dot and matmul refuse in different words."""


@st.composite
def positive_definite(draw):
    a = draw(squares(is_odd=st.just(False)))
    if not isinstance(a, np.ndarray) or a.dtype.char not in "fdFD":
        return a
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        return a
    return (a @ a.conj().swapaxes(-2, -1) + np.eye(a.shape[-1])).astype(a.dtype)


@st.composite
def systems(draw):
    n, k, stack = draw(SIZES), draw(SIZES), draw(STACKS)
    a = draw(arrays(draw(wrong((*stack, n, n)))))
    shapes = [(n,), (*stack, n, k), (n, k), (*draw(STACKS), n, k)]
    return a, draw(arrays(draw(wrong(draw(st.sampled_from(shapes))))))


@st.composite
def least_squares(draw):
    m, n, k = draw(SIZES), draw(SIZES), draw(SIZES)
    a = draw(arrays(draw(wrong((m, n)))))
    return a, draw(arrays(draw(wrong(draw(st.sampled_from([(m,), (m, k)]))))))


@st.composite
def products(draw):
    n, stack = draw(SIZES), draw(STACKS)
    left = draw(st.sampled_from([(n,), (*stack, draw(SIZES), n)]))
    right = draw(st.sampled_from([(n,), (*stack, n, draw(SIZES)), (n, draw(SIZES))]))
    return draw(arrays(draw(wrong(left)))), draw(arrays(draw(wrong(right))))


@st.composite
def pairs(draw, size=SIZES):
    shape = (*draw(STACKS), draw(size))
    return draw(arrays(draw(wrong(shape)))), draw(arrays(draw(wrong(shape))))


@st.composite
def chains(draw):
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, 4]), min_size=2, max_size=5))
    shapes = list(pairwise(sizes))
    shapes[0] = draw(st.sampled_from([shapes[0], shapes[0][1:]]))
    if len(shapes) > 1:
        shapes[-1] = draw(st.sampled_from([shapes[-1], shapes[-1][:1]]))
    return ([draw(arrays(draw(wrong(shape)), letters=MULTIPLIED)) for shape in shapes],)


@st.composite
def tensors(draw):
    inner, left, right = draw(st.sampled_from([(2,), (2, 3), ()])), (4,), (3, 2)
    a = draw(arrays(draw(wrong(left + inner)), letters=MULTIPLIED))
    return a, draw(arrays(draw(wrong(inner + right)), letters=MULTIPLIED))


def one(strategy):
    return strategy.map(lambda a: (a,))


def shaped(*shapes):
    return st.sampled_from(shapes).flatmap(lambda shape: arrays(shape))


UPLO = {"UPLO": ["L", "U", "l", "u", "X"]}
AXIS = {"axis": [-1, 0, 1, 5]}
BOOL = [False, True]
ORDERS = [None, 2, -2, 1, -1, np.inf, -np.inf, "fro", "nuc", 0, 3, 0.5, "unknown"]
TOLERANCE = [1e-10, 0.5, np.float32(0.1)]
FUNCTIONS = {
    "cholesky": (one(positive_definite()), {"upper": BOOL}),
    "cond": (one(squares() | rectangles()), {"p": ORDERS}),
    "cross": (pairs(st.sampled_from([3, 3, 3, 2])), AXIS),
    "det": (one(squares()), {}),
    "diagonal": (one(rectangles()), {"offset": [0, 1, -2, 9]}),
    "eig": (one(squares()), {}),
    "eigh": (one(squares()), UPLO),
    "eigvals": (one(squares()), {}),
    "eigvalsh": (one(squares()), UPLO),
    "inv": (one(squares()), {}),
    "lstsq": (least_squares(), {"rcond": [None, -1, *TOLERANCE]}),
    "matmul": (products(), {}),
    "matrix_norm": (one(rectangles()), {"ord": ORDERS[1:], "keepdims": BOOL}),
    "matrix_power": (st.tuples(squares(), st.sampled_from([0, 1, 2, 3, 5, -1, -2, 2.5])), {}),
    "matrix_rank": (
        one(rectangles()),
        {"tol": TOLERANCE, "rtol": TOLERANCE, "hermitian": [False]},
    ),
    "matrix_transpose": (one(rectangles()), {}),
    "multi_dot": (chains(), {}),
    "norm": (
        one(rectangles() | vectors()),
        {"ord": ORDERS, "axis": [None, 0, -1, (0, 1), (-1, -2), (0, 0), 1.5, 7], "keepdims": BOOL},
    ),
    "outer": (st.tuples(shaped((3,), (0,), (2, 2)), shaped((2,), (3,), ())), {}),
    "pinv": (one(rectangles()), {"rcond": TOLERANCE, "rtol": [None, *TOLERANCE]}),
    "qr": (one(rectangles()), {"mode": ["reduced", "complete", "r", "raw", "full", "unknown"]}),
    "slogdet": (one(squares()), {}),
    "solve": (systems(), {}),
    "svd": (one(rectangles()), {"full_matrices": BOOL, "compute_uv": BOOL, "hermitian": [False]}),
    "svdvals": (one(rectangles()), {}),
    "tensordot": (tensors(), {"axes": [0, 1, 2, 3, ([1], [0]), ([0, 1], [0]), (1, 0)]}),
    "tensorinv": (one(shaped((6, 2, 3), (2, 3, 6), (4, 2), (2, 2))), {"ind": [1, 2, 0, -1]}),
    "tensorsolve": (
        st.tuples(shaped((2, 3, 6), (3, 2, 2, 3), (2, 6, 3)), shaped((2, 3), (3, 2), (6,))),
        {"axes": [None, (1,), (0,)]},
    ),
    "trace": (one(rectangles()), {"offset": [0, 1, -2, 9], "dtype": [None, "d", "D"]}),
    "vecdot": (pairs(), AXIS),
    "vector_norm": (
        one(vectors()),
        {"ord": [2, 1, np.inf, -np.inf, 0, 3, 0.5], "axis": [None, 0, -1, (0, 1), 7],
         "keepdims": BOOL},
    ),
}  # fmt: skip
"""How to draw the arguments of a function, and what its options may be."""

by_name = pytest.mark.parametrize("name", FUNCTIONS)


@st.composite
def calls(draw, name):
    """Arguments and options of one call."""
    strategy, options = FUNCTIONS[name]
    chosen = [option for option in options if draw(st.booleans())]
    return draw(strategy), {option: draw(st.sampled_from(options[option])) for option in chosen}


def test_every_function_is_compared():
    assert {*FUNCTIONS, "LinAlgError"} == set(np.linalg.__all__) & set(linalg.__all__)


@by_name
def test_every_option_is_one_of_the_function(name):
    assert set(FUNCTIONS[name][1]) <= set(inspect.signature(getattr(linalg, name)).parameters)


@by_name
@given(data=st.data())
def test_results_and_errors_are_those_of_numpy(name, data):
    args, options = data.draw(calls(name))
    parts = args[0] if name == "multi_dot" else args
    assume(not (name in BETTER and BETTER[name](args, options)))
    assume(not agreement.may_not_end(name, parts))
    assume(not agreement.is_infinite_half(name, parts))
    assume(not agreement.is_delicate(parts))

    ours = agreement.outcome(getattr(linalg, name), args, options)
    theirs = agreement.outcome(getattr(np.linalg, name), args, options)

    if name in CHANGED and (not isinstance(ours, Exception) or "zero-size" in str(theirs)):
        return
    if isinstance(theirs, Exception):
        assert agreement.errors_agree(ours, theirs, parts), f"{ours!r} is not {theirs!r}"
    else:
        assert agreement.faces(ours) == agreement.faces(theirs)
        if agreement.is_plain(parts):
            assert agreement.values_agree(name, parts, ours, theirs)
