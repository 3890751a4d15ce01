"""Fans and readings: the golden cases, the second engine on random hands, and every field that bears on fans."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import reference_hands as ref
from random_wins import Case, random_case, random_rules, score_case

from kwx_sim.core import fans as kernels
from kwx_sim.errors import InputError
from kwx_sim.rules import FANS, PRESETS, changed, load_rules
from kwx_sim.scoring import readings, score
from kwx_sim.tiles import meld_counts, parse_hand, parse_tile, parse_tiles

DATA = Path(__file__).parent / "data"
HANDS_PER_PRESET = 1500
RULESETS_PER_PRESET, HANDS_PER_RULESET = 40, 20


def cases(name):
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def rules_with(name, changes):
    return changed(load_rules(name), changes)


@pytest.mark.parametrize("case", cases("fans.jsonl"), ids=lambda case: case["id"])
def test_golden(case):
    found = score(
        case["hand"],
        case["melds"],
        case["win"],
        case["by"],
        rules=case["rules"],
        missing_suit=case.get("missing_suit"),
    )
    expected = case["expected"]
    assert found.hu == expected["hu"], found
    if found.hu:
        assert found.fan == expected["fan"], found
        assert sorted(found.fans) in expected["fans_any_of"], found


def test_bits_follow_the_rules():
    names = [name for name in vars(kernels) if name.lower() in FANS]
    bits = {name.lower(): getattr(kernels, name) for name in names}
    bits["double_dragon_seven_pairs"] = kernels.DRAGON_SEVEN_PAIRS + 1
    bits["triple_dragon_seven_pairs"] = kernels.DRAGON_SEVEN_PAIRS + 2
    assert bits == {fan: bit for bit, fan in enumerate(FANS)}


# ---------------------------------------------------------------- random hands, both engines


def compare(case: Case, rules):
    """Score with both engines; give the product's answer. Equal readings may differ in fans: any of them is right."""
    found = score_case(case, rules)
    wanted = ref.score(
        rules, case.hand, case.melds, case.win, case.by, case.events, case.declared, case.piao, case.maima
    )
    where = (rules.name, case, found, wanted.readings[:3])
    assert found.hu == wanted.hu, where
    if found.hu:
        assert found.fan == wanted.fan, where
        assert found.fans in [fans for _, fan, fans, _ in wanted.readings if fan == wanted.fan], where
        assert sorted(found.fans) in wanted.best, where
        tiles = np.bincount(parse_tiles(" ".join(found.reading)), minlength=27)
        assert (tiles == np.add(case.hand, meld_counts(case.melds)) + np.eye(27, dtype=int)[case.win]).all(), where
    return found


@pytest.mark.parametrize("name", PRESETS)
def test_presets_against_the_second_engine(name):
    rng = np.random.default_rng(20261)
    rules = load_rules(name)
    seen = Counter()
    for _ in range(HANDS_PER_PRESET):
        seen.update(compare(random_case(rng, rules), rules).fans)
    never = {fan for fan, value in rules.fans.values.items() if value} - set(seen)
    assert not never, seen


@pytest.mark.parametrize("name", ["platform", "hongzhong", "suizhou"])
def test_changed_rules_against_the_second_engine(name):
    rng = np.random.default_rng(20262)
    base = load_rules(name)
    wins = 0
    for _ in range(RULESETS_PER_PRESET):
        rules = random_rules(rng, base)
        for _ in range(HANDS_PER_RULESET):
            wins += compare(random_case(rng, rules), rules).hu
    assert wins > RULESETS_PER_PRESET * HANDS_PER_RULESET // 3


@pytest.mark.verify
@pytest.mark.parametrize("name", PRESETS)
def test_many_hands_against_the_second_engine(name):
    rng = np.random.default_rng(20263)
    base = load_rules(name)
    for _ in range(1000):
        rules = random_rules(rng, base)
        for _ in range(HANDS_PER_RULESET):
            compare(random_case(rng, base), base)
            compare(random_case(rng, rules), rules)


# ---------------------------------------------------------------- cases worked out by hand

WORKED = [
    # 大三元 with 碰碰胡, a dragon konged, one tile in hand: 8 x 2 x 4.
    (
        "suizhou", "5p", "pong:中 direct_kong:发 concealed_kong:白 pong:9s", "5p", "discard", [],
        {"all_triplets": 2, "big_three_dragons": 8, "last_single_tile": 4}, 64,
    ),
    # Two dragon triplets and the pair of the third.
    (
        "platform", "白 345s", "pong:中 concealed_kong:发 pong:9p", "白", "self_draw", [],
        {"small_three_dragons": 4}, 4,
    ),
    # Flush: the winning 4p, and 1p, are fours of a kind: 4 x 4.
    (
        "suizhou", "1111222333444p", "", "4p", "discard", [],
        {"full_flush": 4, "concealed_four_to_one": 16}, 64,
    ),
    # The same without a flush: only the winning tile's four counts.
    (
        "suizhou", "11112223334p 中中", "", "4p", "discard", [],
        {"ping_hu": 1}, 1,
    ),
    # A flush with a pong whose fourth lies in a sequence, and the winning four of a kind in sequences.
    (
        "suizhou", "6777888999p", "pong:6p", "9p", "discard", [],
        {"full_flush": 4, "concealed_four_to_one": 4, "open_four_to_one": 2}, 32,
    ),
    # 卡五星 inside 暗四归一, and 手抓一 does not come of one pong.
    (
        "suizhou", "4555 6p 99s", "pong:发 pong:1s", "5p", "self_draw", ["kong_flower", "last_tile_draw"],
        {"concealed_four_to_one": 4, "kawuxing": 2, "kong_flower": 2, "last_tile_draw": 2}, 32,
    ),
    # A: 四归一 not by discard, by self-draw it counts.
    ("platform", "4555 6p 99s", "pong:发 pong:1s", "5p", "discard", [], {"kawuxing": 2}, 2),
    # Three fours of a kind: A has 三豪华七对, C counts them as 双龙七对; both with 清一色.
    (
        "platform", "1111333355559p", "", "9p", "discard", [],
        {"full_flush": 4, "triple_dragon_seven_pairs": 64}, 256,
    ),
    (
        "suizhou", "1111333355559p", "", "9p", "discard", [],
        {"full_flush": 4, "double_dragon_seven_pairs": 16}, 64,
    ),
    # 三元七对 with four 中: 16 over 龙七对 8; C has neither 三元七对, so 龙七对.
    (
        "platform", "中中中中发发白白1133s7p", "", "7p", "discard", ["kong_cannon", "last_tile_discard"],
        {"three_dragons_seven_pairs": 16, "kong_cannon": 2, "last_tile_discard": 2}, 64,
    ),
    ("shiyan", "中中中中发发白白1133s7p", "", "7p", "discard", [], {"dragon_seven_pairs": 8}, 8),
    # A's 手抓一, on seven pairs too; C has none of it.
    ("platform", "1133557799s22p中", "", "中", "self_draw", ["initial_hand"], {"seven_pairs": 4, "initial_hand": 4}, 16),
    ("suizhou", "1133557799s22p中", "", "中", "self_draw", ["initial_hand"], {"seven_pairs": 4}, 4),
    # B adds: 碰碰胡 2 + 清一色 3 + 自摸 1 = 6, B's own sum, without 平胡.
    (
        "hongzhong", "1122p", "pong:5p pong:6p pong:9p", "1p", "self_draw", [],
        {"all_triplets": 2, "full_flush": 3, "self_draw": 1}, 6,
    ),
    # B: 平胡 stays beside 卡五星 and the events.
    (
        "hongzhong", "46p 99s", "pong:1p pong:2p pong:3p", "5p", "discard", ["robbing_kong"],
        {"ping_hu": 1, "kawuxing": 1, "self_draw": 1}, 3,
    ),
    # B: a red kong takes the suit; the replacement after it.
    (
        "hongzhong", "4p 6p 99p", "concealed_kong:中 pong:1p pong:2p", "5p", "self_draw", ["red_dragon_kong_flower"],
        {"full_flush": 3, "kawuxing": 1, "red_dragon_kong": 2, "kong_flower": 2, "self_draw": 1}, 9,
    ),
    # B: three wild tiles are a triplet too: 碰碰胡 with the pair in the other suit.
    ("hongzhong", "111 222 33p 中中中 9s", "", "9s", "discard", [], None, 0),
    ("hongzhong", "111222333p 中中中 9s", "", "9s", "discard", [], {"all_triplets": 2}, 2),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "hand", "melds", "win", "by", "events", "fans", "fan"), WORKED)
def test_worked(rules, hand, melds, win, by, events, fans, fan):
    if fans is None:
        assert not score(hand, melds, win, by, rules=rules, events=events).hu
        return
    found = score(hand, melds, win, by, rules=rules, events=events)
    assert (found.fans, found.fan) == (fans, fan)


# ---------------------------------------------------------------- every field acts

FIELDS = [
    # field, value, ruleset, hand, melds, win, by, events, fan before, fan after
    ("shapes.seven_pairs", False, "suizhou", "1133557799s22p中", "", "中", "discard", [], 4, 0),
    ("shapes.missing_suit", "strict", "hongzhong", "99s12346677889p", "", "5p", "discard", [], 2, 0),
    ("shapes.missing_suit", "off", "hongzhong", "123s99s12346678p", "", "5p", "discard", [], 0, 2),
    ("shapes.wild_pair_alone", True, "hongzhong", "123456789s11p中中", "", "1p", "discard", [], 0, 0),
    ("shapes.wild_pair_alone", True, "hongzhong", "12345678s 78s 中中 1s", "", "1s", "discard", [], 3, 3),
    ("fans.combine", "add", "suizhou", "4555 6p 99s", "pong:发 pong:1s", "5p", "discard", [], 8, 7),
    ("fans.four_to_one_self_draw_only", True, "suizhou", "4555 6p 99s", "pong:发 pong:1s", "5p", "discard", [], 8, 2),
    ("fans.four_to_one_scope", "all", "suizhou", "4555 6p 99s", "pong:发 pong:1s", "9s", "discard", [], 1, 1),
    ("fans.four_to_one_scope", "all", "suizhou", "5555 6 7p 9s", "pong:发 pong:1s", "9s", "discard", [], 1, 4),
    ("fans.four_to_one_scope", "winning_tile", "suizhou", "1111222333444p", "", "4p", "discard", [], 64, 32),
    ("fans.wild_in_kawuxing", True, "hongzhong", "4中 99s", "pong:1s pong:2s pong:3s", "5s", "discard", [], 3, 4),
    ("fans.kong_flower_after_red", 0, "hongzhong", "46p 99p", "concealed_kong:中 pong:1p pong:2p", "5p", "self_draw",
     ["red_dragon_kong_flower"], 9, 8),
    ("fans.robbing_kong_is_self_draw", True, "suizhou", "46p 99s", "pong:1p pong:2p pong:中", "5p", "robbed", [], 4, 2),
    ("fans.values.ping_hu", 3, "suizhou", "45p 99s", "pong:1p pong:2p pong:中", "6p", "discard", [], 1, 3),
    ("fans.values.full_flush", 0, "suizhou", "46p 99p", "pong:1p pong:2p pong:3p", "5p", "discard", [], 8, 2),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value", "name", "hand", "melds", "win", "by", "events", "before", "after"), FIELDS)
def test_field_acts(field, value, name, hand, melds, win, by, events, before, after):
    fans = [
        score(hand, melds, win, by, rules=rules, events=events).fan
        for rules in (load_rules(name), rules_with(name, {field: value}))
    ]
    assert fans == [before, after]
