"""Small positions, where the answer is known: enumerated by the query, by plain Python, and sampled."""

from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pytest
from questions import Asked, play_arm
from reference_round import ReferenceRound
from small_positions import Small, small_positions

from kwx_sim import hands, should_liangdao
from kwx_sim.contest import PILOT, Contest, coefficients
from kwx_sim.core.legal import find_turn_actions
from kwx_sim.core.state import BIT, BLOCK, POW5
from kwx_sim.errors import InputError
from kwx_sim.play import action_text
from kwx_sim.query.exact import can_enumerate
from kwx_sim.query.worlds import BLOCK as WORLDS_OF_A_BLOCK
from kwx_sim.rules import PRESETS, load_rules
from kwx_sim.sequences import Outcome, schedule
from kwx_sim.tiles import meld_counts

POSITIONS = 42
"""A preset; with five of them more than 200."""
WORLDS = 2_000
ROUNDING = 1e-9


class Answer(NamedTuple):
    """A small position with its exact means by arm, and sampled points (worlds, arms) and luck (worlds, arms, 3)."""

    small: Small
    asked: Asked
    exact: np.ndarray
    points: np.ndarray
    luck: np.ndarray


@cache
def answers(preset, count=POSITIONS, seed=0, worlds=WORLDS):
    """Every position has a seed of its own: with one for all, walls of one length would be shuffled alike."""
    rules, found = load_rules(preset), []
    first = seed + 10_000 * list(PRESETS).index(preset)
    for number, small in enumerate(small_positions(rules, count, seed=first), first):
        asked = Asked(small.position, rules, seed=number, belief="uniform")
        results = asked.results(worlds)
        found.append(Answer(small, asked, asked.exact()[0], results["points"].astype(float), results["luck"]))
    return found


# ---------------------------------------------------------------- what the positions are


def test_more_than_200_positions_of_every_kind():
    """Declared players, hands shown and hidden, melds, wild tiles, wins, kongs, walls of every length."""
    seen = {"declared": 0, "hidden": 0, "melds": 0, "wild": 0, "win": 0, "piao": 0, "declare": 0}
    walls, total = set(), 0
    for preset in PRESETS:
        for answer in answers(preset):
            state, asked = answer.asked.table.state[0], answer.asked
            total += 1
            walls.add(wall_of(state).size)
            seen["declared"] += bool(state["declared"].any())
            seen["hidden"] += bool(asked.table.hidden.any())
            seen["melds"] += bool(state["n_melds"][0])
            seen["wild"] += preset == "hongzhong" and bool(state["counts"][0][18])
            seen["win"] += asked.arms[0].way == "win"
            seen["piao"] += bool(state["piao"].any())
            seen["declare"] += any(arm.declares for arm in asked.arms)
    assert total >= 200
    assert walls >= set(range(1, 7))
    assert min(seen.values()) >= 5, seen


# ---------------------------------------------------------------- a second enumeration


def labelled_worlds(asked):
    """Every order of single tiles, those that are hidden first: the record of each, made in plain Python."""
    table = asked.table
    tiles = np.repeat(np.arange(27), table.unseen).tolist()
    for order in permutations(tiles):
        world, left = table.state.copy(), list(order)
        s = world[0]
        for seat in (1, 2):
            if table.hidden[seat]:
                give(s, seat, left.pop(0), asked)
        s["wall"][int(s["front"]) : int(s["tail"])] = left
        find_turn_actions(asked.worlds.tables[0], asked.packed_rules[0], s)
        yield world


def give(s, seat, tile, asked):
    s["counts"][seat][tile] += 1
    s["idx"][seat][BLOCK[tile]] += POW5[tile]
    s["held"][seat] |= BIT[tile]
    melds = meld_counts(asked.position.players[seat].melds or ())
    s["waits"][seat] = BIT[:27][hands.waits(s["counts"][seat], melds, asked.rules)].sum()


@pytest.mark.parametrize("preset", PRESETS)
def test_exact_values_are_those_of_every_order_played_plainly(preset):
    """Hidden tiles and the wall together are at most four tiles: 24 orders."""
    few = [answer for answer in answers(preset) if 2 <= answer.asked.table.unseen.sum() <= 4][:3]
    assert len(few) == 3
    for answer in few:
        points = [
            [play_arm(answer.asked, world, arm, sure=True).points[0] for arm in answer.asked.arms]
            for world in labelled_worlds(answer.asked)
        ]
        assert np.mean(points, axis=0) == pytest.approx(answer.exact, abs=1e-12)


@pytest.mark.parametrize("preset", PRESETS)
def test_exact_payoffs_are_those_of_the_plain_engine(preset):
    """The whole round in the slow engine, from the deal, for every order of the wall and for every arm."""
    answer = next(each for each in answers(preset) if wall_of(each.small.state[0]).size == 3)
    asked, before = answer.asked, answer.small.state[0]
    left = slice(int(before["front"]), int(before["tail"]))
    points = []
    for order in permutations(before["wall"][left].tolist()):
        world = answer.small.state.copy()
        world["wall"][0][left] = order
        points.append([replayed(answer, world, arm) for arm in asked.arms])
    if not asked.table.hidden.any():
        assert np.mean(points, axis=0) == pytest.approx(answer.exact)


def wall_of(s):
    return s["wall"][int(s["front"]) : int(s["tail"])]


def replayed(answer, world, arm):
    """The asker's points from its decision on, by the slow engine; those of the record are the same."""
    asked, before = answer.asked, answer.small.state[0]
    wall = world["wall"][0][: asked.rules.wall_size].tolist()
    known = asked.table.state.copy()
    for name in ("counts", "idx", "held", "quads", "waits", "wall"):
        known[name] = world[name]
    find_turn_actions(asked.worlds.tables[0], asked.packed_rules[0], known[0])
    played = play_arm(asked, known, arm, sure=True)
    reference = ReferenceRound(asked.rules, wall, int(before["dealer"]), before["piao"].tolist())
    for code in before["log"][: int(before["n_log"])]:
        reference.apply(action_text(int(code)))
    paid = reference.points[0]
    s = played.state[0]
    for code in s["log"][: int(s["n_log"])]:
        reference.apply(action_text(int(code)))
    assert reference.over
    assert reference.points[0] - paid == played.points[0]
    return played.points[0]


# ---------------------------------------------------------------- the answer in exact mode


@pytest.mark.parametrize("preset", PRESETS)
def test_the_answer_names_the_best_arm_by_exact_value(preset):
    for answer in answers(preset)[:6]:
        asked = answer.asked
        decision = should_liangdao(answer.small.position, preset, exact=True, worlds=100, workers=1)
        assert decision.sampling.exact
        assert decision.sampling.ended == "enumerated"
        means = {figures.arm: figures.mean for figures in decision.arms}
        for arm, mean in zip(asked.arms, answer.exact, strict=True):
            assert means[arm] == pytest.approx(mean, abs=1e-12)
        assert means[decision.best] == max(means.values())
        if decision.other is not None:
            assert decision.difference.low == decision.difference.mean == decision.difference.high
            tie = abs(decision.difference.mean) < 1e-9
            assert decision.verdict.outcome is (Outcome.TOO_CLOSE if tie else Outcome.ACTION)


def test_what_cannot_be_enumerated_is_refused():
    small = next(small_positions(load_rules("xiangyang"), 1))
    for policies in (
        {"opponents": "random"},
        {"opponents": "efficient:avoidance=0.5"},
        {"me": "efficient:tremble=0.1"},
    ):
        with pytest.raises(InputError):
            should_liangdao(small.position, "xiangyang", exact=True, **policies)
    with pytest.raises(InputError):
        should_liangdao("123s 789s 46p 88p 中中中 5s", "xiangyang", exact=True)
    assert should_liangdao(small.position, "xiangyang", worlds=1_000, workers=1, belief="uniform").sampling.exact
    assert not should_liangdao(small.position, "xiangyang", exact=False, worlds=1_000, workers=1).sampling.exact


# ---------------------------------------------------------------- sampling against it


def widest_pair(answer):
    """The two arms whose difference varies most, None where none does."""
    spread = [(answer.points[:, a] - answer.points[:, b]).std() for a, b in pairs(answer)]
    return pairs(answer)[int(np.argmax(spread))] if spread and max(spread) > 0 else None


def pairs(answer):
    return [(a, b) for a in range(len(answer.exact)) for b in range(a)]


def z_scores(found):
    """Of raw and of adjusted differences, one pair a position: both should be standard normal."""
    raw, adjusted = [], []
    for answer in found:
        pair = widest_pair(answer)
        if pair is None:
            continue
        a, b = pair
        d, true = answer.points[:, a] - answer.points[:, b], answer.exact[a] - answer.exact[b]
        controls = np.concatenate([answer.luck[:, a].T, answer.luck[:, b].T])[:, None]
        beta = coefficients(d[None, :PILOT], controls[:, :, :PILOT], np.ones(PILOT))
        rest = d[PILOT:] - (beta[:, 0, None] * controls[:, 0, PILOT:]).sum(axis=0)
        raw.append((d.mean() - true) / (d.std(ddof=1) / np.sqrt(d.size)))
        if rest.std() > ROUNDING:
            adjusted.append((rest.mean() - true) / (rest.std(ddof=1) / np.sqrt(rest.size)))
    return np.array(raw), np.array(adjusted)


def assert_standard(z):
    """No more beyond ±1.96 than 5% allows in as many, a mean of 0 and a spread of 1, each at four standard errors."""
    n = len(z)
    assert (abs(z) > 1.96).mean() < 0.05 + 4 * np.sqrt(0.05 * 0.95 / n)
    assert abs(z.mean()) < 4 / np.sqrt(n)
    assert abs((z**2).mean() - 1) < 4 * np.sqrt(2 / n)


def misses(answer):
    """Pairs whose sequence did not cover the exact difference at some look, by raw and adjusted figures; pairs."""
    arms, done = len(answer.exact), 0
    contest, true = Contest(arms, answer.asked.bound), answer.exact[:, None] - answer.exact[None, :]
    outside = np.zeros((2, arms, arms), bool)
    for look in schedule(PILOT, WORLDS_OF_A_BLOCK, len(answer.points)):
        for first in range(done, look, WORLDS_OF_A_BLOCK):
            block = slice(first, first + WORLDS_OF_A_BLOCK)
            contest.add(answer.points[block], answer.luck[block])
        done = look
        differences = contest.look().differences
        for row, at in zip(outside, (differences.raw, differences.adjusted), strict=True):
            row |= (at.low > true + ROUNDING) | (at.high < true - ROUNDING)
    upper = np.triu_indices(arms, 1)
    return outside[0][upper].sum(), outside[1][upper].sum(), len(upper[0])


def test_sampling_agrees_with_exact_values():
    raw, adjusted = z_scores([answer for preset in PRESETS for answer in answers(preset)])
    assert len(raw) > 120
    assert_standard(raw)
    assert_standard(adjusted)


def test_sequences_cover_exact_differences_at_every_look():
    """Each pair's level is α over the rivals; with payments as skewed as these no sequence should miss one."""
    missed = np.sum([misses(answer) for preset in PRESETS for answer in answers(preset)], axis=0)
    assert missed[2] > 1_000
    assert missed[:2].max() <= 0.005 * missed[2]


def test_no_hidden_waits_are_enumerated():
    small = next(small_positions(load_rules("platform"), 1))
    asked = Asked(small.position, "platform", belief="uniform")
    assert can_enumerate(asked.table, [])
    asked.table.shown_waits[1] = 1
    assert not can_enumerate(asked.table, [])
