"""Rounds as rows, for questions that no table answers: whole runs, players against each other, discards compared.

Everything here is the same for any number of workers: walls are numbered, blocks are fixed and come back in order. Rows
are numpy structured arrays, a round (or fork, or turn) each; their types (`core.rows.ROUND`, `core.fork.FORK`,
`core.trials.CHOICE`) say what they hold. Intervals over them are those of `kwx_sim.stats`, with a round, or a wall, as
one cluster.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core import series, trials
from kwx_sim.core.fork import FORK
from kwx_sim.core.jit import records
from kwx_sim.core.policy import POLICY
from kwx_sim.core.rows import ROUND
from kwx_sim.core.shapes import load_tables
from kwx_sim.core.state import STATE
from kwx_sim.policies import Policy, parse_policy
from kwx_sim.rules import Ruleset, load_rules, pack
from kwx_sim.runs import CHUNK, Player, Progress, Run, checked_workers
from kwx_sim.stats import Estimates, ratio

__all__ = ["Rows", "gain", "play_choices", "play_rows", "play_seats", "points", "run_key", "seat_points"]

SEATS = 3
BLOCK = 4096
"""Walls of a task."""

PolicyLike = Policy | str | Mapping[str, Any]
"""A player as `kwx_sim.policies.parse_policy` takes it."""

PURPOSE = 32  # of a seed; runs and questions have the numbers before


class Rows(NamedTuple):
    """A run's rounds, (games,) ROUND, and its forks, (m,) FORK, in the order of the rounds."""

    rounds: NDArray[np.void]
    forks: NDArray[np.void]


def play_rows(run: Run, *, forks: bool = True, workers: int | None = None, progress: Progress | None = None) -> Rows:
    """Play a run: the rounds of `kwx simulate`, and of `kwx play --first`, a row each.

    Parameters
    ----------
    run : its tables do not matter
    forks : whether each seat's first ready moment is played on in the six ways of `core.fork.ARMS` too
    workers : threads; by default one a processor
    progress : told the rounds done and the rounds in all
    """
    player = Player(run)
    tallies = series.TALLY_LIANGDAO if forks else 0

    def block(first: int, last: int, stop: threading.Event) -> Rows:
        desk, sums = series.desk(), records(1, series.SUMS)
        rounds = records(last - first, ROUND)
        ready = records(SEATS * (last - first) if forks else 0, FORK)
        filled = 0
        for start in range(first, last, CHUNK):
            if stop.is_set():
                break
            end = min(start + CHUNK, last)
            filled += player.play(start, end, desk, sums, tallies, rounds[start - first : end - first], ready[filled:])
        return Rows(rounds, ready[:filled].copy())

    # Whole series, so that blocks stand alone.
    played = list(_blocks(block, run.games, workers, progress))
    return Rows(*(np.concatenate(parts) for parts in zip(*played, strict=True)))


def play_seats(
    rules: Ruleset | str,
    player: PolicyLike,
    others: PolicyLike = "efficient",
    *,
    walls: int,
    seed: int,
    piao: tuple[int, int] = (0, 0),
    room: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> NDArray[np.void]:
    """Play walls with a player in every seat in turn and another's in the two other seats.

    Two players are compared by two calls with the same rules, seed and others: the same walls, dealers and noise.

    Parameters
    ----------
    piao : the player's 漂, and that of the others

    Returns
    -------
    (walls, 3) ROUND, by wall and the player's seat
    """
    table = _table(rules, room)
    players = records(2, POLICY)
    for place, policy in enumerate((player, others)):
        players[place] = parse_policy(policy).pack()[0]
    chosen, key = np.array(piao, np.uint8), run_key(seed)

    def block(first: int, last: int, stop: threading.Event) -> NDArray[np.void]:
        state, rows = records(1, STATE), records(SEATS * (last - first), ROUND).reshape(-1, SEATS)
        for start in range(first, last, CHUNK):
            if stop.is_set():
                break
            part = rows[start - first : min(start + CHUNK, last) - first]
            trials.play_seats(*table, state[0], players, chosen, key, start, part)
        return rows

    return np.concatenate(list(_blocks(block, walls, workers, progress)))


def play_choices(
    rules: Ruleset | str,
    policies: PolicyLike | Sequence[PolicyLike] = "efficient",
    *,
    walls: int,
    seed: int,
    room: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> NDArray[np.void]:
    """Play walls to one own turn of one seat, and on from there with each discard that is legal.

    Returns
    -------
    (n,) CHOICE; n is below `walls`: some rounds end before their turn
    """
    table = _table(rules, room)
    seats = [policies] * SEATS if isinstance(policies, str | Policy | Mapping) else policies
    packed, key = records(SEATS, POLICY), run_key(seed)
    for seat, policy in enumerate(seats):
        packed[seat] = parse_policy(policy).pack()[0]

    def block(first: int, last: int, stop: threading.Event) -> NDArray[np.void]:
        states, rows, filled = records(2, STATE), records(last - first, trials.CHOICE), 0
        for start in range(first, last, CHUNK):
            if stop.is_set():
                break
            end = min(start + CHUNK, last)
            filled += trials.play_choices(*table, states, packed, key, start, end, rows[filled:])
        return rows[:filled].copy()

    return np.concatenate(list(_blocks(block, walls, workers, progress)))


def points(rows: NDArray[np.void]) -> NDArray[np.int64]:
    """Bases that each seat won or lost, (…, 3), for (…) ROUND."""
    total = rows["kong_points"].astype(np.int64) + rows["undecided_points"]
    return np.asarray(total + rows["win_points"].sum(axis=-2))


def seat_points(rows: NDArray[np.void]) -> NDArray[np.int64]:
    """Bases of the player in its own seat, (walls, 3), for the rows of `play_seats`."""
    seats = np.arange(SEATS)
    return points(rows)[:, seats, seats]


def gain(player: NDArray[np.void], other: NDArray[np.void]) -> Estimates:
    """What one player wins over another in bases a round, for their rows of `play_seats` on the same walls."""
    datum = (seat_points(player) - seat_points(other)).sum(axis=1)
    found = ratio(datum.sum(), len(datum), (datum**2).sum(), datum.sum(), len(datum))
    return Estimates(*(value / SEATS for value in found))


def run_key(seed: int) -> np.uint64:
    """The key of the walls and the noise of trials with a seed."""
    key: np.uint64 = np.random.SeedSequence(seed, spawn_key=(PURPOSE,)).generate_state(1, np.uint64)[0]
    return key


def _table(rules: Ruleset | str, room: str | None) -> tuple[np.void, np.void]:
    """Records of TABLES and RULES."""
    ruleset = rules if isinstance(rules, Ruleset) else load_rules(rules)
    tables: np.void = load_tables()[0]
    packed: np.void = pack(ruleset, room)[0]
    return tables, packed


def _blocks(
    block: Callable[[int, int, threading.Event], Any], total: int, workers: int | None, progress: Progress | None
) -> Iterator[Any]:
    """Do blocks of walls on threads, in order; they stop within a call to the kernels when this is interrupted."""
    from joblib import Parallel, delayed

    stop = threading.Event()
    starts = range(0, total, BLOCK)
    # Compile, or load what is compiled, once and before threads could do it at the same time.
    block(0, 0, stop)
    if progress:
        progress(0, total)
    done = Parallel(checked_workers(workers), backend="threading", return_as="generator")(
        delayed(block)(first, min(first + BLOCK, total), stop) for first in starts
    )
    try:
        for first, found in zip(starts, done, strict=True):
            yield found
            if progress:
                progress(min(first + BLOCK, total), total)
    finally:
        stop.set()
