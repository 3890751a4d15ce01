"""Sums over finished rounds for the tables on 卡五星 and 埋马: exact integers, from which intervals are made later.

A round is one cluster: its own totals are found first, then added up together with their products. Records of sums
hold nothing but int64, so adding two of them up is adding whole arrays, in any order.
"""

import numpy as np

from kwx_sim.core.fans import KAWUXING as KAWUXING_FAN
from kwx_sim.core.jit import kernel
from kwx_sim.core.legal import win_events
from kwx_sim.core.payment import maima_points, settle_win
from kwx_sim.core.state import DISCARD_WON, NO_TILE, RED, SELF_DRAWN

__all__ = ["KAWUXING", "MAIMA", "RULE_VARIANTS", "add_kawuxing", "add_maima", "points_of", "turn_bin"]

TURN_STARTS = (1, 4, 7, 10, 13)
"""First own draw, or own discard, of each bin of turns; the last bin has no end."""
TURNS = len(TURN_STARTS)

# A round's variables for 卡五星. Of wins and of what they pay there is one each for every way of winning, without and
# with the fan: variable + 2 * way + fan.
ROUND, WINS, PAID, PURE, BAMBOO, OWN, WON_BY_FIVE, POINTS, ROUNDS_WITH = 0, 1, 7, 13, 14, 15, 16, 17, 18
N_KAWUXING = 19
WAYS = 3  # by self-draw, by discard, by a robbed kong: outcome − 1

# Discards are told apart by their tile: 4, 5, 6, any other number, a dragon.
N_TILE_CLASSES = 5
TILE_CLASS = np.array([3, 3, 3, 0, 1, 2, 3, 3, 3] * 2 + [4] * 3, np.uint8)
DISCARDS, WON, WON_AS_KAWUXING = 0, 1, 2
ALL_TURNS = TURNS

KAWUXING = np.dtype(
    [
        ("sums", "i8", (N_KAWUXING,)),
        ("products", "i8", (N_KAWUXING, N_KAWUXING)),
        ("discard_sums", "i8", (N_TILE_CLASSES, TURNS + 1, 3)),  # the last turn holds all of them
        ("discard_products", "i8", (N_TILE_CLASSES, TURNS + 1, 3, 3)),
    ]
)

# A self-draw's variables for 埋马: at most one in a round.
SELF_DRAWS, TURNED, FACE, BROUGHT, UNDOUBLED, EARNED = 0, 1, 2, 3, 4, 5
N_MAIMA = 6
GROUPS = 64  # of rounds, for the jackknife
COUNT, PART, WHOLE, PART_WHOLE, WHOLE_SQUARED = 0, 1, 2, 3, 4

MAIMA = np.dtype(
    [
        ("sums", "i8", (2, TURNS, N_MAIMA)),  # quiet and declared winners
        ("products", "i8", (2, TURNS, N_MAIMA, N_MAIMA)),
        ("win_groups", "i8", (GROUPS, 5)),  # maima's part in what a self-draw earns
        ("round_groups", "i8", (GROUPS, 5)),  # and in what a seat wins or loses in a round
    ]
)

RULE_VARIANTS = 3
"""Records of rules that the tallies need: as played; without 卡五星; without 埋马."""
AS_PLAYED, WITHOUT_KAWUXING, WITHOUT_MAIMA = 0, 1, 2


@kernel
def turn_bin(number):
    """The bin of an own draw or discard, counted from 1; 0 (a pong before the first draw) counts as 1."""
    return min(max(np.int64(number) - 1, 0) // 3, TURNS - 1)


@kernel
def points_of(s, seat):
    """Bases that the seat has won or lost in the round so far."""
    won = s.win_points[0, seat] + s.win_points[1, seat] + s.win_points[2, seat]
    return np.int64(s.kong_points[seat] + won + s.undecided_points[seat])


@kernel
def _settle_again(t, r, s, winner):
    """Settle a win of the finished round s once more, by other rules."""
    # The argument types are the engine's own: another integer type would be compiled anew, with all that it calls.
    settle_win(t, r, s, np.uint8(winner), s.feeder, s.win_tile, win_events(s, np.uint8(winner)))


@kernel
def add_products(sums, products, x):
    """Add one round's variables to the sums, and their products to the products."""
    for i in range(len(x)):
        if x[i] != 0:
            sums[i] += x[i]
            for j in range(len(x)):
                products[i, j] += x[i] * x[j]


@kernel
def add_kawuxing(t, rules, states, x, discards, out):
    """卡五星: add a finished round.

    Parameters
    ----------
    t : record of TABLES
    rules : (RULE_VARIANTS,) RULES
    states : STATE; the round is states[0], states[1] is overwritten
    x, discards : scratch, (N_KAWUXING,) and (N_TILE_CLASSES, TURNS + 1, 3) int64
    out : record of KAWUXING
    """
    s = states[0]
    x[:] = 0
    x[ROUND] = 1
    with_fan = 0
    for winner in range(3):
        if s.winners >> winner & 1:
            with_fan |= _add_win(t, rules, states, winner, x)
    x[ROUNDS_WITH] = with_fan
    for seat in range(3):
        x[POINTS] += max(s.kong_points[seat], 0) + max(s.undecided_points[seat], 0)
    add_products(out.sums, out.products, x)
    _add_discards(s, with_fan, discards, out)


@kernel
def _add_win(t, rules, states, winner, x):
    """Add one win to the round's variables; 1 where it has the fan, else 0."""
    s = states[0]
    paid = s.win_points[winner, winner]
    fan = np.int64(s.win_fans[winner] >> KAWUXING_FAN & 1)
    place = 2 * (s.outcome - SELF_DRAWN) + fan
    x[WINS + place] += 1
    x[PAID + place] += paid
    x[POINTS] += paid
    if s.win_tile in (4, 13):
        x[WON_BY_FIVE] += 1
    if fan == 0:
        return 0
    waits = s.win_waits[winner]
    x[PURE] += waits & (waits - 1) == 0
    x[BAMBOO] += s.win_tile < 9
    states[1] = s
    _settle_again(t, rules[WITHOUT_KAWUXING], states[1], winner)
    x[OWN] += paid - states[1].win_points[winner, winner]
    return 1


@kernel
def _add_discards(s, with_fan, discards, out):
    """Every discard of the round by tile and turn, and the one that was won."""
    discards[:] = 0
    own = np.zeros(3, np.int64)
    for i in range(s.n_river):
        seat, tile = s.river_seat[i], s.river_tile[i]
        own[seat] += 1
        won = s.outcome == DISCARD_WON and i == s.n_river - 1
        for turn in (turn_bin(own[seat]), ALL_TURNS):
            cell = discards[TILE_CLASS[tile], turn]
            cell[DISCARDS] += 1
            cell[WON] += won
            cell[WON_AS_KAWUXING] += won * with_fan
    for tile_class in range(N_TILE_CLASSES):
        for turn in range(TURNS + 1):
            x = discards[tile_class, turn]
            add_products(out.discard_sums[tile_class, turn], out.discard_products[tile_class, turn], x)


@kernel
def add_maima(t, rules, states, number, x, out):
    """埋马: add finished round `number`; the rest as for `add_kawuxing`, x (N_MAIMA,) int64, out a record of MAIMA."""
    s = states[0]
    group = number % GROUPS
    part_whole, whole_squared = 0, 0
    if s.outcome == SELF_DRAWN:
        part_whole = _add_self_draw(t, rules, states, group, x, out)
    for seat in range(3):
        whole_squared += points_of(s, seat) ** 2
    # Over the seats of a round both parts and wholes sum to zero: their means are known.
    groups = out.round_groups[group]
    groups[COUNT] += 3
    groups[PART_WHOLE] += part_whole
    groups[WHOLE_SQUARED] += whole_squared


@kernel
def _add_self_draw(t, rules, states, group, x, out):
    """Add the round's self-draw; return the sum over seats of maima's part in the result times the result."""
    s = states[0]
    r, tile, winner = rules[AS_PLAYED], np.int64(s.maima_tile), s.feeder
    brought, earned = np.int64(s.maima_points), np.int64(s.win_points[winner, winner])
    x[SELF_DRAWS] = 1
    x[TURNED] = tile != NO_TILE
    x[FACE] = 0
    if tile != NO_TILE:
        x[FACE] = tile % 9 + 1 if tile < RED else np.int64(r.maima_dragon)
    x[BROUGHT] = brought
    x[UNDOUBLED] = 2 * maima_points(r, tile)
    x[EARNED] = earned
    declared, turn = np.int64(s.declared[winner] != 0), turn_bin(np.int64(s.draws[winner]))
    add_products(out.sums[declared, turn], out.products[declared, turn], x)
    groups = out.win_groups[group]
    groups[COUNT] += 1
    groups[PART] += brought
    groups[WHOLE] += earned
    groups[PART_WHOLE] += brought * earned
    groups[WHOLE_SQUARED] += earned**2
    states[1] = s
    _settle_again(t, rules[WITHOUT_MAIMA], states[1], winner)
    part_whole = 0
    for seat in range(3):
        part = s.win_points[winner, seat] - states[1].win_points[winner, seat]
        part_whole += part * points_of(s, seat)
    return part_whole
