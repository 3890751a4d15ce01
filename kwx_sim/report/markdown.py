"""The report as Markdown, its figures by relative path."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from kwx_sim.report import told
from kwx_sim.report.pages import Made

__all__ = ["write_markdown"]


def write_markdown(sections: Sequence[Made], out: Path, command: str, lang: str) -> Path:
    """Write the report in one language; return the file."""
    file = out / ("index.md" if lang == "zh" else f"index.{lang}.md")
    file.write_text("\n\n".join(_blocks(sections, out, command, lang)) + "\n", encoding="utf-8")
    return file


def _blocks(sections: Sequence[Made], out: Path, command: str, lang: str) -> Iterator[str]:
    groups = told.groups(sections, lang)
    yield f"# {told.t('title', lang)}"
    if draft := told.draft(sections, lang):
        yield _marked(draft)
    yield _escaped(told.basis(sections, lang))
    yield f"## {told.t('headlines', lang)}"
    for group in groups:
        if group.headlines:
            yield f"**{_escaped(group.title[lang])}**"
            yield _bullets(f"{_label(label, lang)}{_escaped(sentence)}" for label, sentence in group.headlines)
    for group in groups:
        yield f"## {_escaped(group.title[lang])}"
        yield f"*{_escaped(group.question[lang])}*"
        for place in group.places:
            yield f"### {_escaped(place.label)}"
            if place.draft:
                yield _marked(place.draft)
            yield from (_part(part, place.folder.relative_to(out), lang) for part in place.section["parts"])
    yield f"## {told.t('provenance.title', lang)}"
    yield _pairs(told.origin(sections, command, lang))
    yield f"### {told.t('provenance.rulesets', lang)}"
    yield _pairs(told.rulesets(sections, lang))
    yield f"### {told.t('provenance.sections', lang)}"
    yield _pairs(told.made_when(sections, lang))


def _marked(draft: str) -> str:
    return f"> **{_escaped(draft)}**"


def _label(label: str, lang: str) -> str:
    return f"*{_escaped(label)}*{told.t('colon', lang)}" if label else ""


def _part(part: dict[str, Any], folder: Path, lang: str) -> str:
    made: dict[str, Callable[[], str]] = {
        "heading": lambda: _heading(part, folder, lang),
        "paragraph": lambda: _escaped(part["words"][lang]),
        "bullets": lambda: _bullets(_escaped(item[lang]) for item in part["items"]),
        "figure": lambda: _figure(part, folder, lang),
        "table": lambda: _table(part, lang),
    }
    return made[part["kind"]]()


def _heading(part: dict[str, Any], folder: Path, lang: str) -> str:
    anchor = f"{folder.parent.name}-{folder.name}-{part['anchor']}"
    return f'#### <a id="{anchor}"></a>{_escaped(part["words"][lang])}'


def _figure(part: dict[str, Any], folder: Path, lang: str) -> str:
    file = (folder / f"{part['name']}.{lang}.png").as_posix()
    return f"![{_escaped(part['alt'][lang])}]({file})\n\n*{_escaped(part['caption'][lang])}*"


def _table(part: dict[str, Any], lang: str) -> str:
    heads = [column["head"][lang] for column in part["columns"]]
    rules = ["---:" if column["numeric"] else "---" for column in part["columns"]]
    rows = [[f"{cell[lang]} {cell['interval']}".strip() for cell in row] for row in part["rows"]]
    lines = [heads, rules, *rows]
    return f"{_escaped(part['caption'][lang])}\n\n" + "\n".join(
        "| " + " | ".join(cell if line is rules else _escaped(cell) for cell in line) + " |" for line in lines
    )


def _pairs(rows: Sequence[tuple[str, str]]) -> str:
    return _bullets(f"**{_escaped(name)}**: {_escaped(value)}" for name, value in rows)


def _bullets(items: Iterator[str] | Sequence[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _escaped(words: str) -> str:
    """Keep Markdown from taking a text's characters for its own marks."""
    for mark in "\\`*_[]<>|":
        words = words.replace(mark, "\\" + mark)
    return words.replace("\n", " ")
