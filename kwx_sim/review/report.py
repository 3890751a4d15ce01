"""What a review comes to: mistakes, the worst first, and what they cost by kind and by seat."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kwx_sim.positions.model import SEATS
from kwx_sim.query.decision import Difference
from kwx_sim.review.judge import Judged, State
from kwx_sim.review.kinds import KINDS
from kwx_sim.tiles import NUM_SLOTS, format_hand, format_melds, tile_name

__all__ = ["Rating", "Review", "Settings", "Sum", "Total", "total_of"]


@dataclass(frozen=True)
class Sum:
    """Costs added up, in bases: a sum with its interval.

    Decisions are weighed in worlds of their own, so their errors are independent: half widths add up as squares do.
    """

    number: int
    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, costs: Iterable[Difference]) -> Sum:
        """Add up."""
        given = list(costs)
        mean = math.fsum(cost.mean for cost in given)
        below = math.sqrt(math.fsum((cost.mean - cost.low) ** 2 for cost in given))
        above = math.sqrt(math.fsum((cost.high - cost.mean) ** 2 for cost in given))
        return cls(len(given), mean, mean - below, mean + above)

    def over(self, rounds: int) -> Sum:
        """The same for each of so many rounds."""
        share = max(rounds, 1)
        return Sum(self.number, self.mean / share, self.low / share, self.high / share)


@dataclass(frozen=True)
class Total:
    """What one kind of mistake has cost: all seats together, and each."""

    kind: str
    all: Sum
    seats: dict[int, Sum]


@dataclass(frozen=True)
class Rating:
    """How a seat did: its rounds and decisions, how many are known to be mistakes, and what they cost."""

    seat: int
    rounds: int
    decisions: int
    errors: int
    unclear: int
    unanswered: int
    lost: Sum


@dataclass(frozen=True)
class Settings:
    """What a review rests on."""

    record: str
    rules: tuple[str, ...]
    me: str
    opponents: str
    worlds: int
    precision: float
    seed: int
    kernels: str
    version: str


@dataclass(frozen=True)
class Review:
    """A review.

    Attributes
    ----------
    settings : what it rests on
    judged : every decision, in the order of the record
    rounds : of each seat, how many were gone through
    interrupted : whether decisions are missing because somebody did not wait
    """

    settings: Settings
    judged: tuple[Judged, ...]
    rounds: dict[int, int]
    interrupted: bool = False

    @property
    def errors(self) -> list[Judged]:
        """The mistakes, the worst first."""
        return _worst_first(self.judged, State.ERROR)

    @property
    def unclear(self) -> list[Judged]:
        """The decisions that may have been mistakes, the likely worst first."""
        return _worst_first(self.judged, State.UNCLEAR)

    @property
    def totals(self) -> list[Total]:
        """What each kind of mistake that was made has cost, in the order of KINDS."""
        return [total_of(kind, self.errors) for kind in KINDS if any(each.kind == kind for each in self.errors)]

    @property
    def ratings(self) -> list[Rating]:
        """How each seat did."""
        return [self._rating(seat) for seat in range(SEATS) if self.rounds.get(seat)]

    def _rating(self, seat: int) -> Rating:
        mine = [each for each in self.judged if each.faced.seat == seat]
        states = [each.state for each in mine]
        return Rating(
            seat=seat,
            rounds=self.rounds[seat],
            decisions=len(mine),
            errors=states.count(State.ERROR),
            unclear=states.count(State.UNCLEAR),
            unanswered=states.count(State.UNANSWERED),
            lost=Sum.of(each.cost for each in mine if each.state == State.ERROR and each.cost is not None),
        )

    def to_json(self) -> dict[str, Any]:
        """Every figure as plain JSON values (docs/review.md)."""
        states = [each.state for each in self.judged]
        return {
            "settings": {**vars(self.settings), "rules": list(self.settings.rules)},
            "interrupted": self.interrupted,
            "decisions": len(states),
            **{state.value: states.count(state) for state in State},
            "errors": [_as_json(each) for each in self.errors],
            "unclear_decisions": [_as_json(each) for each in self.unclear],
            "totals": [
                {"kind": total.kind, "all": vars(total.all), "seats": {str(k): vars(v) for k, v in total.seats.items()}}
                for total in self.totals
            ],
            "ratings": [
                {**vars(each), "lost": vars(each.lost), "lost_a_round": vars(each.lost.over(each.rounds))}
                for each in self.ratings
            ],
        }


def total_of(kind: str, errors: Sequence[Judged]) -> Total:
    """What one kind has cost."""
    mine = [each for each in errors if each.kind == kind and each.cost is not None]
    seats = sorted({each.faced.seat for each in mine})
    return Total(kind, _sum(mine), {seat: _sum([each for each in mine if each.faced.seat == seat]) for seat in seats})


def _sum(judged: Iterable[Judged]) -> Sum:
    return Sum.of(each.cost for each in judged if each.cost is not None)


def _worst_first(judged: Iterable[Judged], state: State) -> list[Judged]:
    found = [each for each in judged if each.state == state and each.cost is not None]
    return sorted(found, key=lambda each: (-each.cost.mean if each.cost else 0.0, each.faced.round, each.faced.number))


def _as_json(judged: Judged) -> dict[str, Any]:
    faced, position, cost = judged.faced, judged.faced.position, judged.cost
    offered = position.offered
    return {
        "round": faced.round,
        "decision": faced.number,
        "seat": faced.seat,
        "draw": faced.draw,
        "kind": judged.kind,
        "taken": judged.taken.first if judged.taken else None,
        "better": judged.better.name if judged.better else None,
        "cost": {"mean": cost.mean, "low": cost.low, "high": cost.high} if cost else None,
        "hand": format_hand(np.bincount(position.hand, minlength=NUM_SLOTS)),
        "melds": format_melds(position.melds or ()),
        "offered": None if offered is None else tile_name(offered),
        "worlds": judged.worlds,
        "belief": judged.belief,
    }
