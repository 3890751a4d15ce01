"""A round as a record of any form tells it: what was dealt as far as it is known, and act by act what was done."""

from dataclasses import dataclass, field
from typing import NamedTuple

from kwx_sim.errors import InputError
from kwx_sim.rules import Ruleset
from kwx_sim.tiles import tile_name

__all__ = ["ACTS", "HIDDEN", "MAX_ACTS", "SEATS", "Act", "Told"]

SEATS = 3
HIDDEN = "?"
"""What stands for a tile that the record does not show."""

MAX_ACTS = 400
"""More than a round can have: 45 draws and as many discards, calls, and answers to each."""

ACTS = ("draw", "discard", "liangdao", "pong", "direct_kong", "concealed_kong", "added_kong", "win", "pass")


class Act(NamedTuple):
    """What a seat did.

    Attributes
    ----------
    line : where it stands in the record
    kind : one of ACTS; a liangdao is a discard with which the seat declares
    tile : slot; None for a draw that is not shown
    drawn : whether a discard is known to be the tile just drawn
    hand : what a liangdao lays open, as slots, where the record has it
    feeder : whose tile a call or a win takes, where the record has it; of a self-draw the winner
    """

    line: int
    seat: int
    kind: str
    tile: int | None
    drawn: bool = False
    hand: tuple[int, ...] | None = None
    feeder: int | None = None

    @property
    def action(self) -> str:
        """The act as actions are written, its seat left out."""
        return f"{self.kind} {HIDDEN if self.tile is None else tile_name(self.tile)}"

    @property
    def text(self) -> str:
        """The act as refusals tell it."""
        return f"{self.action} seat {self.seat}"


@dataclass
class Told:
    """A round as it is told.

    Attributes
    ----------
    line : where it begins
    rules, room, dealer, piao : as for kwx_sim.play.Round
    wall : every tile in order, where the record has it
    hands : 13 slots each, None for a hand that is hidden
    acts : in table order
    ended : the line that says that the round is over; None where none does
    """

    line: int
    rules: Ruleset
    room: str | None = None
    dealer: int = 0
    piao: tuple[int, ...] = (0, 0, 0)
    wall: tuple[int, ...] | None = None
    hands: list[tuple[int, ...] | None] = field(default_factory=lambda: [None] * SEATS)
    acts: list[Act] = field(default_factory=list)
    ended: int | None = None

    def add(self, act: Act) -> None:
        """Take one act more; InputError where there are more than a round can have."""
        if len(self.acts) >= MAX_ACTS:
            raise InputError("records.too_many_acts", limit=MAX_ACTS)
        self.acts.append(act)
