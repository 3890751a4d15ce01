"""A round stepped from Python: what is legal, what was done, what came of it; and rounds from written scripts."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kwx_sim.core import state as codes
from kwx_sim.core.jit import records
from kwx_sim.core.round import apply, deal
from kwx_sim.core.shapes import load_tables
from kwx_sim.core.state import STATE
from kwx_sim.errors import InputError
from kwx_sim.refusals import near_to
from kwx_sim.rules import FANS, Ruleset, changed, load_rules, pack
from kwx_sim.tiles import MELD_KINDS, NUM_KINDS, parse_tile, parse_tiles, tile_name

__all__ = ["Decision", "Round", "play_script"]

SEATS = 3
DECISION_KINDS = {codes.TURN: "turn", codes.CLAIM: "win", codes.CALL: "call"}
ENTRY_FIELDS = ("seat", "act", "tile", "on", "liangdao")
OUTCOMES = ("playing", "self_draw", "discard", "robbed", "undecided")


class Decision(NamedTuple):
    """Whose decision it is, of what kind (turn, win or call), and the legal actions, sorted, as text."""

    seat: int
    kind: str
    legal: tuple[str, ...]


class Round:
    """One round of the compiled engine, from a written wall.

    Parameters
    ----------
    rules : a ruleset, a preset's name or a TOML file
    wall : every tile in order, as text or slots: 13 to the dealer, 13 and 13 to the next seats, the dealer's 14th, the
        draws from the front; replacements and the maima tile from the end
    dealer : seat 0, 1 or 2
    piao : each seat's choice
    room : a room's name, where the ruleset has rooms

    Attributes
    ----------
    state : the round's record (core.state.STATE)

    Raises InputError for a wall that is no full set, or a dealer or piao out of range.
    """

    def __init__(
        self,
        rules: Ruleset | str | Path,
        wall: str | Iterable[int],
        dealer: int = 0,
        piao: Sequence[int] = (0, 0, 0),
        room: str | None = None,
    ) -> None:
        self.rules = rules = rules if isinstance(rules, Ruleset) else load_rules(rules)
        self.room = room
        self.wall = _checked_wall(rules, wall)
        self.dealer = _in_range("dealer", dealer, SEATS - 1)
        choices = _listed(piao)
        if choices is None or len(choices) != SEATS:
            raise InputError("play.piao_seats", came=repr(piao))
        self.piao = tuple(_in_range("piao", choice, rules.piao.max) for choice in choices)
        self._tables = load_tables()[0]
        self._rules = pack(rules, room)[0]
        self.state = records(1, STATE)[0]
        padded = np.zeros(84, np.uint8)
        padded[: len(self.wall)] = self.wall
        deal(self._tables, self._rules, self.state, padded, self.dealer, np.array(self.piao, np.uint8))

    @property
    def over(self) -> bool:
        """Whether the round has ended."""
        return int(self.state["phase"]) == codes.END

    @property
    def points(self) -> list[int]:
        """Bases won and lost by seat so far; they sum to zero."""
        s = self.state
        total = s["kong_points"] + s["win_points"].sum(axis=0, dtype=np.int64) + s["undecided_points"]
        return [int(points) for points in total]

    def decision(self) -> Decision | None:
        """The decision that is due, or None at the end."""
        s = self.state
        phase = int(s["phase"])
        if phase == codes.END:
            return None
        return Decision(int(s["seat"]), DECISION_KINDS[phase], tuple(sorted(map(action_text, self._legal()))))

    def apply(self, action: str | int) -> None:
        """Take an action, as text (`"discard 5p"`) or encoded; InputError where it is not legal now."""
        code = action_code(action) if isinstance(action, str) else _checked_code(action)
        due = self.decision()
        if due is None or code not in self._legal():
            raise InputError("play.illegal", came=action_text(code), legal=", ".join(due.legal if due else ()) or "–")
        self._take(code)

    def winners(self) -> list[dict[str, Any]]:
        """Each win: seat, tile, by, fan (before cap and liangdao), and the ids of its fans."""
        s = self.state
        first = int(s["feeder"])
        order = [(first + k) % SEATS for k in range(SEATS)]
        return [
            {
                "seat": seat,
                "tile": tile_name(int(s["win_tile"])),
                "by": OUTCOMES[int(s["outcome"])],
                "fan": int(s["win_fan"][seat]),
                "fans": [fan for bit, fan in enumerate(FANS) if int(s["win_fans"][seat]) >> bit & 1],
            }
            for seat in order
            if int(s["winners"]) >> seat & 1
        ]

    def rivers(self) -> list[list[int]]:
        """Each seat's discards in order, those that were claimed included."""
        s = self.state
        seats, tiles = s["river_seat"], s["river_tile"]
        return [[int(tiles[i]) for i in range(int(s["n_river"])) if seats[i] == seat] for seat in range(SEATS)]

    def melds(self) -> list[list[tuple[str, int]]]:
        """Each seat's melds in order, as (kind, slot)."""
        s = self.state
        return [
            [
                (MELD_KINDS[int(s["meld_kind"][seat][i]) - 1], int(s["meld_tile"][seat][i]))
                for i in range(int(s["n_melds"][seat]))
            ]
            for seat in range(SEATS)
        ]

    def waits(self) -> list[list[int]]:
        """Each seat's waits after its last discard or kong, as slots."""
        return [_slots(int(mask)) for mask in self.state["waits"]]

    def actions(self) -> list[int]:
        """Every action taken so far, encoded."""
        return [int(code) for code in self.state["log"][: int(self.state["n_log"])]]

    def _take(self, code: int) -> None:
        apply(self._tables, self._rules, self.state, code)

    def _legal(self) -> list[int]:
        s = self.state
        phase, tile = int(s["phase"]), int(s["tile"])
        if phase == codes.CLAIM:
            return [codes.WIN << 5 | tile, codes.PASS << 5 | tile]
        if phase == codes.CALL:
            flags = ((codes.PONG, "can_pong"), (codes.DIRECT_KONG, "can_direct_kong"))
            return [kind << 5 | tile for kind, flag in flags if s[flag]] + [codes.PASS << 5 | tile]
        masks = (
            (codes.DISCARD, "can_discard"),
            (codes.LIANGDAO, "can_liangdao"),
            (codes.CONCEALED_KONG, "can_concealed_kong"),
            (codes.ADDED_KONG, "can_added_kong"),
        )
        wins = [codes.WIN << 5 | tile] if s["can_win"] else []
        return wins + [kind << 5 | slot for kind, mask in masks for slot in _slots(int(s[mask]))]


def action_text(code: int) -> str:
    """`"discard 5p"` for an encoded action."""
    return f"{codes.ACTION_NAMES[code >> 5]} {tile_name(code & 31)}"


def action_code(text: str) -> int:
    """The encoded action for `"discard 5p"`; InputError where it is none."""
    name, _, tile = text.partition(" ")
    if name not in codes.ACTION_NAMES:
        raise InputError("play.action", came=repr(text), names=", ".join(codes.ACTION_NAMES))
    if not tile.strip():
        raise InputError("play.action_tile", name=name)
    return codes.ACTION_NAMES.index(name) << 5 | parse_tile(tile)


def _checked_code(action: Any) -> int:
    if not _is_whole(action) or not 0 <= action >> 5 < len(codes.ACTION_NAMES) or action & 31 >= NUM_KINDS:
        raise InputError("play.action_code", came=repr(action))
    return int(action)


def play_script(case: Mapping[str, Any]) -> dict[str, Any]:
    """Play a round whose wall and choices are written down.

    Parameters
    ----------
    case : `rules` (preset or file), `wall` and `script`; `room`, `dealer`, `piao`, `changes` (dotted field -> value)
        and `id` where given. A script's entries belong to a seat and are taken in that seat's order: `act` with `tile`
        (and `liangdao`), `on` the tile just drawn or offered. Where no entry fits, the seat declines a win, calls
        nothing, and discards the tile just drawn; without one, or where it may not, its lowest legal tile.

    Returns
    -------
    dict with `id`, `points` by seat in bases, `winners` (seat, tile, by, fan)
    """
    if not isinstance(case, Mapping):
        raise InputError("play.case", came=repr(case))
    for field in ("rules", "wall"):
        if field not in case:
            raise InputError("play.missing", field=field)
    rules = load_rules(_text(case, "rules"))
    if case.get("changes"):
        rules = changed(rules, _mapping(case, "changes"))
    script = _listed(case.get("script", ()))
    if script is None:
        raise InputError("play.script", came=repr(case["script"]))
    played = Round(rules, _text(case, "wall"), case.get("dealer", 0), case.get("piao", (0, 0, 0)), case.get("room"))
    run_script(played, script)
    winners = [{key: win[key] for key in ("seat", "tile", "by", "fan")} for win in played.winners()]
    return {"id": case.get("id"), "points": played.points, "winners": winners}


class _Entry(NamedTuple):
    action: int
    on: int | None


def run_script(played: Round, script: Iterable[Mapping[str, Any]]) -> None:
    """Play a round to its end by a script's entries, and the defaults where none fits."""
    queues: tuple[deque[_Entry], ...] = tuple(deque() for _ in range(SEATS))
    for number, entry in enumerate(script, 1):
        seat, parsed = _entry(entry, number)
        queues[seat].append(parsed)
    while not played.over:
        s = played.state
        legal = played._legal()
        queue = queues[int(s["seat"])]
        action = _fitting(queue[0], int(s["tile"]), legal) if queue else None
        if action is None:
            action = _default(int(s["phase"]), int(s["tile"]), legal)
        else:
            queue.popleft()
        played._take(action)


def _entry(entry: Mapping[str, Any], number: int) -> tuple[int, _Entry]:
    if not isinstance(entry, Mapping):
        raise InputError("play.entry", number=number, came=repr(entry))
    for field in entry:
        if field not in ENTRY_FIELDS:
            raise InputError("play.entry_field", number=number, field=field, near=near_to(str(field), ENTRY_FIELDS))
    if not {"seat", "act"} <= entry.keys():
        raise InputError("play.entry", number=number, came=repr(entry))
    seat = _in_range(f"script entry {number}: seat", entry["seat"], SEATS - 1)
    on = parse_tile(entry["on"]) if "on" in entry else None
    act = entry["act"]
    if act not in codes.ACTION_NAMES or act == "liangdao":
        raise InputError("play.act", number=number, came=repr(act))
    kind = codes.ACTION_NAMES.index(act)
    if kind == codes.DISCARD and entry.get("liangdao"):
        kind = codes.LIANGDAO
    needs_tile = kind in (codes.DISCARD, codes.LIANGDAO, codes.CONCEALED_KONG)
    if needs_tile and "tile" not in entry:
        raise InputError("play.entry_tile", number=number, act=act)
    tile = parse_tile(entry["tile"]) if "tile" in entry else codes.NO_TILE
    return seat, _Entry(kind << 5 | tile, on)


def _fitting(entry: _Entry, tile: int, legal: Sequence[int]) -> int | None:
    """The entry's action where it may be taken now."""
    if entry.on is not None and entry.on != tile:
        return None
    action = entry.action
    if action & 31 == codes.NO_TILE:
        action = action & ~31 | tile
    return action if action in legal else None


def _default(phase: int, tile: int, legal: Sequence[int]) -> int:
    if phase != codes.TURN:
        return codes.PASS << 5 | tile
    drawn = codes.DISCARD << 5 | tile
    return drawn if drawn in legal else min(action for action in legal if action >> 5 == codes.DISCARD)


def _checked_wall(rules: Ruleset, wall: str | Iterable[int]) -> list[int]:
    given = parse_tiles(wall) if isinstance(wall, str) else _listed(wall)
    if given is None or not all(map(_is_whole, given)):
        raise InputError("play.wall", came=repr(wall))
    tiles = [int(tile) for tile in given]
    if len(tiles) != rules.wall_size:
        raise InputError("play.wall_size", expected=rules.wall_size, came=len(tiles))
    for slot in range(rules.n_kinds):
        copies = tiles.count(slot)
        if copies != 4:
            raise InputError("play.wall_copies", tile=tile_name(slot), came=copies)
    return tiles


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _listed(values: Any) -> list[Any] | None:
    """What is written as a list, or None where that is none."""
    try:
        return list(values)
    except TypeError:
        return None


def _in_range(what: str, value: Any, top: int) -> int:
    if not _is_whole(value) or not 0 <= value <= top:
        raise InputError("play.range", what=what, top=top, came=repr(value))
    return int(value)


def _text(case: Mapping[str, Any], field: str) -> str:
    if not isinstance(case[field], str):
        raise InputError("play.text", field=field, came=repr(case[field]))
    return str(case[field])


def _mapping(case: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    value: Any = case[field]
    if not isinstance(value, Mapping):
        raise InputError("play.table", field=field, came=repr(value))
    return value


def _slots(mask: int) -> list[int]:
    return [slot for slot in range(mask.bit_length()) if mask >> slot & 1]
