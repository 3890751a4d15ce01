"""Wins of played rounds, one a row: what each paid, its fans, and what each fan by itself added to the payment.

Rounds are rows of `kwx_sim.trials` (`core.rows.ROUND`), played without piao. A round may have two wins, so figures per
win are made of sums by round (`per_event`, `share_of`): a round is one cluster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from kwx_sim.core.state import SELF_DRAWN
from kwx_sim.report.section import estimate_columns
from kwx_sim.rules import FANS, Ruleset
from kwx_sim.stats import Estimates, proportion, ratio, wilson

__all__ = [
    "MIN_EVENTS",
    "NOTHING",
    "Wins",
    "fan_frame",
    "has_fan",
    "means",
    "own_fans",
    "per_event",
    "share_of",
    "wins_of",
]

SEATS = 3

MIN_EVENTS = 30
"""Means of fewer are left out: their intervals would promise what so few skewed payments cannot keep."""

NOTHING = Estimates(*(np.array(np.nan) for _ in Estimates._fields))
"""In place of an estimate where there is none."""

UNCERTAIN = ("concealed_four_to_one", "open_four_to_one", "kong_flower")
"""Fans that may count for more than their value: twice in a hand, or more after a red kong."""

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Wins:
    """Wins in the order of their rounds; arrays of (wins,) int64 but for `rounds`.

    Attributes
    ----------
    rules : those that were played, in their first room where they have rooms
    rounds : rounds that were played, with a win or without
    place : the round of each win, by its place among the rows
    seat, feeder : who won and whose tile it was, the winner's own on a self-draw
    outcome : how, as in `core.state`
    paid : bases that the winner received
    maima : of these, what 埋马 brought
    fan : before cap and liangdao
    fans : mask of the fans in the order of FANS
    factors : (wins, 2), liangdao's factor of the first payer's share and, where one was due, of the second; else 0
    """

    rules: Ruleset
    rounds: int
    place: Ints
    seat: Ints
    feeder: Ints
    outcome: Ints
    paid: Ints
    maima: Ints
    fan: Ints
    fans: Ints
    factors: Ints

    def has(self, fan: str) -> NDArray[np.bool_]:
        """Tell which wins have the fan."""
        return has_fan(self.fans, fan)

    def by_round(self, values: ArrayLike) -> Ints:
        """Add up values of wins by round: (rounds,)."""
        added = np.bincount(self.place, weights=np.asarray(values, np.float64), minlength=self.rounds)
        return np.rint(added).astype(np.int64)

    def owed(self, fan: Ints, fans: Ints) -> Ints:
        """Give what the payers would owe in bases for these fans in place of the win's own, piao and maima apart."""
        first, second = (_capped(self.rules, fan, fans, factor) for factor in self.factors.T)
        return first + second

    def added(self, fan: str) -> Ints:
        """Give what a fan added to each win's payment in bases, after cap and liangdao; 0 where the win has it not.

        The hand is read as it was: a hand of 七对 without 七对 is priced as the same hand with one fan less.
        """
        worth = self.worth(fan)
        without = self.fan - worth if self.rules.fans.combine == "add" else self.fan // np.maximum(worth, 1)
        bit = 1 << list(FANS).index(fan)
        less = self.owed(self.fan, self.fans) - self.owed(without, self.fans & ~bit)
        return np.where(self.has(fan), less, 0)

    def worth(self, fan: str) -> Ints:
        """What a fan counts for in each win that has it.

        Where a fan may count for more than its value, it is what the others leave of the total; of two such fans in
        one hand the second is taken at its value.
        """
        face = self.rules.fans.value(fan)
        if fan not in UNCERTAIN:
            return np.full(len(self.fan), face)
        adds = self.rules.fans.combine == "add"
        left = self.fan.copy()
        for other in FANS:
            if other != fan:
                value = self.rules.fans.value(other)
                left = np.where(self.has(other), left - value if adds else left // max(value, 1), left)
        earlier = np.zeros(len(left), bool)
        for other in UNCERTAIN[: UNCERTAIN.index(fan)]:
            earlier |= self.has(other)
        return np.where(earlier | ~self.has(fan), face, left)


def wins_of(rules: Ruleset, rows: NDArray[np.void]) -> Wins:
    """Find the wins of rounds.

    Parameters
    ----------
    rows : (rounds,) ROUND, played by `rules` in their first room
    """
    place, seat = np.nonzero(rows["winners"][:, None] >> np.arange(SEATS) & 1)
    won = rows[place]
    feeder = won["feeder"].astype(np.int64)
    drawn = won["outcome"] == SELF_DRAWN
    each = np.arange(len(place))
    paid = won["win_points"][each, seat, seat].astype(np.int64)
    maima = np.where(drawn, won["maima_points"], 0).astype(np.int64)
    first = np.where(drawn, (seat + 1) % SEATS, feeder)
    factors = np.stack(
        [_factor(rules, won["declared"], seat, payer) for payer in (first, SEATS - seat - first)], axis=1
    )
    fan, fans = won["win_fan"][each, seat].astype(np.int64), won["win_fans"][each, seat].astype(np.int64)
    # Who is fed owes one share, or both where a rule makes the feeder pay all: more was paid than one.
    one_share = _capped(rules, fan, fans, factors[:, 0])
    factors[:, 1] *= drawn | (paid - maima > one_share)
    outcome = won["outcome"].astype(np.int64)
    return Wins(rules, len(rows), place, seat, feeder, outcome, paid, maima, fan, fans, factors)


def fan_frame(wins: Wins) -> pd.DataFrame:
    """Make a row of every fan of the ruleset, the most frequent first."""
    fans = [fan for fan in FANS if wins.rules.fans.value(fan)]
    every = wins.by_round(np.ones(len(wins.place)))
    with_it = {fan: wins.by_round(wins.has(fan)) for fan in fans}
    frame = pd.DataFrame(
        {
            "ruleset": wins.rules.name,
            "fan": fans,
            "value": [wins.rules.fans.value(fan) for fan in fans],
            "rounds": wins.rounds,
            "all_wins": len(wins.place),
            "wins": [int(with_it[fan].sum()) for fan in fans],
        }
    )
    rounds_with = [int((with_it[fan] > 0).sum()) for fan in fans]
    estimate_columns(frame, "wins_share", means([share_of(with_it[fan], every) for fan in fans]))
    estimate_columns(frame, "rounds_share", wilson(rounds_with, wins.rounds))
    paid = {fan: wins.by_round(np.where(wins.has(fan), wins.paid, 0)) for fan in fans}
    estimate_columns(frame, "paid", means([per_event(paid[fan], with_it[fan]) for fan in fans]))
    added = {fan: wins.by_round(wins.added(fan)) for fan in fans}
    estimate_columns(frame, "added", means([per_event(added[fan], with_it[fan]) for fan in fans]))
    return frame.sort_values(["wins", "fan"], ascending=[False, True], ignore_index=True)


def has_fan(fans: NDArray[np.integer], fan: str) -> NDArray[np.bool_]:
    """Tell which masks of fans hold a fan."""
    return (fans >> list(FANS).index(fan) & 1).astype(bool)


def own_fans(rows: NDArray[np.void]) -> NDArray[np.uint32]:
    """Give the fans that the player won with in its own seat, for the rows (walls, 3) of `play_seats`; 0 for no win."""
    seats = np.arange(SEATS)
    won = rows["winners"] >> seats & 1
    return np.where(won == 1, rows["win_fans"][:, seats, seats], np.uint32(0))


def per_event(total: ArrayLike, events: ArrayLike) -> Estimates:
    """Give a mean per event of sums and numbers of events by round, both (rounds,); NaN for fewer than MIN_EVENTS."""
    s, n = np.asarray(total, np.int64), np.asarray(events, np.int64)
    if n.sum() < MIN_EVENTS:
        return NOTHING
    return ratio(*_sums(s, n))


def share_of(part: ArrayLike, events: ArrayLike) -> Estimates:
    """Give the share of the events that are of the part, both counted by round, (rounds,); part <= events."""
    return proportion(*_sums(np.asarray(part, np.int64), np.asarray(events, np.int64)))


def means(found: list[Estimates]) -> Estimates:
    """Put single estimates together as arrays, for a frame's columns."""
    return Estimates(*(np.array([float(getattr(one, name)) for one in found]) for name in Estimates._fields))


def _sums(s: Ints, n: Ints) -> tuple[int, ...]:
    return tuple(int(value) for value in (s.sum(), n.sum(), s @ s, s @ n, n @ n))


def _factor(rules: Ruleset, declared: NDArray[np.uint8], winner: Ints, payer: Ints) -> Ints:
    """亮倒: the factor of a payer's share, as `core.payment.liangdao_factor`."""
    each, terms = np.arange(len(winner)), rules.liangdao
    won, pays = declared[each, winner] != 0, declared[each, payer] != 0
    if terms.applies == "winner":
        pays = np.zeros_like(pays)
    one = np.where(won | pays, terms.multiplier, 1)
    return np.where(won & pays, terms.both_multiplier, one).astype(np.int64)


def _capped(rules: Ruleset, fan: Ints, fans: Ints, factor: Ints) -> Ints:
    """封顶: what one payer owes, as `core.payment.paid`; a factor of 0 owes nothing."""
    room = rules.room(None)
    cap = rules.payment.cap if room is None else room.cap
    if cap == 0:
        return fan * factor
    top = np.full(len(fan), cap)
    for special, limit in rules.payment.cap_for.items():
        top = np.maximum(top, np.where(has_fan(fans, special), limit, 0))
    if rules.liangdao.inside_cap:
        return np.asarray(np.minimum(fan * factor, top))
    return np.asarray(np.minimum(fan, top) * factor)
