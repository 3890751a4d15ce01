"""The second engine, part one: which hands win, what they wait for, how far the others are from it.

Plain Python that follows the rules as they are told at the table, by writing every possibility down. It shares no code
with the product: from it come only the ruleset, which is data, and the names of the slots.

A hand is 27 counts of concealed tiles; melds are (kind, tile) pairs. In a game with wild tiles slot 18, the red dragon,
is the wild tile and never a kind of its own.
"""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from kwx_sim.rules import Ruleset
from kwx_sim.tiles import RED

Counts = Sequence[int]
Melds = Sequence[tuple[str, int]]

COPIES = 4
SUITS = ((0, 9), (9, 18))
DRAGONS = (18, 19, 20)
UNREACHABLE = 99
"""Shanten of a hand whose melds rule out every win."""


# ---------------------------------------------------------------- 1. tiles


def has_wild(rules: Ruleset) -> bool:
    return rules.tiles.wild == "red_dragon"


def kinds_in_play(rules: Ruleset) -> range:
    """Kinds in the wall: with 76 tiles the last is 中, with 84 it is 白."""
    return range(21 if rules.tiles.set == 84 else 19)


def natural_kinds(rules: Ruleset) -> range:
    """Kinds that stand for themselves."""
    return range(18) if has_wild(rules) else kinds_in_play(rules)


def suit_of(tile: int) -> int | None:
    """0 条, 1 筒, None for a dragon."""
    return tile // 9 if tile < 18 else None


def in_melds(melds: Melds, tile: int) -> int:
    """Count a tile in the melds: three in a pong, four in a kong."""
    return sum(3 if kind == "pong" else 4 for kind, melded in melds if melded == tile)


def plus(counts: Counts, tile: int) -> list[int]:
    more = list(counts)
    more[tile] += 1
    return more


# ---------------------------------------------------------------- 2. winning shapes


class Group(NamedTuple):
    """One set or the pair, as it is read.

    `start` is the lowest kind that it stands for, None for wild tiles alone, which stand for anything. `tiles` are the
    tiles themselves, lowest place first, with RED where a wild tile stands.
    """

    kind: str  # "sequence", "triplet", "pair"
    start: int | None
    tiles: tuple[int, ...]


class Reading(NamedTuple):
    """One way to read the concealed tiles of a winning hand."""

    form: str  # "standard", "seven_pairs"
    groups: tuple[Group, ...]  # empty for seven pairs


def readings(rules: Ruleset, concealed: Counts, melds: Melds) -> Iterator[Reading]:
    """Every reading of 14 tiles (melds count three each) as a winning hand; nothing where they do not win."""
    if rules.shapes.seven_pairs and is_seven_pairs(rules, concealed, melds):
        yield Reading("seven_pairs", ())
    for groups in decompositions(rules, concealed, melds):
        yield Reading("standard", groups)


def is_win(rules: Ruleset, concealed: Counts, melds: Melds = ()) -> bool:
    """Whether the tiles, the winning one among them, are a winning hand."""
    return any(True for _ in readings(rules, concealed, melds))


def waits(rules: Ruleset, concealed: Counts, melds: Melds = ()) -> list[int]:
    """听口: the kinds that complete the hand, but for those of which all four are the player's own."""
    if is_hopeless(rules, concealed, melds):
        return []
    return [
        tile
        for tile in kinds_in_play(rules)
        if concealed[tile] + in_melds(melds, tile) < COPIES and is_win(rules, plus(concealed, tile), melds)
    ]


def is_hopeless(rules: Ruleset, concealed: Counts, melds: Melds) -> bool:
    """Whether one tile is certainly too few; only to save time.

    One tile goes to one suit or to the dragons, so two of these three must be complete already; or six pairs are held.
    """
    if has_wild(rules):
        return False
    complete = [
        bool(split_suit(0, tuple(concealed[0:9]), 0)),
        bool(split_suit(9, tuple(concealed[9:18]), 0)),
        bool(split_dragons(tuple(concealed[18:21]))),
    ]
    return sum(complete) < 2 and (bool(melds) or sum(count % 2 for count in concealed) > 1)


def is_seven_pairs(rules: Ruleset, concealed: Counts, melds: Melds) -> bool:
    """七对: seven pairs, fully concealed. Wild tiles pair the kinds held an odd number of times."""
    if melds or sum(concealed) != 14:
        return False
    odd = sum(concealed[tile] % 2 for tile in natural_kinds(rules))
    return odd <= (concealed[RED] if has_wild(rules) else 0)


def decompositions(rules: Ruleset, concealed: Counts, melds: Melds = ()) -> Iterator[tuple[Group, ...]]:
    """Every way to split the concealed tiles into sets and one pair, so that with the melds there are four sets.

    Wild tiles are shared out among the suits in every way; those left over are a set, or the pair, by themselves.
    """
    if sum(concealed) + 3 * len(melds) != 14:
        return
    wilds = concealed[RED] if has_wild(rules) else 0
    dragons = tuple(0 if has_wild(rules) else concealed[tile] for tile in DRAGONS)
    suited = [tuple(concealed[low:high]) for low, high in SUITS]
    for bamboo_wilds, dots_wilds in product(range(wilds + 1), repeat=2):
        alone = wilds - bamboo_wilds - dots_wilds
        if alone < 0:
            continue
        sizes = [sum(suited[0]) + bamboo_wilds, sum(suited[1]) + dots_wilds, sum(dragons), alone]
        # Each part is whole sets, but for the one part that has the pair too.
        if sorted(size % 3 for size in sizes) != [0, 0, 0, 2]:
            continue
        if not one_suit_enough(rules, concealed, melds, [size >= 3 for size in sizes[:2]]):
            continue
        for parts in product(
            split_suit(0, suited[0], bamboo_wilds),
            split_suit(9, suited[1], dots_wilds),
            split_dragons(dragons),
            split_wilds(alone, rules.shapes.wild_pair_alone),
        ):
            yield sum(parts, ())


def one_suit_enough(rules: Ruleset, concealed: Counts, melds: Melds, has_sets: Sequence[bool]) -> bool:
    """缺一门: no set of the other suit, called or concealed (sets_only); no tile of it at all (strict)."""
    if rules.shapes.missing_suit == "off":
        return True
    suits = {suit_of(tile) for _, tile in melds} | {suit for suit in (0, 1) if has_sets[suit]}
    if rules.shapes.missing_suit == "strict":
        suits |= {suit_of(tile) for tile in range(18) if concealed[tile]}
    return not {0, 1} <= suits


@lru_cache(maxsize=1 << 17)
def split_suit(first: int, block: tuple[int, ...], wilds: int) -> tuple[tuple[Group, ...], ...]:
    """Every way to use up one suit's tiles and so many wild tiles in sets and at most one pair.

    `first` is the slot of the suit's 1. Each group has a natural tile of the suit in it.
    """
    if not any(block):
        return ((),) if wilds == 0 else ()
    if (sum(block) + wilds) % 3 == 1:
        return ()
    lowest = next(place for place in range(9) if block[place])
    ways = set()
    for group in groups_with(first, lowest):
        left = [count - group.tiles.count(first + place) for place, count in enumerate(block)]
        wilds_left = wilds - group.tiles.count(RED)
        if min(left) < 0 or wilds_left < 0:
            continue
        for others in split_suit(first, tuple(left), wilds_left):
            if [other.kind for other in (group, *others)].count("pair") <= 1:
                ways.add(tuple(sorted((group, *others))))
    return tuple(sorted(ways))


@cache
def groups_with(first: int, place: int) -> tuple[Group, ...]:
    """Every group that holds the natural tile at that place of the suit and no lower natural tile."""
    tile = first + place
    groups = [Group("pair", tile, (tile,) * n + (RED,) * (2 - n)) for n in (1, 2)]
    groups += [Group("triplet", tile, (tile,) * n + (RED,) * (3 - n)) for n in (1, 2, 3)]
    for start in range(max(0, place - 2), min(place, 6) + 1):
        choices = [
            (RED,) if at < place else (tile,) if at == place else (first + at, RED) for at in range(start, start + 3)
        ]
        groups += [Group("sequence", first + start, tiles) for tiles in product(*choices)]
    return tuple(groups)


def split_dragons(counts: tuple[int, ...]) -> tuple[tuple[Group, ...], ...]:
    """Dragons form no sequence: two of a kind are a pair, of which there is at most one, three a triplet."""
    if any(count in (1, 4) for count in counts) or counts.count(2) > 1:
        return ()
    held = [(tile, count) for tile, count in zip(DRAGONS, counts, strict=True) if count]
    return (tuple(Group("pair" if count == 2 else "triplet", tile, (tile,) * count) for tile, count in held),)


def split_wilds(count: int, pair_alone: bool) -> tuple[tuple[Group, ...], ...]:
    """Wild tiles by themselves: three are a set of no suit, two a pair where the table allows it."""
    if count == 0:
        return ((),)
    if count == 2 and pair_alone:
        return ((Group("pair", None, (RED, RED)),),)
    if count == 3:
        return tuple((Group(kind, None, (RED, RED, RED)),) for kind in ("sequence", "triplet"))
    return ()


# ---------------------------------------------------------------- shanten


class Need(NamedTuple):
    """What a part of a hand is to become. `drawn_pair`: no tile of the pair's kind is held, so one must be drawn."""

    sets: int
    pairs: int
    drawn_pair: bool
    forced: int  # places beyond a kind's last copy, which only a wild tile can fill


NOTHING = Need(0, 0, False, 0)
Costs = dict[Need, int]


def shanten(rules: Ruleset, concealed: Counts, melds: Melds = ()) -> int:
    """向听数: fewest tiles to draw into a winning hand that the player can hold, less one.

    -1: won; 0: ready, that is: `waits` is not empty.
    """
    distances = [standard_distance(rules, concealed, melds)]
    if rules.shapes.seven_pairs and not melds:
        distances.append(seven_pairs_distance(rules, concealed))
    return min(min(distances) - 1, UNREACHABLE)


def seven_pairs_distance(rules: Ruleset, concealed: Counts) -> int:
    """Held pairs first, then single tiles, then empty places; each wild tile fills a gap.

    A gap of two is filled by two wild tiles with the halves of a natural pair, of which such a hand has enough.
    """
    pairs = sum(concealed[tile] // 2 for tile in natural_kinds(rules))
    singles = min(sum(concealed[tile] % 2 for tile in natural_kinds(rules)), 7 - pairs)
    gaps = singles + 2 * (7 - pairs - singles)
    return max(0, gaps - (concealed[RED] if has_wild(rules) else 0))


def standard_distance(rules: Ruleset, concealed: Counts, melds: Melds) -> int:
    """Tiles missing from the nearest four sets and a pair, with no more than four copies of any kind."""
    limits = [COPIES - in_melds(melds, tile) for tile in range(27)]
    wilds = limits[RED] if has_wild(rules) else 0
    suits = [suit_costs(tuple(concealed[low:high]), tuple(limits[low:high]), wilds) for low, high in SUITS]
    others = wild_costs(wilds, rules.shapes.wild_pair_alone)
    if not has_wild(rules):
        for tile in DRAGONS:
            others = joined(others, dragon_costs(concealed[tile], limits[tile]), wilds)
    held_wilds = concealed[RED] if has_wild(rules) else 0
    best = UNREACHABLE + 1
    for bamboo, dots in suits_as_allowed(rules, suits, melds):
        for need, missing in joined(joined(bamboo, dots, wilds), others, wilds).items():
            if need.sets == 4 - len(melds) and need.pairs == 1:
                best = min(best, max(need.drawn_pair, missing - held_wilds))
    return best


def suits_as_allowed(rules: Ruleset, suits: Sequence[Costs], melds: Melds) -> list[tuple[Costs, Costs]]:
    """Cut the suits' costs down to what 缺一门 lets each become, once for either suit as the main one."""
    if rules.shapes.missing_suit == "off":
        return [(suits[0], suits[1])]
    melded = {suit_of(tile) for _, tile in melds}
    pairs_at_most = 1 if rules.shapes.missing_suit == "sets_only" else 0
    bamboo, dots = suits
    allowed = []
    if 1 not in melded:
        allowed.append((bamboo, without_sets(dots, pairs_at_most)))
    if 0 not in melded:
        allowed.append((without_sets(bamboo, pairs_at_most), dots))
    return allowed


def without_sets(costs: Costs, pairs_at_most: int) -> Costs:
    return {need: cost for need, cost in costs.items() if need.sets == 0 and need.pairs <= pairs_at_most}


@lru_cache(maxsize=1 << 17)
def suit_costs(held: tuple[int, ...], limits: tuple[int, ...], wilds: int, two_below: int = 0, below: int = 0) -> Costs:
    """Tiles missing for everything that these kinds can become, with sequences begun at the two kinds below.

    Three like sequences are three triplets of the same tiles, and a second triplet of one kind is as dear as a
    sequence, so two and one of a kind are enough.
    """
    if not held:
        return {} if two_below or below else {NOTHING: 0}
    costs: Costs = {}
    for sequences, triplet, pair in product((0, 1, 2), (0, 1), (0, 1)):
        demand = two_below + below + sequences + 3 * triplet + 2 * pair
        forced = max(0, demand - limits[0])
        if forced > wilds or (pair and limits[0] == 0):
            continue
        here = {Need(sequences + triplet, pair, bool(pair) and held[0] == 0, forced): max(0, demand - held[0])}
        add_cheapest(costs, here, suit_costs(held[1:], limits[1:], wilds, below, sequences), wilds)
    return without_worse(costs)


def without_worse(costs: Costs) -> Costs:
    """Leave out what another way does at no more cost without a forced wild tile or a drawn pair."""
    return {
        need: cost
        for need, cost in costs.items()
        if not any(
            costs.get(Need(need.sets, need.pairs, drawn_pair, forced), cost + 1) <= cost
            for drawn_pair, forced in product({False, need.drawn_pair}, range(need.forced + 1))
            if (drawn_pair, forced) != (need.drawn_pair, need.forced)
        )
    }


def dragon_costs(held: int, limit: int) -> Costs:
    wanted = ((NOTHING, 0), (Need(0, 1, held == 0, 0), 2), (Need(1, 0, False, 0), 3))
    return {need: max(0, tiles - held) for need, tiles in wanted if tiles <= limit}


def wild_costs(wilds: int, pair_alone: bool) -> Costs:
    costs = {NOTHING: 0}
    if wilds >= 3:
        costs[Need(1, 0, False, 3)] = 3
    if wilds >= 2 and pair_alone:
        costs[Need(0, 1, False, 2)] = 2
    return costs


def joined(some: Costs, others: Costs, wilds: int) -> Costs:
    """Costs of two parts together."""
    costs: Costs = {}
    add_cheapest(costs, some, others, wilds)
    return costs


def add_cheapest(costs: Costs, some: Costs, others: Costs, wilds: int) -> None:
    """Enter every combination of two parts where it is the cheapest so far."""
    for (sets_a, pairs_a, drawn_a, forced_a), cost_a in some.items():
        for (sets_b, pairs_b, drawn_b, forced_b), cost_b in others.items():
            if sets_a + sets_b > 4 or pairs_a + pairs_b > 1 or forced_a + forced_b > wilds:
                continue
            need = Need(sets_a + sets_b, pairs_a + pairs_b, drawn_a or drawn_b, forced_a + forced_b)
            costs[need] = min(cost_a + cost_b, costs.get(need, UNREACHABLE))
