"""What a hand can become: five plans, how far each is, and what it may be expected to bring.

A plan is a kind of winning hand: any at all, 七对, 碰碰胡, 清一色 in either suit. Its expectation is the chance to
complete it in the draws that are left times the worth of its fan. The chance comes from a table by plan, distance and
own draws left; the fan is that of the plan, raised by what the hand already has towards 龙七对 and 小三元, 大三元, and
capped as it would be paid.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core.fans import (
    ALL_TRIPLETS,
    BIG_THREE_DRAGONS,
    DRAGON_SEVEN_PAIRS,
    FULL_FLUSH,
    PING_HU,
    SEVEN_PAIRS,
    SMALL_THREE_DRAGONS,
)
from kwx_sim.core.jit import kernel, popcount
from kwx_sim.core.shapes import shanten
from kwx_sim.core.state import RED, bit
from kwx_sim.core.view import held_twice, without

__all__ = ["Hand", "Plan", "best_plan", "hand_of", "konged", "ponged", "windfall", "worth"]

# Of numpy's integers: numba compiles a kernel anew for each plain constant that it is called with.
ANY, PAIRS, TRIPLETS, FLUSH_FIRST, FLUSH_SECOND = np.arange(5)

SUITS = (np.uint32(0x1FF), np.uint32(0x1FF << 9))
DRAGONS = np.uint32(7 << 18)
RED_BIT = np.uint32(1 << RED)
NO_TILES = np.uint32(0)
TWO = np.int64(2)

NUMBERED_TILES = 2 * 4 * 45
"""The maima points of all suited tiles; each dragon's stand in the rules."""

SELF_DRAW_SHARE = 0.7
"""Of the shares that wins bring, those by self-draw: it brings two, and is about half of the wins."""


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
# Fitted to self-play of 84 tiles: how often, and with what fan, a seat that followed a plan at a distance with so many
# draws left won in the end. 七对 is set lower than fitted, for a hand can rarely follow it alone to the end: with the
# fitted steps it lost 0.13 ± 0.02 bases a round (suizhou, paired).
STEPS = (
    (0.083, 0.325, 0.49, 0.53, 0.57, 0.62, 0.67),  # ANY
    (0.050, 0.120, 0.17, 0.28, 0.40, 0.50, 0.55),  # PAIRS
    (0.085, 0.190, 0.37, 0.60, 0.70, 0.75, 0.80),  # TRIPLETS
    (0.086, 0.230, 0.24, 0.30, 0.40, 0.43, 0.47),  # FLUSH
)
ANOTHER_WINS = 0.03
"""The chance that the round ends between two own draws by another's win."""

FLUSH = 3
FAR = len(STEPS[0]) - 1
MAX_DRAWS = 16


def _chances() -> NDArray[np.float64]:
    """By plan (both flushes alike), distance and own draws left: the chance that all steps are made in time."""
    table = np.zeros((len(STEPS), FAR + 1, MAX_DRAWS + 1))
    for plan, steps in enumerate(STEPS):
        nearer = np.ones(MAX_DRAWS + 1)
        for distance, step in enumerate(steps):
            for draws in range(1, MAX_DRAWS + 1):
                missed = (1 - ANOTHER_WINS) * table[plan, distance, draws - 1]
                table[plan, distance, draws] = step * nearer[draws - 1] + (1 - step) * missed
            nearer = (1 - ANOTHER_WINS) * table[plan, distance]
    return table


CHANCE = _chances()


@kernel
def hand_of(s, seat):
    """The seat's hand as it is."""
    two, three = held_twice(s, seat)
    return Hand(
        s.idx[seat, 0],
        s.idx[seat, 1],
        s.idx[seat, 2],
        s.pongs[seat],
        s.kongs[seat],
        s.held[seat],
        two,
        three,
        s.quads[seat],
    )


@kernel
def ponged(hand, tile):
    """The hand after a pong of the tile, before the discard."""
    own = bit(tile)
    i0, i1, i2 = without(hand.i0, hand.i1, hand.i2, tile, TWO)
    left = np.uint32(~own)
    one = np.uint32(hand.one & (left | hand.three))
    pongs = np.uint32(hand.pongs | own)
    two, three, four = np.uint32(hand.two & left), np.uint32(hand.three & left), np.uint32(hand.four & left)
    return Hand(i0, i1, i2, pongs, hand.kongs, one, two, three, four)


@kernel
def konged(hand, tile, concealed):
    """The hand after a kong of the tile with so many concealed copies, before the replacement."""
    own = bit(tile)
    i0, i1, i2 = without(hand.i0, hand.i1, hand.i2, tile, concealed)
    left = np.uint32(~own)
    pongs, kongs = np.uint32(hand.pongs & left), np.uint32(hand.kongs | own)
    one, two = np.uint32(hand.one & left), np.uint32(hand.two & left)
    three, four = np.uint32(hand.three & left), np.uint32(hand.four & left)
    return Hand(i0, i1, i2, pongs, kongs, one, two, three, four)


@kernel
def windfall(r):
    """What a win brings a payer beside its fan, in bases: maima, on the two shares of the wins that are self-drawn."""
    if r.maima == 0:
        return 0.0
    each = 1.0 if r.maima_shared == 0 else 0.5
    return SELF_DRAW_SHARE * each * (NUMBERED_TILES + 12 * r.maima_dragon) / 84


@kernel
def worth(r, p, fan):
    """What a fan counts for, 1 for a fan of 1: by the weight `value`, and as much as it changes what is paid."""
    if r.cap != 0:
        # A declared hand's fan meets the cap earlier where its factor counts inside.
        doubled = r.inside_cap != 0 and r.liangdao != 0 and p.liangdao_mode != 0
        fan = min(fan, np.float64(r.cap) / (r.multiplier if doubled else 1))
    return 1.0 + p.value * (fan - 1.0) / (1.0 + windfall(r))


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
    distance = np.int64(shanten(t, r, hand.i0, hand.i1, hand.i2, hand.pongs, hand.kongs))
    dragons = _dragon_fan(r, p, hand)
    best = _plan(r, p, ANY, distance, _joined(r, np.float64(r.fan_value[PING_HU]), dragons), draws, 1.0)
    if p.value == 0:
        return best
    if r.seven_pairs != 0 and hand.pongs | hand.kongs == 0:
        best = _better(best, _plan(r, p, PAIRS, _pairs_distance(r, hand), _pairs_fan(r, hand), draws, p.aim_pairs))
    # Under 缺一门 the triplets would have to lie in one suit: too far to aim for, they come as any hand does.
    if r.fan_value[ALL_TRIPLETS] != 0 and r.missing_suit == 0:
        fan = _joined(r, np.float64(r.fan_value[ALL_TRIPLETS]), dragons)
        best = _better(best, _plan(r, p, TRIPLETS, _triplets_distance(r, hand, live), fan, draws, p.aim_triplets))
    if r.fan_value[FULL_FLUSH] != 0:
        fan = np.float64(r.fan_value[FULL_FLUSH])
        others = (hand.pongs | hand.kongs) & ~_wild_bit(r)
        for suit in range(2):
            if others & ~SUITS[suit] == 0:
                distance = _flush_distance(t, r, hand, suit)
                best = _better(best, _plan(r, p, FLUSH_FIRST + suit, distance, fan, draws, p.aim_flush))
    return best


@kernel
def _plan(r, p, kind, distance, fan, draws, leaning):
    chance = CHANCE[min(kind, FLUSH), min(max(distance, 0), FAR), draws]
    return Plan(kind, distance, leaning * chance * worth(r, p, fan))


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
    """七对: six less the pairs; a wild tile makes a pair of a single one."""
    natural = ~_wild_bit(r)
    pairs = np.int64(popcount(hand.two & natural)) + np.int64(popcount(hand.four & natural))
    return 6 - pairs - (np.int64(hand.i2) if r.wild != 0 else 0)


@kernel
def _pairs_fan(r, hand):
    """七对, or 龙七对 and its family where fours are held already."""
    fan = np.float64(r.fan_value[SEVEN_PAIRS])
    for n in range(min(np.int64(popcount(hand.four & ~_wild_bit(r))), 3)):
        fan = max(fan, np.float64(r.fan_value[DRAGON_SEVEN_PAIRS + n]))
    return fan


@kernel
def _triplets_distance(r, hand, live):
    """碰碰胡: tiles missing for the triplets and the pair, less one."""
    natural = ~_wild_bit(r)
    sets = 4 - np.int64(popcount(hand.pongs | hand.kongs))
    triplets = np.int64(popcount(hand.three & natural))
    pairs = hand.two & ~hand.three & natural
    full = min(triplets, sets)
    # A pair whose other copies are gone is no triplet to be, but it may be the pair.
    grown = min(np.int64(popcount(pairs & live[0])), sets - full)
    missing = grown + 2 * (sets - full - grown)
    if np.int64(popcount(pairs)) + triplets <= grown + full:
        missing += 1
    if r.wild != 0:
        missing = max(missing - np.int64(hand.i2), 0)
    return missing - 1


@kernel
def _flush_distance(t, r, hand, suit):
    """清一色 in one suit: what the hand lacks with the tiles of that suit (and wild ones) alone."""
    i0, i1 = (hand.i0, NO_TILES) if suit == 0 else (NO_TILES, hand.i1)
    if r.wild == 0:
        return np.int64(shanten(t, r, i0, i1, NO_TILES, hand.pongs, hand.kongs))
    # `shanten` would take the tiles of the suit for a whole hand and count pairs that are not there.
    sets = 4 - np.int64(popcount(hand.pongs | hand.kongs))
    cost = t.wild_cost[t.wild_class[np.uint32(i0 + i1)]]
    wilds = np.int64(hand.i2)
    return min(max(np.int64(cost[sets, 1]) - wilds, 0), max(np.int64(cost[sets, 2]) - wilds, 1)) - 1


@kernel
def _dragon_fan(r, p, hand):
    """大三元, 小三元 as far as the hand has come, weighed by the player's leaning."""
    neutral = 0.0 if r.combine == 1 else 1.0
    if r.wild != 0:
        return neutral
    return neutral + p.aim_dragons * (_dragon_promise(r, hand, neutral) - neutral)


@kernel
def _dragon_promise(r, hand, neutral):
    """The fan, or half its gain where one triplet or pair is missing."""
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
