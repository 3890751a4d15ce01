"""Rulesets side by side: every measure is what counting the rounds one by one finds."""

import numpy as np
import pytest

from analyses import rulesets
from kwx_sim import trials
from kwx_sim.core.state import DISCARD_WON, KONG_ROBBED, SELF_DRAWN, UNDECIDED
from kwx_sim.report import Table, Work
from kwx_sim.rules import PRESETS, load_rules
from kwx_sim.runs import Run
from kwx_sim.text import LANGS

GAMES = 640


@pytest.fixture(scope="module", params=PRESETS)
def played(request):
    rules = load_rules(request.param)
    rows = trials.play_rows(Run.of(rules, games=GAMES, seed=8), forks=rules.liangdao.enabled, workers=1)
    return rulesets.Played(rules, *rows)


def by_hand(played: rulesets.Played) -> dict[str, float]:
    """Measures counted in plain Python, shares in per cent."""
    found = dict.fromkeys(("self_draw", "discard", "double_win", "robbed_kong", "undecided"), 0)
    fans, paid, draws, kongs, moved, squares, declared, declarers = [], [], [], 0, 0, 0, 0, 0
    for row in played.rounds:
        seats = [seat for seat in range(3) if int(row["winners"]) >> seat & 1]
        outcome = int(row["outcome"])
        if len(seats) == 2:
            found["double_win"] += 1
        else:
            names = {
                SELF_DRAWN: "self_draw",
                DISCARD_WON: "discard",
                KONG_ROBBED: "robbed_kong",
                UNDECIDED: "undecided",
            }
            found[names[outcome]] += 1
        for seat in seats:
            fans.append(int(row["win_fan"][seat]))
            paid.append(int(row["win_points"][seat][seat]))
            draws.append(int(row["draws"][seat]))
        for_kongs = sum(max(int(won), 0) for won in row["kong_points"])
        kongs += for_kongs
        moved += for_kongs + sum(max(int(won), 0) for won in row["undecided_points"])
        squares += sum(int(won) ** 2 for won in trials.points(row[None])[0])
        declared += any(row["declared"])
        declarers += int(row["declared"].astype(bool).sum())
    moved += sum(paid)
    shares = {name: 100 * count / GAMES for name, count in found.items()}
    return shares | {
        "discards": sum(int(row["discards"]) for row in played.rounds) / GAMES,
        "win_draws": float(np.mean(draws)),
        "mean_fan": float(np.mean(fans)),
        "paid": float(np.mean(paid)),
        "variance": squares / (3 * GAMES),
        "deviation": float(np.sqrt(squares / (3 * GAMES))),
        "moved": moved / GAMES,
        "kong_points": 100 * kongs / moved,
        "rounds_declared": 100 * declared / GAMES,
        "seats_declaring": 100 * declarers / (3 * GAMES),
    }


def test_measures_are_those_counted_by_hand(played):
    found = {name: float(measure.estimate.mean) for name, measure in rulesets.measures(played)}
    expected = {name: value for name, value in by_hand(played).items() if name in found}
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert ("rounds_declared" in found) == played.rules.liangdao.enabled


def test_rounds_end_in_one_way_each(played):
    ends = dict(rulesets._how_rounds_end(played))
    assert sum(np.asarray(measure.total, int) for measure in ends.values()).tolist() == [1] * GAMES


def test_payments_sum_to_zero_and_all_points_are_accounted_for(played):
    won = trials.points(played.rounds)
    assert (won.sum(axis=1) == 0).all()
    found = dict(rulesets.measures(played))
    # A winner may pay for a kong: what moves is at least what seats end up with.
    assert (np.asarray(found["moved"].total) >= np.maximum(won, 0).sum(axis=1)).all()


def test_ready_moments_are_the_forks(played):
    found = dict(rulesets.measures(played))
    if not played.rules.liangdao.enabled:
        assert "ready_at" not in found
        return
    draws = [int(fork["hand"]["draws"]) for fork in played.forks]
    assert float(found["ready_at"].estimate.mean) == pytest.approx(np.mean(draws))
    assert found["seats_ready"].n == 3 * GAMES
    assert float(found["seats_ready"].estimate.mean) == pytest.approx(100 * len(draws) / (3 * GAMES))


def test_the_section_puts_every_ruleset_in_a_column():
    work = Work(tuple(map(load_rules, PRESETS)), games=5 * 320, seed=3, workers=1)
    section = rulesets.analyse(work)
    table, missing_suit = (part for part in section.parts if isinstance(part, Table))
    assert [column.field for column in table.columns] == ["label", *PRESETS]
    lines = table.frame.set_index("measure")
    assert lines.loc[["maima_points"], ["platform"]].notna().all(axis=None)
    assert lines.loc[["maima_points", "seats_declaring"], ["hongzhong"]].isna().all(axis=None)
    strict = missing_suit.frame.set_index("measure")["strict"]
    assert strict["ping_hu"] == 0
    assert all(sentence.told(lang) for sentence in section.headline for lang in LANGS)


@pytest.mark.parametrize("preset", ["hongzhong", "xiangyang"])
def test_one_ruleset_alone_is_told_too(preset):
    section = rulesets.analyse(Work((load_rules(preset),), games=320, seed=3, workers=1))
    assert preset in [column.field for part in section.parts if isinstance(part, Table) for column in part.columns]
