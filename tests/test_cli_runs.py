"""Runs that grow, are divided among machines and joined, on the command line: `kwx merge` and `kwx runs`."""

import json
import shutil
import signal
import subprocess
import sys
import time

import pytest
from cli_runs import CHINESE, answer, environment, refused, run, start

from kwx_sim import simulation, store, tables
from kwx_sim.errors import InputError
from kwx_sim.runs import BLOCK
from kwx_sim.store.directory import is_played

GAMES = str(2 * BLOCK + 1000)
ASKED = ("--games", GAMES, "--seed", "5", "--tables", "kawuxing_frequency")
TABLE = "kawuxing_frequency.csv"


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A whole run, and the same run in two parts."""
    where = tmp_path_factory.mktemp("runs")
    for name, blocks in (("whole", "0:3"), ("part1", "0:1"), ("part2", "1:3")):
        result = run("simulate", *ASKED, "--out", str(where / name), "--blocks", blocks)
        assert result.exit_code == 0, result.stderr
    return where


def test_a_part_says_what_lacks_and_how_to_go_on(tmp_path):
    result = run("simulate", *ASKED, "--out", str(tmp_path / "part"), "--blocks", "1:2")
    assert result.exit_code == 0
    assert "Of the run's 3 blocks 2 are still to be played" in result.stdout
    assert f"kwx simulate --resume {tmp_path / 'part'}\n" in result.stdout
    assert "kwx merge" in result.stdout
    assert not list(tmp_path.glob("part/*.csv")), "a table is always of the whole run"
    told = answer("simulate", "--resume", str(tmp_path / "part"), "--blocks", "0:1")
    assert (told["tables"], told["files"], told["blocks"], told["blocks_missing"]) == ({}, [], 3, 1)


def test_parts_are_merged_and_give_the_same_tables(played, tmp_path):
    parts = [str(played / "part1"), str(played / "part2")]
    merged = tmp_path / "merged"
    result = run("merge", *parts, "--out", str(merged))
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("Merged: 3 of 3 blocks")
    assert run("simulate", "--resume", str(merged)).exit_code == 0
    assert (merged / TABLE).read_bytes() == (played / "whole" / TABLE).read_bytes()
    told = answer("merge", *parts, "--out", str(tmp_path / "again"))
    assert (told["blocks"], told["blocks_in_all"], told["games"]) == (3, 3, int(GAMES))
    assert "different numbers of rounds" not in result.stdout
    assert "已合并" in run("merge", *parts, "--out", str(tmp_path / "third"), env=CHINESE).stdout


def test_what_cannot_be_merged_is_refused_in_one_line(played, tmp_path):
    whole, part1, part2 = (str(played / name) for name in ("whole", "part1", "part2"))
    out = ("--out", str(tmp_path / "out"))
    refused(run("merge", whole, part1, *out), "block 0 is in", whole, part1)
    refused(run("merge", part1, *out), "two or more parts")
    refused(run("merge", part1, part1, *out), "given twice")
    refused(run("merge", part1, part2), "--out is missing")
    refused(run("merge", part1, str(tmp_path), *out), "no manifest.json")
    refused(run("merge", part1, part2, "--out", whole), "already holds a run")
    other = tmp_path / "other"
    run("simulate", *ASKED[:2], "--seed", "6", *ASKED[4:], "--out", str(other), "--blocks", "2:3")
    refused(run("merge", part1, str(other), *out), "seed is 6 there and 5")
    broken = tmp_path / "broken"
    shutil.copytree(part2, broken)
    block = broken / "blocks" / "000002.block"
    content = bytearray(block.read_bytes())
    content[len(content) // 2] ^= 4
    block.write_bytes(content)
    refused(run("merge", part1, str(broken), *out), "000002.block: damaged", f"kwx simulate --resume {broken}")
    assert not (tmp_path / "out").exists()
    # What the refusal tells to do helps: here the run is mended, and complete.
    result = run("simulate", "--resume", str(broken), "--blocks", "1:3")
    assert "000002.block: damaged or cut short; this block is played again" in result.stderr
    assert run("merge", part1, str(broken), *out).exit_code == 0


def test_a_run_grows(played, tmp_path):
    grown = tmp_path / "grown"
    assert run("simulate", "--games", "3000", *ASKED[2:], "--out", str(grown)).exit_code == 0
    assert run("simulate", "--resume", str(grown), "--games", GAMES).exit_code == 0
    assert (grown / TABLE).read_bytes() == (played / "whole" / TABLE).read_bytes()


def test_two_runs_into_one_directory(tmp_path):
    out = str(tmp_path / "run")
    child = start("simulate", "--games", "1e8", "--workers", "1", "--out", out)
    try:
        while not list(tmp_path.glob("run/blocks/*.block")):
            assert child.poll() is None
            time.sleep(0.05)
        refused(run("simulate", "--resume", out), f"{out}: another process is playing into this run")
        refused(run("simulate", "--games", "1e8", "--out", out), "another process is playing")
        listed = answer("runs", str(tmp_path))
        assert [each["state"] for each in listed] == ["playing"]
    finally:
        child.kill()
        child.communicate()
    assert answer("simulate", "--resume", out, "--blocks", "0:1")["blocks_missing"] > 6_000


def test_runs_are_listed(played, tmp_path):
    def changed(name, **fields):
        shutil.copytree(played / "part1", tmp_path / name)
        file = tmp_path / name / "manifest.json"
        file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | fields), "utf-8")

    shutil.copytree(played, tmp_path / "deep" / "down")
    changed("other kernels", kernels="0123456789abcdef")
    changed("older", format=1)
    changed("something else", command="report")
    changed("no extent", games="many")
    changed("strange", rules=7, seed="x")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manifest.json").write_text("{")
    told = {each.pop("path").removeprefix(f"{tmp_path}/"): each for each in answer("runs", str(tmp_path))}
    unknown = dict.fromkeys(("ruleset", "seed", "done", "games"))
    known = {"ruleset": "xiangyang", "seed": 5, "games": int(GAMES)}
    assert told == {
        "broken": {**unknown, "state": "damaged"},
        "deep/down/part1": {**known, "done": BLOCK, "state": "partial"},
        "deep/down/part2": {**known, "done": int(GAMES) - BLOCK, "state": "partial"},
        "deep/down/whole": {**known, "done": int(GAMES), "state": "complete"},
        "no extent": {**unknown, "state": "damaged"},
        "older": {**known, "done": BLOCK, "state": "other_program"},
        "other kernels": {**known, "done": BLOCK, "state": "other_program"},
        "strange": {**known, "ruleset": None, "seed": None, "done": BLOCK, "state": "partial"},
    }
    shown = run("runs", str(tmp_path), env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    assert f"{int(GAMES):,}" in shown.stdout
    assert "other version" in shown.stdout
    assert "已打完" in run("runs", str(played), env=CHINESE).stdout


def test_parts_of_different_lengths_are_told(played, tmp_path):
    longer = tmp_path / "longer"
    assert run("simulate", "--games", str(4 * BLOCK), *ASKED[2:], "--out", str(longer), "--blocks", "3:").exit_code == 0
    result = run("merge", str(played / "part1"), str(longer), "--out", str(tmp_path / "all"))
    assert f"The parts have different numbers of rounds; the whole has {4 * BLOCK:,}." in result.stdout


def test_open_ends_of_blocks(played, tmp_path):
    for name, blocks in (("part1", ":1"), ("part2", "1:")):
        assert run("simulate", *ASKED, "--out", str(tmp_path / name), "--blocks", blocks).exit_code == 0
        there, here = (
            sorted(file.name for file in (where / name / "blocks").iterdir()) for where in (played, tmp_path)
        )
        assert here == there


def test_a_narrow_terminal_shows_whole_paths_and_states(played, monkeypatch):
    monkeypatch.chdir(played)
    shown = run("runs", env={"COLUMNS": "40"}).stdout.splitlines()
    assert max(map(len, shown)) <= 40
    assert [line.split()[0] for line in shown[2:]] == ["part1", "part2", "whole"]
    assert [line.split()[-1] for line in shown[2:]] == ["partial", "partial", "complete"]
    path = str(played / "whole")
    assert any(line.startswith(path) for line in run("runs", path, env={"COLUMNS": "40"}).stdout.splitlines())


def test_an_extension_takes_the_tables_of_the_shorter_run_away(tmp_path):
    where = tmp_path / "run"
    assert run("simulate", "--games", "3000", *ASKED[2:], "--out", str(where)).exit_code == 0
    (where / "mine.csv").touch()
    assert run("simulate", "--resume", str(where), "--games", GAMES, "--blocks", "0:1").exit_code == 0
    left = {file.name for file in where.iterdir()} - {"run.lock"}
    assert left == {"blocks", "manifest.json", "mine.csv"}


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_interrupted_merge_says_what_there_is(played, tmp_path, monkeypatch, when):
    join, out = store.merge, tmp_path / "out"

    def interrupted(*args):
        if when == "after":
            join(*args)
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "merge", interrupted)
    result = run("merge", str(played / "part1"), str(played / "part2"), "--out", str(out))
    if when == "after":
        assert result.stderr.endswith(f"kwx simulate --resume {out}\n")
    else:
        assert result.stderr == f"Interrupted; nothing is merged, and nothing is left in {out}.\n"


SLOW_MERGE = """
import sys, time
from kwx_sim.cli import main
from kwx_sim.store.merging import Store
save = Store.save
Store.save = lambda *block: save(*block) or time.sleep(60)
main()
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_merge_that_is_stopped_between_blocks_can_be_done_again(played, tmp_path, sent):
    parts, out = [str(played / "part1"), str(played / "part2")], tmp_path / "out"
    command = [sys.executable, "-c", SLOW_MERGE, "merge", *parts, "--out", str(out)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment(), text=True) as merging:
        end = time.monotonic() + 60
        while not list(tmp_path.glob(".out.merging/blocks/*.block")):
            assert time.monotonic() < end
            assert merging.poll() is None
            time.sleep(0.01)
        merging.send_signal(sent)
        said, status = merging.communicate(timeout=10)[1], merging.returncode
    if sent == signal.SIGKILL:
        assert (status, said) == (-sent, "")
        assert [path.name for path in tmp_path.iterdir()] == [".out.merging"]
    else:
        assert (status, said) == (128 + sent, f"Interrupted; nothing is merged, and nothing is left in {out}.\n")
        assert not list(tmp_path.iterdir())
    assert run("merge", *parts, "--out", str(out)).exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert run("simulate", "--resume", str(out)).exit_code == 0
    assert (out / TABLE).read_bytes() == (played / "whole" / TABLE).read_bytes()


@pytest.mark.parametrize(("begun", "said"), [(0, "before anything was begun"), (1, "before a block"), (2, "are kept")])
def test_an_interrupted_run_says_what_there_is(played, tmp_path, monkeypatch, begun, said):
    where = tmp_path / "run"
    if begun:
        shutil.copytree(played / "part1", where)
    if begun == 1:
        (where / "blocks" / "000000.block").unlink()

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(simulation, "simulate", interrupted)
    result = run("simulate", "--resume", str(where))
    assert said in result.stderr
    assert ("--resume" in result.stderr) == bool(begun)
    assert ("are kept" in result.stderr) == (begun == 2)


def test_tables_that_find_no_room_can_be_made_later(played, tmp_path, monkeypatch):
    where = shutil.copytree(played / "whole", tmp_path / "run")
    (where / TABLE).unlink()

    def full(path, _):
        assert is_played(where), "nobody else may write them meanwhile"
        raise OSError(28, "No space left on device", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(tables, "write_whole", full)
        result = run("simulate", "--resume", str(where))
    assert result.exit_code == 2
    told = result.stderr.splitlines()[-1]
    assert told.startswith(f"kwx: {where}: the tables cannot be saved (No space left on device)")
    assert told.endswith(f"once that is mended, kwx simulate --resume {where} goes on")
    assert not (where / TABLE).exists()
    assert run("simulate", "--resume", str(where)).exit_code == 0
    assert (where / TABLE).read_bytes() == (played / "whole" / TABLE).read_bytes()


def test_a_whole_run_is_read_where_nothing_can_be_written(played, tmp_path, monkeypatch):
    where = shutil.copytree(played / "whole", tmp_path / "run")
    (where / TABLE).unlink()
    (where / "run.lock").unlink(missing_ok=True)
    # Root may write anywhere.
    monkeypatch.setattr("kwx_sim.store.directory.os.access", lambda *_: False)
    before = sorted(where.iterdir())
    result = run("simulate", "--resume", str(where))
    assert result.exit_code == 0, result.stderr
    assert "rounds with a kawuxing win" in result.stdout
    assert result.stdout.splitlines()[-1] == f"{where} cannot be written: no tables were written there."
    assert sorted(where.iterdir()) == before


def test_what_ends_a_cluster_is_told_with_how_to_go_on(tmp_path, monkeypatch):
    def lost(*_, **__):
        raise InputError("backends.lost", scheduler="tcp://here:1")

    monkeypatch.setattr(simulation, "play_run", lost)
    where = tmp_path / "run"
    refused(
        run("simulate", *ASKED, "--out", str(where)),
        f"tcp://here:1: the scheduler is lost. To go on: kwx simulate --resume {where}\n",
    )


def test_names_do_not_steer_the_terminal(played, tmp_path):
    where = tmp_path / "a\x1b[2Jb"
    shutil.copytree(played / "part1", where)
    file = where / "manifest.json"
    manifest = json.loads(file.read_text("utf-8"))
    manifest["rules"]["name"] = "\x1b]0;x\x07" + "y" * 1000
    file.write_text(json.dumps(manifest | {"seed": 10**4000}), "utf-8")
    shown = run("runs", str(tmp_path), env={"COLUMNS": "200"}).stdout
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) < 300


def test_no_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("runs").stdout == "No runs in ..\n"
    assert answer("runs") == []
    refused(run("runs", "nowhere"), "nowhere: expected a directory")
