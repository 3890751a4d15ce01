"""The three tables: figures against slow counts, what they say of themselves, and the files."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from kwx_sim import runs, tables, text
from kwx_sim.core import fork, series, tally
from kwx_sim.errors import InputError
from kwx_sim.rules import PRESETS, changed, load_rules
from kwx_sim.simulation import Result, simulate, simulate_all
from kwx_sim.tables import TABLES, headlines, maima, notes, write_tables
from kwx_sim.tables.rows import bin_names

ESTIMATES = ["mean", "se", "ci_low", "ci_high"]


# A rule that leaves hands of one wait quiet, so that there are winners of both kinds.
SOME: dict[str, Any] = {"games": 8000, "seed": 3, "policies": "efficient:liangdao_fan=1000"}


@pytest.fixture(scope="module")
def everything() -> Result:
    return simulate_all(games=3000, seed=5)


@pytest.fixture(scope="module")
def platform() -> Result:
    return simulate("platform", **SOME)


def figure(frame: pd.DataFrame, **chosen: Any) -> Any:
    """The one row with these values; group columns that are not named are `all`."""
    groups = [name for table in TABLES.values() for name in table.groups if name in frame and name != "exact"]
    for column, value in {**dict.fromkeys(groups, "all"), **chosen}.items():
        frame = frame[frame[column] == value]
    assert len(frame) == 1, chosen
    return frame.iloc[0]


# ---------------------------------------------------------------- figures


def test_bins_are_named_by_what_they_hold() -> None:
    assert bin_names((1, 4, 7)) == ["1-3", "4-6", "7+"]
    assert bin_names((0, 1, 3), first=0) == ["0", "1-2", "3+"]
    assert bin_names((1, 4), first=0) == ["0-3", "4+"]


@pytest.mark.parametrize(
    ("preset", "changes", "mean"),
    [
        ("platform", {}, (480, 84)),
        ("platform", {"maima.dragon": 0}, (360, 84)),
        ("suizhou", {"maima.enabled": True, "maima.dragon": 5}, (420, 84)),
        ("hongzhong", {"maima.enabled": True}, (400, 76)),
    ],
)
def test_the_exact_mean_tile(preset: str, changes: dict[str, Any], mean: tuple[int, int]) -> None:
    assert maima.exact_mean(changed(load_rules(preset), changes)) == mean


def test_the_exact_mean_is_shown_as_a_fraction(platform: Result) -> None:
    row = figure(platform.tables["maima_value"], measure="exact_tile")
    assert row["exact"] == "480/84 = 40/7"
    assert row["mean"] == row["ci_low"] == row["ci_high"] == 480 / 84
    assert (row["n"], row["se"]) == (84, 0)


def test_kawuxing_figures_are_those_of_the_sums() -> None:
    run = runs.Run.of("xiangyang", games=4000, seed=2)
    x = runs.play_run(run)[0]["kawuxing"]["sums"]
    frame = simulate("xiangyang", games=4000, seed=2).tables["kawuxing_frequency"]
    wins = x[tally.WINS : tally.WINS + 6].reshape(3, 2)
    paid = x[tally.PAID : tally.PAID + 6].reshape(3, 2)
    for way, (without, with_fan) in zip(("self_draw", "discard"), wins, strict=False):
        row = figure(frame, measure="share_of_wins", way=way)
        assert row["n"] == without + with_fan
        assert row["mean"] == pytest.approx(with_fan / (without + with_fan))
        assert figure(frame, measure="share_of_kawuxing", way=way)["mean"] == pytest.approx(with_fan / wins[:, 1].sum())
    means = paid.sum(0) / wins.sum(0)
    assert figure(frame, measure="paid_with")["mean"] == pytest.approx(means[1])
    assert figure(frame, measure="paid_without")["mean"] == pytest.approx(means[0])
    assert figure(frame, measure="paid_difference")["mean"] == pytest.approx(means[1] - means[0])
    assert figure(frame, measure="share_of_points")["mean"] == pytest.approx(paid[:, 1].sum() / x[tally.POINTS])
    assert figure(frame, measure="share_of_win_points")["mean"] == pytest.approx(paid[:, 1].sum() / paid.sum())
    assert figure(frame, measure="rounds_with")["n"] == 4000


@pytest.mark.parametrize("group", ["way", "wait", "suit"])
def test_shares_of_kawuxing_add_up(platform: Result, group: str) -> None:
    frame = platform.tables["kawuxing_frequency"]
    parts = frame[(frame["measure"] == "share_of_kawuxing") & (frame[group] != "all")]
    assert parts["mean"].sum() == pytest.approx(1)


def test_discards_of_all_turns_are_those_of_each(platform: Result) -> None:
    frame = platform.tables["kawuxing_frequency"]
    for _, rows in frame[frame["measure"] == "discard_won"].groupby("tile"):
        apart = rows["turn"] != "all"
        whole = rows[~apart].iloc[0]
        assert rows[apart]["n"].sum() == whole["n"]
        assert (rows[apart]["mean"] * rows[apart]["n"]).sum() == pytest.approx(whole["mean"] * whole["n"])


def test_only_a_five_is_won_as_kawuxing(platform: Result) -> None:
    frame = platform.tables["kawuxing_frequency"]
    rows = frame[frame["measure"] == "discard_won_as_kawuxing"]
    assert set(rows["tile"]) == {"5"}
    assert (rows["mean"] > 0).any()


def test_maima_figures_hang_together(platform: Result) -> None:
    frame = platform.tables["maima_value"]
    for liangdao in ("all", "quiet", "declared"):
        chosen = {"liangdao": liangdao}
        in_all, undoubled = (figure(frame, measure=name, **chosen)["mean"] for name in ("in_all", "in_all_undoubled"))
        assert figure(frame, measure="per_loser", **chosen)["mean"] == pytest.approx(in_all / 2)
        doubling = {"all": in_all / undoubled, "quiet": 1, "declared": 2}[liangdao]
        assert in_all == pytest.approx(doubling * undoubled)
        tile, turned = (figure(frame, measure=name, **chosen) for name in ("tile", "turned"))
        assert undoubled == pytest.approx(2 * tile["mean"] * turned["mean"])
        assert figure(frame, measure="tile_against_exact", **chosen)["mean"] == pytest.approx(tile["mean"] - 480 / 84)
    for measure in ("share_of_earnings", "share_of_variance_of_self_draws", "share_of_variance_of_results"):
        assert 0 < figure(frame, measure=measure)["mean"] < 1


def test_a_shared_maima_brings_about_half() -> None:
    shared = changed(load_rules("platform"), {"maima.payer": "shared"})
    frames = [
        simulate(rules, games=2000, tables=["maima_value"]).tables["maima_value"] for rules in ("platform", shared)
    ]
    one, half = (figure(frame, measure="in_all_undoubled")["mean"] for frame in frames)
    assert 0.52 < half / one < 0.58  # half, rounded up for each payer: 46/84 of a point more


def test_an_arm_is_its_result_less_that_of_never(platform: Result) -> None:
    frame = platform.tables["liangdao_timing"]
    for arm in fork.ARMS[:-1]:
        difference, result = (figure(frame, measure=name, arm=arm) for name in ("difference", "result"))
        never = figure(frame, measure="result", arm="never")
        assert difference["mean"] == pytest.approx(result["mean"] - never["mean"])
        # Pairing on the same wall, hands and noise is what the forks are for.
        assert difference["se"] < np.hypot(result["se"], never["se"])
    assert not len(frame[(frame["measure"] == "difference") & (frame["arm"] == "never")])


def test_small_cells_are_left_out(platform: Result) -> None:
    frame = platform.tables["liangdao_timing"]
    assert frame["n"].min() >= tables.liangdao.MIN_EVENTS
    apart = (frame[["turn", "kinds", "live", "fan"]] != "all").sum(axis=1)
    assert set(apart) == {0, 1, 2, 4}


def test_a_preset_without_it_says_so(everything: Result) -> None:
    for name, without in (
        ("kawuxing_frequency", set()),
        ("maima_value", {"hongzhong", "suizhou", "xiangyang", "shiyan"}),
        ("liangdao_timing", {"hongzhong"}),
    ):
        frame = everything.tables[name]
        rows = frame[frame["measure"] == "not_in_the_rules"]
        assert set(rows["ruleset"]) == without
        assert (rows["n"] == 0).all()
        assert set(frame["ruleset"]) == set(PRESETS)


def test_every_figure_has_n_and_an_interval_around_it(everything: Result) -> None:
    for name, frame in everything.tables.items():
        assert not frame.duplicated([c for c in frame.columns if c not in (*ESTIMATES, "n", "unit")]).any(), name
        played = frame[frame["measure"] != "not_in_the_rules"]
        assert (played["n"] > 0).all()
        assert played[ESTIMATES].notna().all(axis=None)
        assert ((played["ci_low"] <= played["mean"]) & (played["mean"] <= played["ci_high"])).all()
        shares = played[played["unit"].str.startswith("share") & ~played["measure"].str.startswith("share_of_")]
        assert ((shares["ci_low"] >= 0) & (shares["ci_high"] <= 1) & (shares["ci_high"] > shares["ci_low"])).all()


APART = {
    "kawuxing_frequency": lambda frame: frame["measure"].eq("discard_won") & frame["turn"].ne("all"),
    "maima_value": lambda frame: frame["measure"].eq("tile") & frame["turn"].ne("all") & frame["liangdao"].ne("all"),
    "liangdao_timing": lambda frame: (
        frame["measure"].eq("difference")
        & frame["arm"].eq("declare")
        & frame[["turn", "kinds", "live", "fan"]].ne("all").all(axis=1)
    ),
}
"""Figures of each table that share no events, so that their errors are as good as independent."""


@pytest.mark.verify
def test_two_seeds_agree_as_often_as_their_intervals_promise() -> None:
    inside = []
    for pair in range(12):
        one, other = (simulate("platform", games=20_000, seed=2 * pair + k).tables for k in (0, 1))
        for table, chosen in APART.items():
            keys = [column for column in one[table].columns if column not in (*ESTIMATES, "n", "unit")]
            both = one[table][chosen(one[table])].merge(other[table], on=keys, suffixes=("", "_2"))
            both = both[(both["n"] > 100) & (both["n_2"] > 100)]
            z = (both["mean"] - both["mean_2"]) / np.hypot(both["se"], both["se_2"])
            inside += (z.abs() <= 1.96).tolist()
    assert len(inside) > 500
    assert 0.93 < np.mean(inside) < 0.97


# ---------------------------------------------------------------- files and words


def test_every_table_column_measure_and_headline_is_explained(everything: Result) -> None:
    for lang in text.LANGS:
        for name, frame in everything.tables.items():
            assert text.t(f"tables.{name}.intro", lang)
            for column in frame.columns:
                assert text.t(f"tables.column.{column}", lang)
            for measure in frame["measure"].unique():
                assert text.t(f"tables.measure.{measure}", lang)
        for headline in headlines(everything.tables):
            assert text.t(f"tables.headline.{headline.name}", lang)
        written = notes(everything.tables, lang)
        assert written.startswith("# ")
        assert all(f"## {name}" in written for name in TABLES)


def test_every_table_has_its_sums() -> None:
    assert list(TABLES) == list(runs.TALLIES)
    assert [table.sums for table in TABLES.values()] == list(series.SUMS.names or ())


def test_headlines_are_figures_of_the_tables(everything: Result) -> None:
    picked = headlines(everything.tables)
    for table, entry in TABLES.items():
        for run in everything.provenance:
            rules = load_rules(run["rules"]["name"])
            cap = rules.room(run["room"]).cap if rules.rooms else rules.payment.cap
            mine = [one for one in picked if (one.table, one.ruleset, one.cap) == (table, rules.name, cap)]
            expected = list(entry.headlines) if entry.has(rules) else ["not_in_the_rules"]
            assert [one.name for one in mine] == expected


def test_files_hold_the_same_tables(everything: Result, tmp_path: Path) -> None:
    folder = tmp_path / "reports" / "tables"
    written = write_tables(everything.tables, folder, everything.provenance, "zh")
    assert sorted(file.name for file in written) == sorted(file.name for file in folder.iterdir())
    for name, frame in everything.tables.items():
        pd.testing.assert_frame_equal(pd.read_parquet(folder / f"{name}.parquet"), frame)
        as_text = pd.read_csv(folder / f"{name}.csv", dtype={"piao": str, "kinds": str}, keep_default_na=False)
        assert as_text.columns.tolist() == frame.columns.tolist()
        assert as_text["measure"].tolist() == frame["measure"].tolist()
        assert pd.to_numeric(as_text["mean"]).to_numpy() == pytest.approx(frame["mean"].to_numpy(), nan_ok=True)
    manifests = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    assert [run["rules"]["name"] for run in manifests] == [run["rules"]["name"] for run in everything.provenance]
    assert "埋马" in (folder / "notes.md").read_text(encoding="utf-8")


def test_files_are_the_same_byte_for_byte(platform: Result, tmp_path: Path) -> None:
    again = simulate("platform", **SOME, workers=1)
    folders = [tmp_path / name for name in ("one", "two")]
    for folder, result in zip(folders, (platform, again), strict=True):
        write_tables(result.tables, folder, result.provenance)
    for one, other in pairwise(folders):
        for file in sorted(one.iterdir()):
            assert file.read_bytes() == (other / file.name).read_bytes(), file.name


def test_a_table_is_written_whole_or_not_at_all(
    platform: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kwx_sim.store.files.os.fsync", full)
    with pytest.raises(InputError, match="No space left"):
        write_tables(platform.tables, tmp_path, platform.provenance)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_refused(platform: Result, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="cannot be written"):
        write_tables(platform.tables, tmp_path / "file", platform.provenance)
