"""The course of a round up to a position: who did what in table order, as far as the discards and melds tell.

Two things of it are not on the table: with which discard a player declared, and in which of its own turns it made a
concealed or added kong. Where they were not given, the course that is made here is one of several.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kwx_sim.core import state as codes
from kwx_sim.positions.fit import Fit
from kwx_sim.positions.model import ME, SEATS, Player, Position
from kwx_sim.tiles import Meld

__all__ = ["Act", "course_of"]

CALLS = {"pong": codes.PONG, "direct_kong": codes.DIRECT_KONG}
OWN_KONGS = {"concealed_kong": codes.CONCEALED_KONG, "added_kong": codes.ADDED_KONG}


class Act(NamedTuple):
    """What a seat did: the kind of action and its tile, as in the round's record. Draws and passes are not written."""

    seat: int
    kind: int
    tile: int


class _Turn(NamedTuple):
    """One turn of a seat: how many tiles it had drawn when it began, and whether a draw began it."""

    number: int
    draws: int
    drawn: bool


def course_of(position: Position, fit: Fit) -> tuple[Act, ...] | None:
    """Give the acts of the round, of one course that fits; None where not all discards are known."""
    if not fit.rivers_known:
        return None
    return tuple(_Course(position, fit).acts())


class _Course:
    def __init__(self, position: Position, fit: Fit) -> None:
        self.players, self.fit, self.position = position.players, fit, position
        self.kong_at_last = _kong_at_last(position)
        self.turns = self._turns({meld.tile: meld.kind for player in self.players for meld in player.melds or ()})
        self.kongs = [self._kong_turns(seat) for seat in range(SEATS)]
        self.declared = [self._declared_turn(seat) for seat in range(SEATS)]

    def _turns(self, takes: dict[int, str]) -> list[list[_Turn]]:
        """The turns of each seat, the one that is due among them; draws counted without those after own kongs."""
        turns: list[list[_Turn]] = [[] for _ in range(SEATS)]
        draws = [0] * SEATS
        called = False
        for number, ((seat, tile), claimer) in enumerate(zip(self.fit.order, self.fit.claimers, strict=True)):
            draws[seat] += not called
            turns[seat].append(_Turn(number, draws[seat], not called))
            called = claimer is not None and takes[tile] != "direct_kong"
        due = self.position.turn
        if due is not None:
            draws[due] += not called
            turns[due].append(_Turn(len(self.fit.order), draws[due], not called))
        return turns

    def _kong_turns(self, seat: int) -> dict[int, list[Meld]]:
        """The own kongs of a seat by the number of the turn in which it made them."""
        player = self.players[seat]
        kongs = [meld for meld in player.melds or () if meld.kind in OWN_KONGS]
        made: dict[int, list[Meld]] = {}
        for place, kong in enumerate(kongs):
            turn = self._kong_turn(seat, player, kong, place)
            made.setdefault(turn.number, []).append(kong)
        return made

    def _kong_turn(self, seat: int, player: Player, kong: Meld, place: int) -> _Turn:
        """As it was given; else the seat's last turn if its draw replaced a kong; else the middle one of all."""
        possible = [turn for turn in self.turns[seat] if turn.drawn]
        if kong.kind == "added_kong":
            called = next(n for n, (_, tile) in enumerate(self.fit.order) if tile == kong.tile)
            possible = [turn for turn in possible if turn.number > called] or possible[-1:]
        if player.kongs_at is not None:
            # Draws of a turn count from its first one on; each kong before added one more.
            reached = [turn for turn in possible if turn.draws + place <= player.kongs_at[place]]
            return (reached or possible)[-1 if reached else 0]
        if seat == self.kong_at_last:
            return possible[-1]
        return possible[len(possible) // 2]

    def _declared_turn(self, seat: int) -> int | None:
        """The number of the turn with whose discard a seat declared."""
        player = self.players[seat]
        if not player.has_declared:
            return None
        done = [turn for turn in self.turns[seat] if turn.number < len(self.fit.order)]
        if player.declared_at is not None:
            kongs = self.kongs[seat]

            def draws(turn: _Turn) -> int:
                return turn.draws + sum(len(made) for number, made in kongs.items() if number <= turn.number)

            at = [turn for turn in done if draws(turn) <= player.declared_at]
            done = at or done[:1]
        return done[-1].number if done else None

    def acts(self) -> Iterator[Act]:
        """Every act in table order."""
        for number, ((seat, tile), claimer) in enumerate(zip(self.fit.order, self.fit.claimers, strict=True)):
            yield from self._own_kongs(seat, number)
            declares = self.declared[seat] == number
            yield Act(seat, codes.LIANGDAO if declares else codes.DISCARD, tile)
            if claimer is not None:
                yield Act(claimer, self._call(claimer, tile), tile)
        due, offered = self.position.turn, self.position.offered
        if due is not None:
            yield from self._own_kongs(due, len(self.fit.order))
        if due is not None and offered is not None:
            yield Act(due, OWN_KONGS[self.position.robs], offered)

    def _call(self, claimer: int, tile: int) -> int:
        melds: Sequence[Meld] = self.players[claimer].melds or ()
        kind = next(meld.kind for meld in melds if meld.tile == tile)
        return CALLS.get(kind, codes.PONG)  # an added kong was a pong first

    def _own_kongs(self, seat: int, number: int) -> Iterator[Act]:
        for kong in self.kongs[seat].get(number, ()):
            yield Act(seat, OWN_KONGS[kong.kind], kong.tile)


def _kong_at_last(position: Position) -> int | None:
    """The seat whose last turn had a draw that replaced a kong, as far as this is known."""
    if position.has_replacement:
        return ME
    return position.offered_by if position.offered_after_kong else None
