"""The round: deal, draw, discard, claim, kong, liangdao, end.

`deal` and `apply` leave the record at the next decision that somebody has to make (`phase`, `seat`, and what is legal)
or at the end. They take a wall and actions, never a seed: what a round does is decided by its arguments alone.
"""

import numpy as np

from kwx_sim.core.jit import inlined, kernel
from kwx_sim.core.legal import direct_kong_allowed, fan_on_offer, find_turn_actions, locked, may_win_offer, win_events
from kwx_sim.core.payment import kong_payment, settle_win
from kwx_sim.core.shapes import wait_mask
from kwx_sim.core.state import (
    ADDED_KONG,
    BIT,
    BLOCK,
    CALL,
    CLAIM,
    CONCEALED_KONG,
    DIRECT_KONG,
    DISCARD_WON,
    END,
    KONG_ROBBED,
    LIANGDAO,
    MELD_ADDED,
    MELD_CONCEALED,
    MELD_DIRECT,
    MELD_PONG,
    NO_TILE,
    PONG,
    POW5,
    RED,
    SELF_DRAWN,
    TURN,
    UNDECIDED,
    WIN,
    wall_left,
)

__all__ = ["apply", "deal"]

NEXT = np.array([1, 2, 0], np.uint8)


@kernel
def _clear(s):
    s.counts[:] = 0
    s.idx[:] = 0
    s.held[:] = 0
    s.quads[:] = 0
    s.waits[:] = 0
    s.pongs[:] = 0
    s.kongs[:] = 0
    s.meld_kind[:] = 0
    s.meld_tile[:] = 0
    s.n_melds[:] = 0
    s.n_river = 0
    s.seen[:] = 0
    s.declared[:] = 0
    s.declared_at[:] = 0
    s.first_declared = 3
    s.draws[:] = 0
    s.missed[:] = 0
    s.calls = 0
    s.robbing = 0
    s.asking = 0
    s.willing = 0
    s.cannon = 0
    s.chain = 0
    s.kong_points[:] = 0
    s.win_points[:] = 0
    s.undecided_points[:] = 0
    s.outcome = 0
    s.winners = 0
    s.win_tile = NO_TILE
    s.win_fan[:] = 0
    s.win_fans[:] = 0
    s.win_fours[:] = 0
    s.win_reading[:] = 0
    s.win_waits[:] = 0
    s.maima_tile = NO_TILE
    s.maima_points = 0
    s.decisions[:] = 0
    s.n_log = 0


@inlined
def _add(s, seat, tile):
    s.counts[seat, tile] += 1
    s.idx[seat, BLOCK[tile]] += POW5[tile]
    s.held[seat] |= BIT[tile]
    if s.counts[seat, tile] == 4:
        s.quads[seat] |= BIT[tile]


@inlined
def _remove(s, seat, tile, n):
    s.counts[seat, tile] -= np.uint8(n)
    s.idx[seat, BLOCK[tile]] -= np.uint32(n) * POW5[tile]
    s.quads[seat] &= ~BIT[tile]
    if s.counts[seat, tile] == 0:
        s.held[seat] &= ~BIT[tile]


@inlined
def _update_waits(t, r, s, seat):
    s.waits[seat] = wait_mask(t, r, s.idx[seat, 0], s.idx[seat, 1], s.idx[seat, 2], s.pongs[seat], s.kongs[seat])


@kernel
def deal(t, r, s, wall, dealer, piao):
    """Deal from a wall: 13 to the dealer, 13 and 13 to the next seats, then the dealer's 14th, its first draw.

    Parameters
    ----------
    t, r, s : records of TABLES, RULES and STATE; s is overwritten
    wall : (84,) uint8, slots in order; the first r.wall_size count
    dealer : seat
    piao : (3,) uint8, each seat's choice
    """
    _clear(s)
    for i in range(r.wall_size):
        s.wall[i] = wall[i]
    s.front = 0
    s.tail = r.wall_size
    s.dealer = dealer
    for seat in range(3):
        s.piao[seat] = piao[seat]
    seat = np.uint8(dealer)
    for _ in range(3):
        for _ in range(13):
            _add(s, seat, s.wall[s.front])
            s.front += 1
        _update_waits(t, r, s, seat)
        seat = NEXT[seat]
    _draw(t, r, s, seat)


@kernel
def _draw(t, r, s, seat):
    """摸: the next tile from the front."""
    tile = s.wall[s.front]
    s.front += 1
    s.replacement = 0
    _take(t, r, s, seat, tile)


@kernel
def _take(t, r, s, seat, tile):
    _add(s, seat, tile)
    s.draws[seat] += 1
    s.missed[seat] = 0
    _begin_turn(t, r, s, seat, tile)


@kernel
def _begin_turn(t, r, s, seat, tile):
    s.phase = TURN
    s.seat = seat
    s.feeder = seat
    s.tile = tile
    find_turn_actions(t, r, s)


@kernel
def apply(t, r, s, action):
    """Take an action of the seat that decides, and go on to the next decision or the end.

    The action must be legal: the record says what is (`can_` fields); nothing is checked here.
    """
    s.log[s.n_log] = action
    s.n_log += 1
    s.decisions[s.seat] += 1
    kind = action >> 5
    tile = np.uint8(action & 31)
    if s.phase == TURN:
        if kind == WIN:
            _win_by_self_draw(t, r, s)
        elif kind == CONCEALED_KONG:
            _declare_kong(t, r, s, tile, MELD_CONCEALED)
        elif kind == ADDED_KONG:
            _declare_kong(t, r, s, tile, MELD_ADDED)
        else:
            _discard(t, r, s, tile, kind == LIANGDAO)
    elif s.phase == CLAIM:
        _answer_claim(t, r, s, kind == WIN)
    elif kind == PONG:
        _pong(t, r, s)
    elif kind == DIRECT_KONG:
        _complete_kong(t, r, s, s.seat, s.tile, MELD_DIRECT)
    else:
        _next_turn(t, r, s)


@kernel
def _discard(t, r, s, tile, declares):
    """打, with 亮倒 taking effect before the claims."""
    seat = s.seat
    _remove(s, seat, tile, 1)
    if not locked(r, s, seat):
        _update_waits(t, r, s, seat)
    if declares:
        s.declared[seat] = 1
        s.declared_at[seat] = s.draws[seat]
        if s.first_declared == 3:
            s.first_declared = seat
    s.river_tile[s.n_river] = tile
    s.river_seat[s.n_river] = seat
    s.n_river += 1
    s.seen[tile] += 1
    s.cannon = s.replacement != 0
    _offer(t, r, s, tile, 0)


@kernel
def _offer(t, r, s, tile, robbing):
    """Put a tile of the acting seat up for wins."""
    seat = s.seat
    s.feeder = seat
    s.tile = tile
    s.robbing = robbing
    s.willing = 0
    asking = 0
    # Everybody is asked at once: who may win does not depend on the others' answers.
    for other in range(3):
        if other != seat and s.waits[other] & BIT[tile] != 0:
            if may_win_offer(t, r, s, other):
                asking |= 1 << other
    s.asking = asking
    if asking == 0:
        _resolve(t, r, s)
    else:
        _ask_next(s)


@inlined
def _ask_next(s):
    seat = NEXT[s.feeder]
    if s.asking & (1 << seat) == 0:
        seat = NEXT[seat]
    s.asking ^= np.uint8(1 << seat)
    s.phase = CLAIM
    s.seat = seat
    s.can_win = 1


@kernel
def _answer_claim(t, r, s, wins):
    seat = s.seat
    if wins:
        s.willing |= np.uint8(1 << seat)
    elif r.missed_win != 0:
        s.missed[seat] = max(s.missed[seat], fan_on_offer(t, r, s, seat))
    if s.asking != 0:
        _ask_next(s)
    else:
        _resolve(t, r, s)


@kernel
def _resolve(t, r, s):
    """All who were asked have answered: wins, else the kong goes on, else a call, else the next turn."""
    if s.willing != 0:
        _win_offer(t, r, s)
    elif s.robbing != 0:
        _complete_kong(t, r, s, s.feeder, s.tile, s.robbing)
    elif wall_left(s) == 0:
        _end_undecided(r, s)
    else:
        _offer_call(t, r, s)


@kernel
def _offer_call(t, r, s):
    """碰, 直杠: at most one seat can hold two more copies."""
    tile = s.tile
    if not (r.wild != 0 and tile == RED):
        seat = NEXT[s.feeder]
        for _ in range(2):
            if s.counts[seat, tile] >= 2:
                s.can_direct_kong = direct_kong_allowed(t, r, s, seat, tile)
                s.can_pong = not locked(r, s, seat)
                if s.can_direct_kong != 0 or s.can_pong != 0:
                    s.phase = CALL
                    s.seat = seat
                    return
            seat = NEXT[seat]
    _next_turn(t, r, s)


@kernel
def _next_turn(t, r, s):
    s.chain = 0
    _draw(t, r, s, NEXT[s.feeder])


@inlined
def _meld(s, seat, kind, tile):
    n = s.n_melds[seat]
    s.meld_kind[seat, n] = kind
    s.meld_tile[seat, n] = tile
    s.n_melds[seat] = n + 1


@kernel
def _pong(t, r, s):
    seat, tile = s.seat, s.tile
    _remove(s, seat, tile, 2)
    _meld(s, seat, MELD_PONG, tile)
    s.pongs[seat] |= BIT[tile]
    s.seen[tile] += 2
    s.calls += 1
    s.chain = 0
    s.replacement = 0
    _begin_turn(t, r, s, seat, NO_TILE)


@kernel
def _declare_kong(t, r, s, tile, kind):
    """暗杠, 补杠: the others may rob it first, where the rules let them."""
    robbable = kind == MELD_ADDED or (r.rob_concealed_kong != 0 and not (r.wild != 0 and tile == RED))
    if robbable:
        _offer(t, r, s, tile, kind)
    else:
        _complete_kong(t, r, s, s.seat, tile, kind)


@kernel
def _complete_kong(t, r, s, seat, tile, kind):
    """The kong stands: melded, paid, and a replacement drawn from the tail."""
    bit = BIT[tile]
    feeder = s.feeder
    if kind == MELD_ADDED:
        _remove(s, seat, tile, 1)
        s.pongs[seat] &= ~bit
        for i in range(s.n_melds[seat]):
            if s.meld_tile[seat, i] == tile:
                s.meld_kind[seat, i] = MELD_ADDED
        s.seen[tile] += 1
    elif kind == MELD_CONCEALED:
        _remove(s, seat, tile, 4)
        _meld(s, seat, MELD_CONCEALED, tile)
        s.seen[tile] += 4
    else:
        _remove(s, seat, tile, 3)
        _meld(s, seat, MELD_DIRECT, tile)
        s.seen[tile] += 3
        if r.kong_chain != 2:
            # A discard lies between: only a chain over the whole table goes on.
            s.chain = 0
    s.kongs[seat] |= bit
    s.calls += 1
    s.chain += 1
    s.robbing = 0
    kong_payment(r, kind, s.chain, seat, feeder, s.kong_points)
    _update_waits(t, r, s, seat)
    s.tail -= 1
    s.replacement = 2 if r.wild != 0 and tile == RED else 1
    _take(t, r, s, seat, s.wall[s.tail])


@kernel
def _win_by_self_draw(t, r, s):
    seat = s.seat
    _remove(s, seat, s.tile, 1)
    if r.maima != 0 and wall_left(s) > 0:
        s.maima_tile = s.wall[s.tail - 1]
    _settle(t, r, s, seat, 3)
    s.next_dealer = seat
    s.outcome = SELF_DRAWN
    s.phase = END


@kernel
def _win_offer(t, r, s):
    """One or two seats win the tile on offer, each settled alone."""
    robbed = s.robbing != 0
    first = NEXT[s.feeder]
    if s.willing & (1 << first) == 0:
        first = NEXT[first]
    s.next_dealer = first
    _settle(t, r, s, first, s.feeder)
    second = NEXT[first]
    if r.multiple_wins != 0 and second != s.feeder and s.willing & (1 << second) != 0:
        _settle(t, r, s, second, s.feeder)
        s.next_dealer = s.feeder
    if robbed:
        _remove(s, s.feeder, s.tile, 1)
        s.seen[s.tile] += 1
    s.outcome = KONG_ROBBED if robbed else DISCARD_WON
    s.phase = END


@kernel
def _settle(t, r, s, winner, feeder):
    s.winners |= np.uint8(1 << winner)
    s.win_tile = s.tile
    s.win_waits[winner] = s.waits[winner]
    settle_win(t, r, s, winner, feeder, s.tile, win_events(s, winner))


@kernel
def _end_undecided(r, s):
    """荒庄: the dealer stays, and the first who declared pays each other player."""
    first = s.first_declared
    if first < 3 and r.undecided_first_pays != 0:
        for seat in range(3):
            s.undecided_points[seat] = r.undecided_first_pays
        s.undecided_points[first] = -2 * r.undecided_first_pays
    s.next_dealer = s.dealer
    s.outcome = UNDECIDED
    s.phase = END
