"""The worlds of a question: made and played in fixed blocks on any number of threads, the same to the last bit.

World i depends on the seed and on i alone, and blocks come back in order, so whatever is decided after each of them is
decided alike for any number of workers.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kwx_sim.contest import PILOT
from kwx_sim.core.arms import RESULT, play_worlds
from kwx_sim.core.cloud import HAND_NOTE, MOMENT, STORY, USE
from kwx_sim.core.dealing import DESK, NOT_TOLD, WORLD
from kwx_sim.core.jit import records
from kwx_sim.core.past import play_in
from kwx_sim.core.policy import POLICY
from kwx_sim.core.rng import stream_key
from kwx_sim.core.state import NO_TILE, STATE, TURN
from kwx_sim.core.tables import load_tables
from kwx_sim.core.world import PLAYED, PLAYED_IN, UNIFORM, Known, Scratch, make_world
from kwx_sim.errors import InputError
from kwx_sim.policies import Policy
from kwx_sim.positions import Position, Table
from kwx_sim.query.beliefs import Record, can_recall, cast_of, minds_of, record_of

__all__ = ["BELIEFS", "BLOCK", "CAP", "CLOUD", "Block", "Scale", "Worlds", "scratch"]

BLOCK = 100
"""Worlds of a call into the kernels: some hundredths of a second, after which a request to stop is noticed."""

PROBE = np.uint64(1)  # a key of its own: what is believed must not depend on the seed
FEW_WORLDS, FEW_DEALS = 12, 128
"""A position is played in where so many worlds are found with so many deals each: else a sample would take minutes."""

CLOUD = 48
"""Hands of a cloud. With 96 in place of 32 log losses fell by 2 to 6%, for 2.7 times the time."""

MOST_RECALLED = 4_800
"""Worlds that are played, unless more are asked for, where hidden hands are drawn by the record: each costs as much as
thirty others, and an answer at the table must not wait."""

LONG_RECORD = 16
"""Turns of the others beyond which they are fewer, for each hand goes through all of them. With this the record added
1.4 s to a headline at the median and 2.4 s at most, on two cores (20 positions from short to long, `make bench`)."""

CAP = 4.0
"""The heaviest that a world may be, 1 being the mean."""

PURPOSE = 16  # of the run's seed; runs of rounds have the numbers before
SEATS = 3

BELIEFS = {"uniform": UNIFORM, "played_in": PLAYED_IN, "played": PLAYED}


class Block(NamedTuple):
    """Worlds that were played: (worlds, n) RESULT, and the log of each world's weight, (worlds,)."""

    results: NDArray[np.void]
    logs: NDArray[np.float64]


class Scale:
    """Weights of worlds from their logs: 1 for the mean of the first ones, and none larger than CAP.

    What is cut off the heaviest worlds biases the mean a little; what an uncut one could do to an interval is worse.
    """

    def __init__(self) -> None:
        self._unit: float | None = None
        self._first: list[NDArray[np.float64]] = []
        self.cut, self.total = 0.0, 0.0

    @property
    def known(self) -> bool:
        """Whether enough worlds have been seen to say what the mean is."""
        return self._unit is not None

    def learn(self, logs: NDArray[np.float64], enough: int = PILOT) -> None:
        """See some of the first worlds, of which so many are enough."""
        self._first.append(logs)
        if sum(map(len, self._first)) >= enough:
            seen = np.concatenate(self._first)
            self._unit = float(np.logaddexp.reduce(seen) - np.log(len(seen)))

    def weights(self, logs: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights of worlds, (n,)."""
        assert self._unit is not None
        if not np.isfinite(self._unit):
            raise InputError("query.no_world")
        whole = np.exp(logs - self._unit)
        weights = np.minimum(whole, CAP)
        self.total += float(whole.sum())
        self.cut += float((whole - weights).sum())
        return weights


class Worlds:
    """Everything that decides a question's worlds, as the kernels take it.

    Parameters
    ----------
    position, table : the position, and what was made of it
    rules : (k,) RULES; worlds are made by the first
    policies : sets of three, by seat; worlds are made with the first
    hands : (n,) READY_HAND that hidden declared players could hold, with their rows for each seat
    seed : of the question
    workers : threads
    belief : one of BELIEFS; None: the best that the position allows

    Raises InputError for a belief that there is not, or for which the position tells too little or too much.

    Attributes
    ----------
    belief : how worlds are made
    gave_up : why that is not the best way for what was told: a key of the catalogue, or ""
    """

    def __init__(
        self,
        position: Position,
        table: Table,
        rules: NDArray[np.void],
        policies: Sequence[Sequence[Policy]],
        hands: tuple[NDArray[np.void], Sequence[int], Sequence[int]],
        seed: int,
        workers: int,
        belief: str | None = None,
    ) -> None:
        _refuse_unknown_ready(table, rules[0])
        self._made_of = position, table, rules, policies, hands, seed, workers
        self.base = table.state
        self.rules = rules
        self.policies = records(len(policies) * SEATS, POLICY).reshape(len(policies), SEATS)
        for number, three in enumerate(policies):
            for seat, policy in enumerate(three):
                self.policies[number, seat] = policy.pack()[0]
        ready_hands, from_row, to_row = hands
        record = (
            record_of(table, rules[0], first=_first_drawn(table)) if can_recall(table, rules[0], policies[0]) else None
        )
        self.known = Known(
            base=table.state,
            world=_world(position, table, from_row, to_row),
            hands=ready_hands,
            **(record or NO_RECORD)._asdict(),
            minds=minds_of(policies[0]),
            cast=cast_of(policies[0]),
        )
        self.tables = load_tables()
        self.key = np.random.SeedSequence(seed, spawn_key=(PURPOSE,)).generate_state(1, np.uint64)[0]
        self.workers = workers
        self.gave_up = ""
        if belief is not None:
            _refuse_belief(belief, table, recorded=record is not None)
        self.belief = belief or self._best_belief(table, recorded=record is not None)
        self._stop = threading.Event()

    def believing(self, belief: str) -> Worlds:
        """The same question under another belief."""
        return Worlds(*self._made_of, belief)

    def against(self, policies: Sequence[Sequence[Policy]], belief: str | None = None) -> Worlds:
        """The same question with other players, the best belief or a given one."""
        position, table, rules, _, hands, seed, workers = self._made_of
        return Worlds(position, table, rules, policies, hands, seed, workers, belief)

    def _best_belief(self, table: Table, *, recorded: bool) -> str:
        if not any(table.hidden[1:]):
            # What was done says nothing of hands that lie open; weights would be noise.
            return "uniform"
        if recorded and self._can_recall():
            return "played"
        if table.history == "complete":
            self.gave_up = "query.assumption.not_recalled"
        if not _is_from_deal(table):
            return "uniform"
        if self._can_play_in():
            return "played_in"
        self.gave_up = "query.assumption.not_played_in"
        return "uniform"

    def _can_recall(self) -> bool:
        """Whether any hands fit what was done: not where the one course that is tried is not what happened."""
        room = scratch()
        made = (self.tables[0], self.rules[0], self.known, PLAYED, self.policies[0])
        keys = (np.uint64(stream_key(PROBE, world)) for world in range(FEW_WORLDS))
        return any(np.isfinite(make_world(*made, key, room)) for key in keys)

    def _can_play_in(self) -> bool:
        """Whether a few worlds can be found with few deals each."""
        states, desk, known = records(2, STATE), records(1, DESK), self.known
        given = (self.tables[0], self.rules[0], known.base, known.world[0], self.policies[0])

        def found(world: int) -> bool:
            # Kernels give keys back as plain numbers, which they do not take where they need the 64th bit.
            own = np.uint64(stream_key(PROBE, world))
            keys = (np.uint64(stream_key(own, number)) for number in range(FEW_DEALS))
            return any(play_in(*given, key, states, desk[0]) for key in keys)

        return all(found(world) for world in range(FEW_WORLDS))

    def affordable(self, worlds: int) -> int:
        """So many worlds, or those that there is time for at a table."""
        if self.belief != "played":
            return worlds
        turns = int((self.known.moments["phase"] == TURN).sum())
        return min(worlds, MOST_RECALLED * LONG_RECORD // max(turns, LONG_RECORD))

    def first_state(self) -> np.void:
        """The round's record at the asker's decision in a world: what is legal is the same in all."""
        room = scratch()
        made = make_world(self.tables[0], self.rules[0], self.known, UNIFORM, self.policies[0], self.key, room)
        if made != 0.0:
            raise InputError("query.no_world")
        state: np.void = room.states[0]
        return state

    def play(self, arms: NDArray[np.void], first: int, last: int) -> Generator[Block]:
        """Play arms in worlds first to last − 1, block by block in order.

        Closing the iterator stops the threads within a block. Raises InputError where no such world can be found.
        """
        starts = range(first, last, BLOCK)

        def block(start: int) -> Block | None:
            if self._stop.is_set():
                return None
            return self._fill(arms, start, min(BLOCK, last - start))

        self._stop.clear()
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                for played in pool.map(block, starts):
                    assert played is not None
                    yield played
            finally:
                self._stop.set()

    def _fill(self, arms: NDArray[np.void], first: int, count: int) -> Block:
        results, logs = records(count * len(arms), RESULT).reshape(count, len(arms)), np.zeros(count)
        made = play_worlds(
            self.tables, self.rules, self.known, BELIEFS[self.belief], self.policies, arms, self.key, first,
            scratch(), results, logs,
        )  # fmt: skip
        if made < count:
            raise InputError("query.no_world")
        return Block(results, logs)


NO_RECORD = Record(records(1, STORY), records(0, MOMENT), records(0, USE))


def scratch() -> Scratch:
    """Room for one thread."""
    return Scratch(records(2, STATE), records(1, DESK), records(CLOUD, STATE), records(CLOUD, HAND_NOTE))


def _first_drawn(table: Table) -> int:
    """The seat whose hand is drawn first: one that is shown, or of which the waits are, leaves the other less to be."""
    known = [table.hidden[seat] == 0 or table.shown_waits[seat] != 0 for seat in (1, 2)]
    return 2 if known == [False, True] else 1


def _refuse_unknown_ready(table: Table, rules: np.void) -> None:
    """A hand that is locked and ready, of which nothing at all is known, is not dealt: no one could count its ways."""
    state = table.state[0]
    for seat in (1, 2):
        unknown = table.hidden[seat] > 0 and not table.shown_waits[seat]
        if state["declared"][seat] and rules["locks_hand"] and unknown:
            raise InputError("query.shown_nothing")


def _refuse_belief(belief: str, table: Table, *, recorded: bool) -> None:
    """A belief that there is not, or that has nothing to go by in the position."""
    if not isinstance(belief, str) or belief not in BELIEFS:
        raise InputError("query.belief_name", expected=", ".join(BELIEFS), came=repr(belief))
    if (belief == "played" and not recorded) or (belief == "played_in" and not _is_from_deal(table)):
        raise InputError(f"query.not_{belief}")


def _is_from_deal(table: Table) -> bool:
    """Whether worlds are played in: nothing is known but a hand that has called, konged and declared nothing."""
    state = table.state[0]
    own_turn = state["phase"] == TURN
    return (
        table.history == "none"
        and own_turn
        and not (state["n_melds"][0] or state["declared"][0] or state["replacement"])
    )


def _world(position: Position, table: Table, from_row: Sequence[int], to_row: Sequence[int]) -> NDArray[np.void]:
    """What is known of the worlds, (1,) WORLD."""
    state, made = table.state[0], records(1, WORLD)
    world = made[0]
    world["hand"], world["unseen"] = state["counts"][0], table.unseen
    world["hidden"], world["dead"] = table.hidden, table.dead
    world["wall"] = int(state["tail"]) - int(state["front"])
    world["drawn"] = NO_TILE if position.drawn is None else position.drawn
    world["from_row"], world["to_row"] = from_row, to_row
    world["dealer"] = NOT_TOLD if position.dealer is None else position.dealer
    world["draws"] = position.draws[0] if position.draws else 0
    return made
