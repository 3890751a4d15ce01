"""结算: who pays what, in bases.

`t` and `r` are the records of tables and rules, `s` that of the round (`state`): it says who has declared and who chose
what piao, and holds the winner's tiles without the winning one. Payments go from player to player and sum to zero.
"""

import numpy as np

from kwx_sim.core.fans import (
    EV_KONG_CANNON,
    EV_RED_KONG_HELD,
    EV_ROBBED,
    EV_SELF_DRAW,
    best_reading,
    paid,
)
from kwx_sim.core.jit import kernel
from kwx_sim.core.state import BLOCK, MELD_CONCEALED, MELD_DIRECT, NO_TILE, POW5, RED, bit

__all__ = ["kong_payment", "liangdao_factor", "maima_points", "settle_win", "win_fan"]


@kernel
def win_fan(t, r, s, winner, tile, events):
    """Fan, before cap and liangdao, with which a seat would win the tile now; 0 where that is no win.

    The tile is drawn (EV_SELF_DRAW among the events), or discarded or put to a kong by s.feeder; the seat's tiles in
    the record are without it. A seat that asks on its own turn, before anybody feeds it, is answered for the next seat.
    """
    feeder = np.int64(s.feeder)
    if feeder == winner:
        feeder = np.int64(winner + 1) % 3
    _, _, _, factor, second_factor = _shares(r, s, winner, feeder, events)
    return _best(t, r, s, winner, tile, events, factor, second_factor)[0]


@kernel
def settle_win(t, r, s, winner, feeder, tile, events):
    """Settle one win alone: its fans and payments go into the record (`win_` fields, `maima_points`).

    Parameters
    ----------
    t, r, s : records of TABLES, RULES and STATE; s.maima_tile is the tile turned, NO_TILE for none
    winner, feeder : seats; on a self-draw the feeder does not matter
    tile : winning tile, not among the winner's tiles in the record
    events : mask of the EV_ bits of `fans`
    """
    first, second, debtor, factor, second_factor = _shares(r, s, winner, feeder, events)
    fan, fans, concealed, opened, form = _best(t, r, s, winner, tile, events, factor, second_factor)
    s.win_fan[winner] = fan
    s.win_fans[winner] = fans
    s.win_fours[winner, 0] = concealed
    s.win_fours[winner, 1] = opened
    s.win_reading[winner] = form
    s.win_points[winner, :] = 0
    s.maima_points = 0
    maima = maima_points(r, s.maima_tile) if events & EV_SELF_DRAW != 0 else 0
    _charge(r, s, winner, first, first, paid(r, fan, fans, factor), maima, factor)
    if second_factor != 0:
        _charge(r, s, winner, second, debtor, paid(r, fan, fans, second_factor), maima, second_factor)


@kernel
def _charge(r, s, winner, player, debtor, bases, maima, factor):
    """One share: for the fans, with piao and maima. It is the player's by piao and status, and the debtor pays it."""
    piao = np.int64(s.piao[winner]) + np.int64(s.piao[player])
    bonus = maima * factor if r.maima_inside_liangdao != 0 else maima
    share = bases + (piao * factor if r.piao_inside_liangdao != 0 else piao) + bonus
    s.win_points[winner, winner] += share
    s.win_points[winner, debtor] -= share
    s.maima_points += bonus


@kernel
def _shares(r, s, winner, feeder, events):
    """Whose shares are due: first and second player, who pays the second's, and the liangdao factor of each.

    A second factor of 0 means that there is no second share.
    """
    if events & EV_SELF_DRAW != 0:
        first = (winner + 1) % 3
        second = (winner + 2) % 3
        return first, second, second, _factor(r, s, winner, first), _factor(r, s, winner, second)
    second = 3 - winner - feeder
    pays_all = (
        (r.feeder_pays_all != 0 and s.declared[winner] != 0)
        or (r.robbed_kong_pays_all != 0 and events & EV_ROBBED != 0)
        or (r.kong_cannon_pays_all != 0 and events & EV_KONG_CANNON != 0)
    )
    return feeder, second, feeder, _factor(r, s, winner, feeder), _factor(r, s, winner, second) if pays_all else 0


@kernel
def _factor(r, s, winner, payer):
    return liangdao_factor(r, s.declared[winner] != 0, s.declared[payer] != 0)


@kernel
def liangdao_factor(r, winner_declared, payer_declared):
    """亮倒: the factor of one payer's share."""
    if r.applies == 0 or not payer_declared:
        return np.int64(r.multiplier) if winner_declared else 1
    return np.int64(r.both_multiplier) if winner_declared else np.int64(r.multiplier)


@kernel
def maima_points(r, tile):
    """埋马: bases that each loser owes for the tile turned, before liangdao; 0 for NO_TILE."""
    if r.maima == 0 or tile == NO_TILE:
        return 0
    points = np.int64(r.maima_dragon) if tile >= RED else np.int64(tile) % 9 + 1
    return (points + 1) // 2 if r.maima_shared != 0 else points


@kernel
def kong_payment(r, kind, chain, seat, feeder, points):
    """杠钱: add a kong's payments to `points`, int32[3], in bases.

    Parameters
    ----------
    r : record of RULES
    kind : MELD_DIRECT, MELD_CONCEALED or MELD_ADDED of `state`
    chain : its place in the chain, 1 for the first: each further one doubles where the rules have chains
    seat, feeder : who konged, and whose discard it was (direct kongs only)
    """
    doubling = 1 << (chain - 1) if r.kong_chain != 0 else 1
    if kind == MELD_DIRECT:
        _pay(points, feeder, seat, r.direct_kong * doubling)
        return
    each = (r.concealed_kong if kind == MELD_CONCEALED else r.added_kong) * doubling
    _pay(points, (seat + 1) % 3, seat, each)
    _pay(points, (seat + 2) % 3, seat, each)


@kernel
def _pay(points, payer, seat, bases):
    points[payer] -= bases
    points[seat] += bases


@kernel
def _best(t, r, s, winner, tile, events, factor, second_factor):
    """`best_reading` of the winner's tiles in the record with the winning tile."""
    i0, i1, i2 = s.idx[winner, 0], s.idx[winner, 1], s.idx[winner, 2]
    block, weight = BLOCK[tile], POW5[tile]
    if block == 0:
        i0 += weight
    elif block == 1:
        i1 += weight
    else:
        i2 += weight
    if s.kongs[winner] & bit(RED) != 0 and _red_kong_is_concealed(s, winner):
        events |= EV_RED_KONG_HELD
    pongs, kongs = np.uint32(s.pongs[winner]), np.uint32(s.kongs[winner])
    i0, i1, i2 = np.uint32(i0), np.uint32(i1), np.uint32(i2)
    return best_reading(t, r, i0, i1, i2, pongs, kongs, np.int64(tile), np.int64(events), factor, second_factor)


@kernel
def _red_kong_is_concealed(s, seat):
    for n in range(s.n_melds[seat]):
        if s.meld_tile[seat, n] == RED:
            return s.meld_kind[seat, n] == MELD_CONCEALED
    return False
