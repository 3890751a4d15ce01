"""番: what a won hand scores, by the reading of it that pays most.

Here fans are found; what each is worth, how they combine and what caps them stands in the rules. `forms` says in what
ways the hand can be read: every fan but the few that a form brings is a matter of counts, melds and events.

`t` is the record of the tables, `r` that of the rules. A hand is three block indices (`tables`), the winning tile
included, and two masks over slots, the ponged and the konged kinds.
"""

import numpy as np

from kwx_sim.core.blocks import POWERS, block_kinds, melds_in
from kwx_sim.core.forms import ALL_TRIPLETS_FORM, KAWUXING_FORM, NO_FORM, SEVEN_PAIRS_FORM, forms_of
from kwx_sim.core.jit import ctz, kernel, popcount
from kwx_sim.core.layout import FOUR, HELD

__all__ = [
    "ALL_TRIPLETS",
    "BIG_THREE_DRAGONS",
    "DRAGON_SEVEN_PAIRS",
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
    "FULL_FLUSH",
    "KAWUXING",
    "SEVEN_PAIRS",
    "SMALL_THREE_DRAGONS",
    "best_reading",
    "fans_of_form",
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

MAX_TOTAL = 1 << 20  # no table comes near; keeps every payment inside int32
NO_CAP = 1 << 40
RED = 18
RED_BIT = np.uint32(1 << RED)


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
