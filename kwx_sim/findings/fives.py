"""卡五星 in played rounds: how often it is won, on what waits and from what hands, and what it costs to feed."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kwx_sim.core.state import DISCARD_WON, KONG_ROBBED, SELF_DRAWN
from kwx_sim.findings.discards import DRAGON, NUMBER
from kwx_sim.findings.wins import MIN_EVENTS, NOTHING, Wins, has_fan, means, per_event, share_of
from kwx_sim.findings.worth import OTHER
from kwx_sim.report.section import estimate_columns
from kwx_sim.stats import Estimates, ratio_difference, wilson
from kwx_sim.tiles import RED

__all__ = ["FED", "FIVES", "WAITS", "feeding", "frequency", "hands", "waits"]

FAN = "kawuxing"
WAYS = {"self_draw": SELF_DRAWN, "discard": DISCARD_WON, "robbed_kong": KONG_ROBBED}

WAITS = ("only_5", "longer_run", "one_elsewhere", "more")
"""What was waited for: the 5 alone; beside it the 2 or 8 of its suit; one other kind; more."""

FIVES = (0, 1, 2, 3)
"""5s of the suit that a hand holds before it wins with another."""

FED = ("five_with", "five_without", "four_or_six", "other", "dragon")
"""Discards that were won: a 5 with the fan or without, a 4 or 6, another number, a dragon."""

FED_NUMBERS = ((5,), (5,), (4, 6), OTHER, (DRAGON,))


def frequency(wins: Wins) -> pd.DataFrame:
    """How often the fan is won, in what way, and what it adds to the payment: one row."""
    fan = wins.has(FAN)
    every, with_it, added = (wins.by_round(of) for of in (np.ones(len(fan)), fan, wins.added(FAN)))
    frame = pd.DataFrame({"rounds": [wins.rounds], "wins": len(fan), "wins_with": int(fan.sum())})
    _put(frame, "rounds_share", [wilson(int((with_it > 0).sum()), wins.rounds)])
    _put(frame, "wins_share", [share_of(with_it, every)])
    for way, outcome in WAYS.items():
        _put(frame, way, [share_of(wins.by_round(fan & (wins.outcome == outcome)), with_it)])
    _put(frame, "added", [per_event(added, with_it)])
    return _put(frame, "paid_share", [per_event(added, wins.by_round(wins.paid))])


def waits(wins: Wins, rounds: NDArray[np.void]) -> pd.DataFrame:
    """Shares of these wins by what was waited for, wild red dragons, which complete any hand, left out: one row."""
    fan = wins.has(FAN)
    told = rounds["win_waits"][wins.place, wins.seat].astype(np.int64)
    if wins.rules.tiles.wild != "none":
        told &= ~(1 << RED)
    kinds = np.array([mask.bit_count() for mask in told.tolist()], np.int64)
    # A wait three away from the 5 belongs to the same run: 3-4-4-5-6 waits for 2 and 5, 4-5-6-6-7 for 5 and 8.
    five = np.where(fan, rounds["win_tile"][wins.place], 4).astype(np.int64)
    in_run = (kinds > 1) & (told & ~(1 << five | 1 << (five - 3) | 1 << (five + 3)) == 0)
    built = (kinds == 1, in_run, (kinds == 2) & ~in_run, (kinds > 2) & ~in_run)
    frame = pd.DataFrame(index=[0])
    for name, of in zip(WAITS, built, strict=True):
        frame[f"{name}_n"] = int((fan & of).sum())
        _put(frame, name, [share_of(wins.by_round(fan & of), wins.by_round(fan))])
    return frame


def hands(wins: Wins, rounds: NDArray[np.void], forks: NDArray[np.void]) -> pd.DataFrame:
    """Shares of these wins by the 5s in the hand that was first ready, where it was won on the same waits: one row."""
    ready = np.full((wins.rounds, 3), -1)
    ready[forks["number"], forks["seat"]] = np.arange(len(forks))
    fork = ready[wins.place, wins.seat]
    known = np.flatnonzero(wins.has(FAN) & (fork >= 0))
    hand, place = forks["hand"][fork[known]], wins.place[known]
    same = hand["waits"] == rounds["win_waits"][place, wins.seat[known]]
    held = hand["counts"][np.arange(len(place)), rounds["win_tile"][place]]
    by_round = partial(np.bincount, minlength=wins.rounds)
    frame = pd.DataFrame({"known": [int(same.sum())]})
    for fives in FIVES:
        of = same & (held == fives)
        frame[f"fives_{fives}_n"] = int(of.sum())
        _put(frame, f"fives_{fives}", [share_of(by_round(place[of]), by_round(place[same]))])
    return frame


def feeding(rounds: NDArray[np.void]) -> pd.DataFrame:
    """What the feeder paid for a discard that was won, and how much more a fed 卡五星 cost: a row for each case.

    `cost`, `extra`: whoever won; with `_quiet` and `_declared`: where no winner, or where one, had declared.
    """
    fed = rounds["outcome"] == DISCARD_WON
    won = rounds["winners"][:, None] >> np.arange(3) & 1 == 1
    number = NUMBER[np.where(fed, rounds["win_tile"], 0)]
    with_it = (won & has_fan(rounds["win_fans"], FAN)).any(axis=1)
    declared = (won & (rounds["declared"] != 0)).any(axis=1)
    feeder = np.where(fed, rounds["feeder"], 0)
    cost = np.where(fed, -rounds["win_points"].sum(axis=1)[np.arange(len(rounds)), feeder], 0).astype(np.int64)
    frame = pd.DataFrame({"fed": FED})
    for of, those in (("", fed), ("_quiet", fed & ~declared), ("_declared", fed & declared)):
        cases = [
            those & np.isin(number, numbers) & (with_it == (name == "five_with"))
            for name, numbers in zip(FED, FED_NUMBERS, strict=True)
        ]
        frame[f"n{of}"] = [int(case.sum()) for case in cases]
        _put(frame, f"cost{of}", [per_event(cost * case, case) for case in cases])
        _put(frame, f"extra{of}", [NOTHING, *(_extra(cost, cases[0], case) for case in cases[1:])])
    return frame


def _extra(cost: NDArray[np.int64], dear: NDArray[np.bool_], cheap: NDArray[np.bool_]) -> Estimates:
    """By how much the mean cost of one case is above that of another; NaN for too few."""
    if min(dear.sum(), cheap.sum()) < MIN_EVENTS:
        return NOTHING
    by_round = np.stack([cost * dear, dear, cost * cheap, cheap]).astype(np.int64)
    return ratio_difference(by_round.sum(axis=1), by_round @ by_round.T)


def _put(frame: pd.DataFrame, prefix: str, found: list[Estimates]) -> pd.DataFrame:
    return estimate_columns(frame, prefix, means(found))
