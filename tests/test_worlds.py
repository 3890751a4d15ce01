"""Worlds: they agree with everything that is known, are dealt as chance would, and depend on seed and number alone."""

from collections import Counter
from itertools import combinations_with_replacement, islice
from math import comb

import numpy as np
import pytest
from position_maker import position_of_round, ready_turns, rotated
from questions import Asked, tiles_in_play
from reference_round import ReferenceRound
from reference_shapes import waits as plain_waits
from scipy import stats

from kwx_sim import hands, should_liangdao
from kwx_sim.core.state import BLOCK, NO_TILE, POW5
from kwx_sim.errors import InputError
from kwx_sim.play import action_text
from kwx_sim.query.shown import hands_behind
from kwx_sim.rules import PRESETS, changed, load_rules
from kwx_sim.tiles import parse_hand, tile_name

SEATS = 3
TABLES = {
    **{preset: (preset, {}) for preset in PRESETS},
    "waits shown": ("xiangyang", {"liangdao.shows": "waits"}),
    "nothing shown": ("platform", {"liangdao.shows": "nothing"}),
}
FITS = 1e-4
"""Smallest p of a fit: tests are some dozens, and seeds are fixed."""


def rules_of(table):
    preset, changes = TABLES[table]
    return changed(load_rules(preset), changes)


def stripped(told, way):
    """A position of which less is told: all discards; none; or neither those nor whose hands lie where in time."""
    if way == "full":
        return told
    lost = ("discards",) if way == "no discards" else ("discards", "draws", "dealer", "drawn", "missed")
    return {name: value for name, value in told.items() if name not in lost}


def hand_waits(rules, s, seat):
    melds = np.zeros(27, np.uint8)
    for kind, tile in zip(s["meld_kind"][seat], s["meld_tile"][seat], strict=True):
        melds[int(tile)] += (0, 3, 4, 4, 4)[int(kind)]
    return sum(1 << int(slot) for slot in np.flatnonzero(hands.waits(s["counts"][seat], melds, rules)))


def assert_hands_in_order(s):
    """What is kept beside the counts agrees with them."""
    for seat in range(SEATS):
        counts = s["counts"][seat].astype(int)
        weighed = counts * POW5[:27].astype(int)
        assert s["idx"][seat].tolist() == [weighed[BLOCK[:27] == block].sum() for block in range(3)]
        assert int(s["held"][seat]) == sum(1 << slot for slot in range(27) if counts[slot])
        assert int(s["quads"][seat]) == sum(1 << slot for slot in range(27) if counts[slot] == 4)


# ---------------------------------------------------------------- dealt worlds


@pytest.mark.parametrize("way", ["full", "no discards", "little"])
@pytest.mark.parametrize("table", TABLES)
def test_dealt_worlds_agree_with_what_is_known(table, way):
    """The full set of tiles; own, shown and hidden hands of their sizes and waits; the wall; what may be done."""
    rules, seen = rules_of(table), Counter()
    for turn in islice(ready_turns(rules, 200, seed=21, rare=True), 16):
        s = turn.state[0]
        told = stripped(position_of_round(s, turn.seat, rules), way)
        try:
            asked = Asked(told, rules)
        except InputError:  # a hand that has won, without its drawn tile; a wild wait
            continue
        if asked.worlds.belief == "played_in":
            continue
        true = rotated(s, turn.seat)
        for number in asked.numbers(4):
            world = asked.world(number)[0]
            whole = np.array([4] * rules.n_kinds + [0] * (27 - rules.n_kinds))
            assert tiles_in_play(world).tolist() == whole.tolist()
            assert_hands_in_order(world)
            assert int(world["tail"]) - int(world["front"]) == true["wall_left"]
            assert world["counts"][0].tolist() == true["counts"][0].tolist()
            for seat in (1, 2):
                assert world["counts"][seat].sum() == true["counts"][seat].sum()
                shown = rules.liangdao.shows if true["declared"][seat] else "nothing"
                if shown == "hand":
                    assert world["counts"][seat].tolist() == true["counts"][seat].tolist()
                if shown in ("hand", "waits"):
                    assert world["waits"][seat] == true["waits"][seat]
                assert int(world["waits"][seat]) == hand_waits(rules, world, seat)
                seen[shown] += 1
            if way == "full":
                for name in ("can_win", "can_concealed_kong", "can_added_kong", "can_discard", "can_liangdao"):
                    assert world[name] == true[name]
                assert world["seen"].tolist() == true["seen"].tolist()
    assert seen["nothing"] > 10
    if rules.liangdao.enabled:
        assert seen[rules.liangdao.shows] > 0


def test_no_dealt_world_tells_of_another_hand():
    """Hands that are dealt, in whatever seat, are of unseen tiles only, and no two worlds are the same."""
    asked = Asked({"hand": "123s 789s 46p 88p 中中中 5s", "next": {"melds": "pong:9p"}, "wall": 30}, "xiangyang")
    worlds = [asked.world(number)[0].tobytes() for number in range(200)]
    assert len(set(worlds)) == 200
    assert worlds[7] == asked.world(7)[0].tobytes()
    other = Asked(asked.position, "xiangyang", seed=2)
    assert not {other.world(number)[0].tobytes() for number in range(200)} & set(worlds)


@pytest.fixture(scope="module")
def dealt():
    """Many worlds of a position in which tiles lie in two hidden hands, in the wall and, untold, among discards."""
    told = {
        "hand": "123s 789s 46p 88p 中中中 5s",
        "next": {"melds": "pong:9p"},
        "previous": {"melds": "pong:发"},
        "discards": {"me": "1p 1p 1p 4s 4s 4s 2p 2p 2p"},
        "wall": 26,
    }
    asked = Asked(told, "xiangyang")
    assert asked.worlds.belief == "uniform"
    assert asked.table.dead > 0
    return asked, [asked.world(number)[0].copy() for number in range(3_000)]


def single_kinds(asked):
    """Unseen kinds of which a single copy is left: where it lies has a plain law."""
    kinds = np.flatnonzero(asked.table.unseen == 1)
    assert len(kinds) >= 4
    return kinds[:5].tolist()


def places(asked, world, kind):
    """Copies of a kind in the next hand, the previous hand, the wall, and among what was discarded untold."""
    wall = world["wall"][int(world["front"]) : int(world["tail"])]
    untold = int(world["seen"][kind]) - int(asked.table.state[0]["seen"][kind])
    return [int(world["counts"][1][kind]), int(world["counts"][2][kind]), int((wall == kind).sum()), untold]


def sizes(asked):
    table = asked.table
    return np.array([table.hidden[1], table.hidden[2], int(asked.worlds.known.world[0]["wall"]), table.dead])


def test_a_tile_lies_anywhere_alike(dealt):
    asked, worlds = dealt
    expected = sizes(asked) / sizes(asked).sum() * len(worlds)
    for kind in single_kinds(asked):
        found = np.sum([places(asked, world, kind) for world in worlds], axis=0)
        assert stats.chisquare(found, expected).pvalue > FITS


def test_a_tile_lies_anywhere_in_the_wall_alike(dealt):
    asked, worlds = dealt
    for kind in single_kinds(asked):
        at = [np.flatnonzero(world["wall"][int(world["front"]) : int(world["tail"])] == kind) for world in worlds]
        found = np.bincount(np.concatenate(at), minlength=int(asked.worlds.known.world[0]["wall"]))
        assert stats.chisquare(found).pvalue > FITS


def test_two_tiles_lie_together_as_often_as_chance_has_it(dealt):
    asked, worlds = dealt
    first, second = single_kinds(asked)[:2]
    size, total = sizes(asked), sizes(asked).sum()
    expected = (np.outer(size, size) - np.diag(size)) / (total * (total - 1)) * len(worlds)
    found = np.zeros((4, 4))
    for world in worlds:
        found[np.argmax(places(asked, world, first)), np.argmax(places(asked, world, second))] += 1
    assert stats.chisquare(found.ravel(), expected.ravel()).pvalue > FITS


def test_copies_of_a_kind_are_dealt_as_chance_has_it(dealt):
    """The number of four copies in one hand: hypergeometric."""
    asked, worlds = dealt
    kind = int(np.flatnonzero(asked.table.unseen == 4)[0])
    found = np.bincount([int(world["counts"][1][kind]) for world in worlds], minlength=5)
    law = stats.hypergeom(int(sizes(asked).sum()), 4, int(sizes(asked)[0])).pmf(range(5)) * len(worlds)
    found, law = np.append(found[:3], found[3:].sum()), np.append(law[:3], law[3:].sum())
    assert stats.chisquare(found, law).pvalue > FITS


# ---------------------------------------------------------------- hands behind shown waits


CLOSE_TO_THE_END = {
    "hand": "123s 123s 55s 789s 白白白",
    "drawn": "9s",
    "next": {"melds": "pong:1p pong:4p pong:7p", "declared": True, "waits": "3p 6p"},
    "previous": {"melds": "pong:发 direct_kong:9p pong:中", "declared": True, "waits": "5p"},
    "wall": 8,
}


def four_tiles_behind(rules, melds, shown, unseen):
    """By trying every four unseen tiles: hands that wait for just these, and the ways to be dealt them."""
    kinds, found = np.flatnonzero(unseen).tolist(), {}
    wanted = [slot for slot in range(27) if shown >> slot & 1]
    for tiles in combinations_with_replacement(kinds, 4):
        counts = Counter(tiles)
        if any(n > unseen[kind] for kind, n in counts.items()):
            continue
        hand = [counts.get(slot, 0) for slot in range(27)]
        if plain_waits(rules, hand, melds) == wanted:
            found[tuple(hand)] = np.prod([comb(int(unseen[kind]), n) for kind, n in counts.items()])
    return found


@pytest.fixture(scope="module")
def two_declared():
    """The position above, and by brute force each player's hands with their ways."""
    rules = changed(load_rules("platform"), {})
    asked = Asked(CLOSE_TO_THE_END, rules)
    behind = []
    for seat in (1, 2):
        melds = [(meld.kind, meld.tile) for meld in asked.position.players[seat].melds]
        behind.append(four_tiles_behind(rules, melds, int(asked.table.shown_waits[seat]), asked.table.unseen))
    return asked, behind


def rows_of(asked, seat):
    world = asked.worlds.known.world[0]
    return asked.worlds.known.hands[world["from_row"][seat] : world["to_row"][seat]]


def test_every_hand_behind_shown_waits_is_found(two_declared):
    asked, behind = two_declared
    for seat, expected in zip((1, 2), behind, strict=True):
        rows = rows_of(asked, seat)
        chances = np.diff(rows["until"], prepend=0)
        found = dict(zip(map(tuple, rows["counts"].tolist()), chances, strict=True))
        total = sum(expected.values())
        assert found == {hand: pytest.approx(ways / total) for hand, ways in expected.items()}


def test_two_declared_hands_are_drawn_jointly(two_declared):
    """Each pair by the ways to be dealt both at once, which are not those of each alone."""
    asked, (first, second) = two_declared
    unseen, law, alone = asked.table.unseen.astype(int), {}, {}
    for one, ways in first.items():
        left = unseen - one
        for other, ways_alone in second.items():
            both = np.prod([comb(int(n), k) for n, k in zip(left, other, strict=True)])
            law[one, other], alone[one, other] = ways * both, ways * ways_alone
    found = Counter()
    for number in range(4_000):
        world = asked.world(number)[0]
        found[tuple(tuple(world["counts"][seat].tolist()) for seat in (1, 2))] += 1
    assert set(found) <= {pair for pair, ways in law.items() if ways}
    assert fit(found, law) > FITS
    assert fit(found, alone) < 1e-9


def fit(found, law):
    """The p of a chi-square, pairs put together in the order of their chance until 20 are expected in each."""
    total, count = sum(law.values()), sum(found.values())
    observed, expected, bin_ = [], [], [0.0, 0.0]
    for pair in sorted(law, key=lambda pair: (law[pair], pair)):
        bin_[0] += found[pair]
        bin_[1] += law[pair] / total * count
        if bin_[1] >= 20:
            observed.append(bin_[0])
            expected.append(bin_[1])
            bin_ = [0.0, 0.0]
    observed[-1] += bin_[0]
    expected[-1] += bin_[1]
    return stats.chisquare(observed, expected).pvalue


def test_the_true_hand_is_among_those_behind_its_waits():
    """Declared hands of played rounds, of every number of melds, and seven pairs if any."""
    rules, checked = load_rules("platform"), Counter()
    for turn in ready_turns(rules, 60, seed=8, players=("efficient:liangdao=always",)):
        s = turn.state[0]
        if not any(s["declared"][(turn.seat + step) % SEATS] for step in (1, 2)):
            continue
        asked = Asked(position_of_round(s, turn.seat, rules), rules)
        for seat in (1, 2):
            rows = rows_of(asked, seat)
            if len(rows):
                hand = s["counts"][(turn.seat + seat) % SEATS]
                assert (rows["counts"] == hand).all(axis=1).any()
                checked[int(s["n_melds"][(turn.seat + seat) % SEATS])] += 1
        if sum(checked.values()) >= 12:
            break
    assert len(checked) >= 2
    assert sum(checked.values()) >= 10


def test_seven_pairs_lie_behind_a_wait():
    """Unseen tiles of which only pairs can be made: nothing else waits for the one that is left."""
    rules = load_rules("platform")
    unseen = parse_hand("11s 44s 77s 11p 44p 77p 中中")
    rows, first, last = hands_behind(rules, [0, 1 << 18, 0], [np.zeros(27, np.uint8)] * 3, unseen)
    expected = unseen.copy()
    expected[18] = 1
    assert (first, last) == ([0, 0, 1], [0, 1, 1])
    assert rows["counts"].tolist() == [expected.tolist()]
    with pytest.raises(InputError):
        hands_behind(rules, [0, 1 << 19, 0], [np.zeros(27, np.uint8)] * 3, unseen)


# ---------------------------------------------------------------- worlds played in from the deal


PLAYED_IN = {
    "hongzhong": {"hand": "123s 789s 46s 88s 中 33s 1p", "wall": 20},
    "platform": {"hand": "123s 789s 46p 88p 中中中 5s", "wall": 30},
    "xiangyang": {"hand": "123s 789s 46p 88p 中中中 5s", "wall": 21, "drawn": "8p"},
    "suizhou": {"hand": "11s 33s 55s 77p 99p 发发 2s 8p", "wall": 37, "dealer": "previous"},
    "shiyan": {"hand": "1112345678999p 2s", "wall": 6},
}


@pytest.mark.parametrize("preset", PLAYED_IN)
def test_worlds_played_in_are_whole_rounds_of_the_plain_engine(preset):
    """From the wall and the log alone the slow engine comes to the same table: legal, and nothing invented for good."""
    rules, told = load_rules(preset), PLAYED_IN[preset]
    asked = Asked(told, rules, played_in=True)
    dealers = Counter()
    for number in range(40):
        s = asked.world(number)[0]
        wall = s["wall"][: rules.wall_size].tolist()
        assert Counter(wall) == dict.fromkeys(range(rules.n_kinds), 4)
        reference = ReferenceRound(rules, wall, int(s["dealer"]))
        for code in s["log"][: int(s["n_log"])]:
            reference.apply(action_text(int(code)))
        due, snapshot = reference.decision(), reference.snapshot()
        assert (due.seat, due.kind) == (0, "turn")
        assert snapshot["hands"] == s["counts"].tolist()
        assert snapshot["hands"][0] == parse_hand(told["hand"]).tolist()
        assert snapshot["wall_left"] == told["wall"] == int(s["tail"]) - int(s["front"])
        assert not snapshot["melds"][0]
        assert not any(snapshot["declared"])
        masks = [sum(1 << slot for slot in waits) for waits in snapshot["waits"]]
        assert masks == s["waits"].tolist()
        assert tile_name(reference.drawn) == tile_name(int(s["tile"]))
        assert told.get("drawn") in (None, tile_name(reference.drawn))
        assert_hands_in_order(s)
        assert tiles_in_play(s).tolist() == [4] * rules.n_kinds + [0] * (27 - rules.n_kinds)
        dealers[int(s["dealer"])] += 1
    assert set(dealers) == ({2} if "dealer" in told else {0, 1, 2})


@pytest.mark.parametrize("preset", PLAYED_IN)
def test_worlds_played_in_depend_on_seed_and_number_alone(preset):
    asked, again = (Asked(PLAYED_IN[preset], preset, played_in=True) for _ in range(2))
    other = Asked(PLAYED_IN[preset], preset, seed=2, played_in=True)
    worlds = [asked.world(number)[0].tobytes() for number in range(30)]
    assert [again.world(number)[0].tobytes() for number in reversed(range(30))] == worlds[::-1]
    assert len({*worlds, *(other.world(number)[0].tobytes() for number in range(30))}) == 60


def test_the_asker_calls_wins_and_declares_nothing_on_the_way():
    """A discard follows each of its draws, and the question the last."""
    asked = Asked(PLAYED_IN["platform"], "platform", played_in=True)
    for number in range(60):
        s = asked.world(number)[0]
        assert s["n_melds"][0] == 0
        assert s["missed"][0] == 0
        assert (s["river_seat"][: int(s["n_river"])] == 0).sum() == int(s["draws"][0]) - 1
        assert int(s["tile"]) != NO_TILE


def test_the_next_tile_is_any_unseen_one_alike():
    """Without calls a hidden tile is as likely the next draw as any other: no tile is kept for, or from, an end."""
    asked = Asked(PLAYED_IN["shiyan"], "shiyan", others="random:win=0,call=0,own_kong=0,declare=0")
    worlds = [asked.world(number)[0].copy() for number in range(3_000)]
    unseen = 4 - asked.table.state[0]["counts"][0].astype(int)
    for place in (0, 2, 5):
        found = np.bincount([int(world["wall"][int(world["front"]) + place]) for world in worlds], minlength=27)[:21]
        assert not found[unseen[:21] == 0].any()
        # The asker and two players at random discard, so all that is left of the deal is as likely as it is frequent.
        kinds = unseen[:21] > 0
        expected = unseen[:21][kinds] / unseen[:21].sum() * len(worlds)
        assert stats.chisquare(found[kinds], expected).pvalue > FITS


def test_points_begin_with_the_question():
    """As in dealt worlds: what the round has paid so far is no part of a position."""
    asked = Asked(PLAYED_IN["xiangyang"], "xiangyang", played_in=True)
    assert not any(asked.world(number)[0]["kong_points"].any() for number in range(60))


@pytest.mark.parametrize("preset", ["platform", "xiangyang"])
def test_where_hardly_any_round_comes_that_far_worlds_are_dealt(preset):
    """And the answer says so."""
    decision = should_liangdao({"hand": "123s 789s 46p 88p 中中中 5s", "wall": 6}, preset, worlds=900, workers=1)
    assert decision.belief == "uniform"
    assert "query.assumption.not_played_in" in [assumption.key for assumption in decision.assumptions]


def test_the_belief_is_the_same_for_every_seed():
    asked = [Asked({"hand": "123s 789s 46p 88p 中中中 5s", "wall": 27}, "platform", seed=seed) for seed in range(12)]
    assert len({each.worlds.belief for each in asked}) == 1


def test_shown_waits_that_exclude_each_other_are_refused():
    """Two hands of one tile, both waiting for the last 3p."""
    position = {
        "hand": "333p 123s 456s 88p 79p 中",
        "wall": 10,
        "next": {"melds": "pong:1p pong:2p pong:发 pong:8s", "waits": "3p"},
        "previous": {"melds": "pong:5p pong:6p pong:白 pong:9s", "waits": "3p"},
    }
    with pytest.raises(InputError, match="hardly ever"):
        should_liangdao(position, "platform", worlds=900, workers=1)


def test_told_missed_wins_hold_in_worlds_that_are_played_in():
    asked = Asked({**PLAYED_IN["xiangyang"], "missed": [0, 8, 4]}, "xiangyang", played_in=True)
    assert [asked.world(number)[0]["missed"].tolist() for number in range(5)] == [[0, 8, 4]] * 5
