"""The answer to a question about a position, as data."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from kwx_sim.positions import Assumption
from kwx_sim.query.arms import Arm
from kwx_sim.query.figures import Shares
from kwx_sim.sequences import Cell, Outcome, State, Verdict, verdict

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "ArmFigures", "BreakEven", "CellFigures", "Decision", "Difference", "Provisional", "Ready", "Rung", "Sampling",
    "Wait",
]  # fmt: skip


@dataclass(frozen=True)
class ArmFigures:
    """One arm: mean bases a round with its sequence, and how its rounds ended.

    `behind` is the best arm's lead over it; `dropped_by` names the arm that beat it before the end, if one did.
    """

    arm: Arm
    mean: float
    low: float
    high: float
    worlds: int
    shares: Shares
    behind: Difference | None
    dropped_by: Arm | None


@dataclass(frozen=True)
class Difference:
    """One arm's mean less another's, in bases a round, with its sequence; raw: without controls."""

    mean: float
    low: float
    high: float
    raw_low: float
    raw_high: float
    gain: float


@dataclass(frozen=True)
class Rung:
    """What one rule of liangdao adds to the difference of declaring, with half of a 95% interval."""

    rule: str
    mean: float
    half: float


@dataclass(frozen=True)
class BreakEven:
    """p*: by the others' avoidance of shown waits, what declaring gains, with half of a 95% interval; and its roots."""

    avoidance: tuple[float, ...]
    gain: tuple[float, ...]
    half: tuple[float, ...]
    roots: tuple[float, ...]


@dataclass(frozen=True)
class Sampling:
    """How it was found: worlds played, the pilot's among them; why it ended; seed, ruleset hash, versions.

    `effective` is how many worlds of one weight would know as much, `cut` the share of all weight that was cut off the
    heaviest. `bound` is B, the largest difference between two payoffs; `stated_cap` the fan that it was reckoned with
    where the rules have no cap, else None. `seconds` are those after set-up.
    """

    worlds: int
    pilot: int
    effective: float
    cut: float
    bound: float
    stated_cap: int | None
    exact: bool
    ended: str
    seed: int
    rules_hash: str
    kernels: str
    version: str
    seconds: float


@dataclass(frozen=True)
class CellFigures:
    """The difference of two arms, the decision's `told_by`, under one belief, against one set of opponents.

    `sums` are all that a verdict over several cells needs.
    """

    belief: str
    opponents: str
    difference: Difference
    state: State
    worlds: int
    effective: float
    sums: Cell = field(repr=False, compare=False)


class Wait(NamedTuple):
    """A kind that completes the hand, and how many of its tiles the asker has not seen; with none left it is dead."""

    tile: int
    left: int


class Ready(NamedTuple):
    """A discard that leaves the hand ready, and what it then waits for; no wait where the asker holds all of them."""

    tile: int
    waits: tuple[Wait, ...]


class Provisional(NamedTuple):
    """How it stands while worlds are still being played: the leader, the arm nearest to it, and the lead."""

    best: Arm
    other: Arm | None
    difference: Difference | None


@dataclass(frozen=True)
class Decision:
    """The answer.

    Attributes
    ----------
    about : liangdao, discard or claim
    verdict : over all cells, of the arms in `told_by`
    best, other : the best arm, and the arm that it is to be told from
    arms : every arm, the best first
    ladder, ladder_against : what each rule adds to declaring, against that arm; empty where declaring is not at issue
    ladder_total : their sum, which is the difference of the two arms in worlds that did not choose them
    break_even : None where avoidance plays no part
    belief : the headline's: played (hidden hands by what their players did), played_in (from the deal to the wall, by
        the policies) or uniform (the unseen tiles, at random)
    opponents, me : the policies, with the parameters that are not their defaults
    assumptions : what was not given, and what it was taken to be (`telling.assumed`: all that the answer rests on)
    no_liangdao : whether the rules have none
    cells : each belief and opponents that were tried, the headline's first; none for an exact answer
    told_by : the two arms that the cells compare: best and other, but where other arms say what to do first
    ready : each discard that the arms make, with its waits, in the order of the arms
    """

    about: str
    rules: str
    best: Arm
    other: Arm | None
    verdict: Verdict
    difference: Difference | None
    arms: tuple[ArmFigures, ...]
    ladder: tuple[Rung, ...]
    ladder_against: Arm | None
    break_even: BreakEven | None
    belief: str
    opponents: str
    me: str
    precision: float
    assumptions: tuple[Assumption, ...]
    no_liangdao: bool
    sampling: Sampling
    ladder_total: Rung | None = None
    ready: tuple[Ready, ...] = ()
    cells: tuple[CellFigures, ...] = ()
    told_by: tuple[Arm, Arm] | None = None

    @property
    def settled(self) -> bool:
        """Whether the verdict names an action, or says that it makes no difference."""
        return self.verdict.outcome in (Outcome.ACTION, Outcome.TOO_CLOSE)

    @property
    def headline(self) -> Decision:
        """The answer under its own belief and against the first opponents alone, before any others were tried."""
        if len(self.cells) < 2:
            return self
        return replace(self, cells=self.cells[:1], verdict=self._verdict_alone())

    def _verdict_alone(self) -> Verdict:
        first = self.best.first
        rivals = [each for each in self.arms if each.dropped_by is None and each.arm.first != first]
        if self.other is None or not rivals:
            return Verdict(Outcome.ACTION, first, (State.ABOVE,), 0)
        return verdict([self.cells[0].sums], self.precision, first, self.other.first)

    @property
    def table(self) -> pd.DataFrame:
        """The arms as a data frame, a row each."""
        import pandas as pd

        return pd.DataFrame([_row(figures) for figures in self.arms])

    def to_json(self, lang: str = "en") -> dict[str, Any]:
        """Every figure as plain JSON values (docs/query.md), its texts in zh or en."""
        from kwx_sim.query.told_json import as_json

        return as_json(self, lang)

    def text(self, lang: str = "en") -> str:
        """The answer in a sentence, and in one more what all beliefs and opponents come to where that is another."""
        from kwx_sim.query.telling import whole

        return whole(self, lang)

    def _repr_html_(self) -> str:
        """The answer as a notebook shows it, in the language of the locale."""
        from kwx_sim.query.notebook import as_html

        return as_html(self)


def _row(figures: ArmFigures) -> dict[str, Any]:
    behind = figures.behind
    return {
        "arm": figures.arm.name,
        "mean": figures.mean,
        "low": figures.low,
        "high": figures.high,
        "worlds": figures.worlds,
        **figures.shares._asdict(),
        "behind": behind.mean if behind else 0.0,
        "behind_low": behind.low if behind else 0.0,
        "behind_high": behind.high if behind else 0.0,
        "dropped_by": figures.dropped_by.name if figures.dropped_by else None,
    }
