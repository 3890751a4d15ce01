"""The texts on the timing of 亮倒."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kwx_sim.findings.rounds import judged, said, verdict
from kwx_sim.report.section import Words, words
from kwx_sim.report.verdicts import DELTA
from kwx_sim.stats import Estimates

__all__ = ["AREA", "capital", "listed", "precise", "sided", "told"]

AREA = "report_liangdao_timing"

FEWEST, MOST = 2, 5
"""Decimals of an estimate in a sentence."""


def told(key: str, **params: Any) -> Words:
    """Give a text of the section in both languages."""
    return words(f"{AREA}.{key}", **params)


def sided(key: str, found: Estimates, **params: Any) -> Words:
    """Give the sentence that says on which side of the margin a gain lies, and whether that is borderline."""
    return judged(told(f"{key}.{verdict(found)}", gain=precise(found), margin=DELTA, **params), found)


def precise(found: Estimates) -> Words:
    """Say an estimate with its interval, in so many decimals that rounding moves no bound across the margin."""
    bounds = [float(bound) for bound in (found.ci_low, found.ci_high)]
    for decimals in range(FEWEST, MOST):
        if all(
            _side(round(bound, decimals), edge) == _side(bound, edge) for bound in bounds for edge in (-DELTA, DELTA)
        ):
            return said(found, f"+.{decimals}f")
    return said(found, f"+.{MOST}f")


def _side(value: float, edge: float) -> int:
    return (value > edge) - (value < edge)


def capital(name: Words) -> Words:
    """Begin a sentence with it."""
    return Words(name.en[:1].upper() + name.en[1:], name.zh)


def listed(names: Iterable[Words]) -> Words:
    """List names, each in quotation marks."""
    return Words.join((told("quoted", name=name) for name in names), en=", ", zh="、")
