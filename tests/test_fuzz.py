"""Whatever stands in somebody else's file, an answer or a refusal of one line comes of it, soon and in little memory.

A few hundred documents a reader here, the same each time; `make verify` tries a hundred thousand others. What was found
became tests of its own in `test_untrusted.py`.
"""

import hashlib
import io
import json
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from fuzzing import as_json, as_lines, as_toml, assert_one_line, assert_survived, documents, trees
from hypothesis import HealthCheck, Phase, given, settings
from position_maker import offers, position_of_round, ready_turns
from test_importers import as_mjai, as_mpsz, at_random, events_of

from kwx_sim.cli import batch
from kwx_sim.cli.hand import _verdict
from kwx_sim.cli.play import _outcome
from kwx_sim.cli.score import _answer
from kwx_sim.cli.terminal import to_json
from kwx_sim.ensemble import parse_model
from kwx_sim.errors import InputError
from kwx_sim.policies import parse_policy
from kwx_sim.positions import check, position_of, read_position
from kwx_sim.records import read_rounds, replay
from kwx_sim.rules import PRESETS, load_rules, pack, parse_rules, rules_hash
from kwx_sim.runs import Run, program
from kwx_sim.simulation import _as_recorded, simulate
from kwx_sim.store import Store, list_runs

FEW, MANY = 100, 6_500
MANIFEST, BLOCK = "manifest.json", "blocks/000000.block"
ASKED = ("games", "seed", "tables", "policies", "room", "piao", "rounds")
TESTS = Path(__file__).parent
PRESET_FILES = Path(TESTS.parent, "kwx_sim/rules/presets")


# ---------------------------------------------------------------- valid documents, from which the others are made


def rule_files():
    own = b'extends = "platform"\nname = "ours"\n[fans.values]\nkawuxing = 3\n[[rooms]]\n' + (
        b'name = "a"\nbase = 1\nmin_stake = 0\nmax_stake = 0\ncap = 8\n'
    )
    return [own, *((PRESET_FILES / f"{name}.toml").read_bytes() for name in PRESETS)]


@cache
def told_positions():
    """Positions as mappings: own turns and tiles on offer, with the whole course or next to nothing of it."""
    rules = load_rules("xiangyang")
    moments = [*ready_turns(rules, 8, seed=3, rare=True), *offers(rules, 8, seed=4)]
    told = [position_of_round(moment.state[0], moment.seat, rules) for moment in moments]
    return [
        *told,
        {"hand": "123s 789s 46p 88p 中中中 5s"},
        {"hand": "123s 789s 46p 88p 5s", "melds": "pong:中", "wall": 24},
    ]


@cache
def told_rounds():
    return [at_random(table, seed) for table in PRESETS for seed in range(2)]


def golden(name):
    return [json.loads(line) for line in (TESTS / "data" / f"{name}.jsonl").read_text("utf-8").splitlines()[:12]]


# ---------------------------------------------------------------- readers


def read_rules(file, content):
    file.write_bytes(content)
    use_rules(load_rules(file))


def use_rules(rules):
    rules_hash(rules)
    for room in (None, *(room.name for room in rules.rooms)):
        pack(rules, room)


def use_position(position):
    for about in ("liangdao", "discard", "claim"):
        for table in ("xiangyang", "hongzhong"):
            try:
                check(position, table, about)
            except InputError as refusal:
                assert_one_line(refusal.message("zh"))
    assert position_of(json.loads(as_json(position.describe()))) == position


def read_toml_position(file, content):
    file = file.with_suffix(".toml")
    file.write_bytes(content)
    use_position(read_position(file))


def read_json_position(file, content):
    file = file.with_suffix(".json")
    file.write_bytes(content)
    use_position(read_position(file))


def read_record(file, content):
    file.write_bytes(content)
    list(replay(file))


def read_foreign_record(file, content):
    file.write_bytes(content)
    for _ in read_rounds(file, load_rules("xiangyang")):
        pass


def read_player(file, content):
    file.write_bytes(content)
    parse_model(file)


def answer_lines(answer):
    def read(file, content):
        file.write_bytes(content)
        with redirect_stdout(io.StringIO()) as answers:
            batch.run_batch(str(file), answer, "zh", to_json)
        answered = answers.getvalue().splitlines()
        assert len(answered) == sum(1 for line in content.split(b"\n") if line.strip())
        for line in answered:
            json.loads(line, parse_constant=pytest.fail)

    return read


def answer_position(line):
    check(position_of({name: value for name, value in line.items() if name not in ("id", "rules")}), "xiangyang")
    return {}


@cache
def small_run():
    """The files of a run of one block: path -> content."""
    with TemporaryDirectory() as directory:
        simulate("suizhou", games=8, policies="random", out=directory)
        return {name: Path(directory, name).read_bytes() for name in (MANIFEST, BLOCK)}


def load_run(directory):
    rules, asked = _as_recorded(directory, None, dict.fromkeys(ASKED))
    with Store(directory, Run.of(rules, **asked).manifest(), resume=True) as store:
        for number in sorted(store.finished):
            store.load(number)


def read_run(changed):
    def read(file, content):
        directory = file.with_name("run")
        (directory / BLOCK).parent.mkdir(parents=True, exist_ok=True)
        for name, usual in small_run().items():
            (directory / name).write_bytes(content if name == changed else usual)
        try:
            for listed in list_runs(directory, program()):
                assert_one_line(repr(listed))
            load_run(directory)
        finally:
            assert {each.name for each in directory.iterdir()} <= {MANIFEST, Path(BLOCK).parts[0], "run.lock"}

    return read


def signed(head):
    """A block whose checksum is right, whatever it says it is."""
    sums = small_run()[BLOCK].split(b"\n", 2)[2]
    told = as_json(head) + b"\n" + sums
    return hashlib.sha256(told).hexdigest().encode() + b"\n" + told


def block_head():
    return json.loads(small_run()[BLOCK].split(b"\n", 2)[1])


def trees_as(write, seeds):
    return trees(seeds).map(write)


def lines_of(name):
    return trees_as(as_lines, [[line] for line in golden(name)])


def records():
    return [[*events_of(played)] for played in told_rounds()]


def foreign():
    return [
        write(played, hidden).encode()
        for write in (as_mpsz, as_mjai)
        for played in told_rounds()
        for hidden in ((), (1, 2))
    ]


READERS = {
    "rules": (read_rules, lambda: documents(rule_files())),
    "rules in a record": (
        lambda _, tree: use_rules(parse_rules(tree, source="rules")),
        lambda: trees([load_rules(name).model_dump(mode="json") for name in PRESETS]),
    ),
    "position, TOML": (read_toml_position, lambda: documents([as_toml(told) for told in told_positions()])),
    "position, JSON": (read_json_position, lambda: trees_as(as_json, told_positions())),
    "record": (read_record, lambda: documents([as_lines(events) for events in records()])),
    "record, JSON": (read_record, lambda: trees_as(as_lines, records())),
    "foreign record": (read_foreign_record, lambda: documents(foreign())),
    "player": (
        read_player,
        lambda: documents([b'base = "caller"\navoidence = 0.5\n', as_toml(parse_policy("efficient").describe())]),
    ),
    "hands": (answer_lines(lambda line: _verdict(line, "xiangyang")), lambda: lines_of("hands")),
    "scores": (answer_lines(lambda line: _answer(line, "platform")), lambda: lines_of("scores")),
    "scripts": (answer_lines(lambda line: _outcome(line, "platform")), lambda: lines_of("rounds")),
    "positions": (
        answer_lines(answer_position),
        lambda: documents([as_lines([told | {"id": 1}]) for told in told_positions()]),
    ),
    "run, manifest": (read_run(MANIFEST), lambda: documents([small_run()[MANIFEST]])),
    "run, manifest as JSON": (read_run(MANIFEST), lambda: trees_as(as_json, [json.loads(small_run()[MANIFEST])])),
    "run, block": (read_run(BLOCK), lambda: documents([small_run()[BLOCK]])),
    "run, signed block": (read_run(BLOCK), lambda: trees_as(signed, [block_head()])),
}


def fuzz(name, file, count, **how):
    read, given_documents = READERS[name]
    answered = []

    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        print_blob=True,
        **how,
    )
    @given(given_documents())
    def survive(document):
        answered.append(assert_survived(read, file, document))

    survive()
    assert any(answered)


@pytest.mark.parametrize("name", READERS)
def test_some_documents_are_answered_or_refused(name, tmp_path):
    fuzz(name, tmp_path / "given", FEW, derandomize=True)


@pytest.mark.verify
@pytest.mark.parametrize("name", READERS)
def test_many_documents_are_answered_or_refused(name, tmp_path):
    fuzz(name, tmp_path / "given", MANY)
