"""How do the rulesets differ, as the same players play them?

Every ruleset is played by three equal players, those of one tile set on the same walls. A round is one cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas
from numpy.typing import ArrayLike, NDArray

from kwx_sim.core.state import DISCARD_WON, KONG_ROBBED, SELF_DRAWN, UNDECIDED
from kwx_sim.findings.alike import told_once
from kwx_sim.findings.players import enumerated
from kwx_sim.findings.rounds import said, whole_series, winners
from kwx_sim.findings.wins import Wins, means, per_event, share_of, wins_of
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
    estimate_columns,
    run,
    words,
)
from kwx_sim.report.figures import forest, panels, ruleset_name
from kwx_sim.report.section import ruleset_in_prose
from kwx_sim.rules import PRESETS, Ruleset, changed
from kwx_sim.runs import Run
from kwx_sim.stats import Estimates
from kwx_sim.trials import play_rows, points

SEATS = 3
PERCENT = 100
ALIKE = 0.05
"""Two rulesets are named as all but alike where fewer rounds than this share were paid differently."""

COMPARED = ("discards", "mean_fan", "paid", "variance", "kong_points")
"""Measures of which the text names the rulesets at both ends."""

COLUMNS = 4  # of the figure

DRAWN = ("undecided", "self_draw", "discards", "seats_declaring", "mean_fan", "paid", "deviation", "kong_points")
"""Measures of the figure."""


@dataclass(frozen=True)
class Played:
    """A ruleset as it was played: rounds, (n,) ROUND, and each seat's first ready moments, (m,) FORK."""

    rules: Ruleset
    rounds: NDArray[np.void]
    forks: NDArray[np.void]

    @cached_property
    def wins(self) -> Wins:
        """The wins of the rounds."""
        return wins_of(self.rules, self.rounds)

    @cached_property
    def each(self) -> NDArray[np.int64]:
        """One event a round."""
        return np.ones(len(self.rounds), np.int64)

    @property
    def name(self) -> Words:
        """The ruleset, for people."""
        return ruleset_name(self.rules.name)


@dataclass(frozen=True)
class Measure:
    """Totals and events by round, both (n,), of which the `mean` per event, its `root` or a `share` is the figure."""

    total: ArrayLike
    events: ArrayLike
    kind: Literal["mean", "root", "share"] = "mean"

    @property
    def n(self) -> int:
        """Number of events."""
        return int(np.sum(self.events))

    @property
    def estimate(self) -> Estimates:
        """The figure, a share in per cent."""
        if self.kind == "share":
            return Estimates(*(value * PERCENT for value in share_of(self.total, self.events)))
        found = per_event(self.total, self.events)
        if self.kind == "mean":
            return found
        root = np.sqrt(found.mean)
        return Estimates(root, found.se / (2 * root), np.sqrt(np.maximum(found.ci_low, 0)), np.sqrt(found.ci_high))


def analyse(work: Work) -> Section:
    """Play every ruleset and put the figures side by side."""
    played = [_play(work, rules) for rules in work.rules]
    measured = {each.rules.name: dict(measures(each)) for each in played}
    frame = side_by_side(measured)
    apart = _told_apart(measured, played)
    n = f"{len(played[0].rounds):,}"
    looser = [each for each in played if each.rules.shapes.missing_suit == "sets_only"]
    return Section(
        name="rulesets",
        title=words("report_rulesets.title"),
        question=words("report_rulesets.question"),
        headline=[_ends(apart, "paid", "headline")],
        parts=[
            Paragraph(words("report_rulesets.method", n=n)),
            Bullets(
                [
                    *(_ends(apart, name) for name in COMPARED if any(name in found for found in apart.values())),
                    *_alike(played),
                ]
            ),
            _figure(frame, played),
            _table(frame, played),
            Paragraph(words("report_rulesets.notes")),
            *_unpaid_kongs(played),
            *(part for each in looser for part in _on_missing_suit(each, _play(work, _strict(each.rules)))),
        ],
    )


def _play(work: Work, rules: Ruleset) -> Played:
    asked = Run.of(rules, games=whole_series(work.games // len(work.rules)), seed=work.seed)
    progress = work.progress(ruleset_name(rules.name))
    return Played(rules, *play_rows(asked, forks=rules.liangdao.enabled, workers=work.workers, progress=progress))


def _strict(rules: Ruleset) -> Ruleset:
    return changed(rules, {"name": f"{rules.name}_strict", "shapes.missing_suit": "strict"})


# What is measured, in the order of the table.


def measures(played: Played) -> Iterator[tuple[str, Measure]]:
    """Give every measure by name; one that the rules have no place for is not among them."""
    yield from _how_rounds_end(played)
    yield from _how_long(played)
    yield from _what_wins_pay(played)
    if played.rules.liangdao.enabled:
        yield from _who_declares(played)
    yield from _where_points_come_from(played)


def _how_rounds_end(played: Played) -> Iterator[tuple[str, Measure]]:
    outcome = played.rounds["outcome"]
    several = winners(played.rounds).sum(axis=1) > 1
    for name, some in (
        ("self_draw", outcome == SELF_DRAWN),
        ("discard", (outcome == DISCARD_WON) & ~several),
        ("double_win", several),
        ("robbed_kong", (outcome == KONG_ROBBED) & ~several),
        ("undecided", outcome == UNDECIDED),
    ):
        yield name, Measure(some, played.each, "share")


def _how_long(played: Played) -> Iterator[tuple[str, Measure]]:
    won = winners(played.rounds)
    yield "discards", Measure(played.rounds["discards"], played.each)
    yield "win_draws", Measure((played.rounds["draws"] * won).sum(axis=1), won.sum(axis=1))


def _what_wins_pay(played: Played) -> Iterator[tuple[str, Measure]]:
    wins, won = played.wins, points(played.rounds)
    count = wins.by_round(np.ones(len(wins.place)))
    drawn = wins.outcome == SELF_DRAWN
    yield "mean_fan", Measure(wins.by_round(wins.fan), count)
    yield "paid", Measure(wins.by_round(wins.paid), count)
    yield "paid_self_draw", Measure(wins.by_round(wins.paid * drawn), wins.by_round(drawn))
    yield "paid_discard", Measure(wins.by_round(wins.paid * ~drawn), wins.by_round(~drawn))
    # The mean over the seats is zero in every round.
    yield "variance", Measure((won**2).sum(axis=1), SEATS * played.each)
    yield "deviation", Measure((won**2).sum(axis=1), SEATS * played.each, "root")


def _who_declares(played: Played) -> Iterator[tuple[str, Measure]]:
    declared, won = played.rounds["declared"] != 0, winners(played.rounds)
    ready = np.bincount(played.forks["number"], minlength=len(played.rounds))
    draws = np.bincount(played.forks["number"], weights=played.forks["hand"]["draws"], minlength=len(played.rounds))
    yield "rounds_declared", Measure(declared.any(axis=1), played.each, "share")
    yield "seats_declaring", Measure(declared.sum(axis=1), SEATS * played.each, "share")
    yield "declared_at", Measure((played.rounds["declared_at"] * declared).sum(axis=1), declared.sum(axis=1))
    yield "seats_ready", Measure(ready, SEATS * played.each, "share")
    yield "ready_at", Measure(draws, ready)
    yield "wins_declared", Measure((won & declared).sum(axis=1), won.sum(axis=1), "share")


def _where_points_come_from(played: Played) -> Iterator[tuple[str, Measure]]:
    rounds, wins = played.rounds, played.wins
    kongs = np.maximum(rounds["kong_points"], 0).sum(axis=1)
    undecided = np.maximum(rounds["undecided_points"], 0).sum(axis=1)
    maima = wins.by_round(wins.maima)
    moved = kongs + undecided + wins.by_round(wins.paid)
    yield "kongs", Measure(rounds["melds"][:, :, 1:].sum(axis=(1, 2)), played.each)
    yield "moved", Measure(moved, played.each)
    if _pays_kongs(played.rules):
        yield "kong_points", Measure(kongs, moved, "share")
    if played.rules.maima.enabled:
        yield "maima_points", Measure(maima, moved, "share")
    if played.rules.liangdao.undecided_first_pays:
        yield "undecided_points", Measure(undecided, moved, "share")


def _pays_kongs(rules: Ruleset) -> bool:
    terms = rules.payment
    return any((terms.direct_kong, terms.concealed_kong, terms.added_kong))


def side_by_side(measured: dict[str, dict[str, Measure]]) -> pd.DataFrame:
    """Put measures in rows and rulesets in columns, an estimate with its n each; NaN where a ruleset has none."""
    names = list(dict.fromkeys(name for found in measured.values() for name in found))
    frame = pd.DataFrame({"measure": names})
    nothing = Estimates(*(np.array(np.nan) for _ in Estimates._fields))
    for ruleset, found in measured.items():
        cells = [found[name].estimate if name in found else nothing for name in names]
        estimate_columns(frame, ruleset, means(cells))
        frame[f"{ruleset}_n"] = [found[name].n if name in found else 0 for name in names]
    return frame


# What is said and shown.


def _unpaid_kongs(played: list[Played]) -> list[Part]:
    """Say where kongs pay nothing by the rules, which is no estimate."""
    names = [each.name for each in played if not _pays_kongs(each.rules)]
    return [Paragraph(words("report_rulesets.unpaid_kongs", rulesets=enumerated(names)))] if names else []


def _measure(name: str) -> Words:
    return words(f"report_rulesets.measure.{name}")


def _told_apart(measured: dict[str, dict[str, Measure]], played: list[Played]) -> dict[str, dict[str, Measure]]:
    """The measures of each ruleset, those of rulesets that gave the same figures once under both names."""
    frames = [{"all": side_by_side({"it": found}).assign(ruleset=name)} for name, found in measured.items()]
    told = told_once([each.rules for each in played], frames)
    return {one.rules.name: measured[played[one.place].rules.name] for one in told}


def _alike(played: list[Played]) -> Iterator[Words]:
    """Name the rulesets of which hardly a round was paid differently."""
    for one, other in combinations(played, 2):
        differ = int((points(one.rounds) != points(other.rounds)).any(axis=1).sum())
        if differ < ALIKE * len(one.rounds):
            n = f"{len(one.rounds):,}"
            yield words("report_rulesets.alike", one=one.name, other=other.name, differ=f"{differ:,}", n=n)


def _ends(measured: dict[str, dict[str, Measure]], name: str, key: str = "ends") -> Words:
    """Say of which ruleset a measure is smallest and of which it is largest."""
    found = {ruleset: cells[name].estimate for ruleset, cells in measured.items() if name in cells}
    order = sorted(found, key=lambda ruleset: float(found[ruleset].mean))
    low, high = order[0], order[-1]
    return words(
        f"report_rulesets.{key if len(order) > 1 else 'only'}", measure=_measure(name),
        low=_with_alike(low, found), least=said(found[low], ".2f"),
        high=_with_alike(high, found), most=said(found[high], ".2f"),
        low_n=f"{measured[low][name].n:,}", high_n=f"{measured[high][name].n:,}",
    )  # fmt: skip


def _with_alike(ruleset: str, found: dict[str, Estimates]) -> Words:
    """Name a ruleset, and those whose figures its own interval does not exclude, nor theirs its own."""
    it = found[ruleset]
    alike = [
        ruleset_in_prose(name)
        for name, other in found.items()
        if name != ruleset and other.ci_low <= it.ci_high and it.ci_low <= other.ci_high
    ]
    name = ruleset_in_prose(ruleset)
    return words("report_rulesets.not_apart", name=name, alike=enumerated(alike)) if alike else name


def _on_missing_suit(looser: Played, strict: Played) -> list[Part]:
    """缺一门: what it changes when the pair, too, has to be of the one suit."""
    readings = {"sets_only": looser, "strict": strict}
    frame = side_by_side({name: _with_ping_hu(each) for name, each in readings.items()})
    heads = {name: words(f"report_rulesets.head.{name}") for name in readings}
    columns = [
        Column("label", words("report_rulesets.head.measure")),
        *(Column(name, heads[name], "estimate:.2f") for name in readings),
    ]
    sizes = Words.join((_sizes(each, heads[name]) for name, each in readings.items()), en="; ", zh="；")
    caption = words("report_rulesets.caption.missing_suit", ruleset=looser.name, sizes=sizes)
    shown = frame.assign(label=frame["measure"].map(_measure))
    return [
        Paragraph(words("report_rulesets.missing_suit", ruleset=looser.name)),
        Table(f"missing_suit_{looser.rules.name}", shown, caption, columns),
    ]


def _with_ping_hu(played: Played) -> dict[str, Measure]:
    wins = played.wins
    plain = Measure(wins.by_round(wins.has("ping_hu")), wins.by_round(np.ones(len(wins.place))), "share")
    return {**dict(measures(played)), "ping_hu": plain}


def _table(frame: pd.DataFrame, played: list[Played]) -> Table:
    columns = [
        Column("label", words("report_rulesets.head.measure")),
        *(Column(each.rules.name, each.name, "estimate:.2f") for each in played),
    ]
    sizes = Words.join((_sizes(each, each.name) for each in played), en="; ", zh="；")
    shown = frame.assign(label=frame["measure"].map(_measure))
    return Table("rulesets", shown, words("report_rulesets.caption.table", sizes=sizes), columns)


def _sizes(played: Played, name: Words) -> Words:
    n, wins, ready = len(played.rounds), len(played.wins.place), len(played.forks)
    return words("report_rulesets.sizes", name=name, n=f"{n:,}", wins=f"{wins:,}", ready=f"{ready:,}")


def _figure(frame: pd.DataFrame, played: list[Played]) -> Figure:
    drawn = [name for name in DRAWN if name in set(frame["measure"])]

    def draw(canvas: Canvas, lang: str) -> None:
        names = [each.name.told(lang) for each in played]
        rows = frame.set_index("measure")
        for place, (axes, name) in enumerate(zip(panels(canvas, len(drawn), COLUMNS, share=False), drawn, strict=True)):
            mean, low, high = (
                rows.loc[name, [f"{each.rules.name}{end}" for each in played]].to_numpy(float)
                for end in ("", "_low", "_high")
            )
            forest(axes, names if place % COLUMNS == 0 else [""] * len(names), mean, low, high, zero=None)
            axes.set_xlabel(words(f"report_rulesets.axis.{name}").told(lang))
            axes.margins(x=0.15)

    count = f"{len(played[0].rounds):,}"
    return Figure(
        "rulesets",
        words("report_rulesets.caption.figure", n=count),
        words("report_rulesets.alt"),
        draw,
        size=(9.0, 4.6),
    )


ANALYSIS = Analysis("rulesets", analyse, PRESETS, together=True, games=1_000_000, draft_games=30_000, per="all")


def main() -> None:
    """Run this section by itself."""
    run(ANALYSIS)


if __name__ == "__main__":
    main()
