"""Our threads under the eyes of threadpoolctl: imported when that package is."""

from __future__ import annotations

import ctypes

from threadpoolctl import LibController, register

__all__: list[str] = []


class NumericsController(LibController):
    """The pool of ``numerics._kernels``, found by its file and the symbols it exports."""

    user_api = "numerics"
    internal_api = "numerics"
    filename_prefixes = ("_kernels",)
    check_symbols = ("numerics_get_num_threads", "numerics_set_num_threads")

    def get_num_threads(self) -> int:
        """Return the number of threads that a call may use."""
        return int(self.dynlib.numerics_get_num_threads())

    def set_num_threads(self, num_threads: int) -> None:
        """Set it; what is out of range becomes the nearest that is allowed."""
        self.dynlib.numerics_set_num_threads(ctypes.c_int(num_threads))

    def get_version(self) -> str | None:
        """Return nothing: the version is the package's."""
        return None


register(NumericsController)
