"""What a world is dealt from: what is known of it, room to deal in, and keys for each purpose of its own."""

import numpy as np

from kwx_sim.core.jit import inlined
from kwx_sim.core.rng import GOLDEN, below, mix

__all__ = [
    "BOTH", "DEAL", "DEALER", "DESK", "DRAWN", "DRAWS", "HANDS", "NOT_TOLD", "OWN", "READY", "READY_HAND", "WORLD",
    "expand", "key_of", "shuffle",
]  # fmt: skip

NOT_TOLD = 3  # in place of a seat

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
def key_of(key, purpose):
    """The key of one purpose of a world."""
    return mix(key ^ mix(purpose * GOLDEN))


@inlined
def expand(counts, tiles):
    """Counts as single tiles; their number."""
    n = 0
    for kind in range(27):
        for _ in range(counts[kind]):
            tiles[n] = kind
            n += 1
    return n


@inlined
def shuffle(tiles, n, key):
    """Put the first n tiles in random order."""
    for i in range(n - 1, 0, -1):
        j = below(mix(key + np.uint64(i) * GOLDEN), i + 1)
        tile = tiles[i]
        tiles[i] = tiles[j]
        tiles[j] = tile
