"""`kwx liangdao`: what to do in a position, declare or not, and why."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import click

from kwx_sim.cli import batch as fields
from kwx_sim.cli.answer import show_answer
from kwx_sim.cli.command import Amount, Place, Whole, argument, command, language, option
from kwx_sim.cli.terminal import announce_compiling, print_json
from kwx_sim.cli.waiting import Waiting
from kwx_sim.errors import InputError

if TYPE_CHECKING:
    from kwx_sim.positions import Position
    from kwx_sim.query import Decision

__all__ = ["liangdao"]

EXIT_INTERRUPTED = 130
BATCH_PRECISION = 0.05
"""Bases a round: whoever asks about many positions has the time."""

OF_A_POSITION = ("wall", "melds", "drawn", "dealer", "room")
NO_POSITION_FIELD = ("id", "rules")

COMPILING = 90
"""Seconds, about, that a first call compiles."""


@command("liangdao")
@argument("hand", key="liangdao.hand", required=False)
@option("--position", "-p", key="liangdao.position", type=Place(), metavar="FILE")
@option("--rules", "-r", key="common.rules", default="xiangyang", metavar="NAME|FILE")
@option("--wall", key="liangdao.wall", type=Whole(), metavar="N")
@option("--melds", "-m", key="hand.melds", metavar="MELDS")
@option("--drawn", "-d", key="liangdao.drawn", metavar="TILE")
@option("--dealer", key="liangdao.dealer", metavar="SEAT")
@option("--room", key="score.room", metavar="ROOM")
@option("--opponents", key="liangdao.opponents", metavar="POLICY")
@option("--me", key="liangdao.me", metavar="POLICY")
@option("--worlds", "-n", key="liangdao.worlds", type=Whole(), metavar="N")
@option("--precision", key="liangdao.precision", type=Amount(), metavar="X")
@option("--seconds", key="liangdao.seconds", type=Amount(), metavar="S")
@option("--seed", key="liangdao.seed", type=Whole(), metavar="N")
@option("--workers", "-w", key="common.workers", type=Whole(), default=0, metavar="N")
@option("--exact/--no-exact", key="liangdao.exact", default=None)
@option("--json", "as_json", key="common.json", is_flag=True)
@option("--batch", key="liangdao.batch", type=Place(), metavar="FILE|-")
def liangdao(hand: str | None, position: str | None, batch: str | None, as_json: bool, **given: Any) -> None:
    """Answer a position."""
    # The CPU time before this call is about what the interpreter took to come here.
    lang, began = language(), time.monotonic() - time.process_time()
    announce_compiling(lang, seconds=COMPILING)
    told = {name: given.pop(name) for name in OF_A_POSITION}
    rules = given.pop("rules")
    asked = {name: value for name, value in given.items() if value is not None}
    if batch is not None:
        fields.refuse_beside("--batch", {"hand": hand, "position": position, **told})
        sys.exit(_answer_all(batch, rules, {"precision": BATCH_PRECISION} | asked, lang))
    read = _position(hand, position, told)
    from kwx_sim.query import should_liangdao

    with Waiting(lang) as waiting:
        decision = should_liangdao(read, rules, progress=waiting, **asked)
    if as_json:
        print_json(decision.to_json(lang))
    else:
        show_answer(decision, time.monotonic() - began, lang)
    if decision.sampling.ended == "interrupted":
        sys.exit(EXIT_INTERRUPTED)


def _position(hand: str | None, file: str | None, told: dict[str, Any]) -> Position:
    """The position of a call: a file's, or a hand's with what is told beside it."""
    from kwx_sim.positions import position_of, read_position

    if file is None:
        if hand is None:
            raise InputError("cli.missing", name="HAND")
        return position_of({"hand": hand, **told})
    fields.refuse_beside("--position", {"hand": hand, **told})
    return read_position(file)


# ---------------------------------------------------------------- many


def _answer_all(source: str, rules: str, asked: dict[str, Any], lang: str) -> int:
    """Answer a position a line; an interrupt ends with the answer that is being worked on."""
    batch = _Batch(rules, asked, lang)
    status = fields.run_batch(source, batch.answer, lang)
    return EXIT_INTERRUPTED if batch.interrupted else status


class _Batch:
    def __init__(self, rules: str, asked: dict[str, Any], lang: str) -> None:
        self.rules, self.asked, self.lang = rules, asked, lang
        self.interrupted = False

    def answer(self, line: fields.Line) -> dict[str, Any]:
        from kwx_sim.positions import position_of
        from kwx_sim.query import should_liangdao

        if self.interrupted:
            raise click.Abort
        position = position_of({name: value for name, value in line.items() if name not in NO_POSITION_FIELD})
        rules = fields.line_rules({"rules": line.get("rules")}, self.rules)
        decision: Decision = should_liangdao(position, rules, **self.asked)
        self.interrupted = decision.sampling.ended == "interrupted"
        return decision.to_json(self.lang)
