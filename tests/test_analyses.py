"""Every analysis of the report at a tiny size: finite, whole, in both languages, with n and intervals."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import analyses
from kwx_sim.report import Bullets, Figure, Heading, Paragraph, Table, Work, cells, figures
from kwx_sim.report import font as fonts
from kwx_sim.rules import PRESETS, load_rules
from kwx_sim.text import LANGS

GAMES = 1536
NAMES = [path.stem for path in Path(analyses.__file__).parent.glob("*.py") if not path.stem.startswith("_")]


def test_every_analysis_has_its_place_in_the_report():
    assert sorted(NAMES) == sorted(analyses.ORDER)


@pytest.fixture(scope="module", params=analyses.ORDER)
def made(request):
    """An analysis, and a section of it for all rulesets, or for its first."""
    analysis = analyses.load(request.param)
    presets = analysis.presets if analysis.together else analysis.presets[-1:]
    work = Work(tuple(map(load_rules, presets)), games=GAMES, seed=3, workers=1, draft=True)
    return analysis, analysis.analyse(work)


def parts(section, kind):
    return [part for part in section.parts if isinstance(part, kind)]


def texts(section):
    """Everything that the section says, as Words."""
    yield from (section.title, section.question, *section.headline)
    for part in section.parts:
        if isinstance(part, Heading | Paragraph):
            yield part.words
        elif isinstance(part, Bullets):
            yield from part.items
        else:
            yield part.caption
            yield from [part.alt] if isinstance(part, Figure) else (column.head for column in part.columns)


def test_an_analysis_says_what_it_is(made):
    analysis, section = made
    assert section.name == analysis.name
    assert set(analysis.presets) <= set(PRESETS)
    assert analysis.draft_games < analysis.games
    assert parts(section, Figure), "a figure"
    assert parts(section, Table), "a table"
    assert section.headline, "a sentence for the front page"


def test_prose_is_whole_in_both_languages(made):
    for told in texts(made[1]):
        for lang in LANGS:
            said = told.told(lang)
            assert said.strip()
            assert not re.search(r"\b(nan|inf)\b|[{}]|Words\(", said), said
        assert not re.search(r"[a-z]{3,} [a-z]{3,} [a-z]{3,} [a-z]{3,}", told.zh), "English in the Chinese text"


def test_numbers_are_finite_and_estimates_have_intervals_and_n(made):
    for table in parts(made[1], Table):
        assert len(table.frame) > 0 or made[0].draft_games > GAMES, table.name
        numbers = table.frame.select_dtypes("number").to_numpy(float)
        assert not np.isinf(numbers).any(), table.name
        forms = [column.form.partition(":")[0] for column in table.columns]
        if "estimate" in forms:
            said = re.search(r"\d{2,}", table.caption.en)
            assert "count" in forms or said, f"{table.name}: n"
        for row in cells.rows(table):
            for form, cell in zip(forms, row, strict=True):
                assert cell["en"], (table.name, row)
                assert cell["zh"], (table.name, row)
                if form == "estimate" and cell["sort"] is not None:
                    assert cell["interval"], (table.name, row)
                    assert math.isfinite(cell["sort"])


def test_an_estimate_lies_in_its_interval(made):
    for table in parts(made[1], Table):
        for column in table.columns:
            if column.form.startswith("estimate"):
                low, mean, high = (table.frame[f"{column.field}{end}"] for end in ("_low", "", "_high"))
                known = mean.notna() & low.notna() & high.notna()
                slack = 1e-9 * mean[known].abs() + 1e-12
                assert (low[known] <= mean[known] + slack).all(), (table.name, column.field)
                assert (mean[known] <= high[known] + slack).all(), (table.name, column.field)


@pytest.mark.parametrize("lang", LANGS)
def test_figures_are_drawn_with_units_and_no_glyph_is_missing(made, lang):
    # A missing glyph warns, and a warning fails.
    for figure in parts(made[1], Figure):
        canvas = figures.draw(figure, lang)
        canvas.draw_without_rendering()
        assert any(axes.has_data() for axes in canvas.axes), figure.name
        shown = {text.get_text() for text in canvas.findobj(lambda artist: hasattr(artist, "get_text"))}
        unseen = {one for one in "".join(shown) if one >= "\u2e80"} - fonts.characters()
        assert not unseen, figure.name
        if lang == "zh":
            assert any(one >= "\u2e80" for one in "".join(shown)), f"{figure.name}: no Chinese in it"
