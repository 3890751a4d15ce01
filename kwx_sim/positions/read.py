"""Positions from files: TOML or JSON, by the suffix, read as untrusted input."""

from pathlib import Path

from kwx_sim.errors import InputError
from kwx_sim.positions.model import Position, position_of
from kwx_sim.reading import parsed_json, parsed_toml, small_file

__all__ = ["read_position"]

MAX_FILE_BYTES = 1 << 16

_PARSERS = {".toml": parsed_toml, ".json": parsed_json}


def read_position(path: str | Path) -> Position:
    """The position that a file describes: TOML where its name ends in .toml, JSON where it ends in .json.

    Raises InputError, naming file, field, what was expected and what came.
    """
    path = Path(path)
    parse = _PARSERS.get(path.suffix.lower())
    if parse is None:
        raise InputError("positions.suffix", file=str(path), expected=", ".join(_PARSERS))
    try:
        data = parse(small_file(path, MAX_FILE_BYTES))
    except InputError as problem:
        raise InputError("positions.unreadable", file=str(path), problem=problem) from problem
    return position_of(data, source=str(path))
