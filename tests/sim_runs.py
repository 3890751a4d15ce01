"""Small runs for tests, and keys as plain Python gets them."""

from typing import Any

import numpy as np

from kwx_sim.backends import Backend
from kwx_sim.core.rng import stream_key
from kwx_sim.rules import Ruleset
from kwx_sim.runs import Run, play_run

GAMES = 1500


def a_run(rules: Ruleset | str = "platform", **given: Any) -> Run:
    return Run.of(rules, **{"games": GAMES, "seed": 7, **given})


def totals(run: Run, workers: int = 1) -> Any:
    return play_run(run, backend=Backend.of(workers=workers))[0]


def key_of(run_key: np.uint64, number: int) -> np.uint64:
    """`stream_key` for Python, which gets a plain integer out of a kernel."""
    return np.uint64(stream_key(run_key, number))
