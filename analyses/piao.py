"""How much piao, in which room and against whom?

These players do not look at piao, so it changes no tile that is played: it adds (own + other's piao) to every share
that two players settle, doubled with it where the winner has declared. A result is therefore the result without piao
plus (own + others' piao) times the player's net shares, and two runs of the same walls, without piao and with a piao of
1 of the player's own, give every choice. A player sits in each seat of every wall in turn; a wall is one cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from numpy.typing import NDArray

from kwx_sim.findings.players import enumerated
from kwx_sim.findings.rounds import deviation, judged, mean, room_name, rooms_by_cap, said, verdict
from kwx_sim.findings.wins import means
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
from kwx_sim.report.figures import COLOURS, mark_zero
from kwx_sim.report.verdicts import DELTA
from kwx_sim.rules import Ruleset, changed
from kwx_sim.trials import play_seats, seat_points

SEATS = 3
RUNS = 3  # without piao, with a piao of 1, and with one that liangdao does not double
SHOWN_FIELDS = 3  # of the longer table, on the page
EQUAL = "equal"

REFERENCE = "efficient"
TREMBLING = "efficient:tremble=0.05"
HEEDLESS = "efficient:avoidance=0"

FIELDS = {
    EQUAL: (REFERENCE, REFERENCE),
    "weaker": (REFERENCE, TREMBLING),
    "stronger": (TREMBLING, REFERENCE),
    "heedless_others": (REFERENCE, HEEDLESS),
    "heedless": (HEEDLESS, REFERENCE),
    "undeclaring_others": (REFERENCE, "efficient:liangdao=never"),
    "closed_others": (REFERENCE, "efficient:pong=0.8"),
    "calling_others": (REFERENCE, "efficient:pong=1.6,kong=1.5"),
}
"""Who plays, and who sits in the two other seats."""


@dataclass(frozen=True)
class Case:
    """A player among two others in the rooms of one cap.

    Attributes
    ----------
    result : (walls, 3), the player's bases in each seat, nobody having piao
    shares : (walls, 3), what a piao of 1 adds: shares won less shares paid, doubled where liangdao doubles them
    undoubled : the same where liangdao does not double piao
    """

    field: str
    cap: int
    result: NDArray[np.int64]
    shares: NDArray[np.int64]
    undoubled: NDArray[np.int64]

    def chosen(self, own: int, others: int) -> NDArray[np.int64]:
        """Give the player's bases, (walls, 3), with these choices of piao."""
        return self.result + (own + others) * self.shares

    @property
    def name(self) -> Words:
        """Say who plays against whom."""
        return words(f"report_piao.field.{self.field}")


def analyse(work: Work) -> Section:
    """Play every pair of players in the rooms of every cap."""
    rules = work.rule
    walls = max(work.games // (len(FIELDS) * len(rooms_by_cap(rules)) * RUNS * SEATS), 2)
    cases = [play(work, field, cap, walls) for field in FIELDS for cap in rooms_by_cap(rules)]
    steps, choices = steps_of(cases, rules.piao.max), choices_of(cases, rules.piao.max)
    return Section(
        name="piao",
        title=words("report_piao.title"),
        question=words("report_piao.question"),
        headline=[_headline(cases, rules), _conclusion(cases, rules.piao.max)],
        parts=[
            Paragraph(words("report_piao.method", n=f"{walls:,}", rounds=f"{SEATS * walls:,}", rooms=_rooms(rules))),
            Bullets([_on_field(case, rules.piao.max) for case in _first_rooms(cases)]),
            Paragraph(_conclusion(cases, rules.piao.max)),
            *_turned(cases, rules.piao.max),
            Paragraph(_on_rooms(cases, rules.piao.max)),
            _steps_table(steps),
            Paragraph(words("report_piao.spread_intro")),
            _figure(steps, choices),
            _choices_table(choices),
            Paragraph(words("report_piao.limits")),
        ],
    )


# What is measured.


def play(work: Work, field: str, cap: int, walls: int) -> Case:
    """Play one pair of players in the first room of a cap."""
    player, others = FIELDS[field]
    room = rooms_by_cap(work.rule)[cap][0].name
    plain = changed(work.rule, {"piao.inside_liangdao": False})

    def bases(rules: Ruleset, own: int) -> NDArray[np.int64]:
        rows = play_seats(
            rules, player, others, walls=walls, seed=work.seed, piao=(own, 0), room=room, workers=work.workers,
            progress=work.progress(words(f"report_piao.field.{field}")),
        )  # fmt: skip
        return seat_points(rows)

    result = bases(work.rule, 0)
    return Case(field, cap, result, bases(work.rule, 1) - result, bases(plain, 1) - result)


def steps_of(cases: list[Case], most: int) -> pd.DataFrame:
    """What each further piao of the player's own brings, and which choice that makes the best: a row a case."""
    frame = pd.DataFrame([{"field": case.field, "cap": case.cap, "n": case.result.size} for case in cases])
    frame["best"] = [best_choice(case, most) for case in cases]
    frame["best_undoubled"] = [best_choice(case, most, doubled=False) for case in cases]
    estimate_columns(frame, "result", means([mean(case.result) for case in cases]))
    estimate_columns(frame, "step", means([mean(case.shares) for case in cases]))
    return estimate_columns(frame, "step_undoubled", means([mean(case.undoubled) for case in cases]))


def best_choice(case: Case, most: int, *, doubled: bool = True) -> str:
    """Name the piao with the highest mean: `0`, the largest, `any` where symmetry makes all alike; within, unclear.

    `doubled`: as the rules have it; else where liangdao does not double piao.
    """
    player, others = FIELDS[case.field]
    if player == others:
        return "any"
    found = verdict(mean(case.shares if doubled else case.undoubled))
    return {"above": str(most), "below": "0"}.get(found, found)


def rounds_that_differ(cases: list[Case]) -> tuple[int, int]:
    """Count the rounds, over all fields, in which the smallest and the largest cap pay differently; and all rounds."""
    first, last = (
        np.stack([np.stack([case.result, case.shares]) for case in cases if case.cap == cap])
        for cap in (cases[0].cap, cases[-1].cap)
    )
    differ = (first != last).any(axis=1)
    return int(differ.sum()), differ.size


def choices_of(cases: list[Case], most: int) -> pd.DataFrame:
    """Mean and spread of a round for every choice of piao, the player's own and that of both others."""
    rows, results, spreads = [], [], []
    for case, own, others in _choices(cases, most):
        by_seat = case.chosen(own, others)
        rows.append({"field": case.field, "cap": case.cap, "own": own, "others": others, "n": by_seat.size})
        results.append(mean(by_seat))
        spreads.append(deviation(by_seat))
    frame = estimate_columns(pd.DataFrame(rows), "result", means(results))
    estimate_columns(frame, "deviation", means(spreads))
    for end in ("", "_low", "_high"):
        # In few rounds the interval of a deviation can reach below 0, and squaring would turn its lower end round.
        frame[f"variance{end}"] = frame[f"deviation{end}"].clip(lower=0) ** 2
    return frame


def _choices(cases: list[Case], most: int) -> Iterator[tuple[Case, int, int]]:
    for case in cases:
        for others in range(most + 1):
            for own in range(most + 1):
                yield case, own, others


# What is said and shown.


def _headline(cases: list[Case], rules: Ruleset) -> Words:
    """What piao does to equal players' results: nothing to the mean; to the spread what was measured."""
    equal, most = cases[0], rules.piao.max
    return words(
        "report_piao.headline", most=most,
        n=f"{equal.result.size:,}",
        without=said(deviation(equal.chosen(0, 0)), ".1f"),
        with_most=said(deviation(equal.chosen(most, most)), ".1f"),
    )  # fmt: skip


def _conclusion(cases: list[Case], most: int) -> Words:
    """Say of whom which piao is the best, as the rules have it and where liangdao does not double piao."""
    as_is, plain = (_best_by_choice(cases, most, doubled=doubled) for doubled in (True, False))
    turned = enumerated([_short(case) for case in turning(cases, most)])
    end = words("report_piao.turns", fields=turned) if turned.en else words("report_piao.turns_none")
    return words("report_piao.conclusion", as_is=as_is, plain=plain, end=end, n=f"{cases[0].result.size:,}")


def _best_by_choice(cases: list[Case], most: int, *, doubled: bool) -> Words:
    told = []
    for choice in (str(most), "0", "within", "unclear"):
        fields = [_short(case) for case in _first_rooms(cases) if best_choice(case, most, doubled=doubled) == choice]
        if fields:
            key = choice if choice in ("within", "unclear") else "best"
            told.append(words(f"report_piao.choose.{key}", piao=choice, fields=enumerated(fields), margin=DELTA))
    return Words.join(told, en="; ", zh="；")


def turning(cases: list[Case], most: int) -> list[Case]:
    """Give the cases in the first rooms of which the best choice turns round where liangdao does not double piao."""
    ends = {str(most), "0"}
    return [
        case
        for case in _first_rooms(cases)
        if {best_choice(case, most), best_choice(case, most, doubled=False)} == ends
    ]


def _turned(cases: list[Case], most: int) -> list[Part]:
    told = [
        words("report_piao.turned", field=case.name, step=said(mean(case.shares)), plain=said(mean(case.undoubled)))
        for case in turning(cases, most)
    ]
    return [Bullets(told)] if told else []


def _first_rooms(cases: list[Case]) -> list[Case]:
    return [case for case in cases if case.cap == cases[0].cap]


def _short(case: Case) -> Words:
    return words(f"report_piao.short.{case.field}")


def _on_field(case: Case, most: int) -> Words:
    best = best_choice(case, most)
    key = {"0": "low", str(most): "high"}.get(best, best)
    result, step = mean(case.result), mean(case.shares)
    told = words(
        f"report_piao.best.{key}", field=case.name, most=most, result=said(result), step=said(step), margin=DELTA
    )
    return judged(told, step)


def _on_rooms(cases: list[Case], most: int) -> Words:
    """Say whether the room matters: in how many rounds its cap does, and whether it changes any best choice."""
    best: dict[str, set[str]] = {}
    for case in cases:
        best.setdefault(case.field, set()).add(best_choice(case, most))
    differ, n = rounds_that_differ(cases)
    key = "same" if all(len(found) == 1 for found in best.values()) else "other"
    return words(f"report_piao.rooms.{key}", differ=f"{differ:,}", n=f"{n:,}", low=cases[0].cap, high=cases[-1].cap)


def _rooms(rules: Ruleset) -> Words:
    """List the rooms by cap."""
    return Words.join((_cap(cap, rules) for cap in rooms_by_cap(rules)), en="; ", zh="；")


def _cap(cap: int, rules: Ruleset) -> Words:
    rooms = Words.join((room_name(room.name) for room in rooms_by_cap(rules)[cap]), en=", ", zh="、")
    return words("report_piao.cap", cap=cap, rooms=rooms)


def _head(name: str) -> Words:
    return words(f"report_piao.head.{name}")


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    """Say fields in words, beside the names that stay in the file."""
    return frame.assign(players=frame["field"].map(lambda name: words(f"report_piao.field.{name}")))


PLAYERS = Column("players", words("report_piao.head.players"))
CAP = Column("cap", words("report_piao.head.cap"), "count")
N = Column("n", words("report_piao.head.n"), "count")


def _choice_words(best: str) -> Words:
    return words(f"report_piao.choice.{best}")


def _steps_table(frame: pd.DataFrame) -> Table:
    shown = _named(frame.sort_values("cap", kind="stable", ignore_index=True))
    shown = shown.assign(
        choice=shown["best"].map(_choice_words), choice_undoubled=shown["best_undoubled"].map(_choice_words)
    )
    columns = [
        PLAYERS,
        CAP,
        Column("result", _head("result"), "estimate:+.3f"),
        Column("step", _head("step"), "estimate:+.3f"),
        Column("choice", _head("choice")),
        Column("step_undoubled", _head("step_undoubled"), "estimate:+.3f"),
        Column("choice_undoubled", _head("choice_undoubled")),
        N,
    ]
    return Table("steps", shown, words("report_piao.caption.steps"), columns, show=len(FIELDS))


def _choices_table(frame: pd.DataFrame) -> Table:
    columns = [
        PLAYERS,
        CAP,
        Column("others", _head("others"), "count"),
        Column("own", _head("own"), "count"),
        Column("result", _head("result"), "estimate:+.3f"),
        Column("deviation", _head("deviation"), "estimate:.2f"),
        Column("variance", _head("variance"), "estimate:.0f"),
        N,
    ]
    in_order = frame.sort_values("cap", kind="stable", ignore_index=True)
    of_one_field = int((in_order["cap"] == in_order["cap"][0]).sum()) // len(FIELDS)
    shown = SHOWN_FIELDS * of_one_field
    return Table("choices", _named(in_order), words("report_piao.caption.choices"), columns, show=shown)


def _figure(steps: pd.DataFrame, choices: pd.DataFrame) -> Figure:
    smallest = steps["cap"][0]

    def draw(canvas: Canvas, lang: str) -> None:
        left, right = canvas.subplots(1, 2, width_ratios=(3, 2))
        _draw_steps(left, steps[steps["cap"] == smallest], lang)
        _draw_spread(right, choices[(choices["field"] == EQUAL) & (choices["cap"] == smallest)], lang)

    return Figure("piao", words("report_piao.caption.figure"), words("report_piao.alt"), draw, size=(8.0, 4.6))


def _draw_steps(axes: Axes, steps: pd.DataFrame, lang: str) -> None:
    for place, field in enumerate(("step", "step_undoubled")):
        heights = np.arange(len(steps)) + 0.24 * (place - 0.5)
        spread = np.stack([steps[field] - steps[f"{field}_low"], steps[f"{field}_high"] - steps[field]])
        name = words(f"report_piao.axis.{field}").told(lang)
        axes.errorbar(
            steps[field], heights, xerr=spread, fmt="os"[place], color=COLOURS[place], markersize=4, label=name
        )
    axes.set_yticks(range(len(steps)), [words(f"report_piao.short.{name}").told(lang) for name in steps["field"]])
    axes.set_ylim(len(steps) - 0.5, -0.5)
    mark_zero(axes)
    axes.grid(axis="x")
    axes.set_xlabel(words("report_piao.axis.each", n=f"{int(steps['n'].iloc[0]):,}").told(lang))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


def _draw_spread(axes: Axes, equal: pd.DataFrame, lang: str) -> None:
    for place, (others, frame) in enumerate(equal.groupby("others")):
        name = words("report_piao.axis.others", others=others).told(lang)
        spread = np.stack([frame["deviation"] - frame["deviation_low"], frame["deviation_high"] - frame["deviation"]])
        axes.errorbar(
            frame["own"], frame["deviation"], yerr=spread, fmt="-" + "osD"[place % 3], color=COLOURS[place],
            markersize=4, label=name,
        )  # fmt: skip
    axes.set_xticks(sorted(set(equal["own"])))
    axes.set_xlabel(words("report_piao.axis.own").told(lang))
    axes.set_ylabel(words("report_piao.axis.deviation", n=f"{int(equal['n'].iloc[0]):,}").told(lang))
    axes.grid(axis="y")
    axes.legend(loc="upper left")


ANALYSIS = Analysis("piao", analyse, ("platform",), together=False, games=3_240_000, draft_games=108_000)


def main() -> None:
    """Run this section by itself."""
    run(ANALYSIS)


if __name__ == "__main__":
    main()
