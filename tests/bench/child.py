"""What is measured in a process of its own: `python -m bench.child TASK` prints one JSON value.

Imports stand in the tasks: what a task does not need is not to be in its memory or its time.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

ROUNDS, MANY_ROUNDS = 20_000, 200_000
SCALING_ROUNDS = 4 * 16_384  # four blocks
SCALING_REPEATS = 3
RULES = "suizhou"


def load_tables() -> float:
    """Seconds that loading the tables from the cache takes."""
    from kwx_sim.core.tables import load_tables

    start = time.perf_counter()
    load_tables()
    return time.perf_counter() - start


def build_tables() -> float:
    """Seconds that building them takes."""
    from kwx_sim.core.build import build_tables

    start = time.perf_counter()
    build_tables()
    return time.perf_counter() - start


def memory_of_a_hand() -> float:
    """Peak of a process that answers one hand, MB."""
    import kwx_sim

    kwx_sim.waits(kwx_sim.parse_hand("1112345678999p"))
    return _peak()


def memory_of_rounds() -> float:
    """Peak of a process that simulates 20,000 rounds, MB."""
    import kwx_sim

    kwx_sim.simulate(RULES, games=ROUNDS, seed=1, workers=1)
    return _peak()


def worlds() -> float:
    """Seconds for 20,000 worlds played in from the deal, four arms in each, on all workers."""
    import os

    from kwx_sim.core.dealing import READY_HAND
    from kwx_sim.core.jit import records
    from kwx_sim.policies import parse_policy
    from kwx_sim.positions import Position, check
    from kwx_sim.query.arms import Arm, packed
    from kwx_sim.query.worlds import Worlds
    from kwx_sim.rules import load_rules, pack

    position, rules = Position.of("123s 789s 46p 88p 中中中 5s", wall=30), load_rules("xiangyang")
    players = [parse_policy("efficient")] * 3
    no_hands = (records(0, READY_HAND), [0] * 3, [0] * 3)
    made = Worlds(position, check(position, rules), pack(rules), [players], no_hands, 1, os.cpu_count() or 1)
    arms = packed([Arm(way, 4) for way in ("declare", "quiet", "never", "in 1")])
    list(made.play(arms, 0, 1))
    start = time.perf_counter()
    list(made.play(arms, 0, 20_000))
    return time.perf_counter() - start


def recall() -> list[float]:
    """Seconds that hidden hands by the record add to a headline, for positions of two presets from short to long.

    Every tenth of a hundred natural ready positions by the others' turns, the longest among them.
    """
    from decision_quality import PLAYER, sample

    from kwx_sim.ensemble import REFERENCE
    from kwx_sim.query.ask import question
    from kwx_sim.query.question import Options
    from kwx_sim.rules import load_rules

    def seconds(told: dict[str, Any], rules: Any, belief: str) -> float:
        options = Options(exact=False, belief=belief)
        asked = question("liangdao", told, rules, me=PLAYER, opponents=REFERENCE, options=options)
        start = time.perf_counter()
        asked.headline()
        return time.perf_counter() - start

    added = []
    for preset in ("xiangyang", "platform"):
        rules = load_rules(preset)
        told = [ready.told for ready, _ in sample(rules, 100, 1, PLAYER)]
        told.sort(key=lambda each: sum(seat != "me" for seat, *_ in each["discards"]))
        seconds(told[0], rules, "played")
        added += [seconds(each, rules, "played") - seconds(each, rules, "uniform") for each in told[9::10]]
    return added


def scaling() -> float:
    """How many times faster two workers are than one: the best of each, taken in turn."""
    one, two = [], []
    _seconds(1, 2)
    for _ in range(SCALING_REPEATS):
        one.append(_seconds(SCALING_ROUNDS, 1))
        two.append(_seconds(SCALING_ROUNDS, 2))
    return min(one) / min(two)


def growth() -> float:
    """The cost of a round in a run of 200,000 over that in one of 20,000, one worker, one table."""
    few, many = [], []
    _spent(1)
    for _ in range(SCALING_REPEATS):
        few.append(_spent(ROUNDS) / ROUNDS)
        many.append(_spent(MANY_ROUNDS) / MANY_ROUNDS)
    return min(many) / min(few)


def _seconds(rounds: int, workers: int) -> float:
    import kwx_sim

    start = time.perf_counter()
    kwx_sim.simulate(RULES, games=rounds, seed=1, workers=workers)
    return time.perf_counter() - start


def _spent(rounds: int) -> float:
    """Processor time of one worker."""
    import kwx_sim

    start = time.process_time()
    kwx_sim.simulate(RULES, games=rounds, seed=1, workers=1, tables=["kawuxing_frequency"])
    return time.process_time() - start


def _peak() -> float:
    """Peak resident memory, MB. Not `getrusage` where the system tells more: it counts the parent before the start."""
    status = Path("/proc/self/status")
    if status.exists():
        [line] = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
        return int(line.split()[1]) / 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


TASKS: dict[str, Any] = {
    task.__name__: task
    for task in (load_tables, build_tables, memory_of_a_hand, memory_of_rounds, worlds, recall, scaling, growth)
}

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]]()))
