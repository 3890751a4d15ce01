"""Parts of one run, played on several machines, joined into one directory."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kwx_sim.errors import InputError
from kwx_sim.store.directory import Store, decoded, finished_blocks, is_played, refuse_links
from kwx_sim.store.files import move_directory
from kwx_sim.store.manifest import MANIFEST, Extent, identity, read_manifest, refuse_difference

__all__ = ["Merged", "is_half_merged", "merge"]

HALF = ".merging"


class Merged(NamedTuple):
    """What a merge made: blocks that are there, blocks and rounds in all, and whether all parts said so many rounds."""

    blocks: int
    in_all: int
    games: int
    agreed: bool


class _Part(NamedTuple):
    path: Path
    manifest: dict[str, Any]
    blocks: list[int]


def merge(directories: Sequence[str | Path], out: str | Path) -> Merged:
    """Join disjoint parts of one run into a new directory, which can then be resumed.

    Every block is checked before anything is written. Parts may have different numbers of rounds in all; the run has
    the largest, and a block that is short for it is left out. The new directory gets its name when it is whole: a merge
    that fails or is interrupted leaves nothing, and what a killed one left is removed by the next.

    Raises InputError where the parts are of different runs, have a block in common, or hold a damaged one, and where
    the new directory holds something, is in a part, or cannot be written.
    """
    manifests: dict[Path, dict[str, Any]] = {}
    for path in map(Path, directories):
        if path in manifests:
            raise InputError("simulate.merge_twice", path=str(path))
        manifests[path] = read_manifest(path)
    target = Path(os.path.abspath(out))
    _refuse_target(target, out, directories)
    first, manifest = next(iter(manifests.items()))
    for path, other in manifests.items():
        refuse_difference("simulate.merge_differs", path, other, manifest, first=str(first))
    manifest = max(manifests.values(), key=lambda each: Extent.of(each, first).games)
    extent = Extent.of(manifest, first)
    parts = [_part(path, each, extent) for path, each in manifests.items()]
    _refuse_overlap(parts)
    for part in parts:
        for number in part.blocks:
            _block(part, number)
    _write(target, manifest, parts, out)
    agreed = len({each["games"] for each in manifests.values()}) == 1
    return Merged(sum(len(part.blocks) for part in parts), extent.blocks, extent.games, agreed)


def is_half_merged(name: str) -> bool:
    """Whether a directory of that name is one that a merge is writing, or was when it was killed."""
    return name.startswith(".") and name.endswith(HALF)


def _refuse_target(target: Path, out: str | Path, directories: Sequence[str | Path]) -> None:
    if (target / MANIFEST).exists():
        raise InputError("simulate.taken", path=str(out))
    for path in directories:
        if Path(path).resolve() in target.resolve().parents:
            raise InputError("simulate.merge_inside", path=str(out), part=str(path))
    try:
        if next(target.iterdir(), None) is not None:
            raise InputError("simulate.merge_not_empty", path=str(out))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise _not_written(out, error.strerror) from error


def _write(target: Path, manifest: dict[str, Any], parts: Sequence[_Part], out: str | Path) -> None:
    """Write the run beside its place, and move it there."""
    half = target.with_name(f".{target.name}{HALF}")
    if half.is_dir() and is_played(half):
        raise InputError("simulate.merge_busy", path=str(out))
    try:
        if half.is_dir():
            shutil.rmtree(half)
        try:
            with Store(half, manifest) as store:
                for part in parts:
                    for number in part.blocks:
                        store.save(number, _block(part, number))
            move_directory(half, target)
        except BaseException:
            shutil.rmtree(half, ignore_errors=True)
            raise
    except OSError as error:
        raise _not_written(out, error.strerror) from error
    except InputError as error:
        if "problem" not in error.params:
            raise
        raise _not_written(out, error.params["problem"]) from error


def _not_written(out: str | Path, problem: str | None) -> InputError:
    return InputError("simulate.merge_not_written", path=str(out), problem=problem or "")


def _part(path: Path, manifest: dict[str, Any], whole: Extent) -> _Part:
    refuse_links(path)
    own = Extent.of(manifest, path)
    blocks = [number for number in finished_blocks(path, own) if own.rounds(number) == whole.rounds(number)]
    return _Part(path, manifest, sorted(blocks))


def _refuse_overlap(parts: Sequence[_Part]) -> None:
    owner: dict[int, Path] = {}
    for part in parts:
        for number in part.blocks:
            if number in owner:
                raise InputError("simulate.overlap", block=number, one=str(owner[number]), other=str(part.path))
            owner[number] = part.path


def _block(part: _Part, number: int) -> Any:
    rows = part.manifest.get("rounds") is True
    try:
        return decoded(part.path, number, identity(part.manifest), Extent.of(part.manifest, part.path), rows=rows)
    except InputError as damaged:
        raise InputError("simulate.merge_damaged", file=damaged.params["file"], path=str(part.path)) from damaged
