"""What one seat sees: tiles that may still come, and what the others have shown."""

import numpy as np

from kwx_sim.core.jit import inlined, popcount
from kwx_sim.core.state import POW5, RED

__all__ = ["held_twice", "live_kinds", "live_tiles", "shown_waits", "with_tile", "without"]

SHOWS_WAITS, SHOWS_HAND = 1, 2
ONE = np.uint32(1)


@inlined
def live_kinds(r, s, seat):
    """剩余张: the kinds of which at least 1, 2, 3, 4 copies lie neither in the seat's hand nor open on the table.

    Four masks of slots, so that the live tiles of a set of kinds are four counts of bits. A hand that a declared player
    has laid open is on the table; one that is not could lie anywhere, as the wall.
    """
    one, two, three, four = np.uint32(0), np.uint32(0), np.uint32(0), np.uint32(0)
    left, right = (seat + 1) % 3, (seat + 2) % 3
    open_left = np.uint32(r.shows == SHOWS_HAND and s.declared[left] != 0)
    open_right = np.uint32(r.shows == SHOWS_HAND and s.declared[right] != 0)
    for kind in range(r.n_kinds):
        gone = np.uint32(s.counts[seat, kind]) + np.uint32(s.seen[kind])
        gone += open_left * np.uint32(s.counts[left, kind]) + open_right * np.uint32(s.counts[right, kind])
        bit = ONE << np.uint32(kind)
        one |= bit * np.uint32(gone < 4)
        two |= bit * np.uint32(gone < 3)
        three |= bit * np.uint32(gone < 2)
        four |= bit * np.uint32(gone < 1)
    return np.uint32(one), np.uint32(two), np.uint32(three), np.uint32(four)


@inlined
def live_tiles(live, kinds):
    """How many live tiles of these kinds there are; `live` from `live_kinds`."""
    kinds = np.uint32(kinds)
    return np.int64(
        popcount(live[0] & kinds) + popcount(live[1] & kinds) + popcount(live[2] & kinds) + popcount(live[3] & kinds)
    )


@inlined
def held_twice(s, seat):
    """The kinds of which the seat holds at least two, and at least three, concealed."""
    two, three = np.uint32(0), np.uint32(0)
    for kind in range(21):
        bit = ONE << np.uint32(kind)
        two |= bit * np.uint32(s.counts[seat, kind] > 1)
        three |= bit * np.uint32(s.counts[seat, kind] > 2)
    return np.uint32(two), np.uint32(three)


@inlined
def shown_waits(r, s, seat):
    """The waits that the others have shown: their liangdao says them, or the hand laid open does."""
    shown = np.uint32(0)
    if r.shows >= SHOWS_WAITS:
        for other in range(3):
            if other != seat and s.declared[other] != 0:
                shown |= s.waits[other]
    return np.uint32(shown)


@inlined
def without(i0, i1, i2, tile, n):
    """The three blocks with n tiles of a kind gone."""
    change = np.uint32(np.uint32(n) * POW5[tile])
    if tile < 9:
        return np.uint32(i0 - change), i1, i2
    if tile < RED:
        return i0, np.uint32(i1 - change), i2
    return i0, i1, np.uint32(i2 - change)


@inlined
def with_tile(i0, i1, i2, tile):
    """The three blocks with one more tile of a kind."""
    if tile < 9:
        return np.uint32(i0 + POW5[tile]), i1, i2
    if tile < RED:
        return i0, np.uint32(i1 + POW5[tile]), i2
    return i0, i1, np.uint32(i2 + POW5[tile])
