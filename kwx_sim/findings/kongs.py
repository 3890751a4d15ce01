"""Kongs in played rounds: how many, what they pay and what chains add, what follows them, and how high rounds go.

A round is one cluster. What chains add is exact: the same rounds are settled a second time without the rule.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kwx_sim import trials
from kwx_sim.core.state import KONG_ROBBED
from kwx_sim.findings.wins import MIN_EVENTS, NOTHING, has_fan, means, per_event, share_of
from kwx_sim.report.section import Work, estimate_columns, ruleset_name, words
from kwx_sim.rules import Ruleset, changed
from kwx_sim.runs import Run
from kwx_sim.stats import Estimates, wilson

__all__ = [
    "ENDINGS",
    "HEIGHTS",
    "MOST_OWN",
    "Played",
    "chain_extra",
    "count_frame",
    "ending_frame",
    "endings",
    "groups",
    "mean_of",
    "money_frame",
    "own_frame",
    "peak_frame",
    "play",
    "quantile",
    "took",
]

KINDS = ("direct", "concealed", "added")
"""As in ROUND.melds after the pongs."""

ENDINGS = ("kong_flower", "robbed", "kong_cannon")

HEIGHTS = (10, 20, 50)
"""Bases that a round's largest winner is compared with."""

MOST_OWN = 3
"""Own kongs are told apart up to so many, which stands for more too."""


Z = 1.96
"""Of a two-sided 95% interval."""


class Played(NamedTuple):
    """Rounds of a ruleset: (rounds,) ROUND as they are, and settled without chains and with every 杠上炮 marked."""

    rules: Ruleset
    rows: NDArray[np.void]
    plain: NDArray[np.void]


def play(work: Work, rules: Ruleset) -> Played:
    """Play rounds, and the same rounds without what no player takes notice of."""
    changes: dict[str, Any] = {"payment.kong_chain": "none"}
    if not rules.fans.value("kong_cannon"):
        changes["fans.values.kong_cannon"] = 1  # marks the wins; what they pay is taken from the rounds as they are
    progress = work.progress(words("report_kongs.playing", ruleset=ruleset_name(rules.name)))
    rows, plain = (
        trials.play_rows(
            Run.of(settled, games=work.games, seed=work.seed), forks=False, workers=work.workers, progress=progress
        ).rounds
        for settled in (rules, changed(rules, changes))
    )
    return Played(rules, rows, plain)


def count_frame(played: Played) -> pd.DataFrame:
    """Kongs of each kind and of all: how many, a round, and the share of rounds with one."""
    made = played.rows["melds"][:, :, 1:].sum(axis=1, dtype=np.int64)
    by_kind = np.column_stack([made, made.sum(axis=1)]).T
    rounds = len(played.rows)
    one = np.ones(rounds, np.int64)
    terms = played.rules.payment
    frame = pd.DataFrame(
        {
            "ruleset": played.rules.name,
            "kind": [*KINDS, "all"],
            "pays": [terms.direct_kong, 2 * terms.concealed_kong, 2 * terms.added_kong, None],
            "rounds": rounds,
            "kongs": by_kind.sum(axis=1),
        }
    )
    estimate_columns(frame, "a_round", means([mean_of(kind, one) for kind in by_kind]))
    return estimate_columns(frame, "rounds_share", wilson((by_kind > 0).sum(axis=1), rounds))


def money_frame(played: Played) -> pd.DataFrame:
    """What kongs pay in a round, and what chains add to it: one row."""
    rounds = len(played.rows)
    one = np.ones(rounds, np.int64)
    kongs = played.rows["kong_points"].astype(np.int64)
    paid = np.maximum(kongs, 0).sum(axis=1)
    other = np.maximum(trials.points(played.rows) - kongs, 0).sum(axis=1)
    extra = chain_extra(played)
    doubled, added = (extra != 0).any(axis=1), np.maximum(extra, 0).sum(axis=1)
    frame = pd.DataFrame({"ruleset": [played.rules.name], "rounds": rounds, "most": int(kongs.max())})
    estimate_columns(frame, "paid", means([mean_of(paid, one)]))
    estimate_columns(frame, "of_all", means([share_of(paid, paid + other) if paid.any() else NOTHING]))
    chains = played.rules.payment.kong_chain != "none"
    estimate_columns(frame, "chain_share", means([wilson(doubled.sum(), rounds) if chains else NOTHING]))
    estimate_columns(frame, "chain_adds", means([mean_of(added, one)]))
    return estimate_columns(frame, "chain_each", means([per_event(added, doubled)]))


def chain_extra(played: Played) -> NDArray[np.int64]:
    """What the chain changed in each seat's kong payments, (rounds, 3) bases."""
    return np.asarray(played.rows["kong_points"].astype(np.int64) - played.plain["kong_points"])


def mean_of(values: NDArray[Any], one: NDArray[np.int64]) -> Estimates:
    """A mean a round, or nothing where every round is the same: its interval would have no width."""
    return per_event(values, one) if np.ptp(values) > 0 else NOTHING


def ending_frame(played: Played) -> pd.DataFrame:
    """杠上开花, 抢杠 and 杠上炮: how often, and what each brings the player that konged."""
    rounds = len(played.rows)
    kongs, hits, brings = endings(played)
    times = [int(hits[ending].sum()) for ending in ENDINGS]
    frame = pd.DataFrame({"ruleset": played.rules.name, "ending": ENDINGS, "kongs": int(kongs.sum()), "times": times})
    estimate_columns(frame, "of_kongs", means([share_of(hits[ending], kongs) for ending in ENDINGS]))
    estimate_columns(frame, "rounds_share", wilson(times, rounds))
    estimate_columns(frame, "brings", means([per_event(brings * hits[ending], hits[ending]) for ending in ENDINGS]))
    return estimate_columns(frame, "a_kong", means([per_event(brings * hits[ending], kongs) for ending in ENDINGS]))


def endings(played: Played) -> tuple[NDArray[np.int64], dict[str, NDArray[np.bool_]], NDArray[np.int64]]:
    """Give, by round: kongs declared, robbed ones included; which ending it had; what its wins brought who fed them."""
    rows, marked = played.rows, played.plain["win_fans"]
    won = (rows["winners"][:, None] >> np.arange(3) & 1).astype(bool)
    hits = {fan: (has_fan(marked, fan) & won).any(axis=1) for fan in ("kong_flower", "kong_cannon")}
    hits["robbed"] = rows["outcome"] == KONG_ROBBED
    kongs = rows["melds"][:, :, 1:].sum(axis=(1, 2), dtype=np.int64) + hits["robbed"]
    # The tile is the winner's own on a self-draw: in each of the three endings it is the player's that konged.
    konger = rows["feeder"].astype(np.int64) % 3
    brings = rows["win_points"].sum(axis=1, dtype=np.int64)[np.arange(len(rows)), konger]
    return kongs, hits, brings


def groups(played: Played) -> dict[str, NDArray[np.bool_]]:
    """Tell the rounds apart by what the player did that won most in them; (rounds,) each."""
    rows = played.rows
    each = np.arange(len(rows))
    top = trials.points(rows).argmax(axis=1)
    konged = rows["melds"][each, top, 1:].sum(axis=1) > 0
    declared = rows["declared"][each, top] != 0
    kawuxing = has_fan(rows["win_fans"][each, top], "kawuxing") & (rows["winners"] >> top & 1 == 1)
    found = {"all": np.ones(len(rows), bool), "kong": konged, "kong_kawuxing": konged & kawuxing}
    if played.rules.liangdao.enabled:
        both = konged & declared
        found |= {"liangdao": declared, "kong_liangdao": both, "kong_liangdao_kawuxing": both & kawuxing}
    if played.rules.payment.kong_chain != "none":
        found["chain"] = chain_extra(played)[each, top] > 0
    return found


def took(played: Played) -> NDArray[np.int64]:
    """Give what the largest winner of each round wins in bases, its kongs included."""
    return np.asarray(trials.points(played.rows).max(axis=1))


def peak_frame(played: Played) -> pd.DataFrame:
    """What the largest winner of a round wins, by group: mean, quantiles, the largest, and shares above heights."""
    most, found = took(played), groups(played)
    inside = {group: most[those] for group, those in found.items()}
    frame = pd.DataFrame({"ruleset": played.rules.name, "group": list(found)})
    frame["rounds"] = [len(values) for values in inside.values()]
    frame["most"] = [values.max(initial=0) for values in inside.values()]
    estimate_columns(frame, "share", wilson(frame["rounds"], len(most)))
    estimate_columns(frame, "mean", means([per_event(most * those, those) for those in found.values()]))
    estimate_columns(frame, "median", means([quantile(values, 0.5) for values in inside.values()]))
    estimate_columns(frame, "high", means([quantile(values, 0.99) for values in inside.values()]))
    for height in HEIGHTS:
        above = [_above(values, height) for values in inside.values()]
        estimate_columns(frame, f"above_{height}", means(above))
    return frame


def _above(values: NDArray[np.int64], height: int) -> Estimates:
    """Give the share of rounds above a height; NaN for too few."""
    return wilson((values > height).sum(), len(values)) if len(values) >= MIN_EVENTS else NOTHING


def quantile(values: NDArray[np.int64], share: float) -> Estimates:
    """Give a quantile of single rounds with the interval of its order statistics; NaN for too few to have both ends."""
    n = len(values)
    half = Z * np.sqrt(n * share * (1 - share))
    low, high = int(n * share - half), int(np.ceil(n * share + half))
    if n < MIN_EVENTS or low < 0 or high >= n:
        return NOTHING
    ordered = np.sort(values)
    return Estimates(ordered[int(n * share)], np.array(np.nan), ordered[low], ordered[high])


def own_frame(played: Played) -> pd.DataFrame:
    """Results of a seat by how many kongs it made; three seats of a round are one cluster."""
    own = np.minimum(played.rows["melds"][:, :, 1:].sum(axis=2), MOST_OWN)
    result = trials.points(played.rows)
    won = (played.rows["winners"][:, None] >> np.arange(3) & 1).astype(bool)
    those = [own == count for count in range(MOST_OWN + 1)]
    seats = [chosen.sum(axis=1) for chosen in those]
    frame = pd.DataFrame({"ruleset": played.rules.name, "own_kongs": range(MOST_OWN + 1)})
    frame["seats"] = [int(count.sum()) for count in seats]
    sums = [(result * chosen).sum(axis=1) for chosen in those]
    estimate_columns(frame, "result", means([per_event(*each) for each in zip(sums, seats, strict=True)]))
    for field, happened in (("won", won), ("lost_10", result < -HEIGHTS[0])):
        found = [share_of((happened & chosen).sum(axis=1), n) for chosen, n in zip(those, seats, strict=True)]
        estimate_columns(frame, field, means(found))
    return frame
