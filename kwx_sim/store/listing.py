"""The runs below a directory, and how far each is."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kwx_sim.errors import InputError
from kwx_sim.refusals import clipped
from kwx_sim.store.directory import finished_blocks, is_played
from kwx_sim.store.manifest import MANIFEST, Extent, read_manifest
from kwx_sim.store.merging import is_half_merged

__all__ = ["STATES", "Listed", "list_runs"]

STATES = ("complete", "playing", "partial", "other_program", "damaged")
"""All rounds are there; a process plays into it; some rounds are there; some are, and only another version of the
program could go on; no manifest.
"""


class Listed(NamedTuple):
    """A run as it is listed. What a damaged manifest does not tell is None."""

    path: str
    ruleset: str | None
    seed: int | None
    done: int | None
    games: int | None
    state: str


def list_runs(directory: str | Path, program: Mapping[str, Any]) -> Iterator[Listed]:
    """List the runs in a directory and below it, by path; a run's own directories are not looked into.

    Blocks are counted by their names; whether they are whole is found out when they are read.

    Parameters
    ----------
    program : the fields of a manifest that must be so for this program to go on with a run
    """
    if not Path(directory).is_dir():
        raise InputError("simulate.no_directory", path=str(directory))
    for path, directories, files in os.walk(directory):
        directories[:] = sorted(name for name in directories if not is_half_merged(name))
        if MANIFEST in files:
            listed = _listed(Path(path), program)
            if listed is not None:
                directories.clear()
                yield listed


def _listed(path: Path, program: Mapping[str, Any]) -> Listed | None:
    """A run, or None for a directory whose manifest is one of something else."""
    try:
        manifest = read_manifest(path)
        extent = Extent.of(manifest, path)
    except InputError as error:
        if error.key == "simulate.other_kind":
            return None
        return Listed(str(path), None, None, None, None, "damaged")
    finished = finished_blocks(path, extent)
    done = sum(len(extent.rounds(number)) for number in finished)
    if is_played(path):
        state = "playing"
    elif done == extent.games:
        state = "complete"
    else:
        state = "partial" if all(manifest.get(name) == value for name, value in program.items()) else "other_program"
    rules, seed = manifest.get("rules"), manifest.get("seed")
    name = rules.get("name") if isinstance(rules, dict) else None
    return Listed(
        path=str(path),
        ruleset=clipped(name) if isinstance(name, str) else None,
        seed=seed if type(seed) is int and 0 <= seed < 1 << 63 else None,
        done=done,
        games=extent.games,
        state=state,
    )
