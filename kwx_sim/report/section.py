"""A section of the report as data: prose in both languages, tables and figures; and the analysis that makes one.

Nothing here draws or writes: `kwx_sim.report.write` does, from a finished section.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kwx_sim import text
from kwx_sim.rules import Ruleset
from kwx_sim.runs import Progress
from kwx_sim.stats import Estimates

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Canvas

__all__ = [
    "SAME",
    "Analysis",
    "Bullets",
    "Column",
    "Figure",
    "Heading",
    "Paragraph",
    "Part",
    "Section",
    "Table",
    "Words",
    "Work",
    "as_column",
    "estimate_columns",
    "ruleset_name",
    "words",
]


SAME = "+"
"""Between the names of rulesets that gave the same data and are told once."""


@dataclass(frozen=True)
class Words:
    """A text in both languages of the report."""

    en: str
    zh: str

    def told(self, lang: str) -> str:
        """Give the text in `lang`, en or zh."""
        return self.zh if lang == "zh" else self.en

    @classmethod
    def join(cls, parts: Iterable[Words], en: str = " ", zh: str = "") -> Words:
        """Put texts one after another, with `en` or `zh` between them."""
        found = list(parts)
        return cls(en.join(part.en for part in found), zh.join(part.zh for part in found))


def words(key: str, **params: Any) -> Words:
    """Give a text of the catalogue (`report_fans.intro`) in both languages; parameters that are Words go in by theirs.

    Raises KeyError for an unknown key.
    """
    told = {lang: {name: _told(value, lang) for name, value in params.items()} for lang in text.LANGS}
    return Words(**{lang: text.t(key, lang, **told[lang]) for lang in text.LANGS})


def as_column(values: Iterable[Words]) -> NDArray[np.object_]:
    """Texts as a column of a frame."""
    return np.array(list(values), dtype=np.object_)


def ruleset_name(preset: str) -> Words:
    """Name a preset for a person, or several joined by SAME; a ruleset of the user's own keeps its name."""
    if SAME in preset:
        return Words.join(map(ruleset_name, preset.split(SAME)), en=" and ", zh="与")
    key = f"report.ruleset.{preset}"
    return words(key) if text.has(key) else Words(preset, preset)


def ruleset_in_prose(preset: str) -> Words:
    """Name a ruleset as a sentence does: the online platform."""
    if SAME in preset:
        return Words.join(map(ruleset_in_prose, preset.split(SAME)), en=" and ", zh="与")
    key = f"report.ruleset_in_prose.{preset}"
    return words(key) if text.has(key) else ruleset_name(preset)


def _told(value: Any, lang: str) -> Any:
    return value.told(lang) if isinstance(value, Words) else value


@dataclass(frozen=True)
class Heading:
    """A heading inside a section, to which a page can link.

    Attributes
    ----------
    anchor : unique in its section, of letters, digits and dashes; pages put the section's place before it
    """

    words: Words
    anchor: str


@dataclass(frozen=True)
class Paragraph:
    """Prose."""

    words: Words


@dataclass(frozen=True)
class Bullets:
    """A list of short texts."""

    items: Sequence[Words]


@dataclass(frozen=True)
class Column:
    """A column of a table as the page shows it.

    Attributes
    ----------
    field : a column of the frame; for an estimate the prefix of three: `gain`, `gain_low`, `gain_high`
    head : its head, with the unit
    form : `text` (str or Words), `count`, `number:.2f`, `signed:.2f`, `share:.1%`, or with a 95% interval
        `estimate:+.2f`, `estimate:.1%`
    """

    field: str
    head: Words
    form: str = "text"


@dataclass(frozen=True)
class Table:
    """A tidy frame, which is written as a whole, and what of it the page shows.

    Attributes
    ----------
    name : of the files; unique in its section
    frame : English field names
    show : rows on the page at most
    """

    name: str
    frame: pd.DataFrame
    caption: Words
    columns: Sequence[Column]
    show: int | None = None


@dataclass(frozen=True)
class Figure:
    """A figure, drawn once a language.

    Attributes
    ----------
    name : of the files; unique in its section
    alt : what the figure shows, for who cannot see it
    draw : draws on an empty canvas, in `en` or `zh`
    size : width and height in inches
    """

    name: str
    caption: Words
    alt: Words
    draw: Callable[[Canvas, str], None]
    size: tuple[float, float] = (7.0, 4.0)


Part = Heading | Paragraph | Bullets | Table | Figure


@dataclass(frozen=True)
class Section:
    """What an analysis found.

    Attributes
    ----------
    headline : one or two sentences with figures, for the report's front page
    """

    name: str
    title: Words
    question: Words
    parts: Sequence[Part]
    headline: Sequence[Words] = ()


def _silent(label: Words | str) -> Progress:
    return lambda done, total: None


@dataclass(frozen=True)
class Work:
    """What an analysis is asked to do.

    Attributes
    ----------
    games : the size of the analysis, in rounds; it spreads them as it sees fit
    draft : whether these are fewer than the report's own
    progress : given a label, it makes what `trials` and `simulate` tell how far they are
    """

    rules: tuple[Ruleset, ...]
    games: int
    seed: int
    workers: int
    draft: bool = False
    progress: Callable[[Words | str], Progress] = field(default=_silent, compare=False, repr=False)

    @property
    def rule(self) -> Ruleset:
        """The only ruleset."""
        (only,) = self.rules
        return only


@dataclass(frozen=True)
class Analysis:
    """A question of the report.

    Attributes
    ----------
    name : of its module, its pages and its directory
    presets : that it applies to
    together : one section over all of them; else one each
    games, draft_games : sizes of the report and of a draft, for each section
    per : of what that size is, where it has to be said: `ruleset`, `all` rulesets together, `claim`
    """

    name: str
    analyse: Callable[[Work], Section]
    presets: tuple[str, ...]
    together: bool
    games: int
    draft_games: int
    per: Literal["", "ruleset", "all", "claim"] = ""


def estimate_columns(frame: pd.DataFrame, prefix: str, found: Estimates) -> pd.DataFrame:
    """Put estimates into a frame as `<prefix>`, `<prefix>_se`, `<prefix>_low` and `<prefix>_high`; return the frame."""
    frame[prefix] = found.mean
    frame[f"{prefix}_se"] = found.se
    frame[f"{prefix}_low"] = found.ci_low
    frame[f"{prefix}_high"] = found.ci_high
    return frame
