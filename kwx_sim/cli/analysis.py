"""What can be said about a hand: the facts as plain data, which `kwx hand` prints as tables or as JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from kwx_sim.errors import InputError
from kwx_sim.hands import acceptance, is_hu, shanten, waits
from kwx_sim.rules import Ruleset
from kwx_sim.scoring import readings, score
from kwx_sim.tiles import (
    COPIES,
    NUM_SLOTS,
    Counts,
    Meld,
    format_hand,
    format_melds,
    meld_counts,
    parse_hand,
    parse_melds,
    parse_tiles,
    tile_name,
)

__all__ = ["Hand", "analyse", "read_hand", "verdict"]


class Hand:
    """A checked hand: concealed tiles, melds, and what is seen elsewhere, under a ruleset.

    Attributes
    ----------
    tiles, called, seen : counts (27,), uint8: concealed, in the melds, seen elsewhere
    drawn : whether it holds 3k + 2 concealed tiles, as after a draw
    """

    def __init__(self, tiles: Counts, melds: list[Meld], seen: Counts, rules: Ruleset) -> None:
        self.tiles, self.melds, self.seen, self.rules = tiles, melds, seen, rules
        self.called = meld_counts(melds)
        size, expected = int(tiles.sum()), 13 - 3 * len(melds)
        if size not in (expected, expected + 1):
            raise InputError("cli.hand_size", count=size, ready=expected, drawn=expected + 1, melds=len(melds))
        self.drawn = size == expected + 1
        known = tiles.astype(np.int64) + self.called + seen
        if known.max() > COPIES:
            slot = int(known.argmax())
            raise InputError("cli.hand_copies", tile=tile_name(slot), count=int(known[slot]))
        self.left = COPIES - known

    def without(self, slot: int) -> Counts:
        """Give the concealed tiles after a discard."""
        tiles = self.tiles.copy()
        tiles[slot] -= 1
        return tiles


def read_hand(rules: Ruleset, hand: str, melds: str | list[str], seen: str = "") -> Hand:
    """Read a hand from text. Raises InputError."""
    size = rules.tiles.set
    others = np.bincount(parse_tiles(seen, tiles=size), minlength=NUM_SLOTS).astype(np.uint8)
    return Hand(parse_hand(hand, tiles=size), parse_melds(melds, tiles=size), others, rules)


def verdict(hand: Hand) -> dict[str, Any]:
    """Tell whether it wins, what it waits for, and its shanten: −1 won, 0 ready.

    A hand before its draw wins nothing yet; a hand after it waits for nothing.
    """
    asked = hand.tiles, hand.called, hand.rules
    return {
        "hu": bool(is_hu(*asked)) if hand.drawn else False,
        "waits": [] if hand.drawn else _names(waits(*asked)),
        "shanten": int(shanten(*asked)),
    }


def analyse(hand: Hand) -> dict[str, Any]:
    """Tell all there is to say: the verdict, and beside it waits, acceptance, readings or discards."""
    told = {
        "hand": format_hand(hand.tiles),
        "melds": format_melds(hand.melds).split(),
        "rules": hand.rules.name,
        **verdict(hand),
    }
    if told["hu"]:
        return told | {"readings": _readings(hand)}
    if hand.drawn:
        return told | {"discards": _discards(hand)}
    if told["shanten"] == 0:
        return told | {"ready": [_wait(hand, tile) for tile in told["waits"]]}
    return told | _helping(hand, hand.tiles)


def _names(kinds: Any) -> list[str]:
    return [tile_name(int(slot)) for slot in np.flatnonzero(kinds)]


def _wait(hand: Hand, tile: str) -> dict[str, Any]:
    """听口: a wait with its live tiles and what it scores, self-drawn and discarded."""
    return {"tile": tile, "live": _live(hand, tile)} | {
        by: _scored(hand, hand.tiles, tile, by) for by in ("self_draw", "discard")
    }


def _live(hand: Hand, tile: str) -> int:
    return int(hand.left[parse_tiles(tile)[0]])


def _scored(hand: Hand, tiles: Counts, tile: str, by: str) -> dict[str, Any]:
    scored = score(tiles, hand.melds, tile, by, rules=hand.rules)
    return {"fan": scored.fan, "fans": scored.fans}


def _helping(hand: Hand, tiles: Counts) -> dict[str, Any]:
    """进张: the kinds that bring the hand nearer, each with its live tiles, and their sum."""
    names = _names(acceptance(tiles, hand.called, hand.rules))
    live = {tile: _live(hand, tile) for tile in names}
    return {"acceptance": live, "live": sum(live.values())}


def _readings(hand: Hand) -> list[dict[str, Any]]:
    """拆法: each reading with the winning tile that is best for it."""
    found = readings(hand.tiles, hand.melds, rules=hand.rules)
    return [{"sets": r.sets, "win": tile_name(r.win), "fan": r.fan, "fans": r.fans} for r in found]


def _discards(hand: Hand) -> list[dict[str, Any]]:
    """打哪张: each discard with the shanten after it and what then helps, the best first."""
    found = [_discard(hand, int(slot)) for slot in np.flatnonzero(hand.tiles)]
    return sorted(found, key=lambda one: (one["shanten"], -one["live"], -len(one["acceptance"])))


def _discard(hand: Hand, slot: int) -> dict[str, Any]:
    tiles = hand.without(slot)
    told: dict[str, Any] = {"tile": tile_name(slot), "shanten": int(shanten(tiles, hand.called, hand.rules))}
    told |= _helping(hand, tiles)
    # What brings a ready hand nearer is what it waits for.
    return told | {"waits": list(told["acceptance"]) if told["shanten"] == 0 else []}
