"""Trials on equal deals: a player in every seat of a wall, and every discard of a turn played on.

The dealer goes by the number of the wall, not by the rule, so that a wall is the same deal whoever plays it.
"""

import numpy as np

from kwx_sim.core.acceptance import accept_mask
from kwx_sim.core.jit import ctz, kernel
from kwx_sim.core.legal import locked
from kwx_sim.core.plans import hand_of
from kwx_sim.core.policy import decide
from kwx_sim.core.rng import below, fill_wall, noise, stream_key
from kwx_sim.core.round import apply, deal
from kwx_sim.core.rows import note_round
from kwx_sim.core.run import play_out
from kwx_sim.core.shapes import shanten
from kwx_sim.core.state import DISCARD, END, LIANGDAO, TURN, bit, encode, wall_left
from kwx_sim.core.tally import points_of
from kwx_sim.core.view import live_kinds, live_tiles, without

__all__ = ["CHOICE", "play_choices", "play_seats"]

SEATS = 3
LATEST = 10
"""A turn at which discards are compared is one of a seat's first so many own draws."""

ONE = np.uint32(1)
ONE_TILE = np.int64(1)
N_TURN = np.int64(97)  # a place in the noise that no decision takes

CHOICE = np.dtype(
    [
        ("number", "i8"),  # of the wall
        ("points", "i4", (27, 3)),  # by discard: bases of the seat, of the next one and of the one after
        ("legal", "u4"),  # kinds that it may discard
        ("shanten", "i1", (27,)),  # by discard, that of the hand it leaves
        ("live", "u1", (27,)),  # by discard: tiles not seen by the seat that bring that hand nearer
        ("counts", "u1", (27,)),  # concealed tiles, before the discard
        ("seen", "u1", (27,)),  # on the table
        ("won", "u1", (27,)),  # by discard: seats that won it, bit 0 the next one, bit 1 the one after
        ("melds", "u1"),
        ("draws", "u1"),  # own, this one included
        ("wall", "u1"),  # tiles left
        ("others_declared", "u1"),
        ("chosen", "u1"),  # what the policy discards
    ],
    align=True,
)
"""A turn, and how the round went on after each discard, undeclared, by the same policies in the same deal."""


@kernel
def play_seats(t, r, s, players, piao, run_key, first, rows):
    """Play walls first, first + 1, … with one player in every seat in turn, the two others another's.

    Parameters
    ----------
    t, r, s : records of TABLES, RULES and STATE; s is played on
    players : (2,) POLICY: the player, and who sits in the other seats
    piao : (2,) uint8, the same of their 漂
    run_key : uint64
    rows : (n, 3) ROUND, by wall and the player's seat; seat (number mod 3) deals
    """
    wall = np.zeros(84, np.uint8)
    chosen, policies = np.zeros(SEATS, np.uint8), np.empty(SEATS, players.dtype)
    for i in range(len(rows)):
        number = first + i
        key = stream_key(run_key, number)
        fill_wall(wall, r.n_kinds, key)
        for seat in range(SEATS):
            for other in range(SEATS):
                who = 0 if other == seat else 1
                policies[other] = players[who]
                chosen[other] = piao[who]
            deal(t, r, s, wall, number % SEATS, chosen)
            play_out(t, r, s, policies, key)
            note_round(s, number, rows[i, seat])


@kernel
def play_choices(t, r, states, policies, run_key, first, last, rows):
    """Play walls to one turn of a seat, undeclared and not won, and on from there with each discard.

    Parameters
    ----------
    t, r : records of TABLES and RULES
    states : (2,) STATE, scratch
    policies : (3,) POLICY, by seat
    run_key : uint64
    first, last : numbers of walls, the last one excluded; seat (number mod 3) deals, and any of the three is asked
    rows : (last − first,) CHOICE

    Returns
    -------
    The number of rows filled: rounds that end before the turn, or in which the seat may win, kongs or has declared at
    it, have none.
    """
    s, filled = states[0], 0
    wall, no_piao = np.zeros(84, np.uint8), np.zeros(SEATS, np.uint8)
    for number in range(first, last):
        key = stream_key(run_key, number)
        seat = number // SEATS % SEATS
        turn = 1 + below(noise(key, seat, N_TURN, N_TURN), LATEST)
        fill_wall(wall, r.n_kinds, key)
        deal(t, r, s, wall, number % SEATS, no_piao)
        action = _play_to(t, r, s, policies, key, seat, turn)
        if action >= 0:
            rows[filled].number = number
            _compare(t, r, states, policies, key, action & 31, rows[filled])
            filled += 1
    return filled


@kernel
def _play_to(t, r, s, policies, key, seat, turn):
    """Play to that own draw of the seat: the discard that it chooses; −1 where there is none."""
    while s.phase != END:
        action = decide(t, r, s, policies[s.seat], key)
        if s.phase == TURN and s.seat == seat and s.draws[seat] >= turn:
            kind = action >> 5
            plain = s.draws[seat] == turn and (kind == DISCARD or kind == LIANGDAO)
            return action if plain and not locked(r, s, seat) else -1
        apply(t, r, s, action)
    return -1


@kernel
def _compare(t, r, states, policies, key, chosen, row):
    s, other = states[0], states[1]
    seat = np.int64(s.seat)
    hand, live = hand_of(s, seat), live_kinds(r, s, seat)
    row.chosen, row.legal = chosen, s.can_discard
    row.draws, row.wall, row.melds = s.draws[seat], wall_left(s), s.n_melds[seat]
    row.others_declared = s.declared[0] + s.declared[1] + s.declared[2]
    row.counts[:] = s.counts[seat]
    row.seen[:] = s.seen
    rest = s.can_discard
    while rest != 0:
        tile = np.int64(ctz(rest))
        rest &= rest - ONE
        i0, i1, i2 = without(hand.i0, hand.i1, hand.i2, tile, ONE_TILE)
        row.shanten[tile] = shanten(t, r, i0, i1, i2, hand.pongs, hand.kongs)
        row.live[tile] = live_tiles(live, accept_mask(t, r, i0, i1, i2, hand.pongs, hand.kongs))
        states[1] = s
        apply(t, r, other, encode(DISCARD, tile))
        river = np.int64(other.n_river)
        play_out(t, r, other, policies, key)
        at_once = other.feeder == seat and other.n_river == river and other.winners & bit(seat) == 0
        row.won[tile] = 0
        for k in range(SEATS):
            there = (seat + k) % SEATS
            row.points[tile, k] = points_of(other, there)
            if k > 0 and at_once and other.winners >> there & 1:
                row.won[tile] |= np.uint8(1 << (k - 1))
