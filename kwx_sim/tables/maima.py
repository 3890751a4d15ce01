"""埋马: what the tile is worth before any draw, and at the self-draws that happen."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kwx_sim import stats
from kwx_sim.core import tally
from kwx_sim.rules import Ruleset
from kwx_sim.tables.rows import ALL, TURN_NAMES, Moments, Row, Setting, row

__all__ = ["GROUPS", "HEADLINES", "exact_mean", "rows"]

GROUPS = ("turn", "liangdao", "exact")

HEADLINES = {
    "maima_exact": {"measure": "exact_tile"},
    "maima_tile": {"measure": "tile", "turn": ALL, "liangdao": ALL},
    "maima_in_all": {"measure": "in_all", "turn": ALL, "liangdao": ALL},
    "maima_earnings": {"measure": "share_of_earnings", "turn": ALL, "liangdao": ALL},
    "maima_variance": {"measure": "share_of_variance_of_self_draws"},
}

LIANGDAO = ("quiet", "declared")
ONE_SELF_DRAW = {tally.SELF_DRAWS: 1}
ONE_TILE = {tally.TURNED: 1}
# A mean in all is that of both losers together; per loser it is halved after all sums.
FIGURES = (
    ("turned", tally.TURNED, "share of self-draws", 1),
    ("per_loser", tally.BROUGHT, "bases per self-draw", 2),
    ("per_loser_undoubled", tally.UNDOUBLED, "bases per self-draw", 2),
    ("in_all", tally.BROUGHT, "bases per self-draw", 1),
    ("in_all_undoubled", tally.UNDOUBLED, "bases per self-draw", 1),
)


def exact_mean(rules: Ruleset) -> tuple[int, int]:
    """The mean tile over all unseen tiles, before any draw, as numerator and denominator: 480 and 84."""
    faces = [tile % 9 + 1 if tile < 18 else rules.maima.dragon for tile in range(rules.n_kinds)]
    return 4 * sum(faces), 4 * len(faces)


def rows(setting: Setting, sums: Any, rules: Ruleset) -> list[Row]:
    """Make the rows of one run from its sums, a record of core.tally.MAIMA."""
    points, tiles = exact_mean(rules)
    mean = Fraction(points, tiles)
    known = stats.Estimates(*(np.array(float(x)) for x in (mean, 0, mean, mean)))
    exact = f"{points}/{tiles} = {mean}"
    made = [_row(setting, "exact_tile", tiles, known, "bases per tile", exact=exact)]
    for liangdao in (ALL, *LIANGDAO):
        for turn in (ALL, *TURN_NAMES):
            made += _cell(setting, sums, liangdao, turn, float(mean))
    made += _variance_shares(setting, sums)
    return made


def _row(setting: Setting, measure: str, n: int, found: stats.Estimates, unit: str, **groups: str) -> Row:
    return row(setting, measure, n, found, unit, **{"turn": ALL, "liangdao": ALL, "exact": "", **groups})


def _cell(setting: Setting, sums: Any, liangdao: str, turn: str, exact: float) -> list[Row]:
    declared = slice(None) if liangdao == ALL else slice(LIANGDAO.index(liangdao), LIANGDAO.index(liangdao) + 1)
    turns = slice(None) if turn == ALL else slice(TURN_NAMES.index(turn), TURN_NAMES.index(turn) + 1)
    # A round has one self-draw at most, so cells share no rounds and may be added up.
    moments = Moments(sums["sums"][declared, turns].sum((0, 1)), sums["products"][declared, turns].sum((0, 1)))
    groups = {"turn": turn, "liangdao": liangdao}
    n, turned = moments.total(ONE_SELF_DRAW), moments.total(ONE_TILE)
    tile = moments.mean({tally.FACE: 1}, ONE_TILE)
    made = [
        _row(setting, "tile", turned, tile, "bases per tile", **groups),
        _row(setting, "tile_against_exact", turned, _shifted(tile, -exact), "bases per tile", **groups),
    ]
    for measure, variable, unit, parts in FIGURES:
        estimate = moments.share if variable == tally.TURNED else moments.mean
        made.append(
            _row(setting, measure, n, _scaled(estimate({variable: 1}, ONE_SELF_DRAW), 1 / parts), unit, **groups)
        )
    share = moments.mean({tally.BROUGHT: 1}, {tally.EARNED: 1})
    made.append(_row(setting, "share_of_earnings", n, share, "share of what self-draws earn", **groups))
    return made


def _variance_shares(setting: Setting, sums: Any) -> list[Row]:
    return [
        _row(setting, measure, int(groups[:, tally.COUNT].sum()), stats.jackknife(groups, _variance_share), unit)
        for measure, groups, unit in (
            ("share_of_variance_of_self_draws", sums["win_groups"], "share of the variance of what a self-draw earns"),
            ("share_of_variance_of_results", sums["round_groups"], "share of the variance of a seat's round"),
        )
    ]


def _variance_share(groups: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cov(part, whole) / Var(whole)."""
    n, part, whole, part_whole, whole_squared = np.moveaxis(groups, -1, 0)
    return np.asarray((part_whole - part * whole / n) / (whole_squared - whole**2 / n))


def _scaled(found: stats.Estimates, factor: float) -> stats.Estimates:
    return stats.Estimates(*(value * factor for value in found))


def _shifted(found: stats.Estimates, by: float) -> stats.Estimates:
    return stats.Estimates(found.mean + by, found.se, found.ci_low + by, found.ci_high + by)
