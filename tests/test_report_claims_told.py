"""What is told of the documents' claims: verdicts, sentences that follow from the figures, the page and its counts."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from kwx_sim.findings.claims import page
from kwx_sim.findings.claims.deals import Deals, Found
from kwx_sim.findings.claims.headline import counts, headline, overview
from kwx_sim.findings.claims.registry import Claim, claims
from kwx_sim.findings.claims.results import FEWEST_JUDGED, NOT_TESTED, VARIED, Explored, Finding, Results, find
from kwx_sim.findings.claims.sample import Sample, same_data
from kwx_sim.findings.claims.sentences import block
from kwx_sim.findings.claims.wording import figure, margin, verdict
from kwx_sim.report.section import Bullets, Figure, Table
from kwx_sim.report.verdicts import COSTS, DELTA, FAILS, HOLDS, NOTHING, PERHAPS, UNCLEAR
from kwx_sim.rules import PRESETS, load_rules

WALLS, ROUNDS, TURNS, SEED = 40, 600, 400, 4


def deals_of(preset: str, **sizes: int) -> Deals:
    given = {"walls": WALLS, "rounds": ROUNDS, "turns": TURNS, "seed": SEED, "workers": 1} | sizes
    return Deals(load_rules(preset), **given)


@pytest.fixture(scope="module")
def results():
    deals = {preset: deals_of(preset, rounds=200, turns=200, walls=FEWEST_JUDGED) for preset in PRESETS}
    return find(claims(), deals, explored_walls=6)


def test_every_claim_has_a_verdict(results):
    assert set(results.verdicts) == {claim.id for claim in claims()}
    for claim in claims():
        assert (results.verdicts[claim.id] == NOT_TESTED) == (claim.test == "none")
        tested = {one.ruleset for one in results.tested if one.claim == claim}
        told = {ruleset for one in results.tested if one.claim == claim for ruleset in (one.ruleset, *one.same)}
        assert told == (set() if claim.test == "none" else set(claim.presets))
        assert "shiyan" not in tested, "no hand paid more at Xiangyang in so few rounds"


def test_an_interval_says_what_the_verdict_says(results):
    for one in results.tested:
        if one.few or one.exact is not None:
            assert np.isnan([one.low, one.high]).all()
            continue
        edge = one.claim.margin
        low, high = one.low, one.high
        if one.claim.expected is None:
            expected = HOLDS if low > edge else FAILS if high < edge else UNCLEAR
        else:
            far, near = (max(abs(end - one.claim.expected) for end in (low, high)), one.claim.expected)
            outside = low > near + edge or high < near - edge
            expected = FAILS if outside else HOLDS if far < edge else UNCLEAR
        assert one.verdict == expected, (one.claim.id, one.ruleset)


NUMBER = Claim(id="maima_mean", number=2, document="A", test="fact", measure="x", unit="loser", expected=5.5)


@pytest.mark.parametrize(
    ("mean", "se", "given", "sentence"),
    [
        (5.71, 0.01, FAILS, "The document's 5.5 lies below the interval (online platform)."),
        (5.3, 0.01, FAILS, "The document's 5.5 lies above the interval (online platform)."),
        (5.51, 0.01, HOLDS, "The document's 5.5 lies within the interval (online platform)."),
        (5.54, 0.01, UNCLEAR, "The document's 5.5 lies below the interval (online platform)."),
        (5.6, 0.2, UNCLEAR, "The document's 5.5 lies within the interval (online platform)."),
    ],
)
def test_a_number_that_the_document_names_is_compared_with_the_interval(monkeypatch, mean, se, given, sentence):
    found = Found(mean, se, mean - 1.96 * se, mean + 1.96 * se, 1000)
    sample = SimpleNamespace(found=lambda: found, where_otherwise=lambda: None)
    monkeypatch.setattr("kwx_sim.findings.claims.results._sample", lambda *_: sample)
    results = find([NUMBER], {"platform": None}, explored_walls=6)
    (one,) = results.tested
    assert (one.verdict, results.verdicts) == (given, {NUMBER.id: given})
    assert (one.low, one.high) == pytest.approx((found.low, found.high), abs=1e-4)
    assert margin(NUMBER) == "5.50 ± 0.05"
    bullets = block(NUMBER, results)[1]
    assert sentence in "".join(item.en for item in bullets.items)


def test_what_the_rules_say_is_no_test_among_others(results):
    by_id = {one.claim.id: one for one in results.tested if one.exact is not None}
    assert by_id.keys() == {"maima_mean", "four_six_feeds"}
    maima, fed = by_id["maima_mean"], by_id["four_six_feeds"]
    assert (maima.exact, maima.verdict) == (480 / 84, FAILS)
    assert (fed.exact, fed.verdict) == (0, FAILS)
    assert verdict(maima.claim, results).en == "FAILS by the rules: exactly 5.714"
    assert "the document's 5.5 is refuted exactly" in "".join(item.en for item in block(maima.claim, results)[1].items)
    others = [one for one in results.tested if one.exact is None and not one.few]
    assert f"The {len(others)} contrasts were judged together" in page.section(claims(), results).parts[2].words.en


def test_rulesets_that_gave_the_same_data_are_one_witness():
    claim = next(claim for claim in claims() if claim.id == "kong_good")
    deals = {preset: deals_of(preset, walls=FEWEST_JUDGED) for preset in ("suizhou", "xiangyang", "shiyan")}
    tested = find([claim], deals, explored_walls=6).tested
    assert [(one.ruleset, one.same) for one in tested] == [("suizhou", ()), ("xiangyang", ("shiyan",))]
    alone = find([claim], {preset: deals[preset] for preset in ("suizhou", "xiangyang")}, explored_walls=6).tested
    assert [(one.p, one.low, one.high) for one in tested] == [(one.p, one.low, one.high) for one in alone]
    told = "".join(item.en for item in block(claim, find([claim], deals, explored_walls=6))[1].items)
    assert "Xiangyang and Shiyan" in told


def test_data_are_the_same_round_by_round():
    one = Sample(np.arange(4000), np.ones(4000))
    other = Sample(one.total + (one.total == 7), one.count)
    assert same_data(one, one)
    assert same_data(one, other), "one in 4,000"
    assert same_data(one, Sample(one.total + (one.total < 20), one.count))
    assert not same_data(one, Sample(one.total + (one.total < 90), one.count)), "more than 2%"
    assert not same_data(one, Sample(one.total + 3 * (one.total < 20), one.count)), "60 bases in 4,000"
    assert same_data(one.chosen(one.total != 9), one)
    assert not same_data(one.chosen(one.total > 9), one)
    rare = Sample(np.eye(1, 4000)[0], one.count)
    assert not same_data(rare, Sample(np.eye(1, 4000, 5)[0], one.count)), "all that is not 0 differs"


def test_a_comparison_has_one_figure(results):
    judged = [one for one in results.explored if one.judged is not None]
    assert {"guarding_pays", "small_feeds_big", "kongs_gain", "kong_good", "kongs_trap", "kong_on_kong"} <= {
        one.claim.id for one in judged
    }
    for one in judged:
        sign = 1 if one.judged.claim.contrast == one.claim.contrast else -1
        assert one.found.mean == pytest.approx(sign * one.judged.found.mean)
    claim = next(claim for claim in claims() if claim.id == "kong_good")
    assert "the same comparison as No. 6b" in "".join(item.en for item in block(claim, results)[1].items)


def test_what_hardly_ever_goes_differently_is_not_judged():
    found = Found(0.0, 0.001, -0.002, 0.002, 5000, moved=29)
    few = Finding(PLAYERS, "suizhou", found)
    assert few.few
    assert few.rare
    assert not Finding(PLAYERS, "suizhou", found._replace(moved=30)).few
    results = Results((few,), (), {PLAYERS.id: UNCLEAR})
    assert verdict(PLAYERS, results).en == "UNCLEAR: only 29 of 5,000 went differently"
    # Wilson's upper end of 29 in 5,000 is 0.00832.
    assert "more than 6.0 bases each time" in "".join(item.en for item in block(PLAYERS, results)[1].items)
    none = Explored(PLAYERS, "suizhou", "turn", "1–3", "round", found._replace(moved=0))
    assert "1–3: none of 5,000 went differently" in told([few], [none])


def test_claims_of_a_number_have_letters():
    assert [claim.label for claim in claims()][:8] == ["1a", "1b", "1c", "1d", "1e", "1f", "2", "3a"]
    assert len({claim.label for claim in claims()}) == len(claims())


def named(claim: str) -> Claim:
    return next(one for one in claims() if one.id == claim)


@pytest.mark.parametrize(("always", "told"), [(2.7, "brought more still"), (0.3, "brought less"), (0.5, "told apart")])
def test_always_declaring_stands_beside_declaring_some_hands(always, told):
    wide, instead = named("declare_wide"), named("ready_declare")
    one = Finding(wide, "platform", Found(0.5, 0.01, 0.48, 0.52, 900), 0, HOLDS, low=0.45, high=0.55)
    elsewhere = Found(always, 0.05, always - 0.1, always + 0.1, 800)
    other = Explored(instead, "platform", "ruleset", "platform", "round", elsewhere, 0.01)
    results = Results((one,), (other,), {wide.id: HOLDS})
    assert any(told in item.en and "No. 11a" in item.en for item in block(wide, results)[1].items)
    better = [line.en for line in headline([wide], results) if "Always declaring" in line.en]
    assert bool(better) == (always > 1)
    assert all("+2.70 (+2.60 to +2.80; n 800" in line and "(No. 1a) +0.50 (+0.45 to +0.55" in line for line in better)


def test_what_few_rounds_hold_is_told_with_what_the_margin_asks_for():
    few = (0.02, Found(1.2, 0.1, 1.0, 1.4, 60))
    one = Finding(PLAYERS, "suizhou", Found(0.024, 0.01, 0.0, 0.04, 1000), 0, FAILS, 0.0, 0.045, where_otherwise=few)
    assert "2.00% of rounds, n 60, worth +1.20 (+1.00 to +1.40) bases each, where the margin asks for 2.5" in told(
        [one]
    )
    often = Finding(PLAYERS, "suizhou", one.found, 0, FAILS, 0.0, 0.045, where_otherwise=(0.06, few[1]))
    assert "where the margin asks for" not in told([often])


def test_claims_of_one_comparison_name_each_other():
    first, second = named("form_first"), named("keep_middle")
    found = Found(0.06, 0.01, 0.04, 0.08, 900)
    tested = (
        Finding(first, "platform", found, low=0.0, high=0.1),
        Finding(second, "hongzhong", found, low=0, high=0.1),
    )
    results = Results(tested, (), {first.id: UNCLEAR, second.id: UNCLEAR})
    assert any(
        "same comparison as No. 9e, Hongzhong (wild dragons)." in item.en for item in block(first, results)[1].items
    )
    assert any("same comparison as No. 3b, online platform." in item.en for item in block(second, results)[1].items)


def test_an_effect_without_a_size_is_bounded_by_its_interval():
    claim = named("dragons_block")
    one = Finding(claim, "suizhou", Found(0.0002, 0.0005, -0.001, 0.001, 900), low=-0.0014, high=0.0018)
    bullets = block(claim, Results((one,), (), {claim.id: UNCLEAR}))[1]
    assert "No effect beyond ±0.002 wins a round was found" in "".join(item.en for item in bullets.items)


def test_every_claim_is_counted_once(results):
    count = counts(claims(), results)
    assert count["claims"] == len(claims()) == count["tested"] + count["settled"] + count["untested"]
    assert count["holds"] + count["fails"] + count["unclear"] + count["depends"] == count["tested"] + count["settled"]
    assert (count["settled"], count["untested"]) == (2, 4)
    assert count["unclear"] >= count["few"] > 0


def test_what_fails_is_told_apart():
    rows = {"a": (-0.3, COSTS), "b": (0.01, NOTHING), "c": (-0.05, PERHAPS)}
    asked = [PLAYERS.model_copy(update={"id": one, "number": i + 1}) for i, one in enumerate(rows)]
    tested = [replace(cell(mean, FAILS), claim=claim) for claim, (mean, _) in zip(asked, rows.values(), strict=True)]
    # Of the last, one ruleset costs and the other makes no difference.
    both = PLAYERS.model_copy(update={"id": "d", "number": 4})
    tested += [replace(cell(-0.3, FAILS), claim=both), replace(cell(0.0, FAILS, "shiyan"), claim=both)]
    results = Results(tuple(tested), (), dict.fromkeys([*rows, "d"], FAILS))
    assert [results.way_of_failing(claim) for claim in [*asked, both]] == [COSTS, NOTHING, PERHAPS, VARIED]
    line = overview([*asked, both], results)[1].en
    for place in ("as much: 1 (No. 1)", "either way: 1 (No. 2)", "costs as much: 1 (No. 3)", "ruleset: 1 (No. 4)"):
        assert place in line


def test_what_turns_round_elsewhere_is_counted():
    def last(*elsewhere: Explored, home: Finding) -> str:
        return headline([PLAYERS], Results((home,), elsewhere, {PLAYERS.id: home.verdict}))[-1].en

    there = explored("ruleset", "platform", -0.3, 0.01)
    assert "on either side (exploratory): 1 (No. 11)" in last(there, home=cell(0.3, HOLDS))
    assert "No claim was seen to turn round" in last(home=cell(0.3, HOLDS))
    small = explored("ruleset", "platform", -0.04, 0.01)
    assert "No claim was seen to turn round" in last(small, home=cell(0.3, HOLDS)), "not by the margin"
    gain_there = explored("ruleset", "platform", 0.3, 0.01)
    assert "gain more than the margin there: 1 (No. 11)" in last(gain_there, home=cell(-0.05, FAILS))


def test_too_few_data_are_not_judged_nor_counted():
    one = Finding(PLAYERS, "suizhou", Found(0.7, 0.2, 0.3, 1.1, FEWEST_JUDGED - 1))
    results = Results((one,), (), {PLAYERS.id: UNCLEAR})
    assert not results.judged(PLAYERS)
    assert verdict(PLAYERS, results).en == "UNCLEAR: too few (n = 99)"
    told = page.section([PLAYERS], results)
    assert told.headline[0].en.startswith("Of 1 strategic claims in the documents 1 were put to a test")
    assert "UNCLEAR: 1, of these 1 for too few data" in told.headline[0].en
    assert "0.7" not in "".join(item.en for item in block(PLAYERS, results)[1].items)


def test_a_verdict_on_a_stand_in_is_of_what_was_tested():
    claim = next(claim for claim in claims() if claim.id == "small_feeds_big")
    ends = {"low": 0.78, "high": 0.82}
    results = Results((Finding(claim, "suizhou", Found(0.8, 0.01, 0.78, 0.82, 900), 0, HOLDS, **ends),), (), {})
    results = Results(results.tested, (), {claim.id: HOLDS})
    told = verdict(claim, results)
    assert told.en == "HOLDS for a stand-in: that keeping shown waits back gains, whatever the hands are worth"
    assert "代替的检验" in told.zh


def test_alternative_texts_count_by_the_verdicts():
    """An interval of 95% above the margin is no verdict."""
    given = [HOLDS, FAILS, FAILS, UNCLEAR]
    found = Found(0.08, 0.01, DELTA + 0.01, 0.1, 900)
    rows = [
        Finding(PLAYERS, preset, found, 0.0, one, low=0.01, high=0.15)
        for preset, one in zip(PRESETS, given, strict=False)
    ]
    (forest,) = (
        part
        for part in page.section([PLAYERS], Results(tuple(rows), (), {PLAYERS.id: UNCLEAR})).parts
        if isinstance(part, Figure)
    )
    assert forest.alt.en.endswith("Verdicts: HOLDS 1, FAILS 2, UNCLEAR 1.")
    assert forest.alt.zh.endswith("成立 1 个，不成立 2 个，不明 1 个。")


def test_figures_of_several_units_stand_in_one_column():
    assert page._interval(0.182, 0.18, 0.184, "share") == "18.2% [18.0%, 18.4%]"
    assert page._interval(-0.51234, -0.6, 0.0, "round") == "−0.512 [−0.600, 0.000]"
    assert page._interval(5.714, 5.69, 5.74, "loser") == "5.714 [5.690, 5.740]"


def test_figures_have_the_decimals_and_the_sign_of_their_unit():
    assert [figure(0.0123, "round"), figure(1.234, "round"), figure(-0.004, "wins")] == ["+0.012", "+1.23", "−0.004"]
    assert [figure(0.123, "share"), figure(5.714, "loser")] == ["12.3%", "5.71"]


def test_any_claim_is_judged_under_a_ruleset_of_one_s_own():
    own = load_rules("shiyan").model_copy(update={"name": "mine"})
    deals = {"mine": Deals(own, walls=12, rounds=50, turns=50, seed=SEED, workers=1)}
    first, last = claims()[0], claims()[-2]
    found = find([first, last], deals, explored_walls=6)
    assert [(one.claim, one.ruleset) for one in found.tested] == [(first, "mine"), (last, "mine")]


def test_what_is_explored_is_adjusted_together(results):
    asked = [one for one in results.explored if one.asked]
    assert len(asked) > 20
    assert all(0 <= one.q <= 1 for one in asked)
    others = [one for one in results.explored if one not in asked]
    assert others
    assert all(np.isnan(one.q) for one in others)
    assert not any(one.clear for one in others if one.judged is None)
    assert all(one.factor == "beside" or one.unit == "share" or one.rare or one.judged for one in others)


def test_the_section_shows_every_claim_and_contrast(results):
    section = page.section(claims(), results)
    tables = {part.name: part for part in section.parts if isinstance(part, Table)}
    assert len(tables["claims"].frame) == len(claims())
    assert len(tables["contrasts"].frame) == len(results.tested)
    assert len(tables["explored"].frame) == sum(one.judged is None for one in results.explored)
    assert [part.name for part in section.parts if isinstance(part, Figure)] == ["players_forest", "facts_forest"]
    assert sum(isinstance(part, Bullets) for part in section.parts) == len(claims())


PLAYERS = Claim(id="ready_declare", number=11, document="C", test="players", follows="a", against="b")


def told(tested, explored=()) -> str:
    results = Results(tuple(tested), tuple(explored), {PLAYERS.id: tested[0].verdict})
    bullets = block(PLAYERS, results)[1]
    assert isinstance(bullets, Bullets)
    return "\n".join(item.en for item in bullets.items)


def cell(mean: float, verdict: str, ruleset: str = "suizhou") -> Finding:
    found = Found(mean, 0.01, mean - 0.02, mean + 0.02, 1000)
    return Finding(PLAYERS, ruleset, found, 0.0, verdict, low=mean - 0.03, high=mean + 0.03)


@pytest.mark.parametrize(
    ("tested", "sentence"),
    [
        ([cell(0.3, "HOLDS")], "Who played so won more by over 0.05 bases a round."),
        ([cell(-0.3, "FAILS")], "Who played so won less by over 0.05 bases a round."),
        ([cell(0.01, "FAILS")], "It made no difference of 0.05 bases a round either way."),
        ([cell(-0.01, "FAILS")], "It made no difference of 0.05 bases a round either way."),
        (
            [cell(-0.05, "FAILS")],
            "It brought no gain of 0.05 bases a round, and whether it costs as much is not clear.",
        ),
        ([cell(0.05, "UNCLEAR")], "Whether it gains 0.05 bases a round is not clear at this size."),
        (
            [cell(0.3, "HOLDS"), cell(-0.3, "FAILS", "shiyan")],
            "more by over 0.05 bases a round under Suizhou. Who played so won less by over 0.05 bases a round under Sh",
        ),
    ],
)
def test_the_sentence_follows_the_contrasts(tested, sentence):
    assert sentence in told(tested)


def test_rulesets_of_which_the_same_is_told_share_a_line():
    assert "Xiangyang, Shiyan +0.30 (" in told([cell(0.3, "HOLDS", "xiangyang"), cell(0.3, "HOLDS", "shiyan")])


def explored(factor: str, level: str, mean: float, q: float) -> Explored:
    ruleset = level if factor == "ruleset" else "suizhou"
    return Explored(PLAYERS, ruleset, factor, level, "round", Found(mean, 0.01, mean - 0.02, mean + 0.02, 1000), q)


def test_where_it_turns_is_told_by_what_is_clear():
    groups = [
        explored("turn", "1–3", -0.3, 0.01),
        explored("turn", "4–6", 0.2, 0.9),
        explored("turn", "7–9", 0.3, 0.01),
    ]
    assert "by over 0.05 above 0 for 7–9, by over 0.05 below for 1–3" in told([cell(0.1, "HOLDS")], groups)
    assert "Above 0 by over 0.05: 7–9; none as far below." in told([cell(0.1, "HOLDS")], groups[1:])
    assert "Below 0 by over 0.05: 1–3; none as far above." in told([cell(0.1, "HOLDS")], groups[:2])
    assert "No group lies beyond ±0.05 with its whole interval." in told([cell(0.1, "HOLDS")], groups[1:2])
    small = explored("turn", "10+", 0.03, 0.001)
    assert "Below 0 by over 0.05: 1–3; none as far above." in told([cell(0.1, "HOLDS")], [groups[0], small])


def test_a_ruleset_where_it_is_the_other_way_round_is_named():
    others = [explored("ruleset", "platform", -0.3, 0.01)]
    assert "the other way round by over 0.05 under these rules: online platform" in told([cell(0.1, "HOLDS")], others)
    assert "other way" not in told([cell(-0.1, "FAILS")], others)
    gains = [explored("ruleset", "platform", 0.3, 0.01)]
    assert "A gain of over 0.05 under these rules: online platform." in told([cell(0.01, "FAILS")], gains)
    assert "A gain" not in told([cell(0.3, "HOLDS")], gains)
    assert "other way" not in told([cell(0.01, "FAILS")], others)
