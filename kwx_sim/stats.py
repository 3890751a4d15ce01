"""Means, shares and their intervals, from integer sums over rounds.

Rounds are independent of each other (in a series the last round says who deals the next, but where all seats play alike
that only renames them); what happens within one is not: three seats, two winners, many discards. So a round is one
cluster: kernels add up a round's own totals first, then the products of those totals, and nothing here assumes more.
Sums are exact integers however many workers added them; floats appear in this file, once, at the end.

Every function works on whole arrays of cells at once. A cell without data gives NaN.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

__all__ = ["CONFIDENCE", "Estimates", "jackknife", "proportion", "ratio", "ratio_difference", "wilson"]

CONFIDENCE = 0.95

Floats = NDArray[np.float64]


class Estimates(NamedTuple):
    """Figures with their standard errors and two-sided intervals, all float64 of one shape."""

    mean: Floats
    se: Floats
    ci_low: Floats
    ci_high: Floats


def wilson(successes: ArrayLike, trials: ArrayLike, confidence: float = CONFIDENCE) -> Estimates:
    """Give a proportion of independent trials, at most one a round, with Wilson's interval.

    The interval has a width also where all or none succeeded. `trials` need not be whole: see `proportion`.
    """
    k, n = _floats(successes, trials)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = k / n
        se = np.sqrt(p * (1 - p) / n)
        z2 = ndtri((1 + confidence) / 2) ** 2
        centre = (p + z2 / (2 * n)) / (1 + z2 / n)
        half = np.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    # At the ends rounding would leave the interval a last digit short of its own estimate.
    return Estimates(p, se, np.where(p == 0, 0.0, centre - half), np.where(p == 1, 1.0, centre + half))


def ratio(
    total: ArrayLike, n: ArrayLike, total2: ArrayLike, total_n: ArrayLike, n2: ArrayLike, confidence: float = CONFIDENCE
) -> Estimates:
    """Give a mean per event, events clustered in rounds: the ratio S/N of two sums over rounds, by the delta method.

    With s and n a round's own sum and number of events, the arguments are Σs, Σn, Σs², Σsn and Σn². The interval is
    Student's, on as many clusters as Σn and Σn² are worth ((Σn)²/Σn²). With one event in every round this is the plain
    mean and its t interval; for a paired difference s is the difference.
    """
    s, count, ss, sn, nn = _floats(total, n, total2, total_n, n2)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = s / count
        variance = (ss - 2 * value * sn + value**2 * nn) / count**2
        return _student(value, variance, count**2 / nn, confidence)


def proportion(
    total: ArrayLike, n: ArrayLike, total2: ArrayLike, total_n: ArrayLike, n2: ArrayLike, confidence: float = CONFIDENCE
) -> Estimates:
    """Give a share of events, events clustered in rounds; arguments as for `ratio`, with 0 <= s <= n in every round.

    Wilson's interval on the number of independent trials that would vary as much as the clusters do; where all or none
    of the events count, on the number of clusters.
    """
    around = ratio(total, n, total2, total_n, n2, confidence)
    count, nn = _floats(n, n2)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = around.mean * (1 - around.mean)
        trials = np.where((spread > 0) & (around.se > 0), spread / around.se**2, count**2 / nn)
    interval = wilson(around.mean * trials, trials, confidence)
    return Estimates(around.mean, around.se, interval.ci_low, interval.ci_high)


def ratio_difference(sums: ArrayLike, products: ArrayLike, confidence: float = CONFIDENCE) -> Estimates:
    """Give the difference of two means per event, S/N − T/M, which may share rounds.

    Parameters
    ----------
    sums : (..., 4), the sums over rounds of s, n, t, m
    products : (..., 4, 4), the sums over rounds of their products
    """
    total, cross = _floats(sums, products)
    s, n, t, m = np.moveaxis(total, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = s / n, t / m
        gradient = np.stack([1 / n, -first / n, -1 / m, second / m], axis=-1)
        variance = np.einsum("...i,...ij,...j", gradient, cross, gradient)
        clusters = np.minimum(n**2 / cross[..., 1, 1], m**2 / cross[..., 3, 3])
        return _student(first - second, variance, clusters, confidence)


def jackknife(groups: ArrayLike, statistic: Callable[[Floats], Floats], confidence: float = CONFIDENCE) -> Estimates:
    """Give a statistic of sums with the interval of the delete-a-group jackknife, for what has no short delta method.

    A share of variance would need fourth powers of payments, which overflow; sums in a few dozen groups do not.

    Parameters
    ----------
    groups : (G, d), sums over each of G random groups of rounds of about equal size
    statistic : from sums (..., d) to (...)
    """
    sums = np.asarray(groups, np.float64)
    size = sums.shape[0]
    whole = sums.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.asarray(statistic(whole), np.float64)
        left_out = statistic(whole - sums)
        variance = (size - 1) / size * ((left_out - left_out.mean()) ** 2).sum()
    half = stdtrit(size - 1, (1 + confidence) / 2) * np.sqrt(variance)
    return Estimates(value, np.sqrt(variance), value - half, value + half)


def _student(value: Floats, variance: Floats, clusters: Floats, confidence: float) -> Estimates:
    """Correct the variance for the estimated mean and build Student's interval; one cluster has none."""
    freedom = np.where(clusters > 1.5, clusters - 1, np.nan)
    # Rounding may leave a variance of zero a hair below it.
    se = np.sqrt(np.maximum(variance, 0.0) * clusters / freedom)
    half = stdtrit(freedom, (1 + confidence) / 2) * se
    return Estimates(value, se, value - half, value + half)


def _floats(*arrays: ArrayLike) -> tuple[Floats, ...]:
    return tuple(np.asarray(array, np.float64) for array in arrays)
