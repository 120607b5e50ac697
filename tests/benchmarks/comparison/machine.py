"""Where figures come from: the processor, the versions, and how many threads each library has."""

from __future__ import annotations

import importlib
import os
import platform
import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numerics
from numerics import _kernels

VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "NUMERICS_NUM_THREADS")


def description(libraries: Sequence[str]) -> dict[str, str]:
    """Return what a reader of figures has to know, in words."""
    versions = [f"{name} {_version(name)}" for name in ("numerics", "numpy", *libraries)]
    return {
        "processor": f"{_processor()}, {_cores()} cores, {_kernels.instruction_set()} kernels",
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "versions": ", ".join(versions),
        "threads of numerics": _ours(),
        "threads of BLAS": "; ".join(_pools()) or _variables(),
        "threads of others": "torch: as its name says; jax: its own pool, and SciPy's LAPACK",
    }


def _version(name: str) -> str:
    if name == "numerics":
        return numerics.__version__
    try:
        return version(name)
    except PackageNotFoundError:
        return "of unknown version"


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:  # not Linux
        text = ""
    named = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return named[1] if named else platform.processor() or platform.machine()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _ours() -> str:
    count = getattr(numerics, "get_num_threads", None)
    return str(count()) if count else "1"


def _pools() -> list[str]:
    """Return every BLAS that is loaded, whose it is and its threads, if threadpoolctl can tell."""
    if not find_spec("threadpoolctl"):
        return []
    found: list[dict[str, Any]] = importlib.import_module("threadpoolctl").threadpool_info()
    return sorted(
        f"{_owner(pool['filepath'])}: {pool['num_threads']} ({pool['internal_api']} "
        f"{pool['version']})"
        for pool in found
        if pool["user_api"] == "blas"
    )


def _owner(path: str) -> str:
    """Return whose folder of site-packages a library lies in: ``numpy.libs`` is NumPy's."""
    parts = Path(path).parts
    if "site-packages" not in parts:
        return path
    return parts[parts.index("site-packages") + 1].removesuffix(".libs")


def _variables() -> str:
    """Return what the environment says, which the libraries read when they load."""
    found = [f"{name}={os.environ[name]}" for name in VARIABLES if name in os.environ]
    return f"{', '.join(found) or 'no variable set'} (threadpoolctl, which could count, is missing)"
