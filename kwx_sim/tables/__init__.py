"""The three tables: exact sums over rounds, dressed as figures with intervals, and written as CSV and Parquet.

Every table is in long form, one figure a row: `ruleset`, `cap`, `piao`, `measure`, the table's own group columns
(`all`: not told apart), then `n`, `mean` (a share is a mean), `se`, `ci_low`, `ci_high` and `unit`. Intervals are 95%
for each figure by itself. What a measure means stands in the text catalogue, area `tables`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kwx_sim import text
from kwx_sim.rules import Ruleset
from kwx_sim.tables import kawuxing, liangdao, maima
from kwx_sim.tables.rows import FIGURES, Row, Setting

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TABLES", "Setting", "applies", "dress", "headlines", "join", "notes", "write_tables"]


class Table(NamedTuple):
    """A table: its sums among core.series.SUMS, the ruleset's switch that it needs, its columns, and its rows."""

    sums: str
    applies: Callable[[Ruleset], bool]
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
    "maima_value": Table(
        "maima", lambda rules: rules.maima.enabled, maima.GROUPS, maima.HEADLINES, maima.rows
    ),
    "liangdao_timing": Table(
        "liangdao",
        lambda rules: rules.liangdao.enabled,
        liangdao.GROUPS,
        liangdao.HEADLINES,
        lambda setting, sums, _: liangdao.rows(setting, sums),
    ),
}

NOT_PLAYED = "not_in_the_rules"
"""The measure of the one row of a table that says that a ruleset has no such thing."""


def applies(table: str, rules: Ruleset) -> bool:
    """Whether the ruleset has what the table is about."""
    return TABLES[table].applies(rules)


def dress(table: str, setting: Setting, sums: Any, rules: Ruleset) -> pd.DataFrame:
    """Make one run's table from its sums, a record of core.series.SUMS.

    Figures of nothing (no such win, no such discard) are left out. Where the rules have no such thing at all, one row
    says so.
    """
    import pandas as pd

    made = TABLES[table]
    columns = ["ruleset", "cap", "piao", "measure", *made.groups, *FIGURES]
    if not made.applies(rules):
        named = {"ruleset": setting.ruleset, "cap": setting.cap, "piao": setting.piao, "measure": NOT_PLAYED, "n": 0}
        empty = [{**dict.fromkeys(made.groups, ""), **named, "unit": ""}]
        return pd.DataFrame(empty, columns=columns).astype(dict.fromkeys(("mean", "se", "ci_low", "ci_high"), "float64"))
    rows = [row for row in made.rows(setting, sums[made.sums], rules) if row["n"] > 0]
    return pd.DataFrame(rows, columns=columns)
