"""The manifest: what is run, as plain JSON. All of it but `games` names the run, for a run may grow."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kwx_sim.errors import InputError
from kwx_sim.reading import parsed_json
from kwx_sim.refusals import clipped
from kwx_sim.store.files import read_at_most, write_whole

__all__ = ["MANIFEST", "Extent", "identity", "read_manifest", "refuse_difference", "write_manifest"]

MANIFEST = "manifest.json"
COMMAND = "simulate"
"""What a run's manifest names; reports have manifests too."""

MAX_BYTES = 1 << 17
"""A manifest has some 5 KB."""

MAX_ROUNDS = 10**12


class Extent(NamedTuple):
    """How many rounds a run has in all, and how many a block; the last block may be short."""

    games: int
    block: int

    @classmethod
    def of(cls, manifest: Mapping[str, Any], path: Path) -> "Extent":
        """Take a manifest's own. Raises InputError where it has none that makes sense; `path` is named then."""
        games, block = manifest.get("games"), manifest.get("block")
        if not (type(games) is int and type(block) is int and 1 <= games <= MAX_ROUNDS and 1 <= block <= MAX_ROUNDS):
            raise InputError("simulate.bad_manifest", file=str(path / MANIFEST))
        return cls(games, block)

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return -(-self.games // self.block)

    def rounds(self, block: int) -> range:
        """Numbers of the rounds of a block; none beyond the last."""
        return range(block * self.block, min((block + 1) * self.block, self.games))


def identity(manifest: Mapping[str, Any]) -> str:
    """What names a run: a hash of its manifest but for the number of rounds."""
    named = {name: value for name, value in manifest.items() if name != "games"}
    return hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()


def read_manifest(path: str | Path) -> dict[str, Any]:
    """Read the manifest of the run in a directory.

    Raises InputError where there is none, a damaged one, or one of something else.
    """
    file = Path(path) / MANIFEST
    try:
        content = read_at_most(file, MAX_BYTES)
        manifest = parsed_json(content)
        if not isinstance(manifest, dict):
            raise ValueError(f"{file} holds no table")
        _written(manifest)  # no half characters, which could not be written again
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError("simulate.no_run", path=str(path), file=MANIFEST) from error
    except PermissionError as error:
        raise InputError("simulate.unreadable", file=str(file), problem=error.strerror) from error
    except (OSError, ValueError) as error:
        raise InputError("simulate.bad_manifest", file=str(file)) from error
    if manifest.get("command") != COMMAND:
        raise InputError("simulate.other_kind", path=str(path))
    return manifest


def write_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest of the run in a directory. Raises OSError."""
    write_whole(path / MANIFEST, _written(manifest))


def _written(manifest: Mapping[str, Any]) -> bytes:
    return json.dumps(manifest, ensure_ascii=False, indent=1).encode()


def refuse_difference(
    key: str, path: Path, recorded: Mapping[str, Any], asked: Mapping[str, Any], **named: Any
) -> None:
    """Compare two manifests but for `games`; the first field that differs is named, with both values.

    Raises InputError `key` with path, field, recorded, asked, and what else is `named`.
    """
    # A manifest that went through JSON has no tuples.
    old, new = dict(_fields(recorded)), dict(_fields(json.loads(json.dumps(asked))))
    for field in [*new, *(field for field in old if field not in new)]:
        if field != "games" and (field not in old or field not in new or not _same(old[field], new[field])):
            there, here = (_shown(fields, field) for fields in (old, new))
            raise InputError(key, path=str(path), field=clipped(field), recorded=there, asked=here, **named)


def _same(one: Any, other: Any) -> bool:
    # True equals 1, and 1.0 too, but the hashes that name the run tell them apart.
    return type(one) is type(other) and one == other


def _fields(value: Mapping[str, Any] | Sequence[Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
        if isinstance(inner, Mapping | list) and inner:
            yield from _fields(inner, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", inner


def _shown(fields: Mapping[str, Any], field: str) -> str:
    return clipped(json.dumps(fields[field], ensure_ascii=False)) if field in fields else "–"
