"""JSON lines in, one JSON line out for each, in order: the golden cases' fields, checked one by one.

A bad line is answered with its `id` and the error; the rest go on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, BinaryIO

from kwx_sim.cli.terminal import to_json
from kwx_sim.errors import InputError
from kwx_sim.reading import STDIN, lines_of, opened, parsed_json
from kwx_sim.refusals import clipped

if TYPE_CHECKING:
    from kwx_sim.rules import Ruleset

__all__ = [
    "ANY_84",
    "Line",
    "flag",
    "flags",
    "line_rules",
    "mapping",
    "mappings",
    "number",
    "numbers",
    "refuse_beside",
    "rules_name",
    "run_batch",
    "text",
    "texts",
]

Line = Mapping[str, Any]

ANY_84 = "any84"
"""What golden hands name as their rules where any ruleset of 84 tiles will do."""

MAX_LINE = 1 << 16
"""Bytes of a line: no question comes near it."""


def run_batch(
    source: str,
    answer: Callable[[Line], dict[str, Any]],
    lang: str,
    show: Callable[[dict[str, Any]], str] = to_json,
) -> int:
    """Answer every line of a file, or of stdin for "-". Gives the exit status: 1 where a line was bad, else 0.

    `show` words an answer. Raises InputError where the file cannot be read.
    """
    failed = False
    with _open(source) as lines:
        for raw in _lines(source, lines):
            if not raw.strip():
                continue
            line: Any = None
            try:
                if len(raw) > MAX_LINE:
                    raise InputError("cli.line_size", limit=MAX_LINE)
                line = _parse(raw)
                answered = {"id": line.get("id")} | answer(line)
            except InputError as error:
                failed = True
                answered = {"id": line.get("id") if line else None, "error": error.message(lang)}
            sys.stdout.write(show(answered) + "\n")
            if source == STDIN:
                sys.stdout.flush()
    sys.stdout.flush()
    return int(failed)


def _open(source: str) -> AbstractContextManager[BinaryIO]:
    try:
        return opened(source)
    except InputError as problem:
        raise InputError("cli.unreadable", file=source, problem=problem) from problem


def _lines(source: str, file: BinaryIO) -> Iterator[bytes]:
    try:
        yield from lines_of(file, MAX_LINE)
    except InputError as problem:
        raise InputError("cli.unreadable", file=source, problem=problem) from problem


def _parse(raw: bytes) -> dict[str, Any]:
    try:
        line = parsed_json(raw)
    except InputError as problem:
        raise InputError("cli.not_json", problem=problem) from problem
    if not isinstance(line, dict):
        raise InputError("cli.not_object", got=_short(line))
    return line


def refuse_beside(lines: str, given: Mapping[str, Any]) -> None:
    """Refuse what a single hand or round takes beside the option `lines`: a batch has it in its lines."""
    for name, value in given.items():
        if value is not None and value is not False:
            option = "HAND" if name == "hand" else "--" + name.replace("_", "-")
            raise InputError("cli.beside_batch", option=lines, name=option)


@lru_cache(maxsize=64)
def _rules(name: str, missing_suit: str | None) -> Ruleset:
    from kwx_sim.rules import changed, load_rules

    rules = load_rules("xiangyang" if name == ANY_84 else name)
    return changed(rules, {"shapes.missing_suit": missing_suit}, source=name) if missing_suit else rules


def line_rules(line: Line, default: str) -> Ruleset:
    """Load the rules that a line names, with its missing_suit in place of the preset's; each only once a run."""
    return _rules(rules_name(line, default), text(line, "missing_suit", "") or None)


def rules_name(line: Line, default: str) -> str:
    """Take the field that names rules: a preset's, or the call's own. Raises InputError."""
    from kwx_sim.rules import PRESETS

    name = text(line, "rules", default)
    # Never a file: lines may be somebody else's, and a file is opened for who calls.
    if name not in (*PRESETS, ANY_84, default):
        raise InputError("cli.field_rules", presets=", ".join(PRESETS), got=clipped(name))
    return name


# ---------------------------------------------------------------- fields: a missing or null one has its default


def text(line: Line, field: str, default: str | None = None) -> str:
    """Take a field that holds text. Raises InputError; also where it is missing and has no default."""
    value = line.get(field)
    if value is None:
        value = default
    if value is None:
        raise InputError("cli.field_missing", field=field)
    if not isinstance(value, str):
        raise _refusal(field, "text", value)
    return value


def texts(line: Line, field: str) -> str | list[str]:
    """Take a field that holds a list of texts, or one text; missing, no texts."""
    value = line.get(field)
    if value is None:
        return []
    if isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value)):
        return value
    raise _refusal(field, "texts", value)


def flag(line: Line, field: str) -> bool:
    """Take a field that is true or false; missing, false."""
    value = line.get(field)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise _refusal(field, "flag", value)
    return value


def number(line: Line, field: str, default: int) -> int:
    """Take a field that holds a whole number."""
    value = line.get(field)
    if value is None:
        return default
    if type(value) is not int:
        raise _refusal(field, "number", value)
    return value


def numbers(line: Line, field: str, default: list[int]) -> list[int]:
    """Take a field that holds whole numbers."""
    value = line.get(field)
    if value is None:
        return default
    if not isinstance(value, list) or not all(type(item) is int for item in value):
        raise _refusal(field, "numbers", value)
    return value


def flags(line: Line, field: str, default: list[bool]) -> list[bool]:
    """Take a field that holds true and false several times."""
    value = line.get(field)
    if value is None:
        return default
    if not isinstance(value, list) or not all(isinstance(item, bool) for item in value):
        raise _refusal(field, "flags", value)
    return value


def mapping(line: Line, field: str) -> dict[str, Any]:
    """Take a field that holds an object; missing, an empty one."""
    value = line.get(field)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _refusal(field, "mapping", value)
    return value


def mappings(line: Line, field: str) -> list[dict[str, Any]]:
    """Take a field that holds a list of objects; missing, none."""
    value = line.get(field)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise _refusal(field, "mappings", value)
    return value


def _refusal(field: str, expected: str, got: Any) -> InputError:
    return InputError(f"cli.field_{expected}", field=field, got=_short(got))


def _short(value: Any) -> str:
    told = json.dumps(value, ensure_ascii=False)
    return told if len(told) <= 60 else told[:57] + "..."
