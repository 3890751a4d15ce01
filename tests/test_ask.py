"""What a question takes from Python: each option within its range, and one plain sentence for what cannot be."""

import math
from fractions import Fraction

import numpy as np
import pytest
from cli_runs import refused, run

import kwx_sim
from kwx_sim.ensemble import MEMBERS, parse_player
from kwx_sim.errors import InputError
from kwx_sim.policies import parse_policy
from kwx_sim.query.question import Options
from kwx_sim.refusals import amount
from kwx_sim.review import review

HAND = "123s 789s 46p 88p 中中中 5s"
CLAIM = {"hand": "123s 789s 46p 88p 中中中", "offered": "5p", "offered_by": "next", "wall": 30}
QUESTIONS = {
    kwx_sim.should_liangdao: HAND,
    kwx_sim.best_discard: HAND,
    kwx_sim.should_claim: CLAIM,
}

CANNOT_BE = [
    ({"precision": -1}, "precision: expected a number, 0 or more, got -1"),
    ({"precision": math.nan}, "precision: expected a number, 0 or more, got nan"),
    ({"precision": "a"}, "precision: expected a number, 0 or more, got 'a'"),
    ({"precision": None}, "precision"),
    ({"precision": True}, "precision"),
    ({"precision": 10**400}, "precision"),
    ({"seconds": math.nan}, "seconds: expected a number, 0 or more, got nan"),
    ({"seconds": -1}, "seconds: expected a number, 0 or more, got -1"),
    ({"worlds": math.nan}, "worlds: expected a whole number from 0 to 1000000000, got nan"),
    ({"worlds": 800.5}, "worlds: expected a whole number"),
    ({"worlds": "x"}, "worlds: expected a whole number"),
    ({"worlds": -1}, "worlds: expected a whole number"),
    ({"worlds": 10**9 + 1}, "worlds: expected at most 1,000,000,000"),
    ({"seed": -1}, "seed: expected a whole number from 0"),
    ({"seed": 1.5}, "seed: expected a whole number"),
    ({"seed": None}, "seed: expected a whole number"),
    ({"seed": 2**64}, "seed: expected a whole number"),
    ({"workers": -1}, "workers: expected a whole number from 0 to 1024"),
    ({"workers": None}, "workers: expected a whole number"),
    ({"exact": "no"}, "exact: expected true, false or nothing"),
    ({"belief": []}, "belief: expected one of"),
    ({"opponents": {}}, "opponents: expected at least one player"),
    ({"opponents": []}, "opponents: expected at least one player"),
    ({"opponents": 5}, "opponents: expected names"),
    ({"me": 5}, "policy: expected a name"),
    ({"me": None}, "policy: expected a name"),
    ({"me": "huntre"}, "hunter"),
    ({"rules": 5}, "rules: expected a ruleset, a preset's name or a TOML file, got 5"),
    ({"rules": None}, "rules: expected a ruleset"),
]


@pytest.mark.parametrize("ask", QUESTIONS)
@pytest.mark.parametrize(("given", "told"), CANNOT_BE)
def test_what_cannot_be_is_refused_in_one_plain_sentence(ask, given, told):
    with pytest.raises(InputError) as refusal:
        ask(QUESTIONS[ask], **given)
    assert told in refusal.value.message()
    assert all("\n" not in refusal.value.message(lang) for lang in ("en", "zh"))


@pytest.mark.parametrize("ask", QUESTIONS)
@pytest.mark.parametrize("position", [5, None, [], 1.5])
def test_what_is_no_position_is_refused(ask, position):
    with pytest.raises(InputError, match="position: expected a hand as text, a mapping of its fields or a file's name"):
        ask(position)


def test_numbers_of_numpy_are_numbers():
    given = {"worlds": np.int64(800), "seed": np.uint8(3), "workers": np.int32(1), "precision": np.float32(0.25)}
    position = {"hand": HAND, "wall": np.int64(20), "piao": list(np.array([0, 0, 0]))}
    found = kwx_sim.should_liangdao(position, opponents="efficient", **given)
    told = {"worlds": 800, "seed": 3, "workers": 1, "precision": 0.25}
    plain = kwx_sim.should_liangdao({"hand": HAND, "wall": 20}, opponents="efficient", **told)
    assert found.arms == plain.arms
    assert type(found.sampling.seed) is int
    assert kwx_sim.Position.of(HAND, wall=np.int64(20)) == kwx_sim.Position.of(HAND, wall=20)
    assert amount("x", Fraction(1, 4)) == 0.25


def test_options_are_read_once_for_all():
    options = Options(worlds=np.int64(800), precision=1)
    assert (type(options.worlds), type(options.precision)) == (int, float)


@pytest.mark.parametrize("options", [("--worlds", "x"), ("--precision", "nan"), ("--seed", "-1"), ("--seconds", "-1")])
def test_the_command_line_refuses_the_same(options):
    refused(run("liangdao", HAND, *options), options[0])


@pytest.mark.parametrize("options", [("--seed", str(2**64)), ("--worlds", "2e9"), ("--workers", "2000")])
def test_the_command_line_has_the_same_ranges(options):
    refused(run("liangdao", HAND, *options), options[0].removeprefix("--"))


def test_nothing_more_is_played_once_the_time_is_up():
    found = kwx_sim.should_liangdao(HAND, "platform", opponents="efficient", seconds=0, workers=1)
    assert found.sampling.ended == "seconds"
    assert found.ladder == ()
    assert found.break_even is None


# ---------------------------------------------------------------- players by name


@pytest.mark.parametrize(("name", "member"), [("hunter", "hunter"), ("谨慎", "careful"), ("efficient", "careful")])
def test_a_player_may_be_a_member(name, member):
    assert parse_player(name) == MEMBERS[member]


@pytest.mark.parametrize("given", ["efficient:pong=0", "random", {"policy": "random"}, parse_policy("random")])
def test_a_player_may_be_a_policy(given):
    assert parse_player(given) == parse_policy(given)


@pytest.mark.parametrize("command", [["liangdao", HAND], ["discard", HAND]])
def test_the_asker_may_be_a_member(command):
    rest = ["--wall", "30", "--opponents", "efficient", "--worlds", "800", "--json"]
    told = run(*command, *rest, "--me", "hunter")
    assert told.exit_code == 0, told.output
    assert "value=1.5" in told.stdout


# ---------------------------------------------------------------- reviews


@pytest.mark.parametrize(
    ("given", "told"),
    [
        *(
            (given, told)
            for given, told in CANNOT_BE
            if given.keys() <= {"precision", "seed", "workers", "me", "rules"}
        ),
        ({"worlds": "x"}, "worlds: expected a whole number"),
        ({"worlds": 799}, "worlds: expected at least 800"),
        ({"opponents": {}}, "opponents: expected at least one player"),
        ({"opponents": None}, "one kind of player"),
        ({"opponents": ["hunter", "careful"]}, "one kind of player, got several: hunter; careful"),
        ({"rounds": 5}, "rounds: expected the first and the last"),
        ({"rounds": (1,)}, "rounds: expected the first and the last"),
        ({"rounds": (0, 1)}, "rounds: expected a whole number from 1"),
        ({"rounds": ("1", None)}, "rounds: expected a whole number from 1"),
        ({"seats": [5]}, "seats: expected a whole number from 0 to 2, got 5"),
        ({"seats": 5}, "seats: expected one or more of 0, 1 and 2, got 5"),
        ({"seats": []}, "seats: expected one or more of 0, 1 and 2"),
        ({"seats": np.array(5)}, "seats: expected one or more of 0, 1 and 2, got 5"),
        ({"seats": np.array([5])}, "seats: expected a whole number from 0 to 2, got 5"),
        ({"form": []}, "expected one of kwx, mjai, mpsz, got []"),
        ({"form": "csv"}, "format: expected one of"),
        ({"record": 5}, "record: expected a file's name, got 5"),
    ],
)
def test_a_review_refuses_the_same(given, told, tmp_path):
    (tmp_path / "rounds").write_text("round\nhand 0 123456789s1122p\n0 draw 3p\n0 discard 3p\n")
    with pytest.raises(InputError) as refusal:
        review(**{"record": tmp_path / "rounds", "worlds": 800} | given)
    assert told in refusal.value.message()
