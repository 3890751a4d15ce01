"""A counter-keyed generator: a key and a counter give a number, the same here and in plain Python.

The mixer is the finaliser of splitmix64 (Steele, Lea and Flood, 2014). There is no state to share, so streams do not
depend on who draws first: a wall is a function of (run, game), a seat's choice one of (game, seat, its decision).
"""

import numpy as np

from kwx_sim.core.jit import inlined, kernel

__all__ = ["below", "fill_wall", "mix", "noise", "stream_key"]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
SEAT_STEP = np.uint64(0xD1B54A32D192ED03)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
U30, U27, U31, U32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@inlined
def mix(x):
    """A bijection of 64 bits in which every input bit moves every output bit."""
    x = (x ^ (x >> U30)) * MIX_1
    x = (x ^ (x >> U27)) * MIX_2
    return x ^ (x >> U31)


@inlined
def stream_key(run_key, index):
    """The key of a game or world: run_key is uint64, spread by numpy's SeedSequence; index counts from 0."""
    return mix(run_key + (np.uint64(index) + np.uint64(1)) * GOLDEN)


@inlined
def noise(key, seat, decision, k):
    """Number k (0 to 255) for one decision of one seat, 64 random bits."""
    counter = (np.uint64(decision) << np.uint64(8)) + np.uint64(k) + np.uint64(1)
    return mix(mix(key + (np.uint64(seat) + np.uint64(1)) * SEAT_STEP) + counter * GOLDEN)


@inlined
def below(bits, n):
    """A number in [0, n) from 64 random bits; for n up to 2**16 the bias is under 2**-16 of 2**-32 a value."""
    return np.int64(((bits >> U32) * np.uint64(n)) >> U32)


@kernel
def fill_wall(wall, n_kinds, key):
    """Shuffle four of each kind into wall[: 4 * n_kinds] (uint8), Fisher and Yates."""
    size = 4 * n_kinds
    for i in range(size):
        wall[i] = i >> 2
    for i in range(size - 1, 0, -1):
        j = below(mix(key + np.uint64(i) * GOLDEN), i + 1)
        tile = wall[i]
        wall[i] = wall[j]
        wall[j] = tile
