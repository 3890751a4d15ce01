"""Discards of any hand: every legal one is compared, and what it feeds is what the waits that are known say."""

from collections import Counter

import numpy as np
import pytest
from position_maker import position_of_round, ready_turns, rotated
from test_positions import TABLES, rules_of

import kwx_sim
from kwx_sim.contest import PILOT
from kwx_sim.core.rng import stream_key
from kwx_sim.core.world import UNIFORM, make_world
from kwx_sim.ensemble import parse_opponents
from kwx_sim.errors import InputError
from kwx_sim.policies import parse_policy
from kwx_sim.positions import check, position_of
from kwx_sim.query.question import Options, Question
from kwx_sim.query.worlds import scratch
from kwx_sim.rules import load_rules
from kwx_sim.tiles import parse_tile, parse_tiles, tile_name

FAR = "123s 79s 46p 88p 中中 5s 2p 发"
DECLARED = {"shown": "222s 444s 666s 99p 白白"}
PREVIOUS = {"shown": "111p 333p 55p 77p 发发发"}
FACING = {"hand": "123s 57s 46p 8p 中中 5s 9p 2p 9p", "wall": 30, "next": DECLARED, "previous": PREVIOUS}


def question_of(told, rules="xiangyang"):
    ruleset = rules_of(rules) if isinstance(rules, str) else rules
    policies = parse_policy("efficient"), parse_opponents("efficient")
    return Question(position_of(told), ruleset, "discard", *policies, Options(workers=1, belief="uniform"))


# ---------------------------------------------------------------- arms


@pytest.mark.parametrize("name", TABLES)
def test_every_legal_discard_is_an_arm(name):
    """In the record of the engine, at turns of every kind."""
    rules, seen = rules_of(name), Counter()
    for state, seat in list(ready_turns(rules, 60, seed=3, rare=True)):
        if rules.liangdao.shows != "hand" and rotated(state[0], seat)["declared"][1:].any():
            continue
        arms = question_of(position_of_round(state[0], seat, rules), name).arms
        by_way = {way: {arm.tile for arm in arms if arm.way == way} for way in {arm.way for arm in arms}}
        s = state[0]
        assert by_way.pop("discard") == kinds(s["can_discard"])
        assert by_way.pop("declare", set()) == kinds(s["can_liangdao"])
        assert by_way.pop("never", set()) == kinds(s["can_liangdao"])
        assert by_way.pop("concealed_kong", set()) == kinds(s["can_concealed_kong"])
        assert by_way.pop("added_kong", set()) == kinds(s["can_added_kong"])
        assert by_way.pop("win", set()) == ({int(s["tile"])} if s["can_win"] else set())
        assert not by_way
        seen["turns"] += 1
    assert seen["turns"] > 5


def kinds(mask):
    return {slot for slot in range(27) if int(mask) >> slot & 1}


def test_a_hand_far_from_ready_is_answered():
    with pytest.raises(InputError, match="away from ready"):
        check(position_of({"hand": FAR}), "xiangyang")
    decision = kwx_sim.best_discard({"hand": FAR, "wall": 30}, worlds=800, opponents="efficient")
    assert decision.about == "discard"
    assert {figures.arm.way for figures in decision.arms} == {"discard"}
    assert {figures.arm.tile for figures in decision.arms} == set(parse_tiles(FAR))
    assert not decision.ready
    assert not decision.ladder


def test_keeping_a_ready_hand_quiet_for_good_is_compared():
    """By the policy's own rule the hand would declare later, and breaking it would seem better than keeping it."""
    told = {"hand": "123456789s 1122p 5p", "drawn": "5p", "wall": 42}
    decision = kwx_sim.best_discard(told, opponents="efficient")
    assert decision.best.name == "never 5p"
    by_rule = next(each for each in decision.arms if each.arm.name == "discard 5p")
    assert by_rule.behind.low > 0


def test_a_best_discard_that_a_declared_player_waits_for_is_marked():
    told = {"hand": "123s 79s 46p 88p 中中 9p 5s 白", "wall": 30, "next": DECLARED}
    for rules, facing in (("xiangyang", DECLARED), ("platform", {"waits": "9p 白"})):
        with pytest.raises(InputError, match=r"白 \(20\), .*; but a declared player waits for 白: ask kwx discard"):
            check(position_of(told | {"next": facing}), rules)
    with pytest.raises(InputError, match=r"白 \(20\), .*\)$"):
        check(position_of(told | {"next": {}}), "xiangyang")


def test_what_a_rule_forbids_to_feed_is_no_arm():
    rules = kwx_sim.load_rules("platform")
    forbidding = rules_of("platform/house")
    told = {"hand": FAR, "wall": 30, "next": {"waits": "9p 中"}}
    assert "discard 中" in [arm.name for arm in question_of(told, rules).arms]
    assert "discard 中" not in [arm.name for arm in question_of(told, forbidding).arms]


def test_a_won_hand_still_needs_its_drawn_tile():
    with pytest.raises(InputError, match="the hand has won"):
        check(position_of({"hand": "123s 789s 456p 88p 中中中"}), "xiangyang", "discard")


# ---------------------------------------------------------------- feeding


@pytest.fixture(scope="module")
def facing():
    """An answer with both other hands laid open: next waits for 9p 白, previous for 5p 7p."""
    return kwx_sim.best_discard(FACING | {"first_declared": "next"}, worlds=800, opponents="efficient")


def test_a_shown_wait_is_won_at_once_and_nothing_else_is(facing):
    assert {figures.arm.tile for figures in facing.arms} == set(parse_tiles(FACING["hand"]))
    for figures in facing.arms:
        waited_for = figures.arm.tile == parse_tile("9p")
        assert figures.shares.fed_first == waited_for, tile_name(figures.arm.tile)
        assert figures.shares.fed >= figures.shares.fed_first
        assert (figures.shares.first_cost > 0) == waited_for
        assert np.isnan(figures.shares.fan) == waited_for  # it never wins


def test_what_feeding_costs_is_what_the_win_is_paid(facing):
    fed = next(figures for figures in facing.arms if figures.shares.fed_first)
    won = kwx_sim.score(DECLARED["shown"], [], "9p", "discard", rules="xiangyang", winner_liangdao=True)
    assert fed.shares.first_cost == -won.payments[1]
    assert fed.mean == pytest.approx(won.payments[1])


def test_the_chance_to_feed_one_hidden_hand_is_that_of_plain_counting():
    """Of the worlds that were dealt, the share in which the hidden player waits for the tile."""
    told = {"hand": FAR, "wall": 30, "next": DECLARED}
    decision = kwx_sim.best_discard(told, worlds=3_000, precision=0, opponents="efficient", belief="uniform")
    waits = waits_of_hidden(question_of(told).worlds, 3_000)
    for figures in decision.arms:
        # Shares rest on the pilot's worlds too.
        played = waits[: figures.worlds + PILOT]
        assert figures.shares.fed_first == pytest.approx(np.mean(played >> figures.arm.tile & 1)), figures.arm.name


def waits_of_hidden(w, worlds):
    """What the previous player waits for in each of the first worlds, as masks."""
    room, waits = scratch(), np.zeros(worlds, np.int64)
    for world in range(worlds):
        key = np.uint64(stream_key(w.key, world))
        assert make_world(w.tables[0], w.rules[0], w.known, UNIFORM, w.policies[0], key, room) == 0
        waits[world] = room.states[0]["waits"][2]
    return waits


def test_a_robbed_kong_is_fed_too():
    rules = load_rules("xiangyang")
    told = {
        "hand": "123s 789s 46s 中中 5p",
        "melds": "pong:5p",
        "drawn": "5p",
        "wall": 30,
        "next": {"shown": "234p 46p 111s 999s 白白"},
    }
    decision = kwx_sim.best_discard(told, rules, worlds=800, opponents="efficient", belief="uniform")
    shares = {figures.arm.name: figures.shares for figures in decision.arms}
    assert shares["added_kong 5p"].fed_first == 1
    assert shares["discard 5p"].fed_first == 1
