"""`--rounds`: a row a round, the same wherever it was played, and as the round itself tells it."""

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli_runs import answer, refused, run
from pyarrow import parquet

from kwx_sim import runs
from kwx_sim.rounds import rounds_to_parquet
from kwx_sim.runs import Run, replay
from kwx_sim.simulation import simulate
from kwx_sim.trials import play_rows

GAMES = 1500
SEATS = range(3)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "BLOCK", 256)


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    with pytest.MonkeyPatch.context() as small:
        small.setattr(runs, "BLOCK", 256)
        where = tmp_path_factory.mktemp("rounds") / "run"
        simulate("platform", games=GAMES, seed=3, piao=[0, 1, 2], workers=2, out=where, rounds=True)
    return pd.read_parquet(where / "rounds")


def test_every_round_is_there_once(rounds: pd.DataFrame) -> None:
    assert rounds["number"].tolist() == list(range(GAMES))


def test_the_columns_are_those_of_the_docstring(rounds: pd.DataFrame) -> None:
    from kwx_sim import rounds as module

    assert module.__doc__ is not None
    named = module.__doc__.replace("`kong_`, `win_` and", "`kong_points_0`, `win_points_0` and")
    for column in rounds.columns.drop("part"):
        assert f"`{re.sub('_[12]$', '_0', column)}`" in named, column


def test_money_adds_up(rounds: pd.DataFrame) -> None:
    for name in ("points", "kong_points", "win_points", "undecided_points"):
        assert (rounds[[f"{name}_{seat}" for seat in SEATS]].sum(axis=1) == 0).all()
    for seat in SEATS:
        parts = rounds[[f"{name}_points_{seat}" for name in ("kong", "win", "undecided")]].sum(axis=1)
        assert (rounds[f"points_{seat}"] == parts).all()
    assert (rounds["points_0"] - rounds["points_1"]).min() < 0, "nothing wraps"


def test_what_did_not_happen_is_null(rounds: pd.DataFrame) -> None:
    outcome = rounds["outcome"]
    assert set(outcome) == {"self_draw", "discard", "robbed", "undecided"}
    won = rounds[[f"won_{seat}" for seat in SEATS]].sum(axis=1)
    assert (won[outcome == "undecided"] == 0).all()
    assert (won[outcome == "self_draw"] == 1).all()
    assert won.max() == 2
    assert rounds["win_tile"].isna().eq(outcome == "undecided").all()
    assert rounds["feeder"].notna().eq(outcome.isin(["discard", "robbed"])).all()
    for seat in SEATS:
        for column in ("fan", "fans", "waits"):
            assert rounds[f"{column}_{seat}"].notna().eq(rounds[f"won_{seat}"]).all()
    declared = rounds[[f"declared_at_{seat}" for seat in SEATS]].notna().any(axis=1)
    assert rounds["first_declared"].notna().eq(declared).all()
    turned = rounds[rounds["maima_tile"].notna()]
    assert len(turned)
    assert (turned["outcome"] == "self_draw").all()


def test_a_row_is_its_round(rounds: pd.DataFrame) -> None:
    game = Run.of("platform", games=GAMES, seed=3, piao=[0, 1, 2])
    for number in (0, 255, 256, 777, GAMES - 1):
        row, state = rounds.loc[number], replay(game, number)[0]
        assert row["dealer"] == state["dealer"]
        assert [row[f"kong_points_{seat}"] for seat in SEATS] == state["kong_points"].tolist()
        assert [row[f"win_points_{seat}"] for seat in SEATS] == state["win_points"].sum(axis=0).tolist()
        assert [row[f"won_{seat}"] for seat in SEATS] == [bool(state["winners"] >> seat & 1) for seat in SEATS]
        assert [row[f"draws_{seat}"] for seat in SEATS] == state["draws"].tolist()


def test_the_rows_are_those_that_the_analyses_play(rounds: pd.DataFrame) -> None:
    played = play_rows(Run.of("platform", games=GAMES, seed=3, piao=[0, 1, 2]), forks=False, workers=1).rounds
    again = pd.read_parquet(BytesIO(rounds_to_parquet(played)))
    pd.testing.assert_frame_equal(again, rounds.drop(columns="part"), check_dtype=False)
    assert rounds_to_parquet(played) == rounds_to_parquet(played.copy())


def test_every_file_has_the_same_columns(rounds: pd.DataFrame) -> None:
    few = play_rows(Run.of("hongzhong", games=3), forks=False, workers=1).rounds
    schemas = [parquet.read_schema(BytesIO(rounds_to_parquet(few[:n]))) for n in (0, 1, 3)]
    assert schemas[0] == schemas[1] == schemas[2], "also where a column holds nothing"
    assert schemas[0].names == list(rounds.columns.drop("part"))
    assert {str(kind) for kind in schemas[0].types} == {"int64", "int32", "bool", "string"}


def test_a_garbled_file_of_rows_is_found_and_played_again(tmp_path: Path) -> None:
    given: dict[str, Any] = {"games": GAMES, "workers": 1, "rounds": True}
    simulate("hongzhong", **given, out=tmp_path / "run")
    files = sorted((tmp_path / "run" / "rounds" / "part=0000").iterdir())
    before = [file.read_bytes() for file in files]
    content = bytearray(before[1])
    content[len(content) // 2] ^= 16
    files[1].write_bytes(content)
    files[2].write_bytes(before[3])
    files[3].write_bytes(before[3][:-1])
    files[4].unlink()
    told: list[Any] = []
    simulate(resume=tmp_path / "run", workers=1, notice=told.append)
    assert [note.params["file"] for note in told] == list(map(str, files[1:5]))
    assert [file.read_bytes() for file in files] == before


def test_a_run_that_grows_has_its_rows_once(tmp_path: Path) -> None:
    simulate("suizhou", games=300, workers=1, rounds=True, out=tmp_path / "run")
    simulate(resume=tmp_path / "run", games=600, workers=1)
    grown = pd.read_parquet(tmp_path / "run" / "rounds")
    assert np.array_equal(grown["number"], range(600))


def test_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = answer("simulate", "--games", "300", "--rounds", "--out", "run")
    assert told["provenance"][0]["rounds"] is True
    assert len(pd.read_parquet("run/rounds")) == 300
    assert run("simulate", "--resume", "run").exit_code == 0
    assert run("simulate", "--games", "300", "--out", "other").exit_code == 0
    assert not Path("other/rounds").exists()
    refused(run("simulate", "--resume", "other", "--rounds"), "rounds is false there and true here")
    assert json.loads(Path("run/manifest.json").read_text("utf-8"))["rounds"] is True
