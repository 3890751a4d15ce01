"""Scripted rounds from plans: `tests/data/rounds.toml` -> `tests/data/rounds.jsonl`.

A plan writes down only what a case is about: hands, the draws that matter, the tail of the wall. The rest of the wall
is filled from the tiles that are left, in an order fixed by the plan's id, so a plan gives the same wall for ever. The
fillers do not disturb: a seat without a script keeps its hand, since it declines, calls nothing and discards what it
draws.

To make a case, add a plan and run `python tests/wall_builder.py`. A plan's keys:

    id, covers, why       the name, the rules that it covers ("7.4", "6.chain"), the payments worked out by hand
    rules, room, changes  the preset, and dotted fields that are changed from it
    dealer, piao          0 and no piao where left out
    hands                 the dealt tiles by seat, 13 or fewer: the rest is filled
    draws                 from the dealer's 14th tile on; "?" is any tile, "?*41" forty-one of them
    tail                  from the end of the wall inwards: replacements, then the maima tile
    script                "SEAT ACT [TILE] [on TILE]", each seat's lines in their order; "0 liangdao 4s" is a discard of
                          4s that declares; play.play_script says when a line applies
    points, winners       bases by seat; "SEAT TILE BY FAN"
    like                  another plan, from which every key that is not given here is taken, wall and script too
"""

import json
import random
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from kwx_sim.tiles import format_tiles, parse_tile, parse_tiles

DATA = Path(__file__).parent / "data"
PLANS = DATA / "rounds.toml"
ROUNDS = DATA / "rounds.jsonl"

SEATS = 3
HAND = 13
FIELDS = ("id", "covers", "rules", "changes", "room", "dealer", "piao", "wall", "script", "points", "winners", "why")


def build_cases(plans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every plan as a finished case, in the order written."""
    merged: dict[str, dict[str, Any]] = {}
    for plan in plans:
        if plan["id"] in merged:
            raise ValueError(f"two plans are called {plan['id']}")
        base = merged[plan["like"]] if "like" in plan else {"seed": plan["id"], "dealer": 0, "piao": [0] * SEATS}
        merged[plan["id"]] = base | plan
    return [_case(plan) for plan in merged.values()]


def build_wall(size: int, dealer: int, hands: list[str], draws: str, tail: str, seed: str) -> list[int]:
    """A full wall of `size` tiles (84 or 76), as slots, with the given tiles in their places and fillers elsewhere."""
    wall: list[int | None] = [None] * size
    for place in range(SEATS):
        _put(wall, place * HAND, _tiles(hands[(dealer + place) % SEATS], HAND))
    _put(wall, SEATS * HAND, _tiles(draws, size - SEATS * HAND))
    for back, tile in enumerate(parse_tiles(tail), 1):
        _put(wall, size - back, [tile])
    left = Counter(dict.fromkeys(range(size // 4), 4))
    left.subtract(tile for tile in wall if tile is not None)
    if min(left.values()) < 0:
        raise ValueError(f"{seed}: more than four of {format_tiles(slot for slot, n in left.items() if n < 0)}")
    fillers = sorted(left.elements())
    random.Random(seed).shuffle(fillers)
    return [fillers.pop() if tile is None else tile for tile in wall]


def _put(wall: list[int | None], start: int, tiles: list[int | None]) -> None:
    for place, tile in enumerate(tiles, start):
        if tile is not None:
            if wall[place] is not None:
                raise ValueError(f"two tiles for place {place} of the wall")
            wall[place] = tile


def _tiles(text: str, most: int) -> list[int | None]:
    """Tiles and gaps: "5p ?*2 中" -> [13, None, None, 18]."""
    found: list[int | None] = []
    for part in text.split():
        gap = re.fullmatch(r"\?(?:\*(\d+))?", part)
        found += [None] * int(gap[1] or 1) if gap else parse_tiles(part)
    if len(found) > most:
        raise ValueError(f"{len(found)} tiles, at most {most}: {text}")
    return found


def _entry(text: str) -> dict[str, Any]:
    """`"0 liangdao 4s on 4s"` -> a script entry."""
    action, _, on = text.partition(" on ")
    seat, act, *tile = action.split()
    entry: dict[str, Any] = {"seat": int(seat), "act": "discard" if act == "liangdao" else act}
    if on:
        entry["on"] = format_tiles([parse_tile(on)])
    if tile:
        entry["tile"] = format_tiles([parse_tile(tile[0])])
    return entry | ({"liangdao": True} if act == "liangdao" else {})


def _winner(text: str) -> dict[str, Any]:
    seat, tile, by, fan = text.split()
    return {"seat": int(seat), "tile": tile, "by": by, "fan": int(fan)}


def _case(plan: dict[str, Any]) -> dict[str, Any]:
    size = 76 if plan["rules"] == "hongzhong" else 84
    wall = build_wall(size, plan["dealer"], plan["hands"], plan["draws"], plan.get("tail", ""), plan["seed"])
    finished = plan | {
        "wall": format_tiles(wall),
        "script": [_entry(line) for line in plan["script"]],
        "winners": [_winner(line) for line in plan["winners"]],
    }
    # An empty room or no changes is how a plan drops what it took from another.
    return {field: finished[field] for field in FIELDS if field in finished and finished[field] not in ("", {})}


def finished_text() -> str:
    """`rounds.jsonl` as the plans give it."""
    plans = tomllib.loads(PLANS.read_text(encoding="utf-8"))["round"]
    return "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in build_cases(plans))


if __name__ == "__main__":
    ROUNDS.write_text(finished_text(), encoding="utf-8")
