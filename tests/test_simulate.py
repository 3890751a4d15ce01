"""Runs: the same to the last bit for any workers, and after any interruption; what differs is not continued."""

import hashlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sim_runs import GAMES, a_run, totals

from kwx_sim import runs
from kwx_sim.core import series
from kwx_sim.errors import InputError
from kwx_sim.rules import changed, load_rules
from kwx_sim.simulation import Result, simulate, simulate_all
from kwx_sim.store import merge
from kwx_sim.tables import TABLES


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "BLOCK", 256)
    monkeypatch.setattr(runs, "CHUNK", 96)


def same(one: Result, other: Result) -> bool:
    for name, frame in one.tables.items():
        pd.testing.assert_frame_equal(frame, other.tables[name], check_exact=True)
    return one.tables.keys() == other.tables.keys()


# ---------------------------------------------------------------- the same, whoever plays and whenever


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_change_nothing(workers: int) -> None:
    assert totals(a_run(), workers).tobytes() == totals(a_run()).tobytes()


def test_blocks_and_calls_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = totals(a_run()).tobytes()
    monkeypatch.setattr(runs, "BLOCK", 64)
    monkeypatch.setattr(runs, "CHUNK", 16)
    assert totals(a_run(), 2).tobytes() == before


def test_a_table_adds_up_alone_as_with_the_others() -> None:
    everything = totals(a_run())
    for name, table in TABLES.items():
        alone = totals(a_run(tables=[name]))
        for other in series.SUMS.names or ():
            assert alone[other].tobytes() == (
                everything[other].tobytes() if other == table.sums else bytes(everything[other].nbytes)
            )


def test_another_seed_gives_another_result() -> None:
    assert totals(a_run(seed=8)).tobytes() != totals(a_run()).tobytes()


def interrupted_after(blocks: int) -> Callable[[int, int], None]:
    told = []

    def progress(done: int, total: int) -> None:
        told.append(done)
        if len(told) > blocks:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_run_is_resumed_to_the_same_result(tmp_path: Path, workers: int) -> None:
    whole = simulate("platform", games=GAMES, seed=7, workers=1)
    out = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        simulate("platform", games=GAMES, seed=7, workers=workers, out=out, progress=interrupted_after(2))
    finished = len(list(out.glob("blocks/*.block")))
    assert 2 <= finished < 6
    told: list[tuple[int, int]] = []
    resumed = simulate(
        "platform", games=GAMES, seed=7, workers=2, resume=out, progress=lambda *so_far: told.append(so_far)
    )
    assert same(whole, resumed)
    assert told[0] == (256 * finished, GAMES)
    assert told[-1] == (GAMES, GAMES)


def test_a_run_is_resumed_without_repeating_its_arguments(tmp_path: Path) -> None:
    given: dict[str, Any] = {"games": 600, "seed": 9, "policies": ["random", "efficient", "efficient:liangdao=never"]}
    given |= {"room": "官甲场", "piao": [0, 1, 2], "tables": ["maima_value"]}
    first = simulate("platform", **given, workers=1, out=tmp_path / "run")
    (tmp_path / "run" / "blocks" / "000001.block").unlink()
    again = simulate(resume=tmp_path / "run", workers=1)
    assert same(first, again)
    assert again.provenance == first.provenance


def other_sums(content: bytes) -> bytes:
    """A block's file with a payload that is none, under the right checksum."""
    told = content[65:].partition(b"\n")[0] + b"\nno sums"
    return hashlib.sha256(told).hexdigest().encode() + b"\n" + told


@pytest.mark.parametrize(
    "garble",
    [
        lambda content: content[:200],
        lambda content: b"",
        lambda content: content[:4000] + bytes([content[4000] ^ 1]) + content[4001:],
        lambda content: content[:64] + b" " + content[65:],
        other_sums,
    ],
    ids=["cut short", "empty", "one bit", "its head", "no sums"],
)
def test_a_damaged_block_is_told_and_played_again(tmp_path: Path, garble: Callable[[bytes], bytes]) -> None:
    whole = simulate("xiangyang", games=GAMES, workers=1, out=tmp_path / "run")
    file = tmp_path / "run" / "blocks" / "000003.block"
    before = file.read_bytes()
    file.write_bytes(garble(before))
    told: list[InputError] = []
    again = simulate(resume=tmp_path / "run", workers=1, notice=told.append)
    assert same(whole, again)
    assert [note.key for note in told] == ["simulate.damaged"]
    assert str(file) in str(told[0])
    assert file.read_bytes() == before


# ---------------------------------------------------------------- more rounds, and parts


@pytest.mark.parametrize("first", [500, 512])
def test_a_run_grows_to_the_result_of_a_longer_one(tmp_path: Path, first: int) -> None:
    whole = simulate("platform", games=GAMES, seed=7, workers=1)
    simulate("platform", games=first, seed=7, workers=1, out=tmp_path / "run")
    told: list[Any] = []
    grown = simulate(
        resume=tmp_path / "run", games=GAMES, notice=told.append, progress=lambda *so_far: told.append(so_far)
    )
    assert same(whole, grown)
    assert told[0] == (first // 256 * 256, GAMES), "what is there is not played again, and nothing is said of the rest"
    assert all(isinstance(each, tuple) for each in told)


def test_a_run_does_not_shrink(tmp_path: Path) -> None:
    simulate("platform", games=600, workers=1, out=tmp_path / "run")
    with pytest.raises(InputError, match="more rounds, not fewer: it has 600, asked are 599"):
        simulate(resume=tmp_path / "run", games=599, workers=1)
    assert simulate(resume=tmp_path / "run", workers=1).provenance[0]["games"] == 600


def test_blocks_that_are_played_apart_and_merged_give_the_same(tmp_path: Path) -> None:
    given: dict[str, Any] = {"games": GAMES, "seed": 7, "workers": 1, "rounds": True}
    whole = simulate("platform", **given, out=tmp_path / "whole")
    told: list[tuple[int, int]] = []
    part = simulate("platform", **given, out=tmp_path / "a", blocks=range(1, 3), progress=lambda *at: told.append(at))
    assert (part.tables, part.blocks, part.blocks_missing) == ({}, 6, 4)
    assert (told[0], told[-1]) == ((0, 512), (512, 512))
    simulate("platform", **given, out=tmp_path / "b", blocks=range(4, 6))
    assert merge([tmp_path / "a", tmp_path / "b"], tmp_path / "c")[:2] == (4, 6)
    assert simulate(resume=tmp_path / "c", blocks=range(3, 5), workers=1).blocks_missing == 1
    told.clear()
    last = simulate(resume=tmp_path / "c", blocks=range(1), workers=1)
    assert last.blocks_missing == 0
    assert same(whole, last), "with its last blocks a run has its tables"
    assert last.provenance == whole.provenance
    names = ["blocks", "rounds/part=0000"]
    there, here = ([file.read_bytes() for name in names for file in sorted((tmp_path / run / name).iterdir())]
                   for run in ("whole", "c"))  # fmt: skip
    assert there == here


@pytest.mark.parametrize("blocks", [range(0), range(2, 2), range(-1, 2), range(5, 7), range(0, 6, 2), range(3, 1)])
def test_blocks_that_a_run_has_not_are_refused(tmp_path: Path, blocks: range) -> None:
    with pytest.raises(InputError, match="expected A:B with 0 <= A < B <= 6"):
        simulate("platform", games=GAMES, blocks=blocks, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_damaged_block_outside_of_those_asked_for_waits_for_its_turn(tmp_path: Path) -> None:
    whole = simulate("platform", games=600, workers=1, out=tmp_path / "run")
    (tmp_path / "run" / "blocks" / "000000.block").unlink()
    (tmp_path / "run" / "blocks" / "000002.block").write_bytes(b"")
    told: list[InputError] = []
    assert same(whole, simulate(resume=tmp_path / "run", blocks=range(2), workers=1, notice=told.append))
    assert len(told) == 1


@pytest.mark.parametrize("policies", [["efficient"] * 3, "random", ["x.toml"] * 3, None])
def test_a_manifest_cannot_have_a_file_read(tmp_path: Path, policies: Any) -> None:
    simulate("platform", games=100, workers=1, out=tmp_path / "run")
    file = tmp_path / "run" / "manifest.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | {"policies": policies}))
    with pytest.raises(InputError, match=r"cannot be continued: policies"):
        simulate(resume=tmp_path / "run", workers=1)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"rules": "suizhou"}, r"rules\.name"),
        ({"rules": changed(load_rules("platform"), {"liangdao.multiplier": 4})}, r"rules\.liangdao\.multiplier"),
        ({"room": "尊爵场"}, "room"),
        ({"piao": 1}, r"piao\.0"),
        ({"policies": "efficient:avoidance=0.25"}, r"policies\.0\.avoidance"),
        ({"seed": 2}, "seed"),
        ({"tables": ["maima_value"]}, r"tables\.0"),
        ({"rounds": True}, "rounds"),
    ],
)
def test_a_different_run_is_not_continued(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    given: dict[str, Any] = {"rules": "platform", "games": 600, "seed": 1}
    simulate(**given, workers=1, out=tmp_path / "run")
    with pytest.raises(InputError, match=f"{field} is .* there and .* here"):
        simulate(**{**given, **change}, workers=1, resume=tmp_path / "run")


@pytest.mark.parametrize(
    ("target", "value", "field"),
    [
        ("kwx_sim.runs.BLOCK", 512, "block"),
        ("kwx_sim.runs.SOURCE_HASH", "0123456789abcdef", "kernels"),
        ("kwx_sim.runs.version", lambda name: "0", r"versions\.kwx_sim"),
        ("kwx_sim.core.series.SERIES", 8, "series"),
    ],
)
def test_another_program_does_not_continue_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, value: Any, field: str
) -> None:
    simulate("platform", games=300, workers=1, out=tmp_path / "run")
    monkeypatch.setattr(target, value)
    with pytest.raises(InputError, match=f"{field} is .* there and .* here"):
        simulate(resume=tmp_path / "run", workers=1)


INTERRUPTED = """
import signal, sys
from kwx_sim.simulation import simulate
# Whoever runs the tests in the background of a shell has it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    simulate("xiangyang", games=10**7, workers=2, out=sys.argv[1], progress=lambda *so_far: print(*so_far, flush=True))
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_ctrl_c_stops_within_two_seconds(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(out)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(4):
            process.stdout.readline()
        asked = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(10) == 130
        finally:
            process.kill()
    assert time.monotonic() - asked < 2
    assert json.loads((out / "manifest.json").read_text())["games"] == 10**7
    assert len(list(out.glob("blocks/*.block"))) >= 3


# ---------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"games": 0}, "games: expected a whole number from 1 to"),
        ({"games": 1.5}, "games: expected a whole number"),
        ({"games": True}, "games: expected a whole number"),
        ({"seed": -1}, "seed: expected a whole number from 0"),
        ({"workers": 0}, "workers: expected a whole number"),
        ({"piao": 3}, "piao: expected a whole number from 0 to 2, got 3"),
        ({"piao": [0, 1]}, "piao: expected one for all or one for each"),
        ({"policies": ["random", "random"]}, "policies: expected one for all or one for each"),
        ({"tables": ["maima"]}, "tables: expected some of kawuxing_frequency, .*, got maima"),
        ({"tables": []}, "tables: expected some of"),
        ({"room": "no such"}, "room"),
        ({"rules": None}, "rules: expected a preset"),
        ({"out": "a", "resume": "b"}, "got both"),
        ({"blocks": range(1)}, "blocks: needs the directory of a run"),
        ({"rounds": True}, "rounds: needs the directory of a run"),
        ({"backend": "ray"}, "backend"),
        ({"scheduler": "tcp://127.0.0.1:1"}, "scheduler"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        simulate(**{"rules": "platform", "games": 10, "workers": 1, **given})
    assert "\n" not in str(refused.value)
    assert refused.value.message("zh") != str(refused.value)


def test_all_presets_a_ruleset_with_rooms_once_a_cap() -> None:
    told: list[tuple[int, int]] = []
    result = simulate_all(games=40, workers=1, piao=2, progress=lambda *so_far: told.append(so_far))
    settings = result.tables["kawuxing_frequency"][["ruleset", "cap", "piao"]].drop_duplicates()
    assert [tuple(row) for row in settings.to_numpy()] == [
        ("platform", 32, "2"),
        ("platform", 64, "2"),
        ("platform", 128, "2"),
        ("hongzhong", 0, "0"),
        ("suizhou", 0, "0"),
        ("xiangyang", 8, "0"),
        ("shiyan", 8, "0"),
    ]
    assert [run["room"] for run in result.provenance][:3] == ["初级场", "官甲场", "富商场"]
    assert told[0] == (0, 280)
    assert told[-1] == (280, 280)
    assert told == sorted(told)


@pytest.mark.parametrize(
    ("rules", "policies"), [("xiangyang", "efficient"), ("hongzhong", "efficient"), ("platform", "random")]
)
def test_a_small_run_counts_its_rounds(rules: str, policies: str) -> None:
    """Small enough for kernels in plain Python, whose branches it reaches."""
    table = simulate(rules, games=24, seed=3, policies=policies, workers=1).tables["kawuxing_frequency"]
    assert table.loc[table["measure"] == "rounds_with", "n"].tolist() == [24]
