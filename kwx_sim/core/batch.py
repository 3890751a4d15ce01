"""The shape kernels over whole arrays of hands, each hand checked as it is read.

`counts` is (n, 27) uint8, the concealed tiles; `melds` the meld tiles likewise, or (0, 27) where nobody has any; both
C-contiguous. Every kernel gives the number of the first row that is no hand (a kind held too often, a wrong number of
tiles, ...), or −1; answers from that row on are not written. What is wrong with it is for the caller to tell.
"""

import numpy as np

from kwx_sim.core.jit import kernel, popcount
from kwx_sim.core.shapes import accept_mask, is_win, shanten, wait_mask
from kwx_sim.core.words import row_words, set_row_words

__all__ = ["accept_rows", "shanten_rows", "wait_rows", "win_rows"]

SET, WON = 3, 14
NO_HAND = -99  # the size of a row that is wrong in itself
NO_MELDS = (np.uint64(0),) * 4
WILD = np.uint32(1 << 18)

# Eight counts at a time, as the bytes of a word.
ONES = np.uint64(0x0101010101010101)
HIGH_BITS = np.uint64(0x8080808080808080)
FIVE_TO_HIGH_BIT = np.uint64(0x7B7B7B7B7B7B7B7B)  # added to a byte, takes five and more to its high bit
DIAGONAL = np.uint64(0x8040201008040201)  # of eight equal bytes, bit k of byte k
SEVEN_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)
GATHER = np.uint64(0x0102040810204080)  # times the lowest bit of each byte: those eight bits, in the last byte
EVEN_BYTES = np.uint64(0x00FF00FF00FF00FF)
EVEN_PAIRS = np.uint64(0x0000FFFF0000FFFF)
LOW_HALF = np.uint64(0xFFFFFFFF)
BYTE, TWO_BYTES, FOUR_BYTES, LAST_BYTE = np.uint64(8), np.uint64(16), np.uint64(32), np.uint64(56)
OVERLAP = np.uint64(40)  # slots 19-23, which the last word of a row has too
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
def _read(r, counts, melds):
    """Block indices, ponged and konged kinds, and size (a meld counts three) of a row and its meld tiles."""
    low, middle, high, end = counts
    not_in_set = np.uint64(8 * (r.n_kinds - 19))
    wrong = _five(low) | _five(middle) | _five(high) | end >> not_in_set
    size = np.int64((low + middle + high + (end >> OVERLAP)) * ONES >> LAST_BYTE)
    pongs, kongs = np.uint32(0), np.uint32(0)
    called_low, called_middle, called_high, called_end = melds
    if called_low | called_middle | called_high | called_end != 0:
        wrong |= _no_meld(called_low) | _no_meld(called_middle) | _no_meld(called_high) | called_end >> not_in_set
        wrong |= _five(low + called_low) | _five(middle + called_middle) | _five(high + called_high)
        pongs = _low_bits(called_low, called_middle, called_high)
        kongs = _low_bits(called_low >> np.uint64(2), called_middle >> np.uint64(2), called_high >> np.uint64(2))
        size += SET * np.int64(popcount(pongs | kongs))
        if r.wild != 0:
            wrong |= np.uint64((pongs if r.wild_kong != 0 else pongs | kongs) & WILD)
    if wrong != 0:
        size = NO_HAND
    second = middle >> BYTE | high << LAST_BYTE
    i0 = _index(low) + EIGHT_KINDS * np.uint32(middle & np.uint64(0xFF))
    i1 = _index(second) + EIGHT_KINDS * np.uint32(high >> BYTE & np.uint64(0xFF))
    i2 = _index(high >> TWO_BYTES & np.uint64(0xFFFFFF))
    return np.uint32(i0), np.uint32(i1), np.uint32(i2), pongs, kongs, size


@kernel
def _five(word):
    """Nonzero where one of eight counts is above four."""
    return ((word & ~HIGH_BITS) + FIVE_TO_HIGH_BIT | word) & HIGH_BITS


@kernel
def _no_meld(word):
    """Nonzero where one of eight meld counts is not 0, 3 or 4."""
    return _five(word) | (word ^ word >> np.uint64(1)) & ONES


@kernel
def _low_bits(low, middle, high):
    """The lowest bit of each of 24 bytes."""
    bits = (low & ONES) * GATHER >> LAST_BYTE
    bits |= (middle & ONES) * GATHER >> LAST_BYTE << np.uint64(8)
    bits |= (high & ONES) * GATHER >> LAST_BYTE << np.uint64(16)
    return np.uint32(bits)


@kernel
def _index(word):
    """Eight counts as the digits of a base-5 number, the first lowest: added up in pairs, in fours, all."""
    pairs = (word & EVEN_BYTES) + np.uint64(5) * (word >> BYTE & EVEN_BYTES)
    fours = (pairs & EVEN_PAIRS) + np.uint64(25) * (pairs >> TWO_BYTES & EVEN_PAIRS)
    return np.uint32((fours & LOW_HALF) + np.uint64(625) * (fours >> FOUR_BYTES))


@kernel
def _as_bools(mask):
    """The bits of slots 0-7, 8-15, 16-23 and 19-26, each as a byte."""
    bits = np.uint64(mask)
    return (
        _spread(bits),
        _spread(bits >> np.uint64(8)),
        _spread(bits >> np.uint64(16)),
        _spread(bits >> np.uint64(19)),
    )


@kernel
def _spread(bits):
    """The lowest eight bits as the bytes of a word."""
    return (((bits & np.uint64(0xFF)) * ONES & DIAGONAL) + SEVEN_BITS) >> np.uint64(7) & ONES
