"""Runs on disk: what is written is whole, what is there is kept, what differs is refused by name."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kwx_sim.errors import InputError
from kwx_sim.store import Block, Extent, Store, files, finished_blocks, list_runs, merge, read_manifest
from kwx_sim.store.manifest import identity

MANIFEST: dict[str, Any] = {
    "command": "simulate",
    "rules": {"name": "漂", "fans": {"values": {"kawuxing": 2}}, "rooms": [{"cap": 32}]},
    "piao": [0, 0, 0],
    "seed": 1,
    "room": None,
    "games": 95,
    "block": 10,
    "rounds": False,
}
WITH_ROUNDS = {**MANIFEST, "rounds": True}
SUMS = Block(b"\x00\xffpacked sums\n")
ROWS = Block(b"packed sums", b"rows as Parquet")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "deep" / "run", MANIFEST)


def again(store: Store, **changes: Any) -> Store:
    """The same directory, opened by somebody else afterwards."""
    store.close()
    return Store(store.path, {**MANIFEST, **changes}, resume=True)


def file_of(store: Store, number: int) -> Path:
    return store.path / "blocks" / f"{number:06d}.block"


# ---------------------------------------------------------------- blocks


def test_a_block_comes_back_as_it_was(store: Store) -> None:
    store.save(3, SUMS)
    assert store.load(3) == SUMS.sums
    assert store.finished == {3}
    assert again(store).load(3) == SUMS.sums


def test_nothing_but_whole_files_is_left(store: Store) -> None:
    store.save(0, SUMS)
    store.close()
    names = sorted(str(file.relative_to(store.path)) for file in store.path.rglob("*") if file.is_file())
    assert [name for name in names if name != "run.lock"] == ["blocks/000000.block", "manifest.json"]


def test_the_manifest_is_plain_json(store: Store) -> None:
    assert json.loads((store.path / "manifest.json").read_text(encoding="utf-8")) == MANIFEST
    assert "漂" in (store.path / "manifest.json").read_text(encoding="utf-8")


def test_a_block_can_be_checked_with_what_every_system_has(store: Store) -> None:
    store.save(0, SUMS)
    checksum, told = file_of(store, 0).read_bytes().split(b"\n", 1)
    found = subprocess.run(["sha256sum"], input=told, capture_output=True, check=True).stdout
    assert found.split()[0] == checksum
    assert json.loads(told.split(b"\n")[0]) == {"run": identity(MANIFEST), "block": 0, "rounds": 10}


def damaged(store: Store, number: int) -> bool:
    """Whether a block is told to be damaged, and no longer counts as finished."""
    with pytest.raises(InputError, match="damaged") as told:
        store.load(number)
    return number not in store.finished and str(store.path) in str(told.value)


def test_every_flipped_bit_and_every_cut_is_noticed(store: Store) -> None:
    store.save(0, SUMS)
    file = file_of(store, 0)
    whole = file.read_bytes()
    for place in range(len(whole)):
        for bit in range(8):
            file.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1 :])
            assert damaged(store, 0)
        file.write_bytes(whole[:place])
        assert damaged(store, 0)
    file.write_bytes(whole + b"\n")
    assert damaged(store, 0)
    file.write_bytes(whole)
    assert store.load(0) == SUMS.sums


def test_a_block_of_another_place_or_run_counts_as_damaged(store: Store, tmp_path: Path) -> None:
    store.save(0, SUMS)
    file_of(store, 0).rename(file_of(store, 1))
    assert damaged(store, 1)
    with Store(tmp_path / "other", {**MANIFEST, "seed": 2}) as other:
        other.save(3, SUMS)
        file_of(other, 3).rename(file_of(store, 3))
    assert damaged(store, 3)


def test_rows_are_checked_with_their_block(tmp_path: Path) -> None:
    with Store(tmp_path / "run", WITH_ROUNDS) as store:
        store.save(2, ROWS)
        assert store.load(2) == ROWS.sums
        file = store.path / "rounds" / "part=0000" / "block-000002.parquet"
        assert file.read_bytes() == ROWS.rows
        for content in (b"", b"rows as parquet", b"rows as Parquet\n"):
            store.finished.add(2)
            file.write_bytes(content)
            assert damaged(store, 2)
        file.unlink()
        assert damaged(store, 2)


def test_the_rows_of_a_million_rounds_are_a_part(tmp_path: Path) -> None:
    with Store(tmp_path / "run", {**WITH_ROUNDS, "games": 10_000}) as store:
        store.save(63, ROWS)
        store.save(64, ROWS)
    assert sorted(str(file.relative_to(store.path)) for file in store.path.glob("rounds/*/*")) == [
        "rounds/part=0000/block-000063.parquet",
        "rounds/part=0001/block-000064.parquet",
    ]


@pytest.mark.parametrize("content", [b"\x80\x04K\x01.", b"[" * 100_000, b"{}", b"[]", b"\n\n\n"])
def test_what_is_no_block_is_never_taken_for_one(store: Store, content: bytes) -> None:
    # With the right checksum too.
    for told in (content, files_digest(content) + b"\n" + content):
        file_of(store, 0).write_bytes(told)
        store.finished.add(0)
        assert damaged(store, 0)


def files_digest(content: bytes) -> bytes:
    found = subprocess.run(["sha256sum"], input=content, capture_output=True, check=True).stdout
    return found.split()[0]


def test_pipes_devices_and_giants_are_not_read(store: Store, tmp_path: Path) -> None:
    os.mkfifo(file_of(store, 0))
    file_of(store, 1).symlink_to("/dev/zero")
    with file_of(store, 2).open("wb") as file:
        file.truncate(1 << 40)
    store = again(store)
    assert store.finished == {0, 1, 2}
    assert all(damaged(store, number) for number in range(3))
    with pytest.raises(ValueError, match="more than 3 bytes"):
        files.read_at_most(store.path / "manifest.json", 3)


# ---------------------------------------------------------------- what is run


def test_a_run_is_resumed(store: Store) -> None:
    store.save(3, SUMS)
    assert again(store, piao=(0, 0, 0)).load(3) == SUMS.sums, "a tuple equals the list on disk"


def test_a_new_run_does_not_overwrite_one(store: Store) -> None:
    store.close()
    with pytest.raises(InputError, match="already holds a run"):
        Store(store.path, MANIFEST)
    Store(store.path, MANIFEST, resume=True).close()


@pytest.mark.parametrize("place", ["", "nowhere", "file"])
def test_there_must_be_a_run_to_resume(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("no directory")
    with pytest.raises(InputError, match=r"no manifest\.json"):
        Store(tmp_path / place, MANIFEST, resume=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "\x00\xff", "[" * 100_000, '{"a":' * 900 + "1" + "}" * 900, '{"a": 1, "a": 1}', '{"a": NaN}',
     '{"a": 1' + "0" * 5000 + "}", '{"a": "' + "x" * (1 << 17) + '"}', r'{"a": "\ud800"}'],
)  # fmt: skip
def test_a_damaged_manifest_is_refused(store: Store, content: str) -> None:
    (store.path / "manifest.json").write_text(content, encoding="latin-1")
    with pytest.raises(InputError, match="damaged"):
        read_manifest(store.path)


@pytest.mark.parametrize(
    "extent", [{"games": 0}, {"games": "9"}, {"games": 1e3}, {"games": True}, {"block": 0}, {"games": 10**13}]
)
def test_a_manifest_without_a_sensible_extent_is_refused(tmp_path: Path, extent: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="damaged"):
        Extent.of({**MANIFEST, **extent}, tmp_path)


@pytest.mark.parametrize(
    ("change", "field", "recorded", "asked"),
    [
        ({"seed": 2}, "seed", "1", "2"),
        ({"seed": True}, "seed", "1", "true"),
        ({"room": "官甲场"}, "room", "null", '"官甲场"'),
        ({"piao": [0, 1, 0]}, "piao.1", "0", "1"),
        ({"rules": {**MANIFEST["rules"], "rooms": []}}, "rules.rooms", "–", "[]"),
        (
            {"rules": {**MANIFEST["rules"], "fans": {"values": {"kawuxing": 4}}}},
            "rules.fans.values.kawuxing",
            "2",
            "4",
        ),
        ({"kernels": "0123"}, "kernels", "–", '"0123"'),
    ],
)
def test_what_differs_is_named_with_both_values(
    store: Store, change: dict[str, Any], field: str, recorded: str, asked: str
) -> None:
    with pytest.raises(InputError) as refused:
        again(store, **change)
    assert f"{field} is {recorded} there and {asked} here" in str(refused.value)
    again(store).close()


def test_a_field_that_is_gone_differs(store: Store) -> None:
    store.close()
    less = {name: value for name, value in MANIFEST.items() if name != "seed"}
    with pytest.raises(InputError, match="seed is 1 there and – here"):
        Store(store.path, less, resume=True)


# ---------------------------------------------------------------- growing


def test_a_run_grows_and_its_short_block_is_dropped(store: Store) -> None:
    for number in (0, 8, 9):
        store.save(number, SUMS)
    longer = again(store, games=200)
    assert longer.finished == {0, 8}
    assert longer.load(8) == SUMS.sums
    assert read_manifest(longer.path)["games"] == 200
    assert not longer.complete


def test_a_run_that_ends_with_a_block_keeps_all(tmp_path: Path) -> None:
    with Store(tmp_path / "run", {**MANIFEST, "games": 20}) as store:
        store.save(0, SUMS)
        store.save(1, SUMS)
        assert store.complete
    with Store(tmp_path / "run", {**MANIFEST, "games": 21}, resume=True) as store:
        assert store.finished == {0, 1}


def test_a_run_does_not_shrink(store: Store) -> None:
    with pytest.raises(InputError, match="more rounds, not fewer: it has 95, asked are 94"):
        again(store, games=94)
    assert read_manifest(store.path)["games"] == 95


# ---------------------------------------------------------------- one at a time, and only in its directory


def test_a_second_run_is_refused_until_the_first_is_closed(store: Store) -> None:
    for resume in (True, False):
        with pytest.raises(InputError, match="another process is playing"):
            Store(store.path, MANIFEST, resume=resume)
    again(store).close()


def test_another_process_is_refused_and_a_killed_one_leaves_no_lock(tmp_path: Path) -> None:
    code = f"""
import sys, time
from kwx_sim.store import Store
store = Store(sys.argv[1], {MANIFEST!r})
print("locked", flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "run")], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        with pytest.raises(InputError, match="another process is playing"):
            Store(tmp_path / "run", MANIFEST, resume=True)
        child.kill()
    Store(tmp_path / "run", MANIFEST, resume=True).close()


@pytest.mark.parametrize("name", ["blocks", "rounds", "run.lock", "kawuxing_frequency.csv", "rounds/part=0000"])
def test_a_directory_that_leads_out_of_itself_is_refused(store: Store, tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (store.path / "blocks").rmdir()
    store.close()
    link = store.path / name
    link.parent.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(elsewhere)
    with pytest.raises(InputError, match="is a link"):
        again(store)
    assert not list(elsewhere.iterdir())


def test_what_is_written_does_not_go_through_a_link(store: Store, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("precious")
    (store.path / "blocks" / ".000000.block.part").symlink_to(mine)
    file_of(store, 0).symlink_to(mine)
    store.save(0, SUMS)
    assert store.load(0) == SUMS.sums
    assert mine.read_text() == "precious"


# ---------------------------------------------------------------- what cannot be written


def test_a_directory_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="cannot be written"):
        Store(tmp_path / "file" / "run", MANIFEST)


def test_a_block_that_cannot_be_written_is_refused_and_leaves_nothing(store: Store) -> None:
    file_of(store, 0).mkdir()
    with pytest.raises(InputError, match=r"cannot be saved .* what is finished is kept"):
        store.save(0, SUMS)
    assert [path.name for path in (store.path / "blocks").iterdir()] == ["000000.block"]
    assert store.finished == set()


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    files.write_whole(file, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        files.write_whole(file, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert file.read_bytes() == b"old"


# ---------------------------------------------------------------- merging


def part(path: Path, *numbers: int, block: Block = SUMS, **changes: Any) -> Path:
    with Store(path, {**MANIFEST, **changes}) as store:
        for number in numbers:
            store.save(number, block)
    return path


def test_parts_are_joined(tmp_path: Path) -> None:
    parts = [part(tmp_path / "a", 0, 1, 2), part(tmp_path / "b", 4, 9), part(tmp_path / "c")]
    assert merge(parts, tmp_path / "all") == (5, 10, 95, True)
    with Store(tmp_path / "all", MANIFEST, resume=True) as merged:
        assert merged.finished == {0, 1, 2, 4, 9}
        assert merged.load(9) == SUMS.sums


def test_rows_are_joined_too(tmp_path: Path) -> None:
    parts = [part(tmp_path / name, number, block=ROWS, rounds=True) for number, name in enumerate("ab")]
    merge(parts, tmp_path / "all")
    assert [file.read_bytes() for file in (tmp_path / "all" / "rounds" / "part=0000").iterdir()] == [ROWS.rows] * 2
    with Store(tmp_path / "all", WITH_ROUNDS, resume=True) as merged:
        assert merged.load(1) == ROWS.sums


def test_parts_of_a_run_that_grew_leave_out_a_short_block(tmp_path: Path) -> None:
    parts = [part(tmp_path / "a", 0, 9), part(tmp_path / "b", 9, 11, games=115)]
    assert merge(parts, tmp_path / "all") == (3, 12, 115, False)
    assert read_manifest(tmp_path / "all")["games"] == 115
    assert finished_blocks(tmp_path / "all", Extent(115, 10)) == {0, 9, 11}


def test_what_cannot_be_joined_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    a, b = part(tmp_path / "a", 0, 1), part(tmp_path / "b", 1, 2)
    out = tmp_path / "all"
    with pytest.raises(InputError, match=rf"block 1 is in {a} and in {b}"):
        merge([a, b], out)
    with pytest.raises(InputError, match="given twice"):
        merge([a, a], out)
    with pytest.raises(InputError, match=r"seed is 2 there and 1 in .*/a"):
        merge([a, part(tmp_path / "other", 5, seed=2)], out)
    with pytest.raises(InputError, match=r"no manifest\.json"):
        merge([a, tmp_path / "nowhere"], out)
    c = part(tmp_path / "c", 3)
    file = c / "blocks" / "000003.block"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(InputError, match=rf"000003\.block: damaged .* --resume {c}"):
        merge([a, c], out)
    d = part(tmp_path / "d", 7)
    with pytest.raises(InputError, match=rf"all: is inside the part {a};"):
        merge([a, d], a / "deep" / "all")
    assert not (a / "deep").exists()
    assert not out.exists()
    with pytest.raises(InputError, match="already holds a run"):
        merge([a, d], b)
    out.mkdir()
    (out / "mine").touch()
    with pytest.raises(InputError, match="is not empty"):
        merge([a, d], out)
    assert [file.name for file in out.iterdir()] == ["mine"]


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_merge_that_ends_early_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Any) -> None:
    parts = [part(tmp_path / "a", 0, 1), part(tmp_path / "b", 2)]
    before = sorted(tmp_path.iterdir())
    write, calls = files.write_whole, []

    def fails_late(path: Path, content: bytes) -> None:
        calls.append(path)
        if len(calls) == 3:
            raise failure
        write(path, content)

    with monkeypatch.context() as patched:
        patched.setattr("kwx_sim.store.directory.write_whole", fails_late)
        with pytest.raises((InputError, KeyboardInterrupt)) as told:
            merge(parts, tmp_path / "all")
    if isinstance(told.value, InputError):
        assert f"{tmp_path / 'all'}: cannot be written (No space left on device); nothing is left" in str(told.value)
    assert sorted(tmp_path.iterdir()) == before
    assert merge(parts, tmp_path / "all").blocks == 3


def test_what_a_killed_merge_left_is_removed_by_the_next(tmp_path: Path) -> None:
    parts = [part(tmp_path / "a", 0), part(tmp_path / "b", 2)]
    left = part(tmp_path / ".all.merging", 0, 5)
    assert [run.path for run in list_runs(tmp_path, {})] == [str(path) for path in parts]
    with Store(left, MANIFEST, resume=True), pytest.raises(InputError, match="another process is merging"):
        merge(parts, tmp_path / "all")
    merge(parts, tmp_path / "all")
    assert not left.exists()
    assert finished_blocks(tmp_path / "all", Extent(95, 10)) == {0, 2}


def test_the_manifest_of_something_else_is_not_that_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"command": "report"}')
    with pytest.raises(InputError, match="holds no run of kwx simulate"):
        Store(tmp_path, MANIFEST, resume=True)
    assert list(list_runs(tmp_path, {})) == []


def test_a_run_that_grows_loses_what_was_made_of_all_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part(tmp_path / "run", 0)
    for name in ("a.csv", "mine.csv"):
        (tmp_path / "run" / name).touch()
    names = ("a.csv", "a.parquet")
    Store(tmp_path / "run", MANIFEST, resume=True, made_of_all=names).close()
    assert (tmp_path / "run" / "a.csv").exists(), "it has not grown"

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("kwx_sim.store.directory.write_manifest", killed)
        with pytest.raises(KeyboardInterrupt):
            Store(tmp_path / "run", {**MANIFEST, "games": 200}, resume=True, made_of_all=names)
    assert not (tmp_path / "run" / "a.csv").exists(), "gone before the manifest says that there is more"
    assert (tmp_path / "run" / "mine.csv").exists()


def test_many_blocks_are_counted_by_one_look(tmp_path: Path) -> None:
    (tmp_path / "blocks").mkdir()
    for number in range(5000):
        (tmp_path / "blocks" / f"{number:06d}.block").touch()
    for name in ("00001.block", "0000001.block", "000001.part", ".000001.block.part", "x", "9999999.block"):
        (tmp_path / "blocks" / name).touch()
    assert finished_blocks(tmp_path, Extent(50_000, 10)) == set(range(5000))
    assert np.array_equal(sorted(finished_blocks(tmp_path, Extent(35, 10))), range(4))
