"""Parts of one run, played on several machines, joined into one directory."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kwx_sim.errors import InputError
from kwx_sim.store.directory import Store, decoded, finished_blocks, refuse_links
from kwx_sim.store.manifest import Extent, identity, read_manifest, refuse_difference

__all__ = ["Merged", "merge"]


class Merged(NamedTuple):
    """What a merge made: blocks that are there, and blocks in all."""

    blocks: int
    in_all: int


class _Part(NamedTuple):
    path: Path
    manifest: dict[str, Any]
    blocks: list[int]


def merge(directories: Sequence[str | Path], out: str | Path) -> Merged:
    """Join disjoint parts of one run into a new directory, which can then be resumed.

    Every block is checked before anything is written. Parts may have different numbers of rounds in all; the run has
    the largest, and a block that is short for it is left out.

    Raises InputError where the parts are of different runs, have a block in common, or hold a damaged one, and where
    the new directory holds a run or cannot be written.
    """
    manifests: dict[Path, dict[str, Any]] = {}
    for path in map(Path, directories):
        if path in manifests:
            raise InputError("simulate.merge_twice", path=str(path))
        manifests[path] = read_manifest(path)
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
    with Store(out, manifest) as store:
        for part in parts:
            for number in part.blocks:
                store.save(number, _block(part, number))
        return Merged(len(store.finished), extent.blocks)


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
