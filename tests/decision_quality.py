"""What the query's choices are worth: natural ready positions, each choice replayed with the true hands.

For each position of a sample of rounds the query is asked, with hidden hands by the record and again with hidden hands
at random; its choices, and those of players that always or never declare or follow the best threshold rule, are played
on over reshuffled walls, the opponents' hands being what they were. It believes that they play the reference of the
ensemble; with another `--player` they do not, neither in the round nor afterwards. The threshold rule is fitted on half
of the positions and judged on the other half, and the other way round. All choices of a position meet the same walls,
so the datum is a position's mean difference.

    PYTHONPATH=tests python -m decision_quality --positions 500 --presets xiangyang,platform

With `--cells` the query is asked with the whole ensemble instead, and nothing is replayed: how often the answer depends
on whom one believes to play, and on whom.

    PYTHONPATH=tests python -m decision_quality --cells --positions 60 --presets xiangyang,platform
"""

import argparse
import itertools
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from position_maker import position_of_round, rotated
from questions import Asked

from kwx_sim.core import state as codes
from kwx_sim.core.jit import records
from kwx_sim.core.policy import decide
from kwx_sim.core.round import apply, deal
from kwx_sim.core.shapes import load_tables
from kwx_sim.core.state import STATE
from kwx_sim.core.view import live_kinds, live_tiles
from kwx_sim.ensemble import MEMBERS, REFERENCE
from kwx_sim.errors import InputError
from kwx_sim.policies import parse_policy
from kwx_sim.query.arms import Arm
from kwx_sim.query.ask import answer, question
from kwx_sim.query.compete import Competition, Limits
from kwx_sim.query.question import PRECISION, Options
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
    """A position: what a threshold rule reads of it, and mean bases of each choice over the walls.

    `chosen` and `at_random` are the ways that the query chose by its best belief, which is `belief`, and by `uniform`;
    `apart` whether the choices differ, be it in the tile alone.
    """

    features: tuple[int, int, int]
    query: float
    uniform: float
    declare: float
    quiet: float
    never: float
    chosen: str
    at_random: str
    apart: bool
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
    """One at random of each round in which the asking seat, each in turn, has any; the two others are `player`."""
    rng = np.random.default_rng(seed)
    tables, packed_rules = load_tables()[0], pack(rules)[0]
    mine, theirs = (parse_policy(each).pack()[0] for each in (PLAYER, player))
    found = 0
    for number in itertools.count():
        asking = number // SEATS % SEATS
        key, state = np.uint64(rng.integers(1 << 62)), records(1, STATE)
        s = state[0]
        wall = np.zeros(84, np.uint8)
        wall[: rules.wall_size] = rng.permutation(np.repeat(np.arange(rules.n_kinds), 4))
        deal(tables, packed_rules, s, wall, number % SEATS, np.zeros(SEATS, np.uint8))
        turns: list[tuple[NDArray[np.void], int]] = []
        while s["phase"] != codes.END:
            asks = s["seat"] == asking
            action = int(decide(tables, packed_rules, s, mine if asks else theirs, key))
            turns += _ready(state, action) if asks else []
            apply(tables, packed_rules, s, action)
        if turns:
            then, discard = turns[rng.integers(len(turns))]
            yield Ready(position_of_round(then[0], asking, rules), rotated(then[0], asking), discard)
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
    random_choice, random_verdict, _ = _choice(ready, rules, replace(options, belief="uniform"))
    try:
        choice, verdict, belief = _choice(ready, rules, options)
    except InputError:  # not one world that agrees with the record
        choice, verdict, belief = random_choice, random_verdict, "uniform"
    asked = Asked(ready.told, rules, others=player, seed=seed + 1, belief="uniform")
    reveal(asked, ready.true)
    points = asked.results(walls)["points"].mean(axis=0)
    plain = [index_of(asked, way, ready.discard) for way in ("declare", "quiet", "never")]
    return Judged(
        _features(asked, ready.discard),
        float(points[asked.arms.index(choice)]),
        float(points[asked.arms.index(random_choice)]),
        *(float(points[n]) for n in plain),
        choice.way,
        random_choice.way,
        choice != random_choice,
        verdict,
        belief,
    )


def _choice(ready: Ready, rules: Ruleset, options: Options) -> tuple[Arm, str, str]:
    """The best arm, the verdict of the headline and its belief: no ladder, which costs as much again."""
    asked = question("liangdao", ready.told, rules, me=PLAYER, opponents=REFERENCE, options=options)
    limits = Limits(asked.most, PRECISION)
    found = Competition(asked.worlds, asked.arms, limits, lambda *_: None).found
    return asked.arms[found.ranked()[0]], str(found.verdict().outcome), asked.worlds.belief


def index_of(asked: Asked, way: str, tile: int) -> int:
    return next(n for n, arm in enumerate(asked.arms) if (arm.way, arm.tile) == (way, tile))


def reveal(asked: Asked, true: dict[str, Any]) -> None:
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
    rules = load_rules(preset)
    return Parallel(n_jobs=workers, batch_size=4)(
        delayed(judge)(ready, rules, worlds, walls, number, player)
        for ready, number in sample(rules, positions, seed, player)
    )


def sample(rules: Ruleset, positions: int, seed: int, player: str) -> Iterator[tuple[Ready, int]]:
    """Positions, and a seed for each."""
    spread = np.random.SeedSequence([seed, WITH_LIANGDAO.index(rules.name)])
    numbers = spread.spawn(1)[0].generate_state(positions).tolist()
    return zip(ready_positions(rules, positions, int(spread.generate_state(1)[0]), player), numbers, strict=True)


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


def counted(judged: list[Judged]) -> str:
    """By which belief, where the beliefs choose differently, and how often they declare."""
    by_record = sum(each.belief == "played" for each in judged)
    apart = sum(each.apart for each in judged)
    first = sum((each.chosen == "declare") != (each.at_random == "declare") for each in judged)
    declared = sum(each.chosen == "declare" for each in judged)
    at_random = sum(each.at_random == "declare" for each in judged)
    return (
        f"            {by_record} of {len(judged)} by the record; chosen otherwise at random {apart}, {first} in"
        f" whether to declare; declared {declared} by the record, {at_random} at random"
    )


# ---------------------------------------------------------------- sensitivity


class Told(NamedTuple):
    """An answer under one belief, against one set of opponents: the difference of the headline's two arms."""

    belief: str
    opponents: str
    mean: float
    low: float
    high: float


class Answer(NamedTuple):
    """The verdict over all cells of a position, and its cells, the headline's first."""

    outcome: str
    cells: tuple[Told, ...]


def answer_of(ready: Ready, rules: Ruleset, worlds: int, seed: int) -> Answer:
    """Ask with the whole ensemble."""
    options = Options(worlds=worlds, seed=seed, workers=1, exact=False)
    decision = answer(question("liangdao", ready.told, rules, me=PLAYER, opponents=None, options=options))
    cells = ((each.belief, each.opponents, each.difference) for each in decision.cells)
    return Answer(
        str(decision.verdict.outcome),
        tuple(Told(belief, name, d.mean, d.low, d.high) for belief, name, d in cells),
    )


def answered(preset: str, positions: int, worlds: int, seed: int, workers: int) -> list[Answer]:
    """The answers to natural positions of a preset, played by the reference."""
    rules = load_rules(preset)
    return Parallel(n_jobs=workers, batch_size=2)(
        delayed(answer_of)(ready, rules, worlds, number) for ready, number in sample(rules, positions, seed, PLAYER)
    )


def sensitivity(preset: str, told: list[Answer]) -> str:
    """Outcomes; then for each belief and opponents how its differences lie to the headline's.

    Turned: on the other side of 0, by the mean, and with both intervals clear of 0. Shift: the cell's difference less
    the headline's, the headline's sign being made positive.
    """
    outcomes = Counter(each.outcome for each in told)
    lines = [f"{preset:>10}  " + ", ".join(f"{name} {n} of {len(told)}" for name, n in outcomes.most_common())]
    for name in MEMBERS:
        for belief in ("played", "uniform"):
            pairs = [(each.cells[0], cell) for each in told for cell in each.cells[1:] if cell[:2] == (belief, name)]
            if pairs:
                lines.append(f"            {belief:<8} {name:<10} " + _turns(pairs))
    return "\n".join(lines)


def _turns(pairs: list[tuple[Told, Told]]) -> str:
    by_mean = sum(head.mean * cell.mean < 0 for head, cell in pairs)
    clear = [(head, cell) for head, cell in pairs if head.low * head.high > 0 and cell.low * cell.high > 0]
    turned = sum(head.mean * cell.mean < 0 for head, cell in clear)
    shift = np.array([np.sign(head.mean) * (cell.mean - head.mean) for head, cell in pairs])
    half = Z * shift.std(ddof=1) / np.sqrt(len(shift))
    return (
        f"turned {turned} of {len(clear)} clear, {by_mean} of {len(pairs)} by the mean;"
        f" shift {shift.mean():+.2f} ± {half:.2f}"
    )


# ---------------------------------------------------------------- the command


def main() -> None:
    """Print the gains or the sensitivity, and leave every position's figures in a file if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--presets", default=",".join(WITH_LIANGDAO))
    parser.add_argument("--positions", type=int, default=POSITIONS)
    parser.add_argument("--worlds", type=int, default=WORLDS)
    parser.add_argument("--walls", type=int, default=WALLS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--player", default=PLAYER)
    parser.add_argument("--cells", action="store_true")
    parser.add_argument("--out")
    given = parser.parse_args()
    kept: dict[str, Any] = {}
    for preset in given.presets.split(","):
        started = time.monotonic()
        sizes = given.positions, given.worlds
        if given.cells:
            kept[preset] = answered(preset, *sizes, given.seed, given.workers)
            print(sensitivity(preset, kept[preset]), end="")
        else:
            judged = measure(preset, *sizes, given.walls, given.seed, given.workers, given.player)
            print(shown(gains(preset, judged)), counted(judged), sep="\n", end="")
            kept[preset] = [each._asdict() for each in judged]
        print(f"  {time.monotonic() - started:.0f} s", flush=True)
    if given.out:
        with open(given.out, "w", encoding="utf-8") as file:
            json.dump(kept, file)


if __name__ == "__main__":
    # Workers get functions of __main__ by value, kernels among them, and would compile each anew: a minute apiece.
    from decision_quality import main as run

    run()
