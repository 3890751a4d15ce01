"""When does it gain to declare 亮倒?

Every seat's first ready moment of a round is played on in six ways: declare now, 1, 2 or 4 own draws later, quiet,
never. What declaring now gains over never and over the best other way, by turn, live tiles and value of the hand; how
that moves with the opponents' avoidance and under house rules; and a rule of thumb, fitted on one half of the rounds
and judged on the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kwx_sim.core import fork
from kwx_sim.core.fork import ARMS
from kwx_sim.findings.liangdao import figures as drawn
from kwx_sim.findings.liangdao.courses import LEVELS, Courses, Thumb, best_others, fit_thumb, judge_courses
from kwx_sim.findings.liangdao.figures import Map
from kwx_sim.findings.liangdao.forks import (
    BIN_NAMES,
    DECLARE,
    LEAST,
    MAP,
    NEVER,
    QUIET,
    REFERENCE,
    Cells,
    Forks,
    at,
    clear,
    gain_a_round,
    overall,
    play_forks,
    span_name,
    verdicts,
)
from kwx_sim.findings.liangdao.settings import BY, Setting, own_cap, play_settings
from kwx_sim.findings.liangdao.wording import told
from kwx_sim.findings.rounds import said, verdict
from kwx_sim.findings.wins import NOTHING
from kwx_sim.report import (
    Analysis,
    Bullets,
    Column,
    Figure,
    Paragraph,
    Part,
    Section,
    Table,
    Words,
    Work,
    as_column,
    estimate_columns,
    run,
)
from kwx_sim.report.cells import amount
from kwx_sim.report.section import ruleset_name
from kwx_sim.report.verdicts import DELTA
from kwx_sim.rules import Ruleset
from kwx_sim.stats import Estimates

NAME = "liangdao_timing"

ENDINGS = {"self_draw": fork.BY_SELF_DRAW, "discard": fork.BY_DISCARD, "fed": fork.FED, "undecided": fork.NOBODY}

COMMONEST = 12

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
    thumb = fit_thumb(forks.half(0))
    courses = judge_courses(forks, thumb)
    return Section(
        NAME,
        told("title"),
        told("question"),
        [
            Paragraph(_intro(rules, forks)),
            _arms_table(forks),
            Paragraph(Words.join([*_timing(forks), _sided("other", overall(forks, other_gain))])),
            _map_figure("never", never),
            Paragraph(_counted("never", never)),
            _map_figure("other", other),
            Paragraph(_counted("other", other)),
            _boundary_table(other),
            _cells_table(never, other),
            *_settings_parts(settings),
            Paragraph(told("thumb.intro", fit=len(forks.half(0).rows))),
            Bullets(_lines(thumb)),
            _courses_table(courses),
            Paragraph(_costs(courses)),
        ],
        _headline(rules, forks, thumb, courses),
    )


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


def _arm(arm: int) -> Words:
    return told("arm." + ARMS[arm].replace(" ", "_"))


def _arms_table(forks: Forks) -> Table:
    together = Cells(forks.cell(()), forks.number, 1)
    rows = []
    for arm, name in enumerate(ARMS):
        found = {"gain": together.mean(forks.taking(arm) - forks.taking(NEVER))}
        for ending, code in ENDINGS.items():
            found[ending] = together.share(forks.rows["ended"][:, arm] == code)
        frame = pd.DataFrame({"arm": [name], "way": [_arm(arm)], "n": together.n})
        for prefix, estimates in found.items():
            estimate_columns(frame, prefix, estimates)
        rows.append(frame)
    columns = [
        Column("way", told("head.arm")),
        Column("gain", told("head.gain"), "estimate:+.2f"),
        *(Column(ending, told(f"head.{ending}"), "estimate:.1%") for ending in ENDINGS),
        Column("n", told("head.n"), "count"),
    ]
    return Table("arms", pd.concat(rows, ignore_index=True), told("arms.caption", rule=_later_rule()), columns)


def _later_rule() -> Words:
    """When the players declare of their own."""
    kinds, fan, live = REFERENCE.liangdao_kinds, REFERENCE.liangdao_fan, REFERENCE.liangdao_live
    return told("arms.own_rule", kinds=kinds, fan=fan, live=live)


def _sided(key: str, found: Estimates, **params: Any) -> Words:
    """The sentence that says on which side of the margin a gain lies."""
    return told(f"{key}.{verdict(found)}", gain=said(found), margin=DELTA, **params)


def _timing(forks: Forks) -> Iterator[Words]:
    """Declaring now against never, over all hands and by kinds of waits."""
    gain = forks.taking(DECLARE) - forks.taking(NEVER)
    yield _sided("timing", overall(forks, gain))
    names = BIN_NAMES["kinds"]
    by_kinds = Cells(forks.cell(("kinds",)), forks.number, len(names))
    found = by_kinds.mean(gain)
    for place, name in enumerate(names):
        if by_kinds.n[place] >= LEAST:
            which = "one" if name == "1" else "most" if name.endswith("+") else "some"
            kinds = told(f"kinds.{which}", kinds=name.rstrip("+"))
            yield _sided("kinds_of_waits", at(found, place), kinds=kinds)


# ---------------------------------------------------------------- maps


def _map_figure(name: str, shown: Map) -> Figure:
    return Figure(
        f"map_{name}",
        told(f"map.{name}.caption", least=LEAST, margin=DELTA),
        told("map_alt", told=_counted(name, shown)),
        partial(drawn.draw_map, shown, told(f"map.{name}.bar")),
        drawn.MAP_SIZE,
    )


def _counted(name: str, shown: Map) -> Words:
    cells = int((shown.verdicts != "").sum())
    above, below = (int((shown.verdicts == side).sum()) for side in ("above", "below"))
    counts = {"cells": cells, "above": above, "below": below, "neither": cells - above - below}
    return told("map_told", what=_capital(told(f"map.{name}.bar")), least=LEAST, margin=DELTA, **counts)


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
        frame[f"{prefix}_verdict"] = shown.verdicts.ravel()
    frame = frame[frame["n"] >= LEAST].sort_values("n", ascending=False, kind="stable", ignore_index=True)
    frame["verdict"] = as_column(told(f"verdict.{name}", margin=DELTA) for name in frame["against_other_verdict"])
    columns = [
        *(Column(dimension, told(f"head.{dimension}")) for dimension in MAP),
        Column("against_never", told("head.against_never"), "estimate:+.2f"),
        Column("against_other", told("head.against_other"), "estimate:+.2f"),
        Column("verdict", told("head.verdict")),
        Column("n", told("head.n"), "count"),
    ]
    return Table("cells", frame, told("cells.caption"), columns, COMMONEST)


# ---------------------------------------------------------------- other opponents, other rules


def _settings_parts(settings: Sequence[Setting]) -> list[Part]:
    """Figures by turn and by kinds, a line a rule, and the table."""
    apart = _clearly_moved(settings)
    bullets = []
    for panel in dict.fromkeys(setting.panel for setting in settings):
        here = [(setting, verdict) for setting, verdict in zip(settings, apart, strict=True) if setting.panel == panel]
        bullets.append(_panel_told(panel, here))
    return [
        Paragraph(told("settings.intro")),
        *(
            Figure(
                f"by_{dimension}",
                told(f"settings.caption_{dimension}"),
                _settings_alt(settings, dimension),
                partial(drawn.draw_settings, settings, dimension),
                drawn.SETTINGS_SIZE,
            )
            for dimension in BY
        ),
        Bullets(bullets),
        _settings_table(settings, apart),
    ]


def _settings_alt(settings: Sequence[Setting], dimension: str) -> Words:
    own, n = next(setting for setting in settings if setting.moved is None).by[dimension]
    known = np.flatnonzero(n >= LEAST)
    ends = [
        told("settings.alt_bin", bin=BIN_NAMES[dimension][place], gain=amount(float(own.mean[place]), "+.2f"))
        for place in (known[[0, -1]] if len(known) else ())
    ]
    line = told("settings.alt_own", first=ends[0], last=ends[-1]) if ends else Words("", "")
    return told("settings.alt", dimension=told(f"settings.{dimension}"), own=line)


def _clearly_moved(settings: Sequence[Setting]) -> list[str]:
    """How each setting differs from the ruleset's own on the same walls; all are tested together."""
    changes = [setting.moved for setting in settings if setting.moved is not None]
    found = Estimates(*map(np.array, zip(*changes, strict=True)))
    n = np.array([setting.n for setting in settings if setting.moved is not None])
    sides = iter(verdicts(found, clear(found, n)))
    return ["own" if setting.moved is None else next(sides) for setting in settings]


def _panel_told(panel: str, settings: Iterable[tuple[Setting, str]]) -> Words:
    clauses = []
    for setting, how in sorted(settings, key=lambda found: found[1] != "own"):
        if setting.moved is None or setting.own is None:
            head = told("moved.head", panel=told(f"panel.{panel}"), setting=setting.label, gain=said(setting.gain))
            clauses.append(head)
        else:
            figures = {
                name: amount(float(found.mean), "+.2f")
                for name, found in (("gain", setting.gain), ("own", setting.own))
            }
            moved = said(setting.moved, "+.3f")
            clauses.append(told(f"moved.{how}", setting=setting.label, moved=moved, margin=DELTA, **figures))
    return Words.join([Words.join(clauses, en="; ", zh="；"), Words(".", "。")], en="")


def _settings_table(settings: Sequence[Setting], apart: Sequence[str]) -> Table:
    """Over all hands first, which the page shows; then by turn and by kinds."""
    rows = []
    for setting, how in zip(settings, apart, strict=True):
        named = {"panel": setting.panel, "rule": told(f"panel.{setting.panel}"), "setting": setting.label}
        all_hands = pd.DataFrame([{**named, "by": "all", "bin": "all", "n": setting.n}])
        estimate_columns(all_hands, "gain", setting.gain)
        estimate_columns(all_hands, "own", setting.own or NOTHING)
        estimate_columns(all_hands, "moved", setting.moved or NOTHING)
        all_hands["change_is"], all_hands["change"] = how, as_column([told(f"verdict.{how}", margin=DELTA)])
        rows.append(all_hands)
    for setting in settings:
        named = {"panel": setting.panel, "rule": told(f"panel.{setting.panel}"), "setting": setting.label}
        for dimension, (found, n) in setting.by.items():
            frame = pd.DataFrame([{**named, "by": dimension, "bin": name} for name in BIN_NAMES[dimension]])
            rows.append(estimate_columns(frame.assign(n=n, change=""), "gain", found))
    columns = [
        Column("rule", told("head.rule")),
        Column("setting", told("head.setting")),
        Column("gain", told("head.against_never"), "estimate:+.2f"),
        Column("own", told("head.own"), "estimate:+.2f"),
        Column("moved", told("head.moved"), "estimate:+.3f"),
        Column("change", told("head.changed")),
        Column("n", told("head.n"), "count"),
    ]
    return Table(
        "settings",
        pd.concat(rows, ignore_index=True),
        told("settings.caption_table", margin=DELTA),
        columns,
        show=len(settings),
    )


# ---------------------------------------------------------------- the rule of thumb


def _lines(thumb: Thumb, *, brief: bool = False) -> list[Words]:
    """The rule of thumb as it is told, at most five lines; brief: without the players' rule for later turns."""
    lines = [
        told(f"thumb.{_how(thumb.counts, least)}", hands=_hands(group), least=least)
        for group, least in zip(thumb.groups, thumb.thresholds, strict=True)
    ]
    if not any(thumb.thresholds):
        return lines
    how = "thumb.otherwise_quiet" if thumb.otherwise == QUIET and not brief else "thumb.otherwise"
    return [*lines, told(how, arm=_arm(thumb.otherwise), rule=_later_rule())]


def _how(counts: str, least: int) -> str:
    return "always" if least == 0 else "not_now" if least == LEVELS[counts] else counts


def _hands(group: tuple[int, int]) -> Words:
    last = len(BIN_NAMES["fan"]) - 1
    if group == (0, last):
        return told("thumb.any")
    name = span_name("fan", *group)
    return told("thumb.hands_from" if group[1] == last else "thumb.hands", fan=name.rstrip("+"))


def _courses_table(courses: Courses) -> Table:
    rows = []
    for name, course in courses.of.items():
        frame = pd.DataFrame([{"course": name, "name": told(f"course.{name}"), "n": len(courses.judged.rows)}])
        for prefix in ("declared", "gain", "gain_a_round", "cost", "cost_a_round"):
            estimate_columns(frame, prefix, getattr(course, prefix))
        rows.append(frame)
    columns = [
        Column("name", told("head.course")),
        Column("declared", told("head.declared"), "estimate:.1%"),
        Column("gain", told("head.gain"), "estimate:+.3f"),
        Column("cost", told("head.cost"), "estimate:.3f"),
        Column("gain_a_round", told("head.a_round"), "estimate:+.3f"),
        Column("cost_a_round", told("head.cost_round"), "estimate:.3f"),
        Column("n", told("head.n"), "count"),
    ]
    caption = told("thumb.caption", forks=len(courses.judged.rows))
    return Table("courses", pd.concat(rows, ignore_index=True), caption, columns)


def _costs(courses: Courses) -> Words:
    return Words.join(
        _compared(courses, one, other)
        for one, other in (("thumb", "full"), ("thumb", "always"), ("thumb", "never"), ("thumb", "thumb_never"))
    )


def _compared(courses: Courses, one: str, other: str) -> Words:
    gain = courses.of[one].points - courses.of[other].points
    names = {"one": _capital(told(f"course.{one}")), "other": told(f"course.{other}")}
    if not gain.any():
        return told("compare.same", **names)
    by_fork, by_round = overall(courses.judged, gain), gain_a_round(courses.judged, gain)
    figures = {"fork": said(by_fork, "+.3f"), "round": said(by_round, "+.3f")}
    return told(f"compare.{verdict(by_fork)}", margin=DELTA, **figures, **names)


def _capital(name: Words) -> Words:
    return Words(name.en[0].upper() + name.en[1:], name.zh)


def _headline(rules: Ruleset, forks: Forks, thumb: Thumb, courses: Courses) -> list[Words]:
    name = _capital(ruleset_name(rules.name))
    gain = overall(forks, forks.taking(DECLARE) - forks.taking(NEVER))
    brought = {key: said(courses.of[course].gain) for key, course in (("gain", "thumb"), ("full", "full"))}
    return [
        _sided("headline", gain, rules=name),
        told("headline.thumb", rules=name, rule=Words.join(_lines(thumb, brief=True)), **brought),
    ]


ANALYSIS = Analysis(
    name=NAME,
    analyse=analyse,
    presets=("platform", "suizhou", "xiangyang", "shiyan"),
    together=False,
    games=600_000,
    draft_games=9_000,
)


def main() -> None:
    """Run this question alone."""
    run(ANALYSIS)


if __name__ == "__main__":
    main()
