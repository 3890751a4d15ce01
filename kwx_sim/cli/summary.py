"""The few figures of the tables that fit a terminal, each with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from kwx_sim.cli.terminal import hang, put, table
from kwx_sim.text import t

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType

    from kwx_sim.tables import Headline

__all__ = ["show_summary"]


def show_summary(tables: Mapping[str, pd.DataFrame], lang: str) -> None:
    """Show each table's headlines: one run's under each other, those of several runs a line each."""
    from kwx_sim.tables import NOT_IN_THE_RULES, headlines

    for name, group in groupby(headlines(tables), key=lambda headline: headline.table):
        found = list(group)
        runs = list(dict.fromkeys(map(_run, found)))
        with_it = [one for one in found if one.name != NOT_IN_THE_RULES]
        put(f"{name}  {t(f'cli.summary.{name}', lang)}", "bold")
        if with_it:
            put(_of_one_run(with_it, lang) if len(runs) == 1 else _of_runs(with_it, lang))
        without = dict.fromkeys(one.ruleset for one in found if one.name == NOT_IN_THE_RULES)
        if without:
            put(hang("", t("cli.summary.without", lang, rules=", ".join(without))))
        put()
    put(hang("", t("cli.summary.intervals", lang)), "dim")


def _run(headline: Headline) -> str:
    """Name a run: its ruleset, and the cap, which tells rooms apart."""
    return f"{headline.ruleset} {headline.cap}" if headline.cap else headline.ruleset


def _of_one_run(found: Sequence[Headline], lang: str) -> RenderableType:
    headers = [_run(found[0]), t("cli.summary.mean", lang), t("cli.summary.n", lang)]
    rows = [(t(f"tables.headline.{one.name}", lang), _figure(one), f"{one.n:,}") for one in found]
    return table(headers, rows, right=[1, 2])


def _of_runs(found: Sequence[Headline], lang: str) -> RenderableType:
    names = list(dict.fromkeys(one.name for one in found))
    figures = {(_run(one), one.name): _figure(one) for one in found}
    headers = [t("cli.summary.run", lang), *(t(f"tables.headline.{name}", lang) for name in names)]
    runs = dict.fromkeys(run for run, _ in figures)
    rows = [[run, *(figures.get((run, name), "–") for name in names)] for run in runs]
    return table(headers, rows, right=range(1, len(headers)))


def _figure(one: Headline) -> str:
    """Write a figure with half its interval: `12.3% ±0.4`, `1.24 ±0.06`; an exact one has none."""
    half = (one.ci_high - one.ci_low) / 2
    if one.unit.startswith("share"):
        return f"{100 * one.mean:.1f}% ±{100 * half:.1f}"
    return (f"{one.mean:.2f} ±{half:.2f}" if half else f"{one.mean:.3f}").replace("-", "−")
