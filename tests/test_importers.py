"""Records in other forms: what they tell is played again as it was, and what does not map is refused with its line."""

import json
import random
from functools import cache
from pathlib import Path

import pytest
from cli_runs import run

from kwx_sim import records
from kwx_sim.errors import InputError
from kwx_sim.play import Round
from kwx_sim.positions.of_round import position_of_round
from kwx_sim.rules import PRESETS, load_rules
from kwx_sim.tiles import parse_hand, parse_tile

SEATS = 3
MJAI = {
    "draw": "tsumo", "discard": "dahai", "pong": "pon", "direct_kong": "daiminkan", "concealed_kong": "ankan",
    "added_kong": "kakan", "win": "hora",
}  # fmt: skip
MJAI_DRAGONS = {"白": "P", "发": "F", "中": "C"}
MPSZ_DRAGONS = {"白": "5z", "发": "6z", "中": "7z"}


@cache
def at_random(table, seed):
    """A round of random choices that lean towards calls and wins."""
    rules, random_ = load_rules(table), random.Random(f"{table} {seed}")
    wall = [slot for slot in range(rules.n_kinds) for _ in range(4)]
    random_.shuffle(wall)
    played = Round(rules, wall, random_.randrange(SEATS))
    while due := played.decision():
        eager = [action for action in due.legal if not action.startswith(("discard", "pass"))]
        plain = [action for action in due.legal if action not in eager]
        played.apply(random_.choice(eager if eager and (not plain or random_.random() < 0.7) else plain))
    return played


def events_of(played):
    return records.events_of(played.state, played.rules)


def tiles_of(hand, dragons):
    counts = parse_hand(hand)
    names = [f"{n % 9 + 1}{'sp'[n // 9]}" for n in range(18)] + ["中", "发", "白"]
    return [dragons.get(names[slot], names[slot]) for slot in range(21) for _ in range(counts[slot])]


def acts_of(event):
    """An event as (kind, seat, tile), or nothing."""
    kind = event.get("kind", event["type"])
    if kind in (*MJAI, "pass", "liangdao"):
        yield kind, event["seat"], event.get("tile")


def as_mpsz(played, hidden=(), wall=False):
    events = events_of(played)
    start = events[0]
    lines = [f"round {start['rules']['name']}  # a comment", f"dealer {start['dealer']}", "piao 0 0 0"]
    if wall:
        lines.append("wall " + start["wall"])
    for seat, hand in enumerate(start["hands"]) if not wall else ():
        lines.append(f"hand {seat} " + ("?" if seat in hidden else "".join(tiles_of(hand, MPSZ_DRAGONS))))
    declared = None
    for event in events:
        for kind, seat, tile in acts_of(event):
            if kind == "liangdao":
                declared = event
                continue
            name = MPSZ_DRAGONS.get(tile, tile)
            if kind == "draw" and seat in hidden:
                name = "?"
            if kind == "discard" and declared:
                kind, name = "liangdao", f"{name} {declared.get('hand', '')}"
                declared = None
            lines.append(f"{seat} {kind} {name}".rstrip())
    return "\n".join([*lines, "end"]) + "\n"


def mjai_events(played, hidden=()):
    """A round as mjai writes it, with the fields that say nothing here."""
    events = events_of(played)
    start = events[0]
    hands = [["?"] * 13 if n in hidden else tiles_of(hand, MJAI_DRAGONS) for n, hand in enumerate(start["hands"])]
    told = [
        {"type": "start_game", "names": ["a", "b", "c"]},
        {"type": "start_kyoku", "oya": start["dealer"], "tehais": hands, "dora_marker": "1s", "scores": [1, 2, 3]},
    ]
    drawn = None
    for event in events:
        for kind, seat, tile in acts_of(event):
            name = MJAI_DRAGONS.get(tile, tile)
            came = {"type": MJAI.get(kind), "actor": seat, "pai": name}
            if kind == "draw":
                drawn = tile
                came |= {"pai": "?"} if seat in hidden else {}
            elif kind == "discard":
                came |= {"tsumogiri": tile == drawn}
            elif kind == "liangdao":
                hand = {"tehai": tiles_of(event["hand"], MJAI_DRAGONS)} if "hand" in event else {}
                came = {"type": "reach", "actor": seat} | hand
            elif kind == "concealed_kong":
                came = {"type": "ankan", "actor": seat, "consumed": [name] * 4}
            elif kind == "win":
                came |= {"target": event.get("feeder", seat), "deltas": [0, 0, 0]}
            elif kind != "pass":
                came |= {"consumed": [name] * (2 if kind == "pong" else 3)}
                came |= {"target": event["feeder"]} if "feeder" in event else {}
                drawn = None
            if kind != "pass":
                told.append(came)
    told += [{"type": "ryukyoku"}] if events[-1]["outcome"] == "undecided" else []
    return [*told, {"type": "end_kyoku"}, {"type": "end_game"}]


def as_mjai(played, hidden=()):
    return mjai(*mjai_events(played, hidden))


def mjai(*events):
    return "".join(json.dumps(event) + "\n" for event in events)


def written(tmp_path, text):
    path = tmp_path / "record"
    path.write_text(text, "utf-8")
    return path


def rounds(tmp_path, text, rules="xiangyang", form=None):
    return list(records.read_rounds(written(tmp_path, text), load_rules(rules), form))


@pytest.mark.parametrize("table", PRESETS)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("wall", [False, True])
def test_mpsz_gives_the_round_back(table, seed, wall, tmp_path):
    played = at_random(table, seed)
    [found] = rounds(tmp_path, as_mpsz(played, wall=wall))
    assert found.known == {0, 1, 2}
    assert found.played.actions() == played.actions()
    assert found.played.rules == played.rules


def test_the_page_shows_an_mpsz_record_that_is_read(tmp_path):
    page = (Path(__file__).parents[1] / "docs" / "records.md").read_text(encoding="utf-8")
    example = next(block for block in page.split("```") if "0 draw 5z" in block).removeprefix("text")
    [found] = rounds(tmp_path, example)
    assert found.known == {0}
    assert (found.played.rules.name, len(found.played.actions())) == ("platform", 4)


@pytest.mark.parametrize("table", PRESETS)
@pytest.mark.parametrize("seed", range(5))
def test_mjai_gives_the_round_back(table, seed, tmp_path):
    played = at_random(table, seed)
    [found] = rounds(tmp_path, as_mjai(played), table)
    assert found.played.actions() == played.actions()


def positions(played, seat):
    """What a seat knows before each of its actions, and whose actions bring it about."""
    again = Round(played.rules, played.wall, played.dealer, played.piao, played.room)
    found = []
    for action in played.actions():
        if again.decision().seat == seat:
            found.append(position_of_round(again.state, seat, again.rules))
        again.apply(action)
    return found


@pytest.mark.parametrize("write", [as_mpsz, as_mjai])
@pytest.mark.parametrize("table", ["xiangyang", "shiyan", "hongzhong"])
def test_what_is_hidden_changes_nothing_of_what_a_seat_knows(write, table, tmp_path):
    for seed in range(6):
        played = at_random(table, seed)
        [found] = rounds(tmp_path, write(played, hidden=(1, 2)), table)
        assert found.known == {0}
        told, expected = positions(found.played, 0), positions(played, 0)
        # The record may end with a win that only the winner's hand explains.
        assert len(told) >= len(expected) - 1
        assert told == expected[: len(told)]


def test_many_rounds_and_one_that_is_not_finished(tmp_path):
    first, second = at_random("xiangyang", 1), at_random("shiyan", 2)
    text = as_mpsz(first) + "\n".join(as_mpsz(second).splitlines()[:20]) + "\n"
    found = rounds(tmp_path, text)
    assert [each.played.over for each in found] == [True, False]
    assert found[1].played.actions() == second.actions()[: len(found[1].played.actions())]


def test_the_form_is_found_out(tmp_path):
    played = at_random("xiangyang", 3)
    own = "".join(records.dump(event) + "\n" for event in events_of(played))
    for text in (own, as_mpsz(played), as_mjai(played)):
        [found] = rounds(tmp_path, text)
        assert found.played.actions() == played.actions()


START = {"type": "start_kyoku", "oya": 0, "tehais": [["?"] * 13] * 3}
HEAD = "round xiangyang\nhand 0 123456789s1122p\n"


@pytest.mark.parametrize(
    ("text", "line", "told", "chinese"),
    [
        (mjai({"type": "start_game"}, {"type": "tsumo", "actor": 0, "pai": "1p"}), 2, "start_kyoku", "start_kyoku"),
        (mjai(START | {"tehais": [["?"] * 13] * 4}), 1, "three players", "三人"),
        (mjai({"type": "start_game", "names": list("abcd")}), 1, "three players", "三人"),
        (mjai(START | {"tehais": [["1m"] * 13] * 3}), 1, '"1m"', '"1m"'),
        (mjai(START | {"tehais": [["E"] * 13] * 3}), 1, '"E"', '"E"'),
        (mjai(START | {"oya": 3}), 1, "seat", "座位"),
        (mjai(START, {"type": "chi", "actor": 0, "pai": "1p"}), 2, '"chi"', '"chi"'),
        (mjai(START), 1, "no seat's hand", "没有给出"),
        ("0 draw 1p\n", 1, "begins a round", "round"),
        ("round nowhere.toml\n", 1, "preset", "预设"),
        ("round\nhand 0 1p\n", 2, "13 tiles", "13 张"),
        ("round\nhand 0 1m2m3m\n", 2, "1", "1"),
        (HEAD + "dance 3\n", 3, "dance", "dance"),
        (HEAD + "0 dance 1p\n", 3, "dance", "dance"),
        (HEAD + "0 draw 3p\n0 discard 9p\n", 4, "does not hold 9p", "没有 9p"),
        (HEAD + "0 draw 3p\n1 discard 9p\n", 4, "seat 1", "座位 0"),
        (HEAD + "1 draw 3p\n", 3, "seat 0", "座位 0"),
        (HEAD + "0 draw 3p\n0 discard 3p\npiao 1 1 1\n", 5, "before the first act", "第一个动作之前"),
        (HEAD + "0 draw 1s\n" * 500, 403, "at most 400", "最多 400"),
        (HEAD + "piao 1 x 1\n", 3, "'x'", "'x'"),
        (HEAD + "end\n0 draw 3p\n", 4, "has ended", "已结束"),
        (HEAD + "0 win\n", 3, "win: the tile is missing; write the line like: 0 win 5p", "win：缺少牌"),
        ("[" * 100_000, 1, "[" * 59 + "…", "[…"),
    ],
)
def test_refusals_name_the_line(text, line, told, chinese, tmp_path):
    with pytest.raises(InputError) as refused:
        rounds(tmp_path, text)
    english = refused.value.message("en")
    assert f"line {line}:" in english
    assert told in english
    assert "\n" not in english
    assert f"第 {line} 行" in refused.value.message("zh")
    assert chinese in refused.value.message("zh")


# ---------------------------------------------------------------- what contradicts the record


def wrong_feeder(event):
    return event | {"target": (event["target"] + 1) % SEATS}


def other_tile(event):
    return event | {"pai": "1s" if event["pai"] != "1s" else "2s"}


def other_actor(event):
    return event | {"actor": (event["actor"] + 1) % SEATS}


def own_draw(event):
    return event["target"] == event["actor"]


SPOILED = [
    ("hora", lambda event: not own_draw(event), wrong_feeder, "expected a claim on"),
    ("hora", lambda event: not own_draw(event), lambda event: event | {"target": event["actor"]}, "expected a claim"),
    ("hora", lambda event: not own_draw(event), other_tile, "expected a claim on"),
    ("hora", own_draw, wrong_feeder, "by its own draw"),
    ("hora", own_draw, other_tile, "has just drawn"),
    ("hora", own_draw, other_actor, "expected seat"),
    ("dahai", lambda event: not event["tsumogiri"], lambda event: event | {"tsumogiri": True}, "drawn"),
    ("dahai", lambda _: True, other_actor, "expected seat"),
    ("tsumo", lambda _: True, other_actor, "expected"),
    ("pon", lambda _: True, wrong_feeder, "expected a claim on"),
    ("pon", lambda _: True, lambda event: other_tile(event) | {"consumed": None}, "expected a claim on"),
    ("pon", lambda _: True, lambda event: event | {"consumed": ["1s", "2s"]}, "consumed: expected 2 tiles"),
    ("daiminkan", lambda _: True, wrong_feeder, "expected a claim on"),
    ("daiminkan", lambda _: True, lambda event: event | {"consumed": event["consumed"][:2]}, "expected 3 tiles"),
    ("ankan", lambda _: True, lambda event: event | {"consumed": [*event["consumed"][:3], "1s"]}, "expected 4 tiles"),
    ("kakan", lambda _: True, lambda event: event | {"consumed": []}, "consumed: expected 3 tiles"),
]


@pytest.mark.parametrize("hidden", [(), (1, 2)])
@pytest.mark.parametrize(("kind", "fits", "spoil", "told"), SPOILED)
def test_what_contradicts_the_record_is_refused_where_it_stands(kind, fits, spoil, told, hidden, tmp_path):
    found = 0
    for seed in range(60):
        events = mjai_events(at_random("xiangyang", seed), hidden)
        place = next((n for n, each in enumerate(events) if each["type"] == kind and fits(each)), None)
        if place is None:
            continue
        spoiled = [*events[:place], spoil(events[place]), *events[place + 1 :]]
        if hidden and "drawn" in told and refused_nothing(spoiled, tmp_path):
            continue  # nobody knows what a hidden hand has drawn
        with pytest.raises(InputError) as refused:
            rounds(tmp_path, mjai(*spoiled))
        assert f"line {place + 1}:" in refused.value.message()
        assert told in refused.value.message()
        assert "\n" not in refused.value.message("zh")
        found += 1
        if found == 3:
            return
    assert found or hidden


def refused_nothing(events, tmp_path):
    try:
        return bool(rounds(tmp_path, mjai(*events)))
    except InputError:
        return False


def test_a_draw_that_is_left_out_is_refused(tmp_path):
    events = mjai_events(at_random("xiangyang", 1))
    place = [n for n, each in enumerate(events) if each["type"] == "tsumo"][3]
    with pytest.raises(InputError, match=f"line {place + 1}:.*a draw of seat"):
        rounds(tmp_path, mjai(*events[:place], *events[place + 1 :]))


def test_the_first_that_is_wrong_is_named_not_what_no_longer_fits_later(tmp_path):
    text = HEAD + "0 draw 3p\n0 added_kong 1p\n0 draw 4p\n0 discard 8p\n"
    with pytest.raises(InputError, match="line 4: seat 0: added_kong 1p is illegal"):
        rounds(tmp_path, text)
    fifth = "round\nhand 0 111123456789s1p\n0 draw 2p\n0 discard 2p\n1 draw ?\n1 discard 1s\n"
    with pytest.raises(InputError, match=r"line 6:.*1s"):
        rounds(tmp_path, fifth)


@pytest.mark.parametrize("form", [as_mpsz, as_mjai])
def test_an_end_that_nothing_has_brought_about_is_refused(form, tmp_path):
    played = at_random("xiangyang", 1)
    lines = form(played).splitlines()
    end = "end" if form == as_mpsz else json.dumps({"type": "ryukyoku"})
    cut = [n for n, line in enumerate(lines) if "discard" in line or "dahai" in line][2] + 1
    with pytest.raises(InputError) as refused:
        rounds(tmp_path, "\n".join([*lines[:cut], end]) + "\n")
    assert f"line {cut + 1}:" in refused.value.message()
    assert "tiles are left in the wall" in refused.value.message()


def test_nothing_follows_an_end_in_mjai(tmp_path):
    won = next(mjai_events(played) for played in (at_random("xiangyang", n) for n in range(9)) if played.winners())
    for more, told in (({"type": "ryukyoku"}, "over"), ({"type": "tsumo", "actor": 0, "pai": "1p"}, "over")):
        with pytest.raises(InputError, match=f"line {len(won) - 1}:.*{told}"):
            rounds(tmp_path, mjai(*won[:-2], more))
    with pytest.raises(InputError, match=f"line {len(won)}: expected start_kyoku"):
        rounds(tmp_path, mjai(*won[:-1], {"type": "tsumo", "actor": 0, "pai": "1p"}))


def test_a_reach_is_followed_by_its_discard(tmp_path):
    known = START | {"tehais": [[f"{n}s" for n in range(1, 10)] + ["1p", "1p", "2p", "2p"], ["?"] * 13, ["?"] * 13]}
    events = [known, {"type": "tsumo", "actor": 0, "pai": "3p"}, {"type": "reach", "actor": 0}]
    for more in ({"type": "tsumo", "actor": 1, "pai": "?"}, {"type": "dahai", "actor": 1, "pai": "3p"}):
        with pytest.raises(InputError, match="line 4: seat 0 has declared"):
            rounds(tmp_path, mjai(*events, more))


@pytest.mark.parametrize(
    ("act", "told"),
    [
        ("1 win 4p", "expected a claim on 3p of seat 0, got win 4p seat 1"),
        ("1 pass 4p", "expected a claim on 3p of seat 0, got pass 4p seat 1"),
        ("2 pong 4p", "expected a claim on 3p of seat 0, got pong 4p seat 2"),
        ("0 win 3p", "claim 3p of seat 0, or a draw of seat 1, got win 3p seat 0"),
        ("2 draw ?", "claim 3p of seat 0, or a draw of seat 1, got draw ? seat 2"),
        ("1 discard 3p", "claim 3p of seat 0, or a draw of seat 1, got discard 3p seat 1"),
    ],
)
def test_mpsz_acts_out_of_order(act, told, tmp_path):
    with pytest.raises(InputError) as refused:
        rounds(tmp_path, HEAD + f"0 draw 3p\n0 discard 3p\n{act}\n1 draw ?\n1 discard 9p\n")
    assert "line 5:" in refused.value.message()
    assert told in refused.value.message()


def test_a_win_ends_the_round_of_a_hidden_hand_too(tmp_path):
    text = HEAD + "0 draw 3p\n0 discard 3p\n1 win 3p\n"
    [found] = rounds(tmp_path, text + "2 pass 3p\nend\n")
    assert len(found.played.actions()) >= 1
    with pytest.raises(InputError, match="line 6: the round is over"):
        rounds(tmp_path, text + "1 draw ?\n")


def test_a_hidden_hand_that_discards_a_draw_that_is_told_keeps_its_own_tiles(tmp_path):
    known = START | {"tehais": [["?"] * 13, [f"{n}s" for n in range(1, 10)] + ["1p", "1p", "2p", "2p"], ["?"] * 13]}
    drawn = {"type": "tsumo", "actor": 0, "pai": "3p"}
    [found] = rounds(tmp_path, mjai(known, drawn, {"type": "dahai", "actor": 0, "pai": "3p", "tsumogiri": True}))
    assert sum(tile == 11 for tile in found.played.wall[:39]) < 4
    assert found.played.wall[39] == 11


def test_five_copies_are_refused(tmp_path):
    with pytest.raises(InputError, match="1s"):
        rounds(tmp_path, "round\nhand 0 111123456789s1p\nhand 1 1s12345678p1122s\n0 draw 1p\n")


def test_no_text_and_long_lines_are_refused(tmp_path):
    path = tmp_path / "record"
    path.write_bytes(b"round\n\xff\xfe\n")
    with pytest.raises(InputError, match="line 2"):
        list(records.read_rounds(path, load_rules("xiangyang")))
    path.write_bytes(b"round " + b"x" * (1 << 19))
    with pytest.raises(InputError, match="line 1"):
        list(records.read_rounds(path, load_rules("xiangyang")))


def test_the_command_line_tells_it_in_one_line(tmp_path):
    path = written(tmp_path, mjai(START, {"type": "chi", "actor": 0, "pai": "1p"}))
    result = run("review", str(path))
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "line 2" in result.stderr


ROBBED = """round xiangyang
hand 0 2p2p1s1s1s3s3s3s5z5z5z9s9s
hand 1 1p3p4s5s6s7s8s9s4p5p6p7z7z
hand 2 2p6z6z6z7p7p7p8p8p8p9p9p9p
0 draw 9s
0 discard 9s
1 draw 4s
1 discard 4s
2 draw 8s
2 discard 2p
1 pass 2p
0 pong 2p
0 discard 9s
1 draw 4s
1 discard 4s
2 draw 8s
2 discard 8s
0 draw 2p
0 added_kong 2p
1 pass 2p
0 draw 6p
0 discard 6p
"""


def test_the_draw_after_a_kong_that_nobody_robbed_is_from_the_tail(tmp_path):
    [told] = rounds(tmp_path, ROBBED)
    [silent] = rounds(tmp_path, ROBBED.replace("1 pass 2p\n", ""))
    assert told.played.wall == silent.played.wall
    assert told.played.actions() == silent.played.actions()
    assert told.played.actions()[-1] == parse_tile("6p")


@pytest.mark.parametrize("after", ["1 draw ?\n1 discard 9p\n", "2 win 3p\n", "2 win 3p\nend\n", "2 pass 3p\n", ""])
def test_what_a_hidden_hand_declined_is_passed_over(after, tmp_path):
    [found] = rounds(tmp_path, HEAD + "0 draw 3p\n0 discard 3p\n1 pass 3p\n" + after)
    assert found.played.actions()[0] == parse_tile("3p")


@pytest.mark.parametrize("table", ["platform", "xiangyang"])
def test_a_hidden_hand_that_declares_is_told_where_others_see_of_it(table, tmp_path):
    head = HEAD.replace("round xiangyang", f"round {table}") + "0 draw 3p\n0 discard 3p\n1 draw ?\n1 liangdao 白"
    assert f"round {table}" in head
    with pytest.raises(InputError, match="line 6: seat 1 declares, and under these rules the others see"):
        rounds(tmp_path, head + "\n")
    [found] = rounds(tmp_path, head + " 444s666s777p999p发\n")
    assert found.played.state["declared"][1] == 1
    assert int(found.played.state["waits"][1]) == 1 << parse_tile("发")


def test_a_draw_of_a_shown_hand_is_told_or_told_by_its_discard(tmp_path):
    told = HEAD + "0 draw ?\n0 discard 3p\n1 draw ?\n"
    [found] = rounds(tmp_path, told)
    assert found.played.wall[39] == parse_tile("3p")
    with pytest.raises(InputError, match="line 4: seat 0: its hand is shown, so its draw before discard 1p"):
        rounds(tmp_path, HEAD + "0 draw ?\n0 discard 1p\n1 draw ?\n")


@pytest.mark.parametrize(
    "lines",
    [("hand 0 ?", "hand 0 123456789s1122p"), ("dealer 1", "dealer 0"), ("wall 1s", "hand 0 ?"), ("piao 0 0 0",) * 2],
)
def test_what_the_deal_tells_twice_is_refused(lines, tmp_path):
    with pytest.raises(InputError, match=f"line 3: {lines[1].replace('?', '.')}: the deal tells each thing once"):
        rounds(tmp_path, "\n".join(["round xiangyang", *lines, "0 draw 3p"]) + "\n")
