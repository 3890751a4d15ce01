"""Numbers, arms, beliefs and players in the words of an answer."""

from __future__ import annotations

import math
from functools import cache

from kwx_sim.ensemble import MEMBERS, written
from kwx_sim.errors import InputError
from kwx_sim.query.arms import Arm
from kwx_sim.text import t
from kwx_sim.tiles import tile_name

__all__ = ["UNKNOWN", "arm_words", "belief_words", "interval", "player", "share", "signed"]

UNKNOWN = "–"

MOST_DECIMALS = 6
"""Decimals up to which a bound is written that is not 0."""


def signed(value: float, decimals: int = 2) -> str:
    """Write bases with their sign, − for the minus; "–" where nothing is known."""
    if not math.isfinite(value):
        return UNKNOWN
    return f"{value:+.{decimals}f}".replace("-", "−") if round(value, decimals) else f"{0:.{decimals}f}"


def interval(low: float, high: float) -> str:
    """Write an interval: "[−0.12, +0.40]"; "–" where nothing is known."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return UNKNOWN
    return f"[{_bound(low)}, {_bound(high)}]"


def _bound(value: float) -> str:
    """A bound to two decimals, or as many more as tell on which side of 0 it lies: that is what it is looked at for."""
    decimals = (n for n in range(2, MOST_DECIMALS + 1) if round(value, n))
    return signed(value, next(decimals, 2))


def share(value: float, *, rare: bool = False) -> str:
    """A share in percent; "–" where it is not known. With `rare` what happens at all is not said to happen in 0.0%."""
    if not math.isfinite(value):
        return UNKNOWN
    return "<0.1%" if rare and 0 < value < 0.0005 else f"{value:.1%}"


def arm_words(arm: Arm, lang: str, form: str = "arm") -> str:
    """Name an arm: short for tables, or (`form` "act") as a clause of a sentence."""
    return t(f"query.{form}.{arm.way.replace(' ', '_')}", lang, tile=tile_name(arm.tile, lang))


def belief_words(belief: str, lang: str) -> str:
    """A belief by its name, which in English is that of the option too."""
    return t(f"query.belief_called.{belief}", lang)


def player(policy: str) -> InputError | str:
    """A policy as text; a member's by the member's name too, told in the language of what it becomes a part of."""
    name = _names().get(policy)
    if name is None:
        return policy
    return InputError("query.member", name=InputError(f"ensemble.{name}.name"), plays=policy)


@cache
def _names() -> dict[str, str]:
    """Members by their policies as text."""
    return {written(policy): name for name, policy in MEMBERS.items()}
