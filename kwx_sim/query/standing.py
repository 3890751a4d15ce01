"""How arms stand, sampled or exact: who leads, who is the rival, and what may be said of it.

What is asked is what to do first. Arms that begin alike and differ in what they do about declaring later are compared
too, but no question is open for their sake.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kwx_sim.contest import Contest, Standing
from kwx_sim.query.arms import Arm
from kwx_sim.query.decision import Difference, Provisional
from kwx_sim.sequences import Interval, Outcome, State, Verdict, verdict

__all__ = ["STATED_CAP", "Exact", "Sampled", "bound"]

STATED_CAP = 64
"""Fan of a share that is taken for the largest where the rules have no cap."""

ROUNDING = 1e-9


def bound(rules: np.void) -> float:
    """B: the largest difference between two payoffs that the rules allow, kong chains left aside.

    At best the asker draws its win, maima with it, and both others pay; at worst it feeds two wins, and where the rules
    make a feeder pay for all both shares of each.
    """
    fan = int(rules["cap"] or STATED_CAP) if rules["cap"] == 0 else max(int(rules["cap"]), int(rules["cap_for"].max()))
    factor = max(int(rules["multiplier"]), int(rules["both_multiplier"])) if rules["liangdao"] else 1
    share = fan * (1 if rules["inside_cap"] and rules["cap"] else factor)
    share += 2 * int(rules["piao_max"]) * (factor if rules["piao_inside_liangdao"] else 1)
    maima = 0
    if rules["maima"]:
        maima = max(9, int(rules["maima_dragon"])) * (factor if rules["maima_inside_liangdao"] else 1)
    pays_all = rules["feeder_pays_all"] or rules["robbed_kong_pays_all"] or rules["kong_cannon_pays_all"]
    wins, shares = 2 if rules["multiple_wins"] else 1, 2 if pays_all else 1
    kongs = 2 * (int(rules["concealed_kong"]) + int(rules["added_kong"]))
    return float(2 * (share + maima) + max(wins * shares * share, share + maima) + kongs)


class Sampled:
    """What a contest says of its arms."""

    def __init__(self, arms: Sequence[Arm], contest: Contest, standing: Standing, precision: float) -> None:
        self.arms, self.contest, self.standing, self.precision = arms, contest, standing, precision

    def ranked(self) -> list[int]:
        """Arms, the leader first: those still in by their lead, then the dropped, the last to be dropped first.

        Another arm may have the better mean of its pair with the leader: who leads is said by the worst of all pairs.
        """
        standing = self.standing
        behind = standing.differences.adjusted.mean[standing.leader]
        return sorted(
            range(self.contest.arms), key=lambda n: (n != standing.leader, not standing.still_in[n], behind[n], n)
        )

    def settled(self) -> bool:
        """Whether it is clear what to do first, or that it makes no difference."""
        return not self._open()

    def _rivals(self) -> list[int]:
        """Arms still in that begin otherwise than the leader."""
        first = self.arms[self.standing.leader].first
        return [n for n, arm in enumerate(self.arms) if self.standing.still_in[n] and arm.first != first]

    def _open(self) -> list[int]:
        """Those of them that are not known to be as good."""
        figures = self.standing.differences.adjusted
        low, high = figures.low[self.standing.leader], figures.high[self.standing.leader]
        return [n for n in self._rivals() if not -self.precision < low[n] <= high[n] < self.precision]

    def rival(self) -> int | None:
        """The arm to tell the leader from: of those that begin otherwise the hardest, else the best of all others."""
        low = self.standing.differences.adjusted.low[self.standing.leader]
        rivals = self._open() or self._rivals()
        if rivals:
            return min(rivals, key=lambda n: (low[n], n))
        others = [n for n in self.ranked() if self.arms[n].first != self.arms[self.standing.leader].first]
        return next(iter(others or self.ranked()[1:]), None)

    def told_by(self) -> tuple[int, int] | None:
        """The two arms whose difference says what to do first: the leader and the rival, as long as they may.

        The rival may have been dropped by another arm that begins as the leader does, before these two were apart.
        """
        best, other, by = self.standing.leader, self.rival(), self.standing.dropped_by
        if other is None:
            return None
        if self.standing.still_in[other] or self.standing.differences.adjusted.low[best, other] > 0:
            return best, other
        while self.arms[by[other]].first != self.arms[best].first:
            other = int(by[other])
        return int(by[other]), other

    def provisional(self) -> Provisional:
        """How it stands, for somebody who waits."""
        best, other = self.standing.leader, self.rival()
        if other is None:
            return Provisional(self.arms[best], None, None)
        return Provisional(self.arms[best], self.arms[other], self.difference(best, other))

    def difference(self, arm: int, other: int) -> Difference:
        """One arm's mean less another's, with its sequence."""
        figures = self.standing.differences

        def at(interval: Interval) -> tuple[float, float, float]:
            return tuple(float(values[arm, other]) for values in interval)  # type: ignore[return-value]  # an interval has three

        mean, low, high = at(figures.adjusted)
        _, raw_low, raw_high = at(figures.raw)
        gain = float(figures.gain[arm, other]) if np.isfinite(low) else np.nan
        return Difference(mean, low, high, raw_low, raw_high, gain)

    def own(self, arm: int) -> tuple[float, float, float, int, int]:
        """An arm's mean, low, high, worlds, and the number of the arm that beat it, −1 for none."""
        mean, low, high = (float(values[arm]) for values in self.standing.means.adjusted)
        return mean, low, high, int(self.standing.counted[arm]), int(self.standing.dropped_by[arm])

    def verdict(self) -> Verdict:
        """What the cell says of the leader's first action against all others."""
        best, other = self.standing.leader, self.rival()
        action = self.arms[best].first
        if other is None or not self._rivals():
            return Verdict(Outcome.ACTION, action, (State.ABOVE,), 0)
        return verdict([self.contest.cell(best, other)], self.precision, action, self.arms[other].first)


class Exact:
    """Exact means of arms."""

    def __init__(self, arms: Sequence[Arm]) -> None:
        self.arms = arms
        self.total, self.weight, self.worlds = np.zeros(len(arms)), 0.0, 0

    def add(self, results: NDArray[np.void], weight: int) -> None:
        """Add worlds, (worlds, n) RESULT, each of the weight."""
        self.total += float(weight) * results["points"].sum(axis=0)
        self.weight += float(weight) * len(results)
        self.worlds += len(results)

    @property
    def means(self) -> NDArray[np.float64]:
        """Bases a round by arm."""
        return self.total / self.weight

    def ranked(self) -> list[int]:
        """Arms, the best first."""
        return sorted(range(len(self.total)), key=lambda n: (-self.means[n], n))

    def rival(self) -> int | None:
        """The best of the arms that begin otherwise than the best, else the next best."""
        ranked = self.ranked()
        others = [n for n in ranked if self.arms[n].first != self.arms[ranked[0]].first]
        return next(iter(others or ranked[1:]), None)

    def difference(self, arm: int, other: int) -> Difference:
        """One arm's mean less another's."""
        d = float(self.means[arm] - self.means[other])
        return Difference(d, d, d, d, d, 1.0)

    def own(self, arm: int) -> tuple[float, float, float, int, int]:
        """As for `Sampled.own`; nothing is uncertain, and no arm is dropped."""
        mean = float(self.means[arm])
        return mean, mean, mean, self.worlds, -1

    def verdict(self) -> Verdict:
        """The first action that is better than all others, if only by little; or that there is none."""
        best, other = self.ranked()[0], self.rival()
        if other is not None and self.means[best] - self.means[other] <= ROUNDING:
            return Verdict(Outcome.TOO_CLOSE, None, (State.WITHIN,), 0)
        return Verdict(Outcome.ACTION, self.arms[best].first, (State.ABOVE,), 0)
