"""What became of every claim: the contrasts that are judged, the verdicts on them, and what was explored beside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.special import ndtr
from scipy.stats import false_discovery_control

from kwx_sim.findings.claims.beside import BESIDE
from kwx_sim.findings.claims.deals import Datum, Deals, Found, Z
from kwx_sim.findings.claims.exact import EXACT
from kwx_sim.findings.claims.registry import COUNTED, Claim
from kwx_sim.findings.claims.sample import Sample, same_data
from kwx_sim.findings.claims.samples import MEASURES, gain
from kwx_sim.report.section import SAME
from kwx_sim.report.verdicts import (
    DELTA,
    DEPENDS,
    FAILS,
    HOLDS,
    UNCLEAR,
    Contrast,
    Judged,
    judge,
    side,
    way_of_failing,
)
from kwx_sim.rules import PRESETS

__all__ = [
    "BESIDE_IT",
    "FEWEST",
    "FEWEST_JUDGED",
    "FEWEST_MOVED",
    "NOT_TESTED",
    "RULESET",
    "VARIED",
    "Explored",
    "Finding",
    "Results",
    "find",
]

ALPHA = 0.05
FEWEST = 30
"""A figure of fewer data is left out of what is explored."""

FEWEST_JUDGED = 100
"""A contrast of fewer data is not judged: what is paid is skewed, and the tests go by the normal law."""

FEWEST_MOVED = 30
"""A difference of which fewer data are not 0 is not judged: too little went differently to know its spread."""

NOT_TESTED = "NOT_TESTED"
"""Stands for the verdict on a claim that has no test."""

VARIED = "varied"
"""What the FAILS of a claim comes to where that is not the same under all its rulesets."""

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
    low, high : the simultaneous interval; NaN where there are too few data
    same : other rulesets that gave the same data, which are no evidence of their own
    exact : the figure by the rules, where they give it; `found` then only shows it
    where_otherwise : of players, the share of rounds that ended otherwise, and what following was worth in these
    """

    claim: Claim
    ruleset: str
    found: Found
    p: float = 1.0
    verdict: str = UNCLEAR
    low: float = float("nan")
    high: float = float("nan")
    same: tuple[str, ...] = ()
    exact: float | None = None
    where_otherwise: tuple[float, Found] | None = None

    @property
    def rulesets(self) -> str:
        """Name all rulesets that it is of, as `ruleset_name` takes them."""
        return SAME.join((self.ruleset, *self.same))

    @property
    def few(self) -> bool:
        """Whether there are too few data to judge it by, or too few that went differently."""
        return self.exact is None and (self.found.n < FEWEST_JUDGED or self.rare)

    @property
    def rare(self) -> bool:
        """Whether there are data enough, and too few of them went differently."""
        return self.found.n >= FEWEST_JUDGED and _rare(self.found, self.claim.unit)

    @property
    def way_of_failing(self) -> str:
        """What FAILS comes to of a figure that is told as a gain: a loss, no difference, or neither is clear."""
        if self.verdict != FAILS or self.exact is not None or not self.claim.told_as_gain:
            return ""
        return way_of_failing(self.low, self.high, self.claim.margin)


@dataclass(frozen=True)
class Explored:
    """A figure that was not written down beforehand.

    Attributes
    ----------
    factor, level : what it was looked at by, and the group: see `claims.toml`
    q : adjusted for all that was explored (Benjamini–Hochberg); NaN where nobody asks whether the figure is 0
    same : other rulesets that gave the same data
    judged : the contrast of another claim that is the same comparison, or that one turned about; `found` is its
        figure, with the interval by which it was judged
    """

    claim: Claim
    ruleset: str
    factor: str
    level: str
    unit: str
    found: Found
    q: float = float("nan")
    same: tuple[str, ...] = ()
    judged: Finding | None = None

    @property
    def rulesets(self) -> str:
        """Name all rulesets that it is of, as `ruleset_name` takes them."""
        return SAME.join((self.ruleset, *self.same))

    @property
    def told_level(self) -> str:
        """The level, or all rulesets where these are the levels."""
        return self.rulesets if self.factor == RULESET else self.level

    @property
    def rare(self) -> bool:
        """Whether too few of its data went differently to say more of it."""
        return self.factor != BESIDE_IT and _rare(self.found, self.unit)

    @property
    def asked(self) -> bool:
        """Whether it is asked if the figure is 0: not beside a claim, nor of what cannot be below 0 or was judged."""
        return self.factor != BESIDE_IT and self.unit not in COUNTED and not self.rare and self.judged is None

    @property
    def clear(self) -> bool:
        """Whether it differs from 0."""
        return self.q < ALPHA if self.judged is None else self.found.low * self.found.high > 0

    @property
    def side(self) -> int:
        """On which side of 0 it lies, beyond the claim's margin; 0 where not all of its interval does."""
        return side(self.found.low, self.found.high, self.claim.margin) if self.clear else 0


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

    def way_of_failing(self, claim: Claim) -> str:
        """Tell what FAILS comes to over all its rulesets, as of one; VARIED where it is not the same under each."""
        ways = {one.way_of_failing for one in self.of(claim)}
        if self.verdicts[claim.id] != FAILS or "" in ways:
            return ""
        return ways.pop() if len(ways) == 1 else VARIED

    def turned(self, claim: Claim) -> list[Explored]:
        """Give other documents' rulesets where the figure lies beyond the margin, opposite to all of its own."""
        sides = {side(one.low, one.high, claim.margin) for one in self.of(claim)}
        return self._elsewhere(claim, -sides.pop()) if claim.told_as_gain and len(sides) == 1 else []

    def gains_elsewhere(self, claim: Claim) -> list[Explored]:
        """Give other documents' rulesets where there is a gain, of a claim that fails without being turned round."""
        if not claim.told_as_gain or self.verdicts[claim.id] != FAILS or self.turned(claim):
            return []
        return self._elsewhere(claim, 1)

    def _elsewhere(self, claim: Claim, beyond: int) -> list[Explored]:
        others = [one for one in self.explored if one.claim == claim and one.factor == RULESET]
        return [one for one in others if one.side == beyond != 0]


def _rare(found: Found, unit: str) -> bool:
    return unit not in COUNTED and found.moved is not None and found.moved < FEWEST_MOVED


def find(claims: Sequence[Claim], deals: Mapping[str, Deals], explored_walls: int) -> Results:
    """Test every claim under those of its presets that were dealt, and under rulesets of the user's own.

    Parameters
    ----------
    deals : by the name of the ruleset
    explored_walls : walls of each exploratory contrast of players
    """
    # What is judged first: it is larger, and what is explored reads the first walls of it.
    tested, verdicts = _judged(list(_contrasts(claims, deals)))
    explored = _discovered(list(_explored(claims, deals, explored_walls, tested)))
    return Results(tested, explored, {claim.id: verdicts.get(claim.id, NOT_TESTED) for claim in claims})


def _contrasts(claims: Sequence[Claim], deals: Mapping[str, Deals]) -> Iterator[Finding]:
    for claim in claims:
        if claim.test == "none":
            continue
        samples = {ruleset: _sample(claim, deals[ruleset], None) for ruleset in _judged_under(claim, deals)}
        for ruleset, same in _alike(samples).items():
            found = samples[ruleset].found()
            exact = EXACT[claim.measure](deals[ruleset].rules) if claim.test == "exact" else None
            if exact is not None:
                yield Finding(claim, ruleset, found, verdict=_exact_verdict(claim, exact), same=same, exact=exact)
            else:
                yield Finding(claim, ruleset, found, same=same, where_otherwise=samples[ruleset].where_otherwise())


def _alike(samples: Mapping[str, Sample]) -> dict[str, tuple[str, ...]]:
    """Name of each data the first ruleset that gave them, and the others that gave the same."""
    groups: dict[str, tuple[str, ...]] = {}
    for ruleset, sample in samples.items():
        first = next((one for one in groups if same_data(samples[one], sample)), None)
        groups |= {ruleset: ()} if first is None else {first: (*groups[first], ruleset)}
    return groups


def _exact_verdict(claim: Claim, exact: float) -> str:
    right = exact > claim.margin if claim.expected is None else abs(exact - claim.expected) <= claim.margin
    return HOLDS if right else FAILS


def _judged_under(claim: Claim, deals: Mapping[str, Deals]) -> list[str]:
    """Name the dealt presets of the claim's document, and rulesets of the user's own, where any claim may hold."""
    return [ruleset for ruleset in deals if ruleset in claim.presets or ruleset not in PRESETS]


def _sample(claim: Claim, deals: Deals, walls: int | None) -> Sample:
    return gain(claim, deals, walls) if claim.test == "players" else MEASURES[claim.measure](deals)


def _judged(tested: Sequence[Finding]) -> tuple[tuple[Finding, ...], Mapping[str, str]]:
    """Judge all contrasts together; what follows from the rules is known before."""
    open_ones = [one for one in tested if one.exact is None]
    judged = judge([_contrast(one) for one in open_ones])
    told = map(_told, open_ones, judged.cells)
    known: dict[str, set[str]] = {}
    for one in tested:
        if one.exact is not None:
            known.setdefault(one.claim.id, set()).add(one.verdict)
    verdicts = {claim: min(given) if len(given) == 1 else DEPENDS for claim, given in known.items()}
    return tuple(next(told) if one.exact is None else one for one in tested), {**judged.claims, **verdicts}


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


def _explored(
    claims: Sequence[Claim], deals: Mapping[str, Deals], walls: int, tested: Sequence[Finding]
) -> Iterator[Explored]:
    for claim in claims:
        yield from _once(_looked_at(claim, deals, walls, tested))


Seen = tuple[Explored, Sample | None]
"""What was explored, with its data where there are any of its own."""


def _once(seen: Iterable[Seen]) -> list[Explored]:
    """Put rulesets together that gave the same data."""
    kept: list[Seen] = []
    for one, sample in seen:
        place = next((i for i, before in enumerate(kept) if _same(before, (one, sample))), None)
        if place is None:
            kept.append((one, sample))
        else:
            first, data = kept[place]
            kept[place] = replace(first, same=(*first.same, one.ruleset)), data
    return [one for one, _ in kept]


def _same(before: Seen, after: Seen) -> bool:
    (first, data), (one, sample) = before, after
    alike = (first.factor, first.unit) == (one.factor, one.unit)
    if not alike or (one.factor != RULESET and first.level != one.level):
        return False
    if data is not None and sample is not None:
        return same_data(data, sample)
    return first.judged == one.judged and first.found == one.found


def _looked_at(claim: Claim, deals: Mapping[str, Deals], walls: int, tested: Sequence[Finding]) -> Iterator[Seen]:
    for other in claim.also:
        if other in deals:
            yield _elsewhere(claim, other, tested) or _under(claim, other, _sample(claim, deals[other], walls))
    for ruleset in _judged_under(claim, deals):
        for factor, level, unit, data in _around(claim, deals[ruleset], walls):
            sample, found = (data, data.found()) if isinstance(data, Sample) else (None, data)
            yield Explored(claim, ruleset, factor, level, unit, found), sample


def _under(claim: Claim, ruleset: str, sample: Sample) -> Seen:
    return Explored(claim, ruleset, RULESET, ruleset, claim.unit, sample.found()), sample


def _elsewhere(claim: Claim, ruleset: str, tested: Sequence[Finding]) -> Seen | None:
    """Give the contrast where it was judged for another claim: one comparison has one figure."""
    for one in tested:
        if one.claim.contrast in (claim.contrast, claim.turned_about) and ruleset in (one.ruleset, *one.same):
            low, high = (one.found.low, one.found.high) if one.few else (one.low, one.high)
            found = one.found._replace(low=low, high=high)
            found = found if one.claim.contrast == claim.contrast else found.scaled(-1)
            return Explored(claim, ruleset, RULESET, ruleset, claim.unit, found, judged=one), None
    return None


def _around(claim: Claim, deals: Deals, walls: int) -> Iterator[tuple[str, str, str, Sample | Found]]:
    for field, value, varied in claim.varied():
        yield field, value, claim.unit, gain(varied, deals, walls)
    if claim.by:
        sample = MEASURES[claim.split or claim.measure](deals)
        for factor in claim.by:
            for level, chosen in _split(sample, factor):
                yield factor, level, "fork" if claim.split else claim.unit, chosen
    if claim.beside:
        for name, unit, found in BESIDE[claim.beside](deals):
            yield BESIDE_IT, name, unit, found


def _split(sample: Sample, factor: str) -> Iterator[tuple[str, Sample]]:
    starts = BINS[factor]
    group: Datum = np.searchsorted(starts, sample.labels[factor], side="right") - 1
    for i, level in enumerate(_levels(starts)):
        if (group == i).any():
            yield level, sample.chosen(group == i)


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
