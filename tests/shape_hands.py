"""Hands for the shape tests, near to winning ones: random deals are hardly ever ready."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kwx_sim.rules import Ruleset
from kwx_sim.tiles import KONG_KINDS, NUM_SLOTS, RED, Meld, meld_counts

COPIES = 4
RUN_STARTS = (*range(7), *range(9, 16))


class Hand(NamedTuple):
    """14 tiles and 13 of them, a meld counting three."""

    full: list[int]
    short: list[int]
    melds: list[Meld]


class Hands(NamedTuple):
    """The same as arrays, (n, 27) each; and the hands one by one."""

    full: NDArray[np.uint8]
    short: NDArray[np.uint8]
    melds: NDArray[np.uint8]
    each: list[Hand]


def make_hands(rules: Ruleset, n: int, seed: int, one_suit: bool = False) -> Hands:
    """Make hands that a ruleset allows: winning ones with a few tiles changed, some dealt at random.

    `one_suit`: most sets lie in one suit, as 缺一门 wants.
    """
    maker = _Maker(rules, np.random.default_rng(seed), one_suit)
    each = [hand for hand, _ in zip(maker.endless(), range(n), strict=False)]
    full, short = (np.array([getattr(hand, part) for hand in each], np.uint8) for part in ("full", "short"))
    return Hands(full, short, np.array([meld_counts(hand.melds) for hand in each], np.uint8), each)


class _Maker:
    def __init__(self, rules: Ruleset, rng: np.random.Generator, one_suit: bool) -> None:
        self.rng, self.one_suit = rng, one_suit
        self.kinds = list(range(rules.n_kinds))
        self.wild = rules.tiles.wild != "none"
        self.wild_kong = rules.shapes.wild_kong != "none"
        self.natural = [kind for kind in self.kinds if not (self.wild and kind == RED)]

    def endless(self) -> Iterator[Hand]:
        while True:
            melds: list[Meld] = []
            counts = self.seven_pairs()
            if self.rng.random() > 0.1:
                self.suit = int(self.rng.integers(2))
                melds = self.melds()
                counts = self.sets_and_pair(4 - len(melds))
            left = self.limits(melds)
            if self.wild:
                self.put_wilds(counts, left)
            if (counts > left).any():
                continue
            for _ in range(self.rng.choice([0, 1, 1, 1, 2, 2, 3, 4, 6, 12])):
                self.swap(counts, left)
            short = counts.copy()
            short[self.rng.choice(np.flatnonzero(counts))] -= 1
            yield Hand(counts.tolist(), short.tolist(), melds)

    def kind(self) -> int:
        while True:
            kind = int(self.rng.choice(self.natural))
            if not self.one_suit or kind >= RED or kind // 9 == self.suit or self.rng.random() < 0.1:
                return kind

    def melds(self) -> list[Meld]:
        melds: dict[int, Meld] = {}
        for _ in range(self.rng.choice([0, 0, 0, 1, 1, 2, 2, 3, 4])):
            kind = RED if self.wild_kong and self.rng.random() < 0.1 else self.kind()
            pong = self.rng.random() < 0.6 and not (self.wild and kind == RED)
            kong = "concealed_kong" if self.wild and kind == RED else str(self.rng.choice(KONG_KINDS))
            melds[kind] = Meld("pong" if pong else kong, kind)
        return list(melds.values())

    def limits(self, melds: list[Meld]) -> NDArray[np.int64]:
        left = np.zeros(NUM_SLOTS, int)
        left[self.kinds] = COPIES
        return left - meld_counts(melds)

    def sets_and_pair(self, sets: int) -> NDArray[np.int64]:
        counts = np.zeros(NUM_SLOTS, int)
        for _ in range(sets):
            kind = self.kind()
            run = kind in RUN_STARTS and self.rng.random() < 0.7
            counts[kind : kind + 3] += 1 if run else (3, 0, 0)
        counts[self.kind()] += 2
        return counts

    def seven_pairs(self) -> NDArray[np.int64]:
        counts = np.zeros(NUM_SLOTS, int)
        counts[self.rng.choice(self.natural, 7 - self.rng.integers(3), replace=False)] = 2
        while counts.sum() < 14:
            counts[self.rng.choice(np.flatnonzero(counts == 2))] += 2
        return counts

    def put_wilds(self, counts: NDArray[np.int64], left: NDArray[np.int64]) -> None:
        """Wild tiles for what is too much of a kind, and for some more."""
        excess = np.maximum(counts - left, 0)
        counts -= excess
        counts[RED] += excess.sum()
        for _ in range(self.rng.integers(5)):
            suited = np.flatnonzero(counts[:RED])
            if counts[RED] < left[RED] and len(suited):
                counts[self.rng.choice(suited)] -= 1
                counts[RED] += 1

    def swap(self, counts: NDArray[np.int64], left: NDArray[np.int64]) -> None:
        counts[self.rng.choice(np.flatnonzero(counts))] -= 1
        counts[self.rng.choice(np.flatnonzero(counts < left))] += 1
