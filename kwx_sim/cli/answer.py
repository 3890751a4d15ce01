"""The answer to a position, as a terminal shows it: first the sentence, then everything that it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kwx_sim.cli.terminal import hang, put, table
from kwx_sim.text import t

if TYPE_CHECKING:
    from kwx_sim.query import Decision

__all__ = ["show_answer"]


def show_answer(decision: Decision, seconds: float, lang: str) -> None:
    """Print the answer; `seconds` are those of the whole call, start-up and all."""
    from kwx_sim.query.sheets import break_even, ready_lines, sheets
    from kwx_sim.query.telling import assumed, how, mark, sentence

    put(hang("", sentence(decision, lang)), "bold")
    if mark(decision, lang):
        put(hang("", mark(decision, lang)), "bold")
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
    times = t("cli.liangdao.times", lang, start=f"{seconds - took:.1f}", sampling=f"{took:.1f}")
    put(hang("", t("query.page.sampled", lang) + t("query.say.clause", lang, first=how(decision, lang), second=times)))
