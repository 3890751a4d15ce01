"""Threads of this process: nothing travels, so they suit work that releases the interpreter's lock."""

import threading
from collections.abc import Generator, Iterator
from typing import Any

from joblib import Parallel, delayed

from kwx_sim.backends.errand import Errand

__all__ = ["Threads"]


class Threads:
    """So many threads."""

    died: tuple[type[Exception], ...] = ()

    def __init__(self, workers: int, errand: Errand) -> None:
        self._workers = workers
        self._work = errand.work
        self._stop = threading.Event()

    def __enter__(self) -> "Threads":
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave nothing behind: the threads end with each call."""

    def workers(self) -> int:
        """How many threads."""
        return self._workers

    def start(self, items: Iterator[int], workers: int) -> Generator[tuple[int, Any]]:
        """Have items done, in any order."""
        parallel = Parallel(workers, backend="threading", return_as="generator_unordered", batch_size=1)
        return parallel(map(delayed(self._do), items))  # type: ignore[no-any-return]  # joblib has no types

    def crowded(self) -> bool:
        """Whether this is being stopped."""
        return self._stop.is_set()

    def stop(self, results: Generator[tuple[int, Any]]) -> None:
        """Have every thread give up, and wait until it has."""
        self._stop.set()
        for _ in results:
            pass
        self._stop.clear()

    def _do(self, item: int) -> tuple[int, Any]:
        return item, self._work(item, self._stop.is_set)
