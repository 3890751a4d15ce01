"""A hidden hand by what its player did: a cloud of hands played along the record, of which one is kept.

Every hand of a cloud is dealt and draws at random from the tiles that the asker does not see, but for those that its
player discarded or melded: they come to it at a random moment before. It follows the record decision by decision, is
weighed by how likely its player's policy was to do what was done, and hands that fit badly give way to copies of those
that fit well: a particle filter (Del Moral, 2004). The one that is kept, by its weight, and the product of the cloud's
mean weights are together an independent, properly weighted draw of the hand (Andrieu, Doucet and Holenstein, 2010).

Of two copies of a kind that a hand could have discarded the record does not say which it was. Hands are told apart by
single tiles here, so each such discard has a factor of one over the copies; factors that are the same for all hands are
left out.
"""

import numpy as np

from kwx_sim.core.jit import inlined, kernel
from kwx_sim.core.legal import find_calls, find_turn_actions, locked, may_win_offer, nearest_shanten
from kwx_sim.core.policy import count_actions, decide
from kwx_sim.core.rng import GOLDEN, below, mix
from kwx_sim.core.round import complete_kong, decline, discard, pong, take, update_waits
from kwx_sim.core.state import (
    CALL,
    CLAIM,
    CONCEALED_KONG,
    DISCARD,
    LIANGDAO,
    MELD_ADDED,
    MELD_CONCEALED,
    MELD_DIRECT,
    NO_TILE,
    PASS,
    PONG,
    TURN,
    add,
    bit,
    encode,
)
from kwx_sim.core.view import shown_waits

__all__ = ["CAST", "HAND_NOTE", "MOMENT", "STORY", "USE", "fraction", "imagine", "ready_row"]

DEALT = 13
MOST_USES = 64
NEVER = np.float64(-np.inf)

MOMENT = np.dtype(
    [
        ("phase", "u1"),  # TURN; CLAIM: a tile on offer, to be won and then, unless it is put to a kong, to be called
        ("action", "i8"),  # what the seat did, kind << 5 | tile; PASS where it let a tile go
        ("drawn", "u1"),  # TURN: whether a draw began it; not after a pong
        ("draws", "u1"),  # own draws, this one included
        ("tile", "u1"),  # on offer
        ("feeder", "u1"),
        ("robbing", "u1"),
        ("cannon", "u1"),
        ("replacement", "u1"),
        ("chain", "u1"),
        ("calls", "u1"),
        ("front", "u1"),
        ("tail", "u1"),
        ("declared", "u1", (3,)),
        ("seen", "u1", (27,)),
    ],
    align=True,
)
"""A decision that a seat had, or would have had with some hands: what lay on the table, and what it did."""

USE = np.dtype(
    [
        ("tile", "u1"),
        ("before", "u1"),  # tiles dealt or drawn to the seat until it used this one
        ("exact", "u1"),  # whether it was the last of them: a locked hand discards what it draws
    ]
)
"""A tile that left the concealed hand, in the order in which they left; of several at once an exact one first."""

STORY = np.dtype(
    [
        ("first", "i8"),  # the other seat of which the hand is drawn first
        ("moments", "i8", (3, 2)),  # rows of MOMENT by seat: the first, one past the last
        ("uses", "i8", (3, 2)),  # rows of USE
    ]
)
"""What the record says of each seat."""

CAST = np.dtype(
    [
        ("slip", "f8"),  # ε: the chance that a player does any legal thing in place of what its policy says
        ("heat", "f8"),  # the power to which likelihoods are raised
        ("avoidance", "f8", (3,)),
        ("tremble", "f8", (3,)),
    ]
)
"""How surely the players are taken to have followed their policies."""

HAND_NOTE = np.dtype(
    [
        ("log", "f8"),  # log weight since the cloud was last renewed
        ("row", "i8"),  # of the hands that were shown to be possible, −1 for none
        ("copies", "i8"),
        ("left", "u1", (27,)),  # tiles that it may still be dealt
        ("size", "i8"),  # their number
        ("came", "u8"),  # bits of the rows of USE, from the seat's first, of which the tile has come
    ],
    align=True,
)
"""What belongs to a hand of the cloud beside its record."""

ONE = np.uint64(1)
SHARE_LEFT = 0.5
"""Effective share of a cloud below which it is renewed."""


@inlined
def fraction(bits):
    """64 random bits as a number from 0 to 1."""
    return np.float64(bits >> np.uint64(11)) / 2.0**53


@kernel
def ready_row(hands, first, last, share):
    """The row of a hand by its chance; −1 where there are none."""
    if first == last:
        return np.int64(-1)
    low, high = first, last - 1
    while low < high:
        middle = (low + high) // 2
        if hands[middle].until > share:
            high = middle
        else:
            low = middle + 1
    return np.int64(low)


@kernel
def imagine(t, r, template, seat, known, shown, left, key, cloud, notes):
    """Draw a hidden hand of a seat, with its draws, by what the seat did; into one place of the cloud.

    Parameters
    ----------
    t, r : records of TABLES and RULES
    template : record of STATE, everything that the seat sees of the others; its own hand does not matter
    seat : whose hand
    known : record of arrays: world, hands, story, moments, uses, minds, cast (`world.Known`)
    shown : whether the tiles `left` are just those of its hand
    left : (27,) uint8, copies that it may hold
    key : uint64
    cloud : (n,) STATE; notes : (n,) HAND_NOTE

    Returns
    -------
    The place of the hand that is kept, and the log of its weight, −inf where no hand fits.
    """
    _deal_cloud(t, r, template, seat, known, shown, left, key, cloud, notes)
    story = known.story[0]
    weight = 0.0
    for m in range(story.moments[seat, 0], story.moments[seat, 1]):
        now = known.moments[m]
        step = mix(key + np.uint64(m + 1) * GOLDEN)
        for i in range(len(cloud)):
            s = cloud[i]
            if now.phase == TURN:
                notes[i].log += _turn(t, r, s, seat, now, known, notes[i], mix(step + np.uint64(i + 1) * GOLDEN))
            elif s.waits[seat] & bit(now.tile) != 0 or s.counts[seat, now.tile] > 1:
                notes[i].log += _offer(t, r, s, seat, now, known)
        total, best = _weigh(notes)
        if total == 0.0:
            return 0, NEVER
        if _effective(notes, best, total) < SHARE_LEFT * len(cloud):
            weight += best + np.log(total / len(cloud))
            _renew(cloud, notes, best, total, fraction(mix(step)))
    total, best = _weigh(notes)
    if total == 0.0:
        return 0, NEVER
    return _pick(notes, best, total * fraction(mix(key))), weight + best + np.log(total / len(cloud))


# ---------------------------------------------------------------- the deal


@kernel
def _deal_cloud(t, r, template, seat, known, shown, left, key, cloud, notes):
    world = known.world[0]
    for i in range(len(cloud)):
        s, note = cloud[i], notes[i]
        own = mix(key ^ mix(np.uint64(i + 1) * GOLDEN))
        note.log = 0.0
        note.left[:] = left
        note.row = -1
        if not shown:
            note.row = ready_row(known.hands, world.from_row[seat], world.to_row[seat], fraction(own))
            if note.row >= 0:
                note.log = _share_left(known.hands[note.row].counts, left, world.unseen)
                note.left[:] = known.hands[note.row].counts
        note.size = 0
        for kind in range(27):
            note.size += np.int64(note.left[kind])
        note.came = 0
        cloud[i] = template
        _empty(s, seat)
        for n in range(DEALT):
            add(s, seat, _next_tile(known, seat, note, n, mix(own + np.uint64(n + 1) * GOLDEN)))
        s.nearest[seat] = nearest_shanten(t, r, s, seat)
        update_waits(t, r, s, seat)


@kernel
def _share_left(counts, left, unseen):
    """Log of the share of ways to be dealt a hand that other tiles have left."""
    share = 0.0
    for kind in range(21):
        for n in range(counts[kind]):
            if left[kind] <= n:
                return NEVER
            share += np.log((left[kind] - n) / (unseen[kind] - n))
    return share


@kernel
def _due(uses, first, last, place, note, share):
    """The tile used later that comes in a place of the deal and the draws; NO_TILE where it is any other.

    Every way for the used tiles to come in time is as likely. The way is found place by place, not in advance, so that
    copies of a hand part in what they draw later: laid down at the deal, it left two thirds of the worlds' weight.

    Parameters
    ----------
    uses : (n,) USE, of which first to last are the seat's
    place : 0 for the first tile that was dealt; each in turn
    note : HAND_NOTE; its `came` is brought up to date
    share : a random number from 0 to 1
    """
    before = np.int64(0)  # uses further up that have their place still to come
    for u in range(first, last):
        use, sign = uses[u], ONE << np.uint64(u - first)
        if use.exact != 0:
            if use.before - 1 == place:
                note.came |= sign
                return np.int64(use.tile)
            before += use.before > place
        elif note.came & sign == 0:
            free = max(np.int64(use.before) - place - before, 1)
            if share * free < 1.0:
                note.came |= sign
                return np.int64(use.tile)
            share = (share * free - 1.0) / (free - 1.0)
            before += 1
    return np.int64(NO_TILE)


@inlined
def _empty(s, seat):
    s.counts[seat, :] = 0
    s.idx[seat, :] = 0
    s.held[seat] = 0
    s.quads[seat] = 0
    s.pongs[seat] = 0
    s.kongs[seat] = 0
    s.n_melds[seat] = 0
    s.missed[seat] = 0
    s.draws[seat] = 0
    s.n_river = 0


@inlined
def _next_tile(known, seat, note, place, bits):
    """The tile that is dealt or drawn in that place: one that is used later, or any that is left."""
    story = known.story[0]
    tile = _due(known.uses, story.uses[seat, 0], story.uses[seat, 1], place, note, fraction(mix(bits)))
    if tile != NO_TILE or note.size == 0:
        return tile
    nth = below(bits, note.size)
    tile = 0
    while nth >= note.left[tile]:
        nth -= np.int64(note.left[tile])
        tile += 1
    note.left[tile] -= np.uint8(1)
    note.size -= 1
    return tile


# ---------------------------------------------------------------- the decisions


@inlined
def _lay_table(s, now):
    s.declared[:] = now.declared
    s.seen[:] = now.seen
    s.front = now.front
    s.tail = now.tail
    s.chain = now.chain
    s.calls = now.calls
    s.replacement = now.replacement
    s.robbing = now.robbing


@kernel
def _turn(t, r, s, seat, now, known, note, bits):
    """A turn: the draw, and the log of how likely the seat was to do what it did; it has done it then."""
    _lay_table(s, now)
    s.phase = TURN
    s.feeder = seat
    s.n_river = 0
    if now.drawn != 0:
        take(s, seat, np.uint8(_next_tile(known, seat, note, DEALT + now.draws - 1, bits)))
    else:
        s.seat = seat
        s.tile = NO_TILE
    find_turn_actions(t, r, s)
    action = np.int64(now.action)
    kind, tile = action >> 5, action & 31
    if not _is_legal(s, kind, tile):
        return NEVER
    likely = _likeliness(t, r, s, action, known)
    if kind <= LIANGDAO:
        if not locked(r, s, seat):
            likely -= np.log(np.float64(s.counts[seat, tile]))
        discard(t, r, s, np.uint8(tile), kind == LIANGDAO)
    else:
        complete_kong(t, r, s, seat, tile, MELD_CONCEALED if kind == CONCEALED_KONG else MELD_ADDED)
    return likely


@inlined
def _is_legal(s, kind, tile):
    if kind == DISCARD:
        return s.can_discard & bit(tile) != 0
    if kind == LIANGDAO:
        return s.can_liangdao & bit(tile) != 0
    return (s.can_concealed_kong if kind == CONCEALED_KONG else s.can_added_kong) & bit(tile) != 0


@kernel
def _offer(t, r, s, seat, now, known):
    """A tile on offer: the log of how likely the seat was to let it go, or to call it as it did."""
    _lay_table(s, now)
    s.seat = seat
    s.feeder = now.feeder
    s.tile = now.tile
    s.cannon = now.cannon
    likely = 0.0
    if may_win_offer(t, r, s, seat):
        s.phase = CLAIM
        likely += _likeliness(t, r, s, encode(PASS, now.tile), known)
        decline(t, r, s, seat)
    action = np.int64(now.action)
    kind = action >> 5
    if now.robbing != 0 or s.front == s.tail or not find_calls(t, r, s, seat):
        return likely if kind == PASS else NEVER
    s.phase = CALL
    copies = np.int64(s.counts[seat, now.tile])
    if kind != PASS and (s.can_pong if kind == PONG else s.can_direct_kong) == 0:
        return NEVER
    likely += _likeliness(t, r, s, action, known)
    if kind == PONG:
        likely -= np.log(np.float64(copies * (copies - 1)))
        pong(s)
    elif kind != PASS:
        complete_kong(t, r, s, seat, now.tile, MELD_DIRECT)
    return likely


@kernel
def _likeliness(t, r, s, action, known):
    """The log of the chance of an action of the seat that decides, by its policy and its slips."""
    cast, seat = known.cast[0], np.int64(s.seat)
    careful = cast.avoidance[seat]
    chance = np.float64(decide(t, r, s, known.minds[seat, 0], ONE) == action)
    if 0.0 < careful < 1.0 and s.phase == TURN and shown_waits(r, s, seat) != 0:
        careless = np.float64(decide(t, r, s, known.minds[seat, 1], ONE) == action)
        chance = careful * chance + (1.0 - careful) * careless
    any_action = 1.0 - (1.0 - cast.slip) * (1.0 - cast.tremble[seat])
    return cast.heat * np.log((1.0 - any_action) * chance + any_action / count_actions(s))


# ---------------------------------------------------------------- the cloud


@kernel
def _weigh(notes):
    """The sum of the weights, over the largest, and the log of the largest."""
    best = NEVER
    for i in range(len(notes)):
        best = max(best, notes[i].log)
    total = 0.0
    if best > NEVER:
        for i in range(len(notes)):
            total += np.exp(notes[i].log - best)
    return total, best


@kernel
def _effective(notes, best, total):
    squares = 0.0
    for i in range(len(notes)):
        squares += np.exp(2.0 * (notes[i].log - best))
    return total * total / squares


@kernel
def _renew(cloud, notes, best, total, offset):
    """Copies in proportion to the weights, drawn systematically: each hand has its share of them, rounded."""
    n = len(cloud)
    reached, given = 0.0, 0
    for i in range(n):
        reached += n * np.exp(notes[i].log - best) / total
        copies = 0
        while given < n and given + offset < reached:
            given += 1
            copies += 1
        notes[i].copies = copies
    if given < n:
        notes[n - 1].copies += n - given
    source = 0
    for i in range(n):
        if notes[i].copies == 0:
            while notes[source].copies < 2:
                source += 1
            notes[source].copies -= 1
            cloud[i] = cloud[source]
            notes[i] = notes[source]
            notes[i].copies = 1
        notes[i].log = 0.0


@kernel
def _pick(notes, best, reach):
    total = 0.0
    for i in range(len(notes)):
        total += np.exp(notes[i].log - best)
        if total > reach:
            return i
    return len(notes) - 1
