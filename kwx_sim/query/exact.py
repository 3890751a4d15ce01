"""Small positions, exactly: every deal of what is hidden and every order of the wall, each different one once.

Players must be sure of what they do: no tremble, and an avoidance of 0 or 1.
"""

from collections.abc import Generator, Iterator, Sequence
from itertools import product
from math import factorial, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core.arms import RESULT, play_orders
from kwx_sim.core.jit import records
from kwx_sim.core.state import STATE
from kwx_sim.core.tables import load_tables
from kwx_sim.policies import Efficient, Policy
from kwx_sim.positions import Table
from kwx_sim.tiles import NUM_SLOTS

__all__ = ["MOST_WALL", "Orders", "can_enumerate"]

MOST_WALL = {0: 10, 1: 8, 2: 7}
"""The longest wall that is enumerated, by the number of concealed tiles that are not known."""

CALL = 2_000
"""Orders of a call into the kernels."""


def can_enumerate(table: Table, policies: Sequence[Policy]) -> bool:
    """Whether a position is small and sure enough."""
    hidden = [int(n) for n in table.hidden]
    certain = all(isinstance(p, Efficient) and p.tremble == 0 and p.avoidance in (0, 1) for p in policies)
    wall = int(table.state[0]["tail"]) - int(table.state[0]["front"])
    small = table.history != "none" and table.dead == 0 and max(hidden) <= 1
    return certain and small and wall <= MOST_WALL[sum(hidden)] and not any(table.shown_waits)


class Deal(NamedTuple):
    """The hidden tile of each seat (−1 for none), the wall's tiles in ascending order, and the weight of each order."""

    tiles: tuple[int, int, int]
    wall: NDArray[np.uint8]
    weight: int

    @property
    def orders(self) -> int:
        """Different orders of the wall."""
        return factorial(len(self.wall)) // _same(self.wall)


class Orders:
    """Every world of a small position."""

    def __init__(self, table: Table, rules: NDArray[np.void], policies: NDArray[np.void]) -> None:
        self.table, self.rules, self.policies = table, rules, policies
        self.deals = list(_deals(table))

    def __len__(self) -> int:
        """Different worlds."""
        return sum(deal.orders for deal in self.deals)

    def play(self, arms: NDArray[np.void]) -> Generator[tuple[NDArray[np.void], int]]:
        """Results of some worlds, (worlds, n) RESULT, and the weight of each of them."""
        tables = load_tables()
        states, results = records(2, STATE), records(CALL * len(arms), RESULT).reshape(CALL, len(arms))
        for deal in self.deals:
            hidden, tiles, more = np.array(deal.tiles), deal.wall.copy(), True
            while more:
                played, more = play_orders(
                    tables,
                    self.rules,
                    self.table.state,
                    hidden,
                    tiles,
                    CALL,
                    self.policies,
                    arms,
                    states,
                    results,
                )
                yield results[:played], deal.weight


def _deals(table: Table) -> Iterator[Deal]:
    hidden = [[-1] if table.hidden[seat] == 0 else range(NUM_SLOTS) for seat in (1, 2)]
    for first, second in product(*hidden):
        left = table.unseen.astype(int)
        ways = 1
        for tile in (first, second):
            if tile >= 0:
                ways *= int(left[tile])
                left[tile] -= 1
        if ways > 0:
            wall = np.repeat(np.arange(NUM_SLOTS, dtype=np.uint8), left)
            yield Deal((-1, first, second), wall, ways * _same(wall))


def _same(wall: NDArray[np.uint8]) -> int:
    """Orders of single tiles that are one and the same order of kinds."""
    return prod(factorial(int(n)) for n in np.bincount(wall))
