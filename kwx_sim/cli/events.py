"""A record's events on the terminal, for people or as JSON lines."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kwx_sim.cli.terminal import hang, print_json

if TYPE_CHECKING:
    from kwx_sim.records import Event

__all__ = ["show_events"]


def show_events(events: Iterable[Event], as_json: bool, lang: str) -> Counter[str]:
    """Show events as they come, rounds set apart by a blank line. Gives how many of each type there were."""
    shown: Counter[str] = Counter()
    for event in events:
        if as_json:
            print_json(event)
        else:
            if event["type"] == "start_round" and shown:
                sys.stdout.write("\n")
            sys.stdout.write(_told(event, lang))
        shown[event["type"]] += 1
    return shown


def _told(event: Event, lang: str) -> str:
    """Word an event in folded lines; what follows from it stays indented under it."""
    from kwx_sim.records import describe

    lines = describe(event, lang).splitlines()
    return "".join(hang("", line, indent=len(line) - len(line.lstrip())) + "\n" for line in lines)
