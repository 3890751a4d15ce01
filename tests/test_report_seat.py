"""Seat and dealer: figures are those that counting round by round finds, and nothing is lost between the seats."""

import numpy as np
import pytest

from analyses import seat
from kwx_sim import trials
from kwx_sim.core.series import SERIES
from kwx_sim.core.state import DISCARD_WON, SELF_DRAWN, UNDECIDED
from kwx_sim.findings.rounds import from_dealer, in_series, whole_series
from kwx_sim.report import Table, Work
from kwx_sim.rules import PRESETS, load_rules
from kwx_sim.runs import Run
from kwx_sim.stats import Estimates
from kwx_sim.text import LANGS

GAMES = 960


@pytest.fixture(scope="module", params=PRESETS)
def played(request):
    rules = load_rules(request.param)
    rows = trials.play_rows(Run.of(rules, games=GAMES, seed=5), forks=False, workers=1)
    return seat.Played(rules, rows.rounds)


def paid_in(row: np.void) -> list[int]:
    """Bases of each seat in a round, added up payment by payment."""
    return [
        int(row["kong_points"][one])
        + int(row["undecided_points"][one])
        + sum(int(row["win_points"][w][one]) for w in range(3))
        for one in range(3)
    ]


def winners_of(row: np.void) -> list[int]:
    return [one for one in range(3) if int(row["winners"]) >> one & 1]


def test_every_payment_is_between_players(played):
    for row in played.rounds:
        assert sum(paid_in(row)) == 0
        for kind in ("kong_points", "undecided_points"):
            assert int(row[kind].sum()) == 0
        for winner in range(3):
            assert int(row["win_points"][winner].sum()) == 0


def test_positions_are_counted_from_the_dealer(played):
    frame = seat.by_position(*played).set_index("position")
    for place, position in enumerate(seat.POSITIONS):
        points, won, drawn, fed = 0, 0, 0, 0
        for row in played.rounds:
            one = (int(row["dealer"]) + place) % 3
            points += paid_in(row)[one]
            won += one in winners_of(row)
            drawn += one in winners_of(row) and int(row["outcome"]) == SELF_DRAWN
            fed += int(row["outcome"]) not in (SELF_DRAWN, UNDECIDED) and int(row["feeder"]) == one
        found = frame.loc[position]
        assert [found["points"], found["win"], found["self_draw"], found["fed"]] == pytest.approx(
            [points / GAMES, won / GAMES, drawn / GAMES, fed / GAMES]
        )
    assert frame["points"].sum() == pytest.approx(0)
    assert (frame["points_low"] < frame["points"]).all()


def test_the_next_seat_is_the_one_that_draws_after_the_discard(played):
    next_won, wins = dict.fromkeys(range(3), 0), dict.fromkeys(range(3), 0)
    for row in played.rounds:
        if int(row["outcome"]) == DISCARD_WON:
            feeder = int(row["feeder"])
            place = (feeder + 3 - int(row["dealer"])) % 3
            wins[place] += len(winners_of(row))
            next_won[place] += (feeder + 1) % 3 in winners_of(row)
    frame = seat.by_feeder(*played)
    assert frame["n"].tolist() == [sum(wins.values()), *wins.values()]
    shares = [sum(next_won.values()) / sum(wins.values()), *(next_won[place] / wins[place] for place in range(3))]
    assert frame["next"].tolist() == pytest.approx(shares)
    assert float(seat.next_seat(played.rounds).mean) == pytest.approx(shares[0])


def test_dealers_stay_as_the_next_round_says(played):
    rounds, row = played.rounds, seat.by_dealer(*played).iloc[0]
    stays = [int(one["next_dealer"]) == int(one["dealer"]) for one in rounds]
    within = [number for number in range(GAMES) if (number + 1) % SERIES]
    assert all(int(rounds[number + 1]["dealer"]) == int(rounds[number]["next_dealer"]) for number in within)
    assert row["stays"] == pytest.approx(np.mean(stays))
    assert row["won"] + row["fed_two"] + row["undecided"] == pytest.approx(row["stays"])
    later = [n for n in range(GAMES) if n % SERIES and int(rounds[n - 1]["dealer"]) == int(rounds[n]["dealer"])]
    first = sorted(set(range(GAMES)) - set(later))
    assert row["stays_later"] == pytest.approx(np.mean([stays[n] for n in later]))
    assert row["stays_first"] == pytest.approx(np.mean([stays[n] for n in first]))
    assert row["rounds"] == pytest.approx(1 / (1 - np.mean(stays)))
    assert row["rounds_low"] < row["rounds"] < row["rounds_high"]


def test_a_series_is_the_cluster(played):
    dealing = from_dealer(played.rounds, trials.points(played.rounds))[:, 0]
    totals = dealing.reshape(-1, SERIES).sum(axis=1)
    assert in_series(dealing).tolist() == totals.tolist()
    found = seat.dealer_gain(played.rounds)
    assert float(found.mean) == pytest.approx(dealing.mean())
    assert float(found.se) == pytest.approx((totals / SERIES).std(ddof=1) / np.sqrt(len(totals)))


def test_opponents_are_level_but_where_the_seat_after_the_dealer_discards(played):
    to_next, wins = seat.discards_won(played.rounds)
    place = (played.rounds["feeder"].astype(int) - played.rounds["dealer"]) % 3
    level, behind = seat.next_seat_by_draws(played.rounds)
    assert level.mean == pytest.approx(to_next[place != 1].sum() / wins[place != 1].sum())
    assert behind.mean == pytest.approx(to_next[place == 1].sum() / wins[place == 1].sum())


@pytest.mark.parametrize(
    ("low", "high", "told"), [(0.40, 0.44, "does not account"), (0.49, 0.51, "no ruleset"), (0.44, 0.56, "no ruleset")]
)
def test_draws_are_made_the_reason_only_where_they_are(played, low, high, told):
    level = Estimates(*(np.array(value) for value in ((low + high) / 2, 0.01, low, high)))
    assert told in seat._on_what_draws_leave([played], [(level, level)]).en


def test_rounds_come_in_whole_series():
    assert [whole_series(games) for games in (1, 40, 1000)] == [32, 32, 992]


def test_the_section_says_of_every_ruleset_what_its_interval_allows():
    work = Work(tuple(map(load_rules, PRESETS)), games=5 * 480, seed=3, workers=1)
    section = seat.analyse(work)
    assert [len(part.frame) for part in section.parts if isinstance(part, Table)] == [12, 16, 4]
    assert section.parts[1].items[0].en.startswith("Xiangyang and Shiyan: ")
    for lang in LANGS:
        assert all(sentence.told(lang) for sentence in section.headline)
