"""The desk where items go out and results come in, whoever does the work; what a dead worker had comes back to it."""

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import chain
from typing import Any, Protocol

from kwx_sim.backends.choice import Backend
from kwx_sim.backends.errand import Errand, Fingerprint, Work
from kwx_sim.errors import InputError

__all__ = ["Notice", "finished"]

Notice = Callable[[InputError], None]
"""Told in passing what a person should know; may be called from another thread."""

DEATHS = 3
"""Workers that an item may end before it is given up."""

IN_HAND, IN_HAND_EACH = 128, 4
"""Items that may be out at once, in all or a worker, those included whose results wait for whoever asked for them.

joblib goes on without looking whether results are taken: on a slow disk they would pile up without end. It can only be
kept from it by ending its call and beginning another, for which threads take 0.3 s.
"""


class Engine(Protocol):
    """One way to have items done."""

    @property
    def died(self) -> type[Exception] | tuple[type[Exception], ...]:
        """What is raised where a worker died, and with it what is out."""

    def workers(self) -> int:
        """How many work at the moment; waits where there is none."""

    def start(self, items: Iterator[int], workers: int) -> Generator[tuple[int, Any]]:
        """Have items done, in any order."""

    def crowded(self) -> bool:
        """Whether no more items should go out in this call: it was stopped, or there are other workers by now."""

    def stop(self, results: Generator[tuple[int, Any]]) -> None:
        """End what `start` began, or take note that it has ended."""


def finished(
    backend: Backend,
    work: Work,
    items: Iterable[int],
    *,
    notice: Notice | None = None,
    fingerprint: Fingerprint | None = None,
) -> Generator[tuple[int, Any]]:
    """Have items done by the backend's workers, and give (item, result) as each is finished, in any order.

    Parameters
    ----------
    work : a plain function, or a `functools.partial` of one, that can be pickled; it is called with an item and with a
        function that says whether to give up, upon which it returns None. It gives the same for an item wherever and
        however often it is called: an item whose worker dies is done again
    items : taken as they are needed; each stands in it once
    notice : told when a worker is lost
    fingerprint : like `work`, of the module level. A worker whose fingerprint is not that of this process is refused

    Raises
    ------
    InputError
        A worker that differs, an item that ends every worker that takes it, a cluster that cannot be reached.

    Closing the generator stops the workers.
    """
    with _engine(backend, Errand.of(work, fingerprint), notice or _unheard) as engine:
        desk = _Desk(items)
        while going_out := desk.going_out(engine):
            results = engine.start(*going_out)
            try:
                for item, result in results:
                    # Nothing came of it where its worker was told to give it up, but not by us.
                    desk.back(item, done=result is not None)
                    if result is not None:
                        yield item, result
            except engine.died:
                desk.all_back()
                (notice or _unheard)(InputError("backends.worker_died"))
            finally:
                engine.stop(results)


class _Desk:
    """Items that are to go out, that are out, and how often each was with workers when one of them died."""

    def __init__(self, items: Iterable[int]) -> None:
        self._fresh = iter(items)
        self._again: deque[int] = deque()
        self._suspect: deque[int] = deque()
        self._out: dict[int, None] = {}
        self._deaths: Counter[int] = Counter()

    def going_out(self, engine: Engine) -> tuple[Iterator[int], int] | None:
        """Give the items of the next call and its workers; None where nothing is left to do.

        Which of the items that were out has ended its worker is not known. Most likely none: so they go out together
        once more. If it happens again, one at a time.
        """
        if self._suspect:
            return iter([self._send(self._suspect.popleft())]), 1
        first = self._next()
        if first is None:
            return None
        workers = engine.workers()
        return chain([self._send(first)], self._others(engine, max(IN_HAND, IN_HAND_EACH * workers))), workers

    def back(self, item: int, *, done: bool) -> None:
        """Take an item back, done or to be done again."""
        self._out.pop(item, None)
        if not done:
            self._again.append(item)

    def all_back(self) -> None:
        """Take all back that is out, since a worker died. Raises InputError for an item that has ended too many."""
        for item in self._out:
            self._deaths[item] += 1
            if self._deaths[item] == DEATHS:
                raise InputError("backends.deadly", item=item, deaths=DEATHS)
            (self._suspect if self._deaths[item] == DEATHS - 1 else self._again).append(item)
        self._out.clear()

    def _others(self, engine: Engine, most: int) -> Iterator[int]:
        """Give items one by one; joblib asks for them from its own threads, though never two at once."""
        while len(self._out) < most and not engine.crowded():
            item = self._next()
            if item is None:
                return
            yield self._send(item)

    def _next(self) -> int | None:
        return self._again.popleft() if self._again else next(self._fresh, None)

    def _send(self, item: int) -> int:
        self._out[item] = None
        return item


def _engine(backend: Backend, errand: Errand, notice: Notice) -> AbstractContextManager[Engine]:
    # Each brings libraries that take long to import.
    if backend.name == "dask":
        from kwx_sim.backends.cluster import Cluster

        return Cluster(str(backend.scheduler), errand, notice)
    if backend.name == "loky":
        from kwx_sim.backends.processes import Processes

        return Processes(backend.workers, errand)
    from kwx_sim.backends.threads import Threads

    return Threads(backend.workers, errand)


def _unheard(_: InputError) -> None:
    """Nobody wants to know."""
