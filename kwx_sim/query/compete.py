"""Arms that compete in the worlds of a question, until it is clear which is best or the budget is spent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from kwx_sim.contest import PILOT, Contest, Standing
from kwx_sim.errors import InputError
from kwx_sim.query.arms import Arm, packed
from kwx_sim.query.decision import Provisional
from kwx_sim.query.figures import ArmSums
from kwx_sim.query.standing import Sampled, bound
from kwx_sim.query.worlds import BLOCK, CAP, Block, Scale, Worlds
from kwx_sim.sequences import schedule

__all__ = ["Competition", "Limits"]

Told = Callable[[int, Provisional | None], None]


@dataclass(frozen=True)
class Limits:
    """When a competition ends: worlds at most, the precision that is enough, and the moment when time is up."""

    worlds: int
    precision: float
    until: float | None = None


class Competition:
    """Arms in the worlds of a question.

    Attributes
    ----------
    found : how they stand
    sums : how their rounds ended
    done : worlds played, the pilot's among them
    ended : settled, worlds, seconds or interrupted
    cut : share of all weight that was cut off the heaviest worlds
    """

    def __init__(self, worlds: Worlds, arms: Sequence[Arm], limits: Limits, told: Told) -> None:
        self.worlds, self.arms, self.limits, self.told = worlds, list(arms), limits, told
        weighted = worlds.belief == "played"
        self.contest = Contest(len(self.arms), bound(worlds.rules[0]), heaviest=CAP if weighted else 1.0)
        self.sums, self.scale = ArmSums(len(self.arms)), Scale()
        self.done, self.ended = 0, "settled"
        self._waiting: list[Block] = []
        self.found = self._play()

    @property
    def cut(self) -> float:
        """Share of all weight that was cut off."""
        return self.scale.cut / self.scale.total if self.scale.total else 0.0

    def _play(self) -> Sampled:
        standing, now = None, None
        looks = schedule(PILOT, BLOCK, self.limits.worlds)
        if not looks:
            raise InputError("query.worlds", fewest=PILOT + 400, came=self.limits.worlds)
        try:
            for look in looks:
                self._play_until(look, standing, now)
                standing = self.contest.look()
                found = Sampled(self.arms, self.contest, standing, self.limits.precision)
                now = found.provisional()
                self.told(self.done, now)
                if found.settled():
                    return found
            self.ended = "worlds"
        except _TimeIsUpError:
            self.ended = "seconds"
        except KeyboardInterrupt:
            self.ended = "interrupted"
        if standing is None or self.ended != "worlds":
            standing = self.contest.look()
        return Sampled(self.arms, self.contest, standing, self.limits.precision)

    def _play_until(self, look: int, standing: Standing | None, now: Provisional | None) -> None:
        still = [n for n in range(len(self.arms)) if standing is None or standing.still_in[n]]
        with closing(self.worlds.play(packed([self.arms[n] for n in still]), self.done, look)) as blocks:
            for block in blocks:
                self._add(block, still)
                self.done += len(block.logs)
                self.told(self.done, now)
                if self.limits.until is not None and time.monotonic() > self.limits.until:
                    raise _TimeIsUpError

    def _add(self, block: Block, still: Sequence[int]) -> None:
        """Add a block; the first ones wait until they say what a weight of 1 is."""
        self._waiting.append(block)
        if not self.scale.known:
            self.scale.learn(block.logs)
        if self.scale.known:
            for each in self._waiting:
                self._count(each, still)
            self._waiting.clear()

    def _count(self, block: Block, arms: Sequence[int]) -> None:
        results, weights = block.results, self.scale.weights(block.logs)
        y = np.full((len(results), self.contest.arms), np.nan)
        y[:, arms] = results["points"]
        controls = np.zeros((len(results), self.contest.arms, results["luck"].shape[-1]))
        controls[:, arms] = results["luck"]
        self.contest.add(y, controls, weights)
        self.sums.add(results, arms, weights)


class _TimeIsUpError(Exception):
    """The time that was given is over."""
