"""Whole rounds, records of them, and forks from the middle of rounds, on one core."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import probes
from bench.figures import Figure, figure
from bench.peers import peer_rounds
from bench.timing import medians, say
from kwx_sim.core.jit import records
from kwx_sim.core.run import play_block
from kwx_sim.core.state import STATE
from kwx_sim.core.tables import load_tables
from kwx_sim.policies import parse_policy
from kwx_sim.rules import PRESETS, load_rules, pack

__all__ = ["ARMS", "Table", "fork_rows", "forks", "peer_round_rows", "recording_rows", "round_rows", "won_rounds"]

ROUNDS = {"random": 20_000, "efficient": 10_000}
BARS = {"random": 500_000, "efficient": 80_000}
WILD_BAR = 40_000  # of `efficient` with wild tiles
TURNS = 5
RECORDED, RECORDING_BAR = 10_000, 2
WINS = 4_096
POSITIONS, ARMS, FORK_DRAWS, FORK_BAR = 4_000, 4, 7, 100_000
KEY = np.uint64(7)
NO_PIAO = np.zeros(3, np.uint8)


@dataclass(frozen=True)
class Table:
    """A preset and one policy at all seats, as the kernels take them."""

    preset: str
    policy: str

    @functools.cached_property
    def tables(self) -> Any:
        """The record of the look-up tables."""
        return load_tables()[0]

    @functools.cached_property
    def rules(self) -> Any:
        """The record of the ruleset."""
        return pack(load_rules(self.preset))[0]

    @functools.cached_property
    def seats(self) -> NDArray[np.void]:
        """The policies, by seat."""
        return np.concatenate([parse_policy(self.policy).pack()] * 3)

    @property
    def bar(self) -> int:
        """Rounds a second, at least."""
        return WILD_BAR if self.policy == "efficient" and self.rules["wild"] else BARS[self.policy]

    def play(self, rounds: int) -> Callable[[], object]:
        """A call that plays so many rounds in one record."""
        state = records(1, STATE)[0]
        return lambda: probes.play_reusing(self.tables, self.rules, state, self.seats, NO_PIAO, KEY, rounds)

    def record(self, states: NDArray[np.void]) -> Callable[[], object]:
        """A call that plays the same rounds, each in a record of its own, with its log of actions."""
        return lambda: play_block(self.tables, self.rules, states, self.seats, NO_PIAO, KEY, 0)


def won_rounds(table: Table) -> tuple[NDArray[np.void], int]:
    """Rounds at their end, of the first 4,096 that were won: their records, and how many wins are in them."""
    states = records(2 * WINS, STATE)
    table.record(states)()
    won = states[states["winners"] != 0][:WINS]
    return won, int(np.bitwise_count(won["winners"]).sum())


def round_rows() -> Iterator[Figure]:
    """Rounds a second with the wall's shuffle and the deal, in one record."""
    for preset in PRESETS:
        for policy, rounds in ROUNDS.items():
            say(f"rounds: {preset}, {policy}")
            table = Table(preset, policy)
            ns = medians({"play": table.play(rounds)}, {"play": rounds}, TURNS)
            yield figure(f"{policy}, {preset}", 1e9 / ns["play"], "/s", table.bar, at_least=True)


def recording_rows() -> Iterator[Figure]:
    """The cost of rounds that are kept, each in a record of its own, over that of rounds that are not."""
    for policy in ROUNDS:
        say(f"recording: {policy}")
        table = Table(PRESETS[0], policy)
        states = records(RECORDED, STATE)
        calls = {"kept": table.record(states), "reused": table.play(RECORDED)}
        ns = medians(calls, dict.fromkeys(calls, RECORDED), TURNS)
        yield figure(f"cost of rounds kept over not, {policy}", ns["kept"] / ns["reused"], "×", RECORDING_BAR)


def fork_rows() -> Iterator[Figure]:
    """Arms played out a second from the seventh own draw, `efficient` at every seat."""
    for preset in PRESETS:
        say(f"forks: {preset}")
        call = forks(Table(preset, "efficient"), POSITIONS)
        ns = medians({"forks": call}, {"forks": POSITIONS * ARMS}, TURNS)["forks"]
        yield figure(f"arms from draw {FORK_DRAWS}, {preset}", 1e9 / ns, "/s", FORK_BAR, at_least=True)


def forks(table: Table, n: int) -> Callable[[], object]:
    """A call that plays four arms from each of n positions."""
    t, r, seats = table.tables, table.rules, table.seats
    positions, keys, scratch = records(n, STATE), np.zeros(n, np.uint64), records(1, STATE)
    probes.find_positions(t, r, positions, keys, seats, NO_PIAO, KEY, FORK_DRAWS)
    return lambda: probes.play_arms(t, r, positions, keys, scratch, seats, ARMS)


def peer_round_rows() -> Iterator[Figure]:
    """Rounds a second of the peers' own games, played at random from Python."""
    for peer in peer_rounds():
        say(f"rounds: {peer.package}, {peer.game}")
        yield figure(f"{peer.package}: {peer.game}", peer.per_second(), "/s")
