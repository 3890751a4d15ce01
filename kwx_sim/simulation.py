"""Simulations for people: a ruleset, or all of them, into tables with their provenance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kwx_sim.errors import InputError
from kwx_sim.rules import PRESETS, Ruleset, load_rules, parse_rules
from kwx_sim.runs import Notice, Progress, Run, checked_workers, play_run
from kwx_sim.store import Store, read_manifest
from kwx_sim.tables import Setting, dress, join

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Result", "simulate", "simulate_all"]


@dataclass(frozen=True)
class Result:
    """Tables by name (see `kwx_sim.tables`), and the manifest of each run that they come from."""

    tables: dict[str, pd.DataFrame]
    provenance: list[dict[str, Any]]


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
    out: str | Path | None = None,
    resume: str | Path | None = None,
    progress: Progress | None = None,
    notice: Notice | None = None,
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
    workers : threads; by default as many as processors. They change nothing but the time
    out : a directory for the manifest and the finished blocks of a new run
    resume : the directory of a run to continue. What is not given is as the run has it; what is given must agree
    progress : called with rounds done and rounds in all; first before any is played, resumed ones counted as done
    notice : called with an InputError that tells of something mended, such as a damaged block that is played again

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
    if out is not None and resume is not None:
        raise InputError("simulate.out_and_resume", out=str(out), resume=str(resume))
    where = out if resume is None else resume
    asked = {"games": games, "seed": seed, "tables": tables, "policies": policies, "room": room, "piao": piao}
    if resume is not None:
        rules, asked = _as_recorded(resume, rules, asked)
    run = Run.of(rules, **asked)
    store = None if where is None else Store(where, run.manifest(), resume=resume is not None)
    sums = play_run(run, workers=checked_workers(workers), store=store, progress=progress, notice=notice)
    return Result(_dressed(run, sums), [run.manifest()])


def _as_recorded(
    directory: str | Path, rules: Ruleset | str | Path | None, asked: dict[str, Any]
) -> tuple[Ruleset | str | Path | None, dict[str, Any]]:
    """Fill in what was not given by what the run on disk has."""
    recorded = read_manifest(directory)
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
    overall = _Overall(progress, sum(run.games for run in runs))
    made = []
    for run in runs:
        made.append(_dressed(run, play_run(run, workers=checked_workers(workers), progress=overall)))
        overall.before += run.games
    return Result(join(made), [run.manifest() for run in runs])


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
