"""`kwx play` and `kwx replay`: scripted rounds, rounds from a seed, records shown again and checked."""

import json
from subprocess import DEVNULL

import pytest
from cli_runs import CHINESE, DATA, batch, golden, process, refused, run, terminal

from kwx_sim.records import events_of
from kwx_sim.rules import PRESETS
from kwx_sim.runs import Run, replay

ROUNDS = golden("golden_rounds.jsonl")


def record(*args):
    """Play rounds and give their events."""
    result = run("play", "--json", *args)
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def recorded(tmp_path):
    """Three recorded rounds: the file and its lines."""
    file = tmp_path / "rounds.jsonl"
    assert run("play", "--seed", "3", "--games", "3", "--record", str(file)).exit_code == 0
    return file, file.read_text("utf-8").splitlines()


# ---------------------------------------------------------------- scripts


@pytest.mark.parametrize("name", ["golden_rounds.jsonl", "rounds.jsonl"])
def test_scripted_rounds(name):
    result = run("play", "--script", str(DATA / name), "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    for case, told in zip(golden(name), answers, strict=True):
        assert told == {key: case[key] for key in ("id", "points", "winners")}, case["why"]


def test_a_file_that_is_no_terminal_gets_json_lines():
    file = str(DATA / "golden_rounds.jsonl")
    assert run("play", "--script", file).stdout == run("play", "--script", file, "--json").stdout


def test_a_terminal_gets_words():
    asked = ("play", "--script", str(DATA / "golden_rounds.jsonl"))
    status, shown = terminal(*asked, stderr=DEVNULL)
    lines = shown.splitlines()
    assert (status, len(lines)) == (0, len(ROUNDS))
    assert "win-before-pong: −2 0 +2 (bases)  seat 2 wins by the discard 5p, fan 2" in lines
    assert "undecided-first-declared-pays: −2 +1 +1 (bases)  undecided" in lines
    assert "座位 2 胡点炮 5筒，2 番" in terminal(*asked, **CHINESE)[1]


def test_a_bad_script_is_answered_and_the_rest_go_on():
    good = ROUNDS[0]
    bad = [
        {"wall": None},
        {"wall": 5},
        {"wall": good["wall"][:-3]},
        {"wall": good["wall"].replace("5p", "6p")},
        {"rules": 7},
        {"rules": "nope"},
        {"room": "平民场"},
        {"room": ["平民场"]},
        {"dealer": 3},
        {"dealer": "0"},
        {"dealer": True},
        {"piao": [1, 0, 0]},
        {"piao": [0, 0]},
        {"piao": 0},
        {"changes": ["play.multiple_wins"]},
        {"changes": {"play.multiple_winds": True}},
        {"changes": {"": True}},
        {"changes": {"payment.cap": -1}},
        {"script": {"seat": 0}},
        {"script": [5]},
        {"script": [{"seat": 0}]},
        {"script": [{"seat": 3, "act": "win"}]},
        {"script": [{"seat": 0, "act": ["win"]}]},
        {"script": [{"seat": 0, "act": "discard"}]},
        {"script": [{"seat": 0, "act": "discard", "tile": 5}]},
        {"script": [{"seat": 0, "act": "discard", "tile": "5p", "on": None}]},
        {"script": [{"seat": 0, "act": "discard", "tile": "5p6p"}]},
    ]
    lines = [good, *(good | change for change in bad), "garbage", '{"id": NaN}', good]
    status, answers = batch("play", lines, by="--script")
    assert status == 1
    assert len(answers) == len(lines)
    assert answers[0] == answers[-1]
    assert answers[0]["points"] == good["points"]
    for change, told in zip([*bad, "garbage", "NaN"], answers[1:-1], strict=True):
        assert set(told) == {"id", "error"}, change
        assert "\n" not in told["error"]


def test_what_a_line_leaves_out_has_its_default():
    line = {"id": 1, "wall": ROUNDS[0]["wall"], "dealer": None, "script": None}
    status, answers = batch("play", [line], "--rules", "suizhou", by="--script")
    assert (status, sum(answers[0]["points"])) == (0, 0)


def test_a_script_with_a_mark_and_the_other_line_ends():
    raw = "\ufeff" + json.dumps(ROUNDS[0]) + "\r\n\r\n" + json.dumps(ROUNDS[1]) + "\r\n"
    done = process("play", "--script", "-", stdin=raw.encode())
    assert done.returncode == 0
    assert [json.loads(line)["points"] for line in done.stdout.splitlines()] == [case["points"] for case in ROUNDS[:2]]


# ---------------------------------------------------------------- rounds from a seed


def test_a_round_is_the_one_that_is_simulated():
    given = {"rules": "platform", "room": "官甲场", "seed": 5, "piao": [2, 0, 1]}
    run_of_them = Run.of(games=20, policies=["random", "efficient:pong=0,kong=0", "efficient"], **given)
    expected = [
        event
        for number in (17, 18)
        for event in events_of(replay(run_of_them, number)[0], run_of_them.rules, room="官甲场", seed=5, game=number)
    ]
    asked = ("--rules", "platform", "--room", "官甲场", "--seed", "5", "--piao", "2,0,1")
    policies = ("--policies", "random,efficient:pong=0,kong=0, efficient")
    assert record(*asked, *policies, "--first", "17", "--games", "2") == expected


def test_a_round_for_people():
    page = run("play", "--rules", "suizhou", "--seed", "1").stdout
    assert page.startswith("Round under suizhou, seat ")
    assert "seed 1, game 0" in page
    assert "\nEnd: " in page
    page = run("play", "--rules", "suizhou", "--seed", "1", "--games", "2", env=CHINESE).stdout
    assert page.count("\n\n规则 suizhou") == 1
    assert "筒" in page


def test_one_choice_stands_for_all_seats():
    assert record("--rules", "platform", "--piao", "2")[0]["piao"] == [2, 2, 2]
    assert record("--policies", "random") == record("--policies", "random,random,random")


@pytest.mark.parametrize("rules", PRESETS)
def test_what_is_played_is_legal(rules, tmp_path):
    file = tmp_path / "rounds.jsonl"
    played = run("play", "--rules", rules, "--policies", "random", "--games", "30", "--record", str(file))
    assert (played.exit_code, played.stderr) == (0, f"Record: {file}\n")
    shown = run("replay", str(file))
    assert shown.exit_code == 0
    assert shown.stdout == played.stdout
    assert shown.stderr.startswith("Legal throughout. Rounds: 30, events: ")


def test_a_record_of_rules_of_ones_own(tmp_path):
    rules, file = tmp_path / "mine.toml", tmp_path / "rounds.jsonl"
    rules.write_text('extends = "suizhou"\n[payment]\ndirect_kong = 7\n', "utf-8")
    assert run("play", "--rules", str(rules), "--games", "2", "--record", str(file)).exit_code == 0
    rules.unlink()
    assert run("replay", str(file)).exit_code == 0


# ---------------------------------------------------------------- replay


def test_a_replay_as_json_lines(recorded):
    file, lines = recorded
    result = run("replay", str(file), "--json")
    assert result.stdout.splitlines() == lines


def test_a_replay_from_a_pipe(recorded):
    file, lines = recorded
    done = process("replay", "-", "--json", stdin=file.read_bytes())
    assert (done.returncode, done.stdout.decode().splitlines()) == (0, lines)


def test_a_tampered_record_is_refused_with_its_line(recorded):
    file, lines = recorded
    for number, line in enumerate(lines, 1):
        event = json.loads(line)
        if number % 7 == 0 and "seat" in event:
            changed = [*lines[: number - 1], json.dumps(event | {"seat": (event["seat"] + 1) % 3}), *lines[number:]]
            file.write_text("\n".join(changed), "utf-8")
            result = run("replay", str(file))
            assert result.exit_code == 2
            assert result.stderr.startswith(f"kwx: {file}: line {number}: ")
            assert result.stderr.count("\n") == 1
            assert "expected" in result.stderr
            assert result.stdout.startswith("Round under xiangyang")
            assert f"第 {number} 行" in run("replay", str(file), env=CHINESE).stderr


def test_what_is_shown_before_the_illegal_event_comes_first(recorded):
    file, lines = recorded
    file.write_text("\n".join(lines[:40]), "utf-8")
    done = process("replay", str(file), stderr_to_stdout=True)
    assert done.returncode == 2
    last = done.stdout.decode().splitlines()[-1]
    assert last.startswith(f"kwx: {file}: line 41: the file ends within a round")


def test_no_record(tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n\n", "utf-8")
    noise = tmp_path / "noise.jsonl"
    noise.write_bytes(bytes(range(256)) * 20)
    refused(run("replay", str(empty)), "holds no round")
    refused(run("replay", str(noise)), "line 1: expected JSON")
    refused(run("replay", str(tmp_path)), "cannot be read")
    refused(run("replay", str(tmp_path / "none")), "cannot be read")
    refused(run("replay"), "FILE is missing")


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (("--rules", "nope"), "no such preset or file"),
        (("--seed", "-1"), "--seed: expected a whole number of at least 0, got -1"),
        (("--seed", "1e30"), "--seed: expected a whole number"),
        (("--seed", "1e25"), "seed: expected a whole number from 0 to"),
        (("--games", "0"), "--games: expected a whole number of at least 1"),
        (("--games", "nan"), "--games: expected a whole number"),
        (("--games", "1.5"), "--games: expected a whole number"),
        (("--first", "1e999999999"), "--first: expected a whole number"),
        (("--first", "1e11"), "games: expected a whole number from 1 to"),
        (("--piao", "1"), "have no piao; expected 0, got 1"),
        (("--piao", "x"), "--piao: expected whole numbers"),
        (("--piao", "0,0"), "one for each of the three seats"),
        (("--room", "平民场"), "no room"),
        (("--policies", "clever"), "expected one of random, efficient"),
        (("--policies", "random,random"), "one for each of the three seats"),
        (("--policies", "efficient:pong=0,kongs=1"), "nearest known one is kong"),
        (("--policies", ""), "expected one of random, efficient"),
        (("--record", "/nowhere/at/all.jsonl"), "/nowhere/at/all.jsonl: cannot be written: No such file"),
        (("--script", "/nowhere.jsonl"), "cannot be read"),
        (("--script", "-", "--seed", "0"), "--script takes what it needs from the lines of its file; leave out --seed"),
        (("--script", "-", "--record", "x"), "leave out --record"),
    ],
)
def test_refusals(args, part):
    refused(run("play", *args), part)
    assert run("play", *args, env=CHINESE).exit_code == 2


def test_a_refused_call_leaves_an_older_record_alone(recorded):
    file, lines = recorded
    refused(run("play", "--rules", "nope", "--record", str(file)), "nope")
    assert file.read_text("utf-8").splitlines() == lines
