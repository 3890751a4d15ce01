"""Bankrolls that walk through measured rounds: does one double its stake before it cannot pay the next fee?

Every round of a walk is one of those measured, drawn at random with replacement, less the fee: the walk that a
bootstrap of rounds would take, solved for instead of sampled. It takes rounds as independent of each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_toeplitz

from kwx_sim.stats import Estimates, jackknife

__all__ = ["Walk", "solve_walk", "walk"]

GROUPS = 32
"""Of clusters, for the jackknife."""


@dataclass(frozen=True)
class Walk:
    """What becomes of a bankroll: the chance that it doubles (ruin is the rest), and the mean number of its rounds."""

    doubles: Estimates
    rounds: Estimates

    @property
    def ruin(self) -> Estimates:
        """The chance that it cannot pay the next fee before it has doubled."""
        mean, se, low, high = self.doubles
        return Estimates(1 - mean, se, 1 - high, 1 - low)


def walk(results: NDArray[np.int64], stake: Fraction, fee: int) -> Walk:
    """Let a bankroll walk.

    Parameters
    ----------
    results : (clusters, rounds), measured results of a round in bases, before the fee
    stake : where it starts, in bases; it has doubled at twice that, and is ruined below the fee
    fee : of every round, in bases
    """
    least = int(results.min())
    size = int(results.max()) - least + 1
    groups = min(GROUPS, len(results))
    counts = np.stack([np.bincount(results[group::groups].ravel() - least, minlength=size) for group in range(groups)])

    solutions: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def solved(sums: NDArray[np.float64], which: int) -> NDArray[Any]:
        # The jackknife asks for the same sums for either figure: all of them, and those that each group leaves.
        if sums.shape not in solutions:
            solutions[sums.shape] = np.apply_along_axis(solve_walk, -1, sums, least - fee, stake, fee)
        return solutions[sums.shape][..., which]

    mean, se, low, high = jackknife(counts, lambda sums: solved(sums, 0))
    doubles = Estimates(mean, se, np.maximum(low, 0), np.minimum(high, 1))
    return Walk(doubles, jackknife(counts, lambda sums: solved(sums, 1)))


def solve_walk(counts: NDArray[np.float64], least: int, stake: Fraction, fee: int) -> tuple[float, float]:
    """Give the chance that a walk doubles its stake before ruin, and the mean number of its rounds.

    Parameters
    ----------
    counts : (changes,), how often a round changed the bankroll by least, least + 1, … bases, the fee taken off
    stake, fee : in bases
    """
    # A bankroll is the stake and a whole number of bases won. It plays on from the lowest of these that still pays a
    # fee to the highest that is not yet double.
    lowest, highest = math.ceil(fee - stake), math.ceil(stake) - 1
    if lowest > 0:
        return 0.0, 0.0
    chances = counts / counts.sum()
    places = np.arange(highest - lowest + 1)
    stays = (places == 0).astype(float)
    column, row = stays - _chance(chances, least, -places), stays - _chance(chances, least, places)
    at_least = np.append(np.cumsum(chances[::-1])[::-1], 0.0)
    doubles = at_least[np.clip(len(places) - places - least, 0, len(chances))]
    found = solve_toeplitz((column, row), np.stack([doubles, np.ones(len(places))], axis=1))
    return float(found[-lowest, 0]), float(found[-lowest, 1])


def _chance(chances: NDArray[np.float64], least: int, changes: NDArray[np.int64]) -> NDArray[np.float64]:
    at = changes - least
    inside = (at >= 0) & (at < len(chances))
    return np.where(inside, chances[np.clip(at, 0, len(chances) - 1)], 0.0)
