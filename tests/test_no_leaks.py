"""A seat decides by what it can see: change everything else, and its action and its stream of noise stay the same."""

import numpy as np
import pytest

from kwx_sim.core.jit import records
from kwx_sim.core.policy import decide
from kwx_sim.core.rng import noise
from kwx_sim.core.round import apply, deal
from kwx_sim.core.shapes import load_tables
from kwx_sim.core.state import CALL, CLAIM, END, MAX_LOG, POW5, STATE, TURN
from kwx_sim.policies import parse_policy
from kwx_sim.rules import PRESETS, changed, load_rules, pack

POLICIES = (
    "random",
    "random:win=0.3,declare=1",
    "efficient",
    "efficient:liangdao=always,value=2,pong=1.5,kong=2",
    "efficient:liangdao=rule,liangdao_kinds=3,liangdao_fan=2,liangdao_live=3,liangdao_wall=4,avoidance=0.5",
    "efficient:liangdao=at,declare_at=5,avoidance=0,min_win=2,value=0",
    "efficient:tremble=0.5,liangdao=always,avoidance=0.5",
)

TABLES_PLAYED = {
    **{name: (name, {}) for name in PRESETS},
    "waits shown, hand free": ("suizhou", {"liangdao.shows": "waits", "liangdao.locks_hand": False}),
    "nothing shown": ("xiangyang", {"liangdao.shows": "nothing"}),
    "feeding forbidden": ("platform", {"liangdao.forbid_feeding": True, "play.min_fan_on_discard": 2}),
}

DECISIONS, RARE = 300, 3
"""Fewest decisions checked a case, and fewest of each phase."""

# Who may do what in another phase or another seat's turn stays in the record and tells of hands.
LEGAL = {
    TURN: ("can_win", "can_concealed_kong", "can_added_kong", "can_discard", "can_liangdao"),
    CLAIM: ("can_win",),
    CALL: ("can_pong", "can_direct_kong"),
}
EVERY_LEGAL = {field for fields in LEGAL.values() for field in fields}

# What the end of a round writes down, and what only a referee keeps.
UNKNOWN = (
    "asking", "willing", "outcome", "next_dealer", "winners", "win_tile", "win_points", "win_fan", "win_fans",
    "win_fours", "win_reading", "win_waits", "maima_tile", "maima_points", "undecided_points",
)  # fmt: skip


def scrambled(s, rules, rng):
    """A copy of the record in which everything is different that its seat cannot see."""
    other = s.copy()
    seat, shows = int(s["seat"]), int(rules["shows"])
    others = [k for k in range(3) if k != seat]
    closed = [k for k in others if not (s["declared"][k] and shows == 2)]
    _deal_anew(other, s, closed, rng)
    for k in others:
        other["missed"][k] = rng.integers(0, 9)
        other["decisions"][k] = rng.integers(0, 200)
        if not (s["declared"][k] and shows >= 1):
            other["waits"][k] = rng.integers(0, 1 << 21)
    for field in (*UNKNOWN, *(EVERY_LEGAL - set(LEGAL[int(s["phase"])]))):
        shape, kind = np.shape(other[field]), other[field].dtype
        other[field] = rng.integers(0, 1 << 7, shape).astype(kind)
    other["log"][:] = rng.integers(0, 256, MAX_LOG)
    other["n_log"] = rng.integers(0, 200)
    return other


def _deal_anew(other, s, closed, rng):
    """Deal the closed hands and the wall anew from the tiles that they hold together."""
    front, tail = int(s["front"]), int(s["tail"])
    hidden = [int(tile) for tile in s["wall"][front:tail]]
    for k in closed:
        hidden += np.repeat(np.arange(27), s["counts"][k]).tolist()
    hidden = rng.permutation(hidden)
    # Places of the wall that are already drawn tell where tiles went: anything may stand there.
    other["wall"][:] = rng.integers(0, 21, len(other["wall"]))
    other["wall"][front:tail] = hidden[: tail - front]
    hidden = hidden[tail - front :]
    for k in closed:
        size = int(s["counts"][k].sum())
        hand, hidden = hidden[:size], hidden[size:]
        counts = np.bincount(hand, minlength=27)
        other["counts"][k] = counts
        weighed = counts * POW5[:27].astype(np.int64)
        other["idx"][k] = [weighed[:9].sum(), weighed[9:18].sum(), weighed[18:21].sum()]
        other["held"][k] = sum(1 << slot for slot in range(21) if counts[slot])
        other["quads"][k] = sum(1 << slot for slot in range(21) if counts[slot] == 4)


@pytest.mark.parametrize("table", TABLES_PLAYED)
@pytest.mark.parametrize("text", POLICIES)
def test_a_decision_and_its_noise_use_only_what_the_seat_sees(table, text):
    preset, changes = TABLES_PLAYED[table]
    t = load_tables()[0]
    ruleset = changed(load_rules(preset), changes) if changes else load_rules(preset)
    r = pack(ruleset)[0]
    p = parse_policy(text).pack()[0]
    rng = np.random.default_rng([*table.encode(), *text.encode()])
    s = records(1, STATE)[0]
    checked = {TURN: 0, CLAIM: 0, CALL: 0}
    differed = 0
    while sum(checked.values()) < DECISIONS or min(checked.values()) < RARE:
        wall = np.zeros(84, np.uint8)
        wall[: ruleset.wall_size] = rng.permutation(np.repeat(np.arange(ruleset.n_kinds), 4))
        key = np.uint64(rng.integers(1 << 62))
        deal(t, r, s, wall, int(rng.integers(3)), np.zeros(3, np.uint8))
        while s["phase"] != END:
            action = decide(t, r, s, p, key)
            other = scrambled(s, r, rng)
            seat = int(s["seat"])
            assert decide(t, r, other, p, key) == action
            assert noise(key, seat, other["decisions"][seat], 0) == noise(key, seat, s["decisions"][seat], 0)
            checked[int(s["phase"])] += 1
            differed += bool((other["counts"] != s["counts"]).any())
            apply(t, r, s, action)
    assert differed > DECISIONS / 2
