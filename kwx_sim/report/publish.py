"""Publishing a report: `python -m kwx_sim.report.publish` copies the finished one into `reports/published/`.

Only what a reader of the repository can look at: the Markdown of both languages and the figures in it, in 256 colours,
which shrinks them to a third and shows no difference. A draft is refused, and so is a report that was not made from
one commit: the provenance page must name what anybody can make it from again.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from PIL import Image

from kwx_sim import text
from kwx_sim.errors import InputError

__all__ = ["main", "publish"]

PAGES = ("index.md", "index.en.md")
COLOURS = 256


def publish(out: Path, place: Path) -> list[Path]:
    """Copy a report's Markdown and figures from one directory into another; return the files.

    Raises InputError where there is no finished report of one commit.
    """
    for page in PAGES:
        if not (out / page).is_file():
            raise InputError("report.refused.unfinished", folder=str(out), page=page)
    figures = [figure for figure in sorted(out.glob("*/*/*.png")) if place not in figure.parents]
    sections = sorted({figure.parent for figure in figures})
    _refuse_drafts(sections)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    written = [Path(shutil.copy(out / page, place / page)) for page in PAGES]
    for figure in figures:
        copy = place / figure.relative_to(out)
        copy.parent.mkdir(parents=True, exist_ok=True)
        with Image.open(figure) as image:
            image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(copy, optimize=True)
        written.append(copy)
    return written


def _refuse_drafts(sections: list[Path]) -> None:
    commits = set()
    for section in sections:
        made = json.loads((section / "made.json").read_bytes())
        if made["record"]["draft"]:
            raise InputError("report.refused.draft", section=str(section))
        commits.add(made["commit"])
    if len(commits) != 1 or any(not commit or commit.endswith("+") for commit in commits):
        raise InputError("report.refused.commit", commits=", ".join(sorted(commits)) or "–")


def main() -> None:
    """Publish `reports/`; status 2 where it is refused."""
    try:
        written = publish(Path("reports"), Path("reports/published"))
    except InputError as refused:
        sys.stderr.write(refused.message(text.default_lang()) + "\n")
        raise SystemExit(2) from None
    print(*written, sep="\n")


if __name__ == "__main__":
    main()
