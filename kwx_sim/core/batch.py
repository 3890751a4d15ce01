"""The shape kernels over whole arrays of hands, each hand checked as it is read.

`counts` is (n, 27) uint8, the concealed tiles; `melds` the meld tiles likewise, or (0, 27) where nobody has any; both
C-contiguous. Every kernel gives the number of the first row that is no hand (a kind held too often, a wrong number of
tiles, ...), or −1; answers from that row on are not written. What is wrong with it is for the caller to tell.
"""

import numpy as np

from kwx_sim.core.acceptance import accept_mask, discard_mask
from kwx_sim.core.jit import ctz, inlined, kernel, popcount
from kwx_sim.core.shapes import is_win, shanten, wait_mask
from kwx_sim.core.view import without
from kwx_sim.core.words import row_words, set_row_words

__all__ = ["accept_rows", "discard_rows", "shanten_rows", "wait_rows", "win_rows"]

SET, WON = 3, 14
NO_HAND = -99  # the size of a row that is wrong in itself
NO_MELDS = (np.uint64(0),) * 4
WILD = np.uint32(1 << 18)
ONE = np.uint32(1)
NO_DISCARD = (np.uint64(0xFFFFFFFFFFFFFFFF),) * 4

# Eight counts at a time, as the bytes of a word.
ONES = np.uint64(0x0101010101010101)
THREES = np.uint64(0x0303030303030303)  # added to a byte of at most 252, takes five and more to 8 and above
ABOVE_SEVEN = np.uint64(0xF8F8F8F8F8F8F8F8)
GATHER = np.uint64(0x0102040810204080)  # times the lowest bit of each byte: those eight bits, in the last byte
# Products that add up what lies apart, each part by its weight: 1, 25, 625, 15,625 of four pairs; 1, 5, 25 of dragons.
TWO_PAIRS = np.uint64(0x000000FF000000FF)
FIRST_THIRD, SECOND_FOURTH = np.uint64(625 | 1 << 32), np.uint64(15_625 | 25 << 32)
DRAGONS = np.uint64(25 | 5 << 8 | 1 << 16)
THREE_BYTES = np.uint64(0xFFFFFF)
LAST = np.uint64(0xFF)
ONE_BIT, TWO_BITS = np.uint64(1), np.uint64(2)
BYTE, TWO_BYTES, FOUR_BYTES, LAST_BYTE = np.uint64(8), np.uint64(16), np.uint64(32), np.uint64(56)
OVERLAP = np.uint64(40)  # slots 19-23, which the last word of a row has too
EIGHT_BITS = np.uint32(0xFF)
AS_BYTES = np.array([sum((bits >> k & 1) << 8 * k for k in range(8)) for bits in range(256)], np.uint64)
EIGHT_KINDS = np.uint32(5**8)


@kernel
def win_rows(tables, rules, counts, melds, out):
    """`is_win` of 14 tiles, three a meld; out (n,) bool."""
    t, r = tables[0], rules[0]
    for n in range(len(counts)):
        called = row_words(melds, n) if len(melds) > 0 else NO_MELDS
        i0, i1, i2, pongs, kongs, size = _read(r, row_words(counts, n), called)
        if size != WON:
            return n
        out[n] = is_win(t, r, i0, i1, i2, pongs, kongs)
    return -1


@kernel
def wait_rows(tables, rules, counts, melds, out):
    """`wait_mask` of 13 tiles, three a meld; out (n, 27) bool."""
    t, r = tables[0], rules[0]
    for n in range(len(counts)):
        called = row_words(melds, n) if len(melds) > 0 else NO_MELDS
        i0, i1, i2, pongs, kongs, size = _read(r, row_words(counts, n), called)
        if size != WON - 1:
            return n
        set_row_words(out, n, _as_bools(wait_mask(t, r, i0, i1, i2, pongs, kongs)))
    return -1


@kernel
def accept_rows(tables, rules, counts, melds, out):
    """`accept_mask` of 13 tiles, three a meld; out (n, 27) bool."""
    t, r = tables[0], rules[0]
    for n in range(len(counts)):
        called = row_words(melds, n) if len(melds) > 0 else NO_MELDS
        i0, i1, i2, pongs, kongs, size = _read(r, row_words(counts, n), called)
        if size != WON - 1:
            return n
        set_row_words(out, n, _as_bools(accept_mask(t, r, i0, i1, i2, pongs, kongs)))
    return -1


@kernel
def shanten_rows(tables, rules, counts, melds, out):
    """`shanten` of 13 or 14 tiles, three a meld; out (n,) int8."""
    t, r = tables[0], rules[0]
    for n in range(len(counts)):
        called = row_words(melds, n) if len(melds) > 0 else NO_MELDS
        i0, i1, i2, pongs, kongs, size = _read(r, row_words(counts, n), called)
        if size != WON and size != WON - 1:
            return n
        out[n] = shanten(t, r, i0, i1, i2, pongs, kongs)
    return -1


@kernel
def discard_rows(tables, rules, counts, melds, out):
    """`discard_mask` of 14 tiles, three a meld, and how many tiles each such discard accepts; out (n, 27) int8.

    Tiles are copies of accepted kinds that are neither in the hand nor in its melds; −1 for every other kind.
    """
    t, r = tables[0], rules[0]
    for n in range(len(counts)):
        row = row_words(counts, n)
        called = row_words(melds, n) if len(melds) > 0 else NO_MELDS
        i0, i1, i2, pongs, kongs, size = _read(r, row, called)
        if size != WON:
            return n
        low, middle, high = row[0] + called[0], row[1] + called[1], row[2] + called[2]
        ones = _low_bits(low, middle, high)
        twos = _low_bits(low >> ONE_BIT, middle >> ONE_BIT, high >> ONE_BIT)
        fours = _low_bits(low >> TWO_BITS, middle >> TWO_BITS, high >> TWO_BITS)
        set_row_words(out, n, NO_DISCARD)
        rest = discard_mask(t, r, i0, i1, i2, pongs, kongs)
        while rest != 0:
            tile = ctz(rest)
            rest &= rest - ONE
            j0, j1, j2 = without(i0, i1, i2, tile, 1)
            kinds = accept_mask(t, r, j0, j1, j2, pongs, kongs)
            held = popcount(kinds & ones) + 2 * popcount(kinds & twos) + 4 * popcount(kinds & fours)
            out[n, tile] = 4 * popcount(kinds) - held
    return -1


@inlined
def _read(r, counts, melds):
    """Block indices, ponged and konged kinds, and size (a meld counts three) of a row and its meld tiles."""
    low, middle, high, end = counts
    not_in_set = np.uint64(8 * (r.n_kinds - 19))
    wrong = _fives(low, middle, high) | end >> not_in_set
    size = np.int64((low + middle + high + (end >> OVERLAP)) * ONES >> LAST_BYTE)
    pongs, kongs = np.uint32(0), np.uint32(0)
    called_low, called_middle, called_high, called_end = melds
    if called_low | called_middle | called_high | called_end != 0:
        wrong |= _no_melds(called_low, called_middle, called_high) | called_end >> not_in_set
        wrong |= _fives(low + called_low, middle + called_middle, high + called_high)
        pongs = _low_bits(called_low, called_middle, called_high)
        kongs = _low_bits(called_low >> TWO_BITS, called_middle >> TWO_BITS, called_high >> TWO_BITS)
        size += SET * np.int64(popcount(pongs | kongs))
        if r.wild != 0:
            wrong |= np.uint64((pongs if r.wild_kong != 0 else pongs | kongs) & WILD)
    if wrong != 0:
        size = NO_HAND
    second = middle >> BYTE | high << LAST_BYTE
    i0 = _index(low) + EIGHT_KINDS * np.uint32(middle & LAST)
    i1 = _index(second) + EIGHT_KINDS * np.uint32(high >> BYTE & LAST)
    i2 = (high >> TWO_BYTES & THREE_BYTES) * DRAGONS >> TWO_BYTES & LAST
    return np.uint32(i0), np.uint32(i1), np.uint32(i2), pongs, kongs, size


@inlined
def _fives(low, middle, high):
    """Nonzero where one of 24 counts is above four."""
    return (low | middle | high | low + THREES | middle + THREES | high + THREES) & ABOVE_SEVEN


@inlined
def _no_melds(low, middle, high):
    """Nonzero where one of 24 meld counts of at most four is not 0, 3 or 4."""
    lone = (low ^ low >> ONE_BIT) | (middle ^ middle >> ONE_BIT) | (high ^ high >> ONE_BIT)
    return _fives(low, middle, high) | lone & ONES


@inlined
def _low_bits(low, middle, high):
    """The lowest bit of each of 24 bytes."""
    bits = (low & ONES) * GATHER >> LAST_BYTE
    bits |= (middle & ONES) * GATHER >> LAST_BYTE << np.uint64(8)
    bits |= (high & ONES) * GATHER >> LAST_BYTE << np.uint64(16)
    return np.uint32(bits)


@inlined
def _index(word):
    """Eight counts as the digits of a base-5 number, the first lowest: added up in pairs, then all."""
    pairs = word + np.uint64(5) * (word >> BYTE)
    both = (pairs & TWO_PAIRS) * FIRST_THIRD + (pairs >> TWO_BYTES & TWO_PAIRS) * SECOND_FOURTH
    return np.uint32(both >> FOUR_BYTES)


@inlined
def _as_bools(mask):
    """The bits of slots 0-7, 8-15, 16-23 and 19-26, each as a byte."""
    first, second = AS_BYTES[mask & EIGHT_BITS], AS_BYTES[mask >> np.uint32(8) & EIGHT_BITS]
    return first, second, AS_BYTES[mask >> np.uint32(16) & EIGHT_BITS], AS_BYTES[mask >> np.uint32(19) & EIGHT_BITS]
