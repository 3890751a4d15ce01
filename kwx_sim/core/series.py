"""Series of rounds: walls and dealers from streams, policies at every seat, tallies at the end of each round."""

import numpy as np

from kwx_sim.core.fork import FORK, FORKS_OF_ROUND, LIANGDAO_SUMS, N_ARMS, add_forks, complete_forks, fork, note_forks
from kwx_sim.core.jit import kernel, records
from kwx_sim.core.rng import below, fill_wall, stream_key
from kwx_sim.core.round import apply, deal
from kwx_sim.core.rows import ROUND, note_round
from kwx_sim.core.run import EVERYBODY, NOBODY, ROUND_OVER, play_until_ready
from kwx_sim.core.state import STATE
from kwx_sim.core.tally import KAWUXING, MAIMA, N_KAWUXING, N_MAIMA, N_TILE_CLASSES, TURNS, add_kawuxing, add_maima

__all__ = [
    "NO_ROWS",
    "SERIES",
    "STREAMS",
    "SUMS",
    "TALLY_KAWUXING",
    "TALLY_LIANGDAO",
    "TALLY_MAIMA",
    "desk",
    "play_rounds",
]

SERIES = 16
"""Rounds of a series: the first dealer is drawn, then the rule says who deals. Any round can be replayed from there."""

STREAMS = np.dtype([("walls", "u8"), ("noise", "u8"), ("dealers", "u8")])
"""Keys of a run's streams, spread from its seed."""

SUMS = np.dtype([("kawuxing", KAWUXING), ("maima", MAIMA), ("liangdao", LIANGDAO_SUMS)])
"""Everything that is added up over rounds, int64 throughout."""

TALLY_KAWUXING, TALLY_MAIMA, TALLY_LIANGDAO = 1, 2, 4
"""What to add up, as a mask; the rest of the sums stays as it is."""


NO_ROWS = records(0, ROUND), records(0, FORK)
"""In place of rows where sums are enough."""


def desk() -> tuple[np.ndarray, np.ndarray]:
    """What one worker plays on: records of rounds, states[0] the round and the others scratch, and its forks."""
    return records(2 + N_ARMS, STATE), records(1, FORKS_OF_ROUND)


@kernel
def play_rounds(tables, rules, policies, piao, streams, first, last, tallies, states, forks, sums, rounds, ready):
    """Play rounds first to last − 1 of a run and add them up; states[0] is left at the end of the last of them.

    Parameters
    ----------
    tables : (1,) TABLES
    rules : (RULE_VARIANTS,) RULES, the first as played
    policies : (3,) POLICY, by seat
    piao : (3,) uint8, by seat
    streams : (1,) STREAMS
    first, last : numbers of rounds; first begins a series
    tallies : mask of TALLY_ bits
    states, forks : see `desk`
    sums : (1,) SUMS
    rounds : (last − first,) ROUND, a row a round; or none
    ready : (3 (last − first),) FORK, filled from the front where rounds are forked; or none

    Returns
    -------
    The number of rows of `ready`
    """
    t, r, s = tables[0], rules[0], states[0]
    keys, round_forks, out = streams[0], forks[0], sums[0]
    wall = np.zeros(84, np.uint8)
    x_kawuxing, x_maima = np.zeros(N_KAWUXING, np.int64), np.zeros(N_MAIMA, np.int64)
    discards = np.zeros((N_TILE_CLASSES, TURNS + 1, 3), np.int64)
    dealer, forked = 0, 0
    for number in range(first, last):
        if number % SERIES == 0:
            dealer = below(stream_key(keys.dealers, number // SERIES), 3)
        fill_wall(wall, r.n_kinds, stream_key(keys.walls, number))
        deal(t, r, s, wall, dealer, piao)
        round_forks.n = 0
        _play(t, r, states, policies, stream_key(keys.noise, number), tallies & TALLY_LIANGDAO != 0, round_forks)
        dealer = np.int64(s.next_dealer)
        if tallies & TALLY_KAWUXING:
            add_kawuxing(t, rules, states, x_kawuxing, discards, out.kawuxing)
        if tallies & TALLY_MAIMA:
            add_maima(t, rules, states, number, x_maima, out.maima)
        if len(rounds) > 0:
            note_round(s, number, rounds[number - first])
        if round_forks.n != 0:
            complete_forks(s, round_forks)
            add_forks(round_forks, out.liangdao)
            if len(ready) > 0:
                note_forks(round_forks, number, ready, forked)
                forked += round_forks.n
    return forked


@kernel
def _play(t, r, states, policies, key, forking, forks):
    """Play states[0] to its end; with `forking`, play on a seat's first ready moment in every way first."""
    s = states[0]
    watched = EVERYBODY if forking else NOBODY
    action = play_until_ready(t, r, s, policies, key, watched)
    while action != ROUND_OVER:
        watched ^= 1 << s.seat
        fork(t, r, states, policies, key, action, forks)
        apply(t, r, s, action)
        action = play_until_ready(t, r, s, policies, key, watched)
