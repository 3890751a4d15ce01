"""What was told of a round, played again: a wall that brings it, and the actions that follow from its acts.

Tiles that the record hides are filled in: those that a seat later showed, discarded or melded come from the tiles that
it held, and the rest are any that are left. What other seats know of the round does not depend on how.
"""

from collections import Counter, deque
from typing import NamedTuple, NoReturn

from kwx_sim.errors import InputError
from kwx_sim.play import Decision, Round
from kwx_sim.records.files import located
from kwx_sim.records.importers.told import SEATS, Act, Told
from kwx_sim.tiles import NUM_KINDS, tile_name

__all__ = ["RecordedRound", "rebuild"]

DEALT = 13
FULL = 4
KONGS = ("direct_kong", "concealed_kong", "added_kong")
LEAVING = {"discard": 1, "liangdao": 1, "pong": 2, "direct_kong": 3, "concealed_kong": 4, "added_kong": 1}
"""Tiles that leave the hand with an act."""

SPREAD = 8
"""Tiles filled in follow each other so many kinds apart: a hand of them is far from ready."""


class RecordedRound(NamedTuple):
    """A round that was played again, as far as it is recorded, and the seats whose hands the record shows."""

    played: Round
    known: frozenset[int]


def rebuild(told: Told, name: str) -> RecordedRound:
    """Play a round as it was told. Raises InputError with the file's name and the line of what does not follow."""
    known = frozenset(seat for seat in range(SEATS) if told.wall is not None or told.hands[seat] is not None)
    if not known:
        raise located(name, told.line, InputError("records.no_hand"))
    wall = told.wall if told.wall is not None else _Wall(told, name).tiles()
    try:
        played = Round(told.rules, wall, told.dealer, told.piao, told.room)
    except InputError as problem:
        raise located(name, told.line, problem) from problem
    _Replay(told, played, known, name).go()
    return RecordedRound(played, known)


class _Wall:
    """The wall of a round whose hands and draws are told."""

    def __init__(self, told: Told, name: str) -> None:
        self.told, self.name = told, name
        self.found: list[int | None] = []
        self.front: list[int] = []
        self.tail: list[int] = []
        self.held = [Counter[int]() for _ in range(SEATS)]
        self.locked: set[int] = set()
        self.hidden: list[list[int]] = [[] for _ in range(SEATS)]
        """Places in `found` of each seat's tiles that are not known yet, the oldest first."""

    def tiles(self) -> tuple[int, ...]:
        """Every tile of the wall in order."""
        for step in range(SEATS):
            seat = (self.told.dealer + step) % SEATS
            hand = self.told.hands[seat]
            for tile in hand if hand is not None else (None,) * DEALT:
                self.front.append(self._take(seat, tile))
        replaces = False
        for act in self.told.acts:
            if act.kind == "draw":
                (self.tail if replaces else self.front).append(self._take(act.seat, act.tile))
            else:
                self._leave(act)
            replaces = act.kind in KONGS
        return self._filled()

    def _take(self, seat: int, tile: int | None) -> int:
        place = len(self.found)
        self.found.append(tile)
        if tile is None:
            self.hidden[seat].append(place)
        else:
            self.held[seat][tile] += 1
        return place

    def _leave(self, act: Act) -> None:
        seat, hidden = act.seat, self.hidden[act.seat]
        for _ in range(LEAVING.get(act.kind, 0)):
            assert act.tile is not None
            if hidden and self._is_newest(act):
                self._show(act, act.tile, hidden[-1])
            elif not self.held[seat][act.tile]:
                self._show_oldest(act, act.tile)
            self.held[seat][act.tile] -= 1
        for tile, copies in Counter(act.hand or ()).items():
            for _ in range(copies - self.held[seat][tile]):
                self._show_oldest(act, tile)
        if act.kind == "liangdao" and self.told.rules.liangdao.locks_hand:
            self.locked.add(seat)

    def _is_newest(self, act: Act) -> bool:
        """Whether the tile can only be the one just drawn: so it is said, or a pong or a locked hand wants it."""
        return act.drawn or act.kind == "added_kong" or (act.kind == "discard" and act.seat in self.locked)

    def _show_oldest(self, act: Act, tile: int) -> None:
        if not self.hidden[act.seat]:
            problem = InputError("records.not_held", seat=act.seat, tile=tile_name(tile))
            raise located(self.name, act.line, problem)
        self._show(act, tile, self.hidden[act.seat][0])

    def _show(self, act: Act, tile: int, place: int) -> None:
        """A tile that was hidden is known from now on."""
        self.hidden[act.seat].remove(place)
        self.found[place] = tile
        self.held[act.seat][tile] += 1

    def _filled(self) -> tuple[int, ...]:
        kinds = self.told.rules.n_kinds
        used = Counter(tile for tile in self.found if tile is not None)
        for tile, copies in used.items():
            if copies > FULL or tile >= kinds:
                raise located(
                    self.name, self.told.line, InputError("play.wall_copies", tile=tile_name(tile), came=copies)
                )
        spread = [kind * SPREAD % NUM_KINDS for kind in range(NUM_KINDS)]
        rest = deque(kind for copy in range(FULL) for kind in spread if kind < kinds and used[kind] <= copy)
        size = self.told.rules.wall_size
        if len(self.front) + len(self.tail) > size:
            raise located(self.name, self.told.line, InputError("records.too_many_draws", size=size))
        whole = [tile if tile is not None else rest.popleft() for tile in self.found]
        front, tail = ([whole[place] for place in places] for places in (self.front, self.tail))
        return (*front, *rest, *reversed(tail))


class _Replay:
    """A round that is played by the acts of a record."""

    def __init__(self, told: Told, played: Round, known: frozenset[int], name: str) -> None:
        self.acts = deque(told.acts)
        self.told, self.played, self.known, self.name = told, played, known, name
        self.ended = told.ended or any(act.kind == "win" for act in told.acts)

    def go(self) -> None:
        while due := self.played.decision():
            if due.kind == "turn":
                self._check_draw(due)
            action = self._action(due)
            if action is None:
                return
            if action not in due.legal:
                self._refuse("records.illegal", seat=due.seat, legal=", ".join(due.legal), came=action)
            self.played.apply(action)
        self._drop_wins()
        if self.acts:
            self._refuse("records.after_end", came=_told(self.acts[0]))

    def _check_draw(self, due: Decision) -> None:
        """Take the draw that began the turn, if it is told."""
        if self.acts and self.acts[0].kind == "draw":
            act, drawn = self.acts[0], int(self.played.state["tile"])
            if act.seat != due.seat or act.tile not in (None, drawn) or drawn >= NUM_KINDS:
                self._refuse("records.no_action", seat=due.seat, legal=", ".join(due.legal), came=_told(act))
            self.acts.popleft()

    def _action(self, due: Decision) -> str | None:
        """The action that the acts show; None where the record ends before it, or with a win of a hidden hand."""
        if due.kind == "turn":
            return self._turn(due)
        if not self.acts and not self.ended:
            return None
        return self._answer(due) if due.kind == "win" else self._call(due)

    def _turn(self, due: Decision) -> str | None:
        if not self.acts:
            return None
        act = self.acts[0]
        if act.kind == "win" and act.seat not in self.known:
            self.acts.clear()
            return None
        if act.seat != due.seat:
            self._refuse("records.no_action", seat=due.seat, legal=", ".join(due.legal), came=_told(act))
        action = _told(act, seat=False)
        if action in due.legal:
            self.acts.popleft()
        return action

    def _answer(self, due: Decision) -> str | None:
        """The answer to a win on offer: taken by who is told to win, declined by all others."""
        ahead: list[Act] = []
        for act in self.acts:
            if act.kind not in ("win", "pass"):
                break
            ahead.append(act)
        mine = next((act for act in ahead if act.seat == due.seat), None)
        if mine is not None:
            self.acts.remove(mine)
        kind = "win" if mine is not None and mine.kind == "win" else "pass"
        return next(action for action in due.legal if action.startswith(kind))

    def _call(self, due: Decision) -> str | None:
        if self.acts:
            act = self.acts[0]
            if act.kind == "win" and act.seat not in self.known:
                self.acts.clear()
                return None
            if act.seat == due.seat and act.kind in ("pong", "direct_kong"):
                self.acts.popleft()
                return _told(act, seat=False)
        return next(action for action in due.legal if action.startswith("pass"))

    def _drop_wins(self) -> None:
        """Wins of hidden hands that the round ended with cannot be played again."""
        while self.acts and self.acts[0].kind == "win" and self.acts[0].seat not in self.known:
            self.acts.popleft()

    def _refuse(self, key: str, **params: object) -> NoReturn:
        line = self.acts[0].line if self.acts else self.told.line
        raise located(self.name, line, InputError(key, **params))


def _told(act: Act, *, seat: bool = True) -> str:
    tile = "?" if act.tile is None else tile_name(act.tile)
    return f"{act.kind} {tile} seat {act.seat}" if seat else f"{act.kind} {tile}"
