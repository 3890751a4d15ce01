"""Why nothing is settled over all beliefs and opponents: how many say what, which the other way, and which are open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from kwx_sim.ensemble import called
from kwx_sim.query.decision import CellFigures, Decision
from kwx_sim.query.words import arm_words, belief_words, interval, signed
from kwx_sim.sequences import State, verdict
from kwx_sim.text import t

__all__ = ["to_go_on", "two_arms", "why_open"]

MOST_NAMED = 3


def two_arms(decision: Decision, lang: str) -> dict[str, str]:
    """The arms that cells are about, in words."""
    best, other = decision.told_by or (decision.best, decision.best)
    return {"best": arm_words(best, lang), "other": arm_words(other, lang)}


def why_open(decision: Decision, lang: str) -> Iterator[str]:
    """Clauses: how many cells are ahead, behind, equal and not clear; those behind, or the nearest to it."""
    counts = Counter(cell.state for cell in decision.cells)
    comma = t("query.say.joint", lang)
    told = comma.join(t(f"query.count.{state.value}", lang, n=counts[state]) for state in State if counts[state])
    yield t("query.say.cells", lang, **two_arms(decision, lang), n=len(decision.cells), counts=told)
    if counts[State.ABOVE] and counts[State.BELOW]:
        yield t("query.say.not_apart", lang, precision=f"{decision.precision:g}")
    by_mean = sorted(decision.cells, key=lambda cell: cell.difference.mean)
    behind = [cell for cell in by_mean if cell.state is State.BELOW]
    if behind:
        yield t("query.say.behind", lang, cells=_listed([_cell_and_lead(cell, lang) for cell in behind], lang))
    else:
        span = interval(by_mean[0].difference.low, by_mean[0].difference.high)
        yield t("query.say.furthest", lang, cell=_cell_and_lead(by_mean[0], lang), interval=span)


def to_go_on(decision: Decision, lang: str) -> str:
    """The cells of which more worlds would settle it, where it is clear which: each that is open, and no other."""
    going_on = [cell for cell in decision.cells if cell.state is State.OPEN]
    costs = [verdict([cell.sums], decision.precision, "", "").more_worlds for cell in going_on]
    known = [cost for cost in costs if cost is not None]
    if not known or len(known) < len(costs) or sum(known) != decision.verdict.more_worlds:
        return ""
    return _listed([_cell(cell, lang) for cell in going_on], lang)


def _listed(names: Sequence[str], lang: str) -> str:
    """The first few by name, of the rest how many."""
    cells, more = t("query.say.and", lang).join(names[:MOST_NAMED]), len(names) - MOST_NAMED
    return t("query.say.and_more", lang, cells=cells, more=more) if more > 0 else cells


def _cell(cell: CellFigures, lang: str) -> str:
    names = {"belief": belief_words(cell.belief, lang), "opponents": called(cell.opponents, lang)}
    return t("query.say.cell", lang, **names)


def _cell_and_lead(cell: CellFigures, lang: str) -> str:
    return t("query.say.cell_and_lead", lang, cell=_cell(cell, lang), lead=signed(cell.difference.mean))
