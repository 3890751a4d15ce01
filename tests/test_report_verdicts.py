"""Verdicts: by hand, and by simulation how often wrong where nothing is there, how often right where something is."""

import numpy as np
import pytest

from kwx_sim.report.verdicts import (
    COSTS,
    DELTA,
    DEPENDS,
    FAILS,
    HOLDS,
    NOTHING,
    PERHAPS,
    UNCLEAR,
    Contrast,
    cochran_q,
    holm,
    judge,
    side,
    way_of_failing,
)

RULESETS = ("platform", "suizhou", "xiangyang")


def contrasts(means, se, claim="c"):
    return [Contrast(claim, rules, mean, se, 1000) for rules, mean in zip(RULESETS, means, strict=False)]


def test_holm_by_hand():
    # Ordered 0.01, 0.02, 0.03, 0.04: times 4, 3, 2, 1, and never below the one before.
    assert holm([0.04, 0.01, 0.03, 0.02]).tolist() == pytest.approx([0.06, 0.04, 0.06, 0.06])


def test_holm_of_nothing_and_of_what_is_all_refused():
    assert holm([]).tolist() == []
    assert holm([0.001, 0.002]).tolist() == pytest.approx([0.002, 0.002])


def test_cochran_q_by_hand():
    # Weights 1 and 1/4: the mean is (2 + 8/4) / 1.25 = 3.2; Q = 1.2² + 4.8²/4 = 7.2, p of chi-square with 1 = 0.00729.
    q, p = cochran_q([2, 8], [1, 2])
    assert q == pytest.approx(7.2)
    assert p == pytest.approx(0.0072904, rel=1e-4)


def test_verdicts_of_cells_by_hand():
    # z against 0.05: 4.5, −4.5 and 1; the largest two are refused at 0.05 / 3 and 0.05 / 2.
    judged = judge(contrasts([0.5, -0.4, 0.15], 0.1))
    assert [cell.verdict for cell in judged.cells] == [HOLDS, FAILS, UNCLEAR]
    assert judged.cells[2].p == pytest.approx(0.3173, abs=1e-4)
    # The intervals are all at 0.05 / 3.
    assert judged.cells[2].low == pytest.approx(0.15 - 2.394 * 0.1, abs=1e-3)
    assert judged.cells[0].high == pytest.approx(0.5 + 2.394 * 0.1, abs=1e-3)


def test_a_gain_below_the_margin_fails_though_it_is_above_zero():
    (cell,) = judge([Contrast("c", "suizhou", 0.02, 0.005, 9)]).cells
    assert (cell.verdict, cell.low > 0, cell.high < DELTA) == (FAILS, True, True)


def test_an_interval_beyond_the_margin_has_its_verdict():
    """Holm sees a little more than the interval shows, never less."""
    rng, milder = np.random.default_rng(1), 0
    for _ in range(50):
        given = [Contrast(str(i), "suizhou", float(rng.normal(0.05, 0.3)), 0.1, 9) for i in range(12)]
        for cell in judge(given).cells:
            shown = HOLDS if cell.low > DELTA else FAILS if cell.high < DELTA else UNCLEAR
            assert shown in (cell.verdict, UNCLEAR)
            milder += shown != cell.verdict
    assert 0 < milder < 60


@pytest.mark.parametrize("true", [np.full(60, -0.051), np.r_[np.full(20, -0.051), np.ones(40)]])
def test_losses_just_beyond_the_margin_are_hardly_ever_told_as_no_difference(true):
    """Nor does any interval miss in more than 5% of runs; at the level of Holm's tests 34% and 77% were told so."""
    rng, runs = np.random.default_rng(2), 1_000
    told_wrong, missed = 0, 0
    for _ in range(runs):
        given = [Contrast(str(i), "suizhou", float(x), 0.02, 9) for i, x in enumerate(rng.normal(true, 0.02))]
        cells = judge(given).cells
        failed = [way_of_failing(cell.low, cell.high) for cell in cells if cell.verdict == FAILS]
        told_wrong += NOTHING in failed
        missed += any(not cell.low <= x <= cell.high for cell, x in zip(cells, true, strict=True))
    assert told_wrong < 0.05 * runs
    assert missed < 0.07 * runs


@pytest.mark.parametrize(
    ("low", "high", "way", "beyond"),
    [
        (-0.3, -0.06, COSTS, -1),
        (-0.071, -0.021, PERHAPS, 0),
        (-0.099, 0.004, PERHAPS, 0),
        (-0.02, -0.01, NOTHING, 0),
        (-0.05, 0.04, NOTHING, 0),
    ],
)
def test_what_fails_costs_makes_no_difference_or_neither_is_clear(low, high, way, beyond):
    assert way_of_failing(low, high) == way
    assert side(low, high) == beyond
    assert side(-high, -low) == -beyond


def test_significant_here_and_not_there_is_no_dependence():
    # z against the margin is 4.0 and 1.5, but that of the difference, 0.25 / 0.141, only 1.77.
    judged = judge(contrasts([0.45, 0.2], 0.1))
    assert [cell.verdict for cell in judged.cells] == [HOLDS, UNCLEAR]
    assert judged.interaction["c"] == pytest.approx(0.0771, abs=1e-4)
    assert judged.claims["c"] == UNCLEAR


def test_more_here_and_less_there_is_no_dependence_while_the_third_is_unclear():
    given = [*contrasts([2.0, 1.0], 0.05), Contrast("c", "xiangyang", 1.5, 2.0, 1000)]
    judged = judge(given)
    assert judged.interaction["c"] < 1e-6
    assert [cell.verdict for cell in judged.cells] == [HOLDS, HOLDS, UNCLEAR]
    assert judged.claims["c"] == UNCLEAR


@pytest.mark.parametrize(
    ("means", "verdict"),
    [
        ((1, 1.2, 3), HOLDS),
        ((-1, 0, -2), FAILS),
        ((1, 1, -1), DEPENDS),
        ((1, 1, DELTA), UNCLEAR),
        ((-1, -1, DELTA), UNCLEAR),
        ((DELTA,) * 3, UNCLEAR),
    ],
)
def test_verdicts_of_claims(means, verdict):
    assert judge(contrasts(means, 0.01)).claims["c"] == verdict


def test_no_dependence_where_nothing_holds_though_figures_differ():
    """Under one ruleset it fails, under another it is unclear: the interaction is clear, and still it holds nowhere."""
    judged = judge(contrasts([-1.0, 0.06], 0.01))
    assert [cell.verdict for cell in judged.cells] == [FAILS, UNCLEAR]
    assert judged.interaction["c"] < 1e-6
    assert judged.claims["c"] == UNCLEAR


def test_what_has_no_figure_or_no_spread():
    nan = float("nan")
    given = [
        Contrast("a", "suizhou", nan, nan, 0),
        Contrast("b", "suizhou", 1.0, 0.0, 5),
        Contrast("b", "shiyan", 0.0, 0.0, 5),
        Contrast("d", "suizhou", 0.05, 0.0, 5),
    ]
    judged = judge(given)
    assert [cell.verdict for cell in judged.cells] == [UNCLEAR, HOLDS, FAILS, UNCLEAR]
    assert "a" not in judged.interaction


def test_a_claim_has_one_contrast_under_a_ruleset():
    with pytest.raises(ValueError, match="one contrast"):
        judge([*contrasts([1], 1), *contrasts([2], 1)])


def family(rng, means, se=0.1):
    """Contrasts of (claims, rulesets) true means, as a run would find them."""
    found = rng.normal(means, se)
    return [Contrast(f"c{i}", RULESETS[j], float(found[i, j]), se, 1000) for i, j in np.ndindex(*found.shape)]


def test_size_where_every_figure_is_the_margin():
    rng = np.random.default_rng(2)
    runs = [judge(family(rng, np.full((10, 3), DELTA))) for _ in range(1000)]
    wrong = sum(any(cell.verdict != UNCLEAR for cell in judged.cells) for judged in runs)
    # 50 expected at most, with a standard deviation of 7.
    assert wrong <= 70
    assert wrong >= 25, "and not far below: Holm over independent cells is nearly exact"
    assert sum(DEPENDS in judged.claims.values() for judged in runs) <= 50


def test_size_of_dependence_where_rulesets_are_alike_and_the_verdict_hangs_by_a_thread():
    rng = np.random.default_rng(3)
    means = np.repeat(rng.uniform(0.2, 0.5, (10, 1)), 3, axis=1)
    runs = [judge(family(rng, means)) for _ in range(1000)]
    mixed = sum(len({cell.verdict for cell in judged.cells}) > 1 for judged in runs)
    assert mixed > 900, "in nearly every run something is significant here and not there"
    assert sum(DEPENDS in judged.claims.values() for judged in runs) <= 70


def test_power_where_there_is_something():
    rng = np.random.default_rng(4)
    means = np.array([[0.6, 0.6, 0.6], [-0.5, -0.5, -0.5], [0.7, 0.7, -0.6], [DELTA, DELTA, DELTA]])
    runs = [judge(family(rng, means)) for _ in range(300)]
    for claim, verdict in zip(("c0", "c1", "c2", "c3"), (HOLDS, FAILS, DEPENDS, UNCLEAR), strict=True):
        assert sum(judged.claims[claim] == verdict for judged in runs) > 0.9 * 300
