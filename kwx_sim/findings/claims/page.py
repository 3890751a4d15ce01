"""The section on the claims: the verdicts first, then the forests of contrasts, then each claim by itself."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from kwx_sim.findings.claims.deals import Found
from kwx_sim.findings.claims.forests import forests
from kwx_sim.findings.claims.registry import Claim
from kwx_sim.findings.claims.results import FEWEST_JUDGED, FEWEST_MOVED, Finding, Results
from kwx_sim.findings.claims.sample import LITTLE, OTHERWISE
from kwx_sim.findings.claims.sentences import (
    block,
    exact_figure,
    figure,
    finding_verdict,
    level_name,
    listed,
    margin,
    quotation,
    rulesets_name,
    verdict,
)
from kwx_sim.report.cells import NOTHING
from kwx_sim.report.section import Column, Paragraph, Part, Section, Table, Words, words
from kwx_sim.report.verdicts import DELTA, DEPENDS, FAILS, HOLDS, UNCLEAR

__all__ = ["section"]


def section(asked: Sequence[Claim], results: Results) -> Section:
    """Make the section of what became of the claims."""
    tested = [claim for claim in asked if results.judged(claim)]
    return Section(
        name="claims",
        title=words("report_claims.title"),
        question=words("report_claims.question"),
        parts=[
            *_opening(asked, results, tested),
            _verdict_table(asked, results),
            *forests(results),
            *(part for claim in asked for part in block(claim, results)),
            _contrast_table(results),
            _explored_table(results),
        ],
        headline=_headline(asked, results, tested),
    )


def _opening(asked: Sequence[Claim], results: Results, tested: Sequence[Claim]) -> list[Part]:
    explored = [one for one in results.explored if one.asked]
    return [
        Paragraph(words("report_claims.intro", **_counts(asked, tested))),
        Paragraph(words("report_claims.basis")),
        Paragraph(
            words(
                "report_claims.how",
                delta=DELTA,
                contrasts=sum(not one.few and one.exact is None for one in results.tested),
                fewest=FEWEST_JUDGED,
                moved=FEWEST_MOVED,
                otherwise=f"{OTHERWISE:.0%}",
                little=LITTLE,
                explored=len(explored),
                clear=sum(one.clear for one in explored),
            )
        ),
    ]


def _counts(asked: Sequence[Claim], tested: Sequence[Claim]) -> dict[str, int]:
    return {"claims": len(asked), "tested": len(tested), "stand_ins": sum(claim.stands_in for claim in tested)}


def _headline(asked: Sequence[Claim], results: Results, tested: Sequence[Claim]) -> list[Words]:
    given = [results.verdicts[claim.id] for claim in tested]
    few = sum(claim.test != "none" and claim not in tested for claim in asked)
    verdicts = {name.lower(): given.count(name) for name in (HOLDS, FAILS, DEPENDS, UNCLEAR)}
    return [
        words("report_claims.headline.counts", **_counts(asked, tested), **verdicts, few=few),
        _turned(tested, results),
        *_ends(results),
    ]


def _turned(tested: Sequence[Claim], results: Results) -> Words:
    """Say how many claims come out the other way round under another document's rules."""
    turned = [claim.label for claim in tested if results.turned(claim)]
    if not turned:
        return words("report_claims.headline.turn_none")
    return words("report_claims.headline.turn", turned=len(turned), numbers=listed(Words(one, one) for one in turned))


def _ends(results: Results) -> list[Words]:
    """Name what gained most and what cost most, and what is not told apart from either."""
    players = [one for one in results.tested if one.claim.test == "players" and not one.claim.stands_in]
    gained, lost = [one for one in players if one.low > 0], [one for one in players if one.high < 0]
    told = []
    if gained:
        told.append(_end("best", max(gained, key=_gain), players))
    if lost:
        told.append(_end("worst", min(lost, key=_gain), players))
    return told


def _end(name: str, end: Finding, players: Sequence[Finding]) -> Words:
    near: dict[str, Claim] = {}
    for one in players:
        if one.claim.id != end.claim.id and one.low <= end.high and one.high >= end.low:
            near[one.claim.id] = one.claim
    line = [words(f"report_claims.headline.{name}", claim=_quoted(end.claim), figure=_told_figure(end))]
    if near:
        line.append(words("report_claims.headline.near", claims=listed(map(_quoted, near.values()))))
    return Words.join(line)


def _quoted(claim: Claim) -> Words:
    return words("report_claims.headline.claim", number=claim.label, short=claim.text("short"))


def _gain(one: Finding) -> float:
    return one.found.mean


# ---------------------------------------------------------------- tables


def _head(name: str) -> Words:
    return words(f"report_claims.column.{name}")


def _verdict_table(asked: Sequence[Claim], results: Results) -> Table:
    rows = [
        {
            "claim": claim.id,
            "number": claim.label,
            "document": claim.document,
            "said": quotation(claim),
            "short": claim.text("short"),
            "tested": results.judged(claim),
            "stand_in": claim.stands_in,
            "verdict": results.verdicts[claim.id],
            "verdict_name": verdict(claim, results),
            "unit": claim.unit,
            "unit_name": Words(NOTHING, NOTHING) if claim.test == "none" else words(f"report_claims.unit.{claim.unit}"),
            "contrast": _told_contrast([one for one in results.of(claim) if not one.few]),
        }
        for claim in asked
    ]
    return Table(
        name="claims",
        frame=pd.DataFrame(rows),
        caption=words("report_claims.table.verdicts"),
        columns=[
            Column("number", _head("number")),
            Column("document", _head("document")),
            Column("said", _head("said")),
            Column("short", _head("claim")),
            Column("verdict_name", _head("verdict")),
            Column("contrast", _head("contrast")),
            Column("unit_name", _head("unit")),
        ],
    )


def _told_contrast(tested: Sequence[Finding]) -> Words:
    """Tell the figure under each ruleset."""
    if not tested:
        return Words(NOTHING, NOTHING)
    return Words.join(map(_told_figure, tested), en="; ", zh="；")


def _told_figure(one: Finding) -> Words:
    """Tell a figure with its interval and n, or as the rules give it."""
    ruleset = rulesets_name(one.rulesets)
    if one.exact is not None:
        return words("report_claims.table.exactly", ruleset=ruleset, exact=exact_figure(one))
    scale = max(abs(one.low), abs(one.high))
    effect, low, high = (figure(value, one.claim.unit, scale=scale) for value in (one.found.mean, one.low, one.high))
    given = {"effect": effect, "low": low, "high": high, "n": f"{one.found.n:,}"}
    return words("report_claims.table.figure", ruleset=ruleset, **given)


def _contrast_table(results: Results) -> Table:
    rows = [
        {
            "claim": one.claim.id,
            "number": one.claim.label,
            "document": one.claim.document,
            "short": one.claim.text("short"),
            "ruleset": one.rulesets,
            "ruleset_name": rulesets_name(one.rulesets),
            "unit": one.claim.unit,
            "unit_name": words(f"report_claims.unit.{one.claim.unit}"),
            "expected": one.claim.expected,
            "margin": one.claim.margin,
            "margin_name": margin(one.claim),
            **_figures(one.found),
            "exact": one.exact,
            "judged_low": one.low,
            "judged_high": one.high,
            "judged_name": _judged_name(one),
            "p": one.p,
            "verdict": one.verdict,
            "verdict_name": finding_verdict(one),
        }
        for one in results.tested
    ]
    return Table(
        name="contrasts",
        frame=pd.DataFrame(rows),
        caption=words("report_claims.table.contrasts"),
        columns=[
            Column("number", _head("number")),
            Column("short", _head("claim")),
            Column("ruleset_name", _head("ruleset")),
            Column("judged_name", _head("judged")),
            Column("margin_name", _head("margin")),
            Column("unit_name", _head("unit")),
            Column("n", _head("n"), "count"),
            Column("verdict_name", _head("verdict")),
        ],
    )


def _judged_name(one: Finding) -> str:
    if one.exact is not None:
        return exact_figure(one)
    return NOTHING if one.few else _interval(one.found.mean, one.low, one.high, one.claim.unit)


def _explored_table(results: Results) -> Table:
    rows = [
        {
            "claim": one.claim.id,
            "number": one.claim.label,
            "short": one.claim.text("short"),
            "ruleset": one.rulesets,
            "ruleset_name": rulesets_name(one.rulesets),
            "factor": one.factor,
            "factor_name": words(f"report_claims.factor.{one.factor}"),
            "level": one.told_level,
            "level_name": level_name(one.factor, one.told_level),
            "unit": one.unit,
            "unit_name": words(f"report_claims.unit.{one.unit}"),
            **_figures(one.found),
            "moved": one.found.moved,
            "effect_name": NOTHING if one.rare else _interval(one.found.mean, one.found.low, one.found.high, one.unit),
            "q": one.q,
            "clear": one.clear,
            "clear_name": words(f"report_claims.mark.{'clear' if one.clear else 'rare' if one.rare else 'open'}"),
        }
        for one in results.explored
        if one.judged is None
    ]
    return Table(
        name="explored",
        frame=pd.DataFrame(rows),
        caption=words("report_claims.table.explored", moved=FEWEST_MOVED),
        columns=[
            Column("number", _head("number")),
            Column("short", _head("claim")),
            Column("ruleset_name", _head("ruleset")),
            Column("factor_name", _head("factor")),
            Column("level_name", _head("level")),
            Column("effect_name", _head("figure")),
            Column("unit_name", _head("unit")),
            Column("n", _head("n"), "count"),
            Column("clear_name", _head("clear")),
        ],
    )


def _interval(mean: float, low: float, high: float, unit: str) -> str:
    """Write a figure with an interval, in the form of its unit: a column may hold several."""
    told, *ends = (figure(value, unit, scale=0) for value in (mean, low, high))
    return f"{told} [{', '.join(ends)}]"


def _figures(found: Found) -> dict[str, float | int]:
    return {
        "effect": found.mean,
        "effect_se": found.se,
        "effect_low": found.low,
        "effect_high": found.high,
        "n": found.n,
    }
