"""What the asker waits for after each discard, and how many of those tiles it has not seen."""

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core.state import TURN
from kwx_sim.hands import best_discards, shanten, waits
from kwx_sim.positions import Table
from kwx_sim.query.decision import Ready, Wait
from kwx_sim.rules import Ruleset

__all__ = ["ready_discards"]


def ready_discards(table: Table, melds: NDArray[np.uint8], rules: Ruleset) -> list[Ready]:
    """The discards that leave the asker ready, whether tiles of its waits are left or not, in the order of slots.

    There are none where it is not its turn.

    melds : (27,) uint8, tiles of its melds
    """
    hand = table.state[0]["counts"][0].copy()
    if table.state[0]["phase"] != TURN or shanten(hand, melds, rules) > 0:
        return []
    discards = np.flatnonzero(best_discards(hand, melds, rules) >= 0)
    return [_after(int(slot), hand, table, melds, rules) for slot in discards]


def _after(tile: int, hand: NDArray[np.uint8], table: Table, melds: NDArray[np.uint8], rules: Ruleset) -> Ready:
    rest = hand.copy()
    rest[tile] -= 1
    kinds = np.flatnonzero(waits(rest, melds, rules))
    return Ready(tile, tuple(Wait(int(kind), int(table.unseen[kind])) for kind in kinds))
