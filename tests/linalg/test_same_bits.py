"""A matrix has the same bits alone and anywhere in a stack, on every instruction set.

The kernels of the solve family do one matrix in registers or rows, and several at once in lanes;
whatever is unusual falls back to LAPACK by itself. No way may be told from another by its results.
"""

import numpy as np
import pytest

import numerics
from numerics import _kernels, linalg
from numerics._core import signature
from numerics._core.op import OPS

from cases.inputs import LAYOUTS
from cases.table import CASES

SIZES = [*range(1, 21), 24, 31, 32, 33, 63, 64, 65, 100]
FEW_SIZES = [1, 2, 3, 4, 5, 8, 13, 16, 17, 33]
COUNTS = [1, 2, 7, 8, 9, 63, 64, 65, 130]
RIGHT_HAND_SIDES = [0, 1, 2, 3, 4, 5, 33]
SMALL = 33  # rows up to which long stacks are cheap


@pytest.fixture(params=_kernels.instruction_sets())
def instruction_set(request):
    before = _kernels.instruction_set()
    _kernels.use_instruction_set(request.param)
    with np.errstate(all="ignore"):
        yield request.param
    _kernels.use_instruction_set(before)


@pytest.fixture
def shared():
    """Let the smallest stack be worth sharing."""
    threads = numerics.get_num_threads()
    factor = _kernels.exaggerate_durations(1e6)
    yield
    numerics.set_num_threads(threads)
    _kernels.exaggerate_durations(factor)


# --- Matrices -----------------------------------------------------------------------------------


def numbers(rng, letter, shape):
    real = rng.standard_normal(shape)
    return real + 1j * rng.standard_normal(shape) if letter in "FD" else real


def with_one(rng, a, x):
    """The matrix with `x` somewhere."""
    a[rng.integers(len(a)), rng.integers(len(a))] = x
    return a


def kinds(rng, letter, n):
    """Functions that make a matrix each: plain ones, structured ones, and what is unusual."""
    huge, tiny, subnormal = (1e30, 1e-30, 1e-42) if letter in "fF" else (1e300, 1e-300, 1e-310)
    near_the_end_of_tame = 1.0 if letter in "fF" else 2.0 ** rng.choice([-501, -500, 499, 500])

    def draw():
        return numbers(rng, letter, (n, n))

    return [
        draw,
        lambda: draw() * (rng.random((n, n)) < 0.5),
        lambda: -(draw() * (rng.random((n, n)) < 0.3)),
        lambda: np.ones((n, n)),
        lambda: draw()[:, :1] * draw()[:1],
        lambda: np.eye(n)[rng.permutation(n)],
        lambda: -1.5 * np.eye(n)[rng.permutation(n)],
        lambda: np.triu(draw()),
        lambda: np.tril(draw()),
        lambda: rng.integers(-2, 3, (n, n)) * 1.0,
        lambda: rng.choice([-0.3, 0.3], (n, n)),
        lambda: draw() * huge,
        lambda: draw() * tiny,
        lambda: draw() * subnormal,
        lambda: draw() * 10 ** rng.uniform(-20, 15, (n, n)),
        lambda: draw() * 10 ** rng.uniform(-30, 20, (n, 1)),
        lambda: with_one(rng, draw(), np.nan),
        lambda: with_one(rng, draw(), np.inf),
        lambda: with_one(rng, draw(), -np.inf),
        lambda: np.zeros((n, n)),
        lambda: -np.zeros((n, n)),
        lambda: draw() * near_the_end_of_tame,
        lambda: np.where(np.eye(n) > 0, 1e-20, draw()),
        lambda: np.ones((n, n)) + 2.0**-20 * np.eye(n),
    ]


def zoo(letter, n, count):
    """Matrices of all kinds in turn; a plain one has neighbours that are not."""
    rng = np.random.default_rng(n)
    made = kinds(rng, letter, n)
    order = rng.permutation(len(made))
    return np.stack([made[order[i % len(made)]]() for i in range(count)]).astype(letter)


def hermitian(a):
    """Positive definite ones in between."""
    shifted = a + a.conj().mT
    size = np.abs(shifted).max((1, 2), keepdims=True)
    definite = shifted + 2 * a.shape[-1] * size * np.eye(a.shape[-1])
    return np.where(np.arange(len(a))[:, None, None] % 3 > 0, definite, a).astype(a.dtype)


# --- Functions ----------------------------------------------------------------------------------


def without_failures(function, matrices, *others):
    """The arrays, of those matrices only for which an ``_ex`` function reports none."""
    succeeds = np.array([function(a).info == 0 for a in matrices])
    return tuple(a[succeeds] for a in (matrices, *others))


def problems(letter, n, count):
    """Name, function and stacks. Right-hand sides and options take turns with the sizes."""
    a, rng = zoo(letter, n, count), np.random.default_rng(count)
    s = hermitian(a)
    yield "inv", linalg.inv, without_failures(linalg.inv_ex, a)
    yield "inv_ex", linalg.inv_ex, (a,)
    yield "det", linalg.det, (a,)
    yield "slogdet", linalg.slogdet, (a,)
    yield "lu_factor", linalg.lu_factor, (a,)
    yield "cholesky", linalg.cholesky, without_failures(linalg.cholesky_ex, s)
    for upper in (False, True):
        yield f"cholesky_ex {upper}", lambda x, u=upper: linalg.cholesky_ex(x, upper=u), (s,)

    for turn in (n, n + 3):
        k = RIGHT_HAND_SIDES[turn % len(RIGHT_HAND_SIDES)]
        b = numbers(rng, letter, (count, n, k)).astype(letter)
        yield f"solve {k}", linalg.solve, without_failures(linalg.inv_ex, a, b)
        yield f"solve_ex {k}", linalg.solve_ex, (a, b)
        yield from from_factors(a, s, b, turn)


def from_factors(a, s, b, turn):
    trans, upper, unit = turn % 3, turn % 2 == 0, turn % 4 < 2
    lu, pivots = linalg.lu_factor(a)
    L, info = linalg.cholesky_ex(s, upper=upper)
    regular, definite = np.diagonal(lu, axis1=1, axis2=2).all(-1), info == 0
    has_divisors = np.diagonal(a, axis1=1, axis2=2).all(-1) | unit

    def solve_lu(lu, pivots, b):
        return linalg.lu_solve((lu, pivots), b, trans)

    def solve_cholesky(L, b):
        return linalg.cholesky_solve(b, L, upper)

    yield f"lu_solve {trans}", solve_lu, (lu[regular], pivots[regular], b[regular])
    yield f"cholesky_solve {upper}", solve_cholesky, (L[definite], b[definite])
    for lower in (False, True):
        yield (
            f"solve_triangular {trans} {lower} {unit}",
            lambda a, b, lower=lower: linalg.solve_triangular(
                a, b, trans=trans, lower=lower, unit_diagonal=unit
            ),
            (a[has_divisors], b[has_divisors]),
        )


def with_one_nan(x):
    """The same numbers, every NaN the same.

    A sum of two NaN has the sign of the one or of the other, as the compiler puts them.
    """
    x = np.array(x)
    if x.dtype.kind in "fc" and np.isnan(x).any():
        real = x.reshape(-1).view(x.real.dtype)
        real[np.isnan(real)] = np.nan
    return x


def parts(result):
    return [with_one_nan(x) for x in (result if isinstance(result, tuple) else (result,))]


def bits_alone(function, arrays):
    """By matrix, the bits of every result."""
    return [[x.tobytes() for x in parts(function(*one))] for one in zip(*arrays, strict=True)]


def bits_stacked(function, arrays):
    results = parts(function(*arrays))
    return [[x[i].tobytes() for x in results] for i in range(len(arrays[0]))]


def differing(problems, stacks):
    """Names of functions whose bits depend on the stack; ``stacks(count)`` gives its slices."""
    found = []
    for name, function, arrays in problems:
        alone = bits_alone(function, arrays)
        for part in stacks(len(arrays[0])):
            piece = tuple(np.ascontiguousarray(a[part]) for a in arrays)
            if bits_stacked(function, piece) != alone[part]:
                found.append((name, part))
    return found


def pieces(count):
    """Stacks of every length, beginning anywhere."""
    rng = np.random.default_rng(count)
    for length in (c for c in COUNTS if c <= count):
        first = int(rng.integers(0, count - length + 1))
        yield slice(first, first + length)
    yield slice(0, count)


# --- The solve family ---------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("letter", "dfDF")
def test_a_matrix_has_the_bits_it_has_alone(instruction_set, letter, n):
    count = 66 if n <= 4 else 33 if n <= SMALL else 5

    wrong = differing(problems(letter, n, count), pieces)

    assert wrong == []


@pytest.mark.parametrize("n", [2, 6, 17])
@pytest.mark.parametrize("letter", "dF")
def test_a_matrix_of_a_long_stack_has_the_bits_it_has_alone(instruction_set, letter, n):
    wrong = differing(problems(letter, n, 130), lambda count: [slice(0, count)])

    assert wrong == []


LAID_OUT = {
    name: LAYOUTS[name]
    for name in (
        "Fortran order",
        "transposed",
        "negative strides",
        "sliced",
        "misaligned",
        "other byte order",
    )
} | {
    "columns": lambda a: np.ascontiguousarray(a.mT).mT if a.ndim > 2 else a,
    "a number off the cache line": lambda a: off_the_line(a),
}


def off_the_line(a):
    """A copy that begins at no multiple of 64 bytes."""
    buffer = np.empty(a.nbytes + 128, np.uint8)
    start = -buffer.ctypes.data % 64 + a.dtype.alignment
    result = buffer[start : start + a.nbytes].view(a.dtype).reshape(a.shape)
    result[...] = a
    return result


@pytest.mark.parametrize("layout", LAID_OUT.values(), ids=LAID_OUT)
@pytest.mark.parametrize("n", FEW_SIZES)
@pytest.mark.parametrize("letter", "dF")
def test_the_bits_do_not_depend_on_the_layout(instruction_set, letter, n, layout):
    wrong = []
    for name, function, arrays in problems(letter, n, 24):
        want, laid_out = bits_stacked(function, arrays), [layout(a) for a in arrays]
        if not want == bits_stacked(function, laid_out) == bits_alone(function, laid_out):
            wrong.append(name)

    assert wrong == []


@pytest.mark.parametrize("n", FEW_SIZES)
@pytest.mark.parametrize("letter", "dF")
def test_a_stack_of_two_axes_has_the_bits_of_one(instruction_set, letter, n):
    wrong = []
    for name, function, arrays in problems(letter, n, 30):
        even = [a[: len(a) // 2 * 2] for a in arrays]
        folded = [a.reshape(len(a) // 2, 2, *a.shape[1:]).swapaxes(0, 1) for a in even]
        found = parts(function(*folded))
        flat = parts(function(*even))
        unfolded = [x.swapaxes(0, 1).reshape(y.shape) for x, y in zip(found, flat, strict=True)]
        if [x.tobytes() for x in unfolded] != [x.tobytes() for x in flat]:
            wrong.append(name)

    assert wrong == []


@pytest.mark.parametrize("n", FEW_SIZES)
@pytest.mark.parametrize("letter", "dF")
@pytest.mark.parametrize("repeated", [0, -1], ids=["matrices", "right-hand sides"])
def test_what_is_broadcast_has_the_bits_of_copies(instruction_set, letter, n, repeated):
    wrong = []
    for name, function, arrays in problems(letter, n, 12):
        if len(arrays) == 1 and repeated == -1:
            continue
        fixed = arrays[:-1] if repeated == 0 else arrays[-1:]
        views = [
            np.broadcast_to(a[:1], a.shape) if any(a is f for f in fixed) else a for a in arrays
        ]
        copies = [v.copy() for v in views]
        if bits_stacked(function, views) != bits_alone(function, copies):
            wrong.append(name)

    assert wrong == []


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("n", [2, 4, 9, 16, 17, 40])
@pytest.mark.parametrize("letter", "dF")
def test_the_bits_do_not_depend_on_the_threads(shared, instruction_set, letter, n, threads):
    numerics.set_num_threads(threads)

    wrong = differing(problems(letter, n, 30), lambda count: [slice(0, count)])

    assert wrong == []


def test_bits_that_depend_on_the_place_are_noticed():
    def last_of_many_is_off(a):
        x = linalg.inv(a)
        if a.ndim > 2 and len(a) > 8:
            x[-1, 0, 0] = np.nextafter(x[-1, 0, 0], np.inf)
        return x

    arrays = without_failures(linalg.inv_ex, zoo("d", 3, 66))

    assert differing([("off", last_of_many_is_off, arrays)], pieces)


# --- All other ops on matrices ------------------------------------------------------------------

IN_STACKS = [name for name, op in OPS.items() if op.cpu is None and name.startswith("linalg.")]


def drawn(name, letter, size):
    """Three problems of a case as one stack."""
    single = [len(dimensions) for dimensions in signature.parse(OPS[name].signature).inputs]
    draws = [CASES[name].draw(np.random.default_rng(seed), letter, size) for seed in range(3)]
    alike = [next(p for p in draw if [a.ndim for a in p.arrays] == single) for draw in draws]
    arrays = zip(*(p.arrays for p in alike), strict=True)
    return [np.stack(group) for group in arrays], alike[0].static


@pytest.mark.parametrize("size", [2, 5, 17, 33, 64, 100])
@pytest.mark.parametrize("letter", "dF")
@pytest.mark.parametrize("name", IN_STACKS)
def test_any_op_gives_a_matrix_the_bits_it_has_alone(name, letter, size):
    arrays, static = drawn(name, letter, size)

    with np.errstate(over="ignore"):  # determinants of large matrices in single precision
        stacked = parts(OPS[name](*arrays, **static))
        alone = [parts(OPS[name](*one, **static)) for one in zip(*arrays, strict=True)]

    # Eigenvalues of a stack are complex if one of them is.
    joined = [
        np.stack(x).astype(s.dtype) for x, s in zip(zip(*alone, strict=True), stacked, strict=True)
    ]
    assert [x.tobytes() for x in joined] == [s.tobytes() for s in stacked]
