"""The rounds of a record of any form, played again."""

import json
from collections.abc import Iterator
from pathlib import Path

from kwx_sim.errors import InputError
from kwx_sim.records.files import beginning
from kwx_sim.records.importers import RecordedRound, read_mjai, read_mpsz, rebuild
from kwx_sim.records.replay import replayed
from kwx_sim.rules import Ruleset

__all__ = ["FORMS", "RecordedRound", "read_rounds"]

IMPORTED = {"mjai": read_mjai, "mpsz": read_mpsz}
FORMS = ("kwx", *IMPORTED)
SEATS = 3


def read_rounds(path: str | Path, rules: Ruleset, form: str | None = None) -> Iterator[RecordedRound]:
    """Each round of a record.

    Parameters
    ----------
    path : a file, or "-" for standard input
    rules : of rounds that do not name their own
    form : one of FORMS; None: found out from the first line

    Raises InputError for what cannot be, naming file and line.
    """
    form = _form(beginning(path)) if form is None else form
    if not isinstance(form, str) or form not in FORMS:
        raise InputError("records.form", expected=", ".join(FORMS), came=form)
    if form in IMPORTED:
        for told in IMPORTED[form](path, rules):
            yield rebuild(told, str(path))
    else:
        for played in replayed(path):
            yield RecordedRound(played, frozenset(range(SEATS)))


def _form(line: str) -> str:
    if not line.lstrip().startswith("{"):
        return "mpsz"
    try:
        kind = json.loads(line).get("type")
    except (ValueError, RecursionError):
        kind = "start_round"  # its reader says what is wrong
    return "kwx" if kind == "start_round" else "mjai"
