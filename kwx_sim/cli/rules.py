"""`kwx rules`: the presets, or one ruleset with each decision beside its document's words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kwx_sim.cli.command import argument, command, language, option
from kwx_sim.cli.terminal import hang, print_json, put, table
from kwx_sim.text import t

if TYPE_CHECKING:
    from rich.console import RenderableType

    from kwx_sim.rules import Ruleset
    from kwx_sim.rules.decisions import Decision, Line

__all__ = ["rules"]


@command("rules")
@argument("name", key="rules.name", required=False)
@option("--json", "as_json", key="common.json", is_flag=True)
def rules(name: str | None, as_json: bool) -> None:
    """List the presets, or show one ruleset."""
    from kwx_sim.rules import PRESETS, load_rules

    if name is None:
        presets = [load_rules(preset) for preset in PRESETS]
        if as_json:
            print_json([_heading(ruleset) for ruleset in presets])
        else:
            put(_preset_table(presets, language()))
    elif as_json:
        print_json(_everything(load_rules(name)))
    else:
        _show(load_rules(name), language())


def _heading(ruleset: Ruleset) -> dict[str, Any]:
    from kwx_sim.rules import rules_hash

    return {
        "name": ruleset.name,
        "title": ruleset.title,
        "document": ruleset.document,
        "hash": rules_hash(ruleset),
    }


def _everything(ruleset: Ruleset) -> dict[str, Any]:
    from kwx_sim.rules.decisions import listing

    return _heading(ruleset) | {
        "rules": ruleset.model_dump(mode="json"),
        "fields": [_field(line) for line in listing(ruleset) if line.path != "rooms"],
        "decisions": [_decision(decision) for decision in _concerning(ruleset)],
    }


def _field(line: Line) -> dict[str, Any]:
    return {
        "field": line.path,
        "value": line.value,
        "term": line.term,
        "meaning": line.meaning,
        "words": list(line.words),
        "decisions": [decision.id for decision in line.decisions],
    }


def _decision(decision: Decision) -> dict[str, Any]:
    return {
        "id": decision.id,
        "section": decision.section,
        "fields": list(decision.fields),
        "zh": decision.zh,
        "en": decision.en,
        "words": {document: list(excerpts) for document, excerpts in decision.words.items()},
        "silent": list(decision.silent),
    }


def _concerning(ruleset: Ruleset) -> list[Decision]:
    from kwx_sim.rules.decisions import load_decisions

    return [decision for decision in load_decisions() if decision.concerns(ruleset.document)]


def _title(ruleset: Ruleset, lang: str) -> str:
    """Titles are written in both languages, Chinese first: `襄阳：… / Xiangyang: …`."""
    chinese, slash, english = ruleset.title.partition(" / ")
    return english if slash and lang == "en" else chinese


def _preset_table(presets: Iterable[Ruleset], lang: str) -> RenderableType:
    headers = [t(f"cli.rules.head_{column}", lang) for column in ("name", "document", "title")]
    return table(headers, [(preset.name, preset.document, _title(preset, lang)) for preset in presets])


def _show(ruleset: Ruleset, lang: str) -> None:
    from kwx_sim.rules import rules_hash
    from kwx_sim.rules.decisions import listing

    lines = [line for line in listing(ruleset) if line.path != "rooms"]
    general = [decision for decision in _concerning(ruleset) if not decision.fields]
    put(f"{ruleset.name}  {_title(ruleset, lang)}", "bold")
    put(t("cli.rules.facts", lang, document=ruleset.document, hash=rules_hash(ruleset)))
    for section in dict.fromkeys(line.path.split(".")[0] for line in lines):
        put("\n" + _section_name(ruleset, section, lang), "bold")
        for line in lines:
            if line.path.split(".")[0] == section:
                _show_field(line, ruleset.document, lang)
        for decision in general:
            if decision.section == section:
                _show_decision(decision, lang, indent=2)
    if ruleset.rooms:
        put()
        put(_room_table(ruleset, lang))


def _show_field(line: Line, document: str, lang: str) -> None:
    """Show a field, and under it what was decided, or else its document's words."""
    meaning = f"{line.term}: {line.meaning}" if lang == "en" else line.term
    put(hang(f"{line.path} = {_value(line.value, lang)}   ", meaning, indent=2), "green")
    for decision in line.decisions:
        _show_decision(decision, lang, indent=6)
    if not line.decisions and line.words:
        put(hang(f"{document} ", _quoted(line.words), indent=6), "dim")


def _show_decision(decision: Decision, lang: str, indent: int) -> None:
    put(hang("(D) ", decision.zh if lang == "zh" else decision.en, indent=indent))
    for document, excerpts in decision.words.items():
        put(hang(f"{document} ", _quoted(excerpts), indent=indent + 4), "dim")
    if decision.silent:
        put(hang("", t("cli.rules.silent", lang, documents=" ".join(decision.silent)), indent=indent + 4), "dim")


def _section_name(ruleset: Ruleset, section: str, lang: str) -> str:
    described = getattr(ruleset, section).__doc__ if section != "entry_fee" else None
    if not described:
        return t("cli.rules.stakes", lang)
    term, _, meaning = described.strip().partition(": ")
    return term if lang == "zh" else f"{term} {meaning}".rstrip(".")


def _value(value: Any, lang: str) -> str:
    if isinstance(value, bool):
        return t(f"cli.rules.{'yes' if value else 'no'}", lang)
    if isinstance(value, dict):
        return ", ".join(f"{fan} {cap}" for fan, cap in value.items()) or t("cli.rules.none", lang)
    return str(value)


def _quoted(excerpts: Iterable[str]) -> str:
    return "".join(f"「{excerpt}」" for excerpt in excerpts)


def _room_table(ruleset: Ruleset, lang: str) -> RenderableType:
    headers = [t(f"cli.rules.head_{column}", lang) for column in ("room", "base", "min", "max", "cap")]
    rows = [
        (room.name, *(f"{n:,}" if n else "–" for n in (room.base, room.min_stake, room.max_stake, room.cap)))
        for room in ruleset.rooms
    ]
    return table(headers, rows, right=range(1, 5))
