"""Arms: what the kernels play is what the same actions come to step by step, and luck has mean zero."""

from itertools import islice, product

import numpy as np
import pytest
from position_maker import position_of_round, ready_turns
from questions import SHARES, Asked, play_arm
from reference_round import ReferenceRound
from small_positions import small_positions

from kwx_sim.play import action_text
from kwx_sim.query.arms import packed
from kwx_sim.rules import PRESETS, load_rules

HAND = {"hongzhong": "123s 789s 46s 88s 中 33s 1p"}
HANDS = {preset: HAND.get(preset, "123s 789s 46p 88p 中中中 5s") for preset in PRESETS}
POSITIONS, WORLDS = 12, 4
ENDS = 4
"""Tiles at either end of a wall of which the middle is turned round."""


def positions(preset, count, seed=5):
    """Positions of rounds that went on, told in full, and of which nothing but the hand is told."""
    rules = load_rules(preset)
    for turn in islice(ready_turns(rules, 10 * count, seed=seed, rare=True), count):
        yield position_of_round(turn.state[0], turn.seat, rules)


@pytest.mark.parametrize("others", ["efficient", "efficient:avoidance=0.5,liangdao=always", "random"])
@pytest.mark.parametrize("preset", PRESETS)
def test_arms_are_their_actions_taken_one_by_one(preset, others):
    """Points, ends and luck of every arm in the same worlds, and payments that sum to zero."""
    checked = 0
    for told in [{"hand": HANDS[preset], "wall": 20}, *positions(preset, POSITIONS)]:
        asked = Asked(told, preset, others=others)
        results = asked.results(WORLDS)
        for number in asked.numbers(WORLDS):
            world = asked.world(number)
            for arm, result in zip(asked.arms, results[number], strict=True):
                played = play_arm(asked, world, arm, number)
                assert sum(played.points) == 0
                assert played.points[0] == result["points"], (told, arm.name)
                assert {name: int(result[name]) for name in SHARES} == played.shares
                assert result["luck"] == pytest.approx(played.luck, abs=1e-12)
                checked += 1
    assert checked > 100


@pytest.mark.parametrize("preset", PRESETS)
def test_an_arm_is_the_same_alone_and_beside_others(preset):
    asked = Asked(HANDS[preset], preset)
    together = asked.results(100)
    for n, arm in enumerate(asked.arms):
        assert np.array_equal(asked.results(100, packed([arm]))[:, 0], together[:, n])


def test_a_small_run_is_its_arms_stepped_one_by_one():
    asked = Asked(HANDS["xiangyang"], "xiangyang")
    results = asked.results(3)
    for number in range(3):
        world = asked.world(number)
        for n, arm in enumerate(asked.arms):
            s = play_arm(asked, world, arm, number).state[0]
            points = s["kong_points"] + s["win_points"].sum(axis=0) + s["undecided_points"]
            assert results["points"][number, n] == points[0]


@pytest.mark.parametrize("preset", PRESETS)
def test_nobody_acts_by_tiles_that_are_not_drawn_yet(preset):
    """With the middle of the wall turned round every arm's actions are the same as long as draws come from its ends."""
    parted = 0
    for told in positions(preset, POSITIONS, seed=6):
        asked = Asked(told, preset)
        for number, arm in product(range(2), asked.arms):
            world = asked.world(number)
            left = slice(int(world["front"][0]) + ENDS, int(world["tail"][0]) - ENDS)
            other = world.copy()
            other["wall"][0][left] = world["wall"][0][left][::-1]
            one, two = (play_arm(asked, each, arm).actions for each in (world, other))
            drawn_alike = one[0][1] - ENDS
            assert [act for act in one if act[1] >= drawn_alike] == [act for act in two if act[1] >= drawn_alike]
            parted += one != two
    assert parted > 10


@pytest.mark.parametrize("preset", PRESETS)
def test_arms_agree_with_the_plain_engine(preset):
    """Whole rounds, from the deal that a world was played in from to the end of an arm, in the slow engine."""
    rules = load_rules(preset)
    asked = Asked({"hand": HANDS[preset], "wall": 18}, rules, played_in=True)
    for number in range(6):
        world = asked.world(number)
        for arm in asked.arms:
            s = play_arm(asked, world, arm, number).state[0]
            reference = ReferenceRound(rules, s["wall"][: rules.wall_size].tolist(), int(s["dealer"]))
            paid = [0, 0, 0]  # before the question: no part of an arm's points
            for n, code in enumerate(s["log"][: int(s["n_log"])]):
                if n == world["n_log"][0]:
                    paid = list(reference.points)
                reference.apply(action_text(int(code)))
            points = s["kong_points"] + s["win_points"].sum(axis=0) + s["undecided_points"]
            assert reference.over
            assert [
                all_in_all - before for all_in_all, before in zip(reference.points, paid, strict=True)
            ] == points.tolist()


@pytest.mark.parametrize("preset", PRESETS)
def test_luck_has_mean_zero_over_all_orders(preset):
    """Own draws, others' draws and maima: exactly, arm by arm, over every deal and order of small positions."""
    rules = load_rules(preset)
    largest = np.zeros(3)
    for small in small_positions(rules, 12, seed=sum(map(ord, preset))):
        asked = Asked(small.position, rules)
        _, luck = asked.exact()
        assert np.abs(luck).max() < 1e-10
        for results, _ in asked.orders().play(packed(asked.arms)):
            largest = np.maximum(largest, np.abs(results["luck"]).max(axis=(0, 1)))
    # It is luck that averages out, not its absence; maima needs a self-draw before the last tile.
    assert (largest[:2] > 0).all()
    assert (largest[2] > 0) == rules.maima.enabled


@pytest.mark.parametrize(("preset", "fewest"), [("platform", 2.5), ("xiangyang", 1.15)])
def test_controls_take_out_variance(preset, fewest):
    """Measured 3.5 and 1.25: what one world is worth of those without controls; most of it is maima."""
    asked = Asked({"hand": HANDS[preset], "wall": 20}, preset)
    (*_, standing) = asked.looks(4_000)
    assert standing.differences.gain[asked.index("declare 5s"), asked.index("quiet 5s")] > fewest
