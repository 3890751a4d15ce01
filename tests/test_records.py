"""Records: what a round's events hold, the way to disk and back, and what replay refuses."""

import itertools
import json
import random
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from kwx_sim import records
from kwx_sim.errors import InputError
from kwx_sim.play import Round, run_script
from kwx_sim.records.schema import EVENTS
from kwx_sim.rules import PRESETS, changed, load_rules
from kwx_sim.text import LANGS
from kwx_sim.tiles import parse_tiles

TESTS = Path(__file__).parent
SCRIPTED = [json.loads(line) for line in (TESTS / "data/rounds.jsonl").read_text("utf-8").splitlines()]

HOUSE = {
    "liangdao.shows": "waits",
    "liangdao.locks_hand": False,
    "liangdao.applies": "winner_or_payer",
    "play.multiple_wins": False,
    "play.rob_concealed_kong": True,
    "play.min_fan_on_discard": 2,
}
"""A table of no preset: its ruleset stands in the record in full."""


def rules_of(table):
    return changed(load_rules("platform"), HOUSE) if table == "house" else load_rules(table)


def scripted(case):
    rules = changed(load_rules(case["rules"]), case.get("changes", {}))
    played = Round(
        rules, parse_tiles(case["wall"]), case.get("dealer", 0), case.get("piao", (0, 0, 0)), case.get("room")
    )
    run_script(played, case["script"])
    return played


def at_random(table, seed):
    """A round of random choices that lean towards calls and wins."""
    rules = rules_of(table)
    random_ = random.Random(f"{table} {seed}")
    wall = [slot for slot in range(rules.n_kinds) for _ in range(4)]
    random_.shuffle(wall)
    piao = [random_.randint(0, rules.piao.max) for _ in range(3)]
    room = random_.choice([None, *(room.name for room in rules.rooms)])
    played = Round(rules, wall, random_.randrange(3), piao, room)
    while due := played.decision():
        calls = [action for action in due.legal if not action.startswith(("discard", "pass"))]
        plain = [action for action in due.legal if action not in calls]
        eager = bool(calls) and random_.random() < 0.7
        played.apply(random_.choice(calls if eager or not plain else plain))
    return played


def events_of(played, **facts):
    return records.events_of(played.state, played.rules, room=played.room, **facts)


@cache
def corpus():
    """The events of every scripted round, and of random ones, by an id."""
    rounds = {case["id"]: events_of(scripted(case)) for case in SCRIPTED}
    return rounds | {
        f"{table} {seed}": events_of(at_random(table, seed)) for table in (*PRESETS, "house") for seed in range(8)
    }


def shortest(wanted):
    """The shortest round that has what is wanted, and the place of the first event that is it."""
    fitting = [(len(events), name) for name, events in corpus().items() if any(map(wanted, events))]
    events = corpus()[min(fitting)[1]]
    return events, next(place for place, event in enumerate(events) if wanted(event))


@pytest.fixture
def save(tmp_path):
    def write(events):
        path = tmp_path / "round.jsonl"
        with path.open("w", encoding="utf-8") as file:
            records.write(file, events)
        return path

    return write


# ---------------------------------------------------------------- what is written


def test_every_kind_of_event_happens():
    seen = Counter(event["type"] for events in corpus().values() for event in events)
    assert set(seen) == set(EVENTS)
    assert {event["by"] for events in corpus().values() for event in events if event["type"] == "win"} == {
        "self_draw",
        "discard",
        "robbed",
    }


def test_events_have_the_fields_of_the_schema():
    for events in corpus().values():
        for event in events:
            fields = {name for name, field in EVENTS[event["type"]].items() if not field.optional}
            assert fields | {"type"} <= set(event) <= set(EVENTS[event["type"]]) | {"type"}


@pytest.mark.parametrize("case", SCRIPTED[::5], ids=lambda case: case["id"])
def test_a_record_has_the_money_and_the_winners(case):
    events = events_of(scripted(case))
    wins = [event for event in events if event["type"] == "win"]
    assert events[-1]["totals"] == case["points"]
    assert [{key: win[key] for key in ("seat", "tile", "by", "fan")} for win in wins] == case["winners"]
    paid = [event["amounts"] for event in events if event["type"] == "payment"] + [win["payments"] for win in wins]
    assert (
        [sum(column) for column in zip(*paid, strict=True)] == events[-1]["totals"] if paid else not any(case["points"])
    )
    assert all(sum(amounts) == 0 for amounts in paid)


def test_a_record_accounts_for_every_tile():
    for name, events in corpus().items():
        start = events[0]
        wall = start["wall"].split()
        front = [event["tile"] for event in events if event["type"] == "draw" and event["from"] == "front"]
        tail = [event["tile"] for event in events if event["type"] == "draw" and event["from"] == "tail"]
        assert front == wall[39 : 39 + len(front)], name
        assert tail == wall[::-1][: len(tail)], name
        seats = [(start["dealer"] + k) % 3 for k in range(3)]
        dealt = {seat: sorted(wall[13 * k : 13 * k + 13]) for k, seat in enumerate(seats)}
        for seat in range(3):
            assert parse_tiles(start["hands"][seat]) == sorted(parse_tiles(" ".join(dealt[seat]))), name


def test_a_round_in_full():
    case = next(case for case in SCRIPTED if case["id"] == "7.9-dealt-hand-platform")
    events = events_of(scripted(case), seed=7, game=3)
    assert [event["type"] for event in events] == ["start_round", "draw", "win", "end_round"]
    start, draw, win, end = events
    assert (start["schema"], start["phase"], start["seed"], start["game"]) == (records.SCHEMA, "DEALING", 7, 3)
    assert set(start["rules"]) == {"name", "hash"}
    assert draw["from"] == "front"
    assert win["fans"]["initial_hand"] == 4
    assert (win["tile"], "maima" in win, "feeder" in win) == (draw["tile"], True, False)
    assert (end["phase"], end["entry_fee"]) == ("ROUND_END", 3)


def test_liangdao_shows_what_the_rules_show():
    shown = {"platform": "waits", "hongzhong": None, "suizhou": "hand"}
    for events in corpus().values():
        rules = events[0]["rules"]
        for event, after in itertools.pairwise(events):
            if event["type"] == "liangdao" and "fields" not in rules:
                assert event["shows"] == shown.get(rules["name"], "hand")
                assert ("hand" in event) == (event["shows"] == "hand")
                assert event["waits"]
                assert (after["type"], after["seat"]) == ("discard", event["seat"])


def test_live_counts_leave_out_the_declarers_own_and_the_table():
    events, place = shortest(lambda event: event["type"] == "liangdao" and event["shows"] == "hand")
    event = events[place]
    on_table = Counter(e["tile"] for e in events[: place + 2] if e["type"] == "discard")
    # No melds before the first liangdao of the shortest round.
    assert not any(e["type"] in ("pong", "kong") for e in events[:place])
    own = Counter(parse_tiles(event["hand"]))
    assert event["waits"] == {tile: 4 - own[parse_tiles(tile)[0]] - on_table[tile] for tile in event["waits"]}


def test_a_ruleset_of_no_preset_is_written_in_full():
    entry = events_of(at_random("house", 0))[0]["rules"]
    assert entry["fields"] == json.loads(json.dumps(rules_of("house").model_dump(mode="json")))
    assert rules_of("house").name == "platform"  # a changed preset must not pass for the preset


def test_events_of_actions_and_of_a_kernels_record_are_the_same():
    played = at_random("xiangyang", 1)
    told = records.events(played.rules, played.wall, played.dealer, played.piao, played.actions())
    assert told == events_of(played)


def test_an_illegal_action_has_no_events():
    played = at_random("xiangyang", 1)
    with pytest.raises(InputError, match="is not legal now"):
        records.events(played.rules, played.wall, played.dealer, played.piao, ["win 1s"] * 2)


# ---------------------------------------------------------------- to disk and back


def test_records_round_trip(save):
    everything = [event for events in corpus().values() for event in events]
    path = save(everything)
    assert [event for _, event in records.read(path)] == everything
    assert list(records.replay(path)) == everything


def test_line_numbers_count_blank_lines(tmp_path):
    events = corpus()["platform 0"]
    path = tmp_path / "round.jsonl"
    path.write_text("\ufeff\n" + "\n\n".join(map(records.dump, events)), encoding="utf-8")
    assert [number for number, _ in records.read(path)] == [2 * place + 2 for place in range(len(events))]
    assert list(records.replay(path)) == events


def test_standard_input_is_read_too(save, monkeypatch):
    events = corpus()["platform 0"]
    with save(events).open(encoding="utf-8") as file:
        monkeypatch.setattr("sys.stdin", file)
        assert list(records.replay("-")) == events


def test_an_empty_file_is_a_record_of_no_round(tmp_path):
    path = tmp_path / "none.jsonl"
    path.write_bytes(b"")
    assert list(records.replay(path)) == []


@pytest.mark.parametrize("table", [*PRESETS, "house"])
@pytest.mark.verify
def test_many_random_rounds_replay(table, save):
    for seed in range(1000, 1500):
        events = events_of(at_random(table, seed))
        assert list(records.replay(save(events))) == events


# ---------------------------------------------------------------- what replay refuses


def refusal(path):
    with pytest.raises(InputError) as refused:
        list(records.replay(path))
    line = str(refused.value)
    assert "\n" not in line
    assert "\n" not in refused.value.message("zh")
    return line


def refuse_at(save, events, place, expected):
    line = refusal(save(events))
    assert re.search(rf"round\.jsonl: line {place + 1}: {expected}", line), line


def tampered(event, field):
    """The event with another value in the field, of the same kind."""
    value = event[field]
    if field == "type":
        other = "discard" if value != "discard" else "draw"
    elif field in ("seat", "feeder", "dealer", "next_dealer"):
        other = (value + 1) % 3
    elif field in ("tile", "maima"):
        other = "1s" if value != "1s" else "2s"
    elif field in ("amounts", "payments", "totals"):
        other = [value[1], value[2], value[0] + 1]
    elif isinstance(value, int):
        other = value + 1
    elif isinstance(value, dict):
        other = dict.fromkeys(value, 9)
    elif field == "from":
        other = "tail" if value == "front" else "front"
    elif field == "by":
        other = "robbed" if value == "discard" else "discard"
    elif field == "kind":
        other = "direct_kong" if value != "direct_kong" else "added_kong"
    elif field == "why":
        other = "kong" if value == "undecided" else "undecided"
    elif field == "outcome":
        other = "undecided" if value != "undecided" else "discard"
    elif field == "shows":
        other = "hand" if value == "waits" else "waits"
    else:
        other = "1s"  # hands and melds
    return event | {field: other}


FOLLOWS = [
    (kind, field)
    for kind, fields in EVENTS.items()
    for field in ("type", *fields)
    if kind != "start_round" and field != "phase" and (kind, field) != ("discard", "tile")
]
"""Fields that follow from what came before. A discard is a choice: another one may be as legal."""


@pytest.mark.parametrize(("kind", "field"), FOLLOWS)
def test_an_event_that_does_not_follow_is_refused_and_named(save, kind, field):
    events, place = shortest(lambda event: event["type"] == kind and field in event)
    changed_events = [*events[:place], tampered(events[place], field), *events[place + 1 :]]
    refuse_at(save, changed_events, place, "")


def test_a_tile_that_is_not_held_cannot_be_discarded(save):
    events, place = shortest(lambda event: event["type"] == "discard")
    held = {events[1]["tile"], *(t for t in events[0]["wall"].split()[:13])}
    missing = next(tile for tile in events[0]["wall"].split() if tile not in held)
    events = [*events[:place], events[place] | {"tile": missing}, *events[place + 1 :]]
    seat = events[place]["seat"]
    refuse_at(save, events, place, f"seat {seat}: discard {missing} is illegal; legal here: ")


@pytest.mark.parametrize("kind", [kind for kind in EVENTS if kind not in ("liangdao", "pass", "end_round")])
def test_an_event_that_is_left_out_is_missed(save, kind):
    events, place = shortest(lambda event: event["type"] == kind)
    refuse_at(save, [*events[:place], *events[place + 1 :]], place, "")


def test_a_pass_that_is_left_out_leaves_a_win_to_be_expected(save):
    events = next(events for events in corpus().values() if [event["type"] for event in events].count("pass") == 1)
    place = next(place for place, event in enumerate(events) if event["type"] == "pass")
    assert ": expected " in refusal(save([*events[:place], *events[place + 1 :]]))


def test_a_liangdao_that_is_left_out_shows_in_the_money(save):
    def declared_wins(events):
        declared = {event["seat"] for event in events if event["type"] == "liangdao"}
        return any(event["type"] == "win" and event["seat"] in declared for event in events)

    events = min((events for events in corpus().values() if declared_wins(events)), key=len)
    line = refusal(save([event for event in events if event["type"] != "liangdao"]))
    assert "win: payments: expected [" in line


def test_an_event_twice_is_refused(save):
    events, place = shortest(lambda event: event["type"] == "draw")
    refuse_at(
        save, [*events[: place + 1], *events[place:]], place + 1, r"expected a decision of seat \d \(.*\), got draw"
    )


def test_a_record_that_ends_early_is_refused(save):
    events = corpus()["platform 0"]
    for length in range(1, len(events)):
        assert "the file ends within a round; expected " in refusal(save(events[:length]))


def test_a_second_round_is_checked_too(save):
    first, second = corpus()["platform 0"], corpus()["suizhou 0"]
    end = second[-1] | {"totals": [1, -1, 0]}
    refuse_at(
        save,
        [*first, *second[:-1], end],
        len(first) + len(second) - 1,
        r"end_round: totals: expected \[.*, got \[1, -1, 0\]",
    )


def test_a_record_starts_with_a_deal(save):
    events = corpus()["platform 0"]
    refuse_at(save, events[1:], 0, "expected start_round, got draw")
    refuse_at(save, [*events, events[-1]], len(events), "expected start_round, got end_round")


START = {
    "schema": ({"schema": 2}, "start_round: schema: expected 1, got 2; this version cannot read the record"),
    "no schema": ({"schema": None}, "start_round: schema: expected 1, got null"),
    "phase": ({"phase": "WAITING"}, 'start_round: phase: expected one of DEALING, got "WAITING"'),
    "hash": (
        {"rules": {"name": "suizhou", "hash": "0"}},
        'start_round: rules: suizhou has the hash [0-9a-f]{12} in this version, the record was made with "0"',
    ),
    "no preset": (
        {"rules": {"name": "/etc/passwd", "hash": "0"}},
        'start_round: rules: expected a preset .* or the ruleset in full, got "/etc/passwd"',
    ),
    "no rules": ({"rules": "suizhou"}, "start_round: rules: expected a ruleset: name, hash and"),
    "bad rules": (
        {"rules": {"name": "x", "hash": "0", "fields": {"extends": "suizhou", "entry_fee": True}}},
        "rules.fields: entry_fee: expected a whole number, got True",
    ),
    "short wall": ({"wall": "1s 2s"}, "wall: expected 84 tiles, got 2"),
    "fifth copy": ({"wall": "11111s"}, "5 copies of 1s"),
    "no wall": ({"wall": "x"}, "'x': 'x' is no tile"),
    "dealer": ({"dealer": 3}, "start_round: dealer: expected a seat, 0 to 2, got 3"),
    "dealer true": ({"dealer": True}, "start_round: dealer: expected a seat, 0 to 2, got true"),
    "piao": ({"piao": [1, 0, 0]}, "piao: expected a whole number from 0 to 0, got 1"),
    "two piao": ({"piao": [0, 0]}, "start_round: piao: expected three whole numbers, one a seat, got"),
    "room": ({"room": "nowhere"}, "rules suizhou: these rules have no rooms, got nowhere"),
    "hands": ({"hands": ["1s", "", ""]}, 'start_round: hands: expected \\["'),
    "seed": ({"seed": 1.0}, "start_round: seed: expected a whole number or null, got 1.0"),
    "another field": ({"policy": "random"}, 'start_round: unknown field "policy"; expected schema, phase'),
}


@pytest.mark.parametrize(("changes", "expected"), START.values(), ids=START.keys())
def test_a_deal_that_cannot_be_is_refused(save, changes, expected):
    events = corpus()["suizhou 0"]
    refuse_at(save, [events[0] | changes, *events[1:]], 0, expected)


@pytest.mark.parametrize("field", EVENTS["start_round"])
def test_a_deal_without_a_field_is_refused(save, field):
    events = corpus()["suizhou 0"]
    start = {name: value for name, value in events[0].items() if name != field}
    refuse_at(save, [start, *events[1:]], 0, f"start_round: {field}")


def test_a_ruleset_in_full_must_be_the_one_that_was_played(save):
    events = corpus()["house 0"]
    fields = events[0]["rules"]["fields"]
    entry = events[0]["rules"] | {"fields": fields | {"title": "another"}}
    assert list(records.replay(save([events[0] | {"rules": entry}, *events[1:]])))  # a title changes no rule
    entry = events[0]["rules"] | {"fields": fields | {"entry_fee": 5}}
    refuse_at(save, [events[0] | {"rules": entry}, *events[1:]], 0, "start_round: rules: platform has the hash")


# ---------------------------------------------------------------- untrusted files

BAD_LINES = {
    "not JSON": (b"{", "expected JSON; "),
    "not UTF-8": (b'{"type": "\xff"}', "expected JSON; "),
    "not an object": (b"[1]", r"expected an event, an object with a type, got \[1\]"),
    "no type": (b"{}", "type: expected one of start_round, .*, got null"),
    "unknown type": (b'{"type": "chi"}', 'type: expected one of start_round, .*, got "chi"'),
    "type of another type": (b'{"type": ["draw"]}', r'type: expected one of .*, got \["draw"\]'),
    "missing": (b'{"type": "discard", "seat": 0}', "discard: tile is missing"),
    "unknown field": (
        b'{"type": "discard", "seat": 0, "tile": "1s", "why": 1}',
        'discard: unknown field "why"; expected seat, tile',
    ),
    "tile": (b'{"type": "discard", "seat": 0, "tile": "0s"}', 'discard: tile: expected a tile like 5p or 中, got "0s"'),
    "seat": (b'{"type": "discard", "seat": 0.0, "tile": "1s"}', "discard: seat: expected a seat, 0 to 2, got 0.0"),
    "fan": (
        b'{"type": "win", "seat": 0, "tile": "1s", "by": "luck"}',
        "win: by: expected one of self_draw, discard, robbed, got",
    ),
    "NaN": (b'{"type": "discard", "seat": NaN}', "expected JSON; NaN is no JSON"),
    "twice": (b'{"type": "draw", "type": "draw"}', "expected JSON; a field stands twice"),
    "huge number": (b'{"type": "draw", "seat": ' + b"9" * 5000 + b"}", "expected JSON; "),
    "large number": (
        b'{"type": "payment", "why": "kong", "amounts": [0, 0, 1' + b"0" * 400 + b"]}",
        "payment: amounts: expected three",
    ),
    "deep": (b"[" * 100_000, "expected JSON; too deeply nested"),
    "long": (b" " * (1 << 18) + b"{}", "a line has at most 262144 bytes"),
    "half a character": (b'{"type": "\\ud800"}', r'type: expected one of .*, got "\\ud800"'),
    "control character": (b'{"type": "\\u001b[2J"}', r'type: expected one of .*, got "\\u001b\[2J"'),
}


@pytest.mark.parametrize(("line", "expected"), BAD_LINES.values(), ids=BAD_LINES.keys())
def test_a_bad_line_is_refused_in_one_line(tmp_path, line, expected):
    path = tmp_path / "round.jsonl"
    path.write_bytes(b"\n" + line + b"\n")
    told = refusal(path)
    assert re.search(f"round.jsonl: line 2: {expected}", told), told
    assert len(told) < 600
    with pytest.raises(InputError):
        list(records.read(path))


@pytest.mark.parametrize("name", ["nothing.jsonl", ".", "a\0b"])
def test_a_file_that_cannot_be_read_is_refused(tmp_path, name):
    with pytest.raises(InputError, match="cannot be read: "):
        list(records.replay(tmp_path / name))


def test_whatever_is_changed_nothing_but_a_refusal_comes_of_it(save):
    """Random damage: the record is refused in one line, or it is still a legal round."""
    random_ = random.Random(5)
    junk = [None, True, -1, 3, 1.5, "", "1s", "中", [], {}, [0, 0, 0], "win", "x" * 200]
    names = sorted(corpus())
    for _ in range(300):
        events = [dict(event) for event in corpus()[random_.choice(names)]]
        place = random_.randrange(len(events))
        how = random_.randrange(4)
        if how == 0:
            field = random_.choice(list(events[place]))
            events[place][field] = random_.choice(junk)
        elif how == 1:
            del events[place][random_.choice(list(events[place]))]
        elif how == 2:
            other = random_.randrange(len(events))
            events[place], events[other] = events[other], events[place]
        else:
            events.insert(place, dict(events[random_.randrange(len(events))]))
        path = save(events)
        try:
            told = list(records.replay(path))
        except InputError:
            continue
        assert told == events


# ---------------------------------------------------------------- told to people


@pytest.mark.parametrize("lang", LANGS)
def test_every_event_can_be_told(lang):
    for events in corpus().values():
        for event in events:
            told = records.describe(event, lang)
            assert told
            assert "None" not in told
            if event["type"] not in ("start_round", "win"):
                assert "\n" not in told


def test_a_round_is_told_in_chinese():
    case = next(case for case in SCRIPTED if case["id"] == "7.1-win-before-pong-platform")
    told = [records.describe(event, "zh") for event in events_of(scripted(case))]
    assert told[0].startswith("规则 platform，座位 0 坐庄；初级场；漂 1 2 1\n  座位 0：")
    assert told[2] == "座位 0 打 5筒"
    assert told[3] == "座位 1 不胡 5筒"
    assert told[4].startswith("座位 2 胡座位 0 打的 5筒\n  手牌：")
    assert "卡五星 2" in told[4]
    assert told[-1].startswith("终局：点炮；得分（底）")


# ---------------------------------------------------------------- the page


def page():
    return (TESTS.parent / "docs/records.md").read_text("utf-8")


@pytest.mark.parametrize("kind", EVENTS)
def test_the_page_lists_every_field(kind):
    section = page().split(f"### {kind}\n")[1].split("\n##")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == sorted(EVENTS[kind])


def test_the_page_has_the_schemas_number():
    assert f"**schema {records.SCHEMA}**" in page()


def test_the_round_on_the_page_is_a_record_and_told_as_there(tmp_path):
    path = tmp_path / "page.jsonl"
    path.write_text(re.search(r"```json\n(.*?)```", page(), re.DOTALL)[1], encoding="utf-8")
    told = "\n".join(records.describe(event) for event in records.replay(path))
    assert told + "\n" == re.search(r"```text\n(.*?)```", page(), re.DOTALL)[1]
