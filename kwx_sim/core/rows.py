"""One row of a finished round: what happened in it, to be counted in any way afterwards."""

import numpy as np

from kwx_sim.core.jit import kernel
from kwx_sim.core.state import wall_left

__all__ = ["ROUND", "note_round"]

ROUND = np.dtype(
    [
        ("number", "i8"),
        # Money, in bases, by seat; each sums to zero.
        ("kong_points", "i4", (3,)),
        ("win_points", "i4", (3, 3)),  # row: winner
        ("undecided_points", "i4", (3,)),
        # How it ended, by winner.
        ("win_fan", "i4", (3,)),  # before cap and liangdao
        ("win_fans", "u4", (3,)),  # mask of fans
        ("win_waits", "u4", (3,)),
        ("maima_points", "i4"),  # from both losers, liangdao's doubling included
        ("winners", "u1"),  # mask of seats
        ("outcome", "u1"),
        ("feeder", "u1"),  # the winner where it was self-drawn
        ("win_tile", "u1"),
        ("maima_tile", "u1"),
        ("dealer", "u1"),
        ("next_dealer", "u1"),
        ("wall", "u1"),  # tiles left
        ("discards", "u1"),
        ("first_declared", "u1"),  # seat, 3 for none
        # By seat.
        ("declared", "u1", (3,)),
        ("declared_at", "u1", (3,)),  # own draws
        ("draws", "u1", (3,)),
        ("melds", "u1", (3, 4)),  # pongs, direct, concealed and added kongs
    ],
    align=True,
)
"""A finished round, a fifth of a kilobyte; codes as in `state`."""


@kernel
def note_round(s, number, row):
    """Write finished round s of that number into a record of ROUND."""
    row.number = number
    row.kong_points[:] = s.kong_points
    row.win_points[:] = s.win_points
    row.undecided_points[:] = s.undecided_points
    row.win_fan[:] = s.win_fan
    row.win_fans[:] = s.win_fans
    row.win_waits[:] = s.win_waits
    row.maima_points = s.maima_points
    row.winners = s.winners
    row.outcome = s.outcome
    row.feeder = s.feeder
    row.win_tile = s.win_tile
    row.maima_tile = s.maima_tile
    row.dealer = s.dealer
    row.next_dealer = s.next_dealer
    row.wall = wall_left(s)
    row.discards = s.n_river
    row.first_declared = s.first_declared
    row.declared[:] = s.declared
    row.declared_at[:] = s.declared_at
    row.draws[:] = s.draws
    row.melds[:] = 0
    for seat in range(3):
        for i in range(s.n_melds[seat]):
            row.melds[seat, s.meld_kind[seat, i] - 1] += np.uint8(1)
