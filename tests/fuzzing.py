"""Documents as an attacker would send them, and what must come of each: an answer, or a refusal of one line.

Most are a valid document with up to four edits: as text (spans cut, doubled, overwritten, values replaced by others
that once broke some reader) or, of JSON, as a tree. The rest are bytes at random.
"""

import json
import resource
import sys
import time
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from kwx_sim.errors import InputError

SECONDS = 2.0
MEGABYTES = 200
MAX_TOLD = 2_000
UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")

NUMBERS = [0, -1, 1, 3, 4, 5, 44, 84, 1 << 31, 1 << 63, 10**30, 10**4000, 0.5, -0.0, 1e300]
STRINGS = [
    "", " ", "me", "next", "1s", "5筒", "中", "?", "none", "all", "x" * 3_000, "1" * 3_000 + "s", "a\x00b", "\x1b[2J",
    "\u202e", "\ud800", "\ufeff", "𝟙𝕤", "９ｐ", "ﷺ" * 50, "pong:中", "chi:1s", "../../etc/passwd", "/dev/zero",
    "%s{0}{x}", "platform", "evil.toml", "__import__('os')",
]  # fmt: skip
TREES: list[Any] = [None, True, False, *NUMBERS, *STRINGS, [], {}, [0, 0, 0], ["1s"] * 3, [[0, "1s"]], {"me": ["1s"]}]
TREES += [[None] * 3_000, {"": 1}, {"\x1b": {}}, {"policy": "efficient"}]

TOKENS = [
    b"", b"\n", b"\r", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b'"', b"'", b'"""', b"'''", b"\\",
    b"\\u0000", b"\\ud800", b"\\U00110000", b"#", b"=", b".", b",", b":", b"[", b"]", b"[[", b"]]", b"{", b"}", b"-",
    b"+", b"_", b"e", b"nan", b"inf", b"NaN", b"Infinity", b"-Infinity", b"1e999", b"1e-999999", b"0x" + b"f" * 1_500,
    b"9" * 5_000, b"1979-05-27T07:32:00Z", b"0o7", b"true", b"null", b"[" * 2_000, b"{" * 2_000, b'{"a":' * 1_200,
    b"[[" * 40 + b"]]" * 40, b"a." * 90 + b"a = 1\n", b"a." * 1_900 + b"a = 1\n", b"[" + b"a." * 95 + b"a]\n",
    b" " * 5_000, "中".encode(), b"\xe2\x80\xae", b"\xe2\x80\xa8", b"\x1b[2J", b"0", b"99999999999999999999",
    b"extends", b"[[rooms]]\n" * 500,
]  # fmt: skip


def assert_survived(read: Callable[..., Any], *given: Any) -> bool:
    """Read what may be anything: whether there was an answer. Fails where it was neither that nor a refusal.

    Every refusal must be told in one line of visible marks, in both languages; time and memory have bounds.
    """
    began, before = time.process_time(), peak_megabytes()
    try:
        read(*given)
        answered = True
    except InputError as refusal:
        answered = False
        for lang in ("en", "zh"):
            assert_one_line(refusal.message(lang))
    assert time.process_time() - began < SECONDS
    assert peak_megabytes() - before < MEGABYTES
    return answered


def assert_one_line(told: str) -> None:
    assert len(told) < MAX_TOLD, told
    assert not {mark for mark in told if unicodedata.category(mark) in UNSEEN}, repr(told)


def peak_megabytes() -> float:
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def documents(seeds: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """A text with up to four edits or, of eight, bytes at random."""
    edited = st.tuples(_PLACE, _edits).map(lambda drawn: _edited(_of(seeds, drawn[0]), drawn[1]))
    return st.one_of(*[edited] * 7, st.binary(max_size=300))


def trees(seeds: Sequence[Any]) -> st.SearchStrategy[Any]:
    """A value of JSON with up to four edits."""
    return st.tuples(_PLACE, _edits).map(lambda drawn: _grafted(_of(seeds, drawn[0]), drawn[1]))


def as_lines(events: Any) -> bytes:
    return b"".join(as_json(event) + b"\n" for event in (events if isinstance(events, list) else [events]))


def as_json(value: Any) -> bytes:
    """As JSON, and as what is none though Python writes it; halves of characters as escapes."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", errors="backslashreplace")


def as_toml(table: dict[str, Any]) -> bytes:
    """A table of values, and of tables of values, as TOML."""
    own = [f"{name} = {_toml(value)}" for name, value in table.items() if not isinstance(value, dict)]
    inner = [b"[%s]\n" % name.encode() + as_toml(value) for name, value in table.items() if isinstance(value, dict)]
    return "\n".join([*own, ""]).encode() + b"".join(inner)


def _toml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# ---------------------------------------------------------------- edits

# Numbers, not texts: hypothesis writes out what it may choose from, and lists of megabytes are slow to write.
_PLACE = st.integers(0, (1 << 20) - 1)
_edits = st.lists(st.tuples(_PLACE, _PLACE, _PLACE, _PLACE), max_size=4)
Edits = Sequence[tuple[int, int, int, int]]

TEXT_EDITS = ("insert", "overwrite", "cut", "double", "move", "value", "value", "value", "flip", "line")
TREE_EDITS = ("put", "put", "put", "drop", "name", "add", "swap", "double")


def _of(choices: Sequence[Any], number: int) -> Any:
    return choices[number % len(choices)]


def _edited(text: bytes, edits: Edits) -> bytes:
    for how, first, second, token in edits:
        text = _edit(text, _of(TEXT_EDITS, how), first % (len(text) + 1), second, _of(TOKENS, token))
    return text


def _edit(text: bytes, how: str, at: int, other: int, token: bytes) -> bytes:
    end = min(len(text), at + other % 40)
    if how == "insert":
        return text[:at] + token + text[at:]
    if how == "overwrite":
        return text[:at] + token + text[end:]
    if how == "cut":
        return text[:at] + text[end:]
    if how == "double":
        return text[:end] + text[at:]
    if how == "move":
        place = other % (len(text) + 1)
        return text[:place] + text[at:end] + text[place:]
    if how == "flip":
        return text[:at] + bytes(byte ^ 1 << other % 8 for byte in text[at : at + 1]) + text[at + 1 :]
    start, end = text.rfind(b"\n", 0, at) + 1, text.find(b"\n", at) % (len(text) + 1)
    if how == "line":
        place = text.rfind(b"\n", 0, other % (len(text) + 1)) + 1
        return text[:place] + text[start : end + 1] + text[place:]
    return _with_value(text, at, token)


def _with_value(text: bytes, at: int, token: bytes) -> bytes:
    """Put the token in place of the value that follows."""
    signs = [place for place in (text.find(b"=", at), text.find(b":", at)) if place >= 0]
    if not signs:
        return text + token
    start = min(signs) + 1
    ends = [place for place in (text.find(mark, start) for mark in (b",", b"\n", b"}")) if place >= 0]
    return text[:start] + b" " + token + text[min(ends, default=len(text)) :]


def _grafted(value: Any, grafts: Edits) -> Any:
    holder = [json.loads(json.dumps(value))]
    for how, first, second, graft in grafts:
        places = list(_places(holder))
        inside, key = _of(places, first)
        # A copy: a later edit may be one of the graft.
        _graft(inside, key, _of(TREE_EDITS, how), _of(places, second), json.loads(json.dumps(_of(TREES, graft))))
    return holder[0]


def _places(inside: Any) -> Any:
    items = inside.items() if isinstance(inside, dict) else enumerate(inside)
    for key, value in list(items):
        yield inside, key
        if isinstance(value, dict | list):
            yield from _places(value)


def _graft(inside: Any, key: Any, how: str, other: tuple[Any, Any], graft: Any) -> None:
    is_table = isinstance(inside, dict)
    if how == "name" and is_table and isinstance(graft, str):
        inside[graft] = inside.pop(key)
    elif how == "add" and is_table:
        inside[f"{key}_"] = graft
    elif how == "drop" and (is_table or len(inside) > 1):
        del inside[key]
    elif how == "double" and not is_table:
        inside.insert(key, json.loads(json.dumps(inside[key])))
    elif how == "swap":
        there, name = other
        inside[key] = json.loads(json.dumps(there[name]))
    else:
        inside[key] = graft
