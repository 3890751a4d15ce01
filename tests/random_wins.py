"""Random hands that mostly win, and what may stand around a win: for tests of fans and payments."""

from typing import Any, NamedTuple

import numpy as np
import reference_hands as ref

from kwx_sim.rules import FANS, Ruleset, changed
from kwx_sim.scoring import Score, score
from kwx_sim.tiles import FIVES, NUM_SLOTS, RED, Meld, meld_counts, parse_tiles

FIRST_TILES = ("initial_hand", "heavenly_hand", "earthly_hand")
DRAW_EVENTS = ("kong_flower", "red_dragon_kong_flower", "last_tile_draw", *FIRST_TILES)
DISCARD_EVENTS = ("kong_cannon", "last_tile_discard", "robbing_kong")


class Case(NamedTuple):
    """A win as both engines are asked for it. `hand` has no winning tile; players are winner, payer 1, payer 2."""

    hand: tuple[int, ...]
    melds: tuple[Meld, ...]
    win: int
    by: str
    events: tuple[str, ...]
    declared: tuple[bool, bool, bool]
    piao: tuple[int, int, int]
    maima: int | None


def random_case(rng: np.random.Generator, rules: Ruleset) -> Case:
    """Draw hands until one has at most four copies of each tile."""
    wild = rules.tiles.wild != "none"
    while True:
        hand, melds = _seven_pairs(rng, rules) if rng.random() < 0.2 else _sets_and_pair(rng, rules)
        counts = np.bincount(hand, minlength=NUM_SLOTS)
        held = counts.copy()
        for meld in melds:
            held[meld.tile] += 3 if meld.kind == "pong" else 4
        if held.max() <= 4 and (not wild or _melds_exist(melds)):
            break
    win = _winning_tile(rng, hand, melds)
    counts[win] -= 1
    by = str(rng.choice(["self_draw", "discard"]))
    events = _events(rng, by, melds)
    turns = rules.maima.enabled and by == "self_draw" and "last_tile_draw" not in events
    maima = _turned(rng, rules, held) if turns and rng.random() < 0.8 else None
    return Case(
        hand=tuple(counts.tolist()),
        melds=tuple(melds),
        win=win,
        by=by,
        events=events,
        declared=tuple((rng.random(3) < 0.4) & rules.liangdao.enabled),
        piao=tuple(rng.integers(0, rules.piao.max + 1, 3).tolist()),
        maima=maima,
    )


def score_case(case: Case, rules: Ruleset, room: str | None = None) -> Score:
    """Ask the product."""
    return score(
        np.array(case.hand),
        case.melds,
        case.win,
        case.by,
        rules=rules,
        room=room,
        events=case.events,
        winner_liangdao=case.declared[0],
        payer_liangdao=case.declared[1:],
        piao=case.piao,
        maima=case.maima,
    )


def assert_engines_agree(case: Case, rules: Ruleset, room: str | None = None) -> Score:
    """Score with both engines; give the product's answer.

    Equally good readings may differ in fans: any of them is right. The reading shown must be the tiles held.
    """
    found = score_case(case, rules, room)
    wanted = ref.score(
        rules, case.hand, case.melds, case.win, case.by, case.events, case.declared, case.piao, case.maima, room
    )
    where = (rules.name, case, found, wanted.readings[:3])
    base = rules.room(room).base if rules.rooms else rules.payment.base
    assert (found.hu, found.fan) == (wanted.hu, wanted.fan), where
    assert found.payments == [bases * base for bases in wanted.payments], where
    if found.hu:
        assert found.fans in [fans for _, fan, fans, _ in wanted.readings if fan == wanted.fan], where
        assert sorted(found.fans) in wanted.best, where
        shown = np.bincount(parse_tiles(" ".join(found.reading)), minlength=NUM_SLOTS)
        held = np.array(case.hand) + meld_counts(case.melds)
        held[case.win] += 1
        assert (shown == held).all(), where
    return found


def random_rules(rng: np.random.Generator, base: Ruleset) -> Ruleset:
    """Change fields of a preset at random, all that bear on fans and payments."""
    values = {fan: int(rng.integers(1, 9)) if rng.random() < 0.8 else 0 for fan in FANS}
    choices: dict[str, list[Any]] = {
        "shapes.seven_pairs": [True, True, False],
        "shapes.missing_suit": ["off", "sets_only", "strict"],
        "fans.combine": ["multiply", "add"],
        "fans.four_to_one_scope": ["winning_tile", "all", "all_if_flush"],
        "fans.four_to_one_self_draw_only": [False, True],
        "fans.robbing_kong_is_self_draw": [False, True],
        "liangdao.enabled": [True],
        "liangdao.multiplier": [1, 2, 3],
        "liangdao.applies": ["winner", "winner_or_payer"],
        "liangdao.both_multiplier": [2, 4],
        "liangdao.inside_cap": [False, True],
        "liangdao.feeder_pays_all": [False, True],
        "payment.robbed_kong_pays_all": [False, True],
        "payment.kong_cannon_pays_all": [False, True],
        "payment.cap": [0, 8, 16],
        "payment.cap_for": [{}, {"seven_pairs": 12, "all_triplets": 9}, {"kawuxing": 32, "dragon_seven_pairs": 40}],
        "piao.max": [0, 5],
        "piao.inside_liangdao": [False, True],
        "maima.enabled": [False, True],
        "maima.dragon": [0, 10],
        "maima.payer": ["each", "shared"],
        "maima.inside_liangdao": [False, True],
        "rooms": [()],
    }
    if base.tiles.wild != "none":
        choices |= {
            "shapes.wild_pair_alone": [False, True],
            "fans.wild_in_kawuxing": [False, True],
            "fans.kong_flower_after_red": [0, 3],
        }
    chosen = {field: options[rng.integers(len(options))] for field, options in choices.items()}
    return changed(base, chosen | {"fans.values": values | {"ping_hu": 1}})


def _events(rng: np.random.Generator, by: str, melds: list[Meld]) -> tuple[str, ...]:
    """Draw events, and leave out those that cannot be with these melds or together."""
    drawn = [event for event in (DRAW_EVENTS if by == "self_draw" else DISCARD_EVENTS) if rng.random() < 0.12]
    first = [event for event in drawn if event in FIRST_TILES]
    if "robbing_kong" in drawn:
        left_out = ["kong_cannon"]
    elif melds or not first:
        left_out = first
    elif "earthly_hand" in first:
        left_out = [event for event in drawn if event != "earthly_hand"]
    else:
        left_out = [event for event in drawn if event not in first]
    return tuple(event for event in drawn if event not in left_out)


def _winning_tile(rng: np.random.Generator, hand: list[int], melds: list[Meld]) -> int:
    """Choose mostly what brings a fan: the fourth of a pong, or a 5."""
    for telling in ([meld.tile for meld in melds], FIVES):
        tiles = [tile for tile in hand if tile in telling]
        if tiles and rng.random() < 0.6:
            return int(rng.choice(tiles))
    return int(rng.choice(hand))


def _sets_and_pair(rng: np.random.Generator, rules: Ruleset) -> tuple[list[int], list[Meld]]:
    kinds = rules.n_kinds if rules.tiles.wild == "none" else 18
    # Few kinds make flushes, fours of a kind and hands of many readings.
    low = int(rng.integers(0, 6))
    suits = rng.permutation([0, 9])
    narrow, one_suit = rng.random() < 0.5, rng.random() < 0.5
    triplets, dragons = rng.choice([0.2, 0.5, 1.0]), rng.random() < 0.25

    def kind(top: int) -> int:
        if top == 9 and dragons and kinds > 18 and rng.random() < 0.7:
            return int(rng.integers(18, kinds))
        start = suits[0] if one_suit or rng.random() < 0.5 else suits[1]
        rank = low + int(rng.integers(0, 4)) if narrow else int(rng.integers(0, 9))
        return int(start + min(rank, top - 1))

    melds: list[Meld] = []
    hand: list[int] = []
    called = int(rng.choice([0, 0, 0, 1, 2, 3, 4]))
    for n in range(4):
        if n < called:
            name = str(rng.choice(["pong", "pong", "direct_kong", "concealed_kong", "added_kong"]))
            melds.append(Meld(name, kind(9)))
        elif rng.random() < triplets:
            hand += [kind(9)] * 3
        else:
            first = kind(7)
            hand += [first, first + 1, first + 2]
    hand += [kind(9)] * 2
    return _with_wilds(rng, rules, hand, melds)


def _seven_pairs(rng: np.random.Generator, rules: Ruleset) -> tuple[list[int], list[Meld]]:
    kinds = rules.n_kinds if rules.tiles.wild == "none" else 18
    span = int(rng.integers(4, 10))
    start = int(rng.choice([0, 9, kinds - span]))
    pairs = start + rng.choice(span, 7, replace=span < 7 or rng.random() < 0.5)
    return _with_wilds(rng, rules, [int(tile) for tile in pairs for _ in range(2)], [])


def _with_wilds(
    rng: np.random.Generator, rules: Ruleset, hand: list[int], melds: list[Meld]
) -> tuple[list[int], list[Meld]]:
    if rules.tiles.wild == "none":
        return hand, melds
    if melds and rng.random() < 0.2:
        melds[0] = Meld("concealed_kong", RED)
    else:
        for place in rng.permutation(len(hand))[: rng.integers(0, 5)]:
            hand[place] = RED
    return hand, melds


def _melds_exist(melds: list[Meld]) -> bool:
    return all(meld.kind == "concealed_kong" for meld in melds if meld.tile == RED)


def _turned(rng: np.random.Generator, rules: Ruleset, held: np.ndarray) -> int:
    return int(rng.choice(np.flatnonzero(held[: rules.n_kinds] < 4)))
