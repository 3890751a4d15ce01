"""`kwx simulate`: many rounds under one ruleset, added up into tables; interrupted, resumed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kwx_sim.cli.command import Choice, Numbers, Place, Policies, Whole, Words, command, language, one_or_all, option
from kwx_sim.cli.progress import Progress
from kwx_sim.cli.summary import show_summary
from kwx_sim.cli.terminal import print_json, put, remark
from kwx_sim.errors import InputError
from kwx_sim.text import t

if TYPE_CHECKING:
    from kwx_sim.simulation import Result

__all__ = ["simulate"]

BACKENDS = ("threading", "loky", "dask")
"""Those of `kwx_sim.backends`, which is imported only when something is run."""

OF_A_FIELD = ("simulate.whole", "simulate.three", "simulate.no_piao")
"""Refusals of what a field of a run holds, which here is an option."""


class Blocks(click.ParamType[slice]):
    """Blocks of a run, `A:B`: from A up to but not with B; without A from the first, without B up to the last."""

    name = "blocks"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> slice:
        """Read the two numbers; which they may be, the run knows. Raises InputError."""
        if isinstance(value, slice):
            return value
        ends = re.fullmatch(r"([0-9]{0,12}):([0-9]{0,12})", value)
        if ends is None or value == ":":
            raise InputError("cli.simulate.span", option="--blocks", got=value)
        return slice(*(int(end) if end else None for end in ends.groups()))


@command("simulate")
@option("--rules", "-r", key="common.rules", metavar="NAME|FILE")
@option("--games", "-n", key="simulate.games", type=Whole(), metavar="N")
@option("--seed", key="common.seed", type=Whole(), metavar="N")
@option("--tables", key="simulate.tables", type=Words(), metavar="TABLE,...")
@option("--policies", "-p", key="common.policies", type=Policies(), metavar="P|P,P,P")
@option("--room", key="score.room", metavar="ROOM")
@option("--piao", key="common.piao", type=Numbers(), metavar="N|N,N,N")
@option("--workers", "-w", key="simulate.workers", type=Whole(), default=0, metavar="N")
@option("--backend", key="simulate.backend", type=Choice(BACKENDS), metavar="NAME")
@option("--scheduler", key="simulate.scheduler", metavar="tcp://HOST:PORT")
@option("--out", "-o", key="simulate.out", type=Place(), metavar="DIR")
@option("--resume", key="simulate.resume", type=Place(), metavar="DIR")
@option("--blocks", key="simulate.blocks", type=Blocks(), metavar="A:B")
@option("--rounds", key="simulate.rounds", is_flag=True, default=None)
@option("--json", "as_json", key="common.json", is_flag=True)
def simulate(workers: int, as_json: bool, **given: Any) -> None:
    """Simulate rounds under one ruleset."""
    lang = language()
    if given["rules"] is None and given["resume"] is None:
        given["rules"] = "xiangyang"
    for name in ("policies", "piao"):
        given[name] = one_or_all(given[name])
    where = given["out"] or given["resume"]
    files: list[Path] = []

    def keep(result: Result) -> None:
        if where and result.tables and not result.read_only:
            files.extend(_written(result, where, lang))

    with _told_of_interrupt(where, lang), _fields_as_options(), Progress(lang) as progress:
        from kwx_sim.simulation import simulate as run

        result = run(**given, workers=workers or None, progress=progress, notice=progress.remark, keep=keep)
    if as_json:
        print_json(_everything(result, files))
        return
    if result.blocks_missing:
        put(t("cli.simulate.lacking", lang, directory=where, missing=result.blocks_missing, blocks=result.blocks))
        return
    show_summary(result.tables, lang)
    told = "no_files" if not where else "read_only" if result.read_only else "files"
    put(t(f"cli.simulate.{told}", lang, directory=where))


@contextmanager
def _told_of_interrupt(where: str | None, lang: str) -> Iterator[None]:
    """Tell what an interrupt leaves, and how to go on, by what is on the disk."""
    try:
        yield
    except KeyboardInterrupt:
        remark(t(f"cli.simulate.{_left(where)}", lang, directory=where))
        raise click.Abort from None


@contextmanager
def _fields_as_options() -> Iterator[None]:
    """Name what was given as it was given: a record has a field `seed`, a call an option `--seed`."""
    try:
        yield
    except InputError as error:
        if error.key not in OF_A_FIELD:
            raise
        raise InputError(error.key, **{**error.params, "field": f"--{error.params['field']}"}) from error


def _left(where: str | None) -> str:
    if where is None:
        return "interrupted_lost"
    if not Path(where, "manifest.json").exists():
        return "interrupted_before"
    return "interrupted" if next(Path(where, "blocks").glob("*.block"), None) else "interrupted_early"


def _written(result: Result, where: str, lang: str) -> list[Path]:
    """Write the tables. Raises InputError, which tells how to go on: the rounds are all there."""
    from kwx_sim.tables import write_tables

    try:
        return write_tables(result.tables, where, result.provenance, lang)
    except InputError as error:
        raise InputError("simulate.tables_not_saved", path=where, problem=error.params["problem"]) from error


def _everything(result: Result, files: list[Path]) -> dict[str, Any]:
    """Put all figures and where they come from into one object; a figure that is not there is null."""
    return {
        "tables": {
            name: frame.astype(object).where(frame.notna(), None).to_dict(orient="records")
            for name, frame in result.tables.items()
        },
        "provenance": result.provenance,
        "files": list(map(str, files)),
        "blocks": result.blocks,
        "blocks_missing": result.blocks_missing,
    }
