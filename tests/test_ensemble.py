"""The ensemble: who is in it, how users ask for it and for players of their own, and the self-play that chose it."""

import numpy as np
import pytest
from self_play import CANDIDATES, DROPPED, MARGIN, WITH_LIANGDAO, Gain, compare, gain, measure, together, won

from kwx_sim import text
from kwx_sim.ensemble import MEMBERS, REFERENCE, called, parse_model, parse_opponents, written
from kwx_sim.errors import InputError
from kwx_sim.policies import Random, parse_policy
from kwx_sim.rules import load_rules

BAD = parse_policy("efficient:value=0,pong=0,kong=0,tremble=0.5")


# ---------------------------------------------------------------- members


def test_the_reference_is_the_first_member_and_the_plain_policy():
    assert next(iter(MEMBERS)) == REFERENCE
    assert MEMBERS[REFERENCE] == parse_policy("efficient")


def test_members_are_six_or_more_and_differ_where_it_matters():
    assert len(MEMBERS) >= 6
    assert len(set(MEMBERS.values())) == len(MEMBERS)
    for parameter in ("avoidance", "pong", "kong", "value", "liangdao", "liangdao_fan"):
        assert len({getattr(member, parameter) for member in MEMBERS.values()}) > 1


def test_nobody_can_change_the_members():
    with pytest.raises(TypeError):
        MEMBERS["careless"] = BAD


def test_every_member_has_a_name_and_a_line_in_both_languages():
    entries = text.catalogue("ensemble")
    described = {name.partition(".")[0] for name in entries if "." in name}
    assert described == set(MEMBERS)
    for lang in text.LANGS:
        names = [called(name, lang) for name in MEMBERS]
        assert len(set(names)) == len(MEMBERS)
        assert all(text.t(f"ensemble.{name}.plays", lang) for name in MEMBERS)


# ---------------------------------------------------------------- what users ask for

POLICY_TEXT = "efficient:avoidance=0.5,pong=2"


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (None, list(MEMBERS)),
        ("all", list(MEMBERS)),
        ("racer", ["racer"]),
        (" racer , caller ", ["racer", "caller"]),
        ("caller;racer", ["caller", "racer"]),
        ("爱碰，谨慎；racer", ["caller", "careful", "racer"]),
        ("racer,racer,抢快", ["racer"]),
        ("racer,all", ["racer", *(name for name in MEMBERS if name != "racer")]),
        ("efficient", [REFERENCE]),
        ("efficient:liangdao=always", ["declarer"]),
        ("random", ["random"]),
        (POLICY_TEXT, ["efficient:pong=2.0,avoidance=0.5"]),
        (f"racer,{POLICY_TEXT},caller", ["racer", "efficient:pong=2.0,avoidance=0.5", "caller"]),
        (["racer", "caller;closed", Random()], ["racer", "caller", "closed", "random"]),
        ({"policy": "efficient", "value": 0}, ["racer"]),
        (Random(win=1), ["random:win=1.0"]),
    ],
)
def test_opponents_are_asked_for_in_many_ways(given, names):
    players = parse_opponents(given)
    assert list(players) == names
    for name, policy in players.items():
        assert policy == (MEMBERS[name] if name in MEMBERS else parse_policy(name))


@pytest.mark.parametrize("policy", [*MEMBERS.values(), BAD, Random(), Random(call=0.25)])
def test_a_policy_is_written_as_it_is_read(policy):
    assert parse_policy(written(policy)) == policy


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("rascer", "nearest known one is racer"),
        ("caller,爱杠", "nearest known one is 爱碰"),
        ("efficent:avoidance=0.5", "expected one of random, efficient"),
        ("caller,efficient:avoidence=0.5", "nearest known one is avoidance"),
        ("nowhere.toml", "nowhere.toml"),
        ("no\0where.toml", "null"),
        ("", "at least one player"),
        (" ,; ", "at least one player"),
        ([], "at least one player"),
        (7, "got 7"),
        (["racer", None], "got None"),
    ],
)
def test_bad_opponents_are_refused_in_one_line_of_either_language(given, says):
    with pytest.raises(InputError) as refusal:
        parse_opponents(given)
    assert says in str(refusal.value)
    for lang in text.LANGS:
        assert "\n" not in refusal.value.message(lang)
    assert any("一" <= letter <= "鿿" for letter in refusal.value.message("zh"))


# ---------------------------------------------------------------- a user's own


def model(folder, name, content):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def test_a_model_is_named_after_its_file(tmp_path):
    path = model(tmp_path, "uncle.toml", "avoidance = 0.5\npong = 2\n")
    assert parse_model(path) == ("uncle", parse_policy(POLICY_TEXT))
    assert list(parse_opponents(f"racer,{path}")) == ["racer", "uncle"]
    assert parse_opponents(path) == parse_opponents([str(path), path])
    assert called("uncle", "zh") == "uncle"


def test_a_model_may_start_from_a_member(tmp_path):
    path = model(tmp_path, "uncle.toml", 'base = "爱碰"\nkong = 0.5\n')
    assert parse_model(path)[1] == MEMBERS["caller"].model_copy(update={"kong": 0.5})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('base = "callr"', "base: no player is called 'callr'; the nearest known one is caller"),
        ('base = "caller"\navoidence = 1', "policy {file}: avoidence: unknown parameter"),
        ("avoidance = 2", "policy {file}: avoidance"),
        ('policy = "clever"', "policy {file}: expected one of"),
        ("avoidance =", "cannot be read as TOML"),
        ("a = " + "[" * 8_000, "cannot be read as TOML"),
        ("#" * 100_000, "more than 8192 bytes"),
    ],
)
def test_a_bad_model_is_refused_and_its_file_named(tmp_path, content, says):
    path = model(tmp_path, "uncle.toml", content)
    with pytest.raises(InputError) as refusal:
        parse_model(path)
    assert says.format(file=path) in str(refusal.value)
    for lang in text.LANGS:
        assert str(path) in refusal.value.message(lang)
        assert "\n" not in refusal.value.message(lang)


def test_two_players_do_not_share_a_name(tmp_path):
    first = model(tmp_path / "a", "uncle.toml", "value = 1")
    second = model(tmp_path / "b", "uncle.toml", "value = 2")
    with pytest.raises(InputError, match="two different players are called uncle"):
        parse_opponents([first, second])
    with pytest.raises(InputError, match="member of the ensemble is called racer"):
        parse_model(model(tmp_path, "racer.toml", "value = 2"))
    assert parse_model(model(tmp_path, "racer.toml", "value = 0")) == ("racer", MEMBERS["racer"])


# ---------------------------------------------------------------- self-play


def test_the_reference_gains_nothing_against_itself():
    totals = won(load_rules("xiangyang"), MEMBERS[REFERENCE], np.uint64(5), range(7, 60))
    assert len(totals) == 53
    assert not totals.any()


def test_a_bad_player_is_dominated_and_the_reference_is_not():
    found = measure("xiangyang", {"bad": BAD, REFERENCE: MEMBERS[REFERENCE]}, rounds=512, seed=3, workers=1)
    assert found["bad"].dominated
    assert found[REFERENCE] == Gain(0.0, 0.0)
    assert not found[REFERENCE].dominated


def test_workers_and_blocks_change_nothing(monkeypatch):
    one, two = (measure("suizhou", {"bad": BAD}, rounds=300, seed=1, workers=workers) for workers in (1, 2))
    monkeypatch.setattr("self_play.BLOCK", 128)
    assert one == two == measure("suizhou", {"bad": BAD}, rounds=300, seed=1, workers=2)


def test_a_loss_counts_only_beyond_margin_and_doubt():
    assert Gain(-MARGIN - 0.02, 0.01).dominated
    assert not Gain(-MARGIN - 0.02, 0.03).dominated
    assert not Gain(-MARGIN + 0.01, 0.001).dominated


def test_gains_are_means_of_a_seat_and_presets_count_alike():
    one = gain([np.array([3, 6]), np.array([9])])
    assert one.mean == 2
    assert one.half == pytest.approx(4.303 / np.sqrt(3), rel=1e-3)  # Student's quantile at two degrees of freedom
    assert together([Gain(1.0, 0.3), Gain(3.0, 0.4)]) == pytest.approx((2.0, 0.25))


def test_likeness_counts_hands_in_which_players_act_otherwise():
    found = compare(["xiangyang"], {"bad": BAD, REFERENCE: MEMBERS[REFERENCE], "racer": MEMBERS["racer"]}, 10, seed=1)
    assert found[REFERENCE].from_reference == 0
    assert found["racer"].nearest != "racer"
    assert found["bad"].from_reference > 0.9


def test_candidates_that_were_dropped_are_no_members():
    assert not DROPPED.keys() & MEMBERS.keys()
    assert len(set(CANDIDATES.values())) == len(CANDIDATES)


@pytest.mark.verify
def test_self_play_keeps_the_members_and_drops_the_others():
    gains = [measure(preset, CANDIDATES, rounds=20_000, seed=2, workers=2) for preset in WITH_LIANGDAO]
    dominated = {name for name in CANDIDATES if together(found[name] for found in gains).dominated}
    assert dominated == set(DROPPED)
    likeness = compare(WITH_LIANGDAO, MEMBERS, rounds=200, seed=2)
    assert all(like.from_nearest > 0.03 for like in likeness.values())


def test_a_model_whose_policy_is_a_table_is_refused(tmp_path):
    file = tmp_path / "m.toml"
    file.write_text('[policy]\nname = "efficient"\n')
    with pytest.raises(InputError, match="policy"):
        parse_model(file)


def test_an_empty_model_is_refused(tmp_path):
    file = tmp_path / "nothing.toml"
    file.write_text("")
    with pytest.raises(InputError, match="the file has none"):
        parse_model(file)
