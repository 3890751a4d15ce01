"""Whether tiles, discards and the wall add up, and what follows from them: the wall, who dealt, draws."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, NoReturn

import numpy as np

from kwx_sim.errors import InputError
from kwx_sim.positions.model import ME, SEATS, Position, River, seat_name
from kwx_sim.positions.turns import NEXT, Ending, Order, courses, dealer_without_calls, draws_without_calls
from kwx_sim.rules import Ruleset
from kwx_sim.tiles import COPIES, NUM_SLOTS, Counts, Meld, meld_counts, tile_name

__all__ = ["Fit", "OnTable", "counted", "fit_of", "konged"]

DEALT = 39  # 13 to each; the dealer's 14th is its first draw
HAND = 13
MIDDLE = {84: 30, 76: 20}
"""Tiles left in the wall in the middle of a round, by the size of the set."""

NO_RIVERS: tuple[River | None, ...] = (None,) * SEATS


class OnTable(NamedTuple):
    """Copies of each kind, (27,) uint8, by where the asker sees them; a claimed discard is counted in its meld."""

    own: Counts
    melds: Counts
    discards: Counts
    shown: Counts

    def unseen(self, n_kinds: int) -> Counts:
        """The copies that are nowhere in sight, of the kinds in the set."""
        rest: Counts = (COPIES - np.stack(self).sum(axis=0)).astype(np.uint8)
        rest[n_kinds:] = 0
        return rest


@dataclass(frozen=True, eq=False)
class Fit:
    """What adds up.

    Attributes
    ----------
    on_table : where the known tiles are
    wall, dead : tiles left in the wall; discards that were not given
    wall_known, dealer_known, draws_known, ordered : whether these are certain, given what was given
    rivers_known : whether every discard is known
    order : the known discards in table order
    claimers : who called each of them, None for nobody, as far as all discards are known
    dealer, draws : as in the record
    """

    on_table: OnTable
    wall: int
    dead: int
    wall_known: bool
    rivers_known: bool
    order: Order
    claimers: tuple[int | None, ...]
    ordered: bool
    dealer: int
    dealer_known: bool
    draws: tuple[int, ...]
    draws_known: bool


def fit_of(position: Position, rules: Ruleset) -> Fit:
    """Count, and refuse what does not add up: five copies, a wall that does not fit, discards out of turn."""
    return _Fitting(position, rules).fit()


class _Fitting:
    """A position's counts.

    `rest` is how many tiles the wall and the discards that were not given have together, `most` how many the wall can
    have by itself.
    """

    def __init__(self, position: Position, rules: Ruleset) -> None:
        self.position, self.rules = position, rules
        self.rivers = position.discards.rivers if position.discards else NO_RIVERS
        self.offered = position.discard_on_offer
        self._check_last_discard()
        self.melds = tuple(player.melds or () for player in position.players)
        self.kongs = tuple(sum(meld.kind != "pong" for meld in melds) for melds in self.melds)
        self.takers = {meld.tile: seat for seat in range(SEATS) for meld in self.melds[seat] if _took(meld)}
        self.on_table = self._on_table()
        hands = len(position.hand) + sum(HAND - 3 * len(melds) for melds in self.melds[1:]) + position.offered_kong
        laid = int(self.on_table.melds.sum()) + int(self.on_table.discards.sum())
        self.rest = rules.wall_size - hands - laid
        if self.rest < 0:
            raise InputError("positions.too_many", size=rules.wall_size)
        # Somebody has discarded, and the last discard before a draw is one that nobody took.
        replaced = position.has_replacement or position.offered_kong
        claims = position.after_pong or (replaced and "direct_kong" in self._kinds(position.turn))
        self.most = self.rest - bool(self.takers and not claims and not self.on_table.discards.any())

    def fit(self) -> Fit:
        if None not in self.rivers:
            wall = self.rest
            if self.position.wall not in (None, wall):
                raise InputError("positions.wall_exact", wall=self.position.wall, left=wall)
            self._check_pong_before_end(wall)
            return self._complete(wall, wall_known=True)
        wall, wall_known = self._wall()
        if wall == self.rest and not self.takers:
            # No discard is missing: those that were not given are none.
            self.rivers = tuple(river or () for river in self.rivers)
            if self.offered is not None and not self.rivers[self.offered[0]]:
                seat, tile = self.offered
                self.rivers = tuple((tile,) if each == seat else river for each, river in enumerate(self.rivers))
            return self._complete(wall, wall_known)
        return self._incomplete(wall, wall_known)

    # ------------------------------------------------------------ all discards known

    def _complete(self, wall: int, wall_known: bool) -> Fit:
        position = self.position
        rivers = tuple(river or () for river in self.rivers)
        for tile, taker in self.takers.items():
            if not any(tile in (river or ()) for seat, river in enumerate(self._earlier()) if seat != taker):
                raise InputError("positions.unfed", seat=seat_name(taker), tile=tile_name(tile))
        order = position.discards.order if position.discards else None
        found = courses(
            rivers,
            self.melds,
            order=order,
            callers=position.discards.callers if position.discards else (),
            dealer=position.dealer,
            ending=self._ending(),
        )
        if not found.number:
            self._refuse_turns(rivers)
        draws = tuple(self._draws_of(seat, len(river)) for seat, river in enumerate(rivers))
        if position.draws not in (None, draws):
            raise InputError("positions.draws", came=_numbers(position.draws), expected=_numbers(draws))
        return Fit(
            on_table=self.on_table,
            wall=wall,
            dead=0,
            wall_known=wall_known,
            rivers_known=True,
            order=order if order is not None else found.order,
            claimers=found.claimers,
            ordered=order is not None or found.number == 1,
            dealer=found.dealers[0],
            dealer_known=len(found.dealers) == 1,
            draws=draws,
            draws_known=True,
        )

    def _draws_of(self, seat: int, discards: int) -> int:
        """Each discard ended a turn, which a draw, a pong or a direct kong began; each kong brought a replacement."""
        kinds = [meld.kind for meld in self.melds[seat]]
        return discards + (seat == self.position.turn) - kinds.count("pong") + kinds.count("concealed_kong")

    def _ending(self) -> Ending:
        position, melds = self.position, self.melds[ME]
        if self.offered is not None:
            return Ending(NEXT[self.offered[0]])
        if position.offered_kong:
            return Ending(self._last_drawer(), replacement=True)
        return Ending(ME, melds[-1].tile if position.after_pong else None, position.has_replacement)

    def _refuse_turns(self, rivers: tuple[River | None, ...]) -> NoReturn:
        counts = _numbers("–" if river is None else len(river) for river in rivers)
        told = {"discards": counts, "until": self._until()}
        if self.position.dealer is None:
            raise InputError("positions.turns", **told)
        raise InputError("positions.turns_dealer", dealer=seat_name(self.position.dealer), **told)

    def _until(self) -> InputError:
        """What it is that turns lead up to, told in the language of the message that it becomes a part of."""
        if self.position.offered is None:
            return InputError("positions.until.turn")
        return InputError(f"positions.until.{'kong' if self.position.offered_kong else 'discard'}")

    # ------------------------------------------------------------ discards not known, or some

    def _wall(self) -> tuple[int, bool]:
        """Tiles left, as given or nearest to the middle of a round among those that fit; and whether it is certain."""
        given, draws = self.position.wall, self.position.draws
        if given is None and draws is not None:
            given = min(max(0, self.rules.wall_size - DEALT - sum(draws)), self.most)
        if given is not None:
            self._check_pong_before_end(given)
            clash = self._clash_at(given)
            if clash:
                raise clash
            return given, True
        middle = MIDDLE[self.rules.wall_size]
        walls = range(int(self.position.after_pong), self.most + 1)
        fitting = [wall for wall in walls if self._clash_at(wall) is None]
        if not fitting:
            self._refuse_turns(self.rivers)
        return min(fitting, key=lambda wall: abs(wall - middle)), len(fitting) == 1

    def _clash_at(self, wall: int) -> InputError | None:
        """Why so many tiles cannot be left, or None."""
        if wall > self.most:
            return InputError("positions.wall_most", wall=wall, most=self.most)
        front, position = self._front_draws(wall), self.position
        if position.draws is not None and sum(position.draws) != front + sum(self.kongs):
            expected = front + sum(self.kongs)
            return InputError("positions.draws_sum", came=_numbers(position.draws), wall=wall, expected=expected)
        return None if self.takers else self._clash_in_turn(wall, front)

    def _clash_in_turn(self, wall: int, front: int) -> InputError | None:
        """The same where nobody has taken a discard: draws went round in turn, up to the last one."""
        position, last = self.position, self._last_drawer()
        dealer = dealer_without_calls(front, last)
        if position.dealer not in (None, dealer):
            more = wall + (position.dealer - dealer) % SEATS
            walls = _numbers(left for left in (more, more - SEATS) if 0 <= left <= self.most)
            told = {"wall": wall, "walls": walls, "dealer": seat_name(position.dealer), "until": self._until()}
            return InputError("positions.wall_turn", **told)
        in_turn = draws_without_calls(front, last)
        for seat, river in enumerate(self.rivers):
            expected = in_turn[seat] - (seat == position.turn)
            if river is not None and len(river) != expected:
                return InputError(
                    "positions.river_turn", seat=seat_name(seat), came=len(river), expected=expected, wall=wall
                )
        draws = tuple(map(sum, zip(in_turn, self.kongs, strict=True)))
        if position.draws not in (None, draws):
            return InputError("positions.draws", came=_numbers(position.draws), expected=_numbers(draws))
        return None

    def _incomplete(self, wall: int, wall_known: bool) -> Fit:
        position, front = self.position, self._front_draws(wall)
        last = self._last_drawer()
        in_turn = draws_without_calls(front, last)
        draws = position.draws or tuple(map(sum, zip(in_turn, self.kongs, strict=True)))
        guess = dealer_without_calls(front, last)
        return Fit(
            on_table=self.on_table,
            wall=wall,
            dead=self.rest - wall,
            wall_known=wall_known,
            rivers_known=False,
            order=self._known_discards(),
            claimers=(),
            ordered=False,
            dealer=guess if position.dealer is None else position.dealer,
            dealer_known=position.dealer is not None or (wall_known and not self.takers),
            draws=draws,
            draws_known=position.draws is not None or (wall_known and not self.takers),
        )

    def _known_discards(self) -> Order:
        """The first of each, then the second of each, and so on; a discard on offer comes last."""
        placed = [(n, seat, tile) for seat, river in enumerate(self._earlier()) for n, tile in enumerate(river or ())]
        order = tuple((seat, tile) for _, seat, tile in sorted(placed))
        return order if self.offered is None else (*order, self.offered)

    def _earlier(self) -> tuple[River | None, ...]:
        """The rivers without the discard on offer, which nobody has called yet."""
        if self.offered is None:
            return self.rivers
        return tuple(
            river[:-1] if river and seat == self.offered[0] else river for seat, river in enumerate(self.rivers)
        )

    def _check_last_discard(self) -> None:
        """A discard on offer is the last of its river, and of all where they are in table order."""
        if self.offered is None:
            return
        seat, tile = self.offered
        river = self.rivers[seat]
        order = self.position.discards.order if self.position.discards else None
        last = order[-1:] == (self.offered,) if order is not None else river is None or river[-1:] == (tile,)
        if not last:
            raise InputError("positions.offered_last", seat=seat_name(seat), tile=tile_name(tile))

    def _last_drawer(self) -> int:
        """Who drew last. The discard that the asker's pong took was, most likely, the previous player's."""
        if self.position.offered_by is not None:
            return self.position.offered_by
        return 2 if self.position.after_pong else ME

    # ------------------------------------------------------------ counting

    def _kinds(self, seat: int | None) -> list[str]:
        return [] if seat is None else [meld.kind for meld in self.melds[seat]]

    def _front_draws(self, wall: int) -> int:
        return self.rules.wall_size - DEALT - wall - sum(self.kongs)

    def _check_pong_before_end(self, wall: int) -> None:
        if self.position.after_pong and wall == 0:
            raise InputError("positions.pong_at_end")

    def _on_table(self) -> OnTable:
        position = self.position
        earlier = self._earlier()
        discards = counted(slot for river in earlier for slot in river or ())
        for tile, taker in self.takers.items():
            if any(tile in (river or ()) for seat, river in enumerate(earlier) if seat != taker):
                discards[tile] -= 1
        if self.offered is not None:
            discards[self.offered[1]] += 1
        shown = counted(slot for player in position.players for slot in player.shown or ())
        shown += counted(konged(position))
        on_table = OnTable(counted(position.hand), meld_counts(chain.from_iterable(self.melds)), discards, shown)
        for slot, numbers in enumerate(zip(*on_table, strict=True)):
            own, melded, thrown, laid_open = map(int, numbers)
            count = own + melded + thrown + laid_open
            if count > COPIES:
                raise InputError(
                    "positions.copies",
                    tile=tile_name(slot), count=count, hand=own, melds=melded, discards=thrown, shown=laid_open,
                )  # fmt: skip
        return on_table


def _took(meld: Meld) -> bool:
    """Whether somebody's discard lies in the meld."""
    return meld.kind != "concealed_kong"


def konged(position: Position) -> tuple[int, ...]:
    """The tiles of a kong that may be robbed, as far as they lie neither in melds nor among the tiles shown."""
    if position.offered is None or position.offered_by is None or not position.offered_kong:
        return ()
    shown = position.players[position.offered_by].shown
    concealed = position.robs == "concealed_kong" and shown is None
    return (position.offered,) * (COPIES if concealed else 1)


def counted(slots: Iterable[int]) -> Counts:
    """Counts (27,) of tiles."""
    return np.bincount(np.fromiter(slots, np.int64), minlength=NUM_SLOTS).astype(np.uint8)


def _numbers(values: Iterable[Any]) -> str:
    return ", ".join(map(str, values))
