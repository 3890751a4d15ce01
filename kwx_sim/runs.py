"""Runs: rounds in fixed blocks on any number of workers, added up exactly; on disk if wished, and resumable.

A run is decided by its ruleset, room, piao, policies, seed and number of rounds. Round i's wall and noise come from
counter-keyed streams, blocks do not depend on the workers, and sums are integers, so the sums are the same to the
last bit however many workers play and however often the run was interrupted.
"""

import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kwx_sim.backends import Backend, default_workers, finished
from kwx_sim.core import series
from kwx_sim.core.fans import KAWUXING
from kwx_sim.core.jit import SOURCE_HASH, records
from kwx_sim.core.policy import POLICY
from kwx_sim.core.rows import ROUND
from kwx_sim.core.shapes import load_tables
from kwx_sim.core.tally import RULE_VARIANTS, WITHOUT_KAWUXING, WITHOUT_MAIMA
from kwx_sim.errors import InputError
from kwx_sim.policies import Policy, parse_policy
from kwx_sim.rounds import rounds_to_parquet
from kwx_sim.rules import RULES, Ruleset, load_rules, pack, rules_hash
from kwx_sim.store import Block, Store

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
    "program",
    "replay",
    "span",
    "whole",
]

BLOCK = 16_384
"""Rounds of a block, the unit that is saved: over half a second of work with forks, beside 13 ms to save it. Whole
series, so blocks stand alone."""

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

FORMAT = 2
"""Of a run on disk."""

Progress = Callable[[int, int], None]
"""Told the rounds done and the rounds in all: first before any is played (resumed ones count as done)."""

Notice = Callable[[InputError], None]
"""Told in passing what a person should know, such as a damaged block that is played again."""

Stopped = Callable[[], bool]
"""Asked between calls into the kernels whether to give up."""


@dataclass(frozen=True)
class Run:
    """What is simulated, checked and complete; `Run.of` makes one of what a person gives.

    Attributes
    ----------
    room : a room's name, None where the ruleset has no rooms
    piao, policies : by seat
    games : rounds
    tables : names of tables to add up for, in the order of `TALLIES`
    rounds : whether a run on disk keeps its rounds, a row each, beside the sums
    """

    rules: Ruleset
    room: str | None
    piao: tuple[int, ...]
    policies: tuple[Policy, ...]
    games: int
    seed: int
    tables: tuple[str, ...]
    rounds: bool = False

    def __hash__(self) -> int:
        """Tell runs apart well enough; rules hold mappings, which have no hash."""
        return hash((self.rules.name, self.room, self.piao, self.policies, self.games, self.seed, self.tables))

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
        rounds: bool | None = None,
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
            piao=tuple(_piao(choice, ruleset) for choice in _three("piao", 0 if piao is None else piao)),
            policies=tuple(map(parse_policy, _three("policies", "efficient" if policies is None else policies))),
            games=whole("games", DEFAULT_GAMES if games is None else games, 1, MAX_GAMES),
            seed=whole("seed", 0 if seed is None else seed, 0, MAX_SEED),
            tables=tuple(name for name in TALLIES if name in names),
            rounds=bool(rounds),
        )

    @property
    def blocks(self) -> int:
        """Number of blocks; the last may be short."""
        return -(-self.games // BLOCK)

    def manifest(self) -> dict[str, Any]:
        """Everything that can change a result, as plain JSON values: it names the run on disk and in a report."""
        return {
            "format": FORMAT,
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
            "rounds": self.rounds,
            **program(),
        }


def program() -> dict[str, Any]:
    """What of a manifest is the program's: only one that agrees goes on with a run, and only such workers play it."""
    return {
        "format": FORMAT,
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
    backend: Backend | None = None,
    store: Store | None = None,
    blocks: range | None = None,
    progress: Progress | None = None,
    notice: Notice | None = None,
) -> NDArray[np.void]:
    """Play a run, or what a store lacks of it, and add everything up: one record of core.series.SUMS.

    Parameters
    ----------
    backend : who plays; by default a thread a processor. It changes nothing but the time
    blocks : only these, from the first; by default all. Then the sums and the progress are theirs

    Workers stop within a call of a fraction of a second when this is interrupted, and leave whole blocks in the store.
    """
    wanted = range(run.blocks) if blocks is None else blocks
    sums, total = np.zeros(SUMS_SIZE, np.int64), _rounds_of(run, wanted)
    missing, done = [], 0
    for block in wanted:
        stored = None if store is None or block not in store.finished else _stored(store, block, notice)
        if stored is None:
            missing.append(block)
        else:
            sums += stored
            done += len(_rounds(run, block))
    if progress:
        progress(done, total)
    if not missing:
        return sums.view(series.SUMS)
    _warm(run)
    work = partial(_play, run, store is not None)
    played = finished(backend or Backend.of(), work, missing, notice=notice, fingerprint=fingerprint)
    # Closed at once when interrupted, not when the traceback is dropped.
    with closing(played):
        for block, found in played:
            if store is not None:
                store.save(block, found)
            sums += _unpacked(found.sums)
            done += len(_rounds(run, block))
            if progress:
                progress(done, total)
    return sums.view(series.SUMS)


def span(run: Run, blocks: range | slice | None) -> range:
    """Check which of a run's blocks are asked for; by default all, and a slice may be open. Raises InputError."""
    if blocks is None:
        return range(run.blocks)
    if isinstance(blocks, slice):
        blocks = range(blocks.start or 0, run.blocks if blocks.stop is None else blocks.stop, blocks.step or 1)
    if blocks.step != 1 or not 0 <= blocks.start < blocks.stop <= run.blocks:
        got = f"{blocks.start}:{blocks.stop}"
        raise InputError("simulate.blocks", got=got, blocks=run.blocks, block=BLOCK)
    return blocks


def fingerprint() -> dict[str, str]:
    """What must be the same for every worker, by name, for the sums to be the same."""
    fields = program()
    return {"kernels": fields["kernels"], "block": str(fields["block"]), **fields["versions"]}


def replay(run: Run, number: int) -> NDArray[np.void]:
    """Play round `number` of a run alone: its record (core.state.STATE) at the end, with wall, dealer and log."""
    player = Player(run)
    desk = series.desk()
    player.play(number - number % series.SERIES, number + 1, desk, records(1, series.SUMS), tallies=0)
    return desk[0][:1]


def checked_workers(given: int | None) -> int:
    """Check a number of threads, by default as many as there are processors. Raises InputError."""
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

    def block(self, block: int, stopped: Stopped, *, keeps_rounds: bool) -> Block | None:
        """Play a block: its packed sums, and its rounds as a Parquet file where kept; None where it was stopped."""
        desk = series.desk()
        sums = records(1, series.SUMS)
        numbers = _rounds(self.run, block)
        rows = records(len(numbers) if keeps_rounds else 0, ROUND)
        for first in range(numbers.start, numbers.stop, CHUNK):
            if stopped():
                return None
            last = min(first + CHUNK, numbers.stop)
            part = rows[first - numbers.start : last - numbers.start]
            self.play(first, last, desk, sums, self.tallies, part)
        return Block(_packed(sums.view(np.int64)), rounds_to_parquet(rows) if keeps_rounds else None)


@lru_cache(maxsize=2)
def _player(run: Run) -> Player:
    """A run's player, made once a process."""
    return Player(run)


def _play(run: Run, on_disk: bool, block: int, stopped: Stopped) -> Block | None:
    """Play a block, on any worker: a plain function, for a compiled one would travel by value."""
    return _player(run).block(block, stopped, keeps_rounds=on_disk and run.rounds)


def _warm(run: Run) -> None:
    """Compile, or load what is compiled, once and before workers could do it at the same time."""
    _player(run).play(0, 0, series.desk(), records(1, series.SUMS), tallies=0)


def _stored(store: Store, block: int, notice: Notice | None) -> NDArray[np.int64] | None:
    try:
        return _unpacked(store.load(block))
    except (ValueError, OSError) as error:
        damaged = error if isinstance(error, InputError) else store.damaged(block)
    if notice:
        notice(damaged)
    return None


def _packed(sums: NDArray[np.int64]) -> bytes:
    """Sums for disks and networks: first bytes, then second ones, and so on, under zstd.

    619 KB become 45 in 1 ms; zlib takes 7 ms for 68 KB, and zstd alone leaves 63.
    """
    planes = sums.astype("<i8", copy=False).view(np.uint8).reshape(-1, 8).T
    return _zstd().compress(planes.tobytes(), asbytes=True)  # type: ignore[no-any-return]


def _unpacked(packed: bytes) -> NDArray[np.int64]:
    """What `_packed` packed. Raises ValueError or OSError for anything else, and takes no more memory for it."""
    planes = np.frombuffer(_zstd().decompress(packed, SUMS_SIZE * 8), np.uint8).reshape(8, SUMS_SIZE)
    return np.ascontiguousarray(planes.T).view("<i8").reshape(SUMS_SIZE).astype(np.int64, copy=False)


def _zstd() -> Any:
    import pyarrow as pa

    return pa.Codec("zstd", 3)


def _rounds(run: Run, block: int) -> range:
    return range(block * BLOCK, min((block + 1) * BLOCK, run.games))


def _rounds_of(run: Run, blocks: range) -> int:
    return min(blocks.stop * BLOCK, run.games) - blocks.start * BLOCK if blocks else 0


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


def _piao(choice: Any, rules: Ruleset) -> int:
    if rules.piao.max == 0 and isinstance(choice, int) and choice > 0:
        raise InputError("simulate.no_piao", field="piao", rules=rules.name, got=choice)
    return whole("piao", choice, 0, rules.piao.max)


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
