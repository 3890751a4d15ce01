"""The three tables: exact sums over rounds, dressed as figures with intervals, and written as CSV and Parquet.

Every table is in long form, one figure a row: `ruleset`, `cap`, `piao`, `measure`, the table's own group columns
(`all`: not told apart), then `n`, `mean` (a share is a mean), `se`, `ci_low`, `ci_high` and `unit`. Intervals are 95%
for each figure by itself. What every measure means stands in the text catalogue, area `tables`, and in the notes that
are written beside the tables.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kwx_sim import text
from kwx_sim.errors import InputError
from kwx_sim.rules import Ruleset
from kwx_sim.store import write_whole
from kwx_sim.tables import kawuxing, liangdao, maima
from kwx_sim.tables.rows import FIGURES, Row, Setting

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "NOT_IN_THE_RULES",
    "TABLES",
    "Headline",
    "Setting",
    "dress",
    "headlines",
    "join",
    "notes",
    "table_files",
    "write_tables",
]


class Table(NamedTuple):
    """A table: its name among the sums, whether a ruleset has its subject, group columns, headlines, and its rows."""

    sums: str
    has: Callable[[Ruleset], bool]
    groups: tuple[str, ...]
    headlines: dict[str, dict[str, str]]
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
    """A figure for the terminal; the catalogue's `tables.headline.<name>` tells what it is.

    Where a ruleset has no such thing, the name is `not_in_the_rules` and n is 0.
    """

    table: str
    name: str
    ruleset: str
    cap: int
    n: int
    mean: float
    ci_low: float
    ci_high: float
    unit: str


def dress(table: str, setting: Setting, sums: Any, rules: Ruleset) -> pd.DataFrame:
    """Make one run's table from its sums, a record of core.series.SUMS.

    Figures that have no interval are left out: those of nothing, of too few events, and those that never varied, so
    that their spread is unknown. Where the rules have no such thing at all, one row says so.
    """
    import pandas as pd

    made = TABLES[table]
    if made.has(rules):
        rows = [row for row in made.rows(setting, sums[made.sums], rules) if _has_interval(row)]
    else:
        named = {"ruleset": setting.ruleset, "cap": setting.cap, "piao": setting.piao, "measure": NOT_IN_THE_RULES}
        rows = [
            {**named, **dict.fromkeys(made.groups, ""), "n": 0, **dict.fromkeys(ESTIMATES, float("nan")), "unit": ""}
        ]
    return pd.DataFrame(rows, columns=["ruleset", "cap", "piao", "measure", *made.groups, *FIGURES])


def _has_interval(row: Row) -> bool:
    return not math.isnan(row["se"]) and (bool(row.get("exact")) or row["ci_low"] < row["ci_high"])


def join(results: Sequence[Mapping[str, pd.DataFrame]]) -> dict[str, pd.DataFrame]:
    """Put the tables of several runs under each other."""
    import pandas as pd

    return {name: pd.concat([tables[name] for tables in results], ignore_index=True) for name in results[0]}


def headlines(tables: Mapping[str, pd.DataFrame]) -> list[Headline]:
    """Pick the few figures of each run that a terminal shows: by table, then by figure, then by run."""
    picked = []
    for table, frame in tables.items():
        chosen = {NOT_IN_THE_RULES: {"measure": NOT_IN_THE_RULES}, **TABLES[table].headlines}
        for name, values in chosen.items():
            rows = frame[(frame[list(values)] == list(values.values())).all(axis=1)]
            for row in rows.to_dict("records"):
                figures: dict[str, Any] = {column: row[column] for column in Headline._fields[2:]}
                picked.append(Headline(table, name, **figures))
    return picked


def notes(tables: Mapping[str, pd.DataFrame], lang: str = "en") -> str:
    """Explain the tables, as Markdown: what was simulated, and what every column and measure is."""
    parts = [f"# {_t('title', lang)}", _t("intro", lang)]
    for table, frame in tables.items():
        parts += [f"## {table}", _t(f"{table}.intro", lang), f"### {_t('columns', lang)}"]
        parts.append(_list((column, _t(f"column.{column}", lang)) for column in frame.columns))
        parts.append(f"### {_t('measures', lang)}")
        parts.append(_list((measure, _t(f"measure.{measure}", lang)) for measure in frame["measure"].unique()))
    return "\n\n".join(parts) + "\n"


def table_files(tables: Iterable[str]) -> list[str]:
    """Names of the files that `write_tables` makes of tables of these names, in its order."""
    return [f"{name}.{kind}" for name in tables for kind in ("csv", "parquet")] + ["notes.md", "provenance.json"]


def write_tables(
    tables: Mapping[str, pd.DataFrame],
    directory: str | Path,
    provenance: Sequence[Mapping[str, Any]],
    lang: str = "en",
) -> list[Path]:
    """Write each table as CSV and Parquet, notes.md, and provenance.json; return the files.

    Each file is there whole or not at all.

    Raises InputError where the directory cannot be written.
    """
    folder = Path(directory)
    contents: list[bytes] = []
    for frame in tables.values():
        contents.append(frame.to_csv(index=False, lineterminator="\n").encode())
        contents.append(frame.to_parquet(index=False, compression="zstd"))
    contents.append(notes(tables, lang).encode())
    contents.append((json.dumps(list(provenance), ensure_ascii=False, indent=1) + "\n").encode())
    written = [folder / name for name in table_files(tables)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in zip(written, contents, strict=True):
            write_whole(file, content)
    except OSError as error:
        raise InputError("simulate.not_writable", path=str(folder), problem=error.strerror or "") from error
    return written


def _t(name: str, lang: str) -> str:
    return text.t(f"tables.{name}", lang)


def _list(entries: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- `{name}`: {meaning}" for name, meaning in entries)
