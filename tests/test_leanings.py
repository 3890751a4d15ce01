"""Leanings of the efficient player: each moves what it names, the way it says."""

import numpy as np
import pytest

from kwx_sim import trials
from kwx_sim.core.fans import FULL_FLUSH, SEVEN_PAIRS
from kwx_sim.core.fork import DECLARE
from kwx_sim.runs import Run

WALLS = 1500
MIDDLE, DRAGONS = [3, 4, 5, 12, 13, 14], [18, 19, 20]
SUITS = slice(0, 9), slice(9, 18)


def own(rows, field):
    """The field of the player in its own seat, over walls and seats."""
    return rows[field][:, np.arange(3), np.arange(3)]


def wins_with(policy, fan):
    rows = trials.play_seats("suizhou", policy, walls=WALLS, seed=3)
    return int((own(rows, "win_fans") >> np.uint32(fan) & 1).sum())


def melds(policy):
    """Pongs and kongs of the player."""
    found = own(trials.play_seats("suizhou", policy, walls=WALLS, seed=3), "melds").sum(axis=(0, 1))
    return int(found[0]), int(found[1:].sum())


def chosen(policy):
    return trials.play_choices("suizhou", policy, walls=4 * WALLS, seed=3)


@pytest.mark.parametrize(("leaning", "fan"), [("aim_pairs", SEVEN_PAIRS), ("aim_flush", FULL_FLUSH)])
def test_who_aims_for_a_fan_wins_it_more_often(leaning, fan):
    assert wins_with(f"efficient:{leaning}=4", fan) > 1.5 * wins_with(f"efficient:{leaning}=0", fan)


def test_who_aims_for_triplets_pongs_more():
    assert melds("efficient:aim_triplets=4")[0] > 1.1 * melds("efficient")[0]


@pytest.mark.parametrize("plan", ["pairs", "flush"])
def test_who_has_no_appetite_for_kongs_in_a_plan_kongs_less(plan):
    # Followed by force, the plan is common enough for its kongs to be missed.
    assert melds(f"efficient:aim_{plan}=4,kong_for_{plan}=0")[1] < melds(f"efficient:aim_{plan}=4")[1]


@pytest.mark.parametrize(("leaning", "kinds"), [("keep_middle", MIDDLE), ("keep_dragons", DRAGONS)])
def test_what_is_kept_is_discarded_less(leaning, kinds):
    much, none = (np.isin(chosen(f"efficient:{leaning}={weight}")["chosen"], kinds).mean() for weight in (20, 0))
    assert much < 0.9 * none


def test_who_is_rid_of_a_suit_discards_the_shorter_one():
    def shorter(turns):
        tile, first, second = turns["chosen"], *(turns["counts"][:, suit].sum(axis=1) for suit in SUITS)
        of_first = (tile < 9) & (first < second)
        return (of_first | ((tile >= 9) & (tile < 18) & (second < first))).mean()

    assert shorter(chosen("efficient:shed_suit=20")) > 1.05 * shorter(chosen("efficient"))


def test_who_follows_discards_what_lies_on_the_table():
    def followed(turns):
        return (turns["seen"][np.arange(len(turns)), turns["chosen"]] > 0).mean()

    assert followed(chosen("efficient:follow_wall=44")) > 1.1 * followed(chosen("efficient"))


@pytest.mark.parametrize(("habit", "declares"), [("always", True), ("never", False)])
def test_what_is_done_after_a_kong(habit, declares):
    run = Run.of("suizhou", games=2000, seed=3, policies=f"efficient:liangdao_after_kong={habit}")
    forks = trials.play_rows(run).forks
    after = forks["hand"]["after_kong"] == 1
    assert after.sum() > 20
    assert ((forks["played_on"][after] == DECLARE) == declares).all()


def test_who_cares_for_dragons_plays_otherwise():
    one, other = (trials.play_seats("suizhou", f"efficient:aim_dragons={n}", walls=300, seed=3) for n in (0, 8))
    assert (own(one, "melds") != own(other, "melds")).any()
