"""`kwx score`: a win, its fans, the reading scored, and who pays what."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from kwx_sim.cli import batch as fields
from kwx_sim.cli.command import Numbers, Place, argument, command, language, option
from kwx_sim.cli.terminal import announce_compiling, hang, print_json, put, table
from kwx_sim.cli.words import fan_name, sets, signed
from kwx_sim.errors import InputError
from kwx_sim.text import t

if TYPE_CHECKING:
    from rich.console import RenderableType

    from kwx_sim.rules import Ruleset

__all__ = ["score"]


@command("score")
@argument("hand", key="score.hand", required=False)
@option("--win", "-w", key="score.win", metavar="TILE")
@option("--by", key="score.by", metavar="HOW")
@option("--melds", "-m", key="hand.melds", metavar="MELDS")
@option("--events", key="score.events", metavar="EVENT,...")
@option("--liangdao", key="score.liangdao", is_flag=True)
@option("--payer-liangdao", key="score.payer_liangdao", type=Numbers(), metavar="1|2|1,2")
@option("--room", key="score.room", metavar="ROOM")
@option("--piao", key="score.piao", type=Numbers(), metavar="W,P1,P2")
@option("--maima", key="score.maima", metavar="TILE")
@option("--rules", "-r", key="common.rules", default="xiangyang", metavar="NAME|FILE")
@option("--missing-suit", key="hand.missing_suit", metavar="HOW")
@option("--json", "as_json", key="common.json", is_flag=True)
@option("--batch", key="score.batch", type=Place(), metavar="FILE|-")
def score(rules: str, as_json: bool, batch: str | None, **given: Any) -> None:
    """Score a win."""
    lang = language()
    announce_compiling(lang, seconds=20)
    if batch is not None:
        fields.refuse_beside("--batch", given)
        sys.exit(fields.run_batch(batch, lambda line: _answer(line, rules), lang))
    line = _line(given)
    answer = _answer(line, rules)
    if as_json:
        print_json(answer)
    else:
        _show(line, fields.line_rules(line, rules), answer, lang)


def _line(given: dict[str, Any]) -> dict[str, Any]:
    """Put the call's options into the fields of a batch line, so that both are answered by the same code."""
    for needed in ("hand", "win"):
        if given[needed] is None:
            raise InputError("cli.missing", name=needed.upper() if needed == "hand" else f"--{needed}")
    payers = given["payer_liangdao"] or []
    if not set(payers) <= {1, 2}:
        raise InputError("cli.payers", got=",".join(map(str, payers)))
    events = given["events"]
    return {
        "hand": given["hand"],
        "melds": given["melds"],
        "win": given["win"],
        "by": given["by"],
        "events": [event.strip() for event in events.split(",")] if events else None,
        "winner_liangdao": given["liangdao"],
        "payer_liangdao": [payer in payers for payer in (1, 2)],
        "room": given["room"],
        "piao": given["piao"],
        "maima": given["maima"],
        "missing_suit": given["missing_suit"],
    }


def _answer(line: fields.Line, default_rules: str) -> dict[str, Any]:
    from kwx_sim.scoring import score as score_hand

    scored = score_hand(
        fields.text(line, "hand"),
        fields.texts(line, "melds"),
        fields.text(line, "win"),
        fields.text(line, "by", "self_draw"),
        rules=fields.line_rules(line, default_rules),
        room=fields.text(line, "room", "") or None,
        events=fields.texts(line, "events"),
        winner_liangdao=fields.flag(line, "winner_liangdao"),
        payer_liangdao=fields.flags(line, "payer_liangdao", [False, False]),
        piao=fields.numbers(line, "piao", [0, 0, 0]),
        maima=fields.text(line, "maima", "") or None,
    )
    return {
        "hu": scored.hu,
        "fan": scored.fan,
        "fans": scored.fans,
        "reading": scored.reading,
        "payments": scored.payments,
    }


# ---------------------------------------------------------------- for people


def _show(line: dict[str, Any], rules: Ruleset, answer: dict[str, Any], lang: str) -> None:
    from kwx_sim.tiles import parse_tile, tile_name

    by = line["by"] or "self_draw"
    tile = tile_name(parse_tile(line["win"]), lang)
    if not answer["hu"]:
        put(t("cli.score.no_win", lang, tile=tile, rules=rules.name))
        return
    put(t("cli.score.win_line", lang, tile=tile, by=t(f"cli.words.{by}", lang), rules=rules.name))
    put(hang(t("cli.score.reading", lang), sets(answer["reading"], lang)))
    put()
    put(_fan_table(answer, rules, lang))
    cap = _cap(line, rules, answer)
    if cap and answer["fan"] > cap:
        put(t("cli.score.capped", lang, cap=cap))
    put()
    put(_payment_table(line, rules, answer, lang))


def _fan_table(answer: dict[str, Any], rules: Ruleset, lang: str) -> RenderableType:
    sign = "×" if rules.fans.combine == "multiply" else "+"
    rows = [(fan_name(fan, lang), f"{sign}{value}") for fan, value in answer["fans"].items()]
    layout = table((t("cli.words.fan", lang), t("cli.words.value", lang)), rows, right=[1])
    layout.add_section()
    layout.add_row(t("cli.words.total", lang), str(answer["fan"]))
    return layout


def _cap(line: dict[str, Any], rules: Ruleset, answer: dict[str, Any]) -> int:
    """封顶: the cap that holds for these fans; 0: none."""
    room = rules.room(line["room"])
    cap = room.cap if room else rules.payment.cap
    return max([cap, *(value for fan, value in rules.payment.cap_for.items() if fan in answer["fans"])])


def _payment_table(line: dict[str, Any], rules: Ruleset, answer: dict[str, Any], lang: str) -> RenderableType:
    room = rules.room(line["room"])
    base = room.base if room else rules.payment.base
    drawn = (line["by"] or "self_draw") == "self_draw"
    seats = ["winner", "payer_1" if drawn else "feeder", "payer_2"]
    rows = [
        (t(f"cli.words.{seat}", lang), signed(points), signed(points // base))
        for seat, points in zip(seats, answer["payments"], strict=True)
    ]
    headers = [t(f"cli.words.{head}", lang) for head in ("seat", "points", "bases")]
    if room:
        headers[1] += t("cli.score.in_room", lang, room=room.name, base=f"{base:,}")
    return table(headers, rows, right=[1, 2])
