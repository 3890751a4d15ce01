"""What a hand can become: five plans, how far each is, and what it may be expected to bring.

A plan is a kind of winning hand: any at all, 七对, 碰碰胡, 清一色 in either suit. Its expectation is the chance to
complete it in the draws that are left times the worth of its fan. The chance comes from a table by plan, distance and
own draws left; the fan is that of the plan, raised by what the hand already has towards 龙七对 and 小三元, 大三元, and
capped as it would be paid.
"""

from typing import NamedTuple

import numpy as np

from kwx_sim.core.fans import ALL_TRIPLETS, BIG_THREE_DRAGONS, DRAGON_SEVEN_PAIRS, FULL_FLUSH, SEVEN_PAIRS
from kwx_sim.core.fans import SMALL_THREE_DRAGONS
from kwx_sim.core.jit import kernel, popcount
from kwx_sim.core.shapes import shanten
from kwx_sim.core.state import RED
from kwx_sim.core.view import held_twice, without

__all__ = ["Hand", "Plan", "best_plan", "hand_of", "konged", "ponged", "worth"]

ANY, PAIRS, TRIPLETS, FLUSH_FIRST, FLUSH_SECOND = 0, 1, 2, 3, 4

SUIT = np.uint32(0x1FF)
SUITS = (SUIT, np.uint32(0x1FF << 9))
DRAGONS = np.uint32(7 << 18)
RED_BIT = np.uint32(1 << RED)
NO_TILES = np.uint32(0)
ALL_KINDS = np.uint32((1 << 21) - 1)


class Hand(NamedTuple):
    """A hand that the seat has or would have: blocks, melds, and the kinds held at least one to four times."""

    i0: np.uint32
    i1: np.uint32
    i2: np.uint32
    pongs: np.uint32
    kongs: np.uint32
    one: np.uint32
    two: np.uint32
    three: np.uint32
    four: np.uint32


class Plan(NamedTuple):
    """The plan (ANY, PAIRS, …), its distance as a shanten number, and its expectation in bases a payer."""

    kind: int
    distance: int
    expected: float


# The chance to come one step nearer between two own draws, by distance: from ready to won, from one away to ready, …
STEPS = (
    (0.15, 0.30, 0.42, 0.50, 0.58, 0.65, 0.70),  # ANY
    (0.09, 0.16, 0.26, 0.34, 0.42, 0.50, 0.55),  # PAIRS
    (0.13, 0.26, 0.36, 0.44, 0.52, 0.58, 0.63),  # TRIPLETS
    (0.13, 0.24, 0.32, 0.38, 0.44, 0.50, 0.55),  # FLUSH
)
FAR = len(STEPS[0]) - 1
MAX_DRAWS = 16


def _chances() -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """By plan (both flushes alike), distance and own draws left: the chance that all steps are made."""
    table = np.zeros((len(STEPS), FAR + 1, MAX_DRAWS + 1))
    for plan, steps in enumerate(STEPS):
        nearer = np.ones(MAX_DRAWS + 1)
        for distance, step in enumerate(steps):
            for draws in range(1, MAX_DRAWS + 1):
                made, missed = nearer[draws - 1], table[plan, distance, draws - 1]
                table[plan, distance, draws] = step * made + (1 - step) * missed
            nearer = table[plan, distance]
    return table


CHANCE = _chances()


@kernel
def hand_of(s, seat):
    """The seat's hand as it is."""
    two, three = held_twice(s, seat)
    return Hand(
        s.idx[seat, 0], s.idx[seat, 1], s.idx[seat, 2], s.pongs[seat], s.kongs[seat], s.held[seat], two, three, s.quads[seat]
    )


@kernel
def ponged(hand, tile):
    """The hand after a pong of the tile, before the discard."""
    bit = np.uint32(1) << np.uint32(tile)
    i0, i1, i2 = without(hand.i0, hand.i1, hand.i2, tile, 2)
    one = hand.one & (~bit | hand.three)
    return Hand(
        i0, i1, i2, hand.pongs | bit, hand.kongs, np.uint32(one), hand.two & ~bit, hand.three & ~bit, hand.four & ~bit
    )


@kernel
def konged(hand, tile, concealed):
    """The hand after a kong of the tile with so many concealed copies, before the replacement."""
    bit = np.uint32(1) << np.uint32(tile)
    i0, i1, i2 = without(hand.i0, hand.i1, hand.i2, tile, concealed)
    return Hand(
        i0,
        i1,
        i2,
        hand.pongs & ~bit,
        hand.kongs | bit,
        hand.one & ~bit,
        hand.two & ~bit,
        hand.three & ~bit,
        hand.four & ~bit,
    )


@kernel
def worth(r, p, fan):
    """What a fan counts for: 1 + value × (what is paid for it − 1)."""
    paid = fan
    if r.cap != 0:
        paid = min(paid, np.float64(r.cap))
    return 1.0 + p.value * (paid - 1.0)


@kernel
def best_plan(t, r, p, hand, live, draws):
    """The plan of the largest expectation for 3k + 1 or 3k + 2 tiles.

    Parameters
    ----------
    t, r, p : records of TABLES, RULES and POLICY
    hand : Hand
    live : masks of `live_kinds`
    draws : own draws left
    """
    draws = min(draws, MAX_DRAWS)
    distance = shanten(t, r, hand.i0, hand.i1, hand.i2, hand.pongs, hand.kongs)
    dragons = _dragon_fan(r, hand)
    best = _plan(r, p, ANY, ANY, distance, dragons, draws)
    if p.value == 0:
        return best
    melds = hand.pongs | hand.kongs
    if melds == 0 and r.seven_pairs != 0:
        best = _better(best, _plan(r, p, PAIRS, PAIRS, _pairs_distance(r, hand), _pairs_fan(r, hand), draws))
    if r.fan_value[ALL_TRIPLETS] != 0:
        fan = _joined(r, np.float64(r.fan_value[ALL_TRIPLETS]), dragons)
        best = _better(best, _plan(r, p, TRIPLETS, TRIPLETS, _triplets_distance(r, hand, live), fan, draws))
    if r.fan_value[FULL_FLUSH] != 0:
        fan = np.float64(r.fan_value[FULL_FLUSH])
        jokers = hand.i2 if r.wild != 0 else NO_TILES
        if melds & ~SUITS[0] & ~_wild_bit(r) == 0:
            distance = shanten(t, r, hand.i0, NO_TILES, jokers, hand.pongs, hand.kongs)
            best = _better(best, _plan(r, p, FLUSH_FIRST, 3, distance, fan, draws))
        if melds & ~SUITS[1] & ~_wild_bit(r) == 0:
            distance = shanten(t, r, NO_TILES, hand.i1, jokers, hand.pongs, hand.kongs)
            best = _better(best, _plan(r, p, FLUSH_SECOND, 3, distance, fan, draws))
    return best


@kernel
def _plan(r, p, kind, row, distance, fan, draws):
    chance = CHANCE[row, min(max(distance, 0), FAR), draws]
    return Plan(np.int64(kind), np.int64(distance), chance * worth(r, p, fan))


@kernel
def _better(best, other):
    return other if other.expected > best.expected else best


@kernel
def _wild_bit(r):
    return RED_BIT if r.wild != 0 else NO_TILES


@kernel
def _joined(r, fan, other):
    """Two fans together, as the rules combine them; a fan of 1 (multiplied) or 0 (added) changes nothing."""
    return fan + other if r.combine == 1 else fan * other


@kernel
def _pairs_distance(r, hand):
    """七对: six less the pairs; a wild tile pairs with a single one."""
    pairs = np.int64(popcount(hand.two)) + np.int64(popcount(hand.four))
    if r.wild != 0:
        pairs += np.int64(hand.i2) - np.int64(hand.two >> np.uint32(RED) & np.uint32(1))
        pairs -= np.int64(hand.four >> np.uint32(RED) & np.uint32(1))
    return 6 - pairs


@kernel
def _pairs_fan(r, hand):
    """七对, or 龙七对 and its family where fours are held already."""
    fours = min(np.int64(popcount(hand.four)), 3)
    fan = np.float64(r.fan_value[SEVEN_PAIRS])
    for n in range(fours):
        fan = max(fan, np.float64(r.fan_value[DRAGON_SEVEN_PAIRS + n]))
    return fan


@kernel
def _triplets_distance(r, hand, live):
    """碰碰胡: tiles missing for the triplets and the pair, less one; under 缺一门 the triplets lie in one suit."""
    if r.missing_suit == 0:
        return _triplets_missing(r, hand, live, ALL_KINDS)
    distance = 99
    for suit in range(2):
        if (hand.pongs | hand.kongs) & SUITS[1 - suit] == 0:
            distance = min(distance, _triplets_missing(r, hand, live, SUITS[suit]))
    return distance


@kernel
def _triplets_missing(r, hand, live, kinds):
    natural = ~_wild_bit(r)
    sets = 4 - np.int64(popcount(hand.pongs | hand.kongs))
    pairs = hand.two & ~hand.three & natural
    full = min(np.int64(popcount(hand.three & kinds & natural)), sets)
    # A pair whose other copies are gone is no triplet to be, but it may be the pair.
    grown = min(np.int64(popcount(pairs & kinds & live[0])), sets - full)
    missing = grown + 2 * (sets - full - grown)
    if np.int64(popcount(pairs)) + np.int64(popcount(hand.three & natural)) <= grown + full:
        missing += 1
    if r.wild != 0:
        missing = max(missing - np.int64(hand.i2), 0)
    return missing - 1


@kernel
def _dragon_fan(r, hand):
    """大三元, 小三元 as far as the hand has come: the fan itself, or half the gain where a triplet or pair is missing."""
    neutral = 0.0 if r.combine == 1 else 1.0
    if r.wild != 0:
        return neutral
    triplets = popcount((hand.pongs | hand.kongs | hand.three) & DRAGONS)
    pairs = popcount(hand.two & ~hand.three & DRAGONS)
    if triplets == 3:
        return max(np.float64(r.fan_value[BIG_THREE_DRAGONS]), neutral)
    small = max(np.float64(r.fan_value[SMALL_THREE_DRAGONS]), neutral)
    if triplets == 2 and pairs == 1:
        return small
    if triplets + pairs == 3 or triplets == 2:
        return (small + neutral) / 2
    return neutral
