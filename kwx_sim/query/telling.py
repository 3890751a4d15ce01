"""An answer in words: one sentence with its reason, what it rests on, how it was found; and all of it as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from kwx_sim.positions import Assumption
from kwx_sim.query.arms import Arm
from kwx_sim.query.decision import ArmFigures, Decision, Difference, Provisional, Ready, Rung
from kwx_sim.sequences import Outcome
from kwx_sim.text import t
from kwx_sim.tiles import tile_name

__all__ = [
    "arm_words",
    "as_json",
    "assumed",
    "best_declaring",
    "how",
    "interval",
    "mark",
    "provisional",
    "sentence",
    "signed",
]

ROUNDING = 1e-9
MOST_REASONS = 3

SETTLED_BY_PLAY = {f"positions.assumption.{name}" for name in ("discards", "dealer", "draws", "melds")}
"""Assumptions of a position that worlds played in from the deal do not need."""


# ---------------------------------------------------------------- numbers and arms


def _size(value: float) -> str:
    """Write bases without their sign: one decimal from 1 on, two below."""
    return f"{abs(value):.{1 if abs(value) >= 1 else 2}f}"


def signed(value: float) -> str:
    """Write bases with their sign, − for the minus; "–" where nothing is known."""
    if not math.isfinite(value):
        return "–"
    return f"{value:+.2f}".replace("-", "−") if round(value, 2) else "0.00"


def interval(low: float, high: float) -> str:
    """Write an interval: "[−0.12, +0.40]"; "–" where nothing is known."""
    return f"[{signed(low)}, {signed(high)}]" if math.isfinite(low) and math.isfinite(high) else "–"


def arm_words(arm: Arm, lang: str, form: str = "arm") -> str:
    """Name an arm: short for tables, or (`form` "act") as a clause of a sentence."""
    return t(f"query.{form}.{arm.way.replace(' ', '_')}", lang, tile=tile_name(arm.tile, lang))


def best_declaring(decision: Decision) -> Arm | None:
    """The best of the arms that declare at once."""
    return next((figures.arm for figures in decision.arms if figures.arm.declares), None)


def _kind(arm: Arm) -> str:
    """What sort of thing an arm does first: declare, quiet, discard (where declaring is not at issue), win, kong."""
    if arm.hides:
        return "quiet"
    return "kong" if arm.way.endswith("_kong") else arm.way


def _act(arm: Arm) -> tuple[str, int]:
    """The first action alone: quiet, never and in k begin alike."""
    return "quiet" if arm.hides else arm.way, arm.tile


# ---------------------------------------------------------------- the sentence


def sentence(decision: Decision, lang: str = "en") -> str:
    """Say what to do and why, or why that cannot be said, in one sentence."""
    said = _headline(decision, lang)
    for reasons in _reasons(decision, lang):
        said = t("query.say.clause", lang, first=said, second=reasons)
    return t("query.say.end", lang, said=said[0].upper() + said[1:])


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


def _headline(decision: Decision, lang: str) -> str:
    outcome, lead = decision.verdict.outcome, decision.difference
    if lead is None:
        return t("query.say.only", lang, act=arm_words(decision.best, lang, "act"))
    rival = _rival(decision)
    behind = rival.behind
    assert behind is not None
    if outcome is Outcome.MODEL_DEPENDENT:
        return _two("model", decision.best, rival.arm, behind, lang)
    if not math.isfinite(lead.low):
        return t("query.say.nothing", lang)
    left = _contenders(decision)
    if len({_act(arm) for arm in left}) == 1:
        return _clear(decision, left, rival, lang)
    if (
        len({_kind(arm) for arm in left}) == 1
        and rival.arm not in left
        and _kind(decision.best) in ("declare", "quiet")
    ):
        return _clear_but_for_tile(decision, left, rival, lang)
    if outcome is Outcome.TOO_CLOSE:
        return _two("equal" if decision.sampling.exact else "close", decision.best, rival.arm, behind, lang)
    said = t("query.say.open", lang, ahead=_two("ahead", decision.best, rival.arm, behind, lang))
    return t("query.say.clause", lang, first=said, second=_cost(decision.verdict.more_worlds, lang))


def _clear(decision: Decision, left: Sequence[Arm], rival: ArmFigures, lang: str) -> str:
    """One first action is left; what follows of declaring later may be open."""
    act = arm_words(decision.best if len(left) == 1 else decision.best._replace(way="quiet"), lang, "act")
    left_out = _kind(rival.arm)
    if left_out in ("win", "kong") and left_out != _kind(decision.best):
        act = t("query.say.pass" if left_out == "win" else "query.say.no_kong", lang, act=act)
    said = _against(act, decision.best, rival, lang)
    return said if len(left) == 1 else _adding("later", left, decision, said, lang)


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


def _cost(worlds: int | None, lang: str) -> str:
    return t("query.say.hopeless", lang) if worlds is None else t("query.say.more", lang, worlds=_rounded(worlds))


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
    """What the best is weighed against: the best of another kind, else with another first action, else any other."""
    best, others = decision.best, [figures for figures in decision.arms if figures.arm != decision.best]
    return min(others, key=lambda other: (_kind(other.arm) == _kind(best), _act(other.arm) == _act(best)))


# ---------------------------------------------------------------- reasons


def _reasons(decision: Decision, lang: str) -> Iterator[str]:
    """The ladder's largest terms: a clause for the best and one against it; none where declaring is not the matter."""
    if decision.difference is None or not math.isfinite(decision.difference.low):
        return
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
    yield Assumption("query.assumption.players", {"me": decision.me, "opponents": decision.opponents})
    if decision.no_liangdao:
        yield Assumption("query.assumption.no_liangdao", {"rules": decision.rules})
    elif not any(figures.arm.declares for figures in decision.arms):
        yield Assumption("query.assumption.no_declaring", {})
    if not sampling.exact:
        bound = f"{sampling.bound:,.0f}"
        if sampling.stated_cap is None:
            yield Assumption("query.assumption.bound", {"bound": bound})
        else:
            yield Assumption("query.assumption.bound_stated", {"bound": bound, "fan": sampling.stated_cap})


def how(decision: Decision, lang: str) -> str:
    """Tell how it was found: worlds, why it ended, seed, ruleset, versions."""
    sampling = decision.sampling
    ended = t(f"query.ended.{sampling.ended}", lang, precision=f"{decision.precision:g}")
    params = {"worlds": sampling.worlds, "ended": ended, "seed": sampling.seed}
    if not sampling.exact:
        params |= {"pilot": sampling.pilot, "effective": sampling.effective, "belief": decision.belief}
    versions = {"rules": decision.rules, "hash": sampling.rules_hash, "kernels": sampling.kernels}
    return t(
        "query.say.clause",
        lang,
        first=t("query.sampled.exact" if sampling.exact else "query.sampled.worlds", lang, **params),
        second=t("query.sampled.versions", lang, version=sampling.version, **versions),
    )


# ---------------------------------------------------------------- JSON


def as_json(decision: Decision, lang: str = "en") -> dict[str, Any]:
    """Every figure as plain JSON values, by the names in docs/query.md; null where nothing is known.

    `lang` is that of the sentence and the assumptions' texts; everything else is the same in both.
    """
    verdict = decision.verdict
    left = {_act(arm) for arm in _contenders(decision)}
    clear = verdict.outcome is not Outcome.MODEL_DEPENDENT and len(left) == 1
    told: dict[str, Any] = _json_value(
        {
            "sentence": sentence(decision, lang),
            "rules": decision.rules,
            "verdict": {
                "outcome": verdict.outcome.value,
                "action": verdict.action,
                "first_action": _first_action(decision.best) if clear else None,
                "best": decision.best.name,
                "other": decision.other.name if decision.other else None,
                "cells": [state.value for state in verdict.states],
                "more_worlds": verdict.more_worlds,
                "precision": decision.precision,
            },
            "difference": asdict(decision.difference) if decision.difference else None,
            "ready": [_ready_as_json(ready) for ready in decision.ready],
            "arms": [_arm_as_json(figures) for figures in decision.arms],
            "ladder": _ladder_as_json(decision),
            "break_even": asdict(decision.break_even) if decision.break_even else None,
            "belief": decision.belief,
            "opponents": decision.opponents,
            "me": decision.me,
            "no_liangdao": decision.no_liangdao,
            "assumptions": [{"key": each.key, "text": each.text(lang)} for each in assumed(decision)],
            "sampling": asdict(decision.sampling),
        }
    )
    return told


def _first_action(arm: Arm) -> str:
    way, tile = _act(arm)
    return f"{'discard' if way == 'quiet' else way} {tile_name(tile)}"


def _ready_as_json(ready: Ready) -> dict[str, Any]:
    waits = [{"tile": tile_name(wait.tile), "left": wait.left} for wait in ready.waits]
    return {"tile": tile_name(ready.tile), "waits": waits}


def _arm_as_json(figures: ArmFigures) -> dict[str, Any]:
    return {
        "arm": figures.arm.name,
        "way": figures.arm.way,
        "tile": tile_name(figures.arm.tile),
        "mean": figures.mean,
        "low": figures.low,
        "high": figures.high,
        "worlds": figures.worlds,
        **figures.shares._asdict(),
        "behind": asdict(figures.behind) if figures.behind else None,
        "dropped_by": figures.dropped_by.name if figures.dropped_by else None,
    }


def _ladder_as_json(decision: Decision) -> dict[str, Any] | None:
    declare = best_declaring(decision)
    if declare is None or decision.ladder_against is None:
        return None
    return {
        "declare": declare.name,
        "against": decision.ladder_against.name,
        "rungs": [asdict(rung) for rung in decision.ladder],
        "total": asdict(decision.ladder_total) if decision.ladder_total else None,
    }


def _json_value(value: Any) -> Any:
    """The value with numpy's numbers as Python's, and with null for what is not a finite number."""
    if isinstance(value, dict):
        return {name: _json_value(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(each) for each in value]
    if isinstance(value, float):  # numpy's float64 is one too
        return float(value) if math.isfinite(value) else None
    return value
