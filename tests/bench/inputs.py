"""The fixed hands, by seed: whatever is compared is given the same ones in every run."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["HANDS", "Hands", "hands", "some"]

SEED = 20_261_129
RANDOM, MADE, MELDED = 200_000, 20_000, 100_000
SLOTS, RED, COPIES = 27, 18, 4
NATURAL = 18  # suited kinds: all that wild tiles stand for
RUNS = (*range(7), *range(9, 16))  # lowest kinds of the sequences

Counts = NDArray[np.uint8]
Tiles = NDArray[np.int64]


@dataclass(frozen=True)
class Hands:
    """Concealed tiles (n, 27) uint8, and the melds likewise, None where nobody has any."""

    counts: Counts
    melds: Counts | None = None

    def __len__(self) -> int:
        """How many hands there are."""
        return len(self.counts)


def some(given: Hands, n: int) -> Hands:
    """The first n hands."""
    return Hands(given.counts[:n], None if given.melds is None else given.melds[:n])


@cache
def hands(name: str) -> Hands:
    """The hands of that name in HANDS."""
    return HANDS[name](np.random.default_rng([SEED, *name.encode()]))


def _dealt(kinds: int, size: int) -> Callable[[np.random.Generator], Hands]:
    """Hands dealt at random from four of each kind."""

    def make(rng: np.random.Generator) -> Hands:
        deck = np.repeat(np.arange(kinds, dtype=np.uint8), COPIES)
        dealt = rng.permuted(np.broadcast_to(deck, (RANDOM, len(deck))), axis=1)[:, :size]
        return Hands(_counts(dealt.astype(np.int64)))

    return make


def _won(rng: np.random.Generator) -> Hands:
    return Hands(_counts(_won_tiles(rng, wild=False)))


def _won_with_wilds(rng: np.random.Generator) -> Hands:
    return Hands(_counts(_won_tiles(rng, wild=True)))


def _ready(rng: np.random.Generator) -> Hands:
    return Hands(_counts(_less_one(rng, _won_tiles(rng, wild=False))))


def _ready_with_wilds(rng: np.random.Generator) -> Hands:
    return Hands(_counts(_less_one(rng, _won_tiles(rng, wild=True))))


def _melded(wild: bool) -> Callable[[np.random.Generator], Hands]:
    """Two pongs or kongs of any kinds (with wild tiles: of one suit, as 缺一门 wants), and 7 tiles of what is left."""

    def make(rng: np.random.Generator) -> Hands:
        kinds = RED + 1 if wild else RED + 3
        allowed = np.tile(np.arange(kinds) < (RED if wild else kinds), (MELDED, 1))
        if wild:
            allowed &= np.arange(kinds) // 9 == rng.integers(0, 2, (MELDED, 1))
        called = np.argpartition(rng.random((MELDED, kinds)) - allowed, 2, axis=1)[:, :2]
        melds = np.zeros((MELDED, SLOTS), np.uint8)
        melds[np.arange(MELDED)[:, None], called] = rng.choice([3, 3, 4], (MELDED, 2))
        # Each tile of the deck draws a number; the seven lowest of those that lie in no meld are the hand.
        order = rng.random((MELDED, kinds, COPIES), np.float32)
        order[np.arange(COPIES) < melds[:, :kinds, None]] = 1
        dealt = np.argpartition(order.reshape(MELDED, -1), 7, axis=1)[:, :7] // COPIES
        return Hands(_counts(dealt), melds)

    return make


HANDS: dict[str, Callable[[np.random.Generator], Hands]] = {
    "random 14": _dealt(RED + 3, 14),
    "won 14": _won,
    "random 13": _dealt(RED + 3, 13),
    "ready 13": _ready,
    "two melds": _melded(wild=False),
    "wild random 14": _dealt(RED + 1, 14),
    "wild won 14": _won_with_wilds,
    "wild random 13": _dealt(RED + 1, 13),
    "wild ready 13": _ready_with_wilds,
    "wild two melds": _melded(wild=True),
}


def _won_tiles(rng: np.random.Generator, wild: bool) -> Tiles:
    """Four sets and a pair; one hand in ten seven pairs, half of those with a four of a kind. (n, 14).

    With `wild` up to four wild tiles stand in place of others.
    """
    pairs = MADE // 10
    standard = _sets_and_pair(rng, MADE - pairs, one_suit=wild)
    kinds = np.argsort(rng.random((pairs, NATURAL if wild else RED + 3)), axis=1)[:, :7]
    kinds[::2, 6] = kinds[::2, 0]
    seven = kinds.repeat(2, axis=1)
    if wild:
        # The pair lies last and stays: two wild tiles by themselves are none.
        _put_wilds(rng, standard[:, :12])
        _put_wilds(rng, seven)
    return rng.permutation(np.concatenate([standard, seven]))


def _sets_and_pair(rng: np.random.Generator, n: int, one_suit: bool) -> Tiles:
    """Four of a kind at most; with `one_suit` every set in one suit and the pair in any. (n, 14), the pair last."""
    triplets = np.arange(NATURAL if one_suit else RED + 3)[:, None].repeat(3, axis=1)
    sets = np.concatenate([triplets, np.array(RUNS)[:, None] + np.arange(3)])
    found: list[Tiles] = []
    while sum(map(len, found)) < n:
        picked = rng.integers(0, len(sets), (n, 4))
        if one_suit:
            suit = sets[:, 0] // 9
            of_suit = np.stack([np.flatnonzero(suit == 0), np.flatnonzero(suit == 1)])
            picked = of_suit[rng.integers(0, 2, (n, 1)), picked % of_suit.shape[1]]
        pair = rng.integers(0, len(triplets), (n, 1)).repeat(2, axis=1)
        tiles = np.concatenate([sets[picked].reshape(n, 12), pair], axis=1)
        found.append(tiles[(_counts(tiles) <= COPIES).all(axis=1)])
    return np.concatenate(found)[:n]


def _put_wilds(rng: np.random.Generator, tiles: Tiles) -> None:
    """Put none to four wild tiles in the place of others, in each row."""
    rank = np.argsort(rng.random(tiles.shape), axis=1)
    tiles[rank < rng.integers(0, COPIES + 1, (len(tiles), 1))] = RED


def _less_one(rng: np.random.Generator, tiles: Tiles) -> Tiles:
    kept = np.ones(tiles.shape, bool)
    kept[np.arange(len(tiles)), rng.integers(0, tiles.shape[1], len(tiles))] = False
    return tiles[kept].reshape(len(tiles), -1)


def _counts(tiles: Tiles) -> Counts:
    """Rows of slots (n, k) -> counts (n, 27) uint8."""
    n = len(tiles)
    flat = np.bincount((np.arange(n)[:, None] * SLOTS + tiles).ravel(), minlength=n * SLOTS)
    return flat.reshape(n, SLOTS).astype(np.uint8)
