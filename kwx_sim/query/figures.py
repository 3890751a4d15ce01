"""Results of arms added up: means and shares, and what an answer says of each arm."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["ArmSums", "Shares"]

SHARES = ("by_self_draw", "by_discard", "fed", "other_won", "undecided", "fed_first")


class Shares(NamedTuple):
    """How an arm's rounds ended for the asker, as shares of all, and the mean fan of its wins; NaN where none is known.

    `fed` are among those that another won; a double win by discard may count with both. `fed_first` are those fed with
    the tile of the first action itself, and `first_cost` the mean bases that one of them costs.
    """

    by_self_draw: float
    by_discard: float
    fed: float
    other_won: float
    undecided: float
    fed_first: float
    fan: float
    first_cost: float


class ArmSums:
    """Sums of results by arm; an arm that has been dropped is not added any more."""

    def __init__(self, arms: int) -> None:
        self.worlds = np.zeros(arms)
        self.ends = np.zeros((arms, len(SHARES)))
        self.fan = np.zeros(arms)
        self.first_cost = np.zeros(arms)

    def add(self, results: NDArray[np.void], arms: Sequence[int], weights: NDArray[np.float64] | float = 1.0) -> None:
        """Add worlds of these arms, (worlds, len(arms)) RESULT, each of its weight, (worlds,) or one for all."""
        index = np.asarray(arms, np.intp)
        each = np.broadcast_to(weights, (len(results),))[:, None]
        self.worlds[index] += float(each.sum())
        for column, name in enumerate(SHARES):
            self.ends[index, column] += (each * results[name]).sum(axis=0)
        self.fan[index] += (each * results["fan"]).sum(axis=0)
        self.first_cost[index] -= (each * results["points"] * results["fed_first"]).sum(axis=0)

    def shares(self, arm: int) -> Shares:
        """What an arm came to."""
        won = self.ends[arm, 0] + self.ends[arm, 1]
        ends = (self.ends[arm] / (self.worlds[arm] or np.nan)).tolist()
        fed = self.ends[arm, -1]
        fan, cost = self.fan[arm] / (won or np.nan), self.first_cost[arm] / (fed or np.nan)
        return Shares._make([*ends, float(fan), float(cost)])
