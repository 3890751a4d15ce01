"""A position from a round that was played: all that one seat knows at its decision, and no more."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from kwx_sim.core import state as codes
from kwx_sim.positions.model import SEAT_NAMES, SEATS
from kwx_sim.positions.table import REPLACEMENTS
from kwx_sim.rules import Ruleset
from kwx_sim.tiles import MELD_KINDS, NUM_SLOTS, Counts, Meld, format_hand, format_melds, format_tiles, tile_name

__all__ = ["position_of_round"]

OTHERS = SEAT_NAMES[1:]
DISCARDS = (codes.DISCARD, codes.LIANGDAO)
CALLS = (codes.PONG, codes.DIRECT_KONG)
OWN_KONGS = (codes.MELD_CONCEALED, codes.MELD_ADDED)


def position_of_round(state: np.void, seat: int, rules: Ruleset, room: str | None = None) -> dict[str, Any]:
    """Everything that a seat knows at its decision, as a mapping for `position_of`; seats are told as from there.

    A win that another player missed is known only where its hand lies open.

    Parameters
    ----------
    state : core.state.STATE, with the log of the round from the deal on
    seat : whose decision it is: its own turn, or a claim
    room : the room's name, where the rules have rooms
    """
    s = state
    position = {
        "hand": format_hand(s["counts"][seat]),
        **(_turn(s) if s["phase"] == codes.TURN else _offer(s, seat)),
        "chain": int(s["chain"]),
        "melds": _melds(s, seat),
        "kongs_at": _kongs_at(s, seat),
        "wall": int(s["tail"]) - int(s["front"]),
        "dealer": _seen_from(seat, int(s["dealer"])),
        "draws": _from_seat(s["draws"], seat),
        "piao": _from_seat(s["piao"], seat),
        "missed": _missed(s, seat, rules),
        "discards": _discards(s, seat),
        "me_declared": bool(s["declared"][seat]),
    }
    if s["declared"][seat]:
        position["declared_at"] = int(s["declared_at"][seat])
    if s["first_declared"] < SEATS:
        position["first_declared"] = _seen_from(seat, int(s["first_declared"]))
    if room is not None:
        position["room"] = room
    for step, name in enumerate(OTHERS, 1):
        position[name] = _player(s, (seat + step) % SEATS, rules)
    return position


def _turn(s: np.void) -> dict[str, Any]:
    told: dict[str, Any] = {
        "after_pong": bool(s["tile"] == codes.NO_TILE),
        "replacement": REPLACEMENTS[int(s["replacement"])],
    }
    return told if told["after_pong"] else told | {"drawn": tile_name(int(s["tile"]))}


def _offer(s: np.void, seat: int) -> dict[str, Any]:
    return {
        "offered": tile_name(int(s["tile"])),
        "offered_by": _seen_from(seat, int(s["feeder"])),
        "offered_kong": bool(s["robbing"]),
        "offered_after_kong": bool(s["cannon"]) and not s["robbing"],
    }


def _player(s: np.void, seat: int, rules: Ruleset) -> dict[str, Any]:
    player: dict[str, Any] = {"melds": _melds(s, seat), "declared": bool(s["declared"][seat])}
    player["kongs_at"] = _kongs_at(s, seat)
    if s["declared"][seat]:
        player["declared_at"] = int(s["declared_at"][seat])
        if rules.liangdao.shows == "hand":
            # A tile that is put to a kong was drawn after the hand was shown.
            player["shown"] = format_hand(s["counts"][seat] - _konged(s, seat))
        elif rules.liangdao.shows == "waits":
            mask = int(s["waits"][seat])
            player["waits"] = format_tiles(slot for slot in range(NUM_SLOTS) if mask >> slot & 1)
    return player


def _konged(s: np.void, seat: int) -> Counts:
    konged = np.zeros(NUM_SLOTS, np.uint8)
    if s["phase"] == codes.CLAIM and s["robbing"] and s["feeder"] == seat:
        konged[int(s["tile"])] = 1
    return konged


def _melds(s: np.void, seat: int) -> str:
    kinds, tiles = s["meld_kind"][seat], s["meld_tile"][seat]
    return format_melds(Meld(MELD_KINDS[int(kinds[n]) - 1], int(tiles[n])) for n in range(int(s["n_melds"][seat])))


def _missed(s: np.void, seat: int, rules: Ruleset) -> list[int]:
    open_hands = s["declared"] * (rules.liangdao.shows == "hand")
    open_hands[seat] = 1
    return _from_seat(s["missed"] * open_hands, seat)


def _discards(s: np.void, seat: int) -> list[list[str]]:
    """The discards in table order, each with who made it, what, and who called it if somebody did."""
    river = [(int(s["river_seat"][n]), int(s["river_tile"][n])) for n in range(int(s["n_river"]))]
    return [
        [_seen_from(seat, who), tile_name(tile), *([] if caller is None else [_seen_from(seat, caller)])]
        for (who, tile), caller in zip(river, _callers(s), strict=True)
    ]


def _seen_from(seat: int, other: int) -> str:
    return SEAT_NAMES[(other - seat) % SEATS]


def _from_seat(values: Any, seat: int) -> list[int]:
    return [int(value) for value in np.roll(values, -seat)]


# ---------------------------------------------------------------- from the log


def _acts(s: np.void) -> Iterator[tuple[int, int, int]]:
    """Every action but passes, as kind, tile and seat: the log does not name seats."""
    turn, feeder = int(s["dealer"]), -1
    for code in s["log"][: int(s["n_log"])]:
        kind, tile = int(code) >> 5, int(code) & 31
        if kind in CALLS:
            turn = next(each for each in range(SEATS) if each != feeder and _has_meld(s, each, tile))
        if kind != codes.PASS:
            yield kind, tile, turn
        if kind in DISCARDS:
            feeder, turn = turn, (turn + 1) % SEATS


def _has_meld(s: np.void, seat: int, tile: int) -> bool:
    return tile in [int(each) for each in s["meld_tile"][seat][: int(s["n_melds"][seat])]]


def _callers(s: np.void) -> list[int | None]:
    """Who called each discard."""
    callers: list[int | None] = []
    for kind, _, seat in _acts(s):
        if kind in DISCARDS:
            callers.append(None)
        elif kind in CALLS:
            callers[-1] = seat
    return callers


def _kongs_at(s: np.void, seat: int) -> list[int]:
    """Own draws when each concealed and added kong of the seat was made, in the order of its melds."""
    draws, at = [0] * SEATS, {}
    draws[int(s["dealer"])] += 1
    feeder = -1
    for kind, tile, who in _acts(s):
        if kind in DISCARDS:
            feeder = who
            draws[(who + 1) % SEATS] += 1
        elif kind in CALLS:
            # The next player was counted to draw, and did not.
            draws[(feeder + 1) % SEATS] -= 1
        else:
            at[who, tile] = draws[who]
        if kind not in (*DISCARDS, codes.PONG):
            draws[who] += 1
    melds = zip(s["meld_kind"][seat], s["meld_tile"][seat], strict=True)
    return [at[seat, int(tile)] for kind, tile in melds if int(kind) in OWN_KONGS]
