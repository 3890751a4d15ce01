"""Why: what each rule of liangdao adds to the gain of declaring, and how much avoidance of shown waits it bears."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kwx_sim.policies import Efficient, Policy
from kwx_sim.query.arms import Arm, packed
from kwx_sim.query.decision import BreakEven, Rung
from kwx_sim.query.worlds import Worlds

__all__ = ["RUNGS", "climb", "find_break_even", "rules_of_rungs", "with_avoidance"]

RUNGS: dict[str, dict[str, int]] = {
    "lock": {"locks_hand": 0},
    "show": {"shows": 0, "forbid_feeding": 0},
    "multiplier": {"multiplier": 1, "both_multiplier": 1},
    "feeder_pays_all": {"feeder_pays_all": 0},
    "undecided": {"undecided_first_pays": 0},
    "minimum": {"min_fan_waived_by_liangdao": 0},
}
"""Rules that make a difference of declaring, in the order in which they are turned on; each with how it is off."""

GRID = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Avoidances that are tried."""

Z = 1.96


def rules_of_rungs(rules: NDArray[np.void]) -> NDArray[np.void]:
    """The rules themselves; then all rungs off, and one after the other on: (1 + 1 + rungs,) RULES."""
    made = np.repeat(rules, len(RUNGS) + 2)
    if rules[0]["min_fan_on_discard"] <= 1:
        made["min_fan_waived_by_liangdao"] = 0  # says nothing then
    for step in range(len(RUNGS) + 1):
        for off in list(RUNGS.values())[step:]:
            for field, value in off.items():
                made[1 + step][field] = value
    return made.view(np.recarray) if isinstance(rules, np.recarray) else made


def with_avoidance(policy: Policy) -> list[Policy]:
    """The policy with each avoidance of the grid; none where it has no such thing."""
    if not isinstance(policy, Efficient):
        return []
    return [policy.model_copy(update={"avoidance": avoidance}) for avoidance in GRID]


def climb(
    worlds: Worlds, rules: NDArray[np.void], declare: Arm, against: Arm, fresh: range
) -> tuple[tuple[Rung, ...], Rung]:
    """Each rule's part in the difference of two arms, and the whole: the parts sum to it, world by world.

    With every rung off declaring changes nothing, so the first step is 0 by itself.
    """
    steps = [step for step in range(len(RUNGS) + 1) if step == 0 or np.any(rules[1 + step] != rules[step])]
    arms = np.concatenate([packed([declare, against], rules=1 + step) for step in steps])
    points = _points(worlds, arms, fresh)
    gains = points[:, 0::2] - points[:, 1::2]
    names = list(RUNGS)
    rungs = []
    for column, (_, step) in enumerate(pairwise(steps), 1):
        mean, half = _mean(gains[:, column] - gains[:, column - 1])
        rungs.append(Rung(names[step - 1], mean, half))
    return tuple(rungs), Rung("all", *_mean(gains[:, -1]))


def find_break_even(worlds: Worlds, declare: Arm, against: Arm, fresh: range) -> BreakEven:
    """p*: where the gain of declaring changes its sign as the others avoid shown waits more."""
    arms = np.concatenate([packed([declare, against], policies=1 + n) for n in range(len(GRID))])
    points = _points(worlds, arms, fresh)
    means, halves = zip(*(_mean(points[:, 2 * n] - points[:, 2 * n + 1]) for n in range(len(GRID))), strict=True)
    return BreakEven(GRID, means, halves, tuple(_roots(means)))


def _points(worlds: Worlds, arms: NDArray[np.void], fresh: range) -> NDArray[np.float64]:
    blocks = worlds.play(arms, fresh.start, fresh.stop)
    return np.concatenate([block["points"] for block in blocks]).astype(np.float64)


def _mean(values: NDArray[np.float64]) -> tuple[float, float]:
    return float(values.mean()), float(Z * values.std(ddof=1) / np.sqrt(len(values)))


def _roots(gains: Sequence[float]) -> Iterator[float]:
    """Where the straight lines between the grid's points cross 0."""
    for (left, before), (right, after) in pairwise(zip(GRID, gains, strict=True)):
        if (before > 0) != (after > 0):
            yield left + (right - left) * before / (before - after)
