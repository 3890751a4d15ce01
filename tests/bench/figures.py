"""A measured figure with its bar, and whether it meets it."""

from typing import NotRequired, TypedDict

__all__ = ["Figure", "PeerFigure", "figure", "met", "verdict"]


class PeerFigure(TypedDict):
    """A peer on some of the same hands: on `compared` of them it had to give our answer, and did; 0: another game."""

    ns: float
    compared: int


class Figure(TypedDict):
    """What was measured; kernels also on how many hands, with the limits and the peers, ns each."""

    name: str
    value: float
    unit: str
    bar: float | None
    at_least: bool
    hands: NotRequired[int]
    limits: NotRequired[dict[str, float]]
    peers: NotRequired[dict[str, PeerFigure]]


def figure(name: str, value: float, unit: str, bar: float | None = None, at_least: bool = False) -> Figure:
    """Make a figure; the bar is the most that it may be, or with `at_least` the least."""
    return {"name": name, "value": value, "unit": unit, "bar": bar, "at_least": at_least}


def met(given: Figure) -> bool:
    """Whether a figure meets its bar; one without a bar does."""
    if given["bar"] is None:
        return True
    return given["value"] >= given["bar"] if given["at_least"] else given["value"] <= given["bar"]


def verdict(given: Figure) -> str:
    """A tick, or by how much the bar is missed; nothing where there is no bar."""
    if given["bar"] is None:
        return ""
    if met(given):
        return "✓"
    return f"{abs(given['value'] / given['bar'] - 1):.0%} {'short' if given['at_least'] else 'over'}"
