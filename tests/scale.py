"""What a run costs beside the play, and what each way to share it out gives: the figures of docs/scale.md.

    PYTHONPATH=tests python -m scale --games 4e5 --repeats 5

Backends take turns in one process, two workers each, Dask on loopback; all must give the same sums. The store's part is
CPU time of its own calls over that of the play, in one thread; the cluster's is CPU time of each of its processes an
item of which the work is nothing and the result as large as a block's.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import psutil
from clusters import Cluster

from kwx_sim import runs
from kwx_sim.backends import Backend, finished
from kwx_sim.runs import Run, play_run
from kwx_sim.store import Store

RULES = "xiangyang"
WORKERS = 2
ITEMS = 1_000
RESULT = os.urandom(58_000)
"""As large as a block's sums; packed ones cannot be packed further."""


def nothing(item: int, stopped: Any) -> bytes:
    """Do an item of no work."""
    return RESULT


def cpu_of(*processes: psutil.Process) -> float:
    """Seconds of the processor that they took, user and system."""
    return float(sum(sum(process.cpu_times()[:2]) for process in processes))


def tree() -> list[psutil.Process]:
    """Give this process and its children."""
    own = psutil.Process()
    return [own, *own.children(recursive=True)]


def rates(games: int, repeats: int) -> Iterator[str]:
    """Rounds a second of each backend, and their ratios in the same repeat."""
    run = Run.of(RULES, games=games, seed=1)
    with tempfile.TemporaryDirectory() as directory, Cluster(directory) as cluster:
        backends = {
            "threading": Backend.of("threading", WORKERS),
            "loky": Backend.of("loky", WORKERS),
            "dask": Backend.of("dask", scheduler=cluster.address),
        }
        wall, per_cpu, sums = defaultdict(list), defaultdict(list), set()
        for backend in backends.values():
            play_run(run, backend=backend, blocks=range(2))
        for repeat in range(repeats):
            names = list(backends)
            for name in names[repeat % 3 :] + names[: repeat % 3]:
                before, began = cpu_of(*tree()), time.perf_counter()
                sums.add(play_run(run, backend=backends[name]).tobytes())
                wall[name].append(games / (time.perf_counter() - began))
                per_cpu[name].append(games / (cpu_of(*tree()) - before))
    assert len(sums) == 1, "backends differ"
    yield f"{RULES}, all tables, {games:,} rounds, {WORKERS} workers, {repeats} repeats; the same sums from all"
    for name in backends:
        middle, each = statistics.median(wall[name]), statistics.median(per_cpu[name])
        yield f"  {name:<10} {middle:9,.0f} rounds/s {each:9,.0f} a second of the processor"
    for kind, found in (("rounds/s", wall), ("a second of the processor", per_cpu)):
        ratios = sorted(dask / loky for dask, loky in zip(found["dask"], found["loky"], strict=True))
        told = ", ".join(f"{ratio:.0%}" for ratio in ratios)
        yield f"  dask over loky, {kind}: median {statistics.median(ratios):.1%} ({told})"


@contextmanager
def timed(*places: tuple[Any, str]) -> Iterator[dict[str, float]]:
    """CPU seconds that this thread spends in functions, by name."""
    spent: dict[str, float] = defaultdict(float)

    def around(name: str, function: Any) -> Any:
        def call(*args: Any, **named: Any) -> Any:
            began = time.thread_time()
            try:
                return function(*args, **named)
            finally:
                spent[name] += time.thread_time() - began

        return call

    patches = [mock.patch.object(owner, name, around(name, getattr(owner, name))) for owner, name in places]
    for patch in patches:
        patch.start()
    try:
        yield spent
    finally:
        for patch in patches:
            patch.stop()


def store(games: int) -> Iterator[str]:
    """What the store adds to the play, without a row a round and with, and how large its files are."""
    yield f"store, one thread, {games:,} rounds"
    with tempfile.TemporaryDirectory() as directory:
        for rows in (False, True):
            where = Path(directory) / str(rows)
            kept(Run.of(RULES, games=3 * runs.BLOCK, rounds=rows), where / "warm")
            run = Run.of(RULES, games=games, seed=1, rounds=rows)
            spent = kept(run, where / "run")
            play = spent.pop("play")
            parts = ", ".join(f"{name.strip('_')} {1000 * each / run.blocks:.1f}" for name, each in spent.items())
            told = "with a row a round" if rows else "as it is"
            yield f"  {told}: {sum(spent.values()) / play:.2%} of the play's CPU time; ms a block: {parts}"
        reading = timed((Store, "load"), (runs, "_unpacked"))
        with reading as read, Store(where / "run", run.manifest(), resume=True) as opened:
            play_run(run, backend=Backend.of(workers=1), store=opened)
        blocks = [file.stat().st_size for file in (where / "run" / "blocks").iterdir()]
        rows_size = sum(file.stat().st_size for file in (where / "run" / "rounds").rglob("*.parquet"))
    yield f"  read again, with its rows: {1000 * sum(read.values()) / len(blocks):.1f} ms a block"
    yield f"  {sum(blocks) / len(blocks):,.0f} bytes a block of {runs.BLOCK:,} rounds, {rows_size / games:.1f} a row"


def kept(run: Run, where: Path) -> dict[str, float]:
    """Play a run into a store: CPU seconds of the play, and of what the store adds."""
    calls = [(Store, "save"), (runs, "_packed"), (runs, "_unpacked"), (runs, "rounds_to_parquet")]
    with timed((runs.Player, "play"), *calls) as spent, Store(where, run.manifest()) as opened:
        play_run(run, backend=Backend.of(workers=1), store=opened)
    return spent


def messages() -> Iterator[str]:
    """CPU time of the cluster's processes an item."""
    with tempfile.TemporaryDirectory() as directory, Cluster(directory) as cluster:
        backend = Backend.of("dask", scheduler=cluster.address)
        list(finished(backend, nothing, range(50)))
        parts = {
            "scheduler": [psutil.Process(cluster.scheduler.pid)],
            "parent": [psutil.Process()],
            "workers": [psutil.Process(worker.pid) for worker in cluster.workers],
        }
        before, began = {name: cpu_of(*some) for name, some in parts.items()}, time.perf_counter()
        done = sum(1 for _ in finished(backend, nothing, range(ITEMS)))
        seconds = time.perf_counter() - began
        yield f"dask, items of no work, {len(RESULT):,} bytes each back: {done / seconds:,.0f} items/s"
        for name, some in parts.items():
            yield f"  {name:<10} {1000 * (cpu_of(*some) - before[name]) / done:.1f} ms of the processor an item"


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=lambda text: int(float(text)), default=400_000)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    for part in (rates(given.games, given.repeats), store(given.games), messages()):
        for line in part:
            print(line, flush=True)


if __name__ == "__main__":
    # Workers get functions of __main__ by value.
    from scale import main as run

    run()
