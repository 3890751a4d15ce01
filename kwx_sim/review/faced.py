"""The decisions that a recorded round put to its seats: what each knew, what it did."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from kwx_sim.core import state as codes
from kwx_sim.play import Round
from kwx_sim.positions import Position, position_of
from kwx_sim.positions.of_round import position_of_round
from kwx_sim.records import RecordedRound
from kwx_sim.rules import Ruleset

__all__ = ["Faced", "decisions_of"]

NOTHING = -1
DISCARDS = (codes.DISCARD, codes.LIANGDAO)


@dataclass(frozen=True)
class Faced:
    """A decision.

    Attributes
    ----------
    round, number : the round's place in the record, from 1; the decision's place in the round
    seat : whose it was
    draw : own draws of the seat so far
    rules : of the round
    position : what the seat knew
    about : discard (an own turn) or claim (another's tile on offer)
    action : what it did, encoded as in core.state
    then : where it declined to win: what it did when it could still call the tile; −1 where it was not asked
    fed : whether the discard was won by another player
    """

    round: int
    number: int
    seat: int
    draw: int
    rules: Ruleset
    position: Position
    about: str
    action: int
    then: int = NOTHING
    fed: bool = False


def decisions_of(recorded: RecordedRound, number: int, seats: Collection[int] | None = None) -> Iterator[Faced]:
    """Each decision with a choice of these seats, or of all whose hands the record shows, in their order.

    A win that was declined and the call that the seat was then asked about are one decision.
    """
    yield from _Walk(recorded, number, seats).go()


class _Walk:
    """A round that is played once more, and looked at before each action."""

    def __init__(self, recorded: RecordedRound, number: int, seats: Collection[int] | None) -> None:
        self.number = number
        self.seats = recorded.known if seats is None else recorded.known & set(seats)
        played = recorded.played
        self.rules, self.actions = played.rules, played.actions()
        self.again = Round(played.rules, played.wall, played.dealer, played.piao, played.room)
        self.fed = self._fatal_discard(played)
        self.declined: dict[int, Faced] = {}

    def _fatal_discard(self, played: Round) -> int:
        """The place of the discard that was won, −1 where none was."""
        if int(played.state["outcome"]) != codes.DISCARD_WON:
            return NOTHING
        return max(place for place, action in enumerate(self.actions) if action >> 5 in DISCARDS)

    def go(self) -> Iterator[Faced]:
        for place, action in enumerate(self.actions):
            due = self.again.decision()
            assert due is not None
            if due.kind == "turn":
                yield from self._let_go()
            if due.kind == "call" and due.seat in self.declined:
                self.declined[due.seat] = replace(self.declined[due.seat], then=action)
            elif due.seat in self.seats and len(due.legal) > 1:
                faced = self._faced(place, action, due.seat, "discard" if due.kind == "turn" else "claim")
                if due.kind == "win" and action >> 5 == codes.PASS:
                    self.declined[due.seat] = faced
                else:
                    yield faced
            self.again.apply(action)
        yield from self._let_go()

    def _let_go(self) -> Iterator[Faced]:
        """Wins that were declined, once it is known whether the tile was called instead."""
        yield from self.declined.values()
        self.declined.clear()

    def _faced(self, place: int, action: int, seat: int, about: str) -> Faced:
        s = self.again.state
        told = position_of_round(s, seat, self.rules, self.again.room)
        return Faced(
            round=self.number,
            number=place,
            seat=seat,
            draw=int(s["draws"][seat]),
            rules=self.rules,
            position=position_of(told),
            about=about,
            action=action,
            fed=place == self.fed,
        )
