"""胡牌 听牌 向听: which hands win, what they wait for, how far away they are.

A hand is three block indices (`tables`), unsigned: i0 and i1 the concealed tiles of the suits, i2 those of the dragons;
and two masks over slots, the ponged and the konged kinds. `t` is the record of the tables, `r` that of the rules.
A hand of 3k + 2 tiles has the standard shape exactly when each block is complete by itself: the remainders by three
leave room for one pair only. With wild tiles `wild` takes over, unless all four of them lie in a kong.
"""

import numpy as np

from kwx_sim.core.blocks import OUT_OF_REACH, POWERS, SUIT, all_held, hand_kinds, melds_in, one_suit, tiles_in
from kwx_sim.core.jit import kernel, popcount
from kwx_sim.core.tables import (
    CHUNK_SYMBOLS,
    COMBINED_STARTS,
    COMPLETE,
    DRAGON_BLOCKS,
    EVEN,
    HELD,
    MERGED,
    ODD,
    ODD_KIND,
    PAIRS,
    SUIT_BLOCKS,
    load_tables,
)
from kwx_sim.core.wild import wild_shanten, wild_wait_mask, wild_win

__all__ = [
    "accept_mask",
    "discard_mask",
    "is_win",
    "load_tables",
    "shanten",
    "wait_mask",
]

U1 = np.uint32(1)
RED = np.uint32(18)
DRAGONS = np.uint32(7)
THREE_KINDS = np.uint32(7)
CHUNK = np.uint32(5**3)
CLASS = np.uint32(0xFF)
SETS_ONLY = 1
LAST_SUIT, LAST_DRAGON = np.uint32(SUIT_BLOCKS - 1), np.uint32(DRAGON_BLOCKS - 1)
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
    melds = np.uint32(pongs | kongs)
    class0 = _suit_class(t, i0, pongs, kongs, np.uint32(0))
    class1 = _suit_class(t, i1, pongs, kongs, np.uint32(9))
    class2 = np.uint32(t.dragon_class[i2 + CHUNK * _limits(pongs, kongs, RED)] & CLASS)
    if r.missing_suit == 0:
        distance = _combined(t, class0, class1, class2, np.uint32(popcount(melds)))
    else:
        distance = _one_suit_shanten(t, r, class0, class1, class2, melds)
    if melds == 0 and r.seven_pairs != 0:
        distance = min(distance, _pairs_shanten(t, i0, i1, i2))
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


@kernel
def _kinds_within(t, r, i0, i1, i2, pongs, kongs, draw, most):
    """Kinds with one more (draw) or one fewer of which the shanten is `most` or less.

    Kinds that cannot be drawn, or are not held, come out one way or the other.
    """
    if plays_wild(r, kongs) or r.missing_suit != 0:
        return _kinds_within_one_by_one(t, r, i0, i1, i2, pongs, kongs, draw, most)
    melds = np.uint32(popcount(pongs | kongs))
    start, suits, dragons = START[melds], SUITS_MERGED[melds], DRAGONS_MERGED[melds]
    suit0 = np.uint32(t.merged[melds, _suit_class(t, i0, pongs, kongs, np.uint32(0))])
    suit1 = np.uint32(t.merged[melds, _suit_class(t, i1, pongs, kongs, np.uint32(9))])
    limits = CHUNK * _limits(pongs, kongs, RED)
    dragon = np.uint32(t.merged_dragon[melds, t.dragon_class[i2 + limits] & CLASS])
    kinds = np.uint32(0)
    for kind in range(9):
        power = POWERS[kind]
        j0, j1 = _stepped(i0, power, draw), _stepped(i1, power, draw)
        merged0 = np.uint32(t.merged[melds, _suit_class(t, min(j0, LAST_SUIT), pongs, kongs, np.uint32(0))])
        merged1 = np.uint32(t.merged[melds, _suit_class(t, min(j1, LAST_SUIT), pongs, kongs, np.uint32(9))])
        within0 = t.combined[start + (merged0 * suits + suit1) * dragons + dragon] <= most
        within1 = t.combined[start + (suit0 * suits + merged1) * dragons + dragon] <= most
        kinds |= (np.uint32(within0) | np.uint32(within1) << np.uint32(9)) << np.uint32(kind)
    for kind in range(3):
        j2 = min(_stepped(i2, POWERS[kind], draw), LAST_DRAGON)
        merged2 = np.uint32(t.merged_dragon[melds, t.dragon_class[j2 + limits] & CLASS])
        within2 = t.combined[start + (suit0 * suits + suit1) * dragons + merged2] <= most
        kinds |= np.uint32(within2) << np.uint32(18 + kind)
    if melds == 0 and r.seven_pairs != 0:
        kinds |= _pair_kinds_within(t, i0, i1, i2, draw, most)
    return np.uint32(kinds)


@kernel
def _pairs_shanten(t, i0, i1, i2):
    """七对: of a hand without melds, a four of a kind counting two pairs."""
    pairs = (t.suit_class[i0] >> np.uint32(PAIRS)) + (t.suit_class[i1] >> np.uint32(PAIRS))
    return 6 - np.int64(pairs + (t.dragon_class[i2] >> np.uint32(PAIRS)))


@kernel
def _stepped(i, power, draw):
    return np.uint32(i + power) if draw else np.uint32(i - power)


@kernel
def _pair_kinds_within(t, i0, i1, i2, draw, most):
    """The same for seven pairs: one more of an odd kind is one pair more, one fewer of an even kind one less."""
    distance = _pairs_shanten(t, i0, i1, i2)
    odd = hand_kinds(t, i0, i1, i2, ODD)
    kinds = np.uint32(0)
    if draw:
        if distance <= most + 1:
            kinds |= odd
        if distance <= most:
            kinds |= ~odd
    else:
        if distance <= most:
            kinds |= odd
        if distance + 1 <= most:
            kinds |= ~odd
    return np.uint32(kinds)


@kernel
def _kinds_within_one_by_one(t, r, i0, i1, i2, pongs, kongs, draw, most):
    """The same by the whole shanten of every hand, for wild tiles and a missing suit."""
    usable = ~all_held(t, i0, i1, i2, pongs, kongs) if draw else hand_kinds(t, i0, i1, i2, HELD)
    kinds = np.uint32(0)
    for kind in range(r.n_kinds):
        bit = U1 << np.uint32(kind)
        if usable & bit == 0:
            continue
        j0, j1, j2 = i0, i1, i2
        if kind < 9:
            j0 = _stepped(i0, POWERS[kind], draw)
        elif kind < 18:
            j1 = _stepped(i1, POWERS[kind - 9], draw)
        else:
            j2 = _stepped(i2, POWERS[kind - 18], draw)
        if shanten(t, r, j0, j1, j2, pongs, kongs) <= most:
            kinds |= bit
    return np.uint32(kinds)


@kernel
def _bit(word, place):
    return word >> np.uint32(place) & U1


@kernel
def _pair_waits(suit0, suit1, dragon):
    """The only kind held an odd number of times, where there is one in the whole hand: 27 bits."""
    even0, even1, even2 = _bit(suit0, EVEN), _bit(suit1, EVEN), _bit(dragon, EVEN)
    place = np.uint32(ODD_KIND)
    odd0 = (U1 << (suit0 >> place)) * (even1 & even2) >> U1
    odd1 = (U1 << (suit1 >> place)) * (even0 & even2) >> U1
    odd2 = (U1 << (dragon >> place)) * (even0 & even1) >> U1
    return np.uint32(odd0 | odd1 << np.uint32(9) | odd2 << RED)


@kernel
def _limits(pongs, kongs, start):
    """Ponged and konged kinds of three slots: six bits."""
    return np.uint32(np.uint32(pongs) >> start & THREE_KINDS | (np.uint32(kongs) >> start & THREE_KINDS) << np.uint32(3))


@kernel
def _suit_class(t, i, pongs, kongs, start):
    """The class of a suit block, which begins at a slot."""
    if (pongs | kongs) >> start & SUIT == 0:
        return np.uint32(t.suit_class[i] & CLASS)
    return _limited_class(t, i, pongs, kongs, start)


@kernel
def _limited_class(t, i, pongs, kongs, start):
    """The class of a suit block of which some kinds lie in melds: an automaton read three kinds at a time."""
    low = t.chunk[i % CHUNK + CHUNK * _limits(pongs, kongs, start)]
    middle = t.chunk[i // CHUNK % CHUNK + CHUNK * _limits(pongs, kongs, start + np.uint32(3))]
    high = t.chunk[i // (CHUNK * CHUNK) + CHUNK * _limits(pongs, kongs, start + np.uint32(6))]
    symbols = np.uint32(CHUNK_SYMBOLS)
    state = t.second[np.uint32(t.first[low]) * symbols + np.uint32(middle)]
    return np.uint32(t.third[np.uint32(state) * symbols + np.uint32(high)])


@kernel
def _combined(t, class0, class1, class2, melds):
    merged0 = np.uint32(t.merged[melds, class0])
    merged1 = np.uint32(t.merged[melds, class1])
    merged2 = np.uint32(t.merged_dragon[melds, class2])
    place = (merged0 * SUITS_MERGED[melds] + merged1) * DRAGONS_MERGED[melds] + merged2
    return np.int64(t.combined[START[melds] + place])


@kernel
def _one_suit_shanten(t, r, class0, class1, class2, melds):
    """缺一门 without wild tiles: sets in one suit and dragons only."""
    sets = 4 - np.int64(popcount(melds))
    dragon = t.dragon_cost[class2]
    missing = OUT_OF_REACH
    if melds_in(melds, 1) == 0:
        missing = min(missing, _one_suit_missing(r, t.suit_cost[class0], t.suit_cost[class1], dragon, sets))
    if melds_in(melds, 0) == 0:
        missing = min(missing, _one_suit_missing(r, t.suit_cost[class1], t.suit_cost[class0], dragon, sets))
    return np.int64(missing - 1)


@kernel
def _one_suit_missing(r, own, other, dragon, sets):
    lone = np.int64(other[0, 1]) if r.missing_suit == SETS_ONLY else OUT_OF_REACH
    missing = OUT_OF_REACH
    for in_suit in range(sets + 1):
        suit, suit_pair = np.int64(own[in_suit, 0]), np.int64(own[in_suit, 1])
        rest, rest_pair = np.int64(dragon[sets - in_suit, 0]), np.int64(dragon[sets - in_suit, 1])
        missing = min(missing, suit_pair + rest, suit + rest_pair, suit + rest + lone)
    return missing
