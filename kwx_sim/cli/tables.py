"""`kwx tables`: the three tables for every preset, which `make tables` leaves under reports/tables/."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from kwx_sim.cli.command import Place, Whole, command, language, option
from kwx_sim.cli.progress import Progress
from kwx_sim.cli.summary import show_summary
from kwx_sim.cli.terminal import put, remark
from kwx_sim.errors import InputError
from kwx_sim.text import t

__all__ = ["tables"]

ALL = "all"


@command("tables")
@option("--rules", "-r", key="tables.rules", default=ALL, metavar="all|NAME|FILE")
@option("--games", "-n", key="tables.games", type=Whole(), metavar="N")
@option("--seed", key="common.seed", type=Whole(), metavar="N")
@option("--workers", "-w", key="common.workers", type=Whole(), default=0, metavar="N")
@option("--out", "-o", key="tables.out", type=Place(), default="reports/tables", metavar="DIR")
def tables(rules: str, games: int | None, seed: int | None, workers: int, out: str) -> None:
    """Simulate every preset and write the three tables."""
    from kwx_sim.rules import PRESETS, load_rules
    from kwx_sim.simulation import simulate_all
    from kwx_sim.tables import write_tables

    lang = language()
    rulesets = [load_rules(name) for name in (PRESETS if rules == ALL else [rules])]
    _make_writable(Path(out))
    with Progress(lang) as progress:
        try:
            result = simulate_all(rulesets, games=games, seed=seed, workers=workers or None, progress=progress)
        except KeyboardInterrupt:
            progress.stop()
            remark(t("cli.tables.interrupted", lang))
            raise click.Abort from None
    write_tables(result.tables, out, result.provenance, lang)
    show_summary(result.tables, lang)
    put(t("cli.simulate.files", lang, directory=out))


def _make_writable(folder: Path) -> None:
    """Make the directory and try to write into it: minutes of work must not end in a refusal. Raises InputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError("cli.unwritable", file=folder, problem=error.strerror) from error
