"""A special function is a real ufunc: every way in which one is called, and what layers see."""

import numpy as np
import pytest

from numerics._core import layers
from numerics.special import erfcx


def bits(x):
    return np.ascontiguousarray(x).tobytes()


X = np.array([0.5, -1.0, 2.0, 10.0])


def test_it_is_a_ufunc():
    assert isinstance(erfcx, np.ufunc)


def test_it_has_the_facts_of_a_unary_ufunc():
    facts = erfcx.nin, erfcx.nout, erfcx.__name__, erfcx.types, erfcx.identity

    assert facts == (1, 1, "erfcx", ["d->d", "f->f"], None)


def test_at_works_in_place_on_some_entries():
    x = X.copy()

    erfcx.at(x, [0, 2])

    assert bits(x) == bits(np.array([erfcx(0.5), -1.0, erfcx(2.0), 10.0]))


def test_out_takes_the_result():
    out = np.empty(4)

    assert erfcx(X, out=out) is out
    assert erfcx(X, out) is out
    assert bits(out) == bits(erfcx(X))


def test_where_leaves_the_other_entries_alone():
    out = np.full(4, -7.0)

    erfcx(X, out=out, where=[True, False, False, True])

    assert out.tolist() == [erfcx(0.5), -7.0, -7.0, erfcx(10.0)]


def test_in_place_gives_the_same_bits():
    x = X.copy()

    erfcx(x, out=x)

    assert bits(x) == bits(erfcx(X))


def test_overlapping_output_gives_the_same_bits():
    x = np.linspace(-5, 5, 101)
    expected = erfcx(x[:-1])

    erfcx(x[:-1], out=x[1:])

    assert bits(x[1:]) == bits(expected)


def test_dtype_chooses_the_loop():
    assert erfcx(X, dtype=np.float32, casting="same_kind").dtype == np.float32


def test_casting_is_checked():
    with pytest.raises(TypeError, match="Cannot cast"):
        erfcx(X, out=np.empty(4, np.float32), casting="safe")


def test_broadcasting_with_an_output():
    out = np.empty((3, 4))

    erfcx(X, out=out)

    assert bits(out) == bits(np.broadcast_to(erfcx(X), (3, 4)))


@pytest.mark.parametrize("method", ["reduce", "accumulate", "outer"])
def test_methods_of_binary_ufuncs_refuse(method):
    with pytest.raises(ValueError, match="binary"):
        getattr(erfcx, method)(*([X] * (2 if method == "outer" else 1)))


def test_another_class_may_override_it():
    class Other:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return ufunc.__name__, method

    assert erfcx(Other()) == ("erfcx", "__call__")


def test_a_wrong_number_of_arguments_is_a_type_error():
    with pytest.raises(TypeError, match="takes from 1 to 2 positional arguments"):
        erfcx(X, X, X)


# --- Types --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "dtype"),
    [
        (1.0, np.float64),
        (1, np.float64),
        (True, np.float64),
        (np.float32(1), np.float32),
        (np.float16(1), np.float64),
        (np.int8(1), np.float64),
        (np.int64(1), np.float64),
        (np.array(1.0), np.float64),
    ],
)
def test_scalars_give_scalars(x, dtype):
    y = erfcx(x)

    assert type(y) is dtype
    assert y == dtype(erfcx(1.0))


@pytest.mark.parametrize(
    "x", [[1.0, 2.0], [[1, 2], [3, 4]], (1, 2), range(3)], ids=["list", "nested", "tuple", "range"]
)
def test_sequences_give_arrays(x):
    y = erfcx(x)

    assert type(y) is np.ndarray
    assert bits(y) == bits(erfcx(np.array(x, np.float64)))


@pytest.mark.parametrize("x", [1j, X.astype(complex), X.astype("F"), X.astype("g"), "1.0"])
def test_other_types_are_refused(x):
    with pytest.raises(TypeError, match="erfcx"):
        erfcx(x)


@pytest.mark.parametrize("shape", [(0,), (2, 0), ()])
def test_shapes_without_entries_keep_their_shape(shape):
    assert np.shape(erfcx(np.ones(shape))) == shape


# --- Layers -------------------------------------------------------------------------------------


@pytest.fixture
def seen():
    """Names of the ops that a layer sees."""
    names = []

    def watch(op, arrays, static, next):
        names.append((op.name, [type(a) for a in arrays], static))
        return next(op, arrays, static)

    with layers.here("profiler", watch):
        yield names


@pytest.mark.parametrize("x", [X, 1.0, [1.0, 2.0], X.astype("f"), 3])
def test_layers_see_plain_calls(seen, x):
    erfcx(x)

    assert seen == [("special.erfcx", [np.ndarray], {})]


def test_the_result_under_a_layer_is_the_same(seen):
    assert type(erfcx(1.0)) is np.float64
    assert erfcx(X).dtype == np.float64


def test_layers_do_not_see_calls_with_keywords(seen):
    erfcx(X, out=np.empty(4))

    assert seen == []
