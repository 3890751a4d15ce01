"""Why: what each rule of liangdao adds to the gain of declaring, and how much avoidance of shown waits it bears."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kwx_sim.policies import Efficient, Policy
from kwx_sim.query.arms import Arm, packed
from kwx_sim.query.decision import BreakEven, Rung
from kwx_sim.query.worlds import Scale, Worlds

__all__ = ["RUNGS", "explain", "rules_of_rungs", "with_avoidance"]

RUNGS: dict[str, dict[str, int]] = {
    "lock": {"locks_hand": 0},
    "show": {"shows": 0, "forbid_feeding": 0},
    "multiplier": {"multiplier": 1, "both_multiplier": 1},
    "feeder_pays_all": {"feeder_pays_all": 0},
    "undecided": {"undecided_first_pays": 0},
    "minimum": {"min_fan_waived_by_liangdao": 0},
}
"""Rules that make a difference of declaring, in the order in which they are turned on; each with how it is off."""

TOGETHER = "lock_and_show"
"""The first two as one step. Nothing shown hides the hands of those who have declared as well: whoever is not locked
would feed them as blindly as the locked, and what the lock costs would be put down to showing."""

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


def explain(
    worlds: Worlds, declare: Arm, against: Arm, fresh: range, *, avoided: bool
) -> tuple[tuple[Rung, ...], Rung, BreakEven | None]:
    """Why one arm differs from another, in fresh worlds: the ladder, its whole, and p* where avoidance plays a part.

    The ladder's parts sum to the whole, world by world. With every rung off declaring changes nothing, so the first
    step is 0 by itself.
    """
    rules, pair = worlds.rules, [declare, against]
    steps = [step for step in range(len(RUNGS) + 1) if step == 0 or np.any(rules[1 + step] != rules[step])]
    names = dict(enumerate(RUNGS, 1))
    if steps[1:3] == [1, 2] and np.any(worlds.known.base[0]["declared"]):
        del steps[1]
        names[2] = TOGETHER
    rungs = [packed(pair, rules=1 + step) for step in steps]
    grid = [packed(pair, policies=1 + n) for n in range(len(GRID))] if avoided else []
    points, weights = _points(worlds, np.concatenate(rungs + grid), fresh)
    gains = points[:, 0::2] - points[:, 1::2]
    added = [gains[:, column] - gains[:, column - 1] for column in range(1, len(steps))]
    ladder = tuple(Rung(names[step], *_mean(each, weights)) for step, each in zip(steps[1:], added, strict=True))
    break_even = _break_even(gains[:, len(steps) :], weights) if avoided else None
    return ladder, Rung("all", *_mean(gains[:, len(steps) - 1], weights)), break_even


def _break_even(gains: NDArray[np.float64], weights: NDArray[np.float64]) -> BreakEven:
    """p*: where the gain of declaring changes its sign as the others avoid shown waits more."""
    means, halves = zip(*(_mean(gain, weights) for gain in gains.T), strict=True)
    return BreakEven(GRID, means, halves, tuple(_roots(means)))


def _points(worlds: Worlds, arms: NDArray[np.void], fresh: range) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points of arms in fresh worlds, (worlds, arms), and the worlds' weights."""
    blocks = list(worlds.play(arms, fresh.start, fresh.stop))
    logs = np.concatenate([block.logs for block in blocks])
    scale = Scale()
    scale.learn(logs, enough=len(logs))
    points = np.concatenate([block.results["points"] for block in blocks])
    return points.astype(np.float64), scale.weights(logs)


def _mean(values: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[float, float]:
    """A weighted mean, and half of its 95% interval."""
    total = weights.sum()
    mean = (weights * values).sum() / total
    spread = (weights**2 * (values - mean) ** 2).sum() * len(values) / (len(values) - 1)
    return float(mean), float(Z * np.sqrt(spread) / total)


def _roots(gains: Sequence[float]) -> Iterator[float]:
    """Where the straight lines between the grid's points cross 0."""
    for (left, before), (right, after) in pairwise(zip(GRID, gains, strict=True)):
        if (before > 0) != (after > 0):
            yield left + (right - left) * before / (before - after)
