"""Payments: the golden cases, the second engine on random tables, and every field that bears on who pays what."""

import json
from pathlib import Path

import numpy as np
import pytest
from random_wins import assert_engines_agree, random_case, random_rules

from kwx_sim.core import fans as kernels
from kwx_sim.core.jit import records
from kwx_sim.core.payment import kong_payment, maima_points, settle_win, win_fan
from kwx_sim.core.shapes import load_tables
from kwx_sim.core.state import MELD_ADDED, MELD_CONCEALED, MELD_DIRECT, NO_TILE, STATE
from kwx_sim.rules import PRESETS, changed, load_rules, pack
from kwx_sim.scoring import score
from kwx_sim.tiles import RED, parse_hand, parse_tile

DATA = Path(__file__).parent / "data"


def cases(name):
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", cases("scores.jsonl"), ids=lambda case: case["id"])
def test_golden(case):
    keys = ("room", "events", "winner_liangdao", "piao", "maima", "missing_suit")
    given = {key: case[key] for key in keys if key in case}
    found = score(case["hand"], case["melds"], case["win"], case["by"], rules=case["rules"], **given)
    expected = case["expected"]
    assert found.hu
    assert (found.fan, found.payments) == (expected["fan"], expected["payments"]), found
    assert sorted(found.fans) in expected["fans_any_of"], found


# ---------------------------------------------------------------- random tables, both engines


def test_rooms_against_the_second_engine():
    rng = np.random.default_rng(20265)
    rules = load_rules("platform")
    for room in rules.rooms:
        for _ in range(100):
            assert_engines_agree(random_case(rng, rules), rules, room.name)


@pytest.mark.parametrize("name", ["platform", "hongzhong", "xiangyang"])
def test_changed_rules_against_the_second_engine(name):
    rng = np.random.default_rng(20266)
    base = load_rules(name)
    wins = 0
    for _ in range(100):
        rules = random_rules(rng, base)
        for _ in range(10):
            found = assert_engines_agree(random_case(rng, rules), rules)
            assert sum(found.payments) == 0
            wins += found.hu
    assert wins > 400


@pytest.mark.verify
@pytest.mark.parametrize("name", PRESETS)
def test_many_rules_against_the_second_engine(name):
    rng = np.random.default_rng(20267)
    base = load_rules(name)
    for _ in range(1000):
        rules = random_rules(rng, base)
        for _ in range(20):
            assert_engines_agree(random_case(rng, base), base)
            assert_engines_agree(random_case(rng, rules), rules)


# ---------------------------------------------------------------- every field acts

KAWUXING = ("123s 46p 99p", "pong:1s pong:8s", "5p")  # ping_hu but for 卡五星: fan 2
FLUSH_PAIRS = ("1133557799s 224s", "", "4s")  # fan 16
TABLE = {"winner_liangdao": True, "piao": [1, 2, 0]}
DRAWN = TABLE | {"maima": "7p"}

FIELDS = [
    # field, value, ruleset, hand, by, the table, payments before and after (points; the platform's first room: 400)
    ("liangdao.multiplier", 3, "suizhou", KAWUXING, "self_draw", {"winner_liangdao": True}, [8, -4, -4], [12, -6, -6]),
    ("liangdao.applies", "winner_or_payer", "suizhou", KAWUXING, "self_draw", {"payer_liangdao": (True, False)},
     [4, -2, -2], [6, -4, -2]),
    ("liangdao.inside_cap", False, "xiangyang", FLUSH_PAIRS, "self_draw", {"winner_liangdao": True},
     [16, -8, -8], [32, -16, -16]),
    ("liangdao.feeder_pays_all", False, "suizhou", KAWUXING, "discard", {"winner_liangdao": True},
     [8, -8, 0], [4, -4, 0]),
    ("payment.base", 5, "suizhou", KAWUXING, "discard", {}, [2, -2, 0], [10, -10, 0]),
    ("payment.cap", 1, "shiyan", KAWUXING, "discard", {}, [2, -2, 0], [1, -1, 0]),
    ("payment.cap_for", {"seven_pairs": 12}, "xiangyang", FLUSH_PAIRS, "discard", {}, [8, -8, 0], [12, -12, 0]),
    ("payment.robbed_kong_pays_all", True, "suizhou", KAWUXING, "robbed", {}, [4, -4, 0], [8, -8, 0]),
    ("payment.kong_cannon_pays_all", True, "suizhou", KAWUXING, "discard", {"events": ["kong_cannon"]},
     [4, -4, 0], [8, -8, 0]),
    # (2 + 3 + 7) x 2 and (2 + 1 + 7) x 2 bases of 400.
    ("piao.inside_liangdao", False, "platform", KAWUXING, "self_draw", DRAWN,
     [17600, -9600, -8000], [16000, -8400, -7600]),
    ("maima.inside_liangdao", False, "platform", KAWUXING, "self_draw", DRAWN,
     [17600, -9600, -8000], [12000, -6800, -5200]),
    # ceil(7 / 2) = 4 a payer.
    ("maima.payer", "shared", "platform", KAWUXING, "self_draw", DRAWN,
     [17600, -9600, -8000], [12800, -7200, -5600]),
    ("maima.dragon", 4, "platform", KAWUXING, "self_draw", {"maima": "中"},
     [9600, -4800, -4800], [4800, -2400, -2400]),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value", "name", "hand", "by", "table", "before", "after"), FIELDS)
def test_field_acts(field, value, name, hand, by, table, before, after):
    rules = load_rules(name)
    assert score(*hand, by, rules=rules, **table).payments == before
    assert score(*hand, by, rules=changed(rules, {field: value}), **table).payments == after


def test_both_declared():
    """对亮: winner and payer declared is 4 at some tables, a declared winner or payer alone 2."""
    rules = changed(load_rules("suizhou"), {"liangdao.applies": "winner_or_payer", "liangdao.both_multiplier": 4})
    found = score(*KAWUXING, "self_draw", rules=rules, winner_liangdao=True, payer_liangdao=(True, False))
    assert found.payments == [12, -8, -4]


def test_each_share_has_its_own_piao_and_status():
    """The feeder pays both shares: (2 + 1 + 2) and, for the third player, declared, (2 + 1 + 0) x 2."""
    changes = {
        "liangdao.applies": "winner_or_payer",
        "payment.robbed_kong_pays_all": True,
        "fans.values.robbing_kong": 0,
    }
    rules = changed(load_rules("platform"), changes)
    found = score(*KAWUXING, "robbed", rules=rules, piao=[1, 2, 0], payer_liangdao=(False, True))
    assert found.payments == [400 * 11, -400 * 11, 0]


def test_the_reading_depends_on_what_the_payers_owe():
    """Seven pairs 16 under a cap of its own against 64 under the cap of 8; with L = 2 inside the cap still 16."""
    hand = ("1111222233334p", "", "4p")
    assert score(*hand, "discard", rules="xiangyang").payments == [16, -16, 0]
    assert score(*hand, "discard", rules="xiangyang", winner_liangdao=True).payments == [32, -32, 0]
    outside = changed(load_rules("xiangyang"), {"liangdao.inside_cap": False})
    assert score(*hand, "discard", rules=outside, winner_liangdao=True).payments == [64, -64, 0]


def test_a_cap_of_a_fan_never_lowers_the_cap():
    lower = changed(load_rules("xiangyang"), {"payment.cap_for": {"seven_pairs": 4}})
    assert score(*FLUSH_PAIRS, "discard", rules=lower).payments == [8, -8, 0]
    none = changed(load_rules("suizhou"), {"payment.cap_for": {"seven_pairs": 4}})
    assert score(*FLUSH_PAIRS, "discard", rules=none).payments == [16, -16, 0]


# ---------------------------------------------------------------- kongs and maima


def kong_points(name, kind, chain, seat, feeder=0, changes=None):
    points = np.zeros(3, np.int32)
    kong_payment(pack(changed(load_rules(name), changes or {}))[0], kind, chain, seat, feeder, points)
    return points.tolist()


KONGS = [
    ("platform", MELD_DIRECT, 1, 1, 0, [-2, 2, 0]),
    ("platform", MELD_CONCEALED, 1, 0, 0, [4, -2, -2]),
    ("platform", MELD_ADDED, 1, 2, 2, [-1, -1, 2]),
    ("platform", MELD_CONCEALED, 2, 0, 0, [8, -4, -4]),
    ("suizhou", MELD_DIRECT, 3, 1, 0, [-8, 8, 0]),
    ("hongzhong", MELD_CONCEALED, 2, 0, 0, [0, 0, 0]),
]


@pytest.mark.parametrize(("name", "kind", "chain", "seat", "feeder", "points"), KONGS)
def test_kong_payment(name, kind, chain, seat, feeder, points):
    assert kong_points(name, kind, chain, seat, feeder) == points


def test_fields_of_kong_payment_act():
    changes = {"payment.direct_kong": 3, "payment.concealed_kong": 5, "payment.added_kong": 7}
    assert kong_points("suizhou", MELD_DIRECT, 1, 2, 1, changes) == [0, -3, 3]
    assert kong_points("suizhou", MELD_CONCEALED, 1, 2, 2, changes) == [-5, -5, 10]
    assert kong_points("suizhou", MELD_ADDED, 2, 2, 2, changes) == [-14, -14, 28]
    assert kong_points("suizhou", MELD_ADDED, 2, 2, 2, changes | {"payment.kong_chain": "none"}) == [-7, -7, 14]


def test_maima_points():
    record = pack(load_rules("platform"))[0]
    assert [maima_points(record, tile) for tile in (0, 8, 9, 17, RED, 20, NO_TILE)] == [1, 9, 1, 9, 10, 10, 0]
    assert maima_points(pack(load_rules("suizhou"))[0], 0) == 0


# ---------------------------------------------------------------- on a round's record


HELD = parse_hand("123789s 46p 99p 中中中")  # 卡五星 on 5p


def state_with(hand, seat, declared=(0, 0, 0)):
    """A round's record in which the seat holds these concealed tiles."""
    s = records(1, STATE)[0]
    s["idx"][seat] = [sum(int(n) * 5**k for k, n in enumerate(hand[start : start + 9])) for start in (0, 9, 18)]
    s["declared"] = declared
    s["maima_tile"] = NO_TILE
    return s


@pytest.mark.parametrize(("seat", "feeder"), [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)])
def test_seats(seat, feeder):
    """Whoever wins from whom: C's declared winner is paid both shares by the feeder, else one."""
    tables, rules = load_tables()[0], pack(load_rules("suizhou"))[0]
    for declared, shares in (((0, 0, 0), 1), ((1, 1, 1), 4)):
        s = state_with(HELD, seat, declared)
        s["feeder"] = feeder
        settle_win(tables, rules, s, seat, feeder, 13, 0)
        points = [0, 0, 0]
        points[seat], points[feeder] = 2 * shares, -2 * shares
        assert s["win_points"][seat].tolist() == points
        assert s["win_fan"][seat] == win_fan(tables, rules, s, seat, 13, 0) == 2


def test_parts_of_a_self_draw():
    """A: (2 + 7) x 2 bases from each; of them the maima tile brought 7 x 2 from each."""
    s = state_with(HELD, 1, (0, 1, 0))
    s["maima_tile"] = parse_tile("7s")
    settle_win(load_tables()[0], pack(load_rules("platform"))[0], s, 1, 1, 13, kernels.EV_SELF_DRAW)
    assert s["win_points"][1].tolist() == [-18, 36, -18]
    assert s["maima_points"] == 28


def test_a_win_asked_for_on_the_own_turn():
    """Nobody has fed it yet: the answer is for the next seat. A tile that completes nothing has fan 0."""
    tables, rules = load_tables()[0], pack(load_rules("suizhou"))[0]
    for seat in range(3):
        s = state_with(HELD, seat)
        s["feeder"] = seat
        assert win_fan(tables, rules, s, seat, 13, 0) == 2
        assert win_fan(tables, rules, s, seat, 14, 0) == 0


def test_a_red_kong_counts_where_it_is_concealed():
    rules = changed(load_rules("suizhou"), {"fans.values.red_dragon_kong": 5})
    for kind, fan in (("concealed_kong", 5), ("direct_kong", 1)):
        assert score("123s 45p 99p", f"{kind}:中 pong:1p", "6p", rules=rules).fan == fan
