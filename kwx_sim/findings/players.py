"""Players compared on equal deals, as several sections tell it: where one gained, where it lost, and how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kwx_sim.findings.rounds import borderline, estimates_in, said, verdict
from kwx_sim.findings.wins import MIN_EVENTS, NOTHING
from kwx_sim.report.section import Words, ruleset_name, words
from kwx_sim.report.verdicts import DELTA
from kwx_sim.stats import Estimates

__all__ = ["HARDLY", "VERDICTS", "differing", "enumerated", "found_in", "verdict_in", "where_enough"]

VERDICTS = ("above", "below", "within", "hardly", "unclear", "too_few")

HARDLY = 0.01
"""A share of rounds: a player that so few went differently for was hardly another one, which proves no equality."""


def enumerated(items: Sequence[Words]) -> Words:
    """Put the items of a list one after another."""
    return Words.join(items, en=", ", zh="、")


def found_in(rows: pd.DataFrame, field: str = "gain") -> Words:
    """Say under which rulesets a gain is above the margin, below it, within, not clear, or rests on too few rounds.

    Parameters
    ----------
    rows : a row each ruleset: `ruleset`, and an estimate of that field; NaN for `where_enough`'s reason; where it is
        known, an estimate `differ` of the share of rounds that went differently
    """
    cells: dict[str, list[Words]] = {verdict: [] for verdict in VERDICTS}
    for _, row in rows.iterrows():
        how = verdict_in(row, field)
        key = "report_players.name" if how == "too_few" else "report_players.cell"
        if how != "too_few" and borderline(estimates_in(row, field)):
            key = "report_players.borderline"
        gain = said(estimates_in(row, field), "+.3f")
        cells[how].append(words(key, ruleset=ruleset_name(row["ruleset"]), gain=gain))
    told = [
        words(f"report_players.{how}", cells=enumerated(found), few=MIN_EVENTS, margin=DELTA, hardly=f"{HARDLY:.0%}")
        for how, found in cells.items()
        if found
    ]
    return Words.join(told, en="; ", zh="；")


def verdict_in(row: Any, field: str) -> str:
    """Tell where an estimate of a row lies: a `Verdict`; too_few where there is none; hardly where it had no chance.

    Hardly is what lies within the margin while under HARDLY of the rounds went differently.
    """
    found = estimates_in(row, field)
    if np.isnan(found.mean):
        return "too_few"
    how = verdict(found)
    return "hardly" if how == "within" and row.get("differ", np.nan) < HARDLY else how


def differing(one: NDArray[np.void], other: NDArray[np.void]) -> NDArray[np.bool_]:
    """Tell which rounds of two players, rows of `play_seats` on the same walls, went differently in any way."""
    different = np.zeros(one.shape, bool)
    for name in one.dtype.names or ():
        apart = one[name] != other[name]
        different |= apart.reshape(*one.shape, -1).any(axis=-1)
    return different


def where_enough(found: Estimates, different: NDArray[np.bool_]) -> Estimates:
    """Give NaN for a gain where fewer than MIN_EVENTS rounds went differently: its interval would say too much."""
    return found if np.count_nonzero(different) >= MIN_EVENTS else NOTHING
