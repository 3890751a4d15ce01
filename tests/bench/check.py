"""`python -m bench.check`: has anything become slower? Ratios, not seconds, against a committed baseline.

A kernel is measured against the limits on the same hands, a round against the shuffle of its wall; both take turns,
so a slow or a busy machine slows both. A ratio counts as lost when the median of three runs is more than 30% above the
baseline's, and that of three further ones is too.

All of it is so little that what it looks up stays in a core's own cache: with others at work on the shared one, ratios
of 300 rounds strayed by 40%, those of 30 rounds by 10%.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from bench import kernels, probes, rounds
from bench.inputs import hands, some
from bench.timing import Calls, medians, pin, say
from kwx_sim.core.jit import records
from kwx_sim.rules import PRESETS

__all__ = ["TOLERANCE", "check", "lost", "median_of_three"]

BASELINE = Path(__file__).parents[1] / "data" / "bench_baseline.json"
TOLERANCE = 0.30
RUNS, TURNS = 3, 10
HANDS, WINS, POSITIONS = 8_192, 512, 16
SHUFFLES, KINDS = 1_000, 21
ROUNDS = {"random": 100, "efficient": 30}

Ratios = dict[str, float]


def median_of_three(run: Callable[[], Ratios]) -> Ratios:
    """Run three times: the median of each ratio."""
    runs = [run() for _ in range(RUNS)]
    return {name: statistics.median(found[name] for found in runs) for name in runs[0]}


def lost(baseline: Mapping[str, float], found: Mapping[str, float]) -> set[str]:
    """The names whose ratio is more than the tolerance above the baseline's."""
    return {name for name in baseline.keys() & found.keys() if found[name] > baseline[name] * (1 + TOLERANCE)}


def check(baseline: Mapping[str, float], run: Callable[[], Ratios], tell: Callable[[str], object]) -> bool:
    """Measure, and measure again what seems lost; tell a line for each ratio. Whether nothing is lost or left out."""
    found = median_of_three(run)
    suspects = lost(baseline, found)
    again = median_of_three(run) if suspects else {}
    confirmed = suspects & lost(baseline, again)
    left_out = baseline.keys() - found.keys()
    for name, ratio in found.items():
        if name not in baseline:
            tell(f"{name}: {ratio:.2f}, not in the baseline")
            continue
        told = f"{name}: {ratio:.2f}, baseline {baseline[name]:.2f} ({ratio / baseline[name] - 1:+.0%})"
        if name in suspects:
            told += f", measured again {again[name]:.2f}: {'LOST' if name in confirmed else 'passing noise'}"
        tell(told)
    for name in sorted(left_out):
        tell(f"{name}: in the baseline, no longer measured")
    return not confirmed and not left_out


def measure() -> Ratios:
    """Measure every ratio once."""
    ratios = {}
    for work in kernels.WORKS:
        given = some(hands(work.hands), HANDS)
        calls: Calls = {"ours": lambda work=work, given=given: work.call(given), **kernels.limits(given)}
        ns = medians(calls, dict.fromkeys(calls, len(given)), TURNS)
        ratios[work.name] = ns["ours"] / sum(ns[limit] for limit in kernels.LIMITS)
    for preset in PRESETS:
        for policy, played in ROUNDS.items():
            table = rounds.Table(preset, policy)
            ratios[f"round, {policy}, {preset}"] = _against_shuffles(table.play(played), played)
        table = rounds.Table(preset, "efficient")
        ratios[f"arm, {preset}"] = _against_shuffles(rounds.forks(table, POSITIONS), POSITIONS * rounds.ARMS)
        ratios[f"fans and payment, {preset}"] = _against_shuffles(*_pricing(table))
    return ratios


def _pricing(table: rounds.Table) -> tuple[Callable[[], object], int]:
    states, _ = rounds.won_rounds(table)
    few = records(WINS, states.dtype)
    few[:] = states[:WINS]
    return lambda: probes.price_wins(table.tables, table.rules, few), WINS


def _against_shuffles(call: Callable[[], object], size: int) -> float:
    calls: Calls = {"ours": call, "shuffle": lambda: probes.shuffle(KINDS, SHUFFLES, rounds.KEY)}
    ns = medians(calls, {"ours": size, "shuffle": SHUFFLES}, TURNS)
    return ns["ours"] / ns["shuffle"]


def main(arguments: Iterable[str] | None = None) -> None:
    """Check, or with --update write the baseline; exit status 1 for a loss."""
    parser = argparse.ArgumentParser(prog="bench.check", description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the baseline in place of checking")
    options = parser.parse_args(None if arguments is None else list(arguments))
    pin()

    def run() -> Ratios:
        say("measuring")
        return measure()

    if options.update:
        found = median_of_three(run)
        rounded = {name: float(f"{ratio:.4g}") for name, ratio in found.items()}
        BASELINE.write_text(json.dumps(rounded, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    if not check(json.loads(BASELINE.read_text("utf-8")), run, print):
        sys.exit(1)


if __name__ == "__main__":
    main()
