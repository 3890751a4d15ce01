"""Contests against plain least squares and plain formulas, at ties and with clear losers, with controls and weights."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats as reference

from kwx_sim.contest import Contest, Standing, coefficients
from kwx_sim.sequences import radius, schedule

Floats = NDArray[np.float64]

BLOCK = 200


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20266)


def worlds(rng: np.random.Generator, k: int, arms: int, controls: int = 2) -> tuple[Floats, Floats]:
    """Payoffs that share a world's luck, with controls that name part of each arm's own."""
    luck = rng.normal(size=(k, arms, controls))
    y = rng.normal(size=(k, 1)) + luck.sum(-1) + rng.normal(size=(k, arms)) + 0.1 * np.arange(arms)
    return y, luck


def added(contest: Contest, y: Floats, controls: Floats | None = None, w: Floats | None = None) -> Standing:
    for first in range(0, len(y), BLOCK):
        part = slice(first, first + BLOCK)
        contest.add(y[part], None if controls is None else controls[part], None if w is None else w[part])
    return contest.look()


def plain_fit(d: Floats, c: Floats, w: Floats) -> Floats:
    """Weighted least squares with an intercept."""
    design = np.column_stack([np.ones(len(d)), c]) * w[:, None]
    return np.linalg.lstsq(design, d * w, rcond=None)[0][1:]


def plain_interval(d: Floats, bound: float, alpha: float) -> tuple[float, float, float]:
    s = math.sqrt((((d - d.mean()) ** 2).sum() + 4 * bound**2) / (len(d) - 1))
    r = float(radius(len(d), s, alpha))
    return d.mean(), d.mean() - r, d.mean() + r


# Formulas


def test_pairs_and_arms_are_the_plain_formulas(rng: np.random.Generator) -> None:
    """The pilot ends within a block; everything after it counts, nothing before."""
    y, c = worlds(rng, 2000, 3)
    found = added(Contest(3, 20.0, pilot=450), y, c)
    assert found.worlds == 1550
    after, ones = slice(450, None), np.ones(450)
    for a, b in [(0, 1), (0, 2), (1, 2)]:
        d, both = y[:, a] - y[:, b], np.column_stack([c[:, a], c[:, b]])
        adjusted = d - both @ plain_fit(d[:450], both[:450], ones)
        for figures, x in ((found.differences.raw, d), (found.differences.adjusted, adjusted)):
            known = plain_interval(x[after], 20.0, 0.025)
            assert [float(f[a, b]) for f in figures] == pytest.approx(known, rel=1e-9)
            assert [float(f[b, a]) for f in figures] == pytest.approx([-known[0], -known[2], -known[1]], rel=1e-9)
        assert found.differences.gain[a, b] == pytest.approx(d[after].var() / adjusted[after].var())
    for a in range(3):
        adjusted = y[:, a] - c[:, a] @ plain_fit(y[:450, a], c[:450, a], ones)
        known = plain_interval(adjusted[after], 20.0, 0.05)
        assert [float(f[a]) for f in found.means.adjusted] == pytest.approx(known, rel=1e-9)
        assert found.means.raw.mean[a] == pytest.approx(y[after, a].mean())


def test_weights_enter_the_fit_and_the_means(rng: np.random.Generator) -> None:
    y, c = worlds(rng, 2000, 2)
    w = rng.exponential(size=2000)
    found = added(Contest(2, 20.0), y, c, w)
    d, both = y[:, 0] - y[:, 1], np.column_stack([c[:, 0], c[:, 1]])
    adjusted = d - both @ plain_fit(d[:400], both[:400], w[:400])
    assert found.differences.adjusted.mean[0, 1] == pytest.approx(np.average(adjusted[400:], weights=w[400:]))
    assert found.effective == pytest.approx(np.full(2, w[400:].sum() ** 2 / (w[400:] ** 2).sum()))


def test_a_stated_heaviest_weight_reaches_every_sequence(rng: np.random.Generator) -> None:
    y, _ = worlds(rng, 1000, 2)
    seen, stated = added(Contest(2, 20.0, pilot=0), y), added(Contest(2, 20.0, pilot=0, heaviest=3.0), y)
    tripled = added(Contest(2, 60.0, pilot=0), y)
    assert stated.differences.raw.low[0, 1] == tripled.differences.raw.low[0, 1] < seen.differences.raw.low[0, 1]
    assert np.array_equal(stated.means.adjusted.low, tripled.means.adjusted.low)


def test_the_diagonal_is_zero_and_its_gain_one(rng: np.random.Generator) -> None:
    found = added(Contest(3, 20.0), *worlds(rng, 1000, 3)).differences
    for interval in (found.raw, found.adjusted):
        assert not any(np.diagonal(figure).any() for figure in interval)
    assert np.array_equal(np.diagonal(found.gain), np.ones(3))


def test_each_pair_has_its_own_bound(rng: np.random.Generator) -> None:
    y, _ = worlds(rng, 1000, 2)
    found = added(Contest(2, [[30.0, 40.0], [40.0, 60.0]], pilot=0), y)
    assert found.differences.raw.low[0, 1] == pytest.approx(plain_interval(y[:, 0] - y[:, 1], 40.0, 0.05)[1])
    own = [plain_interval(y[:, arm], bound, 0.05)[1] for arm, bound in enumerate((30.0, 60.0))]
    assert found.means.raw.low == pytest.approx(own)


# Identities


def test_weights_of_one_are_no_weights(rng: np.random.Generator) -> None:
    y, c = worlds(rng, 1500, 3)
    assert same(added(Contest(3, 20.0), y, c), added(Contest(3, 20.0), y, c, np.ones(1500)))


def test_equal_arms_differ_by_zero_and_neither_is_dropped(rng: np.random.Generator) -> None:
    y, c = worlds(rng, 5000, 1)
    found = added(Contest(2, 0.0), y.repeat(2, axis=1), c.repeat(2, axis=1))
    assert not np.any(found.differences.adjusted)
    assert found.still_in.all()
    assert found.settled(0.01)


def test_swapping_arms_swaps_everything(rng: np.random.Generator) -> None:
    y, c = worlds(rng, 1500, 2)
    here, there = added(Contest(2, 20.0), y, c), added(Contest(2, 20.0), y[:, ::-1], c[:, ::-1])
    for one, other in zip(here.differences, there.differences, strict=True):
        assert np.array(one) == pytest.approx(np.array(other)[..., ::-1, ::-1], abs=1e-12)
    assert np.array(here.means.adjusted) == pytest.approx(np.array(there.means.adjusted)[:, ::-1], abs=1e-12)


def test_doubling_the_base_doubles_all(rng: np.random.Generator) -> None:
    y, c = worlds(rng, 1500, 3)
    single, double = added(Contest(3, 20.0), y, c), added(Contest(3, 40.0), 2 * y, c)
    assert np.array_equal(np.array(double.differences.adjusted), 2 * np.array(single.differences.adjusted))
    assert np.array_equal(np.array(double.means.adjusted), 2 * np.array(single.means.adjusted))
    assert np.array_equal(double.differences.gain, single.differences.gain)


def test_the_same_blocks_give_the_same_bits(rng: np.random.Generator) -> None:
    y, c = worlds(rng, 1500, 3)
    turned = np.asfortranarray(y), np.asfortranarray(c)
    assert same(added(Contest(3, 20.0), y, c), added(Contest(3, 20.0), *turned))


def same(one: Standing, other: Standing) -> bool:
    arrays = zip(leaves(one), leaves(other), strict=True)
    return all(np.array_equal(a, b, equal_nan=True) for a, b in arrays)


def leaves(figures: object) -> list[object]:
    return [leaf for part in figures for leaf in leaves(part)] if isinstance(figures, tuple) else [figures]


def test_a_look_changes_nothing_when_taken_again(rng: np.random.Generator) -> None:
    contest = Contest(3, 20.0)
    assert same(added(contest, *worlds(rng, 3000, 3)), contest.look())


def test_a_cell_is_the_pair_either_way_round(rng: np.random.Generator) -> None:
    contest = Contest(3, 20.0)
    found = added(contest, *worlds(rng, 1500, 3)).differences.adjusted
    for a, b in [(0, 1), (1, 0), (2, 0), (1, 2)]:
        assert contest.cell(a, b).interval() == tuple(float(figure[a, b]) for figure in found)
    with pytest.raises(ValueError, match="itself"):
        contest.cell(1, 1)


def test_a_single_arm_has_a_mean_and_nobody_to_beat(rng: np.random.Generator) -> None:
    y, c = worlds(rng, 1500, 1)
    found = added(Contest(1, 20.0), y, c)
    assert (found.leader, found.settled(0.0)) == (0, True)
    assert found.differences.raw.mean.shape == (1, 1)
    assert found.means.raw.mean == pytest.approx(y[400:].mean())


# Controls and their pilot


def test_controls_leave_the_mean_and_take_variance(rng: np.random.Generator) -> None:
    raw, adjusted, gains = [], [], []
    for _ in range(200):
        differences = added(Contest(2, 20.0, pilot=200), *worlds(rng, 700, 2)).differences
        raw.append(differences.raw.mean[1, 0])
        adjusted.append(differences.adjusted.mean[1, 0])
        gains.append(differences.gain[1, 0])
    assert np.mean(adjusted) == pytest.approx(0.1, abs=4 * reference.sem(adjusted))
    assert np.std(adjusted) < 0.75 * np.std(raw)
    # Four units of luck out of six of variance are named by the controls.
    assert np.mean(gains) == pytest.approx(3.0, rel=0.1)


def test_a_pilot_used_again_would_bias(rng: np.random.Generator) -> None:
    """D is a curved function of a skewed control: its coefficient follows the luck of the worlds it is fitted on."""
    luck = rng.exponential(size=(4000, 40)) - 1
    d = luck**2 - 1
    beta = coefficients(d[:, :20], luck[None, :, :20], np.ones(20))[0]
    reused = d[:, :20].mean(axis=1) - beta * luck[:, :20].mean(axis=1)
    assert abs(reused.mean()) > 6 * reference.sem(reused)
    fresh = []
    for run in range(1000):
        contest = Contest(2, 1.0, pilot=20)
        contest.add(np.column_stack([d[run], np.zeros(40)]), np.column_stack([luck[run], np.zeros(40)])[:, :, None])
        fresh.append(contest.look().differences.adjusted.mean[0, 1])
    assert abs(np.mean(fresh)) < 4 * reference.sem(fresh)


def test_nothing_of_the_pilot_is_left_but_its_coefficients(rng: np.random.Generator) -> None:
    y, c = worlds(rng, 1500, 2)
    before = added(Contest(2, 20.0), y, c)
    y[:400] = 2 * y[:400] + 1000
    after = added(Contest(2, 20.0), y, c)
    assert not np.array_equal(np.array(after.differences.adjusted), np.array(before.differences.adjusted))
    assert np.array_equal(np.array(after.differences.raw), np.array(before.differences.raw))
    assert np.array_equal(np.array(after.means.raw), np.array(before.means.raw))
    assert added(Contest(2, 20.0), y).worlds == before.worlds == 1100


def test_the_pilot_may_span_blocks_and_end_anywhere(rng: np.random.Generator) -> None:
    y, c = worlds(rng, 1200, 2)
    once = Contest(2, 20.0, pilot=333)
    once.add(y, c)
    found = once.look().differences
    blocks = added(Contest(2, 20.0, pilot=333), y, c).differences
    assert np.array(blocks.adjusted) == pytest.approx(np.array(found.adjusted), rel=1e-12)


def test_without_a_pilot_nothing_is_adjusted(rng: np.random.Generator) -> None:
    y, c = worlds(rng, 1000, 2)
    found = added(Contest(2, 20.0, pilot=0), y, c).differences
    assert np.array_equal(np.array(found.adjusted), np.array(found.raw))
    assert np.array_equal(found.gain, np.ones((2, 2)))


def test_during_the_pilot_nothing_is_known(rng: np.random.Generator) -> None:
    found = added(Contest(2, 20.0), *worlds(rng, 399, 2))
    assert found.worlds == 0
    assert np.isnan(found.means.raw.mean).all()
    assert np.isneginf(found.means.raw.low).all()
    assert not found.settled(1e9)


def test_controls_that_do_not_vary_get_nothing() -> None:
    d = np.arange(10.0)[None]
    constant = np.full((1, 1, 10), 0.1)
    assert not coefficients(d, constant, np.ones(10)).any()
    assert not coefficients(d, np.zeros((3, 1, 10)), np.ones(10)).any()
    assert not coefficients(d, np.arange(10.0)[None, None], np.zeros(10)).any()


def test_worlds_that_count_for_too_few_fit_nothing(rng: np.random.Generator) -> None:
    """Three controls, and worlds worth 14.3 and 15.4 of one weight: five for each are asked for."""
    luck = rng.normal(size=(3, 1, 400))
    d = luck.sum(axis=0)
    few, enough = np.full(400, 0.001), np.full(400, 0.001)
    few[:14] = enough[:15] = 1.0
    assert not coefficients(d, luck, few).any()
    assert coefficients(d, luck, enough).ravel() == pytest.approx([1, 1, 1])


def test_copies_of_a_control_share_its_coefficient(rng: np.random.Generator) -> None:
    luck = rng.normal(size=(1, 1, 300))
    d = 3 * luck[0] + rng.normal(size=(1, 300))
    one = coefficients(d, luck, np.ones(300))[0, 0]
    two = coefficients(d, np.concatenate([luck, luck]), np.ones(300))[:, 0]
    opposite = coefficients(d, np.concatenate([luck, -2 * luck]), np.ones(300))[:, 0]
    assert two == pytest.approx([one / 2, one / 2])
    assert opposite @ [1, -2] == pytest.approx(one)


# Ties, at every look of the schedule


def skewed_arms(rng: np.random.Generator, k: int, arms: int) -> Floats:
    """Each arm is paid 32 in one of a hundred worlds, half of them the same for all."""
    shared = rng.random((k, 1)) < 0.005
    own = rng.random((k, arms)) < 0.005 / 0.995
    return np.where(shared | own, 32.0, -32 / 99)


def skewed_with_controls(rng: np.random.Generator, k: int, arms: int) -> tuple[Floats, Floats]:
    """A control that knows part of who is paid."""
    y = skewed_arms(rng, k, arms)
    known = rng.random(y.shape) < 0.5
    return y, np.where(known & (y > 0), 0.995, -0.005)[:, :, None]


def wrong_contests(runs: int, last: int, arms: int, weighted: bool) -> int:
    """Count contests of equal arms in which the first ever beat or lost to one; any with a winner is among them."""
    rng, wrong = np.random.default_rng(20267), 0
    for _ in range(runs):
        contest, decided, played = Contest(arms, 32.0), False, 0
        for look in schedule(contest.pilot, BLOCK, last):
            while played < look:
                w = rng.choice([0.25, 1.0, 4.0], BLOCK) if weighted else None
                contest.add(*skewed_with_controls(rng, BLOCK, arms), w)
                played += BLOCK
            first = contest.look().differences.adjusted
            decided |= bool(np.any(first.low[0] > 0) or np.any(first.high[0] < 0))
        wrong += decided
    return wrong


@pytest.mark.parametrize(("arms", "weighted"), [(2, False), (2, True), (4, False)])
def test_false_decisions_about_an_arm_are_rare_whatever_their_number(arms: int, weighted: bool) -> None:
    assert wrong_contests(200, 4000, arms, weighted) <= reference.binom.ppf(0.999, 200, 0.05)


@pytest.mark.verify
@pytest.mark.parametrize(("arms", "weighted"), [(2, False), (2, True), (4, False), (4, True), (7, False)])
def test_false_decisions_about_an_arm_are_at_most_5_percent(arms: int, weighted: bool) -> None:
    wrong = wrong_contests(2000, 10_000, arms, weighted)
    assert reference.binomtest(wrong, 2000).proportion_ci(0.98).high <= 0.05


# Dropping


def test_a_worse_arm_is_dropped_early_and_stays_dropped(rng: np.random.Generator) -> None:
    """After it was dropped the third arm would win everything, and its payoffs are not looked at."""
    contest = Contest(3, 10.0, pilot=0)
    y, _ = worlds(rng, 600, 3)
    y[:, 2] -= 3
    early = added(contest, y)
    assert early.dropped_by.tolist() in ([-1, -1, 0], [-1, -1, 1])
    later, _ = worlds(rng, 4000, 3)
    later[:, 2] = np.resize([np.nan, 1e9], 4000)
    found = added(contest, later)
    assert found.dropped_by[2] == early.dropped_by[2]
    assert found.leader != 2
    assert found.counted.tolist() == [4600, 4600, 600]
    assert found.differences.adjusted.mean[0, 2] == (y[:, 0] - y[:, 2]).mean()
    assert found.means.raw.mean[2] == pytest.approx(y[:, 2].mean())
    assert found.differences.adjusted.low[1, 2] == early.differences.adjusted.low[1, 2]
    assert abs(found.differences.adjusted.low[1, 0]) < abs(early.differences.adjusted.low[1, 0])


def test_the_last_arm_standing_goes_on_alone(rng: np.random.Generator) -> None:
    contest = Contest(3, 10.0, pilot=0)
    y, _ = worlds(rng, 1000, 3)
    found = added(contest, y + np.array([0, 5, 2]))
    assert found.still_in.tolist() == [False, True, False]
    assert (found.leader, found.settled(0.0)) == (1, True)
    assert added(contest, np.full((200, 3), [np.nan, 1.0, np.nan])).counted.tolist() == [1000, 1200, 1000]


def test_a_better_arm_is_found_and_a_close_one_kept(rng: np.random.Generator) -> None:
    y = rng.normal([0.0, 1.0, 1.0, -1.0], size=(4000, 4))
    found = added(Contest(4, 10.0, pilot=0), y)
    assert found.still_in.tolist() == [False, True, True, False]
    assert set(found.dropped_by[[0, 3]]) <= {1, 2}
    assert found.leader == 1 + int(y[:, 2].mean() > y[:, 1].mean())
    assert found.settled(0.5)
    assert not found.settled(0.01)


def test_arms_that_beat_each_other_in_a_ring_all_stay(rng: np.random.Generator) -> None:
    """Pairs have coefficients of their own, so controls that are not fair may say that 0 > 1 > 2 > 0."""
    contest = Contest(3, 0.1)
    luck = rng.normal(size=(400, 3))
    contest.add(-np.roll(luck, -1, axis=1), luck[:, :, None])
    contest.add(np.zeros((500, 3)), np.ones((500, 3, 1)))
    found = contest.look()
    assert np.all(found.differences.adjusted.low[[0, 1, 2], [1, 2, 0]] > 0)
    assert found.still_in.all()


# What is refused


@pytest.mark.parametrize("arms", [0, -1])
def test_a_contest_needs_an_arm(arms: int) -> None:
    with pytest.raises(ValueError, match="arm"):
        Contest(arms, 1.0)


@pytest.mark.parametrize("bound", [-1.0, np.nan, np.inf, [[1.0, 2.0], [3.0, 1.0]]])
def test_bounds_that_cannot_be(bound: object) -> None:
    with pytest.raises(ValueError, match="largest difference"):
        Contest(2, bound)


@pytest.mark.parametrize(
    ("y", "controls", "w"),
    [
        (np.zeros((5, 3)), None, None),
        (np.zeros(5), None, None),
        (np.zeros((5, 2)), np.zeros((5, 3, 1)), None),
        (np.zeros((5, 2)), np.zeros((5, 2)), None),
        (np.full((5, 2), np.nan), None, None),
        (np.zeros((5, 2)), np.full((5, 2, 1), np.inf), None),
        (np.zeros((5, 2)), None, np.ones(4)),
        (np.zeros((5, 2)), None, np.full(5, -1.0)),
        (np.zeros((5, 2)), None, np.full(5, np.nan)),
    ],
)
def test_blocks_that_do_not_fit(y: Floats, controls: Floats | None, w: Floats | None) -> None:
    with pytest.raises(ValueError, match=r"fit|weights|not a number"):
        Contest(2, 1.0).add(y, controls, w)
