"""Verdicts on claims: one contrast a claim and ruleset, written down before the run, judged all together.

A contrast is a figure that lies above a margin δ where the claim is right. Each cell, a claim under one ruleset, is a
test of "the figure is δ", two-sided by the normal law (a contrast rests on thousands of rounds), with Holm's
adjustment over all cells: HOLDS where it is refused and the figure lies above δ, FAILS where below, else UNCLEAR. The
chance that any verdict at all is wrong is at most α.

The intervals of m cells are Bonferroni's, each at α / m: the chance that any at all misses its figure is at most α,
wherever the figures lie. (At the level at which Holm's procedure tested a cell they miss more often: that level is safe
for the one question whether the figure is δ, and mildest for the cells nearest to it.) So the verdict of a cell may be
clear though its interval just reaches over δ, never the other way round.

FAILS comes to different things, by the interval: a loss, where it lies below −δ; no difference, where none of it does;
and where it reaches across −δ, no gain of which it is not clear whether it is a loss.

A claim as a whole HOLDS (FAILS) where it does under every ruleset. That it holds (or fails) here and is unclear there
does not make it a matter of the ruleset; DEPENDS therefore asks for two things:

1. it HOLDS under one ruleset and FAILS under another;
2. an interaction test refuses "the figure is the same under every ruleset": Cochran's Q, Σ (dᵢ − d̄)² / sᵢ² with d̄
   weighted by 1 / sᵢ² (chi-square, rulesets − 1 degrees of freedom; Holm over the claims).

Otherwise the claim is UNCLEAR. Rulesets played on the same walls have figures that rise and fall together; the test
takes them for independent, which makes differences look less certain than they are, never more. Rulesets that gave
the same data are one: they are to be handed in once, or a copy would weigh like evidence of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc, ndtr, ndtri

__all__ = [
    "COSTS",
    "DELTA",
    "DEPENDS",
    "FAILS",
    "HOLDS",
    "NOTHING",
    "PERHAPS",
    "UNCLEAR",
    "Contrast",
    "Judged",
    "Verdicts",
    "cochran_q",
    "holm",
    "judge",
    "side",
    "way_of_failing",
]

HOLDS, FAILS, UNCLEAR, DEPENDS = "HOLDS", "FAILS", "UNCLEAR", "DEPENDS"

COSTS, NOTHING, PERHAPS = "costs", "nothing", "perhaps"
"""What FAILS comes to: a loss of δ, no difference of δ, or no gain of δ while a loss of it is not ruled out."""

DELTA = 0.05
"""Bases a round: what gains less counts as nothing."""

ALPHA = 0.05


@dataclass(frozen=True)
class Contrast:
    """A claim under a ruleset as one figure, above the margin where the claim is right; n counts what it rests on."""

    claim: str
    ruleset: str
    mean: float
    se: float
    n: int


@dataclass(frozen=True)
class Judged:
    """A contrast with its verdict, Holm-adjusted p, and its simultaneous interval.

    `z` tells how many standard errors the interval reaches on either side.
    """

    contrast: Contrast
    verdict: str
    p: float
    z: float

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.contrast.mean - self.z * self.contrast.se

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.contrast.mean + self.z * self.contrast.se


@dataclass(frozen=True)
class Verdicts:
    """Every cell, in the order given; the verdict on each claim; and the adjusted p of its interaction test.

    Claims under one ruleset have no interaction.
    """

    cells: tuple[Judged, ...]
    claims: Mapping[str, str]
    interaction: Mapping[str, float]


def judge(contrasts: Sequence[Contrast], delta: float = DELTA, alpha: float = ALPHA) -> Verdicts:
    """Judge all contrasts together.

    A contrast without a figure or without a spread that is a number is UNCLEAR.

    Raises ValueError where a claim has two contrasts under one ruleset.
    """
    if len({(contrast.claim, contrast.ruleset) for contrast in contrasts}) < len(contrasts):
        raise ValueError("a claim has one contrast under a ruleset")
    mean, se = (np.array([getattr(contrast, field) for contrast in contrasts], float) for field in ("mean", "se"))
    adjusted = holm(_two_sided(mean - delta, se))
    z = float(-ndtri(alpha / 2 / max(len(contrasts), 1)))
    cells = tuple(
        Judged(contrast, _verdict(p, contrast.mean - delta, alpha), p, z)
        for contrast, p in zip(contrasts, adjusted.tolist(), strict=True)
    )
    by_claim: dict[str, list[Judged]] = {}
    for cell in cells:
        by_claim.setdefault(cell.contrast.claim, []).append(cell)
    interaction = _interactions(by_claim)
    verdicts = {claim: _of_claim(found, interaction.get(claim, 1.0) <= alpha) for claim, found in by_claim.items()}
    return Verdicts(cells, verdicts, interaction)


def side(low: float, high: float, delta: float = DELTA) -> int:
    """Tell on which side of 0 an interval lies, beyond a margin δ of it: 1, −1, or 0 where not all of it lies so."""
    return int(low > delta) - int(high < -delta)


def way_of_failing(low: float, high: float, delta: float = DELTA) -> str:
    """Tell what FAILS comes to, by the interval: COSTS, NOTHING or PERHAPS."""
    if side(low, high, delta) < 0:
        return COSTS
    return NOTHING if low >= -delta else PERHAPS


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Adjust p values by Holm's procedure: refused is what comes to α or less."""
    values = np.asarray(p, float)
    order = np.argsort(values, kind="stable")
    left = len(values) - np.arange(len(values))
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * left), 1.0)
    return adjusted


def cochran_q(mean: ArrayLike, se: ArrayLike) -> tuple[float, float]:
    """Give Cochran's Q of figures that are independent, and its p by chi-square."""
    figures, spreads = np.asarray(mean, float), np.asarray(se, float)
    weights = 1 / spreads**2
    centre = (weights * figures).sum() / weights.sum()
    q = float((weights * (figures - centre) ** 2).sum())
    return q, float(chdtrc(len(figures) - 1, q))


def _two_sided(distance: NDArray[np.float64], se: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * ndtr(-np.abs(distance / se))
    return np.where(np.isnan(p), 1.0, p)


def _verdict(p: float, distance: float, alpha: float) -> str:
    if p > alpha:
        return UNCLEAR
    return HOLDS if distance > 0 else FAILS


def _interactions(by_claim: Mapping[str, Sequence[Judged]]) -> dict[str, float]:
    """Cochran's Q of each claim that has figures under several rulesets, p adjusted over the claims."""
    found = {}
    for claim, cells in by_claim.items():
        varied = [cell.contrast for cell in cells if cell.contrast.se > 0 and np.isfinite(cell.contrast.mean)]
        if len(varied) > 1:
            found[claim] = cochran_q([one.mean for one in varied], [one.se for one in varied])[1]
    adjusted = holm(list(found.values()))
    return dict(zip(found, adjusted.tolist(), strict=True))


def _of_claim(cells: Sequence[Judged], differs: bool) -> str:
    verdicts = {cell.verdict for cell in cells}
    if len(verdicts) == 1:
        return verdicts.pop()
    return DEPENDS if differs and verdicts >= {HOLDS, FAILS} else UNCLEAR
