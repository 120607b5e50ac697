"""Random calls of every public function of linear algebra: what is drawn, and by which table."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from cases.draws import numbers
from cases.inputs import LAYOUTS, ODD
from cases.promises import Shape, cores

LETTERS = "d" * 12 + "f" * 4 + "D" * 6 + "F" * 3 + "?bBhHiIlLqQegG"
STACKS: list[Shape] = [(), (), (), (), (0,), (1,), (2,), (3,), (2, 1), (2, 3), (0, 2)]
KINDS = [name for name in LAYOUTS if name != "matrix"]
SPOILT = [np.nan, np.inf, *ODD]


def some_size(choose: random.Random) -> int:
    """A size of 0 to 6."""
    return choose.choice((2, 2, 3, 3, 1, 4, 5, 6, 0))


def some_array(choose: random.Random, shape: Shape) -> Any:
    """An array in a dtype, a layout and with values of any kind; now and then of a wrong shape."""
    fault = choose.random()
    if fault < 0.03:
        shape = shape[1:]
    elif fault < 0.06 and shape:
        at = choose.randrange(len(shape))
        shape = (*shape[:at], choose.choice((0, 1, shape[at] + 1)), *shape[at + 1 :])
    elif fault < 0.07:
        shape = ()
    rng = np.random.Generator(np.random.PCG64(choose.getrandbits(32)))
    a = np.asarray(numbers(rng, choose.choice(LETTERS), shape))
    if a.dtype.kind in "fc" and a.size:
        kind = choose.random()
        if kind < 0.1:
            a *= a.real.dtype.type(choose.choice([2.0**-14, 2.0**-100, 2.0**14, 2.0**100]))
        if kind > 0.7:
            for _ in range(choose.choice((1, 1, 2, a.size))):
                value = np.asarray(choose.choice(SPOILT)).astype(a.real.dtype)
                a.reshape(-1)[choose.randrange(a.size)] = value
        if kind < 0.2 and a.ndim > 1 and a.shape[-2] > 1:
            a[..., 1, :] = a[..., 0, :]
    return LAYOUTS[choose.choice(KINDS)](a) if choose.random() < 0.6 else a


def by_signature(choose: random.Random, row: "Row") -> list[Any]:
    """Arrays of shapes that fit the row's signature before anything is spoilt."""
    inputs = cores(row.drawn or row.signature)[0]
    sizes: dict[str, int] = {}
    stack, arrays = choose.choice(STACKS), []
    for names in inputs:
        core = tuple(sizes.setdefault(name, some_size(choose)) for name in names)
        front = stack if choose.random() < 0.7 else choose.choice(STACKS)
        if names and names[-1].endswith("?") and choose.random() < 0.4:
            front, core = (), core[:-1]
        arrays.append(some_array(choose, front + core))
    return arrays


def factored(choose: random.Random, row: "Row") -> list[Any]:
    """A matrix, pivots that may be anything and as many axes as they should, a right-hand side."""
    matrix, right = by_signature(choose, row)
    *stack, n = np.shape(matrix)[:-1] or (2,)
    pivots = np.arange(n) + choose.choice((0, 0, 1, 1, -1, 7))
    pivots = np.broadcast_to(pivots, (*stack, n))
    return [matrix, pivots.astype(choose.choice("iiiilhd")), right]


def chain(choose: random.Random, row: "Row") -> list[Any]:
    """Two to five matrices that fit, and vectors at the ends now and then."""
    sizes = [some_size(choose) for _ in range(choose.randint(2, 6))]
    shapes: list[Shape] = list(pairwise(sizes))
    if choose.random() < 0.2:
        shapes = [choose.choice(STACKS) + shape for shape in shapes]
    if choose.random() < 0.2:
        shapes[0] = shapes[0][-1:]
    if choose.random() < 0.2 and len(shapes) > 1:
        shapes[-1] = shapes[-1][:1]
    return [some_array(choose, shape) for shape in shapes]


def tensor(choose: random.Random, row: "Row") -> list[Any]:
    """An array of up to five axes, and one whose axes are its first."""
    shapes = [(2, 3, 6), (6, 2, 3), (4, 2, 2), (2, 3, 3, 2), (3, 4, 2, 2), (2, 2), (2, 1, 3, 1, 6)]
    shape = choose.choice(shapes)
    arrays = [some_array(choose, shape)]
    if row.operands == 2:
        arrays.append(some_array(choose, shape[: choose.randint(1, len(shape))]))
    return arrays


# --- The table ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """How to draw the arguments of a function, and what they promise.

    `word` has the dtypes of the results, as `dtypes_by` reads them; None asks NumPy, which a
    function that `goes_beyond` NumPy's need not follow where it refuses. Options are drawn from
    `options`, `always` or half of the time; those of `wrong` must raise. The shape of result number
    `depends_on_values` is not predicted. A function that
    `is_picky` may refuse values of arguments, such as pivots. `is_stack` says that the matrices
    of the first argument do not see each other.
    """

    signature: Any
    word: Any = None
    options: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    wrong: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    drawn: str | None = None
    draw: Callable[[random.Random, "Row"], list[Any]] = by_signature
    pack: Callable[[list[Any]], list[Any]] = lambda arrays: arrays
    refuses: Callable[[Sequence[np.ndarray], Mapping[str, Any]], bool] | None = None
    goes_beyond: bool = False
    depends_on_values: int | None = None
    is_picky: bool = False
    always: bool = False
    is_stack: bool = True
    operands: int = 1


BOOL = (False, True)
DRIVERS = (None, "gesdd", "gesvd", "jacobi")
TOLERANCES = (None, 1e-10, 0.5, 0.0)
ORDERS = (None, 2, -2, 1, -1, np.inf, -np.inf, "fro", "nuc", 0, 3, 0.5, "unknown")
SPECTRAL = (None, 2, -2)
CONDITIONS = (*SPECTRAL, 1, -1, np.inf, -np.inf, "fro")
AXES = (None, 0, -1, 1, (0, 1), (-1, -2), (0, 0), 7)
MATRIX, SQUARE = "(m,n)", "(n,n)"
CHECKED = {"check_finite": (False,), "overwrite_a": BOOL}


def svd_signature(options):
    matrix = SQUARE if options.get("hermitian") else MATRIX
    if not options.get("compute_uv", True):
        return f"{matrix}->({'n' if options.get('hermitian') else 'min'})"
    if options.get("hermitian"):
        return "(n,n)->(n,n),(n),(n,n)"
    if options.get("full_matrices", True):
        return "(m,n)->(m,m),(min),(n,n)"
    return "(m,n)->(m,min),(min),(min,n)"


def lu_signature(options):
    if options.get("permute_l"):
        return "(m,n)->(m,min),(min,n)"
    first = "(m)" if options.get("p_indices") else "(m,m)"
    return f"(m,n)->{first},(m,min),(min,n)"


def lu_word(options):
    if options.get("permute_l"):
        return "xx"
    return "?xx" if options.get("p_indices") else "rxx"


QR = {
    "reduced": "(m,n)->(m,min),(min,n)",
    "complete": "(m,n)->(m,m),(m,n)",
    "r": "(m,n)->(min,n)",
    "raw": "(m,n)->(n,m),(min)",
    "unknown": "(m,n)->()",
}


def is_empty_matrix(arrays, options):
    return 0 in arrays[0].shape[-2:]


def has_a_driver_for_nothing(arrays, options):
    return bool(options.get("hermitian")) and options.get("driver") is not None


def is_not_tall(arrays, options):
    (m, n), k = arrays[0].shape[-2:], arrays[1].shape[-1]
    return not m >= n >= k


def solve_ex_signature(options):
    if options.get("left", True):
        return "(n,n),(n,k?)->(n,k?),()"
    return "(n,n),(k?,n)->(k?,n),()"


ROWS = {
    "cholesky": Row("(n,n)->(n,n)", "x", {"upper": BOOL}),
    "cholesky_ex": Row("(n,n)->(n,n),()", "xi", {"upper": BOOL, "check_errors": BOOL}),
    "cholesky_solve": Row("(n,k?),(n,n)->(n,k?)", "x", {"upper": BOOL}),
    "cond": Row(
        lambda o: "(m,n)->()" if o.get("p") in SPECTRAL else "(n,n)->()",
        "r",
        {"p": (*CONDITIONS, "unknown")},
        {"p": ("unknown",)},
        drawn=MATRIX,
        refuses=is_empty_matrix,
    ),
    "cross": Row("(c),(c)->(c)", None, {"axis": (-1, -1, 0, 1, 7)}, is_stack=False, operands=2),
    "det": Row("(n,n)->()", "x"),
    "diagonal": Row("(m,n)->(n)", None, {"offset": (0, 1, -2, 9)}, is_stack=False),
    "eig": Row("(n,n)->(n),(n,n)", "??"),
    "eigh": Row("(n,n)->(n),(n,n)", "rx", {"UPLO": ("L", "U", "l", "X")}, {"UPLO": ("X",)}),
    "eigvals": Row("(n,n)->(n)", "?"),
    "eigvalsh": Row("(n,n)->(n)", "r", {"UPLO": ("L", "U", "u", "X")}, {"UPLO": ("X",)}),
    "expm": Row("(n,n)->(n,n)", "x"),
    "householder_product": Row("(m,n),(k)->(m,n)", "x", refuses=is_not_tall),
    "inv": Row("(n,n)->(n,n)", "x"),
    "inv_ex": Row("(n,n)->(n,n),()", "xi", {"check_errors": BOOL}),
    "ldl_factor": Row("(n,n)->(n,n),(n)", "xi", {"hermitian": BOOL}),
    "ldl_solve": Row(
        "(n,n),(n),(n,k?)->(n,k?)",
        "?",
        {"hermitian": BOOL},
        drawn="(n,n),(n,k)->()",
        draw=factored,
        is_picky=True,
    ),
    "lstsq": Row(
        "(m,n),(m,k?)",
        None,
        {"rcond": (None, -1, 1e-10, 0.5)},
        goes_beyond=True,
        depends_on_values=1,
    ),
    "lu": Row(
        lu_signature, lu_word, {"permute_l": BOOL, "p_indices": BOOL} | CHECKED, drawn=MATRIX
    ),
    "lu_factor": Row("(m,n)->(m,n),(min)", "xi", CHECKED),
    "lu_solve": Row(
        "(n,n),(n),(n,k?)->(n,k?)",
        "?",
        {"trans": (0, 1, 2, 3)},
        {"trans": (3,)},
        drawn="(n,n),(n,k?)",
        draw=factored,
        is_picky=True,
        pack=lambda arrays: [tuple(arrays[:2]), *arrays[2:]],
    ),
    "matmul": Row("(m,n),(n,k?)->(m,k?)", operands=2),
    "matrix_exp": Row("(n,n)->(n,n)", "x"),
    "matrix_norm": Row("(m,n)->()", None, {"ord": ORDERS[1:], "keepdims": BOOL}),
    "matrix_power": Row(
        "(n,n)->(n,n)", None, {"n": (0, 1, 2, 3, 5, -1, -2)}, goes_beyond=True, always=True
    ),
    "matrix_rank": Row("(m,n)->()", None, {"tol": TOLERANCES[1:], "rtol": TOLERANCES[1:]}),
    "matrix_transpose": Row("(m,n)->(n,m)", is_stack=False),
    "multi_dot": Row("", draw=chain, pack=lambda a: [a], goes_beyond=True, is_stack=False),
    "norm": Row(MATRIX, None, {"ord": ORDERS, "axis": AXES, "keepdims": BOOL}, is_stack=False),
    "null_space": Row("(m,n)->(n,n),()", "x?", {"rtol": TOLERANCES}),
    "orth": Row("(m,n)->(m,min),()", "x?", {"rtol": TOLERANCES}),
    "outer": Row("(m),(n)->(m,n)", is_stack=False),
    "pinv": Row(MATRIX, None, {"rcond": TOLERANCES[1:], "hermitian": BOOL}),
    "qr": Row(
        lambda o: QR[o.get("mode", "reduced")],
        lambda o: "xx" if o.get("mode", "reduced") not in ("r", "unknown") else "x",
        {"mode": tuple(QR)},
        {"mode": ("unknown",)},
        drawn=MATRIX,
    ),
    "slogdet": Row("(n,n)->(),()", "xr"),
    "solve": Row("(n,n),(n,k?)->(n,k?)", "x"),
    "solve_ex": Row(
        solve_ex_signature,
        "xi",
        {"left": BOOL, "check_errors": BOOL},
        drawn="(n,n),(n,k?)",
    ),
    "solve_triangular": Row(
        "(n,n),(n,k?)->(n,k?)",
        "x",
        {
            "trans": (0, 1, 2, "N", "T", "C", 3),
            "lower": BOOL,
            "unit_diagonal": BOOL,
            "overwrite_b": BOOL,
        },
        {"trans": (3,)},
    ),
    "sqrtm": Row("(n,n)->(n,n)", "?"),
    "svd": Row(
        svd_signature,
        lambda o: "xrx" if o.get("compute_uv", True) else "r",
        {"full_matrices": BOOL, "compute_uv": BOOL, "hermitian": BOOL, "driver": (*DRIVERS, "qr")},
        {"driver": ("qr",)},
        drawn=MATRIX,
        refuses=has_a_driver_for_nothing,
    ),
    "svdvals": Row("(m,n)->(min)", "r", {"driver": (*DRIVERS, "qr")}, {"driver": ("qr",)}),
    "tensordot": Row(
        "", None, {"axes": (0, 1, 2, 3, (1, 0))}, draw=tensor, is_stack=False, operands=2
    ),
    "tensorinv": Row(
        "", None, {"ind": (1, 2, 0, -1)}, draw=tensor, goes_beyond=True, is_stack=False
    ),
    "tensorsolve": Row(
        "",
        None,
        {"axes": (None, (1,), (0,))},
        draw=tensor,
        goes_beyond=True,
        is_stack=False,
        operands=2,
    ),
    "trace": Row(MATRIX, None, {"offset": (0, 1, -2, 9)}, is_stack=False),
    "vander": Row(
        lambda o: f"(n)->(n,{'n' if o.get('N') is None else o['N']})",
        "*",
        {"N": (None, 0, 1, 4)},
        drawn="(n)",
        is_stack=False,
    ),
    "vecdot": Row("(n),(n)->()", None, {"axis": (-1, -1, 0, 7)}, is_stack=False),
    "vector_norm": Row(
        "(m,n)->()", None, {"ord": ORDERS[1:], "axis": AXES, "keepdims": BOOL}, is_stack=False
    ),
}
"""By the name of the function."""


@dataclass
class Call:
    """One call of a function, before anything was done to its arguments."""

    name: str
    arrays: list[Any]
    options: dict[str, Any]

    @property
    def arguments(self) -> list[Any]:
        """The positional arguments."""
        return ROWS[self.name].pack(self.arrays)

    def stack_axes(self) -> list[int]:
        """How many axes in front of its matrix or vector each array has."""
        row = ROWS[self.name]
        signature = row.signature(self.options) if callable(row.signature) else row.signature
        inputs = cores(signature)[0]
        pairs = zip(self.arrays, inputs, strict=True)
        return [max(0, np.ndim(a) - len(names)) for a, names in pairs]

    def __str__(self) -> str:
        """Name, shapes and dtypes, and options."""
        arrays = [np.asarray(a) for a in self.arrays]
        texts = [f"{a.dtype.str}{a.shape}".replace(" ", "") for a in arrays]
        texts += [f"{option}={value!r}" for option, value in self.options.items()]
        return f"{self.name}({', '.join(texts)})"


def some_call(seed: int, number: int, names: Sequence[str]) -> tuple[Call, random.Random]:
    """Call `number` of the sequence `seed`, and what its further choices come from."""
    choose = random.Random((seed << 40) + number)
    name = choose.choice(names)
    row = ROWS[name]
    options = {
        option: choose.choice(values)
        for option, values in row.options.items()
        if row.always or choose.random() < 0.5
    }
    with np.errstate(all="ignore"):
        return Call(name, row.draw(choose, row), options), choose
