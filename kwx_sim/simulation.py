"""Simulations for people: a ruleset, or all of them, into tables with their provenance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kwx_sim.backends import Backend
from kwx_sim.errors import InputError
from kwx_sim.rules import PRESETS, Ruleset, load_rules, parse_rules
from kwx_sim.runs import Notice, Progress, Run, play_run, span
from kwx_sim.store import Store, read_manifest
from kwx_sim.tables import Setting, dress, join, table_files

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Result", "simulate", "simulate_all"]


@dataclass(frozen=True)
class Result:
    """Tables by name (see `kwx_sim.tables`), and the manifest of each run that they come from.

    A run that lacks blocks, because only some were asked for, has no tables: one is always of the whole run.

    Attributes
    ----------
    blocks, blocks_missing : blocks of the run, and those of them that are still to be played
    read_only : the run was read in a directory that cannot be written
    """

    tables: dict[str, pd.DataFrame]
    provenance: list[dict[str, Any]]
    blocks: int = 0
    blocks_missing: int = 0
    read_only: bool = False


def simulate(
    rules: Ruleset | str | Path | None = None,
    *,
    games: int | None = None,
    seed: int | None = None,
    tables: Sequence[str] | None = None,
    policies: Any = None,
    room: str | None = None,
    piao: int | Sequence[int] | None = None,
    workers: int | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    blocks: range | slice | None = None,
    rounds: bool | None = None,
    progress: Progress | None = None,
    notice: Notice | None = None,
    keep: Callable[[Result], None] | None = None,
) -> Result:
    """Simulate rounds under one ruleset and make tables of them.

    Parameters
    ----------
    rules : a ruleset, a preset's name or a TOML file; may be left out to resume a run
    games : rounds; by default `kwx_sim.runs.DEFAULT_GAMES`
    seed : of all chance; by default 0
    tables : names from `kwx_sim.tables.TABLES`; by default all
    policies : one for all seats or a sequence of three, each a Policy or what `kwx_sim.policies` makes one of; by
        default `efficient`
    room : a room's name where the ruleset has rooms; by default the first
    piao : one choice for all seats or a sequence of three; by default 0
    workers : by default as many as processors. They change nothing but the time
    backend : what the workers are: one of `kwx_sim.backends.BACKENDS`, by default threads
    scheduler : the address of a Dask scheduler, for that backend
    out : a directory for the manifest and the finished blocks of a new run
    resume : the directory of a run to continue. What is not given is as the run has it; what is given must agree, but
        `games` may be more; then the tables in the directory are removed, which would not be of the whole run
    blocks : play only these blocks of `kwx_sim.runs.BLOCK` rounds, and none that is there already; others may be played
        elsewhere and joined by `kwx_sim.store.merge`. A slice may leave an end open
    rounds : write every round into the directory too, a row each (see `kwx_sim.rounds`)
    progress : called with rounds done and rounds in all; first before any is played, resumed ones counted as done
    notice : called with an InputError that tells of something mended, such as a damaged block that is played again
    keep : called with the result while no other process may play into the directory: to write its tables there

    Returns
    -------
    Result

    Raises
    ------
    InputError
        A bad argument; a run on disk that is in the way, missing, or different (naming what differs, both values).
    KeyboardInterrupt
        As it comes. Workers stop within a fraction of a second; finished blocks are kept and can be resumed.
    """
    where = _one_place(out, resume, blocks, rounds)
    asked = {
        "games": games, "seed": seed, "tables": tables, "policies": policies, "room": room, "piao": piao,
        "rounds": rounds,
    }  # fmt: skip
    if resume is not None:
        rules, asked = _as_recorded(resume, rules, asked)
    run = Run.of(rules, **asked)
    chosen = span(run, blocks)
    playing: dict[str, Any] = {
        "backend": Backend.of(backend, workers=workers, scheduler=scheduler), "progress": progress, "notice": notice,
    }  # fmt: skip
    manifest = run.manifest()
    with _opened(where, run, resume=resume is not None) as store:
        sums = play_run(run, store=store, blocks=chosen, **playing)
        if store is not None and store.complete and len(chosen) < run.blocks:
            # These were the last that lacked: now all are added up.
            sums = play_run(run, store=store, **playing)
        missing = 0 if store is None else run.blocks - len(store.finished)
        read_only = store is not None and store.read_only
        result = Result({} if missing else _dressed(run, sums), [manifest], run.blocks, missing, read_only)
        if keep:
            keep(result)
    return result


@contextmanager
def _opened(where: str | Path | None, run: Run, *, resume: bool) -> Iterator[Store | None]:
    """Open the run's directory, if there is one; what ends the backend is told with how to go on."""
    if where is None:
        yield None
        return
    with Store(where, run.manifest(), resume=resume, made_of_all=table_files(run.tables)) as store:
        try:
            yield store
        except InputError as error:
            if not error.key.startswith("backends."):
                raise
            raise InputError("simulate.ended", problem=error, path=str(where)) from error


def _one_place(
    out: str | Path | None, resume: str | Path | None, blocks: range | slice | None, rounds: bool | None
) -> str | Path | None:
    """The run's directory, if there is one. Raises InputError for two, and for none where one is needed."""
    if out is not None and resume is not None:
        raise InputError("simulate.out_and_resume", out=str(out), resume=str(resume))
    where = out if resume is None else resume
    if where is None and (blocks is not None or rounds):
        raise InputError("simulate.needs_directory", option="rounds" if blocks is None else "blocks")
    return where


def _as_recorded(
    directory: str | Path, rules: Ruleset | str | Path | None, asked: dict[str, Any]
) -> tuple[Ruleset | str | Path | None, dict[str, Any]]:
    """Fill in what was not given by what the run on disk has."""
    recorded = read_manifest(directory)
    policies = recorded.get("policies")
    if not isinstance(policies, list) or not all(isinstance(policy, Mapping) for policy in policies):
        # A policy may be written as a file's name; a run that somebody else made must not name one.
        recorded.pop("policies", None)
    if rules is None and "rules" in recorded:
        rules = parse_rules(recorded["rules"], source=str(directory))
    elif rules is not None:
        # Other rules may not have that room; then they differ anyway, and that is what must be told.
        recorded.pop("room", None)
    return rules, {name: recorded.get(name) if value is None else value for name, value in asked.items()}


def simulate_all(
    presets: Sequence[Ruleset | str | Path] = PRESETS,
    *,
    games: int | None = None,
    seed: int | None = None,
    tables: Sequence[str] | None = None,
    policies: Any = None,
    piao: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """Simulate several rulesets on the same walls, one with rooms once a cap, and join their tables.

    Arguments as for `simulate`. `games` counts for each run; `piao` is lowered to what a ruleset allows.
    """
    runs = [
        Run.of(
            rules, games=games, seed=seed, tables=tables, policies=policies, room=room, piao=_allowed_piao(rules, piao)
        )
        for rules in (given if isinstance(given, Ruleset) else load_rules(given) for given in presets)
        for room in _room_of_each_cap(rules)
    ]
    backend = Backend.of(workers=workers)
    overall = _Overall(progress, sum(run.games for run in runs))
    made = []
    for run in runs:
        made.append(_dressed(run, play_run(run, backend=backend, progress=overall)))
        overall.before += run.games
    return Result(join(made), [run.manifest() for run in runs], sum(run.blocks for run in runs))


class _Overall:
    """Progress of one run after another, told as that of all."""

    def __init__(self, told: Progress | None, total: int) -> None:
        self.told, self.total, self.before = told, total, 0

    def __call__(self, done: int, _: int) -> None:
        if self.told:
            self.told(self.before + done, self.total)


def _dressed(run: Run, sums: NDArray[np.void]) -> dict[str, pd.DataFrame]:
    room = run.rules.room(run.room)
    alike = len(set(run.piao)) == 1
    setting = Setting(
        ruleset=run.rules.name,
        cap=room.cap if room else run.rules.payment.cap,
        piao="/".join(map(str, run.piao[:1] if alike else run.piao)),
        rounds=run.games,
    )
    return {name: dress(name, setting, sums[0], run.rules) for name in run.tables}


def _room_of_each_cap(rules: Ruleset) -> list[str | None]:
    """The first room of each cap; in bases, rooms of one cap play the same game."""
    by_cap: dict[int, str | None] = {}
    for room in rules.rooms:
        by_cap.setdefault(room.cap, room.name)
    return list(by_cap.values()) or [None]


def _allowed_piao(rules: Ruleset, piao: int | None) -> int | None:
    return None if piao is None else min(piao, rules.piao.max)
