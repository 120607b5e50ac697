"""Call the functions of numerics.linalg at random, in processes that may crash or hang.

Kept out of the test suite but for a few thousand calls: ``python tests/fuzz.py --help``.
"""

import argparse
import importlib
import multiprocessing
import os
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cases.calls import ROWS, Call, some_call
from cases.promises import Refused, parts, promised

DESCRIPTION = """\
Call the functions of numerics.linalg with random shapes, dtypes, strides, byte orders, alignments,
values and options, right and wrong ones. A call may raise LinAlgError, ValueError, TypeError or
NotImplementedError; or it returns what its arguments promise in shape and dtype, with its arguments
as they were, and a matrix of NaN in a stack does not change what comes out for the others.

Calls run in worker processes: a crash or a hang ends the process, is reported like any other fault,
and the calls go on. Each fault comes with the command that repeats it. The exit status is 1 if
there was any, 2 if the command line is wrong, and else 0."""

EPILOG = """\
examples:
  python tests/fuzz.py
  python tests/fuzz.py --calls 1000000 --seed 1 --minutes 10
  python tests/fuzz.py --function svd --function lstsq
  python tests/fuzz.py --seed 0 --call 123      call number 123 alone, here, and show it"""

DOCUMENTED = (ValueError, TypeError, NotImplementedError)
"""LinAlgError is a ValueError. Where NumPy refuses with another type, that is right too."""

MOST = 3
"""Faults of a function that are printed; more are counted."""


# --- One call -----------------------------------------------------------------------------------


def contents(arguments: Sequence[Any]) -> list[Any]:
    """What must be as before after the call."""
    return [(a.dtype, a.shape, a.strides, a.tobytes()) if isinstance(a, np.ndarray) else repr(a)
            for a in arguments]  # fmt: skip


def outcome(function: Any, call: Call) -> Any:
    """The result, or the exception; a warning counts as one."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return function(*call.arguments, **call.options)
        except Exception as error:
            return error


def fault_of(module: Any, call: Call, choose: Any) -> str | None:
    """Make a call and say what is wrong with what came out, if anything is."""
    function = getattr(module, call.name)
    arrays = [np.asarray(a) for a in call.arrays]
    before = contents(call.arrays)
    expected, refusal, documented = None, None, DOCUMENTED
    try:
        expected = promised(ROWS[call.name], call.name, arrays, call.options)
    except Refused as error:
        refusal = str(error)
        documented += (type(error.__cause__),) if error.__cause__ else ()
    result = outcome(function, call)
    if contents(call.arrays) != before:
        return "an argument was changed"
    if isinstance(result, Exception):
        return _fault_of_exception(result, documented, expected is None or ROWS[call.name].is_picky)
    if refusal is not None:
        return f"no exception for a wrong call: {refusal}"
    if expected is not None:
        found = [(np.shape(part), np.asarray(part).dtype) for part in parts(result)]
        if not _is_promised(found, expected):
            return f"results are {found}, not {expected}"
    if ROWS[call.name].is_stack and choose.random() < 0.3:
        return _fault_of_neighbours(function, call, choose)
    return None


def _fault_of_exception(error: Exception, documented: Any, may_refuse: bool) -> str | None:
    text = "".join(traceback.format_exception(error))
    if not isinstance(error, documented):
        return f"an exception that is not documented:\n{text}"
    if not may_refuse and not isinstance(error, np.linalg.LinAlgError):
        return f"a good call is refused:\n{text}"
    return None


def _is_promised(found: Sequence[Any], expected: Sequence[Any]) -> bool:
    return len(found) == len(expected) and all(
        right in (None, shape) and (word is None or dtype == np.dtype(word))
        for (shape, dtype), (right, word) in zip(found, expected, strict=True)
    )


def _fault_of_neighbours(function: Any, call: Call, choose: Any) -> str | None:
    """Put NaN into one matrix of the first array, and compare the results of the others."""
    first = np.array(call.arrays[0])
    count = first.shape[0] if first.ndim > 2 else 0
    if count < 2 or first.size == 0 or first.dtype.kind not in "fc":
        return None
    # Not the call that was made before: products of another layout may differ in the last bit.
    copied = Call(call.name, [first, *call.arrays[1:]], call.options)
    result = outcome(function, copied)
    if isinstance(result, Exception):
        return None
    # Where another array has a longer stack, the first axis of the results is that one's.
    axes = call.stack_axes()
    if max(axes) > axes[0]:
        return None
    if any(np.shape(part)[:1] != (count,) for part in parts(result)):
        return None
    place = choose.randrange(count)
    first[place] = np.nan
    spoilt = outcome(function, copied)
    if isinstance(spoilt, Exception):
        indices = getattr(spoilt, "indices", [(place,)])
        wrong = [index for index in indices if index[0] != place]
        return f"NaN in matrix {place}, and those that fail are {indices}" if wrong else None
    others = [i for i in range(count) if i != place]
    for with_nan, without in zip(parts(spoilt), parts(result), strict=True):
        mine, theirs = (np.asarray(x)[others] for x in (with_nan, without))
        if not np.array_equal(mine, theirs, equal_nan=mine.dtype.kind in "fc"):
            return f"NaN in matrix {place} changes the results of other matrices"
    return None


# --- Processes ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """Which calls are made: those of a seed, every `step`-th."""

    module: str
    seed: int
    names: tuple[str, ...]
    step: int

    def try_call(self, module: Any, number: int) -> tuple[Call, str | None]:
        """Make one call."""
        call, choose = some_call(self.seed, number, self.names)
        return call, fault_of(module, call, choose)


@dataclass(frozen=True)
class Fault:
    """A call that went wrong, and how."""

    number: int
    call: Call
    text: str


def work(plan: Plan, first: int, end: int, number: Any, pipe: Any) -> None:
    """Make calls and send their faults; `number` tells the watchdog which call is being made."""
    module = importlib.import_module(plan.module)
    for number.value in range(first, end, plan.step):
        call, text = plan.try_call(module, number.value)
        if text is not None:
            pipe.send(Fault(number.value, call, text.rstrip()))
    number.value = end


class Worker:
    """A process that makes every `step`-th call, and is started again behind one that kills it."""

    def __init__(self, plan: Plan, first: int, end: int, patience: float) -> None:
        self.plan, self.first, self.end, self.patience = plan, first, end, patience
        self._start(first)

    def _start(self, first: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.number = context.Value("q", -1, lock=False)
        self.pipe, theirs = context.Pipe(duplex=False)
        arguments = (self.plan, first, self.end, self.number, theirs)
        self.process = context.Process(target=work, args=arguments, daemon=True)
        self.process.start()
        theirs.close()
        self.seen, self.since, self.next = -1, time.monotonic(), first

    @property
    def done(self) -> int:
        """Calls that were made."""
        return len(range(self.first, min(self.number.value, self.end), self.plan.step))

    def faults(self) -> Iterator[Fault]:
        """What was sent since the last time, and what a process that ended died of."""
        ended = not self.process.is_alive()
        yield from self._sent()
        number = self.number.value
        if number != self.seen:
            self.seen, self.since = number, time.monotonic()
        # A fresh process takes some seconds to import everything.
        is_stuck = time.monotonic() - self.since > self.patience + (30 if number < 0 else 0)
        if number >= self.end or not (ended or is_stuck):
            return
        self.stop()
        number = max(number, self.next)
        call, _ = some_call(self.plan.seed, number, self.plan.names)
        how = f"the process ended with {self.process.exitcode}" if ended else "no end in sight"
        yield Fault(number, call, how)
        if number + self.plan.step < self.end:
            self._start(number + self.plan.step)
        else:
            self.number.value = self.end

    def _sent(self) -> Iterator[Fault]:
        try:
            while self.pipe.poll():
                yield self.pipe.recv()
        except EOFError:
            pass

    @property
    def is_finished(self) -> bool:
        """Whether there is nothing left to do."""
        return self.number.value >= self.end and not self.process.is_alive()

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()


def progress(done: int, calls: int, faults: int) -> None:
    """Draw a bar on a terminal."""
    if sys.stderr.isatty():
        bar = "#" * (40 * done // calls)
        print(f"\r[{bar:.<40}] {done:,} of {calls:,} calls, {faults} faults ",
              end="", file=sys.stderr, flush=True)  # fmt: skip


def faults_of(plan: Plan, calls: int, seconds: float, patience: float) -> tuple[list[Fault], int]:
    """Make the calls, and return the faults and how many calls were made."""
    workers = [Worker(plan, first, calls, patience) for first in range(plan.step)]
    faults: list[Fault] = []
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end and not all(worker.is_finished for worker in workers):
            for worker in workers:
                faults += worker.faults()
            progress(sum(worker.done for worker in workers), calls, len(faults))
            time.sleep(0.05)
        for worker in workers:
            faults += worker._sent()
        return faults, sum(worker.done for worker in workers)
    finally:
        for worker in workers:
            worker.stop()
        if sys.stderr.isatty():
            print("\r" + " " * 90, end="\r", file=sys.stderr)


# --- Command line -------------------------------------------------------------------------------


def positive(text: str) -> int:
    """A number of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not positive")
    return number


def build_parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="python tests/fuzz.py",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--calls", type=positive, default=100_000, help="how many (default: 100000)")
    add("--seed", type=int, default=0, help="of the sequence of calls (default: 0)")
    add("--minutes", type=float, default=60.0, help="stop after so long (default: 60)")
    add("--workers", type=positive, default=os.cpu_count() or 1,
        help="processes (default: as many as there are CPUs)")  # fmt: skip
    add("--patience", type=float, default=20.0, metavar="SECONDS",
        help="a call that takes longer hangs (default: 20)")  # fmt: skip
    add("--function", action="append", choices=sorted(ROWS), metavar="NAME",
        help="call this one only; may be given several times")  # fmt: skip
    add("--call", type=int, metavar="NUMBER", help="make one call only, in this process")
    add(
        "--module", default="numerics.linalg", help="where the functions are (default: %(default)s)"
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    options = build_parser().parse_args(argv)
    module = importlib.import_module(options.module)
    names = tuple(n for n in ROWS if n in (options.function or ROWS) and hasattr(module, n))
    plan = Plan(options.module, options.seed, names, options.workers)
    if options.call is not None:
        call, text = plan.try_call(module, options.call)
        print(call, *call.arrays, text or "nothing is wrong", sep="\n")
        return int(text is not None)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # of the workers, which share the processors
    start = time.monotonic()
    seconds = 60 * options.minutes
    faults, made = faults_of(plan, options.calls, seconds, options.patience)
    only = "".join(f" --function {name}" for name in options.function or ())
    printed: Counter[str] = Counter()
    for fault in faults:
        printed[fault.call.name] += 1
        if printed[fault.call.name] <= MOST:
            print(f"{fault.call}\n  {fault.text}\n  again: python tests/fuzz.py "
                  f"--seed {plan.seed} --call {fault.number}{only}\n")  # fmt: skip
    took = time.monotonic() - start
    for name, count in printed.items():
        print(f"{name}: {count} faults")
    print(f"{made:,} calls of {len(names)} functions in {took:.0f} s: {len(faults)} faults")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
