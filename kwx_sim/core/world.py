"""A world: what the asker does not see, drawn at random: hidden hands, the wall's order, discards that nobody told.

Seat 0 asks. The unseen tiles are dealt at random around what is known (`deal_world`), or the hidden hands are drawn by
what their players did (`recall`), where the record says it. Where nothing of the history was told, it is integrated out
(`past`): the policies play from the deal to the given wall. No discard is ever invented for good.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core.cloud import fraction, imagine, ready_row
from kwx_sim.core.dealing import BOTH, DEAL, HANDS, READY, expand, key_of, shuffle
from kwx_sim.core.jit import inlined, kernel
from kwx_sim.core.legal import find_calls, find_turn_actions, may_win_offer
from kwx_sim.core.past import play_in
from kwx_sim.core.policy import decide
from kwx_sim.core.rng import GOLDEN, mix, stream_key
from kwx_sim.core.round import NEXT, decline, update_waits
from kwx_sim.core.state import CALL, CLAIM, NO_TILE, TURN, WIN, add

__all__ = ["IMPOSSIBLE", "PLAYED", "PLAYED_IN", "UNIFORM", "Known", "Scratch", "begin", "make_world"]

UNIFORM, PLAYED_IN, PLAYED = 0, 1, 2
"""Beliefs: how worlds are made."""

NO_PAIR, MOST_PAIRS = np.int64(-2), np.uint64(1_000_000)


class Known(NamedTuple):
    """Everything that decides a question's worlds, as arrays.

    base : (1,) STATE, what is known; the asker is seat 0, and its decision is due
    world : (1,) WORLD; hands : (n,) READY_HAND, the rows that it names
    story : (1,) STORY; moments : (n,) MOMENT; uses : (n,) USE; what the record says
    minds : (3, 2) POLICY, by seat: without tremble, and sure to avoid shown waits, or not to
    cast : (1,) CAST
    """

    base: NDArray[np.void]
    world: NDArray[np.void]
    hands: NDArray[np.void]
    story: NDArray[np.void]
    moments: NDArray[np.void]
    uses: NDArray[np.void]
    minds: NDArray[np.void]
    cast: NDArray[np.void]


class Scratch(NamedTuple):
    """Room for making and playing worlds.

    states : (2,) STATE; desk : (1,) DESK; cloud : (n,) STATE; notes : (n,) HAND_NOTE
    """

    states: NDArray[np.void]
    desk: NDArray[np.void]
    cloud: NDArray[np.void]
    notes: NDArray[np.void]


IMPOSSIBLE = np.float64(-np.inf)

TRIES = 4096
"""Deals that `play_in` tries for a world before it gives up."""


@kernel
def make_world(t, r, known, belief, policies, key, scratch):
    """Make a world into scratch.states[0], at the asker's decision.

    Parameters
    ----------
    t, r : records of TABLES and RULES
    known : Known
    belief : UNIFORM, PLAYED_IN, PLAYED
    policies : (3,) POLICY, by seat
    key : uint64, that of the world
    scratch : Scratch

    Returns
    -------
    The log of its weight: 0 where all worlds are alike, −inf where none could be made.
    """
    base, world, desk = known.base, known.world[0], scratch.desk[0]
    if belief == PLAYED:
        return recall(t, r, known, policies, key, scratch)
    if belief == PLAYED_IN:
        for tries in range(TRIES):
            if play_in(t, r, base, world, policies, stream_key(key, tries), scratch.states, desk):
                return 0.0
        return IMPOSSIBLE
    if not deal_world(t, r, base, world, known.hands, key, scratch.states, desk):
        return IMPOSSIBLE
    begin(t, r, scratch.states[0], policies, key)
    return 0.0


@kernel
def begin(t, r, s, policies, key):
    """The asker's decision, once all hands are known: what is legal.

    Of a tile that the asker may win, another player who is asked before has answered by its policy, unknown to the
    asker, and one who is asked after will. A tile that the asker may only call has been won by nobody.
    """
    if s.phase == TURN:
        find_turn_actions(t, r, s)
        return
    s.seat = 0
    s.willing = 0
    s.asking = 0
    other = np.uint8(3 - s.feeder)
    theirs = may_win_offer(t, r, s, other)
    if may_win_offer(t, r, s, 0):
        if theirs and NEXT[s.feeder] == 0:
            s.asking = np.uint8(1 << other)
        elif theirs:
            s.phase = CLAIM
            s.seat = other
            s.can_win = 1
            if decide(t, r, s, policies[other], key) >> 5 == WIN:
                s.willing = np.uint8(1 << other)
            else:
                decline(t, r, s, other)
        s.phase = CLAIM
        s.seat = 0
        s.can_win = 1
        return
    if theirs:
        decline(t, r, s, other)
    s.phase = CALL
    s.can_win = 0
    find_calls(t, r, s, 0)


@kernel
def recall(t, r, known, policies, key, scratch):
    """Draw the hidden hands by what their players did, and the wall of what is left; as `make_world`."""
    world, desk = known.world[0], scratch.desk[0]
    scratch.states[0] = known.base[0]
    scratch.states[1] = known.base[0]
    s, table = scratch.states[0], scratch.states[1]
    _put_back_drawn(table)
    desk.left[:] = world.unseen
    weight = 0.0
    seat = known.story[0].first
    for _ in range(2):
        shown = world.hidden[seat] == 0
        if shown:
            desk.may_hold[:] = table.counts[seat]
        else:
            desk.may_hold[:] = desk.left
        own = key_of(key, HANDS + np.uint64(seat))
        place, log = imagine(t, r, table, seat, known, shown, desk.may_hold, own, scratch.cloud, scratch.notes)
        if log == IMPOSSIBLE:
            return log
        hand, note = scratch.cloud[place], scratch.notes[place]
        if not shown:
            # Not that of an open hand: what it did says nothing of what is hidden, and would be noise.
            weight += log
            if note.row < 0:
                desk.left[:] = note.left
            else:
                for kind in range(27):
                    desk.left[kind] -= hand.counts[seat, kind]
        _take_over(s, hand, seat)
        seat = 3 - seat
    n = expand(desk.left, desk.tiles)
    shuffle(desk.tiles, n, key_of(key, DEAL))
    for i in range(world.wall):
        s.wall[s.front + i] = desk.tiles[i]
    begin(t, r, s, policies, key)
    return weight


@inlined
def _put_back_drawn(s):
    """The asker's tiles as the others saw them at their turns, if at all: without the last draw."""
    if s.phase == TURN and s.tile != NO_TILE:
        s.counts[0, s.tile] -= np.uint8(1)


@inlined
def _take_over(s, hand, seat):
    """A seat's own side of the record, from a hand that was played to this moment."""
    s.counts[seat, :] = hand.counts[seat, :]
    s.idx[seat, :] = hand.idx[seat, :]
    s.held[seat] = hand.held[seat]
    s.quads[seat] = hand.quads[seat]
    s.waits[seat] = hand.waits[seat]
    s.nearest[seat] = hand.nearest[seat]
    s.missed[seat] = max(s.missed[seat], hand.missed[seat])


@kernel
def deal_world(t, r, base, world, hands, key, states, desk):
    """Deal the unseen tiles at random around what is known, into states[0]; False where they cannot be dealt so.

    Hands of which the waits were shown are drawn first, both at once, each pair by the number of ways to be dealt it.
    Parameters as for `make_world`; the asker's decision has not begun yet.
    """
    states[0] = base[0]
    s = states[0]
    desk.left[:] = world.unseen
    first, second = _draw_ready(world, hands, key)
    if first == NO_PAIR:
        return False
    _deal_ready(s, 1, hands, first, desk)
    _deal_ready(s, 2, hands, second, desk)
    n = expand(desk.left, desk.tiles)
    shuffle(desk.tiles, n, key_of(key, DEAL))
    at = 0
    for seat in range(1, 3):
        if world.hidden[seat] > 0:
            if world.from_row[seat] == world.to_row[seat]:
                for _ in range(world.hidden[seat]):
                    add(s, seat, desk.tiles[at])
                    at += 1
            update_waits(t, r, s, seat)
    for _ in range(world.dead):
        s.seen[desk.tiles[at]] += 1
        at += 1
    for i in range(world.wall):
        s.wall[s.front + i] = desk.tiles[at + i]
    return True


@kernel
def _draw_ready(world, hands, key):
    """The rows of the hands that seats 1 and 2 have laid down, −1 for none, NO_PAIR where none was found.

    Each is drawn as if alone; a pair is kept by the share of ways that the first hand leaves for the second.
    """
    tries = np.uint64(0)
    while tries < MOST_PAIRS:
        drawn = mix(key_of(key, READY) + tries * GOLDEN)
        first = ready_row(hands, world.from_row[1], world.to_row[1], fraction(drawn))
        second = ready_row(hands, world.from_row[2], world.to_row[2], fraction(mix(drawn + GOLDEN)))
        if first < 0 or second < 0:
            return first, second
        kept = 1.0
        for kind in range(21):
            there, taken = np.int64(world.unseen[kind]), np.int64(hands[first].counts[kind])
            for i in range(hands[second].counts[kind]):
                kept *= max(there - taken - i, 0) / (there - i)
        if fraction(mix(key_of(key, BOTH) + tries * GOLDEN)) < kept:
            return first, second
        tries += np.uint64(1)
    return NO_PAIR, NO_PAIR


@kernel
def _deal_ready(s, seat, hands, row, desk):
    if row >= 0:
        for kind in range(21):
            for _ in range(hands[row].counts[kind]):
                add(s, seat, kind)
                desk.left[kind] -= np.uint8(1)
