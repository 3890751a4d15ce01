"""Sequences against plain formulas, against the truth at every look, and what verdicts make of them."""

import math
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats as reference

from kwx_sim import sequences
from kwx_sim.sequences import Cell, Moments, Outcome, State

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, int]], tuple[Floats, Floats]]

BLOCK = 100


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20264)


def moments_of(d: Floats, w: Floats | None = None, heaviest: float = 0.0) -> Moments:
    moments = Moments.empty(1, heaviest)
    moments.add(d[None], np.ones(d.size) if w is None else w)
    return moments


def plain_radius(n: int, s: float, alpha: float) -> float:
    rho2 = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / 2000
    return s * math.sqrt(2 * (n * rho2 + 1) / (n**2 * rho2) * math.log(math.sqrt(n * rho2 + 1) / alpha))


def plain_deviation(x: Floats, bound: float) -> float:
    mean = math.fsum(x) / len(x)
    imaginary = [bound, -bound, bound, -bound]
    return math.sqrt((math.fsum((x - mean) ** 2) + sum(b * b for b in imaginary)) / (len(x) - 1))


def plain_contains_zero(x: Floats, bound: float, alpha: float) -> bool:
    return abs(math.fsum(x) / len(x)) <= plain_radius(len(x), plain_deviation(x, bound), alpha)


# Formulas


@pytest.mark.parametrize("alpha", [0.05, 0.025, 0.05 / 9])
@pytest.mark.parametrize("n", [400, 2000, 123_457])
def test_the_radius_is_the_plain_formula(n: int, alpha: float) -> None:
    assert sequences.radius(n, 2.5, alpha) == pytest.approx(plain_radius(n, 2.5, alpha), rel=1e-13)


def test_rho_is_the_known_number() -> None:
    assert sequences.rho(0.05) == pytest.approx(0.063, abs=5e-5)


def test_the_radius_is_about_1_6_times_a_fixed_interval() -> None:
    n = np.array([400, 1000, 2000, 5000, 20_000])
    ratio = sequences.radius(n, 1.0) / (1.96 / np.sqrt(n))
    assert np.all((ratio > 1.5) & (ratio < 1.8))


@pytest.mark.parametrize("bound", [0.0, 24.0])
def test_equal_weights_give_the_mean_and_the_radius(rng: np.random.Generator, bound: float) -> None:
    d = rng.integers(-12, 13, 731) / 2
    mean, low, high = (float(x[0]) for x in moments_of(d).interval(0.05, bound))
    r = plain_radius(731, plain_deviation(d, bound), 0.05)
    assert (mean, low, high) == pytest.approx((d.mean(), d.mean() - r, d.mean() + r), rel=1e-12)


def test_weights_give_every_d_whose_sequence_contains_zero(rng: np.random.Generator) -> None:
    d, w = rng.normal(1.0, 3.0, 900), rng.exponential(2.0, 900)
    mean, low, high = (float(x[0]) for x in moments_of(d, w).interval(0.05, 8.0))
    assert mean == pytest.approx(np.average(d, weights=w))
    for at in np.linspace(low - 1, high + 1, 201):
        assert plain_contains_zero(w * (d - at), w.max() * 8.0, 0.05) == (low <= at <= high)


def test_the_ends_are_where_the_plain_sequence_just_reaches_zero(rng: np.random.Generator) -> None:
    """Large differences in heavy worlds make the interval lopsided."""
    w = rng.exponential(size=900)
    d = w + rng.normal(size=900)
    mean, low, high = (float(x[0]) for x in moments_of(d, w).interval(0.05, 8.0))
    assert mean - low > 1.05 * (high - mean)
    for end in (low, high):
        x = w * (d - end)
        assert abs(x.mean()) == pytest.approx(plain_radius(900, plain_deviation(x, w.max() * 8.0), 0.05), rel=1e-9)


def test_zero_leaves_the_interval_when_it_leaves_the_weighted_sequence(rng: np.random.Generator) -> None:
    decided = 0
    for shift in np.linspace(-0.6, 0.6, 41):
        d, w = rng.normal(shift, 1.0, 500), rng.exponential(1.0, 500)
        _, low, high = (float(x[0]) for x in moments_of(d, w).interval(0.05, 2.0))
        assert (low <= 0 <= high) == plain_contains_zero(w * d, w.max() * 2.0, 0.05)
        decided += not low <= 0 <= high
    assert 0 < decided < 41


def test_effective_size() -> None:
    moments = moments_of(np.zeros(4), np.array([1.0, 1.0, 2.0, 0.0]))
    assert moments.worlds == 4
    assert moments.effective == pytest.approx(16 / 6)
    assert Moments.empty(1).effective == 0


# Identities


def test_constant_weights_change_nothing(rng: np.random.Generator) -> None:
    d = rng.normal(0.3, 2.0, 500)
    plain = moments_of(d).interval(0.05, 9.0)
    weighted = moments_of(d, np.full(500, 0.37)).interval(0.05, 9.0)
    assert np.array(weighted) == pytest.approx(np.array(plain), rel=1e-11)


@pytest.mark.parametrize("bound", [0.0, 10.0])
def test_no_difference_is_zero_and_never_a_sign(bound: float) -> None:
    mean, low, high = moments_of(np.zeros(5000)).interval(0.05, bound)
    assert mean == 0
    assert low == -high
    assert sequences.verdict_of_cell(low[0], high[0], 0.2) is State.WITHIN
    assert sequences.verdict_of_cell(low[0], high[0], 1e-9) is (State.WITHIN if bound == 0 else State.OPEN)


def test_swapping_the_arms_flips_signs(rng: np.random.Generator) -> None:
    d, w = rng.normal(0.3, 2.0, 500), rng.exponential(1.0, 500)
    mean, low, high = moments_of(d, w).interval(0.05, 9.0)
    swapped = moments_of(-d, w)
    assert swapped.interval(0.05, 9.0) == (-mean, -high, -low)
    assert (-swapped).interval(0.05, 9.0) == (mean, low, high)


def test_doubling_the_base_doubles_all(rng: np.random.Generator) -> None:
    d, w = rng.normal(0.3, 2.0, 500), rng.exponential(1.0, 500)
    single, double = moments_of(d, w).interval(0.05, 9.0), moments_of(2 * d, w).interval(0.05, 18.0)
    assert np.array_equal(np.array(double), 2 * np.array(single))


def test_a_shift_moves_the_interval(rng: np.random.Generator) -> None:
    d, w = rng.normal(0.3, 2.0, 500), rng.exponential(1.0, 500)
    here, there = moments_of(d, w).interval(0.05, 9.0), moments_of(d + 5, w).interval(0.05, 9.0)
    assert np.array(there) == pytest.approx(np.array(here) + 5, abs=1e-10)


def test_one_quantity_is_the_same_to_the_last_bit_among_many_and_in_any_layout(rng: np.random.Generator) -> None:
    d, w = rng.normal(0.3, 2.0, (7, 1234)), rng.exponential(1.0, 1234)
    many, turned, two = Moments.empty(7), Moments.empty(7), Moments.empty(7)
    many.add(d, w)
    turned.add(np.asfortranarray(d), np.repeat(w, 2)[::2])
    two.add(d[[5, 3]], w, np.array([5, 3]))
    assert np.array_equal(turned.totals, many.totals)
    assert np.array_equal(two.totals[:, [3, 5]], many.totals[:, [3, 5]])
    assert np.array_equal(many[3].totals, moments_of(d[3], w).totals)
    assert not two.totals[:, [0, 1, 2, 4, 6]].any()


def test_blocks_of_whole_payoffs_add_up_to_the_same_bits(rng: np.random.Generator) -> None:
    d = rng.integers(-64, 65, 3000) / 2
    blocks = Moments.empty(1)
    for part in np.split(d, [100, 101, 1700]):
        blocks.add(part[None], np.ones(part.size))
    assert np.array_equal(blocks.totals, moments_of(d).totals)


def test_a_row_taken_out_stays_as_it_was() -> None:
    moments = moments_of(np.ones(500))
    row = moments[0]
    moments.add(np.ones((1, 500)), np.ones(500))
    assert row.worlds == 500


# Where nothing can be said


def test_nothing_is_said_before_the_first_look() -> None:
    assert np.isneginf(moments_of(np.ones(399)).interval(0.05, 0.0).low)
    assert np.isfinite(moments_of(np.ones(400)).interval(0.05, 0.0).low)


def test_nothing_is_said_where_a_few_worlds_have_all_the_weight() -> None:
    w = np.full(500, 1e-3)
    w[7] = 1
    mean, low, high = moments_of(np.ones(500), w).interval(0.05, 0.0)
    assert mean == pytest.approx(1)
    assert (low, high) == (-np.inf, np.inf)


def test_nothing_is_said_without_weight() -> None:
    mean, low, high = moments_of(np.ones(500), np.zeros(500)).interval(0.05, 1.0)
    assert np.isnan(mean)
    assert (low, high) == (-np.inf, np.inf)


def test_a_stated_heaviest_weight_widens_before_it_is_seen(rng: np.random.Generator) -> None:
    d, w = rng.normal(size=600), rng.uniform(0.5, 1.5, 600)
    seen, stated = moments_of(d, w).interval(0.05, 5.0), moments_of(d, w, heaviest=6.0).interval(0.05, 5.0)
    assert stated.low < seen.low
    assert moments_of(d, w, heaviest=0.1).interval(0.05, 5.0) == seen


# Looks


def test_looks_grow_by_a_quarter_at_ends_of_blocks() -> None:
    assert sequences.schedule(400, 200, 3000) == (800, 1000, 1200, 1400, 1800, 2200, 2800, 3000)
    assert sequences.schedule(0, 1, 1000) == (400, 500, 625, 782, 978, 1000)


def test_looks_at_the_edges() -> None:
    assert sequences.schedule(400, 200, 799) == ()
    assert sequences.schedule(400, 200, 800) == (800,)
    assert sequences.schedule(400, 5000, 12_000) == (5000, 10_000, 12_000)


# Coverage: the true mean of every law is 0


def normal(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    return rng.normal(size=shape), np.ones(shape)


def skewed(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    return np.where(rng.random(shape) < 0.01, 32.0, -32 / 99), np.ones(shape)


def rarer(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    return np.where(rng.random(shape) < 0.002, -32.0, 32 / 499), np.ones(shape)


def lattice(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    return rng.choice([-2.0, 0.0, 4.0], shape, p=[0.2, 0.7, 0.1]), np.ones(shape)


def heavy(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    return np.clip(rng.standard_t(3, shape), -50, 50), np.ones(shape)


def importance(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    """Worlds drawn around 0 that are meant to lie around 1, where D is balanced."""
    x = rng.normal(size=shape)
    return x - 1 + rng.normal(size=shape), np.exp(x)


def lattice_importance(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    values, meant = np.array([-2.0, -1.0, 0.0, 8.0]), np.array([0.35, 0.2, 0.3375, 0.1125])
    drawn = rng.integers(0, 4, shape)
    return values[drawn], meant[drawn] * 4


def rare_in_heavy_worlds(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    """Pay 32 in one of a hundred worlds of the meant law, all of them where weights are heavy."""
    x = rng.normal(size=shape)
    chance = 0.01 / reference.norm.sf(1)
    return np.where((x > 2) & (rng.random(shape) < chance), 32.0, -32 / 99), np.exp(x)


LAWS: dict[str, tuple[Draw, float]] = {
    "normal": (normal, 5.0),
    "skewed": (skewed, 32.0),
    "rarer": (rarer, 32.0),
    "lattice": (lattice, 4.0),
    "heavy": (heavy, 50.0),
    "importance": (importance, 8.0),
    "lattice_importance": (lattice_importance, 8.0),
    "rare_in_heavy_worlds": (rare_in_heavy_worlds, 32.0),
}


def wrong_runs(draw: Draw, bound: float, runs: int, last: int) -> int:
    """Count runs whose interval misses the truth, 0, at any look."""
    rng = np.random.default_rng(20265)
    moments, wrong, worlds = Moments.empty(runs), np.zeros(runs, np.bool_), 0
    for look in sequences.schedule(0, BLOCK, last):
        while worlds < look:
            moments.add(*draw(rng, (runs, BLOCK)))
            worlds += BLOCK
        _, low, high = moments.interval(0.05, bound)
        wrong |= (low > 0) | (high < 0)
    return int(wrong.sum())


RUNS = 1000
TOLERATED = reference.binom.ppf(0.999, RUNS, 0.05)
"""Wrong runs that a true rate of 5% exceeds with one seed in a thousand."""


@pytest.mark.parametrize("law", LAWS)
def test_false_decisions_at_a_tie_are_rare(law: str) -> None:
    assert wrong_runs(*LAWS[law], RUNS, last=5000) <= TOLERATED


@pytest.mark.verify
@pytest.mark.parametrize("law", LAWS)
def test_false_decisions_at_a_tie_are_at_most_5_percent(law: str) -> None:
    wrong = wrong_runs(*LAWS[law], runs=4000, last=40_000)
    assert reference.binomtest(wrong, 4000).proportion_ci(0.98).high <= 0.05


@pytest.mark.parametrize("law", ["skewed", "rarer", "rare_in_heavy_worlds"])
def test_without_the_imaginary_pairs_skewed_payments_are_decided_wrongly(law: str) -> None:
    assert wrong_runs(LAWS[law][0], 0.0, RUNS, last=5000) > TOLERATED


def test_stopping_when_a_fixed_interval_leaves_zero_would_be_wrong_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequences, "radius", lambda n, s, alpha: 1.96 * s / np.sqrt(n))
    assert wrong_runs(normal, 5.0, RUNS, last=5000) > TOLERATED


# Verdicts


def cell(mean: float, n: int = 10_000, sd: float = 1.0, bound: float = 4.0) -> Cell:
    return Cell(moments_of(mean + sd * np.resize([-1.0, 1.0], n)), bound)


@pytest.mark.parametrize(
    ("low", "high", "state"),
    [
        (0.1, 2.0, State.ABOVE),
        (0.05, 0.15, State.ABOVE),
        (-2.0, -0.1, State.BELOW),
        (-0.1, 0.19, State.WITHIN),
        (-0.1, 0.2, State.OPEN),
        (-0.2, 0.1, State.OPEN),
        (0.0, 1.0, State.OPEN),
        (-1.0, 0.0, State.OPEN),
        (-math.inf, math.inf, State.OPEN),
    ],
)
def test_what_one_interval_says(low: float, high: float, state: State) -> None:
    assert sequences.verdict_of_cell(low, high, 0.2) is state


@pytest.mark.parametrize(
    ("means", "outcome", "action"),
    [
        ([0.5], Outcome.ACTION, "LIANGDAO"),
        ([0.5, 0.1], Outcome.ACTION, "LIANGDAO"),
        ([-0.5, -3.0], Outcome.ACTION, "QUIET"),
        ([0.0], Outcome.TOO_CLOSE, None),
        ([0.0, 0.1], Outcome.TOO_CLOSE, None),
        ([0.1, -0.1], Outcome.TOO_CLOSE, None),
        ([0.5, -0.5], Outcome.MODEL_DEPENDENT, None),
        ([0.5, 0.0, -0.5], Outcome.MODEL_DEPENDENT, None),
        ([0.5, -0.1], Outcome.NOT_SETTLED, None),
        ([0.5, 0.0], Outcome.NOT_SETTLED, None),
        ([0.19], Outcome.ACTION, "LIANGDAO"),
        ([0.02, 0.5], Outcome.NOT_SETTLED, None),
    ],
)
def test_verdicts_over_cells(means: list[float], outcome: Outcome, action: str | None) -> None:
    found = sequences.verdict([cell(mean) for mean in means], 0.2, "LIANGDAO", "QUIET")
    assert found[:2] == (outcome, action)
    assert (found.more_worlds == 0) == (outcome is not Outcome.NOT_SETTLED)


def test_a_dependence_on_the_model_needs_stricter_intervals() -> None:
    """At 10,000 worlds a cell's radius is about 0.031, and a thirtieth of the level makes it about 0.040."""
    near, far = cell(0.236), [cell(-1.0)] * 29
    assert near.interval()[1] > 0.2 > near.interval(30)[1]
    assert sequences.verdict([near, *far], 0.2, "a", "b").outcome is Outcome.NOT_SETTLED
    assert sequences.verdict([near, far[0]], 0.2, "a", "b").outcome is Outcome.MODEL_DEPENDENT


def test_the_cost_of_settling_is_what_it_takes() -> None:
    found = sequences.verdict([cell(0.1, n=400)], 0.2, "a", "b")
    assert found.outcome is Outcome.NOT_SETTLED
    assert found.more_worlds is not None
    enough = 400 + found.more_worlds
    assert sequences.verdict([cell(0.1, n=2 * (enough // 2) + 2)], 0.2, "a", "b").outcome is Outcome.ACTION
    before = sequences.verdict([cell(0.1, n=2 * (enough // 2) - 20)], 0.2, "a", "b")
    assert before.outcome is Outcome.NOT_SETTLED
    assert before.more_worlds is not None
    assert 0 < before.more_worlds < 30


def test_the_cost_adds_up_over_cells_and_counts_none_that_are_settled() -> None:
    one = sequences.verdict([cell(0.02, n=1000)], 0.05, "a", "b").more_worlds
    assert one is not None
    assert sequences.verdict([cell(0.02, n=1000), cell(5.0)], 0.05, "a", "b").more_worlds > one
    assert sequences.verdict([cell(0.0, n=1000), cell(0.0)], 0.05, "a", "b").more_worlds == (
        sequences.verdict([cell(0.0, n=1000)], 0.05, "a", "b").more_worlds
    )


def test_no_number_of_worlds_settles_some() -> None:
    assert sequences.verdict([cell(0.5), cell(-0.1)], 0.2, "a", "b").more_worlds is None
    assert sequences.verdict([cell(0.0)], 0.0, "a", "b").more_worlds is None
    assert sequences.verdict([Cell(Moments.empty(1), 4.0)], 0.2, "a", "b").more_worlds is None


def test_a_verdict_needs_a_cell() -> None:
    with pytest.raises(ValueError, match="cell"):
        sequences.verdict([], 0.2, "a", "b")


def test_large_libraries_stay_unloaded() -> None:
    code = "import sys, kwx_sim.contest; print({'scipy', 'pandas', 'numba'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"set()\n"
