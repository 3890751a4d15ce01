"""胡牌 听牌 向听: which hands win, what they wait for, how far away they are.

A hand is three block indices (`tables`), unsigned: i0 and i1 the concealed tiles of the suits, i2 those of the dragons;
and two masks over slots, the ponged and the konged kinds. `t` is the record of the tables, `r` that of the rules.
A hand of 3k + 2 tiles has the standard shape exactly when each block is complete by itself: the remainders by three
leave room for one pair only. With wild tiles `wild` takes over, unless all four of them lie in a kong.
"""

import numpy as np

from kwx_sim.core.automaton import KONGED, PONGED
from kwx_sim.core.blocks import OUT_OF_REACH, SETS_ONLY, SUIT, hand_kinds, melds_in, one_suit, tiles_in
from kwx_sim.core.jit import inlined, kernel, popcount
from kwx_sim.core.layout import (
    COMBINED_STARTS,
    COMPLETE,
    DRAGON_BLOCKS,
    EVEN,
    HALF,
    HELD,
    MERGED,
    ODD_KIND,
    PAIRS,
    PREFIXES,
    SUFFIX_CLASSES,
    SUFFIXES,
)
from kwx_sim.core.tables import load_tables
from kwx_sim.core.wild import wild_shanten, wild_wait_mask, wild_win

__all__ = [
    "LAST_LIMITED",
    "dragon_place",
    "is_win",
    "limited_block",
    "limited_class",
    "load_tables",
    "pairs_shanten",
    "plays_wild",
    "shanten",
    "standard_places",
    "wait_mask",
]

U1 = np.uint32(1)
FIRST_SUIT, SECOND_SUIT, RED = np.uint32(0), np.uint32(9), np.uint32(18)
DRAGONS = np.uint32(7)
BLOCKS = np.uint32(DRAGON_BLOCKS)
CLASS = np.uint32(0xFF)
PAIRS_PLACE, PAIR_BITS = np.uint32(PAIRS), np.uint32(15)
START = np.array(COMBINED_STARTS, np.uint32)
SUITS_MERGED = np.array([suits for suits, _ in MERGED], np.uint32)
DRAGONS_MERGED = np.array([dragons for _, dragons in MERGED], np.uint32)
LOW_KINDS = np.uint32(HALF)
LOW_SYMBOLS = np.uint32(15)  # bits of the symbols of five kinds
LAST_PREFIX = np.uint32(PREFIXES - 1)
LAST_LIMITED = np.uint32(PREFIXES * SUFFIXES - 1)
ALL_SUFFIXES = np.uint32(SUFFIX_CLASSES)
PONGED_SYMBOL, KONGED_SYMBOL = np.uint32(PONGED), np.uint32(KONGED)


@kernel
def plays_wild(r, kongs):
    """Whether red dragons serve as wild tiles: four of them in a kong do not."""
    return r.wild != 0 and np.uint32(kongs) >> RED & U1 == 0


@kernel
def is_win(t, r, i0, i1, i2, pongs, kongs):
    """胡牌: whether 3k + 2 concealed tiles with these melds win, by any shape that the rules have."""
    if plays_wild(r, kongs):
        return wild_win(t, r, i0, i1, i2, pongs, kongs)
    melds = pongs | kongs
    every = np.uint32(t.suit[i0] & t.suit[i1] & t.dragon[i2])
    if every >> np.uint32(COMPLETE) & U1 and (
        r.missing_suit == 0 or one_suit(r, tiles_in(t, i0), tiles_in(t, i1), melds)
    ):
        return True
    return r.seven_pairs != 0 and melds == 0 and every >> np.uint32(EVEN) & U1 != 0


@kernel
def wait_mask(t, r, i0, i1, i2, pongs, kongs):
    """听口: the kinds that complete 3k + 1 concealed tiles, as bits of slots, without those held four times."""
    if plays_wild(r, kongs):
        return wild_wait_mask(t, r, i0, i1, i2, pongs, kongs)
    melds = pongs | kongs
    suit0, suit1, dragon = np.uint32(t.suit[i0]), np.uint32(t.suit[i1]), np.uint32(t.dragon[i2])
    done0, done1, done2 = _bit(suit0, COMPLETE), _bit(suit1, COMPLETE), _bit(dragon, COMPLETE)
    waits0 = (suit0 & SUIT) * (done1 & done2)
    waits1 = (suit1 & SUIT) * (done0 & done2)
    waits2 = (dragon & DRAGONS) * (done0 & done1)
    if r.missing_suit != 0:
        count0, count1 = tiles_in(t, i0), tiles_in(t, i1)
        waits0 *= np.uint32(one_suit(r, count0 + U1, count1, melds))
        waits1 *= np.uint32(one_suit(r, count0, count1 + U1, melds))
        waits2 *= np.uint32(one_suit(r, count0, count1, melds))
    waits = waits0 | waits1 << np.uint32(9) | waits2 << RED
    if melds == 0:
        if r.seven_pairs != 0:
            waits |= _pair_waits(suit0, suit1, dragon)
    else:
        waits &= ~np.uint32(kongs)
        if pongs != 0:
            waits &= ~(pongs & hand_kinds(t, i0, i1, i2, HELD))
    return np.uint32(waits)


@kernel
def shanten(t, r, i0, i1, i2, pongs, kongs):
    """向听数: tiles missing to the nearest winning hand that the player can hold, less one; 3k + 1 or 3k + 2 tiles.

    −1 won, 0 ready exactly where `wait_mask` is not empty; 99 where the rules leave no winning hand (sets of both suits
    called under 缺一门).
    """
    if plays_wild(r, kongs):
        return wild_shanten(t, r, i0, i1, i2, pongs, kongs)
    melds = pongs | kongs
    if r.missing_suit != 0:
        distance = _one_suit_shanten(t, r, i0, i1, i2, pongs, kongs)
    else:
        first, second, third = standard_places(t, i0, i1, i2, pongs, kongs, np.uint32(popcount(melds)))
        distance = np.int64(t.combined[first + second + third])
    if r.seven_pairs != 0 and melds == 0:
        distance = min(distance, pairs_shanten(t, i0, i1, i2))
    return distance


@inlined
def pairs_shanten(t, i0, i1, i2):
    """七对: the shanten of a hand without melds, a four of a kind counting two pairs."""
    return 6 - np.int64((t.suit_class[i0] + t.suit_class[i1] + t.dragon_class[i2]) >> PAIRS_PLACE & PAIR_BITS)


@inlined
def _bit(word, place):
    return word >> np.uint32(place) & U1


@inlined
def _pair_waits(suit0, suit1, dragon):
    """The only kind held an odd number of times, where there is one in the whole hand: 27 bits."""
    even0, even1, even2 = _bit(suit0, EVEN), _bit(suit1, EVEN), _bit(dragon, EVEN)
    place = np.uint32(ODD_KIND)
    odd0 = (U1 << (suit0 >> place)) * (even1 & even2) >> U1
    odd1 = (U1 << (suit1 >> place)) * (even0 & even2) >> U1
    odd2 = (U1 << (dragon >> place)) * (even0 & even1) >> U1
    return np.uint32(odd0 | odd1 << np.uint32(9) | odd2 << RED)


@inlined
def dragon_place(i, pongs, kongs):
    """Where the dragons' class and steps stand: by block, ponged and konged kinds."""
    ponged, konged = np.uint32(pongs) >> RED & DRAGONS, np.uint32(kongs) >> RED & DRAGONS
    return np.uint32(i + BLOCKS * (ponged | konged << np.uint32(3)))


@inlined
def suit_class(t, i, pongs, kongs, start):
    """The class of a suit block, which begins at a slot."""
    # By whether the hand has melds, not the suit: that branch can be foretold.
    if pongs | kongs == 0:
        return np.uint32(t.suit_class[i] & CLASS)
    return limited_class(t, limited_block(t, i, pongs, kongs, start))


@inlined
def limited_block(t, i, pongs, kongs, start):
    """A suit block of which some kinds lie in melds, as a base-8 number of the kinds' symbols (`automaton`)."""
    held = t.octal[i % LOW_KINDS] | np.uint32(t.octal[i // LOW_KINDS]) << LOW_SYMBOLS
    ponged, konged = t.places[np.uint32(pongs) >> start & SUIT], t.places[np.uint32(kongs) >> start & SUIT]
    # Where a kind has been stepped to what cannot be, digits run over: any block then, but one that there is.
    return np.uint32(min(held + PONGED_SYMBOL * ponged + KONGED_SYMBOL * konged, LAST_LIMITED))


@inlined
def limited_class(t, block):
    """The class of a `limited_block`: what the first five kinds come to, and what the last four make of that."""
    prefix = np.uint32(t.prefix[block & LAST_PREFIX])
    return np.uint32(t.joined[prefix * ALL_SUFFIXES + np.uint32(t.suffix[block >> LOW_SYMBOLS])])


@inlined
def standard_places(t, i0, i1, i2, pongs, kongs, melds):
    """Where the shanten to four sets and a pair stands in `combined`: what each block adds to the place."""
    class0 = suit_class(t, i0, pongs, kongs, FIRST_SUIT)
    class1 = suit_class(t, i1, pongs, kongs, SECOND_SUIT)
    class2 = t.dragon_class[dragon_place(i2, pongs, kongs)] & CLASS
    dragons = DRAGONS_MERGED[melds]
    first = np.uint32(t.merged[melds, class0]) * (SUITS_MERGED[melds] * dragons)
    second = np.uint32(t.merged[melds, class1]) * dragons
    return first, second, START[melds] + np.uint32(t.merged_dragon[melds, class2])


@kernel
def _one_suit_shanten(t, r, i0, i1, i2, pongs, kongs):
    """缺一门 without wild tiles: the shanten to four sets of one suit and dragons only, and a pair."""
    class0 = suit_class(t, i0, pongs, kongs, FIRST_SUIT)
    class1 = suit_class(t, i1, pongs, kongs, SECOND_SUIT)
    class2 = t.dragon_class[dragon_place(i2, pongs, kongs)] & CLASS
    melds = pongs | kongs
    sets = 4 - np.int64(popcount(melds))
    missing = OUT_OF_REACH
    if melds_in(melds, 1) == 0:
        missing = min(missing, _one_suit_missing(t, r, class0, class1, class2, sets))
    if melds_in(melds, 0) == 0:
        missing = min(missing, _one_suit_missing(t, r, class1, class0, class2, sets))
    return np.int64(missing - 1)


@inlined
def _one_suit_missing(t, r, own, other, dragons, sets):
    lone = np.int64(t.suit_cost[other, 0, 1]) if r.missing_suit == SETS_ONLY else OUT_OF_REACH
    missing = OUT_OF_REACH
    for in_suit in range(sets + 1):
        suit, suit_pair = np.int64(t.suit_cost[own, in_suit, 0]), np.int64(t.suit_cost[own, in_suit, 1])
        rest = np.int64(t.dragon_cost[dragons, sets - in_suit, 0])
        rest_pair = np.int64(t.dragon_cost[dragons, sets - in_suit, 1])
        missing = min(missing, suit_pair + rest, suit + rest_pair, suit + rest + lone)
    return missing
