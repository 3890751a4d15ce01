"""A question under way: its worlds and arms, the headline's answer, then the other beliefs and opponents one by one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

from kwx_sim.contest import PILOT
from kwx_sim.core.jit import SOURCE_HASH
from kwx_sim.ensemble import written
from kwx_sim.errors import InputError
from kwx_sim.policies import Policy
from kwx_sim.positions import Assumption, Position, check
from kwx_sim.query.arms import Arm, arms_of, packed
from kwx_sim.query.compete import Competition, Limits
from kwx_sim.query.decision import ArmFigures, CellFigures, Decision, Provisional, Ready, Sampling
from kwx_sim.query.exact import Orders, can_enumerate
from kwx_sim.query.figures import ArmSums
from kwx_sim.query.ladder import explain, rules_of_rungs, with_avoidance
from kwx_sim.query.ready import ready_discards
from kwx_sim.query.shown import hands_behind
from kwx_sim.query.standing import STATED_CAP, Exact, Sampled, bound
from kwx_sim.query.worlds import Worlds
from kwx_sim.refusals import amount, shown
from kwx_sim.rules import Ruleset, pack, rules_hash
from kwx_sim.runs import MAX_WORKERS, whole
from kwx_sim.sequences import FIRST_LOOK, Cell, verdict, verdict_of_cell
from kwx_sim.tiles import meld_counts

__all__ = ["PRECISION", "WORLDS", "Options", "Progress", "Question"]

WORLDS = 20_000
PRECISION = 0.2
"""Bases a round that nobody minds."""

LADDER_WORLDS = 4_000
"""By the record half of the headline's at most: drawing worlds anew costs more there than playing them."""

MOST_WORLDS = 10**9
MOST_SEED = 2**64 - 1

CHEAP = 40_000
"""Play-outs up to which a small position is enumerated without being asked: less than a sample would need."""

MOST_EXACT = 10**7

FEWEST = PILOT + FIRST_LOOK
"""Worlds without which nothing can be said."""

Progress = Callable[[int, int, Provisional | None], None]
"""Told the worlds played, the most that will be, and how it stands (None before the first look, and in exact mode)."""


@dataclass(frozen=True)
class Options:
    """How a question is answered: see `should_liangdao`."""

    worlds: int | None = None
    precision: float = PRECISION
    seconds: float | None = None
    seed: int = 1
    workers: int = 0
    exact: bool | None = None
    belief: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be: more worlds, say, than are counted in the kernels' integers."""
        read = {
            "worlds": None if self.worlds is None else _worlds(self.worlds),
            "precision": amount("precision", self.precision),
            "seconds": None if self.seconds is None else amount("seconds", self.seconds),
            "seed": whole("seed", self.seed, 0, MOST_SEED),
            "workers": whole("workers", self.workers, 0, MAX_WORKERS),
        }
        for name, value in read.items():
            object.__setattr__(self, name, value)
        if not (self.exact is None or isinstance(self.exact, bool)):
            raise InputError("refusals.yes_or_no", field="exact", came=shown(self.exact))


def _worlds(given: Any) -> int:
    if isinstance(given, int) and given > MOST_WORLDS:
        raise InputError("query.most_worlds", most=MOST_WORLDS, came=given)
    return whole("worlds", given, 0, MOST_WORLDS)


class Question:
    """A question under way.

    Parameters
    ----------
    position, rules : what is asked about
    about : liangdao, discard or claim: which arms there are
    me : the asker's policy
    opponents : those of the others by name; the first is the headline's
    options, progress : see `should_liangdao`
    """

    def __init__(
        self,
        position: Position,
        rules: Ruleset,
        about: str,
        me: Policy,
        opponents: Mapping[str, Policy],
        options: Options,
        progress: Progress | None = None,
    ) -> None:
        self.rules, self.about, self.options, self.progress = rules, about, options, progress
        self.me, self.opponents = me, dict(opponents)
        self.reference, others = next(iter(self.opponents.items()))
        self.table = table = check(position, rules, about)
        self.policies = [(me, others, others), *((me, each, each) for each in with_avoidance(others))]
        self.packed_rules = rules_of_rungs(pack(rules, position.room))
        melds = [meld_counts(player.melds or ()) for player in position.players]
        hands = hands_behind(rules, table.shown_waits.tolist(), melds, table.unseen)
        workers = options.workers or os.cpu_count() or 1
        self.worlds = Worlds(
            position, table, self.packed_rules, self.policies, hands, options.seed, workers, options.belief
        )
        self.ready = {each.tile: each for each in ready_discards(table, melds[0], rules)}
        self.arms = arms_of(self.worlds.first_state(), list(self.ready), about)
        if not self.arms:
            raise InputError("query.no_arms", rules=rules.name)
        self.most = self._most(self.worlds)
        self.ended = "settled"
        # Only now: reading tables and loading kernels is part of starting up.
        self.started = time.monotonic()

    # ------------------------------------------------------------ the headline

    def headline(self) -> Decision:
        """Enumerate or sample under the best belief against the first opponents, then say what it comes to."""
        if self._enumerates():
            return self._exact()
        limits = Limits(self.most, self.options.precision, self._until())
        competition = Competition(self.worlds, self.arms, limits, self._tell)
        self.ended = competition.ended
        return self._decision(competition.found, competition.sums, competition)

    def _most(self, worlds: Worlds) -> int:
        """Worlds at most: so many as were asked for, else so many as there is time for."""
        return worlds.affordable(WORLDS) if self.options.worlds is None else self.options.worlds

    def _until(self) -> float | None:
        return None if self.options.seconds is None else self.started + self.options.seconds

    def _tell(self, done: int, now: Provisional | None) -> None:
        if self.progress:
            self.progress(done, self.most, now)

    def _enumerates(self) -> bool:
        wanted = self.options.exact
        possible = can_enumerate(self.table, self.policies[0])
        if wanted and not possible:
            raise InputError("query.not_exact")
        if wanted is False or not possible:
            return False
        if wanted is None and self.worlds.belief == "played" and self.table.hidden.any():
            return False  # every deal would count alike, whatever the players have done
        orders = len(self._orders()) * len(self.arms)
        if wanted and orders > MOST_EXACT:
            raise InputError("query.exact_size", playouts=orders, limit=MOST_EXACT)
        return bool(wanted) or orders <= CHEAP

    def _orders(self) -> Orders:
        return Orders(self.table, self.packed_rules, self.worlds.policies)

    def _exact(self) -> Decision:
        orders, arms = self._orders(), packed(self.arms)
        sums, found = ArmSums(len(self.arms)), Exact(self.arms)
        done, total = 0, len(orders)
        with closing(orders.play(arms)) as played:
            for results, weight in played:
                sums.add(results, range(len(self.arms)), weight)
                found.add(results, weight)
                done += len(results)
                if self.progress:
                    self.progress(done, total, None)
        self.ended = "enumerated"
        return self._decision(found, sums, None)

    # ------------------------------------------------------------ the other cells

    def cells(self, decision: Decision) -> Iterator[CellFigures]:
        """The difference that the headline is about, under every other belief and against every other opponent.

        None for an exact answer, and where there is nothing to tell apart.
        """
        if decision.sampling.exact or decision.told_by is None or decision.sampling.ended == "interrupted":
            return
        until = self._until()
        for belief, name in self._other_cells():
            if until is not None and time.monotonic() > until:
                return
            try:
                yield self._cell(belief, name, *decision.told_by)
            except InputError:  # no such world could be found: this cell has nothing to say
                continue
            except KeyboardInterrupt:
                self.ended = "interrupted"
                return

    def _other_cells(self) -> Iterator[tuple[str, str]]:
        headline = self.worlds.belief
        for name in self.opponents:
            for belief in dict.fromkeys((headline, "uniform")):
                if (belief, name) != (headline, self.reference):
                    yield belief, name

    def _cell(self, belief: str, name: str, best: Arm, other: Arm) -> CellFigures:
        others = self.opponents[name]
        worlds = self.worlds.against([(self.me, others, others)], belief)
        asked_for = self.options.worlds or WORLDS
        most = min(max(asked_for // 4, FEWEST), self._most(worlds))
        limits = Limits(most, self.options.precision, self._until())
        competition = Competition(worlds, (best, other), limits, lambda *_: None)
        if competition.ended == "interrupted":
            raise KeyboardInterrupt
        return self._cell_figures(belief, name, competition, (0, 1))

    def _cell_figures(self, belief: str, name: str, competition: Competition, pair: tuple[int, int]) -> CellFigures:
        found = competition.found
        difference = found.difference(*pair)
        state = verdict_of_cell(difference.low, difference.high, self.options.precision)
        effective = float(found.standing.effective[list(pair)].min())
        cell = competition.contest.cell(*pair)
        return CellFigures(belief, name, difference, state, competition.done, effective, cell)

    def with_cells(self, decision: Decision, cells: Sequence[CellFigures]) -> Decision:
        """The decision with the verdict over its own cell and these."""
        if not cells or decision.told_by is None:
            return decision
        whole = (*decision.cells, *cells)
        sums: list[Cell] = [each.sums for each in whole]
        best, other = (arm.first for arm in decision.told_by)
        return replace(decision, cells=whole, verdict=verdict(sums, self.options.precision, best, other))

    # ------------------------------------------------------------ the answer

    def _decision(self, found: Sampled | Exact, sums: ArmSums, competition: Competition | None) -> Decision:
        ranked = found.ranked()
        best, other = ranked[0], found.rival()
        figures = tuple(self._figures(found, sums, arm, best) for arm in ranked)
        ladder, total, against, break_even = self._why(found, competition)
        cells: tuple[CellFigures, ...] = ()
        told_by = found.told_by() if isinstance(found, Sampled) else None
        if competition is not None and told_by is not None:
            cells = (self._cell_figures(self.worlds.belief, self.reference, competition, told_by),)
        return Decision(
            about=self.about,
            rules=self.rules.name,
            best=self.arms[best],
            other=None if other is None else self.arms[other],
            verdict=found.verdict(),
            difference=None if other is None else found.difference(best, other),
            arms=figures,
            ladder=ladder,
            ladder_total=total,
            ladder_against=against,
            break_even=break_even,
            belief=self.worlds.belief,
            opponents=written(self.opponents[self.reference]),
            me=written(self.me),
            precision=self.options.precision,
            assumptions=(*self.table.assumptions, *self._given_up()),
            no_liangdao=not self.rules.liangdao.enabled,
            ready=self._ready([self.arms[arm] for arm in ranked]),
            cells=cells,
            told_by=None if told_by is None else (self.arms[told_by[0]], self.arms[told_by[1]]),
            sampling=self._sampling(competition, found),
        )

    def _sampling(self, competition: Competition | None, found: Sampled | Exact) -> Sampling:
        exact = competition is None
        done = found.worlds if isinstance(found, Exact) else competition.done if competition else 0
        effective = float(done) if isinstance(found, Exact) else float(found.standing.effective.max())
        return Sampling(
            worlds=done,
            pilot=0 if exact else min(PILOT, done),
            effective=effective,
            cut=competition.cut if competition else 0.0,
            bound=bound(self.packed_rules[0]),
            stated_cap=None if self.packed_rules[0]["cap"] else STATED_CAP,
            exact=exact,
            ended=self.ended,
            seed=self.options.seed,
            rules_hash=rules_hash(self.rules),
            kernels=SOURCE_HASH,
            version=version("kwx-sim"),
            seconds=time.monotonic() - self.started,
        )

    def _given_up(self) -> list[Assumption]:
        return [Assumption(self.worlds.gave_up, {})] if self.worlds.gave_up else []

    def _figures(self, found: Sampled | Exact, sums: ArmSums, arm: int, best: int) -> ArmFigures:
        mean, low, high, worlds, dropped_by = found.own(arm)
        return ArmFigures(
            arm=self.arms[arm],
            mean=mean,
            low=low,
            high=high,
            worlds=worlds,
            shares=sums.shares(arm),
            behind=None if arm == best else found.difference(best, arm),
            dropped_by=None if dropped_by < 0 else self.arms[dropped_by],
        )

    def _ready(self, arms: Sequence[Arm]) -> tuple[Ready, ...]:
        """The waits of each discard among the arms, in their order."""
        tiles = dict.fromkeys(arm.tile for arm in arms if arm.discards)
        return tuple(self.ready[tile] for tile in tiles if tile in self.ready)

    def _why(self, found: Sampled | Exact, competition: Competition | None) -> Any:
        """The ladder and p*, unless the asker waits no longer, or the time was up before anything was known."""
        most = min(LADDER_WORLDS, self.most // 2 if self.worlds.belief == "played" else self.most)
        if self.ended == "seconds" and competition is not None:
            # A part of the time again: an answer without its reason helps nobody at a table.
            most = min(most, competition.done) if competition.done >= FEWEST else 0
        if self.ended != "interrupted" and most:
            try:
                return self._reasons(found, most)
            except KeyboardInterrupt:
                self.ended = "interrupted"
        return (), None, None, None

    def _reasons(self, found: Sampled | Exact, worlds: int) -> Any:
        """The ladder of the best way to declare against the best without, the discard alike; and p*."""
        declaring = [n for n in found.ranked() if self.arms[n].declares]
        if not declaring or self.about != "liangdao":
            return (), None, None, None
        declare = self.arms[declaring[0]]
        alike = [n for n in found.ranked() if self.arms[n].tile == declare.tile and self.arms[n].hides]
        against = self.arms[alike[0]]
        # Fresh worlds: what chose the arms flatters the better one.
        fresh = range(self.most, self.most + worlds)
        shown = self.packed_rules[0]["shows"] != 0 and self.packed_rules[0]["forbid_feeding"] == 0
        locked = self.packed_rules[0]["locks_hand"] != 0 and all(self.worlds.known.base[0]["declared"][1:])
        avoided = bool(shown) and len(self.policies) > 1 and not locked
        ladder, total, break_even = explain(self.worlds, declare, against, fresh, avoided=avoided)
        return ladder, total, against, break_even
