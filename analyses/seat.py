"""Is it good to deal, who wins what one discards, and how long does a dealer stay?

Rounds are played as at a table, in series of 16: the first dealer is drawn, then the rule says who deals. All three
seats play alike, so that what one position wins over another is the position's. A series is one cluster.
"""

from __future__ import annotations

from itertools import starmap
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator, PercentFormatter
from numpy.typing import NDArray

from kwx_sim.core.series import SERIES
from kwx_sim.core.state import DISCARD_WON, SELF_DRAWN, UNDECIDED
from kwx_sim.findings.alike import same, told_once
from kwx_sim.findings.players import enumerated, found_in
from kwx_sim.findings.rounds import (
    EVEN_MARGIN,
    estimates_in,
    from_dealer,
    in_series,
    judged,
    said,
    verdict,
    whole_series,
    winners,
)
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
from kwx_sim.report.figures import COLOURS, INK, mark_zero, ruleset_name
from kwx_sim.report.section import ruleset_in_prose
from kwx_sim.report.verdicts import DELTA
from kwx_sim.rules import PRESETS, Ruleset
from kwx_sim.runs import Run
from kwx_sim.stats import Estimates
from kwx_sim.trials import play_rows, points

POSITIONS = ("dealer", "next", "after")
"""Of a seat, in the order of play."""

EVEN = 0.5
"""The next seat's share of the discards won, were both other seats alike."""

EVEN_POINTS = f"{100 * EVEN_MARGIN:g}"
"""The margin about a half in percentage points."""

APART = ("above", "below")


class Played(NamedTuple):
    """A ruleset and its rounds, (n,) ROUND."""

    rules: Ruleset
    rounds: NDArray[np.void]

    @property
    def name(self) -> Words:
        """The ruleset, for people."""
        return ruleset_name(self.rules.name)


def analyse(work: Work) -> Section:
    """Play every ruleset and look at the rounds by position."""
    played = [_play(work, rules) for rules in work.rules]
    found = told_once(work.rules, [{name: make(*one) for name, make in FRAMES.items()} for one in played])
    played = [played[one.place]._replace(rules=one.rules) for one in found]
    positions, feeding, stays = (pd.concat([one.frames[name] for one in found], ignore_index=True) for name in FRAMES)
    dealing, next_share = [dealer_gain(one.rounds) for one in played], [next_seat(one.rounds) for one in played]
    by_draws = [next_seat_by_draws(one.rounds) for one in played]
    count = len(played[0].rounds)
    return Section(
        name="seat",
        title=words("report_seat.title"),
        question=words("report_seat.question"),
        headline=_headline(positions, feeding),
        parts=[
            Paragraph(words("report_seat.method", n=f"{count:,}", series=SERIES)),
            Bullets([*same(found), *starmap(_on_dealing, zip(played, dealing, strict=True))]),
            _positions_table(positions),
            _figure(played, positions, feeding),
            Paragraph(words("report_seat.feeding_intro", margin=EVEN_POINTS)),
            Bullets([_on_feeding(*each) for each in zip(played, next_share, strict=True)]),
            _feeding_table(feeding),
            Paragraph(words("report_seat.draws_intro")),
            Bullets([_on_draws(*each) for each in zip(played, by_draws, strict=True)]),
            Paragraph(_on_what_draws_leave(played, by_draws)),
            Paragraph(words("report_seat.stays_intro")),
            _stays_table(stays),
            Paragraph(words("report_seat.limits")),
        ],
    )


# What is measured.


def by_position(rules: Ruleset, rounds: NDArray[np.void]) -> pd.DataFrame:
    """Bases a round, and shares of rounds won, self-drawn and fed, by position: a row each."""
    one = np.ones(len(rounds), np.int64)
    drawn = winners(rounds) & (rounds["outcome"] == SELF_DRAWN)[:, None]
    fed = feeders(rounds)
    frame = pd.DataFrame({"ruleset": rules.name, "position": POSITIONS, "n": len(rounds)})
    won = from_dealer(rounds, points(rounds))
    estimate_columns(frame, "points", means([_mean(won[:, at], one) for at in range(3)]))
    for measure, happened in (("win", winners(rounds)), ("self_draw", drawn), ("fed", fed)):
        seen = from_dealer(rounds, happened)
        estimate_columns(frame, measure, means([_share(seen[:, at], one) for at in range(3)]))
    return frame


def by_feeder(rules: Ruleset, rounds: NDArray[np.void]) -> pd.DataFrame:
    """Of the discards won, the share that the next seat wins: of all seats' discards, and by who discarded."""
    position = (rounds["feeder"].astype(np.int64) - rounds["dealer"]) % 3
    among = [np.ones(len(rounds), bool), *(position == at for at in range(3))]
    to_next, wins = discards_won(rounds)
    frame = pd.DataFrame({"ruleset": rules.name, "feeder": ("all", *POSITIONS)})
    frame["n"] = [int(wins[those].sum()) for those in among]
    return estimate_columns(frame, "next", means([_share(to_next * those, wins * those) for those in among]))


def by_dealer(rules: Ruleset, rounds: NDArray[np.void]) -> pd.DataFrame:
    """How often the dealer deals again, why, and for how many rounds on average: one row."""
    one = np.ones(len(rounds), np.int64)
    stays = rounds["next_dealer"] == rounds["dealer"]
    undecided = rounds["outcome"] == UNDECIDED
    several = winners(rounds).sum(axis=1) > 1
    frame = pd.DataFrame({"ruleset": [rules.name], "n": len(rounds)})
    again = np.arange(len(rounds)) % SERIES > 0
    again[1:] &= rounds["dealer"][1:] == rounds["dealer"][:-1]
    cells = {
        "stays": (stays, one),
        "won": (stays & ~undecided & ~several, one),
        "fed_two": (stays & several, one),
        "undecided": (stays & undecided, one),
        "stays_first": (stays & ~again, ~again),
        "stays_later": (stays & again, again),
    }
    for measure, (some, of) in cells.items():
        estimate_columns(frame, measure, means([_share(some, of)]))
    for end in ("", "_low", "_high"):
        frame[f"rounds{end}"] = 1 / (1 - frame[f"stays{end}"])
    return frame


def dealer_gain(rounds: NDArray[np.void]) -> Estimates:
    """What the dealer wins in bases a round."""
    return _mean(from_dealer(rounds, points(rounds))[:, 0], np.ones(len(rounds), np.int64))


def next_seat(rounds: NDArray[np.void]) -> Estimates:
    """The share of discards won that the seat next to who discarded wins."""
    return _share(*discards_won(rounds))


def next_seat_by_draws(rounds: NDArray[np.void]) -> tuple[Estimates, Estimates]:
    """The same where both opponents have drawn equally often, and where the seat after the next is a draw ahead.

    Pongs and kongs aside: in the order of play from the dealer, the seat in the middle discards when the dealer has
    drawn once more than the third seat; when the dealer or the third seat discards, both opponents are level.
    """
    to_next, wins = discards_won(rounds)
    middle = (rounds["feeder"].astype(np.int64) - rounds["dealer"]) % 3 == POSITIONS.index("next")
    level, behind = (_share(to_next * those, wins * those) for those in (~middle, middle))
    return level, behind


def feeders(rounds: NDArray[np.void]) -> NDArray[np.bool_]:
    """Whose discard or kong was won, (n, 3)."""
    decided = (rounds["outcome"] != SELF_DRAWN) & (rounds["outcome"] != UNDECIDED)
    return np.asarray(decided[:, None] & (rounds["feeder"][:, None] == np.arange(3)))


def discards_won(rounds: NDArray[np.void]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Wins on a discard by the seat next to its owner, and by anybody: 0 to 1, and 0 to 2, a round."""
    wins = winners(rounds) & (rounds["outcome"] == DISCARD_WON)[:, None]
    following = (rounds["feeder"].astype(np.int64) + 1) % 3
    to_next = np.take_along_axis(wins, following[:, None], axis=1)[:, 0]
    return to_next.astype(np.int64), wins.sum(axis=1)


def _play(work: Work, rules: Ruleset) -> Played:
    games = whole_series(work.games // len(work.rules))
    rows = play_rows(
        Run.of(rules, games=games, seed=work.seed),
        forks=False,
        workers=work.workers,
        progress=work.progress(ruleset_name(rules.name)),
    )
    return Played(rules, rows.rounds)


def _mean(total: NDArray[np.int64], count: NDArray[np.int64]) -> Estimates:
    return per_event(in_series(total), in_series(count))


def _share(some: NDArray[Any], of: NDArray[Any]) -> Estimates:
    return share_of(in_series(some), in_series(of))


FRAMES = {"positions": by_position, "feeding": by_feeder, "stays": by_dealer}


# What is said and shown.


def _on_dealing(played: Played, dealing: Estimates) -> Words:
    side = verdict(dealing)
    told = words(f"report_seat.dealing.{side}", ruleset=played.name, gain=said(dealing), margin=DELTA)
    return judged(told, dealing)


def _on_feeding(played: Played, share: Estimates) -> Words:
    return words(f"report_seat.feeding.{_beside_even(share)}", ruleset=played.name, share=said(share, ".1%"))


def _beside_even(share: Estimates) -> str:
    return verdict(share, EVEN, EVEN_MARGIN)


def _on_draws(played: Played, found: tuple[Estimates, Estimates]) -> Words:
    level, behind = found
    parts = [words(f"report_seat.draws.level.{_beside_even(level)}", share=said(level, ".1%"))]
    parts.append(words(f"report_seat.draws.behind.{_beside_even(behind)}", share=said(behind, ".1%")))
    return words("report_seat.draws.told", ruleset=played.name, parts=Words.join(parts, en="; ", zh="；"))


def _on_what_draws_leave(played: list[Played], found: list[tuple[Estimates, Estimates]]) -> Words:
    """Say where the next seat's share is no half although both opponents have drawn equally often."""
    apart = [one.rules.name for one, (level, _) in zip(played, found, strict=True) if _beside_even(level) in APART]
    if not apart:
        return words("report_seat.draws.enough", margin=EVEN_POINTS)
    return words("report_seat.draws.not_enough", rulesets=enumerated([ruleset_in_prose(name) for name in apart]))


def _headline(positions: pd.DataFrame, feeding: pd.DataFrame) -> list[Words]:
    of_all = feeding[feeding["feeder"] == "all"].sort_values("next")
    ends = {"least": of_all.iloc[0], "most": of_all.iloc[-1]}
    told = {end: _next_of(row) for end, row in ends.items()}
    at = {f"{end}_at": ruleset_name(row["ruleset"]) for end, row in ends.items()}
    dealers = positions[positions["position"] == "dealer"]
    return [
        words("report_seat.headline.dealing", told=found_in(dealers, "points"), n=f"{int(dealers['n'].max()):,}"),
        words(f"report_seat.headline.{'feeding' if len(of_all) > 1 else 'feeding_one'}", **told, **at),
    ]


def _next_of(row: Any) -> Words:
    return words("report_seat.counted", share=said(estimates_in(row, "next"), ".1%"), n=f"{row['n']:,}")


def _head(name: str) -> Words:
    return words(f"report_seat.head.{name}")


def _position(name: str) -> Words:
    return words(f"report_seat.position.{name}")


def _named(frame: pd.DataFrame, field: str) -> pd.DataFrame:
    """Say the rulesets, and the positions of a column, in words, beside the names that stay in the file."""
    shown = frame.assign(ruleset_name=frame["ruleset"].map(ruleset_name))
    if field:
        shown["seat_name"] = frame[field].map(_position)
    return shown


RULESET = Column("ruleset_name", words("report_seat.head.ruleset"))
N_ROUNDS = Column("n", words("report_seat.head.rounds"), "count")


def _positions_table(frame: pd.DataFrame) -> Table:
    columns = [
        RULESET,
        Column("seat_name", _head("position")),
        Column("points", _head("points"), "estimate:+.2f"),
        *(Column(name, _head(name), "estimate:.1%") for name in ("win", "self_draw", "fed")),
        N_ROUNDS,
    ]
    return Table("positions", _named(frame, "position"), words("report_seat.caption.positions"), columns)


def _feeding_table(frame: pd.DataFrame) -> Table:
    columns = [
        RULESET,
        Column("seat_name", _head("feeder")),
        Column("next", _head("next"), "estimate:.1%"),
        Column("n", _head("wins"), "count"),
    ]
    return Table("feeding", _named(frame, "feeder"), words("report_seat.caption.feeding"), columns)


def _stays_table(frame: pd.DataFrame) -> Table:
    shares = ("stays", "won", "fed_two", "undecided", "stays_first", "stays_later")
    columns = [
        RULESET,
        *(Column(name, _head(name), "estimate:.1%") for name in shares),
        Column("rounds", _head("length"), "estimate:.2f"),
        N_ROUNDS,
    ]
    return Table("dealers", _named(frame, ""), words("report_seat.caption.dealers"), columns)


def _figure(played: list[Played], positions: pd.DataFrame, feeding: pd.DataFrame) -> Figure:
    def draw(canvas: Canvas, lang: str) -> None:
        left, right = canvas.subplots(1, 2, sharey=True)
        for axes, frame, by, field in ((left, positions, "position", "points"), (right, feeding, "feeder", "next")):
            for place, position in enumerate(POSITIONS):
                _dots(axes, frame[frame[by] == position], field, place, _position(position).told(lang))
            if field == "next":
                axes.axvline(EVEN, color=INK, linewidth=1.0, zorder=1)
            else:
                mark_zero(axes)
            axes.set_xlabel(words(f"report_seat.axis.{field}").told(lang))
            axes.grid(axis="x")
        left.set_yticks(range(len(played)), [f"{one.name.told(lang)}\nn {len(one.rounds):,}" for one in played])
        left.set_ylim(len(played) - 0.5, -0.5)
        right.xaxis.set_major_locator(MaxNLocator(5))
        right.xaxis.set_major_formatter(PercentFormatter(1))
        title = words("report_seat.axis.legend").told(lang)
        canvas.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=3, title=title)

    return Figure("positions", words("report_seat.caption.figure"), words("report_seat.alt"), draw, size=(7.5, 4.2))


def _dots(axes: Axes, frame: pd.DataFrame, field: str, place: int, name: str) -> None:
    """Draw one position of every ruleset, a little below the one before."""
    heights = np.arange(len(frame)) + 0.22 * (place - 1)
    spread = np.stack([frame[field] - frame[f"{field}_low"], frame[f"{field}_high"] - frame[field]])
    style: dict[str, Any] = {"fmt": "osD"[place], "color": COLOURS[place], "markersize": 4, "linewidth": 1.4}
    axes.errorbar(frame[field], heights, xerr=spread, label=name, **style)


ANALYSIS = Analysis("seat", analyse, PRESETS, together=True, games=1_500_000, draft_games=50_000, per="all")


def main() -> None:
    """Run this section by itself."""
    run(ANALYSIS)


if __name__ == "__main__":
    main()
