"""Cut the report's Chinese font out of Noto Sans SC: `python -m kwx_sim.report.font.make noto-sans-sc.woff`.

The same source gives the same file. Latin letters and digits are left out: figures draw them in DejaVu Sans, pages in
the reader's own font.
"""

from __future__ import annotations

import sys

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from kwx_sim.report.font import FAMILY, FILE
from kwx_sim.rules import PRESETS, load_rules
from kwx_sim.text import LANGS, areas, catalogue

__all__ = ["main", "printed"]

FIRST = "\u2000"
"""Below stand letters that every font has."""

FAMILY_NAME, STYLE_NAME, UNIQUE_NAME, FULL_NAME, POSTSCRIPT_NAME = 1, 2, 3, 4, 6
"""Entries of a font's name table that hold its name; the others (copyright, version, licence) stay as they are."""


def main(source: str) -> None:
    """Write the TrueType font that stands beside this file."""
    font = TTFont(source, recalcTimestamp=False)
    font.flavor = None
    options = Options(hinting=False, layout_features=[], name_IDs=["*"])
    options.drop_tables += ["BASE", "STAT", "vhea", "vmtx"]
    cutter = Subsetter(options)
    cutter.populate(unicodes=[ord(one) for one in printed() | _gb2312() if one >= FIRST])
    cutter.subset(font)
    for name, value in (
        (FAMILY_NAME, FAMILY),
        (STYLE_NAME, "Regular"),
        (UNIQUE_NAME, f"{FAMILY}, cut from Noto Sans SC"),
        (FULL_NAME, FAMILY),
        (POSTSCRIPT_NAME, FILE.stem),
    ):
        for platform, encoding, language in ((3, 1, 0x409), (1, 0, 0)):
            font["name"].setName(value, name, platform, encoding, language)
    font.save(FILE)


def printed() -> set[str]:
    """Every character of the catalogues and of the presets' titles."""
    told = [entry[lang] for area in areas() for entry in catalogue(area).values() for lang in LANGS]
    return set("".join(told + [load_rules(name).title for name in PRESETS]))


def _gb2312() -> set[str]:
    """Marks, and the 3,755 commonest characters, for texts of later versions and the names of people's own rulesets."""
    marks, full_width, level_1 = range(0xA1, 0xA2), range(0xA3, 0xA4), range(0xB0, 0xD8)
    rows, cells = (*marks, *full_width, *level_1), range(0xA1, 0xFF)
    return set(bytes(pair for row in rows for cell in cells for pair in (row, cell)).decode("gb2312", errors="ignore"))


if __name__ == "__main__":
    main(sys.argv[1])
