"""A record told to a person, event by event, in Chinese or English."""

from collections.abc import Iterable

from kwx_sim.records.schema import Event
from kwx_sim.rules import FANS
from kwx_sim.text import t
from kwx_sim.tiles import format_hand, parse_hand, parse_melds, parse_tile, tile_name

__all__ = ["describe"]


def describe(event: Event, lang: str = "en") -> str:
    """An event in a line (a deal and a win: in a few), its tiles by the language's names."""
    kind = event["type"]
    if kind == "start_round":
        return _deal(event, lang)
    if kind == "win":
        return _win(event, lang)
    told = dict(event)
    if "tile" in event:
        told["tile"] = _tile(event["tile"], lang)
    if kind == "draw":
        return t(f"records.tell.draw_{event['from']}", lang, **told)
    if kind == "liangdao":
        told["waits"] = ", ".join(f"{_tile(tile, lang)}×{live}" for tile, live in event["waits"].items())
        told["hand"] = _hand(event.get("hand", ""), lang)
        return t(f"records.tell.liangdao_{event['shows']}", lang, **told)
    if kind == "kong":
        return t(f"records.tell.{event['kind']}", lang, **told)
    if kind == "payment":
        return t(f"records.tell.paid_{event['why']}", lang, amounts=_amounts(event["amounts"]))
    if kind == "end_round":
        told |= {"outcome": t(f"records.outcome.{event['outcome']}", lang), "totals": _amounts(event["totals"])}
        return t(f"records.tell.{'end_with_fee' if event['entry_fee'] else 'end'}", lang, **told)
    return t(f"records.tell.{kind}", lang, **told)


def _deal(event: Event, lang: str) -> str:
    facts = {"rules": event["rules"]["name"], "dealer": event["dealer"], "piao": " ".join(map(str, event["piao"]))}
    parts = [t("records.tell.deal", lang, **facts)]
    if event["room"] is not None:
        parts.append(t("records.tell.room", lang, room=event["room"]))
    if any(event["piao"]):
        parts.append(t("records.tell.piao", lang, **facts))
    if event["seed"] is not None:
        parts.append(t("records.tell.seed", lang, seed=event["seed"], game=event["game"]))
    hands = [
        t("records.tell.hand", lang, seat=seat, hand=_hand(hand, lang)) for seat, hand in enumerate(event["hands"])
    ]
    return "\n".join([t("records.tell.joint", lang).join(parts), *hands])


def _win(event: Event, lang: str) -> str:
    tile = _tile(event["tile"], lang)
    how = t(f"records.tell.win_{event['by']}", lang, seat=event["seat"], tile=tile, feeder=event.get("feeder"))
    melds = " ".join(_meld(kind, slot, lang) for kind, slot in parse_melds(event["melds"]))
    held = " ".join(part for part in (_hand(event["hand"], lang), melds, "+ " + tile) if part)
    fans = " ".join(f"{FANS[fan] if lang == 'zh' else fan} {value}" for fan, value in event["fans"].items())
    lines = [
        how,
        t("records.tell.won_hand", lang, hand=held),
        t("records.tell.fans", lang, fans=fans, fan=event["fan"]),
    ]
    if "maima" in event:
        lines.append(t("records.tell.maima", lang, tile=_tile(event["maima"], lang)))
    lines.append(t("records.tell.paid_win", lang, amounts=_amounts(event["payments"])))
    return "\n".join([lines[0], *("  " + line for line in lines[1:])])


def _meld(kind: str, slot: int, lang: str) -> str:
    return f"{t(f'records.meld.{kind}', lang)}:{tile_name(slot, lang)}"


def _tile(name: str, lang: str) -> str:
    return tile_name(parse_tile(name), lang)


def _hand(text: str, lang: str) -> str:
    return format_hand(parse_hand(text), lang) if text else ""


def _amounts(amounts: Iterable[int]) -> str:
    return " ".join(f"{bases:+d}" if bases else "0" for bases in amounts)
