"""Fans and readings as the terminal words them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kwx_sim.rules import Ruleset

__all__ = ["fan_name", "fan_sum", "in_words", "sets", "signed"]

_CHINESE = str.maketrans({"s": "条", "p": "筒"})
_CHINESE_MELDS = {"concealed_kong": "暗杠", "direct_kong": "直杠", "added_kong": "补杠", "pong": "碰"}


def fan_name(fan: str, lang: str) -> str:
    """Name a fan in both languages, the reader's first: `清一色 full_flush`."""
    from kwx_sim.rules import FANS

    return f"{FANS[fan]} {fan}" if lang == "zh" else f"{fan} {FANS[fan]}"


def fan_sum(fans: dict[str, int], rules: Ruleset, lang: str, *, both: bool = False) -> str:
    """Word the fans with their values as they combine: `清一色 4 × 卡五星 2`; with `both`, named in both languages."""
    from kwx_sim.rules import FANS

    sign = " × " if rules.fans.combine == "multiply" else " + "
    own = FANS if lang == "zh" else {fan: fan for fan in FANS}
    return sign.join(f"{fan_name(fan, lang) if both else own[fan]} {value}" for fan, value in fans.items())


def in_words(notation: str, lang: str) -> str:
    """Word tiles and melds, given in English notation, as the language writes them: `[碰:中] 123条`."""
    if lang != "zh":
        return notation
    for english, chinese in _CHINESE_MELDS.items():
        notation = notation.replace(english, chinese)
    return notation.translate(_CHINESE)


def sets(reading: Iterable[str], lang: str) -> str:
    """Word a reading's sets, each given in English notation: `123条  55筒`."""
    return in_words("  ".join(reading), lang)


def signed(points: int) -> str:
    """Write a payment with its sign and a mark between thousands."""
    return f"{points:+,}".replace("-", "−") if points else "0"
