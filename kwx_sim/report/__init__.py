"""The strategy report: analyses into sections of prose, tables and figures; sections into pages in two languages."""

from kwx_sim.report.run import main, run
from kwx_sim.report.section import (
    Analysis,
    Bullets,
    Column,
    Figure,
    Heading,
    Paragraph,
    Part,
    Section,
    Table,
    Words,
    Work,
    as_column,
    estimate_columns,
    ruleset_name,
    words,
)

__all__ = [
    "Analysis",
    "Bullets",
    "Column",
    "Figure",
    "Heading",
    "Paragraph",
    "Part",
    "Section",
    "Table",
    "Words",
    "Work",
    "as_column",
    "estimate_columns",
    "main",
    "ruleset_name",
    "run",
    "words",
]
