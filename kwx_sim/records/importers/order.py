"""Whose act is due as a round is told, as far as that shows without the hands: who draws, discards, claims what.

An act that the order of play forbids is named where it stands; the engine would come to it only when a hand or the wall
no longer fits, lines later.
"""

from enum import Enum, auto
from typing import NoReturn

from kwx_sim.errors import InputError
from kwx_sim.records.importers.told import SEATS, Act, Told
from kwx_sim.tiles import tile_name

__all__ = ["Order"]

OWN = ("discard", "liangdao", "concealed_kong", "added_kong", "win")
"""Acts of an own turn."""

ANSWERS = ("win", "pass")
CALLS = ("pong", "direct_kong")

NOTHING = -1
"""In place of the tile drawn: a turn that follows a pong."""


class _Due(Enum):
    """What comes next."""

    DRAW = auto()
    TURN = auto()
    CLAIM = auto()
    """A discard is on offer, or a draw follows."""
    ROBBING = auto()
    """A kong's tile is on offer, or the kong's draw follows."""
    MORE_WINS = auto()
    """Somebody has won what is on offer."""
    NOTHING = auto()


class Order:
    """A round as its acts are taken one by one."""

    def __init__(self, told: Told) -> None:
        # Where the whole wall is told, draws may be left out.
        self._draws_are_told = told.wall is None
        self._due, self._seat = _Due.DRAW, told.dealer
        self._drawn: int | None = None
        self._feeder, self._offered = told.dealer, NOTHING

    def take(self, act: Act) -> None:
        """Go on by an act. Raises InputError where it is not the act of who is due, or not of the tile that is due."""
        if self._due in (_Due.MORE_WINS, _Due.NOTHING):
            self._win_too(act)
        elif self._is_claim(act):
            self._claim(act)
        elif act.kind == "draw":
            self._draw(act)
        else:
            self._turn(act)

    def _is_claim(self, act: Act) -> bool:
        if act.kind not in ANSWERS + CALLS or act.seat == self._feeder:
            return False
        drew_untold = not self._draws_are_told and act.seat == self._seat and act.tile != self._offered
        allowed = {_Due.CLAIM: ANSWERS + CALLS, _Due.ROBBING: ANSWERS}.get(self._due, ())
        return act.kind in allowed and not (act.kind == "win" and drew_untold)

    def _claim(self, act: Act) -> None:
        self._check_offer(act)
        if act.kind == "win":
            self._due = _Due.MORE_WINS
        elif act.kind in CALLS:
            self._seat, self._drawn = act.seat, NOTHING
            self._due = _Due.TURN if act.kind == "pong" else _Due.DRAW

    def _win_too(self, act: Act) -> None:
        if self._due == _Due.NOTHING or act.kind not in ANSWERS or act.seat == self._feeder:
            raise InputError("records.after_end", came=act.text)
        self._check_offer(act)

    def _check_offer(self, act: Act) -> None:
        if act.tile != self._offered or act.feeder not in (None, self._feeder):
            came = act.text if act.feeder is None else InputError("records.from", act=act.text, feeder=act.feeder)
            raise InputError("records.offered", tile=tile_name(self._offered), feeder=self._feeder, came=came)

    def _draw(self, act: Act) -> None:
        if self._due == _Due.TURN or act.seat != self._seat:
            self._refuse(act)
        self._due, self._drawn = _Due.TURN, act.tile

    def _turn(self, act: Act) -> None:
        if self._due != _Due.TURN:
            if self._draws_are_told or act.seat != self._seat:
                self._refuse(act)
            self._drawn = None
        if act.seat != self._seat or act.kind not in OWN:
            self._refuse(act, _Due.TURN)
        self._check_drawn(act)
        self._feeder = act.seat
        if act.kind == "win":
            self._due = _Due.NOTHING
            return
        assert act.tile is not None
        self._offered = act.tile
        if act.kind in ("discard", "liangdao"):
            self._due, self._seat = _Due.CLAIM, (act.seat + 1) % SEATS
        else:
            self._due = _Due.ROBBING

    def _check_drawn(self, act: Act) -> None:
        """A win, and a discard that is said to be the tile just drawn, are of that tile."""
        if act.kind == "win" and act.feeder not in (None, act.seat):
            came = InputError("records.from", act=act.text, feeder=act.feeder)
            raise InputError("records.self_draw", seat=act.seat, came=came)
        if (act.drawn or act.kind == "win") and self._drawn not in (None, act.tile):
            if self._drawn == NOTHING:
                raise InputError("records.nothing_drawn", seat=act.seat, came=act.text)
            raise InputError("records.drawn", seat=act.seat, tile=tile_name(self._drawn or 0), came=act.text)

    def _refuse(self, act: Act, due: _Due | None = None) -> NoReturn:
        due = due or self._due
        if due == _Due.TURN:
            raise InputError("records.due.turn", seat=self._seat, acts=", ".join(OWN), came=act.text)
        if due == _Due.DRAW:
            raise InputError("records.due.draw", seat=self._seat, came=act.text)
        offered = {"tile": tile_name(self._offered), "feeder": self._feeder}
        raise InputError("records.due.claim", seat=self._seat, **offered, came=act.text)
