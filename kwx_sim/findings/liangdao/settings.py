"""What declaring at once gains under other conditions: the two others' avoidance, and house rules, one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kwx_sim.findings.liangdao.forks import (
    DECLARE,
    LEAST,
    NEVER,
    REFERENCE,
    Cells,
    Forks,
    enough,
    moved,
    overall,
    play_against,
    play_forks,
    size,
)
from kwx_sim.findings.liangdao.wording import told
from kwx_sim.report.section import Words, Work
from kwx_sim.rules import Ruleset, changed, rules_hash
from kwx_sim.stats import Estimates

__all__ = ["BY", "Setting", "own_cap", "play_settings"]

BY = ("turn", "kinds")
"""Dimensions that small multiples go by."""

AVOIDANCE = (0.0, 0.25, 0.5, 0.75)
"""Beside the reference player's own, 1."""
AGAINST, VARIANT = 16, 8
"""Parts of the games that each seat of an avoidance, and each house rule, is given; LEAST rounds at least."""

CAPS = (0, 8, 16)
HOUSE_RULES: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "min_fan": (
        {"play.min_fan_on_discard": 1},
        {"play.min_fan_on_discard": 2, "play.min_fan_waived_by_liangdao": True},
        {"play.min_fan_on_discard": 2, "play.min_fan_waived_by_liangdao": False},
    ),
    "applies": ({"liangdao.applies": "winner"}, {"liangdao.applies": "winner_or_payer"}),
    "feeder": ({"liangdao.feeder_pays_all": False}, {"liangdao.feeder_pays_all": True}),
    "undecided": ({"liangdao.undecided_first_pays": 0}, {"liangdao.undecided_first_pays": 1}),
}


class Setting(NamedTuple):
    """What declaring now gains over never where one rule, or the others' avoidance, is set to something.

    Attributes
    ----------
    own : what the ruleset's own is on the walls of this setting, which are fewer; None for that itself
    moved : the change from it, wall by wall; None for that itself
    by : dimension -> by bin, and the number of forks
    """

    panel: str
    label: Words
    n: int
    gain: Estimates
    own: Estimates | None
    moved: Estimates | None
    by: dict[str, tuple[Estimates, NDArray[np.int64]]]

    @classmethod
    def of(cls, panel: str, label: Words, forks: Forks, own: Forks | None) -> Setting:
        """Make it of its forks, and of the ruleset's own where it is another."""
        gain, by = forks.taking(DECLARE) - forks.taking(NEVER), {}
        for dimension in BY:
            cells = Cells(forks.cell((dimension,)), forks.number, size((dimension,)))
            by[dimension] = enough(cells.mean(gain), cells.n), cells.n
        same = change = None
        if own is not None:
            beside = own.first(forks.rounds)
            same = overall(beside, beside.taking(DECLARE) - beside.taking(NEVER))
            change = moved(forks, own)
        return cls(panel, label, len(forks.rows), overall(forks, gain), same, change, by)


def own_cap(rules: Ruleset) -> int:
    """The cap that the rules are played with, in their first room where they have rooms; 0: none."""
    room = rules.room(None)
    return rules.payment.cap if room is None else room.cap


def play_settings(work: Work, own: Forks) -> Iterator[Setting]:
    """Play every setting of every panel; for the ruleset's own the forks that there are already are taken."""
    for avoidance in sorted({*AVOIDANCE, REFERENCE.avoidance}):
        label = Words(f"{avoidance:g}", f"{avoidance:g}")
        yield _setting(work, own, "avoidance", label, None if avoidance == REFERENCE.avoidance else avoidance)
    for panel, variants in _variants(work.rule):
        for label, rules in variants:
            yield _setting(work, own, panel, label, rules)


def _setting(work: Work, own: Forks, panel: str, label: Words, other: float | Ruleset | None) -> Setting:
    """One setting: another avoidance of the two others, or other rules, or nothing else than the ruleset's own."""
    if other is None:
        return Setting.of(panel, label, own, None)
    what = Words.join([told(f"panel.{panel}"), label], zh=" ")
    rules, seed, workers = work.rule, work.seed, work.workers
    progress = work.progress(what)
    if isinstance(other, Ruleset):
        forks = play_forks(other, max(work.games // VARIANT, LEAST), seed, workers=workers, progress=progress)
    else:
        games = max(work.games // AGAINST, LEAST)
        forks = play_against(rules, other, games, seed, workers=workers, progress=progress)
    return Setting.of(panel, label, forks, own)


def _variants(rules: Ruleset) -> Iterator[tuple[str, list[tuple[Words, Ruleset | None]]]]:
    """Panels of house rules: each setting's name and rules, None for the ruleset's own."""
    for panel, changes in HOUSE_RULES.items():
        made = [(told(f"setting.{panel}_{place}"), changed(rules, change)) for place, change in enumerate(changes)]
        variants = [(name, None if rules_hash(other) == rules_hash(rules) else other) for name, other in made]
        if all(other is not None for _, other in variants):
            variants.insert(0, (told("setting.as_is"), None))
        yield panel, variants
    own = own_cap(rules)
    caps = sorted({*CAPS, own}, key=lambda cap: cap or np.inf)
    yield "cap", [(_cap_name(cap), None if cap == own else _capped(rules, cap)) for cap in caps]


def _cap_name(cap: int) -> Words:
    return Words(str(cap), str(cap)) if cap else told("setting.cap_0")


def _capped(rules: Ruleset, cap: int) -> Ruleset:
    """The rules with another cap, in no room; a larger one for some fan goes with the cap."""
    return changed(rules, {"rooms": (), "payment.cap": cap, **({} if cap else {"payment.cap_for": {}})})
