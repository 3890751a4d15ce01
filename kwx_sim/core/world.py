"""A world: what the asker does not see, drawn at random: hidden hands, the wall's order, discards that nobody told.

Seat 0 asks. The unseen tiles are dealt at random around what is known (`deal_world`), or the hidden hands are drawn by
what their players did (`recall`), where the record says it. Where nothing of the history was told, it is integrated out
(`play_in`): the policies play from the deal to the given wall while the tiles that the asker must hold in the end are
reserved for it. No discard is ever invented for good.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core.choose import choose_discard
from kwx_sim.core.cloud import fraction, imagine, ready_row
from kwx_sim.core.jit import ctz, inlined, kernel
from kwx_sim.core.legal import find_calls, find_turn_actions, may_win_offer
from kwx_sim.core.plans import best_plan, hand_of
from kwx_sim.core.policy import EFFICIENT, decide
from kwx_sim.core.rng import GOLDEN, below, mix, stream_key
from kwx_sim.core.round import NEXT, apply, deal, decline, update_waits
from kwx_sim.core.state import (
    CALL,
    CLAIM,
    DISCARD,
    END,
    LIANGDAO,
    NO_TILE,
    PASS,
    TURN,
    WIN,
    add,
    encode,
    remove,
    wall_left,
)
from kwx_sim.core.view import live_kinds

__all__ = [
    "DESK", "NOT_TOLD", "PLAYED", "PLAYED_IN", "READY_HAND", "UNIFORM", "WORLD", "Known", "Scratch", "begin",
    "make_world",
]  # fmt: skip

UNIFORM, PLAYED_IN, PLAYED = 0, 1, 2
"""Beliefs: how worlds are made."""

NOT_TOLD = 3  # in place of a seat
HAND, DEALT = 13, 40  # tiles: a seat's, all with the dealer's 14th
NO_PAIR, MOST_PAIRS = np.int64(-2), np.uint64(1_000_000)
RESERVED, DRAWN_LAST = np.uint8(1), np.uint8(2)

WORLD = np.dtype(
    [
        ("hand", "u1", (27,)),  # the asker's concealed tiles
        ("unseen", "u1", (27,)),  # copies neither in the asker's hand nor open on the table
        ("hidden", "i8", (3,)),  # concealed tiles of each seat that are not known
        ("dead", "i8"),  # unseen tiles that lie among the discards
        ("wall", "i8"),  # tiles left in the wall
        ("drawn", "u1"),  # the asker's last draw, NO_TILE where it was not told
        ("dealer", "u1"),  # NOT_TOLD, or a seat
        ("draws", "i8"),  # own draws of the asker so far, 0 where they were not told
        # Hidden hands of which the waits were shown: rows of the hands that they could be.
        ("from_row", "i8", (3,)),
        ("to_row", "i8", (3,)),  # no rows: any hand
    ]
)
"""What is known of a world."""

READY_HAND = np.dtype([("counts", "u1", (27,)), ("until", "f8")])
"""A hand that shows certain waits, and the chance that the hand is this one or one of the rows before."""

DESK = np.dtype(
    [
        ("left", "u1", (27,)),
        ("may_hold", "u1", (27,)),
        ("tiles", "u1", (84,)),
        ("own", "u1", (84,)),
        ("spare", "u1", (27,)),
        ("reserved", "u1", (84,)),
    ]
)
"""Scratch for making worlds."""

# Purposes of a world's key.
DEAL, OWN, DEALER, DRAWS, DRAWN, READY, BOTH, HANDS = np.arange(1, 9).astype(np.uint64)


@inlined
def _key(key, purpose):
    return mix(key ^ mix(purpose * GOLDEN))


@inlined
def _expand(counts, tiles):
    """Counts as single tiles; their number."""
    n = 0
    for kind in range(27):
        for _ in range(counts[kind]):
            tiles[n] = kind
            n += 1
    return n


@inlined
def _shuffle(tiles, n, key):
    for i in range(n - 1, 0, -1):
        j = below(mix(key + np.uint64(i) * GOLDEN), i + 1)
        tile = tiles[i]
        tiles[i] = tiles[j]
        tiles[j] = tile


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
        own = _key(key, HANDS + np.uint64(seat))
        place, log = imagine(t, r, table, seat, known, shown, desk.may_hold, own, scratch.cloud, scratch.notes)
        weight += log
        if weight == IMPOSSIBLE:
            return weight
        hand, note = scratch.cloud[place], scratch.notes[place]
        if not shown:
            if note.row < 0:
                desk.left[:] = note.left
            else:
                for kind in range(27):
                    desk.left[kind] -= hand.counts[seat, kind]
        _take_over(s, hand, seat)
        seat = 3 - seat
    n = _expand(desk.left, desk.tiles)
    _shuffle(desk.tiles, n, _key(key, DEAL))
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
    n = _expand(desk.left, desk.tiles)
    _shuffle(desk.tiles, n, _key(key, DEAL))
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
        drawn = mix(_key(key, READY) + tries * GOLDEN)
        first = ready_row(hands, world.from_row[1], world.to_row[1], fraction(drawn))
        second = ready_row(hands, world.from_row[2], world.to_row[2], fraction(mix(drawn + GOLDEN)))
        if first < 0 or second < 0:
            return first, second
        kept = 1.0
        for kind in range(21):
            there, taken = np.int64(world.unseen[kind]), np.int64(hands[first].counts[kind])
            for i in range(hands[second].counts[kind]):
                kept *= max(there - taken - i, 0) / (there - i)
        if fraction(mix(_key(key, BOTH) + tries * GOLDEN)) < kept:
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


@kernel
def play_in(t, r, base, world, policies, key, states, desk):
    """Play from a deal to the asker's decision, into states[0]; whether this ends in a world such as is known.

    The asker is dealt some of the tiles that it must hold in the end and draws the others one by one; what it is dealt
    or draws beside them is random, and its policy chooses which of that it discards when. It calls and wins nothing
    meanwhile; the others play by their policies. A round in which somebody wins or declares, or in which it is not the
    asker who draws when the wall is as told, is no such world. Parameters as for `make_world`.
    """
    s = states[0]
    dealer = np.int64(world.dealer)
    if dealer == NOT_TOLD:
        dealer = below(_key(key, DEALER), 3)
    missing = _lay_wall(r, world, dealer, key, desk)
    deal(t, r, s, desk.tiles, dealer, base[0].piao)
    taken = 0
    while s.phase != END and wall_left(s) >= world.wall:
        if s.seat != 0:
            action = decide(t, r, s, policies[s.seat], key)
            kind = action >> 5
            if kind == WIN or kind == LIANGDAO:
                return False
        elif s.phase == TURN:
            taken += 1
            if wall_left(s) == world.wall:
                _exchange_drawn(s, DRAWN_LAST, desk)
                _begin(t, r, s, base[0])
                return missing == 0 and (world.draws == 0 or world.draws == taken)
            turns = 1 + _turns_until(wall_left(s), world.wall)
            if missing > turns:
                return False
            if below(mix(_key(key, DRAWS) + np.uint64(taken) * GOLDEN), turns) < missing:
                _exchange_drawn(s, RESERVED, desk)
                missing -= 1
            else:
                desk.spare[s.tile] += np.uint8(1)
            action = encode(DISCARD, _spare_discard(t, r, s, policies[0], desk))
        else:
            action = encode(PASS, s.tile)
        _keep_reserved(s, desk)
        apply(t, r, s, action)
    return False


@inlined
def _begin(t, r, s, known):
    """The asker's turn: what was paid before it is no part of the question, and what was told holds."""
    s.kong_points[:] = 0
    for seat in range(3):
        if known.missed[seat] != 0:
            s.missed[seat] = known.missed[seat]
    find_turn_actions(t, r, s)


@inlined
def _turns_until(wall, last):
    """Own draws between one that leaves so many tiles in the wall and the last, neither counted, if nobody calls."""
    return max(np.int64(0), (wall - last + 1) // 3 - 1)


@kernel
def _lay_wall(r, world, dealer, key, desk):
    """A wall for `deal`, with what the asker is dealt in its place; how many of its tiles it must draw before the last.

    Those lie at the end, and `desk.reserved` marks them: RESERVED, the last one DRAWN_LAST.
    """
    drawn = world.drawn
    n = _expand(world.hand, desk.own)
    if drawn == NO_TILE:
        drawn = desk.own[below(_key(key, DRAWN), n)]
    n = 0
    for kind in range(27):
        for _ in range(np.int64(world.hand[kind]) - (kind == drawn)):
            desk.own[n] = kind
            n += 1
    # Which of its tiles it is dealt: those that fall among the first 13 of all that it comes by before the last draw.
    first_wall = r.wall_size - DEALT - (3 - dealer) % 3
    draws = 1 + _turns_until(first_wall, world.wall) if first_wall > world.wall else np.int64(0)
    for i in range(draws):
        desk.own[n + i] = NO_TILE
    _shuffle(desk.own, n + draws, _key(key, OWN))
    others = _expand(world.unseen, desk.tiles)
    _shuffle(desk.tiles, others, _key(key, DEAL))
    desk.spare[:] = 0
    desk.reserved[:] = 0
    for i in range(HAND):
        if desk.own[i] == NO_TILE:
            others -= 1
            tile = desk.tiles[others]
            desk.own[i] = tile
            desk.spare[tile] += np.uint8(1)
    start = HAND * ((3 - dealer) % 3)
    for i in range(others + HAND - 1, start + HAND - 1, -1):
        desk.tiles[i] = desk.tiles[i - HAND]
    for i in range(HAND):
        desk.tiles[start + i] = desk.own[i]
    at, missing = others + HAND, 0
    for i in range(HAND, n + draws):
        if desk.own[i] != NO_TILE:
            desk.tiles[at] = desk.own[i]
            desk.reserved[at] = RESERVED
            at += 1
            missing += 1
    desk.tiles[at] = drawn
    desk.reserved[at] = DRAWN_LAST
    return missing


@inlined
def _exchange(tiles, reserved, i, j):
    tile, mark = tiles[i], reserved[i]
    tiles[i], reserved[i] = tiles[j], reserved[j]
    tiles[j], reserved[j] = tile, mark


@inlined
def _keep_reserved(s, desk):
    """See to it that neither end of the wall offers a tile that is reserved for the asker."""
    if desk.reserved[s.front] != 0:
        i = np.int64(s.front)
        while i < s.tail - 1 and desk.reserved[i] != 0:
            i += 1
        _exchange(s.wall, desk.reserved, s.front, i)
    if desk.reserved[s.tail - 1] != 0:
        i = np.int64(s.tail) - 1
        while i > s.front and desk.reserved[i] != 0:
            i -= 1
        _exchange(s.wall, desk.reserved, s.tail - 1, i)


@inlined
def _exchange_drawn(s, mark, desk):
    """Exchange the tile that the asker has drawn for one that is reserved for it."""
    place = np.int64(s.front) - 1
    i = place
    while desk.reserved[i] != mark:
        i += 1
    _exchange(s.wall, desk.reserved, place, i)
    desk.reserved[place] = 0
    remove(s, 0, s.tile, 1)
    s.tile = s.wall[place]
    add(s, 0, s.tile)
    s.nearest[0] = 0  # no bound: it was that of another draw


@kernel
def _spare_discard(t, r, s, p, desk):
    """The tile that the asker's policy discards of those that it does not hold in the end."""
    allowed = np.uint32(0)
    for kind in range(21):
        if desk.spare[kind] > 0 and s.counts[0, kind] > 0:
            allowed |= np.uint32(1) << np.uint32(kind)
    tile = np.int64(ctz(allowed))
    if p.kind == EFFICIENT:
        hand, live = hand_of(s, 0), live_kinds(r, s, 0)
        plan = best_plan(t, r, p, hand, live, wall_left(s) // 3)
        tile = choose_discard(t, r, p, hand, live, plan, allowed)
    desk.spare[tile] -= np.uint8(1)
    return tile
