"""The answer to a position, as a terminal shows it: first the sentence, then everything that it rests on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from kwx_sim.cli.terminal import hang, put, table
from kwx_sim.text import t

if TYPE_CHECKING:
    from kwx_sim.query import Decision
    from kwx_sim.query.decision import CellFigures
    from kwx_sim.query.question import Question

__all__ = ["show_answer", "show_cells"]


def show_answer(decision: Decision, seconds: float, lang: str) -> None:
    """Print the answer; `seconds` are those of the whole call, start-up and all."""
    from kwx_sim.query.sheets import break_even, ready_lines, sheets
    from kwx_sim.query.telling import assumed, how, mark, sentence, warning

    put(hang("", sentence(decision, lang)), "bold")
    for line in (mark(decision, lang), warning(decision, lang)):
        if line:
            put(hang("", line), "bold")
    for line in ready_lines(decision, lang):
        put(hang("", line))
    for sheet in sheets(decision, lang, whole="--json"):
        put()
        put(hang("", sheet.title), "dim")
        put(table(sheet.headers, sheet.rows, right=sheet.numbers))
        if sheet.left_out:
            put(hang("", sheet.left_out), "dim")
    put()
    if break_even(decision, lang):
        put(hang("", break_even(decision, lang)))
        put()
    put(t("query.page.assumed", lang))
    for each in assumed(decision):
        put(hang("- ", each.text(lang), indent=2))
    took = decision.sampling.seconds
    times = t("cli.asking.times", lang, start=f"{seconds - took:.1f}", sampling=f"{took:.1f}")
    put(hang("", t("query.page.sampled", lang) + t("query.say.clause", lang, first=how(decision, lang), second=times)))


def show_cells(question: Question, decision: Decision, lang: str) -> None:
    """Print the other beliefs and opponents as they come, then the verdict over all where that says something else.

    Whoever reads the answer meanwhile may interrupt; what is there stays.
    """
    from kwx_sim.query.over_all import two_arms
    from kwx_sim.query.sheets import cell_line
    from kwx_sim.query.telling import over_all

    found: list[CellFigures] = []
    try:
        for cell in question.cells(decision):
            if not found:
                put()
                put(hang("", t("query.page.other_cells", lang, **two_arms(decision, lang))))
            found.append(cell)
            put(hang("- ", cell_line(cell, lang), indent=2))
            sys.stdout.flush()
    except KeyboardInterrupt:
        question.ended = "interrupted"
    if said := over_all(question.with_cells(decision, found), lang):
        put(hang("", said), "bold")
