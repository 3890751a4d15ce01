"""Files that are whole or not there, and readers that neither wait, nor follow a link, nor read without end."""

import os
import stat
from contextlib import suppress
from pathlib import Path

__all__ = ["make_directory", "move_directory", "read_at_most", "write_whole"]

# Windows has neither, and no links without special rights.
_PLAIN_FILE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_DIRECTORY = getattr(os, "O_DIRECTORY", None)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, even should the machine lose its power.

    Raises OSError, and then leaves nothing behind.
    """
    # The dot: readers of a data set pass over such names.
    partial = path.with_name(f".{path.name}.part")
    with suppress(FileNotFoundError):
        partial.unlink()
    try:
        # Exclusive: a link that somebody put there is not written through.
        with partial.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise
    _sync_names(path.parent)


def read_at_most(path: Path, limit: int) -> bytes:
    """Read a regular file of at most so many bytes. Raises OSError, and ValueError for any other file."""
    handle = os.open(path, os.O_RDONLY | _PLAIN_FILE | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError(f"{path} is no regular file")
        content = file.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"{path} has more than {limit} bytes")
    return content


def make_directory(path: Path) -> None:
    """Make a directory, lasting like the files in it, in one that is there. Raises OSError."""
    try:
        path.mkdir()
    except FileExistsError:
        if not path.is_dir():
            raise
        return
    _sync_names(path.parent)


def move_directory(path: Path, target: Path) -> None:
    """Give a directory its name at last; one of that name may be there if it is empty. Raises OSError."""
    with suppress(FileNotFoundError):
        target.rmdir()
    path.rename(target)
    _sync_names(target.parent)


def _sync_names(directory: Path) -> None:
    """Sync a directory: a renamed file has its new name on disk only then."""
    if _DIRECTORY is None:
        return
    handle = os.open(directory, os.O_RDONLY | _DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
