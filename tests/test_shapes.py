"""Winning shapes, waits and shanten: every one-suit block, the second engine, the package `mahjong`, golden cases."""

import json
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest
import reference_shapes as ref
from mahjong.agari import Agari
from mahjong.shanten import Shanten
from shape_hands import Hands, make_hands

from kwx_sim import hands
from kwx_sim.core import tables
from kwx_sim.core.acceptance import discard_mask
from kwx_sim.core.batch import win_rows
from kwx_sim.errors import InputError
from kwx_sim.rules import Ruleset, changed, load_rules, pack
from kwx_sim.tiles import GREEN, NUM_SLOTS, RED, WHITE, meld_counts, parse_hand, parse_melds, parse_tile

DATA = Path(__file__).parent / "data"
SETS = [{kind: 3} for kind in range(9)] + [{kind: 1, kind + 1: 1, kind + 2: 1} for kind in range(7)]
PAIRS = [{kind: 2} for kind in range(9)]


def rules_of(name: str, **shapes: object) -> Ruleset:
    return changed(load_rules(name), {f"shapes.{field}": value for field, value in shapes.items()})


# ---------------------------------------------------------------- every one-suit block

POWERS = 5 ** np.arange(9)


def built_forward() -> dict[tuple[int, bool], list[int]]:
    """Every block of so many sets, with or without a pair, as base-5 numbers."""
    blocks: dict[tuple[int, bool], set[int]] = {}
    for sets in range(5):
        for groups in combinations_with_replacement(SETS, sets):
            for pair in ({}, *PAIRS):
                block = [sum(group.get(kind, 0) for group in (*groups, pair)) for kind in range(9)]
                if max(block) <= 4:
                    blocks.setdefault((sets, bool(pair)), set()).add(int(block @ POWERS))
    return {of: sorted(numbers) for of, numbers in blocks.items()}


@pytest.fixture(scope="module")
def complete() -> dict[tuple[int, bool], list[int]]:
    return built_forward()


@pytest.fixture(scope="module")
def is_complete(complete) -> np.ndarray:
    """Whether a block, by its number, is sets or sets and a pair."""
    numbers = np.concatenate(list(complete.values()))
    assert len(numbers) == 21_743
    table = np.zeros(5**9, bool)
    table[numbers] = True
    return table


@pytest.fixture(scope="module")
def blocks() -> np.ndarray:
    """Every block of at most 14 tiles and four of a kind, (405350, 9)."""
    every = np.indices((5,) * 9, np.uint8).reshape(9, -1).T
    every = every[every.sum(axis=1) <= 14]
    assert len(every) == 405_350
    return every


def filled_up(blocks: np.ndarray, tiles: int, start: int) -> tuple[np.ndarray, np.ndarray]:
    """Hands of so many tiles with the blocks as a suit; beside them 中, none to two, and pongs of other kinds."""
    counts = np.zeros((len(blocks), NUM_SLOTS), np.uint8)
    counts[:, start : start + 9] = blocks
    sets, counts[:, RED] = divmod(tiles - blocks.sum(axis=1), 3)
    melds = np.zeros_like(counts)
    for number, kind in enumerate((GREEN, WHITE, 9 - start, 10 - start)):
        melds[:, kind] = np.where(sets > number, 3, 0)
    return counts, melds


@pytest.mark.parametrize("start", [0, 9])
def test_is_hu_on_every_block(blocks, is_complete, start):
    size = blocks.sum(axis=1)
    seven_pairs = (blocks % 2 == 0).all(axis=1) & (size >= 12)
    expected = seven_pairs | (is_complete[blocks @ POWERS] & (size % 3 != 1))
    assert np.array_equal(hands.is_hu(*filled_up(blocks, 14, start)), expected)


@pytest.mark.parametrize("start", [0, 9])
def test_waits_on_every_block(blocks, is_complete, start):
    size = blocks.sum(axis=1)
    blocks = blocks[size % 3 == 1]
    size = size[size % 3 == 1]
    waits = hands.waits(*filled_up(blocks, 13, start))
    pairs = (blocks // 2).sum(axis=1)
    for kind in range(9):
        full = blocks[:, kind] == 4
        completes = is_complete[np.where(full, 0, blocks @ POWERS + POWERS[kind])]
        seven_pairs = (size == 13) & (pairs == 6) & (blocks[:, kind] % 2 == 1)
        assert np.array_equal(waits[:, start + kind], ~full & (completes | seven_pairs)), kind
    assert not np.delete(waits, range(start, start + 9), axis=1).any()


def missing_tiles(numbers: list[int]) -> np.ndarray:
    """Tiles that each block lacks to the nearest of these: kind by kind, one more costs one, one less nothing."""
    missing = np.full((5,) * 9, 99, np.uint8)
    missing.reshape(-1)[numbers] = 0
    for kind in range(9):
        of_kind = np.moveaxis(missing, kind, 0)
        for held in range(3, -1, -1):
            of_kind[held] = np.minimum(of_kind[held], of_kind[held + 1] + 1)
        for held in range(1, 5):
            of_kind[held] = np.minimum(of_kind[held], of_kind[held - 1])
    return missing.reshape(-1)


def test_shanten_on_every_block(blocks, complete):
    blocks = blocks[blocks.sum(axis=1) % 3 != 0]
    size = blocks.sum(axis=1, dtype=int)
    number = blocks @ POWERS
    sets_wanted = size // 3
    distance = np.where(size >= 13, 7 - (blocks // 2).sum(axis=1), 99)
    for (sets, pair), numbers in complete.items():
        # What is not made of the block is made of nothing, from the kinds of the other suit.
        whole = missing_tiles(numbers)[number] + 3 * (sets_wanted - sets) + 2 * (not pair)
        distance = np.where(sets_wanted >= sets, np.minimum(distance, whole), distance)
    for start in (0, 9):
        counts, melds = filled_up(blocks, 14, start)
        counts[:, RED] = 0
        assert np.array_equal(hands.shanten(counts, melds), distance - 1)


# ---------------------------------------------------------------- the second engine

PLAIN = [{}, {"seven_pairs": False, "missing_suit": "sets_only"}, {"missing_suit": "strict"}]
WILD = [
    {"missing_suit": "off"},
    {"missing_suit": "off", "wild_pair_alone": True},
    {"missing_suit": "sets_only"},
    {"missing_suit": "sets_only", "wild_pair_alone": True},
    {"missing_suit": "strict", "wild_pair_alone": True, "wild_kong": "none"},
]
SAMPLES = [
    ("platform", PLAIN[:1], 7_000, False),
    ("platform", PLAIN, 1_200, True),
    ("hongzhong", WILD, 1_000, False),
    ("hongzhong", WILD, 1_000, True),
]


def assert_as_the_second_engine(rules: list[Ruleset], made: Hands) -> None:
    """Win, waits and shanten of every hand; ready exactly where there are waits."""
    answers = []
    for ruleset in rules:
        full = hands.shanten(made.full, made.melds, ruleset)
        short = hands.shanten(made.short, made.melds, ruleset)
        waits = hands.waits(made.short, made.melds, ruleset)
        assert np.array_equal(hands.is_hu(made.full, made.melds, ruleset), full == -1)
        assert np.array_equal(waits.any(axis=1), short == 0)
        answers.append((full == -1, waits, short))
    for n, hand in enumerate(made.each):
        for ruleset, (hu, waits, short) in zip(rules, answers, strict=True):
            assert hu[n] == ref.is_win(ruleset, hand.full, hand.melds), hand
            assert np.flatnonzero(waits[n]).tolist() == ref.waits(ruleset, hand.short, hand.melds), hand
            assert short[n] == ref.shanten(ruleset, hand.short, hand.melds), hand


@pytest.mark.parametrize(("name", "variants", "n", "one_suit"), SAMPLES)
def test_as_the_second_engine(name, variants, n, one_suit):
    rules = [rules_of(name, **shapes) for shapes in variants]
    made = make_hands(rules[-1], n, seed=n, one_suit=one_suit)
    ready = hands.waits(made.short, made.melds, rules[0]).any(axis=1).mean()
    assert 0.2 < ready < 0.8, "hands near ready are what this test is about"
    assert_as_the_second_engine(rules, made)


def test_there_are_hands_enough():
    assert sum(n * len(variants) for _, variants, n, _ in SAMPLES) >= 20_000


@pytest.mark.parametrize(("name", "shapes"), [("platform", {}), *(("hongzhong", shapes) for shapes in WILD)])
def test_acceptance_is_what_lowers_the_shanten(name, shapes):
    rules = rules_of(name, **shapes)
    made = make_hands(rules, 2_000, seed=11)
    before = hands.shanten(made.short, made.melds, rules)
    accepted = hands.acceptance(made.short, made.melds, rules)
    assert np.array_equal(accepted[before == 0], hands.waits(made.short, made.melds, rules)[before == 0])
    for kind in range(NUM_SLOTS):
        drawn = made.short.copy()
        drawn[:, kind] += 1
        may = ((drawn + made.melds)[:, kind] <= 4) & (kind < rules.n_kinds)
        nearer = np.zeros(len(may), bool)
        nearer[may] = hands.shanten(drawn[may], made.melds[may], rules) < before[may]
        assert np.array_equal(accepted[:, kind], nearer), kind


@pytest.mark.parametrize(("name", "shapes"), [("platform", {}), ("platform", PLAIN[1]), ("hongzhong", WILD[2])])
def test_discards_that_keep_the_shanten(name, shapes):
    rules = rules_of(name, **shapes)
    packed, table = pack(rules)[0], tables.load_tables()[0]
    made = make_hands(rules, 300, seed=12)
    for full, melds, before in zip(made.full, made.melds, hands.shanten(made.full, made.melds, rules), strict=True):
        held = np.flatnonzero(full)
        after = hands.shanten(full - np.eye(NUM_SLOTS, dtype=np.uint8)[held], np.stack([melds] * len(held)), rules)
        indices = [np.uint32(block @ POWERS[: len(block)]) for block in (full[:9], full[9:18], full[18:21])]
        pongs, kongs = (np.uint32((melds == tiles) @ (1 << np.arange(NUM_SLOTS))) for tiles in (3, 4))
        mask = discard_mask(table, packed, *indices, pongs, kongs)
        assert [kind for kind in range(NUM_SLOTS) if mask >> kind & 1] == held[after <= max(before, 0)].tolist()


@pytest.mark.parametrize(("name", "shapes"), [("platform", {}), ("hongzhong", {}), ("hongzhong", WILD[2])])
def test_best_discards_keep_the_shanten_and_count_what_comes(name, shapes):
    rules = rules_of(name, **shapes)
    made = make_hands(rules, 400, seed=13)
    before = hands.shanten(made.full, made.melds, rules)
    found = hands.best_discards(made.full, made.melds, rules)
    unseen = 4 - made.full.astype(int) - made.melds
    for kind in range(NUM_SLOTS):
        held = made.full[:, kind] > 0
        assert np.all(found[~held, kind] == -1)
        left, melds = made.full[held], made.melds[held]
        left[:, kind] -= 1
        tiles = (unseen[held] * hands.acceptance(left, melds, rules)).sum(axis=1)
        kept = hands.shanten(left, melds, rules) <= np.maximum(before[held], 0)
        assert np.array_equal(found[held, kind], np.where(kept, tiles, -1))
    one = hands.best_discards(parse_hand("123s 456s 789s 11p 46p 9p"))
    assert {slot: int(n) for slot, n in enumerate(one) if n >= 0} == {17: 4}


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


def golden_id(value: object) -> str:
    return value["id"] if isinstance(value, dict) else ""


@pytest.mark.parametrize(("case", "rules", "wanted"), golden(), ids=golden_id)
def test_golden_hands(case, rules, wanted):
    hand = parse_hand(case["hand"], tiles=rules.tiles.set) if case["hand"] else np.zeros(NUM_SLOTS, np.uint8)
    melds = meld_counts(parse_melds(case["melds"]))
    if "hu" in case:
        assert hands.is_hu(hand, melds, rules) is wanted
        assert (hands.shanten(hand, melds, rules) == -1) == wanted
    else:
        assert np.flatnonzero(hands.waits(hand, melds, rules)).tolist() == [parse_tile(tile) for tile in wanted]


# ---------------------------------------------------------------- what people may hand in

NINE_GATES = "1112345678999s"  # 九莲宝灯: waits for every bamboo


def test_one_hand_or_many():
    short = parse_hand(NINE_GATES)
    full = parse_hand(NINE_GATES + " 5s")
    bamboo = np.arange(NUM_SLOTS) < 9
    assert hands.is_hu(full) is True
    assert hands.shanten(full) == -1
    assert type(hands.shanten(short)) is int
    assert np.array_equal(hands.waits(short), bamboo)
    assert np.array_equal(hands.acceptance(short.tolist()), bamboo)
    assert hands.is_hu(np.stack([full, full])).tolist() == [True, True]
    assert hands.waits(np.stack([short] * 3)).shape == (3, NUM_SLOTS)
    assert hands.shanten(np.zeros((0, NUM_SLOTS), int)).shape == (0,)


def test_one_row_of_melds_holds_for_all():
    single = parse_hand("5p")
    melds = meld_counts(parse_melds("pong:1s pong:2s direct_kong:中 concealed_kong:发"))
    assert np.flatnonzero(hands.waits(single, melds)).tolist() == [parse_tile("5p")]
    assert hands.waits(np.stack([single] * 2), melds)[:, parse_tile("5p")].all()


def test_the_fourth_tile_of_a_pong_cannot_be_a_pair():
    melds = meld_counts(parse_melds("pong:1s pong:2s pong:3s pong:4s"))
    assert not hands.waits(parse_hand("1s"), melds).any()
    assert hands.shanten(parse_hand("1s"), melds) == 1
    assert hands.acceptance(parse_hand("1s"), melds).sum() == 17  # every kind of which two more can come


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, np.uint64])
def test_any_whole_numbers(dtype):
    hand = parse_hand("123456789s 1112p").astype(dtype)
    assert np.flatnonzero(hands.waits(hand)).tolist() == [parse_tile(tile) for tile in ("2p", "3p")]


def test_any_layout_of_memory():
    full = np.stack([parse_hand(NINE_GATES + " 5s"), parse_hand(NINE_GATES + " 9s")])
    assert hands.is_hu(np.asfortranarray(full)).all()
    assert hands.is_hu(np.repeat(full, 2, axis=0)[::2]).all()
    full.flags.writeable = False
    assert hands.is_hu(full).all()
    assert hands.is_hu(full[0]) is hands.is_hu(full[0].tolist()) is hands.is_hu(tuple(full[0].tolist())) is True
    no_melds = full[0] * 0
    for few in (full[0], full[:0], full[:1], full):
        assert np.all(hands.is_hu(few, no_melds))
    assert len(win_rows.signatures) == 1, "every layout is one to the compiler"


def melded(tiles: dict[str, int]) -> np.ndarray:
    melds = np.zeros(NUM_SLOTS, int)
    for tile, number in tiles.items():
        melds[parse_tile(tile)] = number
    return melds


WON = parse_hand(NINE_GATES + " 5s")
REFUSED = [
    (hands.is_hu, (WON[:20],), "27 counts"),
    (hands.is_hu, ([WON.tolist(), [1, 2]],), "27 counts"),
    (hands.is_hu, (np.zeros((2, 2, NUM_SLOTS), int),), "27 counts"),
    (hands.is_hu, (WON / 1.0,), "whole numbers"),
    (hands.is_hu, ((WON / 1.0).tolist(),), "whole numbers"),
    (hands.is_hu, ([True] * NUM_SLOTS,), "whole numbers"),
    (hands.is_hu, ([-1] + [0] * 26,), "counts: expected 0 to 4 of 1s, got -1"),
    (hands.is_hu, ([300] + [0] * 26,), "counts: expected 0 to 4 of 1s, got 300"),
    (hands.is_hu, ([0] * 26 + [5],), "counts: expected 0 to 4 of slot 26, got 5"),
    (hands.is_hu, (WON.astype(int) - 1,), "0 to 4 of 1p, got -1"),
    (hands.is_hu, (np.stack([WON, WON]) + 250,), "hand 0: expected at most 4 of 1s, got 253"),
    (hands.is_hu, (np.stack([WON, WON * 3]).astype(int),), "counts 1: expected 0 to 4 of 1s, got 9"),
    (hands.is_hu, (WON * 2,), "at most 4 of 1s"),
    (hands.is_hu, (WON, melded({"1s": 3})), "at most 4 of 1s, got 3 concealed and 3 in melds"),
    (hands.is_hu, (WON, melded({"2p": 2})), "melds hold 2 of 2p"),
    (hands.is_hu, (WON, melded({"2p": 5})), "melds: expected 0 to 4 of 2p, got 5"),
    (hands.is_hu, (WON, melded({"2p": 3})), "expected 11 concealed tiles beside 1 melds, got 14"),
    (hands.waits, (WON,), "expected 13 concealed tiles"),
    (hands.acceptance, (WON,), "expected 13 concealed tiles"),
    (hands.shanten, (WON * 0,), "expected 13 / 14 concealed tiles"),
    (hands.is_hu, (WON * 0, melded(dict.fromkeys(("1s", "2s", "3s", "4s", "5s"), 3))), "at most 4 melds, got 5"),
    (hands.is_hu, (np.stack([WON, WON]), np.zeros((3, NUM_SLOTS), int)), "each of the 2 hands, got 3"),
    (hands.is_hu, (parse_hand("112233445566s 白白"), None, "hongzhong"), "白 is not in this set"),
    (hands.is_hu, (np.eye(NUM_SLOTS, dtype=int)[25] + WON,), "slot 25 is not in this set"),
    (hands.is_hu, (parse_hand("11122233344s"), melded({"中": 3}), "hongzhong"), "中 is wild"),
    (
        hands.is_hu,
        (parse_hand("11122233344s"), melded({"中": 4}), rules_of("hongzhong", wild_kong="none")),
        "中 is wild",
    ),
    (hands.is_hu, (WON, None, "nowhere"), "nowhere"),
]


@pytest.mark.parametrize(("function", "arguments", "said"), REFUSED, ids=[said for *_, said in REFUSED])
def test_bad_input_is_refused_in_one_line(function, arguments, said):
    with pytest.raises(InputError) as refused:
        function(*arguments)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert refused.value.message("zh")


# ---------------------------------------------------------------- tables


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "CACHE_DIR", tmp_path)
    return tmp_path


def test_tables_are_kept_and_read_again(cache):
    built = tables.load_tables.__wrapped__()
    (file,) = cache.iterdir()
    assert built.tobytes() in file.read_bytes()
    read = tables.load_tables.__wrapped__()
    assert read.flags.writeable
    assert read.tobytes() == built.tobytes()


@pytest.mark.parametrize("spoil", [lambda data: data[:-1], lambda data: b"?" + data[1:], lambda data: b""])
def test_a_spoilt_file_is_built_anew(cache, spoil):
    built = tables.load_tables.__wrapped__()
    (file,) = cache.iterdir()
    file.write_bytes(spoil(file.read_bytes()))
    assert tables.load_tables.__wrapped__().tobytes() == built.tobytes()
    assert built.tobytes() in file.read_bytes()


@pytest.mark.parametrize("place", [None, Path("/nowhere/at/all")])
def test_without_a_place_for_it_the_tables_are_built(monkeypatch, place):
    monkeypatch.setattr(tables, "CACHE_DIR", place)
    assert tables.load_tables.__wrapped__().shape == (1,)
