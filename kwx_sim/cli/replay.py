"""`kwx replay`: a record's rounds shown again, every event checked against the rules."""

from __future__ import annotations

from kwx_sim.cli.command import Place, argument, command, language, option
from kwx_sim.cli.events import show_events
from kwx_sim.cli.terminal import announce_compiling, remark
from kwx_sim.errors import InputError
from kwx_sim.text import t

__all__ = ["replay"]


@command("replay")
@argument("file", key="replay.file", type=Place(), metavar="FILE|-")
@option("--json", "as_json", key="replay.json", is_flag=True)
def replay(file: str, as_json: bool) -> None:
    """Show a record and check it."""
    from kwx_sim import records

    lang = language()
    announce_compiling(lang, seconds=30)
    shown = show_events(records.replay(file), as_json, lang)
    if not shown:
        raise InputError("cli.replay.empty", file=file)
    remark(t("cli.replay.right", lang, rounds=shown["start_round"], events=shown.total()))
