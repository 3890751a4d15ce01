"""A real Dask cluster for tests: `dask scheduler` and `dask worker` as processes on loopback."""

import json
import subprocess
import sys
import time
from pathlib import Path

from cli_runs import environment

HERE = Path(__file__).parent
START = 60


class Cluster:
    """A scheduler and its workers; a context that ends them all.

    Parameters
    ----------
    where : a directory for what they leave
    workers : how many to start, of one thread each
    settings : Dask's configuration, as environment variables
    """

    def __init__(self, where, workers=2, **settings):
        self.where = Path(where)
        self.settings = settings
        self.workers = []
        self._started = 0
        told = self.where / "scheduler.json"
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(told)
        )
        self.address = wait_for(lambda: address_in(told), self.scheduler)
        for _ in range(workers):
            self.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in [*self.workers, self.scheduler]:
            process.kill()
            process.wait()

    def join(self, **settings):
        """Start one more worker, without waiting for it."""
        self._started += 1
        name = f"worker-{self._started}"
        self.workers.append(
            self._start(
                "worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1",
                "--name", name, "--local-directory", str(self.where / name), **settings,
            )
        )  # fmt: skip
        return self.workers[-1]

    def _start(self, *args, **settings):
        settings = {"PYTHONPATH": str(HERE)} | self.settings | settings
        with (self.where / f"{args[0]}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", *args],
                stdout=log,
                stderr=log,
                env=environment(**settings),
                cwd=self.where,
            )


def address_in(file):
    """Give the scheduler's address once it has written it."""
    try:
        return json.loads(file.read_text())["address"]
    except (OSError, ValueError):
        return None


def wait_for(condition, process=None, seconds=START):
    """Wait until a condition holds, and give what it gave."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert process is None or process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found
