"""牌: the notation both ways, every golden line, and every refusal with its reason."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwx_sim.errors import InputError
from kwx_sim.tiles import (
    GREEN,
    MELD_KINDS,
    NUM_KINDS,
    NUM_SLOTS,
    RED,
    WHITE,
    Meld,
    format_hand,
    format_melds,
    format_tiles,
    meld_counts,
    parse_hand,
    parse_meld,
    parse_melds,
    parse_tile,
    parse_tiles,
    tile_name,
)

GOLDEN = [json.loads(line) for line in (Path(__file__).parent / "data/notation.jsonl").read_text("utf-8").splitlines()]

hands = st.lists(st.integers(0, 4), min_size=NUM_KINDS, max_size=NUM_KINDS).filter(any).map(lambda c: c + [0] * 6)
langs = st.sampled_from(["en", "zh"])


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["id"])
def test_golden(case):
    tiles = 76 if case.get("rules") == "hongzhong" else 84
    if case.get("error"):
        with pytest.raises(InputError):
            parse_hand(case["text"], tiles=tiles)
    else:
        assert format_hand(parse_hand(case["text"], tiles=tiles)) == case["tiles"]


@given(hands, langs)
def test_hand_round_trip(counts, lang):
    text = format_hand(counts, lang)
    parsed = parse_hand(text)
    assert parsed.tolist() == counts
    assert (parsed.dtype, parsed.shape) == (np.uint8, (NUM_SLOTS,))
    assert format_hand(parsed, lang) == text


@given(hands, st.randoms(use_true_random=False), langs)
def test_wall_round_trip_keeps_the_order(counts, random, lang):
    wall = [slot for slot, count in enumerate(counts) for _ in range(count)]
    random.shuffle(wall)
    assert parse_tiles(format_tiles(wall, lang)) == wall


@given(st.permutations(range(NUM_KINDS)), st.lists(st.sampled_from(MELD_KINDS), max_size=4))
def test_melds_round_trip(slots, kinds):
    melds = [Meld(kind, slot) for kind, slot in zip(kinds, slots, strict=False)]
    assert parse_melds(format_melds(melds)) == melds
    assert parse_melds(format_melds(melds).split()) == melds
    assert parse_melds(melds) == melds
    assert meld_counts(melds).sum() == sum(3 if kind == "pong" else 4 for kind in kinds)


@given(st.text(max_size=12) | st.text("123spmz中发白红 ,-", max_size=12))
def test_any_text_is_read_or_refused_in_one_line(text):
    try:
        told = format_tiles(parse_tiles(text))
    except InputError as error:
        told = error.message("en") + error.message("zh")
    assert "\n" not in told


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("１２３ｓ，４５６ｐ　中", "123s 456p 中"),
        ("1,2,3,s 4、5、6p", "123s 456p"),
        ("3条2條1索", "123s"),
        ("1筒2饼3餅", "123p"),
        ("123S 456P", "123s 456p"),
        ("五筒 三条", "3s 5p"),
        ("12s3p3s", "123s 3p"),
        ("5z6z7z", "中发白"),
        ("555z77z", "中中白白白"),
        ("發财发財紅中白板", "中发发白"),
        ("白发中", "中发白"),
        ("🀐🀘🀙🀡🀄🀅🀆", "19s 19p 中发白"),
        ("🀄\ufe0f🀄\ufe0e🀄", "中中中"),
        ("  5p\n", "5p"),
    ],
)
def test_input_forms(text, canonical):
    assert format_hand(parse_hand(text)) == canonical


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "tiles.empty"),
        (" , ", "tiles.empty"),
        ("123m", "tiles.characters"),
        ("一万", "tiles.characters"),
        ("🀇", "tiles.characters"),
        ("1z", "tiles.winds"),
        ("567z4z", "tiles.winds"),
        ("东", "tiles.winds"),
        ("🀀", "tiles.winds"),
        ("8z", "tiles.honour"),
        ("0z", "tiles.honour"),
        ("🀢", "tiles.flowers"),
        ("梅", "tiles.flowers"),
        ("🀪", "tiles.flowers"),
        ("p123", "tiles.prefix"),
        ("筒5", "tiles.prefix"),
        ("s", "tiles.no_digits"),
        ("12p s", "tiles.no_digits"),
        ("123", "tiles.no_suit"),
        ("123中", "tiles.no_suit"),
        ("12 红中", "tiles.no_suit"),
        ("0p", "tiles.zero"),
        ("-1s", "tiles.sign"),
        ("１s−", "tiles.sign"),
        ("55555p", "tiles.fifth_copy"),
        ("中中中中 红中", "tiles.fifth_copy"),
        ("x", "tiles.unknown"),
        ("红", "tiles.unknown"),
        ("🀫", "tiles.unknown"),
        ("①s٣s", "tiles.unknown"),
    ],
)
def test_refusals_name_the_reason(text, key):
    with pytest.raises(InputError) as caught:
        parse_hand(text)
    assert caught.value.key == key


def test_a_refusal_shows_what_came_and_the_right_form():
    with pytest.raises(ValueError, match=r"'p123': the suit comes after its digits here: write 123p, not p123"):
        parse_hand("p123")
    with pytest.raises(ValueError, match=r"5 copies of 5p; there are four of each tile"):
        parse_hand("55555p")


@pytest.mark.parametrize("text", ["发", "白", "6z", "🀆"])
def test_the_small_set_has_one_dragon(text):
    with pytest.raises(InputError, match="not in the set of 76"):
        parse_hand(text, tiles=76)
    with pytest.raises(InputError, match="not in the set of 76"):
        parse_melds(f"pong:{text}", tiles=76)
    assert parse_hand("中中", tiles=76)[RED] == 2


@pytest.mark.parametrize("value", [None, 5, b"5p", ["5p"]])
def test_only_text_is_read(value):
    with pytest.raises(InputError) as caught:
        parse_hand(value)
    assert caught.value.key == "tiles.not_text"


def test_tile():
    assert [parse_tile(text) for text in ("1s", "9p", "中", "发", "白", "5筒")] == [0, 17, RED, GREEN, WHITE, 13]
    assert [tile_name(13, lang) for lang in ("en", "zh")] == ["5p", "5筒"]
    for text in ("", "5p5p", "12p"):
        with pytest.raises(InputError, match="expected one tile"):
            parse_tile(text)
    for slot in (-1, 21, 26):
        with pytest.raises(InputError, match="expected a tile's number"):
            tile_name(slot)


@pytest.mark.parametrize(
    ("counts", "key"),
    [
        ([0] * 21, "tiles.counts_shape"),
        ([[0] * 27], "tiles.counts_shape"),
        ([0.5] * 27, "tiles.counts_kind"),
        ([5] + [0] * 26, "tiles.counts_range"),
        ([-1] + [0] * 26, "tiles.counts_range"),
        ([0] * 26 + [1], "tiles.counts_unused"),
    ],
)
def test_counts_are_checked_before_they_are_written(counts, key):
    with pytest.raises(InputError) as caught:
        format_hand(counts)
    assert caught.value.key == key


@pytest.mark.parametrize("tiles", [80, 0, None, "84"])
def test_a_set_has_84_or_76_tiles(tiles):
    with pytest.raises(InputError) as caught:
        parse_hand("123s", tiles=tiles)
    assert caught.value.key == "tiles.set_size"


@pytest.mark.parametrize("lang", ["fr", "", None, ["en"]])
@pytest.mark.parametrize("write", [lambda lang: tile_name(3, lang), lambda lang: format_hand([0] * 27, lang)])
def test_tiles_are_written_in_two_languages(write, lang):
    with pytest.raises(InputError) as caught:
        write(lang)
    assert caught.value.key == "tiles.lang"


def test_no_tiles_are_written_as_no_text():
    assert format_hand([0] * 27) == ""
    assert parse_tiles("") == []


@pytest.mark.parametrize(
    ("text", "melds"),
    [
        ("pong:中 direct_kong:3s", [Meld("pong", RED), Meld("direct_kong", 2)]),
        ("碰:红中，暗杠：5筒 补槓:2s", [Meld("pong", RED), Meld("concealed_kong", 13), Meld("added_kong", 1)]),
        ("", []),
    ],
)
def test_meld_forms(text, melds):
    assert parse_melds(text) == melds


@pytest.mark.parametrize(
    ("melds", "key"),
    [
        ("pong", "tiles.meld_form"),
        ("chi:3s", "tiles.meld_chi"),
        ("kong:3s", "tiles.meld_kind"),
        ("pong:333s", "tiles.one_tile"),
        ("pong:1m", "tiles.characters"),
        ("pong:3s pong:3s", "tiles.fifth_copy"),
        ("pong:1s pong:2s pong:3s pong:4s pong:5s", "tiles.too_many_melds"),
        (5, "tiles.melds_type"),
        ([5], "tiles.meld_form"),
    ],
)
def test_melds_are_refused_with_the_reason(melds, key):
    with pytest.raises(InputError) as caught:
        parse_melds(melds)
    assert caught.value.key == key


def test_one_meld():
    assert parse_meld(" Pong : 中 ") == Meld("pong", RED)
