"""Claims: positions with another's tile on offer are the engine's, their arms are legal, and go on as a round does."""

import random
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from position_maker import Moment, offers, position_of_round, rotated
from test_positions import TABLES, by_seat, knows_hand, knows_waits, rules_of, without

import kwx_sim
from kwx_sim.core import state as codes
from kwx_sim.core.jit import records
from kwx_sim.core.policy import decide
from kwx_sim.core.round import apply, deal
from kwx_sim.core.state import STATE
from kwx_sim.core.tables import load_tables
from kwx_sim.core.world import begin
from kwx_sim.ensemble import parse_opponents
from kwx_sim.policies import parse_policy
from kwx_sim.positions import check, position_of
from kwx_sim.query.question import Options, Question
from kwx_sim.rules import PRESETS, load_rules, pack
from kwx_sim.tiles import parse_tile

ROUNDS = 200

# What is on the table at an offer. `asking` and `willing` hold the others' answers, `replacement` is spent.
BY_SEAT = ("pongs", "kongs", "meld_kind", "meld_tile", "n_melds", "declared", "draws", "missed", "piao")
ALONE = ("seen", "first_declared", "calls", "phase", "seat", "tile", "feeder", "robbing", "outcome", "winners")
KNOWN = (*BY_SEAT, *ALONE, "front", "tail", "dealer", "n_river", "cannon", "chain")
HANDS = ("counts", "idx", "held", "quads")


@pytest.fixture(scope="module", params=TABLES)
def played(request):
    rules = rules_of(request.param)
    return rules, list(offers(rules, ROUNDS, seed=12, rare=True))


def asked(told, rules):
    return check(position_of(told), rules, "claim")


def is_told(told, rules):
    """Whether the rules show enough of a declared player that makes a concealed kong."""
    feeder = told[told["offered_by"]]
    ponged = f"pong:{told['offered']}" in feeder["melds"]
    return not (told["offered_kong"] and feeder["declared"] and rules.liangdao.shows != "hand" and not ponged)


# ---------------------------------------------------------------- rounds that were played


def test_a_position_from_a_round_is_the_engines_record(played):
    rules, moments = played
    assert len(moments) > ROUNDS // 4
    for state, seat in moments:
        told, expected = position_of_round(state[0], seat, rules), rotated(state[0], seat)
        if not is_told(told, rules):
            continue
        table = asked(told, rules)
        assert_same(table, expected, rules)
        assert (table.history, table.dead, table.ordered) == ("complete", 0, True)
        assert {assumed.key for assumed in table.assumptions} <= {
            "positions.assumption.room", "positions.assumption.kongs_at"
        }  # fmt: skip
        assert_counted(table, expected)


def assert_same(table, expected, rules):
    s = table.state[0]
    for name in KNOWN:
        if name == "cannon" and s["robbing"]:
            continue
        assert np.array_equal(s[name], expected[name]), name
    for seat in range(3):
        waits = expected["waits"][seat] if knows_waits(rules, s, seat) else 0
        assert s["waits"][seat] == waits, seat
        if knows_hand(rules, s, seat):
            for name in HANDS:
                assert np.array_equal(s[name][seat], expected[name][seat]), (name, seat)
    n = int(s["n_river"])
    assert np.array_equal(s["river_tile"][:n], expected["river_tile"])
    assert np.array_equal(s["river_seat"][:n], expected["river_seat"])
    assert_legal(s, expected)


def assert_legal(s, expected):
    """The engine says what may be called only once nobody wins; it may ask others before that."""
    assert bool(s["can_win"]) == (expected["phase"] == codes.CLAIM)
    if expected["phase"] == codes.CALL:
        assert (s["can_pong"], s["can_direct_kong"]) == (expected["can_pong"], expected["can_direct_kong"])
    if s["robbing"]:
        assert not s["can_pong"]
        assert not s["can_direct_kong"]


def assert_counted(table, expected):
    """What is not seen lies in the wall and in hidden hands; of a kong that may be robbed its tiles are seen."""
    s = table.state[0]
    wall = np.bincount(expected["wall"][int(expected["front"]) : int(expected["tail"])], minlength=27)
    hidden = [expected["counts"][seat] - s["counts"][seat] for seat in (1, 2)]
    assert table.hidden.tolist() == [0, *(int(counts.sum()) for counts in hidden)]
    assert np.array_equal(table.unseen, wall + sum(hidden))


def test_what_follows_from_the_discards_need_not_be_given(played):
    rules, moments = played
    for state, seat in moments:
        told, expected = position_of_round(state[0], seat, rules), rotated(state[0], seat)
        if not is_told(told, rules):
            continue
        bare = without(told, "wall", "draws", "dealer")
        table = asked({**bare, "discards": by_seat(told["discards"])}, rules)
        s = table.state[0]
        assert (table.history, table.dead) == ("complete", 0)
        for field in ("front", "tail", "draws", "calls", "seen"):
            assert np.array_equal(s[field], expected[field]), field
        assert (
            "dealer" in {each.key.rpartition(".")[2] for each in table.assumptions} or s["dealer"] == expected["dealer"]
        )


def test_without_the_discards_they_are_missing_and_nothing_else(played):
    rules, moments = played
    for state, seat in moments:
        told, expected = position_of_round(state[0], seat, rules), rotated(state[0], seat)
        if not is_told(told, rules):
            continue
        table = asked(without(told, "discards", "dealer", "draws"), rules)
        s = table.state[0]
        in_melds = np.isin(s["meld_kind"], (codes.MELD_PONG, codes.MELD_DIRECT, codes.MELD_ADDED)).sum()
        on_offer = int(not s["robbing"])
        assert table.dead == expected["n_river"] - in_melds - on_offer
        assert s["n_river"] == on_offer or table.history == "complete"
        assert (s["front"], s["tail"]) == (expected["front"], expected["tail"])
        assert table.unseen.sum() == table.hidden.sum() + expected["wall_left"] + table.dead
        if in_melds == 0:
            assert np.array_equal(s["draws"], expected["draws"])
            assert s["dealer"] == expected["dealer"]


def test_rounds_had_everything():
    seen = Counter()
    for name in TABLES:
        for state, seat in offers(rules_of(name), ROUNDS, seed=12, rare=True):
            s = state[0]
            seen["added kong robbed"] += s["robbing"] == codes.MELD_ADDED
            seen["concealed kong robbed"] += s["robbing"] == codes.MELD_CONCEALED
            seen["after a kong"] += bool(s["cannon"])
            seen["win"] += s["phase"] == codes.CLAIM
            seen["call"] += s["phase"] == codes.CALL
            seen["direct kong"] += s["phase"] == codes.CALL and bool(s["can_direct_kong"])
            seen["own missed"] += bool(s["missed"][seat])
            seen["own declared"] += bool(s["declared"][seat])
            seen["feeder declared"] += bool(s["declared"][int(s["feeder"])])
            seen["last tile"] += s["tail"] == s["front"]
    assert min(seen.values()) >= 2, dict(seen)


# ---------------------------------------------------------------- arms

WAITING = {"hand": "123s 789s 46p 88p 中中中", "offered": "5p", "offered_by": "next", "wall": 30}
CALLED = {"hand": "123s 789s 46p 888p 中中", "offered": "8p", "offered_by": "previous", "wall": 30}
BOTH = {"hand": "123s 789s 456p 88p 中中", "offered": "中", "offered_by": "next", "wall": 30}


def question_of(told, rules="xiangyang"):
    """A question that is not answered yet."""
    policies = parse_policy("efficient"), parse_opponents("efficient")
    return Question(position_of(told), load_rules(rules), "claim", *policies, Options(workers=1))


def names(question):
    return [arm.name for arm in question.arms]


def test_the_arms_of_a_claim():
    assert names(question_of(WAITING)) == ["win 5p", "pass 5p"]
    assert names(question_of(CALLED)) == ["pass 8p", "pong 8p", "direct_kong 8p"]
    assert names(question_of(BOTH)) == ["win 中", "pass 中", "pong 中"]
    robbing = {**WAITING, "offered_kong": True, "next": {"melds": "pong:5p"}}
    assert names(question_of(robbing)) == ["win 5p", "pass 5p"]
    assert names(question_of({**BOTH, "wall": 0})) == ["win 中", "pass 中"]


def test_every_arm_is_legal_in_the_engine(played):
    """Of decisions that arose, and of the asker's own choice among them."""
    rules, moments = played
    legal = Counter()
    for state, seat in moments[:40]:
        told = position_of_round(state[0], seat, rules)
        if not is_told(told, rules) or (rules.liangdao.shows == "nothing" and state[0]["declared"].any()):
            continue
        try:
            question = Question(
                position_of(told),
                rules,
                "claim",
                parse_policy("efficient"),
                parse_opponents("efficient"),
                Options(workers=1, belief="uniform"),
            )
        except kwx_sim.InputError as refused:  # waits with wild tiles, of which hands are not worked out
            if refused.key not in ("query.shown_wild", "query.shown_none"):
                raise
            continue
        ways = {arm.way for arm in question.arms}
        assert "pass" in ways
        assert ("win" in ways) == (state[0]["phase"] == codes.CLAIM)
        if state[0]["phase"] == codes.CALL:
            assert ("pong" in ways, "direct_kong" in ways) == (state[0]["can_pong"], state[0]["can_direct_kong"])
        legal.update(ways)
    assert legal["pass"] > 5


def test_a_pong_goes_on_with_the_askers_discard():
    """After a win that was declined as well: nothing is drawn, and any tile may go."""
    for told, declines in ((CALLED, False), (BOTH, True)):
        question = question_of(told)
        pong = next(arm for arm in question.arms if arm.way == "pong")
        assert pong.declines == declines
        s, w = question.worlds.first_state(), question.worlds
        if declines:
            assert s["phase"] == codes.CLAIM
            apply(w.tables[0], w.rules[0], s, codes.PASS << 5 | pong.tile)
            while s["seat"] != 0:
                # Another who could win too is asked next, and lets it go here.
                apply(w.tables[0], w.rules[0], s, codes.PASS << 5 | pong.tile)
        assert (s["phase"], s["seat"], s["can_pong"]) == (codes.CALL, 0, 1)
        apply(w.tables[0], w.rules[0], s, codes.PONG << 5 | pong.tile)
        assert (s["phase"], s["seat"], s["tile"]) == (codes.TURN, 0, codes.NO_TILE)
        assert s["counts"][0].sum() == 11
        assert decide(w.tables[0], w.rules[0], s, w.policies[0, 0], np.uint64(1)) >> 5 in (
            codes.DISCARD,
            codes.LIANGDAO,
        )


# ---------------------------------------------------------------- values that are known


def test_the_last_discard_is_won_or_nobody_wins():
    """With an empty wall a pass ends the round: what is paid then, and what the win brings, are known."""
    for preset in PRESETS:
        rules = load_rules(preset)
        hand = "123s 789s 46s 88s 123s" if preset == "hongzhong" else WAITING["hand"]
        tile = "5s" if preset == "hongzhong" else "5p"
        told = {"hand": hand, "offered": tile, "offered_by": "previous", "wall": 0}
        decision = kwx_sim.should_claim(told, rules, worlds=800, belief="uniform")
        means = {figures.arm.way: figures.shares for figures in decision.arms}
        points = {figures.arm.way: figures.mean for figures in decision.arms}
        won = kwx_sim.score(hand, [], tile, "discard", rules=preset, events=["last_tile_discard"])
        assert means["win"].by_discard == 1
        assert points["pass"] == pytest.approx(0, abs=1e-9)
        assert points["win"] > 0
        # Another may win the same tile beside the asker; what the asker is paid for it stays the same.
        assert means["win"].fan == won.fan, preset


def test_passing_at_the_end_brings_what_the_first_declared_pays():
    rules = load_rules("xiangyang")
    told = {**WAITING, "wall": 0}
    told["next"] = {"shown": "222s 444s 666s 99p 白白"}
    decision = kwx_sim.should_claim(told, rules, worlds=4_000)
    paid = {figures.arm.way: figures.mean for figures in decision.arms}
    assert paid["pass"] == pytest.approx(rules.liangdao.undecided_first_pays)
    assert decision.best.name == "win 5p"
    assert decision.text("en").startswith("Win with 5p: +")
    assert decision.text("zh").startswith("胡 5筒：比过，每局 +")


def small_claims(rules, count, seed=0):
    """Claims late in rounds that nobody wins, with both other hands laid open: nothing but the wall is unknown."""
    random_ = random.Random(seed)
    tables, packed = load_tables()[0], pack(rules)[0]
    policy = parse_policy("efficient:liangdao=always").pack()[0]
    found = []
    while len(found) < count:
        state, moments = records(1, STATE), []
        wall = np.zeros(84, np.uint8)
        wall[:] = random_.sample([slot for slot in range(21) for _ in range(4)], 84)
        deal(tables, packed, state[0], wall, random_.randrange(3), np.zeros(3, np.uint8))
        key = np.uint64(random_.getrandbits(64))
        while state[0]["phase"] != codes.END:
            s = state[0]
            others = [seat for seat in range(3) if seat != s["seat"]]
            small = int(s["tail"]) - int(s["front"]) <= 4 and s["declared"][others].all()
            if s["phase"] == codes.CLAIM and small:
                moments.append(Moment(state.copy(), int(s["seat"])))
            action = int(decide(tables, packed, s, policy, key))
            if action >> 5 == codes.WIN:
                lowest = (int(s["can_discard"]) & -int(s["can_discard"])).bit_length() - 1
                own_turn = s["phase"] == codes.TURN
                action = codes.DISCARD << 5 | lowest if own_turn else codes.PASS << 5 | action & 31
            apply(tables, packed, s, action)
        found += moments[:1]
    return found


@pytest.mark.parametrize("preset", ["xiangyang", "suizhou"])
def test_small_claims_are_worth_what_every_order_of_the_wall_brings(preset):
    rules = load_rules(preset)
    for number, (state, seat) in enumerate(small_claims(rules, 12, seed=5)):
        told = position_of_round(state[0], seat, rules)
        exact = kwx_sim.should_claim(told, rules, opponents="efficient", exact=True)
        assert exact.sampling.exact
        expected = values_by_hand(question_of(told, preset))
        assert {figures.arm.name: figures.mean for figures in exact.arms} == pytest.approx(expected)
        sampled = kwx_sim.should_claim(told, rules, opponents="efficient", exact=False, worlds=2_000, seed=number)
        for figures in sampled.arms:
            assert figures.low <= expected[figures.arm.name] <= figures.high


def values_by_hand(question):
    """Mean points by arm over all orders of the wall, stepped from Python."""
    w, table, points = question.worlds, question.table, Counter()
    tiles = [slot for slot, copies in enumerate(table.unseen) for _ in range(copies)]
    orders = list(permutations(tiles))
    for order in orders:
        base = table.state.copy()
        front = int(base[0]["front"])
        base[0]["wall"][front : front + len(order)] = order
        begin(w.tables[0], w.rules[0], base[0], w.policies[0], np.uint64(0))
        for arm in question.arms:
            points[arm.name] += played_by_hand(w, base.copy()[0], arm) / len(orders)
    return points


def played_by_hand(w, s, arm):
    kinds = {"win": codes.WIN, "pass": codes.PASS, "pong": codes.PONG, "direct_kong": codes.DIRECT_KONG}
    call = kinds[arm.way] << 5 | arm.tile
    action, asked_again = (codes.PASS << 5 | arm.tile if arm.declines else call), arm.declines
    river = int(s["n_river"])
    while True:
        apply(w.tables[0], w.rules[0], s, action)
        if s["phase"] == codes.END:
            return int(s["kong_points"][0] + s["win_points"].sum(axis=0)[0] + s["undecided_points"][0])
        action = decide(w.tables[0], w.rules[0], s, w.policies[0, int(s["seat"])], np.uint64(0))
        if asked_again and s["phase"] == codes.CALL and s["seat"] == 0 and s["n_river"] == river:
            action, asked_again = call, False


def test_missed_wins_of_the_asker_bar_this_one():
    """漏胡 lets only a larger win through."""
    told = {**CALLED, "hand": "123s 789s 456p 88p 中中", "offered": "8p"}
    assert check(position_of(told), "xiangyang", "claim").state[0]["can_win"] == 1
    barred = check(position_of({**told, "missed": [99, 0, 0]}), "xiangyang", "claim").state[0]
    assert (barred["can_win"], barred["phase"], barred["can_pong"]) == (0, codes.CALL, 1)
    assert parse_tile("8p") == barred["tile"]
