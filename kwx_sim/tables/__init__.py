"""The three tables: exact sums over rounds, dressed as figures with intervals, and written as CSV and Parquet.

Every table is in long form, one figure a row: `ruleset`, `cap`, `piao`, `measure`, the table's own group columns
(`all`: not told apart), then `n`, `mean` (a share is a mean), `se`, `ci_low`, `ci_high` and `unit`. Intervals are 95%
for each figure by itself. What every measure means stands in the text catalogue, area `tables`, and in the notes that
are written beside the tables.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kwx_sim import text
from kwx_sim.errors import InputError
from kwx_sim.rules import Ruleset
from kwx_sim.tables import kawuxing, liangdao, maima
from kwx_sim.tables.rows import FIGURES, Row, Setting

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TABLES", "Headline", "Setting", "dress", "headlines", "join", "notes", "write_tables"]


class Table(NamedTuple):
    """A table: its name among the sums, whether a ruleset has its subject, group columns, headlines, and its rows."""

    sums: str
    has: Callable[[Ruleset], bool]
    groups: tuple[str, ...]
    headlines: tuple[dict[str, str], ...]
    rows: Callable[[Setting, Any, Ruleset], list[Row]]


TABLES: dict[str, Table] = {
    "kawuxing_frequency": Table(
        "kawuxing",
        lambda rules: rules.fans.value("kawuxing") > 0,
        kawuxing.GROUPS,
        kawuxing.HEADLINES,
        lambda setting, sums, _: kawuxing.rows(setting, sums),
    ),
    "maima_value": Table("maima", lambda rules: rules.maima.enabled, maima.GROUPS, maima.HEADLINES, maima.rows),
    "liangdao_timing": Table(
        "liangdao",
        lambda rules: rules.liangdao.enabled,
        liangdao.GROUPS,
        liangdao.HEADLINES,
        lambda setting, sums, _: liangdao.rows(setting, sums),
    ),
}

NOT_IN_THE_RULES = "not_in_the_rules"
"""The measure of a table's only row for a ruleset that has no such thing."""

ESTIMATES = ("mean", "se", "ci_low", "ci_high")


class Headline(NamedTuple):
    """A figure for the terminal; `name` is its key in the catalogue. n is 0 where the rules have no such thing."""

    table: str
    ruleset: str
    cap: int
    name: str
    n: int
    mean: float
    ci_low: float
    ci_high: float


def dress(table: str, setting: Setting, sums: Any, rules: Ruleset) -> pd.DataFrame:
    """Make one run's table from its sums, a record of core.series.SUMS.

    Figures of nothing (no such win, no such discard) are left out. Where the rules have no such thing at all, one row
    says so.
    """
    import pandas as pd

    made = TABLES[table]
    if made.has(rules):
        rows = [row for row in made.rows(setting, sums[made.sums], rules) if row["n"] > 0]
    else:
        named = {"ruleset": setting.ruleset, "cap": setting.cap, "piao": setting.piao, "measure": NOT_IN_THE_RULES}
        rows = [{**named, **dict.fromkeys(made.groups, ""), "n": 0, **dict.fromkeys(ESTIMATES, float("nan")), "unit": ""}]
    return pd.DataFrame(rows, columns=["ruleset", "cap", "piao", "measure", *made.groups, *FIGURES])


def join(results: Sequence[Mapping[str, pd.DataFrame]]) -> dict[str, pd.DataFrame]:
    """Put the tables of several runs under each other."""
    import pandas as pd

    return {name: pd.concat([tables[name] for tables in results], ignore_index=True) for name in results[0]}


def headlines(tables: Mapping[str, pd.DataFrame]) -> Iterator[Headline]:
    """Pick the few figures of each run that a terminal shows, table by table."""
    for table, frame in tables.items():
        for (ruleset, cap), run in frame.groupby(["ruleset", "cap"], sort=False):
            for chosen in ({"measure": NOT_IN_THE_RULES}, *TABLES[table].headlines):
                found = run
                for column, value in chosen.items():
                    found = found[found[column] == value]
                for row in found.itertuples():
                    yield Headline(table, ruleset, cap, headline_key(chosen), row.n, row.mean, row.ci_low, row.ci_high)
