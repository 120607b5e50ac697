"""``numerics doctor`` says what is there, and finds what is wrong."""

import re

import numpy as np
import pytest
import scipy

import numerics
from numerics import _kernels, dropin, linalg
from numerics._commands import doctor, selftest
from numerics._core.public import FUNCTIONS


@pytest.fixture
def examine(capsys):
    """Run the command; its exit status and what it prints."""

    def run():
        return doctor.run(None), capsys.readouterr().out

    return run


def failures(text):
    return re.findall(r"^FAIL +(\S+)", text, re.MULTILINE)


def test_a_sound_installation_has_status_0_and_no_failures(examine):
    status, text = examine()

    assert (status, failures(text), text.endswith("All is well.\n")) == (0, [], True)


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("numpy", np.__version__),
        ("scipy", scipy.__version__),
        ("numerics", numerics.__version__),
        ("LAPACK integers", f"{_kernels.lapack_integer_bits()} bits"),
        ("instruction set", _kernels.instruction_set()),
        ("scipy uses", "BLAS from"),
        ("threads", f"{numerics.get_num_threads()} over stacks"),
        ("BLAS threads", ""),
        ("processors", ""),
        ("GPU", ""),
    ],
)
def test_it_says_what_is_there(examine, name, detail):
    _, text = examine()

    assert re.search(rf"^ok +{re.escape(name)} +{re.escape(detail)}", text, re.MULTILINE)


def test_it_names_the_variable_that_sets_the_threads(examine, monkeypatch):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")

    _, text = examine()

    assert "set by OMP_NUM_THREADS=3" in text


def test_it_finds_a_function_that_computes_something_wrong(examine, monkeypatch):
    right = linalg.det
    monkeypatch.setattr(linalg, "det", lambda a: right(a) * (1 + 1e-12))

    status, text = examine()

    assert (status, "linalg.det is off by" in text, "-> reinstall" in text) == (1, True, True)


def test_it_finds_a_function_that_raises(examine, monkeypatch):
    def broken(x):
        raise OSError("no such routine")

    monkeypatch.setattr(linalg, "svdvals", broken)

    status, text = examine()

    assert (status, "linalg.svdvals raises OSError: no such routine" in text) == (1, True)


def test_it_finds_a_result_that_is_not_a_number(examine, monkeypatch):
    monkeypatch.setattr(linalg, "det", lambda a: np.float64("nan"))

    assert examine()[0] == 1


def test_it_finds_routing_that_reaches_nothing(examine, monkeypatch):
    monkeypatch.setattr(dropin, "_route", lambda around: None)

    status, text = examine()

    assert (status, failures(text)) == (1, ["routing"])


def test_it_finds_routing_that_does_not_come_back(examine, monkeypatch):
    restore = dropin._restore
    monkeypatch.setattr(dropin, "_restore", lambda: None)

    status, text = examine()
    restore()

    assert (status, failures(text)) == (1, ["routing"])


def test_it_finds_a_package_that_is_too_old_and_says_what_to_install(examine, monkeypatch):
    monkeypatch.setattr(scipy, "__version__", "1.14.1")

    status, text = examine()

    assert (status, "pip install 'scipy>=1.15'" in text) == (1, True)


def test_a_check_that_raises_does_not_hide_the_others(examine, monkeypatch):
    def versions():
        raise RuntimeError("planted")

    monkeypatch.setattr(doctor, "CHECKS", (versions, *doctor.CHECKS))

    status, text = examine()

    assert (status, failures(text), "self-test" in text) == (1, ["versions"], True)


class FakeCuda:
    """CuPy as far as the command looks, with devices or with an error instead."""

    __version__ = "13.4"

    class CUDARuntimeError(RuntimeError):
        pass

    def __init__(self, *devices, error=None):
        self.devices, self.error = devices, error
        self.cuda = self.runtime = self.cupy = self

    def getDeviceCount(self):
        if self.error:
            raise self.CUDARuntimeError(self.error)
        return len(self.devices)

    def getDeviceProperties(self, i):
        return {"name": self.devices[i]}


@pytest.mark.parametrize(
    ("fake", "detail"),
    [
        (FakeCuda(b"First", b"Second"), "CuPy 13.4: First, Second"),
        (FakeCuda(error="no driver"), "not used: CuPy 13.4 finds no device (no driver)"),
    ],
)
def test_it_names_the_gpus_that_cupy_finds(monkeypatch, fake, detail):
    monkeypatch.setattr(doctor, "find_spec", lambda name: True)
    monkeypatch.setattr(doctor, "import_module", lambda name: fake)

    assert list(doctor.gpu()) == [("GPU", detail, "")]


def test_it_asks_threadpoolctl_where_that_is_installed(monkeypatch):
    class Threadpoolctl:
        @staticmethod
        def threadpool_info():
            return [
                {"user_api": "blas", "num_threads": 5, "filepath": "/somewhere/libmkl_rt.so"},
                {"user_api": "openmp", "num_threads": 7, "filepath": "/somewhere/libgomp.so"},
            ]

    monkeypatch.setattr(doctor, "find_spec", lambda name: True)
    monkeypatch.setattr(doctor, "import_module", lambda name: Threadpoolctl)

    (found,) = doctor.threads()

    assert found.detail.startswith("5 in libmkl_rt.so (")


def test_the_self_test_has_every_public_function():
    assert set(selftest.CHECKS) == set(FUNCTIONS)


def test_it_leaves_numpy_as_it_was(examine):
    before = np.linalg.solve._implementation

    examine()

    assert (np.linalg.solve._implementation, dropin.is_installed()) == (before, False)
