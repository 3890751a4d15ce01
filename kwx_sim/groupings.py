"""Every way to read a won hand as sets and a pair, or as seven pairs, written down for people.

The kernels know in which forms a hand can be read without writing any down (`core.forms`); this says what such a
reading looks like. Wild tiles stand in the places of what they mean.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kwx_sim.rules import Ruleset
from kwx_sim.tiles import FIVES, RED, Meld

__all__ = ["Group", "Grouping", "groupings", "is_kawuxing"]

SUITED_KINDS = 18
SETS_IN_HAND = 4


class Group(NamedTuple):
    """A sequence, triplet or pair: its tiles in place (slots, RED where a wild tile stands), and the slot it begins at.

    `start` is None where wild tiles alone are a set or the pair: they mean whatever is wanted.
    """

    kind: str
    tiles: tuple[int, ...]
    start: int | None


Grouping = tuple[Group, ...]


def groupings(rules: Ruleset, hand: Sequence[int], melds: Sequence[Meld]) -> Iterator[Grouping]:
    """Give the readings of 3k + 2 concealed tiles that win under the rules, seven pairs last.

    `hand` holds counts by slot; the melds are not part of the readings. Without wild tiles each reading comes once.
    """
    wild = rules.tiles.wild != "none"
    counts = [int(n) for n in hand]
    wilds = counts[RED] if wild else 0
    if wild:
        counts[RED] = 0
    for grouping in _standard(rules, counts, wilds, SETS_IN_HAND - len(melds)):
        if _keeps_to_a_suit(rules, grouping, melds):
            yield grouping
    if rules.shapes.seven_pairs and not melds:
        yield from _seven_pairs(counts, wilds)


def is_kawuxing(rules: Ruleset, group: Group, win: int) -> bool:
    """卡五星: whether the winning tile can lie in the middle of the group, a 4-5-6."""
    if group.kind == "sequence":
        is_run = group.start in [five - 1 for five in FIVES]
    else:
        is_run = group.kind == "triplet" and group.start is None
    return is_run and group.tiles[1] == win and (rules.fans.wild_in_kawuxing or RED not in group.tiles)


def _standard(rules: Ruleset, counts: list[int], wilds: int, sets: int) -> Iterator[Grouping]:
    """Sets and a pair of all these tiles: the lowest natural kind left is grouped first."""
    stack: list[tuple[list[int], int, int, bool, Grouping]] = [(counts, wilds, sets, True, ())]
    while stack:
        counts, wilds, sets, pair, done = stack.pop()
        lowest = next((kind for kind, n in enumerate(counts) if n), None)
        if lowest is None:
            rest = _wild_groups(rules, wilds, sets, pair)
            if rest is not None:
                yield done + rest
            continue
        # Last in, first out: the groups with the fewest wild tiles are tried first.
        for group in sorted(_groups_with(counts, lowest, wilds), key=lambda one: -one.tiles.count(RED)):
            is_pair = group.kind == "pair"
            if not (pair if is_pair else sets) or (done and _order(group) < _order(done[-1])):
                continue
            naturals = [tile for tile in group.tiles if counts[tile]]
            left = list(counts)
            for tile in naturals:
                left[tile] -= 1
            used = len(group.tiles) - len(naturals)
            stack.append((left, wilds - used, sets - (not is_pair), pair and not is_pair, (*done, group)))


def _order(group: Group) -> tuple[int, Group]:
    """Groups that begin at one natural kind come in this order only, so that no reading comes twice."""
    lowest = min((tile for tile in group.tiles if tile != RED), default=RED)
    return lowest, group


def _wild_groups(rules: Ruleset, wilds: int, sets: int, pair: bool) -> Grouping | None:
    """What wild tiles make by themselves, where that completes the hand."""
    if pair and not rules.shapes.wild_pair_alone:
        return None
    if wilds != 3 * sets + 2 * pair:
        return None
    alone = (Group("pair", (RED, RED), None),) if pair else ()
    return (Group("triplet", (RED, RED, RED), None),) * sets + alone


def _groups_with(counts: Sequence[int], kind: int, wilds: int) -> Iterator[Group]:
    """Give the groups whose lowest natural tile is of the kind, at most so many wild tiles in them."""
    for name, size in (("triplet", 3), ("pair", 2)):
        for natural in range(1, min(counts[kind], size) + 1):
            if size - natural <= wilds:
                yield Group(name, (kind,) * natural + (RED,) * (size - natural), kind)
    if kind >= SUITED_KINDS:
        return
    rank = kind % 9
    for start in range(max(rank - 2, 0), min(rank, 6) + 1):
        first = kind - rank + start
        for tiles in _runs(counts, first, kind):
            if tiles.count(RED) <= wilds:
                yield Group("sequence", tiles, first)


def _runs(counts: Sequence[int], first: int, kind: int) -> Iterable[tuple[int, ...]]:
    """Tiles of the sequence from `first` on: the kind itself natural, lower places wild, higher ones either."""
    runs: list[tuple[int, ...]] = [()]
    for place in range(first, first + 3):
        fillings = [place] if place == kind else [RED]
        if place > kind and counts[place]:
            fillings = [place, RED]
        runs = [(*run, tile) for run in runs for tile in fillings]
    return runs


def _keeps_to_a_suit(rules: Ruleset, grouping: Grouping, melds: Sequence[Meld]) -> bool:
    """缺一门: no set of a second suit; strict: no tile of it."""
    if rules.shapes.missing_suit == "off":
        return True
    bound = [group for group in grouping if group.kind != "pair" or rules.shapes.missing_suit == "strict"]
    starts = [*(group.start for group in bound), *(meld.tile for meld in melds)]
    return len({start // 9 for start in starts if start is not None and start < SUITED_KINDS}) < 2


def _seven_pairs(counts: Sequence[int], wilds: int) -> Iterator[Grouping]:
    """七对: odd kinds take a wild tile each; what is left of those goes, in twos, to the halves of natural pairs."""
    odd = sum(n % 2 for n in counts)
    if sum(counts) + wilds != 14 or odd > wilds:
        return
    split = (wilds - odd) // 2
    pairs = []
    for kind, n in enumerate(counts):
        whole = n // 2
        halves = min(split, whole)
        split -= halves
        pairs += [(kind, kind)] * (whole - halves) + [(kind, RED)] * (2 * halves + n % 2)
    yield tuple(Group("pair", pair, pair[0]) for pair in pairs)
