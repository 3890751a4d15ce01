"""Which tiles of many hands stand alone, which are part of a pair or half a sequence, which hands wait for one tile."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["lone_kinds", "partial_kinds", "single_tile_wait"]

SUITS, RANKS, SUITED = 2, 9, 18
REACH = 2
"""Tiles as far apart as this may come to lie in one sequence."""

MOST_SETS = 4
DIGITS = 5 ** np.arange(RANKS)

Counts = NDArray[np.uint8]
Mask = NDArray[np.bool_]


def lone_kinds(counts: Counts) -> Mask:
    """孤张: the suited kinds held once, with nothing within two of them; (n, 27) to (n, 18)."""
    held = _by_suit(counts) > 0
    lone = _by_suit(counts) == 1
    for step in range(1, REACH + 1):
        lone[:, :, step:] &= ~held[:, :, :-step]
        lone[:, :, :-step] &= ~held[:, :, step:]
    return np.asarray(lone.reshape(len(counts), SUITED))


def partial_kinds(counts: Counts) -> Mask:
    """搭子: the suited kinds of pairs and of halves of a sequence that lie in no triplet and no whole sequence."""
    held = _by_suit(counts) > 0
    whole = _by_suit(counts) > 2
    run = held[:, :, :-2] & held[:, :, 1:-1] & held[:, :, 2:]
    for step in range(3):
        whole[:, :, step : RANKS - 2 + step] |= run
    partial = held & ~whole & ~lone_kinds(counts).reshape(held.shape)
    return partial.reshape(len(counts), SUITED)


def single_tile_wait(counts: Counts, waits: NDArray[np.uint32]) -> Mask:
    """单吊: hands of one wait, a kind that they hold and without which all their concealed tiles are sets.

    Parameters
    ----------
    counts : (n, 27), concealed, 13 tiles or three fewer for every meld
    waits : (n,), bits of kinds
    """
    tile = np.bitwise_count(waits - np.uint32(1) & ~waits)
    one = np.bitwise_count(waits) == 1
    rows, kind = np.arange(len(counts)), np.where(one, tile, 0)
    held = one & (counts[rows, kind] > 0)
    rest = counts.astype(np.int64)
    rest[rows, kind] -= held
    suits = np.isin(_by_suit(rest) @ DIGITS, _all_sets()).all(axis=1)
    return np.asarray(held & suits & (rest[:, SUITED:] % 3 == 0).all(axis=1))


def _by_suit(counts: NDArray[np.integer]) -> NDArray[np.integer]:
    return counts[:, :SUITED].reshape(len(counts), SUITS, RANKS)


@cache
def _all_sets() -> NDArray[np.int64]:
    """Every holding of a suit that is nothing but sets, its counts as digits of a number in base 5."""
    sets = [3 * (np.arange(RANKS) == rank) for rank in range(RANKS)]
    sets += [np.isin(np.arange(RANKS), (low, low + 1, low + 2)).astype(np.int64) for low in range(RANKS - 2)]
    found = {tuple([0] * RANKS)}
    for _ in range(MOST_SETS):
        found |= {tuple(holding + added) for holding in map(np.array, found) for added in sets}
    return np.sort(np.array([holding for holding in found if max(holding) <= 4]) @ DIGITS)
