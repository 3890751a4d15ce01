"""What was found about a claim, in sentences that follow from the figures."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from kwx_sim import text
from kwx_sim.findings.claims.registry import Claim
from kwx_sim.findings.claims.results import (
    BESIDE_IT,
    COUNTED,
    FEWEST_JUDGED,
    NOT_TESTED,
    RULESET,
    Explored,
    Finding,
    Results,
)
from kwx_sim.report.cells import amount
from kwx_sim.report.figures import ruleset_name
from kwx_sim.report.section import Bullets, Paragraph, Words, words
from kwx_sim.report.verdicts import FAILS, HOLDS

__all__ = ["block", "figure", "finding_verdict", "level_name", "margin", "quotation", "verdict"]

Told = TypeVar("Told", bound=Hashable)
Key = TypeVar("Key", bound=Hashable)

FORMS = {"share": (".1%", ".1%"), "wins": (".3f", ".3f")}
"""How figures of a unit are written: small ones, and ones of a tenth and more. Bases as below."""

BASES = (".3f", ".2f")
SMALL = 0.1


def block(claim: Claim, results: Results) -> list[Paragraph | Bullets]:
    """Tell all about one claim: its words, the test, the result, and where it turns."""
    head = words(
        "report_claims.block.head",
        number=claim.number,
        short=claim.text("short"),
        verdict=verdict(claim, results),
    )
    lines = [words("report_claims.block.said", document=claim.document, quotation=quotation(claim))]
    explored, tested = [one for one in results.explored if one.claim == claim], results.of(claim)
    if claim.test == "none":
        lines.append(words("report_claims.block.not_tested", reason=claim.text("left")))
        return [Paragraph(head), Bullets([*lines, *_turns(explored, tested)])]
    lines.append(words("report_claims.block.test", test=claim.text("test")))
    if tested:
        lines.append(_result(claim, tested))
    lines += _turns(explored, tested)
    if claim.has("left"):
        lines.append(words("report_claims.block.left", left=claim.text("left")))
    return [Paragraph(head), Bullets(lines)]


def quotation(claim: Claim) -> Words:
    """Quote the document: its own Chinese words, in English after a rendering of them."""
    said = claim.text("said")
    return Words(f"“{said.en}” 「{said.zh}」", f"「{said.zh}」")


def verdict(claim: Claim, results: Results) -> Words:
    """Tell the verdict on a claim: of what it was given, where something stands in; or why there is none."""
    given = results.verdicts[claim.id]
    if given == NOT_TESTED:
        return words("report_claims.verdict.NOT_TESTED")
    if not results.judged(claim):
        return words("report_claims.verdict.few", n=max((one.found.n for one in results.of(claim)), default=0))
    name = words(f"report_claims.verdict.{given}")
    if claim.stands_in:
        return words("report_claims.verdict.stand_in", verdict=name, stands=claim.text("stands"))
    return name


def finding_verdict(one: Finding) -> Words:
    """Tell the verdict on one contrast."""
    if one.few:
        return words("report_claims.verdict.few", n=one.found.n)
    return words(f"report_claims.verdict.{one.verdict}")


def margin(claim: Claim) -> str:
    """Write the margin, or the number that the document names with the margin about it."""
    around = "" if claim.expected is None else f"{claim.expected:.2f} ± "
    return around + amount(claim.margin, ".0%" if claim.unit == "share" else ".2f")


def figure(value: float, unit: str, sign: str | None = None, *, scale: float | None = None) -> str:
    """Write a figure of a unit; with its sign where it may have one, unless `sign` is given.

    `scale` is the size by which its decimals are chosen, where that is not its own.
    """
    small, large = FORMS.get(unit, BASES)
    form = small if abs(value if scale is None else scale) < SMALL else large
    return amount(value, ("" if unit in COUNTED else "+") + form if sign is None else sign + form)


def level_name(factor: str, level: str) -> Words:
    """Name a group: a preset, a figure beside, what a player does otherwise, or as it is written."""
    if factor == RULESET:
        return ruleset_name(level)
    if factor == BESIDE_IT:
        return words(f"report_claims.level.{level}")
    return _player(level) if "=" in level else Words(level, level)


def _player(parameters: str) -> Words:
    """Say what a player of some parameters does; of one that the catalogue does not name, nothing is to be said."""
    told = []
    for parameter in parameters.split(","):
        name, _, value = parameter.partition("=")
        exact = f"report_claims.player.{name}_{value.replace('.', '_')}"
        key = exact if text.has(exact) else f"report_claims.player.{name}"
        if text.has(key):
            told.append(words(key, value=value))
    return _listed(told)


def _result(claim: Claim, tested: Sequence[Finding]) -> Words:
    told = (_cell(claim, one) for one in tested)
    cells = [
        words("report_claims.block.of_ruleset", ruleset=rulesets, told=cell)
        for rulesets, cell in _joined((one.ruleset, cell) for one, cell in zip(tested, told, strict=True))
    ]
    return words(
        "report_claims.block.result",
        unit=words(f"report_claims.unit.{claim.unit}"),
        margin=margin(claim),
        cells=Words.join(cells, en="; ", zh="；"),
        sentence=_told(claim, tested),
    )


def _cell(claim: Claim, one: Finding) -> Words:
    """Tell a figure with the interval by which it was judged; of too few data neither."""
    if one.few:
        return finding_verdict(one)
    scale = max(abs(one.low), abs(one.high))
    names = {"effect": one.found.mean, "low": one.low, "high": one.high}
    told = {name: figure(value, claim.unit, scale=scale) for name, value in names.items()}
    return words("report_claims.block.cell", **told, n=f"{one.found.n:,}", verdict=finding_verdict(one))


def _told(claim: Claim, tested: Sequence[Finding]) -> Words:
    """Say in plain words what the contrasts come to."""
    if all(one.few for one in tested):
        return words("report_claims.tells.few", fewest=FEWEST_JUDGED)
    kind = "players" if claim.test == "players" else "fact"
    holds = [one for one in tested if one.verdict == HOLDS]
    fails = [one for one in tested if one.verdict == FAILS]
    rest = [one for one in tested if one.verdict not in (HOLDS, FAILS)]
    if len(fails) == len(tested) and kind == "players" and all(one.high < 0 for one in tested):
        return words("report_claims.tells.players.costs")
    if claim.expected is not None:
        return Words.join(_beside_expected(claim.expected, one) for one in tested)
    parts = [(name, found) for name, found in (("holds", holds), ("fails", fails), ("open", rest)) if found]
    if len(parts) == 1:
        return words(f"report_claims.tells.{kind}.{parts[0][0]}")
    return Words.join(
        words(f"report_claims.tells.{kind}.{name}_under", rulesets=_listed(ruleset_name(one.ruleset) for one in found))
        for name, found in parts
    )


def _beside_expected(expected: float, one: Finding) -> Words:
    """Say where the number that the document names lies by the interval."""
    place = "below" if expected < one.low else "above" if expected > one.high else "within"
    given = {"expected": f"{expected:g}", "ruleset": ruleset_name(one.ruleset)}
    return words(f"report_claims.tells.expected.{place}", **given)


def _joined(told: Iterable[tuple[str, Told]]) -> list[tuple[Words, Told]]:
    """Put rulesets together of which the same is told, as of two that differ in a rare hand alone."""
    by_text: dict[Told, list[str]] = {}
    for preset, one in told:
        by_text.setdefault(one, []).append(preset)
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
    scale = max(abs(one.found.mean) for one in group)
    return Words.join((_level(one, scale) for one in group), en="; ", zh="；")


def _level(one: Explored, scale: float) -> Words:
    """Tell the figure of a group: with its interval where that is lopsided, as that of a share may be."""
    found, name = one.found, level_name(one.factor, one.level)
    if one.unit == "share":
        low, high = figure(found.low, one.unit), figure(found.high, one.unit)
        return words(
            "report_claims.block.level_share", level=name, effect=figure(found.mean, one.unit), low=low, high=high
        )
    half = figure((found.high - found.low) / 2, one.unit, "", scale=scale)
    effect = figure(found.mean, one.unit, scale=scale)
    return words("report_claims.block.level", level=name, effect=effect, half=half)


def _turning(group: Sequence[Explored]) -> list[Words]:
    """Say whether the sign changes among the groups, by those that are clear."""
    if not group[0].asked:
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
    sides = {np.sign(one.found.mean) if one.low * one.high > 0 else 0 for one in tested}
    if len(sides) != 1 or 0 in sides:
        return []
    other = [one for one in group if one.clear and np.sign(one.found.mean) not in sides]
    return [words("report_claims.turning.other_way", rulesets=_levels_of(other))] if other else []


def _levels_of(group: Sequence[Explored]) -> Words:
    return _listed(level_name(one.factor, one.level) for one in group)
