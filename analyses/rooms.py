"""What does a room's entry fee leave of an edge, and does a player double the minimum stake before losing it?

A player sits in each seat of every wall in turn, among two others who play worse, alike or better; a wall is one
cluster. Bankrolls then walk through the rounds that were measured (`kwx_sim.findings.bankroll`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

from kwx_sim.core.series import SERIES
from kwx_sim.findings.bankroll import Walk, walk
from kwx_sim.findings.players import enumerated
from kwx_sim.findings.rounds import deviation, in_series, mean, room_name, rooms_by_cap, said, verdict, whole_series
from kwx_sim.findings.wins import means, per_event, share_of
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
    estimate_columns,
    run,
    words,
)
from kwx_sim.report.figures import COLOURS, GREY, forest
from kwx_sim.rules import Ruleset
from kwx_sim.rules.model import Room
from kwx_sim.runs import Run
from kwx_sim.stats import Estimates
from kwx_sim.trials import play_rows, play_seats, points, seat_points

SEATS = 3
LEAST_WALLS = 64
RATIO_MARGIN = 0.05
"""Of a ratio to 1: what is nearer counts as 1."""

REFERENCE = "efficient"
TREMBLES = (2, 5, 10, 20, 30, 50)  # per cent
EQUAL = "equal"

GAPS = {
    "self_5": (f"{REFERENCE}:tremble=0.05", REFERENCE),
    EQUAL: (REFERENCE, REFERENCE),
    **{f"others_{percent}": (REFERENCE, f"{REFERENCE}:tremble={percent / 100}") for percent in TREMBLES},
}
"""Skill gaps, the player's disadvantage first: who plays, and who sits in the two other seats."""

STAKES = (1, 4, 16)
"""Where bankrolls start, in minimum stakes."""


@dataclass(frozen=True)
class Contest:
    """A player among two others in the rooms of one cap; `result` is (walls, 3), its bases in each seat before fees."""

    gap: str
    cap: int
    result: NDArray[np.int64]


@dataclass(frozen=True)
class Bankroll:
    """A stake of so many minimums of a room, and what became of it."""

    room: Room
    contest: Contest
    minimums: int
    walk: Walk


def analyse(work: Work) -> Section:
    """Play every skill gap in the rooms of every cap, and let bankrolls walk."""
    rules = work.rule
    caps = rooms_by_cap(rules)
    walls = max(work.games // ((len(GAPS) * len(caps) + 1) * SEATS), LEAST_WALLS)
    contests = [play(work, gap, cap, walls) for cap in caps for gap in GAPS]
    bankrolls = walks(rules, contests)
    edges, stakes = edges_of(contests, rules.entry_fee), stakes_of(bankrolls, rules.entry_fee)
    return Section(
        name="rooms",
        title=words("report_rooms.title"),
        question=words("report_rooms.question"),
        headline=[_on_equal(rules.entry_fee), _on_break_even(contests, rules.entry_fee)],
        parts=[
            Paragraph(words("report_rooms.fee", fee=rules.entry_fee, third=_third(rules))),
            _rooms_table(rules, bankrolls),
            Paragraph(words("report_rooms.method", walls=f"{walls:,}", n=f"{SEATS * walls:,}")),
            Bullets(_findings(rules, contests, bankrolls)),
            _edges_table(edges),
            _points_table(rules, contests),
            Paragraph(words("report_rooms.walk", fee=rules.entry_fee)),
            Paragraph(_on_series(series_spread(work, SEATS * walls))),
            _figure(edges, stakes, rules),
            _stakes_table(stakes),
            Paragraph(words("report_rooms.limits")),
        ],
    )


# What is measured.


def play(work: Work, gap: str, cap: int, walls: int) -> Contest:
    """Play one skill gap in the first room of a cap."""
    player, others = GAPS[gap]
    rows = play_seats(
        work.rule, player, others, walls=walls, seed=work.seed, room=rooms_by_cap(work.rule)[cap][0].name,
        workers=work.workers, progress=work.progress(_gap(gap)),
    )  # fmt: skip
    return Contest(gap, cap, seat_points(rows))


def below_minimum(by_seat: NDArray[np.int64], fee: int) -> Estimates:
    """Give the share of rounds after which a minimum stake is less than it was."""
    return share_of((by_seat < fee).sum(axis=1), np.full(len(by_seat), SEATS))


def series_spread(work: Work, games: int) -> Estimates:
    """Give the variance of a seat's total over a series, over that of as many independent rounds, all playing alike.

    Both means are zero by symmetry, so that it is the ratio of two sums of squares.
    """
    run_of_rounds = Run.of(work.rule, games=whole_series(games), seed=work.seed)
    won = points(play_rows(run_of_rounds, forks=False, workers=work.workers).rounds)
    totals = np.stack([in_series(won[:, seat]) for seat in range(SEATS)], axis=1)
    return per_event((totals**2).sum(axis=1), in_series((won**2).sum(axis=1)))


def walks(rules: Ruleset, contests: list[Contest]) -> list[Bankroll]:
    """Let bankrolls walk in every room; rooms of one cap whose stakes are as many bases share their walks."""
    known: dict[tuple[str, int, Fraction], Walk] = {}
    found = []
    for room, contest, minimums in product(rules.rooms, contests, STAKES):
        if contest.cap == room.cap:
            start = contest.gap, contest.cap, stake(room, minimums)
            if start not in known:
                known[start] = walk(contest.result, start[-1], rules.entry_fee)
            found.append(Bankroll(room, contest, minimums, known[start]))
    return found


def stake(room: Room, minimums: int = 1) -> Fraction:
    """Give a number of minimum stakes in bases."""
    return Fraction(room.min_stake * minimums, room.base)


def edges_of(contests: list[Contest], fee: int) -> pd.DataFrame:
    """Bases a round before and after the fee, and the spread of a round: a row a contest."""
    frame = pd.DataFrame([{"gap": each.gap, "cap": each.cap, "n": each.result.size} for each in contests])
    estimate_columns(frame, "before", means([mean(each.result) for each in contests]))
    estimate_columns(frame, "after", means([mean(each.result, fee) for each in contests]))
    return estimate_columns(frame, "deviation", means([deviation(each.result) for each in contests]))


def stakes_of(bankrolls: list[Bankroll], fee: int) -> pd.DataFrame:
    """What becomes of stakes, and points a round in the room: a row a bankroll."""
    frame = pd.DataFrame(
        {
            "room": each.room.name, "gap": each.contest.gap, "minimums": each.minimums,
            "stake_points": each.room.min_stake * each.minimums, "n": each.contest.result.size,
        }
        for each in bankrolls
    )  # fmt: skip
    results = means([mean(each.contest.result, fee) for each in bankrolls])
    base = np.array([each.room.base for each in bankrolls])
    estimate_columns(frame, "result_points", Estimates(*(value * base for value in results)))
    estimate_columns(frame, "doubles", means([each.walk.doubles for each in bankrolls]))
    estimate_columns(frame, "ruin", means([each.walk.ruin for each in bankrolls]))
    return estimate_columns(frame, "rounds", means([each.walk.rounds for each in bankrolls]))


def paying(contests: list[Contest], fee: float) -> tuple[list[Contest], list[Contest], list[Contest]]:
    """Find the gaps to weaker players, in one room, that clearly earn less than a fee, more, and neither clearly."""
    weaker = [each for each in contests if each.gap.startswith("others_") and each.cap == contests[0].cap]
    sides: dict[str, list[Contest]] = {"below": [], "above": [], "neither": []}
    for each in weaker:
        side = verdict(mean(each.result), fee)
        sides[side if side in sides else "neither"].append(each)
    return sides["below"], sides["above"], sides["neither"]


# What is said and shown.


def _gap(name: str) -> Words:
    who, _, percent = name.partition("_")
    return words(f"report_rooms.gap.{who}", percent=percent)


def _short(name: str) -> Words:
    who, _, percent = name.partition("_")
    return words(f"report_rooms.short.{who}", percent=percent)


def _third(rules: Ruleset) -> str:
    """Give the fee of each where the document's is that of all three."""
    return f"{rules.entry_fee / SEATS:g}"


def _on_equal(fee: int) -> Words:
    return words("report_rooms.equal", fee=fee)


def _on_break_even(contests: list[Contest], fee: float) -> Words:
    """Say which gaps earned a fee, which did not, and between which it turns."""
    missing, earning, neither = paying(contests, fee)
    told = [_on_gap("short", missing[-1])] if missing else []
    told.append(_on_gap("enough", earning[0]) if earning else words("report_rooms.break_even.none"))
    if neither:
        told.append(words("report_rooms.break_even.unclear", who=enumerated([_percent(each) for each in neither])))
    if missing and earning:
        ends = {"low": _percent(missing[-1]), "high": _percent(earning[0])}
        told.append(words("report_rooms.break_even.turns", **ends))
    return words(
        "report_rooms.break_even.fee",
        fee=f"{fee:g}",
        n=f"{contests[0].result.size:,}",
        told=Words.join(told, en="; ", zh="；"),
    )


def _percent(contest: Contest) -> Words:
    told = f"{contest.gap.removeprefix('others_')}%"
    return Words(told, told)


def _on_gap(key: str, contest: Contest) -> Words:
    return words(f"report_rooms.break_even.{key}", who=_gap(contest.gap), edge=said(mean(contest.result)))


def _findings(rules: Ruleset, contests: list[Contest], bankrolls: list[Bankroll]) -> list[Words]:
    fee, equal = rules.entry_fee, next(each for each in contests if each.gap == EQUAL)
    left = said(below_minimum(equal.result, fee), ".1%")
    here = [each for each in bankrolls if each.room == rules.rooms[0]]
    return [
        _on_equal(fee),
        _on_break_even(contests, fee),
        _on_break_even(contests, fee / SEATS),
        words("report_rooms.after_one", share=left, n=f"{equal.result.size:,}"),
        *(_on_stakes([each for each in here if each.contest.gap == gap]) for gap in (EQUAL, list(GAPS)[-1])),
    ]


def _on_stakes(found: list[Bankroll]) -> Words:
    """Say what became of the stakes of one player in one room."""
    told = [
        words("report_rooms.stake.one", minimums=each.minimums, doubles=said(each.walk.doubles, ".1%"))
        for each in found
    ]
    first = found[0]
    return words(
        "report_rooms.stake.all", who=_gap(first.contest.gap), room=room_name(first.room.name),
        rounds=said(first.walk.rounds, ".1f"), told=Words.join(told, en=", ", zh="，"),
    )  # fmt: skip


def _on_series(found: Estimates) -> Words:
    side = verdict(found, 1, RATIO_MARGIN)
    return words(f"report_rooms.series.{side}", ratio=said(found, ".2f"), length=SERIES, margin=RATIO_MARGIN)


def _head(name: str) -> Words:
    return words(f"report_rooms.head.{name}")


def _rooms_table(rules: Ruleset, bankrolls: list[Bankroll]) -> Table:
    frame = pd.DataFrame(
        {
            "room": room.name, "base": room.base, "min_stake": room.min_stake,
            "max_stake": room.max_stake or None, "cap": room.cap, "min_stake_bases": float(stake(room)),
            "fee_points": rules.entry_fee * room.base, "fee_share": rules.entry_fee * room.base / room.min_stake,
        }
        for room in rules.rooms
    )  # fmt: skip
    frame = frame.assign(name=frame["room"].map(room_name))
    equal = [each for each in bankrolls if each.contest.gap == EQUAL and each.minimums == 1]
    frame["n"] = [each.contest.result.size for each in equal]
    estimate_columns(frame, "doubles", means([each.walk.doubles for each in equal]))
    counts = ("base", "min_stake", "max_stake", "cap", "fee_points")
    columns = [
        Column("name", _head("room")),
        *(Column(field, _head(field), "count") for field in counts),
        Column("min_stake_bases", _head("min_stake_bases"), "number:.2f"),
        Column("fee_share", _head("fee_share"), "share:.0%"),
        Column("doubles", _head("doubles_equal"), "estimate:.1%"),
        Column("n", _head("n"), "count"),
    ]
    return Table("rooms", frame, words("report_rooms.caption.rooms"), columns)


def _edges_table(frame: pd.DataFrame) -> Table:
    columns = [
        Column("players", _head("players")),
        Column("cap", _head("cap"), "count"),
        Column("before", _head("before"), "estimate:+.2f"),
        Column("after", _head("after"), "estimate:+.2f"),
        Column("deviation", _head("deviation"), "estimate:.1f"),
        Column("n", _head("n"), "count"),
    ]
    shown = frame.assign(players=frame["gap"].map(_gap))
    return Table("edges", shown, words("report_rooms.caption.edges"), columns, show=len(GAPS))


def _points_table(rules: Ruleset, contests: list[Contest]) -> Table:
    """Results in points: a line a gap, a column a room."""
    frame = pd.DataFrame({"gap": list(GAPS)})
    for room in rules.rooms:
        here = means([mean(each.result, rules.entry_fee) for each in contests if each.cap == room.cap])
        estimate_columns(frame, f"base_{room.base}", Estimates(*(value * room.base for value in here)))
    columns = [
        Column("players", _head("players")),
        *(Column(f"base_{room.base}", room_name(room.name), "estimate:+,.0f") for room in rules.rooms),
        Column("n", _head("n"), "count"),
    ]
    shown = frame.assign(players=frame["gap"].map(_gap), n=contests[0].result.size)
    return Table("points", shown, words("report_rooms.caption.points"), columns)


def _stakes_table(frame: pd.DataFrame) -> Table:
    columns = [
        Column("players", _head("players")),
        Column("name", _head("room")),
        Column("stake_points", _head("stake_points"), "count"),
        Column("minimums", _head("minimums"), "count"),
        Column("doubles", _head("doubles"), "estimate:.1%"),
        Column("ruin", _head("ruin"), "estimate:.1%"),
        Column("rounds", _head("rounds"), "estimate:.1f"),
        Column("n", _head("n"), "count"),
    ]
    shown = frame.assign(players=frame["gap"].map(_gap), name=frame["room"].map(room_name))
    return Table("stakes", shown, words("report_rooms.caption.stakes"), columns, show=len(GAPS) * len(STAKES))


def _figure(edges: pd.DataFrame, stakes: pd.DataFrame, rules: Ruleset) -> Figure:
    room = rules.rooms[0]

    def draw(canvas: Canvas, lang: str) -> None:
        left, right = canvas.subplots(1, 2)
        here = edges[edges["cap"] == room.cap]
        labels = [_short(name).told(lang) for name in here["gap"]]
        forest(left, labels, here["after"], here["after_low"], here["after_high"])
        left.set_xlabel(words("report_rooms.axis.after", n=f"{int(here['n'].iloc[0]):,}").told(lang))
        _draw_doubling(right, here, stakes[stakes["room"] == room.name], rules.entry_fee, lang)

    return Figure(
        "rooms",
        words("report_rooms.caption.figure", room=room_name(room.name)),
        words("report_rooms.alt"),
        draw,
        size=(8.0, 4.0),
    )


def _draw_doubling(axes: Axes, edges: pd.DataFrame, stakes: pd.DataFrame, fee: int, lang: str) -> None:
    """Chance to double against the edge before the fee, a curve for each stake."""
    for place, (minimums, frame) in enumerate(stakes.groupby("minimums")):
        spread = np.stack([frame["doubles"] - frame["doubles_low"], frame["doubles_high"] - frame["doubles"]])
        name = words("report_rooms.axis.stake", minimums=minimums).told(lang)
        axes.errorbar(
            edges["before"], frame["doubles"], yerr=spread, fmt="-" + "osD"[place % 3], color=COLOURS[place],
            markersize=4, label=name,
        )  # fmt: skip
    axes.axvline(fee, color=GREY, linewidth=0.8, linestyle="--", label=words("report_rooms.axis.fee").told(lang))
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_ylim(0, 1)
    axes.grid(axis="y")
    axes.set_xlabel(words("report_rooms.axis.before").told(lang))
    axes.set_ylabel(words("report_rooms.axis.doubles").told(lang))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


ANALYSIS = Analysis("rooms", analyse, ("platform",), together=False, games=1_800_000, draft_games=75_000)


def main() -> None:
    """Run this section by itself."""
    run(ANALYSIS)


if __name__ == "__main__":
    main()
