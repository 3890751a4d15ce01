"""Positions small enough to enumerate, from rounds that the engine played nearly to the end of the wall.

Nobody wins in these rounds, so that they last. The others either declare, which lays their hands open where the rules
show hands, or call and kong until one concealed tile is left: walls are stacked for that. What the asker then knows is
written down as a player would, and read as any position is.
"""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from position_maker import position_of_round

from kwx_sim.core import state as codes
from kwx_sim.core.jit import records
from kwx_sim.core.policy import decide
from kwx_sim.core.round import apply, deal
from kwx_sim.core.shapes import load_tables, shanten
from kwx_sim.core.state import STATE
from kwx_sim.policies import parse_policy
from kwx_sim.positions import Position, position_of
from kwx_sim.rules import Ruleset, pack

SEATS, HAND = 3, 13
ASKER = 0
LONGEST = {0: 6, 1: 4, 2: 4}
"""The longest wall of a small position, by the number of hidden tiles."""
WALLS = (1, 2, 3, 4, 5, 5, 6, 6, 6)
"""Walls with which positions are looked for: at the asker's first turn with so many tiles left or fewer."""


class Small(NamedTuple):
    """A small position, and the round that it is from: (1,) STATE at the asker's turn, the asker being seat 0."""

    position: Position
    state: np.ndarray
    told: dict[str, Any]


def small_positions(rules: Ruleset, count: int, seed: int = 0) -> Iterator[Small]:
    """So many small positions; where hands are shown every third round is one of calls, else all are."""
    random_ = random.Random(seed)
    shows_hand = rules.liangdao.enabled and rules.liangdao.shows == "hand"
    found = number = 0
    while found < count:
        calling = not shows_hand or number % 3 == 2
        state = _play(rules, random_, calling=calling)
        number += 1
        if state is not None:
            found += 1
            told = position_of_round(state[0], ASKER, rules)
            yield Small(position_of(told), state, told)


def _play(rules: Ruleset, random_: random.Random, *, calling: bool) -> np.ndarray | None:
    """One round up to a turn of the asker at which everything is small, the wall of a length chosen beforehand."""
    tables, packed = load_tables()[0], pack(rules)[0]
    state = records(1, STATE)
    piao = np.array([random_.randint(0, rules.piao.max) for _ in range(SEATS)], np.uint8)
    dealer = random_.randrange(SEATS)
    wall, given_away = _stacked(rules, random_, dealer) if calling else (_shuffled(rules, random_), [])
    deal(tables, packed, state[0], wall, dealer, piao)
    policies = [parse_policy("efficient:liangdao=never").pack()[0]]
    for _ in range(SEATS - 1):
        declares = rules.liangdao.shows == "hand" and (not calling or random_.random() < 0.5)
        policies.append(parse_policy(f"efficient:liangdao={'always' if declares else 'never'}").pack()[0])
    wanted = random_.choice(WALLS)
    key = np.uint64(random_.getrandbits(63))
    s = state[0]
    while s["phase"] != codes.END:
        if _is_small(tables, packed, s, wanted):
            return state
        action = int(decide(tables, packed, s, policies[int(s["seat"])], key))
        if calling:
            action = _called(random_, s, action, given_away)
        apply(tables, packed, s, _without_win(s, action))
    return None


def _is_small(tables: np.void, packed: np.void, s: np.void, wanted: int) -> bool:
    left = int(s["tail"]) - int(s["front"])
    if s["phase"] != codes.TURN or s["seat"] != ASKER or left > wanted:
        return False
    shown = [s["declared"][seat] and packed["shows"] == 2 for seat in (1, 2)]
    hidden = [0 if open_ else HAND - 3 * int(s["n_melds"][seat]) for seat, open_ in zip((1, 2), shown, strict=True)]
    # What shows its waits alone is no matter of counting.
    closed = [s["declared"][seat] and packed["shows"] == 1 for seat in (1, 2)]
    if max(hidden) > 1 or left > LONGEST[sum(hidden)] or any(closed):
        return False
    return bool(shanten(tables, packed, *s["idx"][ASKER], s["pongs"][ASKER], s["kongs"][ASKER]) <= 0)


def _shuffled(rules: Ruleset, random_: random.Random) -> np.ndarray:
    tiles = [slot for slot in range(rules.n_kinds) for _ in range(4)]
    random_.shuffle(tiles)
    return _padded(tiles)


def _stacked(rules: Ruleset, random_: random.Random, dealer: int) -> tuple[np.ndarray, list[int]]:
    """A wall that deals each other player two fours, a three and a two of a kind; and what they wait to call.

    The asker is dealt what completes them, and gives it away. Each player's kinds are mostly of one suit, or a suit
    that must be missing would leave it nothing to win.
    """
    dealt: dict[int, list[int]] = {ASKER: [], 1: [], 2: []}
    given_away = []
    for seat, suit in ((1, 0), (2, 9)):
        kinds = [suit + k for k in range(9)]
        if rules.tiles.wild == "none" and random_.random() < 0.5:
            kinds = [*kinds[:3], 17 + seat]
        random_.shuffle(kinds)
        for kind, copies in zip(kinds, (4, 4, 3, 2), strict=False):
            dealt[seat] += [kind] * copies
            dealt[ASKER] += [kind] * (copies in (2, 3))
        given_away += kinds[2:4]
    rest = [slot for slot in range(rules.n_kinds) for _ in range(4)]
    for hand in dealt.values():
        for tile in hand:
            rest.remove(tile)
    random_.shuffle(rest)
    tiles = []
    for step in range(SEATS):
        hand = dealt[(dealer + step) % SEATS]
        tiles += hand + [rest.pop() for _ in range(HAND - len(hand))]
    return _padded(tiles + rest), given_away


def _padded(tiles: list[int]) -> np.ndarray:
    wall = np.zeros(84, np.uint8)
    wall[: len(tiles)] = tiles
    return wall


def _called(random_: random.Random, s: np.void, action: int, given_away: list[int]) -> int:
    """The others call and kong whatever they can; the asker gives away what they wait for, and calls now and then."""
    tile = int(s["tile"])
    if s["seat"] == ASKER:
        held = [kind for kind in given_away if s["counts"][ASKER][kind]]
        if s["phase"] == codes.TURN and held:
            given_away.remove(held[0])
            return codes.DISCARD << 5 | held[0]
        return action
    if s["phase"] == codes.CALL:
        kong = s["can_direct_kong"] and (not s["can_pong"] or random_.random() < 0.5)
        return (codes.DIRECT_KONG if kong else codes.PONG) << 5 | tile
    if s["phase"] == codes.TURN:
        for kind, mask in ((codes.CONCEALED_KONG, s["can_concealed_kong"]), (codes.ADDED_KONG, s["can_added_kong"])):
            if mask:
                return kind << 5 | _lowest(mask)
        kept = int(s["can_discard"]) & ~_held_twice(s)
        plain = (action & 31) if action >> 5 == codes.DISCARD and not _held_twice(s) >> (action & 31) & 1 else None
        if action >> 5 != codes.LIANGDAO and plain is None and kept:
            return codes.DISCARD << 5 | _lowest(kept)
    return action


def _held_twice(s: np.void) -> int:
    counts = s["counts"][int(s["seat"])]
    return sum(1 << slot for slot in range(21) if counts[slot] >= 2)


def _without_win(s: np.void, action: int) -> int:
    if action >> 5 != codes.WIN:
        return action
    if s["phase"] == codes.CLAIM:
        return codes.PASS << 5 | int(s["tile"])
    allowed = int(s["can_discard"])
    return codes.DISCARD << 5 | (int(s["tile"]) if allowed >> int(s["tile"]) & 1 else _lowest(allowed))


def _lowest(mask: int) -> int:
    return (int(mask) & -int(mask)).bit_length() - 1
