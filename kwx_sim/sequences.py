"""Intervals that may be looked at as often as one likes, and what they allow one to say.

The asymptotic time-uniform confidence sequence (docs/method.md) holds at every look at once, so a run may stop the
moment its answer is clear. After n worlds with differences D the mean is known to within

    r = s · sqrt(2 (nρ² + 1) / (n² ρ²) · ln(sqrt(nρ² + 1) / α)),    s² = (Σ(D − mean)² + 4B²) / (n − 1)

where B is the largest difference that can occur. The two imaginary pairs of worlds ±B in s stand for the rare large
payments that have not come yet: without them a sequence that has seen none is narrow, one-sided and wrong.

Only numpy here: an answer at the table must not wait for larger libraries to load.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "ALPHA",
    "FIRST_LOOK",
    "Cell",
    "Interval",
    "Moments",
    "Outcome",
    "State",
    "Verdict",
    "radius",
    "rho",
    "schedule",
    "verdict",
    "verdict_of_cell",
]

ALPHA = 0.05

FIRST_LOOK = 400
"""Worlds before which the sequence says nothing: it is asymptotic."""

TIGHTEST = 2000
"""Worlds at which rho makes the sequence about as narrow as it can be."""

HOPELESS = 10**9
"""Worlds beyond which nobody waits."""

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """Means with the sequence's interval at this look, float64 of one shape; infinite where nothing can be said."""

    mean: Floats
    low: Floats
    high: Floats


def rho(alpha: float) -> float:
    """Give the parameter of the sequence, fixed before the data: 0.063 at a level of 5%."""
    return math.sqrt((-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / TIGHTEST)


def radius(n: ArrayLike, s: ArrayLike, alpha: float = ALPHA) -> Floats:
    """Give the half width r of the sequence after `n` worlds of standard deviation `s`, at level `alpha`."""
    worlds = np.asarray(n, np.float64)
    x = worlds * rho(alpha) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(s * np.sqrt(2 * (x + 1) / (worlds * x) * np.log(np.sqrt(x + 1) / alpha)), np.float64)


def schedule(pilot: int, block: int, max_worlds: int) -> tuple[int, ...]:
    """Give the looks, as numbers of worlds played with the pilot's among them.

    The first has at least `FIRST_LOOK` worlds after the pilot, each further one a quarter more than the one before, and
    each falls on the end of a block of `block` worlds; the last is `max_worlds`. No look at all where that is too few.
    """
    if max_worlds - pilot < FIRST_LOOK:
        return ()
    looks = []
    look = _end_of_block(pilot + FIRST_LOOK, block)
    while look < max_worlds:
        looks.append(look)
        look = _end_of_block(pilot + -(-5 * (look - pilot) // 4), block)
    return (*looks, max_worlds)


def _end_of_block(worlds: int, block: int) -> int:
    return -(-worlds // block) * block


class Moments:
    """Running sums of m quantities D over worlds that may have weights w: all that their sequences need.

    Worlds are added in blocks; each quantity counts only the worlds that were added to it. Equal blocks in equal order
    give equal sums to the last bit: no sum here depends on memory layout, threads or the other quantities.

    `totals` is (6, m) float64: n, Σw, Σw², ΣwD, Σw²D, Σw²D². `heaviest` is (m,): the largest weight stated or seen.
    """

    __slots__ = ("heaviest", "totals")

    def __init__(self, totals: Floats, heaviest: Floats) -> None:
        self.totals = totals
        self.heaviest = heaviest

    @classmethod
    def empty(cls, size: int, heaviest: float = 0.0) -> Moments:
        """Begin with no worlds, and with the largest weight that is known to be possible."""
        return cls(np.zeros((6, size)), np.full(size, float(heaviest)))

    def add(self, values: Floats, weights: Floats, rows: NDArray[np.intp] | slice = slice(None)) -> None:
        """Add a block of k worlds to the quantities `rows`: `values` (len(rows), k), `weights` (k,) or the same."""
        weights = np.atleast_2d(np.ascontiguousarray(weights))
        once = np.ascontiguousarray(values) * weights
        if weights.size:
            self.heaviest[rows] = np.maximum(self.heaviest[rows], weights.max(-1))
        self.totals[0, rows] += once.shape[-1]
        self.totals[1:3, rows] += (weights.sum(-1), (weights * weights).sum(-1))
        self.totals[3:, rows] += (once.sum(-1), (once * weights).sum(-1), (once * once).sum(-1))

    def __getitem__(self, row: int) -> Moments:
        """Take one quantity out, as it is now."""
        return Moments(self.totals[:, [row]], self.heaviest[[row]])

    def __neg__(self) -> Moments:
        """Turn every difference round."""
        return Moments(self.totals * np.array([1, 1, 1, -1, -1, 1])[:, None], self.heaviest)

    def scaled(self, factor: float) -> Moments:
        """Suppose `factor` times as many worlds, distributed as these."""
        return Moments(self.totals * factor, self.heaviest)

    @property
    def worlds(self) -> NDArray[np.int64]:
        """Worlds added to each quantity, (m,)."""
        return np.asarray(self.totals[0], np.int64)

    @property
    def effective(self) -> Floats:
        """Effective size (Σw)²/Σw²: how many worlds of equal weight would know as much, (m,)."""
        _, w, ww, *_ = self.totals
        return np.asarray(np.divide(w * w, ww, out=np.zeros_like(w), where=ww > 0))

    @property
    def spread(self) -> Floats:
        """Sum of squares about the weighted mean, Σw²(D − mean)², (m,)."""
        _, w, ww, wd, wwd, wwdd = self.totals
        mean = np.divide(wd, w, out=np.zeros_like(w), where=w > 0)
        # Rounding may leave a spread of zero a hair below it.
        return np.asarray(np.maximum(wwdd - 2 * mean * wwd + mean * mean * ww, 0.0))

    def interval(self, alpha: float, bound: ArrayLike) -> Interval:
        """Give each mean with every d for which the sequence on w(D − d) contains 0, at level `alpha`.

        The condition is a quadratic in d. With equal weights its roots are the mean ± `radius`. The interval leaves 0
        exactly when the sequence on w·D does. It is infinite before `FIRST_LOOK`, and where the weights are so unequal
        that their own mean is not known to be above 0.

        Parameters
        ----------
        alpha : level, two-sided, over all looks together
        bound : B, scalar or (m,), the largest |D|. The imaginary pairs have the heaviest weight, so that they stand at
            the largest w·|D|: with the weight of an average world, laws whose large payments come in heavy worlds were
            wrong 6–14% of the time; with the heaviest, 0.1%
        """
        n, w, ww, wd, wwd, _ = self.totals
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = wd / w
            imaginary = 4 * (self.heaviest * np.asarray(bound, np.float64)) ** 2
            share = radius(n, 1.0, alpha) ** 2 / (n - 1)
            # In t = d − mean: a·t² + 2b·t − c ≤ 0.
            a = (w / n) ** 2 * (1 + share * n) - share * ww
            b = share * (wwd - mean * ww)
            c = share * (self.spread + imaginary)
            root = np.sqrt(b * b + a * c)
            low, high = mean - (root + b) / a, mean + (root - b) / a
            known = (n >= FIRST_LOOK) & (a > 0)
        return Interval(mean, np.where(known, low, -np.inf), np.where(known, high, np.inf))


class State(StrEnum):
    """What the interval of one cell says of a difference."""

    ABOVE = "above"
    BELOW = "below"
    WITHIN = "within"
    OPEN = "open"


class Outcome(StrEnum):
    """What all cells together say."""

    ACTION = "action"
    TOO_CLOSE = "too_close"
    MODEL_DEPENDENT = "model_dependent"
    NOT_SETTLED = "not_settled"


class Verdict(NamedTuple):
    """The answer over all cells.

    `action` is the name of the better action, None unless the outcome is ACTION. `more_worlds` estimates how many
    worlds, over all cells, would settle what is NOT_SETTLED: 0 for the other outcomes, None where no number would.
    """

    outcome: Outcome
    action: str | None
    states: tuple[State, ...]
    more_worlds: int | None


class Cell(NamedTuple):
    """One difference under one belief and one policy of the opponents: its sums, its B and its level."""

    moments: Moments
    bound: float
    alpha: float = ALPHA

    def interval(self, cells: int = 1) -> tuple[float, float, float]:
        """Give mean, low and high, at the level divided among `cells`."""
        mean, low, high = self.moments.interval(self.alpha / cells, self.bound)
        return float(mean[0]), float(low[0]), float(high[0])


def verdict_of_cell(low: float, high: float, delta: float) -> State:
    """Tell what an interval says, `delta` being the difference that nobody minds; a sign goes before WITHIN."""
    if low > 0:
        return State.ABOVE
    if high < 0:
        return State.BELOW
    return State.WITHIN if _inside(low, high, delta) else State.OPEN


def verdict(cells: Sequence[Cell], delta: float, above: str, below: str) -> Verdict:
    """Give the verdict over the cells of one difference.

    The same sign everywhere names the action. Else all inside ±delta, be the sign of some of them known, is
    TOO_CLOSE; one above +delta and another below −delta, each at its level divided by the number of cells, is
    MODEL_DEPENDENT. The first two say the same of every cell, so no cell's level has to be divided for them.

    Parameters
    ----------
    cells : at least one
    delta : bases, not negative
    above, below : names of the action that is better where the difference is positive, negative
    """
    if not cells:
        raise ValueError("a verdict needs a cell")
    intervals = [cell.interval()[1:] for cell in cells]
    states = tuple(verdict_of_cell(low, high, delta) for low, high in intervals)
    for state, action in ((State.ABOVE, above), (State.BELOW, below)):
        if all(each is state for each in states):
            return Verdict(Outcome.ACTION, action, states, 0)
    if all(_inside(low, high, delta) for low, high in intervals):
        return Verdict(Outcome.TOO_CLOSE, None, states, 0)
    strict = [cell.interval(len(cells))[1:] for cell in cells]
    if any(low > delta for low, _ in strict) and any(high < -delta for _, high in strict):
        return Verdict(Outcome.MODEL_DEPENDENT, None, states, 0)
    return Verdict(Outcome.NOT_SETTLED, None, states, _more_worlds(cells, states, delta))


Claim = Callable[[float, float], bool]


def _inside(low: float, high: float, delta: float) -> bool:
    return -delta < low and high < delta


def _more_worlds(cells: Sequence[Cell], states: Sequence[State], delta: float) -> int | None:
    """Estimate the cheapest way to a verdict, open cells going on as they have been; the others have come to an end."""

    def until(cell: Cell, state: State, claim: Claim, level: int = 1) -> float:
        if state is State.OPEN:
            return _more_worlds_until(cell, claim, level)
        return 0 if claim(*cell.interval(level)[1:]) else math.inf

    def everywhere(claim: Claim) -> float:
        return sum(until(*each, claim) for each in zip(cells, states, strict=True))

    def somewhere(claim: Claim) -> float:
        return min(until(*each, claim, len(cells)) for each in zip(cells, states, strict=True))

    cost = min(
        everywhere(lambda low, high: low > 0),
        everywhere(lambda low, high: high < 0),
        everywhere(lambda low, high: _inside(low, high, delta)),
        somewhere(lambda low, high: low > delta) + somewhere(lambda low, high: high < -delta),
    )
    return int(cost) if math.isfinite(cost) else None


def _more_worlds_until(cell: Cell, claim: Claim, cells: int = 1) -> float:
    """Estimate after how many more worlds like those so far the interval would allow the claim; inf for never."""
    now = int(cell.moments.worlds[0])

    def holds(worlds: int) -> bool:
        _, low, high = cell._replace(moments=cell.moments.scaled(worlds / now)).interval(cells)
        return claim(low, high)

    if now == 0 or not holds(HOPELESS):
        return math.inf
    if holds(now):
        return 0
    fails, enough = now, HOPELESS
    while enough - fails > 1:
        middle = (fails + enough) // 2
        fails, enough = (fails, middle) if holds(middle) else (middle, enough)
    return enough - now
