"""`efficient` plays move for move as recorded: making it faster must not make it another player."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from kwx_sim.core.jit import records
from kwx_sim.core.run import play_block
from kwx_sim.core.shapes import load_tables
from kwx_sim.core.state import STATE
from kwx_sim.policies import parse_policy
from kwx_sim.rules import PRESETS, load_rules, pack

FILE = Path(__file__).parent / "data" / "moves.json"
RUN, GROUP = np.uint64(20_261_130), 50
NO_PIAO = np.zeros(3, np.uint8)


def digests(preset: str, rounds: int) -> list[str]:
    """A digest of every action of each 50 rounds of `efficient`."""
    seats = np.concatenate([parse_policy("efficient").pack()] * 3)
    states = records(rounds, STATE)
    play_block(load_tables()[0], pack(load_rules(preset))[0], states, seats, NO_PIAO, RUN, 0)
    found = []
    for first in range(0, rounds, GROUP):
        digest = hashlib.sha256()
        for state in states[first : first + GROUP]:
            digest.update(state["log"][: state["n_log"]].astype("<u2").tobytes() + b"|")
        found.append(digest.hexdigest()[:12])
    return found


@pytest.mark.parametrize("preset", PRESETS)
def test_efficient_moves_as_recorded(preset):
    recorded = json.loads(FILE.read_text())[preset]
    assert len(set(recorded)) == len(recorded) == 40
    assert digests(preset, GROUP * len(recorded)) == recorded


if __name__ == "__main__":  # after a change that is meant to change the moves: write them anew, and say so
    FILE.write_text(json.dumps({preset: digests(preset, 40 * GROUP) for preset in PRESETS}, indent=1) + "\n")
