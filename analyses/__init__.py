"""The questions of the strategy report, one a file: `python -m analyses.fans --rules xiangyang --seed 7`."""

from importlib import import_module

from kwx_sim.report import Analysis

__all__ = ["ORDER", "load"]

ORDER = (
    "claims",
    "liangdao_timing",
    "kawuxing",
    "maima",
    "fans",
    "kongs",
    "seat",
    "piao",
    "rooms",
    "rulesets",
)
"""Every analysis, in the order of the report."""


def load(name: str) -> Analysis:
    """Load an analysis by its name."""
    found: Analysis = import_module(f"{__name__}.{name}").ANALYSIS
    return found
