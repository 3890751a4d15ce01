"""Players: that `efficient` beats `random`, that every parameter acts as it says, and what they do in plain positions.

Strength is measured on equal deals: one seat plays one way, then the other, the same walls and the same two opponents,
every seat in turn. Each round gives one difference, the mean over the seats.
"""

import re

import numpy as np
import pytest
from wall_builder import build_wall

from kwx_sim.core import state as codes
from kwx_sim.core.jit import records
from kwx_sim.core.policy import POLICY, count_actions, decide, nth_action
from kwx_sim.core.round import apply, deal
from kwx_sim.core.run import play_block
from kwx_sim.core.shapes import load_tables
from kwx_sim.core.state import STATE
from kwx_sim.errors import InputError
from kwx_sim.play import Round
from kwx_sim.policies import KINDS, Policy, parse_policy
from kwx_sim.rules import PRESETS, changed, load_rules, pack
from kwx_sim.tiles import parse_tile

ROUNDS = 3000
RUN = np.uint64(20_240_501)
NO_PIAO = np.zeros(3, np.uint8)


def seated(*texts):
    """Three policies as the kernels take them."""
    made = records(3, POLICY)
    for seat, text in enumerate(texts):
        made[seat] = parse_policy(text).pack()[0]
    return made


def played(rules, *texts, rounds=ROUNDS, first=0):
    """The rounds' records at their ends; one policy plays every seat, or three play one each."""
    states = records(rounds, STATE)
    policies = seated(*texts) if len(texts) == 3 else seated(*texts * 3)
    ruleset = load_rules(rules) if isinstance(rules, str) else rules
    play_block(load_tables()[0], pack(ruleset)[0], states, policies, NO_PIAO, RUN, first)
    return states


def points(states):
    """Bases by round and seat."""
    return states["kong_points"] + states["win_points"].sum(axis=1) + states["undecided_points"]


def gain(rules, text, against, rounds=ROUNDS):
    """What a seat gains in bases a round by playing `text` instead of `against` among two of `against`: mean, error."""
    base = points(played(rules, against, rounds=rounds))
    differences = np.zeros(rounds)
    for seat in range(3):
        seats = [against] * 3
        seats[seat] = text
        differences += (points(played(rules, *seats, rounds=rounds)) - base)[:, seat] / 3
    return differences.mean(), differences.std(ddof=1) / np.sqrt(rounds)


def melds(states, *kinds):
    """Melds of these kinds a round."""
    return np.isin(states["meld_kind"], kinds).sum() / len(states)


def by_discard(states):
    return np.isin(states["outcome"], (codes.DISCARD_WON, codes.KONG_ROBBED))


PONGS = (codes.MELD_PONG, codes.MELD_ADDED)
KONGS = (codes.MELD_DIRECT, codes.MELD_CONCEALED, codes.MELD_ADDED)


# ---------------------------------------------------------------- strength


# Measured over 20,000 rounds: 8.18 ± 0.11, 2.49 ± 0.02, 4.89 ± 0.06, and 4.55 ± 0.04 with the cap of 8.
MARGINS = {"platform": 7.5, "hongzhong": 2.3, "suizhou": 4.5, "xiangyang": 4.3, "shiyan": 4.3}


@pytest.mark.parametrize("rules", PRESETS)
def test_efficient_beats_random_by_a_margin(rules):
    mean, error = gain(rules, "efficient", "random")
    assert mean - 3 * error > MARGINS[rules]


@pytest.mark.parametrize("rules", PRESETS)
def test_random_loses_to_efficient_at_every_seat(rules):
    for seat in range(3):
        seats = ["efficient"] * 3
        seats[seat] = "random"
        lost = points(played(rules, *seats))[:, seat]
        assert lost.mean() + 3 * lost.std() / np.sqrt(len(lost)) < -1


@pytest.mark.parametrize(
    ("rules", "worse"),
    [
        ("suizhou", "efficient:pong=0"),
        ("suizhou", "efficient:kong=0"),
        ("suizhou", "efficient:avoidance=0"),
        ("suizhou", "efficient:min_win=4"),
        ("suizhou", "efficient:value=3"),
        ("suizhou", "efficient:liangdao=always"),
        ("suizhou", "efficient:tremble=0.2"),
        ("platform", "efficient:liangdao=never"),
        ("platform", "efficient:pong=0"),
        ("hongzhong", "efficient:pong=0"),
    ],
)
def test_the_defaults_beat_plain_changes_of_one_parameter(rules, worse):
    mean, error = gain(rules, worse, "efficient", rounds=8000)
    assert mean + 3 * error < 0


# ---------------------------------------------------------------- each parameter acts


def test_value_trades_speed_for_fan():
    fans, turns = [], []
    for value in (0, 1, 4):
        states = played("suizhou", f"efficient:value={value}")
        fans.append(states["win_fan"][states["win_fan"] > 0].mean())
        turns.append(states["n_river"].mean())
    assert fans[0] + 0.1 < fans[1] < fans[2] - 0.2
    assert turns[0] < turns[1] < turns[2]


def test_pong_is_the_appetite_for_pongs():
    rates = [melds(played("platform", f"efficient:pong={pong}"), *PONGS) for pong in (0, 0.8, 1, 1.5, 5)]
    assert rates[0] == 0
    assert rates[1] + 0.02 < rates[2] < rates[3] - 0.02 < rates[4] - 0.1


def test_kong_is_the_appetite_for_kongs():
    for rules in ("suizhou", "hongzhong"):
        rates = [melds(played(rules, f"efficient:kong={kong}"), *KONGS) for kong in (0, 0.6, 10)]
        assert rates[0] == 0 <= rates[1] < rates[2]


def test_liangdao_never_always_or_by_rule():
    declared = [
        played("xiangyang", f"efficient:liangdao={mode}")["declared"].mean() for mode in ("never", "rule", "always")
    ]
    assert declared[0] == 0
    assert 0.05 < declared[1] < declared[2] - 0.1


@pytest.mark.parametrize(
    ("parameter", "low", "high"),
    [("liangdao_kinds", 1, 3), ("liangdao_fan", 2, 50), ("liangdao_live", 0, 5), ("liangdao_wall", 0, 30)],
)
def test_every_threshold_of_the_liangdao_rule_holds_back(parameter, low, high):
    others = {"liangdao_kinds": 3, "liangdao_fan": 50, "liangdao_live": 0}
    if parameter not in ("liangdao_kinds", "liangdao_fan"):
        others["liangdao_kinds"] = 1
    rates = []
    for value in (low, high):
        text = ",".join(f"{name}={number}" for name, number in {**others, parameter: value}.items())
        rates.append(played("suizhou", f"efficient:{text}")["declared"].mean())
    assert rates[0] > 1.15 * rates[1]


def test_declared_hands_keep_the_rule():
    states = played("suizhou", "efficient:liangdao_kinds=3,liangdao_fan=1000000")
    declared = states["declared"] != 0
    waits = np.bitwise_count(states["waits"])
    kongs = np.bitwise_count(states["kongs"])
    assert declared.any()
    assert (waits[declared & (kongs == 0)] >= 3).all()


def test_liangdao_at_a_draw():
    states = played("suizhou", "efficient:liangdao=at,declare_at=6")
    draws = states["declared_at"][states["declared"] != 0]
    assert draws.min() == 6
    assert (draws > 6).any()


def test_avoidance_keeps_back_what_a_declared_player_waits_for():
    fed = []
    for avoidance in (0, 0.5, 1):
        states = played("xiangyang", f"efficient:liangdao=always,avoidance={avoidance}")
        rows = np.flatnonzero(by_discard(states))
        lost_to_declared = [
            states["declared"][i][seat] and not states["declared"][i][states["feeder"][i]]
            for i in rows
            for seat in range(3)
            if states["winners"][i] >> seat & 1
        ]
        fed.append(sum(map(bool, lost_to_declared)) / len(states))
    assert fed[0] > fed[1] + 0.03 > fed[2] + 0.06


def test_avoidance_knows_only_shown_waits():
    hidden = changed(load_rules("suizhou"), {"liangdao.shows": "nothing"})
    logs = [
        played(hidden, f"efficient:liangdao=always,avoidance={avoidance}", rounds=200)["log"] for avoidance in (0, 1)
    ]
    assert (logs[0] == logs[1]).all()


def test_min_win_passes_smaller_wins_on_discards_only():
    states = played("suizhou", "efficient:min_win=4")
    smallest = states["win_fan"][by_discard(states)]
    assert smallest[smallest > 0].min() == 4
    drawn = states["win_fan"][states["outcome"] == codes.SELF_DRAWN]
    assert drawn[drawn > 0].min() == 1


def test_tremble_is_the_chance_of_a_random_action():
    calm = played("suizhou", "efficient")["log"]
    logs = [played("suizhou", f"efficient:tremble={tremble}")["log"] for tremble in (0, 0.01, 0.3)]
    other = [(log != calm).any(axis=1).mean() for log in logs]
    assert other[0] == 0
    assert 0.05 < other[1] < 0.5 < other[2]


@pytest.mark.parametrize(
    ("parameter", "rate"),
    [
        ("win", lambda states: (states["winners"] != 0).mean()),
        ("call", lambda states: melds(states, codes.MELD_PONG, codes.MELD_DIRECT)),
        ("own_kong", lambda states: melds(states, codes.MELD_CONCEALED, codes.MELD_ADDED)),
        ("declare", lambda states: (states["declared"] != 0).mean()),
    ],
)
def test_every_chance_of_the_random_player_acts(parameter, rate):
    never, seldom, always = [rate(played("platform", f"random:{parameter}={chance}")) for chance in (0, 0.3, 1)]
    assert never == 0 < seldom < always


# ---------------------------------------------------------------- every action is legal, and plain positions


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("text", ["random", "efficient:liangdao=always", "efficient:tremble=1"])
def test_every_action_is_legal(rules, text):
    t, ruleset = load_tables()[0], load_rules(rules)
    r, s, p = pack(ruleset)[0], records(1, STATE)[0], parse_policy(text).pack()[0]
    rng = np.random.default_rng(len(text))
    wall = np.zeros(84, np.uint8)
    for number in range(40):
        wall[: ruleset.wall_size] = rng.permutation(np.repeat(np.arange(ruleset.n_kinds), 4))
        deal(t, r, s, wall, number % 3, NO_PIAO)
        while s["phase"] != codes.END:
            legal = [nth_action(s, n) for n in range(count_actions(s))]
            assert len(set(legal)) == len(legal)
            action = decide(t, r, s, p, np.uint64(number))
            assert action in legal
            apply(t, r, s, action)


def test_the_legal_actions_are_those_of_the_stepped_round():
    rng = np.random.default_rng(5)
    for rules in ("suizhou", "hongzhong"):
        ruleset = load_rules(rules)
        for _ in range(20):
            one = Round(ruleset, rng.permutation(np.repeat(np.arange(ruleset.n_kinds), 4)).tolist())
            while not one.over:
                legal = [nth_action(one.state, n) for n in range(count_actions(one.state))]
                assert sorted(legal) == sorted(one._legal())
                one.apply(int(rng.choice(legal)))


def test_random_actions_are_uniform():
    one = Round(load_rules("suizhou"), build_wall(84, 0, ["123s456s789s1p3p5p7p", "", ""], "9p", "", "uniform"))
    p = parse_policy("random:win=0,call=0,own_kong=0,declare=0").pack()[0]
    t, r = load_tables()[0], pack(one.rules)[0]
    chosen = [decide(t, r, one.state, p, np.uint64(key)) for key in range(14_000)]
    counts = np.bincount(chosen, minlength=32)[:32]
    held = counts[counts > 0]
    assert len(held) == 14
    assert (abs(held - 1000) < 5 * np.sqrt(1000)).all()


POSITIONS = [
    # hand, the dealer's 14th tile, what it does
    ("isolated dragon before a shape", "suizhou", "123s456s78s234p55p", "中", "discard 中"),
    ("the wait with more live tiles", "suizhou", "123s456s789s13p55p", "4p", "discard 1p"),
    ("卡五星 before another middle wait", "suizhou", "123s456s789s46p99p", "8p", "discard 8p"),
    ("a fourth copy for a kong", "suizhou", "111s345s678s24p99p", "1s", "concealed_kong 1s"),
    ("self-draw is taken", "suizhou", "123s456s789s46p99p", "5p", "win 5p"),
    ("清一色: the other suit goes first", "suizhou", "1123456889s11p中", "9s", "discard 中"),
    ("wild tiles are kept", "hongzhong", "1123456889s中中5p", "9s", "discard 5p"),
]


@pytest.mark.parametrize(("_name", "rules", "hand", "draw", "does"), POSITIONS, ids=[row[0] for row in POSITIONS])
def test_plain_positions(_name, rules, hand, draw, does):
    ruleset = load_rules(rules)
    one = Round(ruleset, build_wall(ruleset.wall_size, 0, [hand, "", ""], draw, "", "position"))
    p = parse_policy("efficient:liangdao=never").pack()[0]
    action = decide(load_tables()[0], pack(ruleset)[0], one.state, p, np.uint64(0))
    assert f"{codes.ACTION_NAMES[action >> 5]} {action & 31}" == f"{does.split()[0]} {parse_tile(does.split()[1])}"


# ---------------------------------------------------------------- policies by name


@pytest.mark.parametrize("name", KINDS)
def test_a_policy_describes_itself(name):
    assert parse_policy(parse_policy(name).describe()) == parse_policy(name)
    assert isinstance(parse_policy(name), Policy)


def test_every_parameter_reaches_the_record():
    for kind in KINDS.values():
        fields = set(kind.model_fields) - {"policy", "liangdao"}
        assert fields <= set(POLICY.names)
    packed = parse_policy("efficient:value=2,liangdao=at,declare_at=7,min_win=3,avoidance=0.25").pack()[0]
    named = [packed[field] for field in ("value", "liangdao_mode", "declare_at", "min_win", "avoidance")]
    assert named == [2, 3, 7, 3, 0.25]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("eficient", "expected one of random, efficient"),
        ("efficient:avoidence=1", "nearest known one is avoidance"),
        ("efficient:xyzzy=1", "xyzzy: unknown parameter"),
        ("efficient:avoidance=2", "avoidance: expected a number of at most 1, got '2'"),
        ("efficient:avoidance", "name=value"),
        ("efficient:liangdao=maybe", "'never'"),
        ("efficient:min_win=0", "min_win"),
        ("nowhere.toml", "nowhere.toml"),
        (7, "expected a name"),
    ],
)
def test_a_bad_policy_is_refused_in_one_line(given, says):
    with pytest.raises(InputError) as refusal:
        parse_policy(given)
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert not re.search("' or '|at least|at most|number|near", refusal.value.message("zh"))


def test_a_policy_from_a_file(tmp_path):
    path = tmp_path / "careful.toml"
    path.write_text('policy = "efficient"\navoidance = 1.0\nliangdao = "never"\n', encoding="utf-8")
    assert parse_policy(path) == parse_policy("efficient:avoidance=1,liangdao=never")
