"""Where a claim's figure turns: other rulesets, other players, and groups of situations, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from kwx_sim.findings.claims.registry import Claim
from kwx_sim.findings.claims.results import BESIDE_IT, FEWEST, RULESET, Explored, Finding, Results
from kwx_sim.findings.claims.wording import (
    figure,
    finding_verdict,
    interval_of,
    joined,
    level_name,
    listed,
    margin,
)
from kwx_sim.report.section import Words, words

__all__ = ["turns"]

Key = TypeVar("Key", bound=Hashable)


def turns(claim: Claim, results: Results) -> list[Words]:
    """Tell what was explored: a line for each factor and unit, and for each ruleset of which it tells another thing."""
    lines = []
    explored = [one for one in results.explored if one.claim == claim]
    for (factor, unit), group in _grouped(explored, lambda one: (one.factor, one.unit)):
        given = {
            "factor": words(f"report_claims.factor.{factor}"),
            "unit": words(f"report_claims.unit.{unit}"),
        }
        if factor == RULESET:
            line = words("report_claims.block.turns_each", levels=_levels(group), **given)
            lines.append(Words.join([line, *_elsewhere(claim, results)]))
            continue
        by_ruleset = _grouped(group, lambda one: one.rulesets)
        told = ((preset, (_levels(found), *_turning(found))) for preset, found in by_ruleset)
        for rulesets, (levels, *said) in joined(told):
            line = words("report_claims.block.turns", ruleset=rulesets, levels=levels, **given)
            lines.append(Words.join([line, *said]))
    if claim.beside and not any(one.factor == BESIDE_IT for one in explored):
        lines.append(words("report_claims.block.beside_few", fewest=FEWEST))
    return lines


def _grouped(explored: Sequence[Explored], key: Callable[[Explored], Key]) -> list[tuple[Key, list[Explored]]]:
    """Group by a key, in the order in which its values come first."""
    groups: dict[Key, list[Explored]] = {}
    for one in explored:
        groups.setdefault(key(one), []).append(one)
    return list(groups.items())


def _levels(group: Sequence[Explored]) -> Words:
    """Tell the figure of each group, and what n it rests on: once where that is the same of all."""
    sizes = {one.found.n for one in group}
    once = len(sizes) == 1 < len(group) and not any(one.rare or one.judged for one in group)
    levels = Words.join((_level(one, with_n=not once) for one in group), en="; ", zh="；")
    return words("report_claims.block.each", levels=levels, n=f"{sizes.pop():,}") if once else levels


def _level(one: Explored, *, with_n: bool) -> Words:
    """Tell the figure of a group: with its interval where that is lopsided, as that of a share may be."""
    found = one.found
    given: dict[str, Words | str] = {"level": level_name(one.factor, one.told_level), "n": f"{found.n:,}"}
    if one.judged is not None:
        return _judged_level(one, one.judged, given)
    if one.rare:
        return words(f"report_claims.block.level_{'rare' if found.moved else 'same'}", moved=found.moved, **given)
    n = "_n" if with_n else ""
    if one.unit == "share":
        ends = {"effect": found.mean, "low": found.low, "high": found.high}
        told = {name: figure(value, one.unit) for name, value in ends.items()}
        return words(f"report_claims.block.level_share{n}", **told, **given)
    if found.se == 0:
        return words("report_claims.block.level_constant", effect=figure(found.mean, one.unit, scale=1), **given)
    scale = max(abs(found.low), abs(found.high))
    half = figure((found.high - found.low) / 2, one.unit, "", scale=scale)
    effect = figure(found.mean, one.unit, scale=scale)
    return words(f"report_claims.block.level{n}", effect=effect, half=half, **given)


def _judged_level(one: Explored, judged: Finding, given: dict[str, Words | str]) -> Words:
    """Point to the claim where the same comparison was judged, with its figure."""
    about = "same_contrast" if judged.claim.contrast == one.claim.contrast else "turned_about"
    same = words(f"report_claims.block.{about}", number=judged.claim.label)
    if judged.few:
        return words("report_claims.block.level_few", verdict=finding_verdict(judged), same=same, **given)
    told = interval_of(one.claim, one.found.mean, one.found.low, one.found.high)
    return words("report_claims.block.level_judged", same=same, **told, **given)


def _turning(group: Sequence[Explored]) -> list[Words]:
    """Say whether the figure goes from above the margin to as far below 0 among the groups."""
    asked = [one for one in group if one.asked]
    if not asked:
        return []
    above, below = ([one for one in asked if one.side == side] for side in (1, -1))
    given = {"margin": margin(asked[0].claim)}
    if above and below:
        named = {name: _levels_of(found) for name, found in (("above", above), ("below", below))}
        return [words("report_claims.turning.turns", **named, **given)]
    if not above and not below:
        return [words("report_claims.turning.none", **given)]
    side = "above" if above else "below"
    return [words(f"report_claims.turning.{side}", groups=_levels_of(above or below), **given)]


def _elsewhere(claim: Claim, results: Results) -> list[Words]:
    """Name the other documents' rulesets where it is the other way round, or where what fails here gains."""
    told = {"other_way": results.turned(claim), "gains": results.gains_elsewhere(claim)}
    return [
        words(f"report_claims.turning.{name}", rulesets=_levels_of(found), margin=margin(claim))
        for name, found in told.items()
        if found
    ]


def _levels_of(group: Sequence[Explored]) -> Words:
    return listed(level_name(one.factor, one.told_level) for one in group)
