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

__all__ = ["BY", "Setting", "own_cap", "play_settings", "sample"]

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
    "maima": (
        {"maima.enabled": False},
        {"maima.enabled": True, "maima.inside_liangdao": False},
        {"maima.enabled": True, "maima.inside_liangdao": True},
    ),
    "undecided": ({"liangdao.undecided_first_pays": 0}, {"liangdao.undecided_first_pays": 1}),
}


class Setting(NamedTuple):
    """What declaring now gains over never where one rule, or the others' avoidance, is set to something.

    Attributes
    ----------
    panel, key : the rule, and what it is set to
    own : what the ruleset's own is on the walls of this setting, which are fewer; None for that itself
    moved : the change from it, wall by wall; None for that itself
    by : dimension -> by bin, and the number of forks; of the ruleset's own on the walls of the others of its panel
    """

    panel: str
    key: str
    label: Words
    n: int
    gain: Estimates
    own: Estimates | None
    moved: Estimates | None
    by: dict[str, tuple[Estimates, NDArray[np.int64]]]

    @classmethod
    def of(cls, panel: str, key: str, label: Words, forks: Forks, own: Forks) -> Setting:
        """Make it of its forks beside the ruleset's own."""
        beside = own.first(forks.rounds)
        return cls(
            panel, key, label, len(forks.rows), _gain(forks), _gain(beside), moved(forks, own), _by_bins(forks)
        )  # fmt: skip

    @classmethod
    def of_own(cls, panel: str, key: str, label: Words, own: Forks, rounds: int) -> Setting:
        """Make that of the ruleset's own, by bins of its first rounds alone."""
        return cls(panel, key, label, len(own.rows), _gain(own), None, None, _by_bins(own.first(rounds)))


def _gain(forks: Forks) -> Estimates:
    return overall(forks, forks.taking(DECLARE) - forks.taking(NEVER))


def _by_bins(forks: Forks) -> dict[str, tuple[Estimates, NDArray[np.int64]]]:
    gain, by = forks.taking(DECLARE) - forks.taking(NEVER), {}
    for dimension in BY:
        cells = Cells(forks.cell((dimension,)), forks.number, size((dimension,)))
        by[dimension] = enough(cells.mean(gain), cells.n), cells.n
    return by


def sample(games: int) -> int:
    """Rounds that other rules are played on beside the ruleset's own of so many."""
    return max(games // VARIANT, LEAST)


def own_cap(rules: Ruleset) -> int:
    """The cap that the rules are played with, in their first room where they have rooms; 0: none."""
    room = rules.room(None)
    return rules.payment.cap if room is None else room.cap


def play_settings(work: Work, own: Forks) -> Iterator[Setting]:
    """Play every setting of every panel; for the ruleset's own the forks that there are already are taken."""
    for avoidance in sorted({*AVOIDANCE, REFERENCE.avoidance}):
        key = f"{avoidance:g}"
        other = None if avoidance == REFERENCE.avoidance else avoidance
        yield _setting(work, own, "avoidance", key, Words(key, key), other)
    for panel, variants in _variants(work.rule):
        for key, label, rules in variants:
            yield _setting(work, own, panel, key, label, rules)


def _setting(work: Work, own: Forks, panel: str, key: str, label: Words, other: float | Ruleset | None) -> Setting:
    """One setting: another avoidance of the two others, or other rules, or nothing else than the ruleset's own."""
    rounds = max(work.games // AGAINST, LEAST) if panel == "avoidance" else sample(work.games)
    if other is None:
        return Setting.of_own(panel, key, label, own, rounds)
    progress = work.progress(Words.join([told(f"panel.{panel}"), label], zh=" "))
    seed, workers = work.seed, work.workers
    if isinstance(other, Ruleset):
        forks = play_forks(other, rounds, seed, workers=workers, progress=progress)
    else:
        forks = play_against(work.rule, other, rounds, seed, workers=workers, progress=progress)
    return Setting.of(panel, key, label, forks, own)


Variant = tuple[str, Words, Ruleset | None]


def _variants(rules: Ruleset) -> Iterator[tuple[str, list[Variant]]]:
    """Panels of house rules: each setting's key, name and rules, None for the ruleset's own."""
    for panel, changes in HOUSE_RULES.items():
        made = [(f"{panel}_{place}", changed(rules, change)) for place, change in enumerate(changes)]
        variants: list[Variant] = [
            (key, told(f"setting.{key}"), None if rules_hash(other) == rules_hash(rules) else other)
            for key, other in made
        ]
        if all(other is not None for _, _, other in variants):
            variants.insert(0, ("as_is", told("setting.as_is"), None))
        yield panel, variants
    own = own_cap(rules)
    caps = sorted({*CAPS, own}, key=lambda cap: cap or np.inf)
    yield "cap", [(f"cap_{cap}", _cap_name(cap), None if cap == own else _capped(rules, cap)) for cap in caps]


def _cap_name(cap: int) -> Words:
    return Words(str(cap), str(cap)) if cap else told("setting.cap_0")


def _capped(rules: Ruleset, cap: int) -> Ruleset:
    """The rules with another cap, in no room; a larger one for some fan goes with the cap."""
    return changed(rules, {"rooms": (), "payment.cap": cap, **({} if cap else {"payment.cap_for": {}})})
