"""`kwx play`: rounds whose wall and choices are written down, or rounds that policies play from a seed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import IO, TYPE_CHECKING, Any

from kwx_sim.cli import batch as fields
from kwx_sim.cli.command import Numbers, Place, Policies, Whole, command, language, one_or_all, option
from kwx_sim.cli.events import show_events
from kwx_sim.cli.terminal import announce_compiling, remark, to_json
from kwx_sim.cli.words import in_words, signed
from kwx_sim.errors import InputError, printable
from kwx_sim.text import t

if TYPE_CHECKING:
    from kwx_sim.records import Event
    from kwx_sim.runs import Run

__all__ = ["play"]


@command("play")
@option("--script", key="play.script", type=Place(), metavar="FILE|-")
@option("--rules", "-r", key="common.rules", default="xiangyang", metavar="NAME|FILE")
@option("--seed", key="common.seed", type=Whole(), metavar="N")
@option("--games", key="play.games", type=Whole(), metavar="N")
@option("--first", key="play.first", type=Whole(), metavar="N")
@option("--policies", "-p", key="common.policies", type=Policies(), metavar="P|P,P,P")
@option("--room", key="score.room", metavar="ROOM")
@option("--piao", key="common.piao", type=Numbers(), metavar="N|N,N,N")
@option("--record", key="play.record", type=Place(), metavar="FILE")
@option("--json", "as_json", key="play.json", is_flag=True)
def play(rules: str, as_json: bool, script: str | None, **given: Any) -> None:
    """Play rounds."""
    lang = language()
    if script is not None:
        announce_compiling(lang, seconds=30)
        fields.refuse_beside("--script", given)
        as_lines = as_json or not sys.stdout.isatty()
        show = to_json if as_lines else lambda told: _told(told, lang)
        sys.exit(fields.run_batch(script, lambda line: _outcome(line, rules), lang, show))
    record, games, first = given.pop("record"), given.pop("games"), given.pop("first") or 0
    run = _run(rules, first, 1 if games is None else games, given)
    announce_compiling(lang, seconds=60)
    with _opened(record) as file:
        show_events(_events(run, first, file), as_json, lang)
    if record is not None:
        remark(t("cli.play.recorded", lang, file=record))


# ---------------------------------------------------------------- rounds from a script


def _outcome(line: fields.Line, default_rules: str) -> dict[str, Any]:
    from kwx_sim.play import play_script

    return play_script(
        {
            "rules": fields.rules_name(line, default_rules),
            "room": fields.text(line, "room", "") or None,
            "changes": fields.mapping(line, "changes"),
            "dealer": fields.number(line, "dealer", 0),
            "piao": fields.numbers(line, "piao", [0, 0, 0]),
            "wall": fields.text(line, "wall"),
            "script": fields.mappings(line, "script"),
            "id": line.get("id"),
        }
    )


def _told(answer: dict[str, Any], lang: str) -> str:
    """Word a scripted round's outcome in one line."""
    name = printable(answer["id"]) if isinstance(answer["id"], str) else to_json(answer["id"])
    if "error" in answer:
        return t("cli.play.bad_line", lang, id=name, error=answer["error"])
    points = " ".join(map(signed, answer["points"]))
    wins = [
        t(f"cli.play.won_{win['by']}", lang, seat=win["seat"], tile=in_words(win["tile"], lang), fan=win["fan"])
        for win in answer["winners"]
    ]
    how = t("cli.play.joint", lang).join(wins) or t("cli.play.undecided", lang)
    return t("cli.play.outcome", lang, id=name, points=points, how=how)


# ---------------------------------------------------------------- rounds from a seed


def _run(rules: str, first: int, games: int, given: dict[str, Any]) -> Run:
    """Make the run that these rounds are of: those of `kwx simulate` with the same seed and players."""
    from kwx_sim.runs import Run

    if games < 1:
        raise InputError("cli.whole_from", option="--games", low=1, got=games)
    seats = {name: one_or_all(given.pop(name)) for name in ("policies", "piao")}
    return Run.of(rules, games=first + games, **seats, **given)


def _opened(record: str | None) -> AbstractContextManager[IO[str] | None]:
    if record is None:
        return nullcontext()
    try:
        return open(record, "w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError("cli.unwritable", file=record, problem=error.strerror) from error


def _events(run: Run, first: int, record: IO[str] | None) -> Iterator[Event]:
    """Give the events of the run's rounds from number `first` on; each round is recorded whole before it is told."""
    from kwx_sim.records import events_of, write
    from kwx_sim.runs import replay

    for number in range(first, run.games):
        found = events_of(replay(run, number)[0], run.rules, room=run.room, seed=run.seed, game=number)
        if record is not None:
            write(record, found)
        yield from found
