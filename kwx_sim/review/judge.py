"""One decision weighed: the choice that was made against the best of the others, in the same worlds.

All play a few worlds first. Where one comes out better than the choice that was made by more than the precision, the
best two are compared with it in other worlds, which did not choose them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from kwx_sim.errors import InputError
from kwx_sim.policies import Policy
from kwx_sim.query.arms import Arm, packed
from kwx_sim.query.compete import Competition, Limits
from kwx_sim.query.decision import Difference
from kwx_sim.query.question import Options, Question
from kwx_sim.query.standing import Sampled
from kwx_sim.review.faced import Faced
from kwx_sim.review.kinds import kind_of

__all__ = ["PRECISION", "WORLDS", "Judge", "Judged", "State"]

WORLDS = 8_000
PRECISION = 0.2

SCREEN = 1_200
"""Worlds in which all arms play, to find those worth comparing."""

FINALISTS = 2
"""Arms that the one taken is compared with then, in other worlds: those that chose them flatter them."""

FEW = 0.1
"""Share of its worlds to which the effective size must not fall under a belief from play."""

SCREENING, DECIDING = 0, 1


class State(StrEnum):
    """What is known of a decision."""

    ERROR = "error"
    """Another choice was better, with the whole interval."""

    UNCLEAR = "unclear"
    """Another may have been better by more than the precision."""
    FINE = "fine"
    """None is known to be, nor did one come out so by more than the precision."""
    UNANSWERED = "unanswered"
    """No worlds could be made for what the seat knew."""


@dataclass(frozen=True)
class Judged:
    """A decision and what is known of it.

    Attributes
    ----------
    taken, better : the choice that was made, and the best of the others; None where nothing is known
    cost : `better` less `taken`, bases a round
    kind : of mistake, one of kinds.KINDS, as if it were one
    worlds : that were played
    belief : how hidden tiles were drawn
    """

    faced: Faced
    state: State
    taken: Arm | None = None
    better: Arm | None = None
    cost: Difference | None = None
    kind: str = ""
    worlds: int = 0
    belief: str = ""


@dataclass(frozen=True)
class Judge:
    """How decisions are weighed: policies, most worlds for each, what makes no difference, the seed, threads."""

    me: Policy
    opponents: Mapping[str, Policy]
    worlds: int = WORLDS
    precision: float = PRECISION
    seed: int = 1
    workers: int = 0

    def __call__(self, faced: Faced) -> Judged:
        """Weigh a decision. KeyboardInterrupt goes through."""
        try:
            return self._judged(faced)
        except InputError:
            return Judged(faced, State.UNANSWERED)

    def _judged(self, faced: Faced) -> Judged:
        screened = self._screened(faced)
        arms, ranked = screened.arms, screened.found.ranked()
        taken = _taken(faced, arms, ranked)
        finalists = _others(arms, ranked, taken)[:FINALISTS]
        if screened.found.difference(finalists[0], taken).mean < self.precision:
            return self._told(faced, State.FINE, screened, taken, finalists[0])
        asked = self._asked(faced, DECIDING, screened.worlds.belief)
        final = self._compete(asked, [arms[n] for n in (taken, *finalists)], self.worlds)
        better = _better(final.found)
        return self._told(faced, self._state(final.found.difference(better, 0)), final, 0, better)

    def _screened(self, faced: Faced) -> Competition:
        """All arms in a few worlds: under the best belief, or dealt at random where that has hardly a world.

        Players that do not play like the policies leave hardly a world that weighs anything.
        """
        asked, worlds = self._asked(faced, SCREENING), min(SCREEN, self.worlds)
        try:
            screened = self._compete(asked, asked.arms, worlds)
            if asked.worlds.belief == "uniform" or _is_known(screened):
                return screened
        except InputError:
            if asked.worlds.belief == "uniform":
                raise
        return self._compete(self._asked(faced, SCREENING, "uniform"), asked.arms, worlds)

    def _asked(self, faced: Faced, purpose: int, belief: str | None = None) -> Question:
        """The question, in worlds of its own for each decision and purpose, the same whichever others are reviewed."""
        entropy = np.random.SeedSequence((self.seed, faced.round, faced.number, purpose))
        seed = int(entropy.generate_state(1, np.uint64)[0])
        workers = self.workers or os.cpu_count() or 1
        options = Options(self.worlds, self.precision, seed=seed, workers=workers, belief=belief)
        return Question(faced.position, faced.rules, faced.about, self.me, self.opponents, options)

    def _compete(self, asked: Question, arms: list[Arm], worlds: int) -> Competition:
        competition = Competition(asked.worlds, arms, Limits(worlds, self.precision), lambda *_: None)
        if competition.ended == "interrupted":
            raise KeyboardInterrupt
        return competition

    def _told(self, faced: Faced, state: State, competition: Competition, taken: int, better: int) -> Judged:
        arms = competition.arms
        return Judged(
            faced=faced,
            state=state,
            taken=_as_made(arms[taken]),
            better=arms[better],
            cost=competition.found.difference(better, taken),
            kind=kind_of(arms[taken], arms[better], fed=faced.fed),
            worlds=competition.done,
            belief=competition.worlds.belief,
        )

    def _state(self, cost: Difference) -> State:
        if cost.low > 0:
            return State.ERROR
        return State.FINE if cost.high < self.precision else State.UNCLEAR


def _taken(faced: Faced, arms: Sequence[Arm], ranked: Sequence[int]) -> int:
    """The arm that begins as the seat did: the better of two that differ in what follows, for nobody knows its plan."""
    made = packed(arms)
    alike = [n for n in ranked if int(made["action"][n]) == faced.action]
    exact = [n for n in alike if int(made["then"][n]) == faced.then]
    if not alike:
        raise InputError("review.no_arm")
    return (exact or alike)[0]


def _others(arms: Sequence[Arm], ranked: Sequence[int], taken: int) -> list[int]:
    """Arms that begin otherwise, the best of each beginning, the best first."""
    best: dict[str, int] = {}
    for arm in ranked:
        best.setdefault(arms[arm].first, arm)
    return [arm for first, arm in best.items() if first != arms[taken].first]


def _as_made(arm: Arm) -> Arm:
    """The choice alone, without what would follow of declaring."""
    return Arm("discard", arm.tile) if arm.hides else arm


def _is_known(screened: Competition) -> bool:
    """Whether enough of the worlds weigh something."""
    return float(screened.found.standing.effective.max()) >= FEW * screened.contest.worlds


def _better(found: Sampled) -> int:
    """The best of the arms that arm 0 is compared with; where that is not surely better, one that beat arm 0."""
    best = next(arm for arm in found.ranked() if arm != 0)
    beaten_by = found.own(0)[-1]
    return beaten_by if beaten_by >= 0 and found.difference(best, 0).low <= 0 else best
