"""红中 as wild tiles: the shape kernels of rulesets in which slot 18 stands for any suited tile.

A hand is the two suit blocks and the number of wild tiles held. Wild tiles only fill up what natural tiles lack, any
number of copies may be meant, and three of them left over are a set without a suit; so every question is how many wild
tiles a block needs. 缺一门 leaves the second suit the pair at most (sets_only) or nothing (strict).

Distances do not ask whether the copies beyond a kind's last are more than the four wild tiles could stand for: then
another set is as near (the tests compare them with a count that asks).
"""

import numpy as np

from kwx_sim.core.blocks import (
    LAST_SUIT,
    OUT_OF_REACH,
    SETS_ONLY,
    SUIT,
    all_held,
    block_kinds,
    lone_need,
    melds_in,
    odd_kinds,
    of_aims,
    stepped,
)
from kwx_sim.core.jit import inlined, kernel, popcount
from kwx_sim.core.layout import (
    AIMS,
    ANY_PAIR,
    CRITICAL_SECOND,
    CRITICAL_SHANTEN,
    HELD,
    NATURAL_PAIR,
    NO_PAIR,
    ODD,
    PAIR_AIMS,
    PAIR_HIGH,
    PAIR_LOW,
    PAIR_NEED,
    SETS_AIMS,
    SETS_HIGH,
    SETS_LOW,
    SETS_NEED,
)

__all__ = ["wild_accept_mask", "wild_discard_mask", "wild_shanten", "wild_wait_mask", "wild_win"]

ONE = np.uint32(1)
WILD_BIT = np.uint32(1 << 18)
NATURAL = np.uint32((1 << 18) - 1)
SECOND_SUIT = np.uint32(9)
BLOCK = np.uint64(0x1FF)
NEED = np.uint64(7)

# A suit's aims as bits.
AIM_BITS = np.uint32((1 << AIMS) - 1)
PAIR_BIT = np.array([1 << aim for aim in PAIR_AIMS], np.uint32)
SETS_BIT = np.array([1 << aim for aim in SETS_AIMS], np.uint32)


@kernel
def wild_win(t, r, i0, i1, wilds, pongs, kongs):
    """Whether 3k + 2 tiles win."""
    melds = pongs | kongs
    if r.seven_pairs and melds == 0 and odd_kinds(t, i0, i1) <= wilds:
        return True
    return _need(t, r, i0, i1, melds) <= wilds


@kernel
def wild_wait_mask(t, r, i0, i1, wilds, pongs, kongs):
    """The kinds that complete 3k + 1 tiles, as bits of slots; of the wild ones not all four may be held."""
    melds = pongs | kongs
    if r.missing_suit == 0:
        natural = _free_waits(t, r, i0, i1, wilds)
    else:
        natural = np.uint32(0)
        if melds_in(melds, 1) == 0:
            natural |= _one_suit_waits(t, r, i0, i1, wilds)
        if melds_in(melds, 0) == 0:
            swapped = _one_suit_waits(t, r, i1, i0, wilds)
            natural |= swapped >> np.uint32(9) | (swapped & SUIT) << np.uint32(9)
    by_wild = _need(t, r, i0, i1, melds) <= wilds + 1
    if r.seven_pairs and melds == 0:
        odd = odd_kinds(t, i0, i1)
        by_wild = by_wild or odd <= wilds + 1
        if odd < wilds:
            natural = NATURAL
        elif odd <= wilds + 1:
            natural |= block_kinds(t, i0, ODD) | block_kinds(t, i1, ODD) << np.uint32(9)
    natural &= ~all_held(t, i0, i1, np.uint32(0), pongs, kongs)
    if by_wild and wilds < 4:
        natural |= WILD_BIT
    return np.uint32(natural)


@kernel
def wild_shanten(t, r, i0, i1, wilds, pongs, kongs):
    """Tiles missing to the nearest winning hand, less one; 3k + 1 or 3k + 2 tiles."""
    melds = pongs | kongs
    missing = _standard_missing(t, r, t.wild_class[i0], t.wild_class[i1], np.int64(wilds), melds)
    if r.seven_pairs and melds == 0:
        missing = min(missing, _pairs_missing(odd_kinds(t, i0, i1), np.int64(wilds)))
    return missing - 1


@kernel
def wild_accept_mask(t, r, i0, i1, wilds, pongs, kongs):
    """进张: the kinds whose draw lowers the shanten of 3k + 1 tiles; a ready hand's are its waits.

    Further away the pair may be of any sort: that one of its tiles has to be natural matters for the last step alone.
    """
    melds = pongs | kongs
    held = np.int64(wilds)
    total, aims0, aims1 = _critical_aims(t, r, t.wild_class[i0], t.wild_class[i1], melds)
    missing, pairs, odd = total - held, np.int64(OUT_OF_REACH), np.int64(0)
    if r.seven_pairs and melds == 0:
        odd = odd_kinds(t, i0, i1)
        pairs = _pairs_missing(odd, held)
    if total == OUT_OF_REACH:
        return np.uint32(0)
    if min(missing, pairs) <= 1:
        return wild_wait_mask(t, r, i0, i1, wilds, pongs, kongs)
    kinds = np.uint32(0)
    if missing <= pairs:
        row0, row1 = np.uint32(t.wild_suit_draws[i0]), np.uint32(t.wild_suit_draws[i1])
        if row0 != 0 and row1 != 0:
            kinds = of_aims(t.wild_draws, row0, aims0)
            kinds |= of_aims(t.wild_draws, row1, aims1) << SECOND_SUIT
        else:
            kinds = _within(t, r, i0, i1, melds, True, total - 1)
        kinds |= WILD_BIT
    if pairs <= missing:
        kinds |= _pair_kinds(t, i0, i1, odd, held, held + 1, pairs - 1)
    kinds &= ~all_held(t, i0, i1, np.uint32(0), pongs, kongs)
    return np.uint32(kinds & NATURAL if held == 4 else kinds)


@kernel
def wild_discard_mask(t, r, i0, i1, wilds, pongs, kongs):
    """打牌: the kinds whose discard keeps the shanten of 3k + 2 tiles (a won hand's: leaves it ready)."""
    melds = pongs | kongs
    held = np.int64(wilds)
    total, aims0, aims1 = _critical_aims(t, r, t.wild_class[i0], t.wild_class[i1], melds)
    missing, pairs, odd = total - held, np.int64(OUT_OF_REACH), np.int64(0)
    if r.seven_pairs and melds == 0:
        odd = odd_kinds(t, i0, i1)
        pairs = _pairs_missing(odd, held)
    most = max(min(missing, pairs), 1)
    kinds = np.uint32(0)
    if missing < most or total == OUT_OF_REACH:
        # A wild tile more than all that is missing makes up for any one tile; and a lost hand can lose nothing.
        kinds = NATURAL | WILD_BIT
    elif missing == most:
        row0, row1 = np.uint32(t.wild_suit_discards[i0]), np.uint32(t.wild_suit_discards[i1])
        if row0 != 0 and row1 != 0:
            kinds = of_aims(t.wild_discards, row0, aims0)
            kinds |= of_aims(t.wild_discards, row1, aims1) << SECOND_SUIT
        else:
            kinds = _within(t, r, i0, i1, melds, False, total)
    if pairs <= most:
        kinds |= _pair_kinds(t, i0, i1, odd, held, held - 1, most)
    natural = block_kinds(t, i0, HELD) | block_kinds(t, i1, HELD) << SECOND_SUIT
    return np.uint32(kinds & (natural | WILD_BIT if held != 0 else natural))


@kernel
def _critical_aims(t, r, class0, class1, melds):
    """Wild tiles that make up all that is missing, the pair of any sort; and each suit's aims that need so many."""
    sets = 4 - np.int64(popcount(melds))
    if r.missing_suit == 0:
        critical = np.uint32(t.wild_critical[sets, class0, class1])
        total = np.int64(critical >> np.uint32(CRITICAL_SHANTEN))
        return total, critical & AIM_BITS, critical >> np.uint32(CRITICAL_SECOND) & AIM_BITS
    total, aims0, aims1 = np.int64(OUT_OF_REACH), np.uint32(0), np.uint32(0)
    if melds_in(melds, 1) == 0:
        total, aims0, aims1 = _one_suit_aims(t, r, class0, class1, sets)
    if melds_in(melds, 0) == 0:
        other_total, other1, other0 = _one_suit_aims(t, r, class1, class0, sets)
        aims0, aims1 = _as_near(total, other_total, aims0, other0), _as_near(total, other_total, aims1, other1)
        total = min(total, other_total)
    return total, aims0, aims1


@kernel
def _one_suit_aims(t, r, own, other, sets):
    """The same with every set in the own suit: the total, the own suit's aims, the other's."""
    total, aims, others = _cost(t, own, sets, 2), PAIR_BIT[sets], SETS_BIT[0]
    if r.missing_suit == SETS_ONLY:
        apart = _cost(t, own, sets, 0) + _cost(t, other, 0, 2)
        aims = _as_near(total, apart, aims, SETS_BIT[sets])
        others = _as_near(total, apart, others, PAIR_BIT[0])
        total = min(total, apart)
    return total, aims, others


@inlined
def _as_near(total, other_total, aims, others):
    """The aims of the smaller total; where they are equal, of both."""
    return np.uint32(aims * np.uint32(total <= other_total) | others * np.uint32(other_total <= total))


@kernel
def _within(t, r, i0, i1, melds, draw, most):
    """Natural kinds with one more (draw) or one fewer of which `_critical_aims` has a total up to `most`: 18 bits.

    For suits of more tiles than have rows. Kinds that cannot be drawn, or are not held, come out one way or the other.
    """
    kinds = np.uint32(0)
    for kind in range(9):
        j0, j1 = stepped(i0, kind, draw, LAST_SUIT), stepped(i1, kind, draw, LAST_SUIT)
        within0 = _critical_aims(t, r, t.wild_class[j0], t.wild_class[i1], melds)[0] <= most
        within1 = _critical_aims(t, r, t.wild_class[i0], t.wild_class[j1], melds)[0] <= most
        kinds |= (np.uint32(within0) | np.uint32(within1) << SECOND_SUIT) << np.uint32(kind)
    return kinds


@inlined
def _pair_kinds(t, i0, i1, odd, wilds, other_wilds, most):
    """七对: kinds of which one more or one fewer leaves so many missing at most; of wild tiles, `other_wilds` then."""
    odd_mask = block_kinds(t, i0, ODD) | block_kinds(t, i1, ODD) << SECOND_SUIT
    kinds = odd_mask * np.uint32(_pairs_missing(odd - 1, wilds) <= most)
    kinds |= (NATURAL & ~odd_mask) * np.uint32(_pairs_missing(odd + 1, wilds) <= most)
    return np.uint32(kinds | WILD_BIT * np.uint32(_pairs_missing(odd, other_wilds) <= most))


@kernel
def _sets_need(word):
    return np.int64(word >> np.uint64(SETS_NEED) & NEED)


@kernel
def _pair_need(word):
    return np.int64(word >> np.uint64(PAIR_NEED) & NEED)


@kernel
def _need(t, r, i0, i1, melds):
    """Fewest wild tiles with which all natural ones are sets and a pair. What is left over comes in threes."""
    word0, word1 = t.wild[i0], t.wild[i1]
    if r.missing_suit == 0:
        need = min(_pair_need(word0) + _sets_need(word1), _sets_need(word0) + _pair_need(word1))
        if r.wild_pair_alone:
            need = min(need, _sets_need(word0) + _sets_need(word1) + 2)
        return need
    need = OUT_OF_REACH
    if melds_in(melds, 1) == 0:
        need = min(need, _one_suit_need(t, r, word0, i1))
    if melds_in(melds, 0) == 0:
        need = min(need, _one_suit_need(t, r, word1, i0))
    return need


@kernel
def _one_suit_need(t, r, word, other):
    """The same with every set in one suit, of which `word` is the block."""
    if other == 0:
        need = _pair_need(word)
        return min(need, _sets_need(word) + 2) if r.wild_pair_alone else need
    if r.missing_suit == SETS_ONLY:
        return _sets_need(word) + lone_need(t, other)
    return OUT_OF_REACH


@kernel
def _reached(word, low, high, wilds):
    """Kinds with which a block needs at most so many wild tiles: nine bits. The block's size fixes the remainder."""
    if wilds < 0:
        return np.uint32(0)
    shift = low if wilds < 3 else high
    return np.uint32(word >> np.uint64(shift) & BLOCK)


@kernel
def _free_waits(t, r, i0, i1, wilds):
    """Natural kinds that complete the standard shape, sets in both suits: 18 bits."""
    word0, word1 = t.wild[i0], t.wild[i1]
    return np.uint32(
        _block_waits(r, word0, word1, np.int64(wilds)) | _block_waits(r, word1, word0, np.int64(wilds)) << np.uint32(9)
    )


@kernel
def _block_waits(r, word, other, wilds):
    waits = _reached(word, SETS_LOW, SETS_HIGH, wilds - _pair_need(other))
    waits |= _reached(word, PAIR_LOW, PAIR_HIGH, wilds - _sets_need(other))
    if r.wild_pair_alone:
        waits |= _reached(word, SETS_LOW, SETS_HIGH, wilds - 2 - _sets_need(other))
    return np.uint32(waits)


@kernel
def _one_suit_waits(t, r, own, other, wild_tiles):
    """Natural kinds that complete it with every set in the own suit: 9 bits of that suit, 9 of the other."""
    wilds = np.int64(wild_tiles)
    word = t.wild[own]
    waits = np.uint32(0)
    if other == 0:
        waits |= _reached(word, PAIR_LOW, PAIR_HIGH, wilds)
        if r.wild_pair_alone:
            waits |= _reached(word, SETS_LOW, SETS_HIGH, wilds - 2)
        if r.missing_suit == SETS_ONLY and _sets_need(word) + 1 <= wilds:
            waits |= SUIT << np.uint32(9)
    elif r.missing_suit == SETS_ONLY:
        lone = lone_need(t, other)
        waits |= _reached(word, SETS_LOW, SETS_HIGH, wilds - lone)
        if lone == 1 and _sets_need(word) <= wilds:
            waits |= block_kinds(t, other, ODD) << np.uint32(9)
    return np.uint32(waits)


@kernel
def _pairs_missing(odd, wilds):
    """七对: an exchange mends two odd kinds, by a wild tile for one of them or the partner of one for another."""
    surplus = odd - wilds
    return max((surplus + 1) >> 1, surplus & 1)


@kernel
def _standard_missing(t, r, class0, class1, wilds, melds):
    """Tiles to draw to four sets and a pair, from the classes of both suits."""
    sets = 4 - np.int64(popcount(melds))
    if r.missing_suit == 0:
        word = t.wild_combined[sets, class0, class1]
        return _with_wilds(r, wilds, _byte(word, NATURAL_PAIR), _byte(word, ANY_PAIR), _byte(word, NO_PAIR))
    missing = OUT_OF_REACH
    if melds_in(melds, 1) == 0:
        missing = min(missing, _one_suit_missing(t, r, class0, class1, wilds, sets))
    if melds_in(melds, 0) == 0:
        missing = min(missing, _one_suit_missing(t, r, class1, class0, wilds, sets))
    return missing


@kernel
def _byte(word, place):
    return np.int64(word >> np.uint32(place) & np.uint32(0xFF))


@kernel
def _with_wilds(r, wilds, natural_pair, any_pair, no_pair):
    """Tiles to draw: for a pair without a natural tile at least that one, unless two wild tiles may be the pair."""
    missing = min(max(natural_pair - wilds, 0), max(any_pair - wilds, 1))
    if r.wild_pair_alone:
        missing = min(missing, max(no_pair + 2 - wilds, 0))
    return missing


@kernel
def _one_suit_missing(t, r, own, other, wilds, sets):
    """The same with every set in the own suit."""
    bare, natural, free = _cost(t, own, sets, 0), _cost(t, own, sets, 1), _cost(t, own, sets, 2)
    if r.missing_suit == SETS_ONLY:
        natural = min(natural, bare + _cost(t, other, 0, 1))
        free = min(free, bare + _cost(t, other, 0, 2))
    return _with_wilds(r, wilds, natural, free, bare)


@kernel
def _cost(t, of_class, sets, pair):
    return np.int64(t.wild_cost[of_class, sets, pair])
