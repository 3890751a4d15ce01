"""`kwx review`: a record gone through, each decision where another choice was better, the worst first."""

from __future__ import annotations

import errno
import os
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kwx_sim.cli.command import Amount, Choice, Place, Whole, argument, command, language, option
from kwx_sim.cli.progress import Progress
from kwx_sim.cli.terminal import hang, print_json, put, remark, table
from kwx_sim.errors import InputError
from kwx_sim.text import t

if TYPE_CHECKING:
    from kwx_sim.query.sheets import Sheet
    from kwx_sim.review import Review

__all__ = ["review"]

EXIT_INTERRUPTED = 130
FORMS = ("kwx", "mjai", "mpsz")
SEATS = ("0", "1", "2", "all")

MEASURED = 5
"""Decisions after which it is told how long the rest will take: that depends on what else the machine does."""


@command("review")
@argument("record", key="review.record", type=Place(), metavar="RECORD|-")
@option("--seat", "-s", key="review.seat", type=Choice(SEATS), default="all", metavar="0|1|2|all")
@option("--rounds", key="review.rounds", metavar="A:B")
@option("--rules", "-r", key="review.rules", metavar="NAME|FILE")
@option("--format", "form", key="review.format", type=Choice(FORMS), metavar="|".join(FORMS))
@option("--opponents", key="review.opponents", metavar="POLICY")
@option("--me", key="review.me", metavar="POLICY")
@option("--worlds", "-n", key="review.worlds", type=Whole(), metavar="N")
@option("--precision", key="review.precision", type=Amount(), metavar="X")
@option("--seed", key="asking.seed", type=Whole(), metavar="N")
@option("--workers", "-w", key="common.workers", type=Whole(), default=0, metavar="N")
@option("--all", "show_all", key="review.all", is_flag=True)
@option("--json", "as_json", key="common.json", is_flag=True)
@option("--html", key="review.html", type=Place(), metavar="FILE")
def review(
    record: str, seat: str, rounds: str | None, show_all: bool, as_json: bool, html: str | None, **given: Any
) -> None:
    """Review a record."""
    from kwx_sim.review import review as go_through

    lang = language()
    asked = {name: value for name, value in given.items() if value is not None}
    seats = None if seat == "all" else [int(seat)]
    if html is not None:
        _check_page(Path(html), record)
    with _Decisions(lang) as progress:
        found = go_through(record, seats=seats, rounds=_span(rounds), progress=progress, **asked)
    if html is not None:
        _write(html, found, lang, unclear=show_all)
    if as_json:
        print_json(found.to_json())
    else:
        _show(found, lang, unclear=show_all)
    if html is not None:
        remark(t("cli.review.written", lang, file=html))
    if found.interrupted:
        sys.exit(EXIT_INTERRUPTED)


class _Decisions(Progress):
    """Progress that counts decisions, and once some have been weighed tells how long the rest will take."""

    def __call__(self, done: int, total: int) -> None:
        """Take the decisions weighed and those in all."""
        if self._task is None:
            begin = "begin" if total > MEASURED else "begin_few"
            remark(t(f"review.progress.{begin}", self._lang, decisions=self._counted(total)))
        super().__call__(done, total)

    def _line(self, now: float, total: int) -> str:
        far = t("review.progress.far", self._lang, done=f"{self._done:,}", decisions=self._counted(total))
        weighed = self._done - self._counted_from
        if not self._first_block or weighed < MEASURED or self._done == total:
            return far
        left = timedelta(seconds=round((total - self._done) * (now - self._since) / weighed))
        return far + t("review.progress.left", self._lang, left=left)

    def _counted(self, decisions: int) -> str:
        from kwx_sim.review.telling import counted

        return counted("decision", decisions, self._lang)


def _span(rounds: str | None) -> tuple[int | None, int | None]:
    """Read `3:8`, `3:`, `:8` or `3`: the first and the last round, from 1."""
    if rounds is None:
        return None, None
    first, colon, last = rounds.replace("：", ":").partition(":")
    parts = (first, last if colon else first)
    ends = [int(part) if part.isascii() and part.isdecimal() and len(part) < 10 else 0 for part in parts]
    bad = any(part and not end for part, end in zip(parts, ends, strict=True)) or not any(ends)
    if bad or (ends[1] and ends[0] > ends[1]):
        raise InputError("cli.review.span", got=rounds)
    return ends[0] or None, ends[1] or None


def _show(found: Review, lang: str, *, unclear: bool) -> None:
    from kwx_sim.review.telling import headline, mistakes, notes, ratings, totals

    put(hang("", headline(found, lang)), "bold")
    sheets = [mistakes(found, lang), totals(found, lang), ratings(found, lang)]
    if unclear:
        sheets.insert(1, mistakes(found, lang, unclear=True))
    for sheet in sheets:
        _show_sheet(sheet)
    put()
    for line in notes(found, lang):
        put(hang("", line))


def _show_sheet(sheet: Sheet) -> None:
    if sheet.rows:
        put()
        put(hang("", sheet.title), "dim")
        put(table(sheet.headers, sheet.rows, right=sheet.numbers))


def _check_page(page: Path, record: str) -> None:
    """Refuse, before minutes are spent, a page that could not be written, or that would take the record's place."""
    if page.exists() and Path(record).exists() and page.samefile(record):
        raise InputError("cli.review.own_record", file=str(page))
    if page.is_dir():
        problem = errno.EISDIR
    elif not page.parent.is_dir():
        problem = errno.ENOENT
    elif not os.access(page if page.exists() else page.parent, os.W_OK):
        problem = errno.EACCES
    else:
        return
    raise InputError("cli.unwritable", file=str(page), problem=os.strerror(problem))


def _write(file: str, found: Review, lang: str, *, unclear: bool) -> None:
    from kwx_sim.review.page import as_page

    try:
        Path(file).write_text(as_page(found, lang, unclear=unclear), encoding="utf-8")
    except OSError as error:
        raise InputError("cli.unwritable", file=file, problem=error.strerror) from error
