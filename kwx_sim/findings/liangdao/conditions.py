"""What declaring at once gains under other conditions, as the page shows it: figures, sentences, the table; and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd

from kwx_sim.findings.liangdao import figures as drawn
from kwx_sim.findings.liangdao.forks import BIN_NAMES, LEAST, Forks, adjusted, clear, differing, play_forks, verdicts
from kwx_sim.findings.liangdao.settings import BY, Setting, sample
from kwx_sim.findings.liangdao.wording import capital, precise, told
from kwx_sim.findings.rounds import verdict
from kwx_sim.findings.wins import NOTHING
from kwx_sim.report.cells import amount
from kwx_sim.report.section import (
    Bullets,
    Column,
    Figure,
    Paragraph,
    Part,
    Table,
    Words,
    Work,
    as_column,
    estimate_columns,
    ruleset_name,
)
from kwx_sim.report.verdicts import DELTA
from kwx_sim.rules import Ruleset
from kwx_sim.stats import Estimates

__all__ = ["maima_told", "rests_told", "settings_parts", "twin_told"]


def settings_parts(settings: Sequence[Setting]) -> list[Part]:
    """Figures by turn and by kinds, a line a rule, and the table."""
    apart = _clearly_moved(settings)
    tested = _tested(settings)
    bullets = []
    for panel in dict.fromkeys(setting.panel for setting in settings):
        here = [(setting, how) for setting, how in zip(settings, apart, strict=True) if setting.panel == panel]
        bullets.append(_panel_told(panel, here, tested))
    return [
        Paragraph(told("settings.intro")),
        *(
            Figure(
                f"by_{dimension}",
                told(f"settings.caption_{dimension}", least=LEAST, margin=DELTA),
                _alt(settings, dimension),
                partial(drawn.draw_settings, settings, dimension),
                drawn.SETTINGS_SIZE,
            )
            for dimension in BY
        ),
        Bullets(bullets),
        _table(settings, apart),
    ]


def maima_told(settings: Sequence[Setting]) -> Words | None:
    """Say what of the gain is due to maima; nothing where the ruleset has none."""
    of_maima = {setting.key: setting for setting in settings if setting.panel == "maima"}
    without, paid = of_maima["maima_0"], of_maima["maima_1"]
    if without.own is None or without.moved is None:
        return None
    figures = {name: precise(getattr(without, name)) for name in ("gain", "own", "moved")}
    not_doubled = Words("", "") if paid.moved is None else told("why.paid", gain=precise(paid.gain))
    return told("why.maima", **figures, paid=not_doubled)


def rests_told(settings: Sequence[Setting]) -> Words | None:
    """Say where declaring at once comes to another side of the margin as the others keep back fewer shown waits.

    The nearest such share is told, and the furthest; nothing where no share is clearly on another side and not all on
    the same.
    """
    of_avoidance = sorted(
        (setting for setting in settings if setting.panel == "avoidance"), key=lambda setting: -float(setting.key)
    )
    own, others = of_avoidance[0], of_avoidance[1:]
    side = verdict(own.gain)
    turned = [other for other in others if verdict(other.gain) not in (side, "within", "unclear")]
    if turned:
        ends = [_turned(turned[place]) for place in dict.fromkeys((0, len(turned) - 1))]
        return told("headline.rests", own=_share(own), turned=Words.join(ends, en=". ", zh="；"))
    if side in ("above", "below") and all(verdict(other.gain) == side for other in others):
        return told("headline.holds", least=_share(others[-1]), most=_share(own))
    return None


def _share(setting: Setting) -> str:
    return f"{float(setting.key):.0%}"


def _turned(setting: Setting) -> Words:
    how, share = verdict(setting.gain), _share(setting)
    where = told("headline.where" if float(setting.key) else "headline.where_never", share=share)
    return told(f"headline.rests_{how}", where=where, gain=precise(setting.gain), n=setting.n)


def twin_told(work: Work, own: Forks, twin: Ruleset) -> Words:
    """Say in how many first ready moments another ruleset pays otherwise in any of the six ways, on the same walls."""
    rounds = min(sample(work.games), own.rounds)
    names = {"rules": ruleset_name(work.rule.name), "twin": ruleset_name(twin.name)}
    progress = work.progress(names["twin"])
    there = play_forks(twin, rounds, work.seed, workers=work.workers, progress=progress)
    setting = Setting.of("twin", twin.name, names["twin"], there, own)
    differ = differing(own.first(rounds), there)
    figures = {"differ": differ, "rounds": rounds, "forks": len(there.rows)}
    if not differ or setting.moved is None:
        return told("twin.same", **names, **figures)
    return told("twin.differs", **names, **figures, moved=precise(setting.moved))


# ---------------------------------------------------------------- figures in words


def _alt(settings: Sequence[Setting], dimension: str) -> Words:
    """Both ends of every line of every panel."""
    of_panels = []
    for panel in dict.fromkeys(setting.panel for setting in settings):
        ends = [_ends(setting, dimension) for setting in settings if setting.panel == panel]
        told_lines = Words.join(ends, en=", ", zh="，")
        of_panels.append(told("settings.alt_panel", panel=capital(told(f"panel.{panel}")), lines=told_lines))
    return Words.join([told("settings.alt", dimension=told(f"settings.{dimension}")), *of_panels])


def _ends(setting: Setting, dimension: str) -> Words:
    found, n = setting.by[dimension]
    label = told("settings.own", setting=setting.label) if setting.moved is None else setting.label
    known = np.flatnonzero(n >= LEAST)
    if not len(known):
        return told("settings.alt_nothing", setting=label)
    first, last = (
        told("settings.alt_bin", bin=BIN_NAMES[dimension][place], gain=amount(float(found.mean[place]), "+.2f"))
        for place in known[[0, -1]]
    )
    return told("settings.alt_line", setting=label, first=first, last=last)


# ---------------------------------------------------------------- changes


def _clearly_moved(settings: Sequence[Setting]) -> list[str]:
    """How each setting differs from the ruleset's own on the same walls; all are tested together."""
    changes = [setting.moved for setting in settings if setting.moved is not None]
    found = Estimates(*map(np.array, zip(*changes, strict=True)))
    n = np.array([setting.n for setting in settings if setting.moved is not None])
    sides = iter(adjusted(found, verdicts(found, clear(found, n))).tolist())
    return ["own" if setting.moved is None else next(sides) for setting in settings]


def _tested(settings: Sequence[Setting]) -> int:
    return sum(setting.moved is not None for setting in settings)


def _panel_told(panel: str, settings: Iterable[tuple[Setting, str]], tested: int) -> Words:
    clauses = list(_clauses(panel, settings, tested))
    return Words.join([Words.join(clauses, en="; ", zh="；"), Words(".", "。")], en="")


def _clauses(panel: str, settings: Iterable[tuple[Setting, str]], tested: int) -> Iterator[Words]:
    for setting, how in sorted(settings, key=lambda found: found[1] != "own"):
        if setting.moved is None or setting.own is None:
            yield told("moved.head", panel=told(f"panel.{panel}"), setting=setting.label, gain=precise(setting.gain))
            continue
        figures = {
            name: amount(float(found.mean), "+.2f") for name, found in (("gain", setting.gain), ("own", setting.own))
        }
        moved = precise(setting.moved)
        yield told(f"moved.{how}", setting=setting.label, moved=moved, margin=DELTA, tested=tested, **figures)


def _table(settings: Sequence[Setting], apart: Sequence[str]) -> Table:
    """Over all hands first, which the page shows; then by turn and by kinds."""
    tested = _tested(settings)
    rows = []
    for setting, how in zip(settings, apart, strict=True):
        named = {"panel": setting.panel, "rule": told(f"panel.{setting.panel}"), "setting": setting.label}
        all_hands = pd.DataFrame([{**named, "by": "all", "bin": "all", "n": setting.n}])
        estimate_columns(all_hands, "gain", setting.gain)
        estimate_columns(all_hands, "own", setting.own or NOTHING)
        estimate_columns(all_hands, "moved", setting.moved or NOTHING)
        all_hands["change_is"] = how
        all_hands["change"] = as_column([told(f"verdict.{how}", margin=DELTA, cells=tested)])
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
        told("settings.caption_table", margin=DELTA, cells=tested),
        columns,
        show=len(settings),
    )
