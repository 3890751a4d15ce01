"""Runs on disk: what is written is whole, what is there is kept, what differs is refused by name."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kwx_sim.errors import InputError
from kwx_sim.store import Store, read_manifest

MANIFEST: dict[str, Any] = {
    "command": "simulate",
    "rules": {"name": "漂", "fans": {"values": {"kawuxing": 2}}, "rooms": [{"cap": 32}]},
    "piao": [0, 0, 0],
    "seed": 1,
    "room": None,
}
SUMS = np.array([3, -(2**62), 0, 7])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "deep" / "run", MANIFEST)


def test_a_block_comes_back_as_it_was(store: Store) -> None:
    store.save(12, SUMS)
    found = store.load(12, SUMS.size)
    assert found is not None
    assert found.dtype == np.int64
    assert found.tolist() == SUMS.tolist()


def test_a_block_that_was_not_finished_is_none(store: Store) -> None:
    assert store.load(0, SUMS.size) is None


def test_nothing_but_whole_files_is_left(store: Store) -> None:
    store.save(0, SUMS)
    assert sorted(file.name for file in store.path.iterdir()) == ["block-000000.npz", "manifest.json"]


def test_the_manifest_is_plain_json(store: Store) -> None:
    assert json.loads((store.path / "manifest.json").read_text(encoding="utf-8")) == MANIFEST
    assert "漂" in (store.path / "manifest.json").read_text(encoding="utf-8")


def test_a_run_is_resumed(store: Store) -> None:
    store.save(3, SUMS)
    again = Store(store.path, MANIFEST, resume=True)
    assert np.array_equal(again.load(3, SUMS.size), SUMS)


def test_tuples_of_a_manifest_equal_the_lists_on_disk(store: Store) -> None:
    store.save(0, SUMS)
    again = Store(store.path, {**MANIFEST, "piao": (0, 0, 0)}, resume=True)
    assert again.load(0, SUMS.size) is not None


def test_a_new_run_does_not_overwrite_one(store: Store) -> None:
    with pytest.raises(InputError, match="already holds a run"):
        Store(store.path, MANIFEST)


def test_there_must_be_a_run_to_resume(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no manifest\.json"):
        Store(tmp_path, MANIFEST, resume=True)


@pytest.mark.parametrize("text", ["", "{", "[]", "\x00\xff", "[" * 100_000])
def test_a_damaged_manifest_is_refused(store: Store, text: str) -> None:
    (store.path / "manifest.json").write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match="damaged"):
        read_manifest(store.path)


def test_a_directory_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="cannot be written"):
        Store(tmp_path / "file" / "run", MANIFEST)


def test_a_block_that_cannot_be_written_is_refused(store: Store) -> None:
    (store.path / "block-000000.part").mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        store.save(0, SUMS)


@pytest.mark.parametrize(
    ("change", "field", "recorded", "asked"),
    [
        ({"seed": 2}, "seed", "1", "2"),
        ({"room": "官甲场"}, "room", "null", '"官甲场"'),
        ({"piao": [0, 1, 0]}, "piao.1", "0", "1"),
        ({"rules": {**MANIFEST["rules"], "rooms": []}}, "rules.rooms", "–", "[]"),
        (
            {"rules": {**MANIFEST["rules"], "fans": {"values": {"kawuxing": 4}}}},
            "rules.fans.values.kawuxing",
            "2",
            "4",
        ),
        ({"block": 512}, "block", "–", "512"),
    ],
)
def test_what_differs_is_named_with_both_values(
    store: Store, change: dict[str, Any], field: str, recorded: str, asked: str
) -> None:
    with pytest.raises(InputError) as refused:
        Store(store.path, {**MANIFEST, **change}, resume=True)
    assert f"{field} is {recorded} there and {asked} here" in str(refused.value)


def test_a_field_that_is_gone_differs(store: Store) -> None:
    less = {name: value for name, value in MANIFEST.items() if name != "seed"}
    with pytest.raises(InputError, match="seed is 1 there and – here"):
        Store(store.path, less, resume=True)


def test_damage_is_noticed(store: Store) -> None:
    store.save(0, SUMS)
    file = store.path / "block-000000.npz"
    whole = file.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], whole[:-1], b"no archive", whole[:70] + b"\0\0\0" + whole[73:]):
        file.write_bytes(damaged)
        with pytest.raises(InputError, match=r"block-000000\.npz: damaged"):
            store.load(0, SUMS.size)


def test_a_block_of_another_place_size_or_run_counts_as_damaged(store: Store, tmp_path: Path) -> None:
    store.save(0, SUMS)
    (store.path / "block-000000.npz").rename(store.path / "block-000001.npz")
    with pytest.raises(InputError, match="damaged"):
        store.load(1, SUMS.size)
    store.save(2, SUMS)
    with pytest.raises(InputError, match="damaged"):
        store.load(2, SUMS.size + 1)
    other = Store(tmp_path / "other", {**MANIFEST, "seed": 2})
    other.save(3, SUMS)
    (other.path / "block-000003.npz").rename(store.path / "block-000003.npz")
    with pytest.raises(InputError, match="damaged"):
        store.load(3, SUMS.size)


def test_a_pickle_is_never_loaded(store: Store) -> None:
    np.savez(store.path / "block-000000.npz", run=np.array(store, dtype=object), block=0, sums=SUMS)
    with pytest.raises(InputError, match="damaged"):
        store.load(0, SUMS.size)
