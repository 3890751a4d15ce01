"""What was found about a claim, in sentences that follow from the figures."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from kwx_sim.findings.claims.registry import Claim
from kwx_sim.findings.claims.results import BESIDE_IT, RULESET, Explored, Finding, Results
from kwx_sim.report.cells import amount
from kwx_sim.report.figures import ruleset_name
from kwx_sim.report.section import Bullets, Paragraph, Words, words
from kwx_sim.report.verdicts import FAILS, HOLDS

__all__ = ["block", "figure", "level_name", "quotation", "verdict_name"]

Told = TypeVar("Told", bound=Hashable)
Key = TypeVar("Key", bound=Hashable)

COUNTED = ("share", "points")
"""Units of figures beside a claim that are never below 0 and have no sign."""


def block(claim: Claim, results: Results) -> list[Paragraph | Bullets]:
    """Tell all about one claim: its words, the test, the result, and where it turns."""
    head = words(
        "report_claims.block.head",
        number=claim.number,
        short=claim.text("short"),
        verdict=verdict_name(results.verdicts[claim.id]),
    )
    lines = [words("report_claims.block.said", document=claim.document, quotation=quotation(claim))]
    if claim.test == "none":
        lines.append(words("report_claims.block.not_tested", reason=claim.text("left")))
        return [Paragraph(head), Bullets(lines)]
    lines.append(words("report_claims.block.test", test=claim.text("test")))
    tested = [one for one in results.tested if one.claim == claim]
    if tested:
        lines.append(_result(claim, tested))
    lines += _turns([one for one in results.explored if one.claim == claim], tested)
    if claim.has("left"):
        lines.append(words("report_claims.block.left", left=claim.text("left")))
    return [Paragraph(head), Bullets(lines)]


def quotation(claim: Claim) -> Words:
    """Quote the document: its own Chinese words, in English after a rendering of them."""
    said = claim.text("said")
    return Words(f"“{said.en}” 「{said.zh}」", f"「{said.zh}」")


def verdict_name(verdict: str) -> Words:
    """Name a verdict."""
    return words(f"report_claims.verdict.{verdict}")


def figure(value: float, unit: str, sign: str = "+") -> str:
    """Write a figure, with its sign unless `sign` is empty; shares in hundredths."""
    return amount(value, sign + (".1%" if unit == "share" else ".2f"))


def level_name(factor: str, level: str) -> Words:
    """Name a group: a preset, a figure beside, or as it is written."""
    if factor == RULESET:
        return ruleset_name(level)
    return words(f"report_claims.level.{level}") if factor == BESIDE_IT else Words(level, level)


def _result(claim: Claim, tested: Sequence[Finding]) -> Words:
    told = (
        words(
            "report_claims.block.cell",
            effect=figure(one.found.mean, claim.unit),
            low=figure(one.found.low, claim.unit),
            high=figure(one.found.high, claim.unit),
            n=f"{one.found.n:,}",
            verdict=verdict_name(one.verdict),
        )
        for one in tested
    )
    cells = [
        words("report_claims.block.of_ruleset", ruleset=rulesets, told=cell)
        for rulesets, cell in _joined((one.ruleset, cell) for one, cell in zip(tested, told, strict=True))
    ]
    return words(
        "report_claims.block.result",
        unit=words(f"report_claims.unit.{claim.unit}"),
        margin=figure(claim.margin, claim.unit, ""),
        cells=Words.join(cells, en="; ", zh="；"),
        sentence=_told(claim, tested),
    )


def _told(claim: Claim, tested: Sequence[Finding]) -> Words:
    """Say in plain words what the contrasts come to."""
    kind = "players" if claim.test == "players" else "fact"
    holds = [one for one in tested if one.verdict == HOLDS]
    fails = [one for one in tested if one.verdict == FAILS]
    rest = [one for one in tested if one.verdict not in (HOLDS, FAILS)]
    if len(fails) == len(tested) and kind == "players" and all(one.found.high < 0 for one in tested):
        return words("report_claims.tells.players.costs")
    parts = [(name, found) for name, found in (("holds", holds), ("fails", fails), ("open", rest)) if found]
    if len(parts) == 1:
        return words(f"report_claims.tells.{kind}.{parts[0][0]}")
    return Words.join(
        words(f"report_claims.tells.{kind}.{name}_under", rulesets=_listed(ruleset_name(one.ruleset) for one in found))
        for name, found in parts
    )


def _joined(told: Iterable[tuple[str, Told]]) -> list[tuple[Words, Told]]:
    """Put rulesets together of which the same is told, as of two that differ in a rare hand alone."""
    by_text: dict[Told, list[str]] = {}
    for preset, text in told:
        by_text.setdefault(text, []).append(preset)
    return [(_listed(map(ruleset_name, presets)), text) for text, presets in by_text.items()]


def _listed(parts: Iterable[Words]) -> Words:
    return Words.join(parts, en=", ", zh="、")


# ---------------------------------------------------------------- where it turns


def _turns(explored: Sequence[Explored], tested: Sequence[Finding]) -> list[Words]:
    """Tell what was explored: a line for each factor and unit, and for each ruleset of which it tells another thing."""
    lines = []
    for (factor, unit), group in _grouped(explored, lambda one: (one.factor, one.unit)):
        given = {
            "factor": words(f"report_claims.factor.{factor}"),
            "unit": words(f"report_claims.unit.{unit}"),
        }
        if factor == RULESET:
            line = words("report_claims.block.turns_each", levels=_levels(group), **given)
            lines.append(Words.join([line, *_other_way(group, tested)]))
            continue
        by_ruleset = _grouped(group, lambda one: one.ruleset)
        told = ((preset, (_levels(found), *_turning(found))) for preset, found in by_ruleset)
        for rulesets, (levels, *said) in _joined(told):
            line = words("report_claims.block.turns", ruleset=rulesets, levels=levels, **given)
            lines.append(Words.join([line, *said]))
    return lines


def _grouped(explored: Sequence[Explored], key: Callable[[Explored], Key]) -> list[tuple[Key, list[Explored]]]:
    """Group by a key, in the order in which its values come first."""
    groups: dict[Key, list[Explored]] = {}
    for one in explored:
        groups.setdefault(key(one), []).append(one)
    return list(groups.items())


def _levels(group: Sequence[Explored]) -> Words:
    """Tell the figure of each group."""
    factor, unit = group[0].factor, group[0].unit
    sign = "" if factor == BESIDE_IT and unit in COUNTED else "+"
    levels = (
        words(
            "report_claims.block.level",
            level=level_name(factor, one.level),
            effect=figure(one.found.mean, unit, sign),
            half=figure((one.found.high - one.found.low) / 2, unit, ""),
        )
        for one in group
    )
    return Words.join(levels, en="; ", zh="；")


def _turning(group: Sequence[Explored]) -> list[Words]:
    """Say whether the sign changes among the groups, by those that are clear."""
    if group[0].factor == BESIDE_IT:
        return []
    above = [one for one in group if one.clear and one.found.mean > 0]
    below = [one for one in group if one.clear and one.found.mean < 0]
    if above and below:
        named = {name: _levels_of(found) for name, found in (("above", above), ("below", below))}
        return [words("report_claims.turning.turns", **named)]
    if not above and not below:
        return [words("report_claims.turning.none")]
    return [words(f"report_claims.turning.{'above' if above else 'below'}")]


def _other_way(group: Sequence[Explored], tested: Sequence[Finding]) -> list[Words]:
    """Name the other rulesets where the figure is clearly on the other side of 0 than where it was judged."""
    sides = {np.sign(one.found.mean) if one.found.low * one.found.high > 0 else 0 for one in tested}
    if len(sides) != 1 or 0 in sides:
        return []
    other = [one for one in group if one.clear and np.sign(one.found.mean) not in sides]
    return [words("report_claims.turning.other_way", rulesets=_levels_of(other))] if other else []


def _levels_of(group: Sequence[Explored]) -> Words:
    return _listed(level_name(one.factor, one.level) for one in group)
