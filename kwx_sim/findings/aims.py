"""Players that aim for one large hand, beside the same player with no plan and beside plain speed, on equal deals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kwx_sim import trials
from kwx_sim.findings.claims.sample import Sample, same_data
from kwx_sim.findings.players import differing, where_enough
from kwx_sim.findings.wins import NOTHING, has_fan, means, own_fans, share_of
from kwx_sim.report.section import SAME, Words, Work, estimate_columns, ruleset_name, words
from kwx_sim.rules import FANS, Ruleset
from kwx_sim.stats import Estimates

__all__ = [
    "AIMS",
    "FAIR",
    "HANDS",
    "LEANINGS",
    "NO_PLAN",
    "SPEED",
    "aim_frame",
    "aim_words",
    "counted_once",
    "judged_once",
    "planned",
    "player",
]

SPEED = {"policy": "efficient", "value": 0}
NO_PLAN = {"policy": "efficient", "aim_pairs": 0, "aim_triplets": 0, "aim_flush": 0, "aim_dragons": 0}

AIMS: dict[str, tuple[str, ...]] = {
    "triplets": ("aim_triplets",),
    "pairs": ("aim_pairs",),
    "flush": ("aim_flush",),
    "dragons": ("aim_dragons",),
    "dragons_kept": ("aim_dragons", "keep_dragons"),
}
"""An aim and the parameters that lean towards it."""

FAIR = "over_none"
"""The comparison that says whether aiming pays: with the same player that has no plan for any hand."""

HANDS = {
    "triplets": ("all_triplets",),
    "pairs": tuple(fan for fan in FANS if fan.endswith("seven_pairs")),
    "flush": ("full_flush",),
    "dragons": ("big_three_dragons", "small_three_dragons"),
    "dragons_kept": ("big_three_dragons", "small_three_dragons"),
}
"""The fans that an aim is after."""

LEANINGS = (1, 2, 4)


def planned(rules: Ruleset) -> list[str]:
    """Name the aims for which the players have a plan under a ruleset, as `core.plans` decides."""
    value = rules.fans.value
    dragons = rules.tiles.wild == "none" and bool(value("big_three_dragons") or value("small_three_dragons"))
    has = {
        "triplets": bool(value("all_triplets")) and rules.shapes.missing_suit == "off",
        "pairs": rules.shapes.seven_pairs,
        "flush": bool(value("full_flush")),
        "dragons": dragons,
        "dragons_kept": dragons,
    }
    return [aim for aim in AIMS if has[aim]]


def player(aim: str, leaning: float) -> dict[str, Any]:
    """The player that leans towards one hand, and towards no other."""
    return {**NO_PLAN, **dict.fromkeys(AIMS[aim], leaning)}


def aim_frame(work: Work, rules: Ruleset, walls: int) -> tuple[pd.DataFrame, Sample]:
    """Give players and what they gain over plain speed and over no plan, a row each; and what each gained by wall."""
    name = ruleset_name(rules.name)

    def play(policy: Mapping[str, Any], of: Words) -> NDArray[np.void]:
        progress = work.progress(words("report_fans.aiming_now", ruleset=name, aim=of))
        return trials.play_seats(rules, policy, walls=walls, seed=work.seed, workers=work.workers, progress=progress)

    players = [("reference", 1, {"policy": "efficient"})]
    players += [(aim, leaning, player(aim, leaning)) for aim in planned(rules) for leaning in LEANINGS]
    speed, none = play(SPEED, words("report_fans.aim.none")), play(NO_PLAN, words("report_fans.aim.none"))
    rows, gained = [_aim_row("none", 0, none, speed, none)], [_gained(none, speed)]
    for aim, leaning, policy in players:
        played = play(policy, aim_words(aim))
        rows.append(_aim_row(aim, leaning, played, speed, none))
        gained.append(_gained(played, none))
    frame = pd.DataFrame([{key: row[key] for key in ("aim", "leaning")} for row in rows])
    frame.insert(0, "ruleset", rules.name)
    frame["walls"] = walls
    for field in ("gain", "over_none", "differ", "reached"):
        estimate_columns(frame, field, means([row[field] for row in rows]))
    by_wall = np.concatenate(gained)
    return frame, Sample(by_wall, np.full(len(by_wall), speed.shape[1]))


def _gained(played: NDArray[np.void], other: NDArray[np.void]) -> NDArray[np.int64]:
    return np.asarray((trials.seat_points(played) - trials.seat_points(other)).sum(axis=1))


def counted_once(samples: Mapping[str, Sample]) -> dict[str, tuple[str, ...]]:
    """Put together the rulesets whose players gained the same on the same walls but for a few: no two witnesses.

    Returns
    -------
    the first ruleset of each group -> all of them
    """
    groups: dict[str, tuple[str, ...]] = {}
    for ruleset, sample in samples.items():
        first = next((one for one in groups if same_data(samples[one], sample)), ruleset)
        groups[first] = (*groups.get(first, ()), ruleset)
    return groups


def judged_once(aims: pd.DataFrame, once: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Give the rows of the first ruleset of each group, under a name of them all."""
    return aims[aims["ruleset"].isin(once)].assign(
        ruleset=lambda rows: [SAME.join(once[ruleset]) for ruleset in rows["ruleset"]]
    )


def _aim_row(
    aim: str, leaning: float, played: NDArray[np.void], speed: NDArray[np.void], none: NDArray[np.void]
) -> dict[str, Any]:
    different = differing(played, none)
    return {
        "aim": aim,
        "leaning": leaning,
        "gain": where_enough(trials.gain(played, speed), differing(played, speed)),
        "over_none": where_enough(trials.gain(played, none), different),
        "differ": NOTHING if aim == "none" else _share_of_rounds(different),
        "reached": _reached(aim, played) if aim in HANDS else NOTHING,
    }


def _reached(aim: str, played: NDArray[np.void]) -> Estimates:
    """The share of its rounds that the player won with the hand it is after."""
    fans = own_fans(played)
    reached = np.zeros(fans.shape, bool)
    for fan in HANDS[aim]:
        reached |= has_fan(fans, fan)
    return _share_of_rounds(reached)


def _share_of_rounds(chosen: NDArray[np.bool_]) -> Estimates:
    """The share of a player's rounds, (walls, 3)."""
    return share_of(chosen.sum(axis=1), np.full(len(chosen), chosen.shape[1]))


def aim_words(aim: str) -> Words:
    """Name an aim in both languages."""
    return words(f"report_fans.aim.{aim}")
