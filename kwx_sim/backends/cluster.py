"""A Dask cluster, by joblib's backend for it: workers anywhere, that may come and go while the work is done."""

import asyncio
import concurrent.futures
import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from distributed import Client, KilledWorker, get_worker
from distributed.comm.core import CommClosedError
from joblib import Parallel, delayed
from joblib._dask import DaskDistributedBackend

from kwx_sim.backends.errand import Errand, compared
from kwx_sim.backends.processes import Enough
from kwx_sim.errors import InputError

__all__ = ["Cluster"]

PATIENCE = 10
"""Seconds to wait for the scheduler, and for a first worker."""

LOOK_EVERY = 0.3
"""Seconds after which to look whether the scheduler is still there."""

LOST = (asyncio.CancelledError, concurrent.futures.CancelledError, CommClosedError)
"""What Dask gives or raises in place of a result when it has lost its scheduler."""

NOISY = ("distributed", "distributed.client", "tornado", "tornado.application")
"""Loggers that put tracebacks on stderr for what is told here in one line."""


class Cluster:
    """Whatever workers a scheduler has, at any time."""

    died: tuple[type[Exception], ...] = ()

    def __init__(self, scheduler: str, errand: Errand, notice: Callable[[InputError], None]) -> None:
        self._scheduler = scheduler
        self._client: Any = None  # half of its methods have no types
        self._errand = errand
        self._notice = notice
        self._backend: _Telling | None = None
        self._grown, self._left = threading.Event(), threading.Event()
        self._loud = {name: logging.getLogger(name).level for name in NOISY}

    def __enter__(self) -> "Cluster":
        """Connect, and compare the workers. Raises InputError."""
        try:
            return self._connected()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        """Disconnect: the scheduler forgets what was asked for, and workers give up what they have in hand."""
        self._left.set()
        if self._client is not None:
            self._client.close(timeout=2)
        for name, level in self._loud.items():
            logging.getLogger(name).setLevel(level)

    def _connected(self) -> "Cluster":
        for name in NOISY:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
            self._client = Client(  # type: ignore[no-untyped-call]  # distributed types a part of its methods
                self._scheduler, timeout=PATIENCE, set_as_default=False, name="kwx"
            )
        except (OSError, ValueError) as error:
            raise InputError("backends.unreachable", scheduler=self._scheduler, seconds=PATIENCE) from error
        with self._still_there():
            self._first_worker()
            self._compare()
            self._client.subscribe_topic("all", self._event)
        threading.Thread(target=self._watch, daemon=True).start()
        return self

    def workers(self) -> int:
        """How many threads the workers have at the moment; waits where there are none."""
        self._grown.clear()
        if not (found := self._threads()):
            self._notice(InputError("backends.waiting", scheduler=self._scheduler))
        while not found:
            time.sleep(0.5)
            found = self._threads()
        return found

    def start(self, items: Iterator[int], workers: int) -> Generator[tuple[int, Any]]:
        """Have items done, in any order."""
        self._backend = _Telling(self._client, workers)
        parallel = Parallel(-1, backend=self._backend, return_as="generator_unordered", batch_size=1)
        do = delayed(partial(_on_worker, self._errand))
        return self._told(parallel(map(do, items)))

    def crowded(self) -> bool:
        """Whether workers have joined: joblib keeps as many items going as there were workers when it began."""
        return self._grown.is_set()

    def stop(self, results: Generator[tuple[int, Any]]) -> None:
        """Drop what is not finished."""
        with suppress(Enough):
            results.throw(Enough)

    def _told(self, results: Generator[tuple[int, Any]]) -> Generator[tuple[int, Any]]:
        """Tell a failure of the cluster in one line."""
        try:
            yield from results
        except _ItemError as failed:
            cause = failed.cause
            if isinstance(cause, KilledWorker):
                raise InputError("backends.deadly", item=failed.item, deaths=cause.allowed_failures + 1) from cause
            raise self._failed(cause) from cause

    @contextmanager
    def _still_there(self) -> Generator[None]:
        """Tell in one line that the scheduler did not answer what it was asked."""
        try:
            yield
        except LOST as error:
            raise self._failed(error) from error

    def _failed(self, cause: BaseException) -> InputError:
        if isinstance(cause, LOST):
            return InputError("backends.lost", scheduler=self._scheduler)
        return InputError("backends.failed", scheduler=self._scheduler, problem=_in_one_line(cause))

    def _watch(self) -> None:
        """End the work where the scheduler is lost: an answer that was on its way is one that Dask never speaks of."""
        while not self._left.wait(LOOK_EVERY):
            if self._client.status != "running" and self._backend is not None:
                self._backend.give_up(CommClosedError("no connection"))

    def _threads(self) -> int:
        with self._still_there():
            return sum(self._client.ncores().values())

    def _first_worker(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            raise InputError("backends.no_worker", scheduler=self._scheduler, seconds=PATIENCE) from error

    def _compare(self) -> None:
        """Compare all workers before anything is done; those that join later compare themselves."""
        if self._errand.fingerprint is None:
            return
        for worker, found in self._client.run(self._errand.fingerprint, on_error="return").items():
            if isinstance(found, BaseException):
                raise InputError("backends.no_errand", worker=worker, problem=_in_one_line(found))
            compared(dict(self._errand.expected), found, worker)

    def _event(self, event: tuple[float, dict[str, Any]]) -> None:
        told = event[1]
        if told.get("action") == "add-worker":
            self._grown.set()
        elif told.get("action") == "remove-worker":
            self._notice(InputError("backends.worker_gone", worker=told.get("worker", "–")))


class _ItemError(Exception):
    """Dask could not have an item done: its workers died, the scheduler is gone, what came could not be read."""

    def __init__(self, item: int, cause: BaseException) -> None:
        super().__init__(item, cause)
        self.item = item
        self.cause = cause


class _Telling(DaskDistributedBackend):  # type: ignore[misc]  # joblib has no types
    """joblib's backend, which waits for ever for an item that Dask has given up; this one hears of it."""

    def __init__(self, client: Any, threads: int) -> None:
        super().__init__(client=client)
        self._threads = threads
        self._waiting: dict[int, Any] = {}

    def effective_n_jobs(self, n_jobs: int) -> int:
        """How many items to keep going: of one worker joblib would take the work away, and do it in this process."""
        return max(2, self._threads)

    def submit(self, func: Any, callback: Any = None) -> Any:
        """Send a batch, of one item."""
        item = func.items[0][1][0]
        sent = super().submit(func, callback)
        self._waiting[item] = callback

        def ended(done: Any) -> None:
            self._waiting.pop(item, None)
            if error := done.exception():
                callback(_ItemError(item, error))

        sent.add_done_callback(ended)
        return sent

    def give_up(self, cause: BaseException) -> None:
        """Tell joblib that nothing will come of what is still out."""
        for item, callback in list(self._waiting.items()):
            callback(_ItemError(item, cause))

    def retrieve_result_callback(self, out: Any) -> Any:
        """Unwrap what came back, which joblib takes for a result also where the scheduler is gone."""
        if isinstance(out, _ItemError):
            raise out
        if isinstance(out, LOST):
            raise _ItemError(-1, out)
        return super().retrieve_result_callback(out)


def _in_one_line(error: BaseException) -> str:
    """Tell an error of the cluster in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def _on_worker(errand: Errand, item: int) -> tuple[int, Any]:
    """Do an item as a task of Dask."""
    worker = get_worker()
    task = worker.get_current_task()

    def dropped() -> bool:
        """Whether the scheduler has taken the task back; known here without asking anybody."""
        known = worker.state.tasks.get(task)
        return known is None or known.state == "cancelled"

    return errand(item, dropped, worker.address)
