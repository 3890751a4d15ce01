"""Kinds of mistakes: what was done, against what would have been better."""

from kwx_sim.query.arms import Arm

__all__ = ["KINDS", "kind_of"]

KINDS = (
    "passed_win", "took_win", "declared_early", "declared_late", "declared_wrong", "fed", "wrong_discard",
    "missed_kong", "bad_kong", "missed_pong", "bad_pong",
)  # fmt: skip
"""In the order in which totals list them; named in both languages under review.kind."""


def kind_of(taken: Arm, better: Arm, *, fed: bool) -> str:
    """Name the mistake that taking one arm in place of the other is.

    fed : whether the tile discarded was won by another player
    """
    for way, missed, made in (
        ("win", "passed_win", "took_win"),
        ("kong", "missed_kong", "bad_kong"),
        ("pong", "missed_pong", "bad_pong"),
    ):
        if way in better.way and way not in taken.way:
            return missed
        if way in taken.way and way not in better.way:
            return made
    if "kong" in taken.way:
        return "bad_kong"
    if fed and taken.tile != better.tile:
        return "fed"
    if taken.declares and better.declares:
        return "declared_wrong"
    if taken.declares:
        return "declared_early"
    return "declared_late" if better.declares else "wrong_discard"
