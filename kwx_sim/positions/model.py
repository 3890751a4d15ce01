"""Position: the fields, and reading them from a mapping. Whether they fit together is for `check` to say.

Seats are the asker's: 0 me, 1 the next in turn (下家), 2 the previous (上家). What was not given stays None.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, NoReturn, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, PlainValidator, StrictBool, StrictInt, ValidationError

from kwx_sim.errors import InputError
from kwx_sim.refusals import clipped, context_of, near_to, shown
from kwx_sim.tiles import Meld, format_melds, format_tiles, parse_melds, parse_tile, parse_tiles, tile_name

__all__ = ["ME", "SEATS", "SEAT_NAMES", "Discards", "Player", "Position", "position_of", "seat_name"]

SEATS = 3
ME = 0
SEAT_NAMES = ("me", "next", "previous")
SEAT_WORDS = {"me": 0, "我": 0, "自己": 0, "next": 1, "下家": 1, "previous": 2, "上家": 2}
MOST_DRAWS = 44
MOST_KONGS = 12
MOST_BASES = 100
MOST_FAN = 1 << 20

River = tuple[int, ...]


class Discards(NamedTuple):
    """The rivers: each seat's discards in order, None where they were not given; and all of them in table order.

    A claimed discard stands here as well as in the meld that took it. `order` is (seat, slot) by (seat, slot), or None
    where the discards came by seat. `callers` is who called each of them (碰, 直杠), None where that was not said.
    """

    rivers: tuple[River | None, ...]
    order: tuple[tuple[int, int], ...] | None = None
    callers: tuple[int | None, ...] = ()


def seat_name(seat: int) -> InputError:
    """A seat's name, told in the language of the message that it becomes a part of."""
    return InputError(f"positions.seat.{SEAT_NAMES[seat]}")


# ---------------------------------------------------------------- reading a value


def _tiles(value: Any) -> tuple[int, ...]:
    """Tiles as text, or as a list of texts, in the order written."""
    if isinstance(value, list | tuple):
        for text in value:
            if not isinstance(text, str):
                _refuse("tiles", text)
        value = " ".join(value)
    return tuple(parse_tiles(value))


def _hand(value: Any) -> tuple[int, ...]:
    slots = _tiles(value)
    if not slots:
        raise InputError("tiles.empty")
    return tuple(sorted(slots))


def _kinds(value: Any) -> tuple[int, ...]:
    return tuple(sorted(set(_tiles(value))))


def _seat(value: Any) -> int:
    if isinstance(value, str) and value in SEAT_WORDS:
        return SEAT_WORDS[value]
    if type(value) is not int or not 0 <= value < SEATS:
        _refuse("seat", value)
    return int(value)


def _other_seat(value: Any) -> int:
    seat = _seat(value)
    if seat == ME:
        _refuse("other_seat", value)
    return seat


def _room(value: Any) -> str:
    # It is told in refusals, and must not steer the terminal.
    if not isinstance(value, str) or not value.isprintable():
        _refuse("room", value)
    return value


def _three(limit: int) -> Callable[[Any], tuple[int, ...]]:
    def read(value: Any) -> tuple[int, ...]:
        numbers = value if isinstance(value, list | tuple) else ()
        if len(numbers) != SEATS or not all(type(number) is int and 0 <= number <= limit for number in numbers):
            _refuse("three", value, limit=limit)
        return tuple(numbers)

    return read


def _numbers(value: Any) -> tuple[int, ...]:
    numbers = value if isinstance(value, list | tuple) and len(value) <= MOST_KONGS else (None,)
    if not all(type(number) is int and 0 <= number <= MOST_DRAWS for number in numbers):
        _refuse("numbers", value, most=MOST_KONGS, limit=MOST_DRAWS)
    return tuple(numbers)


def _discards(value: Any) -> Discards:
    """Three rivers by seat, a table of rivers by seat name, or a list of [seat, tile] in table order.

    An entry of that list may name, third, who called the tile.
    """
    if isinstance(value, Mapping):
        rivers: list[River | None] = [None] * SEATS
        for name, river in value.items():
            if name not in SEAT_WORDS:
                raise InputError("positions.no_seat", came=shown(name), expected=", ".join(SEAT_NAMES))
            rivers[SEAT_WORDS[name]] = None if river is None else _tiles(river)
        return Discards(tuple(rivers))
    if not isinstance(value, list | tuple):
        _refuse("discards", value)
    if all(map(_is_entry, value)):
        order = tuple((_seat(seat), parse_tile(tile)) for seat, tile, *_ in value)
        callers = tuple(_seat(caller[0]) if caller else None for _, _, *caller in value)
        rivers_of = tuple(tuple(slot for seat, slot in order if seat == each) for each in range(SEATS))
        return Discards(rivers_of, order, callers)
    if len(value) != SEATS:
        _refuse("discards", value)
    return Discards(tuple(None if river is None else _tiles(river) for river in value))


def _is_entry(value: Any) -> bool:
    if not isinstance(value, list | tuple) or len(value) not in (2, 3):
        return False
    seat, tile, *caller = value
    return isinstance(tile, str) and all(map(_is_seat, (seat, *caller)))


def _is_seat(value: Any) -> bool:
    return type(value) is int or (isinstance(value, str) and value in SEAT_WORDS)


def _refuse(expected: str, came: Any, **params: Any) -> NoReturn:
    told = InputError(f"positions.expected.{expected}", **params)
    raise InputError("positions.value", expected=told, came=shown(came))


# ---------------------------------------------------------------- the fields

Kinds = Annotated[tuple[int, ...] | None, PlainValidator(_kinds)]
Melds = Annotated[tuple[Meld, ...] | None, PlainValidator(lambda value: tuple(parse_melds(value)))]
Seat = Annotated[int | None, PlainValidator(_seat)]
Draws = Annotated[StrictInt | None, Field(ge=0, le=MOST_DRAWS)]
Kongs = Annotated[tuple[int, ...] | None, PlainValidator(_numbers)]


class _Closed(BaseModel):
    """Frozen, and closed: a field that nothing reads is an error, never silently kept."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def describe(self) -> dict[str, Any]:
        """The fields that were given, as plain JSON values; `position_of` makes the same of them."""
        return {name: self._told(name) for name, field in type(self).model_fields.items() if self._given(name, field)}

    def _given(self, name: str, field: Any) -> bool:
        return bool(getattr(self, name) != field.default)

    def _told(self, name: str) -> Any:
        value = getattr(self, name)
        write = _WRITERS.get(name)
        return write(value) if write else value


class Player(_Closed):
    """Another player, as the table sees it.

    Attributes
    ----------
    melds : 副露, in the order in which they were made
    declared : 亮倒; given by `shown` and `waits` as well
    shown : the concealed tiles that a declared player has laid open
    waits : the kinds that a declared player has said it waits for
    declared_at : its own draws when it declared; 0 is: with the discard of a pong, before it drew at all
    kongs_at : its own draws when it made each of its concealed and added kongs, in the order of `melds`
    """

    melds: Melds = None
    kongs_at: Kongs = None
    declared: StrictBool | None = None
    shown: Annotated[tuple[int, ...] | None, PlainValidator(_hand)] = None
    waits: Kinds = None
    declared_at: Draws = None

    @property
    def has_declared(self) -> bool:
        """Whether it has declared: said so, or shown something."""
        return self.declared if self.declared is not None else self.shown is not None or self.waits is not None


class Position(_Closed):
    """What one player at the table knows when its own turn has come, or another's tile lies there to be claimed.

    Of an own turn only the hand is needed, of a claim the hand and the tile on offer.

    Attributes
    ----------
    hand : own concealed tiles, the one just drawn among them: 14, three fewer a meld; where a tile is on offer 13
    offered, offered_by : another's tile that the asker may claim, and whose it is; the last of that seat's discards
    offered_kong : the tile is not discarded but put to a kong, which a win robs
    offered_after_kong : 杠上炮: it was discarded after a kong's replacement
    drawn : the tile just drawn; None where it is not known, and after a pong
    after_pong : the turn follows the asker's own pong, the last of its melds
    replacement : whether the last draw replaced a kong (none, kong, or red_kong for one of wild tiles)
    chain : 杠上杠: kongs in the chain so far
    melds : own melds, in the order in which they were made
    kongs_at : own draws when each concealed and added kong among them was made
    wall : tiles left in the wall
    dealer, first_declared : seats
    draws : own draws so far of each seat, replacements and the dealer's 14th included
    piao, missed : by seat: its choice; the largest fan that it missed since its own last draw (漏胡)
    room : a room's name, where the ruleset has rooms
    discards : what each has discarded
    next, previous : the other players, 下家 and 上家
    me_declared, declared_at : whether the asker has declared already, and own draws when it did
    """

    hand: Annotated[tuple[int, ...], PlainValidator(_hand)]
    offered: Annotated[int | None, PlainValidator(parse_tile)] = None
    offered_by: Annotated[int | None, PlainValidator(_other_seat)] = None
    offered_kong: StrictBool = False
    offered_after_kong: StrictBool = False
    drawn: Annotated[int | None, PlainValidator(parse_tile)] = None
    after_pong: StrictBool = False
    replacement: Literal["none", "kong", "red_kong"] | None = None
    chain: Annotated[StrictInt | None, Field(ge=0, le=MOST_KONGS)] = None
    melds: Melds = None
    kongs_at: Kongs = None
    wall: Annotated[StrictInt | None, Field(ge=0, le=MOST_DRAWS)] = None
    dealer: Seat = None
    draws: Annotated[tuple[int, ...] | None, PlainValidator(_three(MOST_DRAWS))] = None
    piao: Annotated[tuple[int, ...] | None, PlainValidator(_three(MOST_BASES))] = None
    room: Annotated[str | None, PlainValidator(_room)] = None
    missed: Annotated[tuple[int, ...] | None, PlainValidator(_three(MOST_FAN))] = None
    discards: Annotated[Discards | None, PlainValidator(_discards)] = None
    next: Player = Player()
    previous: Player = Player()
    me_declared: StrictBool = False
    declared_at: Draws = None
    first_declared: Seat = None

    @classmethod
    def of(cls, hand: str | Sequence[str], **fields: Any) -> Self:
        """The position with this hand and these fields, in the forms that a mapping has. Raises InputError."""
        return cls._from({"hand": hand, **fields}, "position")

    @property
    def has_replacement(self) -> bool:
        """Whether the tile just drawn replaced a kong."""
        return self.replacement not in (None, "none")

    @property
    def follows_kong(self) -> bool:
        """Whether the last draw, the asker's or the one before a discard on offer, replaced a kong."""
        return self.has_replacement or self.offered_after_kong

    @property
    def turn(self) -> int | None:
        """Whose turn it is: the asker's, that of a player who makes a kong, or nobody's where a discard is on offer."""
        if self.offered is None:
            return ME
        return self.offered_by if self.offered_kong else None

    @property
    def discard_on_offer(self) -> tuple[int, int] | None:
        """The discard that the asker may claim, as (seat, slot)."""
        if self.offered is None or self.offered_by is None or self.offered_kong:
            return None
        return self.offered_by, self.offered

    @property
    def robs(self) -> str:
        """The kind of the kong to which the offered tile is put: added where its player has the pong; "" for none."""
        if not self.offered_kong or self.offered_by is None:
            return ""
        melds = self.players[self.offered_by].melds or ()
        ponged = any(meld.kind == "pong" and meld.tile == self.offered for meld in melds)
        return "added_kong" if ponged else "concealed_kong"

    @property
    def players(self) -> tuple[Player, Player, Player]:
        """The three by seat, the asker among them: its melds and whether it has declared."""
        me = Player.model_construct(
            melds=self.melds, kongs_at=self.kongs_at, declared=self.me_declared, declared_at=self.declared_at
        )
        return me, self.next, self.previous

    @classmethod
    def _from(cls, data: Any, source: str) -> Self:
        if not isinstance(data, Mapping):
            raise InputError("positions.table", source=source, came=shown(data))
        try:
            return cls.model_validate(_without_nothing(data))
        except ValidationError as error:
            raise _refusal(error, source) from error


def _told_discards(discards: Discards) -> Any:
    if discards.order is not None:
        entries = zip(discards.order, discards.callers, strict=True)
        return [_told_entry(seat, slot, caller) for (seat, slot), caller in entries]
    named = zip(SEAT_NAMES, discards.rivers, strict=True)
    return {name: format_tiles(river) for name, river in named if river is not None}


def _told_entry(seat: int, slot: int, caller: int | None) -> list[str]:
    return [SEAT_NAMES[seat], tile_name(slot), *([] if caller is None else [SEAT_NAMES[caller]])]


_WRITERS: dict[str, Callable[[Any], Any]] = {
    "hand": format_tiles,
    "offered": tile_name,
    "offered_by": SEAT_NAMES.__getitem__,
    "shown": format_tiles,
    "waits": format_tiles,
    "drawn": tile_name,
    "melds": format_melds,
    "dealer": SEAT_NAMES.__getitem__,
    "first_declared": SEAT_NAMES.__getitem__,
    "discards": _told_discards,
    "draws": list,
    "piao": list,
    "missed": list,
    "kongs_at": list,
    "next": Player.describe,
    "previous": Player.describe,
}


def position_of(given: Position | Mapping[str, Any], *, source: str = "position") -> Position:
    """The position that a mapping describes, its fields as in `Position`, tiles as text; null is: not given.

    Seats are "me", "next", "previous" (我, 下家, 上家) or 0, 1, 2. Raises InputError, naming source, field, what was
    expected and what came; for an unknown field the nearest known one.
    """
    return given if isinstance(given, Position) else Position._from(given, source)


def _without_nothing(data: Mapping[str, Any]) -> dict[str, Any]:
    players = {name: _without_nothing(data[name]) for name in SEAT_NAMES[1:] if isinstance(data.get(name), Mapping)}
    return {name: _plain(value) for name, value in {**data, **players}.items() if value is not None}


def _plain(value: Any) -> Any:
    """Numpy's whole numbers, one or three, as Python's."""
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, list | tuple) and any(isinstance(each, np.integer) for each in value):
        return [_plain(each) for each in value]
    return value


# ---------------------------------------------------------------- refusing a value

# What pydantic refuses in a position, as names in the rulesets' catalogue.
_EXPECTED = {
    "int_type": "whole_number",
    "bool_type": "true_or_false",
    "literal_error": "one_of",
    "greater_than_equal": "at_least",
    "less_than_equal": "at_most",
    "model_type": "table",
}


def _refusal(error: ValidationError, source: str) -> InputError:
    """One problem of a failed validation: first a field that there is not, which may be why another is missing."""
    problems = error.errors(include_url=False)
    unknown = [problem for problem in problems if problem["type"] in ("extra_forbidden", "invalid_key")]
    first = (unknown or problems)[0]
    path = ".".join(str(part) for part in first["loc"])
    if unknown:
        return _unknown(source, path)
    if first["type"] == "missing":
        return InputError("positions.missing", source=source, field=path)
    context = context_of(first)
    problem = context.get("error")
    if not isinstance(problem, InputError):
        name = _EXPECTED.get(first["type"])
        expected: object = InputError(f"rules.expected.{name}", **context) if name else first["msg"]
        problem = InputError("positions.value", expected=expected, came=shown(first["input"]))
    return InputError("positions.field", source=source, field=path or "position", problem=problem)


def _unknown(source: str, field: str) -> InputError:
    field = clipped(field)
    section, dot, leaf = field.rpartition(".")
    known = list((Player if section in SEAT_NAMES else Position).model_fields)
    return InputError("positions.unknown", source=source, field=field, near=near_to(leaf, known, prefix=section + dot))
