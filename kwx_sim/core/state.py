"""The round's record: everything that a round holds, and how its parts are encoded.

One record of about a kilobyte, so that copying a round to try another action is one assignment. Tiles are slots; masks
have bit k for slot k; seats are 0, 1, 2 in turn order.
"""

import numpy as np

from kwx_sim.core.jit import inlined, kernel

__all__ = [
    "BIT",
    "BLOCK",
    "NO_TILE",
    "POW5",
    "STATE",
    "add",
    "add_meld",
    "bit",
    "clear",
    "encode",
    "remove",
    "wall_left",
]

NO_TILE = 31
"""In place of a tile where there is none; fits an action's five bits."""

# Whose decision it is, and of what kind.
TURN, CLAIM, CALL, END = 0, 1, 2, 3

# Actions: kind << 5 | tile.
DISCARD, LIANGDAO, WIN, PASS, PONG, DIRECT_KONG, CONCEALED_KONG, ADDED_KONG = 0, 1, 2, 3, 4, 5, 6, 7
ACTION_NAMES = ("discard", "liangdao", "win", "pass", "pong", "direct_kong", "concealed_kong", "added_kong")

# Melds, in the order of kwx_sim.tiles.MELD_KINDS; 0 is none.
MELD_PONG, MELD_DIRECT, MELD_CONCEALED, MELD_ADDED = 1, 2, 3, 4

# How a round ended.
PLAYING, SELF_DRAWN, DISCARD_WON, KONG_ROBBED, UNDECIDED = 0, 1, 2, 3, 4

RED = 18
MAX_RIVER = 64  # 44 draws, the dealt 14th, and at most 12 pongs, each with its discard
MAX_LOG = 256

STATE = np.dtype(
    [
        # Four bytes wide fields come first: none then lies across two cache lines.
        # Hands: what is kept up to date beside the counts as tiles move.
        ("idx", "u4", (3, 3)),  # the three blocks of the concealed tiles as base-5 numbers
        ("held", "u4", (3,)),  # kinds held at least once
        ("quads", "u4", (3,)),  # kinds held four times
        ("waits", "u4", (3,)),  # after the last discard or kong, own-four rule applied
        ("pongs", "u4", (3,)),
        ("kongs", "u4", (3,)),
        ("missed", "i4", (3,)),  # 漏胡: the largest fan declined since its own last draw, 0 for none
        # What the turn that is due allows.
        ("can_concealed_kong", "u4"),  # kinds
        ("can_added_kong", "u4"),  # kinds
        ("can_discard", "u4"),  # kinds
        ("can_liangdao", "u4"),  # discards with which it may declare
        # Money, in bases, by seat; each sums to zero.
        ("kong_points", "i4", (3,)),
        ("win_points", "i4", (3, 3)),  # row: winner
        ("undecided_points", "i4", (3,)),
        # How it ended, by winner.
        ("win_fan", "i4", (3,)),  # before cap and liangdao
        ("win_fans", "u4", (3,)),  # mask of fans
        ("win_waits", "u4", (3,)),  # the winner's waits
        ("maima_points", "i4"),  # what the maima tile brought the winner, liangdao's doubling included
        # Every action taken.
        ("log", "u2", (MAX_LOG,)),
        ("n_log", "u1"),
        # The wall, and the two ends from which it is taken.
        ("wall", "u1", (84,)),
        ("front", "u1"),  # next draw
        ("tail", "u1"),  # one past the next replacement
        ("dealer", "u1"),
        ("piao", "u1", (3,)),
        # Hands.
        ("counts", "u1", (3, 27)),  # concealed tiles
        ("nearest", "u1", (3,)),  # the shanten is this or more: a bound that spares most look-ups; 0 where unknown
        ("meld_kind", "u1", (3, 4)),
        ("meld_tile", "u1", (3, 4)),
        ("n_melds", "u1", (3,)),
        # What is on the table.
        ("river_tile", "u1", (MAX_RIVER,)),  # every discard in order, also those that were claimed
        ("river_seat", "u1", (MAX_RIVER,)),
        ("n_river", "u1"),
        ("seen", "u1", (27,)),  # discards and melds, each tile once
        ("declared", "u1", (3,)),  # 亮倒
        ("declared_at", "u1", (3,)),  # own draws when it was declared
        ("first_declared", "u1"),  # seat, 3 for none
        # The seat's own history.
        ("draws", "u1", (3,)),  # own draws so far, replacements and the dealer's 14th included
        ("decisions", "u1", (3,)),  # decisions of each seat: its place in the stream of noise
        ("calls", "u1"),  # pongs and kongs by anyone
        # The decision that is due, and what is legal.
        ("phase", "u1"),  # TURN, CLAIM, CALL, END
        ("seat", "u1"),
        ("tile", "u1"),  # just drawn (NO_TILE after a pong), discarded, or put to a kong
        ("feeder", "u1"),  # who discarded or put to a kong
        ("robbing", "u1"),  # kind of the meld under the robbing window, 0 for a discard
        ("asking", "u1"),  # seats that are still to be asked for a win, as a mask
        ("willing", "u1"),  # seats that take the win, as a mask
        ("can_win", "u1"),
        ("can_pong", "u1"),
        ("can_direct_kong", "u1"),
        # Kongs.
        ("replacement", "u1"),  # the turn's last draw: 0 from the front, 1 a replacement, 2 one for a red kong
        ("cannon", "u1"),  # the discard on the table came after a replacement
        ("chain", "u1"),  # 杠上杠: kongs in the chain so far
        # How it ended.
        ("outcome", "u1"),
        ("next_dealer", "u1"),
        ("winners", "u1"),  # mask of seats
        ("win_tile", "u1"),
        ("win_fours", "u1", (3, 2)),  # concealed and open fours of a kind that count
        ("win_reading", "u1", (3,)),
        ("maima_tile", "u1"),
    ],
    align=True,
)

POW5 = np.array([5**k for k in range(9)] * 2 + [1, 5, 25] + [0] * 11, np.uint32)
"""Weight of a slot in its block's base-5 number."""

BLOCK = np.array([0] * 9 + [1] * 9 + [2] * 14, np.uint8)
"""Block of a slot."""

BIT = np.array([1 << k for k in range(32)], np.uint32)


@inlined
def bit(tile):
    """The mask of one tile."""
    return np.uint32(np.uint32(1) << np.uint32(tile))


@inlined
def encode(kind, tile):
    """The action of that kind with that tile."""
    return (kind << 5) | tile


@inlined
def wall_left(s):
    """Tiles left in the wall."""
    return np.int64(s.tail) - np.int64(s.front)


@kernel
def clear(s):
    """Empty the record, but for the wall, the dealer and piao, which a deal writes."""
    s.counts[:] = 0
    s.idx[:] = 0
    s.held[:] = 0
    s.quads[:] = 0
    s.waits[:] = 0
    s.nearest[:] = 0
    s.pongs[:] = 0
    s.kongs[:] = 0
    s.meld_kind[:] = 0
    s.meld_tile[:] = 0
    s.n_melds[:] = 0
    s.n_river = 0
    s.seen[:] = 0
    s.declared[:] = 0
    s.declared_at[:] = 0
    s.first_declared = 3
    s.draws[:] = 0
    s.missed[:] = 0
    s.calls = 0
    s.robbing = 0
    s.asking = 0
    s.willing = 0
    s.cannon = 0
    s.chain = 0
    s.kong_points[:] = 0
    s.win_points[:] = 0
    s.undecided_points[:] = 0
    s.outcome = 0
    s.winners = 0
    s.win_tile = NO_TILE
    s.win_fan[:] = 0
    s.win_fans[:] = 0
    s.win_fours[:] = 0
    s.win_reading[:] = 0
    s.win_waits[:] = 0
    s.maima_tile = NO_TILE
    s.maima_points = 0
    s.decisions[:] = 0
    s.n_log = 0


@inlined
def add(s, seat, tile):
    """A tile joins a seat's concealed ones."""
    s.counts[seat, tile] += 1
    s.idx[seat, BLOCK[tile]] += POW5[tile]
    s.held[seat] |= bit(tile)
    if s.counts[seat, tile] == 4:
        s.quads[seat] |= bit(tile)


@inlined
def remove(s, seat, tile, n):
    """Some tiles of a kind leave a seat's concealed ones."""
    s.counts[seat, tile] -= np.uint8(n)
    s.idx[seat, BLOCK[tile]] -= np.uint32(n) * POW5[tile]
    s.quads[seat] &= ~bit(tile)
    s.held[seat] &= ~(bit(tile) * np.uint32(s.counts[seat, tile] == 0))


@inlined
def add_meld(s, seat, kind, tile):
    """A meld joins a seat's others."""
    n = s.n_melds[seat]
    s.meld_kind[seat, n] = kind
    s.meld_tile[seat, n] = tile
    s.n_melds[seat] = n + 1
