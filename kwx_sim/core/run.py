"""Whole rounds: policies play on from the decision that is due, or from a shuffled wall."""

import numpy as np

from kwx_sim.core.jit import inlined, kernel
from kwx_sim.core.policy import decide
from kwx_sim.core.rng import fill_wall, stream_key
from kwx_sim.core.round import apply, deal
from kwx_sim.core.state import DISCARD, END, LIANGDAO, TURN, bit

__all__ = ["EVERYBODY", "NOBODY", "ROUND_OVER", "play_block", "play_out", "play_until_ready"]

NOBODY, EVERYBODY = np.int64(0), np.int64(0b111)
"""Seats that are watched, as a mask."""

ROUND_OVER = -1


@kernel
def play_until_ready(t, r, s, policies, key, watched):
    """Play from the decision that is due until a watched seat has the choice to declare or not, or to the end.

    Parameters
    ----------
    t, r, s : records of TABLES, RULES and STATE; s is played on
    policies : (3,) POLICY, by seat
    key : uint64, the round's key for noise
    watched : mask of seats

    Returns
    -------
    The watched seat's action, not taken yet: a discard, declared with or not, with which it may declare; or ROUND_OVER.
    """
    while s.phase != END:
        action = decide(t, r, s, policies[s.seat], key)
        if watched >> s.seat & 1 != 0 and _may_declare_with(s, action):
            return action
        apply(t, r, s, action)
    return ROUND_OVER


@inlined
def _may_declare_with(s, action):
    """Whether an action is a discard with which the seat may declare."""
    kind = action >> 5
    return s.phase == TURN and (kind == DISCARD or kind == LIANGDAO) and s.can_liangdao & bit(action & 31) != 0


@kernel
def play_out(t, r, s, policies, key):
    """Play from the decision that is due to the end; parameters as above."""
    play_until_ready(t, r, s, policies, key, NOBODY)


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
