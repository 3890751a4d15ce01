"""A review as one page of HTML that needs nothing else: no network, no script; for a phone as well, light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from kwx_sim.query.sheets import Sheet
from kwx_sim.review.report import Review
from kwx_sim.review.telling import headline, mistakes, notes, ratings, totals
from kwx_sim.text import t

__all__ = ["as_page"]

STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
article { border-left: .3rem solid; padding: .1rem 0 .1rem .8rem; margin: 1rem 0; }
article p { margin: .2rem 0; } .hand { font-size: 1.15rem; overflow-wrap: anywhere; }
.cost { font-weight: bold; font-variant-numeric: tabular-nums; } .faint { opacity: .7; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .8rem .2rem 0; text-align: left; white-space: nowrap; border-bottom: 1px solid; }
td.number, th.number { text-align: right; }
"""


def as_page(review: Review, lang: str, *, unclear: bool = False) -> str:
    """The whole page; with `unclear`, the decisions that may have been mistakes too."""
    title = escape(t("review.page.title", lang, record=review.settings.record))
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style>"
    )
    body = "\n".join((_element("h1", title), *_parts(review, lang, unclear=unclear)))
    return f'<!doctype html>\n<html lang="{lang}"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _parts(review: Review, lang: str, *, unclear: bool) -> Iterator[str]:
    yield _element("p", escape(headline(review, lang)))
    for sheet in (totals(review, lang), ratings(review, lang)):
        if sheet.rows:
            yield _element("h2", escape(sheet.title))
            yield _table(sheet)
    for wanted in (False, True) if unclear else (False,):
        sheet = mistakes(review, lang, unclear=wanted)
        if sheet.rows:
            yield _element("h2", escape(sheet.title))
            yield from (_mistake(row, lang) for row in sheet.rows)
    yield from (_element("p", escape(line), "faint") for line in notes(review, lang))


def _mistake(row: Iterable[str], lang: str) -> str:
    """One decision, as lines that fit a narrow screen."""
    names = ("round", "draw", "seat", "hand", "taken", "better", "cost", "interval", "kind")
    told = dict(zip(names, map(escape, row), strict=True))
    lines = [
        _element("p", t("review.page.where", lang, **told), "faint"),
        _element("p", told["hand"], "hand"),
        _element("p", t("review.page.choice", lang, **told)),
        _element("p", t("review.page.cost", lang, **told), "cost"),
    ]
    return _element("article", "".join(lines))


def _table(sheet: Sheet) -> str:
    head = _element("tr", "".join(_cell("th", n, text, sheet) for n, text in enumerate(sheet.headers)))
    rows = (_element("tr", "".join(_cell("td", n, text, sheet) for n, text in enumerate(row))) for row in sheet.rows)
    table = _element("table", _element("thead", head) + _element("tbody", "".join(rows)))
    return _element("div", table, "wide")


def _cell(name: str, column: int, text: str, sheet: Sheet) -> str:
    return _element(name, escape(text), "number" if column in sheet.numbers else "")


def _element(name: str, content: str, kind: str = "") -> str:
    marked = f' class="{kind}"' if kind else ""
    return f"<{name}{marked}>{content}</{name}>"
