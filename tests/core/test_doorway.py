"""Which calls take the fast path, and that the other path gives the same bits."""

import numpy as np
import pytest

from numerics import _kernels, linalg
from numerics._core import backends, call, errors, layers, public
from numerics._core.op import OPS

DET, SOLVE, EIGH = OPS["linalg.det"], OPS["linalg.solve"], OPS["linalg.eigh"]
A = np.array([[2.0, 1.0], [1.0, 3.0]])


class Subclass(np.ndarray):
    """Another class of array."""


CALLBACKS = {
    "call": call.call,
    "failure": errors.failure,
    "too_large": errors.too_large,
    "unsupported": errors.unsupported_input,
    "floating_point": errors.floating_point,
    "dispatch": public.dispatch,
    "owns": backends.owns,
}


@pytest.fixture
def python_path():
    """Names of the ops whose calls reach the Python path."""
    seen = []

    def watched(op, arguments, static):
        seen.append(op.name)
        return call.call(op, arguments, static)

    _kernels.sign_in(**(CALLBACKS | {"call": watched}))
    yield seen
    _kernels.sign_in(**CALLBACKS)


def misaligned(a):
    """The same numbers one byte off."""
    buffer = np.zeros(a.nbytes + 1, np.uint8)
    result = buffer[1:].view(a.dtype).reshape(a.shape)
    result[...] = a
    return result


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


FAST = {
    "double": A,
    "single": A.astype("f"),
    "complex": A.astype("D"),
    "single complex": A.astype("F"),
    "transposed": A.T,
    "negative strides": A[::-1, ::-1],
    "sliced": np.ones((4, 4))[::2, ::2] + A,
    "read-only": read_only(A),
    "stack": np.stack([A, A]),
    "broadcast stack": np.broadcast_to(A, (3, 2, 2)),
    "empty": np.zeros((0, 0)),
    "empty stack": np.zeros((0, 2, 2)),
}
SLOW = {
    "list": A.tolist(),
    "integers": A.astype(int),
    "bool": A.astype(bool),
    "other byte order": A.astype(A.dtype.newbyteorder()),
    "misaligned": misaligned(A),
    "subclass": A.view(Subclass),
}

fast = pytest.mark.parametrize("a", FAST.values(), ids=FAST)
slow = pytest.mark.parametrize("a", SLOW.values(), ids=SLOW)


@fast
def test_a_plain_array_takes_the_fast_path(python_path, a):
    linalg.det(a)

    assert python_path == []


@slow
def test_everything_else_takes_the_python_path(python_path, a):
    linalg.det(a)

    assert python_path == ["linalg.det"]


@fast
def test_the_kernel_takes_a_plain_array(a):
    assert DET.run(a) is not NotImplemented


@slow
def test_the_kernel_leaves_everything_else(a):
    assert DET.run(a) is NotImplemented


@slow
def test_both_paths_give_the_same_bits(a):
    plain = np.array(a, np.float64)

    assert linalg.det(a) == linalg.det(plain)


def test_mixed_dtypes_take_the_python_path(python_path):
    linalg.solve(A, A.astype("f"))

    assert python_path == ["linalg.solve"]


def test_a_layer_sends_every_call_through_python(python_path):
    with layers.here("profiler", lambda op, arrays, static, next: next(op, arrays, static)):
        linalg.det(A)

    assert python_path == ["linalg.det"]


def test_the_fast_path_is_back_when_the_layer_is_off(python_path):
    with layers.here("profiler", lambda op, arrays, static, next: next(op, arrays, static)):
        pass
    linalg.det(A)

    assert python_path == []


def test_shapes_that_do_not_fit_take_the_python_path_to_be_worded(python_path):
    with pytest.raises(linalg.LinAlgError):
        linalg.det(np.ones((2, 3)))

    assert python_path == ["linalg.det"]


@pytest.mark.parametrize("shape", [(2,), (2, 3), ()])
def test_the_kernel_leaves_shapes_that_do_not_fit(shape):
    assert DET.run(np.ones(shape)) is NotImplemented


@pytest.mark.parametrize(
    "static", [{}, {"UPLO": "l"}, {"UPLO": "LU"}, {"UPLO": 1}, {"lower": True}]
)
def test_the_kernel_leaves_static_parameters_that_are_not_its_own(static):
    assert EIGH.run(A, **static) is NotImplemented


@pytest.mark.parametrize("arrays", [(), (A,), (A, A, A)])
def test_the_kernel_leaves_a_wrong_number_of_arrays(arrays):
    assert SOLVE.run(*arrays) is NotImplemented


def test_more_axes_than_arrays_have_are_still_refused_in_words():
    with pytest.raises(ValueError, match="could not be broadcast"):
        linalg.solve(np.ones((2, 3, 3)), np.ones((3, 3, 1)))


def test_an_array_of_the_most_axes_that_numpy_has_works():
    deep = A.reshape((1,) * 62 + (2, 2))

    assert linalg.det(deep).shape == (1,) * 62


@pytest.mark.parametrize("a", [A, A.tolist(), np.stack([A, A])], ids=["fast", "list", "stack"])
def test_several_results_come_as_the_named_tuple_of_numpy(a):
    assert type(linalg.eigh(a)) is type(np.linalg.eigh(A))


def test_results_are_fresh_arrays():
    result = linalg.cholesky(A)

    assert result.base is None
    assert not np.shares_memory(result, A)


def test_input_is_left_alone():
    a = A.copy()

    linalg.solve(a, a)
    linalg.svd(a)
    linalg.qr(a)

    assert (a == A).all()
