"""亮倒, when: what each way of declaring wins against never declaring, by the hand and the moment."""

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np

from kwx_sim import stats
from kwx_sim.core import fork
from kwx_sim.core.tally import TURN_STARTS
from kwx_sim.tables.rows import ALL, MIN_EVENTS, Row, Setting, bin_names, row

__all__ = ["GROUPS", "HEADLINES", "MIN_EVENTS", "rows"]

DIMENSIONS = ("turn", "kinds", "live", "fan")
GROUPS = (*DIMENSIONS, "arm")

EVERY_HAND = dict.fromkeys(DIMENSIONS, ALL)
HEADLINES = {
    "liangdao_declare": {**EVERY_HAND, "measure": "difference", "arm": "declare"},
    "liangdao_in_2": {**EVERY_HAND, "measure": "difference", "arm": "in 2"},
    "liangdao_one_kind": {**EVERY_HAND, "measure": "difference", "arm": "declare", "kinds": "1"},
    "liangdao_three_kinds": {**EVERY_HAND, "measure": "difference", "arm": "declare", "kinds": "3+"},
}

NAMES = (
    [*bin_names(TURN_STARTS, first=0), ALL],  # a pong may come before the first own draw
    [*bin_names(fork.KIND_STARTS), ALL],
    [*bin_names(fork.LIVE_STARTS), ALL],
    [*bin_names(fork.FAN_STARTS), ALL],
)

MEASURES = (
    ("difference", fork.GAIN, "bases per fork, against never"),
    ("result", fork.RESULT, "bases per fork"),
    ("self_draw", fork.BY_SELF_DRAW, "share of forks"),
    ("discard_win", fork.BY_DISCARD, "share of forks"),
    ("fed", fork.FED, "share of forks"),
    ("undecided", fork.NOBODY, "share of forks"),
)
COUNTED_IN_BASES = (fork.GAIN, fork.RESULT)


def rows(setting: Setting, sums: Any) -> list[Row]:
    """Make the rows of one run from its sums, a record of core.fork.LIANGDAO_SUMS."""
    counts = sums["sums"][:, 0, fork.FORKS]
    figures = {variable: _estimates(sums, variable) for _, variable, _ in MEASURES}
    made = []
    for bins in _cells():
        cell = int(np.ravel_multi_index(bins, fork.SHAPE))
        if counts[cell] < MIN_EVENTS:
            continue
        hand = {name: names[k] for name, names, k in zip(DIMENSIONS, NAMES, bins, strict=True)}
        for arm, arm_name in enumerate(fork.ARMS):
            for measure, variable, unit in MEASURES:
                if arm == fork.NEVER and variable == fork.GAIN:
                    continue
                found = stats.Estimates(*(values[cell, arm] for values in figures[variable]))
                made.append(row(setting, measure, counts[cell], found, unit, **hand, arm=arm_name))
    return made


def _estimates(sums: Any, variable: int) -> stats.Estimates:
    """Figures of all cells and arms at once, (N_CELLS, N_ARMS) each."""
    estimate = stats.ratio if variable in COUNTED_IN_BASES else stats.proportion
    return estimate(
        sums["sums"][:, :, variable],
        sums["sums"][:, :, fork.FORKS],
        sums["squares"][:, :, variable],
        sums["with_forks"][:, :, variable],
        sums["squares"][:, :, fork.FORKS],
    )


def _cells() -> Iterator[tuple[int, ...]]:
    """All hands; by one dimension; by two; by all four."""
    pooled = [size - 1 for size in fork.SHAPE]
    for told_apart in (0, 1, 2, 4):
        for dimensions in combinations(range(len(pooled)), told_apart):
            for bins in product(*(range(pooled[d]) for d in dimensions)):
                cell = pooled.copy()
                for dimension, k in zip(dimensions, bins, strict=True):
                    cell[dimension] = k
                yield tuple(cell)
