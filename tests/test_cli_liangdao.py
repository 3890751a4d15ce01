"""`kwx liangdao`: what it prints in both languages, JSON and its documentation, batches, refusals, interrupts."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_runs import CHINESE, batch, environment, process, refused, run, start, terminal

import kwx_sim
from kwx_sim.cli import asking
from kwx_sim.cli.terminal import cells
from kwx_sim.cli.waiting import Waiting
from kwx_sim.query.arms import Arm
from kwx_sim.query.decision import Difference, Provisional

HAND = "123s 789s 46p 88p 777z 5s"
QUICK = ("--worlds", "1000", "--wall", "30")
DOCUMENT = (Path(__file__).parents[1] / "docs" / "query.md").read_text("utf-8")


@pytest.fixture(scope="module")
def told():
    """A quick answer as JSON."""
    result = run("liangdao", HAND, *QUICK, "--json")
    assert result.exit_code == 0, result.output
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


# ---------------------------------------------------------------- for people


@pytest.mark.parametrize("columns", ["80", "120"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_answer_fits_the_terminal(lang, columns):
    result = run("liangdao", HAND, *QUICK, "--lang", lang, env={"COLUMNS": columns})
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert max(map(cells, lines)) <= int(columns)
    assert not any(line.endswith(" ") for line in lines)
    assert "p*" in result.stdout
    assert ("条" in result.stdout) == (lang == "zh")


def test_the_sentence_comes_first_and_everything_follows(told):
    page = run("liangdao", HAND, *QUICK).stdout
    headline, _, others = " ".join(page.split()).partition("Other beliefs and opponents")
    assert headline.startswith("Not settled: “quiet, 5s” leads “declare, 5s” by")
    assert told["verdict"]["outcome"] == "not_settled"
    first, _, over_all = told["sentence"].partition(" Over all beliefs and opponents: ")
    assert headline.startswith(first)
    assert over_all.startswith("Not settled: of 16 beliefs and opponents")
    assert others.endswith(f"Over all beliefs and opponents: {over_all}")
    assert [each["opponents"] in others for each in told["cells"]] == [True] * len(told["cells"])
    for part in (
        "Discard 5s: waits 5p (4 left).",
        "declare, 5s",
        "never, 5s",
        "in 2, 5s",
        "self-draw",
        "stakes are multiplied",
        "p*",
        "integrated out",
    ):
        assert part in page
    assert re.search(r"start \d+\.\d s, sampling \d+\.\d s", headline)


def test_a_first_answer_is_told_while_it_runs():
    result = run("liangdao", HAND, *QUICK)
    assert result.stderr.startswith("So far “")
    assert result.stderr.endswith("; 800 of at most 1,000 worlds\n")
    assert run("liangdao", HAND, *QUICK, env=CHINESE).stderr.startswith("目前“")


def test_on_a_terminal_the_line_is_written_over_and_taken_away():
    status, shown = terminal("liangdao", HAND, *QUICK, LANG="C.UTF-8", COLUMNS="60")
    assert status == 0
    progress, _, page = shown.rpartition("\r")
    assert "of at most 1,000 worlds" in progress
    assert all(cells(part) < 60 for part in progress.split("\r"))
    assert "So far" not in page


def test_a_line_now_and_then_where_nobody_watches(monkeypatch, capsys):
    monkeypatch.setattr("kwx_sim.cli.waiting.LINE_EVERY", 0.0)
    with Waiting("en") as waiting:
        waiting(100, 2_000, None)
        waiting(200, 2_000, Provisional(Arm("declare", 4), Arm("quiet", 4), Difference(1, 0, 2, 0, 2, 1)))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "100 of at most 2,000 worlds"
    assert lines[1].startswith("So far “declare, 5s” leads “quiet, 5s” by +1.00")


def test_a_terminal_without_chinese():
    done = process("liangdao", HAND, *QUICK, "--lang", "zh", PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert done.stdout.isascii()


def test_a_won_hand_shows_its_best_arms_and_the_waits_that_are_left(tmp_path):
    """Of 3p three lie in a meld; of 6p one is in the hand and one has been discarded."""
    file = tmp_path / "won.toml"
    file.write_text(
        'hand = "123s 789s 456p 88p 777z"\ndrawn = "6p"\nwall = 30\n'
        '[discards]\nprevious = "6p"\n[next]\nmelds = "pong:3p"\n',
        "utf-8",
    )
    page = run("liangdao", "--position", str(file), "--worlds", "800").stdout
    assert "Discard 6p: waits 3p (1 left), 6p (2 left)." in page
    assert page.count("; --json has all") == 2


def test_rules_without_liangdao():
    page = run("liangdao", "123s 789s 46s 88s 777s 5p", "--rules", "hongzhong", "--worlds", "800", "--wall", "20")
    assert page.exit_code == 0
    assert "no liangdao" in page.stdout
    assert "p*" not in page.stdout
    assert "declare" not in page.stdout.splitlines()[0]


# ---------------------------------------------------------------- JSON


def keys(value):
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from keys(inner)
    if isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def test_every_key_of_the_json_is_documented(told):
    missing = {key for key in keys(told) if f"`{key}`" not in DOCUMENT}
    assert not missing


def test_every_field_of_a_position_is_documented():
    from kwx_sim.positions import Player, Position

    fields = {*Position.model_fields, *Player.model_fields}
    assert not {field for field in fields if f"`{field}`" not in DOCUMENT}


def test_the_position_in_the_document_is_read_and_answered(tmp_path):
    file = tmp_path / "table.toml"
    file.write_text(re.search(r"```toml\n(.*?)```", DOCUMENT, re.DOTALL)[1], "utf-8")
    result = run("liangdao", "--position", str(file), "--worlds", "800", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["belief"] == "uniform"


def test_json_carries_every_figure(told):
    assert told["rules"] == "xiangyang"
    assert told["arms"][0]["arm"] == told["verdict"]["best"]
    assert {arm["way"] for arm in told["arms"]} == {"declare", "quiet", "never", "in 1", "in 2"}
    best, *others = told["arms"]
    assert best["behind"] is None
    assert all(arm["behind"]["low"] <= arm["behind"]["mean"] <= arm["behind"]["high"] for arm in others)
    for arm in told["arms"]:
        # A win of the asker's, one of another's (or both, of one discard), or nobody's.
        assert arm["by_self_draw"] + arm["by_discard"] + arm["other_won"] + arm["undecided"] >= 1 - 1e-9
    assert told["ready"] == [{"tile": "5s", "waits": [{"tile": "5p", "left": 4}]}]
    assert told["sampling"]["worlds"] == 1_000
    assert told["ladder"]["against"] != told["ladder"]["declare"] == "declare 5s"
    assert told["break_even"]["avoidance"] == [0, 0.25, 0.5, 0.75, 1]
    assert told["assumptions"][0]["key"] == "query.belief.played_in"


def test_python_gives_the_same_answer(told):
    decision = kwx_sim.should_liangdao(
        {"hand": HAND, "wall": 30}, "xiangyang", worlds=1_000, workers=1, opponents="all"
    )
    assert isinstance(decision, kwx_sim.Decision)
    mine = decision.to_json()
    for one in (mine, told):
        one["sampling"].pop("seconds", None)
    assert mine == told
    assert kwx_sim.should_liangdao(kwx_sim.Position.of(HAND, wall=30), worlds=1_000).arms == decision.arms
    assert list(decision.table["arm"]) == [arm["arm"] for arm in mine["arms"]]


def test_pandas_stays_unloaded():
    code = f"""
import sys
from kwx_sim.cli.app import app
try:
    app.main(["liangdao", "{HAND}", "--wall", "30", "--worlds", "800"])
except SystemExit as end:
    assert not end.code
print([name for name in ("pandas", "joblib", "pyarrow") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=environment(), text=True)
    assert done.stdout.splitlines()[-1] == "[]"


# ---------------------------------------------------------------- many


def test_a_batch():
    lines = [
        {"id": 1, "hand": HAND, "wall": 30},
        {"id": 2, "hand": "123s 789s 46s 88s 777s 5p", "rules": "hongzhong", "wall": 20},
        {"id": 3, "hand": "159s 159p 777z 2468s 3p"},
        {"id": 4, "hand": HAND, "walls": 30},
        "not json",
        {"id": 5, "hand": HAND, "rules": 7},
    ]
    status, answers = batch("liangdao", lines, "--worlds", "800", "--lang", "zh")
    assert status == 1
    assert [answer["id"] for answer in answers] == [1, 2, 3, 4, None, 5]
    assert answers[0]["verdict"]["precision"] == asking.BATCH_PRECISION
    assert [answers[1]["rules"], answers[1]["no_liangdao"], answers[1]["ladder"]] == ["hongzhong", True, None]
    assert "底" in answers[0]["sentence"]
    for answer, part in zip(answers[2:], ("步听牌", "walls", "JSON", "rules"), strict=True):
        assert part in answer["error"]


def test_an_interrupted_batch_ends_with_the_answer_at_work(monkeypatch):
    from kwx_sim.query import ask

    asked, calls = ask.asked, []

    def interrupted(*args, **kwargs):
        calls.append(args)

        def stop(done, most, now):
            raise KeyboardInterrupt

        return asked(*args, **kwargs, progress=stop)

    monkeypatch.setattr(ask, "asked", interrupted)
    line = {"hand": HAND, "wall": 30}
    for lines in ([line], [line, line]):
        calls.clear()
        status, answers = batch("liangdao", lines, "--worlds", "900")
        assert [status, len(answers), len(calls)] == [130, 1, 1]
        assert answers[0]["sampling"]["ended"] == "interrupted"


# ---------------------------------------------------------------- ends early


def test_ctrl_c_ends_with_what_is_known():
    child = start("liangdao", HAND, "--wall", "30", "--worlds", "1e7", "--precision", "0.0001", "--rules", "platform")
    try:
        first = child.stderr.readline()
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
    assert child.returncode == 130
    assert first.startswith("So far")
    assert "Traceback" not in err
    assert "Interrupted: this is what was known after" in " ".join(out.split())
    assert "declare, 5s" in out


def test_seconds_end_it_and_are_marked():
    alike = "123s 123p 中中中 发发发 7s 7p"
    asked = ("liangdao", alike, "--wall", "30", "--worlds", "1e6", "--precision", "0", "--opponents", "careful")
    result = run(*asked, "--seconds", "1")
    assert result.exit_code == 0
    assert "The time was up" in result.stdout
    assert "Why: " in result.stdout
    result = run(*asked, "--seconds", "0")
    assert "The reasons and p* are left out" in result.stdout
    assert "Why: " not in result.stdout
    told = run("liangdao", HAND, "--wall", "30", "--seconds", "0", "--json")
    assert told.exit_code == 0
    told = json.loads(told.stdout)
    assert told["sentence"].startswith("Nothing is known yet")
    first, second = told["arms"][:2]
    assert {first[name] for name in ("mean", "low", "worlds", "by_self_draw", "fed", "fan", "first_cost")} == {None}
    assert set(second["behind"].values()) == {None}
    assert set(told["difference"].values()) == {None}
    assert (told["verdict"]["best"], told["verdict"]["other"]) == (None, None)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("args", "part"),
    [
        ((), "HAND is missing"),
        (("",), "expected at least one tile"),
        ((HAND, "--position", "table.toml"), "leave out HAND"),
        (("--position", "table.toml", "--wall", "30"), "leave out --wall"),
        (("--position", "nowhere.toml"), "cannot be read"),
        (("--position", "nowhere.txt"), "ends in one of"),
        (("--batch", "-", HAND), "leave out HAND"),
        (("--batch", "-", "--position", "table.toml"), "leave out --position"),
        (("--batch", "nowhere.jsonl"), "cannot be read"),
        ((HAND, "--wall", "60"), "wall"),
        ((HAND, "--wall", "x"), "--wall: expected a whole number"),
        ((HAND, "--worlds", "700"), "worlds: expected at least 800"),
        ((HAND, "--precision", "nan"), "--precision: expected a number"),
        ((HAND, "--precision", "-1"), "--precision: expected a number"),
        ((HAND, "--seconds", "soon"), "--seconds: expected a number"),
        ((HAND, "--rules", "nope"), "no such preset or file"),
        ((HAND, "--room", "官甲场"), "room"),
        ((HAND, "--dealer", "you"), "dealer"),
        ((HAND, "--drawn", "9p"), "drawn"),
        ((HAND, "--opponents", "clever"), "no player is called 'clever'"),
        ((HAND, "--me", "efficient:avoidance=2"), "avoidance"),
        ((HAND, "--exact"), "exact: only small positions"),
        (("123s 789s 46p 88p 777z",), "expected 14 concealed tiles"),
        (("159s 159p 777z 2468s 3p",), "away from ready"),
        (("123s 789s 456p 88p 777z",), "the hand has won"),
    ],
)
def test_refusals(args, part):
    refused(run("liangdao", *args), part)
    assert run("liangdao", *args, env=CHINESE).exit_code == 2


def test_help_in_both_languages():
    assert "in 1" not in run("liangdao", "--help").stdout
    assert "--exact / --no-exact" in run("liangdao", "--help").stdout
    assert "轮到你" in run("liangdao", "--help", "--lang", "zh").stdout
