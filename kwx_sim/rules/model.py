"""A ruleset: every switch of the game, written once, with its Chinese term and what it means.

Values come from TOML (`load.py`), are checked here, and travel to the kernels as a record of integers (`pack.py`).
"""

from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, model_validator

__all__ = [
    "FANS",
    "Fans",
    "Liangdao",
    "Maima",
    "Payment",
    "Piao",
    "Play",
    "Room",
    "Ruleset",
    "Shapes",
    "Tiles",
]

FANS: dict[str, str] = {
    "ping_hu": "屁胡",
    "all_triplets": "碰碰胡",
    "full_flush": "清一色",
    "seven_pairs": "七对",
    "dragon_seven_pairs": "龙七对",
    "double_dragon_seven_pairs": "双龙七对",
    "triple_dragon_seven_pairs": "三豪华七对",
    "three_dragons_seven_pairs": "三元七对",
    "big_three_dragons": "大三元",
    "small_three_dragons": "小三元",
    "concealed_four_to_one": "暗四归一",
    "open_four_to_one": "明四归一",
    "initial_hand": "手抓一（起手）",
    "last_single_tile": "手抓一（单吊）",
    "kawuxing": "卡五星",
    "self_draw": "自摸",
    "robbing_kong": "抢杠胡",
    "kong_flower": "杠上开花",
    "kong_cannon": "杠上炮",
    "last_tile_draw": "海底捞",
    "last_tile_discard": "海底炮",
    "red_dragon_kong": "红中暗杠",
    "heavenly_hand": "天胡",
    "earthly_hand": "地胡",
}
"""Fan ids in the order of their bits in a fan mask, each with its name at the table."""

# Bounds keep every payment far inside int32: 2**20 fans at most, doubled, times chains and shares.
MAX_FAN = 1 << 10
MAX_BASES = 1_000
MAX_STAKE = 10**12
# Names are printed: a record or ruleset of somebody else's must not steer the terminal.
PRINTABLE = r"^[^\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]*$"

FanId = Literal[
    "ping_hu", "all_triplets", "full_flush", "seven_pairs", "dragon_seven_pairs", "double_dragon_seven_pairs",
    "triple_dragon_seven_pairs", "three_dragons_seven_pairs", "big_three_dragons", "small_three_dragons",
    "concealed_four_to_one", "open_four_to_one", "initial_hand", "last_single_tile", "kawuxing", "self_draw",
    "robbing_kong", "kong_flower", "kong_cannon", "last_tile_draw", "last_tile_discard", "red_dragon_kong",
    "heavenly_hand", "earthly_hand",
]  # fmt: skip
FanValue = Annotated[StrictInt, Field(ge=0, le=MAX_FAN)]
CapValue = Annotated[StrictInt, Field(ge=1, le=1 << 20)]


def rule(zh: str, en: str, **limits: Any) -> Any:
    """A required field with its term at the table and its meaning."""
    return Field(description=en, json_schema_extra={"zh": zh}, **limits)


class Section(BaseModel):
    """Frozen, and closed: a field that nothing reads is an error, never silently kept."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Tiles(Section):
    """牌: which tiles are in the wall."""

    set: Literal[84, 76] = rule("牌数", "84 tiles (中 发 白), or 76 (中 only)")
    wild: Literal["none", "red_dragon"] = rule("万能牌", "the kind that stands for any suited tile")


class Shapes(Section):
    """胡牌牌型: which hands win."""

    seven_pairs: StrictBool = rule("七对", "seven pairs win")
    missing_suit: Literal["off", "sets_only", "strict"] = rule(
        "缺一门", "no set of a second suit (sets_only), or no tile of it (strict); seven pairs are exempt"
    )
    wild_pair_alone: StrictBool = rule("红中单做将", "two wild tiles may be the pair by themselves")
    wild_kong: Literal["none", "concealed"] = rule("红中杠", "four wild tiles may be a concealed kong")


class Play(Section):
    """牌局: claims and wins."""

    multiple_wins: StrictBool = rule(
        "一炮多响", "everyone who can win a discard may; otherwise the nearest in turn order"
    )
    rob_concealed_kong: StrictBool = rule("抢暗杠", "a concealed kong may be robbed too")
    missed_win: Literal["none", "until_own_draw_unless_larger"] = rule(
        "漏胡", "who declines a win on a discard wins none until its own next draw, but for one of larger fan"
    )
    min_fan_on_discard: StrictInt = rule("起胡番", "fewest fan that wins a discard or robs a kong", ge=1, le=MAX_FAN)
    min_fan_waived_by_liangdao: StrictBool = rule(
        "亮倒免起胡", "the minimum does not bind where winner or feeder is declared"
    )


class Liangdao(Section):
    """亮倒: declaring a ready hand."""

    enabled: StrictBool = rule("亮倒", "a ready player may declare")
    shows: Literal["nothing", "waits", "hand"] = rule("亮出", "what the others see of a declared hand")
    multiplier: StrictInt = rule("亮倒倍数", "factor where winner (or payer) is declared", ge=1, le=16)
    applies: Literal["winner", "winner_or_payer"] = rule("倍数对象", "whose declaration doubles")
    both_multiplier: StrictInt = rule(
        "对亮倍数", "factor where winner and payer are declared, under winner_or_payer", ge=1, le=16
    )
    inside_cap: StrictBool = rule("倍数计入封顶", "the factor counts before the cap")
    locks_hand: StrictBool = rule("亮后锁手", "afterwards: win or pass, kong, else discard the tile drawn")
    kong_after: Literal["if_waits_unchanged", "never"] = rule("亮后开杠", "kongs of a locked hand")
    min_wall: StrictInt = rule(
        "亮倒最少余牌", "fewest tiles left in the wall with which it may be declared", ge=0, le=44
    )
    feeder_pays_all: StrictBool = rule("点亮倒包赔", "who feeds a declared winner pays both shares")
    forbid_feeding: StrictBool = rule("禁打亮倒听牌", "no shown wait may be discarded while another tile is held")
    undecided_first_pays: StrictInt = rule(
        "荒庄亮倒赔", "bases that the first declared player pays to each other player, undecided", ge=0, le=MAX_BASES
    )


class Fans(Section):
    """番型: fans and how they combine."""

    combine: Literal["multiply", "add"] = rule("番数累计", "fans multiply or add up")
    values: dict[FanId, FanValue] = rule("番值", "value of each fan; one that is absent or 0 does not exist")
    four_to_one_self_draw_only: StrictBool = rule(
        "四归一须自摸", "the winning tile's four of a kind counts by self-draw only"
    )
    four_to_one_scope: Literal["winning_tile", "all", "all_if_flush"] = rule(
        "四归一范围", "which fours of a kind count"
    )
    wild_in_kawuxing: StrictBool = rule("红中作卡五星", "the 4, 5 or 6 of a kawuxing may be wild")
    kong_flower_after_red: FanValue = rule(
        "红中杠上花", "value of kong_flower after a kong of wild tiles; 0: as any other"
    )
    robbing_kong_is_self_draw: StrictBool = rule(
        "抢杠算自摸", "a robbed kong scores self_draw in place of robbing_kong"
    )

    def value(self, fan: str) -> int:
        """The value of a fan, 0 where this ruleset has none."""
        return self.values.get(fan, 0)  # type: ignore[call-overload, no-any-return]  # any id may be asked for


class Payment(Section):
    """结算: who pays what."""

    base: StrictInt = rule("底分", "points of one base, where no room sets it", ge=1, le=1_000_000)
    cap: StrictInt = rule("封顶", "largest fan total that is paid, where no room sets it; 0: none", ge=0, le=1 << 20)
    cap_for: dict[FanId, CapValue] = rule("特殊封顶", "a larger cap for a hand scored with this fan")
    robbed_kong_pays_all: StrictBool = rule("抢杠包赔", "a robbed konger pays both shares")
    kong_cannon_pays_all: StrictBool = rule("杠上炮包赔", "who feeds a kong cannon pays both shares")
    direct_kong: StrictInt = rule("直杠", "bases from the feeder", ge=0, le=MAX_BASES)
    concealed_kong: StrictInt = rule("暗杠", "bases from each other player", ge=0, le=MAX_BASES)
    added_kong: StrictInt = rule("补杠", "bases from each other player", ge=0, le=MAX_BASES)
    kong_chain: Literal["none", "player", "table"] = rule(
        "杠上杠",
        "kong payments double within one player's turn (player), and when the discard after a kong is konged (table)",
    )


class Piao(Section):
    """漂: stakes chosen before the deal."""

    max: StrictInt = rule("漂上限", "largest choice; 0: no piao", ge=0, le=100)
    inside_liangdao: StrictBool = rule("漂随亮倒翻倍", "the liangdao factor multiplies piao")


class Maima(Section):
    """埋马: the bonus tile of a self-draw."""

    enabled: StrictBool = rule("埋马", "a self-draw turns the tail tile: 1–9 its number")
    dragon: StrictInt = rule("字牌马分", "points of a dragon", ge=0, le=100)
    payer: Literal["each", "shared"] = rule("马分支付", "each loser pays all of it, or half of it rounded up")
    inside_liangdao: StrictBool = rule("马分随亮倒翻倍", "the liangdao factor multiplies maima")


class Room(Section):
    """房间: a stake level."""

    name: StrictStr = rule("房间", "its name", min_length=1, max_length=40, pattern=PRINTABLE)
    base: StrictInt = rule("底分", "points of one base", ge=1, le=1_000_000)
    min_stake: StrictInt = rule("最低入场", "points needed to enter", ge=0, le=MAX_STAKE)
    max_stake: StrictInt = rule("最高入场", "most points to enter with; 0: no limit", ge=0, le=MAX_STAKE)
    cap: StrictInt = rule("番上限", "largest fan total that is paid; 0: none", ge=0, le=1 << 20)


class Ruleset(Section):
    """规则: one table's rules."""

    name: StrictStr = rule("名称", "the name that results carry", min_length=1, max_length=60, pattern=PRINTABLE)
    title: StrictStr = rule("标题", "one line on what table this is", max_length=200, pattern=PRINTABLE)
    document: StrictStr = rule("出处", "the document that it follows", max_length=60, pattern=PRINTABLE)
    tiles: Tiles
    shapes: Shapes
    play: Play
    liangdao: Liangdao
    fans: Fans
    payment: Payment
    piao: Piao
    maima: Maima
    entry_fee: StrictInt = rule(
        "总入场费", "bases that each player pays a round, leaving the table", ge=0, le=MAX_BASES
    )
    rooms: tuple[Room, ...] = rule("房间", "stake levels; empty: base and cap as in payment")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for problem, field, expected, came in self._contradictions():
            if problem:
                raise ContradictionError(field, expected, came)
        return self

    def _contradictions(self) -> list[tuple[bool, str, str, object]]:
        has_wild = self.tiles.wild != "none"
        names = [room.name for room in self.rooms]
        wild_only = (
            ("shapes.wild_kong", self.shapes.wild_kong, "none"),
            ("shapes.wild_pair_alone", self.shapes.wild_pair_alone, False),
            ("fans.wild_in_kawuxing", self.fans.wild_in_kawuxing, False),
            ("fans.kong_flower_after_red", self.fans.kong_flower_after_red, 0),
        )
        ping_hu = self.fans.value("ping_hu")
        least = min((value for fan, value in self.fans.values.items() if value and fan != "ping_hu"), default=ping_hu)
        return [
            (has_wild and self.tiles.set == 84, "tiles.wild", "no_wild_in_84", self.tiles.wild),
            (not has_wild and self.tiles.set == 76, "tiles.wild", "wild_in_76", self.tiles.wild),
            *((not has_wild and value != off, field, "off_without_wild", value) for field, value, off in wild_only),
            (ping_hu == 0, "fans.values.ping_hu", "one_or_more", ping_hu),
            # A hand that has another fan is never better read as having none.
            (ping_hu > least, "fans.values.ping_hu", "no_more_than_others", ping_hu),
            (len(set(names)) < len(names), "rooms", "room_names", ", ".join(names)),
            *(
                (0 < room.max_stake < room.min_stake, f"rooms.{number}.max_stake", "stakes", room.max_stake)
                for number, room in enumerate(self.rooms)
            ),
        ]

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """What others have derived from these frozen fields, such as packed records: kept as long as the ruleset."""
        return {}

    @property
    def n_kinds(self) -> int:
        """Kinds of tiles in the wall: slots 0 to n_kinds − 1."""
        return 21 if self.tiles.set == 84 else 19

    @property
    def wall_size(self) -> int:
        """Tiles in the wall before the deal."""
        return self.tiles.set

    def room(self, name: str | None) -> Room | None:
        """The room of that name; without a name the first, or None where the ruleset has no rooms."""
        if name is None:
            return self.rooms[0] if self.rooms else None
        return next((room for room in self.rooms if room.name == name), None)


class ContradictionError(ValueError):
    """Two fields that cannot stand together. `expected` names a text of the catalogue: rules.expected.<name>."""

    def __init__(self, field: str, expected: str, came: object) -> None:
        super().__init__(f"{field}: {expected}, got {came!r}")
        self.field, self.expected, self.came = field, expected, came
