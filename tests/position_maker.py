"""Positions from rounds that the engine played: what one seat knows, written down as a player would."""

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from kwx_sim.core import state as codes
from kwx_sim.core.jit import records
from kwx_sim.core.legal import may_win_offer
from kwx_sim.core.policy import decide
from kwx_sim.core.round import apply, deal
from kwx_sim.core.shapes import load_tables, shanten
from kwx_sim.core.state import STATE
from kwx_sim.policies import parse_policy
from kwx_sim.positions import of_round
from kwx_sim.rules import Ruleset, pack
from kwx_sim.tiles import RED

SEATS = 3
PLAYERS = ("efficient:liangdao=always", "efficient:tremble=0.1", "efficient:pong=2,liangdao=at,declare_at=4")


class Moment(NamedTuple):
    """A seat's decision: (1,) STATE, and the seat."""

    state: np.ndarray
    seat: int


Wanted = Callable[[np.void, np.void, np.void], bool]
"""Whether a decision (tables, rules, state) is one to be asked about."""


def position_of_round(state: np.void, seat: int, rules: Ruleset, room: str | None = None) -> dict[str, Any]:
    """Everything that a seat knows at its decision, and what the others missed besides."""
    told = of_round.position_of_round(state, seat, rules, room)
    return told | {"missed": [int(fan) for fan in np.roll(state["missed"], -seat)]}


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
) -> Iterator[Moment]:
    """Own turns with a hand that has won or that a discard may leave ready."""
    yield from _moments(rules, rounds, seed, players, rare=rare, wanted=_is_ready_turn)


def offers(
    rules: Ruleset, rounds: int, seed: int = 0, players: tuple[str, ...] = PLAYERS, *, rare: bool = False
) -> Iterator[Moment]:
    """Decisions about another's tile: to win, to rob, to call."""
    yield from _moments(rules, rounds, seed, players, rare=rare, wanted=_is_offer)


def _moments(
    rules: Ruleset, rounds: int, seed: int, players: tuple[str, ...], *, rare: bool, wanted: Wanted
) -> Iterator[Moment]:
    """One such decision, at random, of each round that has any; players take turns in playing all three seats.

    With `rare`, walls are stacked for kongs in every fifth round, every third goes on past wins and makes all kongs,
    and what follows a kong comes before the rest: not natural, but everything comes up.
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
            if wanted(tables, packed, state[0]):
                found.append(Moment(state.copy(), int(state[0]["seat"])))
            action = decide(tables, packed, state[0], packs[number % len(packs)], key)
            if rare and number % 3 == 2:
                action = _longer(random_, state[0], action)
            apply(tables, packed, state[0], action)
        robbing = [moment for moment in found if rare and _is_offer(tables, packed, moment.state[0])]
        robbing = [moment for moment in robbing if moment.state[0]["robbing"]]
        replaced = [moment for moment in found if rare and moment.state[0]["replacement"]]
        if found:
            yield random_.choice(robbing or replaced or found)


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


def _is_offer(tables: np.void, packed: np.void, s: np.void) -> bool:
    """A tile is on offer; to a seat that has let the win go just before, it is no longer what it was."""
    if s["phase"] == codes.CALL:
        return not may_win_offer(tables, packed, s, s["seat"])
    return bool(s["phase"] == codes.CLAIM)
