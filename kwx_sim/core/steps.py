"""What a draw or a discard does for the aims of a block, in numpy, once, when the tables are built.

It depends on the block's class before and after alone. A block's answer is a *row*: two words of seven lanes, a lane an
aim, a bit a kind. Many blocks share a row.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core.layout import AIMS, LANE, LANES, PAIR_AIMS, SETS_AIMS

__all__ = ["aims_of", "listed", "lowered", "rows", "unchanged"]

Aims = NDArray[np.uint8]
"""Costs of every aim of every class, (classes, aims), in the order of the aims' bits."""

Rows = NDArray[np.uint64]
"""(blocks, 2)"""

MIXER = np.uint64(0x9E3779B97F4A7C15)


def aims_of(costs: NDArray[np.uint8]) -> Aims:
    """The aims of classes from their costs (classes, sets, pair); the last sort of pair is any."""
    aims = np.zeros((len(costs), AIMS), np.uint8)
    aims[:, PAIR_AIMS] = costs[:, :, -1]
    aims[:, SETS_AIMS] = costs[:, :, 0]
    return aims


def lowered(before: Aims, after: Aims) -> NDArray[np.bool_]:
    """Draws that bring an aim nearer."""
    return after < before


def unchanged(before: Aims, after: Aims) -> NDArray[np.bool_]:
    """Discards that leave an aim as near."""
    return after == before


def rows(
    aims: Aims,
    judge: Callable[[Aims, Aims], NDArray[np.bool_]],
    classes: NDArray[np.integer],
    changes: Sequence[tuple[NDArray[np.bool_], NDArray[np.integer]]],
) -> Rows:
    """The rows of blocks: bit `kind` of lane `aim` where the judge says yes of the kind's change.

    classes : class of each block
    changes : for each kind, of each block: whether it can change by that kind, and the class that it then has
    """
    judged = judge(aims[:, None], aims[None])  # before, after, aim
    lanes = np.zeros((2, *judged.shape[:2]), np.uint64)
    for aim in range(judged.shape[2]):
        lanes[aim // LANES] |= judged[:, :, aim].astype(np.uint64) << np.uint64(LANE * (aim % LANES))
    lanes = lanes.reshape(2, -1)
    words = np.zeros((2, len(classes)), np.uint64)
    for kind, (possible, after) in enumerate(changes):
        change = classes * np.int64(len(aims)) + after
        words |= lanes[:, change] * possible << np.uint64(kind)
    return words.T


def listed(of_blocks: NDArray[np.unsignedinteger]) -> tuple[NDArray[np.integer], NDArray[np.unsignedinteger]]:
    """The different rows of (blocks, n), and each block's place among them."""
    # Sorting one word of each row is many times faster than sorting rows.
    weights = np.cumprod(np.full(of_blocks.shape[1], MIXER))
    _, first, place = np.unique(of_blocks @ weights, return_index=True, return_inverse=True)
    different = of_blocks[first]
    if not np.array_equal(different[place], of_blocks):
        raise AssertionError("two different rows make the same word: MIXER has to be another number")
    return place, different
