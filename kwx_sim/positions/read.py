"""Positions from files: TOML or JSON, by the suffix, read as untrusted input."""

import json
import tomllib
from pathlib import Path
from typing import Any

from kwx_sim.errors import InputError
from kwx_sim.positions.model import Position, position_of
from kwx_sim.refusals import no_constant, once, why_unreadable

__all__ = ["read_position"]

MAX_FILE_BYTES = 1 << 16
# A dotted key of n parts costs the TOML reader n² memory.
MAX_LINE_BYTES = 4_000


def read_position(path: str | Path) -> Position:
    """The position that a file describes: TOML where its name ends in .toml, JSON where it ends in .json.

    Raises InputError, naming file, field, what was expected and what came.
    """
    path = Path(path)
    parse = _PARSERS.get(path.suffix.lower())
    if parse is None:
        raise InputError("positions.suffix", file=str(path), expected=", ".join(_PARSERS))
    content = _read_bytes(path)
    if len(content) > MAX_FILE_BYTES:
        raise InputError("positions.too_large", file=str(path), limit=MAX_FILE_BYTES)
    try:
        data = parse(content)
    except (ValueError, RecursionError) as error:
        raise InputError("positions.unreadable", file=str(path), problem=why_unreadable(error)) from error
    return position_of(data, source=str(path))


def _read_bytes(path: Path) -> bytes:
    """At most one byte more than a position may have."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InputError("positions.unreadable", file=str(path), problem=error.strerror or "–") from error
    except ValueError as error:  # a name that no file can have
        raise InputError("positions.unreadable", file=repr(str(path)), problem=str(error)) from error


def _toml(content: bytes) -> Any:
    for number, line in enumerate(content.splitlines(), 1):
        if len(line) > MAX_LINE_BYTES:
            raise InputError("refusals.long_line", line=number, limit=MAX_LINE_BYTES)
    return tomllib.loads(content.decode("utf-8-sig"))


def _json(content: bytes) -> Any:
    return json.loads(content.decode("utf-8-sig"), object_pairs_hook=once, parse_constant=no_constant)


_PARSERS = {".toml": _toml, ".json": _json}
