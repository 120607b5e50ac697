"""Calls timed in turns, so that a machine that slows down slows all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter, sleep
from timeit import Timer
from types import MappingProxyType
from typing import Any, NamedTuple

TURN = 3e-4
"""Seconds of a turn: long beside the clock's resolution, short beside a scheduler's slice."""

REST = 1e-3
"""Seconds between turns of libraries with threads: a thread that waits for more work spins for
a while, on a core that the next library needs."""


def nothing() -> None:
    """Prepare nothing."""


class Contestant(NamedTuple):
    """A call to be timed; `prepare` runs before each of its turns, and is not timed."""

    library: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = MappingProxyType({})
    prepare: Callable[[], None] = nothing

    def timer(self) -> Timer:
        """Return a clock for the call as a program would write it, with nothing around it."""
        values = {f"a{i}": argument for i, argument in enumerate(self.arguments)}
        words = [*values, *(f"{key}={key}" for key in self.keywords)]
        names = {"function": self.function, **values, **self.keywords}
        return Timer(f"function({', '.join(words)})", globals=names)


def calls_within(seconds: float, timer: Timer) -> int:
    """Return how many calls fill a span of time, at least one."""
    guess = max(1, int(seconds / timer.timeit(1)))
    return guess if guess == 1 else max(1, int(seconds * guess / timer.timeit(guess)))


def in_turns(
    contestants: Sequence[Contestant], seconds: float, rest: float = 0.0
) -> list[list[float]]:
    """Return seconds per call of each contestant for each round, timed for about `seconds`.

    There are at least three rounds.
    """
    turns = []
    for contestant in contestants:
        timer = contestant.timer()
        contestant.prepare()
        timer.timeit(1)  # first calls fill caches and load libraries
        turns.append((contestant, timer, calls_within(TURN, timer), list[float]()))
    samples = [found for *_, found in turns]
    end = perf_counter() + seconds
    while len(samples[0]) < 3 or perf_counter() < end:
        for contestant, timer, calls, found in turns:
            contestant.prepare()
            if rest:
                sleep(rest)
                if calls > 1:
                    timer.timeit(1)  # the caches of a short call are another's by now
            found.append(timer.timeit(calls) / calls)
        turns.reverse()  # nobody always comes second, where the caches are the other's
    return samples
