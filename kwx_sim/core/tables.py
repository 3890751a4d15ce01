"""The look-up tables, kept on disk beside the compiled kernels."""

import functools
import os
import tempfile
from pathlib import Path

import numpy as np

from kwx_sim.core.build import build_tables
from kwx_sim.core.jit import CACHE_DIR, records
from kwx_sim.core.layout import TABLES, Tables

__all__ = ["load_tables"]

MAGIC = b"kwx_sim tables"  # how a file of tables begins


@functools.cache
def load_tables() -> Tables:
    """The tables, shape (1,), dtype TABLES: from the cache directory where they are there, else built and kept there.

    A cached file that does not have the right size is built anew; without a writable directory they stay in memory.
    """
    path = CACHE_DIR / "tables.bin" if CACHE_DIR is not None else None
    if path is not None:
        tables = _read(path)
        if tables is not None:
            return tables
    tables = build_tables()
    if path is not None:
        _write(path, tables)
    return tables


def _read(path: Path) -> Tables | None:
    try:
        if path.stat().st_size != TABLES.itemsize + len(MAGIC):
            return None
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                return None
            tables = records(1, TABLES)
            file.readinto(tables.view(np.uint8))  # type: ignore[arg-type]  # an array is a buffer
            return tables
    except OSError:
        return None


def _write(path: Path, tables: Tables) -> None:
    """All or nothing: other processes see the whole file or none."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(MAGIC)
                tables.tofile(file)
            os.replace(name, path)
        except OSError:
            os.unlink(name)
    except OSError:
        return
