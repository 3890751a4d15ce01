"""番: what a won hand scores, by the reading of it that pays most.

A hand has few readings that differ in fans, so none is written down here: each *form* is one look-up. Apart from
seven pairs only 碰碰胡 and 卡五星 depend on how the tiles are grouped, and no grouping has both: a hand without a
sequence has no 4-5-6. Every other fan is a matter of counts, melds and events.

`t` is the record of the tables, `r` that of the rules. A hand is three block indices (`tables`), the winning tile
included, and two masks over slots, the ponged and the konged kinds. Fans are found here; what they are worth, how they
combine and what caps them stands in the rules.
"""

import numpy as np

from kwx_sim.core.blocks import (
    OUT_OF_REACH,
    POWERS,
    block_kinds,
    lone_need,
    melds_in,
    odd_kinds,
    one_suit,
    tiles_in,
)
from kwx_sim.core.jit import ctz, kernel, popcount
from kwx_sim.core.tables import COMPLETE, EVEN, FOUR, HELD, ODD, TRIPLETS
from kwx_sim.core.wild import wild_win

__all__ = [
    "ALL_TRIPLETS_FORM",
    "EV_EARTHLY",
    "EV_HEAVENLY",
    "EV_INITIAL_HAND",
    "EV_KONG_CANNON",
    "EV_KONG_FLOWER",
    "EV_LAST_TILE_DISCARD",
    "EV_LAST_TILE_DRAW",
    "EV_RED_KONG",
    "EV_RED_KONG_HELD",
    "EV_ROBBED",
    "EV_SELF_DRAW",
    "KAWUXING_FORM",
    "NO_FORM",
    "PLAIN_FORM",
    "SEVEN_PAIRS_FORM",
    "best_reading",
    "fans_of_form",
    "forms_of",
    "paid",
]

# Bits of a fan mask, in the order of kwx_sim.rules.FANS.
PING_HU = 0
ALL_TRIPLETS = 1
FULL_FLUSH = 2
SEVEN_PAIRS = 3
DRAGON_SEVEN_PAIRS = 4  # then double and triple
THREE_DRAGONS_SEVEN_PAIRS = 7
BIG_THREE_DRAGONS = 8
SMALL_THREE_DRAGONS = 9
CONCEALED_FOUR_TO_ONE = 10
OPEN_FOUR_TO_ONE = 11
INITIAL_HAND = 12
LAST_SINGLE_TILE = 13
KAWUXING = 14
SELF_DRAW = 15
ROBBING_KONG = 16
KONG_FLOWER = 17
KONG_CANNON = 18
LAST_TILE_DRAW = 19
LAST_TILE_DISCARD = 20
RED_DRAGON_KONG = 21
HEAVENLY_HAND = 22
EARTHLY_HAND = 23
NUM_FANS = 24

# An event's bit is that of the fan which it brings; a fan that the ruleset has not is left out later.
EV_INITIAL_HAND = 1 << INITIAL_HAND
EV_SELF_DRAW = 1 << SELF_DRAW
EV_ROBBED = 1 << ROBBING_KONG
EV_KONG_FLOWER = 1 << KONG_FLOWER
EV_KONG_CANNON = 1 << KONG_CANNON
EV_LAST_TILE_DRAW = 1 << LAST_TILE_DRAW
EV_LAST_TILE_DISCARD = 1 << LAST_TILE_DISCARD
EV_RED_KONG_HELD = 1 << RED_DRAGON_KONG  # 红中暗杠; the mask of konged kinds does not tell how they were konged
EV_HEAVENLY = 1 << HEAVENLY_HAND
EV_EARTHLY = 1 << EARTHLY_HAND
EV_RED_KONG = 1 << NUM_FANS  # beside EV_KONG_FLOWER: the last kong was of red dragons

FAN_BITS = (1 << NUM_FANS) - 1
SEVEN_PAIRS_FAMILY = 0b11111 << SEVEN_PAIRS
NOT_PING_HU_WHEN_ADDED = 1 << ALL_TRIPLETS | 1 << FULL_FLUSH | SEVEN_PAIRS_FAMILY

NO_FORM, PLAIN_FORM, KAWUXING_FORM, ALL_TRIPLETS_FORM, SEVEN_PAIRS_FORM = 0, 1, 2, 3, 4

MAX_TOTAL = 1 << 20  # no table comes near; keeps every payment inside int32
NO_CAP = 1 << 40

COMPLETE_BIT, TRIPLETS_BIT, EVEN_BIT = np.uint32(1 << COMPLETE), np.uint32(1 << TRIPLETS), np.uint32(1 << EVEN)
FOUR_PLACE, FIVE_PLACE, SIX_PLACE = POWERS[3], POWERS[4], POWERS[5]
MIDDLE_RUN = np.uint32(FOUR_PLACE + FIVE_PLACE + SIX_PLACE)  # 4-5-6
FIRST_FIVE, SECOND_FIVE, RED = 4, 13, 18
RED_BIT = np.uint32(1 << RED)
SETS_ONLY = 1


# ---------------------------------------------------------------- forms: which kinds of reading the hand has


@kernel
def forms_of(t, r, i0, i1, i2, melds, tile):
    """The forms in which the hand can be read, a bit each; 0 where it does not win.

    PLAIN_FORM is left out where a form with a fan of its own exists, for that one counts all it does. `melds` is the
    mask of melded kinds, `tile` the winning tile.
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


# ---------------------------------------------------------------- fans that every reading of the hand shares


@kernel
def is_flush(r, i0, i1, i2, melds):
    """清一色: every tile in one suit, the pair included; wild tiles take the suit."""
    first = i0 != 0 or melds_in(melds, 0) != 0
    second = i1 != 0 or melds_in(melds, 1) != 0
    return first != second and (r.wild != 0 or (i2 == 0 and melds < RED_BIT))


@kernel
def dragon_fans(i2, melds):
    """大三元, 小三元: the dragons of a hand in standard form."""
    red, green, white = i2 % np.uint32(5), i2 // np.uint32(5) % np.uint32(5), i2 // np.uint32(25)
    triplets = np.int64(popcount(np.uint32(melds >> np.uint32(RED)))) + (red == 3) + (green == 3) + (white == 3)
    if triplets == 3:
        return 1 << BIG_THREE_DRAGONS
    if triplets == 2 and (red == 2 or green == 2 or white == 2):
        return 1 << SMALL_THREE_DRAGONS
    return 0


@kernel
def four_to_ones(t, r, i0, i1, pongs, tile, events, flush):
    """四归一: how many count, concealed (暗) and open (明: a pong and the fourth in hand).

    A four of a kind is of natural suited tiles: four dragons in hand are part of no complete hand but seven pairs.
    """
    won_concealed, won_open = 0, 0
    if tile < RED:
        index = i1 if tile > 8 else i0
        won_concealed = np.int64(index // POWERS[np.uint32(tile % 9)] % np.uint32(5) == 4)
        won_open = np.int64(pongs >> np.uint32(tile) & np.uint32(1))
    concealed, opened = won_concealed, won_open
    if r.four_to_one_scope == 1 or (r.four_to_one_scope == 2 and flush):
        concealed = np.int64(popcount(suited_kinds(t, i0, i1, FOUR)))
        opened = np.int64(popcount(np.uint32(pongs & suited_kinds(t, i0, i1, HELD))))
    if r.four_to_one_self_draw_only != 0 and events & EV_SELF_DRAW == 0:
        concealed -= won_concealed
        opened -= won_open
    return concealed, opened


@kernel
def suited_kinds(t, i0, i1, field):
    """The kinds of both suits that `half` marks in a field: 18 bits."""
    return np.uint32(block_kinds(t, i0, field) | block_kinds(t, i1, field) << np.uint32(9))


@kernel
def pairs_fan(t, r, i0, i1, i2):
    """七对 and its family: the member of the highest value. Fours of a kind are natural tiles."""
    fours = np.int64(popcount(suited_kinds(t, i0, i1, FOUR)))
    best = SEVEN_PAIRS
    if r.wild == 0:
        fours += np.int64(popcount(block_kinds(t, i2, FOUR)))
        # Each of the three kinds is held, and seven pairs hold even numbers.
        if popcount(block_kinds(t, i2, HELD)) == 3:
            best = _higher(r, best, THREE_DRAGONS_SEVEN_PAIRS)
    for n in range(min(fours, 3)):
        best = _higher(r, best, DRAGON_SEVEN_PAIRS + n)
    return 1 << best


@kernel
def _higher(r, fan, other):
    """The fan of larger value; of equal ones that with the larger cap of its own."""
    value, other_value = r.fan_value[fan], r.fan_value[other]
    if other_value != value:
        return other if other_value > value else fan
    return other if r.cap_for[other] > r.cap_for[fan] else fan


@kernel
def event_fans(r, events):
    """Fans of how the hand was won."""
    fans = events & FAN_BITS
    if fans & EV_ROBBED and r.robbing_kong_is_self_draw != 0:
        fans ^= EV_ROBBED | EV_SELF_DRAW
    return fans


# ---------------------------------------------------------------- totals


@kernel
def fan_total(r, fans, concealed, opened, events):
    """Value of fans together, and those among them that the ruleset has (with 屁胡 where it counts).

    `concealed` and `opened` say how often the two 四归一 count.
    """
    adds = r.combine == 1
    total = 0 if adds else 1
    found = 0
    while fans != 0:
        fan = ctz(fans)
        fans &= fans - 1
        value = np.int64(r.fan_value[fan])
        if fan == KONG_FLOWER and events & EV_RED_KONG and r.kong_flower_after_red != 0:
            value = np.int64(r.kong_flower_after_red)
        if value == 0:
            continue
        found |= 1 << fan
        times = 1
        if fan == CONCEALED_FOUR_TO_ONE:
            times = concealed
        elif fan == OPEN_FOUR_TO_ONE:
            times = opened
        for _ in range(times):
            total = min(total + value if adds else total * value, MAX_TOTAL)
    if found & NOT_PING_HU_WHEN_ADDED == 0 if adds else found == 0:
        found |= 1 << PING_HU
        total += r.fan_value[PING_HU] if adds else r.fan_value[PING_HU] - 1
    return total, found


@kernel
def fans_of_form(t, r, i0, i1, i2, pongs, kongs, tile, events, form):
    """Fan before the cap, fan mask, and how many concealed and open 四归一 count, of the hand read in one form."""
    melds = np.uint32(pongs | kongs)
    flush = is_flush(r, i0, i1, i2, melds)
    fans = event_fans(r, events)
    concealed, opened = 0, 0
    if flush:
        fans |= 1 << FULL_FLUSH
    if form == SEVEN_PAIRS_FORM:
        fans |= pairs_fan(t, r, i0, i1, i2)
    else:
        if form == ALL_TRIPLETS_FORM:
            fans |= 1 << ALL_TRIPLETS
        elif form == KAWUXING_FORM:
            fans |= 1 << KAWUXING
        if popcount(melds) == 4:
            fans |= 1 << LAST_SINGLE_TILE
        if r.wild == 0:
            fans |= dragon_fans(i2, melds)
        concealed, opened = four_to_ones(t, r, i0, i1, pongs, tile, events, flush)
        fans |= (concealed > 0) << CONCEALED_FOUR_TO_ONE | (opened > 0) << OPEN_FOUR_TO_ONE
    fan, fans = fan_total(r, fans, concealed, opened, events)
    return fan, fans, concealed, opened


@kernel
def paid(r, fan, fans, factor):
    """封顶: bases that one payer owes for the fans of a hand, with the liangdao factor of that payer."""
    cap = np.int64(r.cap) if r.cap != 0 else NO_CAP
    if r.cap != 0:
        while fans != 0:
            cap = max(cap, np.int64(r.cap_for[ctz(fans)]))
            fans &= fans - 1
    return min(fan * factor, cap) if r.inside_cap != 0 else min(fan, cap) * factor


@kernel
def best_reading(t, r, i0, i1, i2, pongs, kongs, tile, events, factor, second_factor):
    """The reading that pays most after the cap; of equal ones that with the larger fan.

    Parameters
    ----------
    t, r : records of TABLES and RULES
    i0, i1, i2 : uint32, blocks of the concealed tiles with the winning tile
    pongs, kongs : uint32, masks of the melded kinds
    tile : winning tile
    events : mask of EV_ bits
    factor, second_factor : liangdao factors of the shares that are paid; 0 for no second share

    Returns
    -------
    fan before cap and liangdao, fan mask, concealed and open 四归一 that count, form (NO_FORM: the hand does not win)
    """
    forms = forms_of(t, r, i0, i1, i2, pongs | kongs, tile)
    best = (0, 0, 0, 0, NO_FORM)
    most = -1
    while forms != 0:
        form = ctz(forms)
        forms &= forms - 1
        fan, fans, concealed, opened = fans_of_form(t, r, i0, i1, i2, pongs, kongs, tile, events, form)
        pays = paid(r, fan, fans, factor) + paid(r, fan, fans, second_factor)
        if pays > most or (pays == most and fan > best[0]):
            most = pays
            best = (fan, fans, concealed, opened, form)
    return best
