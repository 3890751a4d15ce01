"""Turns: in which order discards went on the table, and whose turn comes with how many tiles left.

Nothing else is known of a river that somebody wrote down afterwards: who dealt, and which discard a meld took, follow
from the order of turns, often in one way only.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from kwx_sim.positions.model import ME, SEATS
from kwx_sim.tiles import Meld

__all__ = ["Courses", "Ending", "Order", "courses", "dealer_without_calls", "draws_without_calls"]

NEXT = (1, 2, 0)

Order = tuple[tuple[int, int], ...]
"""Discards in table order, as (seat, slot)."""


class Ending(NamedTuple):
    """What comes after the last discard: the turn of `seat`, or what would be its turn if nobody claims that discard.

    `pong` is the kind with which that turn began, None where it began with a draw; `replacement` says whether the draw
    may have replaced a kong.
    """

    seat: int
    pong: int | None = None
    replacement: bool = False


class Courses(NamedTuple):
    """The courses that a round can have taken: how many, who can have dealt, and one of them.

    `order` has its discards, `claimers` who called each of them, None where nobody did.
    """

    number: int
    dealers: tuple[int, ...]
    order: Order
    claimers: tuple[int | None, ...]


def courses(
    rivers: Sequence[Sequence[int]],
    melds: Sequence[Sequence[Meld]],
    *,
    order: Order | None,
    callers: Sequence[int | None] = (),
    dealer: int | None,
    ending: Ending,
) -> Courses:
    """Every way in which turns lead from the deal over these discards and claims to what is asked about.

    Parameters
    ----------
    rivers : each seat's discards, the claimed ones too
    melds : each seat's melds; those that took a discard are used up by it
    order : the discards in table order, or None where it is not known
    callers : with the order, who called each discard, None where that was not said
    dealer : None for any
    ending : what the last discard leads to
    """
    made = [(seat, meld) for seat in range(SEATS) for meld in melds[seat]]
    takers = {meld.tile: (seat, meld.kind) for seat, meld in made if meld.kind != "concealed_kong"}
    last = _last_places(rivers, {tile: taker for tile, (taker, _) in takers.items()})

    def ends(seat: int, unclaimed: frozenset[int], claimed: int | None) -> bool:
        if seat != ending.seat or unclaimed:
            return False
        if ending.pong is not None or claimed is None:
            return claimed == ending.pong
        return ending.replacement and takers[claimed][1] == "direct_kong"

    def steps(seat: int, used: tuple[int, ...], unclaimed: frozenset[int]) -> list[State]:
        """What the seat's discard can lead to: the next turn, or that of a claimer."""
        if used[seat] == len(rivers[seat]) or (order is not None and order[sum(used)][0] != seat):
            return []
        tile = rivers[seat][used[seat]]
        now = tuple(n + (each == seat) for each, n in enumerate(used))
        said = callers[sum(used)] if callers else None
        claimable = tile in unclaimed and takers[tile][0] != seat and said in (None, takers[tile][0])
        # Without the second condition a position of a dozen pongs took a quarter of a minute.
        passable = said is None and not (claimable and all(now[each] > last[tile][each] for each in range(SEATS)))
        ways: list[State] = [(NEXT[seat], now, unclaimed, None)] if passable else []
        if claimable:
            ways.append((takers[tile][0], now, unclaimed - {tile}, tile))
        return ways

    @cache
    def count(seat: int, used: tuple[int, ...], unclaimed: frozenset[int], claimed: int | None) -> int:
        if sum(used) == total:
            return int(ends(seat, unclaimed, claimed))
        return sum(count(*state) for state in steps(seat, used, unclaimed))

    total = sum(map(len, rivers))
    starts: list[State] = [(seat, (0,) * SEATS, frozenset(takers), None) for seat in range(SEATS)]
    open_starts = [start for start in starts if dealer in (None, start[0]) and count(*start)]
    found: list[tuple[int, int]] = []
    claimers: list[int | None] = []
    if open_starts:
        state = open_starts[0]
        while sum(state[1]) < total:
            seat, used = state[:2]
            found.append((seat, rivers[seat][used[seat]]))
            state = next(way for way in steps(seat, used, state[2]) if count(*way))
            claimers.append(None if state[3] is None else state[0])
    dealers = tuple(start[0] for start in open_starts)
    return Courses(sum(count(*start) for start in open_starts), dealers, tuple(found), tuple(claimers))


def _last_places(rivers: Sequence[Sequence[int]], takers: Mapping[int, int]) -> dict[int, tuple[int, ...]]:
    """Of each kind that was claimed, the last place in each river where its taker can have taken it; −1 for none."""
    return {
        tile: tuple(
            max((n for n, slot in enumerate(river) if slot == tile and seat != taker), default=-1)
            for seat, river in enumerate(rivers)
        )
        for tile, taker in takers.items()
    }


State = tuple[int, tuple[int, ...], frozenset[int], int | None]
"""Whose turn it is, discards used of each river, kinds whose claim is still to come, the kind claimed just before."""


def dealer_without_calls(draws: int, last: int = ME) -> int:
    """Who dealt, where all have drawn in turn, that many times from the front, and `last` made the last draw."""
    return (last - (draws - 1)) % SEATS


def draws_without_calls(draws: int, last: int = ME) -> tuple[int, int, int]:
    """That many draws from the front, dealt out in turn such that `last` made the last of them."""
    mine, following, before = ((draws + (seat - last - 1) % SEATS) // SEATS for seat in range(SEATS))
    return mine, following, before
