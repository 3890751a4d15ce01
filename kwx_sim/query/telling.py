"""An answer in words: one sentence with its reason, what it rests on, how it was found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from kwx_sim.positions import Assumption
from kwx_sim.query.arms import Arm
from kwx_sim.query.decision import ArmFigures, Decision, Difference, Provisional, Rung
from kwx_sim.query.over_all import to_go_on, why_open
from kwx_sim.query.words import arm_words, belief_words, interval, player, signed
from kwx_sim.sequences import Outcome
from kwx_sim.text import t
from kwx_sim.tiles import tile_name

__all__ = [
    "arm_words",
    "assumed",
    "best_declaring",
    "first_clear",
    "how",
    "interval",
    "mark",
    "over_all",
    "provisional",
    "sentence",
    "signed",
    "warning",
    "whole",
]

ROUNDING = 1e-9
MOST_REASONS = 3

FEW_WORLDS, SMALL_SHARE = 200, 0.1
"""An answer is warned of where its worlds know as little as so few of one weight, or as such a share of them."""

SETTLED_BY_PLAY = {f"positions.assumption.{name}" for name in ("discards", "dealer", "draws", "melds")}
"""Assumptions of a position that worlds played in from the deal do not need."""


# ---------------------------------------------------------------- sizes and arms


def _size(value: float) -> str:
    """Write bases without their sign: one decimal from 1 on, two below."""
    return f"{abs(value):.{1 if abs(value) >= 1 else 2}f}"


def best_declaring(decision: Decision) -> Arm | None:
    """The best of the arms that declare at once."""
    return next((figures.arm for figures in decision.arms if figures.arm.declares), None)


def _kind(arm: Arm) -> str:
    """What sort of thing an arm does first: declare, quiet, discard (where declaring is not at issue), win, kong, …"""
    if arm.hides:
        return "quiet"
    return "kong" if arm.way.endswith("_kong") else arm.way


def first_clear(decision: Decision) -> str | None:
    """The first action where that is clear, whatever follows it; None where it is not."""
    clear = decision.verdict.outcome is not Outcome.MODEL_DEPENDENT
    return decision.best.first if clear and len({arm.first for arm in _contenders(decision)}) == 1 else None


# ---------------------------------------------------------------- the sentence


def sentence(decision: Decision, lang: str = "en") -> str:
    """Say what to do and why, or why that cannot be said, in one sentence."""
    said = _joined((_headline(decision, lang), *_reasons(decision, lang)), lang)
    return t("query.say.end", lang, said=said[0].upper() + said[1:])


def over_all(decision: Decision, lang: str = "en") -> str:
    """What all beliefs and opponents come to, in a sentence; empty where that is what the headline says."""
    said = sentence(decision, lang)
    return "" if said == sentence(decision.headline, lang) else t("query.page.over_all", lang, sentence=said)


def whole(decision: Decision, lang: str = "en") -> str:
    """The sentence of the headline, and that over all beliefs and opponents where it says something else."""
    said, more = sentence(decision.headline, lang), over_all(decision, lang)
    return t("query.say.both", lang, headline=said, over_all=more) if more else said


def provisional(now: Provisional, lang: str) -> str:
    """Say how it stands while worlds are still being played."""
    if now.other is None or now.difference is None:
        return arm_words(now.best, lang)
    return _two("ahead", now.best, now.other, now.difference, lang)


def mark(decision: Decision, lang: str) -> str:
    """Say that the answer is not what a whole run would have given; empty where it is."""
    ended = decision.sampling.ended
    if ended not in ("interrupted", "seconds"):
        return ""
    return t(f"query.mark.{ended}", lang, worlds=decision.sampling.worlds)


def warning(decision: Decision, lang: str) -> str:
    """Say that the worlds know less than their number promises; empty where they do not."""
    sampling = decision.sampling
    few = sampling.effective < max(FEW_WORLDS, SMALL_SHARE * sampling.worlds)
    if not few or decision.belief != "played" or sampling.exact or not sampling.worlds:
        return ""
    return t("query.mark.few", lang, effective=sampling.effective, worlds=sampling.worlds)


def _headline(decision: Decision, lang: str) -> str:
    outcome, lead = decision.verdict.outcome, decision.difference
    if _is_lost(decision):
        tiles = dict.fromkeys(tile_name(figures.arm.tile, lang) for figures in decision.arms)
        return t("query.say.lost", lang, tiles=t("query.say.and", lang).join(tiles))
    if lead is None:
        return t("query.say.only", lang, act=arm_words(decision.best, lang, "act"))
    rival = _rival(decision)
    behind = rival.behind
    assert behind is not None
    if outcome is Outcome.MODEL_DEPENDENT:
        return _two("model", decision.best, rival.arm, behind, lang)
    if not math.isfinite(lead.low):
        return t("query.say.nothing", lang)
    if _is_open_over_all(decision):
        return _joined((*why_open(decision, lang), _cost_over_all(decision, lang)), lang)
    left = _contenders(decision)
    if len({arm.first for arm in left}) == 1:
        return _clear(decision, left, rival, lang)
    if (
        len({_kind(arm) for arm in left}) == 1
        and rival.arm not in left
        and _kind(decision.best) in ("declare", "quiet")
    ):
        return _clear_but_for_tile(decision, left, rival, lang)
    if outcome is Outcome.TOO_CLOSE:
        return _two("equal" if decision.sampling.exact else "close", decision.best, rival.arm, behind, lang)
    other, lead = (decision.other, lead) if decision.about != "liangdao" else (rival.arm, behind)
    assert other is not None
    said = t("query.say.open", lang, ahead=_two("ahead", decision.best, other, lead, lang))
    return t("query.say.clause", lang, first=said, second=_cost(decision.verdict.more_worlds, lang))


def _is_lost(decision: Decision) -> bool:
    """Whether another wins at once whatever is compared, so that nothing is compared really.

    Where any discard is asked about, that is seen from the table of what each of them feeds.
    """
    fed = (figures.arm.discards and figures.shares.fed_first > 1 - ROUNDING for figures in decision.arms)
    return decision.about == "liangdao" and all(fed)


def _is_open_over_all(decision: Decision) -> bool:
    return len(decision.cells) > 1 and decision.verdict.outcome is Outcome.NOT_SETTLED


def _joined(clauses: Sequence[str], lang: str) -> str:
    said, *others = clauses
    for clause in others:
        said = t("query.say.clause", lang, first=said, second=clause)
    return said


def _clear(decision: Decision, left: Sequence[Arm], rival: ArmFigures, lang: str) -> str:
    """One first action is left; what follows of declaring later may be open."""
    act = arm_words(decision.best if len(left) == 1 else decision.best._replace(way="quiet"), lang, "act")
    if left_out := _left_out(decision.best, rival.arm):
        act = t(f"query.say.{left_out}", lang, act=act, tile=tile_name(rival.arm.tile, lang))
    said = _against(act, decision.best, rival, lang)
    return said if len(left) == 1 else _adding("later", left, decision, said, lang)


def _left_out(best: Arm, rival: Arm) -> str:
    """What is expressly not done, as a key of a clause; "" where the best alone says it."""
    given_up, kind = _kind(rival), _kind(best)
    if given_up == kind or given_up not in ("win", "kong"):
        return ""
    if given_up == "win":
        return "let_go" if kind == "pass" else "no_win" if best.declines else "pass"
    return "" if kind in ("pass", "pong", "win") else "no_kong"


def _clear_but_for_tile(decision: Decision, left: Sequence[Arm], rival: ArmFigures, lang: str) -> str:
    said = _against(t(f"query.kind.{_kind(decision.best)}", lang), decision.best, rival, lang)
    tiles = t("query.say.and", lang).join(tile_name(tile, lang) for tile in dict.fromkeys(arm.tile for arm in left))
    return _adding("tiles", left, decision, said, lang, tiles=tiles)


def _adding(what: str, left: Sequence[Arm], decision: Decision, said: str, lang: str, **params: str) -> str:
    """Add what is left open, or makes no difference because none of those left is far from the best."""
    leads = [figures.behind for figures in decision.arms if figures.arm in left and figures.behind]
    far = [lead for lead in leads if lead.low <= -decision.precision or lead.high >= decision.precision]
    state = "open" if far else "close"
    return t("query.say.clause", lang, first=said, second=t(f"query.say.{what}_{state}", lang, **params))


def _against(act: str, best: Arm, rival: ArmFigures, lang: str) -> str:
    assert rival.behind is not None
    kind = _kind(rival.arm)
    key = f"query.against.{kind}"
    if kind in ("declare", "quiet") and rival.arm.tile != best.tile:
        key += "_with"
    against = t(key, lang, tile=tile_name(rival.arm.tile, lang))
    lead = rival.behind.mean
    return t("query.say.best", lang, act=act, lead=("+" if lead >= 0 else "−") + _size(lead), rival=against)


def _two(key: str, best: Arm, other: Arm, lead: Difference, lang: str) -> str:
    """A clause about two arms and the lead of the first."""
    names = {"best": arm_words(best, lang), "other": arm_words(other, lang)}
    span = interval(lead.low, lead.high)
    return t(f"query.say.{key}", lang, **names, lead=signed(lead.mean), interval=span)


def _cost(worlds: int | None, lang: str, form: str = "more", **of: str) -> str:
    """About how many more worlds would settle it, as the form has it of which."""
    if worlds is None:
        return t("query.say.hopeless", lang)
    return t(f"query.say.{form}", lang, worlds=_rounded(worlds), **of)


def _cost_over_all(decision: Decision, lang: str) -> str:
    """The same over several cells: of those that are open where it takes no others, else of all together."""
    worlds, cells = decision.verdict.more_worlds, to_go_on(decision, lang)
    return _cost(worlds, lang, "more_of", cells=cells) if cells else _cost(worlds, lang, "more_of_all")


def _rounded(worlds: int) -> int:
    """Two figures of an estimate are enough."""
    step: int = 10 ** max(len(str(worlds)) - 2, 0)
    return -(-worlds // step) * step


def _contenders(decision: Decision) -> list[Arm]:
    """The arms that may still be the best, the best first; by one cell's figures, so only where there is one."""
    if len(decision.verdict.states) > 1:
        clear = decision.verdict.outcome is Outcome.ACTION
        return [decision.best] if clear else [figures.arm for figures in decision.arms]
    return [figures.arm for figures in decision.arms if figures.arm == decision.best or not _is_beaten(figures)]


def _is_beaten(figures: ArmFigures) -> bool:
    return figures.dropped_by is not None or (figures.behind is not None and figures.behind.low > ROUNDING)


def _rival(decision: Decision) -> ArmFigures:
    """What the best is weighed against: the best of another kind, else with another first action, else any other.

    Where discards are asked about, declaring or not is no other kind.
    """
    best, others = decision.best, [figures for figures in decision.arms if figures.arm != decision.best]
    if decision.about == "discard":
        return min(others, key=lambda other: other.arm.first == best.first)
    return min(others, key=lambda other: (_kind(other.arm) == _kind(best), other.arm.first == best.first))


# ---------------------------------------------------------------- reasons


def _reasons(decision: Decision, lang: str) -> Iterator[str]:
    """The ladder's largest terms: a clause for the best and one against it; none where declaring is not the matter."""
    if decision.difference is None or not math.isfinite(decision.difference.low) or _is_lost(decision):
        return
    if _is_open_over_all(decision):
        return  # they are the headline's, which has told them
    kinds = {_kind(decision.best), _kind(_rival(decision).arm)}
    if kinds != {"declare", "quiet"}:
        return
    favour, against = _telling_rungs(decision)
    if favour:
        yield t("query.say.joint", lang).join(_reason(rung, lang) for rung in favour)
    for rung in against:
        yield t("query.say.but", lang, reason=_reason(rung, lang))


def _telling_rungs(decision: Decision) -> tuple[list[Rung], list[Rung]]:
    """As many terms for the best as outweigh the largest against it, and that one if any; none that could be 0."""
    side = 1 if decision.best.declares else -1
    known = sorted((rung for rung in decision.ladder if abs(rung.mean) > rung.half), key=lambda rung: -abs(rung.mean))
    against = [rung for rung in known if side * rung.mean < 0][:1]
    weight = sum(abs(rung.mean) for rung in against)
    chosen: list[Rung] = []
    for rung in known:
        if side * rung.mean > 0 and len(chosen) < MOST_REASONS and sum(abs(each.mean) for each in chosen) <= weight:
            chosen.append(rung)
    return chosen, against


def _reason(rung: Rung, lang: str) -> str:
    side = "for" if rung.mean > 0 else "against_it"
    return t(f"query.{side}.{rung.rule}", lang, x=_size(rung.mean))


# ---------------------------------------------------------------- what it rests on, and how it was found


def assumed(decision: Decision) -> tuple[Assumption, ...]:
    """Everything that the answer rests on beyond what was given."""
    return tuple(_assumed(decision))


def _assumed(decision: Decision) -> Iterator[Assumption]:
    sampling, belief = decision.sampling, "enumerated" if decision.sampling.exact else decision.belief
    yield Assumption(f"query.belief.{belief}", {})
    for assumption in decision.assumptions:
        if belief != "played_in" or assumption.key not in SETTLED_BY_PLAY:
            yield assumption
    yield Assumption("query.assumption.players", {"me": player(decision.me), "opponents": player(decision.opponents)})
    if decision.about != "claim":
        yield from _without_declaring(decision)
    if not sampling.exact:
        bound = f"{sampling.bound:,.0f}"
        if sampling.stated_cap is None:
            yield Assumption("query.assumption.bound", {"bound": bound})
        else:
            yield Assumption("query.assumption.bound_stated", {"bound": bound, "fan": sampling.stated_cap})


def _without_declaring(decision: Decision) -> Iterator[Assumption]:
    if decision.no_liangdao:
        yield Assumption("query.assumption.no_liangdao", {"rules": decision.rules})
    elif not any(figures.arm.declares for figures in decision.arms):
        yield Assumption("query.assumption.no_declaring", {})


def how(decision: Decision, lang: str) -> str:
    """Tell how it was found: worlds, why it ended, seed, ruleset, versions."""
    sampling = decision.sampling
    ended = t(f"query.ended.{sampling.ended}", lang, precision=f"{decision.precision:g}")
    params = {"worlds": sampling.worlds, "ended": ended, "seed": sampling.seed}
    form = "exact"
    if not sampling.exact:
        form = "weighted" if decision.belief == "played" else "worlds"
        params |= {"pilot": sampling.pilot, "belief": belief_words(decision.belief, lang)}
        params |= {"effective": sampling.effective, "cut": sampling.cut}
    versions = {"rules": decision.rules, "hash": sampling.rules_hash, "kernels": sampling.kernels}
    return t(
        "query.say.clause",
        lang,
        first=t(f"query.sampled.{form}", lang, **params),
        second=t("query.sampled.versions", lang, version=sampling.version, **versions),
    )
