"""Values of a table as the page shows them."""

from __future__ import annotations

import math
from typing import Any, TypedDict

import pandas as pd

from kwx_sim.report.section import Column, Table, Words

__all__ = ["NOTHING", "Cell", "amount", "rows"]

NOTHING = "–"

INTERVAL = "estimate"
FORMATS = {"count": ",", "number": "", "signed": "+", "share": "", INTERVAL: ""}
"""What stands before the rest of a form, `number:.2f`, in Python's own."""


class Cell(TypedDict):
    """A cell as it is shown in each language, its interval (empty: it has none), and what a column is sorted by."""

    en: str
    zh: str
    interval: str
    sort: float | None


def rows(table: Table) -> list[list[Cell]]:
    """Give the rows that the page shows. Raises KeyError for a field that is not there, ValueError for a bad form."""
    shown = table.frame if table.show is None else table.frame.head(table.show)
    return [[_cell(column, row) for column in table.columns] for row in shown.to_dict("records")]


def _cell(column: Column, row: dict[Any, Any]) -> Cell:
    kind, _, rest = column.form.partition(":")
    value = row[column.field]
    if kind == "text":
        told = value if isinstance(value, Words) else Words(str(value), str(value))
        return {"en": told.en, "zh": told.zh, "interval": "", "sort": None}
    if kind not in FORMATS:
        raise ValueError(f"column {column.field}: no such form as {column.form!r}")
    if pd.isna(value):
        return {"en": NOTHING, "zh": NOTHING, "interval": "", "sort": None}
    form = FORMATS[kind] + rest
    told_value = amount(float(value), form) if rest else amount(int(value), form)
    bounds = [row[f"{column.field}_{end}"] for end in ("low", "high")] if kind == INTERVAL else []
    interval = "[" + ", ".join(amount(float(bound), form) for bound in bounds) + "]" if bounds else ""
    return {"en": told_value, "zh": told_value, "interval": interval, "sort": float(value)}


def amount(value: float, form: str) -> str:
    """Format a number for print: a true minus, no sign on what rounds to nothing, a dash for what is no number."""
    if math.isnan(value):
        return NOTHING
    told = format(value, form)
    if told[0] in "+-" and not told.strip("+-0.,%"):
        told = told[1:]
    return told.replace("-", "−")
