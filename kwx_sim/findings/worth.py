"""What a tile is worth in the hand, by its number and the turn: frames of forced discards compared (`discards`).

A column of estimates stands beside its `<name>_n`; what has too few comparisons is NaN.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kwx_sim.findings.discards import DRAGON, Comparison, Discards, change
from kwx_sim.findings.wins import means
from kwx_sim.report.section import estimate_columns
from kwx_sim.stats import Estimates

__all__ = ["ALL", "DRAWS", "MIDDLE", "OTHER", "chance", "fan_off", "gap", "worth"]

MIDDLE = (4, 5, 6)
OTHER = (1, 2, 3, 7, 8, 9)
CLASSES = {"4": (4,), "5": (5,), "6": (6,), "other": OTHER, "dragon": (DRAGON,)}

ALL = "all"
DRAWS = {"1-2": (1, 2), "3-4": (3, 4), "5-6": (5, 6), "7-8": (7, 8), "9-10": (9, 10)}
"""Bins of own draws, the first and the last of each."""

Found = tuple[int, Estimates]
Mask = NDArray[np.bool_]


def worth(turns: Discards) -> pd.DataFrame:
    """What it brings to keep a tile that is held once and to give up another instead, by tile and own draws.

    `worth`: against 1–3 and 7–9 held once; `missed`: the same where neither discard is won at once; `alone`: the same
    of tiles without neighbours; `alone_dragon`: against a dragon, of tiles without neighbours; `chosen`: against what
    the policy discards.
    """
    frames = []
    for number in (*MIDDLE, DRAGON, *OTHER):
        it = _of(turns, (number,)) & turns.single
        rest = _of(turns, OTHER) & turns.single & ~it
        dragons = _of(turns, (DRAGON,)) & ~it
        compared = {
            "worth": turns.compare(it, rest),
            "missed": turns.compare(it & ~turns.won, rest & ~turns.won),
            "alone": turns.compare(it & turns.alone, rest & turns.alone),
            "alone_dragon": turns.compare(it & turns.alone, dragons & turns.alone),
            "chosen": turns.against_chosen(it & turns.near),
        }
        frames.append(_by_draws(turns, compared))
        frames[-1].insert(0, "tile", "dragon" if number == DRAGON else str(number))
    return _whole_first(pd.concat(frames, ignore_index=True))


def gap(turns: Discards) -> pd.DataFrame:
    """What it brings to keep a 4 and 6 with nothing between, rather than another gap of two, by own draws."""
    return _by_draws(turns, {"gap": turns.compare(turns.middle_gap, turns.gap & ~turns.middle_gap)})


def fan_off(turns: Discards, without: Discards) -> pd.DataFrame:
    """The worth of a 4, 5 and 6 as the rules are, without the fan, and the difference, over all turns.

    Parameters
    ----------
    turns, without : of the same walls, with the fan in the rules and without
    """
    made: dict[str, list[Found]] = {"with": [], "without": [], "difference": []}
    for number in MIDDLE:
        as_is, off = (
            each.compare(_of(each, (number,)) & each.single, _of(each, OTHER) & each.single)
            for each in (turns, without)
        )
        for name, found in zip(made, (as_is.estimate(), off.estimate(), change(as_is, off)), strict=True):
            made[name].append(found)
    return _frame({"tile": [str(number) for number in MIDDLE]}, made)


def chance(turns: Discards) -> pd.DataFrame:
    """How often a discard is won at once, by class of tile and own draws.

    `chance`: whatever the others show; `nobody`: where none has declared; `somebody`: where one or both have.
    """
    shown = {"chance": turns.declared >= 0, "nobody": turns.declared == 0, "somebody": turns.declared > 0}
    bins = _bins(turns)
    frames = []
    for name, numbers in CLASSES.items():
        discards = _of(turns, numbers)
        made = {
            prefix: [turns.won_at_once(discards, chosen & those) for chosen in bins.values()]
            for prefix, those in shown.items()
        }
        frames.append(_frame({"tile": [name] * len(bins), "draws": list(bins)}, made))
    return _whole_first(pd.concat(frames, ignore_index=True))


def _of(turns: Discards, numbers: Sequence[int]) -> Mask:
    return np.isin(turns.number, numbers)


def _bins(turns: Discards) -> dict[str, Mask]:
    parts = {name: (first <= turns.draws) & (turns.draws <= last) for name, (first, last) in DRAWS.items()}
    return {ALL: np.ones(len(turns.draws), bool), **parts}


def _by_draws(turns: Discards, compared: dict[str, Comparison]) -> pd.DataFrame:
    bins = _bins(turns)
    made = {name: [found.estimate(chosen) for chosen in bins.values()] for name, found in compared.items()}
    return _frame({"draws": list(bins)}, made)


def _frame(groups: dict[str, list[str]], made: dict[str, list[Found]]) -> pd.DataFrame:
    frame = pd.DataFrame(groups)
    for name, found in made.items():
        frame[f"{name}_n"] = [n for n, _ in found]
        estimate_columns(frame, name, means([estimates for _, estimates in found]))
    return frame


def _whole_first(frame: pd.DataFrame) -> pd.DataFrame:
    """Put the rows of all draws together before those of single bins."""
    return frame.sort_values("draws", key=lambda draws: draws != ALL, kind="stable", ignore_index=True)
