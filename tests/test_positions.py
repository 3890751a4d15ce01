"""Positions: read from text, refused where they cannot be, and the same record as the engine's where they can."""

import json
from collections import Counter

import numpy as np
import pytest
from position_maker import position_of_round, ready_turns, rotated
from test_engine import VARIANTS

from kwx_sim.core import state as codes
from kwx_sim.core.legal import find_turn_actions
from kwx_sim.core.shapes import load_tables
from kwx_sim.errors import InputError
from kwx_sim.play import Round
from kwx_sim.positions import Position, check, position_of, read_position
from kwx_sim.rules import PRESETS, changed, load_rules, pack
from kwx_sim.text import catalogue
from kwx_sim.tiles import parse_hand, parse_tile, parse_tiles

HAND = "123s 789s 46p 88p 中中中 5s"
ROUNDS = 150
TABLES = [*PRESETS, *VARIANTS, "suizhou/closed"]

# What a position tells of the record. The rest is unknown (hidden hands, the wall), settled (payments so far), or
# overwritten before anything reads it (`cannon`, answers to the last discard).
BY_SEAT = ("waits", "pongs", "kongs", "meld_kind", "meld_tile", "n_melds", "declared", "draws", "missed", "piao")
ALONE = ("seen", "first_declared", "calls", "phase", "seat", "tile", "feeder", "robbing", "asking", "willing")
KNOWN = (*BY_SEAT, *ALONE, "front", "tail", "dealer", "n_river", "replacement", "chain", "outcome", "winners")
HANDS = ("counts", "idx", "held", "quads")
TURN_ACTIONS = ("can_win", "can_concealed_kong", "can_added_kong", "can_discard", "can_liangdao")


def rules_of(table):
    if table == "suizhou/closed":
        return changed(load_rules("suizhou"), {"liangdao.shows": "nothing"})
    variant = VARIANTS.get(table)
    return changed(load_rules(variant["base"]), variant["changes"]) if variant else load_rules(table)


def without(mapping, *fields):
    return {name: value for name, value in mapping.items() if name not in fields}


def by_seat(discards):
    return {name: [tile for seat, tile, *_ in discards if seat == name] for name in ("me", "next", "previous")}


# ---------------------------------------------------------------- rounds that were played


@pytest.fixture(scope="module", params=TABLES)
def played(request):
    rules = rules_of(request.param)
    return rules, list(ready_turns(rules, ROUNDS, seed=11, rare=True))


def knows_hand(rules, s, seat):
    return seat == 0 or (rules.liangdao.shows == "hand" and bool(s["declared"][seat]))


def knows_waits(rules, s, seat):
    return seat == 0 or (rules.liangdao.shows != "nothing" and bool(s["declared"][seat]))


def assert_same(table, expected, rules):
    s = table.state[0]
    for name in KNOWN:
        if name == "waits":
            for seat in range(3):
                assert s[name][seat] == (expected[name][seat] if knows_waits(rules, s, seat) else 0), seat
        else:
            assert np.array_equal(s[name], expected[name]), name
    for name in HANDS:
        for seat in range(3):
            if knows_hand(rules, s, seat):
                assert np.array_equal(s[name][seat], expected[name][seat]), (name, seat)
            else:
                assert not s[name][seat].any()
    declared = s["declared"] != 0
    assert np.array_equal(s["declared_at"][declared], expected["declared_at"][declared])
    n = int(s["n_river"])
    assert np.array_equal(s["river_tile"][:n], expected["river_tile"])
    assert np.array_equal(s["river_seat"][:n], expected["river_seat"])


def test_a_position_from_a_round_is_the_engines_record(played):
    rules, turns = played
    assert len(turns) > ROUNDS // 3
    for state, seat in turns:
        expected = rotated(state[0], seat)
        table = check(position_of(position_of_round(state[0], seat, rules)), rules)
        assert_same(table, expected, rules)
        assert (table.history, table.dead, table.ordered) == ("complete", 0, True)
        hidden = [0 if knows_hand(rules, table.state[0], each) else expected["counts"][each].sum() for each in range(3)]
        assert table.hidden.tolist() == hidden
        unseen = np.bincount(state[0]["wall"][int(state[0]["front"]) : int(state[0]["tail"])], minlength=27)
        for each in (1, 2):
            if hidden[each]:
                unseen = unseen + expected["counts"][each]
        assert np.array_equal(table.unseen, unseen)
        shows_waits = rules.liangdao.shows == "waits"
        said = [int(expected["waits"][each]) if shows_waits and expected["declared"][each] else 0 for each in (1, 2)]
        assert table.shown_waits.tolist() == [0, *said]
        # What was told completely leaves nothing to assume, but for a room and the turns of own kongs.
        keys = {assumed.key.rpartition(".")[2] for assumed in table.assumptions}
        assert keys <= {"room", "kongs_at"}


def test_the_same_actions_are_legal(played):
    rules, turns = played
    tables, packed = load_tables()[0], pack(rules)[0]
    for state, seat in turns:
        table = check(position_of(position_of_round(state[0], seat, rules)), rules)
        find_turn_actions(tables, packed, table.state[0])
        for field in TURN_ACTIONS:
            assert table.state[0][field] == state[0][field], field


def test_what_follows_from_the_discards_need_not_be_given(played):
    rules, turns = played
    orders = Counter()
    for state, seat in turns:
        told = position_of_round(state[0], seat, rules)
        expected = rotated(state[0], seat)
        bare = without(told, "wall", "draws", "dealer", "chain")
        table = check(position_of({**bare, "discards": by_seat(told["discards"])}), rules)
        s = table.state[0]
        assert (table.history, table.dead) == ("complete", 0)
        for field in ("front", "tail", "draws", "calls", "seen"):
            assert np.array_equal(s[field], expected[field]), field
        keys = {assumed.key.rpartition(".")[2] for assumed in table.assumptions}
        if "dealer" not in keys:
            assert s["dealer"] == expected["dealer"]
        n = int(s["n_river"])
        same_order = np.array_equal(s["river_tile"][:n], expected["river_tile"])
        orders[table.ordered] += 1
        assert same_order or not table.ordered
        assert table.ordered != ("order" in keys)
    # Melds mostly tell which discard they took.
    assert orders[True] > 0.5 * len(turns)


def test_without_the_discards_they_are_missing_and_nothing_else(played):
    rules, turns = played
    for state, seat in turns:
        told = position_of_round(state[0], seat, rules)
        expected = rotated(state[0], seat)
        table = check(position_of(without(told, "discards", "dealer", "draws")), rules)
        s = table.state[0]
        in_melds = np.isin(s["meld_kind"], (codes.MELD_PONG, codes.MELD_DIRECT, codes.MELD_ADDED)).sum()
        assert table.dead == expected["n_river"] - in_melds
        assert (s["front"], s["tail"]) == (expected["front"], expected["tail"])
        assert table.unseen.sum() == table.hidden.sum() + expected["wall_left"] + table.dead
        if table.history == "none" and in_melds == 0:
            assert np.array_equal(s["draws"], expected["draws"])
            assert s["dealer"] == expected["dealer"]


def test_rounds_had_everything():
    seen = Counter()
    for name in TABLES:
        for state, seat in ready_turns(rules_of(name), ROUNDS, seed=11, rare=True):
            s = state[0]
            declared = [bool(flag) for flag in rotated(s, seat)["declared"]]
            seen["after pong"] += s["tile"] == codes.NO_TILE
            seen["replacement"] += s["replacement"] == 1
            seen["chain"] += s["chain"] > 1
            seen["own declared"] += declared[0]
            seen["other declared"] += declared[1] or declared[2]
            seen["two declared"] += sum(declared) > 1
            seen["won"] += s["can_win"] != 0
            seen["missed"] += bool(s["missed"].any())
            seen["last tile"] += s["tail"] == s["front"]
            seen["first turn"] += s["draws"][seat] == 1
            for kind in range(1, 5):
                seen[f"meld {kind}"] += bool((s["meld_kind"] == kind).any())
    assert min(seen.values()) >= 2, dict(seen)


def test_the_turn_after_a_kong_of_wild_tiles():
    dealt = ["中中中中 123s 456s 789s", "1112223334446p", "5556667778889p", "1p"]
    rest = [slot for slot in range(19) for _ in range(4)]
    for slot in parse_tiles(" ".join(dealt[:2]) + dealt[3]) + parse_tiles(dealt[2]):
        rest.remove(slot)
    wall = [slot for text in dealt for slot in parse_tiles(text)] + rest
    played = Round("hongzhong", wall, dealer=0)
    played.apply("concealed_kong 中")
    assert played.state["replacement"] == 2
    told = position_of_round(played.state, 0, played.rules)
    assert told["replacement"] == "red_kong"
    assert_same(check(position_of(told), played.rules), rotated(played.state, 0), played.rules)


# ---------------------------------------------------------------- the forms of a position


def test_only_the_hand_is_needed():
    table = check(Position.of(HAND), "xiangyang")
    s = table.state[0]
    assert s["tail"] - s["front"] == 30
    assert np.array_equal(s["counts"][0], parse_hand(HAND))
    assert table.hidden.tolist() == [0, 13, 13]
    assert (table.history, table.dead, table.ordered) == ("none", 84 - 14 - 26 - 30, False)
    assert s["draws"].tolist() == [5, 5, 5]
    assert s["dealer"] == 1
    keys = [assumed.key.removeprefix("positions.assumption.") for assumed in table.assumptions]
    assert keys == ["wall", "dealer", "discards", "draws", "melds", "undeclared", "melds", "undeclared", "missed"]
    assert table.assumptions[0].text() == "the wall has 30 tiles left, about the middle of a round (wall not given)"
    assert "下家" in table.assumptions[1].text("zh")


def test_the_wall_that_is_assumed_fits_the_dealer_and_the_rules():
    for dealer, wall in (("next", 30), ("previous", 31), ("me", 29)):
        s = check(Position.of(HAND, dealer=dealer), "xiangyang").state[0]
        assert int(s["tail"]) - int(s["front"]) == wall
    s = check(Position.of("123s 789s 456s 123s 89p"), "hongzhong").state[0]
    assert (int(s["tail"]), int(s["tail"]) - int(s["front"])) == (76, 20)


def test_draws_and_rivers_tell_the_wall():
    table = check(Position.of(HAND, draws=[4, 3, 4]), "xiangyang")
    s = table.state[0]
    assert (int(s["tail"]) - int(s["front"]), int(s["dealer"])) == (34, 2)
    assert not {"wall", "dealer", "draws"} & {assumed.key.rpartition(".")[2] for assumed in table.assumptions}
    table = check(Position.of(HAND, discards={"me": "1p 2p"}), "xiangyang")
    s = table.state[0]
    assert s["draws"][0] == 3
    assert table.history == "partial"
    assert s["n_river"] == 2


def test_the_first_turn_of_the_dealer_is_complete():
    table = check(Position.of(HAND, wall=44), "xiangyang")
    assert (table.history, table.dead, table.state[0]["dealer"]) == ("complete", 0, 0)
    assert table.state[0]["draws"].tolist() == [1, 0, 0]


def test_forms_that_mean_the_same():
    rivers = ["9p", "1p 2p", "3p 发"]
    expected = position_of({"hand": HAND, "wall": 39, "dealer": 1, "discards": rivers})
    assert expected == position_of(
        {
            "hand": ["1s 2s 3s 7s 8s 9s", "4p 6p 8p 8p 中 中 中", "5条"],
            "wall": 39,
            "dealer": "下家",
            "drawn": None,
            "discards": {"上家": "3p 发", "me": ["9p"], "next": "1p2p"},
        }
    )
    ordered = [("next", "1p"), (2, "3p"), ("me", "9p"), (1, "2p"), ("previous", "发")]
    table = check(position_of({"hand": HAND, "discards": ordered}), "xiangyang")
    assert np.array_equal(table.state, check(expected, "xiangyang").state)
    assert table.ordered


def test_describe_is_read_as_the_same_position(played):
    rules, turns = played
    for state, seat in turns[:20]:
        position = position_of(position_of_round(state[0], seat, rules))
        assert position_of(json.loads(json.dumps(position.describe()))) == position


def test_described_in_the_forms_that_people_write():
    following = {"melds": "pong:白", "shown": "1s"}
    position = Position.of(HAND, drawn="5s", dealer=2, next=following, discards={"me": "9p"}, piao=[0, 1, 2])
    assert position.describe() == {
        "hand": "1s 2s 3s 5s 7s 8s 9s 4p 6p 8p 8p 中 中 中",
        "drawn": "5s",
        "dealer": "previous",
        "piao": [0, 1, 2],
        "discards": {"me": "9p"},
        "next": {"melds": "pong:白", "shown": "1s"},
    }


def test_the_drawn_tile_that_is_not_known_is_none_that_matters():
    table = check(Position.of("123s 789s 5p 66p 77p", melds="pong:5p"), "xiangyang")
    s = table.state[0]
    assert (s["tile"], s["waits"][0]) == (parse_tile("6p"), 0)
    assert "drawn" in [assumed.key.rpartition(".")[2] for assumed in table.assumptions]
    known = check(Position.of("123s 789s 5p 66p 77p", melds="pong:5p", drawn="5p"), "xiangyang")
    assert known.state[0]["waits"][0] == 1 << parse_tile("6p") | 1 << parse_tile("7p")


def test_a_declared_player_whose_waits_are_all_dead_is_legal():
    previous = {"shown": "222s 444s 666p 999p 白"}
    table = check(Position.of("123567p 33p 中中中 11s 发", next={"melds": "pong:白"}, previous=previous), "xiangyang")
    assert table.unseen[parse_tile("白")] == 0
    assert table.state[0]["waits"][2] == 1 << parse_tile("白")


def test_who_declared_first():
    following, before = {"shown": "222s 444s 66s 99p 白白白"}, {"shown": "111p 333p 55p 77p 发发发"}
    undecided_is_free = changed(load_rules("xiangyang"), {"liangdao.undecided_first_pays": 0})

    def first(rules="xiangyang", **fields):
        position = Position.of(HAND, **{"next": following, "previous": before, **fields})
        return check(position, rules).state[0]["first_declared"]

    assert first(next={}) == 2
    assert first(first_declared="next") == 1
    assert first(next={**following, "declared_at": 4}, previous={**before, "declared_at": 3}) == 2
    assert first(undecided_is_free) == 1


def test_the_turn_after_a_pong():
    """The waits are those of the tiles before the pong, as in a round, until the discard."""
    for wall in (44, 20):
        table = check(Position.of("123s 789s 456p 中中", melds="pong:8p", after_pong=True, wall=wall), "xiangyang")
        s = table.state[0]
        assert (s["tile"], s["calls"]) == (codes.NO_TILE, 1)
        assert s["waits"][0] == 1 << parse_tile("8p") | 1 << parse_tile("中")


def test_a_declared_asker_has_its_waits():
    s = check(Position.of(HAND, drawn="5s", me_declared=True), "xiangyang").state[0]
    assert s["declared"].tolist() == [1, 0, 0]
    assert s["waits"][0] == 1 << parse_tile("5p")
    assert s["first_declared"] == 0


def test_a_room_is_assumed_and_told():
    table = check(Position.of(HAND), "platform")
    assert "room 初级场 (room not given)" in [assumed.text() for assumed in table.assumptions]
    assert check(Position.of(HAND, room="尊爵场", piao=[0, 0, 0]), "platform").assumptions[0].key.endswith("wall")


# ---------------------------------------------------------------- refusals

SHOWN = {"shown": "222s 444s 66s 99p 白白白"}
OTHER = {"shown": "111p 333p 55p 77p 发发发"}
PONGED = {"hand": "123s 789s 46p 88p 5s", "melds": "pong:中", "after_pong": True}
KONGED = {"hand": "123s 789s 46p 88p 5s", "melds": "concealed_kong:中"}
WILD = "123s 789s 46s 88p 3s 123s"
BY_RULES = [
    # what the rules have
    ("hongzhong", {"hand": HAND.replace("5s", "发")}, "发: rules hongzhong play with 76 tiles"),
    ("hongzhong", {"hand": "123s 789s 46p 88p 3s", "melds": "pong:中"}, "meld pong:中: red dragons are wild"),
    ("hongzhong/strict", {"hand": "123s 789s 46s 88s", "melds": "concealed_kong:中"}, "have no kong of wild tiles"),
    ("platform", {"piao": [0, 3, 0]}, "piao: rules platform allow at most 2, got 3"),
    ("platform", {"missed": [0, 2, 0]}, "missed: rules platform bar nobody"),
    ("xiangyang", {"missed": [2, 0, 0]}, "missed: your own draw has ended what you missed"),
    ("platform", {"room": "x"}, "no room x"),
    ("xiangyang", {"room": "x"}, "these rules have no rooms"),
    # the own turn
    ("xiangyang", {"hand": "123s 789s 46p 88p 中中中"}, "hand: expected 14 concealed tiles"),
    ("xiangyang", {"melds": "pong:白"}, "hand: expected 11 concealed tiles at the own turn (melds: 1), got 14"),
    ("xiangyang", {"drawn": "9p"}, "drawn: 9p is not in the hand"),
    ("xiangyang", {"after_pong": True}, "after_pong: the pong just made comes last"),
    ("xiangyang", {**PONGED, "drawn": "5s"}, "leave out drawn"),
    (
        "xiangyang",
        {**PONGED, "replacement": "kong"},
        "leave out replacement = kong",
    ),
    (
        "xiangyang",
        {**PONGED, "me_declared": True},
        "a declared hand does not pong",
    ),
    ("xiangyang", {**PONGED, "wall": 0}, "nobody pongs"),
    ("xiangyang", {"replacement": "kong"}, "replacement: it comes after your own kong"),
    ("xiangyang", {"replacement": "red_kong"}, "replacement: red_kong comes after your concealed kong"),
    (
        "hongzhong",
        {"hand": "123s 789s 46s 88p 3s", "melds": "concealed_kong:中", "replacement": "kong"},
        "expected red_kong, got kong",
    ),
    ("xiangyang", {"chain": 1}, "chain: a chain goes on only while"),
    (
        "xiangyang",
        {"hand": "123s 789s 46p 88p 5s", "melds": "concealed_kong:中", "replacement": "kong", "chain": 2},
        "chain: expected 1 to 1, the kongs that can be in it, got 2",
    ),
    ("xiangyang", {"hand": "159s 159p 中发白 2468s 3p"}, "away from ready; declaring is no question yet. Best"),
    (
        "xiangyang",
        {"hand": "123s 79s 46p 88p 中中 9p 5s 白", "next": {"shown": "222s 444s 666s 99p 白白"}},
        "discards (tiles that help): 白 (20), 5s (16), 9s (16); but a declared player waits for 白: ask kwx discard",
    ),
    (
        "hongzhong",
        {"hand": "123s 789s 46s", "melds": "pong:1p pong:6s"},
        "these melds leave no hand to win with",
    ),
    ("xiangyang", {"hand": "123s 789s 456p 88p 中中中"}, "drawn: the hand has won"),
    ("xiangyang", {"me_declared": True}, "drawn: you have declared"),
    ("xiangyang", {"me_declared": True, "drawn": "4p"}, "me_declared: without 4p, just drawn, the hand is not ready"),
    # the declared
    ("hongzhong", {"hand": WILD, "next": {"declared": True}}, "next: declared, but rules hongzhong have no liangdao"),
    ("hongzhong", {"hand": WILD, "me_declared": True}, "me: declared, but rules hongzhong have no liangdao"),
    ("xiangyang", {"next": {**SHOWN, "declared": False}}, "next: shown, waits and declared_at belong to"),
    ("xiangyang", {"declared_at": 3}, "me: shown, waits and declared_at belong to"),
    ("platform", {"next": SHOWN}, "next: shown: in rules platform a declared player does not lay its hand open"),
    ("suizhou/closed", {"next": {"waits": "1s"}}, "next: waits: in rules suizhou a declared player shows nothing"),
    ("xiangyang", {"next": {"declared": True}}, "next: declared, and in rules xiangyang its hand lies open"),
    ("platform", {"previous": {"declared": True}}, "previous: declared, and in rules platform it says what"),
    ("platform", {"previous": {"waits": ""}}, "previous: declared, and in rules platform it says what"),
    (
        "xiangyang",
        {"next": {"shown": "222s", "melds": "pong:白"}},
        "next: shown: expected 10 concealed tiles (melds: 1",
    ),
    ("xiangyang", {"next": {"shown": "白白 222s 444s 66s", "melds": "pong:白"}}, "five copies of a tile"),
    ("xiangyang", {"next": {"shown": "159s 159p 发发 2468s 3p"}}, "next: shown: 1s 2s 4s 5s 6s 8s 9s"),
    ("xiangyang", {"next": {**SHOWN, "waits": "6s"}}, "next: waits: the hand shown waits for 6s 9p, got 6s"),
    ("platform", {"next": {"waits": "白", "melds": "direct_kong:白"}}, "next: waits: it cannot wait for 白"),
    (
        "xiangyang",
        {"wall": 30, "next": {**SHOWN, "declared_at": 9}},
        "next: declared_at: expected at most 5, its draws",
    ),
    (
        "xiangyang",
        {**KONGED, "kongs_at": [1, 2]},
        "me: kongs_at: expected a number for each concealed or added kong (1 of them), got 2",
    ),
    ("xiangyang", {"first_declared": "next"}, "first_declared: next has not declared"),
    ("xiangyang", {"next": SHOWN, "previous": OTHER}, "first_declared: several have declared"),
    # counting
    (
        "xiangyang",
        {"next": {"melds": "pong:8p"}},
        "5 copies of 8p: 2 in the hand, 3 in melds, 0 discarded, 0 in hands laid open",
    ),
    ("xiangyang", {"discards": ["8p 8p", "8p", ""]}, "5 copies of 8p: 2 in the hand, 0 in melds, 3 discarded"),
    ("xiangyang", {"wall": 41, "discards": ["9p", "1p", "2p"]}, None),
    (
        "xiangyang",
        {"wall": 40, "discards": ["9p", "1p", "2p"]},
        "wall: these hands, melds and discards leave 41, got 40",
    ),
    ("hongzhong", {"hand": WILD, "wall": 40}, "wall: these hands, melds and discards leave at most 36"),
    ("xiangyang", {"wall": 30, "dealer": "me"}, "no discard claimed your turn comes with 32, 29 tiles left"),
    ("xiangyang", {"wall": 30, "discards": {"me": "9p"}}, "discards: me: with 30 left in the wall and no discard"),
    ("xiangyang", {"discards": ["9p 9p", "1p", "2p"]}, "discards: 2, 1, 1 (me, next, previous) with these"),
    (
        "xiangyang",
        {"discards": ["9p", "1p", "2p"], "dealer": "next"},
        "discards: 1, 1, 1 (me, next, previous) with these melds and next dealing cannot",
    ),
    ("xiangyang", {"discards": [["me", "9p"], ["previous", "2p"], ["next", "1p"]]}, "cannot come from turns in order"),
    (
        "xiangyang",
        {"discards": ["9p", "1p", "2p"], "next": {"melds": "pong:白"}},
        "discards: next called 白, which is in nobody else's discards",
    ),
    ("xiangyang", {"discards": ["9p", "1p", "2p"], "draws": [2, 2, 2]}, "draws: expected 2, 1, 1"),
    ("xiangyang", {"wall": 44, "next": {"melds": "pong:白"}}, "wall: these hands, melds and discards leave at most 43"),
    ("xiangyang", {"discards": {"me": "9p", "next": "1s 2s 3s"}}, "discards: 1, 3, – (me, next, previous)"),
    ("xiangyang", {"discards": {"me": "9p", "next": "1s 2s 3s"}, "dealer": 1}, "melds and next dealing cannot"),
    ("xiangyang", {"wall": 30, "draws": [5, 6, 4]}, "draws: expected 5, 5, 5 (me, next, previous)"),
    ("xiangyang", {"wall": 30, "draws": [5, 5, 6]}, "draws: with 30 left in the wall they add up to 15, got 5, 5, 6"),
    ("xiangyang", {"draws": [9, 9, 44]}, "draws: with 0 left in the wall they add up to 45, got 9, 9, 44"),
    ("xiangyang", {"draws": [0, 0, 0]}, "draws: with 44 left in the wall they add up to 1, got 0, 0, 0"),
    ("xiangyang", {"draws": [4, 4, 3]}, "draws: expected 4, 3, 4 (me, next, previous) with these turns"),
    (
        "xiangyang",
        {"discards": ["111p 222p 333p 555p 777p", "1112223334445556s", "666999p 999s 中 发发发发 白白白白"]},
        "discards: more than the 84 tiles of the set can leave",
    ),
]


WAITING = "123s 789s 46p 88p 中中中"
CLAIM = {"hand": WAITING, "offered": "5p", "offered_by": "next"}
ROBBING = {**CLAIM, "offered_kong": True, "next": {"melds": "pong:5p"}}
OFFERED = [
    ("claim", "xiangyang", CLAIM, None),
    ("claim", "xiangyang", ROBBING, None),
    ("claim", "xiangyang", {"hand": HAND}, "offered: a claim needs another's tile"),
    ("claim", "xiangyang", {**CLAIM, "offered_by": None}, "offered: a claim needs another's tile"),
    ("liangdao", "xiangyang", CLAIM, "offered: another's tile is on offer, so it is not your turn"),
    ("discard", "xiangyang", {"hand": HAND, "offered_kong": True}, "offered: offered_by, offered_kong and"),
    ("claim", "xiangyang", {**CLAIM, "hand": HAND}, "hand: expected 13 concealed tiles while another's tile is on"),
    ("claim", "xiangyang", {**CLAIM, "drawn": "6p"}, "drawn: it belongs to your own turn"),
    ("claim", "xiangyang", {**CLAIM, "after_pong": True}, "after_pong: it belongs to your own turn"),
    ("claim", "xiangyang", {**CLAIM, "replacement": "kong"}, "replacement: it belongs to your own turn"),
    ("claim", "xiangyang", {**ROBBING, "offered_after_kong": True}, "leave out one of offered_kong and"),
    ("claim", "xiangyang", {**CLAIM, "offered_after_kong": True}, "offered_after_kong: next has no kong"),
    ("claim", "xiangyang", {**CLAIM, "chain": 1}, "chain: a chain goes on only while"),
    ("claim", "xiangyang", {**ROBBING, "chain": 1}, "chain: expected 0 to 0"),
    ("claim", "xiangyang", {**ROBBING, "wall": 0}, "offered_kong: with an empty wall"),
    ("claim", "platform", {**CLAIM, "offered_kong": True}, "offered_kong: next has no pong of 5p"),
    ("claim", "suizhou", {**CLAIM, "offered_kong": True}, None),
    (
        "claim",
        "suizhou",
        {**CLAIM, "offered_kong": True, "next": SHOWN},
        "offered_kong: next has no pong of 5p, and of its concealed kong three lie",
    ),
    (
        "claim",
        "hongzhong/house",
        {
            "hand": "123s 789s 46s 88s 123s",
            "offered": "5s",
            "offered_by": 1,
            "offered_kong": True,
            "next": {"waits": "1p"},
        },
        "offered_kong: next has declared and makes a concealed kong",
    ),
    (
        "claim",
        "xiangyang",
        {**CLAIM, "discards": {"next": "1p 5p 2p"}},
        "offered: 5p stands last in the discards of next",
    ),
    ("claim", "xiangyang", {**CLAIM, "discards": [["next", "5p"], ["previous", "1p"]]}, "and last of all where they"),
    (
        "claim",
        "xiangyang",
        {**CLAIM, "discards": ["1p 2p", "5p", ""]},
        "cannot come from turns in order up to this discard",
    ),
    (
        "claim",
        "xiangyang",
        {**ROBBING, "discards": ["1p", "", "5p"]},
        "cannot come from turns in order up to this kong",
    ),
    ("claim", "xiangyang", {**CLAIM, "wall": 30, "dealer": "me"}, "no discard claimed this discard comes with 31, 28"),
    ("claim", "xiangyang", {**CLAIM, "offered": "9p"}, "offered: with 9p you can neither win nor pong nor kong"),
    (
        "claim",
        "xiangyang",
        {**CLAIM, "me_declared": True, "hand": "123s 789s 469p 88p 中中"},
        "me_declared: the hand is not",
    ),
]


@pytest.mark.parametrize(("about", "rules", "fields", "part"), OFFERED)
def test_what_cannot_be_on_offer_is_refused_in_one_line(about, rules, fields, part):
    position = position_of(fields)
    if part is None:
        check(position, rules_of(rules), about)
        return
    with pytest.raises(InputError) as refused:
        check(position, rules_of(rules), about)
    assert_told(refused.value, part)


@pytest.mark.parametrize(("rules", "fields", "part"), BY_RULES)
def test_what_cannot_be_is_refused_in_one_line(rules, fields, part):
    position = position_of({"hand": HAND, **fields})
    if part is None:
        check(position, rules_of(rules))
        return
    with pytest.raises(InputError) as refused:
        check(position, rules_of(rules))
    assert_told(refused.value, part)


def assert_told(error, part):
    assert part in str(error)
    for lang in ("en", "zh"):
        assert "\n" not in error.message(lang)
    assert any("\u4e00" <= mark <= "\u9fff" for mark in error.message("zh").replace(HAND, ""))
    assert error.message("zh") != str(error)


READING = [
    ([], "position: expected a table of fields with a hand, got []"),
    ({}, "position: hand: missing"),
    ({"hand": HAND, "wal": 30}, "position: wal: unknown field; the nearest known one is wall"),
    ({"hnad": HAND}, "position: hnad: unknown field; the nearest known one is hand"),
    ({"hand": HAND, "next": {"meld": ""}}, "position: next.meld: unknown field; the nearest known one is next.melds"),
    ({"hand": HAND, 5: 1}, "position: 5: unknown field"),
    ({"hand": ""}, "position: hand: expected at least one tile"),
    ({"hand": 5}, "position: hand: expected tiles as text"),
    ({"hand": [5]}, "position: hand: expected tiles as text, got 5"),
    ({"hand": "55555p"}, "position: hand: 5 copies of 5p"),
    ({"hand": "12m"}, "万"),
    ({"hand": HAND, "drawn": "12s"}, "position: drawn: expected one tile"),
    ({"hand": HAND, "melds": "chi:3s"}, "position: melds: "),
    ({"hand": HAND, "next": "pong:中"}, "position: next: expected a table of fields, got 'pong:中'"),
    ({"hand": HAND, "next": {"declared": 1}}, "position: next.declared: expected true or false, got 1"),
    ({"hand": HAND, "wall": "30"}, "position: wall: expected a whole number, got '30'"),
    ({"hand": HAND, "wall": -1}, "position: wall: expected a whole number of at least 0, got -1"),
    ({"hand": HAND, "wall": 45}, "position: wall: expected a whole number of at most 44, got 45"),
    ({"hand": HAND, "room": 5}, "position: room: expected a room's name, got 5"),
    ({"hand": HAND, "room": "a\nb"}, "position: room: expected a room's name, got 'a\\nb'"),
    ({"hand": HAND, "wa\nl": 5}, "position: wa\\nl: unknown field"),
    ({"hand": HAND, "w" * 900: 5}, "…: unknown field"),
    ({"hand": HAND, "dealer": "east"}, "position: dealer: expected a seat (me, next, previous), got 'east'"),
    ({"hand": HAND, "dealer": 3}, "position: dealer: expected a seat"),
    ({"hand": HAND, "dealer": True}, "position: dealer: expected a seat"),
    ({"hand": HAND, "offered_by": "me"}, "position: offered_by: expected another's seat (next, previous), got 'me'"),
    ({"hand": HAND, "kongs_at": [1, 45]}, "position: kongs_at: expected at most 12 whole numbers from 0 to 44"),
    ({"hand": HAND, "draws": [1, 2]}, "position: draws: expected three whole numbers from 0 to 44"),
    ({"hand": HAND, "piao": [0, 0, -1]}, "position: piao: expected three whole numbers from 0 to 100"),
    ({"hand": HAND, "replacement": "pong"}, "position: replacement: expected 'none', 'kong' or 'red_kong', got 'pong'"),
    ({"hand": HAND, "discards": "1s"}, "position: discards: expected three rivers"),
    ({"hand": HAND, "discards": ["1s", "2s"]}, "position: discards: expected three rivers"),
    ({"hand": HAND, "discards": {"east": "1s"}}, "position: discards: no seat 'east'; expected me, next, previous"),
    ({"hand": HAND, "discards": {"me": 5}}, "position: discards: expected tiles as text"),
    ({"hand": HAND, "discards": [[5, "1s"]]}, "position: discards: expected a seat"),
]


@pytest.mark.parametrize(("data", "part"), READING)
def test_what_is_no_position_is_refused_in_one_line(data, part):
    with pytest.raises(InputError) as refused:
        position_of(data)
    assert_told(refused.value, part)
    assert len(str(refused.value)) < 400


def test_files_of_both_forms(tmp_path):
    (tmp_path / "a.toml").write_text(
        f'hand = "{HAND}"\nwall = 39\ndiscards = ["9p", "1p 2p", "3p 发"]\n[next]\nmelds = ""\n', encoding="utf-8"
    )
    position = read_position(tmp_path / "a.toml")
    (tmp_path / "a.JSON").write_text("\ufeff" + json.dumps(position.describe()), encoding="utf-8")
    assert read_position(str(tmp_path / "a.JSON")) == position
    assert check(position, "xiangyang").history == "complete"


@pytest.mark.parametrize(
    ("name", "content", "part"),
    [
        ("a.txt", b"", "a.txt: a position is read from a file whose name ends in one of .toml, .json"),
        ("a.toml", b"#" * 70_000, "a.toml: cannot be read: it has more than 65536 bytes"),
        ("a.toml", b"#" + b"." * 101, "a.toml: cannot be read: line 1 has more than 100 dots"),
        ("a.toml", b"hand = ", "a.toml: cannot be read: "),
        ("a.toml", b"hand = '\xff'", "a.toml: cannot be read: "),
        ("a.toml", b"hand = " + b"[" * 3_000, "a.toml: cannot be read: "),
        ("a.json", b"{", "a.json: cannot be read: "),
        ("a.json", b"[" * 60_000, "a.json: cannot be read: "),
        ("a.json", b'{"hand": "1s", "hand": "2s"}', "a.json: cannot be read: a field stands twice"),
        ("a.json", b'{"wall": NaN}', "a.json: cannot be read: NaN is no JSON"),
        (
            "a.json",
            b'{"wall": ' + b"9" * 5_000 + b"}",
            "a.json: cannot be read: a whole number in it has too many digits",
        ),
        ("a.toml", b"wall = " + b"9" * 5_000, "a.toml: cannot be read: a whole number in it has too many digits"),
        ("a.json", b'{"hand": "1s", "wall": 1' + b"0" * 60 + b"}", "a.json: wall: expected a whole number of at"),
        ("a.json", b"[1]", "a.json: expected a table of fields with a hand, got [1]"),
        ("a.toml", b'hand = "1s"\nwal = 3', "a.toml: wal: unknown field; the nearest known one is wall"),
        ("a.toml", b"", "a.toml: hand: missing"),
    ],
)
def test_files_that_are_no_positions(tmp_path, name, content, part):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as refused:
        read_position(path)
    assert_told(refused.value, part)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.toml", b'hand = "\xff"', "编码不是 UTF-8；请存为 UTF-8"),
        ("a.toml", b'hand = "1s"\nwall = = 3', "第 2 行第 8 列不是合法的 TOML"),
        ("a.toml", b'hand = "1s"\nhand = "1s"\n', "有字段写了两次（第 2 行"),
        ("a.toml", b'hand = "1s"\nhand = "1s"', "有字段写了两次"),
        ("a.toml", b'hand = """', "结尾不完整"),
        ("a.json", b'{"hand":\n1,}', "第 2 行第 3 列不是合法的 JSON"),
        ("a.json", b'{"hand": "1s", "hand": "2s"}', "有字段写了两次"),
        ("a.json", b"[" * 60_000, "嵌套太深"),
        ("a.json", b'{"hand": NaN}', "JSON 里没有 NaN"),
        ("a.toml", b'hand = "123s"\nreplacement = "x"', "应为 'none', 'kong' 或 'red_kong'"),
    ],
)
def test_files_that_are_no_positions_are_told_in_chinese(tmp_path, name, content, told):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as error:
        read_position(tmp_path / name)
    assert told in error.value.message("zh")


@pytest.mark.parametrize("name", ["absent.toml", "a\0b.json", ""])
def test_files_that_are_not_there(tmp_path, name):
    with pytest.raises(InputError, match=r"cannot be read|ends in one of"):
        read_position(tmp_path / name)


def test_every_text_of_a_refusal_is_tested():
    """Each key of the catalogue turns up in the tests above, or is an assumption or a part of another text."""
    tested = set()
    for rules, fields, _ in BY_RULES:
        tested |= keys_of(lambda: check(position_of({"hand": HAND, **fields}), rules_of(rules)))  # noqa: B023  # called at once, within the loop
    for about, rules, fields, _ in OFFERED:
        tested |= keys_of(lambda: check(position_of(fields), rules_of(rules), about))  # noqa: B023  # called at once, within the loop
    for data, _ in READING:
        tested |= keys_of(lambda: position_of(data))  # noqa: B023  # called at once, within the loop
    refusals = {name for name in catalogue("positions") if not name.startswith(("seat.", "assumption."))}
    assert refusals - tested == {"suffix", "unreadable", "digits"}


def keys_of(call):
    try:
        call()
    except InputError as error:
        return set(names_of(error))
    return set()


def names_of(error):
    yield error.key.removeprefix("positions.")
    for value in error.params.values():
        if isinstance(value, InputError):
            yield from names_of(value)
