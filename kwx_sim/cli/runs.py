"""`kwx runs`: the runs below a directory, and how far each is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kwx_sim.cli.command import Place, argument, command, language, option
from kwx_sim.cli.terminal import cells, print_json, put, screen_width, table
from kwx_sim.errors import printable
from kwx_sim.text import t

if TYPE_CHECKING:
    from kwx_sim.store import Listed

__all__ = ["runs"]

COLUMNS = ("path", "ruleset", "seed", "done", "games", "state")
NUMBERS = ("seed", "done", "games")
LEAST = ("seed", "ruleset", "games", "done")
"""What a narrow terminal does without, in this order; a path and its state are always there."""


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
        _show(found, lang)
    else:
        put(t("cli.runs.none", lang, directory=directory))


def _show(found: list[Listed], lang: str) -> None:
    """Show the columns for which there is room. No cell is broken: a path is there to be copied."""
    rows = [_row(run, lang) for run in found]
    headers = {column: t(f"cli.runs.column.{column}", lang) for column in COLUMNS}
    widths = {
        column: max(cells(line) for line in (headers[column], *(row[column] for row in rows))) for column in COLUMNS
    }
    room, shown = screen_width(), list(COLUMNS)
    for column in LEAST:
        if room is None or _width(shown, widths) <= room:
            break
        shown.remove(column)
    layout = table(
        [headers[column] for column in shown],
        [[row[column] for column in shown] for row in rows],
        right=[place for place, column in enumerate(shown) if column in NUMBERS],
    )
    put(layout, least=_width(shown, widths))


def _width(shown: list[str], widths: dict[str, int]) -> int:
    return sum(widths[column] + 2 for column in shown)


def _row(run: Listed, lang: str) -> dict[str, str]:
    seed = "–" if run.seed is None else str(run.seed)
    done, games = ("–" if rounds is None else f"{rounds:,}" for rounds in (run.done, run.games))
    return {
        "path": printable(run.path),
        "ruleset": printable(run.ruleset or "–"),
        "seed": seed,
        "done": done,
        "games": games,
        "state": t(f"cli.runs.state.{run.state}", lang),
    }
