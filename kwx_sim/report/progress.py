"""How far a report is, told on stderr: a bar on a terminal, a line now and then in a file."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from kwx_sim import runs
from kwx_sim.report.section import Words

__all__ = ["Teller"]

LINE_EVERY = 10.0
"""Seconds between lines where stderr is no terminal."""


class Teller:
    """Tells a person what is done now, and how far it is; a context that leaves the terminal as it was."""

    def __init__(self, lang: str) -> None:
        self._lang = lang
        self._console = Console(stderr=True, highlight=False)
        self._bar = Progress(
            SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn(),
            console=self._console, transient=True,
        )  # fmt: skip
        self._task = self._bar.add_task("", total=None)
        self._title = ""
        self._line_due = 0.0

    def __enter__(self) -> Teller:
        """Begin to tell."""
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar off the terminal."""
        self._bar.stop()

    def begin(self, title: Words) -> None:
        """Name what is done next."""
        self._title = title.told(self._lang)
        self._bar.reset(self._task, description=self._title, total=None)
        if not self._console.is_terminal:
            self.say(title)
        self._line_due = time.monotonic() + LINE_EVERY

    def progress(self, label: Words | str) -> runs.Progress:
        """Make what a part of it tells its progress: units done, and units in all."""
        name = label.told(self._lang) if isinstance(label, Words) else label

        def tell(done: int, total: int) -> None:
            line = f"{self._title}, {name}: {done:,} / {total:,}"
            self._bar.update(self._task, description=line, completed=done, total=total)
            if not self._console.is_terminal and time.monotonic() >= self._line_due:
                self._line_due = time.monotonic() + LINE_EVERY
                self._console.print(line, markup=False, soft_wrap=True)

        return tell

    def say(self, line: Words) -> None:
        """Print a line above the bar."""
        self._console.print(line.told(self._lang), markup=False, soft_wrap=True)
