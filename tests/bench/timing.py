"""Timing on one core: what is compared takes turns, so that a noisy machine slows all of it alike.

The clock is the thread's processor time: what other processes take of the core does not count.
"""

import gc
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

__all__ = ["CORES", "in_turn", "medians", "pin", "say", "unpinned"]

TURN, RUNS = 20_000_000, 8  # nanoseconds, and runs, after which a turn is over

Calls = Mapping[str, Callable[[], object]]

CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
"""What this process was given at its start, before `pin`."""


def pin() -> None:
    """Stay on one core, where the system lets a process choose."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, CORES[-1:])


@contextmanager
def unpinned() -> Iterator[None]:
    """Have all the cores again for a while; processes started meanwhile have them too."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, CORES)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def in_turn(calls: Calls, turns: int) -> dict[str, list[int]]:
    """Give each call so many turns, one after another: nanoseconds of every time that it ran.

    Short calls run several times a turn: the first finds the caches as another call has left them.
    """
    times: dict[str, list[int]] = {name: [] for name in calls}
    collecting = gc.isenabled()
    gc.disable()
    try:
        for turn in range(turns + 1):
            for name, call in calls.items():
                taken = _turn(call)
                if turn > 0:  # the first is for compiling and warming up
                    times[name] += taken
    finally:
        if collecting:
            gc.enable()
    return times


def _turn(call: Callable[[], object]) -> list[int]:
    taken: list[int] = []
    while sum(taken) < TURN and len(taken) < RUNS:
        start = time.thread_time_ns()
        call()
        taken.append(time.thread_time_ns() - start)
    return taken


def medians(calls: Calls, sizes: Mapping[str, int], turns: int) -> dict[str, float]:
    """Median nanoseconds of each call for each of the things that it does, `sizes` of them."""
    return {name: statistics.median(times) / sizes[name] for name, times in in_turn(calls, turns).items()}


def say(text: str) -> None:
    """Tell on stderr what is going on."""
    print(text, file=sys.stderr, flush=True)
