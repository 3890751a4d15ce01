"""Forks in cells, with errors by round.

A fork is a seat's first ready moment of a round, played on in the six ways of `core.fork.ARMS` from the same position.
Up to three belong to one round, so a round is one cluster throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from kwx_sim import stats
from kwx_sim.core.fork import ARMS, FAN_STARTS, KIND_STARTS
from kwx_sim.core.tally import TURN_STARTS
from kwx_sim.policies import Efficient, Policy
from kwx_sim.report.verdicts import DELTA
from kwx_sim.rules import Ruleset
from kwx_sim.runs import Progress, Run
from kwx_sim.stats import Estimates
from kwx_sim.trials import play_rows

__all__ = [
    "BINS",
    "BIN_NAMES",
    "DECLARE",
    "LEAST",
    "MAP",
    "NEVER",
    "REFERENCE",
    "Cells",
    "Forks",
    "adjusted",
    "at",
    "clear",
    "differing",
    "enough",
    "gain_a_round",
    "moved",
    "overall",
    "play_against",
    "play_forks",
    "size",
    "span_name",
    "verdicts",
]

SEATS = 3
DECLARE, NEVER = ARMS.index("declare"), ARMS.index("never")
REFERENCE = Efficient.model_validate({})

BINS = {"turn": (0, *TURN_STARTS[1:]), "kinds": KIND_STARTS, "live": (0, 1, 2, 3, 4, 5, 7, 9), "fan": FAN_STARTS}
"""Dimension -> the first value of each bin; a pong may come before the first own draw."""


def span_name(dimension: str, first: int, last: int) -> str:
    """Name the values of the bins from one to another: 3–4, 7+."""
    starts = BINS[dimension]
    if last + 1 == len(starts):
        return f"{starts[first]}+"
    low, high = starts[first], starts[last + 1] - 1
    return str(low) if low == high else f"{low}–{high}"


BIN_NAMES = {
    dimension: [span_name(dimension, place, place) for place in range(len(starts))]
    for dimension, starts in BINS.items()
}

MAP = ("turn", "live", "fan")
LEAST = 30
"""Forks of a cell that is shown."""


@dataclass(frozen=True)
class Forks:
    """Forks of a run of so many rounds: (m,) FORK (`core.fork`)."""

    rounds: int
    rows: NDArray[np.void]

    @cached_property
    def number(self) -> NDArray[np.int64]:
        """The round of each, (m,)."""
        return np.ascontiguousarray(self.rows["number"])

    @cached_property
    def points(self) -> NDArray[np.int64]:
        """Bases that each arm brought the seat in the round, (m, arms)."""
        return self.rows["points"].astype(np.int64)

    def value(self, dimension: str) -> NDArray[np.int64]:
        """The turn (own draws so far), kinds of waits, live tiles or fan of each, (m,)."""
        hand = self.rows["hand"]
        if dimension == "kinds":
            return np.asarray(np.bitwise_count(hand["waits"]), np.int64)
        values: NDArray[np.int64] = hand["draws" if dimension == "turn" else dimension].astype(np.int64)
        return values

    def cell(self, dimensions: Sequence[str]) -> NDArray[np.int64]:
        """The cell of each by the bins of some dimensions, numbered as `np.ravel_multi_index` does, (m,)."""
        found = np.zeros(len(self.rows), np.int64)
        for dimension in dimensions:
            starts = BINS[dimension]
            found = found * len(starts) + np.searchsorted(starts, self.value(dimension), side="right") - 1
        return found

    def half(self, parity: int) -> Forks:
        """Those of the rounds of even (0) or odd (1) number."""
        return Forks((self.rounds + 1 - parity) // 2, self.rows[self.number % 2 == parity])

    def first(self, rounds: int) -> Forks:
        """Those of the first so many rounds."""
        return Forks(min(rounds, self.rounds), self.rows[self.number < rounds])

    def taking(self, arms: ArrayLike) -> NDArray[np.int64]:
        """Bases by an arm each, or one for all, (m,)."""
        chosen = np.broadcast_to(np.asarray(arms, np.int64), len(self.rows))
        return np.asarray(np.take_along_axis(self.points, chosen[:, None], axis=1)[:, 0])


def size(dimensions: Sequence[str]) -> int:
    """Number of cells of some dimensions."""
    return int(np.prod([len(BINS[dimension]) for dimension in dimensions], dtype=np.int64))


class Cells:
    """Forks in cells, and means over each cell's forks with errors by round.

    Parameters
    ----------
    cell : (m,) the cell of each fork, below `count`
    number : (m,) its round
    """

    def __init__(self, cell: NDArray[np.int64], number: NDArray[np.int64], count: int) -> None:
        span = int(number.max(initial=0)) + 1
        clusters, self._cluster = np.unique(cell * span + number, return_inverse=True)
        self._cell, self._count = clusters // span, count
        self._sizes = np.bincount(self._cluster, minlength=len(clusters)).astype(float)
        self.n = self._add(self._sizes).astype(np.int64)

    def mean(self, values: NDArray[np.int64]) -> Estimates:
        """Give the mean of values (m,) of the forks of each cell, (count,)."""
        return stats.ratio(*self._five(values))

    def share(self, flags: NDArray[np.bool_]) -> Estimates:
        """Give the share of each cell's forks with a flag (m,), (count,)."""
        return stats.proportion(*self._five(flags))

    def _five(self, values: NDArray[np.generic]) -> tuple[Any, ...]:
        total, size = np.bincount(self._cluster, values, len(self._sizes)), self._sizes
        return tuple(map(self._add, (total, size, total**2, total * size, size**2)))

    def _add(self, of_clusters: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(self._cell, of_clusters, self._count).astype(float)


# ---------------------------------------------------------------- forks are played


def play_forks(
    rules: Ruleset,
    games: int,
    seed: int,
    *,
    policies: Sequence[Policy] = (REFERENCE,) * SEATS,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Forks:
    """Play rounds and fork every seat of each."""
    run = Run.of(rules, games=games, seed=seed, policies=list(policies))
    return Forks(games, play_rows(run, workers=workers, progress=progress).forks)


def play_against(
    rules: Ruleset,
    avoidance: float,
    games: int,
    seed: int,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Forks:
    """Fork the reference player in each seat in turn, on the same walls, against two who keep shown waits back by λ."""
    others, found = Efficient.model_validate({"avoidance": avoidance}), []
    for seat in range(SEATS):
        policies: list[Policy] = [others] * SEATS
        policies[seat] = REFERENCE
        rows = play_forks(rules, games, seed, policies=policies, workers=workers, progress=progress).rows
        found.append(rows[rows["seat"] == seat])
    return Forks(games, np.concatenate(found))


# ---------------------------------------------------------------- figures of them


def moved(here: Forks, there: Forks) -> Estimates:
    """Give what declaring at once gains over never in `here` less what it does in `there`, paired by wall."""
    rounds = min(here.rounds, there.rounds)
    parts = []
    for forks in (here, there):
        known = forks.number < rounds
        number, gain = forks.number[known], (forks.taking(DECLARE) - forks.taking(NEVER))[known]
        parts += [np.bincount(number, gain, rounds), np.bincount(number, minlength=rounds)]
    by_round = np.stack(parts)
    return stats.ratio_difference(by_round.sum(axis=1), by_round @ by_round.T)


def differing(here: Forks, there: Forks) -> int:
    """Count the forks of the same walls that one of two has alone, or that an arm brought another result in."""
    own, other = (forks.number * SEATS + forks.rows["seat"] for forks in (here, there))
    both, first, second = np.intersect1d(own, other, assume_unique=True, return_indices=True)
    alone = len(own) + len(other) - 2 * len(both)
    return alone + int((here.points[first] != there.points[second]).any(axis=1).sum())


def overall(forks: Forks, values: NDArray[np.int64]) -> Estimates:
    """Give the mean of values (m,) over all forks."""
    return Estimates(*(found[0] for found in Cells(forks.cell(()), forks.number, 1).mean(values)))


def gain_a_round(forks: Forks, gain: NDArray[np.int64]) -> Estimates:
    """Give a gain (m,) of the forks in bases a round of one player, the rounds in which it was never ready included."""
    _, inverse = np.unique(forks.number, return_inverse=True)
    by_round = np.bincount(inverse, gain)
    total, rounds = by_round.sum(), forks.rounds
    return Estimates(*(part / SEATS for part in stats.ratio(total, rounds, (by_round**2).sum(), total, rounds)))


def clear(found: Estimates, n: NDArray[np.int64], rate: float = 0.05, *, margin: float = DELTA) -> NDArray[np.bool_]:
    """Tell which cells are clearly further from zero than a margin: Benjamini and Hochberg's step-up over all of them.

    Of the cells that it marks, a share of `rate` is false in expectation, or fewer.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.maximum(np.abs(found.mean) - margin, 0) / found.se
    p = np.where(np.isfinite(t), 2 * stdtr(np.maximum(n - 1, 1), -np.nan_to_num(t)), 1.0)
    tested = np.isfinite(found.mean)
    ordered = np.sort(p[tested])
    passed = np.flatnonzero(ordered <= rate * np.arange(1, len(ordered) + 1) / max(len(ordered), 1))
    return np.asarray(tested & (p <= (ordered[passed[-1]] if len(passed) else -1.0)))


def verdicts(found: Estimates, clearly: NDArray[np.bool_], *, margin: float = DELTA) -> NDArray[np.str_]:
    """Say above, below, within the margin or unclear of each estimate; nothing where there is none."""
    within = (found.ci_low >= -margin) & (found.ci_high <= margin)
    told = np.where(clearly, np.where(found.mean > 0, "above", "below"), np.where(within, "within", "unclear"))
    return np.where(np.isfinite(found.mean), told, "")


def adjusted(found: Estimates, told: NDArray[np.str_], *, margin: float = DELTA) -> NDArray[np.str_]:
    """Say adjusted of what is unclear only because so many cells were tested: its own interval is beyond the margin."""
    beyond = (found.ci_low > margin) | (found.ci_high < -margin)
    return np.where((told == "unclear") & beyond, "adjusted", told)


def enough(found: Estimates, n: NDArray[np.int64]) -> Estimates:
    """Leave out estimates of fewer than LEAST forks."""
    return Estimates(*(np.where(n >= LEAST, values, np.nan) for values in found))


def at(found: Estimates, place: Any) -> Estimates:
    """Pick some of the estimates."""
    return Estimates(*(values[place] for values in found))
