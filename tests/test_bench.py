"""The benchmark's own logic: what counts as a loss, where the games agree, and the README's table."""

import json

import numpy as np
import pytest
from bench import agree, check, kernels, peers, readme, show
from bench.figures import figure, verdict
from bench.inputs import HANDS, Hands, hands, some
from bench.timing import in_turn, medians

import kwx_sim

BASELINE = {"waits": 2.0, "rounds": 40.0}


def runs(*found):
    """Stand in for measuring: the ratios of one run after another."""
    left = list(found)
    return lambda: BASELINE | left.pop(0)


def checked(run, baseline=BASELINE):
    told = []
    return check.check(baseline, run, told.append), told


# ---------------------------------------------------------------- losses


def test_up_to_the_tolerance_nothing_is_lost():
    passed, told = checked(runs(*[{"waits": 2.6, "rounds": 52.0}] * 3))
    assert passed
    assert told == ["waits: 2.60, baseline 2.00 (+30%)", "rounds: 52.00, baseline 40.00 (+30%)"]


def test_one_slow_run_of_three_does_not_count():
    assert checked(runs({"waits": 9.0}, {}, {}))[0]


def test_a_loss_is_measured_again_before_it_counts():
    passed, told = checked(runs(*[{"waits": 3.0}] * 3, *[{"waits": 2.1}] * 3))
    assert passed
    assert told[0] == "waits: 3.00, baseline 2.00 (+50%), measured again 2.10: passing noise"


def test_a_loss_that_is_confirmed_fails():
    passed, told = checked(runs(*[{"waits": 3.0}] * 6))
    assert not passed
    assert told[0] == "waits: 3.00, baseline 2.00 (+50%), measured again 3.00: LOST"


def test_a_loss_in_one_place_and_then_in_another_is_noise():
    assert checked(runs(*[{"waits": 3.0}] * 3, *[{"rounds": 90.0}] * 3))[0]


def test_gains_pass():
    assert checked(runs(*[{"waits": 0.5}] * 3))[0]


def test_what_is_no_longer_measured_fails_and_what_is_new_is_told():
    passed, told = checked(runs({}, {}, {}), {"waits": 2.0, "shanten": 3.0})
    assert not passed
    assert told == [
        "waits: 2.00, baseline 2.00 (+0%)",
        "rounds: 40.00, not in the baseline",
        "shanten: in the baseline, no longer measured",
    ]


def test_main_exits_with_status_one_for_a_loss(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(check, "BASELINE", tmp_path / "baseline.json")
    monkeypatch.setattr(check, "pin", lambda: None)
    monkeypatch.setattr(check, "measure", lambda: {"waits": 2.00001})
    check.main(["--update"])
    assert json.loads(check.BASELINE.read_text()) == {"waits": 2.0}
    check.main([])
    monkeypatch.setattr(check, "measure", lambda: {"waits": 3.0})
    with pytest.raises(SystemExit) as left:
        check.main([])
    assert left.value.code == 1
    assert "LOST" in capsys.readouterr().out


def test_the_committed_baseline_is_of_ratios_that_are_still_measured():
    baseline = json.loads(check.BASELINE.read_text("utf-8"))
    assert {work.name for work in kernels.WORKS if work.name in baseline} >= {"waits, ready 13 tiles"}
    assert all(ratio > 0 for ratio in baseline.values())


# ---------------------------------------------------------------- timing


def test_calls_take_turns_and_the_first_turn_is_not_counted():
    called = []
    times = in_turn({"a": lambda: called.append("a"), "b": lambda: called.append("b")}, 2)
    assert "".join(called) == ("a" * 8 + "b" * 8) * 3
    assert {name: len(found) for name, found in times.items()} == {"a": 16, "b": 16}
    assert medians({"a": lambda: None}, {"a": 10}, 1)["a"] < 1e6


# ---------------------------------------------------------------- hands


@pytest.mark.parametrize("wild", [False, True])
def test_hands_are_what_they_are_called(wild):
    start, rules = ("wild ", "hongzhong") if wild else ("", None)
    assert kwx_sim.is_hu(hands(f"{start}won 14").counts, None, rules).all()
    assert kwx_sim.waits(hands(f"{start}ready 13").counts, None, rules).any(axis=1).all()
    melded = some(hands(f"{start}two melds"), 1_000)
    assert (kwx_sim.shanten(melded.counts, melded.melds, rules) < 9).all()
    assert ((melded.melds > 0).sum(axis=1) == 2).all()
    assert (melded.counts.sum(axis=1) == 7).all()


def test_hands_are_the_same_in_every_run():
    made = HANDS["ready 13"](np.random.default_rng([20_261_129, *b"ready 13"]))
    assert np.array_equal(made.counts, hands("ready 13").counts)


# ---------------------------------------------------------------- where the games agree


@pytest.mark.parametrize(
    ("question", "hand", "melds", "alike"),
    [
        ("win", "1111s 22s 33s 44p 55p 中中", None, False),  # seven pairs here, five kinds and a four there
        ("win", "1111s 23s 456p 789p 中中", None, True),
        ("waits", "1111s 22s 33s 44p 55p 中", None, False),
        ("waits", "1112345678999p", None, True),
        ("shanten", "1111s 22s 33s 44p 5p 7p 中", None, False),
        ("shanten", "1111s 23s 456p 789p 中", None, True),
        ("shanten", "12s 35s 46s 8s 19p 37p 中 发", None, True),
        ("melded shanten", "1123456s", "777p 中中中", True),
        ("melded shanten", "1123456s", "777s 中中中", False),
        ("melded shanten", "112345s 中", "777p 中中中", False),
        ("acceptance", "1111s 22s 33s 44p 5p 7p 中", None, False),
    ],
)
def test_hands_on_which_the_games_agree(question, hand, melds, alike):
    parsed = Hands(*(None if text is None else kwx_sim.parse_hand(text)[None] for text in (hand, melds)))
    assert agree.ALIKE[question](parsed).tolist() == [alike]


def test_a_peer_that_disagrees_is_named_with_the_hand():
    two = Hands(np.stack([kwx_sim.parse_hand("123s456789p11122s"), kwx_sim.parse_hand("1111s22s33s44p55p中中")]))
    ours = np.array([True, True])
    assert agree.compare("win", two, ours, [True, False], "peer") == 1
    with pytest.raises(agree.DisagreementError, match="win: 11112223s 456789p"):
        agree.compare("win", two, ours, [False, True], "peer")


def test_the_peer_of_the_tests_agrees():
    for peer in peers.answerers():
        if peer.package == "mahjong" and peer.read is not None:
            [work, *_] = [work for work in kernels.WORKS if work.question == peer.question]
            part = some(hands(work.hands), 50)
            theirs = [peer.read(answer) for answer in peer.answers(peer.forms(part))]
            assert 0 < agree.compare(peer.question, part, work.call(part), theirs, "mahjong") <= 50


def test_hands_in_the_peers_forms():
    row = kwx_sim.parse_hand("1123s 9p 中发白")[None]
    [wide] = peers._as_34(row)
    assert [kind for kind, held in enumerate(wide) for _ in range(held)] == [0, 0, 1, 2, 17, 31, 32, 33]
    assert peers._tile_ids(wide, []) == [0, 1, 4, 8, 68, 124, 128, 132]
    melds = peers._as_34(kwx_sim.parse_hand("444s 中中中中")[None])[0]
    assert peers._text(wide, melds) == "m1123p9z567,m444+,z7777"


# ---------------------------------------------------------------- figures and the README's table


@pytest.mark.parametrize(
    ("value", "bar", "at_least", "told"),
    [
        (9, 10, False, "✓"),
        (12, 10, False, "20% over"),
        (12, 10, True, "✓"),
        (8, 10, True, "20% short"),
        (8, None, 0, ""),
    ],
)
def test_a_figure_beside_its_bar(value, bar, at_least, told):
    assert verdict(figure("it", value, "ns", bar, at_least)) == told


@pytest.mark.parametrize(
    ("value", "unit", "told"),
    [
        (8.04, "ns", "8.0 ns"),
        (99.96, "ns", "100.0 ns"),
        (123.4, "ns", "123 ns"),
        (63_632, "ns", "63,600 ns"),
        (251_537, "/s", "252,000/s"),
        (0.0163, "s", "0.02 s"),
        (290.4, "MB", "290 MB"),
        (1.031, "×", "1.03×"),
    ],
)
def test_figures_in_words(value, unit, told):
    assert show.in_words(value, unit) == told


def kernel(name, value, **named_peers):
    row = figure(name, value, "ns", 10)
    row["limits"] = {"index": 3.0, "look-up": 1.0}
    row["peers"] = {package: {"ns": ns, "compared": compared} for package, (ns, compared) in named_peers.items()}
    return row


REPORT = {
    "made": {"date": "2026-12-01", "cpu": "a chip", "python": "3.11.7", "versions": {"numba": "1", "gone": None}},
    "sections": {
        "Kernels": [
            kernel("is_hu, won hands", 8.04, mahjong=(5_000.0, 9), xiangting=(804.0, 9)),
            kernel("fans and payment, suizhou", 120.0, mahjong=(60_000.0, 0)),
            kernel("fans and payment, shiyan", 90.0, mahjong=(61_000.0, 0)),
            kernel("waits, ready 13 tiles, wild", 50.0),
        ],
        "Whole rounds": [
            figure("random, suizhou", 600_000, "/s"),
            figure("random, shiyan", 510_000, "/s"),
            figure("random, hongzhong", 500_000, "/s"),
        ],
        readme.PEER_ROUNDS: [figure("slow: a game", 20, "/s"), figure("fast: a game", 500, "/s")],
        "One hand a call, from Python": [
            figure("is_hu, one hand", 1_900, "ns"),
            figure("waits, one hand", 99, "ns"),
        ],
    },
}


def test_the_table_of_a_report():
    over, lines = readme.table(REPORT).split("\n\n")
    assert over.startswith(
        "Speed on one core (a chip), medians of one run of `make bench` on 2026-12-01 with Python 3.11.7, "
    )
    assert lines.splitlines() == [
        "| work | here | best peer from PyPI, same hands | times |",
        "|---|---|---|---|",
        "| `is_hu`, won hands | 8.0 ns | `xiangting` 804 ns | 100× |",
        "| `waits`, ready 13 tiles, wild | 50.0 ns | – | – |",
        "| fans and payment of a win, 84 tiles | 90.0 ns to 120 ns | `mahjong` 60,000 ns, its own rules | 500× |",
        "| `is_hu`, `waits`, one hand a call | 99.0 ns to 1,900 ns | – | – |",
        "| rounds, `random`, 84 tiles | 510,000/s to 600,000/s | `fast` 500/s, its own game | 1,020× |",
        "| rounds, `random`, `hongzhong` | 500,000/s | – | – |",
    ]


def test_the_readme_shows_the_committed_report():
    made = readme.table(json.loads(readme.REPORT.read_text("utf-8")))
    text = readme.README.read_text("utf-8")
    assert readme.within_markers(text, made) == text, "make bench-table writes it"


def test_a_readme_without_markers_is_refused():
    with pytest.raises(ValueError, match="lacks the markers"):
        readme.within_markers("# kwx_sim", "| work |")
