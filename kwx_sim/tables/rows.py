"""What the tables share: the setting that every row names, and rows made of estimates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kwx_sim import stats
from kwx_sim.core.tally import TURN_STARTS

__all__ = ["ALL", "FIGURES", "MIN_EVENTS", "TURN_NAMES", "Moments", "Part", "Row", "Setting", "bin_names", "row"]

ALL = "all"
"""In a group column: not told apart."""

FIGURES = ("n", "mean", "se", "ci_low", "ci_high", "unit")
"""The last columns of every table."""

MIN_EVENTS = 30
"""Means of fewer are left out: their intervals would promise what so few skewed payments cannot keep."""

NOTHING = stats.Estimates(*(np.array(np.nan) for _ in stats.Estimates._fields))

Row = dict[str, Any]

Part = Mapping[int, int]
"""What part of a round counts: variable -> weight."""


@dataclass(frozen=True)
class Setting:
    """What was simulated, as every row names it: ruleset, cap in bases (0: none), each seat's piao; and the rounds."""

    ruleset: str
    cap: int
    piao: str
    rounds: int


def row(setting: Setting, measure: str, n: int, found: stats.Estimates, unit: str, **groups: str) -> Row:
    """Make a row of one figure; `n` counts what the figure is a mean or share of."""
    return {
        "ruleset": setting.ruleset,
        "cap": setting.cap,
        "piao": setting.piao,
        "measure": measure,
        **groups,
        "n": int(n),
        **{name: float(value) for name, value in found._asdict().items()},
        "unit": unit,
    }


def bin_names(starts: Sequence[int], first: int | None = None) -> list[str]:
    """Name the bins that begin at `starts`: 1-3, 4-6, 7+; `first` replaces the first start."""
    lows = [starts[0] if first is None else first, *starts[1:]]
    names = [str(low) if low == end - 1 else f"{low}-{end - 1}" for low, end in zip(lows, starts[1:], strict=False)]
    return [*names, f"{lows[-1]}+"]


TURN_NAMES = bin_names(TURN_STARTS)


class Moments:
    """Sums of a round's variables and of their products, and figures made of them.

    A figure is made of parts: `{3: 1, 4: 1}` is variable 3 + variable 4.
    """

    def __init__(self, sums: NDArray[np.int64], products: NDArray[np.int64]) -> None:
        self.sums = sums
        self.products = products

    def total(self, part: Part) -> int:
        """Add up a part over all rounds."""
        return int(self._weights(part) @ self.sums)

    def mean(self, part: Part, events: Part) -> stats.Estimates:
        """Give the mean of a part per event; of fewer than MIN_EVENTS, none."""
        if self.total(events) < MIN_EVENTS:
            return NOTHING
        return stats.ratio(*self._five(part, events))

    def share(self, part: Part, events: Part) -> stats.Estimates:
        """Give the share of the events that are of the part; in no round are there more of those than of events."""
        return stats.proportion(*self._five(part, events))

    def difference(self, first: tuple[Part, Part], second: tuple[Part, Part]) -> stats.Estimates:
        """Give the difference of two means, each of a part per event; of fewer than MIN_EVENTS, none."""
        if min(self.total(events) for _, events in (first, second)) < MIN_EVENTS:
            return NOTHING
        a = np.stack([self._weights(part) for part in (*first, *second)])
        return stats.ratio_difference(a @ self.sums, a @ self.products @ a.T)

    def _five(self, part: Part, events: Part) -> tuple[int, ...]:
        s, n = self._weights(part), self._weights(events)
        p = self.products
        return tuple(map(int, (s @ self.sums, n @ self.sums, s @ p @ s, s @ p @ n, n @ p @ n)))

    def _weights(self, part: Part) -> NDArray[np.int64]:
        weights = np.zeros(len(self.sums), np.int64)
        for variable, weight in part.items():
            weights[variable] += weight
        return weights
