"""What became of every claim: the contrasts that are judged, the verdicts on them, and what was explored beside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.special import ndtr
from scipy.stats import false_discovery_control

from kwx_sim.findings.claims.beside import BESIDE
from kwx_sim.findings.claims.deals import Datum, Deals, Found, Z
from kwx_sim.findings.claims.registry import Claim
from kwx_sim.findings.claims.samples import MEASURES, Sample
from kwx_sim.report.verdicts import DELTA, UNCLEAR, Contrast, Judged, judge
from kwx_sim.rules import PRESETS

__all__ = ["BESIDE_IT", "COUNTED", "FEWEST_JUDGED", "NOT_TESTED", "RULESET", "Explored", "Finding", "Results", "find"]

ALPHA = 0.05
FEWEST = 30
"""A figure of fewer data is left out of what is explored."""

FEWEST_JUDGED = 100
"""A contrast of fewer data is not judged: what is paid is skewed, and the tests go by the normal law."""

COUNTED = ("share", "loser")
"""Units of figures that are never below 0: they have no sign, and nobody asks whether they are 0."""

NOT_TESTED = "NOT_TESTED"
"""Stands for the verdict on a claim that has no test."""

RULESET, BESIDE_IT = "ruleset", "beside"
"""Factors that are no field of a contrast and no label of a sample."""

BINS = {"turn": (1, 4, 7, 10), "live": (0, 1, 3, 5), "kinds": (1, 2, 3), "fan": (1, 2, 4, 8)}
"""Where the groups of a factor begin."""


@dataclass(frozen=True)
class Finding:
    """A claim's contrast under one ruleset and what was judged of it.

    Attributes
    ----------
    found : with its own 95% interval
    p : adjusted for all contrasts
    low, high : the simultaneous interval, by which the verdict was given; NaN where there are too few data
    """

    claim: Claim
    ruleset: str
    found: Found
    p: float = 1.0
    verdict: str = UNCLEAR
    low: float = float("nan")
    high: float = float("nan")

    @property
    def few(self) -> bool:
        """Whether there are too few data to judge it by."""
        return self.found.n < FEWEST_JUDGED


@dataclass(frozen=True)
class Explored:
    """A figure that was not written down beforehand.

    Attributes
    ----------
    factor, level : what it was looked at by, and the group: see `claims.toml`
    q : adjusted for all that was explored (Benjamini–Hochberg); NaN where nobody asks whether the figure is 0
    """

    claim: Claim
    ruleset: str
    factor: str
    level: str
    unit: str
    found: Found
    q: float = float("nan")

    @property
    def asked(self) -> bool:
        """Whether it is asked if the figure is 0: not beside a claim, nor of what cannot be below 0."""
        return self.factor != BESIDE_IT and self.unit not in COUNTED

    @property
    def clear(self) -> bool:
        """Whether it differs from 0."""
        return self.q < ALPHA


@dataclass(frozen=True)
class Results:
    """All that was found; `verdicts` by claim, over its rulesets."""

    tested: tuple[Finding, ...]
    explored: tuple[Explored, ...]
    verdicts: Mapping[str, str]

    def of(self, claim: Claim) -> list[Finding]:
        """Give the claim's contrasts."""
        return [one for one in self.tested if one.claim == claim]

    def judged(self, claim: Claim) -> bool:
        """Tell whether the claim has a test, and data for it under some ruleset."""
        return any(not one.few for one in self.of(claim))


def find(claims: Sequence[Claim], deals: Mapping[str, Deals], explored_walls: int) -> Results:
    """Test every claim under those of its presets that were dealt, and under rulesets of the user's own.

    Parameters
    ----------
    deals : by the name of the ruleset
    explored_walls : walls of each exploratory contrast of players
    """
    # What is judged first: it is larger, and what is explored reads the first walls of it.
    tested, verdicts = _judged(list(_contrasts(claims, deals)))
    explored = _discovered(list(_explored(claims, deals, explored_walls)))
    return Results(tested, explored, {claim.id: verdicts.get(claim.id, NOT_TESTED) for claim in claims})


def _contrasts(claims: Sequence[Claim], deals: Mapping[str, Deals]) -> Iterator[Finding]:
    for claim in claims:
        if claim.test != "none":
            for ruleset in _judged_under(claim, deals):
                yield Finding(claim, ruleset, _figure(claim, deals[ruleset], None))


def _judged_under(claim: Claim, deals: Mapping[str, Deals]) -> list[str]:
    """Name the dealt presets of the claim's document, and rulesets of the user's own, where any claim may hold."""
    return [ruleset for ruleset in deals if ruleset in claim.presets or ruleset not in PRESETS]


def _figure(claim: Claim, deals: Deals, walls: int | None) -> Found:
    return deals.gain(claim, walls) if claim.test == "players" else MEASURES[claim.measure](deals).found()


def _judged(tested: Sequence[Finding]) -> tuple[tuple[Finding, ...], Mapping[str, str]]:
    """Judge all contrasts together."""
    judged = judge([_contrast(one) for one in tested])
    return tuple(map(_told, tested, judged.cells)), judged.claims


def _contrast(one: Finding) -> Contrast:
    """Move the claim's margin to the one that `judge` has; too few data are no figure.

    The error is that of the interval's arm which faces the margin: intervals of shares are lopsided, and wide for few
    data.
    """
    claim, found = one.claim, one.found
    if claim.expected is None:
        beyond = found.mean - claim.margin
        arm = found.mean - found.low if beyond > 0 else found.high - found.mean
    else:
        beyond = claim.margin - abs(found.mean - claim.expected)
        arm = found.high - found.mean
    mean = float("nan") if one.few else beyond + DELTA
    return Contrast(claim=claim.id, ruleset=one.ruleset, mean=mean, se=arm / Z, n=found.n)


def _told(one: Finding, cell: Judged) -> Finding:
    """Put what was judged beside the figure: both arms of its interval reach as far as the judgement's."""
    if one.few:
        return one
    found, longer = one.found, cell.z / Z
    ends = found.mean - (found.mean - found.low) * longer, found.mean + (found.high - found.mean) * longer
    low, high = np.clip(ends, 0, 1) if one.claim.unit == "share" else ends
    return replace(one, p=cell.p, verdict=cell.verdict, low=float(low), high=float(high))


# ---------------------------------------------------------------- exploratory


def _explored(claims: Sequence[Claim], deals: Mapping[str, Deals], walls: int) -> Iterator[Explored]:
    for claim in claims:
        for other in claim.also:
            if other in deals:
                yield Explored(claim, other, RULESET, other, claim.unit, _figure(claim, deals[other], walls))
        for ruleset in _judged_under(claim, deals):
            for factor, level, unit, found in _around(claim, deals[ruleset], walls):
                yield Explored(claim, ruleset, factor, level, unit, found)


def _around(claim: Claim, deals: Deals, walls: int) -> Iterator[tuple[str, str, str, Found]]:
    for field, value, varied in claim.varied():
        yield field, value, claim.unit, deals.gain(varied, walls)
    if claim.by:
        sample = MEASURES[claim.split or claim.measure](deals)
        for factor in claim.by:
            for level, found in _split(sample, factor):
                yield factor, level, "fork" if claim.split else claim.unit, found
    if claim.beside:
        for name, unit, found in BESIDE[claim.beside](deals):
            yield BESIDE_IT, name, unit, found


def _split(sample: Sample, factor: str) -> Iterator[tuple[str, Found]]:
    starts = BINS[factor]
    group: Datum = np.searchsorted(starts, sample.labels[factor], side="right") - 1
    for i, level in enumerate(_levels(starts)):
        if (group == i).any():
            yield level, sample.found(group == i)


def _levels(starts: Sequence[int]) -> list[str]:
    """Name groups by their ends: "1–3", "4", "10+"."""
    return [f"{a}–{b - 1}" if b - a > 1 else str(a) for a, b in pairwise(starts)] + [f"{starts[-1]}+"]


def _discovered(explored: Sequence[Explored]) -> tuple[Explored, ...]:
    """Leave out what rests on few data; tell what differs clearly from 0."""
    kept = [one for one in explored if one.found.n >= FEWEST and np.isfinite(one.found.se)]
    asked = [one for one in kept if one.asked]
    if not asked:
        return tuple(kept)
    p = [_two_sided(one.found) for one in asked]
    q = {id(one): float(value) for one, value in zip(asked, false_discovery_control(p), strict=True)}
    return tuple(replace(one, q=q.get(id(one), float("nan"))) for one in kept)


def _two_sided(found: Found) -> float:
    """The chance of a figure as far from 0, were it 0; that of one that never varied is no surprise where it is 0."""
    if found.se == 0:
        return float(found.mean == 0)
    return float(2 * ndtr(-abs(found.mean / found.se)))
