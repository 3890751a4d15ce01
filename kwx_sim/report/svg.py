"""Figures within a page, as the addresses of images: matplotlib's SVG made small, or a draft's PNG."""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

__all__ = ["compact", "data_address"]

UNNEEDED = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
BETWEEN = re.compile(r">\s+<")
LONG_NUMBER = re.compile(r"-?(?<![\d.])[1-9]\d*\.\d{3,}")
"""From 1 upward: those are places on the figure. Below 1 there are factors too, whose every digit counts."""

ADDRESS_SAFE = " !$&'()*+,-./:;=?@[]^_`{|}~"
"""Characters that stand for themselves in the address of an image within a page."""


def compact(svg: str) -> str:
    """Leave out what nobody sees, and digits beyond a hundredth of a point: three fifths of the size."""
    short = BETWEEN.sub("><", UNNEEDED.sub("", svg))
    short = LONG_NUMBER.sub(_rounded, short)
    return re.sub(r"\s*\n\s*", " ", short).replace('"', "'").strip()


def data_address(file: Path) -> str:
    """Give an SVG or PNG file as a `data:` address, for an image of a page that needs no other file."""
    if file.suffix == ".png":
        return "data:image/png;base64," + b64encode(file.read_bytes()).decode("ascii")
    return "data:image/svg+xml," + quote(compact(file.read_text(encoding="utf-8")), safe=ADDRESS_SAFE)


def _rounded(found: re.Match[str]) -> str:
    return f"{float(found.group()):.2f}".rstrip("0").rstrip(".")
