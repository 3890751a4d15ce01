"""Who belongs in the ensemble: candidates in paired self-play against the reference.

A candidate takes one seat of a wall and the reference the two others, from every seat in turn. The datum is a wall's
mean, over the three seats, of the candidate's bases less the reference's in the same seat of the same wall; as three of
the reference sum to zero, that is the mean of what the candidate wins. A candidate that loses more than `MARGIN` beyond
doubt, over all presets together, is dominated and no member. Beside it stands in how many hands a candidate would act
otherwise than the reference, and than the member most like it, at some decision of rounds that the reference plays.

    PYTHONPATH=tests python -m self_play --rounds 100000 --seed 1
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from kwx_sim.core import state as codes
from kwx_sim.core.jit import records
from kwx_sim.core.policy import POLICY, count_actions, decide
from kwx_sim.core.rng import fill_wall, stream_key
from kwx_sim.core.round import apply, deal
from kwx_sim.core.run import play_block
from kwx_sim.core.shapes import load_tables
from kwx_sim.core.state import STATE
from kwx_sim.ensemble import MEMBERS, REFERENCE, written
from kwx_sim.policies import Policy, parse_policy
from kwx_sim.rules import PRESETS, Ruleset, load_rules, pack
from kwx_sim.stats import ratio

SEATS = 3
NO_PIAO = np.zeros(SEATS, np.uint8)
WITH_LIANGDAO = tuple(preset for preset in PRESETS if load_rules(preset).liangdao.enabled)
BLOCK = 4096
"""Walls of a call into the kernels: some megabytes of records."""

MARGIN = 0.25
"""Bases a round: 4 in a series of 16, about a win (4.4 on average in 8,192 rounds of the reference, `xiangyang`).

Nobody stays for long a player who gives a win away every time; less is a matter of taste, or of who the others are."""

DROPPED = {
    "careless": "efficient:avoidance=0",
    "halfway": "efficient:avoidance=0.5",
    "silent": "efficient:liangdao=never",
    "late": "efficient:liangdao=at,declare_at=8",
    "shut": "efficient:pong=0.4",
    "kongless": "efficient:kong=0",
    "dreamer": "efficient:value=3",
    "patient": "efficient:min_win=2",
    "sloppy": "efficient:tremble=0.05",
}
"""Candidates that are no members, being dominated."""

CANDIDATES = {**MEMBERS, **{name: parse_policy(text) for name, text in DROPPED.items()}}


class Gain(NamedTuple):
    """Mean bases a round against the reference, with half of its 95% interval."""

    mean: float
    half: float

    @property
    def dominated(self) -> bool:
        """Whether the loss is beyond doubt larger than the margin."""
        return self.mean + self.half < -MARGIN


class Likeness(NamedTuple):
    """The share of hands in which a candidate acts otherwise than the reference, and than the member most like it."""

    from_reference: float
    nearest: str
    from_nearest: float


# ---------------------------------------------------------------- bases


def measure(preset: str, candidates: Mapping[str, Policy], rounds: int, seed: int, workers: int) -> dict[str, Gain]:
    """Each candidate's gain in a preset, all on the same walls; presets do not share theirs."""
    rules, run_key = load_rules(preset), _key(preset, seed)
    won(rules, MEMBERS[REFERENCE], run_key, range(1))  # compiles, before threads could do it at the same time
    blocks = [range(first, min(first + BLOCK, rounds)) for first in range(0, rounds, BLOCK)]
    with Parallel(n_jobs=workers, backend="threading") as parallel:
        return {
            # A plain function around the kernels: joblib would ship a compiled one by value.
            name: gain(parallel(delayed(won)(rules, candidate, run_key, block) for block in blocks))
            for name, candidate in candidates.items()
        }


def won(rules: Ruleset, candidate: Policy, run_key: np.uint64, walls: range) -> NDArray[np.int64]:
    """Bases that a candidate wins in the three seats of each wall together, int64 (walls,)."""
    states, total = records(len(walls), STATE), np.zeros(len(walls), np.int64)
    for seat in range(SEATS):
        policies = records(SEATS, POLICY)
        policies[:] = MEMBERS[REFERENCE].pack()
        policies[seat] = candidate.pack()[0]
        play_block(load_tables()[0], pack(rules)[0], states, policies, NO_PIAO, run_key, walls.start)
        total += states["kong_points"][:, seat]
        total += states["win_points"][:, :, seat].sum(axis=1)
        total += states["undecided_points"][:, seat]
    return total


def gain(totals: Iterable[NDArray[np.int64]]) -> Gain:
    """The mean of a seat, from the three seats' totals of each wall; walls are independent."""
    total = np.concatenate(list(totals))
    found = ratio(total.sum(), len(total), (total**2).sum(), total.sum(), len(total))
    return Gain(float(found.mean) / SEATS, float(found.ci_high - found.mean) / SEATS)


def together(gains: Iterable[Gain]) -> Gain:
    """The mean over presets, which are independent of each other."""
    means, halves = np.array(list(gains)).T
    return Gain(float(means.mean()), float(np.sqrt((halves**2).sum()) / len(halves)))


def _key(preset: str, seed: int) -> np.uint64:
    return np.random.SeedSequence([seed, PRESETS.index(preset)]).generate_state(1, np.uint64)[0]


# ---------------------------------------------------------------- how much they differ


def compare(presets: Iterable[str], candidates: Mapping[str, Policy], rounds: int, seed: int) -> dict[str, Likeness]:
    """How each candidate acts beside the members, the reference among them."""
    everybody = {**MEMBERS, **candidates}
    names, members = list(everybody), list(MEMBERS)
    differ = np.concatenate([_differ(preset, list(everybody.values()), rounds, seed) for preset in presets])
    shares = differ.mean(axis=0)[:, : len(members)]
    found = {}
    for name in candidates:
        share = dict(zip(members, map(float, shares[names.index(name)]), strict=True))
        nearest = min((other for other in members if other != name), key=share.__getitem__)
        found[name] = Likeness(share[REFERENCE], nearest, share[nearest])
    return found


def _differ(preset: str, candidates: list[Policy], rounds: int, seed: int) -> NDArray[np.bool_]:
    """Whether two candidates act otherwise at some decision of a hand, (hands, candidates, candidates)."""
    rules, run_key = load_rules(preset), _key(preset, seed)
    differ = np.zeros((rounds, SEATS, len(candidates), len(candidates)), np.bool_)
    for number in range(rounds):
        for seat, actions in _decisions(rules, candidates, run_key, number):
            differ[number, seat] |= actions[:, None] != actions
    return differ.reshape(rounds * SEATS, len(candidates), len(candidates))


def _decisions(
    rules: Ruleset, candidates: list[Policy], run_key: np.uint64, number: int
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """The seat that has a choice, and every candidate's action, at each decision of a round of the reference."""
    tables, packed_rules, state = load_tables()[0], pack(rules)[0], records(1, STATE)[0]
    reference, packed = MEMBERS[REFERENCE].pack()[0], [candidate.pack()[0] for candidate in candidates]
    key, wall = np.uint64(stream_key(run_key, number)), np.zeros(84, np.uint8)
    fill_wall(wall, packed_rules["n_kinds"], key)
    deal(tables, packed_rules, state, wall, number % SEATS, NO_PIAO)
    while state["phase"] != codes.END:
        if count_actions(state) > 1:
            yield int(state["seat"]), np.array([decide(tables, packed_rules, state, p, key) for p in packed])
        apply(tables, packed_rules, state, decide(tables, packed_rules, state, reference, key))


# ---------------------------------------------------------------- the table


def table(gains: Mapping[str, Mapping[str, Gain]], likeness: Mapping[str, Likeness]) -> Iterator[str]:
    """The lines of a table in Markdown: a candidate a line, those that are dropped last.

    gains : by preset, by candidate
    """
    yield f"| player | policy | {' | '.join(gains)} | together | acts otherwise | most like |  |"
    yield "|---" * (len(gains) + 6) + "|"
    for name, policy in CANDIDATES.items():
        row = [by_name[name] for by_name in gains.values()]
        whole, like = together(row), likeness[name]
        cells = [name, f"`{written(policy)}`", *(f"{each.mean:+.3f} ± {each.half:.3f}" for each in [*row, whole])]
        cells += [f"{like.from_reference:.1%}", f"{like.nearest} ({like.from_nearest:.1%})"]
        yield f"| {' | '.join(cells)} | {'dominated' if whole.dominated else 'kept'} |"


def main() -> None:
    """Measure every candidate and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--presets", default=",".join(WITH_LIANGDAO))
    parser.add_argument("--rounds", type=int, default=100_000, help="walls a preset; three rounds on each")
    parser.add_argument("--sample", type=int, default=500, help="rounds a preset in which actions are compared")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    presets = given.presets.split(",")
    gains = {preset: measure(preset, CANDIDATES, given.rounds, given.seed, given.workers) for preset in presets}
    print(*table(gains, compare(presets, CANDIDATES, given.sample, given.seed)), sep="\n")


if __name__ == "__main__":
    main()
