"""Questions taken apart: their worlds one by one, their arms stepped from Python, their looks, their exact values."""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kwx_sim import hands
from kwx_sim.contest import PILOT, Contest, Standing
from kwx_sim.core import state as codes
from kwx_sim.core.policy import decide
from kwx_sim.core.rng import stream_key
from kwx_sim.core.round import apply
from kwx_sim.core.world import make_world
from kwx_sim.policies import parse_policy
from kwx_sim.positions import Position, position_of
from kwx_sim.query.arms import Arm, packed
from kwx_sim.query.exact import Orders
from kwx_sim.query.question import Options, Question
from kwx_sim.query.standing import bound
from kwx_sim.query.worlds import BELIEFS, BLOCK, scratch
from kwx_sim.rules import Ruleset, load_rules
from kwx_sim.sequences import schedule
from kwx_sim.tiles import RED

SEATS = 3
SHARES = ("by_self_draw", "by_discard", "fed", "other_won", "undecided", "fan")


class Asked:
    """A question, its table, its worlds and its arms; nothing is played yet.

    With `played_in` worlds are played in from the deal however few deals lead to one.
    """

    def __init__(
        self,
        position: Position | dict[str, Any] | str,
        rules: Ruleset | str,
        me: str = "efficient",
        others: str = "efficient",
        seed: int = 1,
        workers: int = 1,
        *,
        belief: str | None = None,
        played_in: bool = False,
    ) -> None:
        self.position = Position.of(position) if isinstance(position, str) else position_of(position)
        self.rules = rules if isinstance(rules, Ruleset) else load_rules(rules)
        policies = parse_policy(me), parse_policy(others)
        options = Options(seed=seed, workers=workers, belief=belief)
        question = Question(self.position, self.rules, "liangdao", policies[0], {others: policies[1]}, options)
        self.table, self.worlds, self.arms = question.table, question.worlds, question.arms
        self.packed_rules = question.packed_rules
        if played_in:
            self.worlds = self.worlds.believing("played_in")
        self.orders = partial(Orders, self.table, self.packed_rules, self.worlds.policies)

    def index(self, name: str) -> int:
        """The place of an arm by its name."""
        return [arm.name for arm in self.arms].index(name)

    def world(self, number: int) -> NDArray[np.void]:
        """The round at the asker's decision in one world: (1,) STATE."""
        w, room = self.worlds, scratch()
        key = np.uint64(stream_key(w.key, number))
        log = make_world(w.tables[0], w.rules[0], w.known, BELIEFS[w.belief], w.policies[0], key, room)
        assert np.isfinite(log), "a world without weight"
        return room.states[:1]

    def numbers(self, count: int) -> list[int]:
        """Those of the first worlds that have any weight."""
        blocks = self.worlds.play(packed([]), 0, count)
        return np.flatnonzero(np.isfinite(np.concatenate([block.logs for block in blocks]))).tolist()

    def results(self, count: int, arms: NDArray[np.void] | None = None) -> NDArray[np.void]:
        """The first worlds' results, (count, arms) RESULT."""
        blocks = self.worlds.play(packed(self.arms) if arms is None else arms, 0, count)
        return np.concatenate([block.results for block in blocks])

    def gains(self, count: int, arm: str, other: str) -> NDArray[np.int64]:
        """The difference of two arms' points in each of the first worlds."""
        points = self.results(count)["points"].astype(np.int64)
        return points[:, self.index(arm)] - points[:, self.index(other)]

    def exact(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Exact mean points by arm, and exact mean luck by arm and control."""
        points, luck, weights = 0, 0, 0
        for results, weight in self.orders().play(packed(self.arms)):
            points = points + weight * results["points"].sum(axis=0, dtype=np.float64)
            luck = luck + weight * results["luck"].sum(axis=0)
            weights += weight * len(results)
        return points / weights, luck / weights

    def looks(self, worlds: int) -> Iterator[Standing]:
        """How the contest of all arms stands at each look; every arm is played to the end."""
        contest, done = Contest(len(self.arms), self.bound), 0
        for look in schedule(PILOT, BLOCK, worlds):
            for block in self.worlds.play(packed(self.arms), done, look):
                contest.add(block.results["points"], block.results["luck"])
            done = look
            yield contest.look()

    @property
    def bound(self) -> float:
        """B of the rules, in bases."""
        return bound(self.packed_rules[0])


# ---------------------------------------------------------------- a second way to play an arm


class Played(NamedTuple):
    """How an arm ended: the round's record, every action with the tiles left then, and the fields of RESULT."""

    state: NDArray[np.void]
    actions: list[tuple[int, int]]
    points: list[int]
    luck: list[float]
    shares: dict[str, int]


def play_arm(asked: Asked, world: NDArray[np.void], arm: Arm, number: int = 0, *, sure: bool = False) -> Played:
    """Play an arm by plain calls, its rules of declaring and its luck written out anew.

    number : the world's, for the noise of its policies; `sure` where policies need none
    """
    tables, rules, policies = asked.worlds.tables[0], asked.packed_rules[0], asked.worlds.policies[0]
    key = np.uint64(0) if sure else np.uint64(stream_key(asked.worlds.key, number))
    state = world.copy()
    s, luck = state[0], [0.0, 0.0, 0.0]
    draws, action, actions = int(s["draws"][0]), int(packed([arm])[0]["action"]), []
    while True:
        before, drawn = _wall(s), s["draws"].copy()
        assert _is_legal(s, action)
        actions.append((action, len(before)))
        apply(tables, rules, s, action)
        if s["phase"] == codes.END:
            break
        if (s["draws"] != drawn).any():
            seat = int(s["seat"])
            luck[0 if seat == 0 else 1] += _draw_luck(asked, s, before)
        action = int(decide(tables, rules, s, policies[int(s["seat"])], key))
        if s["phase"] == codes.TURN and s["seat"] == 0:
            action = _as_the_arm_has_it(arm, s, action, int(s["draws"][0]) - draws)
    luck[2] = _maima_luck(asked.rules, s)
    points = (s["kong_points"] + s["win_points"].sum(axis=0) + s["undecided_points"]).tolist()
    return Played(state, actions, points, luck, _shares(s))


def _wall(s: np.void) -> list[int]:
    return [int(tile) for tile in s["wall"][int(s["front"]) : int(s["tail"])]]


def _is_legal(s: np.void, action: int) -> bool:
    kind, tile = action >> 5, action & 31
    if s["phase"] == codes.CLAIM:
        return kind in (codes.WIN, codes.PASS)
    if s["phase"] == codes.CALL:
        return kind == codes.PASS or bool(s["can_pong" if kind == codes.PONG else "can_direct_kong"])
    if kind == codes.WIN:
        return bool(s["can_win"])
    fields = {codes.DISCARD: "can_discard", codes.LIANGDAO: "can_liangdao"}
    fields |= {codes.CONCEALED_KONG: "can_concealed_kong", codes.ADDED_KONG: "can_added_kong"}
    return bool(int(s[fields[kind]]) >> tile & 1)


def _as_the_arm_has_it(arm: Arm, s: np.void, action: int, draws: int) -> int:
    """Never declare, declare by policy, or from the n-th own draw on with whatever the policy discards."""
    if arm.way not in ("never", "in 1", "in 2") or action >> 5 not in (codes.DISCARD, codes.LIANGDAO):
        return action
    tile = action & 31
    due = arm.way != "never" and draws >= int(arm.way.removeprefix("in "))
    declares = due and int(s["can_liangdao"]) >> tile & 1
    return (codes.LIANGDAO if declares else codes.DISCARD) << 5 | tile


def _draw_luck(asked: Asked, s: np.void, wall: list[int]) -> float:
    """1 for a tile that the drawer waited for, less the share of such tiles in the wall; twice that if it declared."""
    seat, rules = int(s["seat"]), asked.rules
    hand, melds = s["counts"][seat].copy(), np.zeros(27, np.uint8)
    hand[int(s["tile"])] -= 1
    for kind, tile in zip(s["meld_kind"][seat], s["meld_tile"][seat], strict=True):
        melds[int(tile)] += (0, 3, 4, 4, 4)[int(kind)]
    waits = hands.waits(hand, melds, rules)
    chance = sum(bool(waits[tile]) for tile in wall) / len(wall)
    return (bool(waits[int(s["tile"])]) - chance) * (rules.liangdao.multiplier if s["declared"][seat] else 1)


def _maima_luck(rules: Ruleset, s: np.void) -> float:
    """What the tile turned brought the asker, less what the tiles left in the wall would have on average."""
    wall = _wall(s)
    if not rules.maima.enabled or s["outcome"] != codes.SELF_DRAWN or not wall:
        return 0.0
    assert s["maima_tile"] == wall[-1]
    winner = next(seat for seat in range(SEATS) if int(s["winners"]) >> seat & 1)
    payers = [seat for seat in range(SEATS) if seat != winner and 0 in (winner, seat)]
    assert rules.liangdao.applies == "winner"
    factor = rules.liangdao.multiplier if s["declared"][winner] and rules.maima.inside_liangdao else 1
    assert rules.maima.payer == "each"
    face = [rules.maima.dragon if tile >= RED else tile % 9 + 1 for tile in wall]
    luck = len(payers) * factor * (face[-1] - sum(face) / len(face))
    return luck if winner == 0 else -luck


def _shares(s: np.void) -> dict[str, int]:
    winners, outcome = int(s["winners"]), int(s["outcome"])
    by_self_draw = outcome == codes.SELF_DRAWN
    mine, theirs = winners & 1 != 0, winners & 6 != 0
    return {
        "by_self_draw": mine and by_self_draw,
        "by_discard": mine and not by_self_draw,
        "fed": theirs and not by_self_draw and int(s["feeder"]) == 0,
        "other_won": theirs,
        "undecided": outcome == codes.UNDECIDED,
        "fan": int(s["win_fan"][0]) if mine else 0,
    }


def tiles_in_play(s: np.void) -> NDArray[np.int64]:
    """Copies of each kind over concealed hands, the wall, discards and melds, (27,)."""
    wall = np.bincount(np.array(_wall(s), np.int64), minlength=27)
    return s["counts"].sum(axis=0, dtype=np.int64) + wall + s["seen"]
