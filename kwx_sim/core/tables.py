"""The look-up tables, kept on disk beside the compiled kernels."""

import functools
import os
import uuid
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np

from kwx_sim.core.build import build_tables
from kwx_sim.core.jit import CACHE_DIR, records
from kwx_sim.core.layout import TABLES, Tables

__all__ = ["load_tables"]

MAGIC = b"kwx_sim tables 2"
"""How a file of tables begins; their checksum follows."""

CHECKSUM = 4
"""Bytes. A CRC of 29 MB takes 13 ms, half of what a cryptographic hash takes; nobody forges a cache of one's own."""


@functools.cache
def load_tables() -> Tables:
    """The tables, shape (1,), dtype TABLES: from the cache directory where they are there, else built and kept there.

    A cached file that is cut short or garbled is built anew; without a writable directory they stay in memory.
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
        if path.stat().st_size != len(MAGIC) + CHECKSUM + TABLES.itemsize:
            return None
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                return None
            expected = file.read(CHECKSUM)
            tables = records(1, TABLES)
            file.readinto(tables.view(np.uint8))  # type: ignore[arg-type]  # an array is a buffer
            return tables if _checksum(tables) == expected else None
    except OSError:
        return None


def _checksum(tables: Tables) -> bytes:
    return zlib.crc32(tables.view(np.uint8).data).to_bytes(CHECKSUM, "little")


def _write(path: Path, tables: Tables) -> None:
    """All or nothing: other processes see the whole file or none."""
    whole = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with whole.open("xb") as file:
            file.write(MAGIC)
            file.write(_checksum(tables))
            tables.tofile(file)
        os.replace(whole, path)
    except OSError:
        with suppress(OSError):
            whole.unlink(missing_ok=True)
