"""Rulesets from TOML: the presets by name, a user's file by path; refused in one line where something is wrong."""

import difflib
import hashlib
import json
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from kwx_sim.errors import InputError
from kwx_sim.rules.model import FANS, ContradictionError, Ruleset, Section

__all__ = ["PRESETS", "changed", "load_rules", "parse_rules", "rules_hash"]

PRESETS = ("platform", "hongzhong", "suizhou", "xiangyang", "shiyan")
"""Preset names, in the order in which tables list them."""

MAX_FILE_BYTES = 1 << 20


def load_rules(name: str | Path) -> Ruleset:
    """A preset by its name, or a ruleset from a TOML file.

    Raises InputError, naming file, field, what was expected and what came.
    """
    if str(name) in PRESETS:
        return _preset(str(name))
    path = Path(name)
    if not path.is_file():
        raise InputError("rules.unknown", name=str(name), presets=", ".join(PRESETS))
    if path.stat().st_size > MAX_FILE_BYTES:
        raise InputError("rules.too_large", file=str(path), limit=MAX_FILE_BYTES)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError("rules.not_toml", file=str(path), problem=str(error)) from error
    return parse_rules(data, source=str(path))


def parse_rules(data: Mapping[str, Any], *, source: str) -> Ruleset:
    """A ruleset from a mapping of sections; `extends = "preset"` fills in what it leaves out."""
    fields = dict(data)
    parent = fields.pop("extends", None)
    if parent is not None:
        if parent not in PRESETS:
            raise InputError("rules.extends", file=source, presets=", ".join(PRESETS), came=repr(parent))
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
                raise _unknown(source, path, Ruleset)
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
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, ContradictionError):
        return InputError("rules.field", file=source, field=cause.field, expected=cause.expected, came=repr(cause.came))
    if first["type"] == "extra_forbidden":
        return _unknown(source, ".".join(path), _section(path[:-1]))
    if path[-1] == "[key]":
        return _unknown(source, ".".join(path[:-1]), Ruleset)
    if first["type"] == "missing":
        return InputError("rules.missing", file=source, field=".".join(path))
    expected = str(first["msg"]).removeprefix("Input should be ").removeprefix("a valid ")
    return InputError("rules.field", file=source, field=".".join(path), expected=expected, came=repr(first["input"]))


def _unknown(source: str, field: str, section: type[Section]) -> InputError:
    known = [*Ruleset.model_fields, *FANS] if section is Ruleset else list(section.model_fields)
    (near,) = difflib.get_close_matches(field.rsplit(".", 1)[-1], known, n=1, cutoff=0.0)
    return InputError("rules.unknown_field", file=source, field=field, near=near)


def _section(path: list[str]) -> type[Section]:
    """The model at a path of field names; the ruleset itself where the path leads elsewhere."""
    section: type[Section] = Ruleset
    for part in path:
        field = section.model_fields.get(part)
        if field is not None and isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            section = field.annotation
    return section
