"""卡五星: how often it is won, how, what it pays, and which discards feed it."""

from typing import Any

from kwx_sim import stats
from kwx_sim.core import tally
from kwx_sim.tables.rows import ALL, TURN_NAMES, Moments, Part, Row, Setting, row

__all__ = ["GROUPS", "HEADLINES", "rows"]

GROUPS = ("way", "wait", "suit", "tile", "turn")

HEADLINES = {
    "kawuxing_rounds": {"measure": "rounds_with"},
    "kawuxing_wins": {"measure": "share_of_wins", "way": ALL},
    "kawuxing_paid": {"measure": "paid_difference", "way": ALL},
    "kawuxing_points": {"measure": "share_of_points"},
}

WAYS = ("self_draw", "discard", "robbed_kong")
SHARE_OF_DISCARDS = "share of discards"
TILE_CLASSES = ("4", "5", "6", "other number", "dragon")

PAID_FOR_ALL: Part = {tally.PAID + k: 1 for k in range(2 * tally.WAYS)}


def rows(setting: Setting, sums: Any) -> list[Row]:
    """Make the rows of one run from its sums, a record of core.tally.KAWUXING."""
    moments = Moments(sums["sums"], sums["products"])
    return [*_wins(setting, moments), *_payments(setting, moments), *_discards(setting, sums)]


def _row(setting: Setting, measure: str, n: int, found: stats.Estimates, unit: str, **groups: str) -> Row:
    return row(setting, measure, n, found, unit, **{**dict.fromkeys(GROUPS, ALL), **groups})


def _of_way(way: str, variable: int, *, fan: bool) -> Part:
    """The wins (or payments) of a way of winning, or of all, with the fan or without."""
    chosen = range(tally.WAYS) if way == ALL else (WAYS.index(way),)
    return {variable + 2 * k + fan: 1 for k in chosen}


def _wins(setting: Setting, moments: Moments) -> list[Row]:
    made = []
    with_fan = moments.total({tally.ROUNDS_WITH: 1})
    made.append(_row(setting, "rounds_with", setting.rounds, stats.wilson(with_fan, setting.rounds), "share"))
    every = _of_way(ALL, tally.WINS, fan=True)
    for way in (ALL, *WAYS):
        with_it = _of_way(way, tally.WINS, fan=True)
        wins = {**with_it, **_of_way(way, tally.WINS, fan=False)}
        made.append(_row(setting, "share_of_wins", moments.total(wins), moments.share(with_it, wins), "share", way=way))
    by_five = {tally.WON_BY_FIVE: 1}
    share = moments.share(every, by_five)
    made.append(_row(setting, "share_of_wins_by_five", moments.total(by_five), share, "share"))
    pure, bamboo = {tally.PURE: 1}, {tally.BAMBOO: 1}
    splits: list[tuple[dict[str, str], Part]] = [
        *(({"way": way}, _of_way(way, tally.WINS, fan=True)) for way in WAYS),
        ({"wait": "pure 4_6"}, pure),
        ({"wait": "among others"}, {**every, tally.PURE: -1}),
        ({"suit": "bamboo"}, bamboo),
        ({"suit": "dots"}, {**every, tally.BAMBOO: -1}),
    ]
    for groups, part in splits:
        share = moments.share(part, every)
        made.append(_row(setting, "share_of_kawuxing", moments.total(every), share, "share", **groups))
    return made


def _payments(setting: Setting, moments: Moments) -> list[Row]:
    made = []
    for way in (ALL, *WAYS):
        with_it, without = (
            (_of_way(way, tally.PAID, fan=fan), _of_way(way, tally.WINS, fan=fan)) for fan in (True, False)
        )
        n, n_without = moments.total(with_it[1]), moments.total(without[1])
        for measure, count, found in (
            ("paid_with", n, moments.mean(*with_it)),
            ("paid_without", n_without, moments.mean(*without)),
            ("paid_difference", n + n_without, moments.difference(with_it, without)),
        ):
            made.append(_row(setting, measure, count, found, "bases per win", way=way))
    every, own = _of_way(ALL, tally.WINS, fan=True), {tally.OWN: 1}
    paid, points = _of_way(ALL, tally.PAID, fan=True), {tally.POINTS: 1}
    made.append(_row(setting, "paid_for_the_fan", moments.total(every), moments.mean(own, every), "bases per win"))
    for measure, part, whole in (
        ("share_of_points", paid, points),
        ("share_of_win_points", paid, PAID_FOR_ALL),
        ("share_of_points_for_the_fan", own, points),
    ):
        made.append(_row(setting, measure, setting.rounds, moments.mean(part, whole), "share"))
    return made


def _discards(setting: Setting, sums: Any) -> list[Row]:
    made = []
    every: Part = {tally.DISCARDS: 1}
    for tile_class, tile in enumerate(TILE_CLASSES):
        for turn_bin, turn in enumerate([*TURN_NAMES, ALL]):
            place = tile_class, turn_bin
            cell = Moments(sums["discard_sums"][place], sums["discard_products"][place])
            measures = {"discard_won": tally.WON}
            if tile == "5":
                measures["discard_won_as_kawuxing"] = tally.WON_AS_KAWUXING
            for measure, variable in measures.items():
                share = cell.share({variable: 1}, every)
                made.append(_row(setting, measure, cell.total(every), share, SHARE_OF_DISCARDS, tile=tile, turn=turn))
    return made
