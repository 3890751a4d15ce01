"""Sections are drawn and written beside the simulation of the next ones, in processes of their own.

matplotlib holds the interpreter's lock, the kernels do not: with two processors a draft took two thirds of the time
that it takes with figures drawn between the simulations.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any

from kwx_sim.report.section import Section
from kwx_sim.report.write import write_section

__all__ = ["Writers"]


class Writers:
    """Writes sections, in the background where there is more than one worker; a context that ends when all is written.

    Raises in `submit`, or at the end, what went wrong in writing one before.
    """

    def __init__(self, workers: int) -> None:
        # Spawned, for a fork would copy locks that the simulation's threads hold.
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(workers, context, initializer=_settle) if workers > 1 else None
        self._waiting: list[Future[None]] = []

    def __enter__(self) -> Writers:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait until everything is written."""
        if self._pool:
            self._pool.shutdown(wait=True)
        if kind is None:
            for future in self._waiting:
                future.result()

    def submit(self, section: Section, folder: Path, record: dict[str, Any], seconds: float) -> None:
        """Write a section, which was made in so many seconds, or have it written."""
        if self._pool is None:
            write_section(section, folder, record, seconds)
            return
        import cloudpickle

        for future in self._finished():
            future.result()
        # What draws a figure is a function within a function, which pickle by itself refuses.
        packed = cloudpickle.dumps((section, folder, record, seconds))
        self._waiting.append(self._pool.submit(_write, packed))

    def _finished(self) -> Iterator[Future[None]]:
        return (future for future in self._waiting if future.done())


def _write(packed: bytes) -> None:
    import cloudpickle

    write_section(*cloudpickle.loads(packed))


def _settle() -> None:
    """In a writer: leave Ctrl-C to the parent, which waits for what is being written; end when it has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
