"""Figures that stand beside a claim's own: what is behind it, exploratory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kwx_sim.core import fans
from kwx_sim.core.state import DISCARD_WON
from kwx_sim.findings.claims.deals import SEATS, Datum, Deals, Found, mean_of, ratio_of, share_of
from kwx_sim.findings.claims.samples import (
    DOZENS,
    FIVE,
    FOUR_SIX,
    MEASURES,
    SUITED,
    chained,
    four_called,
    legal_kinds,
    seats_with_kongs,
    self_drawn,
    wins,
    won,
)
from kwx_sim.findings.claims.shapes import lone_kinds
from kwx_sim.trials import points

__all__ = ["BESIDE", "Figure"]

Figure = tuple[str, str, Found]
"""A name, a unit and the figure."""


def _maima_income(deals: Deals) -> list[Figure]:
    return [("maima_income", "won", mean_of(self_drawn(deals)[1]))]


def _ways_to_win(deals: Deals) -> list[Figure]:
    """What a win brings, by self-draw and on a discard."""
    rounds = deals.table.rounds
    fed = rounds["outcome"] == DISCARD_WON
    on_discard = rounds["win_points"].clip(min=0).sum(axis=(1, 2))[fed]
    return [
        ("self_drawn_win", "won", mean_of(self_drawn(deals)[0])),
        ("discard_win", "won", ratio_of(on_discard, won(deals)[fed].sum(axis=1))),
    ]


def _lone_tiles(deals: Deals) -> list[Figure]:
    return [(name, "discard", MEASURES[name](deals).found()) for name in ("lone_five_kept", "lone_four_six_kept")]


def _won_at_once(deals: Deals) -> list[Figure]:
    """How often a lone tile is won as it is discarded, by number."""
    turns = deals.turns
    lone = lone_kinds(turns["counts"]) & legal_kinds(turns)[:, :SUITED]
    fed = turns["won"][:, :SUITED] > 0
    groups = {"fed_four_six": FOUR_SIX, "fed_five": FIVE, "fed_other": ~FIVE & ~FOUR_SIX}
    return [
        (name, "share", share_of((fed & lone & group).sum(axis=1), (lone & group).sum(axis=1)))
        for name, group in groups.items()
    ]


GOALS = {
    "goal_triplets": (fans.ALL_TRIPLETS,),
    "goal_pairs": tuple(range(fans.SEVEN_PAIRS, fans.THREE_DRAGONS_SEVEN_PAIRS + 1)),
    "goal_dragon_pairs": tuple(range(fans.DRAGON_SEVEN_PAIRS, fans.THREE_DRAGONS_SEVEN_PAIRS)),
    "goal_small_dragons": (fans.SMALL_THREE_DRAGONS,),
    "goal_big_dragons": (fans.BIG_THREE_DRAGONS,),
}


def _goals(deals: Deals) -> list[Figure]:
    """The share of wins with a fan that one may aim for."""
    all_wins = won(deals).sum(axis=1)
    return [(name, "share", share_of(wins(deals, *mask).sum(axis=1), all_wins)) for name, mask in GOALS.items()]


def _seats_after(deals: Deals) -> list[Figure]:
    """How often the next seat, and the one after, would win a discard, of all that are legal.

    Not of those chosen: where every ready hand is shown and its waits kept back, hardly any of these is won.
    """
    turns = deals.turns
    legal = legal_kinds(turns)
    return [
        (name, "share", share_of((turns["won"] >> seat & legal).sum(axis=1), legal.sum(axis=1)))
        for seat, name in enumerate(("next_wins", "after_wins"))
    ]


def _dozens(deals: Deals) -> list[Figure]:
    """What chains add, and how many seats win dozens in a round: of all, and of those with and without a chain."""
    rounds = deals.table.rounds
    paid_more, two = chained(deals), seats_with_kongs(deals, 2)
    both = (rounds["declared"] > 0) & wins(deals, fans.KAWUXING)
    groups = {
        "dozens_any": np.ones_like(two),
        "dozens_chain": paid_more,
        "dozens_two_kongs": two & ~paid_more,
        "dozens_declared_kawuxing": both & ~two,
        "dozens_all_three": both & two,
    }
    many = points(rounds) >= DOZENS
    more = (rounds["kong_points"] - deals.unchained["kong_points"]) * paid_more
    return [
        ("chain_adds", "chain", ratio_of(more.sum(axis=1), paid_more.sum(axis=1))),
        *((name, "share", share_of((many & seats).sum(axis=1), seats.sum(axis=1))) for name, seats in groups.items()),
    ]


def _piao_net(deals: Deals) -> list[Figure]:
    none, two = (deals.played("", "", piao).points for piao in (0, 2))
    return [("piao_net", "round", mean_of((two - none).sum(axis=1)).scaled(1 / SEATS))]


def _kong_balance(deals: Deals) -> list[Figure]:
    """By the kong: what kongs are paid, and what wins by 杠上开花 bring."""
    rounds = deals.table.rounds
    kongs = rounds["melds"][:, :, 1:].sum(axis=(1, 2)).astype(np.int64)
    flowers = _income(rounds["win_points"], wins(deals, fans.KONG_FLOWER))
    paid = rounds["kong_points"].clip(min=0).sum(axis=1)
    return [("kong_paid", "kong", ratio_of(paid, kongs)), ("kong_flower", "kong", ratio_of(flowers, kongs))]


def _one_left(deals: Deals) -> list[Figure]:
    """How seats fare that have called or konged all four sets, who hold one tile."""
    called = four_called(deals)
    seats = called.sum(axis=1)
    result = (points(deals.table.rounds) * called).sum(axis=1)
    return [
        ("one_left_result", "hand", ratio_of(result, seats)),
        ("one_left_wins", "share", share_of((won(deals) & called).sum(axis=1), seats)),
    ]


def _income(win_points: Datum, chosen: Datum) -> Datum:
    return np.asarray((win_points.clip(min=0).sum(axis=2) * chosen).sum(axis=1))


BESIDE: dict[str, Callable[[Deals], list[Figure]]] = {
    "maima_income": _maima_income,
    "ways_to_win": _ways_to_win,
    "lone_tiles": _lone_tiles,
    "won_at_once": _won_at_once,
    "goals": _goals,
    "seats_after": _seats_after,
    "dozens": _dozens,
    "piao_net": _piao_net,
    "kong_balance": _kong_balance,
    "one_left": _one_left,
}
"""By the name that `claims.toml` calls them."""
