"""`kwx discard` and `kwx claim`, and what follows an answer: other beliefs and opponents, one after another."""

import json

import pytest
from cli_runs import CHINESE, answer, batch, refused, run

from kwx_sim.cli import asking
from kwx_sim.cli.terminal import cells
from kwx_sim.query.question import Question

FAR = "123s 79s 46p 88p 777z 5s 2p"
CLAIM = ("claim", "123s 789s 46p 88p 777z", "--offered", "5p", "--offered-by", "next", "--wall", "30")
DISCARD = ("discard", FAR, "--wall", "30")
ONE = ("--opponents", "efficient", "--worlds", "800")
CALLS = {"discard": DISCARD, "claim": CLAIM}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_answer_in_both_languages_fits_the_terminal(name, lang):
    result = run(*CALLS[name], *ONE, "--lang", lang, env={"COLUMNS": "80"})
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert max(map(cells, lines)) <= 80
    assert "p*" not in result.stdout
    assert ("条" in result.stdout or "筒" in result.stdout) == (lang == "zh")
    feeding = {"en": "Feeding, by tile", "zh": "点炮（按牌）"}[lang]
    assert (feeding in result.stdout) == (name == "discard")


def test_more_threads_than_anybody_has_are_refused():
    refused(run(*DISCARD, "--workers", "100000"), "workers", "1024")


def test_json_of_both():
    discard, claim = (answer(*CALLS[name], *ONE) for name in ("discard", "claim"))
    assert [discard["about"], claim["about"]] == ["discard", "claim"]
    assert {arm["way"] for arm in claim["arms"]} == {"win", "pass"}
    assert {arm["way"] for arm in discard["arms"]} == {"discard"}
    assert {"fed_first", "first_cost"} <= set(discard["arms"][0])
    assert discard["ladder"] is None
    assert claim["break_even"] is None
    assert claim["belief"] == "uniform"
    assert claim["cells"][0]["state"] in ("above", "below", "within", "open")


def test_batches_of_both():
    claims = [
        {"id": 1, "hand": "123s 789s 46p 88p 777z", "offered": "5p", "offered_by": "next", "wall": 30},
        {"id": 2, "hand": "123s 789s 46p 88p 777z", "offered": "9s", "offered_by": "next", "wall": 30},
    ]
    status, answers = batch("claim", claims, "--worlds", "800")
    assert status == 1
    assert answers[0]["verdict"]["precision"] == asking.BATCH_PRECISION
    assert "nothing to decide" in answers[1]["error"]
    status, answers = batch("discard", [{"id": 1, "hand": FAR, "wall": 30}], "--worlds", "800")
    assert (status, answers[0]["about"]) == (0, "discard")


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (("claim",), "HAND is missing"),
        (("claim", FAR), "a claim needs another's tile"),
        ((*CLAIM, "--offered-by", "me"), "expected another's seat"),
        ((*CLAIM, "--offered", "9s"), "nothing to decide"),
        (("claim", "--position", "table.toml", "--offered", "5p"), "leave out --offered"),
        (("discard", "123s"), "expected 14 concealed tiles"),
        (("discard", "123s 789s 456p 88p 777z"), "the hand has won"),
        (("discard", FAR, "--offered", "5p"), "--offered"),
    ],
)
def test_refusals(args, part):
    refused(run(*args), part)
    assert run(*args, env=CHINESE).exit_code == 2


# ---------------------------------------------------------------- other beliefs and opponents

SEVERAL = ("--opponents", "efficient; efficient:avoidance=0", "--worlds", "800")


def test_other_opponents_follow_the_answer():
    page = run(*CLAIM, *SEVERAL).stdout
    headline, _, others = page.partition("Other beliefs and opponents, ")
    assert "How: 800 worlds" in headline
    assert "avoidance=0" in others
    alone = run(*CLAIM, *ONE).stdout
    assert "Other beliefs" not in alone
    assert len(answer(*CLAIM, *SEVERAL)["cells"]) == 2
    assert "其他看法与对手" in run(*CLAIM, *SEVERAL, "--lang", "zh").stdout


def test_an_interrupt_while_others_follow_keeps_what_is_there(monkeypatch):
    whole = Question.cells

    def interrupted(self, decision):
        yield next(iter(whole(self, decision)))
        raise KeyboardInterrupt

    monkeypatch.setattr(Question, "cells", interrupted)
    result = run(*CLAIM, "--opponents", "efficient; caller; racer", "--worlds", "800")
    assert result.exit_code == 130
    assert result.stdout.count("effective") == 1
    assert "caller" in result.stdout
    assert "racer" not in result.stdout


def test_a_cell_that_is_interrupted_ends_the_call(monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Question, "_cell", stopped)
    result = run(*CLAIM, *SEVERAL, "--json")
    assert result.exit_code == 130
    assert len(json.loads(result.stdout)["cells"]) == 1
