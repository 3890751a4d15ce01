"""Two seeds: the report's figures differ by as much as their errors say, no more and no less."""

import numpy as np
import pytest

from kwx_sim.findings.kongs import count_frame, ending_frame, own_frame, play
from kwx_sim.findings.wins import fan_frame, wins_of
from kwx_sim.report import Work
from kwx_sim.rules import load_rules

PAIRS, GAMES, EVENTS = 80, 24_000, 100
FIGURES = (
    (fan_frame, "wins_share", "wins"),
    (fan_frame, "paid", "wins"),
    (fan_frame, "added", "wins"),
    (count_frame, "a_round", "kongs"),
    (ending_frame, "of_kongs", "times"),
    (ending_frame, "brings", "times"),
    (own_frame, "result", "seats"),
)


def apart(preset, pair):
    """Whether each figure of two seeds differs by more than 1.96 standard errors."""
    rules = load_rules(preset)
    one, other = (play(Work((rules,), GAMES, seed, 2), rules) for seed in (2 * pair + 1, 2 * pair + 2))
    found = []
    for frame, field, n in FIGURES:
        a, b = (frame(wins_of(rules, each.rows) if frame is fan_frame else each) for each in (one, other))
        keys = [column for column in ("fan", "kind", "ending", "own_kongs") if column in a]
        both = a.merge(b, on=keys)
        both = both[(both[f"{n}_x"] >= EVENTS) & (both[f"{n}_y"] >= EVENTS)]
        z = (both[f"{field}_x"] - both[f"{field}_y"]) / np.hypot(both[f"{field}_se_x"], both[f"{field}_se_y"])
        found += (z.abs() > 1.96)[z.notna()].tolist()
    return found


# The two other presets play almost the same rounds as suizhou.
@pytest.mark.verify
@pytest.mark.parametrize("preset", ["platform", "hongzhong", "suizhou"])
def test_two_seeds_differ_beyond_1_96_errors_in_one_cell_of_twenty(preset):
    """Cells of a pair hang together; pairs do not, so a pair is the unit of the share's own error."""
    shares = [np.mean(apart(preset, pair)) for pair in range(PAIRS)]
    error = np.std(shares, ddof=1) / np.sqrt(PAIRS)
    assert abs(np.mean(shares) - 0.05) < 3 * error, (np.mean(shares), error)
    assert error < 0.01
