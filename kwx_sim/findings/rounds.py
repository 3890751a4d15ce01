"""What several sections ask of rounds and rooms: who won, who sat where, and how an estimate is said in a sentence.

Rows are those of `kwx_sim.trials`, (n,) ROUND.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kwx_sim.core.series import SERIES
from kwx_sim.report.cells import amount
from kwx_sim.report.section import Words, words
from kwx_sim.report.verdicts import DELTA
from kwx_sim.rules import Ruleset
from kwx_sim.rules.model import Room
from kwx_sim.stats import Estimates, jackknife, ratio
from kwx_sim.text import has

__all__ = [
    "EVEN_MARGIN",
    "NEAR_MARGIN",
    "Verdict",
    "borderline",
    "deviation",
    "estimates_in",
    "from_dealer",
    "in_series",
    "judged",
    "mean",
    "room_name",
    "rooms_by_cap",
    "said",
    "verdict",
    "whole_series",
    "winners",
]

SEATS = np.arange(3)

GROUPS = 64
"""Of clusters, for the jackknife."""

EVEN_MARGIN = 0.02
"""Of a share: what is nearer to the share expected counts as equal to it."""

NEAR_MARGIN = 0.005
"""A verdict that another would take the place of, were the margin wider or narrower by this, is borderline."""

Verdict = Literal["above", "below", "within", "unclear"]


def winners(rounds: NDArray[np.void]) -> NDArray[np.bool_]:
    """Tell which seats won: (n, 3)."""
    return np.asarray(rounds["winners"][:, None] >> SEATS & 1 == 1)


def from_dealer(rounds: NDArray[np.void], by_seat: ArrayLike) -> NDArray[Any]:
    """Put values by seat, (n, 3), in the order of play: the dealer's, the next seat's, that of the seat after."""
    places = (rounds["dealer"].astype(np.int64)[:, None] + SEATS) % len(SEATS)
    return np.take_along_axis(np.asarray(by_seat), places, axis=1)


def whole_series(games: int) -> int:
    """Give how many of so many rounds are whole series; never fewer than two series, so that there is an error."""
    return max(games // SERIES, 2) * SERIES


def in_series(values: ArrayLike) -> NDArray[np.int64]:
    """Add up values by round, (n,), to (n / SERIES,): in a series the last round says who deals the next."""
    return np.asarray(np.asarray(values).astype(np.int64).reshape(-1, SERIES).sum(axis=1))


def mean(results: NDArray[np.int64], fee: int = 0) -> Estimates:
    """Give the mean of results, (clusters, k), less a fee."""
    totals, k = (results - fee).sum(axis=1), results.shape[1]
    n = len(totals)
    return ratio(totals.sum(), n * k, (totals**2).sum(), k * totals.sum(), n * k * k)


def deviation(results: NDArray[np.int64]) -> Estimates:
    """Give the standard deviation of results, (clusters, k), about their mean."""
    moments = np.stack([np.full(len(results), results.shape[1]), results.sum(axis=1), (results**2).sum(axis=1)], axis=1)
    groups = min(GROUPS, len(results))
    sums = np.stack([moments[group::groups].sum(axis=0) for group in range(groups)])
    return jackknife(sums, lambda total: np.sqrt(total[..., 2] / total[..., 0] - (total[..., 1] / total[..., 0]) ** 2))


def rooms_by_cap(rules: Ruleset) -> dict[int, list[Room]]:
    """Group the rooms by their cap: in bases, rooms of one cap play alike."""
    found: dict[int, list[Room]] = {}
    for room in rules.rooms:
        found.setdefault(room.cap, []).append(room)
    return found


def room_name(name: str) -> Words:
    """Name a room for a person."""
    key = f"report_rounds.room.{name}"
    return words(key) if has(key) else Words(name, name)


def estimates_in(row: Any, prefix: str) -> Estimates:
    """Give what `estimate_columns` put into a row of a frame under a prefix."""
    return Estimates(*(np.array(row[f"{prefix}{end}"]) for end in ("", "_se", "_low", "_high")))


def verdict(found: Estimates, of: float = 0.0, margin: float = DELTA) -> Verdict:
    """Tell whether a single estimate lies above a value by more than a margin, below, or within it.

    The whole interval must: what reaches across a margin is unclear, as is what is no number.
    """
    low, high = float(found.ci_low) - of, float(found.ci_high) - of
    if low > margin:
        return "above"
    if high < -margin:
        return "below"
    return "within" if -margin <= low and high <= margin else "unclear"


def borderline(found: Estimates, of: float = 0.0, margin: float = DELTA) -> bool:
    """Tell whether an end of the interval lies so near to a margin that the verdict hangs on it."""
    about = (margin - NEAR_MARGIN, margin, margin + NEAR_MARGIN)
    return len({verdict(found, of, near) for near in about}) > 1


def judged(sentence: Words, found: Estimates) -> Words:
    """Give the sentence that says on which side of DELTA an estimate lies, and whether that is borderline."""
    if not borderline(found):
        return sentence
    return Words.join([sentence, words("report_rounds.borderline", near=NEAR_MARGIN, margin=DELTA)])


def said(found: Estimates, form: str = "+.2f", n: int | None = None) -> Words:
    """Say a single estimate with its interval, and what n it is of where that is given.

    With a third decimal where two would blur on which side of DELTA it is: a bound of 0.046 would be printed as 0.05,
    and seem to reach a margin of 0.05 that it does not.
    """
    if form.endswith(".2f") and any(_near_margin(float(value)) for value in found[2:]):
        form = form.removesuffix(".2f") + ".3f"
    mean, low, high = (amount(float(value), form) for value in (found.mean, *found[2:]))
    if n is None:
        return words("report_rounds.interval", mean=mean, low=low, high=high)
    return words("report_rounds.interval_of", mean=mean, low=low, high=high, n=f"{n:,}")


def _near_margin(bound: float) -> bool:
    return round(abs(bound), 2) == DELTA
