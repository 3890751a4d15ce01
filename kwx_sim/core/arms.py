"""Arms: what the asker could do, each played to the end in one and the same world.

An arm is a first action and what the asker does about declaring afterwards. Whatever else it does is its policy's. The
luck of the draw is noted beside the result: differences from what was to be expected in that world, each of mean zero.
"""

import numpy as np

from kwx_sim.core.jit import inlined, kernel
from kwx_sim.core.payment import liangdao_factor, maima_points
from kwx_sim.core.policy import decide
from kwx_sim.core.rng import stream_key
from kwx_sim.core.round import apply, update_waits
from kwx_sim.core.state import (
    BIT,
    CALL,
    DISCARD,
    END,
    KONG_ROBBED,
    LIANGDAO,
    NO_TILE,
    SELF_DRAWN,
    TURN,
    UNDECIDED,
    add,
    encode,
)
from kwx_sim.core.tally import points_of
from kwx_sim.core.world import IMPOSSIBLE, PLAYED, begin, make_world

__all__ = ["ARM", "N_CONTROLS", "RESULT", "play_orders", "play_worlds"]

# What the asker does about declaring after its first action.
BY_POLICY, NEVER, DELAYED = 0, 1, 2

ARM = np.dtype(
    [
        ("action", "i8"),  # kind << 5 | tile
        ("then", "i8"),  # what it does if the tile that it declined to win may be called; −1: what its policy says
        ("declares", "i8"),  # BY_POLICY, NEVER, DELAYED
        ("delay", "i8"),  # DELAYED: own draws after which it declares, if ready
        ("rules", "i8"),  # which rules it is played by
        ("policies", "i8"),  # and which three policies
    ]
)

OWN_LUCK, OTHERS_LUCK, MAIMA_LUCK = 0, 1, 2
N_CONTROLS = 3

RESULT = np.dtype(
    [
        ("points", "i4"),  # bases of the asker
        ("by_self_draw", "u1"),
        ("by_discard", "u1"),  # a robbed kong too
        ("fed", "u1"),  # another's win that the asker paid alone for
        ("fed_first", "u1"),  # the same, with the very tile of the first action
        ("other_won", "u1"),  # any win of another
        ("undecided", "u1"),
        ("fan", "i4"),  # of the asker's win, before cap and liangdao
        ("luck", "f8", (N_CONTROLS,)),
    ]
)


@kernel
def play_worlds(tables, rules, known, belief, policies, arms, run_key, first, scratch, results, logs):
    """Play worlds first, first + 1, … of a question, every arm in each.

    Parameters
    ----------
    tables : (1,) TABLES
    rules : (k,) RULES; worlds are made by the first
    known, scratch : Known, Scratch of `world`
    belief : how worlds are made
    policies : (m, 3) POLICY; worlds are made with the first three
    arms : (n,) ARM
    run_key : uint64; world i depends on it and on i alone
    results : (worlds, n) RESULT, written; nothing where a world has no weight
    logs : (worlds,) float64, written: the log of each world's weight

    Returns
    -------
    The number of worlds that could be made: fewer than asked for where many deals did not lead to one.
    """
    t, r = tables[0], rules[0]
    for i in range(len(results)):
        key = stream_key(run_key, first + i)
        logs[i] = make_world(t, r, known, belief, policies[0], key, scratch)
        if logs[i] == IMPOSSIBLE:
            if belief != PLAYED:
                return i
            continue
        for n in range(len(arms)):
            arm = arms[n]
            scratch.states[1] = scratch.states[0]
            _play(t, rules[arm.rules], scratch.states[1], policies[arm.policies], key, arm, results[i, n])
    return len(results)


@kernel
def play_orders(tables, rules, base, hidden, tiles, most, policies, arms, states, results):
    """Play every order of a wall, or the next `most` of them, with every hand known: exact values of small positions.

    Orders come in ascending order of slots, each different one once: all weigh the same.

    Parameters
    ----------
    tables, rules, policies, arms : as for `play_worlds`
    base : (1,) STATE, the asker's decision due
    hidden : (3,) int64, the one tile by seat that the record lacks, −1 for none
    tiles : (wall,) uint8, the order to begin with (ascending, for all); left at the one to go on with
    states : (2,) STATE, scratch
    results : (most, n) RESULT, written

    Returns
    -------
    How many orders were played, and whether others are left.
    """
    t, r = tables[0], rules[0]
    key = np.uint64(0)
    for i in range(most):
        states[0] = base[0]
        s = states[0]
        for seat in range(3):
            if hidden[seat] >= 0:
                add(s, seat, hidden[seat])
                update_waits(t, r, s, seat)
        for k in range(len(tiles)):
            s.wall[s.front + k] = tiles[k]
        begin(t, r, s, policies[0], key)
        for n in range(len(arms)):
            arm = arms[n]
            states[1] = s
            _play(t, rules[arm.rules], states[1], policies[arm.policies], key, arm, results[i, n])
        if not _next_order(tiles):
            return i + 1, False
    return most, True


@kernel
def _next_order(tiles):
    """The next order of the same tiles; False after the last."""
    i = len(tiles) - 2
    while i >= 0 and tiles[i] >= tiles[i + 1]:
        i -= 1
    if i < 0:
        return False
    j = len(tiles) - 1
    while tiles[j] <= tiles[i]:
        j -= 1
    tiles[i], tiles[j] = tiles[j], tiles[i]
    i += 1
    j = len(tiles) - 1
    while i < j:
        tiles[i], tiles[j] = tiles[j], tiles[i]
        i += 1
        j -= 1
    return True


@kernel
def _play(t, r, s, policies, key, arm, result):
    start, river = np.int64(s.draws[0]), np.int64(s.n_river)
    result.luck[:] = 0
    action = arm.action
    while True:
        left = np.int64(s.tail) - np.int64(s.front)
        apply(t, r, s, action)
        if s.phase == END:
            break
        if np.int64(s.tail) - np.int64(s.front) < left:
            _note_draw(r, s, result.luck)
        action = decide(t, r, s, policies[s.seat], key)
        if s.seat == 0:
            if s.phase == TURN and arm.declares != BY_POLICY:
                action = _overruled(s, arm, action, np.int64(s.draws[0]) - start)
            elif s.phase == CALL and arm.then >= 0 and s.n_river == river:
                action = arm.then
    if s.outcome == SELF_DRAWN:
        result.luck[MAIMA_LUCK] = _maima_luck(r, s)
    result.points = points_of(s, 0)
    won = s.winners & 1 != 0
    result.by_self_draw = won and s.outcome == SELF_DRAWN
    result.by_discard = won and s.outcome != SELF_DRAWN
    result.other_won = s.winners & 6 != 0
    result.fed = s.winners & 6 != 0 and s.outcome != SELF_DRAWN and s.feeder == 0
    result.fed_first = result.fed != 0 and _is_first(s, arm.action, river)
    result.undecided = s.outcome == UNDECIDED
    result.fan = s.win_fan[0] if won else 0


@inlined
def _is_first(s, action, river):
    """Whether the round ended with the tile that the first action discarded or put to a kong."""
    kind = action >> 5
    if kind <= LIANGDAO:
        return s.n_river == river + 1
    return s.n_river == river and s.outcome == KONG_ROBBED


@kernel
def _overruled(s, arm, action, delay):
    """What the arm makes of the policy's discard, with declaring or without."""
    kind, tile = action >> 5, action & 31
    if kind != DISCARD and kind != LIANGDAO:
        return action
    if arm.declares == DELAYED and delay >= arm.delay and s.can_liangdao & BIT[tile] != 0:
        return encode(LIANGDAO, tile)
    return encode(DISCARD, tile)


@kernel
def _note_draw(r, s, luck):
    """Whether the tile just drawn was one of the drawer's waits, less the chance of it, weighed by its liangdao."""
    waits = s.waits[s.seat]
    if waits == 0:
        return
    # The wall as it was before the draw: what is left, and the tile.
    live = np.int64(waits & BIT[s.tile] != 0)
    hit = np.float64(live)
    for i in range(s.front, s.tail):
        live += waits >> np.uint32(s.wall[i]) & np.uint32(1)
    size = np.int64(s.tail) - np.int64(s.front) + 1
    value = (hit - live / size) * liangdao_factor(r, s.declared[s.seat] != 0, False)
    luck[OWN_LUCK if s.seat == 0 else OTHERS_LUCK] += value


@kernel
def _maima_luck(r, s):
    """What the maima tile brought the asker, less what it would on average of the tiles left in the wall."""
    if r.maima == 0 or s.maima_tile == NO_TILE:
        return 0.0
    winner = np.int64(s.feeder)
    shares = 0
    for payer in range(3):
        if payer != winner and (winner == 0 or payer == 0):
            factor = liangdao_factor(r, s.declared[winner] != 0, s.declared[payer] != 0)
            shares += factor if r.maima_inside_liangdao != 0 else 1
    total = 0
    for i in range(s.front, s.tail):
        total += maima_points(r, s.wall[i])
    mean = total / (np.int64(s.tail) - np.int64(s.front))
    luck = shares * (maima_points(r, s.maima_tile) - mean)
    return luck if winner == 0 else -luck
