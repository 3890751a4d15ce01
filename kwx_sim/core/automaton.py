"""Distance automata: read a block kind by kind, and know at the end what every number of sets would cost.

A state is a table of costs: the fewest tiles still missing for so many sets, with a pair or without, and with so many
runs under way that need the next kinds. A symbol is what one kind brings: how many copies are held, and how many of
them the hand may use. Two beginnings of a block that lead to equal tables behave alike for ever, so they are one state;
the last state of a block is its class. All this runs once, in numpy, when the tables are built.
"""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "FAR",
    "KONGED",
    "PONGED",
    "SYMBOLS",
    "Automaton",
    "dragon_automaton",
    "need_automaton",
    "suit_automaton",
    "wild_automaton",
]

FAR = 14  # no hand is further away than all its tiles
TOO_MANY = 5  # more wild tiles than there are
SETS, RUNS = 5, 3  # 0-4 sets; three equal runs are three triplets, so two are enough to count
NO_PAIR, NATURAL_PAIR, ANY_PAIR = 0, 1, 2  # without wild tiles every pair is the first sort
SUIT_KINDS, LAST_RUN = 9, 6

Symbol = tuple[int, int]  # copies held, copies that the hand may use
COPIES, UNLIMITED = 4, 99
SYMBOLS: tuple[Symbol, ...] = ((0, 4), (1, 4), (2, 4), (3, 4), (4, 4), (0, 1), (1, 1), (0, 0))
"""Held 0-4; then a ponged kind, of which none or one is concealed; then a konged kind."""
PONGED, KONGED = 5, 7

Costs = NDArray[np.uint8]
"""(sets, pair, runs begun one kind ago, runs begun two kinds ago, states): the states last, for whole-array steps."""

Step = NDArray[np.int64]


class Automaton(NamedTuple):
    """steps[k][state, symbol] is the state after kind k; classes[c] (sets, pair) are the costs of the last state c."""

    steps: list[Step]
    classes: NDArray[np.uint8]


def suit_automaton() -> Automaton:
    """Nine kinds, their copies limited by melds. Classes that no meld limits come first."""
    return _distances(SYMBOLS, SUIT_KINDS, LAST_RUN, pairs=2)


def dragon_automaton() -> Automaton:
    """Three kinds without sequences. Classes that no meld limits come first."""
    return _distances(SYMBOLS, 3, -1, pairs=2)


def wild_automaton() -> Automaton:
    """Nine kinds of which a hand may mean any number of copies: wild tiles stand for those that there are not.

    Pairs: none, one with a natural tile held, any.
    """
    return _distances([(held, UNLIMITED) for held in range(COPIES + 1)], SUIT_KINDS, LAST_RUN, pairs=3)


def need_automaton() -> Automaton:
    """Nine kinds of which every tile must serve: wild tiles needed for sets, and for sets and a natural pair."""
    costs = np.full((1, 2, RUNS, RUNS, 1), TOO_MANY, np.uint8)
    costs[0, NO_PAIR, 0, 0] = 0
    steps = []
    for kind in range(SUIT_KINDS):
        costs, step = _merged([_use_all(costs, held, kind <= LAST_RUN) for held in range(COPIES + 1)])
        steps.append(step)
    return Automaton(steps, np.ascontiguousarray(costs[..., 0, 0, :].transpose(2, 0, 1)))


def _distances(symbols: Sequence[Symbol], kinds: int, last_run: int, pairs: int) -> Automaton:
    costs = np.full((SETS, pairs, RUNS, RUNS, 1), FAR, np.uint8)
    costs[0, NO_PAIR, 0, 0] = 0
    costs = _settled(costs)
    melds = np.zeros(1, np.int64)
    steps = []
    for kind in range(kinds):
        after = [_limited(_grown(costs, symbol, kind <= last_run), melds, symbol) for symbol in symbols]
        with_melds, step = _merged(after)
        # The first row of a table is its number of melds: it keeps apart what they limit, and sorts it last.
        melds, costs = with_melds[0, 0, 0, 0].astype(np.int64), with_melds[1:]
        steps.append(step)
    return Automaton(steps, np.ascontiguousarray(costs[:, :, 0, 0].transpose(2, 0, 1)))


def _grown(costs: Costs, symbol: Symbol, run_begins: bool) -> Costs:
    """Read one kind: begin runs, make a triplet, make a pair; what is used beyond the held copies is missing."""
    held, most = symbol
    grown = np.full_like(costs, FAR)
    pairs = costs.shape[1]
    the_pair = ANY_PAIR if pairs == 3 and held == 0 else NATURAL_PAIR
    for begun, triplet, pair in product(range(RUNS if run_begins else 1), (0, 1), (NO_PAIR, the_pair)):
        sets = begun + triplet
        before = costs[: SETS - sets, : 1 if pair else pairs]
        after = grown[sets:, pair : pair + before.shape[1]]
        for one, two in product(range(RUNS), repeat=2):
            used = one + two + begun + 3 * triplet + 2 * bool(pair)
            if used <= most:
                missing = max(0, used - held)
                np.minimum(after[:, :, begun, one], before[:, :, one, two] + missing, out=after[:, :, begun, one])
    return _settled(grown)


def _settled(costs: Costs) -> Costs:
    """Lower every cost to what a plainly better entry of the table allows, so that equal behaviour has one form.

    More sets, a pair, fewer open runs are never worse; a set can be had from nothing for three tiles, a pair for two:
    among nine kinds with at most four sets there is always room.
    """
    for sets in range(SETS - 2, -1, -1):
        np.minimum(costs[sets], costs[sets + 1], out=costs[sets])
    for sets in range(SETS - 1):
        np.minimum(costs[sets + 1], costs[sets] + 3, out=costs[sets + 1])
    last = costs.shape[1] - 1
    if last == ANY_PAIR:
        np.minimum(costs[:, ANY_PAIR], costs[:, NATURAL_PAIR], out=costs[:, ANY_PAIR])
    np.minimum(costs[:, NO_PAIR], costs[:, last], out=costs[:, NO_PAIR])
    np.minimum(costs[:, last], costs[:, NO_PAIR] + 2, out=costs[:, last])
    for runs in range(RUNS - 1):
        np.minimum(costs[:, :, runs + 1], costs[:, :, runs], out=costs[:, :, runs + 1])
        np.minimum(costs[:, :, :, runs + 1], costs[:, :, :, runs], out=costs[:, :, :, runs + 1])
    return np.minimum(costs, FAR, out=costs)


def _limited(costs: Costs, melds: NDArray[np.int64], symbol: Symbol) -> Costs:
    """Put the number of limiting melds in front, and forget what so many melds leave no sets for."""
    count = np.minimum(melds + (symbol[1] < COPIES), SETS - 1)
    for sets in range(1, SETS):
        costs[sets][..., sets + count >= SETS] = FAR
    front = np.broadcast_to(count.astype(np.uint8), (1, *costs.shape[1:]))
    return np.concatenate([front, costs])


def _use_all(costs: Costs, held: int, run_begins: bool) -> Costs:
    """Read one kind of which every held copy must be used; wild tiles fill the rest, but for one tile of the pair."""
    grown = np.full_like(costs, TOO_MANY)
    for begun, triplet, pair in product(range(RUNS if run_begins else 1), (0, 1), (0, 1) if held else (0,)):
        for one, two in product(range(RUNS), repeat=2):
            used = one + two + begun + 3 * triplet + 2 * pair
            if used >= held:
                after = grown[:, pair:, begun, one]
                np.minimum(after, costs[:, : 2 - pair, one, two] + (used - held), out=after)
    return grown


def _merged(after: list[Costs]) -> tuple[Costs, Step]:
    """Make equal tables one state: the distinct tables after every symbol, and the steps (state, symbol) to them."""
    tables = np.stack(after, axis=-1)
    rows = np.ascontiguousarray(tables.reshape(-1, tables.shape[-2] * tables.shape[-1]).T)
    distinct, number = np.unique(rows.view(f"V{rows.shape[1]}").ravel(), return_inverse=True)
    columns = np.ascontiguousarray(distinct.view(np.uint8).reshape(len(distinct), -1).T)
    return columns.reshape(*tables.shape[:-2], -1), number.reshape(tables.shape[-2:])
