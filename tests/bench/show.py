"""The report: tables for the terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.figures import Figure, verdict
from bench.peers import PACKAGES

__all__ = ["best_peer", "in_words", "show"]

EXACT = 3


def show(report: Mapping[str, Any], console: Console) -> None:
    """Print every section of a report, and what it was measured on."""
    made = report["made"]
    console.print(f"{made['date']}, {made['cpu']}, one core, medians; read the ratios: machines are shared")
    for package in PACKAGES:
        console.print(f"{package}: {made['versions'][package] or 'not installed'}")
    for title, figures in report["sections"].items():
        console.print(_kernels(title, figures) if "limits" in figures[0] else _plain(title, figures))


def best_peer(row: Figure) -> tuple[str, float] | None:
    """The fastest peer at a kernel's work, and its ns; None where there is none."""
    peers = row.get("peers", {})
    return min(((name, peer["ns"]) for name, peer in peers.items()), key=lambda peer: peer[1], default=None)


def in_words(value: float, unit: str) -> str:
    """Write a figure with its unit, as exact as it deserves: rates and nanoseconds to three figures."""
    if unit in ("/s", "ns"):
        digits = max(0, EXACT - len(str(int(value))))
        text = f"{round(value, EXACT - len(str(int(value)))):,.{min(digits, 1)}f}"
    else:
        text = f"{value:,.{0 if unit == 'MB' else 2}f}"
    return text + ("" if unit in ("/s", "×") else " ") + unit


def _kernels(title: str, figures: Sequence[Figure]) -> Table:
    table = Table("work", "ns a hand", "bar", "", title=title)
    for heading in ("× index", "× look-up"):
        table.add_column(heading, justify="right")
    for package in PACKAGES:
        table.add_column(package, justify="right")
    table.add_column("× best", justify="right")
    table.caption = "index: the block indices from counts alone; look-up: one at random in 3.9 MB; = answers compared"
    for row in figures:
        best = best_peer(row)
        table.add_row(
            row["name"],
            f"{row['value']:.1f}",
            in_words(row["bar"], "ns") if row["bar"] is not None else "",
            verdict(row),
            *(f"{row['value'] / limit:.1f}" for limit in row["limits"].values()),
            *(_peer(row, package) for package in PACKAGES),
            f"{best[1] / row['value']:,.0f}" if best else "",
        )
    return table


def _peer(row: Figure, package: str) -> str:
    peer = row["peers"].get(package)
    if peer is None:
        return ""
    return f"{peer['ns']:,.0f}" + (f" ={peer['compared']:,}" if peer["compared"] else "")


def _plain(title: str, figures: Sequence[Figure]) -> Table:
    table = Table("what", "figure", "bar", "", title=title)
    for row in figures:
        bar = row["bar"]
        limit = "" if bar is None else f"{'≥' if row['at_least'] else '≤'} {in_words(bar, row['unit'])}"
        table.add_row(row["name"], in_words(row["value"], row["unit"]), limit, verdict(row))
    return table
