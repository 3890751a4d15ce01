"""`kwx tables`: the three tables for every preset, which `make tables` leaves under reports/tables/."""

from __future__ import annotations

from pathlib import Path

from kwx_sim.cli.command import Whole, command, language, option
from kwx_sim.cli.progress import Progress
from kwx_sim.cli.summary import show_summary
from kwx_sim.cli.terminal import put
from kwx_sim.text import t

__all__ = ["tables"]

ALL = "all"


@command("tables")
@option("--rules", "-r", key="tables.rules", default=ALL, metavar="all|NAME|FILE")
@option("--games", "-n", key="tables.games", type=Whole(), metavar="N")
@option("--seed", key="common.seed", type=Whole(), metavar="N")
@option("--workers", "-w", key="common.workers", type=Whole(), default=0, metavar="N")
@option("--out", "-o", key="tables.out", default="reports/tables", metavar="DIR")
def tables(rules: str, games: int | None, seed: int | None, workers: int, out: str) -> None:
    """Simulate every preset and write the three tables."""
    from kwx_sim.rules import PRESETS
    from kwx_sim.simulation import simulate_all
    from kwx_sim.tables import write_tables

    lang = language()
    _check_writable(Path(out))
    chosen = PRESETS if rules == ALL else [rules]
    with Progress(lang) as progress:
        result = simulate_all(chosen, games=games, seed=seed, workers=workers or None, progress=progress)
    files = write_tables(result.tables, out, result.provenance, lang)
