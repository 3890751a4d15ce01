"""What the asker could do: arms by name, in the order in which an answer lists them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core import arms as kernels
from kwx_sim.core import state as codes
from kwx_sim.core.arms import ARM
from kwx_sim.core.jit import records
from kwx_sim.tiles import tile_name

__all__ = ["Arm", "arms_of", "packed"]

WAITS = {"quiet": (kernels.BY_POLICY, 0), "never": (kernels.NEVER, 0), "in 1": (kernels.DELAYED, 1)}
WAITS |= {"in 2": (kernels.DELAYED, 2)}
"""Ways to discard without declaring, each with what the asker does about it later."""

KONGS = {"concealed_kong": codes.CONCEALED_KONG, "added_kong": codes.ADDED_KONG}


class Arm(NamedTuple):
    """A first action and what follows of declaring.

    Attributes
    ----------
    way : declare, quiet, never, in 1, in 2, discard (where declaring is not at issue), win, concealed_kong, added_kong
    tile : slot of the discard or kong; of the winning tile
    """

    way: str
    tile: int

    @property
    def name(self) -> str:
        """The arm in one word and a tile, as in tables and JSON."""
        return f"{self.way} {tile_name(self.tile)}"

    @property
    def first(self) -> str:
        """What it does first, in one word and a tile: all that hide with a tile discard it."""
        return f"{'discard' if self.hides else self.way} {tile_name(self.tile)}"

    @property
    def declares(self) -> bool:
        """Whether it declares at once."""
        return self.way == "declare"

    @property
    def discards(self) -> bool:
        """Whether it discards at once, declaring or not."""
        return self.declares or self.hides or self.way == "discard"

    @property
    def hides(self) -> bool:
        """Whether it discards without declaring where it could."""
        return self.way in WAITS


def arms_of(state: np.void, ready: Sequence[int]) -> list[Arm]:
    """Every legal arm of the decision that is due in a round's record, seat 0 asking.

    ready : the discards that leave the hand ready. Those with which it may declare are compared in every way; where it
    may not declare, discards are compared as they are.
    """
    may_discard, may_declare = int(state["can_discard"]), int(state["can_liangdao"])
    arms = [Arm("win", int(state["tile"]))] if state["can_win"] else []
    for tile in ready:
        if may_declare >> tile & 1:
            arms += [Arm(way, tile) for way in ("declare", *WAITS)]
        elif may_discard >> tile & 1:
            arms.append(Arm("discard", tile))
    for way, field in (("concealed_kong", "can_concealed_kong"), ("added_kong", "can_added_kong")):
        arms += [Arm(way, tile) for tile in range(32) if int(state[field]) >> tile & 1]
    return arms


def packed(arms: Sequence[Arm], rules: int = 0, policies: int = 0) -> NDArray[np.void]:
    """The arms as the kernels take them, (n,) ARM, played by one ruleset and one set of policies."""
    made = records(len(arms), ARM)
    made["rules"], made["policies"] = rules, policies
    for record, arm in zip(made, arms, strict=True):
        if arm.way == "win":
            kind = codes.WIN
        elif arm.way in KONGS:
            kind = KONGS[arm.way]
        else:
            kind = codes.LIANGDAO if arm.declares else codes.DISCARD
        record["action"] = kind << 5 | arm.tile
        record["declares"], record["delay"] = WAITS.get(arm.way, (kernels.BY_POLICY, 0))
    return made
