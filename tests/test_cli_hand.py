"""`kwx hand`: golden hands in a batch, the whole answer for one hand, and what is refused."""

import json

import pytest
from cli_runs import CHINESE, answer, batch, golden, process, refused, run

HANDS = golden("hands.jsonl")
MISSING_SUIT = ("off", "sets_only", "strict")


def expected(case, missing_suit):
    field = "hu" if "hu" in case else "waits"
    value = case[field]
    return field, value[missing_suit] if isinstance(value, dict) else value


def test_golden_hands_in_a_batch():
    status, answers = batch("hand", HANDS)
    assert status == 0
    assert [told["id"] for told in answers] == [case["id"] for case in HANDS]
    for case, told in zip(HANDS, answers, strict=True):
        field, value = expected(case, "sets_only")
        assert told[field] == value, case
        # Ready exactly where something is waited for, won exactly where it wins.
        assert (told["shanten"] == -1) == told["hu"]
        assert field == "hu" or (told["shanten"] == 0) == bool(told["waits"])


@pytest.mark.parametrize("missing_suit", MISSING_SUIT)
def test_golden_wild_hands_under_each_missing_suit_rule(missing_suit):
    wild = [case | {"missing_suit": missing_suit} for case in HANDS if case["rules"] == "hongzhong"]
    status, answers = batch("hand", wild)
    assert (status, len(answers)) == (0, len(wild))
    for case, told in zip(wild, answers, strict=True):
        field, value = expected(case, missing_suit)
        assert told[field] == value, case


def test_a_batch_answers_bad_lines_and_goes_on():
    status, answers = batch(
        "hand",
        [
            {"id": "good", "hand": "1112345678999p"},
            {"id": "万", "hand": "123m"},
            "not json",
            "[1]",
            "",
            {"id": "size", "hand": "123p"},
            {"id": "type", "hand": 5},
            {"id": "none"},
            {"id": "rules", "hand": "1112345678999p", "rules": "nope"},
            {"id": "suit", "hand": "1112345678999p", "rules": "hongzhong", "missing_suit": "some"},
            {"id": "melds", "hand": "1112345678p", "melds": [1]},
            {"id": "wild", "hand": "1112345678p", "melds": ["pong:中"], "rules": "hongzhong"},
            '{"id": "twice", "hand": "1112345678999p", "hand": "1s"}',
            {"id": "last", "hand": "1112345678999p", "melds": None, "why": "unknown fields are kept out of the way"},
        ],
    )
    assert status == 1
    assert [told["id"] for told in answers] == [
        "good", "万", None, None, "size", "type", "none", "rules", "suit", "melds", "wild", None, "last",
    ]  # fmt: skip
    assert [told["id"] for told in answers if "error" not in told] == ["good", "last"]
    assert all("\n" not in told.get("error", "") for told in answers)
    assert "万" in answers[1]["error"]
    assert answers[0] == {
        "id": "good",
        "hu": False,
        "waits": ["1p", "2p", "3p", "4p", "5p", "6p", "7p", "8p", "9p"],
        "shanten": 0,
    }


def test_rules_of_the_call_hold_for_lines_without_rules():
    line = {"hand": "1112345678999p"}
    assert batch("hand", [line])[1][0]["waits"][-1] == "9p"
    assert batch("hand", [line], "--rules", "hongzhong")[1][0]["waits"][-1] == "中"


def test_a_batch_file_and_one_that_is_not_there(tmp_path):
    file = tmp_path / "hands.jsonl"
    file.write_text(json.dumps({"id": 1, "hand": "1112345678999p"}), "utf-8")
    assert json.loads(run("hand", "--batch", str(file)).stdout)["shanten"] == 0
    refused(run("hand", "--batch", str(tmp_path / "none.jsonl")), "cannot be read")
    refused(run("hand", "--batch", str(tmp_path)), "cannot be read")
    refused(run("hand", "123p", "--batch", str(file)), "leave out HAND")
    refused(run("hand", "--seen", "1p", "--batch", str(file)), "leave out --seen")


def test_a_batch_in_a_process_of_its_own():
    done = process("hand", "--batch", "-", stdin='{"id": "a", "hand": "11p"}\n\ufeff{"id": "b"}'.encode())
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr == b""


def test_ready():
    told = answer("hand", "1122334455566p", "--seen", "4p 6p")
    assert (told["hu"], told["shanten"], told["waits"]) == (False, 0, ["1p", "4p", "5p", "6p"])
    assert [wait["live"] for wait in told["ready"]] == [2, 1, 1, 1]
    assert told["ready"][2]["discard"]["fans"] == {"full_flush": 4, "concealed_four_to_one": 4, "kawuxing": 2}
    assert told["ready"][2]["self_draw"]["fan"] == 32


def test_ready_with_melds_and_all_that_can_be_seen():
    told = answer("hand", "4688p", "--melds", "pong:中 碰:发 pong:白", "--seen", "555p")
    assert told["melds"] == ["pong:中", "pong:发", "pong:白"]
    assert told["ready"] == [
        {
            "tile": "5p",
            "live": 1,
            "self_draw": {"fan": 16, "fans": {"big_three_dragons": 8, "kawuxing": 2}},
            "discard": {"fan": 16, "fans": {"big_three_dragons": 8, "kawuxing": 2}},
        }
    ]


def test_self_draw_and_discard_are_told_apart_where_they_differ():
    told = answer("hand", "123789s45556p中中", "--rules", "platform")
    five = next(wait for wait in told["ready"] if wait["tile"] == "5p")
    assert five["self_draw"]["fans"] == {"concealed_four_to_one": 4, "kawuxing": 2}
    assert five["discard"]["fans"] == {"kawuxing": 2}
    lines = run("hand", "123789s45556p中中", "--rules", "platform").stdout.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("5p"))
    assert "self-draw" in lines[at]
    assert "discard" in lines[at + 1]


def test_far_from_ready():
    told = answer("hand", "19s 113459p 中中", "--melds", "pong:发", "--seen", "中")
    assert told["shanten"] == 2
    assert told["acceptance"]["中"] == 1
    assert told["live"] == sum(told["acceptance"].values())
    assert "ready" not in told
    assert "Shanten 2." in run("hand", "19s 113459p 中中", "--melds", "pong:发").stdout


def test_discards_best_first():
    told = answer("hand", "123s 45566p 46p 中中 28s")
    found = told["discards"]
    assert [one["tile"] for one in found][:2] == ["2s", "8s"]
    assert {one["tile"] for one in found} == {"1s", "2s", "3s", "8s", "4p", "5p", "6p", "中"}
    assert [(one["shanten"], -one["live"]) for one in found] == sorted((one["shanten"], -one["live"]) for one in found)
    assert found[0]["acceptance"]["2s" if "2s" in found[0]["acceptance"] else "6s"] in range(5)
    for one in found:
        assert one["live"] == sum(one["acceptance"].values())
        assert one["waits"] == []


def test_a_discard_that_leaves_the_hand_ready_says_its_waits():
    told = answer("hand", "1112345678999p 中")
    best = told["discards"][0]
    assert (told["shanten"], best["tile"], best["shanten"]) == (0, "中", 0)
    assert best["waits"] == ["1p", "2p", "3p", "4p", "5p", "6p", "7p", "8p", "9p"]
    assert best["live"] == 23
    assert "打一张就听牌，最好打 中" in run("hand", "1112345678999p 中", env=CHINESE).stdout


def test_a_won_hand_gives_its_readings():
    told = answer("hand", "11223344556677p")
    assert (told["hu"], told["shanten"], told["waits"]) == (True, -1, [])
    totals = [reading["fan"] for reading in told["readings"]]
    assert totals == sorted(totals, reverse=True)
    assert told["readings"][0]["fans"] == {"full_flush": 4, "seven_pairs": 4}
    assert {"win": "5p", "fans": {"full_flush": 4, "kawuxing": 2}}.items() <= told["readings"][1].items()
    page = run("hand", "11223344556677p", env=CHINESE).stdout
    assert "清一色 full_flush 4 × 七对 seven_pairs 4" in page
    assert "123筒  123筒  456筒  456筒  77筒" in page


def test_a_hand_that_cannot_win_any_more():
    args = ("hand", "1112345p", "--melds", "pong:1s pong:2p", "--rules", "hongzhong")
    assert answer(*args)["shanten"] == 99
    assert "Cannot win" in run(*args).stdout
    assert answer(*args, "--missing-suit", "off")["shanten"] == 0


def test_wins_below_the_minimum_are_marked(tmp_path):
    file = tmp_path / "two.toml"
    file.write_text('extends = "xiangyang"\nname = "two"\n[play]\nmin_fan_on_discard = 2\n', "utf-8")
    page = run("hand", "12367899s34p中中中", "--rules", str(file)).stdout
    assert "below the minimum of 2" in page


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("hand", ["1112345678999p", "1112345678999p中", "11223344556677p", "19s113459p中中发白28s"])
def test_tables_are_aligned_in_both_languages(hand, lang):
    from kwx_sim.cli.terminal import cells

    lines = run("hand", hand, "--lang", lang).stdout.splitlines()
    rule = next((n for n, line in enumerate(lines) if set(line) == {"─"}), None)
    if rule is not None:
        assert max(cells(line) for line in lines[rule + 1 :]) <= cells(lines[rule])
    assert not any(line.endswith(" ") for line in lines)
    assert ("筒" in "".join(lines)) == (lang == "zh")


@pytest.mark.parametrize(
    ("args", "part"),
    [
        ((), "HAND is missing"),
        (("",), "expected at least one tile"),
        (("123m",), "万"),
        (("-1s",), "no such option"),
        (("123p",), "expected 13 concealed tiles, or 14 after a draw, with 0 melds; got 3"),
        (("123p", "--melds", "pong:1p pong:2p pong:3p pong:4p"), "expected 1 concealed tiles, or 2"),
        (("1112345678999p", "--seen", "111p"), "6 copies of 1p in hand, melds and seen tiles together"),
        (("1112345678999p", "--rules", "nope"), "no such preset or file"),
        (("1112345678999p", "--missing-suit", "some"), "missing_suit"),
        (("1112345678中中中", "--rules", "hongzhong"), "no suit"),
        (("1112345678p发发发", "--rules", "hongzhong"), "not in the set of 76"),
        (("1112345678p", "--melds", "pong:中", "--rules", "hongzhong"), "wild"),
        (("1112345678p", "--melds", "chi:3p"), "no chi"),
    ],
)
def test_refusals(args, part):
    refused(run("hand", *args), part)
    assert run("hand", *args, env=CHINESE).exit_code == 2
