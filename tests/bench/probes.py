"""Small kernels of the benchmark's own: the limits, and parts of the product that have no call for whole arrays.

All in one file: numba does not notice a changed callee in another one.
"""

import numpy as np

from kwx_sim.core.batch import BYTE, DRAGONS, EIGHT_KINDS, LAST, LAST_BYTE, THREE_BYTES, TWO_BYTES, _index
from kwx_sim.core.jit import kernel, popcount
from kwx_sim.core.legal import win_events
from kwx_sim.core.payment import settle_win
from kwx_sim.core.policy import decide, nth_kind
from kwx_sim.core.rng import fill_wall, stream_key
from kwx_sim.core.round import apply, deal
from kwx_sim.core.run import play_out
from kwx_sim.core.state import DISCARD, END, TURN, encode
from kwx_sim.core.words import row_words

__all__ = ["find_positions", "index_rows", "look_up", "play_arms", "play_reusing", "price_wins", "shuffle"]


@kernel
def index_rows(counts):
    """The limit of what starts from counts: the three block indices of each row (n, 27) uint8, added up."""
    total = np.uint64(0)
    for n in range(len(counts)):
        low, middle, high, _ = row_words(counts, n)
        second = middle >> BYTE | high << LAST_BYTE
        total += _index(low) + EIGHT_KINDS * np.uint32(middle & LAST)
        total += _index(second) + EIGHT_KINDS * np.uint32(high >> BYTE & LAST)
        total += (high >> TWO_BYTES & THREE_BYTES) * DRAGONS >> TWO_BYTES & LAST
    return total


@kernel
def look_up(table, places):
    """One look-up for each of the places (uint32), added up."""
    total = np.uint64(0)
    for place in places:
        total += table[place]
    return total


@kernel
def shuffle(n_kinds, rounds, key):
    """Shuffle so many walls of n_kinds kinds."""
    wall = np.zeros(84, np.uint8)
    for number in range(rounds):
        fill_wall(wall, n_kinds, stream_key(key, number))
    return wall[0]


@kernel
def price_wins(t, r, states):
    """Settle every win of finished rounds (n,) STATE once more: the same fans and payments. Returns how many."""
    wins = 0
    for n in range(len(states)):
        s = states[n]
        for winner in range(3):
            if s.winners >> winner & 1:
                settle_win(t, r, s, winner, np.int64(s.feeder), s.win_tile, win_events(s, winner))
                wins += 1
    return wins


@kernel
def play_reusing(t, r, s, policies, piao, run_key, rounds):
    """The rounds 0, 1, … of a run as `run.play_block` plays them, one after another in one record."""
    wall = np.zeros(84, np.uint8)
    for number in range(rounds):
        key = stream_key(run_key, number)
        fill_wall(wall, r.n_kinds, key)
        deal(t, r, s, wall, number % 3, piao)
        play_out(t, r, s, policies, key)


@kernel
def find_positions(t, r, positions, keys, policies, piao, run_key, draws):
    """Positions in the middle of rounds: the first turn with a player's own draw number `draws`, a round each.

    Fills positions (n,) STATE and keys (n,) uint64, the rounds' keys for noise; rounds that end before are left out.
    """
    wall = np.zeros(84, np.uint8)
    found, number = 0, 0
    while found < len(positions):
        s = positions[found]
        key = stream_key(run_key, number)
        fill_wall(wall, r.n_kinds, key)
        deal(t, r, s, wall, number % 3, piao)
        while s.phase != END and (s.phase != TURN or s.draws[s.seat] < draws):
            apply(t, r, s, decide(t, r, s, policies[s.seat], key))
        if s.phase == TURN:
            keys[found] = key
            found += 1
        number += 1


@kernel
def play_arms(t, r, positions, keys, scratch, policies, arms):
    """From each position so many arms: discard another of its kinds (over again where there are fewer) and play out."""
    s = scratch[0]
    for n in range(len(positions)):
        kinds = np.int64(popcount(positions[n].can_discard))
        for arm in range(arms):
            scratch[0] = positions[n]
            apply(t, r, s, encode(DISCARD, nth_kind(s.can_discard, arm % kinds)))
            play_out(t, r, s, policies, keys[n])
