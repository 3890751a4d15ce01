"""Positions from rounds that the engine played: what one seat knows, written down as a player would."""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from kwx_sim.core import state as codes
from kwx_sim.core.jit import records
from kwx_sim.core.policy import decide
from kwx_sim.core.round import apply, deal
from kwx_sim.core.shapes import load_tables, shanten
from kwx_sim.core.state import STATE
from kwx_sim.policies import parse_policy
from kwx_sim.positions.model import SEAT_NAMES
from kwx_sim.rules import Ruleset, pack
from kwx_sim.tiles import MELD_KINDS, RED, Meld, format_hand, format_melds, format_tiles, tile_name

SEATS = 3
OTHERS = ("next", "previous")
PLAYERS = ("efficient:liangdao=always", "efficient:tremble=0.1", "efficient:pong=2,liangdao=at,declare_at=4")


class ReadyTurn(NamedTuple):
    """A seat's own turn with a hand that has won or that a discard may leave ready: (1,) STATE, and the seat."""

    state: np.ndarray
    seat: int


def position_of_round(state: np.void, seat: int, rules: Ruleset, room: str | None = None) -> dict[str, Any]:
    """Everything that a seat knows at its own turn, as a mapping for `position_of`; seats are told as from there."""
    s = state
    river = [(int(s["river_seat"][i]), int(s["river_tile"][i])) for i in range(int(s["n_river"]))]
    position = {
        "hand": format_hand(s["counts"][seat]),
        "after_pong": bool(s["tile"] == codes.NO_TILE),
        "replacement": ("none", "kong", "red_kong")[int(s["replacement"])],
        "chain": int(s["chain"]),
        "melds": _melds(s, seat),
        "wall": int(s["tail"]) - int(s["front"]),
        "dealer": _seen_from(seat, int(s["dealer"])),
        "draws": _from_seat(s["draws"], seat),
        "piao": _from_seat(s["piao"], seat),
        "missed": _from_seat(s["missed"], seat),
        "discards": [[_seen_from(seat, who), tile_name(tile)] for who, tile in river],
        "me_declared": bool(s["declared"][seat]),
    }
    if s["tile"] != codes.NO_TILE:
        position["drawn"] = tile_name(int(s["tile"]))
    if s["declared"][seat]:
        position["declared_at"] = int(s["declared_at"][seat])
    if s["first_declared"] < SEATS:
        position["first_declared"] = _seen_from(seat, int(s["first_declared"]))
    if room is not None:
        position["room"] = room
    for step, name in enumerate(OTHERS, 1):
        position[name] = _player(s, (seat + step) % SEATS, rules)
    return position


def rotated(state: np.void, seat: int) -> dict[str, Any]:
    """The record's fields with that seat as seat 0."""
    by_seat = {name for name in STATE.names if STATE[name].shape[:1] == (SEATS,)}
    fields = {name: np.roll(state[name], -seat, axis=0) if name in by_seat else state[name] for name in STATE.names}
    for name in ("dealer", "seat", "feeder"):
        fields[name] = (int(state[name]) - seat) % SEATS
    first = int(state["first_declared"])
    fields["first_declared"] = first if first == SEATS else (first - seat) % SEATS
    n = int(state["n_river"])
    fields["river_seat"] = (state["river_seat"][:n].astype(int) - seat) % SEATS
    fields["river_tile"] = state["river_tile"][:n]
    fields["wall_left"] = int(state["tail"]) - int(state["front"])
    return fields


def ready_turns(
    rules: Ruleset, rounds: int, seed: int = 0, players: tuple[str, ...] = PLAYERS, *, rare: bool = False
) -> Iterator[ReadyTurn]:
    """One such turn, at random, of each round that has any; players take turns in playing all three seats.

    With `rare`, walls are stacked for kongs in every fifth round, every third goes on past wins and makes all kongs,
    and turns that a kong's replacement began come before others: not natural, but everything comes up.
    """
    random_ = random.Random(seed)
    tables, packed = load_tables()[0], pack(rules)[0]
    packs = [parse_policy(name).pack()[0] for name in players]
    for number in range(rounds):
        state = records(1, STATE)
        piao = np.array([random_.randint(0, rules.piao.max) for _ in range(SEATS)], np.uint8)
        deal(
            tables,
            packed,
            state[0],
            _wall(random_, rules, stacked=rare and number % 5 == 0),
            random_.randrange(SEATS),
            piao,
        )
        found = []
        key = np.uint64(random_.getrandbits(64))
        while state[0]["phase"] != codes.END:
            if _is_ready_turn(tables, packed, state[0]):
                found.append(ReadyTurn(state.copy(), int(state[0]["seat"])))
            action = decide(tables, packed, state[0], packs[number % len(packs)], key)
            if rare and number % 3 == 2:
                action = _longer(random_, state[0], action)
            apply(tables, packed, state[0], action)
        replaced = [turn for turn in found if rare and turn.state[0]["replacement"]]
        if found:
            yield random_.choice(replaced or found)


def _wall(random_: random.Random, rules: Ruleset, *, stacked: bool) -> np.ndarray:
    """A shuffled wall; a stacked one deals the dealer three fours of a kind, those of the wild kind among them."""
    kinds = list(range(rules.n_kinds))
    random_.shuffle(kinds)
    if rules.tiles.wild != "none":
        # Kongs of both suits would leave nothing to win with where a suit must be missing.
        kinds.sort(key=lambda slot: (slot != RED, slot >= RED // 2))
    front = [slot for slot in kinds[:3] for _ in range(4)] if stacked else []
    rest = [slot for slot in kinds[3 if stacked else 0 :] for _ in range(4)]
    random_.shuffle(rest)
    wall = np.zeros(84, np.uint8)
    wall[: rules.wall_size] = front + rest
    return wall


def _longer(random_: random.Random, s: np.void, action: int) -> int:
    """Mostly no win, and any kong that is legal."""
    if s["phase"] == codes.TURN:
        for kind, mask in ((codes.CONCEALED_KONG, s["can_concealed_kong"]), (codes.ADDED_KONG, s["can_added_kong"])):
            if mask:
                return kind << 5 | _lowest(mask)
    if action >> 5 != codes.WIN or random_.random() < 0.2:
        return action
    if s["phase"] == codes.CLAIM:
        return codes.PASS << 5 | int(s["tile"])
    return codes.DISCARD << 5 | _lowest(s["can_discard"])


def _lowest(mask: int) -> int:
    return (int(mask) & -int(mask)).bit_length() - 1


def _is_ready_turn(tables: np.void, packed: np.void, s: np.void) -> bool:
    if s["phase"] != codes.TURN:
        return False
    seat = int(s["seat"])
    return bool(shanten(tables, packed, *s["idx"][seat], s["pongs"][seat], s["kongs"][seat]) <= 0)


def _player(s: np.void, seat: int, rules: Ruleset) -> dict[str, Any]:
    player: dict[str, Any] = {"melds": _melds(s, seat), "declared": bool(s["declared"][seat])}
    if s["declared"][seat]:
        player["declared_at"] = int(s["declared_at"][seat])
        if rules.liangdao.shows == "hand":
            player["shown"] = format_hand(s["counts"][seat])
        elif rules.liangdao.shows == "waits":
            mask = int(s["waits"][seat])
            player["waits"] = format_tiles(slot for slot in range(27) if mask >> slot & 1)
    return player


def _melds(s: np.void, seat: int) -> str:
    kinds, tiles = s["meld_kind"][seat], s["meld_tile"][seat]
    return format_melds(Meld(MELD_KINDS[int(kinds[n]) - 1], int(tiles[n])) for n in range(int(s["n_melds"][seat])))


def _seen_from(seat: int, other: int) -> str:
    return SEAT_NAMES[(other - seat) % SEATS]


def _from_seat(values: np.ndarray, seat: int) -> list[int]:
    return [int(value) for value in np.roll(values, -seat)]
