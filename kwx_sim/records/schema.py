"""The events of a record and their fields. docs/records.md explains each; a test keeps the two together."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from kwx_sim.errors import InputError
from kwx_sim.rules import FANS
from kwx_sim.tiles import KONG_KINDS, NUM_KINDS, tile_name

__all__ = ["EVENTS", "SCHEMA", "Event", "Field", "check", "shown"]

SCHEMA = 1
"""Version of the schema. It rises with any change that an older reader would misread."""

Event = dict[str, Any]
"""One line of a record: `type`, and the fields of that type."""

SEATS = 3
MAX_WHOLE = 1 << 53  # whole numbers that every JSON reader keeps exactly
MAX_SHOWN = 80
_TILES = frozenset(map(tile_name, range(NUM_KINDS)))


class Field(NamedTuple):
    """What a field holds: its text in the catalogue (records.holds.<name>), the test, the words of a choice."""

    holds: str
    fits: Callable[[Any], bool]
    words: tuple[str, ...] = ()
    optional: bool = False


def _is_whole(value: Any) -> bool:
    # bool is an int in Python, not in a record.
    return type(value) is int and abs(value) <= MAX_WHOLE


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(value: Any, holds: Callable[[Any], bool], size: int | None = None) -> bool:
    return isinstance(value, list) and len(value) == (size or len(value)) and all(map(holds, value))


def _is_table(value: Any, keys: Iterable[str]) -> bool:
    return isinstance(value, dict) and value.keys() <= set(keys) and all(map(_is_whole, value.values()))


def _one_of(*words: str) -> Field:
    return Field("one_of", lambda value: _is_text(value) and value in words, words)


def _or_null(field: Field) -> Field:
    return Field(field.holds + "_or_null", lambda value: value is None or field.fits(value))


def _optional(field: Field) -> Field:
    return field._replace(optional=True)


WHOLE = Field("whole", _is_whole)
TEXT = Field("text", _is_text)
SEAT = Field("seat", lambda value: _is_whole(value) and 0 <= value < SEATS)
TILE = Field("tile", lambda value: _is_text(value) and value in _TILES)
AMOUNTS = Field("amounts", lambda value: _is_list(value, _is_whole, SEATS))
TEXTS = Field("texts", lambda value: _is_list(value, _is_text, SEATS))
RULES = Field(
    "rules", lambda value: isinstance(value, dict) and _is_text(value.get("name")) and _is_text(value.get("hash"))
)
LIVE = Field("live", lambda value: _is_table(value, _TILES))
FAN_VALUES = Field("fans", lambda value: _is_table(value, FANS))

EVENTS: Mapping[str, Mapping[str, Field]] = {
    "start_round": {
        "schema": WHOLE,
        "phase": _one_of("DEALING"),
        "rules": RULES,
        "room": _or_null(TEXT),
        "seed": _or_null(WHOLE),
        "game": _or_null(WHOLE),
        "dealer": SEAT,
        "piao": AMOUNTS,
        "wall": TEXT,
        "hands": TEXTS,
    },
    "draw": {"seat": SEAT, "tile": TILE, "from": _one_of("front", "tail")},
    "discard": {"seat": SEAT, "tile": TILE},
    "liangdao": {
        "seat": SEAT,
        "waits": LIVE,
        "shows": _one_of("nothing", "waits", "hand"),
        "hand": _optional(TEXT),
    },
    "pong": {"seat": SEAT, "tile": TILE, "feeder": SEAT},
    "kong": {"seat": SEAT, "tile": TILE, "kind": _one_of(*KONG_KINDS), "feeder": _optional(SEAT)},
    "pass": {"seat": SEAT, "tile": TILE},
    "payment": {"why": _one_of("kong", "undecided"), "amounts": AMOUNTS},
    "win": {
        "seat": SEAT,
        "tile": TILE,
        "by": _one_of("self_draw", "discard", "robbed"),
        "feeder": _optional(SEAT),
        "hand": TEXT,
        "melds": TEXT,
        "fans": FAN_VALUES,
        "fan": WHOLE,
        "maima": _optional(TILE),
        "payments": AMOUNTS,
    },
    "end_round": {
        "phase": _one_of("ROUND_END"),
        "outcome": _one_of("self_draw", "discard", "robbed", "undecided"),
        "totals": AMOUNTS,
        "entry_fee": WHOLE,
        "next_dealer": SEAT,
    },
}
"""Event type -> field -> what it holds. `type` itself comes with every event."""


def check(event: Any) -> Event:
    """The event, if it has the fields of its type and each holds what it should; else InputError naming the field."""
    if not isinstance(event, dict):
        raise InputError("records.not_object", came=shown(event))
    kind = event.get("type")
    if not isinstance(kind, str) or kind not in EVENTS:
        raise InputError("records.type", expected=", ".join(EVENTS), came=shown(kind))
    if kind == "start_round" and event.get("schema") != SCHEMA:
        raise InputError("records.schema", expected=SCHEMA, came=shown(event.get("schema")))
    fields = EVENTS[kind]
    for name in event:
        if name not in fields and name != "type":
            raise InputError("records.unknown_field", type=kind, field=shown(name), expected=", ".join(fields))
    for name, field in fields.items():
        if name in event:
            if not field.fits(event[name]):
                expected = InputError(f"records.holds.{field.holds}", words=", ".join(field.words))
                raise InputError("records.field", type=kind, field=name, expected=expected, came=shown(event[name]))
        elif not field.optional:
            raise InputError("records.missing", type=kind, field=name)
    return event


def shown(value: Any) -> str:
    """A value as JSON, short enough for one line."""
    # JSON may hold halves of characters, which no terminal prints.
    text = json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace").decode()
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
