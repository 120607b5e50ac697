"""The command ``numerics doctor``: what is installed here, and whether it works."""

from __future__ import annotations

import argparse
import ctypes
import os
import platform
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy

import numerics
from numerics import _kernels, dropin, linalg
from numerics._core import config

from . import selftest

__all__ = ["CHECKS", "Finding", "add_arguments", "run"]

DESCRIPTION = """\
Say what numerics finds on this machine: versions, BLAS and LAPACK, instruction set, threads, GPU.
Then route NumPy's functions and back, and compute every public function on small systems. A line
that begins with FAIL names something wrong and what to do; the exit status is then 1."""

EPILOG = """\
examples:
  numerics doctor
  NUMERICS_ISA=baseline numerics doctor     with the instruction set that every machine has
  OPENBLAS_NUM_THREADS=1 numerics doctor    with one BLAS thread
"""

OLDEST = {"numpy": (2, 0), "scipy": (1, 15)}
THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
REINSTALL = "reinstall with `pip install --force-reinstall numerics`"


class Finding(NamedTuple):
    """One line: what was looked at, what was found, and what to do if that is wrong."""

    name: str
    detail: str
    advice: str = ""


def versions() -> Iterator[Finding]:
    """Python and the packages that numbers come from."""
    yield Finding("Python", f"{platform.python_version()}, {platform.platform()}")
    yield Finding("numerics", f"{numerics.__version__}, {Path(numerics.__file__).parent}")
    for module in (np, scipy):
        name, version = module.__name__, module.__version__
        oldest = OLDEST[name]
        is_old = tuple(int(part) for part in version.split(".")[:2]) < oldest
        needed = f"{name}>={'.'.join(map(str, oldest))}"
        yield Finding(name, version, f"run `pip install '{needed}'`" if is_old else "")


def libraries() -> Iterator[Finding]:
    """BLAS and LAPACK: ours are SciPy's."""
    for module in (np, scipy):
        built: Any = module.show_config(mode="dicts")["Build Dependencies"]
        text = ", ".join(
            f"{what.upper()} from {built[what].get('name')} {built[what].get('version')}"
            for what in ("blas", "lapack")
            if what in built
        )
        yield Finding(f"{module.__name__} uses", text or "unknown libraries")
    bits = _kernels.lapack_integer_bits()
    yield Finding("LAPACK integers", f"{bits} bits, in the LAPACK of SciPy that numerics calls")


def processor() -> Iterator[Finding]:
    """Instruction set, processors, and the threads that share a stack."""
    forced = " (forced by NUMERICS_ISA)" if os.environ.get("NUMERICS_ISA") else ""
    available = ", ".join(reversed(_kernels.instruction_sets()))
    used = f"{_kernels.instruction_set()}{forced}"
    yield Finding("instruction set", f"{used}; available, best first: {available}")
    yield Finding("processors", f"{config.usable_processors()} usable of {os.cpu_count()}")
    own = "NUMERICS_NUM_THREADS"
    text = f"set by {own}={os.environ[own]}" if os.environ.get(own) else f"{own} is not set"
    yield Finding("threads", f"{numerics.get_num_threads()} over stacks of matrices ({text})")


def threads() -> Iterator[Finding]:
    """Threads of the BLAS libraries."""
    given = [f"{name}={os.environ[name]}" for name in THREAD_VARIABLES if name in os.environ]
    found = _threads_by_threadpoolctl() or _threads_by_openblas() or ["unknown"]
    said = (
        f"set by {', '.join(given)}" if given else f"none of {', '.join(THREAD_VARIABLES)} is set"
    )
    yield Finding("BLAS threads", f"{'; '.join(found)} ({said})")


def _threads_by_threadpoolctl() -> list[str]:
    if find_spec("threadpoolctl") is None:
        return []
    pools: list[dict[str, Any]] = import_module("threadpoolctl").threadpool_info()
    return [
        f"{pool['num_threads']} in {Path(pool['filepath']).name}"
        for pool in pools
        if pool["user_api"] == "blas"
    ]


def _threads_by_openblas() -> list[str]:
    """Ask the copies of OpenBLAS in the wheels of SciPy and NumPy, which are loaded by now."""
    found = []
    for module in (scipy, np):
        package = Path(str(module.__file__)).parent
        for folder in (package.with_name(f"{package.name}.libs"), package / ".dylibs"):
            for path in sorted(folder.glob("*openblas*")):
                count = _openblas_threads(path)
                if count is not None:
                    found.append(f"{count} in {module.__name__}'s {path.name}")
    return found


def _openblas_threads(path: Path) -> int | None:
    try:
        library = ctypes.CDLL(str(path))
    except OSError:
        return None
    for name in ("scipy_openblas_get_num_threads", "openblas_get_num_threads"):
        for suffix in ("", "64_"):
            getter = getattr(library, name + suffix, None)
            if getter is not None:
                return int(getter())
    return None


def gpu() -> Iterator[Finding]:
    """Whether CuPy arrays can be computed with."""
    if find_spec("cupy") is None:
        yield Finding("GPU", "not used: CuPy is not installed (`pip install 'numerics[gpu]'`)")
        return
    cupy = import_module("numerics._backends.gpu").cupy
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        yield Finding("GPU", f"not used: CuPy {cupy.__version__} finds no device ({error})")
        return
    names = [cupy.cuda.runtime.getDeviceProperties(i)["name"].decode() for i in range(count)]
    yield Finding("GPU", f"CuPy {cupy.__version__}: {', '.join(names) or 'no device'}")


def routing() -> Iterator[Finding]:
    """Whether NumPy's functions can be routed here and come back."""
    numpy_functions = {
        name: getattr(np.linalg, name) for name in linalg.__all__ if hasattr(np.linalg, name)
    }
    dispatchers = {n: f for n, f in numpy_functions.items() if hasattr(f, "_implementation")}
    before = {name: f._implementation for name, f in dispatchers.items()}
    with dropin.install():
        routed = [
            name
            for name, f in dispatchers.items()
            if f._implementation is getattr(linalg, name)._implementation
        ]
        root = float(np.roots([1.0, -3.0, 2.0]).max())
    is_restored = all(f._implementation is before[name] for name, f in dispatchers.items())
    is_sound = len(routed) == len(dispatchers) > 0 and is_restored and abs(root - 2.0) < 1e-14
    back = "and all back" if is_restored else "and NOT back"
    advice = "use `from numerics import linalg` instead of `numerics run`, and report this"
    text = f"{len(routed)} of {len(dispatchers)} functions of numpy.linalg, {back}"
    yield Finding("routing", text, "" if is_sound else advice)


def self_test() -> Iterator[Finding]:
    """Whether every public function computes what it should."""
    wrong = []
    for name, check in selftest.CHECKS.items():
        try:
            error = check()
        except Exception as failure:  # whatever it is, it is what the command is asked for
            wrong.append(f"{name} raises {type(failure).__name__}: {failure}")
            continue
        if not error <= selftest.BOUND:
            wrong.append(f"{name} is off by {error:.3g} eps")
    count = len(selftest.CHECKS)
    if not wrong:
        yield Finding("self-test", f"{count} functions compute what they should")
    for text in wrong:
        yield Finding("self-test", text, REINSTALL)


CHECKS: tuple[Callable[[], Iterator[Finding]], ...] = (
    versions,
    libraries,
    processor,
    threads,
    gpu,
    routing,
    self_test,
)


def _findings() -> Iterator[Finding]:
    for check in CHECKS:
        try:
            yield from check()
        except Exception as failure:  # the other checks still have something to say
            text = f"the check raises {type(failure).__name__}: {failure}"
            yield Finding(check.__name__.replace("_", "-"), text, REINSTALL)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the command its options: it has none."""


def run(namespace: argparse.Namespace) -> int:
    """Print a line per finding; the exit status is 1 if one of them is wrong."""
    status = 0
    for finding in _findings():
        mark = "FAIL" if finding.advice else "ok"
        print(f"{mark:<5} {finding.name:<16} {finding.detail}")
        if finding.advice:
            print(f"{'':<22} -> {finding.advice}")
            status = 1
    print("\nSomething is wrong, see FAIL above." if status else "\nAll is well.")
    return status
