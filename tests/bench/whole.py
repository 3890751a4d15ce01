"""Start-up, the query, memory and scaling, each in a fresh process."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from bench.figures import Figure, figure
from bench.timing import CORES, say, unpinned

__all__ = ["cold_rows", "memory_rows", "query_rows", "scaling_rows", "start_rows"]

REPEATS = 5
HAND = ("hand", "123s 789s 46p 88p 中中中", "--rules", "xiangyang")
NINE_SIDED = ("liangdao", "1112345678999p 5s", "--wall", "30", "--rules", "platform")
FIRST_LOOK = (*NINE_SIDED, "--worlds", "800")
TABLES_BAR, WARM_BAR, COLD_BAR, SCALING_BAR = 0.15, 2, 25, 1.75
FIRST_BAR, CLEAR_BAR, WORLDS_BAR, RECALL_BAR = 2.5, 4, 10, 3
GROWTH_BAR = 1.05  # no growth, but for the noise of a shared machine
TESTS = Path(__file__).parents[1]


def start_rows() -> Iterator[Figure]:
    """Seconds from nothing to an answer, kernels in the cache; the best of five, for others use the cores too."""
    say("start-up: tables")
    yield figure("tables from the cache", _best("load_tables"), "s", TABLES_BAR)
    yield figure("tables built", _best("build_tables"), "s")
    for name, command, bar in [("kwx --help", ("--help",), None), ("kwx hand …", HAND, WARM_BAR)]:
        say(f"start-up: {name}")
        yield figure(name, min(_kwx(command) for _ in range(REPEATS)), "s", bar)


def cold_rows() -> Iterator[Figure]:
    """The same with an empty cache: tables are built, kernels compiled."""
    say("start-up: kwx hand … with an empty cache")
    with tempfile.TemporaryDirectory() as cache:
        yield figure("kwx hand …, empty cache", _kwx(HAND, NUMBA_CACHE_DIR=cache), "s", COLD_BAR)


def query_rows() -> Iterator[Figure]:
    """Seconds from nothing to the first answer and to a clear one, on every core: medians of five fresh processes."""
    say("the query")
    with unpinned():
        for name, command, bar in [("first answer", FIRST_LOOK, FIRST_BAR), ("clear position", NINE_SIDED, CLEAR_BAR)]:
            yield figure(f"kwx liangdao …, {name}", median(_kwx(command) for _ in range(REPEATS)), "s", bar)
        yield figure("20,000 worlds × 4 arms", _child("worlds"), "s", WORLDS_BAR)
        added = _answer("recall")
        yield figure("the record adds to a headline, median", median(added), "s")
        yield figure("the record adds to a headline, most", max(added), "s", RECALL_BAR)


def memory_rows() -> Iterator[Figure]:
    """Peak resident memory."""
    say("memory")
    yield figure("peak memory, one hand answered", _child("memory_of_a_hand"), "MB")
    yield figure("peak memory, 20,000 rounds simulated", _child("memory_of_rounds"), "MB")


def scaling_rows() -> Iterator[Figure]:
    """Two workers against one, and long runs against short ones."""
    say("scaling")
    if len(CORES) > 1:
        with unpinned():
            yield figure("two workers over one", _child("scaling"), "×", SCALING_BAR, at_least=True)
    yield figure("cost of a round, 200,000 over 20,000", _child("growth"), "×", GROWTH_BAR)


def _best(task: str) -> float:
    return min(_child(task) for _ in range(REPEATS))


def _child(task: str) -> float:
    return float(_answer(task))


def _answer(task: str) -> Any:
    return json.loads(_run("bench.child", task).stdout)


def _kwx(command: tuple[str, ...], **environment: str) -> float:
    start = time.perf_counter()
    _run("kwx_sim", *command, **environment)
    return time.perf_counter() - start


def _run(module: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a module in a fresh process that finds this package; what it has to say comes on stderr."""
    paths = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        stdout=subprocess.PIPE,
        check=True,
        env={**os.environ, "PYTHONPATH": paths, **environment},
    )
