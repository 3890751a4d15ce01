"""History integrated out: the policies play from the deal to the asker's decision, its tiles reserved for it."""

import numpy as np

from kwx_sim.core.choose import choose_discard
from kwx_sim.core.dealing import DEAL, DEALER, DRAWN, DRAWS, NOT_TOLD, OWN, expand, key_of, shuffle
from kwx_sim.core.jit import ctz, inlined, kernel
from kwx_sim.core.legal import find_turn_actions
from kwx_sim.core.plans import best_plan, hand_of
from kwx_sim.core.policy import EFFICIENT, decide
from kwx_sim.core.rng import GOLDEN, below, mix
from kwx_sim.core.round import apply, deal
from kwx_sim.core.state import DISCARD, END, LIANGDAO, NO_TILE, PASS, TURN, WIN, add, encode, remove, wall_left
from kwx_sim.core.view import live_kinds

__all__ = ["play_in"]

HAND, DEALT = 13, 40  # tiles: a seat's, all with the dealer's 14th
RESERVED, DRAWN_LAST = np.uint8(1), np.uint8(2)


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
        dealer = below(key_of(key, DEALER), 3)
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
            if below(mix(key_of(key, DRAWS) + np.uint64(taken) * GOLDEN), turns) < missing:
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
    n = expand(world.hand, desk.own)
    if drawn == NO_TILE:
        drawn = desk.own[below(key_of(key, DRAWN), n)]
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
    shuffle(desk.own, n + draws, key_of(key, OWN))
    others = expand(world.unseen, desk.tiles)
    shuffle(desk.tiles, others, key_of(key, DEAL))
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
        # As rounds call it: with other integers two large kernels would be compiled a second time.
        tile = choose_discard(t, r, p, hand, live, plan, np.uint64(allowed))
    desk.spare[tile] -= np.uint8(1)
    return tile
