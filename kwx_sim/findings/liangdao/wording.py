"""The texts on the timing of 亮倒."""

from __future__ import annotations

from typing import Any

from kwx_sim.report.section import Words, words

__all__ = ["AREA", "told"]

AREA = "report_liangdao_timing"


def told(key: str, **params: Any) -> Words:
    """Give a text of the section in both languages."""
    return words(f"{AREA}.{key}", **params)
