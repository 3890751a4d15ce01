"""Pages: a section by itself, and the whole report, each one file in one language that needs no other."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from kwx_sim.report import font, told
from kwx_sim.report.svg import data_address
from kwx_sim.text import LANGS

__all__ = ["Made", "page_name", "write_index", "write_section_page"]


class Made(NamedTuple):
    """A section on disk: what its pages are made of, what it rests on, and where it lies."""

    section: dict[str, Any]
    made: dict[str, Any]
    folder: Path


def page_name(stem: str, lang: str) -> str:
    """Name a page's file: the Chinese one has the plain name."""
    return f"{stem}.html" if lang == "zh" else f"{stem}.{lang}.html"


def write_section_page(one: Made, lang: str) -> None:
    """Write a section's page in one language beside its folder."""
    draft = told.draft_of_section(one.section, lang)
    context = {
        "section": one.section,
        "basis": told.basis([one], lang),
        "draft": draft,
        "folder": one.folder,
        "origin": told.origin_of_section(one.section, one.made, lang),
    }
    body = _body("section.html", context, one.folder.name, lang)
    title = told.titled(one.section["title"][lang], draft, lang)
    _write(one.folder.parent / page_name(one.folder.name, lang), title, body, lang)


def write_index(sections: Sequence[Made], out: Path, command: str, lang: str) -> Path:
    """Write the report's page in one language, its sections in the order given; return the file."""
    draft = told.draft(sections, lang)
    context = {
        "basis": told.basis(sections, lang),
        "draft": draft,
        "groups": told.groups(sections, lang),
        "origin": told.origin(sections, command, lang),
        "rulesets": told.rulesets(sections, lang),
        "sections": told.made_when(sections, lang),
    }
    body = _body("index.html", context, "index", lang)
    title = told.titled(told.t("title", lang), draft, lang)
    return _write(out / page_name("index", lang), title, body, lang)


def _body(template: str, context: dict[str, Any], stem: str, lang: str) -> str:
    other = next(other for other in LANGS if other != lang)
    return (
        _environment()
        .get_template(template)
        .render(
            context
            | {
                "lang": lang,
                "t": lambda key, **params: told.t(key, lang, **params),
                "names": lambda rules: told.names(rules, lang),
                "picture": lambda folder, name: _picture(folder, f"{name}.{lang}"),
                "other_lang": other,
                "other_page": page_name(stem, other),
            }
        )
    )


def _picture(folder: Path, name: str) -> Markup:
    """A figure as the address of an image: the SVG, or the PNG of a draft, which has no other."""
    drawn = folder / f"{name}.svg"
    return Markup(data_address(drawn if drawn.is_file() else folder / f"{name}.png"))


def _write(file: Path, title: str, body: str, lang: str) -> Path:
    """Put a page together with its font, which holds the characters that it shows and no other."""
    shown = frozenset(body + title) & font.characters()
    page = (
        _environment()
        .get_template("page.html")
        .render(
            title=title,
            body=Markup(body),
            font_face=Markup(_font_face(shown, lang)),
            style=Markup(_source("style.css")),
            script=Markup(_source("sort.js")),
            t=lambda key, **params: told.t(key, lang, **params),
        )
    )
    file.write_text(page, encoding="utf-8")
    return file


def _font_face(characters: frozenset[str], lang: str) -> str:
    """The font's rule: in English, quotation marks and dashes are left to the reader's own font.

    It comes first of the families, for Chromium drew boxes in some elements where it was to stand in for another.
    """
    ranges = "U+2E80-FFEF" if lang == "en" else "U+2010-2027, U+2E80-FFEF"
    encoded = base64.b64encode(font.subset(characters)).decode("ascii")
    return (
        f'@font-face {{ font-family: "{font.FAMILY}"; '
        f'src: url("data:font/woff;base64,{encoded}") format("woff"); unicode-range: {ranges}; }}'
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("kwx_sim.report"), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )


def _source(name: str) -> str:
    return (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8").strip()
