"""The harnesses that judge the query by results, on a handful of rounds."""

import belief_values
import numpy as np
from decision_quality import gains, measure
from query_series import play

from kwx_sim.policies import parse_policy
from kwx_sim.rules import load_rules


def test_decisions_are_judged_with_both_beliefs_and_other_players():
    judged = measure("xiangyang", 3, worlds=800, walls=4, seed=1, workers=1, player="efficient:pong=1.6")
    assert {each.belief for each in judged} <= {"played", "uniform"}
    assert [gain.against for gain in gains("xiangyang", judged)] == ["always", "never", "threshold", "uniform"]
    for each in judged:
        assert {each.chosen, each.at_random} <= {"declare", "quiet", "never", "in 1", "in 2"}
        assert np.isfinite([each.query, each.uniform, each.declare, each.quiet, each.never]).all()


def test_beliefs_are_told_by_how_far_they_are_from_the_truth():
    """A belief that says what is true has no bias; one that adds 2 to declaring errs there and in the difference."""
    values = belief_values.measured("xiangyang", 3, worlds=200, walls=4, seed=1, workers=1)
    assert values.shape == (3, 3, 3)
    assert np.isfinite(values).all()
    true = values[:, :1]
    told = belief_values.shown("xiangyang", np.concatenate([true, true, true + np.array([2, 0, 0])], axis=1))
    played, uniform = (
        [line.split() for line in told.splitlines() if line.split()[0] == belief] for belief in belief_values.BELIEFS
    )
    assert [float(words[2]) for words in played] == [0, 0, 0, 0]
    assert [float(words[2]) for words in uniform] == [2, 0, 0, 2]
    assert [float(words[8].rstrip(",")) for words in uniform] == [2, 0, 0, 2]


def test_a_round_in_which_nobody_is_asked_ends_alike():
    rules, player = load_rules("xiangyang"), parse_policy("efficient")
    played = [play(rules, player, number, seed=1, worlds=100) for number in range(8)]
    assert any(each.asked for each in played)
    assert all(each.gain == 0 for each in played if not each.asked)
    again = play(rules, player, 3, seed=1, worlds=100)
    assert again == played[3]
