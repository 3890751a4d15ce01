"""Should I liangdao here? Every legal arm in shared worlds, until the answer is clear or the budget spent."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kwx_sim.contest import PILOT, Contest
from kwx_sim.core.jit import SOURCE_HASH
from kwx_sim.errors import InputError
from kwx_sim.policies import Policy, parse_policy
from kwx_sim.positions import Assumption, Position, check, position_of, read_position
from kwx_sim.query.arms import Arm, arms_of, packed
from kwx_sim.query.decision import ArmFigures, Decision, Provisional, Ready, Sampling
from kwx_sim.query.exact import Orders, can_enumerate
from kwx_sim.query.figures import ArmSums
from kwx_sim.query.ladder import climb, find_break_even, rules_of_rungs, with_avoidance
from kwx_sim.query.ready import ready_discards
from kwx_sim.query.shown import hands_behind
from kwx_sim.query.standing import STATED_CAP, Exact, Sampled, bound
from kwx_sim.query.worlds import BLOCK, Worlds
from kwx_sim.rules import Ruleset, load_rules, pack, rules_hash
from kwx_sim.sequences import schedule
from kwx_sim.tiles import meld_counts

__all__ = ["PRECISION", "WORLDS", "Options", "Progress", "should_liangdao"]

WORLDS = 20_000
PRECISION = 0.2
"""Bases a round that nobody minds."""

LADDER_WORLDS = 4_000
CHEAP = 40_000
"""Play-outs up to which a small position is enumerated without being asked: less than a sample would need."""

MOST_EXACT = 10**7

Progress = Callable[[int, int, Provisional | None], None]
"""Told the worlds played, the most that will be, and how it stands (None before the first look, and in exact mode)."""


@dataclass(frozen=True)
class Options:
    """How a question is answered: see `should_liangdao`."""

    worlds: int = WORLDS
    precision: float = PRECISION
    seconds: float | None = None
    seed: int = 1
    workers: int = 0
    exact: bool | None = None


def should_liangdao(
    position: Position | Mapping[str, Any] | str | Path,
    rules: Ruleset | str | Path = "xiangyang",
    *,
    opponents: Policy | str = "efficient",
    me: Policy | str = "efficient",
    worlds: int = WORLDS,
    precision: float = PRECISION,
    seconds: float | None = None,
    seed: int = 1,
    workers: int = 0,
    exact: bool | None = None,
    progress: Progress | None = None,
) -> Decision:
    """Compare everything that a player could do in a position, and say what is best.

    Parameters
    ----------
    position : a Position, a mapping of its fields, a hand as text, or a TOML or JSON file of a position
    rules : a ruleset, a preset's name or a TOML file
    opponents, me : the policies that the others and the asker follow afterwards
    worlds : most worlds that are sampled, the pilot's among them
    precision : bases a round within which arms count as equal
    seconds : time after which it ends with what is known; results then depend on the machine
    seed, workers : as everywhere: the same answer for any number of workers (0: as many as there are processors)
    exact : enumerate; None: where that is cheaper than sampling
    progress : told how it goes

    Raises
    ------
    InputError : a position that cannot be, or a hand of which no discard leaves it ready
    """
    options = Options(worlds, precision, seconds, seed, workers, exact)
    ruleset = rules if isinstance(rules, Ruleset) else load_rules(rules)
    policies = (parse_policy(me), parse_policy(opponents))
    return _Question(_position(position), ruleset, policies, options, progress).answer()


def _position(given: Position | Mapping[str, Any] | str | Path) -> Position:
    if isinstance(given, Position | Mapping):
        return position_of(given)
    if isinstance(given, Path) or given.endswith((".toml", ".json")):
        return read_position(given)
    return Position.of(given)


class _Question:
    """A question under way."""

    def __init__(
        self,
        position: Position,
        rules: Ruleset,
        policies: tuple[Policy, Policy],
        options: Options,
        progress: Progress | None,
    ) -> None:
        self.rules, self.options, self.progress = rules, options, progress
        me, others = self.asked = policies
        self.table = table = check(position, rules)
        self.policies = [(me, others, others), *((me, each, each) for each in with_avoidance(others))]
        self.packed_rules = rules_of_rungs(pack(rules, position.room))
        melds = [meld_counts(player.melds or ()) for player in position.players]
        hands = hands_behind(rules, table.shown_waits.tolist(), melds, table.unseen)
        workers = options.workers or os.cpu_count() or 1
        self.worlds = Worlds(position, table, self.packed_rules, self.policies, hands, options.seed, workers)
        self.ready = {each.tile: each for each in ready_discards(table, melds[0], rules)}
        self.arms = arms_of(self.worlds.first_state(), list(self.ready))
        if not self.arms:
            raise InputError("query.no_arms", rules=rules.name)
        self.ended = "settled"
        # Only now: reading tables and loading kernels is part of starting up.
        self.started = time.monotonic()

    def answer(self) -> Decision:
        """Enumerate or sample, then say what it comes to."""
        if self._enumerates():
            return self._exact()
        return self._sampled()

    def _enumerates(self) -> bool:
        wanted = self.options.exact
        possible = can_enumerate(self.table, self.policies[0])
        if wanted and not possible:
            raise InputError("query.not_exact")
        if wanted is False or not possible:
            return False
        orders = len(self._orders()) * len(self.arms)
        if wanted and orders > MOST_EXACT:
            raise InputError("query.exact_size", playouts=orders, limit=MOST_EXACT)
        return bool(wanted) or orders <= CHEAP

    def _orders(self) -> Orders:
        return Orders(self.table, self.packed_rules, self.worlds.policies)

    # ------------------------------------------------------------ sampled

    def _sampled(self) -> Decision:
        contest = Contest(len(self.arms), bound(self.packed_rules[0]))
        sums, done, standing, now = ArmSums(len(self.arms)), 0, None, None
        looks = schedule(PILOT, BLOCK, self.options.worlds)
        if not looks:
            raise InputError("query.worlds", fewest=PILOT + 400, came=self.options.worlds)
        try:
            for look in looks:
                still = [n for n in range(len(self.arms)) if standing is None or standing.still_in[n]]
                with closing(self.worlds.play(packed([self.arms[n] for n in still]), done, look)) as blocks:
                    for results in blocks:
                        _add(contest, results, still)
                        sums.add(results, still)
                        done += len(results)
                        self._tell(done, now)
                        self._watch_time()
                standing = contest.look()
                found = Sampled(self.arms, contest, standing, self.options.precision)
                now = found.provisional()
                self._tell(done, now)
                if found.settled():
                    break
            else:
                self.ended = "worlds"
        except _TimeIsUpError:
            self.ended = "seconds"
        except KeyboardInterrupt:
            self.ended = "interrupted"
        if standing is None or self.ended in ("seconds", "interrupted"):
            standing = contest.look()
        found = Sampled(self.arms, contest, standing, self.options.precision)
        return self._decision(found, sums, done, exact=False)

    def _tell(self, done: int, now: Provisional | None) -> None:
        if self.progress:
            self.progress(done, self.options.worlds, now)

    def _watch_time(self) -> None:
        limit = self.options.seconds
        if limit is not None and time.monotonic() - self.started > limit:
            raise _TimeIsUpError

    # ------------------------------------------------------------ exact

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
        return self._decision(found, sums, done, exact=True)

    # ------------------------------------------------------------ the answer

    def _decision(self, found: Sampled | Exact, sums: ArmSums, worlds: int, *, exact: bool) -> Decision:
        ranked = found.ranked()
        best, other = ranked[0], found.rival()
        figures = tuple(self._figures(found, sums, arm, best) for arm in ranked)
        chosen = self.arms[best]
        told = None if other is None else self.arms[other]
        ladder, total, against, break_even = self._why(found)
        return Decision(
            rules=self.rules.name,
            best=chosen,
            other=told,
            verdict=found.verdict(),
            difference=None if other is None else found.difference(best, other),
            arms=figures,
            ladder=ladder,
            ladder_total=total,
            ladder_against=against,
            break_even=break_even,
            belief="played_in" if self.worlds.from_deal else "uniform",
            opponents=_written(self.asked[1]),
            me=_written(self.asked[0]),
            precision=self.options.precision,
            assumptions=(*self.table.assumptions, *self._given_up()),
            no_liangdao=not self.rules.liangdao.enabled,
            ready=self._ready([self.arms[arm] for arm in ranked]),
            sampling=Sampling(
                worlds=worlds,
                pilot=0 if exact else min(PILOT, worlds),
                effective=float(worlds),
                bound=bound(self.packed_rules[0]),
                stated_cap=None if self.packed_rules[0]["cap"] else STATED_CAP,
                exact=exact,
                ended=self.ended,
                seed=self.options.seed,
                rules_hash=rules_hash(self.rules),
                kernels=SOURCE_HASH,
                version=version("kwx-sim"),
                seconds=time.monotonic() - self.started,
            ),
        )

    def _given_up(self) -> list[Assumption]:
        return [Assumption("query.assumption.not_played_in", {})] if self.worlds.gave_up else []

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
        return tuple(self.ready[tile] for tile in dict.fromkeys(arm.tile for arm in arms if arm.discards))

    def _why(self, found: Sampled | Exact) -> Any:
        """The ladder and p*, unless the asker waits no longer."""
        if self.ended != "interrupted":
            try:
                return self._reasons(found)
            except KeyboardInterrupt:
                self.ended = "interrupted"
        return (), None, None, None

    def _reasons(self, found: Sampled | Exact) -> Any:
        """The ladder of the best way to declare against the best without, the discard alike; and p*."""
        declaring = [n for n in found.ranked() if self.arms[n].declares]
        if not declaring:
            return (), None, None, None
        declare = self.arms[declaring[0]]
        alike = [n for n in found.ranked() if self.arms[n].tile == declare.tile and self.arms[n].hides]
        against = self.arms[alike[0]]
        # Fresh worlds: what chose the arms flatters the better one.
        fresh = range(self.options.worlds, self.options.worlds + min(LADDER_WORLDS, self.options.worlds))
        ladder, total = climb(self.worlds, self.packed_rules, declare, against, fresh)
        shown = self.packed_rules[0]["shows"] != 0 and self.packed_rules[0]["forbid_feeding"] == 0
        matters = bool(shown) and len(self.policies) > 1
        break_even = find_break_even(self.worlds, declare, against, fresh) if matters else None
        return ladder, total, against, break_even


class _TimeIsUpError(Exception):
    """The time that was given is over."""


def _add(contest: Contest, results: NDArray[np.void], arms: Sequence[int]) -> None:
    """Add a block of worlds in which only some arms were played."""
    y = np.full((len(results), contest.arms), np.nan)
    y[:, arms] = results["points"]
    controls = np.zeros((len(results), contest.arms, results["luck"].shape[-1]))
    controls[:, arms] = results["luck"]
    contest.add(y, controls)


def _written(policy: Policy) -> str:
    """A policy as `parse_policy` reads it: its name, and the parameters that are not their defaults."""
    changed = policy.model_dump(mode="json", exclude_defaults=True, exclude={"policy"})
    return policy.policy + (":" if changed else "") + ",".join(f"{name}={value}" for name, value in changed.items())
