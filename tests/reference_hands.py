"""The second engine, part two: what a won hand scores, and who pays. (Winning shapes: reference_shapes.)

Every reading is written down with its fans; the one that pays most is taken.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from reference_shapes import (
    DRAGONS,
    Counts,
    Group,
    Melds,
    Reading,
    decompositions,
    has_wild,
    is_win,
    kinds_in_play,
    natural_kinds,
    plus,
    readings,
    shanten,
    suit_of,
    waits,
)

from kwx_sim.rules import Ruleset
from kwx_sim.tiles import RED

__all__ = [
    "Score",
    "decompositions",
    "is_win",
    "kinds_in_play",
    "readings",
    "score",
    "shanten",
    "waits",
]

FOURS_OF_456 = (3, 12)

# ---------------------------------------------------------------- 5. fans

SEVEN_PAIRS_FAMILY = (
    "seven_pairs",
    "dragon_seven_pairs",
    "double_dragon_seven_pairs",
    "triple_dragon_seven_pairs",
    "three_dragons_seven_pairs",
)


class Win(NamedTuple):
    """A won hand, and how it was won."""

    concealed: tuple[int, ...]  # without the winning tile
    melds: tuple[tuple[str, int], ...]
    tile: int
    by: str  # "self_draw", "discard", "robbed"
    events: frozenset[str]

    @property
    def hand(self) -> list[int]:
        """The concealed tiles with the winning tile."""
        return plus(self.concealed, self.tile)

    def has_pong(self, tile: int) -> bool:
        return ("pong", tile) in self.melds


def fan_lists(rules: Ruleset, win: Win, reading: Reading) -> list[list[str]]:
    """List the fans of one reading, a fan as often as it counts; several lists where two of a family are equal."""
    flush = is_full_flush(rules, win)
    found = [*event_fans(rules, win), *meld_fans(win)]
    if flush:
        found.append("full_flush")
    if reading.form == "seven_pairs":
        lists = [[*found, *family] for family in seven_pairs_fans(rules, win)]
    else:
        found += [*group_fans(win, reading), *four_to_ones(rules, win, flush)]
        if any(is_kawuxing(rules, win, group) for group in reading.groups):
            found.append("kawuxing")
        lists = [found]
    known = [[fan for fan in fans if fan_value(rules, win, fan)] for fans in lists]
    return [with_ping_hu(rules, fans) for fans in known]


def fan_value(rules: Ruleset, win: Win, fan: str) -> int:
    """Give the value of a fan here; 0 where the ruleset has none."""
    if fan == "kong_flower" and "red_dragon_kong_flower" in win.events and rules.fans.kong_flower_after_red:
        return rules.fans.kong_flower_after_red
    return rules.fans.value(fan)


def with_ping_hu(rules: Ruleset, fans: list[str]) -> list[str]:
    """屁胡: multiplied, no other fan at all; added (平胡), unless 碰碰胡, 七对 or 清一色 counts."""
    excluding = ("all_triplets", "full_flush", *SEVEN_PAIRS_FAMILY)
    excluded = bool(fans) if rules.fans.combine == "multiply" else any(fan in excluding for fan in fans)
    return fans if excluded else [*fans, "ping_hu"]


def event_fans(rules: Ruleset, win: Win) -> list[str]:
    """How the hand was won, whatever it is made of."""
    same_name = (
        "kong_cannon",
        "last_tile_draw",
        "last_tile_discard",
        "initial_hand",
        "heavenly_hand",
        "earthly_hand",
    )
    fans = [event for event in same_name if event in win.events]
    if win.events & {"kong_flower", "red_dragon_kong_flower"}:
        fans.append("kong_flower")
    if win.by == "self_draw" or (win.by == "robbed" and rules.fans.robbing_kong_is_self_draw):
        fans.append("self_draw")
    elif win.by == "robbed":
        fans.append("robbing_kong")
    return fans


def meld_fans(win: Win) -> list[str]:
    fans = []
    if len(win.melds) == 4:
        fans.append("last_single_tile")
    if ("concealed_kong", RED) in win.melds:
        fans.append("red_dragon_kong")
    return fans


def is_full_flush(rules: Ruleset, win: Win) -> bool:
    """清一色: every tile in one suit, the pair included, dragons excluded; wild tiles take the suit."""
    tiles = {tile for tile in range(27) if win.hand[tile]} | {tile for _, tile in win.melds}
    if has_wild(rules):
        tiles.discard(RED)
    return {suit_of(tile) for tile in tiles} in ({0}, {1})


def seven_pairs_fans(rules: Ruleset, win: Win) -> list[list[str]]:
    """七对: only the highest of the family. Fours of a kind are natural tiles."""
    fours = sum(win.hand[tile] == 4 for tile in natural_kinds(rules))
    family = ["seven_pairs"]
    family += [name for n, name in enumerate(SEVEN_PAIRS_FAMILY[1:4], start=1) if fours >= n]
    if not has_wild(rules) and all(win.hand[tile] >= 2 for tile in DRAGONS):
        family.append("three_dragons_seven_pairs")
    highest = max(fan_value(rules, win, fan) for fan in family)
    return [[fan] for fan in family if fan_value(rules, win, fan) == highest]


def group_fans(win: Win, reading: Reading) -> list[str]:
    """碰碰胡 and the three dragons."""
    fans = []
    if not any(group.kind == "sequence" for group in reading.groups):
        fans.append("all_triplets")
    triplets = {group.start for group in reading.groups if group.kind == "triplet"} | {tile for _, tile in win.melds}
    pair = next(group.start for group in reading.groups if group.kind == "pair")
    dragon_triplets = [tile for tile in DRAGONS if tile in triplets]
    if len(dragon_triplets) == 3:
        fans.append("big_three_dragons")
    elif len(dragon_triplets) == 2 and pair in DRAGONS:
        fans.append("small_three_dragons")
    return fans


def four_to_ones(rules: Ruleset, win: Win, flush: bool) -> list[str]:
    """四归一, once for each four of a kind that counts: concealed (暗), or a pong with the fourth in hand (明)."""
    scope = rules.fans.four_to_one_scope
    every = scope == "all" or (scope == "all_if_flush" and flush)
    winning_counts = win.by == "self_draw" or not rules.fans.four_to_one_self_draw_only
    fans = []
    for tile in natural_kinds(rules):
        counts = winning_counts if tile == win.tile else every
        if counts and win.hand[tile] == 4:
            fans.append("concealed_four_to_one")
        elif counts and win.hand[tile] == 1 and win.has_pong(tile):
            fans.append("open_four_to_one")
    return fans


def is_kawuxing(rules: Ruleset, win: Win, group: Group) -> bool:
    """卡五星: the group is a 4-5-6, and the winning tile can be laid in its middle."""
    return (
        group.kind == "sequence"
        and group.start in (*FOURS_OF_456, None)
        and group.tiles[1] == win.tile
        and (rules.fans.wild_in_kawuxing or RED not in group.tiles)
    )


def fan_totals(rules: Ruleset, win: Win, fans: Iterable[str]) -> dict[str, int]:
    """Each fan with its product (or sum)."""
    totals: dict[str, int] = {}
    for fan in fans:
        value = fan_value(rules, win, fan)
        before = totals.get(fan)
        totals[fan] = value if before is None else combined(rules, [before, value])
    return totals


def combined(rules: Ruleset, values: Iterable[int]) -> int:
    if rules.fans.combine == "add":
        return sum(values)
    result = 1
    for value in values:
        result *= value
    return result


# ---------------------------------------------------------------- 6. payment of a win


NO_CAP = 1 << 62


class Table(NamedTuple):
    """What a payment depends on beside the hand. Winner, first payer (the feeder, if any), second payer."""

    declared: Sequence[bool]
    piao: Sequence[int]
    maima_tile: int | None
    room: str | None


def payments(rules: Ruleset, win: Win, table: Table, fans: dict[str, int]) -> list[int]:
    """Settle a win: what winner, first payer and second payer get, in bases."""
    first, second = (share(rules, win, table, fans, payer) for payer in (1, 2))
    if win.by == "self_draw":
        return [first + second, -first, -second]
    if feeder_pays_all(rules, win, table):
        return [first + second, -first - second, 0]
    return [first, -first, 0]


def feeder_pays_all(rules: Ruleset, win: Win, table: Table) -> bool:
    return (
        (win.by == "robbed" and rules.payment.robbed_kong_pays_all)
        or ("kong_cannon" in win.events and rules.payment.kong_cannon_pays_all)
        or (table.declared[0] and rules.liangdao.feeder_pays_all)
    )


def share(rules: Ruleset, win: Win, table: Table, fans: dict[str, int], payer: int) -> int:
    """One payer's share: A (min(fan, cap) + piao + maima) × L, C min(fan × L, cap), B fan."""
    fan = combined(rules, fans.values())
    cap = cap_of(rules, table, fans)
    factor = liangdao_factor(rules, table.declared[0], table.declared[payer])
    paid = min(fan * factor, cap) if rules.liangdao.inside_cap else min(fan, cap) * factor
    piao = table.piao[0] + table.piao[payer]
    maima = maima_points(rules, table.maima_tile) if win.by == "self_draw" else 0
    return (
        paid
        + piao * (factor if rules.piao.inside_liangdao else 1)
        + maima * (factor if rules.maima.inside_liangdao else 1)
    )


def cap_of(rules: Ruleset, table: Table, fans: Collection[str]) -> int:
    """封顶: the room's cap, else the ruleset's; a larger one where a fan of the hand has its own."""
    room = rules.room(table.room)
    cap = room.cap if room else rules.payment.cap
    own = [own_cap for fan, own_cap in rules.payment.cap_for.items() if fan in fans]
    return max([cap, *own]) if cap else NO_CAP


def liangdao_factor(rules: Ruleset, winner: bool, payer: bool) -> int:
    if rules.liangdao.applies == "winner_or_payer" and winner and payer:
        return rules.liangdao.both_multiplier
    if winner or (payer and rules.liangdao.applies == "winner_or_payer"):
        return rules.liangdao.multiplier
    return 1


def maima_points(rules: Ruleset, tile: int | None) -> int:
    """埋马, per loser: the number of the tile, ten for a dragon; shared, half of it rounded up."""
    if not rules.maima.enabled or tile is None:
        return 0
    points = rules.maima.dragon if tile in DRAGONS else tile % 9 + 1
    return -(-points // 2) if rules.maima.payer == "shared" else points


# ---------------------------------------------------------------- the best reading


class Score(NamedTuple):
    """A scored hand. `fan` is before cap and liangdao; payments are in bases: winner, first payer, second payer."""

    hu: bool
    fan: int
    fans: dict[str, int]
    best: list[list[str]]  # the fans of every equally good reading
    payments: list[int]
    readings: list[tuple[int, int, dict[str, int], Reading]]  # paid, fan, fans, reading: the best first


def score(
    rules: Ruleset,
    concealed: Counts,
    melds: Melds,
    win_tile: int,
    by: str,
    events: Collection[str] = (),
    declared: Sequence[bool] = (False, False, False),
    piao: Sequence[int] = (0, 0, 0),
    maima_tile: int | None = None,
    room: str | None = None,
) -> Score:
    """Score by the reading that pays most after the cap; equal payment: the larger fan before the cap.

    `concealed` is without the winning tile. `declared` and `piao` are of the winner, the first payer (who feeds the
    tile, unless it is drawn) and the second payer. A robbed kong may also be given as a discard with the event
    `robbing_kong`.
    """
    if by == "discard" and "robbing_kong" in events:
        by = "robbed"
    win = Win(tuple(concealed), tuple((kind, tile) for kind, tile in melds), win_tile, by, frozenset(events))
    table = Table(declared, piao, maima_tile, room)
    scored = []
    for reading in readings(rules, win.hand, win.melds):
        for found in fan_lists(rules, win, reading):
            fans = fan_totals(rules, win, found)
            paid = payments(rules, win, table, fans)[0]
            scored.append((paid, combined(rules, fans.values()), fans, reading))
    if not scored:
        return Score(False, 0, {}, [], [0, 0, 0], [])
    scored.sort(key=lambda one: (-one[0], -one[1], sorted(one[2])))
    paid, fan, fans, _ = scored[0]
    best = sorted({tuple(sorted(other)) for amount, value, other, _ in scored if (amount, value) == (paid, fan)})
    return Score(True, fan, fans, [list(ids) for ids in best], payments(rules, win, table, fans), scored)
