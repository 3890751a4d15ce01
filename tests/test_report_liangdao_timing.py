"""When to declare: figures recomputed another way, choices judged on rounds they did not see, planted rules found."""

from itertools import groupby

import numpy as np
import pytest

import kwx_sim
from analyses import liangdao_timing
from kwx_sim.core.fork import ARMS, FORK
from kwx_sim.core.jit import records
from kwx_sim.findings.liangdao import advice, conditions, courses, figures, forks, settings, wording
from kwx_sim.report import Figure, Table, Work
from kwx_sim.report.figures import draw
from kwx_sim.rules import load_rules, rules_hash
from kwx_sim.stats import Estimates

GAMES, SEED = 1500, 3
PRESETS = liangdao_timing.ANALYSIS.presets


@pytest.fixture(scope="module")
def played():
    return forks.play_forks(load_rules("xiangyang"), GAMES, SEED)


def gain_of(found):
    return found.taking(forks.DECLARE) - found.taking(forks.NEVER)


def made_up(hands, seed=1):
    """Forks, one a round: hands of (live tiles, fan), all arms worth nothing yet."""
    rows = records(len(hands), FORK)
    rows["number"] = np.arange(len(hands))
    rows["hand"]["live"], rows["hand"]["fan"] = np.transpose(hands)
    rows["hand"]["waits"] = 1
    return forks.Forks(len(hands), rows)


# ---------------------------------------------------------------- figures


@pytest.mark.parametrize("kinds", ["all", "1", "2", "3+"])
def test_gains_are_those_of_the_simulation_s_own_table(played, kinds):
    table = kwx_sim.simulate("xiangyang", games=GAMES, seed=SEED, tables=["liangdao_timing"]).tables["liangdao_timing"]
    chosen = (table.measure == "difference") & (table.arm == "declare") & (table.kinds == kinds)
    row = table[chosen & (table.turn == "all") & (table.live == "all") & (table.fan == "all")].iloc[0]
    if kinds == "all":
        n, found = len(played.rows), forks.overall(played, gain_of(played))
    else:
        cells = forks.Cells(played.cell(("kinds",)), played.number, 3)
        place = forks.BIN_NAMES["kinds"].index(kinds)
        n, found = cells.n[place], forks.at(cells.mean(gain_of(played)), place)
    assert n == row.n
    assert np.allclose(found, row[["mean", "se", "ci_low", "ci_high"]].astype(float))


def test_a_gain_a_round_counts_the_rounds_without_a_fork(played):
    by_fork, by_round = forks.overall(played, gain_of(played)), forks.gain_a_round(played, gain_of(played))
    assert by_round.mean == pytest.approx(by_fork.mean * len(played.rows) / (3 * GAMES))
    sums = np.bincount(played.number, gain_of(played), GAMES) / 3
    assert by_round.se == pytest.approx(sums.std(ddof=1) / np.sqrt(GAMES))


def test_two_halves_are_the_rounds(played):
    halves = played.half(0), played.half(1)
    assert sum(half.rounds for half in halves) == GAMES
    assert sum(len(half.rows) for half in halves) == len(played.rows)
    assert all((half.number % 2 == parity).all() for parity, half in enumerate(halves))


def test_nothing_moves_where_nothing_is_changed(played):
    found = forks.moved(played, played)
    assert found.mean == 0
    assert found.se == pytest.approx(0, abs=1e-6)


def test_a_move_is_the_difference_of_the_two_gains_on_the_walls_of_both(played):
    other = forks.play_forks(load_rules("suizhou"), GAMES // 5, SEED)
    same = forks.Forks(GAMES // 5, played.rows[played.number < GAMES // 5])
    expected = forks.overall(other, gain_of(other)).mean - forks.overall(same, gain_of(same)).mean
    assert forks.moved(other, played).mean == pytest.approx(expected)


def test_benjamini_and_hochberg_by_hand():
    # |t| of p = 0.001, 0.012, 0.029, 0.041, 0.5 against 0.01, 0.02, 0.03, 0.04, 0.05: three are clear
    t = np.array([3.2905, -2.5121, 2.1835, 2.0435, 0.6745])
    found = Estimates(t, np.ones(5), t - 1.96, t + 1.96)
    clearly = forks.clear(found, np.full(5, 10**6), margin=0)
    assert clearly.tolist() == [True, True, True, False, False]
    assert forks.verdicts(found, clearly).tolist() == ["above", "below", "above", "unclear", "unclear"]


def test_what_has_no_estimate_is_not_tested():
    t = np.array([2.1, np.nan, np.nan])
    found = Estimates(t, np.ones(3), t, t)
    assert forks.verdicts(found, forks.clear(found, np.full(3, 10**6), margin=0)).tolist() == ["above", "", ""]


def test_a_cell_is_clear_only_beyond_the_margin():
    mean, half = np.array([0.09, 0.09, -0.2, 0.01, 0.0]), np.array([0.02, 0.06, 0.05, 0.03, 0.0])
    found = Estimates(mean, half / 1.96, mean - half, mean + half)
    clearly = forks.clear(found, np.full(5, 10**6), margin=0.05)
    assert forks.verdicts(found, clearly, margin=0.05).tolist() == ["above", "unclear", "below", "within", "within"]


def test_what_only_the_number_of_cells_makes_unclear_is_said_so():
    found = Estimates(np.array([0.3, 0.3, -0.3]), np.full(3, 0.1), np.array([0.1, 0.04, -0.5]), np.full(3, 0.5))
    found = found._replace(ci_high=np.array([0.5, 0.56, -0.1]))
    told = forks.adjusted(found, np.array(["unclear", "unclear", "above"]), margin=0.05)
    assert told.tolist() == ["adjusted", "unclear", "above"]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.0512, 0.2, "+0.051"), (0.0496, 0.2, "+0.0496"), (0.01, 0.2, "+0.01"), (0.05004, 0.2, "+0.05004")],
)
def test_rounding_moves_no_bound_across_the_margin(low, high, expected):
    found = Estimates(*(np.array(value) for value in (0.1, 0.01, low, high)))
    assert f"({expected} to" in wording.precise(found).en


def test_panels_without_a_cell_are_left_out(played):
    shown = figures.Map.of(played, gain_of(played))
    held = [fan for fan in range(4) if (shown.n[..., fan] >= forks.LEAST).any()]
    assert shown.panels == held
    assert figures.map_size(shown)[1] == (6.5 if len(held) <= 2 else 12.0)


def test_names_of_bins():
    assert forks.BIN_NAMES["live"] == ["0", "1", "2", "3", "4", "5–6", "7–8", "9+"]
    assert forks.span_name("fan", 1, 2) == "2–7"
    assert forks.span_name("fan", 0, 3) == "1+"


# ---------------------------------------------------------------- courses of action


def test_the_best_other_arm_is_found_in_the_other_half(played):
    turned = forks.Forks(GAMES, played.rows.copy())
    odd = turned.number % 2 == 1
    turned.rows["points"][odd] *= -1
    one, other = courses.best_others(played), courses.best_others(turned)
    assert (one[odd] == other[odd]).all()
    assert (one[~odd] != other[~odd]).any()
    assert (one != forks.DECLARE).all()


def test_a_cell_of_few_forks_follows_the_coarser_one():
    hands = [(4, 1)] * courses.ENOUGH + [(7, 1)] * (courses.ENOUGH - 1)
    found = made_up(hands)
    found.rows["points"][: courses.ENOUGH, forks.DECLARE] = 1
    found.rows["points"][courses.ENOUGH :, forks.NEVER] = 1
    assert (courses.fitted_arms(found, found) == forks.DECLARE).all()
    enough = made_up([*hands, (7, 1)])
    enough.rows["points"][: courses.ENOUGH, forks.DECLARE] = 1
    enough.rows["points"][courses.ENOUGH :, forks.NEVER] = 1
    arms = courses.fitted_arms(enough, enough)
    assert [key for key, _ in groupby(arms)] == [forks.DECLARE, forks.NEVER]


@pytest.mark.parametrize("thresholds", [(6, 6, 3, 3), (7, 4, 2, 0), (11, 11, 5, 5)])
def test_a_planted_rule_is_found(thresholds):
    noise = np.random.default_rng(5)
    hands = noise.permuted([(live, fan) for live in range(12) for fan in (1, 2, 4, 8)] * 200, axis=0)
    found = made_up(hands)
    live, place = found.value("live"), found.cell(("fan",))
    found.rows["points"][:, forks.DECLARE] = np.where(np.minimum(live, 10) >= np.array(thresholds)[place], 2, -2)
    thumb = courses.fit_thumb(found)
    assert thumb.counts == "live"
    of_bin = [
        least
        for (first, last), least in zip(thumb.groups, thumb.thresholds, strict=True)
        for _ in range(first, last + 1)
    ]
    assert tuple(of_bin) == thresholds
    assert thumb.lines == len(set(thresholds)) + 1


def test_a_rule_takes_the_arms_that_its_lines_say():
    thumb = courses.Thumb("live", ((0, 1), (2, 3)), (6, 0), ARMS.index("in 2"))
    found = made_up([(5, 1), (6, 1), (6, 3), (0, 4), (5, 2)])
    assert [ARMS[arm] for arm in thumb.arms(found)] == ["in 2", "declare", "declare", "declare", "in 2"]
    english = [line.en for line in advice.lines(thumb)]
    assert english == [
        "A hand worth 1–3 fan: declare with 6 or more live tiles.",
        "A hand worth 4 fan or more: declare at once.",
        "Otherwise: declare 2 own draws later.",
    ]


def told_against_avoidance(gains):
    """What is told of the others' avoidance, for gains of declaring at once by share, known to within 0.01."""
    made = []
    for share, gain in gains.items():
        found = Estimates(*(np.array(value) for value in (gain, 0.005, gain - 0.01, gain + 0.01)))
        name = wording.Words(share, share)
        made.append(settings.Setting("avoidance", share, name, 200, found, None, None, {}))
    told = conditions.rests_told(made)
    return "" if told is None else told.en


def test_the_headline_says_when_the_others_turn_it():
    told = told_against_avoidance({"0": 1.3, "0.25": 1.1, "0.5": 0.0, "0.75": -0.1, "1": -0.2})
    assert "whenever they can (100%). Where they do so in 25% of cases, declaring at once gains" in told
    assert "Where they never do so, declaring at once gains over never declaring, +1.30" in told
    assert "75%" not in told
    assert "(0% to 100% of cases tried)" in told_against_avoidance({"0": 0.2, "1": 0.3})
    assert told_against_avoidance({"0": 0.02, "1": 0.3}) == told_against_avoidance({"0": 0.0, "1": 0.0}) == ""


def test_what_the_cap_leaves_nothing_to_double_is_said_of_a_stricter_rule_for_the_dearest_hands():
    found = made_up([(4, 8)] * 9 + [(4, 16), (4, 4)])
    stricter, looser = (courses.Thumb("live", ((0, 2), (3, 3)), asked, forks.NEVER) for asked in ((3, 5), (5, 3)))
    told = advice.capped(load_rules("xiangyang"), found, stricter)
    assert "of 10 such hands 100.0% reach the cap of 8 fan undeclared" in told.en
    assert advice.capped(load_rules("xiangyang"), found, looser) is None
    assert advice.capped(load_rules("suizhou"), found, stricter) is None


@pytest.mark.parametrize(("low", "near"), [(-0.048, True), (-0.0539, True), (-0.058, False)])
def test_an_end_near_the_margin_is_borderline(low, near):
    found = Estimates(*(np.array(value) for value in (0.0, 0.01, low, 0.02)))
    assert ("borderline" in wording.sided("timing", found).en) is near


def test_a_rule_of_one_way_is_one_line():
    everything = ((0, 3),)
    always = courses.Thumb("live", everything, (0,), forks.NEVER)
    never = courses.Thumb("kinds", everything, (courses.LEVELS["kinds"],), forks.NEVER)
    assert [thumb.arm for thumb in (always, never)] == [forks.DECLARE, forks.NEVER]
    assert [line.en for thumb in (always, never) for line in advice.lines(thumb)] == [
        "Any hand: declare now.",
        "Any hand: never declare.",
    ]
    assert {(thumb.lines, thumb.terms) for thumb in (always, never)} == {(1, 0)}


def test_noise_makes_the_shortest_rule():
    noise = np.random.default_rng(6)
    found = made_up([(live, fan) for live in range(12) for fan in (1, 2, 4, 8)] * 20)
    found.rows["points"] = noise.integers(-3, 4, found.rows["points"].shape)
    assert courses.fit_thumb(found).lines == 1


def test_a_line_that_gains_nothing_is_left_out():
    # Beyond "declare with 6 or more" nothing pays, whatever the hand is worth: thresholds by fan would fit noise.
    noise = np.random.default_rng(7)
    found = made_up(noise.permuted([(live, fan) for live in range(12) for fan in (1, 2, 4, 8)] * 100, axis=0))
    gain = np.where(found.value("live") >= 6, 2, -2) + noise.integers(-4, 5, len(found.rows))
    found.rows["points"][:, forks.DECLARE] = gain
    thumb = courses.fit_thumb(found)
    assert (thumb.groups, thumb.thresholds, thumb.otherwise) == (((0, 3),), (6,), forks.NEVER)


def test_hands_worth_what_few_are_have_no_line_of_their_own():
    hands = [(live, 1) for live in range(12)] * 50 + [(3, 8)] * (courses.ENOUGH - 1)
    found = made_up(hands)
    found.rows["points"][:, forks.DECLARE] = np.where(found.value("live") >= 6, 2, -2)
    found.rows["points"][-courses.ENOUGH + 1 :, forks.DECLARE] = 2
    assert len(courses.fit_thumb(found).groups) == 1


@pytest.mark.parametrize(("gain", "better"), [(1, True), (0, False)])
def test_a_rule_is_advised_only_where_it_beats_every_simple_course(gain, better):
    found = made_up([(live, 1) for live in range(12)] * 100)
    live = found.value("live")
    found.rows["points"][:, forks.DECLARE] = np.where(live >= 6, 2, 2 - 2 * gain)
    found.rows["points"][:, ARMS.index("quiet")] = np.where(live >= 6, 1, 2)
    thumb = courses.Thumb("live", ((0, 3),), (6,), ARMS.index("quiet"))
    judged = courses.judge_courses(found, thumb)
    assert judged.thumb_is_better is better
    told = advice.advised(wording.told("title"), thumb, judged).en
    assert ("Any hand: declare with 6 or more live tiles." in told) is better
    assert judged.simple == ("quiet" if better else "declare")


def test_the_best_simple_course_is_chosen_on_the_half_that_does_not_judge(played):
    turned = forks.Forks(GAMES, played.rows.copy())
    turned.rows["points"][turned.number % 2 == 1] *= -1
    thumb = courses.fit_thumb(played.half(0))
    assert courses.judge_courses(turned, thumb).simple == courses.judge_courses(played, thumb).simple


def test_courses_are_judged_on_odd_rounds_alone(played):
    thumb = courses.fit_thumb(played.half(0))
    judged = courses.judge_courses(played, thumb)
    assert (judged.judged.number % 2 == 1).all()
    always, full = judged.of["declare"], judged.of["full"]
    assert always.against_full.mean == pytest.approx(always.gain.mean - full.gain.mean)
    assert full.against_full.mean == judged.of["never"].gain.mean == 0


# ---------------------------------------------------------------- settings


@pytest.mark.parametrize("preset", PRESETS)
def test_every_panel_has_the_ruleset_s_own_once(preset):
    rules = load_rules(preset)
    for _, variants in settings._variants(rules):
        others = [other for _, _, other in variants if other is not None]
        assert len(others) == len(variants) - 1
        assert len({rules_hash(other) for other in (*others, rules)}) == len(variants)
    caps = dict(settings._variants(rules))["cap"]
    played = [settings.own_cap(rules if other is None else other) for _, _, other in caps]
    assert set(played) == {0, 8, 16, settings.own_cap(rules)}


def test_against_players_who_avoid_alike_the_forks_are_the_run_s_own(played):
    rotated = forks.play_against(load_rules("xiangyang"), 1.0, GAMES // 5, SEED).rows
    rotated = rotated[np.lexsort((rotated["seat"], rotated["number"]))]
    own = played.rows[played.number < GAMES // 5]
    own = own[np.lexsort((own["seat"], own["number"]))]
    assert (rotated["points"] == own["points"]).all()


@pytest.mark.parametrize(("twin", "key"), [("shiyan", "no payment differed"), ("suizhou", "has no section of its own")])
def test_a_ruleset_that_pays_alike_is_told_so(played, twin, key):
    work = Work((load_rules("xiangyang"),), GAMES, SEED, 1, draft=True)
    rounds = settings.sample(GAMES)
    other = forks.play_forks(load_rules(twin), rounds, SEED)
    alike = forks.differing(played.first(rounds), other) == 0
    assert alike is (twin == "shiyan")
    assert key in conditions.twin_told(work, played, load_rules(twin)).en


def test_forks_that_one_run_has_alone_differ(played):
    fewer = forks.Forks(GAMES, played.rows[1:].copy())
    fewer.rows["points"][0, forks.NEVER] += 1
    assert forks.differing(played, played) == 0
    assert forks.differing(played, fewer) == forks.differing(fewer, played) == 2


def test_maima_is_taken_away_where_there_is_some():
    for preset, known in (("platform", True), ("suizhou", False)):
        work = Work((load_rules(preset),), 400, SEED, 1, draft=True)
        own = forks.play_forks(work.rule, 400, SEED)
        found = [
            settings.Setting.of_own(panel, key, label, own, 50)
            if rules is None
            else settings.Setting.of(panel, key, label, forks.play_forks(rules, 50, SEED), own)
            for panel, variants in settings._variants(work.rule)
            if panel == "maima"
            for key, label, rules in variants
        ]
        assert (conditions.maima_told(found) is not None) is known


# ---------------------------------------------------------------- the section


@pytest.mark.parametrize("preset", PRESETS)
def test_the_section_at_a_small_size(preset):
    section = liangdao_timing.analyse(Work((load_rules(preset),), 400, SEED, 2, draft=True))
    tables = {part.name: part.frame for part in section.parts if isinstance(part, Table)}
    assert set(tables) == {"arms", "boundary", "cells", "settings", "courses"}
    # Every arm is played at every fork, and the cells that are shown are some of them.
    (n,) = set(tables["arms"]["n"])
    assert tables["cells"]["n"].sum() <= n == tables["settings"].query("change_is == 'own'")["n"].iloc[0]
    assert len(advice.lines(courses.fit_thumb(forks.play_forks(load_rules(preset), 400, SEED).half(0)))) <= 5
    figures = [part for part in section.parts if isinstance(part, Figure)]
    assert len(figures) == 4
    for figure in figures:
        for lang in ("en", "zh"):
            assert draw(figure, lang).axes
