"""Compiled kernels on disk: a file for each, whole or not at all, and compiled by one process at a time.

In place of numba's own files: processes that write its index at once lose each other's entries, a file that is cut
short or garbled ends in an error, or in other machine code, and a full disk fails the call.
"""

import functools
import hashlib
import os
import pickle
import re
import shutil
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core import event
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from kwx_sim.core.helper import ask_for_help, look_after_helper
from kwx_sim.core.locks import Lock, touch_held

__all__ = ["KEPT", "MISSING", "POLL", "TAKEN", "WAITING", "KernelCache", "read_checked", "write_checked"]

WAITING = "kwx_sim:waiting"
"""An event of numba's kind: while another process compiles what is needed here."""

POLL = 0.02
"""Seconds between looks at what another process compiles; a kernel takes 0.03 s to some seconds."""

NAME = re.compile(r"kernels-[0-9a-f]{16}")
"""Of a cache directory."""

UNUSED = 60 * 86400.0
"""Seconds after which a directory of another version is removed: some 80 MB each."""

KEPT, TAKEN, MISSING = "kept", "taken", "missing"
"""A signature is on disk, or some process is compiling it, or neither."""

DIGEST = hashlib.sha256


class KernelCache(_Cache):  # type: ignore[misc]  # numba has no types
    """The signatures of one kernel, kept in `directory`, which is named by everything else that they depend on."""

    def __init__(self, function: Callable[..., Any], directory: Path) -> None:
        code = function.__code__
        self._directory = directory
        self._kernel = f"{Path(code.co_filename).stem}.{function.__qualname__}-{code.co_firstlineno}"
        self._source = Path(code.co_filename)
        self._locks: dict[Path, Lock] = {}

    @property
    def cache_path(self) -> str:
        """Where it lies."""
        return str(self._directory)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load a signature, or give None where this process is to compile it; waits while another one does."""
        target_context.refresh()
        path, key = self._place(sig, target_context.codegen())
        kept = read_checked(path, key)
        if kept is None:
            kept = self._taken_or_awaited(path, key)
        return None if kept is None else CompileResult._rebuild(target_context, *pickle.loads(kept))

    def state(self, sig: Any, target_context: Any) -> str:
        """Tell how it stands with a signature among all processes: KEPT, TAKEN or MISSING."""
        path, _ = self._place(sig, target_context.codegen())
        if path.exists():
            return KEPT
        return TAKEN if Lock(path.with_suffix(".lock")).is_taken() else MISSING

    def save_overload(self, sig: Any, compiled: Any) -> None:
        """Keep a signature, where that is possible."""
        path, key = self._place(sig, compiled.codegen)
        try:
            # Code that points into this process, such as a large table taken in as a constant, is good nowhere else.
            if not compiled.library.has_dynamic_globals and not any(not lifted.can_cache for lifted in compiled.lifted):
                write_checked(path, key, dumps(compiled._reduce()))
        finally:
            touch_held()
            if lock := self._locks.pop(path, None):
                lock.release()

    def enable(self) -> None:
        """Nothing: it always is."""

    def disable(self) -> None:
        """Nothing: a kernel that is not to be kept has none."""

    def flush(self) -> None:
        """Forget what is kept."""
        for path in self._directory.glob(f"{self._kernel}.*.nbc"):
            path.unlink(missing_ok=True)

    def _place(self, sig: Any, codegen: Any) -> tuple[Path, bytes]:
        """The file of a signature, and the key that it must hold: the processor is a part of it."""
        key = repr((self._kernel, _digest_of(self._source), sig, codegen.magic_tuple())).encode()
        return self._directory / f"{self._kernel}.{DIGEST(key).hexdigest()[:16]}.nbc", key

    def _taken_or_awaited(self, path: Path, key: bytes) -> bytes | None:
        if path in self._locks:
            return None  # a compilation that failed before, in this process
        lock = Lock(path.with_suffix(".lock"))
        if not lock.take():
            with event.trigger_event(WAITING):
                while not lock.take():
                    if (kept := read_checked(path, key)) is not None:
                        return kept
                    look_after_helper()
                    time.sleep(POLL)
        if (kept := read_checked(path, key)) is not None:  # kept by another since the first look
            lock.release()
            return kept
        self._locks[path] = lock
        _remove_unused(self._directory)
        ask_for_help(self._directory)
        return None


@functools.cache
def _remove_unused(directory: Path) -> None:
    """Remove beside it what other versions have left and nobody has used for long; once a process that compiles.

    Whoever still uses it compiles again what it finds no more: a file is read whole or not at all.
    """
    with suppress(OSError):
        for other in directory.parent.iterdir():
            if other != directory and NAME.fullmatch(other.name) and not other.is_symlink():
                if time.time() - other.stat().st_mtime > UNUSED:
                    shutil.rmtree(other, ignore_errors=True)


@functools.cache
def _digest_of(source: Path) -> str:
    try:
        return DIGEST(source.read_bytes()).hexdigest()
    except OSError:
        return ""


def read_checked(path: Path, key: bytes) -> bytes | None:
    """Give what was kept under a key, or None where there is nothing or anything but that."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    size = DIGEST().digest_size
    kept = data[size:]
    return kept if data[:size] == DIGEST(key + kept).digest() else None


def write_checked(path: Path, key: bytes, data: bytes) -> None:
    """Keep data under a key, all or nothing: other processes see the whole file or none. Nothing where that fails."""
    # Not by mkstemp: others than its maker may read a cache, as in an image.
    whole = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with whole.open("xb") as file:
            file.write(DIGEST(key + data).digest())
            file.write(data)
        os.replace(whole, path)
    except OSError:
        with suppress(OSError):
            whole.unlink(missing_ok=True)
