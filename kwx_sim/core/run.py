"""Whole rounds: policies play on from the decision that is due, or from a shuffled wall."""

import numpy as np

from kwx_sim.core.jit import kernel
from kwx_sim.core.policy import decide
from kwx_sim.core.rng import fill_wall, stream_key
from kwx_sim.core.round import apply, deal
from kwx_sim.core.state import END

__all__ = ["play_block", "play_out"]


@kernel
def play_out(t, r, s, policies, key):
    """Play from the decision that is due to the end.

    Parameters
    ----------
    t, r, s : records of TABLES, RULES and STATE; s is played on
    policies : (3,) POLICY, by seat
    key : uint64, the round's key for noise
    """
    while s.phase != END:
        apply(t, r, s, decide(t, r, s, policies[s.seat], key))


@kernel
def play_block(t, r, states, policies, piao, run_key, first):
    """Shuffle, deal and play rounds first, first + 1, … of a run, one into each record of states.

    Parameters
    ----------
    t, r : records of TABLES and RULES
    states : (n,) STATE, left at the end of its round
    policies : (3,) POLICY, by seat
    piao : (3,) uint8, by seat
    run_key : uint64; a round's wall and noise depend on it and on the round's number alone
    first : number of the first round; seat (number mod 3) deals
    """
    wall = np.zeros(84, np.uint8)
    for i in range(len(states)):
        number = first + i
        key = stream_key(run_key, number)
        fill_wall(wall, r.n_kinds, key)
        deal(t, r, states[i], wall, number % 3, piao)
        play_out(t, r, states[i], policies, key)
