"""The section on the claims: the verdicts first, then the forests of contrasts, then each claim by itself."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from kwx_sim.findings.claims.deals import Found
from kwx_sim.findings.claims.forests import forests
from kwx_sim.findings.claims.headline import counts, headline, overview
from kwx_sim.findings.claims.registry import Claim
from kwx_sim.findings.claims.results import FEWEST_JUDGED, FEWEST_MOVED, Finding, Results
from kwx_sim.findings.claims.sample import LITTLE, OTHERWISE
from kwx_sim.findings.claims.sentences import block
from kwx_sim.findings.claims.wording import (
    exact_figure,
    figure,
    finding_verdict,
    level_name,
    margin,
    quotation,
    rulesets_name,
    verdict,
)
from kwx_sim.report.cells import NOTHING
from kwx_sim.report.section import Column, Paragraph, Part, Section, Table, Words, words
from kwx_sim.report.verdicts import DELTA

__all__ = ["section"]


def section(asked: Sequence[Claim], results: Results) -> Section:
    """Make the section of what became of the claims."""
    return Section(
        name="claims",
        title=words("report_claims.title"),
        question=words("report_claims.question"),
        parts=[
            *_opening(asked, results),
            _verdict_table(asked, results),
            _contrast_table(results),
            *forests(results),
            *(part for claim in asked for part in block(claim, results)),
            _explored_table(results),
        ],
        headline=headline(asked, results),
    )


def _opening(asked: Sequence[Claim], results: Results) -> list[Part]:
    explored = [one for one in results.explored if one.asked]
    return [
        Paragraph(words("report_claims.intro", **counts(asked, results))),
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
        Paragraph(Words.join(overview(asked, results))),
    ]


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
            "way_of_failing": results.way_of_failing(claim),
            "verdict_name": verdict(claim, results),
            "unit": claim.unit,
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
        ],
    )


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
            "way_of_failing": one.way_of_failing,
            **_where_otherwise(one),
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


def _where_otherwise(one: Finding) -> dict[str, float | int]:
    """The share of rounds that ended otherwise for the player, and what it was worth in these; NaN where not known."""
    nothing = float("nan")
    share, found = one.where_otherwise or (nothing, Found(nothing, nothing, nothing, nothing, 0))
    return {
        "otherwise_share": share,
        "otherwise_effect": found.mean,
        "otherwise_low": found.low,
        "otherwise_high": found.high,
        "otherwise_n": found.n,
    }


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
