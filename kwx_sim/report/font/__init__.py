"""The Chinese font that the report carries with it; see README.md beside it."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

__all__ = ["FAMILY", "FILE", "characters", "subset"]

FAMILY = "Kwx Sans SC"
FILE = Path(__file__).parent / "KwxSansSC.ttf"


@cache
def characters() -> frozenset[str]:
    """Every character that the font can draw."""
    from fontTools.ttLib import TTFont

    with TTFont(FILE, lazy=True) as font:
        return frozenset(map(chr, font.getBestCmap()))


@cache
def subset(wanted: frozenset[str]) -> bytes:
    """Cut the font down to some characters, as WOFF: the same bytes each time."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    with TTFont(FILE, recalcTimestamp=False) as font:
        cutter = Subsetter(Options(layout_features=[], notdef_outline=True))
        cutter.populate(unicodes=map(ord, wanted & characters()))
        cutter.subset(font)
        font.flavor = "woff"
        written = io.BytesIO()
        font.save(written)
    return written.getvalue()
