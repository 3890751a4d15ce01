"""What the pages, HTML and Markdown alike, tell around their sections: groups, headlines, provenance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kwx_sim import text
from kwx_sim.policies import parse_policy
from kwx_sim.report.section import ruleset_name
from kwx_sim.report.verdicts import DELTA
from kwx_sim.rules import PRESETS

if TYPE_CHECKING:
    from kwx_sim.report.pages import Made

__all__ = [
    "basis", "draft", "draft_of_section", "groups", "made_when", "names", "origin", "origin_of_section",
    "rulesets", "t", "titled",
]  # fmt: skip

Rows = list[tuple[str, str]]


def t(key: str, lang: str, **params: Any) -> str:
    """Give a text of the report's own catalogue."""
    return text.t(f"report.{key}", lang, **params)


def basis(sections: Sequence[Made], lang: str) -> str:
    """Say what the results rest on, how they are written, and what counts as a difference."""
    records = [one.section["record"] for one in sections]
    games = sum(record["games"] * (len(record["rules"]) if record["per"] == "ruleset" else 1) for record in records)
    return t("basis", lang, margin=DELTA, games=f"{games:,}")


def titled(title: str, draft: str, lang: str) -> str:
    """Give a page's title, which says that it is a draft where it is."""
    return t("draft.title", lang, title=title) if draft else title


def names(rules: Iterable[str], lang: str) -> str:
    """Name rulesets one after another."""
    return t("comma", lang).join(ruleset_name(name).told(lang) for name in rules)


class Place(NamedTuple):
    """A section among those of its question: the rulesets' names, where the page has it, and of a draft its size."""

    section: dict[str, Any]
    folder: Path
    label: str
    anchor: str
    draft: str


class Group(NamedTuple):
    """The sections of one question, and their headlines, each with the ruleset where the sentence does not name it."""

    name: str
    title: dict[str, str]
    question: dict[str, str]
    places: list[Place]
    headlines: list[tuple[str, str]]


def groups(sections: Sequence[Made], lang: str) -> list[Group]:
    """Put the sections of one question together, which follow each other."""
    made = []
    for name, found in groupby(sections, lambda one: str(one.section["name"])):
        places = [
            Place(
                section=one.section,
                folder=one.folder,
                label=names(one.section["rules"], lang),
                anchor=f"{name}-{one.folder.parent.name}",
                draft=draft_of_section(one.section, lang),
            )
            for one in found
        ]
        first = places[0].section
        told = [(place.label, sentence[lang]) for place in places for sentence in place.section["headline"]]
        headlines = [
            ("" if len(places) == 1 or _names_rules(sentence, label, lang) else label, sentence)
            for label, sentence in told
        ]
        made.append(Group(name, first["title"], first["question"], places, headlines))
    return made


def _names_rules(sentence: str, label: str, lang: str) -> bool:
    """Tell whether a sentence says itself whose it is: it names the section's rulesets, or begins with another."""
    begins = (ruleset_name(name).told(lang).lower() for name in PRESETS)
    return label.lower() in sentence.lower() or sentence.lower().startswith(tuple(begins))


def draft_of_section(section: dict[str, Any], lang: str) -> str:
    """Say how few rounds a section rests on where it is a draft; empty where it is not."""
    record = section["record"]
    return t("draft.section", lang, **_sizes(record, lang)) if record["draft"] else ""


def draft(sections: Sequence[Made], lang: str) -> str:
    """Say which sections of a report are drafts, and their sizes; empty where none is."""
    drafts = [one.section for one in sections if one.section["record"]["draft"]]
    sizes = dict.fromkeys(
        t("draft.size", lang, title=section["title"][lang], **_sizes(section["record"], lang)) for section in drafts
    )
    told = {"count": len(drafts), "total": len(sections), "sizes": t("semicolon", lang).join(sizes)}
    return t("draft.report", lang, **told) if drafts else ""


def _sizes(record: dict[str, Any], lang: str) -> dict[str, str]:
    return {"games": f"{record['games']:,}", "full": f"{record['full_games']:,}", "each": _each(record, lang)}


def _each(record: dict[str, Any], lang: str) -> str:
    """Say of what a section's size is; nothing where it has one ruleset, or does not tell."""
    per = record["per"] if len(record["rules"]) > 1 else ""
    return t(f"draft.per.{per}", lang) if per else ""


def origin_of_section(section: dict[str, Any], made: dict[str, Any], lang: str) -> Rows:
    """Tell what a section rests on."""
    record = section["record"]
    return _rows(
        lang,
        command=command_of(record),
        rules=", ".join(f"{rules['name']} {rules['hash']}" for rules in record["rules"]),
        games=f"{record['games']:,}{_each(record, lang)}",
        **_common(record, made, lang),
        date=made["date"],
        time=t("provenance.seconds", lang, seconds=made["seconds"]),
    )


def origin(sections: Sequence[Made], command: str, lang: str) -> Rows:
    """Tell what the report rests on."""
    first, last = sections[0], max(sections, key=lambda one: one.made["date"])
    return _rows(
        lang,
        command=command,
        **_common(first.section["record"], last.made, lang),
        date=last.made["date"],
        time=t("provenance.seconds", lang, seconds=round(sum(one.made["seconds"] for one in sections), 1)),
    )


def rulesets(sections: Sequence[Made], lang: str) -> Rows:
    """List the rulesets with their hashes."""
    found = {rules["name"]: rules["hash"] for one in sections for rules in one.section["record"]["rules"]}
    return [(ruleset_name(name).told(lang), f"{name}, {digest}") for name, digest in found.items()]


def made_when(sections: Sequence[Made], lang: str) -> Rows:
    """List the sections: the command that makes each by itself, when it was made, and in what time."""
    return [
        (
            f"{one.section['title'][lang]}{t('colon', lang)}{names(one.section['rules'], lang)}",
            f"{command_of(one.section['record'])} ({one.made['date']}, "
            f"{t('provenance.seconds', lang, seconds=one.made['seconds'])})",
        )
        for one in sections
    ]


def command_of(record: dict[str, Any]) -> str:
    """Write the command that makes a section by itself."""
    rules = record["rules"][0]["name"] if len(record["rules"]) == 1 else "all"
    return f"python -m analyses.{record['analysis']} --rules {rules} --games {record['games']} --seed {record['seed']}"


def _common(record: dict[str, Any], made: dict[str, Any], lang: str) -> dict[str, str]:
    reference = parse_policy("efficient").describe()
    in_words = t("provenance.reference", lang, kinds=reference["liangdao_kinds"], fan=reference["liangdao_fan"])
    return {
        "seed": str(record["seed"]),
        "players": f"{in_words} {t('provenance.other_policies', lang)}",
        "policy": ", ".join(f"{name}={value}" for name, value in reference.items()),
        "versions": ", ".join(f"{name} {version}" for name, version in record["versions"].items()),
        "kernels": record["kernels"],
        "commit": made["commit"] or t("provenance.no_commit", lang),
        "machine": made["machine"],
    }


def _rows(lang: str, **values: str) -> Rows:
    return [(t(f"provenance.{name}", lang), value) for name, value in values.items()]
