"""埋马 in played rounds: the tile turned, what it brings by turn, liangdao and hand, and what a house rule changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kwx_sim.core.state import NO_TILE, SELF_DRAWN
from kwx_sim.findings.rounds import deviation
from kwx_sim.findings.wins import MIN_EVENTS, NOTHING, has_fan, means, per_event, share_of, wins_of
from kwx_sim.report.section import estimate_columns
from kwx_sim.rules import FANS, Ruleset
from kwx_sim.stats import Estimates, wilson
from kwx_sim.tables.maima import exact_mean
from kwx_sim.tables.rows import ALL, TURN_NAMES
from kwx_sim.trials import points

__all__ = [
    "HANDS", "LIANGDAO", "VARIANCES", "by_face", "by_hand", "by_turn", "faces_of", "of_house", "owed"
]  # fmt: skip

LIANGDAO = (ALL, "declared", "quiet")
MEASURES = ("tile", "tile_against_exact", "turned", "per_loser", "in_all", "share_of_earnings")
VARIANCES = ("share_of_variance_of_self_draws", "share_of_variance_of_results")
ENDS = ("", "_se", "_low", "_high")

HANDS = {
    "plain": ("ping_hu",),
    "seven_pairs": tuple(fan for fan in FANS if fan.endswith("seven_pairs")),
    "all_triplets": ("all_triplets",),
    "full_flush": ("full_flush",),
    "dragons": ("big_three_dragons", "small_three_dragons"),
    "kawuxing": ("kawuxing",),
    "kong_flower": ("kong_flower",),
}
"""Hands that win by self-draw, by their fans; a hand may be of several."""


def owed(rules: Ruleset, face: int) -> int:
    """Bases that each loser owes for a tile of that many points, before liangdao."""
    return -(-face // 2) if rules.maima.payer == "shared" else face


def faces_of(rules: Ruleset) -> dict[int, int]:
    """How many tiles of the whole wall have each number of points."""
    faces = [tile % 9 + 1 if tile < 18 else rules.maima.dragon for tile in range(rules.n_kinds)]
    return {face: 4 * faces.count(face) for face in sorted(set(faces))}


def by_face(rules: Ruleset, rounds: NDArray[np.void]) -> pd.DataFrame:
    """A row for each number of points: tiles of the wall, their share, and the share at the self-draws."""
    tiles = faces_of(rules)
    turned, _ = _turned(rules, rounds)
    frame = pd.DataFrame({"points": list(tiles), "tiles": list(tiles.values())})
    frame["together"] = frame["points"] * frame["tiles"]
    frame["exact"] = frame["tiles"] / frame["tiles"].sum()
    frame["n"] = [int((turned == face).sum()) for face in tiles]
    return estimate_columns(frame, "share", wilson(frame["n"], len(turned)))


def by_hand(rules: Ruleset, rounds: NDArray[np.void]) -> pd.DataFrame:
    """The mean tile by the hand that won, and by how much it is above the exact mean: a row for each hand."""
    turned, fans = _turned(rules, rounds)
    total, tiles = exact_mean(rules)
    rows = {hand: np.any([has_fan(fans, fan) for fan in of], axis=0) for hand, of in HANDS.items()}
    frame = pd.DataFrame({"hand": list(rows), "n": [int(of.sum()) for of in rows.values()]})
    estimate_columns(frame, "tile", means([per_event(turned * of, of) for of in rows.values()]))
    for end in ("", "_low", "_high"):
        frame[f"above{end}"] = frame[f"tile{end}"] - total / tiles
    return frame


def by_turn(values: pd.DataFrame) -> pd.DataFrame:
    """The figures of the table `maima_value`, a row for each turn and state of the winner, all together first."""
    rows = []
    for liangdao in LIANGDAO:
        for turn in (ALL, *TURN_NAMES):
            cell = values[(values["liangdao"] == liangdao) & (values["turn"] == turn)].set_index("measure")
            drawn = int(cell["n"].get("turned", 0))
            row: dict[str, Any] = {"liangdao": liangdao, "turn": turn, "n": drawn}
            for measure in MEASURES:
                # The table counts its share by what was earned; here, too, few self-draws are too few.
                row |= _columns(measure, _measured(cell, measure) if drawn >= MIN_EVENTS else NOTHING)
            rows.append(row)
    return pd.DataFrame(rows)


def of_house(house: str, rules: Ruleset, rounds: NDArray[np.void], values: pd.DataFrame) -> pd.DataFrame:
    """What a house rule makes of maima, and of the luck of a round: one row.

    Parameters
    ----------
    house : its name
    rounds, values : rounds as rows, and the table `maima_value`, of one run by these rules
    """
    whole = values[values["turn"].isin([ALL, ""]) & values["liangdao"].isin([ALL, ""])].set_index("measure")
    wins = wins_of(rules, rounds)
    drawn, one = wins.outcome == SELF_DRAWN, np.ones(len(wins.place))
    tiles = faces_of(rules)
    due = sum(owed(rules, face) * n for face, n in tiles.items()) if rules.maima.enabled else 0
    row: dict[str, Any] = {"house": house, "rounds": len(rounds), "n": int(drawn.sum())}
    row["exact"] = due / sum(tiles.values())
    row |= _columns("drawn", share_of(wins.by_round(drawn), wins.by_round(one)))
    row |= _columns("earned", per_event(wins.by_round(np.where(drawn, wins.paid, 0)), wins.by_round(drawn)))
    for measure in ("in_all", "share_of_earnings", *VARIANCES):
        row |= _columns(measure, _measured(whole, measure))
    row |= _columns("deviation", deviation(points(rounds)))
    return pd.DataFrame([row])


def _turned(rules: Ruleset, rounds: NDArray[np.void]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """The points of every tile turned, and the fans of the win."""
    turning = rounds[(rounds["outcome"] == SELF_DRAWN) & (rounds["maima_tile"] != NO_TILE)]
    tile = turning["maima_tile"].astype(np.int64)
    return np.where(tile < 18, tile % 9 + 1, rules.maima.dragon), turning["win_fans"][
        np.arange(len(tile)), turning["feeder"]
    ]


def _measured(cell: pd.DataFrame, measure: str) -> Estimates:
    """The estimates of a measure among rows that have it as index; NaN where there is none."""
    if measure not in cell.index:
        return NOTHING
    return Estimates(*(np.array(cell.loc[measure, field]) for field in Estimates._fields))


def _columns(prefix: str, found: Estimates) -> dict[str, float]:
    return {f"{prefix}{end}": float(value) for end, value in zip(ENDS, found, strict=True)}
