"""Layers see every call of an op, in their order, where they are on and nowhere else."""

import asyncio
import contextvars
import threading

import numpy as np
import pytest

from numerics import linalg
from numerics._core import layers

A = np.array([[2.0, 1.0], [1.0, 3.0]])
b = np.array([1.0, 2.0])


class Watcher:
    """Notes what passes and hands it on."""

    def __init__(self, name="watcher", log=None):
        self.name, self.log, self.calls = name, [] if log is None else log, []

    def __call__(self, op, arrays, static, next):
        self.calls.append((op.name, arrays, static))
        self.log.append(self.name)
        return next(op, arrays, static)

    @property
    def names(self):
        return [name for name, _, _ in self.calls]


def in_thread(function):
    """Run a function in a thread of its own, with an empty context."""
    thread = threading.Thread(target=lambda: contextvars.Context().run(function))
    thread.start()
    thread.join()


def test_a_layer_sees_op_arrays_and_static_parameters():
    watcher = Watcher()

    with layers.here("profiler", watcher):
        linalg.eigvalsh(A, "u")

    ((name, arrays, static),) = watcher.calls
    assert name == "linalg.eigvalsh"
    assert arrays[0] is A
    assert static == {"UPLO": "U"}


def test_a_layer_sees_lists_as_arrays():
    watcher = Watcher()

    with layers.here("profiler", watcher):
        linalg.solve(A.tolist(), b.tolist())

    ((_, arrays, _),) = watcher.calls
    assert [type(array) for array in arrays] == [np.ndarray, np.ndarray]


def test_the_result_under_a_layer_is_the_same():
    plain = linalg.solve(A, b)

    with layers.here("profiler", Watcher()):
        watched = linalg.solve(A, b)

    assert watched.tobytes() == plain.tobytes()


def test_a_layer_may_answer_in_place_of_the_kernel():
    with layers.here("determinism", lambda op, arrays, static, next: op.name):
        result = linalg.det(A)

    assert result == "linalg.det"


def test_a_layer_may_change_what_it_hands_on():
    def doubled(op, arrays, static, next):
        return next(op, tuple(2 * array for array in arrays), static)

    with layers.here("mixed precision", doubled):
        result = linalg.det(np.eye(3))

    assert result == 8


def test_compositions_are_seen_as_the_ops_they_are_made_of():
    watcher = Watcher()

    with layers.here("profiler", watcher):
        linalg.matrix_power(A, -2)

    assert watcher.names == ["linalg.inv", "linalg.matmul"]


def test_nothing_is_seen_before_and_after():
    watcher = Watcher()

    linalg.det(A)
    with layers.here("profiler", watcher):
        pass
    linalg.det(A)

    assert watcher.calls == []


def test_no_layer_is_on_at_first():
    assert layers.active() == ()


@pytest.mark.parametrize("first", range(4))
def test_layers_come_in_the_order_of_the_table(first):
    log = []
    kinds = [*layers.ORDER[first:], *layers.ORDER[:first]]
    watchers = {kind: Watcher(kind, log) for kind in kinds}

    with (
        layers.here(kinds[0], watchers[kinds[0]]),
        layers.everywhere(kinds[1], watchers[kinds[1]]),
        layers.here(kinds[2], watchers[kinds[2]]),
        layers.everywhere(kinds[3], watchers[kinds[3]]),
    ):
        linalg.det(A)

    assert log == list(layers.ORDER)


def test_two_layers_of_one_kind_both_see_the_call():
    outer, inner = Watcher(), Watcher()

    with layers.here("profiler", outer), layers.here("profiler", inner):
        linalg.det(A)

    assert outer.names == inner.names == ["linalg.det"]


def test_the_inner_layer_ends_before_the_outer_one():
    outer, inner = Watcher(), Watcher()

    with layers.here("profiler", outer):
        with layers.here("profiler", inner):
            linalg.det(A)
        linalg.inv(A)

    assert outer.names == ["linalg.det", "linalg.inv"]
    assert inner.names == ["linalg.det"]


def test_an_unknown_kind_is_refused():
    with (
        pytest.raises(ValueError, match=r"must be one of profiler, autograd, .* not 'unheard of'"),
        layers.here("unheard of", Watcher()),
    ):
        pass


def test_an_exception_in_the_block_switches_the_layer_off():
    watcher = Watcher()

    with pytest.raises(ZeroDivisionError), layers.here("profiler", watcher):
        raise ZeroDivisionError
    linalg.det(A)

    assert watcher.calls == []
    assert layers.active() == ()


def test_an_exception_under_everywhere_switches_the_layer_off():
    watcher = Watcher()

    with pytest.raises(ZeroDivisionError), layers.everywhere("profiler", watcher):
        raise ZeroDivisionError
    linalg.det(A)

    assert watcher.calls == []
    assert layers.active() == ()


def test_an_exception_of_the_kernel_passes_through_the_layer():
    watcher = Watcher()

    with layers.here("profiler", watcher), pytest.raises(linalg.LinAlgError, match="Singular"):
        linalg.inv(np.zeros((2, 2)))

    assert watcher.names == ["linalg.inv"]


def test_a_layer_here_is_not_seen_by_another_thread():
    watcher = Watcher()

    with layers.here("profiler", watcher):
        in_thread(lambda: linalg.det(A))

    assert watcher.calls == []


def test_a_layer_everywhere_is_seen_by_another_thread():
    watcher = Watcher()

    with layers.everywhere("profiler", watcher):
        in_thread(lambda: linalg.det(A))

    assert watcher.names == ["linalg.det"]


def test_a_layer_is_on_for_one_task_and_not_for_its_neighbour():
    watcher = Watcher()

    async def watched(entered, done):
        with layers.here("profiler", watcher):
            entered.set()
            await done.wait()
            linalg.det(A)

    async def neighbour(entered, done):
        await entered.wait()
        linalg.inv(A)
        done.set()

    async def both():
        entered, done = asyncio.Event(), asyncio.Event()
        await asyncio.gather(watched(entered, done), neighbour(entered, done))

    asyncio.run(both())

    assert watcher.names == ["linalg.det"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: linalg.cholesky(A, upper=True),
        lambda: linalg.eigh(A),
        lambda: linalg.lstsq(A, b),
        lambda: linalg.norm(A, 1),
        lambda: linalg.vector_norm(A, ord=3),
        lambda: linalg.trace(A, offset=1, dtype=np.float32),
        lambda: linalg.vecdot(A, A, axis=0),
        lambda: linalg.cross(np.eye(3), np.eye(3), axis=0),
    ],
)
def test_static_parameters_are_hashable(call):
    watcher = Watcher()

    with layers.here("profiler", watcher):
        call()

    assert all(isinstance(hash(tuple(static.items())), int) for _, _, static in watcher.calls)
    assert watcher.calls
