"""What LAPACK takes for one matrix, without what it costs to call it from Python.

A routine is called through ctypes by the pointer that `scipy.linalg.cython_lapack` hands out, on
arguments made beforehand, once with the size n and once with 0, where it returns at once. The
difference of the two times is LAPACK's own, up to its look at the arguments. So what our call
costs above it is an upper bound of our overhead.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import cython_lapack

from .timing import Contestant

ROUTINES = {
    "cholesky_ex": "potrf L n a ld info",
    "cholesky_solve": "potrf L n a ld info | potrs L n 1 a ld b ld info",
    "eig": "geev N V n a ld w w2 u ld vt ld work lwork info",
    "eigh": "syevd V L n a ld w work lwork iwork lwork info",
    "eigvals": "geev N N n a ld w w2 u ld vt ld work lwork info",
    "eigvalsh": "syevd N L n a ld w work lwork iwork lwork info",
    "householder_product": "geqrf n n a ld w work lwork info | orgqr n n n a ld w work lwork info",
    "inv_ex": "| getrf n n a ld iwork info; getri n a ld iwork work lwork info",
    "ldl_factor": "sytrf L n a ld iwork work lwork info",
    "ldl_solve": "sytrf L n a ld iwork work lwork info | sytrs L n 1 a ld iwork b ld info",
    "lstsq": "gelsd n n 1 a ld b ld w rcond rank work lwork iwork info",
    "lu_factor": "getrf n n a ld iwork info",
    "lu_solve": "getrf n n a ld iwork info | getrs N n 1 a ld iwork b ld info",
    "qr": "| geqrf n n a ld w work lwork info; orgqr n n n a ld w work lwork info",
    "solve_ex": "gesv n 1 a ld iwork b ld info",
    "solve_triangular": "trtrs U N N n 1 a ld b ld info",
    "svd": "gesdd A n n a ld w u ld vt ld work lwork iwork info",
    "svdvals": "gesdd N n n a ld w u ld vt ld work lwork iwork info",
}
"""LAPACK's calls behind each function of ours; those before a bar only make what is timed.

A word is an argument: a capital a letter, ``n`` the size, ``ld`` the leading dimension, a digit
itself, all else an array or a number of that name.
"""

SPACE = 2000
"""Numbers in a workspace: more than any routine here asks for at n ≤ 4."""


def contestants(name: str, argument: Any, definite: np.ndarray) -> list[Contestant]:
    """Return the calls of size n and of size 0 for one float64 matrix; none for other functions.

    `argument` is the function's first, and `definite` stands in for it where that is a factor.
    Both calls copy the matrix and the right-hand side first, for routines overwrite them.
    """
    if name not in ROUTINES:
        return []
    memory = prepared(name, argument, definite)
    timed = ROUTINES[name].rpartition("|")[2]
    n = len(definite)
    return [
        Contestant("LAPACK", memory.after_copying(memory.calls(timed, n))),
        Contestant("LAPACK, n = 0", memory.after_copying(memory.calls(timed, 0))),
    ]


def prepared(name: str, argument: Any, definite: np.ndarray) -> Memory:
    """Return memory that holds what the timed routines start from."""
    before = ROUTINES[name].rpartition("|")[0]
    memory = Memory(definite if before.strip() else argument)
    memory.copy()
    for call in memory.calls(before, len(definite)):
        call()
    memory.keep()
    return memory


class Memory:
    """Arguments of LAPACK for one matrix: arrays, and numbers that live as long as they do."""

    def __init__(self, a: np.ndarray) -> None:
        n = len(a)
        self.sources = {"a": np.asfortranarray(a), "b": np.ones(n)}
        self.arrays: dict[str, np.ndarray] = {
            "a": np.empty((n, n), order="F"),
            "b": np.empty(n),
            "u": np.zeros((n, n)),
            "vt": np.zeros((n, n)),
            "work": np.zeros(SPACE),
            "iwork": np.zeros(SPACE, np.int64),
        }
        self.arrays |= {name: np.zeros(max(2, n)) for name in ("w", "w2")}
        self.arrays |= {"rcond": np.full(1, -1.0)}
        self.arrays |= {
            # 64 bits hold what LAPACK reads with 32, too: the low half comes first.
            name: np.full(1, value, np.int64)
            for name, value in {"ld": n, "lwork": SPACE, "rank": 0, "info": 0}.items()
        }

    def copy(self) -> None:
        """Give the overwritten arrays their values back."""
        for name, source in self.sources.items():
            np.copyto(self.arrays[name], source)

    def keep(self) -> None:
        """Let the values of now be those that `copy` gives back."""
        self.sources = {name: self.arrays[name].copy(order="F") for name in self.sources}

    def calls(self, routines: str, n: int) -> list[Callable[[], Any]]:
        """Return the calls of routines, parted by semicolons, for matrices of size n."""
        return [self._call(words.split(), n) for words in routines.split(";") if words.split()]

    def after_copying(self, calls: list[Callable[[], Any]]) -> Callable[[], Any]:
        """Return one call that copies and then makes the others."""
        copyto = np.copyto
        a, b = (self.arrays[name] for name in self.sources)
        a_source, b_source = self.sources.values()

        def both() -> None:
            copyto(a, a_source)
            copyto(b, b_source)
            for call in calls:
                call()

        return both

    def _call(self, words: list[str], n: int) -> Callable[[], Any]:
        routine = _routine(f"d{words[0]}")
        arguments = [self._pointer(word, n) for word in words[1:]]
        return lambda: routine(*arguments)

    def _pointer(self, word: str, n: int) -> Any:
        if word.isupper():
            return ctypes.c_char_p(word.encode())
        if word == "n" or word.isdigit():
            number = n if word == "n" else int(word)
            return np.full(1, number, np.int64).ctypes.data_as(ctypes.c_void_p)
        return self.arrays[word].ctypes.data_as(ctypes.c_void_p)  # keeps the array alive


def _routine(name: str) -> Callable[..., Any]:
    """Return a routine by the pointer in SciPy's capsule of its name."""
    capsule = cython_lapack.__pyx_capi__[name]
    signature = ctypes.pythonapi.PyCapsule_GetName
    signature.restype, signature.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.PYFUNCTYPE(None)(pointer(capsule, signature(capsule)))
