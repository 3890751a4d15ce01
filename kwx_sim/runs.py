"""Runs: rounds in fixed blocks on any number of workers, added up exactly; on disk if wished, and resumable.

A run is decided by its ruleset, room, piao, policies, seed and number of rounds. Round i's wall and noise come from
counter-keyed streams, blocks do not depend on the workers, and sums are integers, so the sums are the same to the
last bit however many workers play and however often the run was interrupted.
"""

import platform
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core import series
from kwx_sim.core.fans import KAWUXING
from kwx_sim.core.jit import SOURCE_HASH, records
from kwx_sim.core.policy import POLICY
from kwx_sim.core.shapes import load_tables
from kwx_sim.core.tally import RULE_VARIANTS, WITHOUT_KAWUXING, WITHOUT_MAIMA
from kwx_sim.errors import InputError
from kwx_sim.policies import Policy, parse_policy
from kwx_sim.rules import RULES, Ruleset, load_rules, pack, rules_hash
from kwx_sim.store import Store

__all__ = [
    "BLOCK",
    "CHUNK",
    "DEFAULT_GAMES",
    "TALLIES",
    "Player",
    "Run",
    "checked_workers",
    "default_workers",
    "play_run",
    "replay",
    "whole",
]

BLOCK = 8192
"""Rounds of a block, the unit that is saved: half a second of work with forks. Whole series, so blocks stand alone."""

CHUNK = 256
"""Rounds of a call into the kernels: a few hundredths of a second, after which a request to stop is noticed."""

DEFAULT_GAMES = 100_000
MAX_GAMES = 10**10
MAX_SEED = 2**63 - 1
MAX_WORKERS = 1024
SEATS = 3

TALLIES = {
    "kawuxing_frequency": series.TALLY_KAWUXING,
    "maima_value": series.TALLY_MAIMA,
    "liangdao_timing": series.TALLY_LIANGDAO,
}
"""What each table needs added up."""

SUMS_SIZE = series.SUMS.itemsize // 8

Progress = Callable[[int, int], None]
"""Told the rounds done and the rounds in all: first before any is played (resumed ones count as done)."""

Notice = Callable[[InputError], None]
"""Told in passing what a person should know, such as a damaged block that is played again."""


@dataclass(frozen=True)
class Run:
    """What is simulated, checked and complete; `Run.of` makes one of what a person gives.

    Attributes
    ----------
    room : a room's name, None where the ruleset has no rooms
    piao, policies : by seat
    games : rounds
    tables : names of tables to add up for, in the order of `TALLIES`
    """

    rules: Ruleset
    room: str | None
    piao: tuple[int, ...]
    policies: tuple[Policy, ...]
    games: int
    seed: int
    tables: tuple[str, ...]

    @classmethod
    def of(
        cls,
        rules: Ruleset | str | Path | None,
        *,
        room: str | None = None,
        piao: int | Sequence[int] | None = None,
        policies: Any = None,
        games: int | None = None,
        seed: int | None = None,
        tables: Sequence[str] | None = None,
    ) -> "Run":
        """Check what was given and fill in the rest; see `kwx_sim.simulate`. Raises InputError."""
        if rules is None:
            raise InputError("simulate.rules_missing")
        ruleset = rules if isinstance(rules, Ruleset) else load_rules(rules)
        if room is not None and (not isinstance(room, str) or ruleset.room(room) is None):
            pack(ruleset, str(room))  # refuses it
        chosen = ruleset.room(room)
        names = list(TALLIES) if tables is None else _names(tables)
        return cls(
            rules=ruleset,
            room=None if chosen is None else chosen.name,
            piao=tuple(
                whole("piao", choice, 0, ruleset.piao.max) for choice in _three("piao", 0 if piao is None else piao)
            ),
            policies=tuple(map(parse_policy, _three("policies", "efficient" if policies is None else policies))),
            games=whole("games", DEFAULT_GAMES if games is None else games, 1, MAX_GAMES),
            seed=whole("seed", 0 if seed is None else seed, 0, MAX_SEED),
            tables=tuple(name for name in TALLIES if name in names),
        )

    @property
    def blocks(self) -> int:
        """Number of blocks; the last may be short."""
        return -(-self.games // BLOCK)

    def manifest(self) -> dict[str, Any]:
        """Everything that can change a result, as plain JSON values: it names the run on disk and in a report."""
        return {
            "format": 1,
            "command": "simulate",
            # The hash after the rules: where they differ, a field is named.
            "rules": self.rules.model_dump(mode="json"),
            "rules_hash": rules_hash(self.rules),
            "room": self.room,
            "piao": list(self.piao),
            "policies": [policy.describe() for policy in self.policies],
            "games": self.games,
            "seed": self.seed,
            "tables": list(self.tables),
            "block": BLOCK,
            "series": series.SERIES,
            "versions": {
                "kwx_sim": version("kwx-sim"),
                "python": platform.python_version(),
                "numpy": np.__version__,
                "numba": version("numba"),
            },
            "kernels": SOURCE_HASH,
        }


def play_run(
    run: Run,
    *,
    workers: int,
    store: Store | None = None,
    progress: Progress | None = None,
    notice: Notice | None = None,
) -> NDArray[np.void]:
    """Play a run, or what a store lacks of it, and add everything up: one record of core.series.SUMS.

    Workers stop within a call of a fraction of a second when this is interrupted, and leave whole blocks in the store.
    """
    sums = np.zeros(SUMS_SIZE, np.int64)
    missing, done = [], 0
    for block in range(run.blocks):
        stored = _stored(store, block, notice)
        if stored is None:
            missing.append(block)
        else:
            sums += stored
            done += len(_rounds(run, block))
    if progress:
        progress(done, run.games)
    # Closed at once when interrupted, not when the traceback is dropped.
    with closing(_played(Player(run), missing, workers, store)) as played:
        for block, found in played:
            sums += found
            done += len(_rounds(run, block))
            if progress:
                progress(done, run.games)
    return sums.view(series.SUMS)


def replay(run: Run, number: int) -> NDArray[np.void]:
    """Play round `number` of a run alone: its record (core.state.STATE) at the end, with wall, dealer and log."""
    player = Player(run)
    desk = series.desk()
    player.play(number - number % series.SERIES, number + 1, desk, records(1, series.SUMS), tallies=0)
    return desk[0][:1]


def default_workers() -> int:
    """As many workers as there are processors for this process."""
    from joblib import cpu_count

    return int(cpu_count())


def checked_workers(given: int | None) -> int:
    """So many threads, by default as many as there are processors. Raises InputError."""
    return default_workers() if given is None else whole("workers", given, 1, MAX_WORKERS)


class Player:
    """A run as the kernels take it. Threads share it; what they write on is theirs."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.tables = load_tables()
        self.rules = records(RULE_VARIANTS, RULES)
        self.rules[:] = pack(run.rules, run.room)
        self.rules["fan_value"][WITHOUT_KAWUXING, KAWUXING] = 0
        self.rules["maima"][WITHOUT_MAIMA] = 0
        self.policies = records(SEATS, POLICY)
        for seat, policy in enumerate(run.policies):
            self.policies[seat] = policy.pack()[0]
        self.piao = np.array(run.piao, np.uint8)
        self.streams = _streams(run.seed)
        self.tallies = sum(TALLIES[name] for name in run.tables)

    def play(
        self,
        first: int,
        last: int,
        desk: Any,
        sums: NDArray[np.void],
        tallies: int,
        rounds: NDArray[np.void] = series.NO_ROWS[0],
        ready: NDArray[np.void] = series.NO_ROWS[1],
    ) -> int:
        """Play rounds into sums, and into rows where there are any; see `core.series.play_rounds`."""
        states, forks = desk
        forked: int = series.play_rounds(
            self.tables, self.rules, self.policies, self.piao, self.streams, first, last, tallies, states, forks, sums,
            rounds, ready,
        )  # fmt: skip
        return forked

    def block(self, block: int, stop: threading.Event) -> NDArray[np.int64] | None:
        """Play a block: its sums, or None where it was stopped."""
        desk = series.desk()
        sums = records(1, series.SUMS)
        rounds = _rounds(self.run, block)
        for first in range(rounds.start, rounds.stop, CHUNK):
            if stop.is_set():
                return None
            self.play(first, min(first + CHUNK, rounds.stop), desk, sums, self.tallies)
        return sums.view(np.int64)


def _played(
    player: Player, blocks: Sequence[int], workers: int, store: Store | None
) -> Generator[tuple[int, NDArray[np.int64]]]:
    """Play blocks on threads, save each as soon as it is finished, and give them in order."""
    from joblib import Parallel, delayed

    stop = threading.Event()

    # A plain function around the kernel: joblib would ship a compiled one by value.
    def play_and_save(block: int) -> NDArray[np.int64] | None:
        sums = player.block(block, stop)
        if sums is not None and store is not None:
            store.save(block, sums)
        return sums

    if blocks:
        # Compile, or load what is compiled, once and before threads could do it at the same time.
        player.play(0, 0, series.desk(), records(1, series.SUMS), tallies=0)
    asked = takewhile(lambda _: not stop.is_set(), blocks)
    played = Parallel(workers, backend="threading", return_as="generator")(map(delayed(play_and_save), asked))
    try:
        yield from zip(blocks, played, strict=True)
    finally:
        stop.set()
        # Nothing new is asked for any more: wait for the calls that are under way.
        for _ in played:
            pass


def _stored(store: Store | None, block: int, notice: Notice | None) -> NDArray[np.int64] | None:
    if store is None:
        return None
    try:
        return store.load(block, SUMS_SIZE)
    except InputError as damaged:
        if notice:
            notice(damaged)
        return None


def _rounds(run: Run, block: int) -> range:
    return range(block * BLOCK, min((block + 1) * BLOCK, run.games))


def _streams(seed: int) -> NDArray[np.void]:
    """Keys for each purpose of chance, spread from the seed."""
    keys = records(1, series.STREAMS)
    for purpose, name in enumerate(series.STREAMS.names or ()):
        keys[name] = np.random.SeedSequence(seed, spawn_key=(purpose,)).generate_state(1, np.uint64)
    return keys


def _names(tables: Any) -> list[str]:
    names = [tables] if isinstance(tables, str) else tables
    if isinstance(names, Sequence) and names and all(isinstance(name, str) and name in TALLIES for name in names):
        return list(names)
    got = ", ".join(map(str, names)) if isinstance(names, Sequence) else str(names)
    raise InputError("simulate.table", expected=", ".join(TALLIES), got=got or "–")


def _three(field: str, value: Any) -> Sequence[Any]:
    """One for each seat."""
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence):
        return [value] * SEATS
    if len(value) != SEATS:
        raise InputError("simulate.three", field=field, got=repr(list(value)))
    return value


def whole(field: str, value: Any, low: int, high: int) -> int:
    """Check a whole number in a range. Raises InputError."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise InputError("simulate.whole", field=field, low=low, high=high, got=repr(value))
    return int(value)
