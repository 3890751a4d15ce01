"""What the commands that ask about a position share: their options, one answer or a batch, and cells as they come."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from kwx_sim.cli import batch as fields
from kwx_sim.cli.answer import show_answer, show_cells
from kwx_sim.cli.command import Amount, Command, Place, Whole, argument, command, language, option
from kwx_sim.cli.terminal import announce_compiling, print_json
from kwx_sim.cli.waiting import Waiting
from kwx_sim.errors import InputError

if TYPE_CHECKING:
    from kwx_sim.positions import Position

__all__ = ["BATCH_PRECISION", "asking"]

EXIT_INTERRUPTED = 130
BATCH_PRECISION = 0.05
"""Bases a round: whoever asks about many positions has the time."""

NO_POSITION_FIELD = ("id", "rules")

COMPILING = 90
"""Seconds, about, that a first call compiles."""

Decorator = Callable[[Any], Any]

TABLE: dict[str, Decorator] = {
    "wall": option("--wall", key="asking.wall", type=Whole(), metavar="N"),
    "melds": option("--melds", "-m", key="hand.melds", metavar="MELDS"),
    "dealer": option("--dealer", key="asking.dealer", metavar="SEAT"),
    "room": option("--room", key="score.room", metavar="ROOM"),
}
"""Options that tell fields of a position, by field."""

CHOICES = (
    option("--opponents", key="asking.opponents", metavar="PLAYERS"),
    option("--model", key="asking.model", type=Place(), metavar="FILE"),
    option("--me", key="asking.me", metavar="POLICY"),
    option("--worlds", "-n", key="asking.worlds", type=Whole(), metavar="N"),
    option("--precision", key="asking.precision", type=Amount(), metavar="X"),
    option("--seconds", key="asking.seconds", type=Amount(), metavar="S"),
    option("--seed", key="asking.seed", type=Whole(), metavar="N"),
    option("--workers", "-w", key="common.workers", type=Whole(), default=0, metavar="N"),
    option("--exact/--no-exact", key="asking.exact", default=None),
    option("--json", "as_json", key="common.json", is_flag=True),
    option("--batch", key="asking.batch", type=Place(), metavar="FILE|-"),
)


def asking(about: str, hand: str = "asking.hand", **of_the_moment: Decorator) -> Command:
    """Make the command that asks about liangdao, a discard or a claim.

    hand : key of what the hand is
    of_the_moment : options that tell fields of a position that only this question has, by field
    """
    place = (
        argument("hand", key=hand, required=False),
        option("--position", "-p", key="asking.position", type=Place(), metavar="FILE"),
        option("--rules", "-r", key="common.rules", default="xiangyang", metavar="NAME|FILE"),
    )

    def call(**given: Any) -> None:
        _answer(about, [*TABLE, *of_the_moment], **given)

    decorated: Any = call
    for add in reversed((*place, *of_the_moment.values(), *TABLE.values(), *CHOICES)):
        decorated = add(decorated)
    made: Command = command(about)(decorated)
    return made


def _answer(about: str, of_a_position: list[str], rules: str, as_json: bool, **given: Any) -> None:
    # The CPU time before this call is about what the interpreter took to come here.
    lang, began = language(), time.monotonic() - time.process_time()
    announce_compiling(lang, seconds=COMPILING)
    hand, position, batch = (given.pop(name) for name in ("hand", "position", "batch"))
    told = {name: given.pop(name) for name in of_a_position}
    choices = {name: value for name, value in given.items() if value is not None}
    _choose_opponents(choices, everybody=batch is None)
    if batch is not None:
        fields.refuse_beside("--batch", {"hand": hand, "position": position, **told})
        sys.exit(_answer_all(about, batch, rules, {"precision": BATCH_PRECISION} | choices, lang))
    read = _position(hand, position, told)
    from kwx_sim.query.ask import asked

    with Waiting(lang) as waiting:
        question = asked(about, read, rules, progress=waiting, **choices)
        decision = question.headline()
    if as_json:
        print_json(question.with_cells(decision, list(question.cells(decision))).to_json(lang))
    else:
        show_answer(decision, time.monotonic() - began, lang)
        show_cells(question, decision, lang)
    if question.ended == "interrupted":
        sys.exit(EXIT_INTERRUPTED)


def _choose_opponents(choices: dict[str, Any], *, everybody: bool) -> None:
    """Whom the answer is about: as asked for, a model of the user's own before them; by default the whole ensemble."""
    from kwx_sim.ensemble import REFERENCE, parse_model, parse_opponents

    given = choices.pop("opponents", None)
    model = choices.pop("model", None)
    if model is None and given is None:
        players = parse_opponents(None if everybody else REFERENCE)
    else:
        own = dict([parse_model(model)]) if model is not None else {}
        players = own | (parse_opponents(given) if given is not None else {})
    choices["opponents"] = players


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


def _answer_all(about: str, source: str, rules: str, choices: dict[str, Any], lang: str) -> int:
    """Answer a position a line; an interrupt ends with the answer that is being worked on."""
    batch = _Batch(about, rules, choices, lang)
    status = fields.run_batch(source, batch.answer, lang)
    return EXIT_INTERRUPTED if batch.interrupted else status


class _Batch:
    def __init__(self, about: str, rules: str, choices: dict[str, Any], lang: str) -> None:
        self.about, self.rules, self.choices, self.lang = about, rules, choices, lang
        self.interrupted = False

    def answer(self, line: fields.Line) -> dict[str, Any]:
        from kwx_sim.positions import position_of
        from kwx_sim.query import ask

        if self.interrupted:
            raise click.Abort
        position = position_of({name: value for name, value in line.items() if name not in NO_POSITION_FIELD})
        rules = fields.line_rules({"rules": line.get("rules")}, self.rules)
        question = ask.asked(self.about, position, rules, **self.choices)
        decision = ask.answer(question)
        self.interrupted = question.ended == "interrupted"
        return decision.to_json(self.lang)
