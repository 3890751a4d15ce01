"""Rulesets that gave the same data on the same walls, told once: a copy is no second piece of evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from kwx_sim.report.section import SAME, Words, ruleset_name, words
from kwx_sim.rules import Ruleset

__all__ = ["Told", "same", "told_once"]


class Told(NamedTuple):
    """A ruleset, or several that gave the same data under a name of them all; and what was found, `ruleset` so named.

    `place` is that of the first of them among those that were given.
    """

    rules: Ruleset
    place: int
    frames: dict[str, pd.DataFrame]


def told_once(rulesets: Sequence[Ruleset], found: Sequence[Mapping[str, pd.DataFrame]]) -> list[Told]:
    """Put together the rulesets of which every frame is the same, but for the ruleset's name, in the order given."""
    groups: list[list[int]] = []
    for place, frames in enumerate(found):
        known = next((group for group in groups if _alike(found[group[0]], frames)), None)
        if known is None:
            groups.append([place])
        else:
            known.append(place)
    told = []
    for group in groups:
        first = group[0]
        name = SAME.join(rulesets[place].name for place in group)
        frames = {key: frame.assign(ruleset=name) for key, frame in found[first].items()}
        told.append(Told(rulesets[first].model_copy(update={"name": name}), first, frames))
    return told


def same(told: Iterable[Told]) -> list[Words]:
    """Say which rulesets are told together, one sentence each time."""
    names = [one.rules.name for one in told if SAME in one.rules.name]
    return [words("report_players.same", rulesets=ruleset_name(name)) for name in names]


def _alike(one: Mapping[str, pd.DataFrame], other: Mapping[str, pd.DataFrame]) -> bool:
    return one.keys() == other.keys() and all(
        one[key].drop(columns="ruleset").equals(other[key].drop(columns="ruleset")) for key in one
    )
