"""Intervals against known formulas, and against the truth: seeded simulations of how often they cover it."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats as reference

from kwx_sim import stats


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261)


def five_sums(s: NDArray[np.int64], n: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """Rounds are the last axis."""
    return s.sum(-1), n.sum(-1), (s * s).sum(-1), (s * n).sum(-1), (n * n).sum(-1)


def products(*variables: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    x = np.stack(variables, axis=-1)
    return x.sum(-2), np.swapaxes(x, -1, -2) @ x


def coverage(found: stats.Estimates, truth: float) -> float:
    return float(np.mean((found.ci_low <= truth) & (truth <= found.ci_high)))


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 10), (10, 10), (1, 4000), (2000, 4000)])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_wilson_is_scipys(k: int, n: int, confidence: float) -> None:
    found = stats.wilson(k, n, confidence)
    known = reference.binomtest(k, n).proportion_ci(confidence, method="wilson")
    assert found.mean == k / n
    assert (found.ci_low, found.ci_high) == pytest.approx((known.low, known.high), abs=1e-12)
    assert found.ci_low < found.ci_high


def test_one_event_in_every_round_is_the_plain_mean(rng: np.random.Generator) -> None:
    x = rng.integers(-20, 60, 37)
    found = stats.ratio(*five_sums(x, np.ones_like(x)))
    known = reference.ttest_1samp(x, 0).confidence_interval(0.95)
    assert found.mean == pytest.approx(x.mean())
    assert found.se == pytest.approx(reference.sem(x))
    assert (found.ci_low, found.ci_high) == pytest.approx((known.low, known.high))


def test_a_paired_difference_is_scipys(rng: np.random.Generator) -> None:
    a, b = rng.integers(0, 9, (2, 50))
    found = stats.ratio(*five_sums(a - b, np.ones_like(a)))
    known = reference.ttest_rel(a, b).confidence_interval(0.95)
    assert (found.ci_low, found.ci_high) == pytest.approx((known.low, known.high))


def test_copies_within_a_round_add_no_precision(rng: np.random.Generator) -> None:
    x = rng.integers(0, 9, 80)
    one = stats.ratio(*five_sums(x, np.ones_like(x)))
    three = stats.ratio(*five_sums(3 * x, np.full_like(x, 3)))
    assert three == pytest.approx(one)


def test_a_single_round_has_a_mean_and_no_interval() -> None:
    found = stats.ratio(7, 1, 49, 7, 1)
    assert found.mean == 7
    assert np.isnan([found.se, found.ci_low, found.ci_high]).all()


def test_an_empty_cell_is_nan() -> None:
    assert np.isnan(stats.ratio(0, 0, 0, 0, 0)).all()
    assert np.isnan(stats.proportion(0, 0, 0, 0, 0)).all()
    assert np.isnan(stats.wilson(0, 0)).all()


def test_a_proportion_of_single_trials_is_wilsons(rng: np.random.Generator) -> None:
    hit = (rng.random(4000) < 0.3).astype(np.int64)
    found = stats.proportion(*five_sums(hit, np.ones_like(hit)))
    known = stats.wilson(hit.sum(), hit.size)
    assert np.array(found[2:]) == pytest.approx(np.array(known[2:]), rel=1e-3)


@pytest.mark.parametrize("all_or_none", [0, 1])
def test_a_proportion_has_a_width_at_its_ends(all_or_none: int) -> None:
    n = np.array([1, 2, 3, 1])
    found = stats.proportion(*five_sums(all_or_none * n, n))
    assert found.mean == all_or_none
    assert found.ci_high - found.ci_low > 0.3
    assert (found.ci_low if all_or_none == 0 else found.ci_high) == all_or_none


def test_a_difference_of_ratios_without_common_rounds_adds_variances(rng: np.random.Generator) -> None:
    s, t = rng.integers(0, 30, (2, 500))
    in_first = (rng.random(500) < 0.4).astype(np.int64)
    first, second = s * in_first, t * (1 - in_first)
    a = stats.ratio(*five_sums(first, in_first))
    b = stats.ratio(*five_sums(second, 1 - in_first))
    found = stats.ratio_difference(*products(first, in_first, second, 1 - in_first))
    assert found.mean == pytest.approx(a.mean - b.mean)
    assert found.se == pytest.approx(np.hypot(a.se, b.se), rel=5e-3)


# Coverage: 4,000 samples of a nominal 95%; four standard errors of that estimate are 1.4%.
SAMPLES, ROUNDS = 4000, 400
CLOSE = pytest.approx(0.95, abs=0.014)


def test_ratio_covers_a_clustered_mean(rng: np.random.Generator) -> None:
    n = rng.integers(0, 4, (SAMPLES, ROUNDS))
    common = rng.normal(0, 3, (SAMPLES, ROUNDS))  # what the events of a round share
    s = np.rint(n * common + 5 * n + rng.normal(0, 2, n.shape) * (n > 0)).astype(np.int64)
    assert coverage(stats.ratio(*five_sums(s, n)), 5.0) == CLOSE


def test_proportion_covers_a_clustered_share(rng: np.random.Generator) -> None:
    n = rng.integers(0, 4, (SAMPLES, ROUNDS))
    p = rng.beta(1, 4, (SAMPLES, ROUNDS))  # rounds differ: mean 0.2
    assert coverage(stats.proportion(*five_sums(rng.binomial(n, p), n)), 0.2) == CLOSE


def test_proportion_covers_a_rare_share(rng: np.random.Generator) -> None:
    n = rng.integers(1, 4, (SAMPLES, ROUNDS))
    found = stats.proportion(*five_sums(rng.binomial(n, 0.004), n))
    assert 0.93 < coverage(found, 0.004) < 0.99


def test_ratio_difference_covers(rng: np.random.Generator) -> None:
    n, m = rng.integers(0, 3, (2, SAMPLES, ROUNDS))
    common = rng.integers(0, 6, (SAMPLES, ROUNDS))
    found = stats.ratio_difference(*products(n * (common + 2), n, m * common, m))
    assert coverage(found, 2.0) == CLOSE


def test_jackknife_covers_a_share_of_variance(rng: np.random.Generator) -> None:
    part = rng.integers(0, 11, (SAMPLES, 64, 16))
    total = part + rng.geometric(0.1, part.shape)
    sums = np.stack(
        [np.full(part.shape[:2], 16), part.sum(-1), total.sum(-1), (part * total).sum(-1), (total**2).sum(-1)], -1
    )

    def share(x: NDArray[np.float64]) -> NDArray[np.float64]:
        n, a, b, ab, bb = np.moveaxis(x, -1, 0)
        return (ab - a * b / n) / (bb - b * b / n)

    found = [stats.jackknife(sample, share) for sample in sums]
    inside = [e.ci_low <= 10 / 100 <= e.ci_high for e in found]  # Var(part) = 10, Var(geometric) = 90
    assert np.mean(inside) == pytest.approx(0.95, abs=0.02)
