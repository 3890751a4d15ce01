"""The look-up tables behind the shape kernels: what each holds and how its entries are packed.

A block of nine kinds is a base-5 number, the digit of its first kind lowest; the three dragons are one of three
digits. A block's *class* is what it does for every number of sets, with the pair and without: blocks of one class are
as far from everything. An *aim* of a block is one such number of sets with a pair or without.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["TABLES", "Tables"]

SUIT_BLOCKS = 5**9
DRAGON_BLOCKS = 5**3
HALF = 5**5  # a block is read as its low five kinds and its high four

# Bits of `suit` and `dragon`; bits 0-8 are the kinds that complete the block.
COMPLETE = 9  # sets, or sets and a pair
TRIPLETS = 10  # the same without sequences
EVEN = 11  # only pairs and fours
ODD_KIND = 12  # four bits: 1 + the only kind held an odd number of times; 0 where there is none or several

# Bits of `suit_class` and `dragon_class`; bits 0-7 are the class.
PAIRS = 12  # three bits, and room for their sum: pairs for seven pairs, a four of a kind counts two
DRAW_ROW = 16  # of `suit_class`: the row of `draws`, 0 for none

# Bits of `half`, each field five kinds wide.
HELD, ODD, FOUR, COUNT = 0, 5, 10, 15

# Bits of `wild`: the kinds that bring a block within the fewest wild tiles that its size allows (LOW), or three more
# (HIGH), of being sets, or sets and a pair, nine bits each; then the wild tiles that it needs itself, 5: too many.
SETS_LOW, SETS_HIGH, PAIR_LOW, PAIR_HIGH, SETS_NEED, PAIR_NEED = 0, 9, 18, 27, 36, 39

# Bits of `wild_combined`, eight each.
NATURAL_PAIR, ANY_PAIR, NO_PAIR = 0, 8, 16

SUIT_CLASSES, DRAGON_CLASSES, WILD_CLASSES = 287, 35, 110
MOST_TILES = 14
# With 0-4 melds: how many classes still differ, of suits and of dragons.
MERGED = ((126, 20), (96, 20), (46, 19), (16, 9), (3, 3))
COMBINED_STARTS = tuple(int(n) for n in np.cumsum([0] + [suits * suits * dragons for suits, dragons in MERGED]))

# A suit that melds limit is a base-8 number, the symbol of its first kind lowest.
PREFIXES, SUFFIXES = 8**5, 8**4
PREFIX_CLASSES, SUFFIX_CLASSES = 1633, 907

# Bits and lanes of the aims, by sets: with a pair (of any sort), and without. Those that a hand hardly pursues in one
# suit come last, in the second word of a row; dragons have those of the first word alone.
PAIR_AIMS, SETS_AIMS = (0, 1, 2, 7, 8), (6, 3, 4, 5, 9)
AIMS, DRAGON_AIMS = 10, 7

# Bits of `critical`: the aims by which a hand is as near as it is, of suit, suit and dragons; then its shanten + 1.
CRITICAL_FIRST, CRITICAL_SECOND, CRITICAL_DRAGONS, CRITICAL_SHANTEN = 0, AIMS, 2 * AIMS, 28

LANE, LANES = 9, 7  # a lane is nine bits, one a kind; a word has seven

# Different rows of lanes among the blocks of so many tiles at most, which are all that u2 can number, and none.
DRAW_TILES, DRAW_ROWS, WILD_DRAW_ROWS = 12, 62_837, 60_111
DISCARD_TILES, DISCARD_ROWS, WILD_DISCARD_ROWS = 10, 48_345, 45_337

TABLES = np.dtype(
    [
        ("suit", "u2", (SUIT_BLOCKS,)),
        ("dragon", "u2", (DRAGON_BLOCKS,)),
        ("half", "u4", (HALF,)),
        # Shanten: class of a block that no meld limits; of the dragons with ponged << 3 and konged << 6 kinds, by 125.
        ("suit_class", "u4", (SUIT_BLOCKS,)),
        ("dragon_class", "u2", (64 * DRAGON_BLOCKS,)),
        # Class of a suit that melds limit: base-8 digits of half a block, places of nine melded kinds; then classes of
        # the first five kinds and of the last four, and the class by both.
        ("octal", "u2", (HALF,)),
        ("places", "u4", (512,)),
        ("prefix", "u2", (PREFIXES,)),
        ("suffix", "u2", (SUFFIXES,)),
        ("joined", "u2", (PREFIX_CLASSES * SUFFIX_CLASSES,)),
        # By melds: classes that still differ, then shanten by suit, suit, dragons, and in the same place critical aims.
        ("merged", "u1", (5, SUIT_CLASSES)),
        ("merged_dragon", "u1", (5, DRAGON_CLASSES)),
        ("combined", "i1", (COMBINED_STARTS[-1],)),
        ("critical", "u4", (COMBINED_STARTS[-1],)),
        # The kinds whose draw brings an aim of a block nearer, and those whose discard leaves it as near, a lane an
        # aim, in rows; a block's row stands in `suit_class` and `suit_discards`, 0 for none.
        ("draws", "u8", (DRAW_ROWS, 2)),
        ("dragon_draws", "u8", (64 * DRAGON_BLOCKS,)),
        ("suit_discards", "u2", (SUIT_BLOCKS,)),
        ("discards", "u8", (DISCARD_ROWS, 2)),
        ("dragon_discards", "u8", (64 * DRAGON_BLOCKS,)),
        # Tiles missing by class, sets and pair (with wild tiles: none, with a natural tile, any).
        ("suit_cost", "u1", (SUIT_CLASSES, 5, 2)),
        ("dragon_cost", "u1", (DRAGON_CLASSES, 5, 2)),
        ("wild", "u8", (SUIT_BLOCKS,)),
        ("wild_class", "u1", (SUIT_BLOCKS,)),
        ("wild_cost", "u1", (WILD_CLASSES, 5, 3)),
        # Of both suits together, by sets and classes: missing for the sets, and with each sort of pair.
        ("wild_combined", "u4", (5, WILD_CLASSES, WILD_CLASSES)),
        ("wild_critical", "u4", (5, WILD_CLASSES, WILD_CLASSES)),
        ("wild_suit_draws", "u2", (SUIT_BLOCKS,)),
        ("wild_draws", "u8", (WILD_DRAW_ROWS, 2)),
        ("wild_suit_discards", "u2", (SUIT_BLOCKS,)),
        ("wild_discards", "u8", (WILD_DISCARD_ROWS, 2)),
    ]
)

Tables = NDArray[np.void]
