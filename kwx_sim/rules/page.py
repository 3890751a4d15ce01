"""The generated parts of the rules page: `python -m kwx_sim.rules.page docs/rules.md` brings them up to date.

The prose is written by hand in the page itself. A line `<!-- fields: liangdao -->` is followed by what the data say,
down to `<!-- end -->`.
"""

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from kwx_sim.rules.decisions import DOCUMENTS, Decision, Line, listing, load_decisions, stated
from kwx_sim.rules.load import PRESETS, load_rules
from kwx_sim.rules.model import Ruleset

__all__ = ["refresh"]

_PART = re.compile(r"<!-- (\w+)(?:: (\w+))? -->\n.*?<!-- end -->", re.DOTALL)


def refresh(page: str) -> str:
    """The page with every generated part as the data have it now."""
    return _PART.sub(_part, page)


def _part(found: re.Match[str]) -> str:
    kind, section = found[1], found[2]
    head = f"<!-- {kind}: {section} -->" if section else f"<!-- {kind} -->"
    return f"{head}\n{_PARTS[kind](section or '')}\n<!-- end -->"


def _presets() -> list[Ruleset]:
    return [load_rules(name) for name in PRESETS]


def _preset_table(_: str) -> str:
    rows = [(f"`{rules.name}`", rules.document, rules.title) for rules in _presets()]
    return _table(("preset", "document", "table"), rows)


def _field_table(section: str) -> str:
    """The switches of a section with each preset's value."""
    lines = zip(*(_lines(rules, section) for rules in _presets()), strict=True)
    rows = [(f"`{line[0].path}`", line[0].term, line[0].meaning, *map(_value, line)) for line in lines]
    return _table(("field", "term", "meaning", *PRESETS), rows)


def _lines(rules: Ruleset, section: str) -> list[Line]:
    """The lines of a section; of `fans` without the values, of `values` nothing else, of `rooms` the entry fee."""
    prefix = {"values": "fans.values.", "rooms": "entry_fee"}.get(section, section + ".")
    lines = [line for line in listing(rules) if line.path.startswith(prefix)]
    return [line for line in lines if section == "values" or not line.path.startswith("fans.values.")]


def _value(line: Line) -> str:
    if line.path.startswith("fans.values."):
        return str(line.value) if line.value else "–"
    if isinstance(line.value, dict):
        return ", ".join(f"{fan} {cap}" for fan, cap in line.value.items()) or "–"
    return str(line.value).lower()


def _room_table(_: str) -> str:
    rows = [
        (room.name, *(f"{n:,}" if n else "–" for n in (room.base, room.min_stake, room.max_stake, room.cap)))
        for room in load_rules("platform").rooms
    ]
    return _table(("room", "base", "min stake", "max stake", "cap"), rows)


def _word_table(section: str) -> str:
    """Each field of a section that a document states plainly, beside its words."""
    paths = [line.path for line in _lines(load_rules("platform"), section) if stated(line.path)]
    rows = [(f"`{path}`", *(_quoted(stated(path).get(document, ())) for document in DOCUMENTS)) for path in paths]
    return "In the documents' words:\n\n" + _table(("field", *DOCUMENTS), rows)


def _decision_list(section: str) -> str:
    decided = [_decision(decision) for decision in load_decisions() if decision.section == section]
    return "\n\n".join(["Decided:", *decided])


def _decision(decision: Decision) -> str:
    fields = " · ".join(f"`{field}`" for field in decision.fields)
    title = f"**{decision.id}**" + (f" ({fields})" if fields else "")
    words = dict.fromkeys(decision.silent, "silent")
    words |= {document: _quoted(excerpts) for document, excerpts in decision.words.items()}
    # Two blanks at the end of a line break it.
    return f"{title}: {decision.en}  \n" + " · ".join(f"{document}: {words[document]}" for document in sorted(words))


def _quoted(excerpts: Iterable[str]) -> str:
    return " ".join(f"「{excerpt}」" for excerpt in excerpts) or "–"


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = [headers, ["---"] * len(headers), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells)


_PARTS: dict[str, Callable[[str], str]] = {
    "presets": _preset_table,
    "fields": _field_table,
    "words": _word_table,
    "decisions": _decision_list,
    "rooms": _room_table,
}


def main() -> None:
    """Bring the page named on the command line up to date."""
    path = Path(sys.argv[1])
    path.write_text(refresh(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
