"""The harnesses that judge the query by results, on a handful of rounds."""

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


def test_a_round_in_which_nobody_is_asked_ends_alike():
    rules, player = load_rules("xiangyang"), parse_policy("efficient")
    played = [play(rules, player, number, seed=1, worlds=100) for number in range(8)]
    assert any(each.asked for each in played)
    assert all(each.gain == 0 for each in played if not each.asked)
    again = play(rules, player, 3, seed=1, worlds=100)
    assert again == played[3]
