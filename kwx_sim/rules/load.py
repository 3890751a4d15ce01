"""Rulesets from TOML: the presets by name, a user's file by path; refused in one line where something is wrong."""

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from kwx_sim.errors import InputError
from kwx_sim.reading import parsed_toml, small_file
from kwx_sim.refusals import clipped, context_of, near_to, shown
from kwx_sim.rules.model import FANS, ContradictionError, Room, Ruleset, Section

__all__ = ["PRESETS", "changed", "load_rules", "parse_rules", "rules_hash"]

PRESETS = ("platform", "hongzhong", "suizhou", "xiangyang", "shiyan")
"""Preset names, in the order in which tables list them."""

MAX_FILE_BYTES = 1 << 16


def load_rules(name: str | Path) -> Ruleset:
    """A preset by its name, or a ruleset from a TOML file.

    Raises InputError, naming file, field, what was expected and what came.
    """
    if str(name) in PRESETS:
        return _preset(str(name))
    path = Path(name)
    data = _read_toml(path)
    if isinstance(data.get("extends"), str):
        # A changed ruleset must not pass for the one that it started from.
        parent = data["extends"]
        data = {"name": path.stem[:60], "title": f"由 {parent} 改 / based on {parent}", **data}
    return parse_rules(data, source=str(path))


def _read_toml(path: Path) -> dict[str, Any]:
    content = _read_bytes(path)
    try:
        return parsed_toml(content)
    except InputError as problem:
        raise InputError("rules.not_toml", file=str(path), problem=problem) from problem


def _read_bytes(path: Path) -> bytes:
    try:
        if path.is_file():
            return small_file(path, MAX_FILE_BYTES)
    except OSError as error:
        raise InputError("rules.unreadable", file=str(path), problem=error.strerror) from error
    except InputError as problem:
        raise InputError("rules.unreadable", file=str(path), problem=problem) from problem
    raise InputError("rules.unknown", name=clipped(str(path)), presets=", ".join(PRESETS))


def parse_rules(data: Any, *, source: str) -> Ruleset:
    """A ruleset from a mapping of sections; `extends = "preset"` fills in what it leaves out."""
    if not isinstance(data, Mapping):
        expected = InputError("rules.expected.table")
        raise InputError("rules.field", file=source, field="rules", expected=expected, came=shown(data))
    fields = dict(data)
    parent = fields.pop("extends", None)
    if parent is not None:
        if parent not in PRESETS:
            raise InputError("rules.extends", file=source, presets=", ".join(PRESETS), came=shown(parent))
        fields = _merge(_preset(parent).model_dump(), fields)
    try:
        return Ruleset.model_validate(fields)
    except ValidationError as error:
        raise _refusal(error, source) from error


def changed(rules: Ruleset, changes: Mapping[str, Any], *, source: str = "changes") -> Ruleset:
    """The ruleset with some fields changed, each named by its dotted path: `{"liangdao.multiplier": 1}`."""
    data = rules.model_dump()
    for path, value in changes.items():
        *sections, field = path.split(".")
        target = data
        for section in sections:
            if not isinstance(target.get(section), dict):
                raise _unknown(source, path)
            target = target[section]
        target[field] = value
    return parse_rules(data, source=source)


def rules_hash(rules: Ruleset) -> str:
    """Twelve hex digits that change with any field that can change a result; names and titles do not count."""
    data = rules.model_dump(mode="json", exclude={"name", "title", "document"})
    data["fans"]["values"] = {fan: value for fan, value in data["fans"]["values"].items() if value}
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:12]


@cache
def _preset(name: str) -> Ruleset:
    text = resources.files("kwx_sim.rules").joinpath(f"presets/{name}.toml").read_text(encoding="utf-8")
    return parse_rules(tomllib.loads(text), source=f"{name}.toml")


def _merge(base: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        # cap_for is one value: a child that names it means exactly those caps.
        if isinstance(old, dict) and isinstance(value, Mapping) and key != "cap_for":
            merged[key] = _merge(old, value)
        else:
            merged[key] = value
    return merged


def _refusal(error: ValidationError, source: str) -> InputError:
    """The first problem of a failed validation, in one line."""
    first = error.errors()[0]
    path = [str(part) for part in first["loc"]]
    context = context_of(first)
    cause = context.get("error")
    if isinstance(cause, ContradictionError):
        told = InputError(f"rules.expected.{cause.expected}")
        return InputError("rules.field", file=source, field=cause.field, expected=told, came=shown(cause.came))
    if first["type"] == "extra_forbidden":
        return _unknown(source, ".".join(path))
    if path[-1:] == ["[key]"]:
        return _unknown(source, ".".join(path[:-1]))
    if first["type"] == "missing":
        return InputError("rules.missing", file=source, field=".".join(path))
    name = _EXPECTED.get(first["type"])
    expected: object = InputError(f"rules.expected.{name}", **context) if name else first["msg"]
    return InputError(
        "rules.field", file=source, field=".".join(path) or "rules", expected=expected, came=shown(first["input"])
    )


# What pydantic refuses in a ruleset, as names in the catalogue.
_EXPECTED = {
    "int_type": "whole_number",
    "bool_type": "true_or_false",
    "string_type": "text",
    "literal_error": "one_of",
    "greater_than_equal": "at_least",
    "less_than_equal": "at_most",
    "string_too_short": "longer",
    "string_too_long": "shorter",
    "string_pattern_mismatch": "printable",
    "string_unicode": "printable",
    "model_type": "table",
    "dict_type": "table",
    "tuple_type": "list",
}


def _unknown(source: str, field: str) -> InputError:
    """An unknown field, with the nearest known one: of the same name elsewhere, else in its section, else anywhere."""
    wanted = ".".join(part for part in clipped(field).split(".") if not part.isdigit())
    section, _, leaf = wanted.rpartition(".")
    known = list(_paths(Ruleset, ""))
    same = [path for path in known if path.rpartition(".")[2] == leaf]
    beside = [path.rpartition(".")[2] for path in known if path.rpartition(".")[0] == section]
    if same:
        near = near_to(wanted, same, least=0.0)
    elif beside:
        # The section's name, which all beside share, makes none of them more like what is wanted.
        near = near_to(leaf, beside, prefix=wanted.removesuffix(leaf))
    else:
        near = near_to(wanted, known)
    return InputError("rules.unknown_field", file=source, field=clipped(field), near=near)


def _paths(section: type[Section], prefix: str) -> Iterator[str]:
    """Dotted paths of all fields, the sections themselves, the fans and a room's fields among them."""
    for name, field in section.model_fields.items():
        path = prefix + name
        yield path
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            yield from _paths(field.annotation, path + ".")
        elif path in ("fans.values", "payment.cap_for"):
            yield from (f"{path}.{fan}" for fan in FANS)
        elif path == "rooms":
            yield from _paths(Room, "rooms.")
