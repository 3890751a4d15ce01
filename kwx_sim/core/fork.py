"""亮倒, when? A seat's first ready moment, played on in six ways from one and the same position.

The arms share the discard, the wall, the hidden hands and the noise; only the asker's declaring differs. What the
policy would do about declaring is overruled, not reconfigured, so this works for every policy.
"""

import numpy as np

from kwx_sim.core.jit import ctz, kernel, popcount
from kwx_sim.core.payment import win_fan
from kwx_sim.core.round import apply
from kwx_sim.core.run import ROUND_OVER, play_out, play_until_ready
from kwx_sim.core.state import DISCARD, LIANGDAO, SELF_DRAWN, UNDECIDED, encode, wall_left
from kwx_sim.core.tally import TURNS, points_of, turn_bin

__all__ = ["ARMS", "FORK", "LIANGDAO_SUMS", "add_forks", "complete_forks", "fork", "note_forks"]

ARMS = ("declare", "in 1", "in 2", "in 4", "quiet", "never")
DECLARE, QUIET, NEVER = 0, 4, 5
N_ARMS = 6
DELAY = np.array([0, 1, 2, 4, 255, 255], np.int64)
"""Own draws after which an arm declares; 255: not by the arm's own."""

NO_EVENTS = np.int64(0)

# What is noted of an arm of a fork.
FORKS, RESULT, GAIN, BY_SELF_DRAW, BY_DISCARD, FED, NOBODY = 0, 1, 2, 3, 4, 5, 6
N_VALUES = 7

# Where a fork belongs: turn, kinds of waits, live tiles, fan. The last bin of each dimension holds all.
KIND_STARTS = (1, 2, 3)
LIVE_STARTS = (0, 1, 3, 5)
FAN_STARTS = (1, 2, 4, 8)
SHAPE = (TURNS + 1, len(KIND_STARTS) + 1, len(LIVE_STARTS) + 1, len(FAN_STARTS) + 1)
N_CELLS = SHAPE[0] * SHAPE[1] * SHAPE[2] * SHAPE[3]
N_DIMENSIONS = 4
KINDS_FROM = np.array(KIND_STARTS, np.int64)
LIVE_FROM = np.array(LIVE_STARTS, np.int64)
FAN_FROM = np.array(FAN_STARTS, np.int64)
STRIDES = np.array([SHAPE[1] * SHAPE[2] * SHAPE[3], SHAPE[2] * SHAPE[3], SHAPE[3], 1], np.int64)
ALL = np.array(SHAPE, np.int64) - 1

LIANGDAO_SUMS = np.dtype(
    [
        ("sums", "i8", (N_CELLS, N_ARMS, N_VALUES)),
        ("squares", "i8", (N_CELLS, N_ARMS, N_VALUES)),
        ("with_forks", "i8", (N_CELLS, N_ARMS, N_VALUES)),  # products with the round's number of forks in the cell
    ]
)

FORKED = np.dtype(
    [
        ("waits", "u4"),
        ("fan", "i4"),  # of the best wait, from a discard
        ("draws", "u1"),  # own, so far
        ("wall", "u1"),  # tiles left
        ("live", "u1"),  # tiles of the waits that the seat does not see
        ("after_kong", "u1"),  # whether the discard follows a replacement
        ("others_declared", "u1"),  # number of seats
        ("counts", "u1", (27,)),  # concealed, after the discard
    ],
    align=True,
)
"""What a seat sees of its hand when it is first ready and may declare."""

FORK = np.dtype(
    [
        ("number", "i8"),  # of the round
        ("seat", "u1"),
        ("played_on", "u1"),  # the arm that the round itself went on with
        ("hand", FORKED),
        ("points", "i4", (N_ARMS,)),  # bases that the seat won or lost
        ("ended", "u1", (N_ARMS,)),  # BY_SELF_DRAW, BY_DISCARD, FED or NOBODY; 0 where it took no part
    ],
    align=True,
)
"""A fork as a row: the hand, and how each arm ended."""

FORKS_OF_ROUND = np.dtype(
    [
        ("n", "i8"),
        ("seat", "i8", (3,)),
        ("bins", "i8", (3, N_DIMENSIONS)),
        ("hand", FORKED, (3,)),
        ("values", "i8", (3, N_ARMS, N_VALUES)),
        ("played_on", "i8", (3,)),  # the arm that the round itself goes on with
        ("branch", "i8", (N_ARMS,)),  # of the fork at hand: whose record each arm has
    ]
)
"""A round's forks, at most one a seat, until the round is over and they are added up."""


@kernel
def fork(t, r, states, policies, key, action, forks):
    """Play every arm but the one that the round itself goes on with; note them in forks.

    Parameters
    ----------
    t, r : records of TABLES and RULES
    states : (2 + N_ARMS,) STATE; the round is states[0], at the decision; those from 2 on are overwritten
    policies : (3,) POLICY, by seat
    key : uint64, the round's key for noise
    action : what the policy chose: a discard, with or without declaring
    forks : FORKS_OF_ROUND
    """
    s = states[0]
    seat, tile = np.int64(s.seat), action & 31
    i = forks.n
    forks.n += 1
    forks.seat[i] = seat
    goes_on = DECLARE if action >> 5 == LIANGDAO else QUIET
    forks.played_on[i] = goes_on
    values = forks.values[i]
    values[:] = 0
    branch = forks.branch
    branch[:] = NEVER
    forks.hand[i].after_kong = s.replacement != 0
    _play_trunk(t, r, states, policies, key, tile, branch, forks.hand[i], forks.bins[i])
    states[2 + DECLARE] = s
    apply(t, r, states[2 + DECLARE], encode(LIANGDAO, tile))
    branch[DECLARE] = DECLARE
    for arm in range(N_ARMS):
        if arm != goes_on:
            # An arm that parted from the trunk where another did is that other.
            if branch[arm] == arm:
                play_out(t, r, states[2 + arm], policies, key)
            _note(states[2 + branch[arm]], seat, values[arm])


@kernel
def _play_trunk(t, r, states, policies, key, tile, branch, hand, bins):
    """Play the arm that never declares; where another arm would declare, it parts: branch names whose record it has."""
    s = states[2 + NEVER]
    states[2 + NEVER] = states[0]
    seat, start = np.int64(s.seat), np.int64(s.draws[s.seat])
    hand.draws, hand.wall = start, wall_left(s)
    apply(t, r, s, encode(DISCARD, tile))
    _look_at(t, r, s, seat, hand)
    bins[0] = turn_bin(start)
    bins[1] = _bin(KINDS_FROM, np.int64(popcount(hand.waits)))
    bins[2] = _bin(LIVE_FROM, np.int64(hand.live))
    bins[3] = _bin(FAN_FROM, np.int64(hand.fan))
    action = play_until_ready(t, r, s, policies, key, 1 << seat)
    while action != ROUND_OVER:
        tile = action & 31
        _part(t, r, states, action >> 5, tile, s.draws[seat] - start, branch)
        apply(t, r, s, encode(DISCARD, tile))
        action = play_until_ready(t, r, s, policies, key, 1 << seat)


@kernel
def _part(t, r, states, kind, tile, delay, branch):
    first = NEVER
    for arm in range(1, NEVER):
        due = kind == LIANGDAO if arm == QUIET else delay >= DELAY[arm]
        if due and branch[arm] == NEVER:
            if first == NEVER:
                first = arm
                states[2 + arm] = states[2 + NEVER]
                apply(t, r, states[2 + arm], encode(LIANGDAO, tile))
            branch[arm] = first


@kernel
def _look_at(t, r, s, seat, hand):
    """Waits, live tiles and best fan of the hand that the discard has left.

    The asker's hand is still the one after its discard: whatever follows at once, others decide next.
    """
    live, fan = 0, 1
    rest = s.waits[seat]
    while rest != 0:
        tile = ctz(rest)
        rest &= rest - np.uint32(1)
        live += 4 - np.int64(s.counts[seat, tile]) - np.int64(s.seen[tile])
        fan = max(fan, win_fan(t, r, s, np.uint8(seat), np.uint8(tile), NO_EVENTS))
    hand.waits, hand.live, hand.fan = s.waits[seat], live, fan
    hand.counts[:] = s.counts[seat]
    hand.others_declared = s.declared[0] + s.declared[1] + s.declared[2]


@kernel
def _bin(starts, value):
    bin = 0
    while bin + 1 < len(starts) and value >= starts[bin + 1]:
        bin += 1
    return bin


@kernel
def _note(s, seat, values):
    """How an arm ended for the asker."""
    values[FORKS] = 1
    values[RESULT] = points_of(s, seat)
    if s.winners >> seat & 1:
        values[BY_SELF_DRAW if s.outcome == SELF_DRAWN else BY_DISCARD] = 1
    values[FED] = s.outcome != SELF_DRAWN and s.outcome != UNDECIDED and s.feeder == seat
    values[NOBODY] = s.outcome == UNDECIDED


@kernel
def complete_forks(s, forks):
    """Note the arm that the round went on with, now that it is finished, and what each gained."""
    for i in range(forks.n):
        values = forks.values[i]
        _note(s, forks.seat[i], values[forks.played_on[i]])
        for arm in range(N_ARMS):
            values[arm, GAIN] = values[arm, RESULT] - values[NEVER, RESULT]


@kernel
def note_forks(forks, number, rows, n):
    """Write a round's completed forks into records of FORK from row n on."""
    for i in range(forks.n):
        row = rows[n + i]
        row.number, row.seat, row.played_on = number, forks.seat[i], forks.played_on[i]
        row.hand = forks.hand[i]
        for arm in range(N_ARMS):
            row.points[arm] = forks.values[i, arm, RESULT]
            row.ended[arm] = 0
            for how in range(BY_SELF_DRAW, N_VALUES):
                if forks.values[i, arm, how] != 0:
                    row.ended[arm] = how


@kernel
def add_forks(forks, out):
    """Add a round's completed forks, as one cluster, to LIANGDAO_SUMS."""
    for pooled in range(1 << N_DIMENSIONS):
        for i in range(forks.n):
            cell = _cell(forks.bins[i], pooled)
            repeated = False
            for j in range(i):
                repeated |= _cell(forks.bins[j], pooled) == cell
            if not repeated:
                _add_cluster(forks, pooled, cell, out)


@kernel
def _cell(bins, pooled):
    """The cell of a fork's bins, with the dimensions of the mask `pooled` taken together."""
    cell = 0
    for dimension in range(N_DIMENSIONS):
        cell += STRIDES[dimension] * (ALL[dimension] if pooled >> dimension & 1 else bins[dimension])
    return cell


@kernel
def _add_cluster(forks, pooled, cell, out):
    """Add what the round's forks in one cell come to together."""
    for arm in range(N_ARMS):
        size = 0
        for i in range(forks.n):
            size += _cell(forks.bins[i], pooled) == cell
        for k in range(N_VALUES):
            total = 0
            for i in range(forks.n):
                if _cell(forks.bins[i], pooled) == cell:
                    total += forks.values[i, arm, k]
            out.sums[cell, arm, k] += total
            out.squares[cell, arm, k] += total * total
            out.with_forks[cell, arm, k] += total * size
