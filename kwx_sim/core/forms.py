"""Which kinds of reading a won hand has: its *forms*, each one look-up, and no grouping of tiles ever written down.

Apart from seven pairs only 碰碰胡 and 卡五星 depend on how the tiles are grouped, and no grouping has both: a hand
without a sequence has no 4-5-6. So a hand can be read in at most four ways that differ in fans.

`t` is the record of the tables, `r` that of the rules. A hand is three block indices (`tables`), the winning tile
included, and the mask of its melded kinds.
"""

import numpy as np

from kwx_sim.core.blocks import OUT_OF_REACH, POWERS, block_kinds, lone_need, melds_in, odd_kinds, one_suit, tiles_in
from kwx_sim.core.jit import kernel, popcount
from kwx_sim.core.layout import COMPLETE, EVEN, FOUR, HELD, ODD, TRIPLETS
from kwx_sim.core.wild import wild_win

__all__ = ["ALL_TRIPLETS_FORM", "KAWUXING_FORM", "NO_FORM", "PLAIN_FORM", "SEVEN_PAIRS_FORM", "forms_of"]

NO_FORM, PLAIN_FORM, KAWUXING_FORM, ALL_TRIPLETS_FORM, SEVEN_PAIRS_FORM = 0, 1, 2, 3, 4

COMPLETE_BIT, TRIPLETS_BIT, EVEN_BIT = np.uint32(1 << COMPLETE), np.uint32(1 << TRIPLETS), np.uint32(1 << EVEN)
FOUR_PLACE, FIVE_PLACE, SIX_PLACE = POWERS[3], POWERS[4], POWERS[5]
MIDDLE_RUN = np.uint32(FOUR_PLACE + FIVE_PLACE + SIX_PLACE)  # 4-5-6
FIRST_FIVE, SECOND_FIVE, RED = 4, 13, 18
RED_BIT = np.uint32(1 << RED)
SETS_ONLY = 1


@kernel
def forms_of(t, r, i0, i1, i2, melds, tile):
    """The forms in which the hand can be read, a bit each; 0 where it does not win.

    `tile` is the winning tile. PLAIN_FORM is left out where a standard form with a fan of its own exists: that one has
    all fans that plain has, but 屁胡, which no table values above the fan that displaces it.
    """
    if r.wild != 0:
        forms = _wild_standard_forms(t, r, i0, i1, i2, melds, tile)
        paired = odd_kinds(t, i0, i1) <= np.int64(i2)
    else:
        blocks = np.uint32(t.suit[i0] & t.suit[i1] & t.dragon[i2])
        forms = 0
        if blocks & COMPLETE_BIT != 0 and (r.missing_suit == 0 or one_suit(r, tiles_in(t, i0), tiles_in(t, i1), melds)):
            forms = _standard_forms(t, i0, i1, blocks, tile)
        paired = blocks & EVEN_BIT != 0
    if paired and melds == 0 and r.seven_pairs != 0:
        forms |= 1 << SEVEN_PAIRS_FORM
    return forms


@kernel
def _standard_forms(t, i0, i1, blocks, tile):
    forms = 0
    if blocks & TRIPLETS_BIT != 0:
        forms |= 1 << ALL_TRIPLETS_FORM
    if (tile == FIRST_FIVE and _kawuxing(t, i0)) or (tile == SECOND_FIVE and _kawuxing(t, i1)):
        forms |= 1 << KAWUXING_FORM
    return forms if forms != 0 else 1 << PLAIN_FORM


@kernel
def _kawuxing(t, index):
    """卡五星: whether a complete block that a 5 has just come to is complete without a 4-5-6 too."""
    return _holds(index, FOUR_PLACE) and _holds(index, SIX_PLACE) and t.suit[index - MIDDLE_RUN] & COMPLETE_BIT != 0


@kernel
def _holds(index, place):
    return index // place % np.uint32(5) != 0


@kernel
def _wild_standard_forms(t, r, i0, i1, wilds, melds, tile):
    # A meld in neither suit keeps seven pairs out of the answer.
    if not wild_win(t, r, i0, i1, wilds, np.uint32(melds | RED_BIT), np.uint32(0)):
        return 0
    forms = 0
    if _wild_triplets_need(t, r, i0, i1, melds) <= np.int64(wilds):
        forms |= 1 << ALL_TRIPLETS_FORM
    for suit in range(2):
        if _wild_kawuxing(t, r, i0, i1, wilds, melds, tile, suit):
            forms |= 1 << KAWUXING_FORM
    return forms if forms != 0 else 1 << PLAIN_FORM


@kernel
def _wild_kawuxing(t, r, i0, i1, wilds, melds, tile, suit):
    """卡五星 among wild tiles: whether a 4-5-6 of the suit, the winning tile in its middle, leaves a hand that wins.

    Its tiles are natural unless `wild_in_kawuxing` lets wild ones stand in, for the winning tile too. The 4-5-6 is a
    set of its suit as a meld is, so the missing suit has to allow it.
    """
    five = SECOND_FIVE if suit else FIRST_FIVE
    wild_five = tile == RED and r.wild_in_kawuxing != 0
    if tile != five and not wild_five:
        return False
    index = i1 if suit else i0
    run = np.uint32(melds | np.uint32(1) << np.uint32(five))
    for wild_ends in range(4 if r.wild_in_kawuxing != 0 else 1):
        left = np.int64(wilds) - np.int64(popcount(np.uint32(wild_ends))) - np.int64(wild_five)
        taken = np.uint32(0 if wild_five else FIVE_PLACE)
        if wild_ends & 1 == 0:
            taken += FOUR_PLACE
        if wild_ends & 2 == 0:
            taken += SIX_PLACE
        natural = (wild_ends & 1 or _holds(index, FOUR_PLACE)) and (wild_ends & 2 or _holds(index, SIX_PLACE))
        if natural and left >= 0:
            rest = np.uint32(index - taken)
            rest0, rest1 = (i0, rest) if suit else (rest, i1)
            if wild_win(t, r, rest0, rest1, np.uint32(left), run, np.uint32(0)):
                return True
    return False


@kernel
def _wild_triplets_need(t, r, i0, i1, melds):
    """碰碰胡: wild tiles needed for triplets and the pair that the missing suit allows. The rest comes in threes."""
    sets0, pair0 = _triplet_needs(t, i0)
    sets1, pair1 = _triplet_needs(t, i1)
    alone = 2 if r.wild_pair_alone != 0 else OUT_OF_REACH
    if r.missing_suit == 0:
        return min(pair0 + sets1, sets0 + pair1, sets0 + sets1 + alone)
    need = OUT_OF_REACH
    if melds_in(melds, 1) == 0:
        need = min(need, _one_suit_triplets_need(t, r, sets0, pair0, i1, alone))
    if melds_in(melds, 0) == 0:
        need = min(need, _one_suit_triplets_need(t, r, sets1, pair1, i0, alone))
    return need


@kernel
def _one_suit_triplets_need(t, r, sets, pair, other, alone):
    """缺一门: the same with every triplet in one suit, the other suit empty or (sets_only) just the pair."""
    if other == 0:
        return min(pair, sets + alone)
    return sets + lone_need(t, other) if r.missing_suit == SETS_ONLY else OUT_OF_REACH


@kernel
def _triplet_needs(t, index):
    """Wild tiles that a suit needs to be triplets; to be triplets and the pair.

    A kind held once, twice, three or four times lacks 2, 1, 0, 2 tiles of triplets (four are one and part of another);
    as the pair, or the pair and a triplet, it lacks 1, 0, 2, 1.
    """
    odd = np.int64(popcount(block_kinds(t, index, ODD)))
    fours = np.int64(popcount(block_kinds(t, index, FOUR)))
    kinds = np.int64(popcount(block_kinds(t, index, HELD)))
    twos = kinds - odd - fours
    threes = (np.int64(tiles_in(t, index)) - odd - 2 * twos - 4 * fours) >> 1
    sets = 2 * (odd - threes) + twos + 2 * fours
    if kinds == 0:
        return sets, OUT_OF_REACH
    return sets, sets - 1 if threes < kinds else sets + 2
