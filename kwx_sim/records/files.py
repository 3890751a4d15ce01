"""Records on disk: JSON lines, written as they are, read as untrusted input."""

import codecs
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Any, TypeVar

from kwx_sim.errors import InputError
from kwx_sim.records.schema import Event, check
from kwx_sim.refusals import no_constant, once, why_unreadable

__all__ = ["beginning", "dump", "located", "objects", "read", "texts", "write"]

Found = TypeVar("Found")

MAX_LINE_BYTES = 1 << 18  # a ruleset in full is the longest thing that a line may hold


def dump(event: Event) -> str:
    """One event as one line of JSON, without the line's end."""
    return json.dumps(event, ensure_ascii=False)


def write(file: IO[str], events: Iterable[Event]) -> None:
    """Write events to an open text file (UTF-8), one a line."""
    file.writelines(dump(event) + "\n" for event in events)


def read(path: str | Path) -> Iterator[tuple[int, Event]]:
    """Each event of a file, or of standard input for "-", with its line number, checked by its schema only.

    Raises InputError naming file, line and field. A line is forgotten once it is handed out, so a file may be long.
    """
    return _each(path, lambda line: check(_parsed(line)))


def objects(path: str | Path) -> Iterator[tuple[int, Any]]:
    """The JSON value of each line that is not empty, with its line number; read as `read` does."""
    return _each(path, _parsed)


def texts(path: str | Path) -> Iterator[tuple[int, str]]:
    """Each line that is not empty, as text, with its line number; read as `read` does."""
    return _each(path, _decoded)


def beginning(path: str | Path) -> str:
    """The first line of a file that is not empty, if it is near the beginning; standard input keeps it for later."""
    with _opened(path) as file:
        peek = getattr(file, "peek", None)
        head: bytes = peek(MAX_LINE_BYTES) if peek else b""
    text = head.removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="replace")
    return next((line for line in text.splitlines() if line.strip()), "")


def _each(path: str | Path, read_line: Callable[[bytes], Found]) -> Iterator[tuple[int, Found]]:
    with _opened(path) as file:
        yield from _found(file, str(path), read_line)


def _opened(path: str | Path) -> AbstractContextManager[IO[bytes]]:
    if str(path) == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise InputError("records.unreadable", file=str(path), problem=error.strerror) from error
    except ValueError as error:
        raise InputError("records.unreadable", file=repr(str(path)), problem=str(error)) from error


def _found(file: IO[bytes], name: str, read_line: Callable[[bytes], Found]) -> Iterator[tuple[int, Found]]:
    number = 0
    while line := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        try:
            if len(line) > MAX_LINE_BYTES:
                raise InputError("records.long_line", limit=MAX_LINE_BYTES)
            if line.strip():
                yield number, read_line(line)
        except InputError as problem:
            raise located(name, number, problem) from problem


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise InputError("records.not_text", problem=why_unreadable(error)) from error


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8"), object_pairs_hook=once, parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise InputError("records.not_json", problem=why_unreadable(error)) from error


def located(name: str, number: int, problem: InputError) -> InputError:
    """A problem, with the file and line where it is."""
    return InputError("records.at", file=name, line=number, problem=problem)
