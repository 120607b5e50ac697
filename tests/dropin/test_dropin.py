"""Routing NumPy's names here: all of them, for everybody, and back again."""

import threading

import numpy as np
import pytest
from numpy.linalg import det as det_imported_early

from numerics import dropin, linalg

NAMES = [name for name in np.linalg.__all__ if name != "LinAlgError"]
A = np.array([[4.0, 1.0], [2.0, 3.0]])


@pytest.fixture(autouse=True)
def _is_clean():
    """Every test starts and ends with NumPy's own functions."""
    assert not dropin.is_installed()
    yield
    assert not dropin.is_installed()


def implementations():
    return {name: getattr(np.linalg, name)._implementation for name in NAMES}


class Spy:
    """For ``install(around=...)``: notes which functions are called."""

    def __init__(self):
        self.called = []

    def __call__(self, name, implementation):
        def noted(*args, **kwargs):
            self.called.append(name)
            return implementation(*args, **kwargs)

        return noted


# --- Installing ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_function_of_numpy_linalg_is_routed(name):
    with dropin.install():
        found = getattr(np.linalg, name)._implementation

    assert found is getattr(linalg, name)._implementation


def test_a_name_that_was_imported_earlier_is_routed():
    spy = Spy()

    with dropin.install(spy):
        det_imported_early(A)

    assert spy.called == ["linalg.det"]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: np.polyfit([1, 2, 3], [1, 2, 4], 1), "linalg.lstsq"),
        (lambda: np.roots([1, -3, 2]), "linalg.eigvals"),
        (lambda: np.poly(A), "linalg.eigvals"),
        (lambda: np.polynomial.Polynomial.fit([1, 2, 3], [1, 2, 4], 1), "linalg.lstsq"),
        (lambda: np.polynomial.Polynomial([2, -3, 1]).roots(), "linalg.eigvals"),
        (lambda: np.random.default_rng(1).multivariate_normal([0, 0], A @ A.T), "linalg.svd"),
    ],
)
def test_numpys_own_callers_are_routed(call, name):
    spy = Spy()

    with dropin.install(spy):
        call()

    assert name in spy.called


def test_the_functions_stay_the_same_objects():
    before = [getattr(np.linalg, name) for name in NAMES]

    with dropin.install():
        inside = [getattr(np.linalg, name) for name in NAMES]

    assert all(a is b for a, b in zip(before, inside, strict=True))


def test_installing_without_a_block_lasts_until_uninstall():
    dropin.install()
    inside = dropin.is_installed(), np.linalg.solve._implementation
    dropin.uninstall()

    assert inside == (True, linalg.solve._implementation)


# --- Uninstalling -------------------------------------------------------------------------------


def test_uninstalling_restores_every_function_exactly():
    before = implementations()

    with dropin.install():
        pass

    assert implementations() == before


def test_an_inner_block_leaves_the_outer_one_routed():
    with dropin.install():
        with dropin.install():
            pass
        inside = np.linalg.solve._implementation

    assert inside is linalg.solve._implementation


def test_nested_blocks_restore_every_function_exactly():
    before = implementations()

    with dropin.install(), dropin.install():
        pass

    assert implementations() == before


def test_an_exception_in_the_block_uninstalls():
    with pytest.raises(np.linalg.LinAlgError), dropin.install():
        np.linalg.inv(np.zeros((2, 2)))

    assert not dropin.is_installed()


def test_uninstalling_too_often_is_an_error():
    with pytest.raises(RuntimeError, match=r"dropin\.uninstall: nothing is installed"):
        dropin.uninstall()


def test_an_installation_that_fails_half_way_routes_nothing():
    before = implementations()

    def around(name, implementation):
        if name == "linalg.svd":
            raise OSError("planted")
        return implementation

    with pytest.raises(OSError, match="planted"):
        dropin.install(around)

    assert (dropin.is_installed(), implementations()) == (False, before)


def test_threads_that_install_and_uninstall_together_leave_numpy_as_it_was():
    before, results = implementations(), []

    def work():
        for _ in range(50):
            with dropin.install():
                results.append(np.linalg.det(np.eye(2)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (implementations(), set(results), len(results)) == (before, {1.0}, 200)


# --- Other people's arrays: the protocol is run once, and ends ----------------------------------


class Answers:
    """A duck array that answers by itself."""

    def __array_function__(self, function, types, args, kwargs):
        return function


class Declines:
    """A duck array that knows no function."""

    def __array_function__(self, function, types, args, kwargs):
        return NotImplemented


class CallsSuper(np.ndarray):
    """A subclass whose protocol leads back to ndarray's."""

    calls = 0

    def __array_function__(self, function, types, args, kwargs):
        type(self).calls += 1
        return super().__array_function__(function, types, args, kwargs)


@pytest.fixture(params=[False, True], ids=["unrouted", "routed"])
def maybe_routed(request):
    if not request.param:
        yield
        return
    with dropin.install():
        yield


both_names = pytest.mark.parametrize("module", [np.linalg, linalg], ids=["numpy", "numerics"])


@both_names
def test_a_duck_array_answers_with_numpys_function_as_key(maybe_routed, module):
    assert module.solve(Answers(), A) is np.linalg.solve


@both_names
@pytest.mark.parametrize("name", NAMES)
def test_a_duck_array_that_declines_is_a_type_error(maybe_routed, module, name):
    duck = Declines()
    two = ("solve", "lstsq", "tensorsolve", "matmul", "vecdot", "outer", "cross", "tensordot")
    arguments = (duck, duck) if name in two else (duck,)
    if name == "matrix_power":
        arguments = (duck, 2)
    if name == "multi_dot":
        arguments = ([duck, duck],)

    with pytest.raises(TypeError, match="no implementation found"):
        getattr(module, name)(*arguments)


@both_names
def test_a_subclass_whose_protocol_calls_super_gets_the_result(maybe_routed, module):
    CallsSuper.calls = 0

    result = module.det(A.view(CallsSuper))

    assert (float(result), CallsSuper.calls) == (pytest.approx(10.0), 1)


@both_names
@pytest.mark.parametrize("name", ["cond", "norm", "pinv", "matrix_rank", "tensorinv"])
def test_the_protocol_of_a_subclass_ends_for_composed_functions(maybe_routed, module, name):
    arguments = (A.view(CallsSuper), 1) if name == "tensorinv" else (A.view(CallsSuper),)

    result = getattr(module, name)(*arguments)

    np.testing.assert_allclose(result, getattr(np.linalg, name)(A, *arguments[1:]), rtol=1e-13)


@both_names
@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_a_matrix_gives_a_matrix(maybe_routed, module):
    result = module.inv(np.matrix(A))

    assert type(result) is np.matrix


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_the_inverse_attribute_of_a_matrix_is_routed():
    spy = Spy()

    with dropin.install(spy):
        inverse = np.matrix(A).I

    assert (type(inverse), spy.called) == (np.matrix, ["linalg.inv"])


@both_names
def test_a_masked_array_is_computed_without_its_mask(maybe_routed, module):
    masked = np.ma.masked_array(A, mask=[[True, False], [False, False]])

    assert float(module.det(masked)) == pytest.approx(10.0)
