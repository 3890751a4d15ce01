"""A world: what the asker does not see, drawn at random: hidden hands, the wall's order, discards that nobody told.

Seat 0 asks. Where something of the history was told, the unseen tiles are dealt at random around what is known
(`deal_world`). Where nothing was, history is integrated out (`play_in`): the policies play from the deal to the given
wall while the tiles that the asker must hold in the end are reserved for it. No discard is ever invented for good.
"""

import numpy as np

from kwx_sim.core.choose import choose_discard
from kwx_sim.core.jit import ctz, inlined, kernel
from kwx_sim.core.legal import find_turn_actions
from kwx_sim.core.plans import best_plan, hand_of
from kwx_sim.core.policy import EFFICIENT, decide
from kwx_sim.core.rng import GOLDEN, below, mix
from kwx_sim.core.round import apply, deal, update_waits
from kwx_sim.core.state import DISCARD, END, LIANGDAO, NO_TILE, PASS, TURN, WIN, add, encode, remove, wall_left
from kwx_sim.core.view import live_kinds

__all__ = ["DESK", "NOT_TOLD", "READY_HAND", "WORLD", "deal_world", "play_in"]

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
        ("tiles", "u1", (84,)),
        ("own", "u1", (84,)),
        ("spare", "u1", (27,)),
        ("reserved", "u1", (84,)),
    ]
)
"""Scratch for making worlds."""

# Purposes of a world's key.
DEAL, OWN, DEALER, DRAWS, DRAWN, READY, BOTH = np.arange(1, 8).astype(np.uint64)


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


@kernel
def deal_world(t, r, base, world, hands, key, states, desk):
    """Deal the unseen tiles at random around what is known, into states[0], at the asker's decision.

    Hands of which the waits were shown are drawn first, both at once, each pair by the number of ways to be dealt it.
    False where two such hands can hardly, or not at all, be dealt together.

    Parameters
    ----------
    t, r : records of TABLES and RULES
    base : (1,) STATE, what is known; the asker is seat 0, and its turn is due
    world : record of WORLD
    hands : (n,) READY_HAND, the rows that world names
    key : uint64, that of the world
    states : (2,) STATE
    desk : record of DESK
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
    find_turn_actions(t, r, s)
    return True


@kernel
def _draw_ready(world, hands, key):
    """The rows of the hands that seats 1 and 2 have laid down, −1 for none, NO_PAIR where none was found.

    Each is drawn as if alone; a pair is kept by the share of ways that the first hand leaves for the second.
    """
    tries = np.uint64(0)
    while tries < MOST_PAIRS:
        drawn = mix(_key(key, READY) + tries * GOLDEN)
        first = _row(hands, world.from_row[1], world.to_row[1], _fraction(drawn))
        second = _row(hands, world.from_row[2], world.to_row[2], _fraction(mix(drawn + GOLDEN)))
        if first < 0 or second < 0:
            return first, second
        kept = 1.0
        for kind in range(21):
            there, taken = np.int64(world.unseen[kind]), np.int64(hands[first].counts[kind])
            for i in range(hands[second].counts[kind]):
                kept *= max(there - taken - i, 0) / (there - i)
        if _fraction(mix(_key(key, BOTH) + tries * GOLDEN)) < kept:
            return first, second
        tries += np.uint64(1)
    return NO_PAIR, NO_PAIR


@inlined
def _fraction(bits):
    """64 random bits as a number from 0 to 1."""
    return np.float64(bits >> np.uint64(11)) / 2.0**53


@kernel
def _row(hands, first, last, fraction):
    """The row of a hand by its chance; −1 where there are none."""
    if first == last:
        return np.int64(-1)
    low, high = first, last - 1
    while low < high:
        middle = (low + high) // 2
        if hands[middle].until > fraction:
            high = middle
        else:
            low = middle + 1
    return np.int64(low)


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
    asker who draws when the wall is as told, is no such world. Parameters as for `deal_world`; policies : (3,) POLICY,
    by seat.
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
