"""Results of arms added up: means and shares, and what an answer says of each arm."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["ArmSums", "Shares"]

SHARES = ("by_self_draw", "by_discard", "fed", "other_won", "undecided")


class Shares(NamedTuple):
    """How an arm's rounds ended for the asker, as shares of all, and the mean fan of its wins (0 for none).

    `fed` are among those that another won; a double win by discard may count with both.
    """

    by_self_draw: float
    by_discard: float
    fed: float
    other_won: float
    undecided: float
    fan: float


class ArmSums:
    """Sums of results by arm; an arm that has been dropped is not added any more."""

    def __init__(self, arms: int) -> None:
        self.worlds = np.zeros(arms)
        self.ends = np.zeros((arms, len(SHARES)))
        self.fan = np.zeros(arms)

    def add(self, results: NDArray[np.void], arms: Sequence[int], weight: float = 1.0) -> None:
        """Add worlds of these arms, (worlds, len(arms)) RESULT, each of the weight."""
        index = np.asarray(arms, np.intp)
        self.worlds[index] += weight * len(results)
        for column, name in enumerate(SHARES):
            self.ends[index, column] += weight * results[name].sum(axis=0)
        self.fan[index] += weight * results["fan"].sum(axis=0)

    def shares(self, arm: int) -> Shares:
        """What an arm came to."""
        won = self.ends[arm, 0] + self.ends[arm, 1]
        ends = (self.ends[arm] / max(self.worlds[arm], 1)).tolist()
        return Shares._make([*ends, float(self.fan[arm] / won) if won else 0.0])
