"""A section on disk: its data, its figures, what its pages are made of, and the pages.

A section lies in `<out>/<ruleset>/<name>/`; `section.json` holds all that a page shows, `made.json` is written last and
says what the section rests on: with it the section is whole.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from kwx_sim.report import cells, markdown, pages
from kwx_sim.report import record as provenance
from kwx_sim.report.section import Bullets, Figure, Heading, Paragraph, Part, Section, Table, Words, Work
from kwx_sim.text import LANGS

__all__ = ["folder_of", "is_fresh", "write_report", "write_section"]

SECTION, MADE = "section.json", "made.json"

ALL = "all"
"""The place of a section that compares rulesets."""


def folder_of(out: Path, name: str, work: Work) -> Path:
    """Where a section lies."""
    place = work.rule.name if len(work.rules) == 1 else ALL
    # A person's ruleset may have a name that is no file's.
    return out / (re.sub(r"[^\w.-]+", "_", place).lstrip(".") or "_") / name


def is_fresh(folder: Path, record: dict[str, Any]) -> bool:
    """Tell whether a whole section lies there that rests on the same."""
    try:
        return bool(_read(folder / MADE)["record"] == record)
    except (OSError, ValueError, TypeError, KeyError):
        return False


def write_report(folders: Sequence[Path], out: Path, command: str) -> list[Path]:
    """Write the report's pages in both languages, of the sections in some folders; return the files."""
    sections = [pages.Made(_read(folder / SECTION), _read(folder / MADE), folder) for folder in folders]
    if not sections:
        return []
    writers = (pages.write_index, markdown.write_markdown)
    return [write(sections, out, command, lang) for write in writers for lang in LANGS]


def write_section(section: Section, folder: Path, record: dict[str, Any], seconds: float) -> None:
    """Write a section, which was made in so many seconds, in place of what was there.

    Raises ValueError where two tables or two figures of it have one name, or a number is none.
    """
    began = time.monotonic()
    _refuse_repeated(section)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for part in section.parts:
        if isinstance(part, Table):
            _write_table(part, folder)
        elif isinstance(part, Figure):
            _write_figure(part, folder, draft=record["draft"])
    told = {
        "name": section.name,
        "rules": [rules["name"] for rules in record["rules"]],
        "title": _words(section.title),
        "question": _words(section.question),
        "headline": [_words(sentence) for sentence in section.headline],
        "parts": [_part(part) for part in section.parts],
        "record": record,
    }
    _write_json(folder / SECTION, told)
    made = provenance.made(seconds + time.monotonic() - began)
    for lang in LANGS:
        pages.write_section_page(pages.Made(told, made, folder), lang)
    _write_json(folder / MADE, {"record": record, **made})


def _refuse_repeated(section: Section) -> None:
    for kind in (Table, Figure):
        names = [part.name for part in section.parts if isinstance(part, kind)]
        if len(set(names)) < len(names):
            raise ValueError(f"{section.name}: names that are not unique among {names}")


def _write_table(table: Table, folder: Path) -> None:
    frame = _plain(table.frame)
    frame.to_csv(folder / f"{table.name}.csv", index=False, lineterminator="\n")
    frame.to_parquet(folder / f"{table.name}.parquet", index=False, compression="zstd")


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with a column of texts in both languages as one of each."""
    columns: dict[str, Any] = {}
    for name in frame.columns:
        column = frame[name]
        if any(isinstance(value, Words) for value in column):
            told = [value if isinstance(value, Words) else Words(str(value), str(value)) for value in column]
            columns[name] = [value.en for value in told]
            columns[f"{name}_zh"] = [value.zh for value in told]
        else:
            columns[name] = column.to_numpy()
    return pd.DataFrame(columns)


def _write_figure(figure: Figure, folder: Path, *, draft: bool) -> None:
    from kwx_sim.report import figures

    for lang in LANGS:
        figures.save(figures.draw(figure, lang), folder / f"{figure.name}.{lang}", draft=draft)


def _part(part: Part) -> dict[str, Any]:
    match part:
        case Heading(told, anchor):
            return {"kind": "heading", "words": _words(told), "anchor": anchor}
        case Paragraph(told):
            return {"kind": "paragraph", "words": _words(told)}
        case Bullets(items):
            return {"kind": "bullets", "items": [_words(item) for item in items]}
        case Figure():
            return {"kind": "figure", "name": part.name, "caption": _words(part.caption), "alt": _words(part.alt)}
        case Table():
            return {
                "kind": "table",
                "name": part.name,
                "caption": _words(part.caption),
                "columns": [{"head": _words(column.head), "numeric": column.form != "text"} for column in part.columns],
                "rows": cells.rows(part),
                "total": len(part.frame),
            }


def _words(told: Words) -> dict[str, str]:
    return {"en": told.en, "zh": told.zh}


def _read(file: Path) -> Any:
    return json.loads(file.read_bytes())


def _write_json(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n", encoding="utf-8")
