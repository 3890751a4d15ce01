"""胡牌 听牌 向听: which hands win, what they wait for, how far away they are.

A hand is three block indices (`tables`), unsigned: i0 and i1 the concealed tiles of the suits, i2 those of the dragons;
and two masks over slots, the ponged and the konged kinds. `t` is the record of the tables, `r` that of the rules.
A hand of 3k + 2 tiles has the standard shape exactly when each block is complete by itself: the remainders by three
leave room for one pair only. With wild tiles `wild` takes over, unless all four of them lie in a kong.
"""

import numpy as np

from kwx_sim.core.blocks import (
    LAST_DRAGON,
    LAST_SUIT,
    OUT_OF_REACH,
    SETS_ONLY,
    SUIT,
    all_held,
    hand_kinds,
    melds_in,
    one_suit,
    stepped,
    tiles_in,
)
from kwx_sim.core.jit import inlined, kernel, popcount
from kwx_sim.core.tables import (
    CHUNK_SYMBOLS,
    COMBINED_STARTS,
    COMPLETE,
    EVEN,
    HELD,
    MERGED,
    ODD,
    ODD_KIND,
    PAIRS,
    load_tables,
)
from kwx_sim.core.wild import wild_kinds_within, wild_shanten, wild_wait_mask, wild_win

__all__ = [
    "accept_mask",
    "discard_mask",
    "is_win",
    "load_tables",
    "shanten",
    "wait_mask",
]

U1 = np.uint32(1)
FIRST_SUIT, SECOND_SUIT, RED = np.uint32(0), np.uint32(9), np.uint32(18)
DRAGONS = np.uint32(7)
THREE_KINDS = np.uint32(7)
CHUNK = np.uint32(5**3)
CLASS = np.uint32(0xFF)
START = np.array(COMBINED_STARTS, np.uint32)
SUITS_MERGED = np.array([suits for suits, _ in MERGED], np.uint32)
DRAGONS_MERGED = np.array([dragons for _, dragons in MERGED], np.uint32)


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
    class0 = _suit_class(t, i0, pongs, kongs, FIRST_SUIT)
    class1 = _suit_class(t, i1, pongs, kongs, SECOND_SUIT)
    class2 = _dragon_class(t, i2, pongs, kongs)
    distance = _standard(t, r, class0, class1, class2, melds)
    if r.seven_pairs != 0 and melds == 0:
        distance = min(distance, _seven_pairs(t, i0, i1, i2))
    return distance


@kernel
def accept_mask(t, r, i0, i1, i2, pongs, kongs):
    """进张: the kinds whose draw lowers the shanten of 3k + 1 concealed tiles, as bits of slots."""
    before = shanten(t, r, i0, i1, i2, pongs, kongs)
    kinds = _kinds_within(t, r, i0, i1, i2, pongs, kongs, True, before - 1)
    return np.uint32(kinds & ~all_held(t, i0, i1, i2, pongs, kongs) & (U1 << np.uint32(r.n_kinds)) - U1)


@kernel
def discard_mask(t, r, i0, i1, i2, pongs, kongs):
    """打牌: the kinds whose discard keeps the shanten of 3k + 2 concealed tiles (a won hand's: leaves it ready)."""
    before = shanten(t, r, i0, i1, i2, pongs, kongs)
    kinds = _kinds_within(t, r, i0, i1, i2, pongs, kongs, False, max(before, 0))
    return np.uint32(kinds & hand_kinds(t, i0, i1, i2, HELD))


@inlined
def _kinds_within(t, r, i0, i1, i2, pongs, kongs, draw, most):
    """Kinds with one more (draw) or one fewer of which the shanten is `most` or less, as bits of slots.

    Kinds that cannot be drawn, or are not held, come out one way or the other.
    """
    if plays_wild(r, kongs):
        return wild_kinds_within(t, r, i0, i1, i2, pongs, kongs, draw, most)
    if r.missing_suit != 0:
        return _one_suit_kinds_within(t, r, i0, i1, i2, pongs, kongs, draw, most)
    class0 = _suit_class(t, i0, pongs, kongs, FIRST_SUIT)
    class1 = _suit_class(t, i1, pongs, kongs, SECOND_SUIT)
    class2 = _dragon_class(t, i2, pongs, kongs)
    melds = np.uint32(popcount(pongs | kongs))
    # One number places the shanten in `combined`; what a block adds to it changes with its class alone.
    dragons = DRAGONS_MERGED[melds]
    suits = SUITS_MERGED[melds] * dragons
    place0 = np.uint32(t.merged[melds, class0]) * suits
    place1 = np.uint32(t.merged[melds, class1]) * dragons
    place2 = START[melds] + np.uint32(t.merged_dragon[melds, class2])
    kinds = _suit_within(t, i0, pongs, kongs, FIRST_SUIT, melds, suits, place1 + place2, draw, most)
    kinds |= _suit_within(t, i1, pongs, kongs, SECOND_SUIT, melds, dragons, place0 + place2, draw, most)
    for kind in range(3):
        other = _dragon_class(t, stepped(i2, kind, draw, LAST_DRAGON), pongs, kongs)
        place = START[melds] + np.uint32(t.merged_dragon[melds, other]) + place0 + place1
        kinds |= np.uint32(t.combined[place] <= most) << np.uint32(18 + kind)
    if r.seven_pairs != 0 and melds == 0:
        kinds |= _pair_kinds_within(t, i0, i1, i2, draw, most)
    return np.uint32(kinds)


@inlined
def _suit_within(t, i, pongs, kongs, start, melds, weight, rest, draw, most):
    """The same for the kinds of one suit, by what its class weighs and the other blocks add in `combined`."""
    free = (pongs | kongs) >> start & SUIT == 0
    kinds = np.uint32(0)
    for kind in range(9):
        j = stepped(i, kind, draw, LAST_SUIT)
        of_class = np.uint32(t.suit_class[j] & CLASS) if free else _limited_class(t, j, pongs, kongs, start)
        place = rest + weight * np.uint32(t.merged[melds, of_class])
        kinds |= np.uint32(t.combined[place] <= most) << np.uint32(kind)
    return np.uint32(kinds << start)


@inlined
def _one_suit_kinds_within(t, r, i0, i1, i2, pongs, kongs, draw, most):
    """缺一门: the same by the whole shanten of each hand."""
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


@inlined
def _pair_kinds_within(t, i0, i1, i2, draw, most):
    """The same for seven pairs: one more of an odd kind is a pair more, one fewer of an even kind a pair less."""
    distance = _seven_pairs(t, i0, i1, i2)
    odd = hand_kinds(t, i0, i1, i2, ODD)
    kinds = np.uint32(0)
    if distance - draw <= most:
        kinds |= odd
    if distance + (not draw) <= most:
        kinds |= ~odd
    return np.uint32(kinds)


@inlined
def _seven_pairs(t, i0, i1, i2):
    """七对: the shanten of a hand without melds, a four of a kind counting two pairs."""
    pairs = (t.suit_class[i0] >> np.uint32(PAIRS)) + (t.suit_class[i1] >> np.uint32(PAIRS))
    return 6 - np.int64(pairs + (t.dragon_class[i2] >> np.uint32(PAIRS)))


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
def _limits(pongs, kongs, start):
    """Ponged and konged kinds of three slots: six bits."""
    ponged, konged = np.uint32(pongs) >> start & THREE_KINDS, np.uint32(kongs) >> start & THREE_KINDS
    return np.uint32(ponged | konged << np.uint32(3))


@inlined
def _dragon_class(t, i, pongs, kongs):
    return np.uint32(t.dragon_class[i + CHUNK * _limits(pongs, kongs, RED)] & CLASS)


@inlined
def _suit_class(t, i, pongs, kongs, start):
    """The class of a suit block, which begins at a slot."""
    if (pongs | kongs) >> start & SUIT == 0:
        return np.uint32(t.suit_class[i] & CLASS)
    return _limited_class(t, i, pongs, kongs, start)


@kernel
def _limited_class(t, i, pongs, kongs, start):
    """The class of a suit block of which some kinds lie in melds: an automaton that reads three kinds at a time."""
    low = t.chunk[i % CHUNK + CHUNK * _limits(pongs, kongs, start)]
    middle = t.chunk[i // CHUNK % CHUNK + CHUNK * _limits(pongs, kongs, start + np.uint32(3))]
    high = t.chunk[i // (CHUNK * CHUNK) + CHUNK * _limits(pongs, kongs, start + np.uint32(6))]
    symbols = np.uint32(CHUNK_SYMBOLS)
    state = t.second[np.uint32(t.first[low]) * symbols + np.uint32(middle)]
    return np.uint32(t.third[np.uint32(state) * symbols + np.uint32(high)])


@inlined
def _standard(t, r, class0, class1, class2, melds):
    """The shanten to four sets and a pair, from the classes of the three blocks."""
    if r.missing_suit != 0:
        return _one_suit_shanten(t, r, class0, class1, class2, melds)
    number = np.uint32(popcount(melds))
    merged0 = np.uint32(t.merged[number, class0])
    merged1 = np.uint32(t.merged[number, class1])
    merged2 = np.uint32(t.merged_dragon[number, class2])
    place = (merged0 * SUITS_MERGED[number] + merged1) * DRAGONS_MERGED[number] + merged2
    return np.int64(t.combined[START[number] + place])


@kernel
def _one_suit_shanten(t, r, class0, class1, class2, melds):
    """缺一门 without wild tiles: the same with sets of one suit and dragons only."""
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
