"""Hidden hands by what their players did: against the engine's own rounds, and against the truth."""

import itertools
from collections import Counter

import numpy as np
import pytest
from position_maker import position_of_round

from kwx_sim.core import state as codes
from kwx_sim.core.cloud import HAND_NOTE, USE, _due, imagine
from kwx_sim.core.jit import records
from kwx_sim.core.legal import locked
from kwx_sim.core.policy import count_actions, decide
from kwx_sim.core.rng import stream_key
from kwx_sim.core.round import apply, deal
from kwx_sim.core.state import STATE
from kwx_sim.core.tables import load_tables
from kwx_sim.core.world import PLAYED, UNIFORM, make_world
from kwx_sim.policies import parse_policy
from kwx_sim.positions import check, position_of
from kwx_sim.query.beliefs import cast_of, record_of
from kwx_sim.query.shown import hands_behind
from kwx_sim.query.worlds import Worlds, scratch
from kwx_sim.rules import PRESETS, load_rules, pack
from kwx_sim.tiles import meld_counts

SEATS = 3
SURE = parse_policy("efficient")
ERRING = parse_policy("efficient:tremble=0.15")
SLIP = 0.15
NO_PIAO = np.zeros(SEATS, np.uint8)


def turns(rules, player, rounds, seed, most_discards=64):
    """An own turn with some history, one at random a round: the record, and the seat."""
    rng = np.random.default_rng(seed)
    packed, policy = pack(rules)[0], player.pack()[0]
    tables = load_tables()[0]
    for number in range(rounds):
        state, key = records(1, STATE), np.uint64(rng.integers(1 << 62))
        wall = np.zeros(84, np.uint8)
        wall[: rules.wall_size] = rng.permutation(np.repeat(np.arange(rules.n_kinds), 4))
        deal(tables, packed, state[0], wall, number % SEATS, NO_PIAO)
        found = []
        while state[0]["phase"] != codes.END:
            s = state[0]
            if s["phase"] == codes.TURN and 4 <= s["n_river"] <= most_discards:
                found.append((state.copy(), int(s["seat"])))
            apply(tables, packed, s, int(decide(tables, packed, s, policy, key)))
        if found:
            yield found[rng.integers(len(found))]


def worlds_of(state, seat, rules, believed, slip):
    position = position_of(position_of_round(state[0], seat, rules))
    table = check(position, rules, "discard")
    melds = [meld_counts(player.melds or ()) for player in position.players]
    hands = hands_behind(rules, table.shown_waits.tolist(), melds, table.unseen)
    worlds = Worlds(position, table, pack(rules), [(believed,) * SEATS], hands, 1, 1)
    worlds.known = worlds.known._replace(cast=cast_of((believed,) * SEATS, slip))
    return worlds


class Retraced:
    """A round played again from its wall: what a seat was dealt and drew, and how likely its acts were."""

    def __init__(self, state, seat, rules, slip):
        self.tiles, self.log, self.decisions = [], 0.0, []
        packed, tables, mind = pack(rules)[0], load_tables()[0], SURE.pack()[0]
        again = records(1, STATE)
        s = again[0]
        deal(tables, packed, s, state[0]["wall"].copy(), int(state[0]["dealer"]), NO_PIAO)
        hand = s["counts"][seat].copy()
        if s["seat"] == seat:
            hand[int(s["tile"])] -= 1
        self.tiles = [tile for tile in range(27) for _ in range(int(hand[tile]))]
        if s["seat"] == seat:
            self.tiles.append(int(s["tile"]))
        for code in state[0]["log"][: int(state[0]["n_log"])]:
            action = int(code)
            if s["seat"] == seat:
                self._weigh(tables, packed, s, mind, action, seat, slip)
            draws = int(s["draws"][seat])
            apply(tables, packed, s, action)
            if s["draws"][seat] > draws:
                self.tiles.append(int(s["tile"]))

    def _weigh(self, tables, packed, s, mind, action, seat, slip):
        chosen = int(decide(tables, packed, s, mind, np.uint64(1))) == action
        self.log += np.log((1 - slip) * chosen + slip / int(count_actions(s)))
        kind, tile = action >> 5, action & 31
        copies = int(s["counts"][seat, tile]) if tile != codes.NO_TILE else 0
        if kind <= codes.LIANGDAO and not locked(packed, s, seat):
            self.log -= np.log(copies)
        if kind == codes.PONG:
            self.log -= np.log(copies * (copies - 1))
        names = ("seen", "chain", "calls", "replacement", "front", "tail", "declared")
        self.decisions.append({name: s[name].copy() for name in names} | {"action": action, "draws": s["draws"][seat]})


@pytest.mark.parametrize("preset", PRESETS)
def test_the_true_hand_is_as_likely_as_the_engine_says(preset):
    """The log of the chance of all that a seat did, its tiles given: along the record, and decision by decision."""
    rules, done = load_rules(preset), 0
    for state, seat in turns(rules, ERRING, 25, seed=3):
        worlds = worlds_of(state, seat, rules, SURE, SLIP)
        if worlds.belief != "played" or state[0]["declared"].any():
            continue
        for other in (1, 2):
            retraced = Retraced(state, (seat + other) % SEATS, rules, SLIP)
            uses = records(len(retraced.tiles), USE)
            uses["tile"], uses["before"], uses["exact"] = retraced.tiles, np.arange(1, len(uses) + 1), 1
            story = worlds.known.story.copy()
            story["uses"][0, other] = 0, len(uses)
            known = worlds.known._replace(uses=uses, story=story)
            cloud, notes = records(1, STATE), records(1, HAND_NOTE)
            left = np.zeros(27, np.uint8)
            _, log = imagine(
                worlds.tables[0], worlds.rules[0], known.base[0], other, known, True, left, np.uint64(5), cloud, notes
            )
            assert log == pytest.approx(retraced.log, abs=1e-9)
            assert cloud[0]["counts"][other].tolist() == state[0]["counts"][(seat + other) % SEATS].tolist()
            assert cloud[0]["waits"][other] == state[0]["waits"][(seat + other) % SEATS]
            done += 1
    assert done > 20


@pytest.mark.parametrize(
    "told",
    [
        [(2, 0), (3, 0), (5, 0)],
        [(4, 0), (4, 0), (5, 1)],
        [(2, 0), (4, 1), (4, 0), (4, 0), (6, 0)],
        [(1, 0), (2, 0)],
    ],
)
def test_every_way_for_used_tiles_to_come_in_time_is_as_likely(told):
    """Against all ways written out: each use before its last place, an exact one in the very last, no two in one."""
    uses, places = records(len(told), USE), max(before for before, _ in told)
    uses["tile"] = np.arange(len(told))
    uses["before"], uses["exact"] = np.transpose(told)
    in_time = [{before - 1} if exact else set(range(before)) for before, exact in told]
    ways = {way for way in itertools.product(*in_time) if len(set(way)) == len(way)}
    rng, drawn, tries = np.random.default_rng(8), Counter(), 400 * len(ways)
    for _ in range(tries):
        note = records(1, HAND_NOTE)[0]
        came = [int(_due(uses, 0, len(uses), place, note, rng.random())) for place in range(places)]
        drawn[tuple(came.index(tile) for tile in range(len(told)))] += 1
    assert set(drawn) == ways
    chi_square = sum((drawn[way] - 400) ** 2 / 400 for way in ways)
    assert chi_square < len(ways) + 4 * np.sqrt(2 * len(ways)) + 5


@pytest.mark.parametrize("preset", PRESETS)
def test_the_record_shows_the_table_as_the_engine_had_it(preset):
    """Every decision that a seat had is a moment of its story, with what lay on the table then."""
    rules, compared = load_rules(preset), 0
    for state, seat in turns(rules, ERRING, 25, seed=4):
        worlds = worlds_of(state, seat, rules, SURE, SLIP)
        table = check(position_of(position_of_round(state[0], seat, rules)), rules, "discard")
        record = record_of(table, worlds.rules[0])
        assert record is not None
        for other in (1, 2):
            first, last = record.story["moments"][0, other]
            moments = record.moments[first:last]
            for decision in Retraced(state, (seat + other) % SEATS, rules, SLIP).decisions:
                alike = [m for m in moments if m["front"] == decision["front"] and m["action"] == decision["action"]]
                alike = [m for m in alike if m["draws"] == decision["draws"]]
                assert alike
                for name in ("chain", "calls", "replacement", "tail"):
                    assert int(decision[name]) in [int(m[name]) for m in alike]
                assert decision["seen"].tolist() in [m["seen"].tolist() for m in alike]
                assert np.roll(decision["declared"], -seat).tolist() in [m["declared"].tolist() for m in alike]
                compared += 1
    assert compared > 150


def test_nobody_waited_for_what_it_let_go():
    """Players who never slip take every win: the last discard before the asker's draw is no wait of the next."""
    rules, looked_at = load_rules("xiangyang"), 0
    for state, seat in turns(rules, SURE, 60, seed=5):
        n = int(state[0]["n_river"])
        previous = (seat + 2) % SEATS
        if int(state[0]["river_seat"][n - 1]) != previous or state[0]["declared"].any() or state[0]["missed"].any():
            continue
        worlds = worlds_of(state, seat, rules, SURE, 0.0)
        if worlds.belief != "played":
            continue
        room, tile = scratch(), int(state[0]["river_tile"][n - 1])
        for number in range(40):
            key = np.uint64(stream_key(worlds.key, number))
            log = make_world(worlds.tables[0], worlds.rules[0], worlds.known, PLAYED, worlds.policies[0], key, room)
            if np.isfinite(log):
                looked_at += 1
                assert not int(room.states[0]["waits"][1]) >> tile & 1
    assert looked_at > 20


def test_what_an_open_hand_did_weighs_nothing():
    """Its tiles are known: a world is as likely with the record of it as without."""
    rules, looked_at = load_rules("suizhou"), 0
    for state, seat in turns(rules, SURE, 60, seed=11):
        worlds = worlds_of(state, seat, rules, SURE, SLIP)
        hidden = worlds.known.world[0]["hidden"]
        if worlds.belief != "played" or np.count_nonzero(hidden[1:]) != 1:
            continue
        open_seat = 1 if hidden[1] == 0 else 2
        story = worlds.known.story.copy()
        story["moments"][0, open_seat] = 0
        room, key = scratch(), np.uint64(stream_key(worlds.key, 1))
        told = worlds.tables[0], worlds.rules[0]
        with_it = make_world(*told, worlds.known, PLAYED, worlds.policies[0], key, room)
        hand = room.states[0]["counts"][3 - open_seat].tolist()
        known = worlds.known._replace(story=story)
        assert make_world(*told, known, PLAYED, worlds.policies[0], key, room) == with_it
        assert room.states[0]["counts"][3 - open_seat].tolist() == hand
        looked_at += 1
    assert looked_at > 3


def held(worlds, belief, count):
    """The chance that each other seat holds each kind, (2, 21)."""
    room, logs, holds = scratch(), np.zeros(count), np.zeros((count, 2, 21))
    for number in range(count):
        key = np.uint64(stream_key(worlds.key, number))
        logs[number] = make_world(
            worlds.tables[0], worlds.rules[0], worlds.known, belief, worlds.policies[0], key, room
        )
        holds[number] = room.states[0]["counts"][1:, :21] > 0
    weights = np.exp(logs - logs.max())
    return (weights[:, None, None] * holds).sum(axis=0) / weights.sum()


def test_chances_of_holding_a_tile_are_true():
    """Early in rounds of players who err just as is believed, tiles are held as often as is said."""
    rules = load_rules("xiangyang")
    excess, variance, gain = 0.0, 0.0, 0.0
    by_kind = np.zeros((21, 2))
    for state, seat in turns(rules, ERRING, 150, seed=6, most_discards=9):
        worlds = worlds_of(state, seat, rules, ERRING, 0.0)
        if worlds.belief != "played" or state[0]["declared"].any():
            continue
        truth = np.roll(state[0]["counts"], -seat, axis=0)[1:, :21] > 0
        played, uniform = (held(worlds, belief, 100) for belief in (PLAYED, UNIFORM))
        excess += (truth - played).sum()
        by_kind += np.stack([(truth - played).sum(axis=0), (played * (1 - played)).sum(axis=0)], axis=1)
        variance += (played * (1 - played)).sum()
        gain += ((truth - uniform) ** 2 - (truth - played) ** 2).sum()
    # Hands have a fixed size, so what one kind has too much another has too little: kinds are judged one by one.
    z = by_kind[:, 0] / np.sqrt(by_kind[:, 1])
    assert abs(excess) < 4 * np.sqrt(variance)
    assert np.abs(z).max() < 4
    assert gain > 0
