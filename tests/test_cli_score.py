"""`kwx score`: golden wins in a batch, one win for people, and what is refused."""

import pytest
from cli_runs import CHINESE, answer, batch, golden, refused, run

CASES = golden("fans.jsonl") + golden("scores.jsonl")
WIN = ("score", "4688p", "--melds", "pong:中 pong:发 pong:白", "--win", "5p")


def test_golden_wins_in_a_batch():
    status, answers = batch("score", CASES)
    assert status == 0
    assert [told["id"] for told in answers] == [case["id"] for case in CASES]
    for case, told in zip(CASES, answers, strict=True):
        expected = case["expected"]
        assert set(told) == {"id", "hu", "fan", "fans", "reading", "payments"}
        assert told["hu"] == expected.get("hu", True), case
        assert told["fan"] == expected.get("fan", 0), case
        if "fans_any_of" in expected:
            assert sorted(told["fans"]) in expected["fans_any_of"], case
        if "payments" in expected:
            assert told["payments"] == expected["payments"], case
        assert sum(told["payments"]) == 0


def test_a_batch_answers_bad_lines_and_goes_on():
    good = {"id": 1, "hand": "4688p", "melds": ["pong:中", "pong:发", "pong:白"], "win": "5p"}
    bad = [
        {"win": None},
        {"win": "5p6p"},
        {"by": "theft"},
        {"by": ["discard"]},
        {"events": 5},
        {"events": [[]]},
        {"events": ["rain"]},
        {"events": ["kong_cannon"]},
        {"winner_liangdao": "false"},
        {"payer_liangdao": [True]},
        {"payer_liangdao": [1, 0]},
        {"piao": 5},
        {"piao": [1, 0, 2]},
        {"piao": [1.0, 0, 0]},
        {"room": "平民场"},
        {"room": 4},
        {"maima": "3p"},
        {"hand": "4688888p"},
        {"melds": {"pong": "中"}},
    ]
    status, answers = batch("score", [good, *(good | change for change in bad), good])
    assert status == 1
    assert len(answers) == len(bad) + 2
    assert answers[0] == answers[-1]
    assert answers[0]["fans"] == {"big_three_dragons": 8, "kawuxing": 2}
    for change, told in zip(bad, answers[1:-1], strict=True):
        assert set(told) == {"id", "error"}, change
        assert "\n" not in told["error"]


def test_one_win_as_json():
    told = answer(*WIN, "--by", "discard")
    assert told == {
        "hu": True,
        "fan": 16,
        "fans": {"big_three_dragons": 8, "kawuxing": 2},
        "reading": ["456p", "88p", "中中中", "发发发", "白白白"],
        "payments": [8, -8, 0],
    }


def test_every_option_reaches_the_payment():
    platform = ("score", "12355s12346789p", "--win", "5p", "--rules", "platform", "--room", "平民场")
    stakes = ("--piao", "1,0,2", "--maima", "中")
    told = answer(*platform, *stakes, "--liangdao", "--events", "kong_flower")
    # (卡五星 2 × 杠上开花 2 + piao + maima 10) × 1,000 × 2 for the declared winner.
    assert told["payments"] == [2 * (4 + 1 + 10 + 4 + 3 + 10) * 1000, -30_000, -34_000]
    assert answer(*platform, "--events", "kong_flower, last_tile_draw")["fan"] == 8
    assert answer(*WIN, "--liangdao", "--rules", "suizhou")["payments"] == [64, -32, -32]
    assert answer(*WIN, "--by", "robbed", "--rules", "suizhou")["fan"] == 32


def test_a_payer_who_has_declared(tmp_path):
    file = tmp_path / "both.toml"
    file.write_text('extends = "suizhou"\nname = "both"\n[liangdao]\napplies = "winner_or_payer"\n', "utf-8")
    call = (*WIN, "--rules", str(file))
    assert answer(*call, "--payer-liangdao", "2")["payments"] == [48, -16, -32]
    assert answer(*call, "--payer-liangdao", "1,2")["payments"] == [64, -32, -32]


def test_wild_hands_under_another_missing_suit_rule():
    two_suits = ("score", "123s 22344p 9p 中", "--melds", "pong:8s", "--win", "9p", "--rules", "hongzhong")
    assert not answer(*two_suits)["hu"]
    assert answer(*two_suits, "--missing-suit", "off")["hu"]


def test_for_people():
    page = run(*WIN, "--by", "discard").stdout
    assert "Won with 5p by discard, rules xiangyang." in page
    assert "big_three_dragons 大三元" in page
    assert "Paid at the cap of 8." in page
    assert "payer 1 (feeder)" in page
    page = run(*WIN, "--rules", "platform", "--room", "平民场", env=CHINESE).stdout
    assert "自摸胡 5筒，规则 platform。" in page
    assert "拆法：456筒  88筒  中中中  发发发  白白白" in page
    assert "+32,000" in page
    assert "封顶" not in page


def test_double_dragon_seven_pairs_have_a_cap_of_their_own():
    assert "cap of 16" in run("score", "1111222233334p", "--win", "4p", "--by", "discard").stdout


def test_a_hand_that_does_not_win():
    result = run("score", "12355678s46p中中中", "--win", "5s")
    assert result.exit_code == 0
    assert "5s does not win" in result.stdout
    assert answer("score", "12355678s46p中中中", "--win", "5s") == {
        "hu": False,
        "fan": 0,
        "fans": {},
        "reading": [],
        "payments": [0, 0, 0],
    }


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (("score",), "HAND is missing"),
        (("score", "4688p"), "--win is missing"),
        (("score", "4688p", "--win", "5p"), "expected 13 tiles"),
        ((*WIN, "--by", "luck"), "expected self_draw, discard or robbed"),
        ((*WIN, "--events", "rain"), "expected one of"),
        ((*WIN, "--piao", "a,b,c"), "--piao: expected whole numbers"),
        ((*WIN, "--piao", "1,1,1"), "piao"),
        ((*WIN, "--payer-liangdao", "3"), "--payer-liangdao: expected 1"),
        ((*WIN, "--room", "平民场"), "no room"),
        ((*WIN, "--maima", "5s"), "maima"),
        ((*WIN, "--rules", "hongzhong"), "76"),
        (("score", "--win", "5p", "--batch", "-"), "leave out --win"),
    ],
)
def test_refusals(args, part):
    refused(run(*args), part)
    assert run(*args, env=CHINESE).exit_code == 2
