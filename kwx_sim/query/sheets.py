"""An answer's figures as tables of text, for a terminal and a notebook alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from kwx_sim.ensemble import called
from kwx_sim.query.decision import ArmFigures, CellFigures, Decision, Ready, Wait
from kwx_sim.query.over_all import two_arms
from kwx_sim.query.telling import best_declaring
from kwx_sim.query.words import UNKNOWN, arm_words, belief_words, interval, share, signed
from kwx_sim.text import t
from kwx_sim.tiles import tile_name

__all__ = ["Sheet", "break_even", "cell_line", "ready_lines", "sheets"]

MOST_ARMS = 12
"""Arms that a table shows."""

SHARES = ("by_self_draw", "by_discard", "fed", "other_won", "undecided")


class Sheet(NamedTuple):
    """A table: what it is, headers, rows of as many cells, the columns of numbers, and what was left out of it."""

    title: str
    headers: list[str]
    rows: list[list[str]]
    numbers: tuple[int, ...]
    left_out: str = ""


def ready_lines(decision: Decision, lang: str) -> list[str]:
    """What each discard of the arms shown waits for, a line each."""
    discards = {figures.arm.tile for figures in _shown(decision) if figures.arm.discards}
    return [_ready_line(ready, lang) for ready in decision.ready if ready.tile in discards]


def _ready_line(ready: Ready, lang: str) -> str:
    tile, comma = tile_name(ready.tile, lang), t("query.say.and", lang)
    if not ready.waits:
        return t("query.ready.none", lang, tile=tile)
    if not any(wait.left for wait in ready.waits):
        dead = comma.join(tile_name(wait.tile, lang) for wait in ready.waits)
        return t("query.ready.dead", lang, tile=tile, waits=dead)
    return t("query.ready.waits", lang, tile=tile, waits=comma.join(_wait(wait, lang) for wait in ready.waits))


def _wait(wait: Wait, lang: str) -> str:
    name = tile_name(wait.tile, lang)
    return t("query.ready.left", lang, tile=name, n=wait.left) if wait.left else t("query.ready.gone", lang, tile=name)


def sheets(decision: Decision, lang: str, whole: str) -> list[Sheet]:
    """The answer's tables: the arms, how their rounds ended, what each discard feeds, the ladder, the cells.

    Of the last three those that belong to the question, and cells where there are several.

    whole : where the reader finds the arms that are left out
    """
    shown = _shown(decision)
    more = len(decision.arms) - len(shown)
    left_out = t("query.page.more", lang, more=more, whole=whole) if more else ""
    made = [each._replace(left_out=left_out) for each in (_means(decision, shown, lang), _ends(shown, lang))]
    if decision.about == "discard":
        made.append(_feeding(decision, lang))
    declare, against = best_declaring(decision), decision.ladder_against
    if declare and against:
        names = {"declare": arm_words(declare, lang), "against": arm_words(against, lang)}
        why = "query.page.why_exact" if decision.sampling.exact else "query.page.why"
        made.append(_ladder(decision, t(why, lang, **names), lang))
    if len(decision.cells) > 1:
        made.append(_cells(decision, lang))
    return made


def _shown(decision: Decision) -> list[ArmFigures]:
    """The arms that a table has room for, the best first.

    Those that begin as the best does and the best of every other beginning come before the rest.
    """
    best_of: dict[str, ArmFigures] = {}
    for figures in decision.arms:
        best_of.setdefault(figures.arm.first, figures)
    alike = [figures for figures in decision.arms if figures.arm.first == decision.best.first]
    by_weight = dict.fromkeys(figures.arm for figures in (*alike, *best_of.values(), *decision.arms))
    chosen = set(list(by_weight)[:MOST_ARMS])
    return [figures for figures in decision.arms if figures.arm in chosen]


def _means(decision: Decision, shown: Sequence[ArmFigures], lang: str) -> Sheet:
    """The arms, the best first: bases a round, and how far behind the best, each with its interval; who dropped it."""
    exact = decision.sampling.exact
    columns = ["arm", "mean", "behind"] if exact else ["arm", "mean", "interval", "behind", "interval", "dropped_by"]
    rows = [_mean_row(figures, exact, lang) for figures in shown]
    title = t("query.page.exact" if exact else "query.page.intervals", lang)
    return Sheet(title, _heads(columns, lang), rows, (1, 2) if exact else (1, 2, 3, 4))


def _mean_row(figures: ArmFigures, exact: bool, lang: str) -> list[str]:
    behind, by = figures.behind, figures.dropped_by
    name, mean = arm_words(figures.arm, lang), signed(figures.mean)
    lag = signed(-behind.mean) if behind else ""
    if exact:
        return [name, mean, lag]
    span = interval(-behind.high, -behind.low) if behind else ""
    return [name, mean, interval(figures.low, figures.high), lag, span, arm_words(by, lang) if by else ""]


def _ends(shown: Sequence[ArmFigures], lang: str) -> Sheet:
    """How each arm's rounds ended, as shares, with the mean fan of its wins and its worlds."""
    rows = []
    for figures in shown:
        shares = figures.shares
        percents = [share(getattr(shares, name)) for name in SHARES]
        worlds = f"{figures.worlds:,}" if figures.worlds else UNKNOWN
        rows.append([arm_words(figures.arm, lang), *percents, _mean(shares.fan), worlds])
    heads = _heads(["arm", *SHARES, "fan", "worlds"], lang)
    return Sheet(t("query.page.shares", lang), heads, rows, tuple(range(1, len(heads))))


def _feeding(decision: Decision, lang: str) -> Sheet:
    """What each tile feeds, in the order of tiles, by the best of the arms that begin with it."""
    best_of: dict[int, ArmFigures] = {}
    for figures in decision.arms:
        if figures.arm.discards:
            best_of.setdefault(figures.arm.tile, figures)
    rows = [_feeding_row(best_of[tile], lang) for tile in sorted(best_of)]
    columns = ["arm", "fed_first", "first_cost", "first_loss", "fed_later"]
    return Sheet(t("query.page.feeding", lang), _heads(columns, lang), rows, (1, 2, 3, 4))


def _feeding_row(figures: ArmFigures, lang: str) -> list[str]:
    shares = figures.shares
    chance, later = shares.fed_first, shares.fed - shares.fed_first
    loss = chance * shares.first_cost if chance else chance
    chances = share(chance, rare=True), share(later, rare=True)
    return [arm_words(figures.arm, lang), chances[0], _mean(shares.first_cost), _mean(loss), chances[1]]


def _mean(value: float) -> str:
    """A mean of what is never below 0; "–" where nothing was averaged."""
    return f"{value:.2f}" if math.isfinite(value) else UNKNOWN


def _cells(decision: Decision, lang: str) -> Sheet:
    """The lead under each belief and against each kind of opponents, the headline's first."""
    rows = []
    for cell in decision.cells:
        told = _cell_words(cell, lang)
        lead = [told["lead"], told["interval"], told["state"]]
        names = [told["belief"], told["opponents"]]
        rows.append([*names, *lead, f"{cell.worlds:,}", f"{cell.effective:,.0f}"])
    columns = ["belief", "opponents", "lead", "interval", "state", "worlds", "effective"]
    return Sheet(t("query.page.cells", lang, **two_arms(decision, lang)), _heads(columns, lang), rows, (2, 3, 5, 6))


def cell_line(cell: CellFigures, lang: str) -> str:
    """One belief and kind of opponents in a line."""
    return t("query.page.cell", lang, **_cell_words(cell, lang), worlds=cell.worlds, effective=cell.effective)


def _cell_words(cell: CellFigures, lang: str) -> dict[str, str]:
    lead = cell.difference
    names = {"belief": belief_words(cell.belief, lang), "opponents": called(cell.opponents, lang)}
    told = {"lead": signed(lead.mean), "interval": interval(lead.low, lead.high)}
    return names | told | {"state": t(f"query.state.{cell.state.value}", lang)}


def _ladder(decision: Decision, title: str, lang: str) -> Sheet:
    """What each rule adds to declaring, with half of a 95% interval, and the sum.

    Rules that changed nothing in any world are left out.
    """
    rungs = [rung for rung in decision.ladder if rung.mean or rung.half]
    rows = [[t(f"query.rung.{rung.rule}", lang), signed(rung.mean), f"±{rung.half:.2f}"] for rung in rungs]
    total = decision.ladder_total
    if total is not None:
        rows.append([t("query.head.sum", lang), signed(total.mean), f"±{total.half:.2f}"])
    return Sheet(title, [*_heads(["rule", "adds"], lang), "±"], rows, (1, 2))


def break_even(decision: Decision, lang: str) -> str:
    """Tell p* in a line, or why there is none; empty where declaring is not at issue."""
    if decision.ladder_against is None:
        early = decision.sampling.ended in ("seconds", "interrupted") and decision.about == "liangdao"
        return t("query.page.no_reasons", lang) if early and best_declaring(decision) else ""
    found = decision.break_even
    if found is None:
        return t("query.page.no_break_even", lang)
    comma = t("query.say.and", lang)
    roots = comma.join(f"{root:.2f}" for root in found.roots) or t("query.page.no_root", lang)
    points = zip(found.avoidance, found.gain, found.half, strict=True)
    gains = comma.join(f"{avoidance:g}: {signed(gain)} ±{half:.2f}" for avoidance, gain, half in points)
    return t("query.page.break_even", lang, roots=roots, gains=gains)


def _heads(names: list[str], lang: str) -> list[str]:
    return [t(f"query.head.{name}", lang) for name in names]
