"""What happens when LAPACK gives up: routines are replaced by ones that report it."""

import ctypes
from contextlib import contextmanager

import numpy as np
import pytest

from numerics import _kernels, linalg

ARGUMENTS = {
    # Number of arguments, and the place of the length of the workspace, which is -1 in a query.
    "dgesdd": (14, 11), "zgesdd": (15, 11),
    "dgesvd": (14, 12), "zgesvd": (15, 12),
    "dsyev": (9, 7), "zheev": (10, 7),
    "dsyevd": (11, 7), "zheevd": (13, 7),
    "dgeev": (14, 12), "zgeev": (14, 11),
    "dgelsd": (14, 11), "zgelsd": (15, 11),
    "dgees": (15, 12), "zgees": (15, 11),
}  # fmt: skip
INTEGER = ctypes.c_int32 if _kernels.lapack_integer_bits() == 32 else ctypes.c_int64


@contextmanager
def failing(*names):
    """Let routines do their work and report that the iteration did not converge all the same."""
    with_callbacks = []
    before = {}
    for name in names:
        count, length = ARGUMENTS[name]
        prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count)
        original = []

        def routine(*args, original=original, length=length):
            original[0](*args)
            if INTEGER.from_address(args[length]).value != -1:
                INTEGER.from_address(args[-1]).value = 1

        callback = prototype(routine)
        with_callbacks.append(callback)
        address = ctypes.cast(callback, ctypes.c_void_p).value
        before[name] = _kernels.swap_lapack(name, address)
        original.append(prototype(before[name]))
    try:
        yield
    finally:
        for name, address in before.items():
            _kernels.swap_lapack(name, address)


def matrices(letter, *shape):
    rng = np.random.default_rng(4)
    a = rng.standard_normal(shape)
    return a if letter == "d" else a + 1j * rng.standard_normal(shape)


LARGE, SMALL = [(20, 20), (20, 3), (3, 20), (2, 18, 18)], [(4, 4), (5, 3), (3, 5), (2, 5, 5)]


@pytest.mark.parametrize("letter", "dz")
@pytest.mark.parametrize(
    ("routine", "shape"),
    [*(("gesdd", shape) for shape in LARGE), *(("gesvd", shape) for shape in SMALL)],
)
@pytest.mark.parametrize("full_matrices", [False, True])
def test_where_a_routine_for_the_svd_does_not_converge_the_other_one_is_asked(
    letter, routine, shape, full_matrices
):
    a = matrices(letter, *shape)
    k = min(shape[-2:])

    with failing(f"{letter}{routine}"):
        U, s, Vh = linalg.svd(a, full_matrices)
        values = linalg.svdvals(a)

    product = (U[..., :k] * s[..., None, :]) @ Vh[..., :k, :]
    np.testing.assert_allclose(product, a, atol=1e-13)
    gram = U.conj().swapaxes(-2, -1) @ U
    np.testing.assert_allclose(gram - np.eye(U.shape[-1]), 0, atol=1e-13)
    np.testing.assert_allclose(values, s, rtol=1e-12)
    np.testing.assert_allclose(s, linalg.svdvals(a), rtol=1e-12)


def test_gesdd_asked_for_by_name_has_no_fallback():
    with failing("dgesdd"), pytest.raises(linalg.LinAlgError, match=r"SVD did not converge: `a`$"):
        linalg.svd(np.eye(3), driver="gesdd")


def large(a):
    """Copies of the matrices on the diagonal, twenty rows in all."""
    return np.kron(np.eye(5), a)


FAILURES = {
    "svd": (lambda a: linalg.svd(a), ("dgesdd", "dgesvd"), "SVD did not converge"),
    "svd of complex": (
        lambda a: linalg.svd(a + 0j),
        ("zgesdd", "zgesvd"),
        "SVD did not converge",
    ),
    "svdvals by gesvd": (
        lambda a: linalg.svdvals(a, driver="gesvd"),
        ("dgesvd",),
        "SVD did not converge",
    ),
    "eigh": (linalg.eigh, ("dsyev",), "Eigenvalues did not converge"),
    "eigh of large": (lambda a: linalg.eigh(large(a)), ("dsyevd",), "Eigenvalues did not converge"),
    "eigvalsh": (lambda a: linalg.eigvalsh(a + 0j), ("zheev",), "Eigenvalues did not converge"),
    "eigvalsh of large": (
        lambda a: linalg.eigvalsh(large(a) + 0j),
        ("zheevd",),
        "Eigenvalues did not converge",
    ),
    "eig": (linalg.eig, ("dgeev",), "Eigenvalues did not converge"),
    "eigvals": (lambda a: linalg.eigvals(a + 0j), ("zgeev",), "Eigenvalues did not converge"),
    "lstsq": (
        lambda a: linalg.lstsq(a, np.ones(4)),
        ("dgelsd",),
        "SVD did not converge in Linear Least Squares",
    ),
    "pinv": (linalg.pinv, ("dgesdd", "dgesvd"), "SVD did not converge"),
    "matrix_rank": (linalg.matrix_rank, ("dgesdd", "dgesvd"), "SVD did not converge"),
    "null_space": (linalg.null_space, ("dgesdd", "dgesvd"), "SVD did not converge"),
    "sqrtm": (linalg.sqrtm, ("dgees",), "not converge"),
}


@pytest.mark.parametrize(("call", "routines", "words"), FAILURES.values(), ids=FAILURES)
def test_a_routine_that_gives_up_is_an_error_that_names_every_matrix(call, routines, words):
    a = matrices("d", 2, 4, 4)

    with failing(*routines), pytest.raises(linalg.LinAlgError, match=words) as caught:
        call(a)

    assert caught.value.indices == [(0,), (1,)]


def test_a_routine_that_is_not_in_use_cannot_be_replaced():
    with pytest.raises(LookupError, match="no routine dposv is in use"):
        _kernels.swap_lapack("dposv", 1)
