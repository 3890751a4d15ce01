"""A record as mjai's JSON lines, as far as they map: three players, no chi, no 万, no winds; reach stands for 亮倒."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kwx_sim.errors import InputError
from kwx_sim.records.files import located, objects
from kwx_sim.records.importers.told import HIDDEN, SEATS, Act, Told
from kwx_sim.records.schema import shown
from kwx_sim.rules import Ruleset
from kwx_sim.tiles import GREEN, RED, WHITE, parse_tile, tile_name

__all__ = ["read_mjai"]

DRAGONS = {"P": WHITE, "F": GREEN, "C": RED}
SUITED = frozenset(f"{rank}{suit}" for suit in "sp" for rank in range(1, 10))
HAND = 13

ACTS = {
    "tsumo": "draw",
    "dahai": "discard",
    "pon": "pong",
    "daiminkan": "direct_kong",
    "ankan": "concealed_kong",
    "kakan": "added_kong",
    "hora": "win",
}
TARGETED = ("pon", "daiminkan", "hora")
"""Events that name whose tile they take."""

CONSUMED = {"pon": 2, "daiminkan": 3, "ankan": 4, "kakan": 3}
"""Tiles of the meld that were the caller's own already."""

IGNORED = frozenset(["start_game", "end_game", "reach_accepted", "none"])
"""Events that say nothing of a round of this game."""


def read_mjai(path: str | Path, rules: Ruleset) -> Iterator[Told]:
    """Each round of a file, under `rules`, of which mjai says nothing. InputError names file and line."""
    reader: _Reader | None = None
    for number, event in objects(path):
        try:
            kind = _kind(event)
            if kind == "start_kyoku":
                if reader is not None:
                    yield reader.told
                reader = _Reader(_start(number, event, rules))
            elif kind == "end_kyoku":
                if reader is not None:
                    yield reader.told
                reader = None
            elif kind not in IGNORED:
                if reader is None:
                    raise InputError("records.mjai.start", came=kind)
                reader.take(number, kind, event)
            elif kind == "start_game":
                _refuse_four(event.get("names"))
        except InputError as problem:
            raise located(str(path), number, problem) from problem
    if reader is not None:
        yield reader.told


def _kind(event: Any) -> str:
    kind = event.get("type") if isinstance(event, dict) else None
    if not isinstance(kind, str):
        raise InputError("records.not_object", came=shown(event))
    return kind


def _start(number: int, event: dict[str, Any], rules: Ruleset) -> Told:
    hands = event.get("tehais")
    _refuse_four(hands)
    if not isinstance(hands, list) or len(hands) != SEATS:
        raise InputError("records.mjai.hands", came=shown(hands))
    return Told(number, rules, dealer=_seat(event, "oya"), hands=[_hand(hand) for hand in hands])


def _refuse_four(players: Any) -> None:
    if isinstance(players, list) and len(players) > SEATS:
        raise InputError("records.mjai.players", came=len(players))


def _hand(tiles: Any) -> tuple[int, ...] | None:
    if not isinstance(tiles, list) or len(tiles) != HAND:
        raise InputError("records.hand_size", expected=HAND, came=len(tiles) if isinstance(tiles, list) else 0)
    if all(tile == HIDDEN for tile in tiles):
        return None
    return tuple(map(_tile, tiles))


class _Reader:
    """A round that is being read: what was offered last, and who has said that it declares."""

    def __init__(self, told: Told) -> None:
        self.told = told
        self.reach: dict[str, Any] | None = None
        self.last: int | None = None

    def take(self, number: int, kind: str, event: dict[str, Any]) -> None:
        """Take one event of the round."""
        if self.told.ended is not None:
            raise InputError("records.mjai.start", came=kind)
        if self.reach is not None and kind != "dahai":
            raise InputError("records.mjai.reach", seat=self.reach["actor"])
        if kind == "ryukyoku":
            if any(act.kind == "win" for act in self.told.acts):
                raise InputError("records.after_end", came=kind)
            self.told.ended = number
        elif kind == "reach":
            _seat(event, "actor")
            self.reach = event
        elif kind in ACTS:
            self.told.add(self._act(number, kind, event))
        else:
            expected = ", ".join(("start_kyoku", *ACTS, "reach", "ryukyoku"))
            raise InputError("records.mjai.type", expected=expected, came=shown(kind))

    def _act(self, number: int, kind: str, event: dict[str, Any]) -> Act:
        seat, act = _seat(event, "actor"), ACTS[kind]
        hidden = kind == "tsumo" and event.get("pai") == HIDDEN
        tile = None if hidden else self._tile_of(kind, event)
        drawn, hand = event.get("tsumogiri") is True, None
        if kind == "dahai" and self.reach is not None:
            if self.reach["actor"] != seat:
                raise InputError("records.mjai.reach", seat=self.reach["actor"])
            laid = self.reach.get("tehai")
            act, hand = "liangdao", tuple(map(_tile, laid)) if isinstance(laid, list) else None
            self.reach = None
        self.last = tile
        feeder = _seat(event, "target") if kind in TARGETED and "target" in event else None
        return Act(number, seat, act, tile, drawn=drawn, hand=hand, feeder=feeder)

    def _tile_of(self, kind: str, event: dict[str, Any]) -> int:
        """The event's tile; a concealed kong has only those that it consumes, and a win may have none."""
        if kind == "hora" and "pai" not in event and self.last is not None:
            return self.last
        consumed = event.get("consumed")
        if kind == "ankan":
            tile = _tile(consumed[0] if isinstance(consumed, list) and consumed else None)
        else:
            tile = _tile(event.get("pai"))
        if kind in CONSUMED and consumed is not None:
            _check_consumed(kind, tile, consumed)
        return tile


def _check_consumed(kind: str, tile: int, consumed: Any) -> None:
    """Refuse a meld of unlike tiles: of red fives and the like this game has none."""
    own = CONSUMED[kind]
    if not isinstance(consumed, list) or [_tile(each) for each in consumed] != [tile] * own:
        raise InputError("records.mjai.consumed", kind=kind, count=own, tile=tile_name(tile), came=shown(consumed))


def _seat(event: dict[str, Any], field: str) -> int:
    seat = event.get(field)
    if type(seat) is not int or not 0 <= seat < SEATS:
        raise InputError("records.seat", came=shown(seat))
    return seat


def _tile(name: Any) -> int:
    if isinstance(name, str) and name in DRAGONS:
        return DRAGONS[name]
    if not isinstance(name, str) or name not in SUITED:
        raise InputError("records.mjai.tile", came=shown(name))
    return parse_tile(name)
