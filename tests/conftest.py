"""Compile every kernel in one process before the workers start: on a cold cache they would all compile the same."""

import os

import numpy as np
import pytest


def pytest_configure(config: pytest.Config) -> None:
    is_worker = hasattr(config, "workerinput")
    if is_worker or not config.getoption("numprocesses", None) or os.environ.get("NUMBA_DISABLE_JIT") == "1":
        return
    import kwx_sim

    hand = kwx_sim.parse_hand("1112345678999p")[None].repeat(2, axis=0)
    kwx_sim.waits(hand)
    kwx_sim.acceptance(hand)
    kwx_sim.shanten(hand)
    kwx_sim.is_hu(hand + np.eye(27, dtype=np.uint8)[[13, 14]])
    kwx_sim.simulate("platform", games=1)
    kwx_sim.score("1112345678999p", [], "5p", "discard", rules="platform")
