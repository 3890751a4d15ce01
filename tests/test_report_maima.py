"""The report's section on 埋马: the exact mean by hand, and the figures counted once more."""

import math
from fractions import Fraction
from statistics import mean, stdev

import numpy as np
import pytest

from analyses.maima import ANALYSIS, VARIANTS, analyse
from kwx_sim import trials
from kwx_sim.findings.maima import by_face, by_hand, faces_of, owed
from kwx_sim.report import Bullets, Figure, Paragraph, Section, Table, Work
from kwx_sim.report.figures import draw
from kwx_sim.rules import PRESETS, changed, load_rules
from kwx_sim.runs import Run

GAMES, SEED = 3000, 5


@pytest.fixture(scope="module")
def section() -> Section:
    return analyse(Work(tuple(map(load_rules, PRESETS)), GAMES, SEED, workers=2))


@pytest.fixture(scope="module")
def rounds():
    return trials.play_rows(Run.of("platform", games=GAMES, seed=SEED), forks=False).rounds


def table(section: Section, name: str):
    (found,) = (part for part in section.parts if isinstance(part, Table) and part.name == name)
    return found.frame


def test_the_prior_by_hand(section: Section) -> None:
    # 84 tiles: four of each of 1 to 9 in two suits, and four of each of three dragons at ten points.
    suits = 2 * 4 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9)
    dragons = 3 * 4 * 10
    tiles = 2 * 4 * 9 + 3 * 4
    assert (suits, dragons, tiles) == (360, 120, 84)
    assert Fraction(suits + dragons, tiles) == Fraction(480, 84) == Fraction(40, 7)
    frame = table(section, "platform_tiles")
    assert frame["tiles"].sum() == tiles
    assert (frame["points"] * frame["tiles"]).sum() == frame["together"].sum() == 480
    assert (frame["points"] * frame["exact"]).sum() == pytest.approx(40 / 7)
    (told,) = (part.words for part in section.parts if isinstance(part, Paragraph) and "480/84" in part.words.en)
    assert "480/84 = 5.714" in told.zh


def test_the_spread_of_a_tile_by_hand(section: Section) -> None:
    points = [face for face in range(1, 10) for _ in range(8)] + [10] * 12
    spread = math.sqrt(sum((face - 40 / 7) ** 2 for face in points) / 84)
    told = [part.words.en for part in section.parts if isinstance(part, Paragraph)]
    assert any(f"one tile is {spread:.2f} bases" in words for words in told)


def test_what_a_loser_owes_where_it_is_shared() -> None:
    shared = changed(load_rules("platform"), {"maima.payer": "shared"})
    assert [owed(shared, face) for face in range(11)] == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    # (1+1+2+2+3+3+4+4+5) eight times and twelve times five: 200 + 60 of 84.
    assert sum(owed(shared, face) * n for face, n in faces_of(shared).items()) == 260
    assert faces_of(changed(load_rules("platform"), {"maima.dragon": 5}))[5] == 8 + 12


def test_the_tiles_turned_are_those_of_the_rounds(section: Section, rounds) -> None:
    points = []
    for row in rounds:
        if row["outcome"] == 1 and row["maima_tile"] < 21:
            tile = int(row["maima_tile"])
            points.append(10 if tile >= 18 else tile % 9 + 1)
    counted = by_face(load_rules("platform"), rounds)
    assert counted["n"].tolist() == [points.count(face) for face in range(1, 11)]
    value = table(section, "platform_value").iloc[0]
    assert value["tile"] == pytest.approx(mean(points))
    assert value["tile_se"] == pytest.approx(stdev(points) / math.sqrt(len(points)))
    assert value["tile_against_exact"] == pytest.approx(mean(points) - 480 / 84)


def test_the_mean_tile_of_a_hand_is_counted_by_hand(rounds) -> None:
    points = []
    for row in rounds:
        tile, winner = int(row["maima_tile"]), int(row["feeder"])
        if row["outcome"] == 1 and tile < 21 and int(row["win_fans"][winner]) == 1:
            points.append(10 if tile >= 18 else tile % 9 + 1)
    plain = by_hand(load_rules("platform"), rounds).set_index("hand").loc["plain"]
    assert (plain["n"], plain["tile"]) == (len(points), pytest.approx(mean(points)))


def test_what_it_brings_and_the_variance_are_counted_once_more(section: Section, rounds) -> None:
    drawn = rounds[rounds["outcome"] == 1]
    brought = drawn["maima_points"].astype(float)
    earned = np.array([row["win_points"][row["feeder"], row["feeder"]] for row in drawn], float)
    houses = table(section, "platform_variants").set_index("house")
    row = houses.loc["as_played"]
    assert row["n"] == len(drawn)
    assert row["in_all"] == pytest.approx(brought.mean())
    assert row["earned"] == pytest.approx(earned.mean())
    assert row["share_of_earnings"] == pytest.approx(brought.sum() / earned.sum())
    assert row["share_of_variance_of_self_draws"] == pytest.approx(np.cov(brought, earned)[0, 1] / earned.var(ddof=1))
    assert row["deviation"] == pytest.approx(trials.points(rounds).std())
    assert list(houses.index) == ["as_played", *VARIANTS]
    assert houses.loc["shared", "exact"] == pytest.approx(260 / 84)


def test_rules_without_it_say_so() -> None:
    found = analyse(Work((load_rules("xiangyang"),), GAMES, SEED, workers=1))
    assert not any(isinstance(part, Table | Figure | Bullets) for part in found.parts)
    assert any(isinstance(part, Paragraph) and "襄阳" in part.words.zh for part in found.parts)
    assert found.headline


def test_few_rounds_leave_no_number_out_of_nothing() -> None:
    found = analyse(Work((load_rules("platform"),), 40, SEED, workers=1))
    told = [words for part in found.parts if isinstance(part, Bullets) for words in part.items]
    assert not any("nan" in words.en or "nan" in words.zh for words in told)
    for part in found.parts:
        if isinstance(part, Figure):
            draw(part, "zh")


def test_it_applies_to_every_preset() -> None:
    assert ANALYSIS.presets == PRESETS
    assert ANALYSIS.draft_games * 10 <= ANALYSIS.games
