"""A round stepped from Python: what may be given, and what is refused in one line."""

import json
from pathlib import Path

import numpy as np
import pytest

from kwx_sim.errors import InputError
from kwx_sim.play import Round, play_script
from kwx_sim.rules import load_rules
from kwx_sim.tiles import format_tiles, parse_tile

SLOTS = [slot for slot in range(21) for _ in range(4)]
CASE = json.loads((Path(__file__).parent / "data" / "golden_rounds.jsonl").read_text("utf-8").splitlines()[0])


def assert_refused(key, ask, *given, **named):
    with pytest.raises(InputError) as caught:
        ask(*given, **named)
    assert caught.value.key == key
    for lang in ("en", "zh"):
        assert "\n" not in caught.value.message(lang)
    return str(caught.value)


# ---------------------------------------------------------------- a round


def test_rules_by_name_and_walls_as_text_do_as_well():
    wanted = Round(load_rules("suizhou"), SLOTS)
    for rules, wall in [("suizhou", format_tiles(SLOTS)), ("suizhou", np.array(SLOTS, np.uint8))]:
        found = Round(rules, wall)
        assert (found.rules, found.wall) == (wanted.rules, wanted.wall)
        assert found.decision() == wanted.decision()


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"rules": "nowhere"}, "rules.unknown"),
        ({"wall": None}, "play.wall"),
        ({"wall": 84}, "play.wall"),
        ({"wall": [1.0] * 84}, "play.wall"),
        ({"wall": [True] * 84}, "play.wall"),
        ({"wall": SLOTS[1:]}, "play.wall_size"),
        ({"wall": "123s"}, "play.wall_size"),
        ({"wall": "5m"}, "tiles.characters"),
        ({"wall": [21, *SLOTS[1:]]}, "play.wall_copies"),
        ({"dealer": 3}, "play.range"),
        ({"piao": None}, "play.piao_seats"),
        ({"piao": (0, 0)}, "play.piao_seats"),
        ({"piao": (0, 0, 1)}, "play.range"),
    ],
)
def test_rounds_that_cannot_be(change, key):
    assert_refused(key, Round, **{"rules": "suizhou", "wall": SLOTS} | change)


def test_actions_as_text_and_as_codes():
    code = parse_tile("5p")  # a discard's code is its tile's slot
    for action in ("discard 5p", code, np.uint8(code)):
        played = Round("suizhou", CASE["wall"])
        played.apply(action)
        assert played.actions() == [code]


@pytest.mark.parametrize("action", [None, True, 3.5, [1], 10**12, -1, 256, 21, 31, b"win 5p"])
def test_no_action_at_all(action):
    assert_refused("play.action_code", Round("suizhou", SLOTS).apply, action)


@pytest.mark.parametrize(
    ("action", "key"),
    [
        ("", "play.action"),
        ("wins 5p", "play.action"),
        ("win 5p6p", "tiles.one_tile"),
        ("discard 白", "play.illegal"),
        (parse_tile("白"), "play.illegal"),
    ],
)
def test_actions_that_are_refused(action, key):
    assert_refused(key, Round("suizhou", SLOTS).apply, action)


@pytest.mark.parametrize("action", ["win", "win "])
def test_an_action_without_its_tile_is_told_the_form(action):
    assert 'the form is "win 5p"' in assert_refused("play.action_tile", Round("suizhou", SLOTS).apply, action)


# ---------------------------------------------------------------- a script


@pytest.mark.parametrize("case", [None, 5, "round", [CASE]])
def test_scripts_are_objects(case):
    assert_refused("play.case", play_script, case)


def test_a_script_is_a_list():
    assert_refused("play.script", play_script, CASE | {"script": None})


def test_further_fields_of_a_round_are_let_be():
    assert play_script(CASE | {"source": "by hand", "covers": ["7.1"]}) == play_script(CASE)


@pytest.mark.parametrize(
    ("field", "near"), [("liangdo", "liangdao"), ("tiles", "tile"), ("action", "act"), ("seats", "seat")]
)
def test_unknown_fields_of_an_entry_name_the_nearest(field, near):
    script = [CASE["script"][0], CASE["script"][1] | {field: True}]
    told = assert_refused("play.entry_field", play_script, CASE | {"script": script})
    assert told == f"script entry 2: {field}: unknown field; the nearest known one is {near}"
