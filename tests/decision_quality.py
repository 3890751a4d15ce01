"""What the query's choices are worth: natural ready positions, each choice replayed with the true hands.

For each position of a sample of rounds the query is asked, with hidden hands by the record and again with hidden hands
at random; its choices, and those of players that always or never declare or follow the best threshold rule, are played
on over reshuffled walls, the opponents' hands being what they were. It believes that they play the reference of the
ensemble; with another `--player` they do not. The threshold rule is fitted on half of the positions and judged on the
other half, and the other way round. All choices of a position meet the same walls, so the datum is a position's mean
difference.

    PYTHONPATH=tests python -m decision_quality --positions 500 --presets xiangyang,platform
"""

import argparse
import itertools
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from position_maker import position_of_round, rotated
from questions import Asked

from kwx_sim import Decision
from kwx_sim.core import state as codes
from kwx_sim.core.jit import records
from kwx_sim.core.policy import decide
from kwx_sim.core.round import apply, deal
from kwx_sim.core.shapes import load_tables
from kwx_sim.core.state import STATE
from kwx_sim.core.view import live_kinds, live_tiles
from kwx_sim.ensemble import REFERENCE
from kwx_sim.policies import parse_policy
from kwx_sim.query.ask import question
from kwx_sim.query.question import Options
from kwx_sim.rules import PRESETS, Ruleset, load_rules, pack

SEATS = 3
POSITIONS, WORLDS, WALLS = 500, 2_000, 60
PLAYER = "efficient"
WITH_LIANGDAO = tuple(preset for preset in PRESETS if load_rules(preset).liangdao.enabled)
BASELINES = ("always", "never", "threshold", "uniform")
Z = 1.96

Floats = NDArray[np.float64]


class Ready(NamedTuple):
    """A seat's own turn at which it may declare with what its policy discards; what it knows and what is true."""

    told: dict[str, Any]
    true: dict[str, Any]
    discard: int


class Judged(NamedTuple):
    """A position: what a threshold rule reads of it, and mean bases of each choice over the walls."""

    features: tuple[int, int, int]
    query: float
    uniform: float
    declare: float
    quiet: float
    never: float
    chosen: str
    at_random: str
    verdict: str
    belief: str


class Gain(NamedTuple):
    """Bases a decision that the query brings more than another way to choose, with half of its 95% interval."""

    preset: str
    against: str
    positions: int
    gain: float
    half: float


# ---------------------------------------------------------------- positions


def ready_positions(rules: Ruleset, count: int, seed: int, player: str = PLAYER) -> Iterator[Ready]:
    """One at random of each round that has any, all three playing alike."""
    rng = np.random.default_rng(seed)
    tables, packed_rules, policy = load_tables()[0], pack(rules)[0], parse_policy(player).pack()[0]
    found = 0
    for number in itertools.count():
        key, state = np.uint64(rng.integers(1 << 62)), records(1, STATE)
        wall = np.zeros(84, np.uint8)
        wall[: rules.wall_size] = rng.permutation(np.repeat(np.arange(rules.n_kinds), 4))
        deal(tables, packed_rules, state[0], wall, number % SEATS, np.zeros(SEATS, np.uint8))
        turns: list[tuple[NDArray[np.void], int]] = []
        while state[0]["phase"] != codes.END:
            action = int(decide(tables, packed_rules, state[0], policy, key))
            turns += _ready(state, action)
            apply(tables, packed_rules, state[0], action)
        if turns:
            then, discard = turns[rng.integers(len(turns))]
            seat = int(then[0]["seat"])
            yield Ready(position_of_round(then[0], seat, rules), rotated(then[0], seat), discard)
            found += 1
            if found == count:
                return


def _ready(state: NDArray[np.void], action: int) -> list[tuple[NDArray[np.void], int]]:
    kind, tile = action >> 5, action & 31
    s = state[0]
    discards = s["phase"] == codes.TURN and kind in (codes.DISCARD, codes.LIANGDAO)
    return [(state.copy(), tile)] if discards and int(s["can_liangdao"]) >> tile & 1 else []


# ---------------------------------------------------------------- judging


def judge(ready: Ready, rules: Ruleset, worlds: int, walls: int, seed: int, player: str) -> Judged:
    """Ask the query, then play its choices and the plain ones with the true hands and players."""
    options = Options(worlds=worlds, seed=seed, workers=1, exact=False)
    decision = _headline(ready, rules, options)
    at_random = _headline(ready, rules, replace(options, belief="uniform"))
    asked = Asked(ready.told, rules, others=player, seed=seed + 1, belief="uniform")
    _reveal(asked, ready.true)
    points = asked.results(walls)["points"].mean(axis=0)
    plain = [_index(asked, way, ready.discard) for way in ("declare", "quiet", "never")]
    return Judged(
        _features(asked, ready.discard),
        float(points[asked.arms.index(decision.best)]),
        float(points[asked.arms.index(at_random.best)]),
        *(float(points[n]) for n in plain),
        decision.best.way,
        at_random.best.way,
        str(decision.verdict.outcome),
        decision.belief,
    )


def _headline(ready: Ready, rules: Ruleset, options: Options) -> Decision:
    return question("liangdao", ready.told, rules, me=PLAYER, opponents=REFERENCE, options=options).headline()


def _index(asked: Asked, way: str, tile: int) -> int:
    return next(n for n, arm in enumerate(asked.arms) if (arm.way, arm.tile) == (way, tile))


def _reveal(asked: Asked, true: dict[str, Any]) -> None:
    """Put the true hands into what is known: then nothing is left to deal but the order of the wall."""
    world, base = asked.worlds.known.world[0], asked.worlds.known.base[0]
    for seat in (1, 2):
        if world["hidden"][seat]:
            for name in ("counts", "idx", "held", "quads", "waits"):
                base[name][seat] = true[name][seat]
            world["unseen"] -= true["counts"][seat]
    world["hidden"], world["from_row"], world["to_row"] = 0, 0, 0
    assert asked.worlds.belief == "uniform"
    assert world["unseen"].sum() == world["wall"]


def _features(asked: Asked, tile: int) -> tuple[int, int, int]:
    """Kinds of waits after the discard, live tiles among them, tiles left in the wall."""
    state = asked.world(0).copy()
    s, rules = state[0], asked.packed_rules[0]
    apply(asked.worlds.tables[0], rules, s, codes.DISCARD << 5 | tile)
    waits = np.uint32(s["waits"][0])
    live = live_tiles(live_kinds(rules, s, 0), waits)
    return int(waits).bit_count(), int(live), int(asked.worlds.known.world[0]["wall"])


# ---------------------------------------------------------------- threshold rules

RULES = [
    (kinds, live, wall, otherwise)
    for kinds in (1, 2, 3, 4)
    for live in (0, 1, 2, 3, 4, 5, 6, 8)
    for wall in (0, 6, 12, 18, 24, 30)
    for otherwise in ("quiet", "never")
]
"""Declare with so many kinds of waits, live tiles and tiles in the wall, or more; otherwise what."""


def follow(judged: Iterable[Judged], rule: tuple[int, int, int, str]) -> Floats:
    """What a threshold rule brings in each position."""
    *least, otherwise = rule
    return np.array(
        [each.declare if all(np.greater_equal(each.features, least)) else getattr(each, otherwise) for each in judged]
    )


def fitted(judged: list[Judged]) -> tuple[int, int, int, str]:
    """The rule that brings most in these positions."""
    return max(RULES, key=lambda rule: follow(judged, rule).mean())


def by_threshold(judged: list[Judged]) -> Floats:
    """In each position what a rule brings that was fitted on the other half."""
    halves = judged[0::2], judged[1::2]
    values = np.zeros(len(judged))
    for part, (mine, other) in enumerate((halves, halves[::-1])):
        values[part::2] = follow(mine, fitted(other))
    return values


# ---------------------------------------------------------------- the measure


def measure(
    preset: str, positions: int, worlds: int, walls: int, seed: int, workers: int, player: str = PLAYER
) -> list[Judged]:
    """Judge so many positions of a preset; presets differ too little to share their rounds."""
    rules, spread = load_rules(preset), np.random.SeedSequence([seed, WITH_LIANGDAO.index(preset)])
    ready = list(ready_positions(rules, positions, int(spread.generate_state(1)[0]), player))
    numbers = spread.spawn(1)[0].generate_state(positions)
    return Parallel(n_jobs=workers, batch_size=8)(
        delayed(judge)(each, rules, worlds, walls, int(number), player)
        for each, number in zip(ready, numbers, strict=True)
    )


def gains(preset: str, judged: list[Judged]) -> list[Gain]:
    """The query against each other way to choose: positions are independent, one a round."""
    query = np.array([each.query for each in judged])
    others = {
        "always": np.array([each.declare for each in judged]),
        "never": np.array([each.never for each in judged]),
        "threshold": by_threshold(judged),
        "uniform": np.array([each.uniform for each in judged]),
    }
    found = []
    for name, values in others.items():
        gain = query - values
        found.append(Gain(preset, name, len(gain), gain.mean(), Z * gain.std(ddof=1) / np.sqrt(len(gain))))
    return found


def shown(found: Iterable[Gain]) -> str:
    """A line for each."""
    return "\n".join(
        f"{each.preset:>10}  query − {each.against:<10} {each.gain:+.3f} ± {each.half:.3f} bases a decision"
        f"  ({each.positions} positions)"
        for each in found
    )


def main() -> None:
    """Print the gains, and leave every position's figures in a file if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--presets", default=",".join(WITH_LIANGDAO))
    parser.add_argument("--positions", type=int, default=POSITIONS)
    parser.add_argument("--worlds", type=int, default=WORLDS)
    parser.add_argument("--walls", type=int, default=WALLS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--player", default=PLAYER)
    parser.add_argument("--out")
    given = parser.parse_args()
    kept = {}
    for preset in given.presets.split(","):
        started = time.monotonic()
        judged = measure(preset, given.positions, given.worlds, given.walls, given.seed, given.workers, given.player)
        print(shown(gains(preset, judged)), f"  {time.monotonic() - started:.0f} s", flush=True)
        recalled = sum(each.belief == "played" for each in judged)
        apart = sum(each.chosen != each.at_random for each in judged)
        print(f"            {recalled} of {len(judged)} by the record; {apart} chosen otherwise at random", flush=True)
        kept[preset] = [each._asdict() for each in judged]
    if given.out:
        with open(given.out, "w", encoding="utf-8") as file:
            json.dump(kept, file)


if __name__ == "__main__":
    main()
