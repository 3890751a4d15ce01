"""`kwx simulate`: many rounds under one ruleset, added up into tables; interrupted, resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kwx_sim.cli.command import Choice, Numbers, Place, Policies, Whole, Words, command, language, one_or_all, option
from kwx_sim.cli.progress import Progress
from kwx_sim.cli.summary import show_summary
from kwx_sim.cli.terminal import print_json, put, remark
from kwx_sim.errors import InputError
from kwx_sim.text import t

if TYPE_CHECKING:
    from pathlib import Path

    from kwx_sim.simulation import Result

__all__ = ["simulate"]

BACKENDS = ("threading", "loky", "dask")
"""Those of `kwx_sim.backends`, which is imported only when something is run."""


class Blocks(click.ParamType[range]):
    """Blocks of a run, `A:B`: from A up to but not with B."""

    name = "blocks"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> range:
        """Read the two numbers; which they may be, the run knows. Raises InputError."""
        if isinstance(value, range):
            return value
        first, colon, last = value.partition(":")
        if not colon or not all(part.isascii() and part.isdigit() and len(part) <= 12 for part in (first, last)):
            raise InputError("cli.simulate.span", option="--blocks", got=value)
        return range(int(first), int(last))


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
    from kwx_sim.simulation import simulate as run
    from kwx_sim.tables import write_tables

    lang = language()
    if given["rules"] is None and given["resume"] is None:
        given["rules"] = "xiangyang"
    for name in ("policies", "piao"):
        given[name] = one_or_all(given[name])
    where = given["out"] or given["resume"]
    with Progress(lang) as progress:
        try:
            result = run(**given, workers=workers or None, progress=progress, notice=progress.remark)
        except KeyboardInterrupt:
            progress.stop()
            key = "cli.simulate.interrupted" if where else "cli.simulate.interrupted_lost"
            remark(t(key, lang, directory=where))
            raise click.Abort from None
    files = write_tables(result.tables, where, result.provenance, lang) if where and result.tables else []
    if as_json:
        print_json(_everything(result, files))
        return
    if result.blocks_missing:
        put(t("cli.simulate.lacking", lang, directory=where, missing=result.blocks_missing, blocks=result.blocks))
        return
    show_summary(result.tables, lang)
    put(t("cli.simulate.files" if where else "cli.simulate.no_files", lang, directory=where))


def _everything(result: Result, files: list[Path]) -> dict[str, Any]:
    """Put all figures and where they come from into one object; a figure that is not there is null."""
    return {
        "tables": {
            name: frame.astype(object).where(frame.notna(), None).to_dict(orient="records")
            for name, frame in result.tables.items()
        },
        "provenance": result.provenance,
        "files": list(map(str, files)),
        "blocks_missing": result.blocks_missing,
    }
