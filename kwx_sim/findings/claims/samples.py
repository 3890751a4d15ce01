"""What is counted for claims, as samples.

Every sample is made from `Deals` and is above its claim's margin where the claim is right.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kwx_sim import hands
from kwx_sim.core import fans
from kwx_sim.core.fork import ARMS
from kwx_sim.core.state import DISCARD_WON, RED, SELF_DRAWN
from kwx_sim.findings.claims.deals import SEATS, Datum, Deals
from kwx_sim.findings.claims.registry import Claim
from kwx_sim.findings.claims.sample import Sample
from kwx_sim.findings.claims.shapes import lone_kinds, partial_kinds, single_tile_wait
from kwx_sim.trials import points

__all__ = [
    "DOZENS",
    "FIVE",
    "FOUR_SIX",
    "MEASURES",
    "SUITED",
    "chained",
    "four_called",
    "gain",
    "legal_kinds",
    "seats_with_kongs",
    "self_drawn",
    "wins",
    "won",
]

SUITED, KINDS = 18, 27
DECLARE, NEVER = ARMS.index("declare"), ARMS.index("never")
RANK = np.arange(SUITED) % 9 + 1
FIVE, FOUR_SIX = RANK == 5, (RANK == 4) | (RANK == 6)
DOZENS = 24
"""Bases, two dozen: what a document's 几十倍 is read as at the least."""

Mask = NDArray[np.bool_]


def _each(total: Datum, rounds: Datum | None = None, **labels: Datum) -> Sample:
    return Sample(total, np.ones(len(total), np.int64), labels, rounds)


# ---------------------------------------------------------------- players


def gain(claim: Claim, deals: Deals, walls: int | None = None) -> Sample:
    """What the claim's follower wins over the other, in bases a round, on equal deals in every seat; n counts walls."""
    gains = deals.gains(claim, walls)
    counts = np.full(len(gains), SEATS)
    return Sample(gains.sum(axis=1), counts, n=len(gains), otherwise=np.count_nonzero(gains, axis=1))


def _cost_of_guard(deals: Deals) -> Sample:
    """What declaring gains where nobody keeps a shown wait back, less what it gains where everybody does."""
    gains = []
    for others in ("avoidance=0", ""):
        always, never = (deals.played(f"liangdao={mode}", others).points for mode in ("always", "never"))
        gains.append((always - never).sum(axis=1) / SEATS)
    return _each(gains[0] - gains[1])


def _others_win_less(deals: Deals) -> Sample:
    """The others' wins a round without a single dragon kept, less those with."""
    plain, keeps = (deals.played(parameters).others_won for parameters in ("", "keep_dragons=2"))
    return _each((plain - keeps).sum(axis=1) / SEATS)


def _piao_when_it_wins(deals: Deals) -> Sample:
    none, two = (deals.played("", "", piao) for piao in (0, 2))
    more = (two.points - none.points) * none.won
    return Sample(more.sum(axis=1), none.won.sum(axis=1))


def _piao_when_it_pays(deals: Deals) -> Sample:
    none, two = (deals.played("", "", piao) for piao in (0, 2))
    lost = (none.won == 0) & (none.others_won > 0)
    return Sample(((none.points - two.points) * lost).sum(axis=1), lost.sum(axis=1))


# ---------------------------------------------------------------- rounds


def wins(deals: Deals, *fan_bits: int) -> Mask:
    """Which seats won with any of the fans, (rounds, 3)."""
    mask = np.uint32(sum(1 << fan for fan in fan_bits))
    found: Mask = deals.table.rounds["win_fans"] & mask != 0
    return found & won(deals)


def won(deals: Deals) -> Mask:
    """Which seats won, (rounds, 3)."""
    return np.asarray(deals.table.rounds["winners"][:, None] >> np.arange(SEATS) & 1 != 0)


def _maima_tile(deals: Deals) -> Sample:
    """The maima points of every tile that a self-draw turned."""
    rounds = deals.table.rounds
    turned = (rounds["outcome"] == SELF_DRAWN) & (rounds["maima_points"] > 0)
    tile = rounds["maima_tile"][turned].astype(np.int64)
    return _each(np.where(tile < SUITED, tile % 9 + 1, deals.rules.maima.dragon), np.flatnonzero(turned))


def self_drawn(deals: Deals) -> tuple[Datum, Datum]:
    """Of every self-draw what it is paid, and what of that is maima, in bases from both losers."""
    rounds = deals.table.rounds
    drawn = rounds[rounds["outcome"] == SELF_DRAWN]
    return drawn["win_points"].max(axis=(1, 2)).astype(np.int64), drawn["maima_points"].astype(np.int64)


def _self_draw_without_maima(deals: Deals) -> Sample:
    """The share of what self-draws are paid that is no maima."""
    income, maima = self_drawn(deals)
    drawn = np.flatnonzero(deals.table.rounds["outcome"] == SELF_DRAWN)
    return Sample(income - maima, income, rounds=drawn, n=len(income))


def _four_six_feeds_kawuxing(deals: Deals) -> Sample:
    """The share of wins on a discarded 4 or 6 that count 卡五星."""
    rounds = deals.table.rounds
    fed = (rounds["outcome"] == DISCARD_WON) & np.isin(rounds["win_tile"], np.flatnonzero(FOUR_SIX))
    kawuxing, all_wins = wins(deals, fans.KAWUXING)[fed].sum(axis=1), won(deals)[fed].sum(axis=1)
    return Sample(kawuxing, all_wins, rounds=np.flatnonzero(fed), share=True)


def seats_with_kongs(deals: Deals, least: int) -> Mask:
    """Which seats konged at least so many times, (rounds, 3)."""
    return np.asarray(deals.table.rounds["melds"][:, :, 1:].sum(axis=2) >= least)


def chained(deals: Deals) -> Mask:
    """Which seats were paid more for their kongs because chains double, (rounds, 3)."""
    return np.asarray(deals.table.rounds["kong_points"] > deals.unchained["kong_points"])


def _dozens_by_the_chain(deals: Deals) -> Sample:
    """Of the seats that a chain paid more, the share that won 24 bases or more, and less had chains not doubled."""
    paid_more = chained(deals)
    lifted = paid_more & (points(deals.table.rounds) >= DOZENS) & (points(deals.unchained) < DOZENS)
    return Sample(lifted.sum(axis=1), paid_more.sum(axis=1), share=True)


def _kong_cannon_cost(deals: Deals) -> Sample:
    """What 杠上炮 costs who fed it, by the kong, less what other discards cost who fed a win, by the discard.

    Not every kong is followed by a discard, so a kong is taken for somewhat less dangerous than its discard is.
    """
    rounds = deals.table.rounds
    fed = rounds["win_points"].clip(min=0).sum(axis=2) * (rounds["outcome"] == DISCARD_WON)[:, None]
    cannon = wins(deals, fans.KONG_CANNON)
    kongs = rounds["melds"][:, :, 1:].sum(axis=(1, 2)).astype(np.int64)
    after_kong = (fed * cannon).sum(axis=1), kongs
    other = (fed * ~cannon).sum(axis=1), rounds["discards"].astype(np.int64) - kongs
    return _ratio_gap(after_kong, other)


def _ratio_gap(first: tuple[Datum, Datum], second: tuple[Datum, Datum]) -> Sample:
    """Σ total / Σ count of the first less that of the second, linear in each round: its error is the delta method's.

    n is the first's count.
    """
    ratios, linear = [], []
    for total, count in (first, second):
        ratios.append(total.sum() / count.sum())
        linear.append((total - ratios[-1] * count) / count.mean())
    return replace(_each(linear[0] - linear[1] + ratios[0] - ratios[1]), n=int(first[1].sum()))


def _kong_fed_cost(deals: Deals) -> Sample:
    """In rounds with one kong, on a discard: the third seat's result less that of the one who fed it."""
    rounds = deals.table.rounds
    kongs = rounds["melds"][:, :, 1:].sum(axis=1)
    one_fed = (kongs.sum(axis=1) == 1) & (kongs[:, 0] == 1)
    alone = rounds[one_fed]
    result, paid = points(alone), alone["kong_points"]
    gaps = (result * (paid == 0)).sum(axis=1) - (result * (paid < 0)).sum(axis=1)
    return _each(gaps, np.flatnonzero(one_fed))


def four_called(deals: Deals) -> Mask:
    """Which seats called or konged all four sets, (rounds, 3)."""
    return np.asarray(deals.table.rounds["melds"].sum(axis=2) == 4)


# ---------------------------------------------------------------- forks


def _declared(deals: Deals, chosen: Mask | None = None) -> Sample:
    """What declaring at once gains over never declaring, at each first ready moment or the chosen ones."""
    forks = deals.table.forks if chosen is None else deals.table.forks[chosen]
    hand, result = forks["hand"], forks["points"].astype(np.int64)
    return Sample(
        result[:, DECLARE] - result[:, NEVER],
        np.ones(len(forks), np.int64),
        {"turn": hand["draws"], "live": hand["live"], "kinds": np.bitwise_count(hand["waits"]), "fan": hand["fan"]},
        forks["number"],
    )


def _declared_one_kind(deals: Deals) -> Sample:
    return _declared(deals, np.bitwise_count(deals.table.forks["hand"]["waits"]) == 1)


def _declared_single_tile(deals: Deals) -> Sample:
    """单吊: hands that wait for the pair of one tile, and for nothing else."""
    hand = deals.table.forks["hand"]
    return _declared(deals, single_tile_wait(hand["counts"], hand["waits"]))


# ---------------------------------------------------------------- turns


def _played_on(deals: Deals, first: Mask, second: Mask) -> Sample:
    """What the discards `first` win more than `second`, each the mean of its kinds, in turns that allow both.

    Parameters
    ----------
    first, second : (turns, 18) or (turns, 27)
    """
    turns = deals.turns
    legal = legal_kinds(turns)
    better, worse = first & legal[:, : first.shape[1]], second & legal[:, : second.shape[1]]
    both = better.any(axis=1) & worse.any(axis=1)
    own = turns["points"][both, :, 0]
    gaps = _mean_over(own, better[both]) - _mean_over(own, worse[both])
    return _each(gaps, np.flatnonzero(both), turn=turns["draws"][both])


def legal_kinds(turns: NDArray[np.void]) -> Mask:
    """Which kinds may be discarded, (turns, 27)."""
    return np.asarray(turns["legal"][:, None] >> np.arange(KINDS, dtype=np.uint32) & 1 != 0)


def _mean_over(values: Datum, chosen: Mask) -> NDArray[np.float64]:
    return np.asarray((values[:, : chosen.shape[1]] * chosen).sum(axis=1) / chosen.sum(axis=1))


def _nearest(turns: NDArray[np.void]) -> Mask:
    """The suited discards that leave the hand as near as any does."""
    distance = np.where(legal_kinds(turns), turns["shanten"], 99)
    return np.asarray(distance == distance.min(axis=1, keepdims=True))[:, :SUITED]


def _five_kept(deals: Deals) -> Sample:
    nearest = _nearest(deals.turns)
    return _played_on(deals, nearest & ~FIVE, nearest & FIVE)


def _four_six_kept(deals: Deals) -> Sample:
    nearest = _nearest(deals.turns)
    return _played_on(deals, nearest & ~FIVE & ~FOUR_SIX, nearest & FOUR_SIX)


def _lone_five_kept(deals: Deals) -> Sample:
    lone = lone_kinds(deals.turns["counts"])
    return _played_on(deals, lone & ~FIVE, lone & FIVE)


def _lone_four_six_kept(deals: Deals) -> Sample:
    lone = lone_kinds(deals.turns["counts"])
    return _played_on(deals, lone & ~FIVE & ~FOUR_SIX, lone & FOUR_SIX)


def _next_seat_moved_more(deals: Deals) -> Sample:
    """How much more another discard than the chosen one moves the next seat's result than that of the seat after."""
    turns = deals.turns
    chosen = turns["points"][np.arange(len(turns)), turns["chosen"]]
    moved = np.abs(turns["points"][:, :, 1:] - chosen[:, None, 1:])
    others = legal_kinds(turns) & (np.arange(KINDS) != turns["chosen"][:, None])
    some = others.any(axis=1)
    gap = _mean_over((moved[:, :, 0] - moved[:, :, 1])[some], others[some])
    return _each(gap, np.flatnonzero(some), turn=turns["draws"][some])


def _ready(turns: NDArray[np.void]) -> Mask:
    return np.asarray(legal_kinds(turns) & (turns["shanten"] == 0))


def _widest_over_narrowest(deals: Deals) -> Sample:
    turns = deals.turns
    ready = _ready(turns)
    live = turns["live"].astype(np.int64)
    most, fewest = np.where(ready, live, -1).max(axis=1), np.where(ready, live, 99).min(axis=1)
    differ = (ready.sum(axis=1) > 1) & (most > fewest)
    widest = ready & (live == most[:, None]) & differ[:, None]
    return _played_on(deals, widest, ready & (live == fewest[:, None]) & differ[:, None])


def _waits(deals: Deals) -> NDArray[np.bool_]:
    """The waits of each discard that leaves a hand without melds ready, (turns, 27 discards, 27 kinds)."""
    turns = deals.turns
    row, tile = np.nonzero(_ready(turns) & (turns["melds"] == 0)[:, None])
    left = turns["counts"][row]
    left[np.arange(len(row)), tile] -= 1
    found = np.zeros((len(turns), KINDS, KINDS), np.bool_)
    found[row, tile] = hands.waits(left, rules=deals.rules)
    if deals.rules.tiles.wild != "none":
        found[:, :, RED] = False  # it completes every ready hand
    return found


def _two_kinds_over_one(deals: Deals) -> Sample:
    kinds = _waits(deals).sum(axis=2)
    return _played_on(deals, kinds >= 2, kinds == 1)


def _more_over_middle_five(deals: Deals) -> Sample:
    """Ready hands with more live tiles, over those that wait in the middle of 4-6 and for nothing else."""
    turns = deals.turns
    waits, counts = _waits(deals), turns["counts"]
    only_five = np.zeros((len(turns), KINDS), np.bool_)
    for five in np.flatnonzero(FIVE):
        middle = (counts[:, five - 1] > 0) & (counts[:, five] == 0) & (counts[:, five + 1] > 0)
        only_five |= (waits[:, :, five] & (waits.sum(axis=2) == 1)) & middle[:, None]
    live = turns["live"].astype(np.int64)
    five_live = np.where(only_five, live, -1).max(axis=1)
    return _played_on(deals, waits.any(axis=2) & (live > five_live[:, None]), only_five)


def _red_kept(deals: Deals) -> Sample:
    """The chosen discard over a red dragon."""
    turns = deals.turns
    chosen = np.arange(KINDS) == turns["chosen"][:, None]
    red = np.broadcast_to(np.arange(KINDS) == RED, chosen.shape)
    return _played_on(deals, chosen & ~red, red)


def _single_over_partial(deals: Deals) -> Sample:
    counts = deals.turns["counts"]
    return _played_on(deals, lone_kinds(counts), partial_kinds(counts))


MEASURES = {
    "cost_of_guard": _cost_of_guard,
    "others_win_less": _others_win_less,
    "piao_when_it_wins": _piao_when_it_wins,
    "piao_when_it_pays": _piao_when_it_pays,
    "maima_tile": _maima_tile,
    "self_draw_without_maima": _self_draw_without_maima,
    "four_six_feeds_kawuxing": _four_six_feeds_kawuxing,
    "dozens_by_the_chain": _dozens_by_the_chain,
    "kong_cannon_cost": _kong_cannon_cost,
    "kong_fed_cost": _kong_fed_cost,
    "declared": _declared,
    "declared_one_kind": _declared_one_kind,
    "declared_single_tile": _declared_single_tile,
    "five_kept": _five_kept,
    "four_six_kept": _four_six_kept,
    "lone_five_kept": _lone_five_kept,
    "lone_four_six_kept": _lone_four_six_kept,
    "next_seat_moved_more": _next_seat_moved_more,
    "two_kinds_over_one": _two_kinds_over_one,
    "widest_over_narrowest": _widest_over_narrowest,
    "more_over_middle_five": _more_over_middle_five,
    "red_kept": _red_kept,
    "single_over_partial": _single_over_partial,
}
"""Samples by the name that `claims.toml` calls them."""
