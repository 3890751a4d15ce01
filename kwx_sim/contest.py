"""Arms compared in the same worlds: adjusted differences, their sequences, and arms dropped once they are beaten.

Arms play the same worlds, so the datum of a world is the difference of two payoffs. Luck that all can name after the
round (controls, each of mean exactly zero) is taken out of it with coefficients from a pilot, whose worlds are never
used again: fitted on the worlds that they adjust, coefficients would follow those worlds' luck and bias the mean.

Every pair has an asymptotic time-uniform confidence sequence at level α/(K − 1) of K arms. The best arm takes part in
K − 1 of them, so it is dropped in at most α of all contests, and at a tie of all arms at most α end with a winner.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kwx_sim.sequences import ALPHA, Cell, Interval, Moments

__all__ = ["PILOT", "Contest", "Figures", "Standing", "coefficients"]

PILOT = 400

COLLINEAR = 1e-10
"""Share of the largest eigenvalue below which controls, scaled alike, count as combinations of each other."""

CONSTANT = 1e-9
"""Share of its size below which a control's variation is rounding."""

ENOUGH = 5
"""Worlds of one weight that each coefficient needs: fitted on fewer, its error adds more than the control takes out."""

Floats = NDArray[np.float64]


class Figures(NamedTuple):
    """The same quantities before and after the controls took luck out, and by how much the variance fell."""

    raw: Interval
    adjusted: Interval
    gain: Floats
    """Raw variance over adjusted variance: what one world is worth of those without controls."""


class Standing(NamedTuple):
    """How a contest of K arms stands at a look. Figures of a dropped arm rest on the worlds until it was dropped."""

    worlds: int
    """Worlds counted so far, the pilot's not among them."""
    differences: Figures
    """(K, K): the row's arm minus the column's, each pair at level α/(K − 1); 0 on the diagonal."""
    means: Figures
    """(K,): each arm's own mean payoff, each at level α."""
    counted: NDArray[np.int64]
    """(K,) worlds that each arm's figures rest on."""
    effective: Floats
    """(K,) effective size of those worlds; the same number without weights."""
    dropped_by: NDArray[np.int64]
    """(K,) the arm that beat each dropped arm, −1 for those still in."""
    leader: int
    """Of the arms still in, the one whose worst adjusted difference from another is best."""

    @property
    def still_in(self) -> NDArray[np.bool_]:
        """(K,) arms that have not been dropped."""
        return self.dropped_by < 0

    def settled(self, delta: float) -> bool:
        """Tell whether the leader is alone, or within ±delta of every other arm still in."""
        others = self.still_in.copy()
        others[self.leader] = False
        low = self.differences.adjusted.low[self.leader, others]
        high = self.differences.adjusted.high[self.leader, others]
        return bool(np.all((low > -delta) & (high < delta)))


class _Block(NamedTuple):
    """Worlds turned so that each arm's k worlds lie together: y (K, k), controls (c, K, k), weights (k,)."""

    y: Floats
    controls: Floats
    weights: Floats

    def part(self, first: int, last: int | None = None) -> _Block:
        return _Block(*(array[..., first:last] for array in self))


class _Quantities:
    """m quantities per world, each with r controls: their sums before and after adjustment."""

    def __init__(self, size: int, heaviest: float) -> None:
        self.raw = Moments.empty(size, heaviest)
        self.adjusted = Moments.empty(size, heaviest)
        self.beta: Floats | None = None

    def fit(self, values: Floats, controls: Floats, weights: Floats) -> None:
        self.beta = coefficients(values, controls, weights)

    def add(self, values: Floats, controls: Floats, weights: Floats, rows: NDArray[np.intp]) -> None:
        self.raw.add(values, weights, rows)
        if self.beta is not None:
            values = values.copy()
            for beta, control in zip(self.beta, controls, strict=True):
                values -= beta[rows, None] * control
        self.adjusted.add(values, weights, rows)

    def figures(self, alpha: float, bound: Floats) -> Figures:
        before, after = self.raw.spread, self.adjusted.spread
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = np.where(before == after, 1.0, before / after)
        return Figures(self.raw.interval(alpha, bound), self.adjusted.interval(alpha, bound), gain)


class Contest:
    """K arms that play the same worlds, compared pair by pair.

    What it says depends on the worlds in the order and blocks in which they were added and on the looks taken, and on
    nothing else.

    Parameters
    ----------
    arms : K, at least 1
    bound : B in bases, the largest difference between two payoffs that the rules allow here, or a stated one where
        they allow any; or (K, K), symmetric, for each pair of arms (on the diagonal for two payoffs of one arm). It is
        not checked against the data. Adjusted differences may exceed it by what the controls take out; they are not
        cut, which would bias them, and the imaginary pairs stay at ±B: those stand for payments not seen yet, while the
        spread of the controls is in every world and so in s.
    alpha : level over all looks and, as far as the best arm is concerned, all pairs
    pilot : worlds at the beginning that only fit the coefficients of the controls; 0 leaves the controls out
    heaviest : the largest weight that a world can have, where weights are capped; by default the largest seen so far,
        which is too little while the heaviest worlds are still to come

    Raises
    ------
    ValueError : no arms, a bound that is negative, not finite or not symmetric, a level outside (0, 1)
    """

    def __init__(
        self, arms: int, bound: ArrayLike, alpha: float = ALPHA, pilot: int = PILOT, heaviest: float = 0.0
    ) -> None:
        if arms < 1 or pilot < 0 or not 0 < alpha < 1:
            raise ValueError("a contest needs an arm, a pilot of 0 or more worlds, and a level between 0 and 1")
        self.arms = arms
        self.alpha = alpha
        self.pilot = pilot
        self._bound = _bounds(bound, arms)
        self._first, self._second = np.triu_indices(arms, 1)
        self._differences = _Quantities(self._first.size, heaviest)
        self._means = _Quantities(arms, heaviest)
        self._dropped_by = np.full(arms, -1, np.int64)
        self._pilot_blocks: list[_Block] = []
        self._pilot_left = pilot
        self._worlds = 0

    @property
    def worlds(self) -> int:
        """Worlds counted so far, the pilot's not among them."""
        return self._worlds

    @property
    def pair_alpha(self) -> float:
        """Level of each pair's sequence."""
        return self.alpha / max(self.arms - 1, 1)

    def add(self, y: ArrayLike, controls: ArrayLike | None = None, weights: ArrayLike | None = None) -> None:
        """Add a block of k worlds.

        Parameters
        ----------
        y : (k, K) payoffs in bases; anything, also NaN, for arms that have been dropped
        controls : (k, K, c), each of mean exactly zero in the world's own law; the same c in all blocks
        weights : (k,) not negative, of independent worlds and not of copies of one; by default 1

        Raises
        ------
        ValueError : shapes that do not fit, negative weights, or what is not a finite number of an arm still in
        """
        block = self._checked(y, controls, weights)
        if self._pilot_left:
            block = self._take_pilot(block)
        if block.weights.size:
            self._count(block)

    def look(self) -> Standing:
        """Drop the arms that are beaten by now, for good, and tell how the contest stands."""
        pairs = self._differences.figures(self.pair_alpha, self._bound[self._first, self._second])
        differences = Figures(self._square(pairs.raw), self._square(pairs.adjusted), self._mirror(pairs.gain, 1, 1.0))
        self._drop(differences.adjusted.low)
        return Standing(
            worlds=self._worlds,
            differences=differences,
            means=self._means.figures(self.alpha, self._bound.diagonal()),
            counted=self._means.raw.worlds,
            effective=self._means.raw.effective,
            dropped_by=self._dropped_by.copy(),
            leader=self._leader(differences.adjusted.mean),
        )

    def cell(self, arm: int, other: int) -> Cell:
        """Give the adjusted difference of two arms, `arm` minus `other`, for a verdict over several contests."""
        if arm == other:
            raise ValueError("an arm does not differ from itself")
        pair = np.flatnonzero((self._first == min(arm, other)) & (self._second == max(arm, other))).item()
        moments = self._differences.adjusted[pair]
        return Cell(moments if arm < other else -moments, float(self._bound[arm, other]), self.pair_alpha)

    def _checked(self, y: ArrayLike, controls: ArrayLike | None, weights: ArrayLike | None) -> _Block:
        payoffs = np.asarray(y, np.float64)
        worlds = len(payoffs)
        luck = np.zeros((worlds, self.arms, 0)) if controls is None else np.asarray(controls, np.float64)
        weight = np.ones(worlds) if weights is None else np.asarray(weights, np.float64)
        if payoffs.shape != (worlds, self.arms) or luck.shape[:2] != payoffs.shape or luck.ndim != 3:
            raise ValueError(f"payoffs {payoffs.shape} and controls {luck.shape} do not fit {self.arms} arms")
        if weight.shape != (worlds,) or not np.all((weight >= 0) & np.isfinite(weight)):
            raise ValueError("weights are one number a world, finite and not negative")
        playing = self._dropped_by < 0
        if not (np.isfinite(payoffs[:, playing]).all() and np.isfinite(luck[:, playing]).all()):
            raise ValueError("an arm still in has a payoff or a control that is not a number")
        return _Block(np.ascontiguousarray(payoffs.T), np.ascontiguousarray(luck.transpose(2, 1, 0)), weight)

    def _take_pilot(self, block: _Block) -> _Block:
        """Keep what the pilot still needs, fit when it is complete, and give back the rest of the block."""
        taken = block.part(0, self._pilot_left)
        self._pilot_blocks.append(taken)
        self._pilot_left -= taken.weights.size
        if self._pilot_left == 0:
            pilot = _Block(*(np.concatenate(arrays, axis=-1) for arrays in zip(*self._pilot_blocks, strict=True)))
            self._pilot_blocks.clear()
            self._means.fit(pilot.y, pilot.controls, pilot.weights)
            self._differences.fit(*self._paired(pilot, slice(None)), pilot.weights)
        return block.part(taken.weights.size)

    def _count(self, block: _Block) -> None:
        playing = self._dropped_by < 0
        arms = np.flatnonzero(playing)
        pairs = np.flatnonzero(playing[self._first] & playing[self._second])
        self._means.add(block.y[arms], block.controls[:, arms], block.weights, arms)
        self._differences.add(*self._paired(block, pairs), block.weights, pairs)
        self._worlds += block.weights.size

    def _paired(self, block: _Block, pairs: NDArray[np.intp] | slice) -> tuple[Floats, Floats]:
        """Give differences (pairs, k), and the controls of both arms of each pair (2c, pairs, k)."""
        first, second = self._first[pairs], self._second[pairs]
        controls = np.concatenate([block.controls[:, first], block.controls[:, second]])
        return block.y[first] - block.y[second], controls

    def _drop(self, low: Floats) -> None:
        playing = self._dropped_by < 0
        # No dropped arm beats one still in: what it beat was dropped with it at the latest.
        margin = np.where(playing, low, -np.inf)
        beaten = margin.max(axis=0) > 0
        # Each pair has coefficients of its own, so arms could beat each other in a ring; somebody must stay.
        if not beaten[playing].all():
            self._dropped_by[beaten] = margin.argmax(axis=0)[beaten]

    def _leader(self, mean: Floats) -> int:
        playing = self._dropped_by < 0
        rivals = playing & ~np.eye(self.arms, dtype=np.bool_)
        worst = np.where(rivals, mean, np.inf).min(axis=1)
        return int(np.where(playing, worst, -np.inf).argmax())

    def _square(self, pairs: Interval) -> Interval:
        """Lay pairs out as rows minus columns."""
        mean = self._mirror(pairs.mean, -1)
        low, high = self._mirror(pairs.low, -1), self._mirror(pairs.high, -1)
        upper = np.triu(np.ones_like(mean, dtype=np.bool_))
        return Interval(mean, np.where(upper, low, high), np.where(upper, high, low))

    def _mirror(self, pairs: Floats, sign: int, diagonal: float = 0.0) -> Floats:
        square = np.full((self.arms, self.arms), diagonal)
        square[self._first, self._second] = pairs
        square[self._second, self._first] = sign * pairs
        return square


def _bounds(bound: ArrayLike, arms: int) -> Floats:
    bounds = np.broadcast_to(np.asarray(bound, np.float64), (arms, arms))
    if not (np.all((bounds >= 0) & np.isfinite(bounds)) and np.array_equal(bounds, bounds.T)):
        raise ValueError("the largest difference is finite, not negative, and the same for a pair both ways round")
    return bounds


def coefficients(values: Floats, controls: Floats, weights: Floats) -> Floats:
    """Fit the coefficients that leave least spread: least squares of w·D on w·C and w, without a ridge.

    Controls that do not vary get 0, and those that are combinations of each other share (the shortest solution). All
    get 0 where the worlds count for too few.

    Parameters
    ----------
    values : (m, k), the quantities D in k worlds
    controls : (r, m, k)
    weights : (k,)

    Returns
    -------
    (r, m)
    """
    if not controls.size or weights.sum() ** 2 <= ENOUGH * len(controls) * (weights * weights).sum():
        return np.zeros(controls.shape[:2])
    shares = weights * weights / (weights * weights).sum()
    centred = controls - (controls * shares).sum(-1, keepdims=True)
    length = np.sqrt((centred * centred * shares).sum(-1))
    size = np.sqrt((controls * controls * shares).sum(-1))
    scale = np.where(length > CONSTANT * size, length, np.inf)
    unit = centred / scale[..., None]
    # Sums written out, not a matrix product: a product's last bit may depend on the number of threads.
    products = np.stack([(unit * row * shares).sum(-1) for row in unit])
    with_values = (unit * values * shares).sum(-1)
    inverse = np.linalg.pinv(products.transpose(2, 0, 1), rcond=COLLINEAR, hermitian=True)
    return np.asarray(np.einsum("mrs,sm->rm", inverse, with_values) / scale)
