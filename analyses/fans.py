"""How often is each fan won, what does it bring, and does it pay to aim for one?

Frequencies and values are those of played rounds. An aim is a player that leans towards one hand, set beside itself
with no plan for any hand, on equal deals, in every seat, against the same opponents: only the aim differs. Besides
there is what it gains over plain speed, which has no eye for a hand's value either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.ticker import FuncFormatter, LogLocator
from numpy.typing import NDArray

from kwx_sim import trials
from kwx_sim.findings.aims import AIMS, FAIR, HANDS, LEANINGS, aim_frame, aim_words, counted_once, judged_once, planned
from kwx_sim.findings.alike import same, told_once
from kwx_sim.findings.claims.sample import LITTLE, OTHERWISE
from kwx_sim.findings.players import HARDLY, VERDICTS, enumerated, found_in, verdict_in
from kwx_sim.findings.rounds import estimates_in, said
from kwx_sim.findings.wins import MIN_EVENTS, fan_frame, wins_of
from kwx_sim.report import (
    Analysis,
    Bullets,
    Column,
    Figure,
    Paragraph,
    Section,
    Table,
    Words,
    Work,
    as_column,
    run,
    words,
)
from kwx_sim.report.figures import COLOURS, label, mark_zero, panels, ruleset_name
from kwx_sim.report.section import SAME, ruleset_in_prose
from kwx_sim.report.verdicts import DELTA
from kwx_sim.rules import PRESETS, Ruleset
from kwx_sim.runs import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MYRIAD = 10_000

ROUNDS_PER_WALL = 12
"""Rounds of the frequencies for each wall on which players are compared."""

TIMES = [Words(f"×{leaning}", f"{leaning}") for leaning in LEANINGS]

OF_THE_SHAPE = (
    *(fan for fans in HANDS.values() for fan in fans), "concealed_four_to_one", "open_four_to_one"
)  # fmt: skip
"""Fans of what the hand is made of; others are of how, when or on what it was won."""


def analyse(work: Work) -> Section:
    """Make the section, all rulesets together."""
    aimed_at = [aim_frame(work, rules, _walls(work)) for rules in work.rules]
    made = [{"fans": _fans(work, rules), "aims": aims} for rules, (aims, _) in zip(work.rules, aimed_at, strict=True)]
    found = told_once(work.rules, made)
    fans, aims = (pd.concat([one.frames[name] for one in found], ignore_index=True) for name in ("fans", "aims"))
    rulesets = [one.rules for one in found]
    once = counted_once({one.rules.name: aimed_at[one.place][1] for one in found})
    judged = judged_once(aims, once)
    games = f"{work.games:,}"
    told = [*same(found), *(_common(fans, rules) for rules in rulesets)]
    return Section(
        name="fans",
        title=words("report_fans.title"),
        question=words("report_fans.question"),
        parts=[
            Paragraph(words("report_fans.ground", games=games, events=MIN_EVENTS)),
            Bullets(told),
            _frequency_figure(fans),
            Paragraph(words("report_fans.added")),
            _worth_figure(fans),
            *(_fan_table(fans, rules) for rules in rulesets),
            Paragraph(words("report_fans.aiming", walls=f"{_walls(work):,}", leanings=enumerated(TIMES))),
            Paragraph(words("report_fans.columns")),
            Bullets([*_once(once), *_aimed(judged), *_without(rulesets)]),
            _curve_figure(aims, rulesets),
            _aim_table(aims),
        ],
        headline=[_headline(judged)],
    )


# ---------------------------------------------------------------- fans


def _fans(work: Work, rules: Ruleset) -> pd.DataFrame:
    """Every fan of a ruleset, the most frequent first: its wins, shares, payment, and what it adds."""
    progress = work.progress(words("report_fans.playing", ruleset=ruleset_name(rules.name)))
    played = Run.of(rules, games=work.games, seed=work.seed)
    rows = trials.play_rows(played, forks=False, workers=work.workers, progress=progress).rounds
    return fan_frame(wins_of(rules, rows))


def _common(fans: pd.DataFrame, rules: Ruleset) -> Words:
    """What is frequent, what is rare and what was never won, in a sentence or two."""
    of_rules = fans[fans["ruleset"] == rules.name]
    of_hand = of_rules[of_rules["fan"].isin(OF_THE_SHAPE)]
    seen, never = of_hand[of_hand["wins"] > 0], of_rules[of_rules["wins"] == 0]
    plain = of_rules.loc[of_rules["fan"] == "ping_hu", "wins_share"]
    said = []
    if len(seen):
        first, last = seen.iloc[0], seen.iloc[-1]
        said.append(
            words(
                "report_fans.common",
                ruleset=ruleset_name(rules.name),
                plain=f"{plain.iloc[0]:.1%}",
                first=fan_words(first["fan"]),
                share=f"{first['wins_share']:.2%}",
                last=fan_words(last["fan"]),
                wins=f"{last['wins']:,}",
                all=f"{last['all_wins']:,}",
            )
        )
    if len(never):
        bound = float(never["rounds_share_high"].max())
        said.append(
            words(
                "report_fans.never",
                games=f"{int(never['rounds'].iloc[0]):,}",
                fans=enumerated([fan_words(fan) for fan in never["fan"]]),
                once=_about(1 / bound),
            )
        )
    return Words.join(said)


def _about(count: float) -> Words:
    """Say a large number to three digits, 125,000 or 12.5 万."""
    digits = 10 ** max(int(np.log10(count)) - 2, 0)
    rounded = round(count / digits) * digits
    return Words(f"{rounded:,}", f"{rounded / MYRIAD:g} 万" if rounded >= MYRIAD else f"{rounded:,}")


def fan_words(fan: str) -> Words:
    """Name a fan in both languages."""
    return words(f"report_fans.fan.{fan}")


def _fan_table(fans: pd.DataFrame, rules: Ruleset) -> Table:
    frame = fans[fans["ruleset"] == rules.name].reset_index(drop=True)
    sign = "×" if rules.fans.combine == "multiply" else "+"
    frame["name"] = as_column(map(fan_words, frame["fan"]))
    frame["worth"] = [f"{sign}{value}" for value in frame["value"]]
    forms = {
        "name": ("fan", "text"),
        "worth": ("value", "text"),
        "wins": ("wins", "count"),
        "wins_share": ("wins_share", "estimate:.3%"),
        "rounds_share": ("rounds_share", "estimate:.3%"),
        "paid": ("paid", "estimate:.2f"),
        "added": ("added", "estimate:.2f"),
    }
    columns = [Column(field, words(f"report_fans.table.{head}"), form) for field, (head, form) in forms.items()]
    caption = words("report_fans.table.caption", ruleset=ruleset_name(rules.name))
    return Table(f"fans_{rules.name.replace(SAME, '_')}", frame, caption, columns)


def _ordered(fans: pd.DataFrame, field: str) -> pd.Index:
    """The fans from the one with the largest figure under any ruleset down, as the figures have them."""
    return fans.groupby("fan")[field].max().sort_values(ascending=False).index


def _frequency_figure(fans: pd.DataFrame) -> Figure:
    order = _ordered(fans, "wins_share")
    return Figure(
        "frequency",
        words("report_fans.frequency.caption"),
        words("report_fans.frequency.alt", first=fan_words(order[0]), last=fan_words(order[-1])),
        partial(_draw_fans, fans, "wins_share", words("report_fans.frequency.axis")),
        size=(7.5, 8.5),
    )


def _worth_figure(fans: pd.DataFrame) -> Figure:
    shown = fans[fans["added"] > 0]
    most = shown.iloc[int(shown["added"].argmax())] if len(shown) else None
    told = Words("", "")
    if most is not None:
        named = {"ruleset": ruleset_in_prose(most["ruleset"]), "fan": fan_words(most["fan"])}
        told = words("report_fans.worth.most", most=f"{most['added']:.1f}", **named)
    return Figure(
        "worth",
        words("report_fans.worth.caption", events=MIN_EVENTS),
        words("report_fans.worth.alt", most=told),
        partial(_draw_fans, shown, "added", words("report_fans.worth.axis")),
        size=(7.5, 8.0),
    )


def _draw_fans(fans: pd.DataFrame, field: str, axis: Words, canvas: Canvas, lang: str) -> None:
    """Draw one figure of every fan as dots with intervals, a colour and a height of its own for each ruleset."""
    axes = canvas.subplots()
    order = _ordered(fans, field)
    rulesets = list(dict.fromkeys(fans["ruleset"]))
    for number, ruleset in enumerate(rulesets):
        of_rules = fans[fans["ruleset"] == ruleset]
        places = order.get_indexer(of_rules["fan"]) + (number - (len(rulesets) - 1) / 2) * 0.15
        colour = COLOURS[number % len(COLOURS)]
        _draw_estimates(axes, places, of_rules, field, colour, label(ruleset_name(ruleset), lang))
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(partial(_tick, as_share=field == "wins_share")))
    axes.xaxis.set_minor_formatter(FuncFormatter(lambda value, place: ""))
    if field != "wins_share":
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.set_yticks(range(len(order)), [label(fan_words(fan), lang) for fan in order])
    axes.set_ylim(len(order) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.set_xlabel(label(axis, lang))
    canvas.legend(loc="outside upper center", ncols=len(rulesets))


def _tick(value: float, place: int, *, as_share: bool) -> str:
    return f"{100 * value:.6g}%" if as_share else f"{value:.6g}"


def _draw_estimates(axes: Axes, places: NDArray[Any], rows: pd.DataFrame, field: str, colour: str, name: str) -> None:
    mean, low, high = (rows[field + end].to_numpy() for end in ("", "_low", "_high"))
    seen = mean > 0
    axes.hlines(places[seen], np.maximum(low[seen], mean[seen] / 100), high[seen], color=colour, linewidth=1.5)
    axes.plot(mean[seen], places[seen], "o", color=colour, markersize=4, label=name)
    axes.plot(high[~seen], places[~seen], "<", color=colour, markersize=4.5, fillstyle="none")


# ---------------------------------------------------------------- aims


def _walls(work: Work) -> int:
    return max(work.games // ROUNDS_PER_WALL, 2 * MIN_EVENTS)


def _once(once: Mapping[str, Sequence[str]]) -> list[Words]:
    """Say which rulesets are counted as one."""
    groups = [ruleset_name(SAME.join(group)) for group in once.values() if len(group) > 1]
    return [words("report_fans.once", rulesets=group, otherwise=f"{OTHERWISE:.0%}", little=LITTLE) for group in groups]


def _aimed(aims: pd.DataFrame) -> list[Words]:
    """Say where all plans together and each aim are ahead of no plan, at the least and the largest leaning.

    Last, where having no plan is ahead of plain speed.
    """
    told = []
    for aim in ("reference", *AIMS):
        of_aim = aims[aims["aim"] == aim]
        sentences = []
        for leaning in sorted({of_aim["leaning"].min(), of_aim["leaning"].max()} if len(of_aim) else set()):
            told_of = found_in(of_aim[of_aim["leaning"] == leaning], FAIR)
            sentences.append(words("report_fans.aimed", leaning=leaning, told=told_of))
        sentences += _weightless(of_aim)
        if sentences:
            told.append(words("report_fans.of_aim", aim=aim_words(aim), told=Words.join(sentences)))
    return [*told, words("report_fans.of_none", told=found_in(aims[aims["aim"] == "none"]))]


def _weightless(of_aim: pd.DataFrame) -> list[Words]:
    """Say under which rulesets every weight of an aim gave the same figure to three decimals."""
    names = [
        ruleset_in_prose(str(ruleset))
        for ruleset, rows in of_aim.groupby("ruleset", sort=False)
        if len(rows) > 1 and np.ptp(rows[FAIR].round(3)) == 0
    ]
    return [words("report_fans.weightless", weights=enumerated(TIMES), rulesets=enumerated(names))] if names else []


def _without(rulesets: Sequence[Ruleset]) -> list[Words]:
    """Say under which rulesets the players do not aim for a hand."""
    told = []
    for rules in rulesets:
        missing = [aim_words(aim) for aim in AIMS if aim not in planned(rules)]
        if missing:
            told.append(words("report_fans.without", ruleset=ruleset_name(rules.name), aims=enumerated(missing)))
    return told


def _headline(aims: pd.DataFrame) -> Words:
    """Count the cases, an aim under a ruleset, at the least and the largest leaning."""
    single = aims[aims["aim"].isin(list(AIMS))]
    easy, forced = (single[single["leaning"] == leaning] for leaning in (LEANINGS[0], LEANINGS[-1]))
    counts, top = _counts(easy), {f"top_{name}": count for name, count in _counts(forced).items()}
    told = {
        **counts,
        **top,
        "events": MIN_EVENTS,
        "cells": len(easy) - counts["too_few"] - counts["hardly"],
        "top": LEANINGS[-1],
        "margin": DELTA,
        "hardly_share": f"{HARDLY:.0%}",
        "walls": f"{int(aims['walls'].max()):,}",
    }
    if not top["top_below"]:
        return words("report_fans.headline_none", **told)
    return words(
        "report_fans.headline",
        **told,
        worst=said(estimates_in(forced.iloc[int(np.nanargmin(forced[FAIR].to_numpy()))], FAIR)),
    )


def _counts(rows: pd.DataFrame) -> dict[str, int]:
    """How many of the cells are ahead, behind, without a difference, hardly changed, not clear, not judged at all."""
    found = [verdict_in(row, FAIR) for _, row in rows.iterrows()]
    return {name: found.count(name) for name in VERDICTS}


def _curve_figure(aims: pd.DataFrame, rulesets: Sequence[Ruleset]) -> Figure:
    walls = f"{int(aims['walls'].iloc[0]):,}"
    columns = min(len(rulesets), 3)
    rows = -(-len(rulesets) // columns)
    return Figure(
        "aims",
        words("report_fans.curve.caption", walls=walls, events=MIN_EVENTS),
        words("report_fans.curve.alt"),
        partial(_draw_curves, aims, [rules.name for rules in rulesets], columns),
        size=(max(3.1 * columns, 5.0), 2.7 * rows + 0.6),
    )


def _draw_curves(aims: pd.DataFrame, rulesets: Sequence[str], columns: int, canvas: Canvas, lang: str) -> None:
    every = panels(canvas, len(rulesets), columns, share=False)
    for number, (ruleset, axes) in enumerate(zip(rulesets, every, strict=True)):
        of_rules = aims[aims["ruleset"] == ruleset]
        mark_zero(axes, across=True)
        for place, aim in enumerate(AIMS):
            line = of_rules[of_rules["aim"] == aim]
            if line[FAIR].notna().any():
                _draw_line(axes, line, place, label(aim_words(aim), lang))
        axes.set_title(label(ruleset_name(ruleset), lang))
        axes.set_xticks(range(len(LEANINGS) + 1), ["0", *(f"×{leaning}" for leaning in LEANINGS)])
        axes.set_xlim(-0.4, len(LEANINGS) + 0.4)
        axes.set_xlabel(label(words("report_fans.curve.x"), lang))
        if number % columns == 0:
            axes.set_ylabel(label(words("report_fans.curve.y"), lang))
    handles: dict[str, Any] = {}
    for axes in every:
        handles.update({name: line for line, name in zip(*axes.get_legend_handles_labels(), strict=True)})
    canvas.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=3)


def _draw_line(axes: Axes, line: pd.DataFrame, place: int, name: str) -> None:
    """Draw the line of the aim at that place, from 0, which is no plan itself and has no dot.

    Lines stand a little apart, so that none hides another's intervals.
    """
    mean, low, high = (line[FAIR + end].to_numpy() for end in ("", "_low", "_high"))
    ends = np.stack([mean - low, high - mean])
    across = np.arange(1, len(mean) + 1) + (place - (len(AIMS) - 1) / 2) * 0.06
    axes.plot([0, across[0]], [0, mean[0]], color=COLOURS[place], linewidth=1.1)
    style: dict[str, Any] = {"color": COLOURS[place], "marker": "os^Dv"[place], "markersize": 3.5, "linewidth": 1.1}
    axes.errorbar(across, mean, yerr=ends, label=name, **style)


def _aim_table(aims: pd.DataFrame) -> Table:
    frame = aims.copy()
    frame["ruleset_name"] = as_column(map(ruleset_name, frame["ruleset"]))
    frame["aim_name"] = as_column(map(aim_words, frame["aim"]))
    forms = {
        "ruleset_name": ("ruleset", "text"),
        "aim_name": ("aim", "text"),
        "leaning": ("leaning", "count"),
        "walls": ("walls", "count"),
        "over_none": ("over_none", "estimate:+.3f"),
        "differ": ("differ", "estimate:.2%"),
        "gain": ("gain", "estimate:+.3f"),
        "reached": ("reached", "estimate:.2%"),
    }
    columns = [Column(field, words(f"report_fans.aims.{head}"), form) for field, (head, form) in forms.items()]
    return Table("aims", frame, words("report_fans.aims.caption"), columns)


ANALYSIS = Analysis(
    name="fans", analyse=analyse, presets=PRESETS, together=True, games=480_000, draft_games=9_000, per="ruleset"
)


def main() -> None:
    """Run the analysis from the command line."""
    run(ANALYSIS)


if __name__ == "__main__":
    main()
