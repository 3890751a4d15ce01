"""Who compiles what, told between processes by files: on one machine, or on several that share a home.

A file that only one can create, in place of a lock of the system's, which network file systems grant to two hosts at
once, or to none. Nothing rests on it but time: two that compile the same kernel write the same file.
"""

import atexit
import os
import platform
import time
from contextlib import suppress
from pathlib import Path

__all__ = ["Lock", "release_all", "touch_held"]

HOST = platform.node()

ABANDONED = 60.0
"""Seconds without a sign of life after which a lock is taken over; the largest kernel compiles for 5 s."""

_held: set["Lock"] = set()


class Lock:
    """A file that says which process is at work."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mark = f"{HOST} {os.getpid()}"

    def take(self) -> bool:
        """Take it, from a dead process too: whether this process has it. Where no file can be made everybody has."""
        for _ in range(2):
            try:
                with self._path.open("x", encoding="utf-8") as file:
                    _held.add(self)
                    file.write(self._mark)
                return True
            except FileExistsError:
                if not self._is_abandoned():
                    return False
                # Two that find it abandoned at once may both take it, and do the same work twice.
                self._path.unlink(missing_ok=True)
            except OSError:
                return True
        return False

    def is_taken(self) -> bool:
        """Whether a process is at work."""
        return self._path.exists() and not self._is_abandoned()

    def release(self) -> None:
        """Give it back, if it still is this process's."""
        _held.discard(self)
        with suppress(OSError):
            # Empty where the disk was full.
            if self._path.read_text(encoding="utf-8") in (self._mark, ""):
                self._path.unlink()

    def touch(self) -> None:
        """Show that work goes on."""
        with suppress(OSError):
            os.utime(self._path)

    def _is_abandoned(self) -> bool:
        try:
            host, _, process = self._path.read_text(encoding="utf-8", errors="replace").rpartition(" ")
            quiet = time.time() - self._path.stat().st_mtime
        except OSError:
            return False  # released meanwhile
        if host == HOST and process.isdecimal() and not _lives(int(process)):
            return True
        return quiet > ABANDONED


def touch_held() -> None:
    """Show that this process goes on with all that it has taken."""
    for lock in tuple(_held):
        lock.touch()


@atexit.register
def release_all() -> None:
    """Give everything back."""
    for lock in tuple(_held):
        lock.release()


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
