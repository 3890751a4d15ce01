"""Rows of rounds: the rounds are those of a run, the trials are on equal deals, and rows say what states say."""

import numpy as np
import pytest

from kwx_sim import trials
from kwx_sim.core import state as codes
from kwx_sim.core.fork import ARMS
from kwx_sim.core.series import SUMS
from kwx_sim.core.trials import LATEST
from kwx_sim.rules import PRESETS
from kwx_sim.runs import Run, play_run, replay
from kwx_sim.tiles import NUM_KINDS

GAMES = 320


def alike(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether rows hold the same; what lies between their fields does not matter."""
    names = one.dtype.names
    if names is None:
        return bool(np.array_equal(one, other))
    return one.dtype == other.dtype and all(alike(one[name], other[name]) for name in names)


def a_run(preset: str, games: int = GAMES, **given) -> Run:
    return Run.of(preset, games=games, seed=3, **given)


# ---------------------------------------------------------------- runs as rows


@pytest.mark.parametrize("preset", PRESETS)
def test_a_row_says_what_the_round_of_that_number_was(preset):
    run = a_run(preset)
    rows = trials.play_rows(run, forks=False, workers=2)
    assert len(rows.rounds) == GAMES
    assert len(rows.forks) == 0
    for number in (0, 17, 100, GAMES - 1):
        state, row = replay(run, number)[0], rows.rounds[number]
        for field in ("outcome", "winners", "feeder", "dealer", "next_dealer", "maima_tile", "first_declared"):
            assert row[field] == state[field]
        for field in ("kong_points", "win_points", "undecided_points", "win_fan", "win_fans", "declared_at", "draws"):
            assert (row[field] == state[field]).all()
        assert row["wall"] == state["tail"] - state["front"]
        kinds = [[(state["meld_kind"][seat] == kind).sum() for kind in range(1, 5)] for seat in range(3)]
        assert (row["melds"] == kinds).all()


@pytest.mark.parametrize("preset", PRESETS)
def test_points_of_every_row_sum_to_zero(preset):
    rows = trials.play_rows(a_run(preset, games=4096), forks=False)
    total = trials.points(rows.rounds)
    assert (total.sum(axis=1) == 0).all()
    assert (total != 0).any()


def test_forks_as_rows_add_up_to_the_table_s_sums():
    run = a_run("xiangyang", games=2048, tables=["liangdao_timing"])
    rows, sums = trials.play_rows(run), play_run(run)["liangdao"][0]
    every_hand = -1  # the last cell holds all of them
    assert sums["sums"][every_hand, :, 0].tolist() == [len(rows.forks)] * len(ARMS)
    assert sums["sums"][every_hand, :, 1].tolist() == rows.forks["points"].sum(axis=0).tolist()
    ended = [[int((rows.forks["ended"][:, arm] == how).sum()) for how in (3, 4, 5, 6)] for arm in range(len(ARMS))]
    assert sums["sums"][every_hand, :, 3:].tolist() == ended
    assert SUMS["liangdao"]["sums"].shape[-1] == 7


def test_the_arm_that_was_played_on_is_the_round_itself():
    rows = trials.play_rows(a_run("suizhou", games=1024))
    won = trials.points(rows.rounds)
    for fork in rows.forks:
        assert fork["points"][fork["played_on"]] == won[fork["number"], fork["seat"]]


def test_rows_do_not_depend_on_the_workers():
    run = a_run("platform", games=9000)
    one, two = trials.play_rows(run, workers=1), trials.play_rows(run, workers=2)
    assert alike(one.rounds, two.rounds)
    assert alike(one.forks, two.forks)


# ---------------------------------------------------------------- players


def test_a_player_against_itself_gains_nothing_on_any_wall():
    rows = trials.play_seats("xiangyang", "efficient", walls=300, seed=2)
    assert (trials.seat_points(rows).sum(axis=1) == 0).all()
    assert rows["number"][:, 0].tolist() == list(range(300))


def test_the_same_wall_is_the_same_deal_for_whoever_plays_it():
    one = trials.play_seats("xiangyang", "efficient", walls=50, seed=2)
    other = trials.play_seats("xiangyang", "efficient:keep_middle=0", walls=50, seed=2)
    assert (one["dealer"] == other["dealer"]).all()
    same = trials.play_seats("xiangyang", "efficient", walls=50, seed=2, workers=1)
    assert alike(one, same)


def test_piao_is_paid_by_and_to_the_player_that_chose_it():
    none = trials.play_seats("platform", "efficient", walls=400, seed=2)
    three = trials.play_seats("platform", "efficient", walls=400, seed=2, piao=(3, 0))
    spread = [trials.seat_points(rows).std() for rows in (none, three)]
    assert spread[1] > spread[0]


def test_a_gain_is_the_mean_over_seats_of_the_difference():
    player = trials.play_seats("suizhou", "efficient:liangdao=never", walls=600, seed=2)
    other = trials.play_seats("suizhou", "efficient", walls=600, seed=2)
    found = trials.gain(player, other)
    datum = (trials.seat_points(player) - trials.seat_points(other)).mean(axis=1)
    assert float(found.mean) == pytest.approx(datum.mean())
    assert float(found.se) == pytest.approx(datum.std(ddof=1) / np.sqrt(len(datum)))


# ---------------------------------------------------------------- discards


@pytest.fixture(scope="module")
def turns():
    return trials.play_choices("xiangyang", walls=1500, seed=4)


def test_a_turn_s_discards_are_those_that_are_legal(turns):
    assert 300 < len(turns) < 1500
    kinds = (turns["legal"][:, None] >> np.arange(NUM_KINDS, dtype=np.uint32) & 1).astype(bool)
    assert (kinds <= (turns["counts"][:, :NUM_KINDS] > 0)).all()
    assert kinds[np.arange(len(turns)), turns["chosen"]].all()
    assert (turns["points"].sum(axis=2) == 0).all()
    assert set(turns["draws"]) <= set(range(1, LATEST + 1))
    assert (turns["counts"].sum(axis=1) + 3 * turns["melds"] == 14).all()


def test_who_wins_a_discard_at_once_is_paid():
    turns = trials.play_choices("hongzhong", walls=1500, seed=4)  # no kong is paid there
    place, tile = np.nonzero(turns["won"])
    assert len(place) > 20
    assert (turns["points"][place, tile, 0] < 0).all()
    for bit, there in ((1, 1), (2, 2)):
        won = turns["won"][place, tile] == bit
        assert (turns["points"][place, tile, there][won] > 0).all()


def test_the_chosen_discard_goes_on_as_the_round_does(turns):
    """A policy that never declares plays its own choice undeclared: the same round as in `play_seats`."""
    silent = "efficient:liangdao=never"
    rows = trials.play_choices("xiangyang", silent, walls=300, seed=4)
    rounds = trials.play_seats("xiangyang", silent, silent, walls=300, seed=4)[:, 0]
    for row in rows:
        seat = row["number"] // 3 % 3
        whole = np.roll(trials.points(rounds)[row["number"]], -seat)
        assert row["points"][row["chosen"]].tolist() == whole.tolist()
        assert rounds[row["number"]]["outcome"] != codes.PLAYING
