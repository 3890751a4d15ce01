"""The efficient player: which tile it discards, what it calls and kongs, when it declares.

It follows the plan of the largest expectation (`plans`). For any winning hand at all: the smallest shanten, then the
most live tiles that lower it, then the shapes that bring fan. A ready hand keeps the waits whose live tiles, each
weighed by the worth of its fan, are the most.
"""

import numpy as np

from kwx_sim.core.acceptance import accept_mask, discard_mask
from kwx_sim.core.fans import best_reading
from kwx_sim.core.jit import ctz, inlined, kernel, popcount
from kwx_sim.core.legal import locked
from kwx_sim.core.plans import (
    DRAGONS,
    FLUSH_FIRST,
    PAIRS,
    SUITS,
    TRIPLETS,
    best_plan,
    hand_of,
    konged,
    ponged,
    windfall,
    worth,
)
from kwx_sim.core.shapes import shanten, wait_mask
from kwx_sim.core.state import (
    ADDED_KONG,
    CONCEALED_KONG,
    DIRECT_KONG,
    DISCARD,
    LIANGDAO,
    PASS,
    PONG,
    RED,
    bit,
    encode,
    wall_left,
)
from kwx_sim.core.view import live_kinds, live_tiles, shown_waits, with_tile, without

__all__ = ["choose_call", "choose_discard", "choose_turn"]

NEVER, ALWAYS, BY_RULE, AT_DRAW = 0, 1, 2, 3
BY_MODE = 2

ONE = np.uint32(1)
ONE_TILE, THREE_TILES, FOUR_TILES = np.int64(1), np.int64(3), np.int64(4)
RED_BIT = np.uint32(1 << RED)
REPLACEMENT = 1  # a kong's draw comes on top of those that are left
NO_EVENTS = np.int64(0)
FAR = 2
"""From this distance on a hand is given up for 跟牌."""

SHARES = 1.5
"""Shares that a win brings: one from a feeder, two by self-draw."""

KEEP = np.array([0.0, 0.1, 0.2, 0.4, 0.6, 0.4, 0.2, 0.1, 0.0] * 2 + [0.0] * 3)
"""What keeping a kind counts for beside a live tile: 5s win 卡五星, 4s and 6s make it."""


@kernel
def choose_turn(t, r, s, p, avoids):
    """The action of a turn without a win: a kong, or a discard, with liangdao or without.

    avoids : whether tiles that declared players have shown to wait for are kept back where another may be discarded
    """
    seat = np.int64(s.seat)
    if locked(r, s, seat):
        return _locked_turn(s, p)
    hand = hand_of(s, seat)
    live = live_kinds(r, s, seat)
    draws = wall_left(s) // 3
    plan = best_plan(t, r, p, hand, live, draws)
    kinds = s.can_concealed_kong | s.can_added_kong
    if kinds != 0 and p.kong > 0:
        action = _choose_kong(t, r, s, p, hand, live, draws, plan)
        if action >= 0:
            return action
    allowed = _allowed(r, s, seat, avoids)
    if wall_left(s) <= p.follow_wall and plan.distance >= FAR:
        allowed = _follow(s, seat, allowed)
    tile = choose_discard(t, r, p, hand, live, plan, allowed)
    if s.can_liangdao >> np.uint32(tile) & ONE and _declares(t, r, s, p, hand, live, tile):
        return encode(LIANGDAO, tile)
    return encode(DISCARD, tile)


@kernel
def choose_call(t, r, s, p):
    """直杠, 碰 or neither, by what the hand may be expected to bring with each."""
    seat, tile = np.int64(s.seat), np.int64(s.tile)
    declined = encode(PASS, tile)
    if locked(r, s, seat):
        return encode(DIRECT_KONG, tile) if s.can_direct_kong != 0 and p.kong > 0 else declined
    hand = hand_of(s, seat)
    live = live_kinds(r, s, seat)
    draws = wall_left(s) // 3
    plan = best_plan(t, r, p, hand, live, draws)
    best = _bases(r, plan)
    action = declined
    if s.can_pong != 0 and p.pong > 0:
        gain = p.pong * _expected(t, r, p, ponged(hand, tile), live, draws)
        if gain > best:
            best = gain
            action = encode(PONG, tile)
    if s.can_direct_kong != 0 and p.kong > 0:
        after = konged(hand, tile, THREE_TILES)
        gain = _kong_appetite(p, plan) * (r.direct_kong + _expected(t, r, p, after, live, draws + REPLACEMENT))
        if gain > best:
            action = encode(DIRECT_KONG, tile)
    return action


@kernel
def _locked_turn(s, p):
    """亮倒 has locked the hand: what kongs the rules leave it, else the tile drawn."""
    if p.kong > 0:
        if s.can_concealed_kong != 0:
            return encode(CONCEALED_KONG, ctz(s.can_concealed_kong))
        if s.can_added_kong != 0:
            return encode(ADDED_KONG, ctz(s.can_added_kong))
    return encode(DISCARD, ctz(s.can_discard))


@kernel
def _expected(t, r, p, hand, live, draws):
    return _bases(r, best_plan(t, r, p, hand, live, draws))


@kernel
def _bases(r, plan):
    """A plan's expectation in bases, to set against the payment of a kong."""
    return SHARES * (1.0 + windfall(r)) * plan.expected


@kernel
def _choose_kong(t, r, s, p, hand, live, draws, plan):
    """暗杠, 补杠: the best one, where it brings more than the hand without it; −1 for none."""
    best, appetite = _bases(r, plan), _kong_appetite(p, plan)
    action = -1
    rest = s.can_concealed_kong | s.can_added_kong
    while rest != 0:
        tile = np.int64(ctz(rest))
        rest &= rest - ONE
        concealed = s.can_concealed_kong >> np.uint32(tile) & ONE != 0
        after = konged(hand, tile, FOUR_TILES if concealed else ONE_TILE)
        payment = 2.0 * (r.concealed_kong if concealed else r.added_kong)
        gain = appetite * (payment + _expected(t, r, p, after, live, draws + REPLACEMENT))
        if gain > best:
            best = gain
            action = encode(CONCEALED_KONG if concealed else ADDED_KONG, tile)
    return action


@kernel
def _kong_appetite(p, plan):
    if plan.kind == PAIRS:
        return p.kong * p.kong_for_pairs
    return p.kong * p.kong_for_flush if plan.kind >= FLUSH_FIRST else p.kong


@kernel
def _follow(s, seat, allowed):
    """跟牌: of the allowed kinds, those that the others discarded last, where there are any."""
    safe = np.uint32(0)
    place = np.int64(s.n_river) - 1
    while place >= 0 and s.river_seat[place] != seat:
        safe |= bit(s.river_tile[place])
        place -= 1
    safe &= allowed
    return safe if safe != 0 else allowed


@kernel
def _allowed(r, s, seat, avoids):
    """The kinds among which it discards: wild tiles and, where it avoids them, shown waits last."""
    allowed = s.can_discard
    if r.wild != 0 and allowed & ~RED_BIT != 0:
        allowed &= ~RED_BIT
    if avoids:
        safe = allowed & ~shown_waits(r, s, seat)
        if safe != 0:
            allowed = safe
    return np.uint32(allowed)


@kernel
def choose_discard(t, r, p, hand, live, plan, allowed):
    """打牌: which of the allowed kinds it discards in pursuit of its plan; `live` as from `live_kinds`."""
    spare = np.uint32(0)
    if plan.distance > 0:
        if plan.kind == TRIPLETS:
            spare = _rarest(allowed & hand.one & ~hand.two, live)
        elif plan.kind == PAIRS:
            spare = _rarest(allowed & ((hand.one & ~hand.two) | (hand.three & ~hand.four)), live)
        elif plan.kind >= FLUSH_FIRST:
            spare = np.uint32(allowed & ~SUITS[plan.kind - FLUSH_FIRST])
    return _advance(t, r, p, hand, live, spare if spare != 0 else allowed)


@kernel
def _rarest(kinds, live):
    """Those of the kinds with the fewest live tiles."""
    for level in range(4):
        rare = np.uint32(kinds & ~live[level])
        if rare != 0:
            return rare
    return np.uint32(kinds)


@kernel
def _advance(t, r, p, hand, live, allowed):
    """The discard with the smallest shanten; of these, with the most live tiles that lower it, weighed."""
    candidates = np.uint32(allowed & discard_mask(t, r, hand.i0, hand.i1, hand.i2, hand.pongs, hand.kongs))
    if candidates == 0:
        candidates = _least_harm(t, r, hand, allowed)
    if candidates & (candidates - ONE) == 0:
        return np.int64(ctz(candidates))
    i0, i1, i2 = without(hand.i0, hand.i1, hand.i2, np.int64(ctz(candidates)), ONE_TILE)
    ready = wait_mask(t, r, i0, i1, i2, hand.pongs, hand.kongs) != 0
    lesser = _lesser_suit(hand) if p.shed_suit > 0 else np.uint32(0)
    best = -1e9
    choice = np.int64(0)
    while candidates != 0:
        tile = np.int64(ctz(candidates))
        candidates &= candidates - ONE
        i0, i1, i2 = without(hand.i0, hand.i1, hand.i2, tile, ONE_TILE)
        if ready:
            score = _waiting_value(t, r, p, i0, i1, i2, hand.pongs, hand.kongs, live)
        else:
            score = np.float64(live_tiles(live, accept_mask(t, r, i0, i1, i2, hand.pongs, hand.kongs)))
        score += _willingness(p, hand, lesser, tile)
        if score > best:
            best = score
            choice = tile
    return choice


@inlined
def _willingness(p, hand, lesser, tile):
    """What speaks for giving a kind up beside the live tiles that are left, in live tiles."""
    willing = -p.keep_middle * KEEP[tile]
    if p.keep_dragons > 0 and bit(tile) & DRAGONS & ~hand.two != 0:
        willing -= p.keep_dragons
    if bit(tile) & lesser != 0:
        willing += p.shed_suit
    return willing


@kernel
def _lesser_suit(hand):
    """The suit of which it holds fewer tiles, concealed; none where it holds as many of both."""
    held = hand.one, hand.two, hand.three, hand.four
    first, second = 0, 0
    for kinds in held:
        first += np.int64(popcount(kinds & SUITS[0]))
        second += np.int64(popcount(kinds & SUITS[1]))
    if first == second:
        return np.uint32(0)
    return SUITS[0] if first < second else SUITS[1]


@kernel
def _least_harm(t, r, hand, allowed):
    """Those of the kinds whose discard leaves the smallest shanten."""
    nearest = np.int64(99)
    kinds = np.uint32(0)
    while allowed != 0:
        tile = np.int64(ctz(allowed))
        allowed &= allowed - ONE
        i0, i1, i2 = without(hand.i0, hand.i1, hand.i2, tile, ONE_TILE)
        distance = np.int64(shanten(t, r, i0, i1, i2, hand.pongs, hand.kongs))
        if distance < nearest:
            nearest = distance
            kinds = np.uint32(0)
        if distance == nearest:
            kinds |= ONE << np.uint32(tile)
    return np.uint32(kinds)


@kernel
def _waiting_value(t, r, p, i0, i1, i2, pongs, kongs, live):
    """Live tiles of a ready hand's waits, each weighed by the worth of the fan that it brings from a discard."""
    total = 0.0
    rest = wait_mask(t, r, i0, i1, i2, pongs, kongs)
    while rest != 0:
        tile = np.int64(ctz(rest))
        rest &= rest - ONE
        n = live_tiles(live, ONE << np.uint32(tile))
        if n > 0:
            total += n * worth(r, p, np.float64(_wait_fan(t, r, i0, i1, i2, pongs, kongs, tile)))
    return total


@kernel
def _wait_fan(t, r, i0, i1, i2, pongs, kongs, tile):
    j0, j1, j2 = with_tile(i0, i1, i2, tile)
    return best_reading(t, r, j0, j1, j2, pongs, kongs, tile, NO_EVENTS, 1, 0)[0]


@kernel
def _declares(t, r, s, p, hand, live, tile):
    """亮倒: whether it declares with a discard that leaves it ready."""
    if s.replacement != 0 and p.liangdao_after_kong != BY_MODE:
        return p.liangdao_after_kong == ALWAYS
    if p.liangdao_mode == NEVER:
        return False
    if p.liangdao_mode == ALWAYS:
        return True
    if p.liangdao_mode == AT_DRAW:
        return s.draws[s.seat] >= p.declare_at
    i0, i1, i2 = without(hand.i0, hand.i1, hand.i2, tile, ONE_TILE)
    waits = wait_mask(t, r, i0, i1, i2, hand.pongs, hand.kongs)
    if wall_left(s) < p.liangdao_wall or live_tiles(live, waits) < p.liangdao_live:
        return False
    if popcount(waits) >= p.liangdao_kinds:
        return True
    return _best_wait_fan(t, r, hand, i0, i1, i2, waits) + windfall(r) >= p.liangdao_fan


@kernel
def _best_wait_fan(t, r, hand, i0, i1, i2, waits):
    best = 0
    while waits != 0:
        tile = np.int64(ctz(waits))
        waits &= waits - ONE
        best = max(best, _wait_fan(t, r, i0, i1, i2, hand.pongs, hand.kongs, tile))
    return best
