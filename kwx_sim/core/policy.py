"""Players: what a seat does, from what that seat can see.

A policy is a record of parameters (POLICY); `decide` gives the action of the seat whose decision is due. It reads the
seat's own hand and what lies on the table, never the wall, a hidden hand, or the waits of a player who has not shown
them. Where it needs chance it takes the numbers of the seat's own stream, keyed by round, seat and decision.
"""

import numpy as np

from kwx_sim.core.choose import choose_call, choose_turn
from kwx_sim.core.jit import ctz, inlined, kernel, popcount
from kwx_sim.core.legal import fan_on_offer
from kwx_sim.core.rng import below, noise
from kwx_sim.core.state import (
    ADDED_KONG,
    CALL,
    CLAIM,
    CONCEALED_KONG,
    DIRECT_KONG,
    DISCARD,
    LIANGDAO,
    PASS,
    PONG,
    TURN,
    WIN,
    encode,
)

__all__ = ["POLICY", "decide"]

RANDOM, EFFICIENT = 0, 1

POLICY = np.dtype(
    [
        ("kind", "u1"),  # RANDOM, EFFICIENT
        # Random: the chance of each thing when it is legal.
        ("win", "f8"),
        ("call", "f8"),
        ("own_kong", "f8"),
        ("declare", "f8"),
        # Efficient.
        ("value", "f8"),  # weight of fan against speed
        ("pong", "f8"),  # appetite: 0 never, 1 as judged, more: eager
        ("kong", "f8"),
        ("liangdao_mode", "u1"),  # NEVER, ALWAYS, BY_RULE, AT_DRAW of `choose`
        ("declare_at", "u1"),  # AT_DRAW: the first own draw with which it may declare
        ("liangdao_kinds", "u1"),  # BY_RULE: fewest kinds of waits, unless the fan is large enough
        ("liangdao_fan", "i4"),  # BY_RULE: the best wait's fan that makes up for fewer kinds
        ("liangdao_live", "u1"),  # BY_RULE: fewest live tiles
        ("liangdao_wall", "u1"),  # BY_RULE: fewest tiles left in the wall
        ("liangdao_after_kong", "u1"),  # with the discard after a replacement: as its mode says, ALWAYS or NEVER
        ("avoidance", "f8"),  # λ: the chance to keep a shown wait back
        ("min_win", "i4"),  # smallest fan taken from a discard or a robbed kong
        ("tremble", "f8"),  # the chance of a random legal action
        # Efficient: leanings, each 1 or 0 where the player has none.
        ("aim_pairs", "f8"),  # what the expectation of each plan is multiplied by
        ("aim_triplets", "f8"),
        ("aim_flush", "f8"),
        ("aim_dragons", "f8"),  # weight of what 小三元, 大三元 promise
        ("kong_for_pairs", "f8"),  # appetite for kongs, times `kong`, while it follows that plan
        ("kong_for_flush", "f8"),
        ("keep_middle", "f8"),  # weight of keeping 4s, 5s and 6s back, and what lies next to them
        ("keep_dragons", "f8"),  # live tiles for which it gives a single dragon up
        ("shed_suit", "f8"),  # live tiles for which it keeps a tile of its shorter suit
        ("follow_wall", "u1"),  # with so few tiles left, a hand that is far discards what was just discarded
    ]
)

# Places in the stream of a decision; of numpy's integers, for each plain constant would compile the kernels anew.
N_TREMBLE, N_PICK, N_WIN, N_KONG, N_CALL, N_DECLARE, N_AVOID = np.arange(7)

NINE, EIGHTEEN = np.uint32(0x1FF), np.uint32(0x3FFFF)
NTH = np.array([([kind for kind in range(9) if block >> kind & 1] + [0] * 9)[:9] for block in range(512)], np.uint8)
"""The n-th lowest kind of a block of nine."""


@kernel
def decide(t, r, s, p, key):
    """The action of the seat that decides.

    Parameters
    ----------
    t, r, s : records of TABLES, RULES and STATE
    p : record of POLICY, that of seat s.seat
    key : uint64, the round's key for noise
    """
    if p.kind == RANDOM:
        return _decide_randomly(s, p, key)
    if p.tremble > 0 and chance(s, key, N_TREMBLE, p.tremble):
        return nth_action(s, below(_bits(s, key, N_PICK), count_actions(s)))
    if s.phase == TURN:
        if s.can_win != 0:
            return encode(WIN, s.tile)
        avoids = p.avoidance > 0 and chance(s, key, N_AVOID, p.avoidance)
        return choose_turn(t, r, s, p, avoids)
    if s.phase == CLAIM:
        small = p.min_win > 1 and fan_on_offer(t, r, s, s.seat) < p.min_win
        return encode(PASS if small else WIN, s.tile)
    return choose_call(t, r, s, p)


@inlined
def _bits(s, key, k):
    return noise(key, s.seat, s.decisions[s.seat], k)


@kernel
def chance(s, key, k, probability):
    """Whether an event of that probability happens, by number k of the decision's stream."""
    return np.float64(_bits(s, key, k) >> np.uint64(11)) < probability * 2.0**53


@kernel
def count_actions(s):
    """How many actions are legal."""
    if s.phase == CLAIM:
        return 2
    if s.phase == CALL:
        return 1 + np.int64(s.can_pong) + np.int64(s.can_direct_kong)
    masks = (s.can_discard, s.can_liangdao, s.can_concealed_kong, s.can_added_kong)
    n = np.int64(s.can_win)
    for mask in masks:
        n += np.int64(popcount(mask))
    return n


@kernel
def nth_action(s, n):
    """The n-th legal action, n from 0 to count_actions(s) − 1."""
    if s.phase == CLAIM:
        return encode(WIN if n == 0 else PASS, s.tile)
    if s.phase == CALL:
        if n == 0:
            return encode(PASS, s.tile)
        return encode(PONG if s.can_pong != 0 and n == 1 else DIRECT_KONG, s.tile)
    if s.can_win != 0:
        if n == 0:
            return encode(WIN, s.tile)
        n -= 1
    kinds = (DISCARD, LIANGDAO, CONCEALED_KONG, ADDED_KONG)
    masks = (s.can_discard, s.can_liangdao, s.can_concealed_kong, s.can_added_kong)
    for i in range(4):
        size = np.int64(popcount(masks[i]))
        if n < size:
            return encode(kinds[i], nth_kind(masks[i], n))
        n -= size
    return encode(DISCARD, ctz(s.can_discard))


@inlined
def nth_kind(mask, n):
    """The n-th lowest kind of a mask, n from 0.

    By blocks of nine and without a branch: where a loop over n ends no processor can foresee. It made random rounds a
    fifth faster.
    """
    n = np.uint32(n)
    in_one = np.uint32(popcount(mask & NINE))
    in_two = np.uint32(popcount(mask & EIGHTEEN))
    beyond_one, beyond_two = np.uint32(n >= in_one), np.uint32(n >= in_two)
    skipped = in_one * beyond_one + (in_two - in_one) * beyond_two
    start = np.uint32(9) * (beyond_one + beyond_two)
    return np.int64(NTH[mask >> start & NINE, n - skipped]) + np.int64(start)


@inlined
def _decide_randomly(s, p, key):
    """Each of win, kong, call and liangdao by its own chance, so that rare things happen; then any tile alike."""
    if s.phase == CLAIM:
        return encode(WIN if chance(s, key, N_WIN, p.win) else PASS, s.tile)
    if s.phase == CALL:
        if not chance(s, key, N_CALL, p.call):
            return encode(PASS, s.tile)
        return nth_action(s, 1 + below(_bits(s, key, N_PICK), count_actions(s) - 1))
    if s.can_win != 0 and chance(s, key, N_WIN, p.win):
        return encode(WIN, s.tile)
    pick = _bits(s, key, N_PICK)
    if s.can_concealed_kong | s.can_added_kong != 0 and chance(s, key, N_KONG, p.own_kong):
        concealed, added = s.can_concealed_kong, s.can_added_kong
        n = below(pick, np.int64(popcount(concealed) + popcount(added)))
        first = np.int64(popcount(concealed))
        if n < first:
            return encode(CONCEALED_KONG, nth_kind(concealed, n))
        return encode(ADDED_KONG, nth_kind(added, n - first))
    if s.can_liangdao != 0 and chance(s, key, N_DECLARE, p.declare):
        return encode(LIANGDAO, nth_kind(s.can_liangdao, below(pick, np.int64(popcount(s.can_liangdao)))))
    return encode(DISCARD, nth_kind(s.can_discard, below(pick, np.int64(popcount(s.can_discard)))))
