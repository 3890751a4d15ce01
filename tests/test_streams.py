"""Chance: streams against a plain twin, walls against what a fair shuffle gives, single rounds replayed."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats as reference
from sim_runs import a_run, key_of

from kwx_sim import runs
from kwx_sim.core import series
from kwx_sim.core.rng import fill_wall, noise
from kwx_sim.runs import replay

# ---------------------------------------------------------------- streams


MASK = 2**64 - 1


def twin_mix(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def twin_key(run_key: int, number: int) -> int:
    return twin_mix(run_key + (number + 1) * 0x9E3779B97F4A7C15 & MASK)


def twin_noise(key: int, seat: int, decision: int, k: int) -> int:
    own = twin_mix(key + (seat + 1) * 0xD1B54A32D192ED03 & MASK)
    return twin_mix(own + ((decision << 8) + k + 1) * 0x9E3779B97F4A7C15 & MASK)


def twin_wall(kinds: int, key: int) -> list[int]:
    wall = [tile for tile in range(kinds) for _ in range(4)]
    for i in range(len(wall) - 1, 0, -1):
        j = (twin_mix(key + i * 0x9E3779B97F4A7C15 & MASK) >> 32) * (i + 1) >> 32
        wall[i], wall[j] = wall[j], wall[i]
    return wall


@pytest.mark.parametrize("run_key", [0, 1, 2**63 + 5, MASK])
def test_streams_are_those_of_the_plain_twin(run_key: int) -> None:
    wall = np.zeros(84, np.uint8)
    for number in (0, 1, 2, 1000, 10**10):
        key = key_of(np.uint64(run_key), number)
        assert int(key) == twin_key(run_key, number)
        for kinds in (21, 19):
            fill_wall(wall, np.int32(kinds), key)
            assert wall[: 4 * kinds].tolist() == twin_wall(kinds, int(key))
        for seat, decision, k in ((0, 0, 0), (1, 0, 0), (2, 7, 6), (0, 200, 255)):
            assert int(noise(key, np.uint8(seat), np.uint8(decision), k)) == twin_noise(int(key), seat, decision, k)


def test_a_runs_walls_and_dealers_are_those_of_its_streams() -> None:
    run = a_run()
    keys = [int(np.random.SeedSequence(7, spawn_key=(k,)).generate_state(1, np.uint64)[0]) for k in range(3)]
    for number in (0, 5, 16, 33):
        assert replay(run, number)[0]["wall"].tolist() == twin_wall(21, twin_key(keys[0], number))
    for opening in range(20):
        drawn = (twin_key(keys[2], opening) >> 32) * 3 >> 32
        assert int(replay(run, 16 * opening)[0]["dealer"]) == drawn


def test_seeds_and_purposes_have_keys_of_their_own() -> None:
    keys = [runs._streams(seed)[name][0] for seed in range(2000) for name in series.STREAMS.names or ()]
    assert len(set(keys)) == len(keys)


WALLS = 40_000


@pytest.fixture(scope="module")
def walls() -> np.ndarray:
    made = np.zeros((WALLS, 84), np.uint8)
    key = runs._streams(2026)["walls"][0]
    for number in range(WALLS):
        fill_wall(made[number], np.int32(21), key_of(key, number))
    return made


def p_value(counts: np.ndarray, expected: np.ndarray | float, lost: int) -> float:
    """Of Pearson's chi-square test; `lost` degrees of freedom are fixed by the margins."""
    chi2 = float(((counts - expected) ** 2 / expected).sum())
    return float(reference.chi2.sf(chi2, counts.size - lost))


def test_every_wall_holds_four_of_each_kind(walls: np.ndarray) -> None:
    assert (np.sort(walls, axis=1) == np.repeat(np.arange(21), 4)).all()


def test_every_kind_comes_to_every_place_alike(walls: np.ndarray) -> None:
    counts = np.stack([np.bincount(walls[:, place], minlength=21) for place in range(84)])
    # Without replacement the cells vary by 83/84 of the multinomial's variance, over (21 − 1)(84 − 1) free ones.
    chi2 = float(((counts - WALLS / 21) ** 2 / (WALLS / 21)).sum()) * 83 / 84
    assert 1e-4 < reference.chi2.sf(chi2, 20 * 83) < 1 - 1e-4


@pytest.mark.parametrize("places", [(0, 1), (0, 83), (12, 13), (41, 57), (82, 83), (3, 70)])
def test_pairs_of_places_are_independent(walls: np.ndarray, places: tuple[int, int]) -> None:
    one, other = (walls[:, place].astype(np.int64) for place in places)
    counts = np.bincount(21 * one + other, minlength=441).reshape(21, 21)
    expected = np.full((21, 21), 16.0)
    np.fill_diagonal(expected, 12.0)
    assert 1e-4 < p_value(counts, expected * WALLS / (84 * 83), lost=1) < 1 - 1e-4


@pytest.mark.parametrize("apart", [1, 2, 16])
def test_walls_of_different_rounds_are_independent(walls: np.ndarray, apart: int) -> None:
    for place in (0, 40, 83):
        one, other = walls[:-apart, place].astype(np.int64), walls[apart:, place].astype(np.int64)
        counts = np.bincount(21 * one + other, minlength=441)
        assert 1e-4 < p_value(counts, len(one) / 441, lost=1) < 1 - 1e-4


# ---------------------------------------------------------------- single rounds


def test_any_round_can_be_replayed_alone() -> None:
    run = a_run(games=100)
    player = runs.Player(run)
    desk, sums = series.desk(), np.zeros(1, series.SUMS)
    for number in (0, 17, 31, 99):
        player.play(0, number + 1, desk, sums, tallies=7)
        alone, among_others = replay(run, number)[0], desk[0][0]
        for field, length in (("river_tile", "n_river"), ("river_seat", "n_river"), ("log", "n_log")):
            # Beyond what was written lies what earlier rounds left.
            for record in (alone, among_others):
                record[field][int(record[length]) :] = 0
        assert alone.tobytes() == among_others.tobytes()


def test_the_rule_says_who_deals_within_a_series() -> None:
    run = a_run()
    records = [replay(run, number)[0] for number in range(48)]
    for number in range(47):
        if (number + 1) % series.SERIES:
            assert records[number + 1]["dealer"] == records[number]["next_dealer"]
    first = Counter(int(replay(run, number)[0]["dealer"]) for number in range(0, 16 * 300, 16))
    assert min(first.values()) > 70


def test_rulesets_of_one_tile_set_meet_the_same_walls() -> None:
    walls = [replay(a_run(rules), 5)[0]["wall"].tolist() for rules in ("platform", "xiangyang", "shiyan")]
    assert walls[0] == walls[1] == walls[2]
