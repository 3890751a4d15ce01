"""The look-up tables, built from the 21,743 blocks of sets, with a pair or without, and from the distance automata."""

from math import comb

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core import automaton, steps
from kwx_sim.core.automaton import COPIES, FAR, KONGED, PONGED, Automaton
from kwx_sim.core.jit import records
from kwx_sim.core.layout import (
    ANY_PAIR,
    COMBINED_STARTS,
    COMPLETE,
    COUNT,
    CRITICAL_DRAGONS,
    CRITICAL_FIRST,
    CRITICAL_SECOND,
    CRITICAL_SHANTEN,
    DISCARD_TILES,
    DRAGON_AIMS,
    DRAGON_BLOCKS,
    DRAW_ROW,
    DRAW_TILES,
    EVEN,
    FOUR,
    HELD,
    MOST_TILES,
    NATURAL_PAIR,
    NO_PAIR,
    ODD,
    ODD_KIND,
    PAIR_AIMS,
    PAIR_HIGH,
    PAIR_LOW,
    PAIR_NEED,
    PAIRS,
    SETS_AIMS,
    SETS_HIGH,
    SETS_LOW,
    SETS_NEED,
    SUIT_BLOCKS,
    TABLES,
    TRIPLETS,
    Tables,
)

__all__ = ["build_tables"]

# Symbols of a kind (`automaton`) after one more and one fewer; where that cannot be, the same.
AFTER_DRAW = np.array([1, 2, 3, 4, 4, 6, 6, 7])
AFTER_DISCARD = np.array([0, 0, 1, 2, 3, 5, 5, 7])


def build_tables() -> Tables:
    """Build the tables, shape (1,), dtype TABLES."""
    tables = records(1, TABLES)
    record = tables[0]
    record["half"] = _half_table()
    record["suit"] = _completion_table(9)
    record["dragon"] = _completion_table(3)
    suits, dragons = automaton.suit_automaton(), automaton.dragon_automaton()
    suits, dragons = _in_merged_order(suits), _in_merged_order(dragons)
    suit_class = _final_states(suits, 9)
    _fill_dragons(record, dragons)
    _fill_limited(record, suits)
    _fill_combined(record, suits, dragons)
    free = suits.classes[: suit_class.max() + 1]
    draw_row, record["draws"] = _draws(free, suit_class)
    record["suit_class"] = suit_class | _pair_counts(9) << PAIRS | draw_row.astype(np.uint32) << DRAW_ROW
    record["suit_discards"], record["discards"] = _discards(free, suit_class)
    _fill_wild(record)
    return tables


def _in_merged_order(machine: Automaton) -> Automaton:
    """The same with the classes that no meld limits in the order that `merged` has for a hand without melds."""
    place = np.arange(len(machine.classes))
    merged, distinct = _merge_classes(machine.classes, 0)
    place[: len(distinct)] = merged[: len(distinct)]
    classes = np.empty_like(machine.classes)
    classes[place] = machine.classes
    return Automaton([*machine.steps[:-1], place[machine.steps[-1]]], classes)


def _digits(kinds: int) -> NDArray[np.uint8]:
    """The digits of every block, shape (kinds, 5 ** kinds)."""
    blocks = np.arange(5**kinds)
    return np.stack([(blocks // 5**kind % 5).astype(np.uint8) for kind in range(kinds)])


def _join(chunk: NDArray[np.integer], kinds: int, shift: int) -> NDArray[np.integer]:
    """A table of three kinds (125,) -> of nine: three chunks' values, each `shift` bits higher, added up."""
    if kinds == 3:
        return chunk
    wide = chunk.astype(np.uint16)
    return (wide[None, None, :] + (wide << shift)[None, :, None] + (wide << 2 * shift)[:, None, None]).ravel()


def _odd_kinds(kinds: int) -> NDArray[np.integer]:
    return _join((_digits(3) % 2 * (1 << np.arange(3))[:, None]).sum(0), kinds, 3)


def _pair_counts(kinds: int) -> NDArray[np.integer]:
    return np.minimum(_join((_digits(3) // 2).sum(0), kinds, 0), 7).astype(np.uint16)


def _half_table() -> NDArray[np.uint32]:
    digits, bits = _digits(5), (1 << np.arange(5))[:, None]
    fields = {HELD: digits > 0, ODD: digits % 2 == 1, FOUR: digits == 4}
    table = digits.sum(0, dtype=np.uint32) << COUNT
    for shift, has in fields.items():
        table |= (has * bits).sum(0).astype(np.uint32) << shift
    return table


def _completion_table(kinds: int) -> NDArray[np.uint16]:
    """Kinds that complete each block, whether it is complete, and its flags for triplets and pairs."""
    table = np.zeros(5**kinds, np.uint16)
    powers = 5 ** np.arange(kinds)
    triplets = 3 * powers
    runs = powers[:-2] * 31 if kinds == 9 else powers[:0]
    sets = np.concatenate([triplets, runs])
    complete = _complete_blocks(sets, powers)
    table[complete] = 1 << COMPLETE
    table[_complete_blocks(triplets, powers)] |= 1 << TRIPLETS
    for kind, power in enumerate(powers):
        table[complete[complete // power % 5 > 0] - power] |= 1 << kind
    only_kind = np.zeros(1 << kinds, np.uint16)
    only_kind[1 << np.arange(kinds)] = np.arange(1, kinds + 1)
    only_kind <<= ODD_KIND
    only_kind[0] = 1 << EVEN
    return table | only_kind[_odd_kinds(kinds)]


def _complete_blocks(sets: NDArray[np.integer], powers: NDArray[np.integer]) -> NDArray[np.integer]:
    """Every block of at most four of these sets, and a pair or none, with at most four copies of a kind."""
    level = np.zeros(1, np.int64)
    levels = [level]
    for _ in range(4):
        level = np.unique(_sums(level, sets, powers))
        levels.append(level)
    blocks = np.concatenate(levels)
    return np.unique(np.concatenate([blocks, _sums(blocks, 2 * powers, powers)]))


def _sums(blocks: NDArray[np.integer], parts: NDArray[np.integer], powers: NDArray[np.integer]) -> NDArray[np.integer]:
    """Block + part for each of both, unless a kind would exceed four copies."""
    digits = blocks[:, None, None] // powers % 5 + parts[None, :, None] // powers % 5
    return (blocks[:, None] + parts)[(digits <= 4).all(axis=2)]


def _final_states(machine: Automaton, kinds: int) -> NDArray[np.uint16]:
    """The last state of every block of free kinds, shape (5 ** kinds,)."""
    state = np.zeros(1, np.uint16)
    for step in machine.steps[:kinds]:
        state = step[:, :5].T.astype(np.uint16).take(state, axis=1).ravel()
    return state


def _fill_dragons(record: np.void, machine: Automaton) -> None:
    """Class, pairs and steps by block + 125 * (ponged kinds | konged kinds << 3)."""
    one, two, three = machine.steps
    states = three[two[one]][0]  # first, second, third
    symbols = _dragon_symbols()
    classes, aims = states[tuple(symbols)], steps.aims_of(machine.classes)[:, :DRAGON_AIMS]
    record["dragon_class"] = classes | np.tile(_pair_counts(3), 64) << PAIRS
    for name, judge, change in (
        ("dragon_draws", steps.lowered, AFTER_DRAW),
        ("dragon_discards", steps.unchanged, AFTER_DISCARD),
    ):
        changes = []
        for kind in range(3):
            after = symbols.copy()
            after[kind] = change[symbols[kind]]
            changes.append((after[kind] != symbols[kind], states[tuple(after)]))
        record[name] = steps.rows(aims, judge, classes, changes)[:, 0]


def _dragon_symbols() -> NDArray[np.integer]:
    """The symbols of the three kinds, (3, 64 * 125), by block + 125 * (ponged | konged << 3)."""
    melds = np.arange(64)[:, None]
    symbols = np.zeros((3, 64, DRAGON_BLOCKS), np.int64)
    for kind, held in enumerate(_digits(3).astype(np.int64)):
        ponged, konged = melds >> kind & 1, melds >> 3 + kind & 1
        symbols[kind] = np.where(konged, KONGED, np.where(ponged, PONGED + np.minimum(held, 1), held))
    return symbols.reshape(3, -1)


def _fill_limited(record: np.void, machine: Automaton) -> None:
    """Suits that melds limit: an automaton that reads five kinds, and one that reads four from where it stands."""
    digits = _digits(5).astype(np.uint16)
    record["octal"] = (digits << 3 * np.arange(5, dtype=np.uint16)[:, None]).sum(0)
    kinds = np.arange(512)[:, None] >> np.arange(9) & 1
    record["places"] = (kinds << 3 * np.arange(9)).sum(1)
    machine_steps = _smallest(machine.steps)
    prefix = _paths(np.zeros(1, np.int64), machine_steps[:5])[0]
    suffixes = _paths(np.arange(len(machine_steps[5])), machine_steps[5:]).astype(np.uint16)
    record["prefix"] = prefix
    record["suffix"], columns = steps.listed(np.ascontiguousarray(suffixes.T))
    record["joined"] = columns.T.ravel()


def _paths(states: NDArray[np.int64], steps: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """From each state the last one, (states, strings of symbols): the first kind's symbol lowest."""
    path = states[:, None]
    for step in steps:
        path = step[path].transpose(0, 2, 1).reshape(len(states), -1)
    return path


def _smallest(steps: list[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """The same automaton with the fewest states: from the end, states with equal steps are one."""
    smallest = []
    number = np.arange(steps[-1].max() + 1)
    for step in reversed(steps):
        rows = number[step]
        merged, number = np.unique(rows, axis=0, return_inverse=True)
        smallest.append(merged)
    return smallest[::-1]


def _fill_combined(record: np.void, suits: Automaton, dragons: Automaton) -> None:
    """Shanten by number of melds and the classes of both suits and of the dragons."""
    record["suit_cost"], record["dragon_cost"] = suits.classes, dragons.classes
    for melds in range(5):
        record["merged"][melds], suit = _merge_classes(suits.classes, melds)
        record["merged_dragon"][melds], dragon = _merge_classes(dragons.classes, melds)
        missing = _add_costs(_add_costs(suit[:, None, None], suit[None, :, None]), dragon[None, None, :])
        start, stop = COMBINED_STARTS[melds : melds + 2]
        record["combined"][start:stop] = missing[..., -1, 1].ravel().astype(np.int8) - 1
        record["critical"][start:stop] = _critical(suit, dragon, missing[..., -1, 1])


def _merge_classes(costs: NDArray[np.uint8], melds: int) -> tuple[NDArray[np.integer], NDArray[np.uint8]]:
    """Classes that behave alike with so many melds: each one's number, and their costs (classes, sets, pair)."""
    limits = (costs[:, :, 0] == automaton.FAR).sum(axis=1)
    possible = limits <= melds
    distinct, number = np.unique(costs[possible, : 5 - melds], axis=0, return_inverse=True)
    merged = np.zeros(len(costs), np.uint8)
    merged[possible] = number
    return merged, distinct


def _add_costs(left: NDArray[np.uint8], right: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Fewest tiles missing in two blocks together: (..., sets, pair) of both -> the same."""
    shape = np.broadcast_shapes(left.shape, right.shape)
    total = np.full(shape, 99, np.uint8)
    for sets in range(shape[-2]):
        for of_left in range(sets + 1):
            a, b = left[..., of_left, :], right[..., sets - of_left, :]
            np.minimum(total[..., sets, 0], a[..., 0] + b[..., 0], out=total[..., sets, 0])
            with_pair = np.minimum(a[..., 1:] + b[..., :1], a[..., :1] + b[..., 1:])
            np.minimum(total[..., sets, 1:], with_pair, out=total[..., sets, 1:])
    return total


def _critical(suit: NDArray[np.uint8], dragon: NDArray[np.uint8], missing: NDArray[np.uint8]) -> NDArray[np.integer]:
    """The entries of `critical` for classes of suit, suit and dragons."""
    of_suit = _aims_that_reach(suit, _add_costs(suit[:, None], dragon[None, :]), missing)
    of_dragons = _aims_that_reach(dragon, _add_costs(suit[:, None], suit[None, :]), missing.transpose(2, 0, 1))
    critical = of_suit << CRITICAL_FIRST | of_suit.transpose(1, 0, 2) << CRITICAL_SECOND
    critical |= (of_dragons.transpose(1, 2, 0) & (1 << DRAGON_AIMS) - 1) << CRITICAL_DRAGONS
    return (critical | missing.astype(np.uint32) << CRITICAL_SHANTEN).ravel()


def _aims_that_reach(
    own: NDArray[np.uint8], others: NDArray[np.uint8], missing: NDArray[np.uint8]
) -> NDArray[np.uint32]:
    """Bits of the aims of a class with which the rest of the hand comes to just what is missing."""
    last = own.shape[1] - 1
    reaching = np.zeros(missing.shape, np.uint32)
    for sets in range(last + 1):
        for pair, aim in ((-1, PAIR_AIMS[sets]), (0, SETS_AIMS[sets])):
            reached = own[:, sets, pair, None, None] + others[None, :, :, last - sets, -1 - pair] == missing
            reaching |= reached.astype(np.uint32) << np.uint32(aim)
    return reaching


Steps = tuple[NDArray[np.integer], NDArray[np.uint64]]
"""Every suit block's row, 0 for none, and the rows."""


def _draws(costs: NDArray[np.uint8], classes: NDArray[np.integer]) -> Steps:
    blocks = np.flatnonzero(_join(_digits(3).sum(0), 9, 0) <= DRAW_TILES)
    powers = 5 ** np.arange(9)
    changes = [(blocks // one % 5 < 4, classes[np.minimum(blocks + one, SUIT_BLOCKS - 1)]) for one in powers]
    return _numbered(blocks, steps.rows(steps.aims_of(costs), steps.lowered, classes[blocks], changes))


def _discards(costs: NDArray[np.uint8], classes: NDArray[np.integer]) -> Steps:
    blocks = np.flatnonzero(_join(_digits(3).sum(0), 9, 0) <= DISCARD_TILES)
    powers = 5 ** np.arange(9)
    changes = [(blocks // one % 5 > 0, classes[np.maximum(blocks - one, 0)]) for one in powers]
    return _numbered(blocks, steps.rows(steps.aims_of(costs), steps.unchanged, classes[blocks], changes))


def _numbered(blocks: NDArray[np.integer], rows: NDArray[np.uint64]) -> Steps:
    # Rows of blocks that are often dealt lie together, so that fewer lines of the cache hold them.
    place, different = steps.listed(rows)
    order = np.argsort(-np.bincount(place, _deals(blocks)), kind="stable")
    numbers = np.zeros(SUIT_BLOCKS, np.uint16)
    numbers[blocks] = np.argsort(order)[place] + 1
    return numbers, np.concatenate([np.zeros((1, 2), np.uint64), different[order]])


def _deals(blocks: NDArray[np.integer]) -> NDArray[np.float64]:
    """How many ways there are to be dealt 13 of 84 tiles with each block."""
    ways = np.array([comb(COPIES, held) for held in range(COPIES + 1)], float)
    rest = np.array([comb(12 * COPIES, max(13 - tiles, 0)) for tiles in range(MOST_TILES + 1)], float)
    deals, tiles = np.ones(len(blocks)), np.zeros(len(blocks), np.int64)
    for power in 5 ** np.arange(9):
        held = blocks // power % 5
        deals *= ways[held]
        tiles += held
    return deals * rest[tiles]


def _fill_wild(record: np.void) -> None:
    machine = automaton.wild_automaton()
    record["wild_class"] = wild_class = _final_states(machine, 9)
    record["wild_suit_draws"], record["wild_draws"] = _draws(machine.classes, wild_class)
    record["wild_suit_discards"], record["wild_discards"] = _discards(machine.classes, wild_class)
    record["wild_cost"] = machine.classes
    both = _add_costs(machine.classes[:, None], machine.classes[None, :]).astype(np.uint32)
    packed = both[..., 0] << NO_PAIR | both[..., 1] << NATURAL_PAIR | both[..., 2] << ANY_PAIR
    record["wild_combined"] = packed.transpose(2, 0, 1)
    nothing = np.full((1, 5, 3), FAR, np.uint8)
    nothing[0, 0, 0] = 0
    for melds in range(5):
        suit = machine.classes[:, : 5 - melds]
        missing = both[:, :, 4 - melds, -1, None].astype(np.uint8)
        record["wild_critical"][4 - melds] = _critical(suit, nothing[:, : 5 - melds], missing).reshape(len(suit), -1)
    machine = automaton.need_automaton()
    state = _final_states(machine, 9).astype(np.uint8)
    sets, pair = machine.classes[:, 0].astype(np.uint64).T
    reached = np.zeros_like(sets)
    for need, low, high in ((sets, SETS_LOW, SETS_HIGH), (pair, PAIR_LOW, PAIR_HIGH)):
        reached |= (need <= 2).astype(np.uint64) << low | (need <= 4).astype(np.uint64) << high
    # Larger blocks never occur: 405,350 of the 1,953,125 do.
    blocks = np.flatnonzero(_join(_digits(3).sum(0), 9, 0) <= MOST_TILES)
    words = (sets << SETS_NEED | pair << PAIR_NEED)[state[blocks]]
    for kind in range(9):
        may_draw = blocks // 5**kind % 5 < 4
        drawn = state[np.minimum(blocks + 5**kind, SUIT_BLOCKS - 1)]
        words |= np.where(may_draw, reached[drawn], 0) << kind
    record["wild"][blocks] = words
