"""`kwx hand`: waits, distance, discards or readings of a hand."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from kwx_sim.cli import batch as fields
from kwx_sim.cli.command import Place, argument, command, language, option
from kwx_sim.cli.terminal import announce_compiling, hang, print_json, put, table
from kwx_sim.cli.words import fan_sum, in_words, sets
from kwx_sim.errors import InputError
from kwx_sim.text import t

if TYPE_CHECKING:
    from rich.console import RenderableType

    from kwx_sim.rules import Ruleset

__all__ = ["hand"]

Facts = dict[str, Any]

DEAD = 99
"""The shanten of a hand that no draw can help (kwx_sim.hands.shanten)."""


@command("hand")
@argument("hand", key="hand.hand", required=False)
@option("--melds", "-m", key="hand.melds", metavar="MELDS")
@option("--seen", "-s", key="hand.seen", metavar="TILES")
@option("--rules", "-r", key="common.rules", default="xiangyang", metavar="NAME|FILE")
@option("--missing-suit", key="hand.missing_suit", metavar="HOW")
@option("--json", "as_json", key="common.json", is_flag=True)
@option("--batch", key="hand.batch", type=Place(), metavar="FILE|-")
def hand(rules: str, as_json: bool, batch: str | None, **given: Any) -> None:
    """Analyse a hand."""
    lang = language()
    announce_compiling(lang, seconds=20)
    if batch is not None:
        fields.refuse_beside("--batch", given)
        sys.exit(fields.run_batch(batch, lambda line: _verdict(line, rules), lang))
    if given["hand"] is None:
        raise InputError("cli.missing", name="HAND")
    facts = _facts(given, rules)
    if as_json:
        print_json(facts)
    else:
        _show(facts, fields.line_rules(given, rules), lang)


def _verdict(line: fields.Line, default_rules: str) -> Facts:
    from kwx_sim.cli.analysis import read_hand, verdict

    rules = fields.line_rules(line, default_rules)
    return verdict(read_hand(rules, fields.text(line, "hand"), fields.texts(line, "melds")))


def _facts(given: dict[str, Any], rules: str) -> Facts:
    from kwx_sim.cli.analysis import analyse, read_hand

    loaded = fields.line_rules(given, rules)
    return analyse(read_hand(loaded, given["hand"], given["melds"] or [], given["seen"] or ""))


# ---------------------------------------------------------------- for people


def _show(facts: Facts, rules: Ruleset, lang: str) -> None:
    melds = " ".join(f"[{meld}]" for meld in facts["melds"])
    put(hang("", f"{in_words(facts['hand'], lang)}  {in_words(melds, lang)}".rstrip()))
    put(_headline(facts, lang))
    if facts["shanten"] == DEAD:
        return
    if facts["hu"]:
        put(_reading_table(facts["readings"], rules, lang))
    elif "discards" in facts:
        put(_discard_table(facts["discards"], lang))
    elif "ready" in facts:
        put(_wait_table(facts["ready"], rules, lang))
    else:
        put(hang("  ", _helping(facts["acceptance"], lang)))


def _headline(facts: Facts, lang: str) -> str:
    """Say in one line how the hand stands."""
    rules, shanten = facts["rules"], facts["shanten"]
    if shanten == DEAD:
        return t("cli.hand.dead", lang, rules=rules)
    if facts["hu"]:
        return t("cli.hand.wins", lang, rules=rules)
    if "ready" in facts:
        live = sum(wait["live"] for wait in facts["ready"])
        return t("cli.hand.ready", lang, kinds=len(facts["ready"]), live=live, rules=rules)
    if "discards" in facts:
        key = "cli.hand.discard_ready" if shanten == 0 else "cli.hand.discard"
        return t(key, lang, tile=in_words(facts["discards"][0]["tile"], lang), shanten=shanten, rules=rules)
    return t("cli.hand.far", lang, shanten=shanten, kinds=len(facts["acceptance"]), live=facts["live"], rules=rules)


def _reading_table(readings: list[Facts], rules: Ruleset, lang: str) -> RenderableType:
    headers = [t(f"cli.words.{head}", lang) for head in ("reading", "win_tile", "total", "fans")]
    rows = [
        (
            sets(reading["sets"], lang),
            in_words(reading["win"], lang),
            str(reading["fan"]),
            fan_sum(reading["fans"], rules, lang, both=True),
        )
        for reading in readings
    ]
    return table(headers, rows, right=[2])


def _wait_table(waits: list[Facts], rules: Ruleset, lang: str) -> RenderableType:
    headers = [t(f"cli.words.{head}", lang) for head in ("wait", "live", "by", "value", "fans")]
    rows: list[tuple[str, ...]] = []
    for wait in waits:
        tile, live = in_words(wait["tile"], lang), str(wait["live"])
        if wait["self_draw"] == wait["discard"] and wait["discard"]["fan"] >= rules.play.min_fan_on_discard:
            rows.append((tile, live, t("cli.words.either", lang), *_fans(wait["discard"], rules, lang)))
            continue
        rows.append((tile, live, t("cli.words.self_draw", lang), *_fans(wait["self_draw"], rules, lang)))
        value, fans = _fans(wait["discard"], rules, lang)
        if wait["discard"]["fan"] < rules.play.min_fan_on_discard:
            fans = t("cli.hand.below_minimum", lang, fans=fans, minimum=rules.play.min_fan_on_discard)
        rows.append(("", "", t("cli.words.discard", lang), value, fans))
    return table(headers, rows, right=[1, 3])


def _fans(scored: Facts, rules: Ruleset, lang: str) -> tuple[str, str]:
    return str(scored["fan"]), fan_sum(scored["fans"], rules, lang)


def _discard_table(discards: list[Facts], lang: str) -> RenderableType:
    headers = [t(f"cli.words.{head}", lang) for head in ("discard_tile", "shanten", "kinds", "live", "helping")]
    rows = [
        (
            in_words(discard["tile"], lang),
            t("cli.hand.ready_word", lang) if discard["shanten"] == 0 else str(discard["shanten"]),
            str(len(discard["acceptance"])),
            str(discard["live"]),
            _helping(discard["acceptance"], lang),
        )
        for discard in discards
    ]
    return table(headers, rows, right=[2, 3])


def _helping(live: dict[str, int], lang: str) -> str:
    return in_words(" ".join(f"{tile}×{count}" for tile, count in live.items()), lang)
