"""The round: deal, draw, discard, claim, kong, liangdao, end.

`deal` and `apply` leave the record at the next decision that somebody has to make (`phase`, `seat`, and what is legal)
or at the end. They take a wall and actions, never a seed: what a round does is decided by its arguments alone.
"""

import numpy as np

from kwx_sim.core.jit import inlined, kernel
from kwx_sim.core.legal import (
    fan_on_offer,
    find_calls,
    find_turn_actions,
    locked,
    may_win_offer,
    nearest_shanten,
    win_events,
)
from kwx_sim.core.payment import kong_payment, settle_win
from kwx_sim.core.shapes import wait_mask
from kwx_sim.core.state import (
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
    RED,
    SELF_DRAWN,
    TURN,
    UNDECIDED,
    WIN,
    add,
    add_meld,
    bit,
    clear,
    remove,
    wall_left,
)

__all__ = ["NEXT", "apply", "complete_kong", "deal", "decline", "discard", "pong", "take", "update_waits"]

NEXT = np.array([1, 2, 0], np.uint8)

# What follows an action, until somebody has to decide: each step is compiled into `apply` once, without calls.
DECISION, OFFER, RESOLUTION, NEXT_DRAW, REPLACEMENT_DRAW, TURN_BEGINS = 0, 1, 2, 3, 4, 5


@inlined
def update_waits(t, r, s, seat):
    """The waits of 3k + 1 tiles, looked up only where the hand may be ready."""
    if s.nearest[seat] > 0:
        s.waits[seat] = 0
        return
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
    clear(s)
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
            add(s, seat, s.wall[s.front])
            s.front += 1
        s.nearest[seat] = nearest_shanten(t, r, s, seat)
        update_waits(t, r, s, seat)
        seat = NEXT[seat]
    _draw(s, seat)
    _begin_turn(t, r, s)


@inlined
def _draw(s, seat):
    """摸: the next tile from the front."""
    tile = s.wall[s.front]
    s.front += 1
    s.replacement = 0
    take(s, seat, tile)


@inlined
def _draw_replacement(r, s, seat):
    """杠后补牌: the last tile of the wall, for the kong just made."""
    s.tail -= 1
    s.replacement = 2 if r.wild != 0 and s.tile == RED else 1
    take(s, seat, s.wall[s.tail])


@inlined
def _come_nearer(s, seat):
    """One tile more can bring the hand one step nearer."""
    s.nearest[seat] -= np.uint8(s.nearest[seat] != 0)


@inlined
def take(s, seat, tile):
    """A tile drawn by a seat, from either end."""
    add(s, seat, tile)
    _come_nearer(s, seat)
    s.draws[seat] += 1
    s.missed[seat] = 0
    s.seat = seat
    s.tile = tile


@inlined
def _begin_turn(t, r, s):
    s.phase = TURN
    s.feeder = s.seat
    find_turn_actions(t, r, s)


@kernel
def apply(t, r, s, action):
    """Take an action of the seat that decides, and go on to the next decision or the end.

    The action must be legal: the record says what is (`can_` fields); nothing is checked here.
    """
    s.log[s.n_log] = action
    s.n_log += 1
    s.decisions[s.seat] += 1
    follows = _act(t, r, s, action >> 5, np.uint8(action & 31))
    if follows == OFFER:
        follows = _offer(t, r, s)
    if follows == RESOLUTION:
        follows = _resolve(t, r, s)
    if follows == NEXT_DRAW:
        s.chain = 0
        _draw(s, NEXT[s.feeder])
        follows = TURN_BEGINS
    elif follows == REPLACEMENT_DRAW:
        _draw_replacement(r, s, s.seat)
        follows = TURN_BEGINS
    if follows == TURN_BEGINS:
        _begin_turn(t, r, s)


@inlined
def _act(t, r, s, kind, tile):
    """What an action itself changes; returns what follows it, as do those below that are called from here."""
    if s.phase == TURN:
        if kind <= LIANGDAO:
            return discard(t, r, s, tile, kind == LIANGDAO)
        if kind == WIN:
            return _win_by_self_draw(t, r, s)
        return _declare_kong(t, r, s, tile, MELD_CONCEALED if kind == CONCEALED_KONG else MELD_ADDED)
    if s.phase == CLAIM:
        return _answer_claim(t, r, s, kind == WIN)
    if kind == PONG:
        return pong(s)
    if kind == DIRECT_KONG:
        return complete_kong(t, r, s, s.seat, s.tile, MELD_DIRECT)
    return NEXT_DRAW


@inlined
def discard(t, r, s, tile, declares):
    """打, with 亮倒 taking effect before the claims."""
    seat = s.seat
    remove(s, seat, tile, 1)
    if not locked(r, s, seat):
        update_waits(t, r, s, seat)
    if declares:
        s.declared[seat] = 1
        s.declared_at[seat] = s.draws[seat]
        if s.first_declared == 3:
            s.first_declared = seat
    n = s.n_river
    s.river_tile[n] = tile
    s.river_seat[n] = seat
    s.n_river = n + 1
    s.seen[tile] += 1
    s.cannon = s.replacement != 0
    s.tile = tile
    s.robbing = 0
    return OFFER


@inlined
def _offer(t, r, s):
    """Put the tile of the acting seat, discarded or to be konged, up for wins."""
    s.feeder = s.seat
    s.willing = 0
    s.asking = 0
    left = NEXT[s.seat]
    right = NEXT[left]
    if (s.waits[left] | s.waits[right]) & bit(s.tile) == 0:
        return RESOLUTION
    # Everybody is asked at once: who may win does not depend on the others' answers.
    s.asking = np.uint8(may_win_offer(t, r, s, left) << left | may_win_offer(t, r, s, right) << right)
    if s.asking == 0:
        return RESOLUTION
    return _ask_next(s)


@inlined
def _ask_next(s):
    seat = NEXT[s.feeder]
    if s.asking & (1 << seat) == 0:
        seat = NEXT[seat]
    s.asking ^= np.uint8(1 << seat)
    s.phase = CLAIM
    s.seat = seat
    s.can_win = 1
    return DECISION


@inlined
def decline(t, r, s, seat):
    """漏胡: remember the win that a seat has declined, where the rules do."""
    if r.missed_win != 0:
        s.missed[seat] = max(s.missed[seat], fan_on_offer(t, r, s, seat))


@kernel
def _answer_claim(t, r, s, wins):
    seat = s.seat
    if wins:
        s.willing |= np.uint8(1 << seat)
    else:
        decline(t, r, s, seat)
    if s.asking != 0:
        return _ask_next(s)
    return RESOLUTION


@inlined
def _resolve(t, r, s):
    """All who were asked have answered: wins, else the kong goes on, else a call, else the next turn."""
    if s.willing != 0:
        return _win_offer(t, r, s)
    if s.robbing != 0:
        return complete_kong(t, r, s, s.feeder, s.tile, s.robbing)
    if wall_left(s) == 0:
        return _end_undecided(r, s)
    return _offer_call(t, r, s)


@inlined
def _offer_call(t, r, s):
    """碰, 直杠: at most one seat can hold two more copies."""
    seat = NEXT[s.feeder]
    if s.counts[seat, s.tile] < 2:
        seat = NEXT[seat]
    if not find_calls(t, r, s, seat):
        return NEXT_DRAW
    s.phase = CALL
    s.seat = seat
    return DECISION


@kernel
def pong(s):
    """碰: the deciding seat calls the tile."""
    seat, tile = s.seat, s.tile
    remove(s, seat, tile, 2)
    add_meld(s, seat, MELD_PONG, tile)
    s.pongs[seat] |= bit(tile)
    _come_nearer(s, seat)
    s.seen[tile] += 2
    s.calls += 1
    s.chain = 0
    s.replacement = 0
    s.tile = NO_TILE
    return TURN_BEGINS


@kernel
def _declare_kong(t, r, s, tile, kind):
    """暗杠, 补杠: the others may rob it first, where the rules let them."""
    robbable = kind == MELD_ADDED or (r.rob_concealed_kong != 0 and not (r.wild != 0 and tile == RED))
    if robbable:
        s.tile = tile
        s.robbing = kind
        return OFFER
    return complete_kong(t, r, s, s.seat, tile, kind)


@kernel
def complete_kong(t, r, s, seat, tile, kind):
    """The kong stands: melded and paid; a replacement is drawn for it."""
    kind_bit = bit(tile)
    feeder = s.feeder
    if kind == MELD_ADDED:
        remove(s, seat, tile, 1)
        s.pongs[seat] &= ~kind_bit
        for i in range(s.n_melds[seat]):
            if s.meld_tile[seat, i] == tile:
                s.meld_kind[seat, i] = MELD_ADDED
        s.seen[tile] += 1
    elif kind == MELD_CONCEALED:
        remove(s, seat, tile, 4)
        add_meld(s, seat, MELD_CONCEALED, tile)
        s.seen[tile] += 4
    else:
        remove(s, seat, tile, 3)
        add_meld(s, seat, MELD_DIRECT, tile)
        s.seen[tile] += 3
        if r.kong_chain != 2:
            # A discard lies between: only a chain over the whole table goes on.
            s.chain = 0
    s.kongs[seat] |= kind_bit
    s.nearest[seat] = 0
    s.calls += 1
    s.chain += 1
    s.robbing = 0
    s.tile = tile
    s.seat = seat
    kong_payment(r, kind, s.chain, seat, feeder, s.kong_points)
    update_waits(t, r, s, seat)
    return REPLACEMENT_DRAW


@kernel
def _win_by_self_draw(t, r, s):
    seat = s.seat
    remove(s, seat, s.tile, 1)
    if r.maima != 0 and wall_left(s) > 0:
        s.maima_tile = s.wall[s.tail - 1]
    _settle(t, r, s, seat, 3)
    s.next_dealer = seat
    s.outcome = SELF_DRAWN
    s.phase = END
    return DECISION


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
        remove(s, s.feeder, s.tile, 1)
        s.seen[s.tile] += 1
    s.outcome = KONG_ROBBED if robbed else DISCARD_WON
    s.phase = END
    return DECISION


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
    return DECISION
