"""Simulations: rounds in fixed blocks, on any number of workers, into tables; on disk if wished, and resumable.

A run is decided by its ruleset, room, piao, policies, seed and number of rounds. Round i's wall and noise come from
counter-keyed streams, blocks do not depend on the workers, and sums are integers, so the tables are the same to the
last bit however many workers play and however often the run was interrupted.
"""

from __future__ import annotations

import os
import platform
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core.fans import KAWUXING
from kwx_sim.core.jit import SOURCE_HASH, records
from kwx_sim.core.series import (
    SERIES,
    STREAMS,
    SUMS,
    TALLY_KAWUXING,
    TALLY_LIANGDAO,
    TALLY_MAIMA,
    desk,
    play_rounds,
)
from kwx_sim.core.shapes import load_tables
from kwx_sim.core.tally import RULE_VARIANTS, WITHOUT_KAWUXING, WITHOUT_MAIMA
from kwx_sim.errors import InputError
from kwx_sim.policies import Policy, parse_policy, policy
from kwx_sim.rules import PRESETS, Ruleset, load_rules, pack, parse_rules, rules_hash
from kwx_sim.store import Store, read_manifest
from kwx_sim.tables import TABLES, Setting, applies, dress, join

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BLOCK", "DEFAULT_GAMES", "Result", "Run", "replay", "simulate", "simulate_all"]

BLOCK = 4096
"""Rounds of a block, the unit that is saved: about a second of work with forks. Whole series, so blocks stand alone."""

CHUNK = 256
"""Rounds of a call: a few hundredths of a second, after which an interrupt is noticed."""

DEFAULT_GAMES = 60_000
MAX_GAMES = 10**10
MAX_SEED = 2**63 - 1
SEATS = 3

WALLS, NOISE, DEALERS = 0, 1, 2
"""Purposes of streams; each is spread from the seed by a key of its own."""

TALLIES = {"kawuxing_frequency": TALLY_KAWUXING, "maima_value": TALLY_MAIMA, "liangdao_timing": TALLY_LIANGDAO}

Progress = Callable[[int, int], None]
"""Told the rounds done and the rounds in all, first before any is played (blocks resumed count as done)."""

Notice = Callable[[InputError], None]
"""Told in passing what a person should know, such as a damaged block that is played again."""


@dataclass(frozen=True)
class Run:
    """What is simulated, checked and complete."""

    rules: Ruleset
    room: str | None
    piao: tuple[int, ...]  # by seat
    policies: tuple[Policy, ...]  # by seat
    games: int
    seed: int
    tables: tuple[str, ...]

    @property
    def setting(self) -> Setting:
        """What the rows of its tables name."""
        chosen = self.rules.room(self.room)
        piao = self.piao[:1] if len(set(self.piao)) == 1 else self.piao
        return Setting(
            ruleset=self.rules.name,
            cap=chosen.cap if chosen else self.rules.payment.cap,
            piao="/".join(map(str, piao)),
            rounds=self.games,
        )

    def manifest(self) -> dict[str, Any]:
        """Everything that can change a result, as plain JSON values; it names the run on disk and in a report."""
        return {
            "format": 1,
            "command": "simulate",
            "tables": list(self.tables),
            "rules_hash": rules_hash(self.rules),
            "rules": self.rules.model_dump(mode="json"),
            "room": self.room,
            "piao": list(self.piao),
            "policies": [policy.describe() for policy in self.policies],
            "games": self.games,
            "seed": self.seed,
            "block": BLOCK,
            "series": SERIES,
            "versions": {
                "kwx_sim": version("kwx-sim"),
                "python": platform.python_version(),
                "numpy": np.__version__,
                "numba": version("numba"),
            },
            "kernels": SOURCE_HASH,
        }


@dataclass(frozen=True)
class Result:
    """Tables by name (see kwx_sim.tables), and the manifest of each run that they come from."""

    tables: dict[str, pd.DataFrame]
    provenance: list[dict[str, Any]]
