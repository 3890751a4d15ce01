"""When does it gain to declare 亮倒?

Every seat's first ready moment of a round is played on in six ways: declare now, 1, 2 or 4 own draws later, quiet,
never. What declaring now gains over never and over the best other way, by turn, live tiles and value of the hand; how
that moves with the opponents' avoidance and under house rules; and a rule of thumb, fitted on one half of the rounds
and judged on the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kwx_sim.core import fork
from kwx_sim.core.fork import ARMS
from kwx_sim.findings.liangdao import figures as drawn
from kwx_sim.findings.liangdao.advice import advice_parts, advised, arm_name, capped, later_rule
from kwx_sim.findings.liangdao.conditions import maima_told, rests_told, settings_parts, twin_told
from kwx_sim.findings.liangdao.courses import ARM_NAMES, best_others, fit_thumb, judge_courses
from kwx_sim.findings.liangdao.figures import Map
from kwx_sim.findings.liangdao.forks import (
    BIN_NAMES,
    DECLARE,
    LEAST,
    MAP,
    NEVER,
    Cells,
    Forks,
    adjusted,
    at,
    overall,
    play_forks,
    span_name,
)
from kwx_sim.findings.liangdao.settings import own_cap, play_settings
from kwx_sim.findings.liangdao.wording import capital, sided, told
from kwx_sim.report import (
    Analysis,
    Column,
    Figure,
    Paragraph,
    Section,
    Table,
    Words,
    Work,
    as_column,
    estimate_columns,
    run,
)
from kwx_sim.report.section import ruleset_name
from kwx_sim.report.verdicts import DELTA
from kwx_sim.rules import PRESETS, Ruleset, load_rules
from kwx_sim.stats import Estimates

NAME = "liangdao_timing"

ENDINGS = {"self_draw": fork.BY_SELF_DRAW, "discard": fork.BY_DISCARD, "fed": fork.FED, "undecided": fork.NOBODY}

COMMONEST = 12

TWINS = {"xiangyang": ("shiyan",)}
"""Rulesets that have no section of their own: the section of another tells in how far they differ from it."""

BOUNDARY = {"above": ("above",), "neither": ("within", "unclear"), "below": ("below",)}
"""Columns of the table of the boundary, and the verdicts that they list."""


def analyse(work: Work) -> Section:
    """Find when to declare under one ruleset."""
    rules = work.rule
    progress = work.progress(told("progress"))
    forks = play_forks(rules, work.games, work.seed, workers=work.workers, progress=progress)
    never = Map.of(forks, forks.taking(DECLARE) - forks.taking(NEVER))
    other_gain = forks.taking(DECLARE) - forks.taking(best_others(forks))
    other = Map.of(forks, other_gain)
    settings = list(play_settings(work, forks))
    twins = [twin_told(work, forks, load_rules(name)) for name in TWINS.get(rules.name, ())]
    fit = forks.half(0)
    thumb = fit_thumb(fit)
    courses = judge_courses(forks, thumb)
    because = [told for told in (maima_told(settings),) if told is not None]
    rests = [told for told in (rests_told(settings),) if told is not None]
    why = capped(rules, fit, thumb)
    return Section(
        NAME,
        told("title"),
        told("question"),
        [
            Paragraph(Words.join([_intro(rules, forks), *twins])),
            _arms_table(rules, forks),
            Paragraph(Words.join([*_timing(forks), *because, sided("other", overall(forks, other_gain))])),
            _map_figure("never", never),
            Paragraph(_counted("never", never)),
            _map_figure("other", other),
            Paragraph(_counted("other", other)),
            _boundary_table(other),
            _cells_table(never, other),
            *settings_parts(settings),
            *advice_parts(len(fit.rows), thumb, courses, why),
        ],
        [
            Words.join([_at_once(rules, forks), *rests, *because]),
            advised(_name(rules), thumb, courses, why),
            *twins,
            *_without_section(rules),
        ],
    )


def _name(rules: Ruleset) -> Words:
    return capital(ruleset_name(rules.name))


def _at_once(rules: Ruleset, forks: Forks) -> Words:
    gain = overall(forks, forks.taking(DECLARE) - forks.taking(NEVER))
    return sided("headline", gain, rules=_name(rules), n=len(forks.rows))


def _without_section(rules: Ruleset) -> Iterator[Words]:
    """Say once, beside the first ruleset, why others have no section."""
    if rules.name == ANALYSIS.presets[0]:
        for name in PRESETS:
            if not load_rules(name).liangdao.enabled:
                yield told("headline.nobody_declares", rules=capital(ruleset_name(name)))


# ---------------------------------------------------------------- the six ways


def _intro(rules: Ruleset, forks: Forks) -> Words:
    cap = own_cap(rules)
    how = "room" if rules.rooms and cap else "fan" if cap else "none"
    return told(
        "intro",
        rounds=forks.rounds,
        forks=len(forks.rows),
        rules=ruleset_name(rules.name),
        cap=told(f"cap.{how}", cap=cap),
    )


def _arms_table(rules: Ruleset, forks: Forks) -> Table:
    together = Cells(forks.cell(()), forks.number, 1)
    rows = []
    for arm, (name, key) in enumerate(zip(ARMS, ARM_NAMES, strict=True)):
        found = {"gain": together.mean(forks.taking(arm) - forks.taking(NEVER))}
        for ending, code in ENDINGS.items():
            found[ending] = together.share(forks.rows["ended"][:, arm] == code)
        frame = pd.DataFrame({"arm": [name], "way": [arm_name(key)], "n": together.n})
        for prefix, estimates in found.items():
            estimate_columns(frame, prefix, estimates)
        rows.append(frame)
    columns = [
        Column("way", told("head.arm")),
        Column("gain", told("head.gain"), "estimate:+.2f"),
        *(Column(ending, told(f"head.{ending}"), "estimate:.1%") for ending in ENDINGS),
        Column("n", told("head.n"), "count"),
    ]
    caption = [told("arms.caption", rule=later_rule()), *([told("arms.maima")] if rules.maima.enabled else [])]
    return Table("arms", pd.concat(rows, ignore_index=True), Words.join(caption), columns)


def _timing(forks: Forks) -> Iterator[Words]:
    """Declaring now against never, over all hands and by kinds of waits."""
    gain = forks.taking(DECLARE) - forks.taking(NEVER)
    yield sided("timing", overall(forks, gain))
    names = BIN_NAMES["kinds"]
    by_kinds = Cells(forks.cell(("kinds",)), forks.number, len(names))
    found = by_kinds.mean(gain)
    for place, name in enumerate(names):
        if by_kinds.n[place] >= LEAST:
            which = "one" if name == "1" else "most" if name.endswith("+") else "some"
            kinds = told(f"kinds.{which}", kinds=name.rstrip("+"))
            yield sided("kinds_of_waits", at(found, place), kinds=kinds)


# ---------------------------------------------------------------- maps


def _map_figure(name: str, shown: Map) -> Figure:
    return Figure(
        f"map_{name}",
        told(f"map.{name}.caption", least=LEAST, margin=DELTA),
        told("map_alt", told=_counted(name, shown)),
        partial(drawn.draw_map, shown, told(f"map.{name}.bar")),
        drawn.map_size(shown),
    )


def _counted(name: str, shown: Map) -> Words:
    cells = int((shown.verdicts != "").sum())
    above, below = (int((shown.verdicts == side).sum()) for side in ("above", "below"))
    counts = {"cells": cells, "above": above, "below": below, "neither": cells - above - below}
    return told("map_told", what=capital(told(f"map.{name}.bar")), least=LEAST, margin=DELTA, **counts)


def _boundary_table(shown: Map) -> Table:
    """Of each turn and value, the live tiles with which declaring now was clearly better, clearly worse, not clear."""
    rows = []
    for fan, fan_name in enumerate(BIN_NAMES["fan"]):
        for turn, turn_name in enumerate(BIN_NAMES["turn"]):
            here = shown.verdicts[turn, :, fan]
            found = {name: _bins("live", np.isin(here, among)) for name, among in BOUNDARY.items()}
            rows.append({"fan": fan_name, "turn": turn_name, **found, "n": int(shown.n[turn, :, fan].sum())})
    columns = [Column("fan", told("head.fan")), Column("turn", told("head.turn"))]
    columns += [Column(name, told(f"head.{name}")) for name in BOUNDARY]
    caption = told("boundary.caption", margin=DELTA)
    return Table("boundary", pd.DataFrame(rows), caption, [*columns, Column("n", told("head.n"), "count")])


def _bins(dimension: str, chosen: NDArray[np.bool_]) -> str:
    """Name bins, neighbours together: 0–2, 5+."""
    places = np.flatnonzero(chosen)
    runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
    return ", ".join(span_name(dimension, int(run[0]), int(run[-1])) for run in runs if len(run)) or "–"


def _cells_table(never: Map, other: Map) -> Table:
    places = list(np.ndindex(never.n.shape))
    frame = pd.DataFrame([{d: BIN_NAMES[d][place] for d, place in zip(MAP, cell, strict=True)} for cell in places])
    frame["n"] = never.n.ravel()
    for prefix, shown in (("against_never", never), ("against_other", other)):
        estimate_columns(frame, prefix, Estimates(*(values.ravel() for values in shown.found)))
        frame[f"{prefix}_verdict"] = adjusted(shown.found, shown.verdicts).ravel()
    frame = frame[frame["n"] >= LEAST].sort_values("n", ascending=False, kind="stable", ignore_index=True)
    tested = int((other.verdicts != "").sum())
    frame["verdict"] = as_column(
        told(f"verdict.{name}", margin=DELTA, cells=tested) for name in frame["against_other_verdict"]
    )
    columns = [
        *(Column(dimension, told(f"head.{dimension}")) for dimension in MAP),
        Column("against_never", told("head.against_never"), "estimate:+.3f"),
        Column("against_other", told("head.against_other"), "estimate:+.3f"),
        Column("verdict", told("head.verdict")),
        Column("n", told("head.n"), "count"),
    ]
    return Table("cells", frame, told("cells.caption", cells=tested, margin=DELTA), columns, COMMONEST)


ANALYSIS = Analysis(
    name=NAME,
    analyse=analyse,
    presets=("platform", "suizhou", "xiangyang"),
    together=False,
    games=600_000,
    draft_games=9_000,
)


def main() -> None:
    """Run this question alone."""
    run(ANALYSIS)


if __name__ == "__main__":
    main()
