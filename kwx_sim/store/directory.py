"""A run's directory while it is played: one process at a time writes finished blocks into it, and reads them again."""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from filelock import FileLock, Timeout

from kwx_sim.errors import InputError
from kwx_sim.reading import parsed_json
from kwx_sim.store.files import make_directory, read_at_most, write_whole
from kwx_sim.store.manifest import MANIFEST, Extent, identity, read_manifest, refuse_difference, write_manifest

__all__ = ["Block", "Store", "decoded", "finished_blocks", "is_played", "refuse_links", "rows_file"]

BLOCKS, ROUNDS, LOCK = "blocks", "rounds", "run.lock"
PART = 64
"""Blocks a part of the rounds' data set: a million rounds with blocks of 16,384."""

MAX_BLOCK_BYTES = 1 << 24
"""A block's sums have some 50 KB."""

MAX_ROWS_BYTES = 1 << 28
"""The rows of 16,384 rounds have some 300 KB."""

LOOK = 0.2
"""Seconds to wait for the lock: `is_played` may hold it for a moment."""

DIGEST = 64
"""Hex digits of a checksum."""

_NAME = re.compile(r"([0-9]{6}|[1-9][0-9]{6,11})\.block")


class Block(NamedTuple):
    """What is saved of a block: its packed sums and, where they are wanted, its rounds as a Parquet file."""

    sums: bytes
    rows: bytes | None = None


class Store:
    """A run's directory, open for one process; a context that gives it free.

    Parameters
    ----------
    path : the directory; its parents are made where they are missing
    manifest : what is run, as plain JSON values; whatever can change a result stands in it
    resume : continue the run that is there; it must have the same manifest, but may be given more rounds
    made_of_all : names of files in the directory that are made of all rounds; where the run is given more, they go

    Raises InputError where a new run finds one in the directory, where a run to resume is not there or differs (naming
    what differs, and both values), where another process plays into it, and where nothing can be written.

    Attributes
    ----------
    finished : numbers of the blocks that are there
    read_only : whether the directory cannot be written; only a run that is all there is opened in such a one
    """

    def __init__(
        self,
        path: str | Path,
        manifest: Mapping[str, Any],
        *,
        resume: bool = False,
        made_of_all: Iterable[str] = (),
    ) -> None:
        self.path = Path(path)
        self.extent = Extent.of(manifest, self.path)
        self._run = identity(manifest)
        self._has_rows = manifest.get("rounds") is True
        self._made_of_all = tuple(made_of_all)
        if resume:
            read_manifest(self.path)  # no lock is made where there is no run
        else:
            _make(self.path)
        refuse_links(self.path)
        self.read_only = resume and self._whole_in_a_read_only_place()
        # Nobody can play into such a place.
        self._lock = None if self.read_only else _locked(self.path)
        try:
            if resume:
                self._continue(manifest)
            else:
                self._begin(manifest)
            self.finished = finished_blocks(self.path, self.extent)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Store":
        """Begin to play into it."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the directory free."""
        self.close()

    def close(self) -> None:
        """Give the directory free for another process."""
        if self._lock is not None:
            self._lock.release()

    @property
    def complete(self) -> bool:
        """Whether every block is there."""
        return len(self.finished) == self.extent.blocks

    def save(self, number: int, block: Block) -> None:
        """Save a finished block. Raises InputError where it cannot be written; what was saved before stays."""
        try:
            if block.rows is not None:
                # Rows first: a block that is there has its rows.
                file = rows_file(self.path, number)
                make_directory(file.parent.parent)
                make_directory(file.parent)
                write_whole(file, block.rows)
            content = _encoded(self._run, number, len(self.extent.rounds(number)), block)
            write_whole(_block_file(self.path, number), content)
        except OSError as error:
            raise InputError("simulate.not_saved", path=str(self.path), problem=_problem(error)) from error
        self.finished.add(number)

    def load(self, number: int) -> bytes:
        """Read the packed sums of a finished block; its rows are checked too.

        Raises InputError for a file that is damaged or of another run; then the block counts as not finished.
        """
        try:
            return decoded(self.path, number, self._run, self.extent, rows=self._has_rows).sums
        except InputError:
            self.finished.discard(number)
            raise

    def damaged(self, number: int) -> InputError:
        """Count a block as not finished whose sums turned out to be none: what to tell of it."""
        self.finished.discard(number)
        return InputError("simulate.damaged", file=str(_block_file(self.path, number)))

    def _whole_in_a_read_only_place(self) -> bool:
        there = Extent.of(read_manifest(self.path), self.path)
        whole = there == self.extent and len(finished_blocks(self.path, there)) == there.blocks
        return whole and not os.access(self.path, os.W_OK)

    def _begin(self, manifest: Mapping[str, Any]) -> None:
        if (self.path / MANIFEST).exists():
            raise InputError("simulate.taken", path=str(self.path))
        try:
            make_directory(self.path / BLOCKS)
            write_manifest(self.path, manifest)
        except OSError as error:
            raise _not_writable(self.path, error) from error

    def _continue(self, manifest: Mapping[str, Any]) -> None:
        recorded = read_manifest(self.path)
        refuse_difference("simulate.differs", self.path, recorded, manifest)
        before = Extent.of(recorded, self.path)
        if before.games > self.extent.games:
            raise InputError("simulate.smaller", path=str(self.path), recorded=before.games, asked=self.extent.games)
        try:
            make_directory(self.path / BLOCKS)
            if before.games < self.extent.games:
                self._extend(before, manifest)
        except OSError as error:
            raise _not_writable(self.path, error) from error

    def _extend(self, before: Extent, manifest: Mapping[str, Any]) -> None:
        """Make the run longer.

        What would not be true of it goes first, the tables and a last block that was short: a table that is there is of
        the whole run, and a block that is there has all its rounds.
        """
        for name in self._made_of_all:
            (self.path / name).unlink(missing_ok=True)
        last = before.blocks - 1
        if len(before.rounds(last)) < len(self.extent.rounds(last)):
            for file in (_block_file(self.path, last), rows_file(self.path, last)):
                file.unlink(missing_ok=True)
        write_manifest(self.path, manifest)


def finished_blocks(path: Path, extent: Extent) -> set[int]:
    """Numbers of the blocks that a run's directory has: one look at the names, no file is opened."""
    try:
        with os.scandir(path / BLOCKS) as entries:
            numbers = {int(name[1]) for entry in entries if (name := _NAME.fullmatch(entry.name))}
    except OSError:
        return set()
    return {number for number in numbers if number < extent.blocks}


def decoded(path: Path, number: int, run: str, extent: Extent, *, rows: bool) -> Block:
    """Read and check a block of a run, with its rows where it must have them.

    Raises InputError where a file is damaged, or is not this block of this run.
    """
    file = _block_file(path, number)
    try:
        content = read_at_most(file, MAX_BLOCK_BYTES)
        head, sums = _checked(content)
        if (head.get("run"), head.get("block"), head.get("rounds")) != (run, number, len(extent.rounds(number))):
            raise ValueError(f"{file} is not block {number} of this run")
        if not rows:
            return Block(sums)
        file = rows_file(path, number)
        table = read_at_most(file, MAX_ROWS_BYTES)
        if _digest(table) != head.get("rows"):
            raise ValueError(f"{file} is not what was written")
    except (OSError, ValueError) as error:
        raise InputError("simulate.damaged", file=str(file)) from error
    return Block(sums, table)


def rows_file(path: Path, number: int) -> Path:
    """Where the rows of a block are, in a Parquet data set with one partition column, `part`."""
    return path / ROUNDS / f"part={number // PART:04d}" / f"block-{number:06d}.parquet"


def refuse_links(path: Path) -> None:
    """Refuse a directory that leads out of itself: another's run could have its files written anywhere."""
    for directory in (path, path / ROUNDS):
        if directory != path and not directory.is_dir():
            continue
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.is_symlink():
                    raise InputError("simulate.link", file=entry.path)


def _encoded(run: str, number: int, rounds: int, block: Block) -> bytes:
    """A block as a file: the SHA-256 of all that follows its line; a line that says what it is; the sums."""
    head: dict[str, Any] = {"run": run, "block": number, "rounds": rounds}
    if block.rows is not None:
        head["rows"] = _digest(block.rows)
    told = json.dumps(head).encode() + b"\n" + block.sums
    return _digest(told).encode() + b"\n" + told


def _checked(content: bytes) -> tuple[dict[str, Any], bytes]:
    """Take a block's file apart. Raises ValueError where it is damaged."""
    told = content[DIGEST + 1 :]
    if content[: DIGEST + 1] != _digest(told).encode() + b"\n":
        raise ValueError("the checksum is another")
    line, _, sums = told.partition(b"\n")
    head = parsed_json(line)
    if not isinstance(head, dict):
        raise ValueError("no table")
    return head, sums


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _block_file(path: Path, number: int) -> Path:
    return path / BLOCKS / f"{number:06d}.block"


def _make(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _not_writable(path, error) from error


def _locked(path: Path) -> FileLock:
    """Lock a run's directory until it is closed or the process ends, however it ends."""
    lock = FileLock(path / LOCK, thread_local=False)
    try:
        lock.acquire(timeout=LOOK, poll_interval=LOOK / 4)
    except Timeout as error:
        raise InputError("simulate.busy", path=str(path)) from error
    except (OSError, NotImplementedError) as error:
        raise _not_writable(path, error) from error
    return lock


def is_played(path: Path) -> bool:
    """Whether a process plays into a run's directory at the moment; nothing is written, and nobody waited for."""
    try:
        import fcntl
    except ImportError:  # Windows
        return False
    try:
        handle = os.open(path / LOCK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


def _not_writable(path: Path, error: Exception) -> InputError:
    return InputError("simulate.not_writable", path=str(path), problem=_problem(error))


def _problem(error: Exception) -> str:
    return getattr(error, "strerror", None) or type(error).__name__
