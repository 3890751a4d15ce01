"""Rooms: fees, points and stakes by hand, and bankrolls against walks that are really walked."""

from fractions import Fraction

import numpy as np
import pytest

from analyses import rooms
from kwx_sim import trials
from kwx_sim.findings.bankroll import solve_walk, walk
from kwx_sim.report import Table, Work
from kwx_sim.rules import load_rules
from kwx_sim.runs import Run
from kwx_sim.text import LANGS

RULES = load_rules("platform")
FEE = 3


def coin(up: int, down: int) -> tuple[np.ndarray, int]:
    """Counts of changes from −1 to 1."""
    return np.array([down, 0, up], float), -1


@pytest.mark.parametrize("stake", [1, 2, 5, 40])
def test_the_gambler_s_ruin_of_the_textbooks(stake):
    doubles, rounds = solve_walk(*coin(1, 1), Fraction(stake), 1)
    assert doubles == pytest.approx(0.5)
    # From the stake to twice it or to nothing by steps of 1 takes stake² of them on average.
    assert rounds == pytest.approx(stake**2)
    odds = 2.0  # of losing a step
    biased, _ = solve_walk(*coin(1, 2), Fraction(stake), 1)
    assert biased == pytest.approx((odds**stake - 1) / (odds ** (2 * stake) - 1))


def test_a_stake_that_pays_no_fee_never_plays():
    assert solve_walk(*coin(1, 1), Fraction(2), 3) == (0.0, 0.0)


def test_a_walk_solved_is_a_walk_walked():
    results = trials.seat_points(trials.play_seats("platform", "efficient", "random", walls=400, seed=1, workers=1))
    random, stake = np.random.default_rng(3), Fraction(20, 3)
    doubled, rounds, walks = 0, 0, 4000
    for _ in range(walks):
        bankroll = stake
        while FEE <= bankroll < 2 * stake:
            bankroll += int(random.choice(results.ravel())) - FEE
            rounds += 1
        doubled += bankroll >= 2 * stake
    found = walk(results, stake, FEE)
    error = np.sqrt(float(found.doubles.mean) * (1 - float(found.doubles.mean)) / walks)
    assert abs(doubled / walks - float(found.doubles.mean)) < 4 * error
    assert rounds / walks == pytest.approx(float(found.rounds.mean), rel=0.1)
    assert found.doubles.ci_low < found.doubles.mean < found.doubles.ci_high
    assert float(found.ruin.mean + found.doubles.mean) == pytest.approx(1)


def test_the_interval_of_a_walk_is_about_what_resampling_walls_gives():
    results = trials.seat_points(trials.play_seats("platform", "efficient", walls=320, seed=4, workers=1))
    random, least = np.random.default_rng(5), int(results.min())
    again = []
    for _ in range(400):
        some = results[random.integers(len(results), size=len(results))]
        again.append(solve_walk(np.bincount(some.ravel() - least), least - FEE, Fraction(5), FEE)[0])
    assert float(walk(results, Fraction(5), FEE).doubles.se) == pytest.approx(np.std(again), rel=0.35)


def test_fees_apart_a_round_sums_to_zero():
    for name in {room.name for room in RULES.rooms}:
        rows = trials.play_rows(Run.of(RULES, games=64, seed=2, room=name), forks=False, workers=1).rounds
        for seats in trials.points(rows).tolist():
            assert sum(seats) == 0
            assert sum(won - RULES.entry_fee for won in seats) == -3 * FEE


def test_stakes_in_bases_are_the_document_s():
    told = [(room.base, rooms.stake(room), RULES.entry_fee * room.base) for room in RULES.rooms]
    assert told == [
        (400, Fraction(5), 1_200),
        (1_000, Fraction(5), 3_000),
        (3_000, Fraction(20, 3), 9_000),
        (9_000, Fraction(50, 9), 27_000),
        (30_000, Fraction(5), 90_000),
        (80_000, Fraction(5), 240_000),
    ]


def test_gaps_are_sorted_by_whether_they_earn_a_fee():
    def contest(gap: str, edge: int) -> rooms.Contest:
        return rooms.Contest(gap, 32, np.tile(np.array([edge, edge - 1, edge + 1]), (50, 1)))

    contests = [contest("equal", 9), contest("others_2", 1), contest("others_5", FEE), contest("others_10", 5)]
    missing, earning, neither = rooms.paying(contests, FEE)
    assert [each.gap for each in missing] == ["others_2"]
    assert [each.gap for each in earning] == ["others_10"]
    assert [each.gap for each in neither] == ["others_5"]
    assert "not clear at 5%; so it turns between 2% and 10%" in rooms._on_break_even(contests, FEE).en


def test_the_variance_of_a_series_is_counted_by_hand():
    work = Work((RULES,), games=1, seed=6, workers=1)
    won = trials.points(trials.play_rows(Run.of(RULES, games=320, seed=6), forks=False, workers=1).rounds)
    totals = sum(int(won[first : first + 16, seat].sum()) ** 2 for first in range(0, 320, 16) for seat in range(3))
    assert float(rooms.series_spread(work, 330).mean) == pytest.approx(totals / int((won**2).sum()))


def test_the_section_tells_every_room_and_gap():
    section = rooms.analyse(Work((RULES,), games=1, seed=2, workers=1))
    tables = {part.name: part.frame for part in section.parts if isinstance(part, Table)}
    assert {name: len(frame) for name, frame in tables.items()} == {"rooms": 6, "edges": 24, "points": 8, "stakes": 144}
    equal = tables["edges"].query("gap == 'equal'")
    assert (equal["after"] == -FEE).all()
    by_hand = tables["edges"].query("gap == 'others_10' and cap == 64")["after"].item() * 3_000
    assert tables["points"].set_index("gap").loc["others_10", "base_3000"] == pytest.approx(by_hand)
    assert all(sentence.told(lang) for sentence in section.headline for lang in LANGS)
