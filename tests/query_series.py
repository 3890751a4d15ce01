"""Whole rounds in which one seat declares by the query, against the same rounds in which all follow the rule.

In every round one seat, each in turn, asks the query whenever it may declare with the tile that its policy discards: a
small budget of worlds by the record, and the best mean of declaring, staying quiet and never declaring decides. The two
others, and in the other play of the same wall all three, declare by the policy's own rule. The datum is a round's
difference of what that seat wins; a round in which it is never asked, or always does what the rule does, has none.

    PYTHONPATH=tests python -m query_series --rounds 2000 --presets xiangyang
"""

import argparse
import time
from collections import Counter
from collections.abc import Sequence
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
NOBODY = -1
WAYS = ("declare", "quiet", "never")


class Choice(NamedTuple):
    """A decision of the asking seat: the way by the query, what its rule would have done, and the belief."""

    way: str
    rule: str
    belief: str


class Outcome(NamedTuple):
    """A round: what the asking seat won by the query less what it won by the rule, and what it was asked."""

    gain: int
    choices: tuple[Choice, ...]

    @property
    def asked(self) -> int:
        """How often it was asked."""
        return len(self.choices)


def play(rules: Ruleset, player: Policy, number: int, seed: int, worlds: int) -> Outcome:
    """One wall, played both ways; seat `number` mod 3 asks."""
    rng = np.random.default_rng([seed, number])
    wall = np.zeros(84, np.uint8)
    wall[: rules.wall_size] = rng.permutation(np.repeat(np.arange(rules.n_kinds), 4))
    key, dealer, asking = np.uint64(rng.integers(1 << 62)), int(rng.integers(SEATS)), number % SEATS
    by_query, choices = _play_out(rules, player, wall, dealer, key, asking, worlds, number)
    if not choices:
        return Outcome(0, ())
    by_rule, _ = _play_out(rules, player, wall, dealer, key, NOBODY, worlds, number)
    return Outcome(int(points_of(by_query, asking)) - int(points_of(by_rule, asking)), choices)


def _play_out(
    rules: Ruleset,
    player: Policy,
    wall: NDArray[np.uint8],
    dealer: int,
    key: np.uint64,
    asking: int,
    worlds: int,
    seed: int,
) -> tuple[np.void, tuple[Choice, ...]]:
    """The round at its end, and what the asking seat was asked on the way."""
    tables, packed_rules, policy = load_tables()[0], pack(rules)[0], player.pack()[0]
    s, choices = records(1, STATE)[0], []
    deal(tables, packed_rules, s, wall, dealer, np.zeros(SEATS, np.uint8))
    while s["phase"] != codes.END:
        action = int(decide(tables, packed_rules, s, policy, key))
        if s["seat"] == asking and _may_declare(s, action):
            kind, tile = action >> 5, action & 31
            if not choices or choices[-1].way != "never":
                way, belief = _best_way(s, asking, rules, player, tile, worlds, seed)
                choices.append(Choice(way, "declare" if kind == codes.LIANGDAO else "quiet", belief))
            action = (codes.LIANGDAO if choices[-1].way == "declare" else codes.DISCARD) << 5 | tile
        apply(tables, packed_rules, s, action)
    return s, tuple(choices)


def _may_declare(s: np.void, action: int) -> bool:
    discards = s["phase"] == codes.TURN and action >> 5 in (codes.DISCARD, codes.LIANGDAO)
    return bool(discards and int(s["can_liangdao"]) >> (action & 31) & 1)


def _best_way(
    s: np.void, seat: int, rules: Ruleset, player: Policy, tile: int, worlds: int, seed: int
) -> tuple[str, str]:
    """The way with the best weighted mean, and the belief; quiet and none where the query cannot be asked."""
    try:
        position = position_of(position_of_round(s, seat, rules))
        question = Question(position, rules, "liangdao", player, {"player": player}, Options(seed=seed, workers=1))
        blocks = list(question.worlds.play(packed([Arm(way, tile) for way in WAYS]), 0, worlds))
        logs = np.concatenate([block.logs for block in blocks])
        scale = Scale()
        scale.learn(logs, enough=len(logs))
        weights = scale.weights(logs)
    except InputError:
        return "quiet", "none"
    points = np.concatenate([block.results["points"] for block in blocks])
    return WAYS[int((weights[:, None] * points).sum(axis=0).argmax())], question.worlds.belief


def series(rules: Ruleset, player: Policy, rounds: int, worlds: int, seed: int, workers: int) -> list[Outcome]:
    """So many rounds of a ruleset."""
    return Parallel(n_jobs=workers, batch_size=20)(
        delayed(play)(rules, player, number, seed, worlds) for number in range(rounds)
    )


def shown(preset: str, played: Sequence[Outcome]) -> str:
    """What the query gains a round; then what it did where the rule would have declared, or would not."""
    gain = np.array([each.gain for each in played])
    half = Z * gain.std(ddof=1) / np.sqrt(len(gain))
    choices = [choice for each in played for choice in each.choices]
    done = Counter((choice.rule, choice.way) for choice in choices)
    beliefs = Counter(choice.belief for choice in choices)
    lines = [
        f"{preset:>10}  query − rule {gain.mean():+.3f} ± {half:.3f} bases a round  ({len(gain)} rounds, asked in"
        f" {sum(bool(each.choices) for each in played)}, {(gain != 0).sum()} with another result)",
        *(
            f"            where the rule says {rule}: " + ", ".join(f"{way} {done[rule, way]}" for way in WAYS)
            for rule in ("declare", "quiet")
        ),
        "            beliefs: " + ", ".join(f"{name} {count}" for name, count in beliefs.most_common()),
    ]
    return "\n".join(lines)


def main() -> None:
    """Print what the query gains a round."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--presets", default="xiangyang")
    parser.add_argument("--rounds", type=int, default=2_000)
    parser.add_argument("--worlds", type=int, default=600)
    parser.add_argument("--player", default="efficient")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    player = parse_policy(given.player)
    for preset in given.presets.split(","):
        started = time.monotonic()
        played = series(load_rules(preset), player, given.rounds, given.worlds, given.seed, given.workers)
        print(shown(preset, played), f"  {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    # Workers get functions of __main__ by value, kernels among them, and would compile each anew: a minute apiece.
    from query_series import main as run

    run()
