"""The second engine: Kawuxing in plain Python, for checking the compiled one decision by decision.

    played = ReferenceRound(load_rules("suizhou"), wall, dealer=0)
    while due := played.decision():
        seat, kind, legal = due
        played.apply(choose(seat, kind, legal))

Here are also rounds from written scripts. It shares no code with the product but the rulesets, which are data, and the
notation. reference_shapes has the winning shapes, reference_hands the scores, reference_round the course of a round.
"""

from collections import deque
from collections.abc import Mapping
from typing import Any

from reference_round import SEATS, Decision, ReferenceRound

from kwx_sim.rules import changed, load_rules
from kwx_sim.tiles import parse_tile, parse_tiles, tile_name

__all__ = ["Decision", "ReferenceRound", "play_script"]


def play_script(case: Mapping[str, Any]) -> ReferenceRound:
    """Play a round whose wall and choices are written down, to its end."""
    rules = changed(load_rules(case["rules"]), case.get("changes", {}))
    played = ReferenceRound(
        rules, parse_tiles(case["wall"]), case.get("dealer", 0), case.get("piao", (0, 0, 0)), case.get("room")
    )
    queues = [deque(entry for entry in case["script"] if entry["seat"] == seat) for seat in range(SEATS)]
    while due := played.decision():
        queue = queues[due.seat]
        action = scripted(queue[0], due, played.drawn) if queue else None
        if action is None:
            action = unscripted(due, played.drawn)
        else:
            queue.popleft()
        played.apply(action)
    return played


def scripted(entry: Mapping[str, Any], due: Decision, drawn: int | None) -> str | None:
    """The action of a seat's next entry, where it applies to the decision; None where it waits for a later one."""
    at = drawn if due.kind == "turn" else parse_tile(due.legal[0].partition(" ")[2])
    if "on" in entry and (at is None or parse_tile(entry["on"]) != at):
        return None
    tile = parse_tile(entry["tile"]) if "tile" in entry else at
    act = "liangdao" if entry.get("liangdao") else entry["act"]
    action = None if tile is None else f"{act} {tile_name(tile)}"
    return action if action in due.legal else None


def unscripted(due: Decision, drawn: int | None) -> str:
    """Decline a win, call nothing, discard the tile just drawn; without one, or where it may not, the lowest tile."""
    if due.kind != "turn":
        return next(action for action in due.legal if action.startswith("pass "))
    if drawn is not None and f"discard {tile_name(drawn)}" in due.legal:
        return f"discard {tile_name(drawn)}"
    discards = [action for action in due.legal if action.startswith("discard ")]
    return min(discards, key=lambda action: parse_tile(action.partition(" ")[2]))
