"""牌: the 27 slots, their names, and the notation both ways.

Slots 0-8 are 1-9 条 (bamboo, s), 9-17 are 1-9 筒 (dots, p), 18 中, 19 发, 20 白; 21-26 are always zero. A hand is 27
counts (uint8). Everything here raises `InputError`, a ValueError, with one line for a person.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from kwx_sim.errors import InputError

__all__ = [
    "COPIES",
    "FIVES",
    "GREEN",
    "KONG_KINDS",
    "MELD_KINDS",
    "NUM_KINDS",
    "NUM_SLOTS",
    "RED",
    "SET_SIZES",
    "WHITE",
    "Counts",
    "Meld",
    "format_hand",
    "format_melds",
    "format_tiles",
    "meld_counts",
    "parse_hand",
    "parse_meld",
    "parse_melds",
    "parse_tile",
    "parse_tiles",
    "tile_name",
]

Counts = npt.NDArray[np.uint8]

NUM_SLOTS = 27
NUM_KINDS = 21
RED, GREEN, WHITE = 18, 19, 20
FIVES = (4, 13)
COPIES = 4
SET_SIZES = (84, 76)

MELD_KINDS = ("pong", "direct_kong", "concealed_kong", "added_kong")
KONG_KINDS = MELD_KINDS[1:]

_SUIT_NAMES = {"en": ("s", "p"), "zh": ("条", "筒")}
_DRAGON_NAMES = "中发白"
_NAMES = {
    lang: tuple(f"{rank}{suit}" for suit in suits for rank in range(1, 10)) + tuple(_DRAGON_NAMES)
    for lang, suits in _SUIT_NAMES.items()
}


class Meld(NamedTuple):
    """副露: a called or konged set. `kind` is one of MELD_KINDS, `tile` its slot."""

    kind: str
    tile: int


# ---------------------------------------------------------------- reading

_DIGITS = {mark: rank for marks in ("0123456789", "〇一二三四五六七八九") for rank, mark in enumerate(marks)}
_SUIT_START = {mark: start for start, marks in ((0, "s条條索"), (9, "p筒饼餅")) for mark in marks}
_HONOURS = {5: WHITE, 6: GREEN, 7: RED}
_UNICODE_TILES = {chr(0x1F010 + slot): slot for slot in range(18)}
_WHOLE_TILES = {"中": RED, "发": GREEN, "發": GREEN, "白": WHITE, "🀄": RED, "🀅": GREEN, "🀆": WHITE} | _UNICODE_TILES
_LONG_NAMES = {"红中": RED, "紅中": RED, "白板": WHITE} | {a + b: GREEN for a in "发發" for b in "财財"}
_SEPARATORS = frozenset(" \t\r\n\v\f,、，;|_")
_EMOJI_SELECTORS = {0xFE0E: None, 0xFE0F: None}
# Marks that a reader may well write, and the reason why each is refused.
_REFUSED = {
    mark: reason
    for reason, marks in (
        ("tiles.characters", "m万萬" + "".join(chr(0x1F007 + i) for i in range(9))),
        ("tiles.winds", "东東南西北风風" + "".join(chr(0x1F000 + i) for i in range(4))),
        ("tiles.flowers", "春夏秋冬梅兰蘭竹菊花" + "".join(chr(0x1F022 + i) for i in range(9))),
        ("tiles.sign", "-+−–—"),
    )
    for mark in marks
}


def parse_hand(text: str, *, tiles: int = 84) -> Counts:
    """Read tiles in any form of the notation into counts, shape (27,), uint8.

    `tiles` is the size of the set: in the set of 76, 发 and 白 are refused. Raises InputError for no tile at all,
    a tile that this game has not, or a fifth copy.
    """
    slots = parse_tiles(text, tiles=tiles)
    if not slots:
        raise InputError("tiles.empty")
    return np.bincount(slots, minlength=NUM_SLOTS).astype(np.uint8)


def parse_tile(text: str, *, tiles: int = 84) -> int:
    """Read exactly one tile ("5p", "5筒", "中") into its slot."""
    slots = parse_tiles(text, tiles=tiles)
    if len(slots) != 1:
        raise InputError("tiles.one_tile", text=text, count=len(slots))
    return slots[0]


def parse_tiles(text: str, *, tiles: int = 84) -> list[int]:
    """Read tiles into slots in the order written, as a wall needs them. No text gives no tiles."""
    if not isinstance(text, str):
        raise InputError("tiles.not_text", got=text)
    if tiles not in SET_SIZES:
        raise InputError("tiles.set_size", got=tiles)
    slots = _read(text)
    _check_copies(slots)
    if tiles == 76:
        _check_small_set(slots)
    return slots


def _read(text: str) -> list[int]:
    """Digits wait for the suit that follows them; everything else is a tile by itself."""
    folded = unicodedata.normalize("NFKC", text).translate(_EMOJI_SELECTORS).lower()
    slots: list[int] = []
    ranks: list[int] = []
    place = 0
    while place < len(folded):
        mark = folded[place]
        place += 1
        if mark in _DIGITS:
            ranks.append(_DIGITS[mark])
        elif mark in _SUIT_START or mark == "z":
            if not ranks:
                _refuse_bare_suit(text, folded, place - 1)
            slots += _honours(text, ranks) if mark == "z" else _suited(text, ranks, _SUIT_START[mark])
            ranks.clear()
        elif mark in _WHOLE_TILES or folded[place - 1 : place + 1] in _LONG_NAMES:
            if ranks:
                _refuse_bare_digits(text, ranks)
            if folded[place - 1 : place + 1] in _LONG_NAMES:
                slots.append(_LONG_NAMES[folded[place - 1 : place + 1]])
                place += 1
            else:
                slots.append(_WHOLE_TILES[mark])
        elif mark not in _SEPARATORS:
            _refuse_mark(text, mark, ranks)
    if ranks:
        _refuse_bare_digits(text, ranks)
    return slots


def _suited(text: str, ranks: list[int], start: int) -> list[int]:
    if 0 in ranks:
        raise InputError("tiles.zero", text=text)
    return [start + rank - 1 for rank in ranks]


def _honours(text: str, ranks: list[int]) -> list[int]:
    for rank in ranks:
        if rank not in _HONOURS:
            raise InputError("tiles.winds" if 1 <= rank <= 4 else "tiles.honour", text=text, got=f"{rank}z")
    return [_HONOURS[rank] for rank in ranks]


def _refuse_bare_suit(text: str, folded: str, place: int) -> NoReturn:
    suit = folded[place]
    digits = ""
    for mark in folded[place + 1 :]:
        if mark not in _DIGITS:
            break
        digits += mark
    if digits:
        raise InputError("tiles.prefix", text=text, right=digits + suit, wrong=suit + digits)
    raise InputError("tiles.no_digits", text=text, suit=suit)


def _refuse_bare_digits(text: str, ranks: list[int]) -> NoReturn:
    raise InputError("tiles.no_suit", text=text, digits="".join(map(str, ranks)))


def _refuse_mark(text: str, mark: str, ranks: list[int]) -> NoReturn:
    reason = _REFUSED.get(mark)
    if reason is None:
        raise InputError("tiles.unknown", text=text, got=mark)
    digits = "".join(map(str, ranks)) if reason == "tiles.characters" else ""
    raise InputError(reason, text=text, got=digits + mark)


def _check_copies(slots: Sequence[int]) -> None:
    if len(slots) <= COPIES:
        return
    for slot in set(slots):
        count = slots.count(slot)
        if count > COPIES:
            raise InputError("tiles.fifth_copy", tile=_NAMES["en"][slot], count=count)


def _check_small_set(slots: Iterable[int]) -> None:
    for slot in slots:
        if slot in (GREEN, WHITE):
            raise InputError("tiles.not_in_set", tile=_NAMES["en"][slot])


# ---------------------------------------------------------------- writing


def tile_name(slot: int, lang: str = "en") -> str:
    """Name one tile: "5p" in en, "5筒" in zh, "中" in both."""
    if isinstance(slot, bool) or not isinstance(slot, int | np.integer) or not 0 <= slot < NUM_KINDS:
        raise InputError("tiles.slot", got=slot)
    _check_lang(lang)
    return _NAMES[lang][slot]


def format_tiles(slots: Iterable[int], lang: str = "en") -> str:
    """Write tiles one by one in the order given: "5p 6s 中"."""
    return " ".join(tile_name(slot, lang) for slot in slots)


def format_hand(counts: npt.ArrayLike, lang: str = "en") -> str:
    """Write counts, shape (27,), as "123s 456p 中中": 条, then 筒, then 中 发 白. No tiles give no text."""
    held = _checked_counts(counts)
    _check_lang(lang)
    parts = []
    for start, suit in zip((0, 9), _SUIT_NAMES[lang], strict=True):
        digits = "".join(str(rank + 1) * held[start + rank] for rank in range(9) if held[start + rank])
        if digits:
            parts.append(digits + suit)
    dragons = "".join(name * held[RED + i] for i, name in enumerate(_DRAGON_NAMES))
    if dragons:
        parts.append(dragons)
    return " ".join(parts)


def _check_lang(lang: str) -> None:
    if lang not in tuple(_NAMES):
        raise InputError("tiles.lang", got=lang)


def _checked_counts(counts: npt.ArrayLike) -> list[int]:
    array = np.asarray(counts)
    if array.shape != (NUM_SLOTS,):
        raise InputError("tiles.counts_shape", shape=array.shape)
    if array.dtype.kind not in "iu":
        raise InputError("tiles.counts_kind", got=array.dtype)
    held: list[int] = array.tolist()
    for slot, count in enumerate(held):
        if slot >= NUM_KINDS and count:
            raise InputError("tiles.counts_unused", slot=slot, count=count)
        if not 0 <= count <= COPIES:
            raise InputError("tiles.counts_range", slot=slot, tile=_NAMES["en"][slot], count=count)
    return held


# ---------------------------------------------------------------- melds

_MELD_WORDS = {kind: kind for kind in MELD_KINDS} | {
    "碰": "pong",
    "直杠": "direct_kong",
    "明杠": "direct_kong",
    "暗杠": "concealed_kong",
    "补杠": "added_kong",
    "補杠": "added_kong",
}


def parse_meld(text: str, *, tiles: int = 84) -> Meld:
    """Read one meld: "pong:中", "direct_kong:3s", also "碰:中"."""
    if not isinstance(text, str):
        raise InputError("tiles.meld_form", got=text)
    kind, colon, tile = unicodedata.normalize("NFKC", text).strip().partition(":")
    kind = kind.strip().lower().replace("槓", "杠")
    if not colon:
        raise InputError("tiles.meld_form", got=text)
    if kind in ("chi", "chow", "吃"):
        raise InputError("tiles.meld_chi", got=text)
    if kind not in _MELD_WORDS:
        raise InputError("tiles.meld_kind", got=kind)
    return Meld(_MELD_WORDS[kind], parse_tile(tile, tiles=tiles))


def parse_melds(melds: str | Iterable[str | Meld], *, tiles: int = 84) -> list[Meld]:
    """Read melds from "pong:中 direct_kong:3s" or from a list of such. Raises InputError for a fifth meld or copy."""
    if isinstance(melds, str):
        melds = unicodedata.normalize("NFKC", melds).replace(",", " ").replace("、", " ").split()
    if not isinstance(melds, Iterable):
        raise InputError("tiles.melds_type", got=melds)
    found = [meld if isinstance(meld, Meld) else parse_meld(meld, tiles=tiles) for meld in melds]
    if len(found) > 4:
        raise InputError("tiles.too_many_melds", count=len(found))
    _check_copies([meld.tile for meld in found for _ in range(_size(meld))])
    return found


def format_melds(melds: Iterable[Meld]) -> str:
    """Write melds as "pong:中 direct_kong:3s", the form that parse_melds reads."""
    return " ".join(f"{meld.kind}:{tile_name(meld.tile)}" for meld in melds)


def meld_counts(melds: Iterable[Meld]) -> Counts:
    """Count the tiles in melds, shape (27,), uint8: three for a pong, four for a kong."""
    counts = np.zeros(NUM_SLOTS, np.uint8)
    for meld in melds:
        counts[meld.tile] += _size(meld)
    return counts


def _size(meld: Meld) -> int:
    return 3 if meld.kind == "pong" else 4
