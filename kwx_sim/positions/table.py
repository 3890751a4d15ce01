"""Table: what kernels need of a position: the round's record as far as it is known, and what is not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core import state as codes
from kwx_sim.core.jit import records
from kwx_sim.core.state import BIT, BLOCK, NO_TILE, POW5, STATE
from kwx_sim.errors import InputError
from kwx_sim.positions.course import Act
from kwx_sim.positions.fit import Fit, counted, konged
from kwx_sim.positions.model import ME, SEATS, Position
from kwx_sim.rules import Ruleset
from kwx_sim.tiles import MELD_KINDS, Counts, Meld

__all__ = ["REPLACEMENTS", "Assumption", "Table", "record_of"]

REPLACEMENTS = ("none", "kong", "red_kong")
"""Words of `Position.replacement`, in the order of the record's codes."""

History = Literal["complete", "partial", "none"]


class Assumption(NamedTuple):
    """Something that was not given and is taken to be so: a key of the catalogue, and what fills its text."""

    key: str
    params: dict[str, Any]

    def text(self, lang: str = "en") -> str:
        """One sentence in zh or en."""
        return InputError(self.key, **self.params).message(lang)


@dataclass(frozen=True, eq=False)
class Table:
    """A checked position.

    Attributes
    ----------
    state : (1,) STATE, the asker's decision, seat 0 the asker. Unknown tiles and the wall are zeros; the `can_` fields
        are for `find_turn_actions` once those are filled, and where a tile is on offer they say whether the asker may
        win it, and call it once nobody wins it. What the round has paid so far, every seat's number of decisions, the
        log and the others' answers are not part of a position: they start from 0
    unseen : (27,) uint8, copies neither in the own hand, nor in a meld, nor discarded, nor in a hand laid open
    hidden : (3,) int64, concealed tiles of each seat that are not known
    shown_waits : (3,) uint32, kinds that a hidden declared hand waits for, exactly; 0 where nothing is said
    dead : unseen tiles that are neither in hands nor in the wall: discards that were not given
    history : "complete" where all discards are known, "none" where nothing is known of the others, else "partial"
    ordered : whether the order of `state`'s river is certain, not only one that turns allow
    course : the acts of the round in table order, of one course that fits; None unless history is complete
    assumptions : what was not given and what it is taken to be
    """

    state: NDArray[np.void]
    unseen: Counts
    hidden: NDArray[np.int64]
    shown_waits: NDArray[np.uint32]
    dead: int
    history: History
    ordered: bool
    course: tuple[Act, ...] | None
    assumptions: tuple[Assumption, ...]


def record_of(
    position: Position,
    rules: Ruleset,
    fit: Fit,
    hands: Sequence[Counts | None],
    waits: Sequence[int],
    drawn: int,
    first_declared: int | None,
) -> NDArray[np.void]:
    """The record: (1,) STATE.

    Parameters
    ----------
    hands : concealed tiles of each seat, None where they are hidden; without those of a kong that may be robbed
    waits : mask of each seat's waits, 0 where they are not known
    drawn : the tile just drawn, or NO_TILE
    """
    made = records(1, STATE)
    s = made[0]
    for seat, player in enumerate(position.players):
        hand = hands[seat]
        if hand is not None:
            _put_hand(s, seat, hand)
        _put_melds(s, seat, player.melds or ())
        s["declared"][seat] = player.has_declared
        if player.has_declared:
            known = player.declared_at is not None
            s["declared_at"][seat] = player.declared_at if known else fit.draws[seat]
    s["waits"] = waits
    s["first_declared"] = SEATS if first_declared is None else first_declared
    for n, (seat, tile) in enumerate(fit.order):
        s["river_seat"][n], s["river_tile"][n] = seat, tile
    s["n_river"] = len(fit.order)
    s["seen"] = fit.on_table.melds + fit.on_table.discards
    s["tail"] = rules.wall_size - int((s["meld_kind"] > codes.MELD_PONG).sum())
    s["front"] = int(s["tail"]) - fit.wall
    s["dealer"] = fit.dealer
    s["piao"] = position.piao or 0
    s["draws"] = fit.draws
    s["missed"] = position.missed or 0
    s["replacement"] = REPLACEMENTS.index(position.replacement or "none")
    s["chain"] = position.chain if position.chain is not None else int(position.follows_kong)
    s["phase"], s["seat"], s["feeder"], s["tile"] = codes.TURN, ME, ME, drawn
    s["win_tile"], s["maima_tile"] = NO_TILE, NO_TILE
    if position.offered is not None:
        _put_offer(s, position)
    return made


def _put_offer(s: Any, position: Position) -> None:
    s["feeder"], s["tile"], s["cannon"] = position.offered_by, position.offered, position.offered_after_kong
    if position.robs:
        s["robbing"] = MELD_KINDS.index(position.robs) + 1
        _put_hand(s, int(s["feeder"]), counted(konged(position)))


def _put_hand(s: Any, seat: int, hand: Counts) -> None:
    """Add concealed tiles."""
    s["counts"][seat] += hand
    for slot, count in enumerate(hand.tolist()):
        s["idx"][seat, BLOCK[slot]] += np.uint32(count) * POW5[slot]
        s["held"][seat] |= BIT[slot] if count else 0
        s["quads"][seat] |= BIT[slot] if s["counts"][seat, slot] == 4 else 0


def _put_melds(s: Any, seat: int, melds: Sequence[Meld]) -> None:
    for n, meld in enumerate(melds):
        s["meld_kind"][seat, n] = MELD_KINDS.index(meld.kind) + 1
        s["meld_tile"][seat, n] = meld.tile
        s["pongs" if meld.kind == "pong" else "kongs"][seat] |= BIT[meld.tile]
        # An added kong was a pong before: two calls.
        s["calls"] += 2 if meld.kind == "added_kong" else 1
    s["n_melds"][seat] = len(melds)
