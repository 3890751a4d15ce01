"""What the terminal can show: consoles, tables, folded text, JSON, and terminals that know no Chinese."""

from __future__ import annotations

import codecs
import json
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from kwx_sim.text import t

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

__all__ = [
    "announce_compiling",
    "cells",
    "hang",
    "narration",
    "prepare_streams",
    "print_json",
    "put",
    "remark",
    "screen_width",
    "table",
    "to_json",
    "width",
]

# Dragons as mpsz, so that even a hand shown on an ASCII terminal can be read and typed in again.
_PLAIN = {
    "中": "7z",
    "发": "6z",
    "白": "5z",
    "×": "*",
    "−": "-",
    "–": "-",
    "—": "-",
    "→": ">",
    "·": ".",
    "…": ".",
    "“": '"',
    "”": '"',
}
_PIPED_WIDTH = 160
_PROSE_WIDTH = 100
_NARROWEST = 40
"""Cells that a result takes at least: below, rich would drop cells of tables; a terminal's own folding loses none."""
# A wide character is a word by itself: Chinese is folded anywhere, but no line begins with a closing mark.
_WORD = re.compile(
    r"\s+|[「（《“]*(?:[^\s\u2e80-\uffef]+|[\u2e80-\uffef])[，。、：；！？」）》”]*",
)
# What json.dumps leaves as it is though it steers a terminal, turns the direction of writing, or cannot be printed.
_UNSEEN = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def _plain_marks(error: UnicodeError) -> tuple[str, int]:
    """Stand in for what the terminal's encoding lacks, cell for cell, so that tables stay aligned."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    plain = (_PLAIN.get(mark) or ("??" if unicodedata.east_asian_width(mark) in "WF" else "?") for mark in lost)
    return "".join(plain), error.end


def prepare_streams() -> None:
    """Make stdout and stderr print every text on every terminal: a terminal without 亮 must not crash on it.

    A stream that is closed, as for some background jobs, becomes one that is empty or leads nowhere.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r+", encoding="utf-8"))  # noqa: SIM115  # open as long as the process
    codecs.register_error("kwx-plain", _plain_marks)
    if not os.environ.get("COLUMNS", "").strip("0"):
        os.environ.pop("COLUMNS", None)  # some terminals that do not know their width say 0
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="kwx-plain")


def put(shown: str | RenderableType = "", style: str = "", least: int = _NARROWEST) -> None:
    """Print a result on stdout: a table, or text that is folded already. It takes `least` cells where it needs them."""
    from rich.text import Text

    console = _console(stderr=False)
    console.width = max(console.width, least)
    with console.capture() as capture:
        console.print(
            Text(shown, style=style) if isinstance(shown, str) else shown, no_wrap=True, overflow="ignore", crop=False
        )
    # rich fills the last column of a table with blanks, which help nobody in a file.
    sys.stdout.write("".join(line.rstrip() + "\n" for line in capture.get().splitlines()))


def screen_width() -> int | None:
    """Tell how many cells a line of the terminal has; None where stdout is a file or a pipe."""
    return _console(stderr=False).width if sys.stdout.isatty() or "COLUMNS" in os.environ else None


def narration() -> Console:
    """Open a console on stderr, for progress and remarks: a pipe never sees them."""
    return _console(stderr=True)


def remark(line: str) -> None:
    """Tell a person something in passing, on stderr; paths stay in one piece."""
    narration().print(line, soft_wrap=True)


def announce_compiling(lang: str, seconds: int, console: Console | None = None) -> None:
    """Tell a person who watches, should a kernel be compiled, that it takes longer: once, and only when it begins.

    `seconds` is what a call that finds nothing in the cache takes. With a `console` it is told there, be that a
    terminal or not.
    """
    if console is None and not sys.stderr.isatty():
        return
    from kwx_sim.cli.compiling import tell_once
    from kwx_sim.core.jit import CACHE_KEEPS

    line = t("cli.compiling" if CACHE_KEEPS else "cli.compiling_each_time", lang, seconds=seconds)
    tell_once(lambda: (console or narration()).print(line, soft_wrap=True))


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    # Piped text has no width of its own; 80 columns would fold the tables.
    width = None if stream.isatty() or "COLUMNS" in os.environ else _PIPED_WIDTH
    return Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)


def width() -> int:
    """Tell how many cells a line of prose may take."""
    return min(shutil.get_terminal_size((_PROSE_WIDTH, 24)).columns, _PROSE_WIDTH)


def cells(line: str) -> int:
    """Count the cells that a line takes: two for 亮, one for a letter."""
    return sum(2 if unicodedata.east_asian_width(mark) in "WF" else 1 for mark in line)


def hang(label: str, body: str, indent: int = 0, column: int | None = None) -> str:
    """Fold a labelled paragraph: the label at `indent`, the body in a column of its own beside it.

    `column` is where the body begins; without it, right after the label. rich would fold Chinese at its rare blanks.
    """
    start = indent + cells(label) if column is None else column
    head = " " * indent + label
    head += " " * (start - cells(head))
    lines = [""]
    room = max(width() - start, 20)
    for word in _WORD.findall(body.strip()):
        if cells(lines[-1]) + cells(word.rstrip()) > room and lines[-1]:
            lines.append("")
        if lines[-1] or not word.isspace():
            lines[-1] += word
    return head + ("\n" + " " * start).join(line.rstrip() for line in lines)


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()) -> Table:
    """Lay out rows under headers; `right` names the columns of numbers, which are never folded: their headers are."""
    from rich import box
    from rich.table import Table

    numbers, lines = set(right), list(rows)
    layout = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
    for place, header in enumerate(headers):
        widest = max((cells(line[place]) for line in lines), default=0)
        if place in numbers:
            layout.add_column(header, justify="right", overflow="fold", min_width=widest)
        else:
            layout.add_column(header, overflow="fold")
    for line in lines:
        layout.add_row(*line)
    return layout


def to_json(value: Any) -> str:
    """Write one line of JSON: Chinese as it is where the terminal can show it, escaped where it cannot."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    return _UNSEEN.sub(_as_json, json.dumps(value, ensure_ascii=encoding != "utf8"))


def _as_json(mark: re.Match[str]) -> str:
    return json.dumps(mark[0])[1:-1]


def print_json(value: Any) -> None:
    """Print one line of JSON on stdout."""
    sys.stdout.write(to_json(value) + "\n")
