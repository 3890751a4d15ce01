"""An answer's figures as tables of text, for a terminal and a notebook alike."""

from __future__ import annotations

from typing import NamedTuple

from kwx_sim.query.decision import ArmFigures, Decision
from kwx_sim.query.figures import Shares
from kwx_sim.query.telling import arm_words, best_declaring, interval, signed
from kwx_sim.text import t

__all__ = ["Sheet", "break_even", "sheets"]

SHARES = Shares._fields[:-1]


class Sheet(NamedTuple):
    """A table: what it is, headers, rows of as many cells, and the columns of numbers."""

    title: str
    headers: list[str]
    rows: list[list[str]]
    numbers: tuple[int, ...]


def sheets(decision: Decision, lang: str) -> list[Sheet]:
    """The answer's tables: the arms, how their rounds ended, and the ladder where declaring is at issue."""
    made = [_means(decision, lang), _ends(decision, lang)]
    declare, against = best_declaring(decision), decision.ladder_against
    if declare and against:
        names = {"declare": arm_words(declare, lang), "against": arm_words(against, lang)}
        made.append(_ladder(decision, t("query.page.why", lang, **names), lang))
    return made


def _means(decision: Decision, lang: str) -> Sheet:
    """The arms, the best first: bases a round, and how far behind the best, each with its interval; who dropped it."""
    exact = decision.sampling.exact
    columns = ["arm", "mean", "behind"] if exact else ["arm", "mean", "interval", "behind", "interval", "dropped_by"]
    rows = [_mean_row(figures, exact, lang) for figures in decision.arms]
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


def _ends(decision: Decision, lang: str) -> Sheet:
    """How each arm's rounds ended, as shares, with the mean fan of its wins and its worlds."""
    rows = []
    for figures in decision.arms:
        shares = figures.shares
        percents = [f"{100 * getattr(shares, name):.1f}%" for name in SHARES]
        rows.append([arm_words(figures.arm, lang), *percents, f"{shares.fan:.2f}", f"{figures.worlds:,}"])
    heads = _heads(["arm", *SHARES, "fan", "worlds"], lang)
    return Sheet(t("query.page.shares", lang), heads, rows, tuple(range(1, len(heads))))


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
        return ""
    found = decision.break_even
    if found is None:
        return t("query.page.no_break_even", lang)
    roots = ", ".join(f"{root:.2f}" for root in found.roots) or t("query.page.no_root", lang)
    points = zip(found.avoidance, found.gain, found.half, strict=True)
    gains = ", ".join(f"{avoidance:g}: {signed(gain)} ±{half:.2f}" for avoidance, gain, half in points)
    return t("query.page.break_even", lang, roots=roots, gains=gains)


def _heads(names: list[str], lang: str) -> list[str]:
    return [t(f"query.head.{name}", lang) for name in names]
