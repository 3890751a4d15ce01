"""What was once found to crash, to hang or to steer a terminal, reader by reader, and now is refused in one line."""

import json
import os

import pytest
from cli_runs import process, refused, run
from fuzzing import assert_one_line, assert_survived

from kwx_sim import records
from kwx_sim.cli.batch import line_rules
from kwx_sim.cli.terminal import to_json
from kwx_sim.ensemble import parse_model
from kwx_sim.errors import InputError, printable
from kwx_sim.policies import parse_policy
from kwx_sim.positions import check, position_of, read_position
from kwx_sim.positions.turns import Ending, courses
from kwx_sim.rules import load_rules, parse_rules
from kwx_sim.tiles import Meld

HAND = "123s 789s 46p 88p 777z 5s"
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


def refusal(read, *given):
    assert not assert_survived(read, *given)
    with pytest.raises(InputError) as found:
        read(*given)
    return found.value.message("en")


def shortened(value):
    """A test's name for what cannot be one: too long, or no text."""
    return ascii(value)[:20] if not isinstance(value, int | list) else type(value).__name__


def file_of(tmp_path, name, content):
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


# ---------------------------------------------------------------- what is told


@pytest.mark.parametrize(
    "came",
    ["\x1b[2J", "\x9b2J", "a\nb", "\u202eabc", "\u2028", "\ud800", "\x00", ["\x1b"], 1 << 20_000, [1 << 20_000]],
    ids=shortened,
)
def test_a_refusal_leaves_the_terminal_alone(came):
    for lang in ("en", "zh"):
        assert_one_line(InputError("rules.extends", file=came, presets=came, came=came).message(lang))
        assert_one_line(InputError("tiles.unknown", text=came, got=came).message(lang))


def test_what_can_be_read_is_told_as_it_came():
    assert printable("亮倒 5筒 é 🀄\u3000x") == "亮倒 5筒 é 🀄\u3000x"
    assert "'a\\\\b'" in InputError("tiles.unknown", text="a\\b", got="\\").message()


def test_a_reason_that_never_ends_is_told_by_its_kind():
    endless = []
    for _ in range(100_000):
        endless = [endless]
    assert InputError("tiles.meld_form", got=endless).message().endswith("got list")


@pytest.mark.parametrize("mark", ["\x9b", "\x7f", "\u202e", "\u2028", "\ufeff", "\ud800"])
def test_an_id_leaves_the_terminal_alone(mark):
    told = to_json({"id": f"中{mark}"})
    assert told.isprintable()
    assert json.loads(told) == {"id": f"中{mark}"}


def test_an_id_of_a_script_leaves_the_terminal_alone(tmp_path):
    from kwx_sim.cli.play import _told

    assert_one_line(_told({"id": "\x1b[2J", "error": "no"}, "en"))


# ---------------------------------------------------------------- rulesets


@pytest.mark.parametrize("key", ["\\u001b[2J", "\\u202e", "\\u009b"])
def test_a_field_of_a_ruleset_leaves_the_terminal_alone(tmp_path, key):
    for section in ("", "[payment.cap_for]\n"):
        refusal(load_rules, file_of(tmp_path, "ours.toml", f'extends = "suizhou"\n{section}"{key}" = 1'))


@pytest.mark.parametrize("name", ["\u202eabc", "a\ufeffb", "a\u200bb"])
def test_a_name_hides_nothing(name):
    assert "name" in refusal(lambda: parse_rules({"extends": "suizhou", "name": name}, source="ours"))


def test_half_a_character_as_a_field_is_refused():
    assert "rules" in refusal(lambda: parse_rules({"extends": "suizhou", "\ud800": 1}, source="ours"))
    assert "position" in refusal(lambda: position_of({"hand": HAND, "\ud800": 1}))


def test_stakes_have_a_limit(tmp_path):
    room = 'name = "a"\nbase = 1\nmin_stake = 0\ncap = 0\nmax_stake = 0x' + "f" * 1_900
    assert "max_stake" in refusal(load_rules, file_of(tmp_path, "ours.toml", f'extends = "suizhou"\n[[rooms]]\n{room}'))


@pytest.mark.parametrize(
    "line",
    [
        "{n}." + "a." * 1_990 + "a = 1\n",
        "[{n}." + "a." * 1_990 + "a]\n",
        "{n}." + "a . " * 990 + "a = 1\n",
        "{n}." + "a." * 95 + "a = 1\n",
        "{n} = " + "[" * 90 + "]" * 90 + "\n",
    ],
)
def test_dotted_keys_cost_little(tmp_path, line):
    content = "".join(line.format(n=f"x{n}") for n in range(60_000 // len(line)))
    refusal(load_rules, file_of(tmp_path, "ours.toml", content))
    refusal(read_position, file_of(tmp_path, "ours.toml", content))
    refusal(parse_model, file_of(tmp_path, "ours.toml", content[:8_000]))


# ---------------------------------------------------------------- positions


@pytest.mark.parametrize("field", ["drawn", "melds", "offered", "wall", "dealer", "piao", "discards", "room"])
def test_a_number_too_long_to_be_written_is_refused(tmp_path, field):
    refusal(read_position, file_of(tmp_path, "ours.toml", f'hand = "{HAND}"\n{field} = 0x' + "f" * 3_900))


@pytest.mark.parametrize("depth", [33, 300, 900, 990, 20_000])
def test_levels_have_a_limit(tmp_path, depth):
    nested = "[" * depth + "]" * depth
    assert "nested" in refusal(read_position, file_of(tmp_path, "a.json", f'{{"hand": {nested}}}'))
    assert "nested" in refusal(read_position, file_of(tmp_path, "a.toml", f"hand = {nested}"))
    assert "nested" in refusal(load_rules, file_of(tmp_path, "b.toml", f"name = {nested}"))
    record = file_of(tmp_path, "r.jsonl", f'{{"type": "draw", "seat": {nested}}}\n')
    assert "nested" in refusal(lambda: list(records.replay(record)))
    result = run("hand", "--batch", str(file_of(tmp_path, "h.jsonl", f'{{"id": {nested}, "hand": "1s"}}\n')))
    assert (result.exit_code, result.stderr) == (1, "")
    assert "nested" in json.loads(result.stdout)["error"]


def twelve_pongs():
    """Twelve pongs, each fed by one of two discards, the one by which the round is over or another."""
    rivers = [[], [], []]
    for tile in range(12):
        for seat in ((tile + 1) % 3, (tile + 2) % 3):
            rivers[seat].insert(len(rivers[seat]) // 2 if tile % 2 else 0, tile)
    rest = [tile for tile in range(12, 21) for _ in range(3)]
    for n, tile in enumerate(rest):
        rivers[n % 3].append(tile)
    return rivers, [[Meld("pong", tile) for tile in range(seat, 12, 3)] for seat in range(3)]


def test_the_order_of_turns_is_found_in_time():
    """Each pong may have taken either discard: 4,096 ways, whose every detour was walked. It took up to 16 s."""
    rivers, melds = twelve_pongs()
    for dealer in (None, 0, 1, 2):
        for last in range(3):
            assert assert_survived(lambda: courses(rivers, melds, order=None, dealer=dealer, ending=Ending(last)))  # noqa: B023  # called at once, within the loop


# ---------------------------------------------------------------- players


@pytest.mark.parametrize(
    "value", ["0x" + "f" * 7_000, "1" * 5_000, "inf", "nan", "[[[[1]]]]", '"\\u001b[2J"', "1979-05-27"]
)
@pytest.mark.parametrize("field", ["policy", "base", "value", "liangdao", "declare_at"])
def test_a_players_file_is_refused(tmp_path, field, value):
    file = file_of(tmp_path, "uncle.toml", f"{field} = {value}")
    refusal(parse_model, file)
    if field != "base":
        refusal(parse_policy, file)


# ---------------------------------------------------------------- records and batches


@pytest.mark.parametrize(
    "content",
    [
        "\x1b[2J\n",
        "round \x1b[2J\n",
        "round\n\x1b[2J\n",
        "round\nroom \x1b\u202e\nhand 0 " + "1s" * 13,
        "round\n0 \x1b 1s\n",
    ],
)
def test_a_foreign_record_leaves_the_terminal_alone(tmp_path, content):
    file = file_of(tmp_path, "record", content)
    refusal(lambda: list(records.read_rounds(file, load_rules("xiangyang"))))


def test_null_is_no_event(tmp_path):
    file = file_of(tmp_path, "record", '{"type": "start_game"}\nnull\n')
    assert "line 2: expected an event" in refusal(lambda: list(records.read_rounds(file, load_rules("xiangyang"))))


def test_a_number_beyond_all_is_no_json(tmp_path):
    result = run("hand", "--batch", str(file_of(tmp_path, "h.jsonl", '{"id": 1e999, "hand": "1s"}\n')))
    assert json.loads(result.stdout, parse_constant=pytest.fail)["error"].endswith("1e999 is no JSON")


def test_a_line_names_no_file(tmp_path):
    own = file_of(tmp_path, "own.toml", 'extends = "suizhou"')
    line = {"id": 1, "rules": str(own), "hand": "1112345678999p"}
    lines = file_of(tmp_path, "lines.jsonl", json.dumps(line) + "\n")
    result = run("hand", "--batch", str(lines))
    assert result.exit_code == 1
    assert "expected a preset" in json.loads(result.stdout)["error"]
    assert run("hand", "--batch", str(lines), "--rules", str(own)).exit_code == 0
    with pytest.raises(InputError, match="expected a preset"):
        line_rules({"rules": "../x.toml"}, "suizhou")


# ---------------------------------------------------------------- what is no file


@pytest.fixture(params=["pipe", "link to a device", "directory"])
def no_file(request, tmp_path):
    """Makes what has a file's name and is none: whoever opens it might wait, or read for ever."""

    def make(name):
        place = tmp_path / name
        if request.param == "pipe":
            os.mkfifo(place)
        elif request.param == "directory":
            place.mkdir()
        else:
            place.symlink_to("/dev/zero")
        return place

    return make


@needs_pipes
def test_no_reader_waits_or_reads_for_ever(no_file):
    document, lines = no_file("a.toml"), no_file("a.jsonl")
    refusal(load_rules, document)
    refusal(read_position, document)
    refusal(parse_model, document)
    refusal(parse_policy, document)
    refusal(lambda: list(records.replay(lines)))
    refusal(lambda: list(records.read_rounds(lines, load_rules("xiangyang"))))
    refused(run("hand", "--batch", str(lines)), "cannot be read")
    refused(run("simulate", "--games", "1", "--policies", str(document)), "cannot be read")


@needs_pipes
def test_a_shells_pipe_is_read(tmp_path):
    """<(...) of a shell is a pipe that is open already."""
    reading, writing = os.pipe()
    os.write(writing, b'{"id": 1, "hand": "1112345678999p"}\n')
    os.close(writing)
    try:
        assert run("hand", "--batch", f"/dev/fd/{reading}").exit_code == 0
    finally:
        os.close(reading)


# ---------------------------------------------------------------- options


@pytest.mark.parametrize("command", ["liangdao", "discard"])
def test_worlds_have_a_limit(command):
    refused(run(command, HAND, "--worlds", "1e29"), "worlds: expected at most 1,000,000,000")


def test_a_check_of_a_position_is_a_matter_of_moments():
    assert assert_survived(check, position_of({"hand": HAND}), "xiangyang")


def test_control_characters_of_a_call_are_told_as_such():
    done = process("hand", "1s\x1b[2J")
    assert done.returncode == 2
    assert b"\x1b" not in done.stderr


def test_a_place_that_cannot_be_written_is_told_without_control_characters(tmp_path):
    result = run("play", "--games", "1", "--record", str(tmp_path / "a\x1b[2Jb" / "c"))
    refused(result, "cannot be written")
    assert "\x1b" not in result.stderr
