"""What was told of a round, played again: a wall that brings it, and the actions that follow from its acts.

Tiles that the record hides are filled in: those that a seat later showed, discarded or melded come from the tiles that
it held, and the rest are any that are left. What other seats know of the round does not depend on how.
"""

from collections import Counter, deque
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from kwx_sim.errors import InputError
from kwx_sim.play import Decision, Round
from kwx_sim.records.files import located
from kwx_sim.records.importers.order import Order
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
    """Play a round as it was told. Raises InputError with the file's name and the line of the first that cannot be."""
    known = frozenset(seat for seat in range(SEATS) if told.wall is not None or told.hands[seat] is not None)
    if not known:
        raise located(name, told.line, InputError("records.no_hand"))
    acts, wrong = _in_order(told)
    wall = told.wall
    try:
        if wall is None:
            made = _Wall(told, acts)
            wall, acts, wrong = made.tiles(), acts[: made.taken], made.wrong or wrong
        played = Round(told.rules, wall, told.dealer, told.piao, told.room)
    except InputError as problem:
        raise located(name, told.line, problem) from problem
    # What comes before may be illegal too, and is then the first.
    _Replay(told, acts, played, known, name, whole=wrong is None).go()
    if wrong is not None:
        raise located(name, told.acts[len(acts)].line, wrong)
    return RecordedRound(played, known)


def _in_order(told: Told) -> tuple[list[Act], InputError | None]:
    """The acts before the first that the order of play forbids, and what is wrong with that one."""
    order = Order(told)
    for done, act in enumerate(told.acts):
        try:
            order.take(act)
        except InputError as problem:
            return told.acts[:done], problem
    return told.acts, None


class _Wall:
    """The wall of a round whose hands and draws are told.

    Attributes
    ----------
    taken : acts that fit hands and wall
    wrong : what is wrong with the act after them, None where all fit
    """

    def __init__(self, told: Told, acts: Sequence[Act]) -> None:
        self.told = told
        self.found: list[int | None] = []
        self.copies = Counter[int]()
        self.front: list[int] = []
        self.tail: list[int] = []
        self.held = [Counter[int]() for _ in range(SEATS)]
        self.locked: set[int] = set()
        self.hidden: list[list[int]] = [[] for _ in range(SEATS)]
        """Places in `found` of each seat's tiles that are not known yet, the oldest first."""

        self.newest: list[int | None] = [None] * SEATS
        """Places of the tiles that the seats drew last."""

        self._deal()
        self.taken, self.wrong = self._go(acts)

    def _deal(self) -> None:
        for step in range(SEATS):
            seat = (self.told.dealer + step) % SEATS
            hand = self.told.hands[seat]
            for tile in hand if hand is not None else (None,) * DEALT:
                self.front.append(self._take(seat, tile))

    def _go(self, acts: Sequence[Act]) -> tuple[int, InputError | None]:
        replaces = False
        for done, act in enumerate(acts):
            try:
                if act.kind == "draw":
                    self._draw(act, self.tail if replaces else self.front)
                else:
                    self._leave(act)
            except InputError as problem:
                return done, problem
            if act.kind != "pass":
                replaces = act.kind in KONGS
        return len(acts), None

    def _draw(self, act: Act, end: list[int]) -> None:
        size = self.told.rules.wall_size
        if len(self.front) + len(self.tail) >= size:
            raise InputError("records.too_many_draws", size=size)
        self.newest[act.seat] = self._take(act.seat, act.tile)
        end.append(len(self.found) - 1)

    def _take(self, seat: int, tile: int | None) -> int:
        if tile is not None:
            self._count(tile)
            self.held[seat][tile] += 1
        place = len(self.found)
        self.found.append(tile)
        if tile is None:
            self.hidden[seat].append(place)
        return place

    def _count(self, tile: int) -> None:
        """One copy more is known."""
        copies = self.copies[tile] + 1
        if copies > FULL or tile >= self.told.rules.n_kinds:
            raise InputError("play.wall_copies", tile=tile_name(tile), came=copies)
        self.copies[tile] = copies

    def _leave(self, act: Act) -> None:
        seat, hidden = act.seat, self.hidden[act.seat]
        if act.kind == "liangdao" and self._would_be_made_up(act):
            raise InputError("records.hidden_declares", seat=seat)
        own = self.newest[seat]
        if act.kind == "win" and self.told.hands[seat] is not None and act.tile is not None and own in hidden:
            self._show(seat, act.tile, own)
        for _ in range(LEAVING.get(act.kind, 0)):
            assert act.tile is not None
            newest = self.newest[seat]
            if newest in hidden and self._is_newest(act):
                self._show(seat, act.tile, newest)
            elif not self.held[seat][act.tile]:
                self._show_oldest(act, act.tile)
            self.held[seat][act.tile] -= 1
        for tile, copies in Counter(act.hand or ()).items():
            for _ in range(copies - self.held[seat][tile]):
                self._show_oldest(act, tile)
        if act.kind == "liangdao" and self.told.rules.liangdao.locks_hand:
            self.locked.add(seat)
        if self.told.hands[seat] is not None and act.kind not in ("win", "pass") and hidden:
            # A tile that is made up would be taken for what the seat knew.
            raise InputError("records.draw_untold", seat=seat, came=act.text)

    def _would_be_made_up(self, act: Act) -> bool:
        """Whether others would see of a hand that declares what nobody told."""
        is_hidden = self.told.hands[act.seat] is None and act.hand is None
        return is_hidden and self.told.rules.liangdao.shows != "nothing"

    def _is_newest(self, act: Act) -> bool:
        """Whether the tile can only be the one just drawn: so it is said, or a pong or a locked hand wants it."""
        return act.drawn or act.kind == "added_kong" or (act.kind == "discard" and act.seat in self.locked)

    def _show_oldest(self, act: Act, tile: int) -> None:
        if not self.hidden[act.seat]:
            raise InputError("records.not_held", seat=act.seat, tile=tile_name(tile))
        self._show(act.seat, tile, self.hidden[act.seat][0])

    def _show(self, seat: int, tile: int, place: int) -> None:
        """A tile that was hidden is known from now on."""
        self._count(tile)
        self.hidden[seat].remove(place)
        self.found[place] = tile
        self.held[seat][tile] += 1

    def tiles(self) -> tuple[int, ...]:
        """Every tile of the wall in order, any that are left in place of those that are not known."""
        kinds = self.told.rules.n_kinds
        spread = [kind * SPREAD % NUM_KINDS for kind in range(NUM_KINDS)]
        rest = deque(kind for copy in range(FULL) for kind in spread if kind < kinds and self.copies[kind] <= copy)
        whole = [tile if tile is not None else rest.popleft() for tile in self.found]
        front, tail = ([whole[place] for place in places] for places in (self.front, self.tail))
        return (*front, *rest, *reversed(tail))


class _Replay:
    """A round that is played by the acts of a record."""

    def __init__(
        self, told: Told, acts: Sequence[Act], played: Round, known: frozenset[int], name: str, *, whole: bool
    ) -> None:
        # What a hidden hand declined it may not hold as it is filled in; the others pass where nothing is said.
        self.acts = deque(act for act in acts if act.kind != "pass" or act.seat in known)
        self.told, self.played, self.known, self.name = told, played, known, name
        self.ended = whole and (told.ended is not None or any(act.kind == "win" for act in acts))

    def go(self) -> None:
        while due := self.played.decision():
            if due.kind == "turn":
                self._check_draw(due)
            if due.kind != "win" and self._hidden_hand_wins():
                return
            action = self._action(due)
            if action is None:
                self._check_end()
                return
            if action not in due.legal:
                self._refuse("records.illegal", seat=due.seat, legal=", ".join(due.legal), came=action)
            self.played.apply(action)
        self._drop_wins()
        if self.acts:
            self._refuse("records.after_end", came=self.acts[0].text)

    def _check_end(self) -> None:
        """Refuse an end that nothing has brought about: while tiles are left, only a win ends a round."""
        if self.ended and self.told.ended is not None:
            state = self.played.state
            problem = InputError("records.not_over", left=int(state["tail"]) - int(state["front"]))
            raise located(self.name, self.told.ended, problem)

    def _check_draw(self, due: Decision) -> None:
        """Take the draw that began the turn, if it is told."""
        if self.acts and self.acts[0].kind == "draw":
            act, drawn = self.acts[0], int(self.played.state["tile"])
            if act.seat != due.seat or act.tile not in (None, drawn) or drawn >= NUM_KINDS:
                self._refuse("records.no_action", seat=due.seat, legal=", ".join(due.legal), came=act.text)
            self.acts.popleft()

    def _action(self, due: Decision) -> str | None:
        """The action that the acts show; None where the record ends before it."""
        if due.kind == "turn":
            return self._turn(due)
        if not self.acts and not self.ended:
            return None
        return self._answer(due) if due.kind == "win" else self._call(due)

    def _turn(self, due: Decision) -> str | None:
        if not self.acts:
            return None
        act = self.acts[0]
        if act.seat != due.seat:
            self._refuse("records.no_action", seat=due.seat, legal=", ".join(due.legal), came=act.text)
        if act.action in due.legal:
            self.acts.popleft()
        return act.action

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
        if self.acts and self.acts[0].seat == due.seat and self.acts[0].kind in ("pong", "direct_kong"):
            return self.acts.popleft().action
        return next(action for action in due.legal if action.startswith("pass"))

    def _hidden_hand_wins(self) -> bool:
        """Whether the round ends here with the win of a hidden hand, which cannot be played again."""
        return bool(self.acts) and self.acts[0].kind == "win" and self.acts[0].seat not in self.known

    def _drop_wins(self) -> None:
        """Wins of hidden hands that the round ended with cannot be played again."""
        while self._hidden_hand_wins():
            self.acts.popleft()

    def _refuse(self, key: str, **params: object) -> NoReturn:
        line = self.acts[0].line if self.acts else self.told.line
        raise located(self.name, line, InputError(key, **params))
