"""Reading what somebody else wrote: so many bytes and no more, TOML and JSON of a few levels, files line by line.

Nothing here waits for a file that never comes, or hands out what could exhaust memory or the stack further on. Refusals
give the reason alone; whoever reads adds which file it is.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from kwx_sim.errors import InputError
from kwx_sim.refusals import finite, no_constant, once, why_unreadable

__all__ = ["STDIN", "beginning_of", "lines_of", "opened", "parsed_json", "parsed_toml", "small_file"]

STDIN = "-"

MAX_DEPTH = 32
"""Levels of tables and lists; a position has four. Python reads nearly a thousand, then fails to write them again."""

MAX_DOTS = 100
"""Dots in a line of TOML: a dotted key of n parts costs its reader n² memory; 64 KB of one took 4 GB."""

OWN_PIPES = ("/dev/", "/proc/self/fd/")
"""Where a shell's <(...) and the like lie, which are no files but mean to be read."""

# Opening a named pipe would wait until somebody writes to it. Windows has only the second.
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def small_file(path: str | Path, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit`. Raises InputError for any other, and where it cannot be read."""
    with _refusing(), _regular(path, "refusals.not_regular") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise InputError("refusals.too_large", limit=limit)
    return content


def parsed_toml(content: bytes) -> dict[str, Any]:
    """The tables of TOML in UTF-8. Raises InputError."""
    for number, line in enumerate(content.splitlines(), 1):
        if line.count(b".") > MAX_DOTS:
            raise InputError("refusals.dots", line=number, limit=MAX_DOTS)
    table: dict[str, Any] = _parsed(content, tomllib.loads)
    return table


def parsed_json(content: bytes) -> Any:
    """The value of JSON in UTF-8: strictly JSON, no field twice, finite numbers. Raises InputError."""
    return _parsed(content, _json)


def opened(path: str | Path) -> AbstractContextManager[BinaryIO]:
    """A file to be read line by line, or standard input for "-". Raises InputError where it cannot be read."""
    if str(path) == STDIN:
        return nullcontext(sys.stdin.buffer)
    with _refusing():
        return open(path, "rb") if str(path).startswith(OWN_PIPES) else _regular(path, "refusals.pipe")


def lines_of(file: BinaryIO, limit: int) -> Iterator[bytes]:
    """The lines of a file; of one that is too long so much that this can be seen, however long it is."""
    with _refusing():
        while line := file.readline(limit + 1):
            yield line
            while line and len(line) > limit and not line.endswith(b"\n"):
                line = file.readline(limit + 1)


def beginning_of(path: str | Path, size: int) -> bytes:
    """The first bytes of a file, as many as come at once; standard input keeps them for later."""
    with _refusing():
        if str(path) != STDIN:
            with _regular(path, "refusals.pipe") as file:
                return file.read(size)
        peek = getattr(sys.stdin.buffer, "peek", None)
        return peek(size)[:size] if peek else b""


def _regular(path: str | Path, refusal: str) -> BinaryIO:
    handle = os.open(path, os.O_RDONLY | _AT_ONCE)
    kind = stat.S_IFMT(os.fstat(handle).st_mode)
    if kind == stat.S_IFREG:
        return open(handle, "rb")
    os.close(handle)
    raise InputError("refusals.directory" if kind == stat.S_IFDIR else refusal)


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except OSError as error:
        raise InputError("refusals.other", problem=error.strerror or type(error).__name__) from error
    except ValueError as error:  # a name that no file can have
        raise InputError("refusals.other", problem=str(error)) from error


def _parsed(content: bytes, parse: Callable[[str], Any]) -> Any:
    try:
        value = parse(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise _why_not_parsed(error) from error
    _refuse_deep(value)
    return value


def _why_not_parsed(error: Exception) -> InputError:
    """A plain ValueError comes from Python's limit of digits in a whole number, with advice for programmers."""
    return InputError("positions.digits") if type(error) is ValueError else why_unreadable(error)


def _json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=once, parse_constant=no_constant, parse_float=finite)


def _refuse_deep(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for each in level for inner in _inner(each)]
        if not level:
            return
    raise InputError("refusals.nested")


def _inner(value: Any) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
