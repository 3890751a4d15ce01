"""Reviews: what a seat knew, mistakes that were put there, their kinds, sums, the command and its page."""

import json
import math
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from cli_runs import run
from position_maker import rotated

from kwx_sim import records
from kwx_sim.cli.review import _Decisions
from kwx_sim.core import state as codes
from kwx_sim.play import Round, action_text
from kwx_sim.policies import parse_policy
from kwx_sim.positions import check, position_of
from kwx_sim.query.arms import Arm
from kwx_sim.query.decision import Difference
from kwx_sim.review import Review, review
from kwx_sim.review.faced import Faced, decisions_of
from kwx_sim.review.judge import Judge, Judged, State
from kwx_sim.review.kinds import KINDS, kind_of
from kwx_sim.review.page import as_page
from kwx_sim.review.report import Settings, Sum
from kwx_sim.review.telling import counted, hand_words, headline, mistakes, notes, ratings, totals
from kwx_sim.rules import PRESETS, load_rules
from kwx_sim.runs import Run, replay
from kwx_sim.text import LANGS, has
from kwx_sim.tiles import parse_tile

EFFICIENT = parse_policy("efficient")
JUDGE = Judge(EFFICIENT, {"efficient": EFFICIENT}, worlds=3_000, workers=2)
ALL = frozenset(range(3))


@cache
def played(table, number, policies="efficient", seed=11):
    """A round of a run, by its actions."""
    given = Run.of(table, games=number + 1, seed=seed, policies=policies.split("|") if "|" in policies else policies)
    state = replay(given, number)[0]
    wall = [int(tile) for tile in state["wall"][: given.rules.wall_size]]
    round_ = Round(given.rules, wall, int(state["dealer"]), [int(n) for n in state["piao"]])
    for code in state["log"][: int(state["n_log"])]:
        round_.apply(int(code))
    return round_


def rounds(table, policies="efficient", first=0):
    number = first
    while True:
        yield played(table, number, policies)
        number += 1


def until(round_, place):
    again = Round(round_.rules, round_.wall, round_.dealer, round_.piao)
    for code in round_.actions()[:place]:
        again.apply(code)
    return again


def go_on(round_):
    """To the end: wins are taken, nothing is called, what was drawn is discarded."""
    while due := round_.decision():
        drawn = [action for action in due.legal if action.startswith("discard")]
        win = [action for action in due.legal if action.startswith("win")]
        tile = int(round_.state["tile"])
        same = [action for action in drawn if tile < 27 and action == action_text(codes.DISCARD << 5 | tile)]
        rest = [action for action in due.legal if action.startswith("pass")]
        round_.apply((win or same or drawn or rest)[0])
    return round_


def recorded(round_):
    return records.RecordedRound(round_, ALL)


def written(tmp_path, *rounds_):
    path = tmp_path / "rounds.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for round_ in rounds_:
            records.write(file, records.events_of(round_.state, round_.rules))
    return path


# ---------------------------------------------------------------- what a seat knew


@pytest.mark.parametrize("table", PRESETS)
def test_positions_hold_what_the_engine_has(table):
    rules = load_rules(table)
    for number in range(4):
        round_ = played(table, number)
        again = Round(rules, round_.wall, round_.dealer, round_.piao)
        found = {each.number: each for each in decisions_of(recorded(round_), 1)}
        for place, action in enumerate(round_.actions()):
            if place in found:
                faced, s = found[place], again.state.copy()
                assert faced.action == action
                assert faced.seat == int(s["seat"])
                made, expected = check(faced.position, rules, faced.about).state[0], rotated(s, faced.seat)
                for name in ("draws", "piao", "n_melds", "declared", "meld_kind", "meld_tile", "seen"):
                    np.testing.assert_array_equal(made[name], expected[name], name)
                np.testing.assert_array_equal(made["counts"][0], expected["counts"][0])
                if faced.about == "discard":
                    assert int(made["replacement"]) == int(expected["replacement"])
                for name in ("dealer", "first_declared", "tile", "chain", "front", "tail"):
                    assert int(made[name]) == int(expected[name]), name
                assert check(faced.position, rules, faced.about).history == "complete"
            again.apply(action)
        assert found


def test_a_decision_has_a_choice_and_a_win_declined_is_one_with_the_call_that_follows():
    for number in range(30):
        round_ = played("xiangyang", number, "random")
        for faced in decisions_of(recorded(round_), 1):
            due = until(round_, faced.number).decision()
            assert len(due.legal) > 1
            assert (faced.about == "discard") == (due.kind == "turn")
            if faced.then >= 0:
                assert faced.action >> 5 == codes.PASS
                assert faced.then >> 5 in (codes.PASS, codes.PONG, codes.DIRECT_KONG)


def test_what_another_missed_is_not_known_but_of_an_open_hand():
    for number in range(60):
        round_ = played("xiangyang", number, "random")
        for faced in decisions_of(recorded(round_), 1):
            s = until(round_, faced.number).state
            for step, player in ((1, faced.position.next), (2, faced.position.previous)):
                seat = (faced.seat + step) % 3
                expected = int(s["missed"][seat]) if player.has_declared else 0
                assert faced.position.missed[step] == expected


# ---------------------------------------------------------------- mistakes that were put there


def passed_self_draw():
    """A round in which a win of some fan that was drawn is thrown away; and the place where."""
    for round_ in rounds("xiangyang"):
        wins = round_.winners()
        place = len(round_.actions()) - 1
        if round_.state["outcome"] == codes.SELF_DRAWN and wins[0]["fan"] >= 4:
            again = until(round_, place)
            discards = [action for action in again.decision().legal if action.startswith("discard")]
            again.apply(discards[0])
            return go_on(again), place
    raise AssertionError


def fed_what_was_shown():
    """A round in which a tile is discarded to a declared player that waits for it; and the place where."""
    for round_ in rounds("xiangyang"):
        for place in range(len(round_.actions())):
            again = until(round_, place)
            due, s = again.decision(), again.state
            declared = [seat for seat in range(3) if s["declared"][seat] and seat != due.seat]
            if due.kind != "turn" or not declared or s["declared"][due.seat]:
                continue
            shown = [action_text(codes.DISCARD << 5 | tile) for tile in again.waits()[declared[0]]]
            fatal = [action for action in shown if action in due.legal]
            if fatal and len(due.legal) > 6:
                again.apply(fatal[0])
                again = go_on(again)
                if int(again.state["outcome"]) == codes.DISCARD_WON:
                    return again, place
    raise AssertionError


@pytest.mark.parametrize(("make", "kind"), [(passed_self_draw, "passed_win"), (fed_what_was_shown, "fed")])
def test_a_blunder_is_found_first_and_named(make, kind, tmp_path):
    round_, place = make()
    seat = next(each.seat for each in decisions_of(recorded(round_), 1) if each.number == place)
    found = review(written(tmp_path, round_), seats=[seat], worlds=3_000, workers=2)
    worst = found.errors[0]
    assert (worst.faced.number, worst.kind) == (place, kind)
    assert worst.cost.low > 0
    assert found.to_json()["errors"][0]["kind"] == kind


def test_a_seat_that_plays_at_random_loses_more():
    lost = [0.0, 0.0]
    for faced in decisions_of(recorded(played("xiangyang", 0, "random|efficient|efficient")), 1, {0, 1}):
        told = JUDGE(faced)
        lost[faced.seat] += told.cost.mean if told.state == State.ERROR else 0.0
    assert lost[0] > lost[1]


def test_a_review_is_the_same_for_any_workers_and_any_choice_of_rounds(tmp_path):
    path = written(tmp_path, played("shiyan", 3), played("shiyan", 4))
    both = review(path, worlds=800, workers=1, seats=[1])
    second = review(path, worlds=800, workers=2, rounds=(2, 2), seats=[1])
    expected = [each for each in both.judged if each.faced.round == 2]
    assert expected
    assert [(each.state, each.cost) for each in second.judged] == [(each.state, each.cost) for each in expected]


@pytest.mark.verify
def test_what_is_listed_costs_something_in_other_worlds_too():
    first, second = (Judge(EFFICIENT, {"efficient": EFFICIENT}, seed=seed) for seed in (1, 2))
    listed, again, decisions = [], [], 0
    for number in range(12):
        for faced in decisions_of(recorded(played("xiangyang", number, seed=21)), number + 1):
            decisions += 1
            told = first(faced)
            if told.state == State.ERROR:
                listed.append(told.cost.mean)
                again.append(second(faced).cost.mean)
    print(f"{len(listed)} of {decisions} listed, {np.mean(listed):.2f}; again {np.mean(again):.2f}", again)
    assert sum(cost > 0 for cost in again) >= 0.9 * len(listed) > 0


# ---------------------------------------------------------------- never declaring

QUIET = {
    "hand": "123s 789s 46p 88p 5s",
    "drawn": "5s",
    "melds": "pong:中",
    "wall": 24,
    "dealer": "next",
    "discards": {"me": "发 1p 9s 白", "previous": "9s 中 1p 5s"},
    "next": {"shown": "222s 444s 66s 55p 777p", "declared_at": 5},
    "previous": {"melds": "pong:9p"},
}
EAGER = Judge(parse_policy("efficient:liangdao=always"), {"efficient": EFFICIENT}, workers=2)
"""Of a player that declares as soon as it may, and had better not."""


def quietly(tile):
    action = codes.DISCARD << 5 | parse_tile(tile)
    return Faced(1, 1, 0, 7, load_rules("xiangyang"), position_of(QUIET), "discard", action)


def test_a_ready_hand_that_is_broken_is_weighed_against_keeping_it_and_never_declaring():
    told = EAGER(quietly("8p"))
    assert (told.state, told.taken, told.better) == (State.ERROR, Arm("discard", 16), Arm("never", 4))
    settings = Settings("rounds", ("xiangyang",), "efficient", "efficient", 3_000, 0.2, 1, "k", "v")
    found = Review(settings, (told,), {0: 1})
    assert found.to_json()["errors"][0]["better"] == "never 5s"
    assert "never, 5s" in mistakes(found, "en").rows[0]


def test_what_follows_of_declaring_is_no_other_choice():
    told = EAGER(quietly("5s"))
    assert told.state == State.FINE
    assert told.taken == Arm("discard", 4)
    assert told.better.tile != 4 or told.better.declares


# ---------------------------------------------------------------- kinds and sums

DISCARD, OTHER, DECLARE = Arm("discard", 3), Arm("discard", 4), Arm("declare", 3)
WIN, PASS, PONG = Arm("win", 5), Arm("pass", 5), Arm("pong", 5)
KONG, ADDED = Arm("direct_kong", 5), Arm("added_kong", 6)


@pytest.mark.parametrize(
    ("taken", "better", "fed", "kind"),
    [
        (DISCARD, WIN, False, "passed_win"),
        (PASS, WIN, False, "passed_win"),
        (WIN, PASS, False, "took_win"),
        (WIN, DECLARE, False, "took_win"),
        (DECLARE, OTHER, False, "declared_early"),
        (DECLARE, DISCARD, True, "declared_early"),
        (DECLARE, Arm("declare", 4), False, "declared_wrong"),
        (OTHER, DECLARE, False, "declared_late"),
        (DISCARD, OTHER, False, "wrong_discard"),
        (DISCARD, OTHER, True, "fed"),
        (DECLARE, OTHER, True, "fed"),
        (DISCARD, ADDED, True, "missed_kong"),
        (PONG, KONG, False, "missed_kong"),
        (KONG, PONG, False, "bad_kong"),
        (ADDED, Arm("concealed_kong", 7), False, "bad_kong"),
        (ADDED, DISCARD, False, "bad_kong"),
        (PASS, PONG, False, "missed_pong"),
        (PONG, PASS, False, "bad_pong"),
    ],
)
def test_kinds(taken, better, fed, kind):
    assert kind_of(taken, better, fed=fed) == kind
    assert kind in KINDS


def test_every_kind_has_a_name():
    assert all(has(f"review.kind.{kind}") for kind in KINDS)


def test_half_widths_add_up_as_squares():
    costs = [Difference(1.0, 0.6, 1.4, 0, 0, 1), Difference(2.0, 1.7, 2.3, 0, 0, 1)]
    total = Sum.of(costs)
    assert total.mean == 3.0
    assert (total.low, total.high) == pytest.approx((2.5, 3.5))
    assert total.over(2).low == pytest.approx(1.25)
    assert Sum.of([]) == Sum(0, 0.0, 0.0, 0.0)


@cache
def reviewed():
    judged = [JUDGE(each) for each in decisions_of(recorded(fed_what_was_shown()[0]), 1)]
    settings = Settings("rounds", ("xiangyang",), "efficient", "efficient", 3_000, 0.2, 1, "k", "v")
    return Review(settings, tuple(judged), {0: 1, 1: 1, 2: 1})


def test_totals_add_up():
    found = reviewed()
    lost = math.fsum(each.cost.mean for each in found.errors)
    assert found.errors
    assert math.fsum(total.all.mean for total in found.totals) == pytest.approx(lost)
    assert math.fsum(rating.lost.mean for rating in found.ratings) == pytest.approx(lost)
    for total in found.totals:
        assert math.fsum(share.mean for share in total.seats.values()) == pytest.approx(total.all.mean)
    told = found.to_json()
    assert told["decisions"] == len(found.judged) == sum(told[s] for s in ("error", "unclear", "fine", "unanswered"))
    assert [each["cost"]["mean"] for each in told["errors"]] == sorted(
        (each.cost.mean for each in found.errors), reverse=True
    )
    json.dumps(told, allow_nan=False)


def test_what_cannot_be_weighed_is_counted():
    faced = next(iter(decisions_of(recorded(played("xiangyang", 0)), 1)))
    hopeless = Judge(EFFICIENT, {"efficient": EFFICIENT}, worlds=100)
    assert hopeless(faced) == Judged(faced, State.UNANSWERED)


# ---------------------------------------------------------------- what is said


@pytest.mark.parametrize("lang", LANGS)
def test_a_review_is_told_in_both_languages(lang):
    found = reviewed()
    assert headline(found, lang)
    for sheet in (mistakes(found, lang), totals(found, lang), ratings(found, lang)):
        assert sheet.rows
        assert all(len(row) == len(sheet.headers) for row in sheet.rows)
    assert all(notes(found, lang))
    assert hand_words(found.errors[0].faced.position, lang) in mistakes(found, lang).rows[0]


@pytest.mark.parametrize("lang", LANGS)
def test_the_page_needs_nothing_else(lang):
    page = as_page(reviewed(), lang, unclear=True)
    assert page.startswith(f'<!doctype html>\n<html lang="{lang}">')
    assert 'name="viewport"' in page
    assert not re.search(r"https?:|src=|href=|@import|url\(|<script", page)
    assert page.count("<article>") == len(reviewed().errors) + len(reviewed().unclear)


def test_names_are_escaped_on_the_page():
    found = reviewed()
    evil = replace(found, settings=replace(found.settings, record="<script>alert(1)</script>"))
    page = as_page(evil, "en")
    assert "<script" not in page


# ---------------------------------------------------------------- the command


@pytest.fixture
def record(tmp_path):
    return str(written(tmp_path, played("shiyan", 3), played("shiyan", 4)))


def test_the_command_tells_and_writes(record, tmp_path):
    page = tmp_path / "page.html"
    result = run("review", record, "--rounds", "2", "--seat", "1", "--worlds", "800", "--html", str(page), "--all")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("1 round, ")
    assert re.search(r"^\d+ decisions to weigh; how long", result.stderr, re.M)
    assert page.read_text("utf-8").endswith("</html>\n")


@pytest.mark.parametrize("name", ["record itself", "nowhere/page.html", ""])
def test_a_page_that_cannot_be_is_refused_before_anything_is_weighed(name, record, tmp_path):
    page = record if name == "record itself" else str(tmp_path / name)
    before = Path(record).read_bytes()
    result = run("review", record, "--html", page)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert page in result.stderr
    assert Path(record).read_bytes() == before


def test_the_command_answers_in_json(record):
    result = run("review", record, "--rounds", "1:1", "--worlds", "800", "--json", "--lang", "zh")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert {"settings", "interrupted", "decisions", "errors", "totals", "ratings"} <= told.keys()
    assert told["settings"]["rules"] == ["shiyan"]


def test_an_interrupt_tells_what_was_weighed(record, monkeypatch):
    weighed = []

    def stop_after_two(self, faced):
        if len(weighed) == 2:
            raise KeyboardInterrupt
        weighed.append(faced)
        return Judged(faced, State.FINE)

    monkeypatch.setattr(Judge, "__call__", stop_after_two)
    result = run("review", record)
    assert result.exit_code == 130
    assert "Interrupted. 1 round, 2 decisions:" in result.stdout


@pytest.mark.parametrize(("lang", "one", "many"), [("en", "1 decision ", "2 decisions "), ("zh", "1 次", "2 次")])
def test_one_is_one(lang, one, many):
    for number, told in ((1, one), (2, many)):
        assert (counted("decision", number, lang) + " ").startswith(told)


class Clock:
    now = 0.0

    def monotonic(self):
        return self.now


def test_how_long_it_takes_is_told_once_it_is_known(monkeypatch, capsys):
    clock = Clock()
    monkeypatch.setattr("kwx_sim.cli.progress.time", clock)
    monkeypatch.setattr("kwx_sim.cli.progress._compile", lambda: None)
    told = []
    with _Decisions("en") as progress:
        for done in range(13):
            progress(done, 60)
            told.append(progress._line(clock.now, 60))
            clock.now += 3
    assert "60 decisions to weigh" in capsys.readouterr().err
    assert told[1:6] == [f"{done} of 60 decisions" for done in range(1, 6)]
    assert told[12] == "12 of 60 decisions, about 0:02:24 left at this pace"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--rounds", "5:2"], "--rounds: expected A:B"),
        (["--rounds", "x"], "--rounds: expected A:B"),
        (["--rounds", "9:"], "end with round 2, so there is no round 9"),
        (["--seat", "3"], "--seat"),
        (["--worlds", "10"], "at least 800"),
        (["--format", "csv"], "--format"),
        (["--format", "mjai"], "start_round"),
        (["--opponents", "nobody"], "nobody"),
        (["--opponents", "hunter;careful"], "got several: hunter; careful"),
        (["--opponents", "all"], "got several"),
        (["--me", "nobody"], "nobody"),
        (["--workers", "100000"], "workers"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(record, options, told):
    result = run("review", record, *options)
    assert result.exit_code == 2
    assert told in result.stderr.splitlines()[-1]


def test_a_missing_file_is_refused():
    result = run("review", "nowhere.jsonl")
    assert result.exit_code == 2
    assert "nowhere.jsonl" in result.stderr
