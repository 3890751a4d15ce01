"""The report's section on 卡五星: comparisons and counts found once more, turn by turn and round by round."""

import math
from statistics import mean, stdev

import numpy as np
import pytest

from analyses.kawuxing import ANALYSIS, analyse
from kwx_sim import parse_hand, trials
from kwx_sim.core.trials import CHOICE
from kwx_sim.findings.discards import DRAGON, change, discards_of
from kwx_sim.findings.fives import FED, feeding, frequency, waits
from kwx_sim.findings.wins import wins_of
from kwx_sim.findings.worth import chance, worth
from kwx_sim.report import Bullets, Figure, Section, Table, Work
from kwx_sim.report.figures import draw
from kwx_sim.rules import FANS, PRESETS, changed, load_rules
from kwx_sim.runs import Run
from kwx_sim.tiles import RED, parse_tile

GAMES, SEED = 4000, 5
KAWUXING = 1 << list(FANS).index("kawuxing")


@pytest.fixture(scope="module", params=["xiangyang", "hongzhong"])
def turns(request):
    return trials.play_choices(request.param, walls=GAMES, seed=SEED)


@pytest.fixture(scope="module", params=["suizhou", "hongzhong"])
def played(request):
    rules = load_rules(request.param)
    rounds = trials.play_rows(Run.of(rules, games=GAMES, seed=SEED), forks=False).rounds
    return wins_of(rules, rounds), rounds


@pytest.fixture(scope="module")
def section() -> Section:
    return analyse(Work((load_rules("shiyan"), load_rules("hongzhong")), 1500, SEED, workers=2))


def number(tile: int) -> int:
    return DRAGON if tile >= 18 else tile % 9 + 1


def pairs_of(row) -> list[tuple[int, float]]:
    """What keeping a 5 held once brought over another number, for each number of live tiles of a turn; slowly."""
    legal = [tile for tile in range(27) if int(row["legal"]) >> tile & 1]
    least = min(int(row["shanten"][tile]) for tile in legal)
    found = []
    for live in {int(row["live"][tile]) for tile in legal}:
        alike = [
            tile
            for tile in legal
            if row["shanten"][tile] == least and row["live"][tile] == live and row["counts"][tile] == 1
        ]
        fives = [int(row["points"][tile, 0]) for tile in alike if number(tile) == 5]
        others = [int(row["points"][tile, 0]) for tile in alike if number(tile) in (1, 2, 3, 7, 8, 9)]
        if fives and others:
            found.append((int(row["draws"]), mean(others) - mean(fives)))
    return found


def test_the_worth_of_a_five_is_that_of_a_slow_count(turns) -> None:
    found = [pair for row in turns for pair in pairs_of(row)]
    frame = worth(discards_of(turns)).set_index(["tile", "draws"])
    whole = frame.loc["5", "all"]
    assert (whole["worth_n"], whole["worth"]) == (len(found), pytest.approx(mean(gain for _, gain in found)))
    early = [gain for draws, gain in found if draws in (3, 4)]
    part = frame.loc["5", "3-4"]
    assert (part["worth_n"], part["worth"]) == (len(early), pytest.approx(mean(early)))


def test_a_turn_is_one_cluster(turns) -> None:
    by_turn = [[gain for _, gain in pairs_of(row)] for row in turns]
    some = [gains for gains in by_turn if gains]
    n, centre = sum(map(len, some)), mean(gain for gains in some for gain in gains)
    spread = math.sqrt(sum((sum(gains) - centre * len(gains)) ** 2 for gains in some)) / n
    assert worth(discards_of(turns)).iloc[1]["worth_se"] == pytest.approx(spread, rel=0.01)


def test_neighbours_and_gaps_of_a_hand_written_down() -> None:
    # 1s touches 2s; 5s is two away from nothing; 4p and 6p are a gap around the 5; 9p stands two away from 7p.
    row = np.zeros(1, CHOICE)
    row["counts"][0] = parse_hand("12s 6s 4p 6p 9p 中中 发")
    row["legal"] = sum(1 << tile for tile in np.flatnonzero(row["counts"][0]).tolist())
    found = discards_of(row)
    tiles = np.flatnonzero(row["counts"][0]).tolist()

    def those(mask) -> set[int]:
        return {tile for tile, yes in zip(tiles, mask, strict=True) if yes}

    def slots(*names: str) -> set[int]:
        return {parse_tile(name) for name in names}

    assert those(found.single) == slots("1s", "2s", "6s", "4p", "6p", "9p", "发")
    assert those(found.alone) == slots("6s", "9p", "发")
    assert those(found.gap) == those(found.middle_gap) == slots("4p", "6p")
    row["counts"][0] = parse_hand("2s 4s 9s 7p 9p 1p")
    row["legal"] = sum(1 << tile for tile in np.flatnonzero(row["counts"][0]).tolist())
    found, tiles = discards_of(row), np.flatnonzero(row["counts"][0]).tolist()
    assert those(found.gap) == slots("2s", "4s", "7p", "9p")
    assert not found.middle_gap.any()
    assert those(found.alone) == slots("9s", "1p")


def test_giving_up_what_was_not_won_is_among_what_was_not_won(turns) -> None:
    found = discards_of(turns)
    frame = chance(found).set_index(["tile", "draws"])
    fives = [
        int(row["won"][tile]) > 0
        for row in turns
        for tile in (4, 13)
        if int(row["legal"]) >> tile & 1 and row["draws"] in (5, 6)
    ]
    part = frame.loc["5", "5-6"]
    assert (part["chance_n"], part["chance"]) == (len(fives), pytest.approx(mean(fives)))
    assert part["nobody_n"] + part["somebody_n"] == part["chance_n"]


def test_a_change_between_rules_is_the_difference_of_their_means(turns) -> None:
    found = discards_of(turns)
    five, other = (found.single & np.isin(found.number, of) for of in ((5,), (1, 2, 3, 7, 8, 9)))
    first, second = found.compare(five, other), found.compare(five & ~found.won, other & ~found.won)
    n, difference = change(first, second)
    assert n == second.estimate()[0]
    assert difference.mean == pytest.approx(first.estimate()[1].mean - second.estimate()[1].mean)
    # The same walls: what both have in common cancels.
    assert difference.se < first.estimate()[1].se
    assert change(first, first)[1].mean == 0


def test_frequency_and_waits_are_counted_by_hand(played) -> None:
    wins, rounds = played
    wild = wins.rules.tiles.wild != "none"
    kinds = {"only_5": 0, "longer_run": 0, "one_elsewhere": 0, "more": 0}
    for row in rounds:
        for seat in range(3):
            if row["winners"] >> seat & 1 and int(row["win_fans"][seat]) & KAWUXING:
                five = int(row["win_tile"])
                assert five in (4, 13)
                others = {tile for tile in range(21) if int(row["win_waits"][seat]) >> tile & 1} - {five}
                others -= {RED} if wild else set()
                if not others:
                    kinds["only_5"] += 1
                elif others <= {five - 3, five + 3}:
                    kinds["longer_run"] += 1
                else:
                    kinds["one_elsewhere" if len(others) == 1 else "more"] += 1
    total = sum(kinds.values())
    found = frequency(wins).iloc[0]
    shares = waits(wins, rounds).iloc[0]
    assert found["wins_with"] == total
    assert found["wins_share"] == pytest.approx(total / found["wins"])
    for name, n in kinds.items():
        assert (shares[f"{name}_n"], shares[name]) == (n, pytest.approx(n / total))


def test_what_feeding_costs_is_counted_by_hand(played) -> None:
    _, rounds = played
    paid: dict[str, list[int]] = {name: [] for name in FED}
    for row in rounds:
        if row["outcome"] != 2:
            continue
        of = number(int(row["win_tile"]))
        fan = any(row["winners"] >> seat & 1 and int(row["win_fans"][seat]) & KAWUXING for seat in range(3))
        name = {4: "four_or_six", 6: "four_or_six", DRAGON: "dragon"}.get(of, "other")
        if of == 5:
            name = "five_with" if fan else "five_without"
        paid[name].append(-int(row["win_points"][:, row["feeder"]].sum()))
    frame = feeding(rounds).set_index("fed")
    for name, costs in paid.items():
        assert frame.loc[name, "n"] == len(costs)
        if len(costs) >= 30:
            assert frame.loc[name, "cost"] == pytest.approx(mean(costs))
    extra = mean(paid["five_with"]) - mean(paid["five_without"])
    spread = [stdev(paid[name]) ** 2 / len(paid[name]) for name in ("five_with", "five_without")]
    assert frame.loc["five_without", "extra"] == pytest.approx(extra)
    assert frame.loc["five_without", "extra_se"] == pytest.approx(math.sqrt(sum(spread)), rel=0.02)


def test_without_the_fan_nobody_wins_it() -> None:
    rules = changed(load_rules("suizhou"), {"fans.values.kawuxing": 0})
    rounds = trials.play_rows(Run.of(rules, games=GAMES, seed=SEED), forks=False).rounds
    assert not (rounds["win_fans"] & KAWUXING).any()


def test_the_section_shows_every_ruleset_and_no_empty_number(section: Section) -> None:
    told = [words for part in section.parts if isinstance(part, Bullets) for words in part.items]
    assert all("nan" not in words.en and "nan" not in words.zh for words in [*told, *section.headline])
    for part in section.parts:
        if isinstance(part, Table):
            assert part.frame["ruleset"].unique().tolist() == ["shiyan", "hongzhong"]
        elif isinstance(part, Figure):
            draw(part, "zh")


def test_rules_without_liangdao_have_no_known_hands(section: Section) -> None:
    (hands,) = (part.frame for part in section.parts if isinstance(part, Table) and part.name == "hands")
    assert hands.set_index("ruleset").loc["hongzhong", "known"] == 0
    assert hands.set_index("ruleset").loc["shiyan", "known"] > 0


def test_it_applies_to_every_preset() -> None:
    assert ANALYSIS.presets == PRESETS
    assert ANALYSIS.draft_games * 10 <= ANALYSIS.games
