"""The gpu backend: on the stand-in of fake_gpu everywhere, on a real GPU with ``pytest -m gpu``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import fake_gpu
from numerics import linalg, special
from numerics._core.op import OPS


@contextmanager
def _real() -> Iterator[ModuleType]:
    import cupy

    yield cupy


@pytest.fixture(
    params=[
        pytest.param(fake_gpu.installed, id="fake"),
        pytest.param(_real, id="real", marks=pytest.mark.gpu),
    ]
)
def cupy(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    with request.param() as module:
        yield module


RNG = np.random.default_rng(20)
A = RNG.normal(size=(3, 4, 4))
S = A @ A.swapaxes(-1, -2) + np.eye(4)
B = RNG.normal(size=(3, 4, 2))
TALL = RNG.normal(size=(5, 3))
V = RNG.normal(size=(6, 3))
SINGULAR = np.array([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]]])
WITH_NAN = np.stack([S[0], S[1] * np.array([[1, 1, np.nan, 1]]).T, S[2]])

CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "solve": (linalg.solve, (A, B)),
    "solve of a vector": (linalg.solve, (A, B[0, :, 0])),
    "solve broadcasts": (linalg.solve, (A[0], B)),
    "solve of integers": (linalg.solve, (np.array([[1, 2], [3, 5]]), np.array([1, 2]))),
    "inv": (linalg.inv, (A,)),
    "det": (linalg.det, (A,)),
    "slogdet": (linalg.slogdet, (A,)),
    "cholesky": (linalg.cholesky, (S,)),
    "cholesky upper": (lambda a: linalg.cholesky(a, upper=True), (S,)),
    "eigvalsh": (linalg.eigvalsh, (S,)),
    "eigvalsh upper": (lambda a: linalg.eigvalsh(a, "U"), (S,)),
    "svdvals": (linalg.svdvals, (TALL,)),
    "matrix_rank": (linalg.matrix_rank, (np.stack([TALL, 0 * TALL]),)),
    "matrix_rank hermitian": (lambda a: linalg.matrix_rank(a, hermitian=True), (S,)),
    "pinv": (linalg.pinv, (TALL,)),
    "pinv hermitian": (lambda a: linalg.pinv(a, hermitian=True), (S,)),
    "pinv at the limits": (linalg.pinv, (np.array([[3e-309], [4e-309]]),)),
    "svdvals by gesvd": (lambda a: linalg.svdvals(a, driver="gesvd"), (TALL,)),
    "null_space rank": (lambda a: linalg.null_space(a).rank, (TALL.T,)),
    "orth rank": (lambda a: linalg.orth(a).rank, (TALL,)),
    "qr r": (lambda a: linalg.qr(a, "r"), (TALL,)),
    "qr raw": (lambda a: linalg.qr(a, "raw"), (TALL,)),
    "lstsq": (linalg.lstsq, (TALL, V[:5])),
    "lstsq of a stack": (linalg.lstsq, (np.stack([TALL, 0 * TALL]), V[:5])),
    "lstsq by tolerances": (
        lambda a, b: linalg.lstsq(a, b, rcond=[1e-10, 0.9]),
        (np.stack([TALL, TALL]), V[:5]),
    ),
    "cond": (linalg.cond, (A,)),
    "cond 1": (lambda a: linalg.cond(a, 1), (A,)),
    "cond of a singular matrix": (lambda a: linalg.cond(a, 1), (SINGULAR,)),
    "norm": (linalg.norm, (TALL,)),
    "norm by rows": (lambda x: linalg.norm(x, axis=1), (TALL,)),
    "norm inf": (lambda x: linalg.norm(x, np.inf), (TALL,)),
    "norm 3": (lambda x: linalg.norm(x, 3, axis=0), (TALL,)),
    "norm nuc": (lambda x: linalg.norm(x, "nuc"), (TALL,)),
    "norm 2": (lambda x: linalg.norm(x, 2, axis=(-2, -1)), (A,)),
    "matrix_norm": (linalg.matrix_norm, (A,)),
    "norm of half precision": (linalg.norm, (TALL.astype(np.float16),)),
    "norm of large numbers": (lambda x: linalg.norm(x, axis=1), (1e200 * TALL,)),
    "vector_norm": (lambda x: linalg.vector_norm(x, axis=(0, 1), keepdims=True), (A,)),
    "matmul": (linalg.matmul, (A, B)),
    "vecdot": (linalg.vecdot, (TALL, TALL)),
    "outer": (linalg.outer, (V[0], V[1])),
    "cross": (linalg.cross, (V, V[::-1].copy())),
    "trace": (linalg.trace, (A,)),
    "diagonal": (linalg.diagonal, (A,)),
    "matrix_transpose": (linalg.matrix_transpose, (A,)),
    "matrix_power": (lambda a: linalg.matrix_power(a, -2), (A,)),
    "matrix_power 0": (lambda a: linalg.matrix_power(a, 0), (A,)),
    "multi_dot": (lambda *a: linalg.multi_dot(a), (A[0], A[1], A[2])),
    "tensordot": (linalg.tensordot, (A, A.swapaxes(0, 2).copy())),
    "tensorsolve": (linalg.tensorsolve, (A[0].reshape(2, 2, 4), B[0, :, 0].reshape(2, 2))),
    "tensorinv": (linalg.tensorinv, (A[0].reshape(2, 2, 4),)),
    "erfcx": (special.erfcx, (V,)),
    # What NumPy lacks.
    "solve_triangular": (linalg.solve_triangular, (A, B)),
    "solve_triangular of a vector": (linalg.solve_triangular, (A[0], B[0, :, 0])),
    "solve_triangular lower": (
        lambda a, b: linalg.solve_triangular(a, b, trans="T", lower=True, unit_diagonal=True),
        (A, B),
    ),
    "solve_triangular of nothing": (linalg.solve_triangular, (A[:, :0, :0], B[:, :0])),
    "lu": (linalg.lu, (A,)),
    "lu of a tall matrix": (linalg.lu, (TALL,)),
    "lu of a wide matrix": (lambda a: linalg.lu(a, p_indices=True), (TALL.T.copy(),)),
    "lu permuted": (lambda a: linalg.lu(a, permute_l=True), (A,)),
    "lu without columns": (linalg.lu, (A[:, :, :0],)),
    "lu_factor": (linalg.lu_factor, (A,)),
    "lu_factor of a singular matrix": (linalg.lu_factor, (SINGULAR,)),
    "lu_solve": (lambda a, b: linalg.lu_solve(linalg.lu_factor(a), b), (A, B)),
    "lu_solve transposed": (
        lambda a, b: linalg.lu_solve(linalg.lu_factor(a), b, trans=1),
        (A, B[0, :, 0]),
    ),
    "cholesky_solve": (linalg.cholesky_solve, (B, S)),
    "cholesky_solve upper": (lambda b, a: linalg.cholesky_solve(b, a, upper=True), (B, S)),
    "householder_product": (linalg.householder_product, (A[..., :3], V[:3])),
    "inv_ex": (linalg.inv_ex, (SINGULAR,)),
    "inv_ex of one matrix": (linalg.inv_ex, (A[0],)),
    "solve_ex": (linalg.solve_ex, (SINGULAR, B[0, :2])),
    "solve_ex of a vector": (linalg.solve_ex, (SINGULAR, B[0, 0])),
    "cholesky_ex": (
        linalg.cholesky_ex,
        (np.stack([S[0], -S[1], S[2] - 9 * np.diag([0, 0, 9, 0])]),),
    ),
    "matrix_exp": (linalg.matrix_exp, (A,)),
    "matrix_exp of large numbers": (linalg.matrix_exp, (np.diag([-2e6, 0.0, 3.0, 700.0]),)),
    "matrix_exp of NaN": (linalg.matrix_exp, (np.stack([A[0], A[1] * np.nan]),)),
    "vander": (linalg.vander, (V,)),
    # Matrices that hold NaN or infinity, among others.
    "cholesky of NaN": (linalg.cholesky, (WITH_NAN.swapaxes(-2, -1).copy(),)),
    "eigvalsh of NaN": (linalg.eigvalsh, (WITH_NAN,)),
    "svdvals of infinity": (linalg.svdvals, (np.stack([A[0], A[1] + np.inf]),)),
}


def on_host(result: Any) -> Any:
    return tuple(map(on_host, result)) if isinstance(result, tuple) else result.get()


@pytest.mark.parametrize("name", CALLS)
def test_a_gpu_array_gives_the_cpu_s_result_on_the_gpu(cupy: ModuleType, name: str) -> None:
    function, arguments = CALLS[name]

    result = function(*map(cupy.asarray, arguments))

    expected = function(*arguments)
    pairs = (
        zip(result, expected, strict=True) if isinstance(result, tuple) else [(result, expected)]
    )
    for got, want in pairs:
        np.testing.assert_allclose(on_host(got), want, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("function", [linalg.eigh, linalg.svd, linalg.qr, linalg.eig])
def test_vectors_come_back_with_numpy_s_result_type(cupy: ModuleType, function: Any) -> None:
    result = function(cupy.asarray(S))

    assert type(result).__name__ == type(function(S)).__name__
    assert all(isinstance(part, cupy.ndarray) for part in result)


@pytest.mark.parametrize("function", [linalg.svd, linalg.svdvals])
def test_the_gpu_says_that_it_has_no_rotations(cupy: ModuleType, function: Any) -> None:
    with pytest.raises(NotImplementedError, match="the gpu backend has no driver 'jacobi'"):
        function(cupy.asarray(A), driver="jacobi")


def test_the_bases_of_null_space_and_range_are_made_on_the_gpu(cupy: ModuleType) -> None:
    null, _ = linalg.null_space(cupy.asarray(TALL.T))
    basis, _ = linalg.orth(cupy.asarray(TALL))

    np.testing.assert_allclose(TALL.T @ null.get(), 0, atol=1e-14)
    np.testing.assert_allclose(basis.get() @ (basis.get().T @ TALL), TALL, atol=1e-14)


@pytest.mark.parametrize("complete", ["reduced", "complete"])
def test_qr_on_the_gpu_reconstructs_its_input(cupy: ModuleType, complete: str) -> None:
    Q, R = linalg.qr(cupy.asarray(TALL), complete)

    np.testing.assert_allclose(Q.get() @ R.get(), TALL, atol=1e-14)


@pytest.mark.parametrize(
    ("function", "argument", "words"),
    [
        (linalg.inv, SINGULAR, "ingular"),
        (lambda a: linalg.solve(a, a), SINGULAR, "ingular"),
        (linalg.cholesky, -S, "positive definite"),
        (linalg.svd, np.full((2, 2), np.nan), "SVD did not converge"),
        (linalg.svdvals, np.full((2, 2), np.nan), "SVD did not converge"),
        (linalg.eig, np.full((2, 2), np.nan), "infs or NaNs"),
        (linalg.inv, TALL, "must be square"),
    ],
)
def test_errors_are_raised_on_the_gpu(
    cupy: ModuleType, function: Any, argument: np.ndarray, words: str
) -> None:
    with pytest.raises(linalg.LinAlgError, match=words):
        function(cupy.asarray(argument))


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (linalg.inv, np.stack([S[0], SINGULAR[0].repeat(2, 0).repeat(2, 1), S[1]])),
        (lambda a: linalg.solve(a, a), SINGULAR),
        (linalg.cholesky, np.stack([S[0], -S[1], S[2] - 50 * np.diag([0, 0, 1, 0])])),
        (lambda a: linalg.cholesky(a, upper=True), np.stack([S[0], -S[1]])),
        (linalg.svdvals, WITH_NAN),
        (linalg.svd, WITH_NAN),
        (linalg.eig, WITH_NAN),
        (linalg.eigvals, WITH_NAN),
        (lambda a: linalg.solve_triangular(a, a), np.stack([S[0], np.triu(S[1], 1), S[2]])),
        (lambda a: linalg.cholesky_solve(a, a), np.stack([S[0], np.triu(S[1], 1), S[2]])),
        (lambda a: linalg.lu_solve(linalg.lu_factor(a), a), SINGULAR),
        (lambda a: linalg.lu_solve((a, linalg.lu_factor(a).piv + 3), a), A),
    ],
)
def test_a_stack_fails_on_the_gpu_in_the_words_of_the_cpu(
    cupy: ModuleType, function: Any, argument: np.ndarray
) -> None:
    with pytest.raises((linalg.LinAlgError, ValueError)) as expected:
        function(argument)

    with pytest.raises(expected.type) as found:
        function(cupy.asarray(argument))

    assert str(found.value) == str(expected.value)
    assert found.value.indices == expected.value.indices  # type: ignore[attr-defined]


def test_half_precision_is_refused_on_the_gpu_too(cupy: ModuleType) -> None:
    with pytest.raises(TypeError, match="float16 is unsupported"):
        linalg.inv(cupy.asarray(np.eye(2, dtype=np.float16)))


def test_single_precision_stays_single_on_the_gpu(cupy: ModuleType) -> None:
    assert linalg.inv(cupy.asarray(np.eye(2, dtype=np.float32))).dtype == np.float32


def test_arrays_of_two_devices_are_not_mixed_silently(cupy: ModuleType) -> None:
    with pytest.raises(
        TypeError, match=r"linalg\.solve: `b` is a ndarray, the other array is on gpu"
    ):
        linalg.solve(cupy.asarray(A), B)


def test_a_kernel_that_the_gpu_lacks_is_an_error_that_names_it(
    cupy: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    linalg.det(cupy.asarray(A))
    monkeypatch.delitem(sys.modules["numerics._backends.gpu"].KERNELS, "det")

    with pytest.raises(
        NotImplementedError, match=r"linalg\.det: the gpu backend has no kernel `det`"
    ):
        linalg.det(cupy.asarray(A))


LACKING = {
    "linalg.ldl_factor": "CuPy publishes no sytrf, and has no hetrf",
    "linalg.ldl_solve": "CuPy has no sytrs",
    "linalg.sqrtm": "CuPy has no Schur decomposition",
    "linalg.vector_norm.extended": "CuPy has neither extended precision nor objects",
    "linalg.matrix_norm.extended": "CuPy has neither extended precision nor objects",
}
"""Ops without a kernel for CuPy arrays, and why."""


def test_every_op_has_a_gpu_kernel_or_a_reason_to_lack_it(cupy: ModuleType) -> None:
    linalg.det(cupy.asarray(A))
    kernels = sys.modules["numerics._backends.gpu"].KERNELS

    assert {op.name for op in OPS.values() if op.kernel not in kernels} == set(LACKING)


@pytest.mark.parametrize(
    "misuse",
    [np.asarray, float, bool, list, lambda a: a[0, 0], lambda a: a + np.ones((2, 2))],
    ids=["asarray", "float", "bool", "list", "index", "mix"],
)
def test_the_stand_in_refuses_what_a_gpu_array_refuses(misuse: Any) -> None:
    with fake_gpu.installed() as cupy, pytest.raises(fake_gpu.Refused):
        misuse(cupy.asarray(np.eye(2)))


def test_the_stand_in_ignores_errors_unless_told_not_to() -> None:
    with fake_gpu.installed() as cupy:
        assert np.isnan(cupy.linalg.inv(cupy.asarray(SINGULAR[0])).get()).all()


def test_cupy_is_not_imported_for_numpy_arrays() -> None:
    linalg.det(np.eye(2))

    assert "cupy" not in sys.modules
