"""Whole rounds in which one seat declares by the query, against the same rounds in which all follow the rule.

In every round one seat, each in turn, asks the query whenever it may declare with the tile that its policy discards: a
small budget of worlds by the record, and the best mean of declaring, staying quiet and never declaring decides. The two
others, and in the other play of the same wall all three, declare by the policy's own rule. The datum is a round's
difference of what that seat wins; a round in which it is never asked, or always does what the rule does, has none.

    PYTHONPATH=tests python -m query_series --rounds 2000 --presets xiangyang
"""

import argparse
import time
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from kwx_sim.core import state as codes
from kwx_sim.core.jit import records
from kwx_sim.core.policy import decide
from kwx_sim.core.round import apply, deal
from kwx_sim.core.state import STATE
from kwx_sim.core.tables import load_tables
from kwx_sim.core.tally import points_of
from kwx_sim.errors import InputError
from kwx_sim.policies import Policy, parse_policy
from kwx_sim.positions import position_of
from kwx_sim.positions.of_round import position_of_round
from kwx_sim.query.arms import Arm, packed
from kwx_sim.query.question import Options, Question
from kwx_sim.query.worlds import Scale
from kwx_sim.rules import Ruleset, load_rules, pack

SEATS, Z = 3, 1.96
WAYS = ("declare", "quiet", "never")


class Outcome(NamedTuple):
    """A round: what the asking seat won by the query less what it won by the rule, and how often it was asked."""

    gain: int
    asked: int
    declared: int


def play(rules: Ruleset, player: Policy, number: int, seed: int, worlds: int) -> Outcome:
    """One wall, played both ways; seat `number` mod 3 asks."""
    rng = np.random.default_rng([seed, number])
    wall = np.zeros(84, np.uint8)
    wall[: rules.wall_size] = rng.permutation(np.repeat(np.arange(rules.n_kinds), 4))
    key, dealer, asking = np.uint64(rng.integers(1 << 62)), int(rng.integers(SEATS)), number % SEATS
    by_rule = _play_out(rules, player, wall, dealer, key, -1, worlds)
    by_query = _play_out(rules, player, wall, dealer, key, asking, worlds)
    gain = int(points_of(by_query.state[0], asking)) - int(points_of(by_rule.state[0], asking))
    return Outcome(gain, by_query.asked, by_query.declared)


class _Round(NamedTuple):
    state: NDArray[np.void]
    asked: int
    declared: int


def _play_out(
    rules: Ruleset, player: Policy, wall: NDArray[np.uint8], dealer: int, key: np.uint64, asking: int, worlds: int
) -> _Round:
    tables, packed_rules, policy = load_tables()[0], pack(rules)[0], player.pack()[0]
    state = records(1, STATE)
    s, asked, declared, gave_up = state[0], 0, 0, False
    deal(tables, packed_rules, s, wall, dealer, np.zeros(SEATS, np.uint8))
    while s["phase"] != codes.END:
        action = int(decide(tables, packed_rules, s, policy, key))
        if s["seat"] == asking and _may_declare(s, action):
            tile = action & 31
            way = "never" if gave_up else _best_way(s, asking, rules, player, tile, worlds)
            asked += not gave_up
            gave_up |= way == "never"
            declared += way == "declare"
            action = (codes.LIANGDAO if way == "declare" else codes.DISCARD) << 5 | tile
        apply(tables, packed_rules, s, action)
    return _Round(state, asked, declared)


def _may_declare(s: np.void, action: int) -> bool:
    discards = s["phase"] == codes.TURN and action >> 5 in (codes.DISCARD, codes.LIANGDAO)
    return bool(discards and int(s["can_liangdao"]) >> (action & 31) & 1)


def _best_way(s: np.void, seat: int, rules: Ruleset, player: Policy, tile: int, worlds: int) -> str:
    """The way with the best weighted mean; quiet where the query cannot be asked."""
    try:
        position = position_of(position_of_round(s, seat, rules))
        question = Question(position, rules, "liangdao", player, {"player": player}, Options(seed=1, workers=1))
        blocks = list(question.worlds.play(packed([Arm(way, tile) for way in WAYS]), 0, worlds))
    except InputError:
        return "quiet"
    logs = np.concatenate([block.logs for block in blocks])
    scale = Scale()
    scale.learn(logs, enough=len(logs))
    weights = scale.weights(logs)
    points = np.concatenate([block.results["points"] for block in blocks])
    return WAYS[int((weights[:, None] * points).sum(axis=0).argmax())]


def main() -> None:
    """Print what the query gains a round."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--presets", default="xiangyang")
    parser.add_argument("--rounds", type=int, default=2_000)
    parser.add_argument("--worlds", type=int, default=400)
    parser.add_argument("--player", default="efficient")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    player = parse_policy(given.player)
    for preset in given.presets.split(","):
        started, rules = time.monotonic(), load_rules(preset)
        done = Parallel(n_jobs=given.workers, batch_size=20)(
            delayed(play)(rules, player, number, given.seed, given.worlds) for number in range(given.rounds)
        )
        gain = np.array([each.gain for each in done])
        half = Z * gain.std(ddof=1) / np.sqrt(len(gain))
        asked, declared = (sum(column) for column in zip(*((each.asked, each.declared) for each in done), strict=True))
        print(
            f"{preset:>10}  query − rule {gain.mean():+.3f} ± {half:.3f} bases a round  ({len(gain)} rounds, asked"
            f" {asked} times, declared {declared}; {(gain != 0).sum()} rounds ended otherwise;"
            f" {time.monotonic() - started:.0f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()
