"""Fans of played rounds: counted again round by round, priced again by hand, and intervals that cover what is rare."""

from collections import Counter
from itertools import pairwise
from math import prod

import numpy as np
import pandas as pd
import pytest

from analyses import fans
from kwx_sim import trials
from kwx_sim.core.fans import EV_RED_KONG
from kwx_sim.findings import aims as aiming
from kwx_sim.findings.claims.sample import Sample
from kwx_sim.findings.wins import MIN_EVENTS, fan_frame, own_fans, wins_of
from kwx_sim.play import Round
from kwx_sim.report import Table, Words, Work
from kwx_sim.rules import FANS, PRESETS, load_rules
from kwx_sim.runs import Run, replay
from kwx_sim.scoring import fan_values

GAMES, SEED = 1200, 5


def a_run(preset, games=GAMES, seed=SEED):
    return Run.of(preset, games=games, seed=seed)


@pytest.fixture(scope="module", params=PRESETS)
def played(request):
    """A preset's rules, rounds and wins."""
    rules = load_rules(request.param)
    rows = trials.play_rows(a_run(request.param), forks=False).rounds
    return rules, rows, wins_of(rules, rows)


def each_win(rows):
    """Seat and row of every win."""
    return [(seat, row) for row in rows for seat in range(3) if int(row["winners"]) >> seat & 1]


# ---------------------------------------------------------------- counted again


def test_fan_totals_are_those_of_the_rounds_one_by_one(played):
    rules, rows, wins = played
    counted, paid, in_rounds = Counter(), Counter(), Counter()
    for row in rows:
        seen = set()
        for seat, _ in each_win([row]):
            of_win = [fan for bit, fan in enumerate(FANS) if int(row["win_fans"][seat]) >> bit & 1]
            counted.update(of_win)
            paid.update(dict.fromkeys(of_win, int(row["win_points"][seat][seat])))
            seen.update(of_win)
        in_rounds.update(seen)
    frame = fan_frame(wins).set_index("fan")
    assert set(frame.index) == {fan for fan in FANS if rules.fans.value(fan)}
    every = len(each_win(rows))
    for fan, row in frame.iterrows():
        assert row["wins"] == counted[fan]
        assert row["wins_share"] == pytest.approx(counted[fan] / every)
        assert row["rounds_share"] == pytest.approx(in_rounds[fan] / GAMES)
        if counted[fan] >= MIN_EVENTS:
            assert row["paid"] == pytest.approx(paid[fan] / counted[fan])
        else:
            assert np.isnan(row["paid"])
    assert all(more >= fewer for more, fewer in pairwise(frame["wins"]))


def test_rows_say_of_wins_what_a_round_stepped_by_hand_says(played):
    rules, rows, _ = played
    for number in range(0, GAMES, 40):
        state = replay(a_run(rules.name), number)[0]
        stepped = Round(rules, state["wall"][: rules.wall_size].tolist(), int(state["dealer"]))
        for code in state["log"][: int(state["n_log"])]:
            stepped.apply(int(code))
        row = rows[number]
        told = {(win["seat"], win["fan"], tuple(win["fans"])) for win in stepped.winners()}
        assert told == {
            (
                seat,
                int(row["win_fan"][seat]),
                tuple(f for b, f in enumerate(FANS) if int(row["win_fans"][seat]) >> b & 1),
            )
            for seat, _ in each_win([row])
        }
        assert stepped.points == trials.points(rows[number : number + 1])[0].tolist()
        assert sum(stepped.points) == 0


def test_no_round_makes_or_loses_money(played):
    rows = played[1]
    for field in ("kong_points", "undecided_points"):
        assert (rows[field].sum(axis=1) == 0).all()
    assert (rows["win_points"].sum(axis=2) == 0).all()
    assert (trials.points(rows).sum(axis=1) == 0).all()


# ---------------------------------------------------------------- priced again


def test_every_payment_is_that_of_its_fan(played):
    wins = played[2]
    assert (wins.owed(wins.fan, wins.fans) + wins.maima == wins.paid).all()


def test_what_fans_count_for_makes_the_total(played):
    rules, _, wins = played
    chosen = [place for place, mask in enumerate(wins.fans) if mask & ~(1 << list(FANS).index("ping_hu"))][:150]
    values = {fan: wins.worth(fan) for fan in FANS}
    for win in chosen:
        state = replay(a_run(rules.name), int(wins.place[win]))[0]
        fours = state["win_fours"][wins.seat[win]]
        events = EV_RED_KONG if state["replacement"] == 2 else 0
        by_fan = fan_values(rules, int(wins.fans[win]), fours, events)
        assert (sum if rules.fans.combine == "add" else prod)(by_fan.values()) == wins.fan[win]
        assert {fan: int(values[fan][win]) for fan in by_fan} == by_fan


def test_what_kawuxing_adds_is_what_the_formulas_say():
    by_preset = {
        # Fan, cap and liangdao's factor; the fan counts ×2, in hongzhong +1.
        "platform": lambda fan, factor: (min(fan, 32) - min(fan // 2, 32)) * factor,
        "hongzhong": lambda fan, factor: 1,
        "suizhou": lambda fan, factor: (fan - fan // 2) * factor,
        "xiangyang": lambda fan, factor: min(fan * factor, 8) - min(fan // 2 * factor, 8),
    }
    for preset, a_share in by_preset.items():
        rules = load_rules(preset)
        rows = trials.play_rows(a_run(preset), forks=False).rounds
        wins = wins_of(rules, rows)
        for win, (seat, row) in enumerate(each_win(rows)):
            if not wins.has("kawuxing")[win]:
                assert wins.added("kawuxing")[win] == 0
                continue
            declared = bool(row["declared"][seat])
            all_pay = rules.liangdao.feeder_pays_all and declared
            if preset == "hongzhong":
                all_pay = -row["win_points"][seat].min() > row["win_fan"][seat]  # the feeder paid more than one share
            shares = 2 if row["feeder"] == seat or all_pay else 1
            fan = int(row["win_fan"][seat])
            assert wins.added("kawuxing")[win] == shares * a_share(fan, 2 if declared else 1)


def test_a_fan_that_was_never_won_has_an_upper_bound_and_no_value(played):
    frame = fan_frame(played[2])
    never = frame[frame["wins"] == 0]
    assert len(never) > 0
    assert (never["rounds_share"] == 0).all()
    assert (never["rounds_share_high"] > 0).all()
    assert (never["wins_share_high"] > 0).all()
    assert never["paid"].isna().all()


# ---------------------------------------------------------------- aims


@pytest.fixture(scope="module")
def section():
    return fans.analyse(Work((load_rules("suizhou"), load_rules("hongzhong")), 1200, 3, 2))


@pytest.fixture(scope="module")
def aims(section):
    return next(part.frame for part in section.parts if isinstance(part, Table) and part.name == "aims")


def test_an_aim_s_gain_is_the_mean_over_walls_and_seats(aims):
    walls = 1200 // fans.ROUNDS_PER_WALL
    policy = aiming.player("flush", 4)
    assert policy["aim_pairs"] == policy["aim_triplets"] == policy["aim_dragons"] == 0
    aimed, plain = (trials.play_seats("suizhou", one, walls=walls, seed=3) for one in (policy, aiming.SPEED))
    gained, reached = 0, 0
    for wall in range(walls):
        for seat in range(3):
            ours, theirs = (trials.points(rows[wall])[seat, seat] for rows in (aimed, plain))
            gained += int(ours) - int(theirs)
            row = aimed[wall, seat]
            reached += bool(int(row["winners"]) >> seat & 1 and int(row["win_fans"][seat]) >> 2 & 1)
    row = aims[(aims["ruleset"] == "suizhou") & (aims["aim"] == "flush") & (aims["leaning"] == 4)].iloc[0]
    assert row["gain"] == pytest.approx(gained / (3 * walls))
    assert row["reached"] == pytest.approx(reached / (3 * walls))
    assert row["gain_low"] < row["gain"] < row["gain_high"]


def test_the_headline_counts_what_an_aim_gains_over_no_plan():
    def cell(aim, leaning, gain, over_none, differ=0.3):
        ends = {"": 0.0, "_se": 0.0, "_low": -0.01, "_high": 0.01}
        row = {"ruleset": "suizhou", "aim": aim, "leaning": leaning, "walls": 40, "differ": differ}
        of = {"gain": gain, "over_none": over_none}
        return row | {f"{name}{end}": of[name] + shift for name in of for end, shift in ends.items()}

    aims = [cell("none", 0, 0.1, np.nan), cell("flush", 1, 0.3, 0.2), cell("pairs", 1, 0.2, 0.0)]
    aims += [
        cell("triplets", 1, np.nan, np.nan),
        cell("dragons", 1, 0.2, 0.0, differ=0.004),
        cell("flush", 4, 0.2, -0.3),
        cell("pairs", 4, 0.2, -0.4),
    ]
    told = fans._headline(pd.DataFrame(aims)).en
    assert "in 1 of 2 cases (aim and ruleset), behind in 0, no difference in 1, not clear in 0. Not counted: 1" in told
    assert "1 more in which fewer than 1% of rounds went differently" in told
    assert "and 1 in which fewer than 30 rounds did" in told
    assert (
        "ahead in 0, behind in 2, no difference in 0, hardly anything changed in 0, not clear in 0, not judged" in told
    )
    assert "the largest loss was −0.40 (−0.41 to −0.39)" in told


def test_rulesets_that_gave_the_same_data_are_counted_once():
    rows = 1000
    gained = np.tile([0, 0, 4, -4], rows // 4)
    otherwise = gained.copy()
    otherwise[2] += 1  # one datum of 500 that are not 0
    samples = {
        name: Sample(values, np.full(rows, 3))
        for name, values in {"xiangyang": gained, "suizhou": -gained, "shiyan": otherwise}.items()
    }
    once = aiming.counted_once(samples)
    assert once == {"xiangyang": ("xiangyang", "shiyan"), "suizhou": ("suizhou",)}
    aims = pd.DataFrame({"ruleset": list(samples), "aim": "flush"})
    assert aiming.judged_once(aims, once)["ruleset"].tolist() == ["xiangyang+shiyan", "suizhou"]


def test_the_share_that_went_differently_is_that_of_no_plan(aims):
    walls = 1200 // fans.ROUNDS_PER_WALL
    plan, none = (
        trials.play_seats("suizhou", one, walls=walls, seed=3) for one in (aiming.player("flush", 4), aiming.NO_PLAN)
    )
    differ = sum(plan[wall, seat] != none[wall, seat] for wall in range(walls) for seat in range(3))
    row = aims[(aims["ruleset"] == "suizhou") & (aims["aim"] == "flush") & (aims["leaning"] == 4)].iloc[0]
    assert row["differ"] == pytest.approx(differ / (3 * walls))


def test_large_numbers_are_said_to_three_digits():
    assert [fans._about(count) for count in (124_953.2, 940.4)] == [Words("125,000", "12.5 万"), Words("940", "940")]


def test_the_rarest_fan_is_one_of_the_shape_of_a_hand(played):
    told = fans._common(fan_frame(played[2]), played[0])
    assert not any(fans.fan_words(fan).en in told.en.split("Never")[0] for fan in ("kawuxing", "heavenly_hand"))


def test_own_fans_are_those_of_the_player_s_seat():
    rows = trials.play_seats("suizhou", "efficient", walls=40, seed=1)
    found = own_fans(rows)
    for wall in range(40):
        for seat in range(3):
            row = rows[wall, seat]
            won = int(row["winners"]) >> seat & 1
            assert found[wall, seat] == (row["win_fans"][seat] if won else 0)


def test_no_one_aims_for_what_a_ruleset_has_no_plan_for(aims):
    of_rules = aims[aims["ruleset"] == "hongzhong"]
    assert set(of_rules["aim"]) == {"none", "reference", "pairs", "flush"}
    plan = aiming.player("triplets", 4)
    one, other = (trials.play_seats("hongzhong", policy, walls=60, seed=1) for policy in (plan, aiming.NO_PLAN))
    assert (trials.seat_points(one) == trials.seat_points(other)).all()


def test_every_text_is_whole(section):
    told = [*section.headline, *(item for part in section.parts for item in getattr(part, "items", ()))]
    for sentence in told:
        for text in (sentence.en, sentence.zh):
            assert "nan" not in text
            assert "{" not in text


# ---------------------------------------------------------------- many seeds


@pytest.mark.verify
@pytest.mark.parametrize("preset", ["platform", "hongzhong", "suizhou"])
def test_intervals_of_rare_fans_cover(preset):
    rules = load_rules(preset)
    frames = [
        fan_frame(wins_of(rules, trials.play_rows(a_run(preset, 4000, seed), forks=False).rounds)).set_index("fan")
        for seed in range(120)
    ]
    truth = sum(frame["wins"] for frame in frames) / sum(frame["all_wins"] for frame in frames)
    for fan, share in truth.items():
        # As many wins as a Wilson interval needs to keep its promise on average over shares; rarer ones cover more.
        covered = np.mean(
            [frame.loc[fan, "wins_share_low"] <= share <= frame.loc[fan, "wins_share_high"] for frame in frames]
        )
        assert covered >= 0.88, (fan, share, covered)
