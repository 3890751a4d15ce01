"""A sample: a datum a round, turn or fork, whose mean is a figure, and by what it may be split."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from kwx_sim.findings.claims.deals import Datum, Found, ratio_of, share_of

__all__ = ["LITTLE", "OTHERWISE", "Sample", "same_data"]

OTHERWISE = 0.02
"""Two samples are the same where no more than this part of their data that are not 0 differ, and by little.

Rulesets that part at a hand in a hundred thousand show it here and there in a long run (in 1 of the 147 walls, of
15,000, that tell kongs in seven pairs apart), and are no two witnesses.
"""

LITTLE = 0.005
"""A tenth of the margin: what the data that differ may come to in the mean, whatever their direction."""

ALIKE = 1e-3
"""Bases; data that are linear in a ratio all move by less when a single round differs."""


@dataclass(frozen=True)
class Sample:
    """Data and what they are counted by; the figure is Σ total / Σ count.

    Attributes
    ----------
    labels : by factor (turn, live, kinds, fan), a value for each datum
    rounds : number of each datum's round (wall, turn) where not every one has just one
    share : whether each total is at most its count: a proportion
    n : what there are so many of, where that is not Σ count
    otherwise : how many of what is counted came to another result, where that is known of each: of players their rounds
    """

    total: Datum
    count: Datum
    labels: Mapping[str, Datum] = field(default_factory=dict)
    rounds: Datum | None = None
    share: bool = False
    n: int | None = None
    otherwise: Datum | None = None

    def chosen(self, keep: NDArray[np.bool_]) -> Sample:
        """Give the sample of some of the data."""
        rounds = np.arange(len(keep)) if self.rounds is None else self.rounds
        labels = {factor: values[keep] for factor, values in self.labels.items()}
        otherwise = None if self.otherwise is None else self.otherwise[keep]
        return replace(
            self,
            total=self.total[keep],
            count=self.count[keep],
            labels=labels,
            rounds=rounds[keep],
            otherwise=otherwise,
        )

    def found(self) -> Found:
        """Give the figure."""
        total, count = self.total, self.count
        if self.rounds is not None:
            _, place = np.unique(self.rounds, return_inverse=True)
            total, count = np.bincount(place, total), np.bincount(place, count)
        found = share_of(total, count) if self.share else ratio_of(total, count)
        return found._replace(n=found.n if self.n is None else self.n, moved=int(np.count_nonzero(total)))

    def where_otherwise(self) -> tuple[float, Found] | None:
        """Give the share of what is counted that came to another result, and what it came to there, where known."""
        if self.otherwise is None or not self.otherwise.any():
            return None
        return float(self.otherwise.sum() / self.count.sum()), ratio_of(self.total, self.otherwise)


def same_data(one: Sample, other: Sample) -> bool:
    """Tell whether two samples of the same walls hold the same data, round by round, but for a few."""
    places = [np.arange(len(s.total)) if s.rounds is None else s.rounds for s in (one, other)]
    size = 1 + max((int(place.max()) for place in places if len(place)), default=0)
    (total, count), (total2, count2) = (
        [np.bincount(place, values, size) for values in (sample.total, sample.count)]
        for place, sample in zip(places, (one, other), strict=True)
    )
    apart = np.abs(total - total2)
    differ = (apart > ALIKE) | (count != count2)
    told = (total != 0) | (total2 != 0)
    little = apart[differ].sum() <= LITTLE * count.sum()
    return bool(little and differ.sum() <= OTHERWISE * told.sum())
