"""How the claims' figures, rulesets, groups and verdicts are written."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

from kwx_sim import text
from kwx_sim.findings.claims.registry import COUNTED, Claim
from kwx_sim.findings.claims.results import BESIDE_IT, NOT_TESTED, RULESET, Finding, Results
from kwx_sim.report.cells import amount
from kwx_sim.report.figures import ruleset_name
from kwx_sim.report.section import SAME, Words, words

__all__ = [
    "exact_figure",
    "figure",
    "finding_verdict",
    "interval_of",
    "joined",
    "level_name",
    "listed",
    "margin",
    "quotation",
    "rulesets_name",
    "verdict",
]

Told = TypeVar("Told", bound=Hashable)

FORMS = {"share": (".1%", ".1%"), "wins": (".3f", ".3f")}
"""How figures of a unit are written: small ones, and others. Bases as below."""

BASES = (".3f", ".2f")
SMALL = 0.2
"""Figures below this have three decimals: two would hide on which side of the margin they lie."""


def quotation(claim: Claim) -> Words:
    """Quote the document: its own Chinese words, in English after a rendering of them."""
    said = claim.text("said")
    return Words(f"“{said.en}” 「{said.zh}」", f"「{said.zh}」")


def verdict(claim: Claim, results: Results) -> Words:
    """Tell the verdict on a claim: of what it was given, where something stands in; or why there is none."""
    given = results.verdicts[claim.id]
    if given == NOT_TESTED:
        return words("report_claims.verdict.NOT_TESTED")
    tested = results.of(claim)
    if not results.judged(claim):
        return finding_verdict(max(tested, key=lambda one: one.found.n)) if tested else _too_few(0)
    if tested[0].exact is not None:
        return finding_verdict(tested[0])
    name = _with_way(given, claim, results.way_of_failing(claim))
    if claim.stands_in:
        return words("report_claims.verdict.stand_in", verdict=name, stands=claim.text("stands"))
    return name


def finding_verdict(one: Finding) -> Words:
    """Tell the verdict on one contrast."""
    if one.rare:
        return words("report_claims.verdict.rare", moved=f"{one.found.moved:,}", n=f"{one.found.n:,}")
    if one.few:
        return _too_few(one.found.n)
    if one.exact is not None:
        name = words(f"report_claims.verdict.{one.verdict}")
        return words("report_claims.verdict.exact", verdict=name, exact=exact_figure(one))
    return _with_way(one.verdict, one.claim, one.way_of_failing)


def _with_way(given: str, claim: Claim, way: str) -> Words:
    """Tell a verdict; beside FAILS whether that is a loss, no difference, or neither is clear."""
    name = words(f"report_claims.verdict.{given}")
    if not way:
        return name
    kind = "players" if claim.test == "players" else "fact"
    return words("report_claims.verdict.fails", verdict=name, way=words(f"report_claims.fails.{kind}.{way}"))


def _too_few(n: int) -> Words:
    return words("report_claims.verdict.few", n=n)


def exact_figure(one: Finding) -> str:
    """Write the figure that the rules give."""
    assert one.exact is not None
    return amount(one.exact, ".0%" if one.claim.unit == "share" else ".3f")


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


def rulesets_name(rulesets: str) -> Words:
    """Name one ruleset, or all that gave the same data."""
    *others, last = map(ruleset_name, rulesets.split(SAME))
    return words("report_claims.all", others=listed(others), last=last) if others else last


def level_name(factor: str, level: str) -> Words:
    """Name a group: a preset, a figure beside, what a player does otherwise, or as it is written."""
    if factor == RULESET:
        return rulesets_name(level)
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
    return listed(told)


def interval_of(claim: Claim, mean: float, low: float, high: float) -> dict[str, str]:
    """Write a figure and the ends of its interval, all with the decimals of the largest."""
    scale = max(abs(low), abs(high))
    return {
        name: figure(value, claim.unit, scale=scale) for name, value in (("effect", mean), ("low", low), ("high", high))
    }


def joined(told: Iterable[tuple[str, Told]]) -> list[tuple[Words, Told]]:
    """Put rulesets together of which the same is told, as of two that differ in a rare hand alone."""
    by_text: dict[Told, list[str]] = {}
    for preset, one in told:
        by_text.setdefault(one, []).append(preset)
    return [(listed(map(rulesets_name, presets)), text) for text, presets in by_text.items()]


def listed(parts: Iterable[Words]) -> Words:
    """Put names one after another."""
    return Words.join(parts, en=", ", zh="、")
