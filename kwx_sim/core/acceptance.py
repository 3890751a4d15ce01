"""进张, 打牌: which draws bring a hand nearer, which discards leave it as near as it is.

Hands, tables and rules as in `shapes`. A hand's shanten is what the *aims* of its three blocks lack together: an aim is
so many sets with the pair or without (`layout`). The aims by which a hand is as near as it is are *critical*. A draw
brings the hand nearer exactly when it brings a critical aim nearer; a discard leaves it as near when it does so to one.
"""

import numpy as np

from kwx_sim.core.blocks import (
    LAST_DRAGON,
    LAST_SUIT,
    SUIT,
    all_held,
    block_kinds,
    hand_kinds,
    of_aims,
    of_dragon_aims,
    stepped,
)
from kwx_sim.core.jit import inlined, kernel, popcount
from kwx_sim.core.layout import (
    AIMS,
    CRITICAL_DRAGONS,
    CRITICAL_SECOND,
    CRITICAL_SHANTEN,
    DRAGON_AIMS,
    DRAW_ROW,
    FOUR,
    HELD,
    ODD,
)
from kwx_sim.core.shapes import (
    DRAGONS_MERGED,
    FIRST_SUIT,
    LAST_LIMITED,
    RED,
    SECOND_SUIT,
    SUITS_MERGED,
    dragon_place,
    limited_block,
    limited_class,
    pairs_shanten,
    plays_wild,
    shanten,
    standard_places,
)
from kwx_sim.core.wild import wild_accept_mask, wild_discard_mask

__all__ = ["accept_mask", "discard_mask"]

U1 = np.uint32(1)
AIM_BITS, DRAGON_BITS = np.uint32((1 << AIMS) - 1), np.uint32((1 << DRAGON_AIMS) - 1)
SECOND, THIRD, SHANTEN = np.uint32(CRITICAL_SECOND), np.uint32(CRITICAL_DRAGONS), np.uint32(CRITICAL_SHANTEN)
ROW = np.uint32(DRAW_ROW)


@kernel
def accept_mask(t, r, i0, i1, i2, pongs, kongs):
    """进张: the kinds whose draw lowers the shanten of 3k + 1 concealed tiles, as bits of slots."""
    if plays_wild(r, kongs):
        return wild_accept_mask(t, r, i0, i1, i2, pongs, kongs)
    if r.missing_suit != 0:
        before = shanten(t, r, i0, i1, i2, pongs, kongs)
        kinds = _kinds_within(t, r, i0, i1, i2, pongs, kongs, True, before - 1)
        return np.uint32(kinds & ~all_held(t, i0, i1, i2, pongs, kongs) & _kinds_of_set(r))
    row0 = _free_row(t.suit_class[i0] >> ROW, pongs, kongs, FIRST_SUIT)
    row1 = _free_row(t.suit_class[i1] >> ROW, pongs, kongs, SECOND_SUIT)
    melds = np.uint32(popcount(pongs | kongs))
    first, second, third = standard_places(t, i0, i1, i2, pongs, kongs, melds)
    critical = np.uint32(t.critical[first + second + third])
    distance = np.int64(critical >> SHANTEN) - 1
    kinds = np.uint32(0)
    if r.seven_pairs != 0 and melds == 0:
        # No branch: one that cannot be foretold costs more than all that it could skip.
        pairs = pairs_shanten(t, i0, i1, i2)
        kinds = hand_kinds(t, i0, i1, i2, ODD) * np.uint32(pairs <= distance)
        critical *= np.uint32(distance <= pairs)
    kinds |= of_dragon_aims(t.dragon_draws[dragon_place(i2, pongs, kongs)], critical >> THIRD & DRAGON_BITS) << RED
    kinds |= of_aims(t.draws, row0, critical & AIM_BITS)
    kinds |= of_aims(t.draws, row1, critical >> SECOND & AIM_BITS) << SECOND_SUIT
    if row0 == 0 and critical != 0:
        weight = SUITS_MERGED[melds] * DRAGONS_MERGED[melds]
        kinds |= _suit_draws(t, i0, pongs, kongs, FIRST_SUIT, melds, weight, second + third, distance)
    if row1 == 0 and critical != 0:
        kinds |= _suit_draws(t, i1, pongs, kongs, SECOND_SUIT, melds, DRAGONS_MERGED[melds], first + third, distance)
    return np.uint32(kinds & _kinds_of_set(r))


@kernel
def discard_mask(t, r, i0, i1, i2, pongs, kongs):
    """打牌: the kinds whose discard keeps the shanten of 3k + 2 concealed tiles (a won hand's: leaves it ready)."""
    if plays_wild(r, kongs):
        return wild_discard_mask(t, r, i0, i1, i2, pongs, kongs)
    held = hand_kinds(t, i0, i1, i2, HELD)
    if r.missing_suit != 0:
        before = shanten(t, r, i0, i1, i2, pongs, kongs)
        return np.uint32(held & _kinds_within(t, r, i0, i1, i2, pongs, kongs, False, max(before, 0)))
    row0 = _free_row(t.suit_discards[i0], pongs, kongs, FIRST_SUIT)
    row1 = _free_row(t.suit_discards[i1], pongs, kongs, SECOND_SUIT)
    melds = np.uint32(popcount(pongs | kongs))
    first, second, third = standard_places(t, i0, i1, i2, pongs, kongs, melds)
    critical = np.uint32(t.critical[first + second + third])
    distance = np.int64(critical >> SHANTEN) - 1
    kinds = np.uint32(0)
    if r.seven_pairs != 0 and melds == 0:
        pairs = pairs_shanten(t, i0, i1, i2)
        kinds = hand_kinds(t, i0, i1, i2, ODD) * np.uint32(pairs <= distance)
        critical *= np.uint32(distance <= pairs)
        distance = min(distance, pairs)
    if distance < 0:
        return held
    row = t.dragon_discards[dragon_place(i2, pongs, kongs)]
    kinds |= of_dragon_aims(row, critical >> THIRD & DRAGON_BITS) << RED
    kinds |= of_aims(t.discards, row0, critical & AIM_BITS)
    kinds |= of_aims(t.discards, row1, critical >> SECOND & AIM_BITS) << SECOND_SUIT
    if row0 == 0 and critical != 0:
        weight = SUITS_MERGED[melds] * DRAGONS_MERGED[melds]
        kinds |= _suit_discards(t, i0, pongs, kongs, FIRST_SUIT, melds, weight, second + third, distance)
    if row1 == 0 and critical != 0:
        weight = DRAGONS_MERGED[melds]
        kinds |= _suit_discards(t, i1, pongs, kongs, SECOND_SUIT, melds, weight, first + third, distance)
    return np.uint32(kinds & held)


@inlined
def _kinds_of_set(r):
    return (U1 << np.uint32(r.n_kinds)) - U1


@inlined
def _free_row(row, pongs, kongs, start):
    """The row of a suit block that no meld limits; 0 for none, or where there are too many tiles for one."""
    return np.uint32(row) * np.uint32((pongs | kongs) >> start & SUIT == 0)


@kernel
def _suit_draws(t, i, pongs, kongs, start, melds, weight, rest, distance):
    """A suit's part of `accept_mask` by the shanten after each draw; a class of the suit weighs so much in it."""
    block = limited_block(t, i, pongs, kongs, start)
    kinds = np.uint32(0)
    for kind in range(9):
        drawn = min(block + (U1 << np.uint32(3 * kind)), LAST_LIMITED)
        place = rest + weight * np.uint32(t.merged[melds, limited_class(t, drawn)])
        kinds |= np.uint32(t.combined[place] < distance) << np.uint32(kind)
    ponged, konged = np.uint32(pongs) >> start & SUIT, np.uint32(kongs) >> start & SUIT
    gone = block_kinds(t, i, FOUR) | ponged & block_kinds(t, i, HELD) | konged
    return np.uint32((kinds & ~gone) << start)


@kernel
def _suit_discards(t, i, pongs, kongs, start, melds, weight, rest, distance):
    """A suit's part of `discard_mask`, likewise; kinds that are not held come out one way or the other."""
    block = limited_block(t, i, pongs, kongs, start)
    kinds = np.uint32(0)
    for kind in range(9):
        left = min(block - (U1 << np.uint32(3 * kind)), LAST_LIMITED)
        place = rest + weight * np.uint32(t.merged[melds, limited_class(t, left)])
        kinds |= np.uint32(t.combined[place] <= distance) << np.uint32(kind)
    return np.uint32((kinds & SUIT) << start)


@kernel
def _kinds_within(t, r, i0, i1, i2, pongs, kongs, draw, most):
    """缺一门: kinds with one more (draw) or one fewer of which the shanten is `most` or less, as bits of slots.

    Kinds that cannot be drawn, or are not held, come out one way or the other.
    """
    kinds = np.uint32(0)
    for kind in range(9):
        j0, j1 = stepped(i0, kind, draw, LAST_SUIT), stepped(i1, kind, draw, LAST_SUIT)
        within0 = shanten(t, r, j0, i1, i2, pongs, kongs) <= most
        within1 = shanten(t, r, i0, j1, i2, pongs, kongs) <= most
        kinds |= (np.uint32(within0) | np.uint32(within1) << SECOND_SUIT) << np.uint32(kind)
    for kind in range(3):
        j2 = stepped(i2, kind, draw, LAST_DRAGON)
        kinds |= np.uint32(shanten(t, r, i0, i1, j2, pongs, kongs) <= most) << np.uint32(18 + kind)
    return np.uint32(kinds)
