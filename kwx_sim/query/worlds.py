"""The worlds of a question: made and played in fixed blocks on any number of threads, the same to the last bit.

World i depends on the seed and on i alone, and blocks come back in order, so whatever is decided after each of them is
decided alike for any number of workers.
"""

import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core.arms import ARM, RESULT, play_worlds
from kwx_sim.core.jit import records
from kwx_sim.core.policy import POLICY
from kwx_sim.core.rng import stream_key
from kwx_sim.core.state import NO_TILE, STATE
from kwx_sim.core.tables import load_tables
from kwx_sim.core.world import DESK, NOT_TOLD, WORLD, play_in
from kwx_sim.errors import InputError
from kwx_sim.policies import Policy
from kwx_sim.positions import Position, Table

__all__ = ["BLOCK", "Worlds"]

BLOCK = 100
"""Worlds of a call into the kernels: some hundredths of a second, after which a request to stop is noticed."""

PROBE = np.uint64(1)  # a key of its own: what is believed must not depend on the seed
FEW_WORLDS, FEW_DEALS = 12, 128
"""A position is played in where so many worlds are found with so many deals each: else a sample would take minutes."""

PURPOSE = 16  # of the run's seed; runs of rounds have the numbers before
SEATS = 3


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
    ) -> None:
        _refuse_unknown_ready(table, rules[0])
        self.base = table.state
        self.rules = rules
        self.policies = records(len(policies) * SEATS, POLICY).reshape(len(policies), SEATS)
        for number, three in enumerate(policies):
            for seat, policy in enumerate(three):
                self.policies[number, seat] = policy.pack()[0]
        self.hands, from_row, to_row = hands
        self.world = _world(position, table, from_row, to_row)
        self.tables = load_tables()
        self.key = np.random.SeedSequence(seed, spawn_key=(PURPOSE,)).generate_state(1, np.uint64)[0]
        self.workers = workers
        self.from_deal = _is_from_deal(table)
        self.gave_up = self.from_deal and not self._can_play_in()
        """Whether worlds would have to be played in, but the policies hardly ever come to such a position."""
        if self.gave_up:
            self.from_deal = False
        self._stop = threading.Event()

    def _can_play_in(self) -> bool:
        """Whether a few worlds can be found with few deals each."""
        states, desk = records(2, STATE), records(1, DESK)
        known = (self.tables[0], self.rules[0], self.base, self.world[0], self.policies[0])

        def found(world: int) -> bool:
            # Kernels give keys back as plain numbers, which they do not take where they need the 64th bit.
            own = np.uint64(stream_key(PROBE, world))
            keys = (np.uint64(stream_key(own, number)) for number in range(FEW_DEALS))
            return any(play_in(*known, key, states, desk[0]) for key in keys)

        return all(found(world) for world in range(FEW_WORLDS))

    def first_state(self) -> np.void:
        """The round's record at the asker's decision in the first world: what is legal is the same in all."""
        states = records(2, STATE)
        self._fill(records(0, ARM), 0, 1, states)
        state: np.void = states[0]
        return state

    def play(self, arms: NDArray[np.void], first: int, last: int) -> Generator[NDArray[np.void]]:
        """Play arms in worlds first to last − 1: (block, n) RESULT, block by block in order.

        Closing the iterator stops the threads within a block. Raises InputError where no such world can be found.
        """
        starts = range(first, last, BLOCK)

        def block(start: int) -> NDArray[np.void] | None:
            if self._stop.is_set():
                return None
            return self._fill(arms, start, min(BLOCK, last - start), records(2, STATE))

        self._stop.clear()
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                for played in pool.map(block, starts):
                    assert played is not None
                    yield played
            finally:
                self._stop.set()

    def _fill(self, arms: NDArray[np.void], first: int, count: int, states: NDArray[np.void]) -> NDArray[np.void]:
        results = records(count * len(arms), RESULT).reshape(count, len(arms))
        made = play_worlds(
            self.tables, self.rules, self.base, self.world, self.hands, self.policies, arms, self.key, first,
            self.from_deal, states, records(1, DESK), results,
        )  # fmt: skip
        if made < count:
            raise InputError("query.no_world")
        return results


def _refuse_unknown_ready(table: Table, rules: np.void) -> None:
    """A hand that is locked and ready, of which nothing at all is known, is not dealt: no one could count its ways."""
    state = table.state[0]
    for seat in (1, 2):
        unknown = table.hidden[seat] > 0 and not table.shown_waits[seat]
        if state["declared"][seat] and rules["locks_hand"] and unknown:
            raise InputError("query.shown_nothing")


def _is_from_deal(table: Table) -> bool:
    """Whether worlds are played in: nothing is known but a hand that has called, konged and declared nothing."""
    state = table.state[0]
    return table.history == "none" and not (state["n_melds"][0] or state["declared"][0] or state["replacement"])


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
