"""What a position is worth, by each belief and in truth: where a belief errs, and whether that turns decisions.

For each natural ready position, declaring, staying quiet and never declaring with the tile that the policy discards
are played out in worlds by the record and in worlds at random, and over reshuffled walls with the true hands. A
belief's bias is its mean less the true one; what decides is the difference of two ways, printed last.

    PYTHONPATH=tests python -m belief_values --positions 200 --worlds 2400 --walls 150 --presets suizhou,shiyan
"""

import argparse
import time

import numpy as np
from decision_quality import PLAYER, WITH_LIANGDAO, Floats, Ready, Z, index_of, reveal, sample
from joblib import Parallel, delayed
from questions import Asked

from kwx_sim.query.arms import packed
from kwx_sim.query.worlds import Scale
from kwx_sim.rules import Ruleset, load_rules

WAYS = ("declare", "quiet", "never")
BELIEFS = ("played", "uniform")


def values_of(ready: Ready, rules: Ruleset, worlds: int, walls: int, seed: int) -> Floats:
    """Mean bases of each way in truth and by each belief, (1 + beliefs, ways); NaN where no hand fits the record."""
    values = np.full((1 + len(BELIEFS), len(WAYS)), np.nan)
    asked = Asked(ready.told, rules, others=PLAYER, seed=seed + 1, belief="uniform")
    reveal(asked, ready.true)
    arms = packed([asked.arms[index_of(asked, way, ready.discard)] for way in WAYS])
    values[0] = asked.results(walls, arms)["points"].mean(axis=0)
    for row, belief in enumerate(BELIEFS, 1):
        believed = Asked(ready.told, rules, others=PLAYER, seed=seed, belief=belief)
        blocks = list(believed.worlds.play(arms, 0, worlds))
        logs = np.concatenate([block.logs for block in blocks])
        if np.isfinite(logs).any():
            scale = Scale()
            scale.learn(logs, enough=len(logs))
            points = np.concatenate([block.results["points"] for block in blocks])
            values[row] = np.average(points, axis=0, weights=scale.weights(logs))
    return values


def measured(preset: str, positions: int, worlds: int, walls: int, seed: int, workers: int) -> Floats:
    """The values of so many positions of a preset, (positions, 1 + beliefs, ways)."""
    rules = load_rules(preset)
    found = Parallel(n_jobs=workers, batch_size=4)(
        delayed(values_of)(ready, rules, worlds, walls, number)
        for ready, number in sample(rules, positions, seed, PLAYER)
    )
    return np.array(found)


def shown(preset: str, values: Floats) -> str:
    """For each way and belief the bias and its root mean square; the same of declaring less staying quiet."""
    values = values[np.isfinite(values).all(axis=(1, 2))]
    both = np.concatenate([values, values[..., :1] - values[..., 1:2]], axis=2)
    lines = [f"{preset}: {len(both)} positions"]
    for column, name in enumerate((*WAYS, "declare − quiet")):
        true = both[:, 0, column]
        lines.append(f"  {name:<16} true {true.mean():+.3f}")
        for row, belief in enumerate(BELIEFS, 1):
            error = both[:, row, column] - true
            half = Z * error.std(ddof=1) / np.sqrt(len(error))
            alike = np.corrcoef(both[:, row, column], true)[0, 1]
            lines.append(
                f"    {belief:<8} bias {error.mean():+.3f} ± {half:.3f}, root mean square"
                f" {np.sqrt((error**2).mean()):.3f}, correlation {alike:.2f}"
            )
    return "\n".join(lines)


def main() -> None:
    """Print the figures of each preset."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--presets", default=",".join(WITH_LIANGDAO))
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--worlds", type=int, default=2_400)
    parser.add_argument("--walls", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    sizes = given.positions, given.worlds, given.walls
    for preset in given.presets.split(","):
        started = time.monotonic()
        print(shown(preset, measured(preset, *sizes, given.seed, given.workers)), end="")
        print(f"  {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    # Workers get functions of __main__ by value, kernels among them, and would compile each anew: a minute apiece.
    from belief_values import main as run

    run()
