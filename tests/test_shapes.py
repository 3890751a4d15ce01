"""Winning shapes, waits and shanten: every one-suit block, the second engine, the package `mahjong`, golden cases."""

import json
from itertools import combinations_with_replacement, pairwise
from pathlib import Path

import numpy as np
import pytest
import reference_shapes as ref
from mahjong.agari import Agari
from mahjong.shanten import Shanten
from shape_hands import Hands, make_hands

from kwx_sim import hands
from kwx_sim.core import tables
from kwx_sim.errors import InputError
from kwx_sim.rules import Ruleset, changed, load_rules
from kwx_sim.tiles import GREEN, NUM_SLOTS, RED, WHITE, meld_counts, parse_hand, parse_melds, parse_tile

DATA = Path(__file__).parent / "data"
SETS = [{kind: 3} for kind in range(9)] + [{kind: 1, kind + 1: 1, kind + 2: 1} for kind in range(7)]
PAIRS = [{kind: 2} for kind in range(9)]


def rules_of(name: str, **shapes: object) -> Ruleset:
    return changed(load_rules(name), {f"shapes.{field}": value for field, value in shapes.items()})


# ---------------------------------------------------------------- every one-suit block


def built_forward() -> set[tuple[int, ...]]:
    """Every block that is up to four sets, with or without a pair."""
    blocks = set()
    for sets in range(5):
        for groups in combinations_with_replacement(SETS, sets):
            for pair in ({}, *PAIRS):
                block = [sum(group.get(kind, 0) for group in (*groups, pair)) for kind in range(9)]
                if max(block) <= 4:
                    blocks.add(tuple(block))
    return blocks


def every_block() -> np.ndarray:
    """Every block of at most 14 tiles and four of a kind, (405350, 9)."""
    blocks = np.indices((5,) * 9, np.uint8).reshape(9, -1).T
    return blocks[blocks.sum(axis=1) <= 14]


def filled_up(blocks: np.ndarray, start: int) -> tuple[np.ndarray, np.ndarray]:
    """Hands of 14 tiles around the blocks of a suit: a pair (or one tile) of 中 and pongs of other kinds."""
    counts = np.zeros((len(blocks), NUM_SLOTS), np.uint8)
    counts[:, start : start + 9] = blocks
    size = blocks.sum(axis=1)
    counts[:, RED] = (14 - size) % 3
    melds = np.zeros_like(counts)
    sets = (14 - size) // 3
    for number, kind in enumerate((GREEN, WHITE, 9 - start, 10 - start)):
        melds[:, kind] = np.where(sets > number, 3, 0)
    return counts, melds


@pytest.mark.parametrize("start", [0, 9])
def test_is_hu_on_every_one_suit_block(start):
    blocks = every_block()
    assert len(blocks) == 405_350
    complete = built_forward()
    assert len(complete) == 21_743
    powers = 5 ** np.arange(9)
    numbers = np.array(sorted(complete)) @ powers
    seven_pairs = (blocks % 2 == 0).all(axis=1) & (blocks.sum(axis=1) >= 12)
    expected = seven_pairs | (np.isin(blocks @ powers, numbers) & (blocks.sum(axis=1) % 3 != 1))
    assert np.array_equal(hands.is_hu(*filled_up(blocks, start)), expected)


# ---------------------------------------------------------------- the second engine

VARIANTS = [
    ("platform", {}, 9_000),
    ("platform", {"seven_pairs": False, "missing_suit": "sets_only"}, 1_500),
    ("platform", {"missing_suit": "strict"}, 1_500),
    ("hongzhong", {"missing_suit": "off"}, 3_000),
    ("hongzhong", {"missing_suit": "off", "wild_pair_alone": True}, 3_000),
    ("hongzhong", {"missing_suit": "sets_only"}, 2_000),
    ("hongzhong", {"missing_suit": "strict", "wild_pair_alone": True}, 2_000),
]


def assert_as_the_second_engine(rules: Ruleset, made: Hands) -> None:
    """Win, waits and shanten of every hand; ready exactly where there are waits."""
    hu = hands.is_hu(made.full, made.melds, rules)
    full = hands.shanten(made.full, made.melds, rules)
    waits = hands.waits(made.short, made.melds, rules)
    short = hands.shanten(made.short, made.melds, rules)
    assert np.array_equal(hu, full == -1)
    assert np.array_equal(waits.any(axis=1), short == 0)
    for n, hand in enumerate(made.each):
        assert hu[n] == ref.is_win(rules, hand.full, hand.melds), hand
        assert np.flatnonzero(waits[n]).tolist() == ref.waits(rules, hand.short, hand.melds), hand
        assert short[n] == ref.shanten(rules, hand.short, hand.melds), hand


@pytest.mark.parametrize(("name", "shapes", "n"), VARIANTS)
def test_as_the_second_engine(name, shapes, n):
    rules = rules_of(name, **shapes)
    made = make_hands(rules, n, seed=len(shapes), one_suit=shapes.get("missing_suit", "off") != "off")
    ready = hands.waits(made.short, made.melds, rules).any(axis=1).mean()
    assert 0.15 < ready < 0.75, "near-ready hands are what this test is about"
    assert_as_the_second_engine(rules, made)


def test_there_are_hands_enough():
    assert sum(n for _, _, n in VARIANTS) >= 20_000


# ---------------------------------------------------------------- the package `mahjong`


def as_34(counts: np.ndarray) -> list[list[int]]:
    wide = np.zeros((len(counts), 34), int)
    wide[:, :18], wide[:, 31:] = counts[:, :18], counts[:, 18:21]
    return [list(map(int, row)) for row in wide]


def test_as_the_package_mahjong():
    """It knows no four of a kind in seven pairs; without melds, its other shapes never occur with our tiles."""
    rules = rules_of("platform", seven_pairs=False)
    made = make_hands(rules, 3_000, seed=5)
    closed = made.melds.sum(axis=1) == 0
    full = made.full[closed]
    no_fours = full.max(axis=1) < 4
    hu, distance = hands.is_hu(full, rules=rules), hands.shanten(full, rules=rules)
    with_pairs = hands.is_hu(full)
    for n, tiles in enumerate(as_34(full)):
        assert distance[n] == Shanten.calculate_shanten_for_regular_hand(tiles), tiles
        assert hu[n] == (distance[n] == -1)
        if no_fours[n]:
            assert with_pairs[n] == Agari.is_agari(tiles), tiles


# ---------------------------------------------------------------- golden cases


def golden() -> list[tuple[dict, Ruleset, object]]:
    found = []
    for line in (DATA / "hands.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        answer = case.get("hu", case.get("waits"))
        by_rule = answer if isinstance(answer, dict) else {"off": answer}
        name = "platform" if case["rules"] == "any84" else case["rules"]
        found += [(case, rules_of(name, missing_suit=suit), wanted) for suit, wanted in by_rule.items()]
    return found


@pytest.mark.parametrize(("case", "rules", "wanted"), golden(), ids=lambda value: value["id"] if isinstance(value, dict) else "")
def test_golden_hands(case, rules, wanted):
    hand = parse_hand(case["hand"], tiles=rules.tiles.set) if case["hand"] else np.zeros(NUM_SLOTS, np.uint8)
    melds = meld_counts(parse_melds(case["melds"]))
    if "hu" in case:
        assert hands.is_hu(hand, melds, rules) is wanted
        assert (hands.shanten(hand, melds, rules) == -1) == wanted
    else:
        assert np.flatnonzero(hands.waits(hand, melds, rules)).tolist() == [parse_tile(tile) for tile in wanted]
