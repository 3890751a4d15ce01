"""The second engine against the golden cases, and against itself."""

import json
from pathlib import Path

import pytest
import reference_hands as ref

from kwx_sim.rules import PRESETS, changed, load_rules
from kwx_sim.tiles import NUM_SLOTS, parse_melds, parse_tile, parse_tiles, tile_name

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
