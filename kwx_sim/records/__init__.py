"""牌谱: rounds as JSON lines, one event a line; written from played rounds, read back, and checked against the rules.

The schema stands in docs/records.md.
"""

from kwx_sim.records.files import dump, read, write
from kwx_sim.records.recorder import events, events_of
from kwx_sim.records.replay import replay
from kwx_sim.records.rounds import FORMS, RecordedRound, read_rounds
from kwx_sim.records.schema import SCHEMA, Event
from kwx_sim.records.telling import describe

__all__ = [
    "FORMS",
    "SCHEMA",
    "Event",
    "RecordedRound",
    "describe",
    "dump",
    "events",
    "events_of",
    "read",
    "read_rounds",
    "replay",
    "write",
]
