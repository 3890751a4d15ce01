"""裁定: what the documents say on each rule, in their own words, and what was decided where they leave it open.

The data stand in `decisions.toml`. `listing` puts them beside a ruleset's values, for the terminal and the rules page.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from kwx_sim.rules.model import FANS, Ruleset, Section

__all__ = ["DOCUMENTS", "Decision", "Line", "decisions_for", "listing", "load_decisions", "quotes", "stated"]

DOCUMENTS = ("A", "B", "C")
"""Labels of the three rule documents."""

Words = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Decision:
    """裁定: a rule that the documents leave open, and how it was settled.

    Attributes
    ----------
    id, section : its name, and the section of the rules that it belongs to
    fields : the ruleset's fields that another table would change, as dotted paths; may be empty
    zh, en : the decision in a sentence or two
    words : document -> its exact words on the matter, one excerpt or several
    silent : the documents that could have spoken and do not
    """

    id: str
    section: str
    fields: tuple[str, ...]
    zh: str
    en: str
    words: Words
    silent: tuple[str, ...]

    def concerns(self, document: str) -> bool:
        """Whether a ruleset that follows the document has a part in it; one that follows none of the three, in all."""
        return document in self.words or document in self.silent or document not in DOCUMENTS


@dataclass(frozen=True)
class Line:
    """A field of a ruleset as a person reads it.

    Attributes
    ----------
    path : dotted path
    term, meaning : its name at the table, and what it does
    value : an int, bool, str, a dict (`payment.cap_for`), or the tuple of rooms
    words : exact words of the ruleset's document on it; empty where the document is silent
    decisions : the decisions that settled it, where they concern that document
    """

    path: str
    term: str
    meaning: str
    value: Any
    words: tuple[str, ...]
    decisions: tuple[Decision, ...]


@cache
def _data() -> dict[str, Any]:
    text = resources.files("kwx_sim.rules").joinpath("decisions.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _words(table: Mapping[str, list[str]]) -> Words:
    return MappingProxyType({document: tuple(excerpts) for document, excerpts in table.items()})


@cache
def load_decisions() -> tuple[Decision, ...]:
    """Every decision, in the order of the rules."""
    return tuple(
        Decision(
            id=entry["id"],
            section=entry["section"],
            fields=tuple(entry["fields"]),
            zh=entry["zh"],
            en=entry["en"],
            words=_words(entry["words"]),
            silent=tuple(entry["silent"]),
        )
        for entry in _data()["decision"]
    )


def decisions_for(field: str) -> tuple[Decision, ...]:
    """The decisions that settled a field, named by its dotted path."""
    return tuple(decision for decision in load_decisions() if field in decision.fields)


def stated(field: str) -> Words:
    """Document -> its plain words on a field; without the documents that say nothing plainly."""
    return _words(_data()["stated"].get(field, {}))


def quotes(field: str, document: str) -> tuple[str, ...]:
    """One document's words on a field: its plain ones, else those beside the decisions; empty where it is silent."""
    plain = stated(field)
    if document in plain:
        return plain[document]
    found = [excerpt for decision in decisions_for(field) for excerpt in decision.words.get(document, ())]
    return tuple(dict.fromkeys(found))


def listing(rules: Ruleset) -> list[Line]:
    """Every field of a ruleset but its names, in the order of the model; the fans one by one."""
    document = rules.document
    return [
        Line(path, term, meaning, value, quotes(path, document), _concerning(path, document))
        for path, term, meaning, value in _fields(rules, "")
        if path not in ("name", "title", "document")
    ]


def _concerning(field: str, document: str) -> tuple[Decision, ...]:
    return tuple(decision for decision in decisions_for(field) if decision.concerns(document))


def _fields(section: Section, prefix: str) -> Iterator[tuple[str, str, str, Any]]:
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        path = prefix + name
        if isinstance(value, Section):
            yield from _fields(value, path + ".")
        elif path == "fans.values":
            yield from _fan_fields(value)
        else:
            extra: Any = field.json_schema_extra
            yield path, extra["zh"], str(field.description), value


def _fan_fields(values: Mapping[str, int]) -> Iterator[tuple[str, str, str, int]]:
    when = _data()["when"]
    for fan, term in FANS.items():
        yield f"fans.values.{fan}", term, when[fan]["en"], values.get(fan, 0)
