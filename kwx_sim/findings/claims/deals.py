"""Rounds of one ruleset, played when first asked for and then kept: players on equal deals, tables, turns."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from kwx_sim import trials
from kwx_sim.findings.claims.registry import Claim, player
from kwx_sim.policies import Policy, parse_policy
from kwx_sim.rules import Ruleset, changed
from kwx_sim.runs import Progress, Run
from kwx_sim.stats import CONFIDENCE, Estimates, proportion, ratio

__all__ = ["SEATS", "Datum", "Deals", "Found", "Played", "mean_of", "ratio_of", "share_of"]

SEATS = 3
Z = float(ndtri((1 + CONFIDENCE) / 2))

Datum = NDArray[Any]


class Found(NamedTuple):
    """A figure with its standard error and 95% interval, the number of what it is a mean or share of, and how many
    rounds (or walls) of these are not 0: those that went differently, where the figure is a difference.
    """

    mean: float
    se: float
    low: float
    high: float
    n: int
    moved: int | None = None

    @classmethod
    def of(cls, found: Estimates, n: int) -> Found:
        """Make it of scalar estimates."""
        return cls(float(found.mean), float(found.se), float(found.ci_low), float(found.ci_high), int(n))

    def scaled(self, factor: float, shift: float = 0.0) -> Found:
        """Give factor × figure + shift."""
        ends = sorted((self.low * factor + shift, self.high * factor + shift))
        return Found(self.mean * factor + shift, self.se * abs(factor), ends[0], ends[1], self.n, self.moved)


def mean_of(datum: Datum) -> Found:
    """Give the mean of independent data, one a round (or wall)."""
    return ratio_of(datum, np.ones(len(datum), np.int64))


def ratio_of(total: Datum, count: Datum) -> Found:
    """Give Σ total / Σ count over rounds (or walls), each a cluster."""
    return Found.of(ratio(*_sums(total, count)), int(np.sum(count)))


def share_of(total: Datum, count: Datum) -> Found:
    """Give the share Σ total / Σ count of events over rounds, each a cluster.

    Its standard error is that of the interval, which has a width also where all or none of the events count.
    """
    found = Found.of(proportion(*_sums(total, count)), int(np.sum(count)))
    return found._replace(se=(found.high - found.low) / (2 * Z))


def _sums(total: Datum, count: Datum) -> tuple[float, ...]:
    s, n = np.asarray(total, np.float64), np.asarray(count, np.float64)
    return s.sum(), n.sum(), (s * s).sum(), (s * n).sum(), (n * n).sum()


class Played(NamedTuple):
    """A player in every seat of each wall: int32 (walls, 3) by its seat.

    Attributes
    ----------
    points : bases that it won or lost
    won : whether it won
    others_won : how many of the others won
    """

    points: NDArray[np.int32]
    won: NDArray[np.int32]
    others_won: NDArray[np.int32]


class Deals:
    """What has been played of one ruleset.

    Parameters
    ----------
    walls : of every pair of players, each wall in three seats; a claim may ask for fewer, the first of them
    rounds : of the table of like players, with forks
    turns : walls at one turn of which every discard is played on
    progress : told how far each call is
    """

    def __init__(
        self,
        rules: Ruleset,
        *,
        walls: int,
        rounds: int,
        turns: int,
        seed: int,
        workers: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.rules, self.walls = rules, walls
        self._rounds, self._turns, self._seed, self._workers = rounds, turns, seed, workers
        self._progress = progress
        self._kept: dict[tuple[Policy, Policy, int], Played] = {}

    def gains(self, claim: Claim, walls: int | None = None) -> Datum:
        """What the claim's follower wins over the other in each round, (walls, 3) in bases, by its seat."""
        follows = self.played(claim.follows, claim.others, walls=walls).points
        against = self.played(claim.against, claim.others, walls=walls).points
        return np.asarray(follows - against)

    def played(self, parameters: str, others: str = "", piao: int = 0, walls: int | None = None) -> Played:
        """Give the first walls with the player of some parameters, and this much piao, in every seat."""
        wanted = self.walls if walls is None else walls
        who = (parse_policy(player(parameters)), parse_policy(player(others)), piao)
        if who not in self._kept or len(self._kept[who].points) < wanted:
            self._kept[who] = self._play(*who, wanted)
        return Played(*(values[:wanted] for values in self._kept[who]))

    def _play(self, policy: Policy, others: Policy, piao: int, walls: int) -> Played:
        rows = trials.play_seats(
            self.rules, policy, others, walls=walls, seed=self._seed, piao=(piao, 0),
            workers=self._workers, progress=self._progress,
        )  # fmt: skip
        won = rows["winners"][..., None] >> np.arange(SEATS) & 1
        own = np.arange(SEATS)
        mine = won[:, own, own].astype(np.int32)
        return Played(trials.seat_points(rows).astype(np.int32), mine, won.sum(axis=2).astype(np.int32) - mine)

    @cached_property
    def table(self) -> trials.Rows:
        """Rounds of three plain efficient players, and their forks."""
        run = Run.of(self.rules, games=self._rounds, seed=self._seed)
        return trials.play_rows(run, workers=self._workers, progress=self._progress)

    @cached_property
    def unchained(self) -> NDArray[np.void]:
        """The rounds of the table settled without chains, (rounds,) ROUND: no player takes notice of that rule."""
        rules = changed(self.rules, {"payment.kong_chain": "none"})
        run = Run.of(rules, games=self._rounds, seed=self._seed)
        return trials.play_rows(run, forks=False, workers=self._workers, progress=self._progress).rounds

    @cached_property
    def turns(self) -> NDArray[np.void]:
        """Turns of plain efficient players with every discard played on, CHOICE."""
        return trials.play_choices(
            self.rules, walls=self._turns, seed=self._seed, workers=self._workers, progress=self._progress
        )
