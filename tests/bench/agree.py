"""Where the games agree, so that a peer must answer as we do, and the comparison itself.

Theirs is riichi with 34 kinds: a four of a kind is not two of seven pairs, seven pairs are of seven kinds, there are
thirteen orphans, and a peer that is given concealed tiles alone does not know what copies lie in the melds.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kwx_sim
from bench.inputs import Counts, Hands

__all__ = ["ALIKE", "DisagreementError", "compare"]

ORPHANS = [0, 8, 9, 17, 18, 19, 20]
PAIRS, ORPHANS_WON = 7, 14


class DisagreementError(AssertionError):
    """A peer answers otherwise where the games agree; its text shows the hand."""


def compare(question: str, hands: Hands, ours: NDArray[Any], theirs: Sequence[Any], package: str) -> int:
    """Compare answers on the hands where the games agree: how many those are. Raises DisagreementError."""
    alike = ALIKE[question](hands)
    ours = ours[:, :21] if ours.ndim == 2 else ours
    for number in np.flatnonzero(alike).tolist():
        if not np.array_equal(ours[number], theirs[number]):
            shown = kwx_sim.format_hand(hands.counts[number])
            melds = "" if hands.melds is None else f", melds {kwx_sim.format_hand(hands.melds[number])}"
            raise DisagreementError(
                f"{question}: {shown}{melds}: kwx_sim says {ours[number].tolist()}, {package} says {theirs[number]}"
            )
    return int(alike.sum())


def _same_wins(hands: Hands) -> NDArray[np.bool_]:
    """Hands of 14: not those of pairs alone with a four of a kind among them."""
    even = (hands.counts % 2 == 0).all(axis=1)
    return ~(even & (hands.counts == 4).any(axis=1))


def _same_waits(hands: Hands) -> NDArray[np.bool_]:
    """Hands of 13: not those of pairs but for one tile with three or four of a kind among them."""
    single = (hands.counts % 2).sum(axis=1) == 1
    return ~(single & (hands.counts >= 3).any(axis=1))


def _same_shanten(hands: Hands) -> NDArray[np.bool_]:
    """Hands that are nearer to sets and a pair than to pairs, or hold two of a kind at most; orphans further away.

    Where seven pairs are as near, the shanten is still the same, but not the tiles that help.
    """
    counts = hands.counts
    shanten = kwx_sim.shanten(counts)
    pairs = PAIRS - 1 - (counts // 2).sum(axis=1, dtype=int)
    kinds = (counts[:, ORPHANS] > 0).sum(axis=1) + (counts[:, ORPHANS] > 1).any(axis=1)
    return ((pairs > shanten) | (counts <= 2).all(axis=1)) & (ORPHANS_WON - 1 - kinds > shanten)


def _same_melded(hands: Hands) -> NDArray[np.bool_]:
    """Hands that hold nothing within a sequence of what lies in a meld: no copy in a meld can be missed then."""
    assert hands.melds is not None
    return ~(_near(hands.melds) & (hands.counts > 0)).any(axis=1)


def _near(melds: Counts) -> NDArray[np.bool_]:
    """The kinds that could share a sequence or a pair with a kind in the melds."""
    near = melds > 0
    for start in (0, 9):
        suit = melds[:, start : start + 9] > 0
        for step in (1, 2):
            near[:, start + step : start + 9] |= suit[:, :-step]
            near[:, start : start + 9 - step] |= suit[:, step:]
    return near


ALIKE: dict[str, Callable[[Hands], NDArray[np.bool_]]] = {
    "win": _same_wins,
    "waits": _same_waits,
    "shanten": _same_shanten,
    "melded shanten": _same_melded,
    "acceptance": _same_shanten,
    "discards": _same_shanten,
}
"""By question: the hands on which both games give one answer."""
