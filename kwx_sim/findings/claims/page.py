"""The section on the claims: the verdicts first, then the forest of contrasts, then each claim by itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D

from kwx_sim.findings.claims.deals import Found
from kwx_sim.findings.claims.registry import Claim
from kwx_sim.findings.claims.results import COUNTED, FEWEST_JUDGED, Finding, Results
from kwx_sim.findings.claims.sentences import (
    block,
    figure,
    finding_verdict,
    level_name,
    margin,
    quotation,
    verdict,
)
from kwx_sim.report.cells import NOTHING
from kwx_sim.report.figures import COLOURS, GREY, forest, label, ruleset_name
from kwx_sim.report.section import Column, Figure, Paragraph, Part, Section, Table, Words, words
from kwx_sim.report.verdicts import DELTA, DEPENDS, FAILS, HOLDS, UNCLEAR
from kwx_sim.rules import PRESETS

__all__ = ["section"]

LINEAR = 1.0
"""Bases up to which a forest's axis is linear."""

FINE, COARSE = (0.25, 0.5, 0.75, 1.0), (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Marks of a forest's axis on either side of 0."""

OTHER_UNITS = (*COUNTED, "wins")
"""Units that are no bases won or lost."""

PAD = 0.05
"""Of the axis as it is drawn, beyond the intervals on either side."""

COLOUR_OF = dict(zip(PRESETS, COLOURS, strict=False))


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
            *_forests(results),
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
                contrasts=sum(not one.few for one in results.tested),
                fewest=FEWEST_JUDGED,
                explored=len(explored),
                clear=sum(one.clear for one in explored),
            )
        ),
    ]


def _counts(asked: Sequence[Claim], tested: Sequence[Claim]) -> dict[str, int]:
    return {"claims": len(asked), "tested": len(tested), "stand_ins": sum(claim.stands_in for claim in tested)}


def _headline(asked: Sequence[Claim], results: Results, tested: Sequence[Claim]) -> list[Words]:
    given = [results.verdicts[claim.id] for claim in tested]
    verdicts = {name.lower(): given.count(name) for name in (HOLDS, FAILS, DEPENDS, UNCLEAR)}
    lines = [words("report_claims.headline.counts", **_counts(asked, tested), **verdicts)]
    players = [one for one in results.tested if one.claim.test == "players" and not one.claim.stands_in]
    gained, lost = [one for one in players if one.low > 0], [one for one in players if one.high < 0]
    if gained and lost:
        best, worst = max(gained, key=_gain), min(lost, key=_gain)
        lines.append(words("report_claims.headline.ends", **_named("best", best), **_named("worst", worst)))
    return lines


def _gain(one: Finding) -> float:
    return one.found.mean


def _named(name: str, one: Finding) -> dict[str, Words | str]:
    gain = figure(one.found.mean, one.claim.unit)
    return {name: one.claim.text("short"), f"{name}_gain": gain, f"{name}_rules": ruleset_name(one.ruleset)}


# ---------------------------------------------------------------- tables


def _head(name: str) -> Words:
    return words(f"report_claims.column.{name}")


def _verdict_table(asked: Sequence[Claim], results: Results) -> Table:
    rows = [
        {
            "claim": claim.id,
            "number": claim.number,
            "document": claim.document,
            "said": quotation(claim),
            "short": claim.text("short"),
            "tested": results.judged(claim),
            "stand_in": claim.stands_in,
            "verdict": results.verdicts[claim.id],
            "verdict_name": verdict(claim, results),
            "range": _range(claim, [one.found.mean for one in results.of(claim) if not one.few]),
        }
        for claim in asked
    ]
    return Table(
        name="claims",
        frame=pd.DataFrame(rows),
        caption=words("report_claims.table.verdicts"),
        columns=[
            Column("number", _head("number"), "count"),
            Column("document", _head("document")),
            Column("said", _head("said")),
            Column("short", _head("claim")),
            Column("verdict_name", _head("verdict")),
            Column("range", _head("range")),
        ],
    )


def _range(claim: Claim, figures: Sequence[float]) -> Words:
    """Tell the contrast, or its smallest and largest, with the unit."""
    if not figures:
        return Words(NOTHING, NOTHING)
    scale = max(map(abs, figures))
    ends = (figure(value, claim.unit, scale=scale) for value in (min(figures), max(figures)))
    told = " … ".join(dict.fromkeys(ends))
    if claim.unit == "share":
        return Words(told, told)
    unit = words(f"report_claims.unit.{claim.unit}")
    return Words(f"{told} {unit.en}", f"{told} {unit.zh}")


def _contrast_table(results: Results) -> Table:
    rows = [
        {
            "claim": one.claim.id,
            "number": one.claim.number,
            "document": one.claim.document,
            "short": one.claim.text("short"),
            "ruleset": one.ruleset,
            "ruleset_name": ruleset_name(one.ruleset),
            "unit": one.claim.unit,
            "unit_name": words(f"report_claims.unit.{one.claim.unit}"),
            "expected": one.claim.expected,
            "margin": one.claim.margin,
            "margin_name": margin(one.claim),
            **_figures(one.found),
            "judged_low": one.low,
            "judged_high": one.high,
            "judged_name": NOTHING if one.few else _interval(one.found.mean, one.low, one.high, one.claim.unit),
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
            Column("number", _head("number"), "count"),
            Column("short", _head("claim")),
            Column("ruleset_name", _head("ruleset")),
            Column("judged_name", _head("judged")),
            Column("margin_name", _head("margin")),
            Column("unit_name", _head("unit")),
            Column("n", _head("n"), "count"),
            Column("verdict_name", _head("verdict")),
        ],
    )


def _explored_table(results: Results) -> Table:
    rows = [
        {
            "claim": one.claim.id,
            "short": one.claim.text("short"),
            "ruleset": one.ruleset,
            "ruleset_name": ruleset_name(one.ruleset),
            "factor": one.factor,
            "factor_name": words(f"report_claims.factor.{one.factor}"),
            "level": one.level,
            "level_name": level_name(one.factor, one.level),
            "unit": one.unit,
            "unit_name": words(f"report_claims.unit.{one.unit}"),
            **_figures(one.found),
            "effect_name": _interval(one.found.mean, one.found.low, one.found.high, one.unit),
            "q": one.q,
            "clear": one.clear,
            "clear_name": words(f"report_claims.mark.{'clear' if one.clear else 'open'}"),
        }
        for one in results.explored
    ]
    return Table(
        name="explored",
        frame=pd.DataFrame(rows),
        caption=words("report_claims.table.explored"),
        columns=[
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


# ---------------------------------------------------------------- figures


def _forests(results: Results) -> list[Figure]:
    """Draw the contrasts of players, and the facts that are told in bases; the others stand in the table alone."""
    groups = {
        name: [one for one in results.tested if one.claim.test == test and one.claim.unit not in OTHER_UNITS]
        for name, test in (("players", "players"), ("facts", "fact"))
    }
    drawn = {name: [one for one in rows if np.isfinite(one.low)] for name, rows in groups.items()}
    return [_forest(name, rows) for name, rows in drawn.items() if rows]


def _forest(name: str, rows: Sequence[Finding]) -> Figure:
    given = [one.verdict for one in rows]
    caption = [words(f"report_claims.figure.{name}", delta=DELTA)]
    if any(one.claim.stands_in for one in rows):
        caption.append(words("report_claims.figure.stand_in"))
    if _reach(rows) > LINEAR:
        caption.append(words("report_claims.figure.compressed", linear=f"{LINEAR:g}"))

    def draw(canvas: Canvas, lang: str) -> None:
        _draw_forest(canvas, lang, rows, words(f"report_claims.figure.{name}_axis"), units=name == "facts")

    return Figure(
        name=f"{name}_forest",
        caption=Words.join(caption),
        alt=words(
            f"report_claims.figure.{name}_alt",
            rows=len(rows),
            **{name.lower(): given.count(name) for name in (HOLDS, FAILS, UNCLEAR)},
        ),
        draw=draw,
        size=(8.0, 1.1 + 0.2 * len(rows)),
    )


def _draw_forest(canvas: Canvas, lang: str, rows: Sequence[Finding], axis: Words, *, units: bool) -> None:
    axes = canvas.subplots()
    presets = [preset for preset in PRESETS if any(one.ruleset == preset for one in rows)]
    forest(
        axes,
        _labels(rows, lang, units=units),
        [one.found.mean for one in rows],
        [one.low for one in rows],
        [one.high for one in rows],
        n=[one.found.n for one in rows],
        colours=[COLOUR_OF.get(one.ruleset, GREY) for one in rows],
    )
    axes.axvline(DELTA, color=GREY, linewidth=0.8, linestyle="--", zorder=0)
    _scale(axes, rows)
    axes.set_xlabel(label(axis, lang))
    marks = [Line2D([], [], color=COLOUR_OF[preset], marker="o", markersize=4.5) for preset in presets]
    canvas.legend(marks, [label(ruleset_name(preset), lang) for preset in presets], loc="outside upper center", ncols=5)


def _labels(rows: Sequence[Finding], lang: str, *, units: bool) -> list[str]:
    """Name a claim on its first line, a stand-in marked, and leave the lines of its other rulesets bare."""
    names, last = [], ""
    for one in rows:
        unit = f" ({label(words(f'report_claims.unit.{one.claim.unit}'), lang)})" if units else ""
        mark = " *" if one.claim.stands_in else ""
        name = f"{one.claim.number} · {label(one.claim.text('short'), lang)}{unit}{mark}"
        names.append("" if one.claim.id == last else name)
        last = one.claim.id
    return names


def _scale(axes: Axes, rows: Sequence[Finding]) -> None:
    """Show what there is, 0 included, and mark round numbers: finer ones where all of it is linear."""
    low, high = min(0.0, *(one.low for one in rows)), max(0.0, *(one.high for one in rows))
    axes.set_xscale("symlog", linthresh=LINEAR, linscale=1.5)
    scale = axes.xaxis.get_transform()
    ends = scale.transform(np.array([low, high]))
    axes.set_xlim(*scale.inverted().transform(ends + PAD * (ends[1] - ends[0]) * np.array([-1.0, 1.0])))
    marks = COARSE if _reach(rows) > LINEAR else FINE
    shown = [mark for mark in (*(-mark for mark in marks[::-1]), 0.0, *marks) if low <= mark <= high]
    axes.set_xticks(shown, [f"{mark:g}".replace("-", "−") for mark in shown])
    axes.minorticks_off()


def _reach(rows: Sequence[Finding]) -> float:
    return max(abs(end) for one in rows for end in (one.low, one.high))
