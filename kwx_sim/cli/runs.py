"""`kwx runs`: the runs below a directory, and how far each is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kwx_sim.cli.command import Place, argument, command, language, option
from kwx_sim.cli.terminal import print_json, put, table
from kwx_sim.errors import printable
from kwx_sim.text import t

if TYPE_CHECKING:
    from kwx_sim.store import Listed

__all__ = ["runs"]

COLUMNS = ("path", "ruleset", "seed", "done", "games", "state")
NUMBERS = (2, 3, 4)


@command("runs")
@argument("directory", key="runs.directory", type=Place(), default=".", required=False, metavar="[DIR]")
@option("--json", "as_json", key="common.json", is_flag=True)
def runs(directory: str, as_json: bool) -> None:
    """List the runs below a directory."""
    from kwx_sim.runs import program
    from kwx_sim.store import list_runs

    lang = language()
    found = list(list_runs(directory, program()))
    if as_json:
        print_json([run._asdict() for run in found])
    elif found:
        headers = [t(f"cli.runs.column.{column}", lang) for column in COLUMNS]
        put(table(headers, [_row(run, lang) for run in found], right=NUMBERS))
    else:
        put(t("cli.runs.none", lang, directory=directory))


def _row(run: Listed, lang: str) -> list[str]:
    seed = "–" if run.seed is None else str(run.seed)
    done, games = ("–" if rounds is None else f"{rounds:,}" for rounds in (run.done, run.games))
    return [
        printable(run.path),
        printable(run.ruleset or "–"),
        seed,
        done,
        games,
        t(f"cli.runs.state.{run.state}", lang),
    ]
