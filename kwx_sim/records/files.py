"""Records on disk: JSON lines, written as they are, read as untrusted input."""

import codecs
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar

from kwx_sim.errors import InputError
from kwx_sim.reading import beginning_of, lines_of, opened, parsed_json
from kwx_sim.records.schema import Event, check
from kwx_sim.refusals import why_unreadable

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
    try:
        head = beginning_of(path, MAX_LINE_BYTES)
    except InputError as problem:
        raise _unreadable(path, problem) from problem
    text = head.removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="replace")
    return next((line for line in text.splitlines() if line.strip()), "")


def _each(path: str | Path, read_line: Callable[[bytes], Found]) -> Iterator[tuple[int, Found]]:
    try:
        opening = opened(path)
    except InputError as problem:
        raise _unreadable(path, problem) from problem
    with opening as file:
        for number, line in _numbered(path, file):
            try:
                if len(line) > MAX_LINE_BYTES:
                    raise InputError("records.long_line", limit=MAX_LINE_BYTES)
                found = read_line(line)
            except InputError as problem:
                raise located(str(path), number, problem) from problem
            yield number, found


def _numbered(path: str | Path, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines that are not empty."""
    try:
        for number, line in enumerate(lines_of(file, MAX_LINE_BYTES), 1):
            text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            if text.strip():
                yield number, text
    except InputError as problem:
        raise _unreadable(path, problem) from problem


def _unreadable(path: str | Path, problem: InputError) -> InputError:
    return InputError("records.unreadable", file=str(path), problem=problem)


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise InputError("records.not_text", problem=why_unreadable(error)) from error


def _parsed(line: bytes) -> Any:
    try:
        return parsed_json(line)
    except InputError as problem:
        raise InputError("records.not_json", problem=problem) from problem


def located(name: str, number: int, problem: InputError) -> InputError:
    """A problem, with the file and line where it is."""
    return InputError("records.at", file=name, line=number, problem=problem)
