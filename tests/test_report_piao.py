"""Piao: the sums that the section makes of two runs are those of playing every choice."""

import itertools

import numpy as np
import pytest

from analyses import piao
from kwx_sim import trials
from kwx_sim.findings.rounds import deviation, mean, rooms_by_cap
from kwx_sim.report import Bullets, Table, Work
from kwx_sim.rules import changed, load_rules
from kwx_sim.text import LANGS

WALLS = 120
RULES = load_rules("platform")
WORK = Work((RULES,), games=1, seed=9, workers=1)


def played(field: str, own: int, others: int, rules=RULES, room: str | None = None) -> np.ndarray:
    player, against = piao.FIELDS[field]
    rows = trials.play_seats(
        rules, player, against, walls=WALLS, seed=WORK.seed, piao=(own, others), room=room, workers=1
    )
    return trials.seat_points(rows)


@pytest.mark.parametrize("field", ["equal", "weaker", "heedless"])
def test_every_choice_is_the_result_without_piao_and_so_many_net_shares(field):
    case = piao.play(WORK, field, 32, WALLS)
    for own, others in itertools.product(range(3), repeat=2):
        assert (case.chosen(own, others) == played(field, own, others)).all()


def test_piao_that_liangdao_does_not_double():
    case = piao.play(WORK, "weaker", 32, WALLS)
    plain = changed(RULES, {"piao.inside_liangdao": False})
    assert (case.undoubled == played("weaker", 1, 0, plain) - played("weaker", 0, 0, plain)).all()
    assert (case.undoubled != case.shares).any()


def test_shares_are_counted_by_hand():
    player, others = piao.FIELDS["weaker"]
    rows = trials.play_seats(RULES, player, others, walls=WALLS, seed=WORK.seed, workers=1)
    case = piao.play(WORK, "weaker", 32, WALLS)
    for wall, own in itertools.product(range(WALLS), range(3)):
        row, net = rows[wall, own], 0
        for winner in range(3):
            doubled = 2 if row["declared"][winner] else 1
            if row["win_points"][winner][winner] > 0:
                payers = [seat for seat in range(3) if row["win_points"][winner][seat] < 0]
                net += doubled * (len(payers) if winner == own else -(own in payers))
        assert case.shares[wall, own] == net


def test_equal_players_win_nothing_with_any_piao():
    case = piao.play(WORK, piao.EQUAL, 64, WALLS)
    for own, others in itertools.product(range(3), repeat=2):
        assert (case.chosen(own, others).sum(axis=1) == 0).all()
    assert piao.best_choice(case, 2) == "any"


@pytest.mark.parametrize(("shares", "best"), [(1, "2"), (-1, "0")])
def test_the_best_choice_is_the_sign_of_a_further_piao(shares, best):
    some = np.tile(np.array([shares, 0, 0]), (50, 1))
    assert piao.best_choice(piao.Case("weaker", 32, some, some, some), 2) == best
    mixed = np.stack([np.array([1, 0, 0]), np.array([-1, 0, 0])] * 25)
    assert piao.best_choice(piao.Case("weaker", 32, mixed, mixed, mixed), 2) == "unclear"


def test_a_cap_is_that_of_its_rooms():
    assert {cap: len(rooms) for cap, rooms in rooms_by_cap(RULES).items()} == {32: 2, 64: 2, 128: 2}
    low = changed(RULES, {"rooms": [{**room.model_dump(), "cap": 2} for room in RULES.rooms]})
    tight = piao.play(Work((low,), games=1, seed=9, workers=1), "weaker", 2, WALLS)
    assert (tight.result != piao.play(WORK, "weaker", 32, WALLS).result).any()
    differ, n = piao.rounds_that_differ([piao.play(WORK, "weaker", 32, WALLS), tight])
    assert 0 < differ < n == 3 * WALLS


def test_means_and_spreads_are_those_of_numpy():
    results = np.random.default_rng(1).integers(-20, 40, (640, 3))
    assert float(mean(results).mean) == pytest.approx(results.mean())
    assert float(mean(results, fee=3).mean) == pytest.approx(results.mean() - 3)
    assert float(mean(results).se) == pytest.approx(results.mean(axis=1).std(ddof=1) / np.sqrt(len(results)))
    found = deviation(results)
    assert float(found.mean) == pytest.approx(results.std())
    assert found.ci_low < results.std() < found.ci_high


def test_a_best_choice_that_turns_where_liangdao_does_not_double_piao_is_named():
    some = np.tile(np.array([1, 2, 3]), (100, 1))
    cases = [piao.Case("weaker", 32, some, some, -some), piao.Case("stronger", 32, some, some, some)]
    assert [case.field for case in piao.turning(cases, 2)] == ["weaker"]
    told = piao._conclusion(cases, 2).en
    assert "n 300 rounds against each: a piao of 2 was best: others 5% random, oneself 5% random." in told
    assert told.endswith("The best choice turns round: others 5% random.")


def test_the_section_has_every_choice_in_its_file():
    section = piao.analyse(Work((RULES,), games=216 * 8, seed=2, workers=1))
    steps, choices = (part.frame for part in section.parts if isinstance(part, Table))
    assert len(steps) == 24
    assert len(choices) == 216
    assert (choices["variance"] == choices["deviation"] ** 2).all()
    bullets = next(part for part in section.parts if isinstance(part, Bullets))
    assert len(bullets.items) == len(piao.FIELDS)
    assert all(sentence.told(lang) for sentence in section.headline for lang in LANGS)
