"""Replay: a record's events checked one by one against the rules, by playing its rounds again."""

import json
from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from kwx_sim.errors import InputError
from kwx_sim.play import Decision, Round
from kwx_sim.records.files import located, read
from kwx_sim.records.recorder import Recorder
from kwx_sim.records.schema import Event, shown
from kwx_sim.rules import PRESETS, Ruleset, load_rules, parse_rules, rules_hash
from kwx_sim.tiles import parse_tiles

__all__ = ["replay", "replayed"]


def replay(path: str | Path) -> Iterator[Event]:
    """Each event of a file, once it has been found to follow from the rules and from what came before it.

    A record may hold many rounds; it ends after a whole one. The path "-" means standard input. Raises InputError at
    the first event that does not follow, naming its line, what was expected and what came.
    """
    lines = _Lines(path)
    while lines.ahead() is not None:
        yield from lines.play(lines.start())


def replayed(path: str | Path) -> Iterator[Round]:
    """Each round of a file, played to its end; checked as `replay` does."""
    lines = _Lines(path)
    while lines.ahead() is not None:
        recorder = lines.start()
        deque(lines.play(recorder), maxlen=0)
        yield recorder.round


class _Lines:
    """The lines of a record, with a look at those to come."""

    def __init__(self, path: str | Path) -> None:
        self._name = str(path)
        self._rest = read(path)
        self._waiting: deque[tuple[int, Event]] = deque()
        self._last = 0

    def ahead(self, distance: int = 0) -> Event | None:
        """An event that is still to come; None where the file has ended before it."""
        missing = distance + 1 - len(self._waiting)
        self._waiting.extend(islice(self._rest, max(missing, 0)))
        return self._waiting[distance][1] if distance < len(self._waiting) else None

    def start(self) -> Recorder:
        """The round that the next event starts."""
        event = self._coming("start_round")
        try:
            return _recorder(event)
        except InputError as problem:
            self._refuse(problem)

    def play(self, recorder: Recorder) -> Iterator[Event]:
        """Hand out the events of a round, which is played by them."""
        yield from self.expect(recorder.begin())
        while due := recorder.round.decision():
            yield from self.expect(recorder.apply(self.action(due)))

    def expect(self, events: list[Event]) -> Iterator[Event]:
        """Hand out the coming events, each of which must be the one expected."""
        for expected in events:
            came = self._coming(expected["type"])
            for field in expected | came:
                if _text(expected.get(field)) != _text(came.get(field)):
                    values = {"expected": shown(expected.get(field)), "came": shown(came.get(field))}
                    self._refuse(InputError("records.differs", type=expected["type"], field=field, **values))
            self._last = self._waiting.popleft()[0]
            yield came

    def action(self, due: Decision) -> str:
        """The action that the coming events show, as text: legal, or refused."""
        event = self.ahead()
        if event is None:
            self._end(", ".join(due.legal))
        if due.kind == "call":
            action = _call(event, due)
        elif due.kind == "win":
            action = _answer(event, due)
        else:
            action = _turn(event, due, self.ahead(1))
        if action is None:
            self._refuse(InputError("records.no_action", seat=due.seat, legal=", ".join(due.legal), came=_told(event)))
        if action not in due.legal:
            self._refuse(InputError("records.illegal", seat=due.seat, legal=", ".join(due.legal), came=action))
        return action

    def _coming(self, kind: str) -> Event:
        event = self.ahead()
        if event is None:
            self._end(kind)
        if event["type"] != kind:
            self._refuse(InputError("records.other_type", expected=kind, came=_told(event)))
        return event

    def _refuse(self, problem: InputError) -> NoReturn:
        raise located(self._name, self._waiting[0][0], problem)

    def _end(self, expected: str) -> NoReturn:
        raise located(self._name, self._last + 1, InputError("records.ends", expected=expected))


def _turn(event: Event, due: Decision, after: Event | None) -> str | None:
    """The action of a turn: a win, a kong, a discard, or a liangdao with the discard that follows it."""
    kind = event["type"]
    if event.get("seat") != due.seat:
        return None
    if kind == "liangdao":
        # What follows is compared with the engine's discard later; here it only says which tile.
        return f"liangdao {after['tile']}" if after is not None and after["type"] == "discard" else None
    if kind == "kong":
        return f"{event['kind']} {event['tile']}"
    return f"{kind} {event['tile']}" if kind in ("win", "discard") else None


def _answer(event: Event, due: Decision) -> str | None:
    """The answer to a win on offer. Wins are written after all have answered: who did not decline takes it."""
    if event["type"] == "pass" and event["seat"] == due.seat:
        return f"pass {event['tile']}"
    return (
        next(action for action in due.legal if action.startswith("win")) if event["type"] in ("pass", "win") else None
    )


def _call(event: Event, due: Decision) -> str | None:
    """The answer to a call on offer: a pong or kong of that seat, else none was made."""
    if event.get("seat") == due.seat and event["type"] in ("pong", "kong"):
        return f"{event.get('kind', 'pong')} {event['tile']}"
    return next(action for action in due.legal if action.startswith("pass"))


def _recorder(start: Event) -> Recorder:
    rules = _rules(start["rules"])
    wall = parse_tiles(start["wall"], tiles=rules.tiles.set)
    played = Round(rules, wall, start["dealer"], start["piao"], start["room"])
    return Recorder(played, seed=start["seed"], game=start["game"])


def _rules(entry: dict[str, Any]) -> Ruleset:
    """The ruleset that a record names. A name alone means a preset, never a file: a record is not to be trusted."""
    name, fields = entry["name"], entry.get("fields")
    if isinstance(fields, dict):
        rules = parse_rules(fields, source="rules.fields")
    elif name in PRESETS:
        rules = load_rules(name)
    else:
        raise InputError("records.rules", presets=", ".join(PRESETS), came=shown(name))
    if rules_hash(rules) != entry["hash"]:
        raise InputError("records.hash", name=rules.name, expected=rules_hash(rules), came=shown(entry["hash"]))
    return rules


def _text(value: Any) -> str:
    """A value as JSON, so that true is not 1."""
    return json.dumps(value, sort_keys=True)


def _told(event: Event) -> str:
    who = [f"seat {event['seat']}"] if "seat" in event else []
    return " ".join([event["type"], *([event["tile"]] if "tile" in event else []), *who])
