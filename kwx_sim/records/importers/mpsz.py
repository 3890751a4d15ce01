"""A record as plain text: a few lines of the deal, then one act a line, tiles as 1p 2s 5z (docs/records.md)."""

from collections.abc import Iterator
from pathlib import Path

from kwx_sim.errors import InputError
from kwx_sim.records.files import located, texts
from kwx_sim.records.importers.told import ACTS, HIDDEN, SEATS, Act, Told
from kwx_sim.refusals import clipped
from kwx_sim.rules import PRESETS, Ruleset, load_rules
from kwx_sim.tiles import parse_tile, parse_tiles

__all__ = ["read_mpsz"]

HEADS = ("round", "room", "dealer", "piao", "hand", "wall", "end")
HAND = 13


def read_mpsz(path: str | Path, rules: Ruleset) -> Iterator[Told]:
    """Each round of a file; `rules` are those of rounds that do not name a preset. InputError names file and line."""
    told: Told | None = None
    heads: set[str] = set()
    for number, line in texts(path):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            if words[0] == "round":
                if told is not None:
                    yield told
                told, heads = Told(number, _rules(words, rules)), set()
            elif told is None:
                raise InputError("records.mpsz.round", came=clipped(line))
            else:
                _check_head(words, heads)
                _read(told, number, words)
        except InputError as problem:
            raise located(str(path), number, problem) from problem
    if told is not None:
        yield told


def _rules(words: list[str], rules: Ruleset) -> Ruleset:
    if len(words) == 1:
        return rules
    # A name alone means a preset, never a file: a record is not to be trusted.
    if len(words) > 2 or words[1] not in PRESETS:
        raise InputError("records.mpsz.preset", presets=", ".join(PRESETS), came=clipped(" ".join(words[1:])))
    return load_rules(words[1])


def _check_head(words: list[str], heads: set[str]) -> None:
    """Refuse a line of the deal that could contradict one before it: the same again, or a hand beside a wall."""
    head = words[0]
    if head not in HEADS:
        return
    told = " ".join(words[:2]) if head == "hand" else head
    beside = {"hand": "wall", "wall": "hand"}.get(head, told)
    if told in heads or beside in heads:
        raise InputError("records.mpsz.again", came=clipped(" ".join(words)))
    heads |= {told, head}


def _read(told: Told, number: int, words: list[str]) -> None:
    head, rest = words[0], words[1:]
    if told.ended is not None:
        raise InputError("records.mpsz.ended", came=clipped(" ".join(words)))
    if head.isdecimal():
        told.add(_act(number, words))
    elif told.acts and head != "end":
        raise InputError("records.mpsz.late", came=clipped(head))
    elif head == "room":
        told.room = " ".join(rest)
    elif head == "dealer":
        told.dealer = _seat(" ".join(rest))
    elif head == "piao":
        told.piao = tuple(map(_whole, rest))
    elif head == "hand":
        told.hands[_seat(rest[0] if rest else "")] = _hand(" ".join(rest[1:]))
    elif head == "wall":
        told.wall = tuple(parse_tiles(" ".join(rest)))
    elif head == "end":
        told.ended = number
    else:
        raise InputError("records.mpsz.word", expected=", ".join(HEADS), came=clipped(" ".join(words)))


def _act(number: int, words: list[str]) -> Act:
    """One line such as `0 discard 5p`, `1 draw ?`, `2 liangdao 3s 123s 456p 5577z`."""
    seat = _seat(words[0])
    kind = words[1] if len(words) > 1 else ""
    if kind not in ACTS:
        raise InputError("records.mpsz.act", expected=", ".join(ACTS), came=clipped(" ".join(words)))
    if len(words) < 3:
        raise InputError("records.mpsz.tile", act=kind, example=f"{seat} {kind} 5p")
    tile = words[2]
    hand = tuple(parse_tiles(" ".join(words[3:])))
    if hand and kind != "liangdao":
        raise InputError("records.mpsz.more", came=clipped(" ".join(words[3:])))
    hidden = kind == "draw" and tile == HIDDEN
    return Act(number, seat, kind, None if hidden else parse_tile(tile), hand=hand or None)


def _hand(text: str) -> tuple[int, ...] | None:
    if text == HIDDEN:
        return None
    tiles = tuple(parse_tiles(text))
    if len(tiles) != HAND:
        raise InputError("records.hand_size", expected=HAND, came=len(tiles))
    return tiles


def _seat(word: str) -> int:
    if word not in map(str, range(SEATS)):
        raise InputError("records.seat", came=clipped(word))
    return int(word)


def _whole(word: str) -> int:
    if not (word.isascii() and word.isdecimal()) or len(word) > 3:
        raise InputError("records.mpsz.whole", came=clipped(word))
    return int(word)
