"""The contrasts of the claims as forests: of players, and of what was counted in bases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D

from kwx_sim.findings.claims.registry import COUNTED
from kwx_sim.findings.claims.results import Finding, Results
from kwx_sim.findings.claims.wording import listed, rulesets_name
from kwx_sim.report.figures import COLOURS, GREY, forest, label
from kwx_sim.report.section import Figure, Words, words
from kwx_sim.report.verdicts import DELTA, FAILS, HOLDS, UNCLEAR
from kwx_sim.rules import PRESETS

__all__ = ["forests"]

LINEAR = 1.0
"""Bases up to which a forest's axis is linear."""

FINE, COARSE = (0.25, 0.5, 0.75, 1.0), (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Marks of a forest's axis on either side of 0."""

OTHER_UNITS = (*COUNTED, "wins")
"""Units that are no bases won or lost."""

PAD = 0.05
"""Of the axis as it is drawn, beyond the intervals on either side."""

COLOUR_OF = dict(zip(PRESETS, COLOURS, strict=False))


def forests(results: Results) -> list[Figure]:
    """Draw the contrasts of players, and the facts that are told in bases; the others stand in the table alone."""
    groups = {
        name: [one for one in results.tested if one.claim.test == test and one.claim.unit not in OTHER_UNITS]
        for name, test in (("players", "players"), ("facts", "fact"))
    }
    drawn = {name: [one for one in rows if np.isfinite(one.low)] for name, rows in groups.items()}
    return [_forest(name, rows) for name, rows in drawn.items() if rows]


def _forest(name: str, rows: Sequence[Finding]) -> Figure:
    given = [one.verdict for one in rows]
    units = dict.fromkeys(one.claim.unit for one in rows)
    named_units = listed(words(f"report_claims.unit.{unit}") for unit in units)
    caption = [words(f"report_claims.figure.{name}", delta=DELTA, units=named_units)]
    if any(one.claim.stands_in for one in rows):
        caption.append(words("report_claims.figure.stand_in"))
    if shared := dict.fromkeys(one.rulesets for one in rows if one.same):
        named = Words.join(map(rulesets_name, shared), en="; ", zh="；")
        caption.append(words("report_claims.figure.same", rulesets=named))
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
            units=named_units,
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
    for margin in (-DELTA, DELTA):
        axes.axvline(margin, color=GREY, linewidth=0.8, linestyle="--", zorder=0)
    _scale(axes, rows)
    axes.set_xlabel(label(axis, lang))
    marks = [Line2D([], [], color=COLOUR_OF[preset], marker="o", markersize=4.5) for preset in presets]
    names = [label(rulesets_name(_of_colour(preset, rows)), lang) for preset in presets]
    canvas.legend(marks, names, loc="outside upper center", ncols=5)


def _of_colour(preset: str, rows: Sequence[Finding]) -> str:
    """Name the rulesets of a colour where these are always the same, else the one that it is of."""
    (first, *others) = {one.rulesets for one in rows if one.ruleset == preset}
    return preset if others else first


def _labels(rows: Sequence[Finding], lang: str, *, units: bool) -> list[str]:
    """Name a claim on its first line, a stand-in marked, and leave the lines of its other rulesets bare."""
    names, last = [], ""
    for one in rows:
        unit = f" ({label(words(f'report_claims.unit.{one.claim.unit}'), lang)})" if units else ""
        mark = " *" if one.claim.stands_in else ""
        name = f"{one.claim.label} · {label(one.claim.text('short'), lang)}{unit}{mark}"
        names.append("" if one.claim.id == last else name)
        last = one.claim.id
    return names


def _scale(axes: Axes, rows: Sequence[Finding]) -> None:
    """Show what there is, 0 included, and mark round numbers: finer ones where all of it is linear."""
    low, high = -_as_far_as_a_mark(-one.low for one in rows), _as_far_as_a_mark(one.high for one in rows)
    axes.set_xscale("symlog", linthresh=LINEAR, linscale=1.0)
    scale = axes.xaxis.get_transform()
    ends = scale.transform(np.array([low, high]))
    axes.set_xlim(*scale.inverted().transform(ends + PAD * (ends[1] - ends[0]) * np.array([-1.0, 1.0])))
    marks = COARSE if _reach(rows) > LINEAR else FINE
    shown = [mark for mark in (*(-mark for mark in marks[::-1]), 0.0, *marks) if low <= mark <= high]
    axes.set_xticks(shown, [f"{mark:g}".replace("-", "−") for mark in shown])
    axes.minorticks_off()


def _as_far_as_a_mark(ends: Iterable[float]) -> float:
    """How far to draw from 0: where the axis is compressed, on to the next mark, which tells its scale."""
    far = max(0.0, *ends)
    return min((mark for mark in COARSE if mark >= far), default=far) if far > LINEAR else far


def _reach(rows: Sequence[Finding]) -> float:
    return max(abs(end) for one in rows for end in (one.low, one.high))
