"""亮倒 under rules that show waits, not hands: every hand that could lie behind them, by the ways to be dealt it."""

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core.dealing import READY_HAND
from kwx_sim.core.jit import records
from kwx_sim.errors import InputError
from kwx_sim.hands import waits
from kwx_sim.rules import Ruleset
from kwx_sim.tiles import NUM_KINDS, NUM_SLOTS, RED

__all__ = ["hands_behind"]

SEATS, SETS, SEVEN, COPIES = 3, 4, 7, 4
RUN_STARTS = [slot for slot in range(RED) if slot % 9 < 7]

Counts = NDArray[np.uint8]

PAIRS: Counts = 2 * np.eye(NUM_KINDS, NUM_SLOTS, dtype=np.uint8)


def hands_behind(
    rules: Ruleset, shown_waits: Sequence[int], melds: Sequence[Counts], unseen: Counts
) -> tuple[NDArray[np.void], list[int], list[int]]:
    """The hands that hidden declared players could hold: rows of READY_HAND, each seat's first and one past its last.

    shown_waits : by seat, as bits of slots; 0 for a seat of which none are known
    melds : by seat, counts (27,) of its meld tiles
    unseen : counts (27,) of what could lie in a hidden hand

    Raises InputError where no hand has just these waits.
    """
    rows: list[NDArray[np.void]] = []
    first, last = [0] * SEATS, [0] * SEATS
    size = 0
    for seat in range(SEATS):
        first[seat] = size
        if shown_waits[seat]:
            hands = _hands(rules, int(shown_waits[seat]), melds[seat], unseen)
            rows.append(_weighed(hands, unseen))
            size += len(hands)
        last[seat] = size
    made = records(size, READY_HAND)
    if rows:
        made[:] = np.concatenate(rows)
    return made, first, last


def _hands(rules: Ruleset, shown: int, melds: Counts, unseen: Counts) -> Counts:
    """Every concealed hand of unseen tiles that waits for just the shown kinds."""
    if rules.tiles.wild != "none":
        raise InputError("query.shown_wild", rules=rules.name)
    kinds = np.array([shown >> slot & 1 for slot in range(NUM_SLOTS)], bool)
    wait = int(kinds.argmax())
    full = _complete(SETS - int((melds > 0).sum()))
    if rules.shapes.seven_pairs and not melds.any():
        full = np.concatenate([full, _chosen(PAIRS, SEVEN)])
    short = full[full[:, wait] > 0]
    short[:, wait] -= 1
    short = short[(short <= unseen).all(axis=1)]
    # A hand as one number: sorting those is many times faster than sorting rows.
    _, first = np.unique(short @ (5 ** np.arange(NUM_SLOTS, dtype=np.uint64)), return_index=True)
    short = short[first]
    found = short[(waits(short, melds, rules) == kinds).all(axis=1)] if len(short) else short
    if not len(found):
        raise InputError("query.shown_none")
    return found


def _complete(sets: int) -> Counts:
    """Every hand of so many sets and a pair, (n, 27)."""
    parts = np.zeros((NUM_KINDS + len(RUN_STARTS), NUM_SLOTS), np.uint8)
    parts[:NUM_KINDS] = 3 * np.eye(NUM_KINDS, NUM_SLOTS, dtype=np.uint8)
    for row, start in enumerate(RUN_STARTS, NUM_KINDS):
        parts[row, start : start + 3] = 1
    return _whole((_chosen(parts, sets)[:, None] + PAIRS[None]).reshape(-1, NUM_SLOTS))


def _chosen(parts: Counts, size: int) -> Counts:
    """Every hand of so many of the parts, a part as often as one likes, (n, 27); each choice once."""
    hands, last = np.zeros((1, NUM_SLOTS), np.uint8), np.zeros(1, np.intp)
    for _ in range(size):
        # One part more, none that comes before the last.
        row, part = np.nonzero(last[:, None] <= np.arange(len(parts)))
        hands, last = hands[row] + parts[part], part
        fit = (hands <= COPIES).all(axis=1)
        hands, last = hands[fit], last[fit]
    return hands


def _whole(hands: Counts) -> Counts:
    """Those of which no kind is held more than four times."""
    whole: Counts = hands[(hands <= COPIES).all(axis=1)]
    return whole


def _weighed(hands: Counts, unseen: Counts) -> NDArray[np.void]:
    """Hands with their chances added up: each by the ways to be dealt it from the unseen tiles."""
    ways = np.array([[comb(there, taken) for taken in range(COPIES + 1)] for there in range(COPIES + 1)], float)
    weights = ways[unseen[None, :], hands].prod(axis=1)
    made = records(len(hands), READY_HAND)
    made["counts"] = hands
    made["until"] = np.cumsum(weights) / weights.sum()
    return made
