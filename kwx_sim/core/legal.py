"""Who may do what: the legal actions of the decision that is due, written into the round's record."""

import numpy as np

from kwx_sim.core.fans import (
    EV_EARTHLY,
    EV_HEAVENLY,
    EV_INITIAL_HAND,
    EV_KONG_CANNON,
    EV_KONG_FLOWER,
    EV_LAST_TILE_DISCARD,
    EV_LAST_TILE_DRAW,
    EV_RED_KONG,
    EV_ROBBED,
    EV_SELF_DRAW,
)
from kwx_sim.core.jit import ctz, inlined, kernel
from kwx_sim.core.payment import win_fan
from kwx_sim.core.shapes import shanten, wait_mask
from kwx_sim.core.state import BLOCK, NO_TILE, POW5, RED, bit, wall_left

__all__ = [
    "fan_on_offer",
    "find_calls",
    "find_turn_actions",
    "locked",
    "may_win_offer",
    "nearest_shanten",
    "win_events",
]


@inlined
def locked(r, s, seat):
    """亮倒: whether the seat has declared and may no longer change its hand."""
    return s.declared[seat] != 0 and r.locks_hand != 0


@inlined
def win_events(s, seat):
    """The events of a win that the seat could make now, as a mask of EV_ bits."""
    if seat == s.feeder:
        events = EV_SELF_DRAW
        if s.replacement != 0:
            events |= EV_KONG_FLOWER
            if s.replacement == 2:
                events |= EV_RED_KONG
        if wall_left(s) == 0:
            events |= EV_LAST_TILE_DRAW
        if s.draws[seat] == 1 and s.calls == 0:
            events |= (EV_INITIAL_HAND | EV_HEAVENLY) if seat == s.dealer else EV_EARTHLY
        return events
    if s.robbing != 0:
        return EV_ROBBED
    events = 0
    if s.cannon != 0:
        events |= EV_KONG_CANNON
    if wall_left(s) == 0:
        events |= EV_LAST_TILE_DISCARD
    return events


@kernel
def fan_on_offer(t, r, s, seat):
    """Fan, before cap and liangdao, of the tile on offer (discarded, or put to a kong) for a seat that waits for it."""
    return win_fan(t, r, s, seat, s.tile, win_events(s, seat))


@kernel
def may_win_offer(t, r, s, seat):
    """Whether the seat may win the tile on offer: its wait, the minimum fan, and 漏胡."""
    if s.waits[seat] & bit(s.tile) == 0:
        return False
    minimum = r.min_fan_on_discard
    if r.min_fan_waived_by_liangdao != 0 and (s.declared[seat] != 0 or s.declared[s.feeder] != 0):
        minimum = 1
    if minimum <= 1 and s.missed[seat] == 0:
        return True
    fan = fan_on_offer(t, r, s, seat)
    return fan >= minimum and fan > s.missed[seat]


@inlined
def _waits_after_kong(t, r, s, seat, tile, concealed):
    """Waits of the 13-tile hand once `concealed` of its tiles have left it for a kong of the kind."""
    b = BLOCK[tile]
    take = np.uint32(concealed) * POW5[tile]
    i0, i1, i2 = s.idx[seat, 0], s.idx[seat, 1], s.idx[seat, 2]
    if b == 0:
        i0 -= take
    elif b == 1:
        i1 -= take
    else:
        i2 -= take
    pongs = s.pongs[seat] & ~bit(tile)
    return wait_mask(t, r, np.uint32(i0), np.uint32(i1), np.uint32(i2), np.uint32(pongs), s.kongs[seat] | bit(tile))


@inlined
def _direct_kong_allowed(t, r, s, seat, tile):
    """直杠: three in hand, and for a locked hand unchanged waits."""
    if s.counts[seat, tile] != 3:
        return False
    if not locked(r, s, seat):
        return True
    return r.kong_after == 1 and _waits_after_kong(t, r, s, seat, tile, 3) == s.waits[seat]


@inlined
def find_calls(t, r, s, seat):
    """碰, 直杠: whether the seat may call the tile on offer, and how; the offer must have been left by all winners."""
    s.can_direct_kong = 0
    s.can_pong = 0
    if s.counts[seat, s.tile] < 2 or (r.wild != 0 and s.tile == RED):
        return False
    s.can_direct_kong = _direct_kong_allowed(t, r, s, seat, s.tile)
    s.can_pong = not locked(r, s, seat)
    return s.can_direct_kong != 0 or s.can_pong != 0


@inlined
def _find_kongs(t, r, s, seat):
    """暗杠 and 补杠 of the turn; none after a pong, none on the last tile."""
    s.can_concealed_kong = 0
    s.can_added_kong = 0
    # C special 3, a pong made with three in hand never becomes a kong, needs no flag: its fourth is never drawn.
    concealed, added = s.quads[seat], bit(s.tile) & s.pongs[seat]
    if concealed | added == 0 or s.tile == NO_TILE or wall_left(s) == 0:
        return
    if locked(r, s, seat):
        concealed, added = _locked_kongs(t, r, s, seat)
    elif r.wild != 0 and r.wild_kong == 0:
        concealed &= ~bit(RED)
    s.can_concealed_kong = concealed
    s.can_added_kong = added


@kernel
def _locked_kongs(t, r, s, seat):
    """Those of the tile drawn that the waits of a declared hand survive."""
    concealed, added = np.uint32(0), np.uint32(0)
    if r.kong_after == 0:
        return concealed, added
    drawn = bit(s.tile)
    # The hand still holds the drawn tile: all four leave for a concealed kong, that one for an added kong.
    if s.quads[seat] & drawn != 0 and not (r.wild != 0 and r.wild_kong == 0 and s.tile == RED):
        if _waits_after_kong(t, r, s, seat, s.tile, 4) == s.waits[seat]:
            concealed = drawn
    if s.pongs[seat] & drawn != 0 and _waits_after_kong(t, r, s, seat, s.tile, 1) == s.waits[seat]:
        added = drawn
    return concealed, added


@inlined
def _find_discards(r, s, seat):
    if locked(r, s, seat):
        s.can_discard = bit(s.tile)
        return
    held = s.held[seat]
    if r.forbid_feeding != 0 and r.shows != 0:
        safe = np.uint32(held & ~_declared_waits(s, seat))
        if safe != 0:
            held = safe
    s.can_discard = held


@kernel
def _declared_waits(s, seat):
    """The waits of the others who have declared."""
    waits = np.uint32(0)
    for other in range(3):
        if other != seat and s.declared[other] != 0:
            waits |= s.waits[other]
    return np.uint32(waits)


@inlined
def nearest_shanten(t, r, s, seat):
    """The shanten of the hand as it is, a won one taken for ready."""
    distance = shanten(t, r, s.idx[seat, 0], s.idx[seat, 1], s.idx[seat, 2], s.pongs[seat], s.kongs[seat])
    return np.uint8(max(distance, 0))


@inlined
def _find_liangdao(t, r, s, seat):
    """The discards that leave the hand ready, where it may declare."""
    s.can_liangdao = 0
    if r.liangdao == 0 or s.declared[seat] != 0 or wall_left(s) < r.min_wall:
        return
    # Most turns stop here: the hand was too far away a few draws ago.
    if s.nearest[seat] == 0:
        s.nearest[seat] = nearest_shanten(t, r, s, seat)
        if s.nearest[seat] == 0:
            s.can_liangdao = _ready_discards(t, r, s, seat)


@kernel
def _ready_discards(t, r, s, seat):
    ready = np.uint32(0)
    rest = s.can_discard
    while rest != 0:
        tile = ctz(rest)
        rest &= rest - np.uint32(1)
        if _waits_without(t, r, s, seat, tile) != 0:
            ready |= bit(tile)
    return np.uint32(ready)


@inlined
def _waits_without(t, r, s, seat, tile):
    i0, i1, i2 = s.idx[seat, 0], s.idx[seat, 1], s.idx[seat, 2]
    b = BLOCK[tile]
    if b == 0:
        i0 -= POW5[tile]
    elif b == 1:
        i1 -= POW5[tile]
    else:
        i2 -= POW5[tile]
    return wait_mask(t, r, np.uint32(i0), np.uint32(i1), np.uint32(i2), s.pongs[seat], s.kongs[seat])


@inlined
def find_turn_actions(t, r, s):
    """The legal actions of a turn: win, kongs, discards, discards with liangdao."""
    seat = s.seat
    s.can_win = s.waits[seat] & bit(s.tile) != 0
    _find_kongs(t, r, s, seat)
    _find_discards(r, s, seat)
    _find_liangdao(t, r, s, seat)
