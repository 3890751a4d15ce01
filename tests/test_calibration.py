"""The measure of beliefs against made-up predictions and, at length, against self-play."""

import os
from collections import Counter

import numpy as np
import pytest
from calibration import PLAYER, PREDICTED, WORLDS, joined, measure, plot, report, scores, shown, sizes, tenths
from calibration import Block as Made

from kwx_sim.policies import parse_policy
from kwx_sim.stats import wilson

POSITIONS = int(os.environ.get("KWX_CALIBRATION", "400"))
UNSURE, RIGHT = 0, 1  # places of the beliefs


def made_up(chances, true):
    """A position for each chance; the first belief says a half to everything, the second what it is given."""
    rows = np.zeros(len(chances), PREDICTED)
    rows["position"], rows["discards"], rows["size"] = np.arange(len(chances)), 20, (1.0, 0.05)
    rows["ready"][:, 0] = true
    rows["p_ready"][:, UNSURE, 0], rows["p_ready"][:, RIGHT, 0] = 0.5, chances
    rows["waits"][:, 4] = true
    rows["p_waits"][:, RIGHT, 4] = chances
    return rows


def of_belief(found, belief):
    return [each for each in found if each.belief == belief]


def test_chances_go_into_the_tenth_that_they_are_in():
    rows = made_up([0.0, 0.05, 0.1, 0.95, 1.0, 1.0, 1.0], [0, 1, 0, 1, 1, 1, 0])
    first, second, last = of_belief(tenths(rows, "ready"), "played")
    assert (first.low, first.n, second.low, second.n, last.low, last.n) == (0.0, 2, 0.1, 1, 0.9, 4)
    assert (first.true, second.true, last.true) == (0.5, 0.0, 0.75)
    assert (first.predicted, last.predicted) == pytest.approx((0.025, 0.9875))
    (half,) = of_belief(tenths(rows, "ready"), "uniform")
    assert (half.low, half.n, half.true) == (0.5, 7, pytest.approx(4 / 7))


def test_frequencies_have_wilsons_interval_with_a_position_as_a_cluster():
    rows = made_up([0.3] * 40, [1, 0, 0, 0] * 10)
    (alone,) = of_belief(tenths(rows, "ready"), "played")
    # A standard error estimated from the sample has n − 1 degrees of freedom.
    expected = wilson(10 * 39 / 40, 39)
    assert (alone.ci_low, alone.ci_high) == pytest.approx((float(expected.ci_low), float(expected.ci_high)))
    pairs = np.concatenate([rows, rows])
    (twice,) = of_belief(tenths(pairs, "ready"), "played")
    assert (twice.n, twice.ci_low, twice.ci_high) == (80, pytest.approx(alone.ci_low), pytest.approx(alone.ci_high))


def test_losses_are_what_they_are_by_hand():
    rows = made_up([0.9, 0.0], [1, 0])
    logs, brier = scores(rows, "ready", worlds=9)[:2]
    assert (logs.stratum, logs.loss, brier.loss, logs.opponents) == ("all", "log loss", "Brier", 2)
    # Half a world of nine on either side: (8.1 + 0.5) / 10, and 0.5 / 10.
    assert logs.played == pytest.approx(-(np.log(0.86) + np.log(0.95)) / 2)
    assert logs.uniform == pytest.approx(np.log(2))
    assert (brier.uniform, brier.played) == pytest.approx((0.25, 0.005))
    assert brier.difference == pytest.approx(brier.played - brier.uniform)
    assert brier.ci_low < brier.difference < brier.ci_high
    waits = scores(rows, "waits", worlds=9)[0]
    assert waits.played == pytest.approx(logs.played - 20 * np.log(0.95))


def test_strata_share_out_all_opponents():
    rows = made_up(np.full(90, 0.5), np.zeros(90))
    rows["discards"], rows["melds"] = np.arange(90) % 45 + 6, np.arange(90) % 4
    found = [each for each in scores(rows, "ready", worlds=100) if each.loss == "Brier"]
    assert [each.opponents for each in found] == [90, 18, 20, 20, 32, 23, 23, 44]


def test_a_tenth_of_the_positions_of_a_turn_has_fewer_worlds_than_that():
    rows = made_up(np.full(22, 0.5), np.zeros(22))
    rows["position"] = np.repeat(np.arange(11), 2)
    rows["discards"] = 20
    rows["size"][:, 1] = np.repeat(np.arange(11), 2) / 20
    last = [each for each in sizes(rows, worlds=200) if each.belief == "played"][-1]
    assert (last.stratum, last.positions) == ("15–24", 11)
    assert (last.median, last.tenth, last.low) == pytest.approx((50, 10, 2 / 11))


def test_joined_blocks_keep_positions_apart():
    rows = np.repeat(made_up([0.2, 0.4], [0, 1]), 2)
    both = joined([Made(rows, Counter()), Made(rows, Counter()), Made(rows[:0], Counter())])
    assert both.rows["position"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_few_positions_are_reported():
    policy = parse_policy(PLAYER)
    made = measure(["xiangyang"], (policy, policy), positions=3, worlds=20, seed=1, workers=1)["xiangyang"]
    found = report(made, worlds=20)
    assert found["positions"] + sum(found["left_out"].values()) == 3
    everywhere = found["sizes"][0]
    assert (everywhere["stratum"], everywhere["belief"], everywhere["low"]) == ("all", "uniform", 0.0)
    assert (everywhere["median"], everywhere["tenth"]) == pytest.approx((20.0, 20.0))
    for row in made.rows:
        assert row["ready"][0] == row["waits"].any()
        assert (row["p_waits"] <= row["p_ready"] + 1e-12).all()
    assert "played − uniform" in shown("xiangyang", found)


def test_reliability_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    plot(report(Made(made_up([0.2, 0.8] * 10, [0, 1] * 10), Counter()), worlds=10), str(tmp_path / "made_up.png"))
    assert (tmp_path / "made_up.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.verify
def test_what_was_played_says_who_is_ready():
    """Set KWX_CALIBRATION for a smaller or larger sample."""
    policy = parse_policy(PLAYER)
    made = measure(["xiangyang"], (policy, policy), POSITIONS, WORLDS, seed=2, workers=2)["xiangyang"]
    print("\n" + shown("xiangyang", report(made, WORLDS)))
    logs = scores(made.rows, "ready", WORLDS)[0]
    assert logs.loss == "log loss"
    assert logs.ci_high < 0
