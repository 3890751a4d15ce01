"""The command lines of the report and of its sections, told and refused in the language of the call."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

from kwx_sim import text
from kwx_sim.errors import InputError
from kwx_sim.runs import MAX_GAMES, MAX_SEED, MAX_WORKERS, default_workers, whole

__all__ = ["ALL", "Asked", "language", "read"]

ALL = "all"


@dataclass(frozen=True)
class Asked:
    """What a command line asks for; `games` is None where each analysis has its own, `only` is empty for all."""

    rules: str
    games: int | None
    seed: int
    quick: bool
    workers: int
    out: Path
    only: tuple[str, ...]
    lang: str


class _Parser(argparse.ArgumentParser):
    """Refuses in one line."""

    def error(self, message: str) -> NoReturn:
        raise InputError("report.refused.arguments", problem=message)


def read(arguments: Sequence[str], *, name: str, many: bool) -> Asked:
    """Read a command line. Raises InputError; SystemExit after help.

    Parameters
    ----------
    name : of the module that is run
    many : whether it makes the whole report, of which a part may be asked for
    """
    lang = language(arguments)

    def told(key: str) -> str:
        return text.t(f"report.command.{key}", lang).replace("%", "%%")

    parser = _Parser(prog=f"python -m {name}", description=told("report" if many else "section"), allow_abbrev=False)
    parser.add_argument("--rules", metavar="NAME|FILE", default=ALL, help=told("rules"))
    parser.add_argument("--games", metavar="N", help=told("games"))
    parser.add_argument("--seed", metavar="N", default="1", help=told("seed"))
    parser.add_argument("--quick", action="store_true", help=told("quick"))
    parser.add_argument("--workers", metavar="N", default="0", help=told("workers"))
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("reports"), help=told("out"))
    parser.add_argument("--lang", choices=text.LANGS, default=lang, help=told("lang"))
    if many:
        parser.add_argument("--only", metavar="NAME,...", default="", help=told("only"))
    found = parser.parse_args(arguments)
    return Asked(
        rules=found.rules,
        games=None if found.games is None else _whole("games", found.games, 1, MAX_GAMES),
        seed=_whole("seed", found.seed, 0, MAX_SEED),
        quick=found.quick,
        workers=_whole("workers", found.workers, 0, MAX_WORKERS) or default_workers(),
        out=found.out,
        only=tuple(part.strip() for part in getattr(found, "only", "").split(",") if part.strip()),
        lang=found.lang,
    )


def language(arguments: Sequence[str] | None = None) -> str:
    """Tell the language of a call before its arguments are read: what refuses them speaks it too."""
    words = [word for argument in (sys.argv[1:] if arguments is None else arguments) for word in argument.split("=", 1)]
    for flag, value in pairwise(words):
        if flag == "--lang" and value in text.LANGS:
            return value
    return text.default_lang()


def _whole(name: str, given: str, low: int, high: int) -> int:
    """Read a whole number, which may be written 2e6 or 2_000_000."""
    try:
        number = Decimal(given)
        # Compared before it is written out: 1e999999999 would take the memory of the machine.
        if low <= number <= high and number == int(number):
            return int(number)
    except InvalidOperation:
        pass
    return whole(f"--{name}", given, low, high)  # refuses it
