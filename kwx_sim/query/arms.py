"""What the asker could do: arms by name, in the order in which an answer lists them."""

from collections.abc import Iterator, Sequence
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
CALLS = {"pong": codes.PONG, "direct_kong": codes.DIRECT_KONG}
KINDS = {"win": codes.WIN, "pass": codes.PASS, "declare": codes.LIANGDAO} | KONGS | CALLS
"""Kinds of actions by the ways that are no plain discards."""

NOTHING = -1


class Arm(NamedTuple):
    """A first action and what follows of declaring, or of calling a tile that was not won.

    Attributes
    ----------
    way : declare, quiet, never, in 1, in 2, discard (where declaring is not at issue), win, concealed_kong, added_kong;
        of another's tile win, pass, pong, direct_kong
    tile : slot of the discard, kong or claim; of the winning tile
    declines : whether a win is declined first, and the rest done once nobody else has won
    """

    way: str
    tile: int
    declines: bool = False

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


def arms_of(state: np.void, ready: Sequence[int], about: str = "liangdao") -> list[Arm]:
    """Every legal arm of the decision that is due in a round's record, seat 0 asking.

    ready : the discards that leave the hand ready
    about : liangdao compares those with which it may declare in every way, and where it may not declare discards as
        they are; discard every legal discard, with declaring and never declaring beside it; claim what may be done with
        another's tile
    """
    if about == "claim":
        return list(_claims(state))
    may_discard, may_declare = int(state["can_discard"]), int(state["can_liangdao"])
    arms = [Arm("win", int(state["tile"]))] if state["can_win"] else []
    if about == "discard":
        for tile in _slots(may_discard):
            arms.append(Arm("discard", tile))
            # The policy may declare later where it had better not: a ready hand would seem worth less than it is.
            arms += [Arm(way, tile) for way in ("declare", "never")] if may_declare >> tile & 1 else []
    else:
        for tile in ready:
            if may_declare >> tile & 1:
                arms += [Arm(way, tile) for way in ("declare", *WAITS)]
            elif may_discard >> tile & 1:
                arms.append(Arm("discard", tile))
    for way in KONGS:
        arms += [Arm(way, tile) for tile in _slots(int(state[f"can_{way}"]))]
    return arms


def _claims(state: np.void) -> Iterator[Arm]:
    tile, wins = int(state["tile"]), bool(state["can_win"])
    if wins:
        yield Arm("win", tile)
    yield Arm("pass", tile, declines=wins)
    for way in CALLS:
        if state[f"can_{way}"]:
            yield Arm(way, tile, declines=wins)


def _slots(mask: int) -> list[int]:
    return [slot for slot in range(mask.bit_length()) if mask >> slot & 1]


def packed(arms: Sequence[Arm], rules: int = 0, policies: int = 0) -> NDArray[np.void]:
    """The arms as the kernels take them, (n,) ARM, played by one ruleset and one set of policies."""
    made = records(len(arms), ARM)
    made["rules"], made["policies"], made["then"] = rules, policies, NOTHING
    for record, arm in zip(made, arms, strict=True):
        action = KINDS.get(arm.way, codes.DISCARD) << 5 | arm.tile
        record["action"] = action
        if arm.declines:
            record["action"], record["then"] = codes.PASS << 5 | arm.tile, action
        record["declares"], record["delay"] = WAITS.get(arm.way, (kernels.BY_POLICY, 0))
    return made
