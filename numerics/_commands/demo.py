"""The command ``numerics demo``: real figures, solved by NumPy and by numerics side by side.

Every number in the output is measured while it runs. NIST's certified values judge the regressions.
Exact integer arithmetic judges the small systems, on the very float64 figures that both libraries
are given: neither library is measured against the other.
"""

import argparse
import os
import platform
import statistics
import sys
import textwrap
import timeit
from collections.abc import Callable, Sequence
from functools import partial
from importlib import resources
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np

import numerics.linalg

LIBRARIES: dict[str, Any] = {"numpy": np.linalg, "numerics": numerics.linalg}
MOST_DIGITS = 15.0  # NIST prints fifteen digits: more agreement than that says nothing
TINY_RCOND = 1e-20  # below every ratio of singular values met here: lstsq drops no direction
TABLE_ROWS = 20  # they share the seconds of a run


class Dataset(NamedTuple):
    """One least-squares problem of NIST's, all arrays float64."""

    name: str
    y: np.ndarray
    x: np.ndarray
    design: np.ndarray
    certified: np.ndarray


def sections(name: str) -> dict[str, list[list[str]]]:
    """Words of every line of a table as printed, under the titles of its sections."""
    found: dict[str, list[list[str]]] = {}
    table = resources.files("numerics._commands").joinpath("data", f"{name}.dat")
    for line in table.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = found[line.strip("[]").partition(":")[0]] = []
        elif line and not line.startswith("#"):
            lines.append(line.split())
    return found


def read(name: str) -> Dataset:
    """One data set; its model is linear in several predictors, or a polynomial in a single one."""
    words = sections(name)
    figures = np.array(words["observations"], dtype=np.float64)
    certified = np.array([row[1] for row in words["certified"]], dtype=np.float64)
    y, x = figures[:, 0], figures[:, 1:]
    is_polynomial = x.shape[1] == 1
    powers = np.vander(x[:, 0], len(certified), increasing=True)
    design = powers if is_polynomial else np.insert(x, 0, 1, axis=1)
    return Dataset(name.capitalize(), y, x, design, certified)


def digits(computed: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Decimal digits that agree, entry by entry, from 0 to 15.

    The log relative error ``-log10(|computed - reference| / |reference|)``; where the reference is
    zero, that of the absolute error. What is not a number agrees in no digit.
    """
    with np.errstate(all="ignore"):
        size = np.where(reference == 0, 1.0, np.abs(reference))
        agreeing = -np.log10(np.abs(computed - reference) / size)
    return np.clip(np.nan_to_num(agreeing, nan=0.0), 0.0, MOST_DIGITS)


def integers(a: np.ndarray) -> tuple[np.ndarray, int]:
    """Python integers ``k`` and a power of two ``scale`` with ``a = k / scale`` exactly."""
    ratios = [value.as_integer_ratio() for value in a.ravel().tolist()]
    scale = max(denominator for _, denominator in ratios)
    exact = np.empty(len(ratios), dtype=object)
    exact[:] = [numerator * (scale // denominator) for numerator, denominator in ratios]
    return exact.reshape(a.shape), scale


def eliminate(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Exact ``det(a)``, the exact numerators of ``a⁻¹ b`` over it, and ``a = M diag(d) Mᵀ``.

    Bareiss's fraction-free elimination in Gauss-Jordan form, on stacks (..., n, n) and (..., n, k)
    of Python integers; every division in it is exact [1]_. No leading minor may vanish, and none
    does where `a` is positive definite. The third result is float64, with ``M`` below its unit
    diagonal and ``d`` on it.

    References
    ----------
    .. [1] E. H. Bareiss (1968), Sylvester's identity and multistep integer-preserving Gaussian
       elimination, *Math. Comp.* 22, 565-578.
    """
    n = a.shape[-1]
    work = np.concatenate([a, b], axis=-1)
    factor = np.zeros(a.shape)
    previous = np.ones((*a.shape[:-2], 1), dtype=object)
    for k in range(n):
        pivot = work[..., k, k, None].copy()
        factor[..., k:, k] = work[..., k:, k] / pivot
        factor[..., k, k] = (pivot / previous)[..., 0]
        for i in chain(range(k), range(k + 1, n)):
            cross = pivot * work[..., i, :] - work[..., i, k, None] * work[..., k, :]
            work[..., i, :] = cross // previous
        previous = pivot
    return previous[..., 0], work[..., n:], factor


def exact_fit(design: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Least-squares coefficients of float64 figures, with no rounding but the last."""
    X, x_scale = integers(design)
    rhs, y_scale = integers(y)
    determinant, numerators, _ = eliminate(X.T @ X, (X.T @ rhs)[:, None])
    return (numerators[:, 0] * x_scale / (determinant * y_scale)).astype(np.float64)


def exact_stack(A: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
    """Results due to a positive-definite stack, by function, right to the last bit or two."""
    n = A.shape[-1]
    matrices, scale = integers(A)
    rhs, rhs_scale = integers(b)
    unit = np.broadcast_to(np.eye(n, dtype=int).astype(object), A.shape)
    determinant, numerators, factor = eliminate(matrices, np.concatenate([rhs, unit], axis=-1))
    over = determinant[..., None, None]
    d = np.diagonal(factor, axis1=-2, axis2=-1) / scale
    return {
        "solve": (numerators[..., :1] * scale / (over * rhs_scale)).astype(np.float64),
        "inv": (numerators[..., 1:] * scale / over).astype(np.float64),
        "det": (determinant / scale**n).astype(np.float64),
        "cholesky": (np.tril(factor, -1) + np.eye(n)) * np.sqrt(d)[..., None, :],
    }


def interleaved(calls: Sequence[Callable[[], Any]], seconds: float) -> list[float]:
    """Median microseconds of each call; in turns, so that a slow moment hits all of them alike."""
    timers = [timeit.Timer(call) for call in calls]
    slowest = max(min(timer.repeat(3, 1)) for timer in timers)
    number = max(1, int(2e-4 / slowest))  # a turn takes some 0.2 ms: reading the clock is nothing
    samples: list[list[float]] = [[] for _ in timers]
    turns = list(zip(samples, timers, strict=True))
    stop = timeit.default_timer() + seconds
    while timeit.default_timer() < stop or len(samples[0]) < 5:
        for sample, timer in turns:
            sample.append(timer.timeit(number) / number * 1e6)
        turns.reverse()  # nobody always finds the caches as the other has left them
    return [statistics.median(sample) for sample in samples]


def progress(text: str = "") -> None:
    """Show on a terminal what is being measured; no text clears the line."""
    if sys.stderr.isatty():
        print(f"\r{text:<79}\r", end="", file=sys.stderr, flush=True)


def print_head(title: str, first: str, unit: str) -> None:
    """Print the title of a table and the names of its columns."""
    digits_of, times_of = ("".join(f"{name:>{size}}" for name in LIBRARIES) for size in (13, 12))
    columns = f"{'digits, median / worst':>66}{'microseconds per ' + unit:>24}{'speed-up':>10}"
    print(f"\n{title}\n\n{columns}\n{first:<40}{digits_of}{times_of}")


def print_note(text: str) -> None:
    """Print a paragraph below a table."""
    print("\n" + textwrap.fill(text, 96, initial_indent="   ", subsequent_indent="   "))


def print_row(
    label: str, calls: Sequence[Callable[[], Any]], reference: np.ndarray, seconds: float
) -> None:
    """Print how the same call to each of `LIBRARIES` agrees with `reference`, and its time.

    The calls take no arguments, so that the clock sees little beside the library. They are timed
    for `seconds` together; the speed-up is the time of the first over that of the second.
    """
    progress(label)
    verdicts = [verdict(call, reference) for call in calls]
    line = f"{label:<40}" + "".join(f"{text:>13}" for text in verdicts)
    if "fails" not in verdicts:
        theirs, ours = interleaved(calls, seconds)
        line += f"{theirs:>12,.2f}{ours:>12,.2f}{theirs / ours:>9.1f}x"
    progress()
    print(line)


def verdict(call: Callable[[], Any], reference: np.ndarray) -> str:
    """Median and least number of agreeing digits of all entries, or that the library refuses."""
    try:
        # The zeros above a triangular factor agree without work: they would flatter the median.
        agreeing = digits(call(), reference)[reference != 0]
    except np.linalg.LinAlgError:
        return "fails"
    return f"{np.median(agreeing):.1f} / {agreeing.min():.1f}"


def lstsq_fit(library: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Least squares by the library's own function."""
    return library.lstsq(X, y, rcond=TINY_RCOND)[0]


def qr_fit(library: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Least squares by ``X = Q R`` and ``R x = Qᵀ y``."""
    Q, R = library.qr(X)
    return library.solve(R, Q.T @ y)


def normal_fit(library: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Least squares by ``Xᵀ X x = Xᵀ y``, which squares the condition number."""
    return library.solve(X.T @ X, X.T @ y)


FITS = {
    "lstsq(X, y, rcond)": lstsq_fit,
    "qr, solve(R, Q.T @ y)": qr_fit,
    "solve(X.T @ X, X.T @ y)": normal_fit,
}


def show_fits(longley: Dataset, filip: Dataset, seconds: float) -> None:
    """Print the table of NIST's regressions, and what limits them."""
    title = "1. NIST's reference data for least squares: digits as in the certified coefficients."
    print_head(title, "data set, method", "fit")
    limits = []
    for data in (longley, filip):
        for method, fit in FITS.items():
            calls = [partial(fit, library, data.design, data.y) for library in LIBRARIES.values()]
            print_row(f"{data.name + ',':<9}{method}", calls, data.certified, seconds)
        limit = digits(exact_fit(data.design, data.y), data.certified).min()
        limits.append(f"{limit:.1f} ({data.name})")
    lstsq = {name: library.lstsq(filip.design, filip.y) for name, library in LIBRARIES.items()}
    ranks = ", ".join(f"{result[2]} ({name})" for name, result in lstsq.items())
    print_note(
        f"rcond is {TINY_RCOND:g}; by default lstsq gives Filip's {len(filip.certified)} columns "
        f"the rank {ranks}. The figures, rounded to float64 and then fitted exactly, keep "
        f"{', '.join(limits)} digits in the worst coefficient: more than that is luck."
    )


def subsets(data: Dataset, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal equations (m, p, p) and (m, p, 1) of every choice of `size` observations."""
    chosen = np.array(list(combinations(range(len(data.y)), size)))
    X, y = data.design[chosen], data.y[chosen]
    return X.mT @ X, X.mT @ y[..., None]


def windows(data: Dataset, size: int, degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal equations of polynomials through `size` neighbours, in x from the first of them."""
    order = np.argsort(data.x[:, 0])
    points = [data.x[order, 0], data.y[order]]
    x, y = np.lib.stride_tricks.sliding_window_view(points, size, axis=1)
    X = (x - x[:, :1])[..., None] ** np.arange(degree + 1)
    return X.mT @ X, X.mT @ y[..., None]


def show_stacks(longley: Dataset, filip: Dataset, seconds: float) -> None:
    """Print the table of stacks of small systems, and what their solutions say."""
    title = "2. Stacks of normal equations from the same figures: digits as in exact arithmetic."
    print_head(title, "stack, function", "stack")
    stacks = {
        "Longley, subsets": subsets(longley, 12),
        "Filip, lines": windows(filip, 9, 1),
        "Filip, parabolas": windows(filip, 9, 2),
    }
    solutions = []
    for name, (A, b) in stacks.items():
        progress(f"{name}: exact reference")
        exact = exact_stack(A, b)
        solutions.append(exact["solve"][..., 0])
        for function, reference in exact.items():
            label = f"{name + ',':<18}{'x'.join(map(str, A.shape))}, {function}"
            functions = [getattr(library, function) for library in LIBRARIES.values()]
            arguments = (A, b) if function == "solve" else (A,)
            print_row(label, [partial(call, *arguments) for call in functions], reference, seconds)
    jobs, slopes = solutions[0][:, -1], solutions[1][:, 1]
    low, middle, high = np.quantile(jobs, [0.05, 0.5, 0.95])
    print_note(
        f"Longley: {len(jobs):,} choices of 12 of the 16 years. Growth of employment in thousands "
        f"a year, other things equal: {low:,.0f} to {high:,.0f} in nine choices of ten, median "
        f"{middle:,.0f}; all years give {longley.certified[-1]:,.0f}."
    )
    print_note(
        "Filip: lines through 9 neighbours at a time have slopes "
        f"from {slopes.min():.3f} to {slopes.max():.3f}."
    )


def show_single(longley: Dataset, seconds: float) -> None:
    """Print the time of one tiny system at a time."""
    title = "3. One small system alone: Longley's employment by year, and by all six predictors."
    print_head(title, "system, function", "call")
    years = longley.x[:, -1] - longley.x[0, -1]
    for X in (np.stack([np.ones_like(years), years], axis=1), longley.design):
        A, b = X.T @ X, X.T @ longley.y
        reference = exact_stack(A[None], b[None, :, None])["solve"][0, :, 0]
        calls = [partial(library.solve, A, b) for library in LIBRARIES.values()]
        print_row(f"{len(b)}x{len(b)}, solve", calls, reference, seconds)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the command its options."""
    explanation = "seconds for all timings together (default: %(default)g)"
    parser.add_argument("--seconds", type=float, default=6.0, help=explanation)


def run(namespace: argparse.Namespace) -> int:
    """Print the three tables; the exit status is 0."""
    share = namespace.seconds / TABLE_ROWS
    longley, filip = read("longley"), read("filip")
    print(f"numerics {numerics.__version__}, NumPy {np.__version__},", end=" ")
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors")
    show_fits(longley, filip, share)
    show_stacks(longley, filip, share)
    show_single(longley, share)
    return 0


def main(arguments: list[str]) -> int:
    """Run the command with the words of a command line."""
    description = "Solve real figures with NumPy and numerics, and compare digits and time."
    parser = argparse.ArgumentParser(prog="numerics demo", description=description)
    add_arguments(parser)
    return run(parser.parse_args(arguments))
