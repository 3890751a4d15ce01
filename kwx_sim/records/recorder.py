"""Events of a played round: the compiled engine is stepped through its actions, and what each brings written down."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from kwx_sim.core import state as codes
from kwx_sim.core.fans import EV_RED_KONG
from kwx_sim.play import OUTCOMES, Round
from kwx_sim.records.schema import SCHEMA, Event
from kwx_sim.rules import PRESETS, Ruleset, load_rules, rules_hash
from kwx_sim.scoring import fan_values
from kwx_sim.tiles import KONG_KINDS, NUM_KINDS, Meld, format_hand, format_melds, format_tiles, tile_name

__all__ = ["Recorder", "events", "events_of"]

_KONG_KIND = dict(zip((codes.DIRECT_KONG, codes.CONCEALED_KONG, codes.ADDED_KONG), KONG_KINDS, strict=True))


def events(
    rules: Ruleset,
    wall: Sequence[int],
    dealer: int,
    piao: Sequence[int],
    actions: Iterable[str | int],
    *,
    room: str | None = None,
    seed: int | None = None,
    game: int | None = None,
) -> list[Event]:
    """The events of a round.

    Parameters
    ----------
    rules, wall, dealer, piao, room : as for kwx_sim.play.Round
    actions : every action taken, in order, as text (`"discard 5p"`) or encoded
    seed, game : where the wall came from a run: its seed, and the round's number in it

    Raises InputError for an action that is not legal.
    """
    recorder = Recorder(Round(rules, wall, dealer, piao, room), seed=seed, game=game)
    found = recorder.begin()
    for action in actions:
        found += recorder.apply(action)
    return found


def events_of(
    state: Any, rules: Ruleset, *, room: str | None = None, seed: int | None = None, game: int | None = None
) -> list[Event]:
    """The events of a round that a kernel played, from its record (core.state.STATE), which keeps every action."""
    wall = [int(tile) for tile in state["wall"][: rules.wall_size]]
    piao = [int(choice) for choice in state["piao"]]
    actions = [int(code) for code in state["log"][: int(state["n_log"])]]
    return events(rules, wall, int(state["dealer"]), piao, actions, room=room, seed=seed, game=game)


class Recorder:
    """A round that tells what each action brings: `begin` once, then `apply` action by action."""

    def __init__(self, played: Round, *, seed: int | None = None, game: int | None = None) -> None:
        self.round = played
        self._seed, self._game = seed, game

    def begin(self) -> list[Event]:
        """The deal, and the dealer's 14th tile."""
        return [self._start(), self._draw("front")]

    def apply(self, action: str | int) -> list[Event]:
        """Take an action: its own events, then what follows without another decision. InputError where illegal."""
        s = self.round.state
        phase, seat, feeder = int(s["phase"]), int(s["seat"]), int(s["feeder"])
        front, tail, kong_points = int(s["front"]), int(s["tail"]), s["kong_points"].copy()
        self.round.apply(action)
        # The log holds the action encoded, however it was written.
        kind, tile = divmod(int(s["log"][int(s["n_log"]) - 1]), 32)
        found = self._acted(phase, seat, kind, tile, feeder)
        if int(s["tail"]) != tail:
            found += [*_payment("kong", s["kong_points"] - kong_points), self._draw("tail")]
        elif int(s["front"]) != front:
            found.append(self._draw("front"))
        elif self.round.over:
            found += self._end()
        return found

    def _start(self) -> Event:
        played = self.round
        counts = played.state["counts"].copy()
        # The dealer's 14th is a draw of its own.
        counts[played.dealer, int(played.state["tile"])] -= 1
        return {
            "type": "start_round",
            "schema": SCHEMA,
            "phase": "DEALING",
            "rules": rules_entry(played.rules),
            "room": played.room,
            "seed": self._seed,
            "game": self._game,
            "dealer": played.dealer,
            "piao": list(played.piao),
            "wall": format_tiles(played.wall),
            "hands": [format_hand(hand) for hand in counts],
        }

    def _acted(self, phase: int, seat: int, kind: int, tile: int, feeder: int) -> list[Event]:
        """The event of the action itself; none for a win, which comes with its payments, nor for a call not made."""
        name = tile_name(tile)
        if kind == codes.DISCARD:
            return [{"type": "discard", "seat": seat, "tile": name}]
        if kind == codes.LIANGDAO:
            return [self._liangdao(seat), {"type": "discard", "seat": seat, "tile": name}]
        if kind == codes.PONG:
            return [{"type": "pong", "seat": seat, "tile": name, "feeder": feeder}]
        if kind in _KONG_KIND:
            kong = {"type": "kong", "seat": seat, "tile": name, "kind": _KONG_KIND[kind]}
            return [kong | {"feeder": feeder} if kind == codes.DIRECT_KONG else kong]
        if kind == codes.PASS and phase == codes.CLAIM:
            return [{"type": "pass", "seat": seat, "tile": name}]
        return []

    def _draw(self, end: str) -> Event:
        s = self.round.state
        return {"type": "draw", "seat": int(s["seat"]), "tile": tile_name(int(s["tile"])), "from": end}

    def _liangdao(self, seat: int) -> Event:
        """亮倒, with the hand as the discard leaves it: each wait with how many of it may still be live."""
        s, shows = self.round.state, self.round.rules.liangdao.shows
        hand, seen = s["counts"][seat], s["seen"]
        waits = {tile_name(slot): 4 - int(hand[slot]) - int(seen[slot]) for slot in self.round.waits()[seat]}
        event = {"type": "liangdao", "seat": seat, "waits": waits, "shows": shows}
        return event | {"hand": format_hand(hand)} if shows == "hand" else event

    def _end(self) -> list[Event]:
        s = self.round.state
        return [
            *(self._win(win) for win in self.round.winners()),
            *_payment("undecided", s["undecided_points"]),
            {
                "type": "end_round",
                "phase": "ROUND_END",
                "outcome": OUTCOMES[int(s["outcome"])],
                "totals": self.round.points,
                "entry_fee": self.round.rules.entry_fee,
                "next_dealer": int(s["next_dealer"]),
            },
        ]

    def _win(self, win: dict[str, Any]) -> Event:
        s, seat = self.round.state, win["seat"]
        fours = [int(n) for n in s["win_fours"][seat]]
        after_red = EV_RED_KONG if int(s["replacement"]) == 2 else 0
        event = {"type": "win", "seat": seat, "tile": win["tile"], "by": win["by"]}
        if win["by"] != "self_draw":
            event["feeder"] = int(s["feeder"])
        event |= {
            "hand": format_hand(s["counts"][seat]),
            "melds": format_melds(Meld(kind, tile) for kind, tile in self.round.melds()[seat]),
            "fans": fan_values(self.round.rules, int(s["win_fans"][seat]), fours, after_red),
            "fan": win["fan"],
        }
        if int(s["maima_tile"]) < NUM_KINDS:
            event["maima"] = tile_name(int(s["maima_tile"]))
        return event | {"payments": [int(bases) for bases in s["win_points"][seat]]}


def rules_entry(rules: Ruleset) -> dict[str, Any]:
    """A ruleset as a record names it: a preset by name and hash, any other in full."""
    entry: dict[str, Any] = {"name": rules.name, "hash": rules_hash(rules)}
    if rules.name in PRESETS and rules == load_rules(rules.name):
        return entry
    return entry | {"fields": rules.model_dump(mode="json")}


def _payment(why: str, amounts: np.ndarray[Any, Any]) -> list[Event]:
    """The payment event, unless nobody pays."""
    return [{"type": "payment", "why": why, "amounts": [int(bases) for bases in amounts]}] if amounts.any() else []
