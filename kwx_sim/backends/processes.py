"""Processes of this machine, by loky; they end with the process that started them, however that ends."""

import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker as tracker
from typing import Any

from joblib import Parallel, delayed
from joblib.externals.loky.backend import resource_tracker as own_tracker
from joblib.externals.loky.process_executor import TerminatedWorkerError

from kwx_sim.backends.errand import Errand

__all__ = ["Enough", "Processes"]

LOOK_EVERY = 0.3
"""Seconds after which a worker looks whether its parent is still there."""


class Enough(BaseException):
    """Thrown into joblib's generator to end it: closing it would warn of results that nobody took."""


class Processes:
    """So many processes."""

    died = TerminatedWorkerError

    def __init__(self, workers: int, errand: Errand) -> None:
        self._workers = workers
        self._errand = errand

    def __enter__(self) -> "Processes":
        """Begin."""
        self._told_of_threads, threading.excepthook = threading.excepthook, self._pass_over
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the processes to a next call, which need not compile or load anything again."""
        threading.excepthook = self._told_of_threads

    def _pass_over(self, failed: threading.ExceptHookArgs) -> None:
        """Pass over what fails in loky's thread where it looks for an item that was dropped while it was stopped."""
        thread = failed.thread.name if failed.thread else ""
        if not (thread == "ExecutorManagerThread" and issubclass(failed.exc_type, KeyError)):
            self._told_of_threads(failed)

    def workers(self) -> int:
        """How many processes."""
        return self._workers

    def start(self, items: Iterator[int], workers: int) -> Generator[tuple[int, Any]]:
        """Have items done, in any order."""
        parallel = Parallel(
            # For one alone joblib would take this process, which must outlive whatever an item does to its worker.
            max(2, workers),
            backend="loky",
            return_as="generator_unordered",
            batch_size=1,
            pre_dispatch="2*n_jobs" if workers > 1 else 1,
            initializer=_end_with,
            initargs=(os.getpid(),),
        )
        results = None
        try:
            with _ctrl_c_held_back():
                results = parallel(map(delayed(self._errand), items))
        except BaseException:
            if results is not None:
                self.stop(results)
            raise
        return results  # type: ignore[no-any-return]  # joblib has no types

    def crowded(self) -> bool:
        """There are never other workers, and none that ask when they are stopped."""
        return False

    def stop(self, results: Generator[tuple[int, Any]]) -> None:
        """End the processes where they are still at work."""
        with suppress(Enough):
            results.throw(Enough)


@contextmanager
def _ctrl_c_held_back() -> Generator[None]:
    """Start processes that a terminal's Ctrl-C does not reach, for it is their parent's to answer.

    They inherit what is blocked here. By themselves they could ignore it only once they have begun, and would end with
    a traceback before that. Here it is answered at the end, and so is SIGTERM where it is answered at all: the parent
    of a process that is half begun leaves it so.
    """
    _start_helpers()
    came: list[tuple[Any, ...]] = []
    answers: dict[int, Callable[..., Any]] = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            answer = signal.getsignal(number)
            if callable(answer):
                answers[number] = answer
                signal.signal(number, lambda *what: came.append(what))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else None
    try:
        yield
    finally:
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for held, answer in answers.items():
            signal.signal(held, answer)
    if came:
        answers[came[0][0]](*came[0])


def _start_helpers() -> None:
    """Start what cleans up after processes; were it started with them, it would take back what is blocked for them.

    That a process which was interrupted or killed has left it something to clean up, it need not tell.
    """
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [before, "ignore:resource_tracker"]))
    try:
        own_tracker.ensure_running()
        tracker.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before


def _end_with(parent: int) -> None:
    """Prepare a worker: where its parent is gone, so is the worker.

    loky's own workers wait for half a minute or more for the work of a parent that was killed.
    """
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY)
    os._exit(1)
