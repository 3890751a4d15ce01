"""Courses of action at the first ready moment: the best arm of each cell, and rules of thumb.

What is chosen by looking at results is judged on rounds that the choice did not see: the halves are the rounds of even
and of odd number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    Cells,
    Forks,
    at,
    gain_a_round,
    overall,
    size,
)
from kwx_sim.findings.rounds import verdict
from kwx_sim.stats import Estimates

__all__ = [
    "ARM_NAMES",
    "LEVELS",
    "Course",
    "Courses",
    "Thumb",
    "best_others",
    "fit_thumb",
    "fitted_arms",
    "judge_courses",
]

ARM_NAMES = tuple(name.replace(" ", "_") for name in ARMS)

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
    def arm(self) -> int | None:
        """The arm that it takes at every fork; None where it takes two."""
        if not any(self.thresholds):
            return DECLARE
        return self.otherwise if set(self.thresholds) == {LEVELS[self.counts]} else None

    @property
    def lines(self) -> int:
        """Lines that it takes to write down."""
        return 1 if self.arm is not None else len(self.groups) + 1

    @property
    def terms(self) -> int:
        """What has to pay for itself: its groups, and declaring later where the rest does not stay quiet for good."""
        return 0 if self.arm is not None else len(self.groups) + (self.otherwise != NEVER)

    def arms(self, forks: Forks) -> NDArray[np.int64]:
        """The arm that it takes at each fork, (m,)."""
        threshold = np.empty(len(BINS["fan"]), np.int64)
        for (first, last), least in zip(self.groups, self.thresholds, strict=True):
            threshold[first : last + 1] = least
        return np.where(_level(forks, self.counts) >= threshold[forks.cell(("fan",))], DECLARE, self.otherwise)


def fit_thumb(forks: Forks) -> Thumb:
    """Fit the rule of thumb: a longer one is taken only where it clearly brings more than the shorter.

    Whether it does is told by rules fitted on half of these forks and played on the other, both ways round: among so
    many thresholds some seem to pay on the very forks that they were chosen on.
    """
    fold = forks.number // 2 % 2
    folds = [Forks(forks.rounds, forks.rows[fold == parity]) for parity in (0, 1)]
    best, of_folds = _best_by_terms(forks), [_best_by_terms(one) for one in folds]
    brought = {}
    for terms in sorted(set(best).intersection(*of_folds)):
        arms = np.where(fold == 0, of_folds[1][terms].arms(forks), of_folds[0][terms].arms(forks))
        brought[terms] = forks.taking(arms)
    chosen, *longer = brought
    for terms in longer:
        if overall(forks, brought[terms] - brought[chosen]).ci_low > 0:
            chosen = terms
    return best[chosen]


def _best_by_terms(forks: Forks) -> dict[int, Thumb]:
    """The rule that brings most, of each number of terms; of equal ones the first."""
    best: dict[int, tuple[float, Thumb]] = {}
    for worth, thumb in _candidates(forks):
        if thumb.terms not in best or worth > best[thumb.terms][0]:
            best[thumb.terms] = worth, thumb
    return {terms: thumb for terms, (_, thumb) in best.items()}


def _candidates(forks: Forks) -> Iterator[tuple[float, Thumb]]:
    """Each arm for all forks, and the best thresholds of every grouping and other arm, with what they bring in all.

    Groups are of neighbouring bins of fan and hold ENOUGH forks.
    """
    everything = ((0, len(BINS["fan"]) - 1),)
    yield float(forks.taking(DECLARE).sum()), Thumb("live", everything, (0,), NEVER)
    for arm in OTHERS:
        yield float(forks.taking(arm).sum()), Thumb("live", everything, (LEVELS["live"],), arm)
    held = np.bincount(forks.cell(("fan",)), minlength=len(BINS["fan"]))
    groupings = [
        groups
        for groups in _groupings(len(BINS["fan"]))
        if all(held[first : last + 1].sum() >= ENOUGH for first, last in groups)
    ]
    for counts in LEVELS:
        totals = _totals(forks, counts)
        for otherwise in OTHERS:
            for groups in groupings:
                yield _fit_thresholds(totals, counts, groups, otherwise)


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
    against_full: Estimates
    against_full_a_round: Estimates


class Courses(NamedTuple):
    """Courses by name, and the forks that they were judged on.

    Attributes
    ----------
    simple : the course of one arm for all that brought most in the even-numbered rounds
    of : every arm for all by its name, `thumb` where that is none of them, and `full`
    """

    judged: Forks
    simple: str
    of: Mapping[str, Course]

    def over(self, one: str, other: str) -> NDArray[np.int64]:
        """Bases that a course brought more than another, by fork, (m,)."""
        return self.of[one].points - self.of[other].points

    @property
    def thumb_is_better(self) -> bool:
        """Whether the rule of thumb brought clearly more than every course of one arm, by more than the margin."""
        return "thumb" in self.of and all(
            verdict(overall(self.judged, self.over("thumb", arm))) == "above" for arm in ARM_NAMES
        )

    @property
    def not_told_apart(self) -> list[str]:
        """The other courses of one arm of which it is not clear that the best simple one is better by the margin."""
        others = (arm for arm in ARM_NAMES if arm != self.simple)
        return [arm for arm in others if verdict(overall(self.judged, self.over(self.simple, arm))) != "above"]


def judge_courses(forks: Forks, thumb: Thumb) -> Courses:
    """Judge a rule of thumb, fitted on the even-numbered rounds, beside each arm for all and the full table."""
    fit, judged = forks.half(0), forks.half(1)
    arms: dict[str, ArrayLike] = {name: arm for arm, name in enumerate(ARM_NAMES)}
    if thumb.arm is None:
        arms["thumb"] = thumb.arms(judged)
    arms["full"] = fitted_arms(fit, judged)
    points = {name: judged.taking(chosen) for name, chosen in arms.items()}
    found = {}
    for name, chosen in arms.items():
        gain, against_full = points[name] - points["never"], points[name] - points["full"]
        found[name] = Course(
            points[name],
            _declared(judged, chosen),
            overall(judged, gain),
            gain_a_round(judged, gain),
            overall(judged, against_full),
            gain_a_round(judged, against_full),
        )
    return Courses(judged, ARM_NAMES[int(fit.points.sum(axis=0).argmax())], found)


def _declared(forks: Forks, arms: ArrayLike) -> Estimates:
    """The share of forks at which declaring at once is the arm; without an interval where one arm is for all."""
    chosen = np.asarray(arms) == DECLARE
    if chosen.ndim == 0:
        return Estimates(*(np.asarray(value, float) for value in (chosen, 0, chosen, chosen)))
    return at(Cells(forks.cell(()), forks.number, 1).share(chosen), 0)
