"""Courses of action at the first ready moment: the best arm of each cell, and rules of thumb.

What is chosen by looking at results is judged on rounds that the choice did not see: the halves are the rounds of even
and of odd number.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kwx_sim.core.fork import ARMS
from kwx_sim.findings.liangdao.forks import (
    BINS,
    DECLARE,
    MAP,
    NEVER,
    QUIET,
    Cells,
    Forks,
    at,
    gain_a_round,
    overall,
    size,
)
from kwx_sim.stats import Estimates

__all__ = ["LEVELS", "Course", "Courses", "Thumb", "best_others", "fit_thumb", "fitted_arms", "judge_courses"]

OTHERS = tuple(arm for arm in range(len(ARMS)) if arm != DECLARE)

LADDER = ((), ("live", "fan"), MAP)
FULL_TABLE = (*LADDER, ("turn", "kinds", "live", "fan"))
"""Cells from coarse to fine, of whose finest with enough forks the best arm is taken."""

ENOUGH = 100
"""Forks of a cell from which its best arm is chosen; with fewer, that of the coarser cell is."""


def fitted_arms(
    fit: Forks, judged: Forks, arms: Sequence[int] = range(len(ARMS)), ladder: Sequence[Sequence[str]] = FULL_TABLE
) -> NDArray[np.int64]:
    """Give for each fork of `judged` the arm that brought most in its cell among `fit`, (len(judged),).

    The finest cells of the ladder that hold ENOUGH forks of `fit` count.
    """
    chosen = np.full(len(judged.rows), arms[0], np.int64)
    for dimensions in ladder:
        cell, count = fit.cell(dimensions), size(dimensions)
        totals = np.stack([np.bincount(cell, fit.points[:, arm], count) for arm in arms])
        best = np.asarray(arms, np.int64)[totals.argmax(axis=0)]
        enough = np.bincount(cell, minlength=count) >= (ENOUGH if dimensions else 1)
        here = judged.cell(dimensions)
        chosen = np.where(enough[here], best[here], chosen)
    return chosen


def best_others(forks: Forks) -> NDArray[np.int64]:
    """Give for each fork the best arm but declaring now in its cell of the map, found in the other half, (m,)."""
    chosen = np.empty(len(forks.rows), np.int64)
    for parity in (0, 1):
        judged = forks.half(parity)
        chosen[forks.number % 2 == parity] = fitted_arms(forks.half(1 - parity), judged, OTHERS, LADDER)
    return chosen


LEVELS = {"live": 11, "kinds": 5}
"""What a rule of thumb counts -> the levels told apart, 0 to the last or more."""


class Thumb(NamedTuple):
    """A rule of thumb: declare from a threshold of live tiles, or kinds of waits, on; the threshold goes by the fan.

    Attributes
    ----------
    counts : live or kinds
    groups : (first, last) bin of fan of each group
    thresholds : of each group; 0: always, LEVELS[counts]: not at once
    otherwise : the arm that is taken instead
    """

    counts: str
    groups: tuple[tuple[int, int], ...]
    thresholds: tuple[int, ...]
    otherwise: int

    @property
    def lines(self) -> int:
        """Lines that it takes to write down."""
        return len(self.groups) + any(self.thresholds)

    def arms(self, forks: Forks) -> NDArray[np.int64]:
        """The arm that it takes at each fork, (m,)."""
        threshold = np.empty(len(BINS["fan"]), np.int64)
        for (first, last), least in zip(self.groups, self.thresholds, strict=True):
            threshold[first : last + 1] = least
        return np.where(_level(forks, self.counts) >= threshold[forks.cell(("fan",))], DECLARE, self.otherwise)


def fit_thumb(forks: Forks) -> Thumb:
    """Fit the rule of thumb: of at most five lines, the fewest within one standard error of the most.

    Neighbouring bins of fan may share a threshold; any arm but declaring now may be what is done otherwise.
    """
    best: dict[int, tuple[float, Thumb]] = {}
    for counts in LEVELS:
        totals = _totals(forks, counts)
        for otherwise in OTHERS:
            for groups in _groupings(len(BINS["fan"])):
                worth, thumb = _fit_thresholds(totals, counts, groups, otherwise)
                if thumb.lines not in best or worth > best[thumb.lines][0]:
                    best[thumb.lines] = worth, thumb
    most = max(best.values(), key=lambda found: found[0])[1]
    for _, (_, thumb) in sorted(best.items()):
        loss = overall(forks, forks.taking(most.arms(forks)) - forks.taking(thumb.arms(forks)))
        if loss.mean <= np.nan_to_num(loss.se):
            return thumb
    return most


def _level(forks: Forks, counts: str) -> NDArray[np.int64]:
    return np.minimum(forks.value(counts), LEVELS[counts] - 1)


def _totals(forks: Forks, counts: str) -> NDArray[np.float64]:
    """Bases by bin of fan, level and arm."""
    levels = LEVELS[counts]
    cell = forks.cell(("fan",)) * levels + _level(forks, counts)
    count = len(BINS["fan"]) * levels
    totals = [np.bincount(cell, forks.points[:, arm], count) for arm in range(len(ARMS))]
    return np.stack(totals, axis=-1).reshape(-1, levels, len(ARMS)).astype(float)


def _groupings(count: int) -> list[tuple[tuple[int, int], ...]]:
    """Every way to cut bins 0 to count − 1 into groups of neighbours."""
    cuts = [cut for number in range(count) for cut in combinations(range(1, count), number)]
    return [tuple((first, end - 1) for first, end in pairwise((0, *cut, count))) for cut in cuts]


def _fit_thresholds(
    totals: NDArray[np.float64], counts: str, groups: tuple[tuple[int, int], ...], otherwise: int
) -> tuple[float, Thumb]:
    """The best threshold of each group, and what they bring in all; of equal ones, the lowest."""
    worth, thresholds = 0.0, []
    for first, last in groups:
        of_group = totals[first : last + 1].sum(axis=0)
        below = np.concatenate([[0.0], of_group[:, otherwise].cumsum()])
        above = of_group[:, DECLARE].sum() - np.concatenate([[0.0], of_group[:, DECLARE].cumsum()])
        least = int((below + above).argmax())
        worth += float((below + above)[least])
        thresholds.append(least)
    return worth, Thumb(counts, groups, tuple(thresholds), otherwise)


# ---------------------------------------------------------------- judged


class Course(NamedTuple):
    """What to do at every fork, judged on the odd-numbered rounds: figures in bases a fork, and a round and player."""

    points: NDArray[np.int64]  # by fork, (m,)
    declared: Estimates
    gain: Estimates
    gain_a_round: Estimates
    cost: Estimates
    cost_a_round: Estimates


class Courses(NamedTuple):
    """Courses by name, and the forks that they were judged on."""

    judged: Forks
    of: dict[str, Course]


def judge_courses(forks: Forks, thumb: Thumb) -> Courses:
    """Judge a rule of thumb, fitted on the even-numbered rounds, beside the simplest courses and the full table."""
    fit, judged = forks.half(0), forks.half(1)
    arms: dict[str, ArrayLike] = {
        "never": NEVER,
        "always": DECLARE,
        "quiet": QUIET,
        "thumb": thumb.arms(judged),
        "thumb_never": thumb._replace(otherwise=NEVER).arms(judged),
        "full": fitted_arms(fit, judged),
    }
    points = {name: judged.taking(chosen) for name, chosen in arms.items()}
    found = {}
    for name, chosen in arms.items():
        gain, cost = points[name] - points["never"], points["full"] - points[name]
        found[name] = Course(
            points[name],
            _declared(judged, chosen),
            overall(judged, gain),
            gain_a_round(judged, gain),
            overall(judged, cost),
            gain_a_round(judged, cost),
        )
    return Courses(judged, found)


def _declared(forks: Forks, arms: ArrayLike) -> Estimates:
    """The share of forks at which declaring at once is the arm; without an interval where one arm is for all."""
    chosen = np.asarray(arms) == DECLARE
    if chosen.ndim == 0:
        return Estimates(*(np.asarray(value, float) for value in (chosen, 0, chosen, chosen)))
    return at(Cells(forks.cell(()), forks.number, 1).share(chosen), 0)
