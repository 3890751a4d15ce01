"""Memory of a long run, of the process that was started and of its workers, as the rounds go by.

    PYTHONPATH=tests python -m soak --games 5e6 --backends threading,loky

Each backend plays such a run with `kwx simulate --rounds` into a directory of its own, which is removed afterwards. The
run is flat where the median of its last quarter is at most SLACK above that of its second; else the exit status is 1.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil

from kwx_sim.runs import BLOCK

LOOK_EVERY = 1.0
SLACK = 0.05
MB = 1 << 20
FILE = Path(__file__).parents[1] / "reports" / "soak.csv"


class Look(NamedTuple):
    """What was seen at one moment; memory is the resident set, in MB."""

    backend: str
    rounds: int
    seconds: float
    parent: float
    workers: float
    most_of_a_worker: float


def watch(backend: str, games: int, where: Path) -> Iterator[Look]:
    """Play a run, and look at it until it ends."""
    command = [sys.executable, "-m", "kwx_sim", "simulate", "--games", str(games), "--backend", backend, "--rounds"]
    with (where / "told").open("wb") as told:
        run = subprocess.Popen([*command, "--out", str(where / "run")], stdout=told, stderr=told)
    began, parent = time.monotonic(), psutil.Process(run.pid)
    try:
        while run.poll() is None:
            time.sleep(LOOK_EVERY)
            rounds = BLOCK * sum(1 for _ in (where / "run" / "blocks").glob("*.block"))
            try:
                workers = [_resident(child) for child in parent.children(recursive=True)]
                own = _resident(parent)
            except psutil.NoSuchProcess:
                continue
            yield Look(
                backend, min(rounds, games), time.monotonic() - began, own, sum(workers), max(workers, default=0.0)
            )
    finally:
        run.kill()
        run.wait()
    if run.returncode:
        raise SystemExit((where / "told").read_text())


def _resident(process: psutil.Process) -> float:
    return process.memory_info().rss / MB


def growth(looks: list[Look], games: int) -> tuple[float, float]:
    """Memory of all processes in the second quarter of the rounds, and in the last: medians, MB."""
    second, last = (
        [look.parent + look.workers for look in looks if low * games < look.rounds <= high * games]
        for low, high in ((0.25, 0.5), (0.75, 1.0))
    )
    return median(second), median(last)


def shown(looks: list[Look], games: int) -> str:
    """A line each tenth of the rounds."""
    lines, next_tenth = [f"{looks[0].backend}: MB of the parent, of all workers, most of one"], 1
    for look in looks:
        if look.rounds >= next_tenth * games / 10:
            next_tenth = 1 + 10 * look.rounds // games
            lines.append(
                f"  {look.rounds:>12,} rounds {look.seconds:7.0f} s {look.parent:7.0f} {look.workers:7.0f}"
                f" {look.most_of_a_worker:7.0f}"
            )
    return "\n".join(lines)


def main() -> None:
    """Play, print, and keep every look in reports/soak.csv."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=lambda text: int(float(text)), default=5_000_000)
    parser.add_argument("--backends", default="threading,loky")
    given = parser.parse_args()
    kept, grown = [], []
    for backend in given.backends.split(","):
        with tempfile.TemporaryDirectory() as directory:
            looks = list(watch(backend, given.games, Path(directory)))
        kept += looks
        before, after = growth(looks, given.games)
        print(shown(looks, given.games))
        print(f"  second quarter {before:.0f} MB, last quarter {after:.0f} MB: {after / before - 1:+.1%}", flush=True)
        grown += [backend] if after > (1 + SLACK) * before else []
    FILE.parent.mkdir(exist_ok=True)
    with FILE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([Look._fields, *kept])
    if grown:
        raise SystemExit(f"memory grows with the rounds: {', '.join(grown)}")


if __name__ == "__main__":
    main()
