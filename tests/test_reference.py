"""The second engine against the golden cases, and against itself."""

import json
import random
from itertools import combinations_with_replacement
from pathlib import Path

import pytest
import reference_hands as ref
from reference import ReferenceRound, play_script

from kwx_sim.rules import PRESETS, changed, load_rules
from kwx_sim.tiles import NUM_SLOTS, RED, parse_melds, parse_tile, parse_tiles, tile_name

DATA = Path(__file__).parent / "data"


def cases(name):
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def counts_of(text):
    counts = [0] * NUM_SLOTS
    for tile in parse_tiles(text):
        counts[tile] += 1
    return counts


def rules_of(name, missing_suit=None):
    rules = load_rules(name)
    return rules if missing_suit is None else changed(rules, {"shapes.missing_suit": missing_suit})


def hand_variants(case):
    """(ruleset, value expected under it) for a line of hands.jsonl."""
    key = "hu" if "hu" in case else "waits"
    if case["rules"] == "any84":
        return [(rules_of(name), case[key]) for name in PRESETS if rules_of(name).tiles.set == 84]
    return [(rules_of(case["rules"], suit), value) for suit, value in case[key].items()]


def shown(scored):
    return "\n".join(
        f"pays {paid}, fan {fan}, {fans}: "
        + " ".join(f"{group.kind}({' '.join(map(tile_name, group.tiles))})" for group in reading.groups)
        + (" seven pairs" if reading.form == "seven_pairs" else "")
        for paid, fan, fans, reading in scored
    )


@pytest.mark.parametrize("case", cases("hands.jsonl"), ids=lambda case: case["id"])
def test_golden_hands(case):
    hand, melds = counts_of(case["hand"]), parse_melds(case["melds"])
    for rules, expected in hand_variants(case):
        if "hu" in case:
            assert ref.is_win(rules, hand, melds) == expected, list(ref.readings(rules, hand, melds))
            assert (ref.shanten(rules, hand, melds) == -1) == expected
        else:
            found = [tile_name(tile) for tile in ref.waits(rules, hand, melds)]
            assert found == expected
            assert (ref.shanten(rules, hand, melds) == 0) == bool(expected)


@pytest.mark.parametrize("case", cases("fans.jsonl"), ids=lambda case: case["id"])
def test_golden_fans(case):
    rules = rules_of(case["rules"], case.get("missing_suit"))
    expected = case["expected"]
    result = ref.score(rules, counts_of(case["hand"]), parse_melds(case["melds"]), parse_tile(case["win"]), case["by"])
    assert result.hu == expected["hu"], shown(result.readings)
    if result.hu:
        assert (result.fan, result.best) == (expected["fan"], sorted(expected["fans_any_of"])), shown(result.readings)


@pytest.mark.parametrize("case", cases("scores.jsonl"), ids=lambda case: case["id"])
def test_golden_scores(case):
    rules, expected = rules_of(case["rules"]), case["expected"]
    result = ref.score(
        rules,
        counts_of(case["hand"]),
        parse_melds(case["melds"]),
        parse_tile(case["win"]),
        case["by"],
        events=case["events"],
        declared=(case["winner_liangdao"], False, False),
        piao=case.get("piao", (0, 0, 0)),
        maima_tile=parse_tile(case["maima"]) if case.get("maima") else None,
        room=case.get("room"),
    )
    base = rules.room(case["room"]).base if "room" in case else rules.payment.base
    assert (result.fan, result.best) == (expected["fan"], sorted(expected["fans_any_of"])), shown(result.readings)
    assert [amount * base for amount in result.payments] == expected["payments"], shown(result.readings)


@pytest.mark.parametrize("case", cases("golden_rounds.jsonl"), ids=lambda case: case["id"])
def test_golden_rounds(case):
    played = play_script(case)
    winners = [{key: win[key] for key in ("seat", "tile", "by", "fan")} for win in played.winners]
    assert winners == case["winners"], played.winners
    assert played.points == case["points"]


@pytest.mark.parametrize("hand", ["334455p 22p 中中发发白白", "22s 334455p 中中发发白白", "1122s 1122p 中中发发白白"])
def test_a_standard_hand_has_one_pair(hand):
    rules = changed(rules_of("suizhou"), {"shapes.seven_pairs": False})
    assert not ref.is_win(rules, counts_of(hand))


# ---------------------------------------------------------------- wild tiles, each given a kind


def wins_with_kinds_given(rules, hand):
    """Whether some choice of a kind for each wild tile makes a plain win whose pair has a natural tile."""
    natural = [0 if tile == RED else count for tile, count in enumerate(hand)]
    for kinds in combinations_with_replacement(range(18), hand[RED]):
        counts = [count + kinds.count(tile) for tile, count in enumerate(natural)]
        for groups in ref.decompositions(rules, counts):
            if any(natural[group.start] for group in groups if group.kind == "pair"):
                return True
    return False


def test_wild_tiles_stand_for_any_suited_tile():
    rules, rng = changed(rules_of("hongzhong", "off"), {"shapes.seven_pairs": False}), random.Random(3)
    found = []
    for trial in range(40):
        wilds = 1 + trial % 3
        hand = dealt(rules, rng, 14 - wilds, kinds=[*range(4), *range(9, 13)])
        hand[RED] = wilds
        found.append(ref.is_win(rules, hand))
        assert found[-1] == wins_with_kinds_given(rules, hand), hand
    assert 5 < sum(found) < 35


# ---------------------------------------------------------------- shanten by its definition


def full_set(rules):
    return [tile for tile in ref.kinds_in_play(rules) for _ in range(4)]


def tiles_beside(rules, melds):
    """The set without the tiles of the melds."""
    tiles = full_set(rules)
    for kind, tile in melds:
        for _ in range(3 if kind == "pong" else 4):
            tiles.remove(tile)
    return tiles


def dealt(rules, rng, size, melds=(), kinds=range(NUM_SLOTS)):
    """Random concealed tiles of some kinds beside the melds."""
    counts = [0] * NUM_SLOTS
    for tile in rng.sample([tile for tile in tiles_beside(rules, melds) if tile in kinds], size):
        counts[tile] += 1
    return counts


def winning_hands(rules, melds, size):
    """Every winning set of so many concealed tiles that can be held beside the melds."""
    free = tiles_beside(rules, melds)
    for tiles in combinations_with_replacement(sorted(set(free)), size):
        counts = [tiles.count(tile) for tile in range(NUM_SLOTS)]
        if all(counts[tile] <= free.count(tile) for tile in set(tiles)) and ref.is_win(rules, counts, melds):
            yield counts


@pytest.mark.parametrize(
    ("name", "changes", "melds"),
    [
        ("suizhou", {}, "pong:1s pong:5s pong:中"),
        ("suizhou", {}, "pong:5p direct_kong:6p pong:发 concealed_kong:9s"),
        ("hongzhong", {}, "pong:1s pong:5s added_kong:9s"),
        ("hongzhong", {}, "concealed_kong:中 pong:5s pong:6s"),
        ("hongzhong", {"shapes.missing_suit": "off"}, "pong:1s pong:5s pong:9p"),
        ("hongzhong", {"shapes.missing_suit": "strict"}, "pong:1s pong:5s pong:9s"),
        ("hongzhong", {"shapes.wild_pair_alone": True}, "pong:1s pong:5s direct_kong:9s"),
        ("hongzhong", {}, "pong:1s pong:5s direct_kong:9s concealed_kong:2s"),
    ],
)
def test_shanten_is_the_distance_to_the_nearest_win(name, changes, melds):
    rules, melds, rng = changed(load_rules(name), changes), parse_melds(melds), random.Random(1)
    size = 14 - 3 * len(melds)
    wins = list(winning_hands(rules, melds, size))
    for hand_size in (size, size - 1):
        for trial in range(40):
            hand = dealt(rules, rng, hand_size, melds, kinds=range(NUM_SLOTS) if trial % 2 else [*range(9), RED])
            missing = min(sum(max(0, w - h) for w, h in zip(win, hand, strict=True)) for win in wins)
            assert ref.shanten(rules, hand, melds) == missing - 1, (hand, melds)


@pytest.mark.parametrize("missing_suit", ["off", "sets_only", "strict"])
@pytest.mark.parametrize("name", ["suizhou", "hongzhong"])
def test_shanten_falls_by_one_with_the_best_exchange(name, missing_suit):
    rules, rng = rules_of(name, missing_suit), random.Random(2)
    for trial in range(6):
        hand = dealt(rules, rng, 13, kinds=range(NUM_SLOTS) if trial % 2 else [*range(9), RED])
        before = ref.shanten(rules, hand)
        assert (before == 0) == bool(ref.waits(rules, hand))
        after = []
        for drawn in (tile for tile in ref.kinds_in_play(rules) if hand[tile] < 4):
            for discarded in (tile for tile in range(NUM_SLOTS) if hand[tile]):
                exchanged = list(hand)
                exchanged[drawn] += 1
                exchanged[discarded] -= 1
                after.append(ref.shanten(rules, exchanged))
        assert min(after) == max(0, before - 1)


# ---------------------------------------------------------------- rounds against themselves


def lively_choice(rng, played, legal):
    """Mostly what makes a round eventful: wins, kongs, pongs, and discards without a neighbour."""
    acts = {action.partition(" ")[0] for action in legal}
    eager = [act for act in ("win", "direct_kong", "concealed_kong", "added_kong", "pong", "liangdao") if act in acts]
    if eager and rng.random() < 0.7:
        return rng.choice([action for action in legal if action.startswith(eager[0] + " ")])
    discards = [action for action in legal if action.startswith("discard ")]
    if not discards or rng.random() < 0.1:
        return rng.choice(legal)
    hand = played.hands[played.decision().seat]
    return min(discards, key=lambda action: (loneliness(hand, parse_tile(action.split()[1])), rng.random()))


def loneliness(hand, tile):
    if tile >= 18:
        return 4 * hand[tile]
    near = [other for other in range(tile - 2, tile + 3) if 0 <= other < 18 and other // 9 == tile // 9]
    return 3 * hand[tile] + sum(hand[other] for other in near)


def check_state(played, tiles):
    """Every tile is in one place; every payment is between players."""
    assert sum(played.points) == 0
    assert all(sum(row) == 0 for row in (played.kong_points, played.undecided_points, *played.win_points))
    found = list(played.wall)
    for seat in range(3):
        found += [tile for tile in range(NUM_SLOTS) for _ in range(played.hands[seat][tile])] + played.rivers[seat]
        for kind, tile in played.melds[seat]:
            # A claimed discard still lies in its river.
            found += [tile] * {"pong": 2, "direct_kong": 3, "concealed_kong": 4, "added_kong": 3}[kind]
    if played.outcome in ("self_draw", "robbed"):
        found.append(parse_tile(played.winners[0]["tile"]))
    assert sorted(found) == sorted(tiles)


@pytest.mark.parametrize("name", PRESETS)
def test_random_rounds_keep_tiles_and_money(name):
    rules, rng = load_rules(name), random.Random(name)
    tiles = full_set(rules)
    for number in range(20):
        wall = rng.sample(tiles, len(tiles))
        piao = [rng.randint(0, rules.piao.max) for _ in range(3)]
        played = ReferenceRound(rules, wall, number % 3, piao)
        while due := played.decision():
            assert due.legal == sorted(set(due.legal))
            check_state(played, tiles)
            played.apply(lively_choice(rng, played, due.legal))
        check_state(played, tiles)
        assert played.over
        assert bool(played.winners) == (played.outcome != "undecided")
        assert played.next_dealer in range(3)


def test_an_illegal_action_is_refused():
    rules = load_rules("suizhou")
    played = ReferenceRound(rules, full_set(rules))
    with pytest.raises(ValueError, match="not legal"):
        played.apply("discard 白")
