"""Fans and readings: the golden cases, the second engine on random hands, and every field that bears on fans."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import reference_hands as ref
from random_wins import assert_engines_agree, random_case, score_case

from kwx_sim.core import fans as kernels
from kwx_sim.errors import InputError
from kwx_sim.rules import FANS, PRESETS, changed, load_rules
from kwx_sim.scoring import readings, score
from kwx_sim.tiles import Meld, parse_hand, parse_tile

DATA = Path(__file__).parent / "data"
HANDS_PER_PRESET = 1500


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


@pytest.mark.parametrize("name", PRESETS)
def test_presets_against_the_second_engine(name):
    rng = np.random.default_rng(20261)
    rules = load_rules(name)
    seen = Counter()
    for _ in range(HANDS_PER_PRESET):
        seen.update(assert_engines_agree(random_case(rng, rules), rules).fans)
    never = {fan for fan, value in rules.fans.values.items() if value} - set(seen)
    assert not never, seen


@pytest.mark.parametrize("name", PRESETS)
def test_suits_may_be_swapped(name):
    rng = np.random.default_rng(20262)
    rules = load_rules(name)
    swap = [*range(9, 18), *range(9), *range(18, 27)]
    for _ in range(100):
        case = random_case(rng, rules)
        hand, melds = [case.hand[slot] for slot in swap], [Meld(meld.kind, swap[meld.tile]) for meld in case.melds]
        swapped = case._replace(hand=tuple(hand), melds=tuple(melds), win=swap[case.win], maima=None)
        found, other = score_case(case._replace(maima=None), rules), score_case(swapped, rules)
        assert (found.fan, found.payments) == (other.fan, other.payments), case


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
    (
        "platform", "1133557799s22p中", "", "中", "self_draw", ["initial_hand"],
        {"seven_pairs": 4, "initial_hand": 4}, 16,
    ),
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
    ("hongzhong", "111222333p 中中中 9s", "", "9s", "discard", [], {"all_triplets": 2}, 2),
    # B: the dealt 14, seven pairs of two suits; and another's first draw.
    (
        "hongzhong", "1133p 1133s 557s 中中", "", "9p", "self_draw", ["heavenly_hand"],
        {"seven_pairs": 2, "self_draw": 1, "heavenly_hand": 5}, 8,
    ),
    (
        "hongzhong", "12399s 123456s 78s", "", "9s", "self_draw", ["earthly_hand"],
        {"full_flush": 3, "self_draw": 1, "earthly_hand": 4}, 8,
    ),
    # A: 抢杠.
    ("platform", "46p 99s", "pong:1p pong:2p pong:中", "5p", "robbed", [], {"kawuxing": 2, "robbing_kong": 2}, 4),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "hand", "melds", "win", "by", "events", "fans", "fan"), WORKED)
def test_worked(rules, hand, melds, win, by, events, fans, fan):
    found = score(hand, melds, win, by, rules=rules, events=events)
    assert (found.fans, found.fan) == (fans, fan)


def test_worked_cases_have_every_fan():
    assert {fan for *_, fans, _ in WORKED for fan in fans} == set(FANS)


@pytest.mark.parametrize(("name", "hand", "melds", "win", "by", "events", "fans", "fan"), WORKED)
def test_value_of_each_fan_acts(name, hand, melds, win, by, events, fans, fan):
    """A fan that is worth more raises the total; one without a value is not there."""
    rules = load_rules(name)
    for one in fans:
        before = fan
        also = {"fans.kong_flower_after_red": 0} if one == "kong_flower" else {}
        if one == "ping_hu":  # worth no more than any other fan
            also = {f"fans.values.{other}": 9 for other in FANS if other != one and rules.fans.value(other)}
            before = score(hand, melds, win, by, rules=changed(rules, also), events=events).fan
        higher = changed(rules, {f"fans.values.{one}": 2 * rules.fans.value(one) + 1} | also)
        assert score(hand, melds, win, by, rules=higher, events=events).fan > before
        if one != "ping_hu":
            without = changed(rules, {f"fans.values.{one}": 0} | also)
            assert one not in score(hand, melds, win, by, rules=without, events=events).fans


# ---------------------------------------------------------------- every field acts

FIELDS = [
    # field, value, ruleset, hand, melds, win, by, events, fan before, fan after
    ("shapes.seven_pairs", False, "suizhou", "1133557799s22p中", "", "中", "discard", [], 4, 0),
    ("shapes.missing_suit", "strict", "hongzhong", "99s12346677889p", "", "5p", "discard", [], 2, 0),
    ("shapes.missing_suit", "off", "hongzhong", "123s99s12346678p", "", "5p", "discard", [], 0, 2),
    ("shapes.wild_pair_alone", True, "hongzhong", "中", "pong:1p pong:2p pong:3p pong:4p", "中", "discard", [], 0, 5),
    ("fans.combine", "add", "suizhou", "4555 6p 99s", "pong:发 pong:1s", "5p", "discard", [], 8, 7),
    ("fans.four_to_one_self_draw_only", True, "suizhou", "4555 6p 99s", "pong:发 pong:1s", "5p", "discard", [], 8, 2),
    ("fans.four_to_one_scope", "all", "suizhou", "5555 6 7p 9s", "pong:发 pong:1s", "9s", "discard", [], 1, 4),
    ("fans.four_to_one_scope", "winning_tile", "suizhou", "1111222333444p", "", "4p", "discard", [], 64, 16),
    ("fans.wild_in_kawuxing", True, "hongzhong", "4s 中 99s", "pong:1s pong:2s pong:3s", "5s", "discard", [], 3, 4),
    ("fans.kong_flower_after_red", 0, "hongzhong", "46p 99p", "concealed_kong:中 pong:1p pong:2p", "5p", "self_draw",
     ["red_dragon_kong_flower"], 9, 8),
    ("fans.robbing_kong_is_self_draw", True, "suizhou", "46p 99s", "pong:1p pong:2p pong:中", "5p", "robbed", [], 4, 2),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value", "name", "hand", "melds", "win", "by", "events", "before", "after"), FIELDS)
def test_field_acts(field, value, name, hand, melds, win, by, events, before, after):
    fans = [
        score(hand, melds, win, by, rules=rules, events=events).fan
        for rules in (load_rules(name), rules_with(name, {field: value}))
    ]
    assert fans == [before, after]


# ---------------------------------------------------------------- readings


def test_readings_of_a_hand_of_many():
    found = readings("11122233344455p", win="5p", rules="platform")
    assert found[0].fans == {"all_triplets": 2, "full_flush": 4}
    assert [" ".join(one.sets) for one in found] == [
        "111p 222p 333p 444p 55p",
        "123p 123p 123p 444p 55p",
        "111p 234p 234p 234p 55p",
        "111p 22p 234p 345p 345p",
    ]
    assert [one.fan for one in found] == [8, 4, 4, 4]


def test_readings_take_the_best_winning_tile():
    one, *_ = readings("123s 456p 99p 中中中", "pong:9s", rules="suizhou")
    assert (one.win, one.fans) == (parse_tile("5p"), {"kawuxing": 2})
    assert readings("123s 456p 99p 中中中", "pong:9s", "9p", rules="suizhou")[0].fans == {"ping_hu": 1}


def test_readings_order_by_what_they_pay():
    """襄阳: 双龙七对 pays 16 above the cap of 8, and the standard readings with the same fan pay 8."""
    best, second, *_ = readings("11112222333344p", win="4p", rules="xiangyang")
    assert best.fans == {"full_flush": 4, "double_dragon_seven_pairs": 16}
    assert second.fan >= best.fan


def test_readings_with_wild_tiles_differ_in_fans():
    found = readings("1223344556s中中中中", win="5s", by="discard", rules="hongzhong")
    fans = [tuple(one.fans) for one in found]
    assert len(set(fans)) == len(fans)
    assert fans[0] == ("full_flush", "seven_pairs")


def test_readings_of_a_hand_that_does_not_win():
    assert readings("1256789s 34588p 中中", rules="suizhou") == []


@pytest.mark.parametrize("name", PRESETS)
def test_readings_against_the_second_engine(name):
    rng = np.random.default_rng(20264)
    rules = load_rules(name)
    for _ in range(60):
        case = random_case(rng, rules)
        whole = np.array(case.hand)
        whole[case.win] += 1
        found = readings(whole, case.melds, case.win, case.by, rules=rules, events=case.events)
        wanted = ref.score(rules, case.hand, case.melds, case.win, case.by, case.events).readings
        assert {tuple(one.fans.items()) for one in found} <= {tuple(sorted_fans(fans)) for _, _, fans, _ in wanted}
        assert max((one.fan for one in found), default=0) == max((fan for _, fan, _, _ in wanted), default=0)
        if rules.tiles.wild == "none":
            assert len(found) == len({reading for *_, reading in wanted}), (case, found)


def sorted_fans(fans):
    return [(fan, fans[fan]) for fan in FANS if fan in fans]


# ---------------------------------------------------------------- what is refused

PLAIN = {"hand": "123s 46p 99p 中中中", "melds": "pong:1s", "win": "5p", "rules": "suizhou"}
REFUSED = [
    ({"hand": "123s 46p 99p 中中"}, "scoring.hand_size"),
    ({"hand": "123s 456p 99p 中中中"}, "scoring.hand_size"),
    ({"hand": "111s 46p 99p 中中中"}, "tiles.fifth_copy"),
    ({"win": "中", "melds": "pong:中"}, "tiles.fifth_copy"),
    ({"win": "5m"}, "tiles.characters"),
    ({"win": 21}, "tiles.slot"),
    ({"by": "draw"}, "scoring.by"),
    ({"events": ["kong"]}, "scoring.event"),
    ({"events": ["kong_cannon"]}, "scoring.event_by"),
    ({"by": "discard", "events": ["kong_flower"]}, "scoring.event_by"),
    ({"by": "robbed", "events": ["kong_cannon"]}, "scoring.events_apart"),
    ({"by": "discard", "events": ["robbing_kong", "kong_cannon"]}, "scoring.events_apart"),
    ({"win": True}, "tiles.slot"),
    ({"win": 13.0}, "tiles.slot"),
    ({"win": None}, "tiles.slot"),
    ({"room": "初级场"}, "rules.no_rooms"),
    ({"rules": "platform", "room": "一级场"}, "rules.room"),
    ({"rules": "nowhere"}, "rules.unknown"),
    ({"missing_suit": "both"}, "rules.field"),
    ({"piao": [1, 0, 0]}, "scoring.piao"),
    ({"rules": "platform", "piao": [3, 0, 0]}, "scoring.piao"),
    ({"rules": "platform", "piao": [1, 0]}, "scoring.piao"),
    ({"rules": "platform", "piao": [1, 0, -1]}, "scoring.piao"),
    ({"rules": "platform", "piao": [1, 0, 0.5]}, "scoring.piao"),
    ({"maima": "5p"}, "scoring.maima_rules"),
    ({"rules": "platform", "maima": "5p", "by": "discard"}, "scoring.maima_by"),
    ({"rules": "platform", "maima": "5p", "events": ["last_tile_draw"]}, "scoring.maima_last"),
    ({"rules": "platform", "hand": "1235556p 99p", "melds": "pong:1s", "win": "4p"}, "scoring.hand_size"),
    ({"rules": "platform", "hand": "4555 6p 99s", "melds": "pong:1s pong:中", "maima": "5p"}, "tiles.fifth_copy"),
    ({"rules": "hongzhong", "melds": "pong:中"}, "scoring.wild_meld"),
    ({"rules": "hongzhong", "hand": "46p 99p 发发发", "melds": "pong:1s pong:2s"}, "tiles.not_in_set"),
    ({"rules": "hongzhong", "winner_liangdao": True}, "scoring.liangdao"),
    ({"payer_liangdao": (True,)}, "scoring.two_payers"),
]


@pytest.mark.parametrize(("change", "key"), REFUSED)
def test_refused_in_one_line(change, key):
    given = PLAIN | change
    with pytest.raises(InputError) as caught:
        score(given.pop("hand"), given.pop("melds"), given.pop("win"), **given)
    assert caught.value.key == key
    for lang in ("en", "zh"):
        assert "\n" not in caught.value.message(lang)


FIRST_TILES = ("initial_hand", "heavenly_hand", "earthly_hand")


@pytest.mark.parametrize("first", FIRST_TILES)
@pytest.mark.parametrize("other", ["kong_flower", "red_dragon_kong_flower", "last_tile_draw", *FIRST_TILES])
def test_events_of_the_first_tiles(first, other):
    """Dealt 14 may be 天和 and 手抓一 at once; nothing else that is told of a draw comes with the first tiles."""
    given = {"hand": "123s 46p 99p 中中中 111s", "melds": None, "win": "5p", "rules": "hongzhong"}
    if first == other or {first, other} == {"initial_hand", "heavenly_hand"}:
        score(**given, events=[first, other])
        return
    for ask in (score, readings):
        with pytest.raises(InputError) as caught:
            ask(**given | ({"hand": "123s 456p 99p 中中中 111s"} if ask is readings else {}), events=[other, first])
        assert caught.value.key == "scoring.events_apart"


@pytest.mark.parametrize("first", FIRST_TILES)
def test_the_first_tiles_come_without_melds(first):
    with pytest.raises(InputError, match=f"{first}: it comes before any meld, and this hand has pong:1s"):
        score("123s 46p 99p 中中中", "pong:1s", "5p", rules="suizhou", events=[first])


def test_a_wild_kong_is_refused_where_the_rules_have_none():
    rules = rules_with("hongzhong", {"shapes.wild_kong": "none"})
    with pytest.raises(InputError, match="wild_kong = none"):
        score("46p 99p", "concealed_kong:中 pong:1p pong:2p", "5p", rules=rules)


def test_readings_refuse_a_winning_tile_that_is_not_held():
    with pytest.raises(InputError, match="9s is not in the hand"):
        readings("123s 456p 99p 中中中", "pong:1s", "9s", rules="suizhou")


def test_counts_and_slots_do_as_well_as_text():
    counts = parse_hand("123s 46p 99p 中中中")
    assert score(counts, ["pong:1s"], 13, rules="suizhou") == score(
        "123s 46p 99p 中中中", "pong:1s", "5p", rules="suizhou"
    )
