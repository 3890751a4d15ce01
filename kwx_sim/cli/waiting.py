"""What a person sees who waits for an answer: from the first look on, who leads and by how much."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING

from kwx_sim.cli.terminal import cells, narration
from kwx_sim.text import t

if TYPE_CHECKING:
    from kwx_sim.query.decision import Provisional

__all__ = ["Waiting"]

LINE_EVERY = 10.0
"""Seconds between lines where stderr is no terminal, the first answer apart."""


class Waiting:
    """Told of worlds played and of how it stands, it keeps a line on stderr; a context that ends with the answer."""

    def __init__(self, lang: str) -> None:
        self._lang = lang
        self._console = narration()
        self._told = False
        self._line_due = time.monotonic() + LINE_EVERY
        self._shown = 0

    def __enter__(self) -> Waiting:
        """Begin; nothing is shown before the first call."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the terminal as it was."""
        self._clear()

    def __call__(self, done: int, most: int, now: Provisional | None) -> None:
        """Take the worlds played, the most that will be, and how it stands."""
        if self._console.is_terminal:
            self._show(self._line(done, most, now))
            return
        due = time.monotonic() >= self._line_due
        if due or (now and not self._told):
            self._told = self._told or now is not None
            self._line_due = time.monotonic() + LINE_EVERY
            self._console.print(self._line(done, most, now), soft_wrap=True)

    def _line(self, done: int, most: int, now: Provisional | None) -> str:
        from kwx_sim.query.telling import provisional

        far = t("cli.asking.far", self._lang, done=f"{done:,}", most=f"{most:,}")
        if now is None:
            return far
        return t("cli.asking.provisional", self._lang, said=provisional(now, self._lang), far=far)

    def _show(self, line: str) -> None:
        """Write the line over the one before, cut where the terminal ends."""
        while cells(line) >= self._console.width:
            line = line[:-1]
        self._clear()
        self._console.file.write(line)
        self._console.file.flush()
        self._shown = cells(line)

    def _clear(self) -> None:
        if self._shown:
            self._console.file.write("\r" + " " * self._shown + "\r")
            self._console.file.flush()
            self._shown = 0
