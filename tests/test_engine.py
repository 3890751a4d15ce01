"""The compiled round against the plain-Python one, decision by decision, on random rounds.

Both engines are asked what is legal, told the same choice, and compared in everything that they hold. The choices are
random and lean towards what is rare, so that robbed kongs, double wins, chains of three, undecided rounds with two
declared players and missed wins all happen; the tests count them and fail where one never did.
"""

import random
from collections import Counter

import numpy as np
import pytest
from reference_round import ReferenceRound

from kwx_sim.core import state as codes
from kwx_sim.core.jit import records
from kwx_sim.core.run import play_block
from kwx_sim.core.shapes import load_tables
from kwx_sim.core.state import STATE
from kwx_sim.play import Round, action_text
from kwx_sim.policies import parse_policy
from kwx_sim.rules import PRESETS, Ruleset, changed, load_rules, pack
from kwx_sim.tiles import parse_tile

ROUNDS = {"preset": 300, "variant": 120}
MOST_ROUNDS = 3_000
"""How many may be played on until everything rare has happened."""
PLAYED = 30
VERIFY_ROUNDS = {"preset": 20_000, "variant": 2_000}

# Rules of other tables: every switch of the round away from what a preset has.
VARIANTS = {
    "platform/house": {
        "base": "platform",
        "changes": {
            "liangdao.applies": "winner_or_payer",
            "liangdao.both_multiplier": 4,
            "liangdao.forbid_feeding": True,
            "liangdao.min_wall": 12,
            "play.min_fan_on_discard": 2,
            "play.missed_win": "until_own_draw_unless_larger",
            "maima.payer": "shared",
            "maima.inside_liangdao": False,
            "piao.inside_liangdao": False,
            "fans.four_to_one_scope": "all",
        },
    },
    "suizhou/house": {
        "base": "suizhou",
        "changes": {
            "liangdao.locks_hand": False,
            "liangdao.shows": "waits",
            "liangdao.inside_cap": False,
            "play.multiple_wins": False,
            "payment.cap": 8,
            "payment.kong_chain": "player",
            "payment.robbed_kong_pays_all": True,
        },
    },
    "xiangyang/house": {
        "base": "xiangyang",
        "changes": {
            "liangdao.kong_after": "never",
            "play.min_fan_on_discard": 2,
            "play.min_fan_waived_by_liangdao": False,
        },
    },
    "hongzhong/house": {
        "base": "hongzhong",
        "changes": {
            "shapes.missing_suit": "off",
            "shapes.wild_pair_alone": True,
            "fans.wild_in_kawuxing": True,
            "play.rob_concealed_kong": True,
            "payment.direct_kong": 2,
            "payment.kong_chain": "table",
            "liangdao.enabled": True,
            "liangdao.shows": "waits",
            "liangdao.multiplier": 2,
        },
    },
    "hongzhong/strict": {
        "base": "hongzhong",
        "changes": {
            "shapes.missing_suit": "strict",
            "shapes.wild_kong": "none",
            "fans.values": {"ping_hu": 1, "self_draw": 1},
        },
    },
}
TABLES = [*PRESETS, *VARIANTS]

STACKED = 20
"""One wall in so many deals the dealer three fours of a kind: chains of three kongs are too rare to wait for."""

# How eagerly a random seat takes each kind of action; discards share the rest. Few self-draws are taken, so that rounds
# last until something rare happens.
APPETITE = {"win": 0.8, "pong": 0.6, "direct_kong": 0.8, "concealed_kong": 0.8, "added_kong": 0.9, "liangdao": 0.5}
SELF_DRAW_APPETITE = 0.2


def rules_of(table: str) -> Ruleset:
    variant = VARIANTS.get(table)
    return changed(load_rules(variant["base"]), variant["changes"]) if variant else load_rules(table)


def kind_of(table: str) -> str:
    return "preset" if table in PRESETS else "variant"


def useful_discard(random_: random.Random, hand: list[int], actions: list[str]) -> str:
    """Mostly a tile that stands alone, so that random hands become ready within a round."""
    if random_.random() < 0.1:
        return random_.choice(actions)

    def loneliness(action: str) -> float:
        slot = parse_tile(action.split()[1])
        near = [slot + step for step in (-2, -1, 1, 2) if slot < 18 and (slot + step) // 9 == slot // 9]
        return -3 * (hand[slot] - 1) - sum(hand[other] for other in near) + 0.5 * random_.random()

    return max(actions, key=loneliness)


def choose(random_: random.Random, hand: list[int], kind: str, legal: tuple[str, ...]) -> str:
    by_name: dict[str, list[str]] = {}
    for action in legal:
        by_name.setdefault(action.split()[0], []).append(action)
    for name in ("win", "added_kong", "concealed_kong", "direct_kong", "pong", "liangdao"):
        appetite = SELF_DRAW_APPETITE if name == "win" and kind == "turn" else APPETITE[name]
        if name in by_name and random_.random() < appetite:
            return random_.choice(by_name[name])
    if kind != "turn":
        return by_name["pass"][0]
    return useful_discard(random_, hand, by_name["discard"])


def shuffled(random_: random.Random, rules: Ruleset, *, stacked: bool) -> list[int]:
    """A wall; a stacked one deals the dealer three fours of a kind."""
    kinds = list(range(rules.n_kinds))
    random_.shuffle(kinds)
    front = [slot for slot in kinds[:3] for _ in range(4)] if stacked else []
    rest = [slot for slot in kinds[3 if stacked else 0 :] for _ in range(4)]
    random_.shuffle(rest)
    return front + rest


def state_of(compiled: Round) -> dict[str, object]:
    """The compiled round as the reference's snapshot shows a round."""
    s = compiled.state
    return {
        "hands": [[int(n) for n in row] for row in s["counts"]],
        "melds": compiled.melds(),
        "rivers": compiled.rivers(),
        "wall_left": int(s["tail"]) - int(s["front"]),
        "points": compiled.points,
        "kong_points": [int(n) for n in s["kong_points"]],
        "win_points": [[int(n) for n in row] for row in s["win_points"]],
        "undecided_points": [int(n) for n in s["undecided_points"]],
        "declared": [bool(flag) for flag in s["declared"]],
        "waits": compiled.waits(),
        "missed": [int(fan) for fan in s["missed"]],
        "over": compiled.over,
    }


def play_both(rules: Ruleset, seed: int, seen: Counter[str]) -> None:
    random_ = random.Random(seed)
    wall = shuffled(random_, rules, stacked=seed % STACKED == 0)
    dealer = random_.randrange(3)
    piao = [random_.randint(0, rules.piao.max) for _ in range(3)]
    room = random_.choice(rules.rooms).name if rules.rooms else None
    compiled = Round(rules, wall, dealer, piao, room)
    reference = ReferenceRound(rules, wall, dealer, piao, room)
    while not compiled.over:
        due = compiled.decision()
        expected = reference.decision()
        assert (due.seat, due.kind, list(due.legal)) == tuple(expected), f"seed {seed}: {compiled.actions()}"
        action = choose(random_, reference.hands[due.seat], due.kind, due.legal)
        note(seen, compiled, due.kind, action)
        compiled.apply(action)
        reference.apply(action)
        snapshot = reference.snapshot()
        mine = state_of(compiled)
        for field, value in mine.items():
            assert value == snapshot[field], f"seed {seed}, {field}, after {action}"
    assert reference.decision() is None
    assert sum(compiled.points) == 0
    snapshot = reference.snapshot()
    assert int(compiled.state["next_dealer"]) == snapshot["next_dealer"]
    for mine, theirs in zip(compiled.winners(), snapshot["winners"], strict=True):
        for field in ("seat", "tile", "by", "fan"):
            assert mine[field] == theirs[field], f"seed {seed}, {field}"
        assert sorted(mine["fans"]) in [sorted(fans) for fans in theirs["best"]], f"seed {seed}"
    count_end(seen, compiled)


def note(seen: Counter[str], compiled: Round, kind: str, action: str) -> None:
    s = compiled.state
    if kind == "win" and action.startswith("pass"):
        seen["missed win"] += 1
    if action.startswith("liangdao"):
        seen["liangdao"] += 1
    if kind == "turn" and s["declared"][int(s["seat"])] and "kong" in action:
        seen["kong of a declared hand"] += 1
    if s["chain"] >= 3:
        seen["chain of three kongs"] += 1
    seen[action.split()[0]] += 1


def count_end(seen: Counter[str], compiled: Round) -> None:
    s = compiled.state
    outcome = int(s["outcome"])
    if int(s["winners"]).bit_count() == 2:
        seen["double win"] += 1
    if outcome == codes.KONG_ROBBED:
        seen["robbed kong"] += 1
    if outcome == codes.UNDECIDED and sum(map(int, s["declared"])) >= 2:
        seen["undecided with two declared"] += 1


def expected_events(rules: Ruleset) -> set[str]:
    events = {
        "double win",
        "robbed kong",
        "missed win",
        "chain of three kongs",
        "concealed_kong",
        "direct_kong",
        "added_kong",
        "pong",
    }
    if rules.liangdao.enabled:
        events |= {"liangdao", "undecided with two declared"}
    if not rules.play.multiple_wins:
        events -= {"double win"}
    return events


@pytest.mark.parametrize("table", TABLES)
def test_engines_agree(table: str) -> None:
    rules = rules_of(table)
    seen: Counter[str] = Counter()
    wanted = expected_events(rules) if table in PRESETS else set()
    for seed in range(MOST_ROUNDS):
        play_both(rules, seed, seen)
        missing = wanted - set(seen)
        if seed + 1 >= ROUNDS[kind_of(table)] and not missing:
            break
    assert not missing, f"never happened: {missing}; {dict(seen)}"


@pytest.mark.parametrize("name", ["random", "efficient"])
@pytest.mark.parametrize("table", TABLES)
def test_rounds_played_in_a_kernel_are_legal(table: str, name: str) -> None:
    """What policies did in compiled rounds, from the rounds' logs, through the plain engine."""
    rules = rules_of(table)
    states, piao = records(PLAYED, STATE), np.full(3, rules.piao.max, np.uint8)
    policies = np.concatenate([parse_policy(name).pack()] * 3)
    play_block(load_tables()[0], pack(rules)[0], states, policies, piao, np.uint64(11), 0)
    for s in states:
        wall = [int(slot) for slot in s["wall"][: rules.wall_size]]
        reference = ReferenceRound(rules, wall, int(s["dealer"]), [int(choice) for choice in piao], None)
        for code in s["log"][: s["n_log"]]:
            action = action_text(int(code))
            assert action in reference.decision().legal
            reference.apply(action)
        assert reference.decision() is None
        total = s["kong_points"] + s["win_points"].sum(axis=0) + s["undecided_points"]
        assert reference.points == total.tolist()


@pytest.mark.verify
@pytest.mark.parametrize("table", TABLES)
def test_engines_agree_at_length(table: str) -> None:
    rules = rules_of(table)
    seen: Counter[str] = Counter()
    for seed in range(10_000, 10_000 + VERIFY_ROUNDS[kind_of(table)]):
        play_both(rules, seed, seen)
    assert expected_events(rules) <= set(seen), dict(seen)
