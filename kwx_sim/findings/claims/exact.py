"""Claims about the rules themselves: the figure follows from them, and rounds only show it."""

from __future__ import annotations

from collections.abc import Callable

from kwx_sim.rules import Ruleset
from kwx_sim.tables.maima import exact_mean

__all__ = ["EXACT"]


def _maima_tile(rules: Ruleset) -> float | None:
    """The mean points over all tiles; none where no tile is turned."""
    points, tiles = exact_mean(rules)
    return points / tiles if rules.maima.enabled else None


def _four_six_feeds_kawuxing(rules: Ruleset) -> float:
    """The share of wins on a 4 or 6 that are kawuxing: that is won on the 5 in the middle."""
    return 0.0


EXACT: dict[str, Callable[[Ruleset], float | None]] = {
    "maima_tile": _maima_tile,
    "four_six_feeds_kawuxing": _four_six_feeds_kawuxing,
}
"""By the names that `samples.MEASURES` has."""
