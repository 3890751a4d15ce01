"""How far a simulation is: a bar on a terminal, a line now and then in a file, both with rate and time left."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from types import TracebackType
from typing import TYPE_CHECKING

from kwx_sim.cli.terminal import announce_compiling, narration
from kwx_sim.text import t

if TYPE_CHECKING:
    from kwx_sim.errors import InputError

__all__ = ["Progress"]

SETTLING = 1.0
"""Seconds after the first finished block that say nothing about the rate: the other workers' first blocks come then."""

LINE_EVERY = 10.0
"""Seconds between lines where stderr is no terminal."""


class Progress:
    """Told of rounds done and rounds in all, it tells a person on stderr; a context that ends with the simulation.

    The rate counts from the first finished block on, so that compiling does not pass for slow play.
    """

    def __init__(self, lang: str) -> None:
        from rich import progress

        self._lang = lang
        self._console = narration()
        self._bar = progress.Progress(
            progress.BarColumn(), progress.TextColumn("{task.description}"), console=self._console, transient=True
        )
        self._task: progress.TaskID | None = None
        self._done = self._counted_from = 0
        self._first_block = self._since = 0.0
        self._line_due = 0.0

    def __enter__(self) -> Progress:
        """Begin; nothing is shown before the first call."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the terminal as it was."""
        self.stop()

    def stop(self) -> None:
        """Take the bar off the terminal."""
        if self._bar.live.is_started:
            self._bar.stop()

    def __call__(self, done: int, total: int) -> None:
        """Take the rounds done and the rounds in all; the first call comes before any is played."""
        now = time.monotonic()
        if self._task is None:
            # Only now is it sure that something is run.
            announce_compiling(self._lang, seconds=60, console=self._console)
            self._task = self._bar.add_task("", total=None)
            if self._console.is_terminal:
                self._bar.start()
            if done < total:
                _compile()
            self._line_due = time.monotonic() + LINE_EVERY
        elif not self._first_block or now - self._first_block < SETTLING:
            self._first_block = self._first_block or now
            self._since, self._counted_from = now, done
        self._done = done
        line = self._line(now, total)
        self._bar.update(self._task, completed=done, total=total if done else None, description=line)
        if not self._console.is_terminal and (now >= self._line_due or done == total):
            self._line_due = now + LINE_EVERY
            self._console.print(line)

    def remark(self, notice: InputError) -> None:
        """Tell in passing what was mended."""
        self._console.print("kwx: " + notice.message(self._lang), soft_wrap=True)

    def _line(self, now: float, total: int) -> str:
        far = t("cli.progress.far", self._lang, done=f"{self._done:,}", total=f"{total:,}")
        played = self._done - self._counted_from
        if not self._first_block or not played or self._done == total:
            return far
        rate = played / (now - self._since)
        left = timedelta(seconds=round((total - self._done) / rate))
        return far + t("cli.progress.rate", self._lang, rate=f"{rate:,.0f}", left=left)


def _compile() -> None:
    """Compile the kernels, or load them, in a thread: an interrupt ends the wait for it, and is not lost in numba."""

    def play_a_round() -> None:
        from kwx_sim.rules import PRESETS
        from kwx_sim.runs import Run, replay

        replay(Run.of(PRESETS[0]), 0)

    thread = threading.Thread(target=play_a_round, daemon=True)
    thread.start()
    thread.join()
