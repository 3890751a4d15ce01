"""An answer as a notebook shows it: plain HTML, with no style but what a notebook gives a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from kwx_sim.query.decision import Decision
from kwx_sim.query.sheets import Sheet, break_even, ready_lines, sheets
from kwx_sim.query.telling import assumed, how, mark, warning, whole
from kwx_sim.text import default_lang, t

__all__ = ["as_html"]


def as_html(decision: Decision, lang: str | None = None) -> str:
    """The whole answer, in `lang` or the language of the locale."""
    return "\n".join(_parts(decision, lang or default_lang()))


def _parts(decision: Decision, lang: str) -> Iterator[str]:
    yield _element("p", _element("strong", escape(whole(decision, lang))))
    yield from _paragraph(mark(decision, lang))
    yield from _paragraph(warning(decision, lang))
    for line in ready_lines(decision, lang):
        yield from _paragraph(line)
    for sheet in sheets(decision, lang, whole=".table"):
        yield from _paragraph(sheet.title)
        yield _table(sheet)
        yield from _paragraph(sheet.left_out)
    yield from _paragraph(break_even(decision, lang))
    yield from _paragraph(t("query.page.assumed", lang))
    yield _element("ul", _elements("li", (each.text(lang) for each in assumed(decision))))
    yield from _paragraph(t("query.page.sampled", lang) + how(decision, lang))


def _table(sheet: Sheet) -> str:
    head = _element("tr", _elements("th", sheet.headers))
    rows = "".join(_element("tr", _elements("td", row)) for row in sheet.rows)
    return _element("table", _element("thead", head) + _element("tbody", rows))


def _paragraph(line: str) -> Iterator[str]:
    if line:
        yield _element("p", escape(line))


def _elements(name: str, texts: Iterable[str]) -> str:
    return "".join(_element(name, escape(text)) for text in texts)


def _element(name: str, content: str) -> str:
    return f"<{name}>{content}</{name}>"
