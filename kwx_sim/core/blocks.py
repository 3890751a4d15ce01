"""What a block index says by small tables: its tiles, its kinds, and what a missing suit leaves of it."""

import numpy as np

from kwx_sim.core.jit import inlined, popcount
from kwx_sim.core.layout import COUNT, DRAGON_BLOCKS, FOUR, HALF, HELD, LANE, LANES, ODD, SUIT_BLOCKS

__all__ = [
    "LAST_DRAGON",
    "LAST_SUIT",
    "OUT_OF_REACH",
    "POWERS",
    "SETS_ONLY",
    "SUIT",
    "all_held",
    "block_kinds",
    "hand_kinds",
    "lone_need",
    "melds_in",
    "odd_kinds",
    "of_aims",
    "of_dragon_aims",
    "one_suit",
    "stepped",
    "tiles_in",
]

POWERS = 5 ** np.arange(9, dtype=np.uint32)
LAST_SUIT, LAST_DRAGON = np.uint32(SUIT_BLOCKS - 1), np.uint32(DRAGON_BLOCKS - 1)
"""The highest indices: four of every kind."""
HALF_BLOCKS = np.uint32(HALF)
FIVE_KINDS = np.uint32(0x1F)
SUIT = np.uint32(0x1FF)
SETS_ONLY = 1  # of r.missing_suit
OUT_OF_REACH = 100
"""Tiles missing, or wild tiles needed, where nothing helps."""

FULL_LANE = (1 << LANE) - 1
# Of each set of seven aims their lanes, full.
LANES_OF = np.array(
    [sum(FULL_LANE << LANE * lane for lane in range(LANES) if aims >> lane & 1) for aims in range(1 << LANES)],
    np.uint64,
)
KINDS_OF_LANE = np.uint64(FULL_LANE)
FIRST_AIMS, SECOND_WORD = np.uint32((1 << LANES) - 1), np.uint32(LANES)
FOUR_LANES, TWO_LANES, ONE_LANE = np.uint64(4 * LANE), np.uint64(2 * LANE), np.uint64(LANE)


@inlined
def tiles_in(t, i):
    """The number of tiles in a block."""
    return np.uint32((t.half[i % HALF_BLOCKS] >> np.uint32(COUNT)) + (t.half[i // HALF_BLOCKS] >> np.uint32(COUNT)))


@inlined
def block_kinds(t, i, field):
    """The kinds of a block that `half` marks in a field (HELD, ODD, FOUR): nine bits."""
    low = t.half[i % HALF_BLOCKS] >> np.uint32(field) & FIVE_KINDS
    high = t.half[i // HALF_BLOCKS] >> np.uint32(field) & FIVE_KINDS
    return np.uint32(low | high << np.uint32(5))


@inlined
def hand_kinds(t, i0, i1, i2, field):
    """The kinds of a hand that `half` marks in a field: 27 bits."""
    suits = block_kinds(t, i0, field) | block_kinds(t, i1, field) << np.uint32(9)
    return np.uint32(suits | (t.half[i2] >> np.uint32(field) & FIVE_KINDS) << np.uint32(18))


@inlined
def odd_kinds(t, i0, i1):
    """The suited kinds held an odd number of times: how many."""
    return np.int64(popcount(block_kinds(t, i0, ODD)) + popcount(block_kinds(t, i1, ODD)))


@inlined
def all_held(t, i0, i1, i2, pongs, kongs):
    """The kinds of which the player holds all four copies, melds included: 27 bits."""
    return np.uint32(kongs | hand_kinds(t, i0, i1, i2, FOUR) | (pongs & hand_kinds(t, i0, i1, i2, HELD)))


@inlined
def stepped(i, kind, draw, last):
    """The index of a block with one more (draw) or one fewer of a kind; where that cannot be, any up to the last."""
    power = POWERS[kind]
    return min(np.uint32(i + power) if draw else np.uint32(i - power), last)


@inlined
def melds_in(melds, suit):
    """The melds of a suit (0, 1): nine bits."""
    return np.uint32(np.uint32(melds) >> np.uint32(9 * suit) & SUIT)


@inlined
def one_suit(r, count0, count1, melds):
    """缺一门: whether complete blocks of so many tiles leave a suit without a set, or (strict) without a tile.

    A complete block of two tiles is the pair.
    """
    most = 2 if r.missing_suit == SETS_ONLY else 0
    first = count1 <= most and melds_in(melds, 1) == 0
    second = count0 <= most and melds_in(melds, 0) == 0
    return first or second


@inlined
def lone_need(t, i):
    """Wild tiles with which a block is just the pair: 0 or 1, else out of reach."""
    tiles = tiles_in(t, i)
    if tiles == 1:
        return 1
    if tiles == 2 and block_kinds(t, i, ODD) == 0:
        return 0
    return OUT_OF_REACH


@inlined
def of_aims(rows, row, aims):
    """The kinds that a block's row (`steps`) has for some of the aims: nine bits."""
    return _together(rows[row, 0] & LANES_OF[aims & FIRST_AIMS] | rows[row, 1] & LANES_OF[aims >> SECOND_WORD])


@inlined
def of_dragon_aims(row, aims):
    """The same for the dragons' one word."""
    return _together(row & LANES_OF[aims])


@inlined
def _together(lanes):
    """What stands in some of seven lanes, by halves."""
    lanes |= lanes >> FOUR_LANES
    lanes |= lanes >> TWO_LANES
    return np.uint32((lanes | lanes >> ONE_LANE) & KINDS_OF_LANE)
