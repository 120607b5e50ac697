"""Who may import whom: every arrow in the source is one that the architecture allows."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

ROOMS = {
    # room: what it may import, besides itself and Python's library
    "numerics": {"*"},
    "numerics._commands": {"*"},
    "numerics.linalg": {"numerics._core", "numpy"},
    "numerics.special": {"numerics._core", "numpy"},
    "numerics.dropin": {"numerics._core", "numerics._kernels", "numpy"},
    "numerics.profiler": {"numerics._core", "numerics._kernels", "numpy"},
    "numerics._backends": {"numerics._core", "numerics._kernels", "numpy"},
    "numerics._backends.gpu": {
        "numerics._backends", "numerics._core", "numerics._kernels", "numpy", "cupy", "cupyx",
    },
    "numerics._backends.threadpoolctl": {"threadpoolctl"},
    "numerics._core": {"numerics._kernels", "numpy"},
    "gradcheck": {"numpy"},
}  # fmt: skip
"""The longest name that fits a module is its room."""

TOP = ("numerics", "numerics.__main__")
TESTS_ONLY = {"mpmath", "flint", "pytest", "hypothesis"}
HEADERS = {
    "include/numerics": {"numerics", "standard"},
    "cpu": {"numerics", "standard", "own", "python", "numpy", "functions.def", "posix"},
}


def python_files():
    return [
        path for name in ("numerics", "gradcheck") for path in sorted((ROOT / name).rglob("*.py"))
    ]


def module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module):
    if module in TOP:
        return "numerics"
    names = [room for room in ROOMS if f"{module}.".startswith(f"{room}.") and room != "numerics"]
    return max(names, key=len) if names else None


def imports(source, module, is_package):
    """Absolute names that a file imports, wherever in it."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{start}.{alias.name}" for alias in node.names)


def is_library(name):
    """Python's own, told by what it is not."""
    ours = (
        "numerics",
        "gradcheck",
        "numpy",
        "scipy",
        "cupy",
        "cupyx",
        "threadpoolctl",
        *TESTS_ONLY,
    )
    return name.partition(".")[0] not in ours


def forbidden(source, module, is_package=False):
    """The imports of a file that its room does not allow."""
    room = room_of(module)
    if room is None:
        return [f"{module} has no room"]
    allowed = ROOMS[room]
    bad = []
    for name in imports(source, module, is_package):
        first = name.partition(".")[0]
        if is_library(name) or f"{name}.".startswith(f"{room}."):
            continue
        if allowed == {"*"} and first in ("numerics", "numpy", "scipy", "gradcheck"):
            continue
        if not any(f"{name}.".startswith(f"{target}.") for target in allowed):
            bad.append(f"{module} imports {name}")
    return bad


PRIVATE = re.compile(
    r"\bnumpy\._\w+|\bnumpy\.core\b|\bnp\.core\b|\bnp\.(?:\w+\.)*_(?!_|NoValue\b|implementation\b)\w+"
)


def private_names(source):
    """NumPy's private names in a file, other than the two that have no public twin."""
    tree = ast.parse(source)
    code = "\n".join(ast.unparse(node) for node in tree.body)
    return PRIVATE.findall(code)


@pytest.mark.parametrize("path", python_files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_every_import_points_the_right_way(path):
    found = forbidden(path.read_text(), module_of(path), path.stem == "__init__")

    assert found == []


@pytest.mark.parametrize("path", python_files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_no_private_name_of_numpy_is_used(path):
    assert private_names(path.read_text()) == []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("numerics._core.call", "from .. import linalg"),
        ("numerics._core.call", "from numerics.linalg import solve"),
        ("numerics._core.call", "from .._backends import cpu"),
        ("numerics._core.call", "import scipy.linalg"),
        ("numerics.linalg._solve", "from ..special import erfcx"),
        ("numerics.linalg._solve", "from .._backends import cpu"),
        ("numerics.linalg._solve", "def f():\n    from .. import dropin"),
        ("numerics.special._erf", "from ..linalg._solve import SOLVE"),
        ("numerics.dropin", "from . import profiler"),
        ("numerics.profiler", "from .dropin import install"),
        ("numerics.profiler", "from . import linalg"),
        ("numerics._backends.cpu", "import cupy"),
        ("numerics._core.config", "import threadpoolctl"),
        ("numerics._backends.cpu", "from ..linalg import solve"),
        ("numerics._commands.demo", "import mpmath"),
        ("gradcheck._adjoint", "import numerics"),
        ("gradcheck._adjoint", "import scipy"),
        ("numerics.unheard_of", "import numpy"),
    ],
)
def test_a_planted_import_is_found(module, line):
    assert len(forbidden(line, module)) == 1


@pytest.mark.parametrize(
    ("module", "line"),
    [
        (
            "numerics._core.call",
            "import numpy as np\nfrom .. import _kernels\nfrom . import layers",
        ),
        ("numerics.linalg._solve", "from .._core.op import op\nfrom ._common import is_empty"),
        ("numerics._backends.gpu", "import cupy\nimport cupyx.scipy.special\nfrom . import norms"),
        ("numerics.__main__", "from . import dropin, profiler\nfrom ._commands import demo"),
        ("gradcheck._adjoint", "import numpy as np"),
    ],
)
def test_an_allowed_import_is_let_pass(module, line):
    assert forbidden(line, module) == []


@pytest.mark.parametrize(
    "line",
    [
        "from numpy._core import umath",
        "import numpy.core.umath",
        "x = np.core.umath",
        "x = np.linalg._umath_linalg.inv",
        "x = np._globals",
    ],
)
def test_a_planted_private_name_is_found(line):
    assert private_names(line)


# --- C++ ----------------------------------------------------------------------------------------


def header_kind(name, quoted, folder):
    """What an #include line asks for."""
    if name.startswith("numerics/"):
        return "numerics"
    if name.startswith("numpy/"):
        return "numpy"
    if name in ("Python.h", "structmember.h"):
        return "python"
    if name in ("pthread.h", "sys/syscall.h", "unistd.h"):
        return "posix"
    if name.endswith("functions.def"):
        return "functions.def"
    path = (folder / name).resolve()
    if quoted and path.exists() and path.is_relative_to(folder):
        return "own"
    return "standard" if re.fullmatch(r"[a-z_0-9]+|\w*intrin\.h|arm_neon\.h", name) else name


def forbidden_includes(source, folder):
    """The includes of a file that its folder under kernels/ does not allow."""
    room = next(key for key in HEADERS if folder.is_relative_to(ROOT / "kernels" / key))
    lines = re.findall(r'^\s*#\s*include\s*([<"])([^">]+)[">]', source, re.MULTILINE)
    kinds = [(name, header_kind(name, mark == '"', folder)) for mark, name in lines]
    return [name for name, kind in kinds if kind not in HEADERS[room]]


def kernel_files():
    folders = [ROOT / "kernels" / key for key in HEADERS]
    return sorted(p for folder in folders for p in folder.rglob("*") if p.suffix in (".h", ".cpp"))


@pytest.mark.parametrize("path", kernel_files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_every_include_points_the_right_way(path):
    assert forbidden_includes(path.read_text(), path.parent) == []


@pytest.mark.parametrize(
    ("folder", "line"),
    [
        ("include/numerics", "#include <Python.h>"),
        ("include/numerics", "#include <pthread.h>"),
        ("include/numerics", "#include <numpy/arrayobject.h>"),
        ("include/numerics", '#include "stack.h"'),
        ("include/numerics", '#include "../../cpu/stack.h"'),
        ("include/numerics", "#include <boost/math.hpp>"),
        ("cpu", "#include <cblas.h>"),
        ("cpu", '#include "../gpu/small.h"'),
    ],
)
def test_a_planted_include_is_found(folder, line):
    assert len(forbidden_includes(line, ROOT / "kernels" / folder)) == 1
