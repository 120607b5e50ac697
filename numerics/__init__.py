"""Linear algebra and special functions, drop-in for ``numpy.linalg`` and ``scipy.special``."""

from __future__ import annotations

try:
    from . import _kernels as _kernels
    from ._version import __version__
except ImportError as error:
    from pathlib import Path as _Path

    if (_Path(__file__).parent.parent / "kernels" / "CMakeLists.txt").exists():
        raise ImportError(
            f"numerics: {_Path(__file__).parent} is the source folder, where the extension is not "
            "built. Run `pip install .` in the checkout, then import numerics from any other "
            "folder (or run the `numerics` command, which works anywhere)."
        ) from error
    raise

from ._backends import cpu as _cpu  # noqa: F401  (signs its table in; every op looks there)

# isort: split
from . import dropin, linalg, profiler, special
from ._core import arrivals as _arrivals
from ._core.backends import on_arrival as _on_arrival
from ._core.config import get_num_threads, set_num_threads

__all__ = [
    "__version__",
    "dropin",
    "get_num_threads",
    "linalg",
    "profiler",
    "set_num_threads",
    "special",
]

_on_arrival("cupy", "numerics._backends.gpu")
_arrivals.on_import("threadpoolctl", "numerics._backends.threadpoolctl")
