"""Discards of one turn, each played on in the same deal, and compared within the turn.

Rows are those of `kwx_sim.trials.play_choices` (CHOICE), a turn a wall. Two classes of discards are compared only where
they leave the hand equally near: the smallest shanten that any discard leaves there, and as many live tiles. So what is
left of a difference is not speed. A wall is one cluster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kwx_sim.findings.wins import MIN_EVENTS, NOTHING, share_of
from kwx_sim.stats import Estimates, ratio, ratio_difference

__all__ = ["DRAGON", "NUMBER", "Comparison", "Discards", "change", "discards_of"]

SLOTS = 27
SUITS = (0, 9)
DRAGON = 10
"""The number of every dragon; a suited tile has its own, 1 to 9."""

NUMBER = np.array([*range(1, 10)] * 2 + [DRAGON] * 9)
"""Of the tile of every slot."""
MOST_LIVE = 256  # above any number of live tiles

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Discards:
    """Every legal discard of every turn, in the order of the turns; arrays of (discards,) unless said otherwise.

    Attributes
    ----------
    wall : (turns,), the number of the wall
    draws, declared : (turns,), own draws so far, and how many others have declared
    turn : the turn of each discard, by its place among the turns
    number : of the tile, DRAGON for a dragon
    points : bases that the seat won or lost in the end
    won : whether another seat won this discard
    chosen : whether it is what the policy discards
    near : whether no other discard of the turn leaves a smaller shanten
    single : whether the tile is held once
    alone : whether it is held once, with no tile of its suit within two of it
    gap, middle_gap : whether it is held once, next to nothing, but two away from a tile; and whether these two are a 4
        and a 6
    alike : the group of its turn that leaves the hand equally near, counted from 0; −1 where it does not leave it near
    """

    wall: Ints
    draws: Ints
    declared: Ints
    turn: Ints
    number: Ints
    points: Ints
    won: Mask
    chosen: Mask
    near: Mask
    single: Mask
    alone: Mask
    gap: Mask
    middle_gap: Mask
    alike: Ints

    def compare(self, given_up: Mask, instead: Mask) -> Comparison:
        """Compare giving up one class of discards with giving up another where both leave the hand equally near.

        A comparison is a group of equally near discards that has some of both; each class counts with its mean.
        """
        groups = int(self.alike.max(initial=-1)) + 1
        (n, mean), (m, other) = (self._means(mask & (self.alike >= 0), groups) for mask in (given_up, instead))
        place = np.flatnonzero((n > 0) & (m > 0))
        turn = np.zeros(groups, np.int64)
        turn[self.alike[self.alike >= 0]] = self.turn[self.alike >= 0]
        return self._comparison(turn[place], other[place] - mean[place])

    def against_chosen(self, given_up: Mask) -> Comparison:
        """Compare giving up discards with what the policy chose in the same turn, however near they leave the hand."""
        policy = np.full(len(self.wall), np.nan)
        policy[self.turn[self.chosen]] = self.points[self.chosen]
        at = np.flatnonzero(given_up & ~self.chosen & ~np.isnan(policy[self.turn]))
        return self._comparison(self.turn[at], policy[self.turn[at]] - self.points[at])

    def won_at_once(self, discards: Mask, turns: Mask) -> tuple[int, Estimates]:
        """Give how many of these discards there are in these turns, and the share that another seat won at once."""
        among = discards & turns[self.turn]
        events = np.bincount(self.turn[among], minlength=len(self.wall))
        won = np.bincount(self.turn[among & self.won], minlength=len(self.wall))
        return int(events.sum()), share_of(won, events)

    def _means(self, mask: Mask, groups: int) -> tuple[Ints, NDArray[np.float64]]:
        """Count the discards of each group, and take their mean points."""
        count = np.bincount(self.alike[mask], minlength=groups)
        total = np.bincount(self.alike[mask], self.points[mask], minlength=groups)
        return count, total / np.maximum(count, 1)

    def _comparison(self, turn: Ints, gain: NDArray[np.float64]) -> Comparison:
        turns = len(self.wall)
        return Comparison(
            self.wall, np.bincount(turn, gain, turns).astype(np.float64), np.bincount(turn, minlength=turns)
        )


@dataclass(frozen=True)
class Comparison:
    """What keeping a class of tiles brought over giving it up, by turn; arrays of (turns,).

    Attributes
    ----------
    wall : the number of the wall
    gain : bases, added up over the comparisons of the turn
    count : comparisons of the turn
    """

    wall: Ints
    gain: NDArray[np.float64]
    count: Ints

    def estimate(self, turns: Mask | None = None) -> tuple[int, Estimates]:
        """Give the number of comparisons, of these turns or all, and the mean gain; NaN for fewer than MIN_EVENTS."""
        s, n = (values if turns is None else values[turns] for values in (self.gain, self.count))
        if n.sum() < MIN_EVENTS:
            return int(n.sum()), NOTHING
        return int(n.sum()), ratio(s.sum(), n.sum(), s @ s, s @ n, n @ n)


def change(first: Comparison, second: Comparison) -> tuple[int, Estimates]:
    """Give by how much the mean gain of one comparison is above another's on the same walls, and the fewer's n."""
    walls = 1 + max(int(each.wall.max(initial=0)) for each in (first, second))
    by_wall = np.zeros((4, walls))
    for place, each in ((0, first), (2, second)):
        by_wall[place, each.wall], by_wall[place + 1, each.wall] = each.gain, each.count
    fewer = int(min(first.count.sum(), second.count.sum()))
    if fewer < MIN_EVENTS:
        return fewer, NOTHING
    return fewer, ratio_difference(by_wall.sum(axis=1), by_wall @ by_wall.T)


def discards_of(rows: NDArray[np.void]) -> Discards:
    """Find the discards of turns, (turns,) CHOICE."""
    turn, tile = np.nonzero(rows["legal"][:, None] >> np.arange(SLOTS) & 1)
    shanten = rows["shanten"][turn, tile]
    least = np.full(len(rows), np.iinfo(shanten.dtype).max, shanten.dtype)
    np.minimum.at(least, turn, shanten)
    near = shanten == least[turn]
    single = rows["counts"][turn, tile] == 1
    touched, spaced, middle = (kinds[turn, tile] for kinds in _neighbours(rows["counts"]))
    gap = single & ~touched & spaced
    return Discards(
        wall=rows["number"].astype(np.int64),
        draws=rows["draws"].astype(np.int64),
        declared=rows["others_declared"].astype(np.int64),
        turn=turn,
        number=NUMBER[tile],
        points=rows["points"][turn, tile, 0].astype(np.int64),
        won=rows["won"][turn, tile] != 0,
        chosen=rows["chosen"][turn] == tile,
        near=near,
        single=single,
        alone=single & ~touched & ~spaced,
        gap=gap,
        middle_gap=gap & middle,
        alike=_alike(turn, rows["live"][turn, tile], near),
    )


def _alike(turn: Ints, live: NDArray[np.uint8], near: Mask) -> Ints:
    groups = np.full(len(turn), -1)
    _, groups[near] = np.unique(turn[near] * MOST_LIVE + live[near], return_inverse=True)
    return groups


def _neighbours(counts: NDArray[np.uint8]) -> tuple[Mask, Mask, Mask]:
    """Tell of each kind whether one next to it is held, one two away, and that one the 6 of a 4 or the 4 of a 6."""
    touched, spaced, middle = np.zeros((3, *counts.shape), bool)
    held = counts > 0
    for start in SUITS:
        suit = slice(start, start + 9)
        for kinds, step in ((touched, 1), (spaced, 2)):
            kinds[:, suit][:, step:] |= held[:, suit][:, :-step]
            kinds[:, suit][:, :-step] |= held[:, suit][:, step:]
        middle[:, start + 3], middle[:, start + 5] = held[:, start + 5], held[:, start + 3]
    return touched, spaced, middle
