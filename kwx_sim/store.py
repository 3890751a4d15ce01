"""A run on disk: a manifest that says what was run, and one file for each finished block.

A block is written under a temporary name and renamed, so a file with a block's name is whole. Should it still be
damaged later, or belong to another run, it is noticed when read, told, and played again. Nothing here is pickled.
"""

import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kwx_sim.errors import InputError

__all__ = ["Store", "read_manifest"]

MANIFEST = "manifest.json"
DAMAGED = (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error)
"""What numpy raises for a file that is cut short, overwritten or no archive at all."""


class Store:
    """A run's directory.

    Parameters
    ----------
    path : the directory; its parents are made where they are missing
    manifest : what is run, as plain JSON values; whatever can change a result stands in it
    resume : continue the run that is there; it must have the same manifest

    Raises InputError where a new run finds one in the directory, where a run to resume is not there or differs (naming
    what differs, and both values), and where nothing can be written.
    """

    def __init__(self, path: str | Path, manifest: Mapping[str, Any], *, resume: bool = False) -> None:
        self.path = Path(path)
        text = json.dumps(manifest, ensure_ascii=False, indent=1)
        self._run = hashlib.sha256(text.encode()).hexdigest()
        if resume:
            _refuse_difference(self.path, read_manifest(self.path), manifest)
            return
        if (self.path / MANIFEST).exists():
            raise InputError("simulate.taken", path=str(self.path))
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            _write(self.path / MANIFEST, text)
        except OSError as error:
            raise _not_writable(self.path, error) from error

    def save(self, block: int, sums: NDArray[np.int64]) -> None:
        """Write a finished block's sums. Raises InputError where they cannot be written."""
        final = self._file(block)
        partial = final.with_suffix(".part")
        try:
            with partial.open("wb") as file:
                np.savez_compressed(file, run=self._run, block=block, sums=sums)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(final)
        except OSError as error:
            raise _not_writable(self.path, error) from error

    def load(self, block: int, size: int) -> NDArray[np.int64] | None:
        """Read a block's sums, `size` of them; None where the block has not been finished.

        Raises InputError for a file that is damaged or of another run.
        """
        file = self._file(block)
        if not file.exists():
            return None
        try:
            # Opened here, for numpy leaves a file open that turns out to be no archive.
            with file.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
                sums = stored["sums"]
                if str(stored["run"]) != self._run or int(stored["block"]) != block or sums.shape != (size,):
                    raise ValueError(f"not block {block} of this run")
        except DAMAGED as error:
            raise InputError("simulate.damaged", file=str(file)) from error
        return sums  # type: ignore[no-any-return]  # an archive's arrays have no static type

    def _file(self, block: int) -> Path:
        return self.path / f"block-{block:06d}.npz"


def read_manifest(path: str | Path) -> dict[str, Any]:
    """Read the manifest of the run in a directory. Raises InputError where there is none."""
    file = Path(path) / MANIFEST
    try:
        manifest = json.loads(file.read_bytes())
    except OSError as error:
        raise InputError("simulate.no_run", path=str(path), file=MANIFEST) from error
    except (ValueError, RecursionError) as error:
        raise InputError("simulate.bad_manifest", file=str(file)) from error
    if not isinstance(manifest, dict):
        raise InputError("simulate.bad_manifest", file=str(file))
    return manifest


def _refuse_difference(path: Path, recorded: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Compare the manifests field by field; the first difference is named, with both values."""
    # A manifest that went through JSON has no tuples.
    old, new = dict(_fields(recorded)), dict(_fields(json.loads(json.dumps(asked))))
    for field in [*new, *(field for field in old if field not in new)]:
        if field not in old or field not in new or old[field] != new[field]:
            there, here = (_shown(fields, field) for fields in (old, new))
            raise InputError("simulate.differs", path=str(path), field=field, recorded=there, asked=here)


def _fields(value: Mapping[str, Any] | Sequence[Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
        if isinstance(inner, Mapping | list) and inner:
            yield from _fields(inner, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", inner


def _shown(fields: Mapping[str, Any], field: str) -> str:
    return json.dumps(fields[field], ensure_ascii=False) if field in fields else "–"


def _not_writable(path: Path, error: OSError) -> InputError:
    return InputError("simulate.not_writable", path=str(path), problem=error.strerror or type(error).__name__)


def _write(path: Path, text: str) -> None:
    partial = path.with_suffix(".part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
