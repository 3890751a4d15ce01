"""Distance automata: read a block tile kind by tile kind, know at the end what every number of sets would cost.

A state is a table of costs: the fewest tiles still missing for `sets` sets, a pair or none, with runs under way that
need the next kinds. A symbol is what one kind brings: how many copies are held, and how many the hand may use of it.
Two prefixes that lead to equal tables behave alike for ever, so they are one state; a block's last state is its class.
Everything here runs once, in numpy, when the tables are built.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["SYMBOLS", "Automaton", "dragon_automaton", "need_automaton", "suit_automaton", "wild_automaton"]

FAR = 14  # no hand is further away than all its tiles
UNUSABLE = 5  # more wild tiles than there are
NO_LIMIT = 99
SETS, RUNS = 5, 3  # 0-4 sets; three equal runs are three triplets, so at most two need counting
NO_PAIR, NATURAL_PAIR, ANY_PAIR = 0, 1, 2  # the pair axis; automata without wild tiles use the first two

Symbol = tuple[int, int]  # copies held, copies that the hand may use
SYMBOLS: tuple[Symbol, ...] = ((0, 4), (1, 4), (2, 4), (3, 4), (4, 4), (0, 1), (1, 1), (0, 0))
"""Held 0-4; then a ponged kind with none or one concealed; then a konged kind."""

Costs = NDArray[np.uint8]  # (states, sets, pair, runs begun one kind ago, runs begun two kinds ago)


class Automaton(NamedTuple):
    """steps[k][state, symbol] is the state after kind k; classes[c] (sets, pair) are the costs of last state c."""

    steps: list[NDArray[np.int64]]
    classes: NDArray[np.uint8]


def suit_automaton() -> Automaton:
    """Nine kinds, copies limited by melds. Classes that no meld limits come first."""
    return _build([(SYMBOLS, kind < 7) for kind in range(9)], pairs=2)


def dragon_automaton() -> Automaton:
    """Three kinds without sequences."""
    return _build([(SYMBOLS, False)] * 3, pairs=2)


def wild_automaton() -> Automaton:
    """Nine kinds; the hand may mean any number of copies, for wild tiles stand for the rest."""
    return _build([([(h, NO_LIMIT) for h in range(5)], kind < 7) for kind in range(9)], pairs=3)


def need_automaton() -> Automaton:
    """Nine kinds of which every tile must serve: classes[c] = wild tiles needed for sets, for sets and a pair."""
    costs = np.full((1, 1, 2, RUNS, RUNS), UNUSABLE, np.uint8)
    costs[0, 0, 0, 0, 0] = 0
    steps = []
    for kind in range(9):
        grown = [_use_all(costs, held, kind < 7) for held in range(5)]
        costs, step = _merge(np.stack(grown, axis=1))
        steps.append(step)
    return Automaton(steps, costs[:, 0, :, 0, 0])


def _build(kinds: Sequence[tuple[Sequence[Symbol], bool]], pairs: int) -> Automaton:
    costs = np.full((1, SETS, pairs, RUNS, RUNS), FAR, np.uint8)
    costs[0, 0, NO_PAIR, 0, 0] = 0
    costs = _settle(costs)
    melds = np.zeros(1, np.int64)
    steps = []
    for symbols, run_starts in kinds:
        grown = np.stack([_settle(_grow(costs, symbol, run_starts)) for symbol in symbols], axis=1)
        limited = np.array([most < 4 for _, most in symbols])
        count = np.minimum(melds[:, None] + limited, 4)
        for state_melds in range(1, 5):  # melded sets are not concealed ones: fewer to tell apart
            grown[count == state_melds, SETS - state_melds :] = FAR
        key = np.broadcast_to(count[..., None, None, None, None], (*count.shape, 1, pairs, RUNS, RUNS))
        merged, step = _merge(np.concatenate([key.astype(np.uint8), grown], axis=2))
        melds, costs = merged[:, 0, 0, 0, 0].astype(np.int64), np.ascontiguousarray(merged[:, 1:])
        steps.append(step)
    return Automaton(steps, costs[..., 0, 0])


def _grow(costs: Costs, symbol: Symbol, run_starts: bool) -> Costs:
    """Read one kind: begin runs, make a triplet, make a pair; what the hand uses beyond the held copies is missing."""
    held, most = symbol
    grown = np.full_like(costs, FAR)
    pairs = costs.shape[2]
    kinds_of_pair = [NO_PAIR, NATURAL_PAIR if pairs == 2 or held else ANY_PAIR]
    for begun in range(RUNS if run_starts else 1):
        for triplet in (0, 1):
            for pair in kinds_of_pair:
                for one in range(RUNS):
                    for two in range(RUNS):
                        used = one + two + begun + 3 * triplet + 2 * bool(pair)
                        if used > most:
                            continue
                        sets = begun + triplet
                        before = costs[:, : SETS - sets, : 1 if pair else pairs, one, two]
                        after = grown[:, sets:, pair : pair + before.shape[2], begun, one]
                        np.minimum(after, before + max(0, used - held), out=after)
    return grown


def _settle(costs: Costs) -> Costs:
    """Lower every cost to what a plainly better table entry allows, so that equal behaviour has one form.

    More sets, a pair, fewer open runs are never worse; a set can be had from nothing for three tiles and a pair for
    two (in nine kinds with at most four sets there is always room).
    """
    for sets in range(SETS - 2, -1, -1):
        np.minimum(costs[:, sets], costs[:, sets + 1], out=costs[:, sets])
    for sets in range(SETS - 1):
        np.minimum(costs[:, sets + 1], costs[:, sets] + 3, out=costs[:, sets + 1])
    last = costs.shape[2] - 1
    for pair in range(1, last):
        np.minimum(costs[:, :, last], costs[:, :, pair], out=costs[:, :, last])
    np.minimum(costs[:, :, 0], costs[:, :, last], out=costs[:, :, 0])
    np.minimum(costs[:, :, last], costs[:, :, 0] + 2, out=costs[:, :, last])
    for runs in range(RUNS - 1):
        np.minimum(costs[:, :, :, runs + 1], costs[:, :, :, runs], out=costs[:, :, :, runs + 1])
        np.minimum(costs[..., runs + 1], costs[..., runs], out=costs[..., runs + 1])
    return costs


def _use_all(costs: Costs, held: int, run_starts: bool) -> Costs:
    """Read one kind of which every held copy must be used; wild tiles fill the rest; the pair holds a natural tile."""
    grown = np.full_like(costs, UNUSABLE)
    for begun in range(RUNS if run_starts else 1):
        for triplet in (0, 1):
            for pair in (NO_PAIR, NATURAL_PAIR) if held else (NO_PAIR,):
                for one in range(RUNS):
                    for two in range(RUNS):
                        used = one + two + begun + 3 * triplet + 2 * pair
                        if used < held:
                            continue
                        before = costs[:, :, : 2 - pair, one, two]
                        after = grown[:, :, pair:, begun, one]
                        np.minimum(after, before + (used - held), out=after)
    return grown


def _merge(tables: NDArray[np.uint8]) -> tuple[Costs, NDArray[np.int64]]:
    """Equal tables are one state: (states, symbols, ...) -> the distinct tables, and each one's number."""
    rows = np.ascontiguousarray(tables.reshape(tables.shape[0] * tables.shape[1], -1))
    keys = rows.view(f"V{rows.shape[1]}").ravel()
    distinct, number = np.unique(keys, return_inverse=True)
    states = distinct.view(np.uint8).reshape(-1, *tables.shape[2:])
    return states, number.reshape(tables.shape[:2])
