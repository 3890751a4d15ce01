"""A ruleset as the kernels read it: one record of plain integers."""

import os

import numpy as np
from numpy.typing import NDArray

from kwx_sim.errors import InputError
from kwx_sim.rules.model import FANS, Room, Ruleset

__all__ = ["CODES", "RULES", "pack"]

CODES: dict[str, int] = {
    # tiles.wild
    "red_dragon": 1,
    # shapes
    "off": 0, "sets_only": 1, "strict": 2, "concealed": 1,
    # play.missed_win
    "until_own_draw_unless_larger": 1,
    # liangdao
    "nothing": 0, "waits": 1, "hand": 2, "winner": 0, "winner_or_payer": 1, "never": 0, "if_waits_unchanged": 1,
    # fans
    "multiply": 0, "add": 1, "winning_tile": 0, "all": 1, "all_if_flush": 2,
    # payment.kong_chain, maima.payer
    "player": 1, "table": 2, "each": 0, "shared": 1,
    # tiles.wild, shapes.wild_kong, play.missed_win, payment.kong_chain
    "none": 0,
}  # fmt: skip
"""The number that stands for each word in a packed record."""

NUM_FANS = len(FANS)

RULES = np.dtype(
    [
        ("n_kinds", "i4"),  # kinds of tiles: slots 0 .. n_kinds − 1
        ("wall_size", "i4"),  # tiles in the wall before the deal
        ("wild", "i4"),  # 1: slot 18 stands for any suited tile
        ("seven_pairs", "i4"),
        ("missing_suit", "i4"),  # 0 off, 1 sets_only, 2 strict
        ("wild_pair_alone", "i4"),
        ("wild_kong", "i4"),  # 1: four wild tiles may be a concealed kong
        ("multiple_wins", "i4"),
        ("rob_concealed_kong", "i4"),
        ("missed_win", "i4"),  # 1: barred until the own next draw unless larger
        ("min_fan_on_discard", "i4"),
        ("min_fan_waived_by_liangdao", "i4"),
        ("liangdao", "i4"),  # 1: may be declared
        ("shows", "i4"),  # 0 nothing, 1 waits, 2 hand
        ("multiplier", "i4"),
        ("applies", "i4"),  # 0 winner, 1 winner_or_payer
        ("both_multiplier", "i4"),
        ("inside_cap", "i4"),
        ("locks_hand", "i4"),
        ("kong_after", "i4"),  # 0 never, 1 if the waits are unchanged
        ("min_wall", "i4"),
        ("feeder_pays_all", "i4"),
        ("forbid_feeding", "i4"),
        ("undecided_first_pays", "i4"),
        ("combine", "i4"),  # 0 multiply, 1 add
        ("fan_value", "i4", (NUM_FANS,)),  # 0: the fan does not exist
        ("four_to_one_self_draw_only", "i4"),
        ("four_to_one_scope", "i4"),  # 0 winning tile, 1 all, 2 all in a flush
        ("wild_in_kawuxing", "i4"),
        ("kong_flower_after_red", "i4"),  # 0: as any other kong
        ("robbing_kong_is_self_draw", "i4"),
        ("base", "i4"),  # points of one base; the engine itself counts bases
        ("cap", "i4"),  # 0: none
        ("cap_for", "i4", (NUM_FANS,)),  # 0: none of its own
        ("robbed_kong_pays_all", "i4"),
        ("kong_cannon_pays_all", "i4"),
        ("direct_kong", "i4"),
        ("concealed_kong", "i4"),
        ("added_kong", "i4"),
        ("kong_chain", "i4"),  # 0 none, 1 player, 2 table
        ("piao_max", "i4"),
        ("piao_inside_liangdao", "i4"),
        ("maima", "i4"),  # 1: a self-draw turns the tail tile
        ("maima_dragon", "i4"),
        ("maima_shared", "i4"),  # 1: split, rounded up per payer
        ("maima_inside_liangdao", "i4"),
        ("entry_fee", "i4"),
    ]
)


def pack(rules: Ruleset, room: str | None = None) -> NDArray[np.void]:
    """The ruleset as an array of one RULES record, with the base and cap of a room.

    Without a name the first room counts; a ruleset without rooms has base and cap of its own. The array is made once
    for a ruleset and room, and not to be changed. Raises InputError for a room that the ruleset does not have.
    """
    key = ("packed", room)
    if key not in rules.memo:
        chosen = rules.room(room)
        if room is not None and not rules.rooms:
            raise InputError("rules.no_rooms", rules=rules.name, came=room)
        if room is not None and chosen is None:
            known = ", ".join(each.name for each in rules.rooms)
            raise InputError("rules.room", rules=rules.name, came=room, rooms=known)
        rules.memo[key] = _pack(rules, chosen)
    packed: NDArray[np.void] = rules.memo[key]
    return packed


def _pack(rules: Ruleset, chosen: Room | None) -> NDArray[np.void]:
    packed = np.zeros(1, RULES)
    values: dict[str, object] = {
        **_plain(rules.shapes),
        **_plain(rules.play),
        **_plain(rules.liangdao),
        **_plain(rules.fans),
        **_plain(rules.payment),
        "n_kinds": rules.n_kinds,
        "wall_size": rules.wall_size,
        "wild": rules.tiles.wild,
        "liangdao": rules.liangdao.enabled,
        "fan_value": [rules.fans.value(fan) for fan in FANS],
        "base": chosen.base if chosen else rules.payment.base,
        "cap": chosen.cap if chosen else rules.payment.cap,
        "cap_for": [rules.payment.cap_for.get(fan, 0) for fan in FANS],  # type: ignore[call-overload]  # str keys
        "piao_max": rules.piao.max,
        "piao_inside_liangdao": rules.piao.inside_liangdao,
        "maima": rules.maima.enabled,
        "maima_dragon": rules.maima.dragon,
        "maima_shared": rules.maima.payer,
        "maima_inside_liangdao": rules.maima.inside_liangdao,
        "entry_fee": rules.entry_fee,
    }
    for field in RULES.names or ():
        value = values[field]
        packed[field] = CODES[value] if isinstance(value, str) else value
    # With compilation off kernels are plain Python, and read fields as attributes.
    return packed.view(np.recarray) if os.environ.get("NUMBA_DISABLE_JIT") == "1" else packed


def _plain(section: object) -> dict[str, object]:
    return dict(vars(section))
