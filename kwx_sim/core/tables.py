"""The look-up tables behind the shape kernels: what they hold, how they are built, where they are kept.

A block of nine kinds is a base-5 number, the digit of its first kind lowest; the three dragons are one of three
digits. Everything is built from the 21,743 blocks that are sets, or sets and a pair, and from the distance automata.
"""

import functools
import os
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core import automaton
from kwx_sim.core.automaton import SYMBOLS, Automaton
from kwx_sim.core.jit import CACHE_DIR, records

__all__ = ["TABLES", "build_tables", "load_tables"]

SUIT_BLOCKS = 5**9
DRAGON_BLOCKS = 5**3
HALF = 5**5  # a block is read as its low five kinds and its high four

# Bits of `suit` and `dragon`; bits 0-8 are the kinds that complete the block.
COMPLETE = 9  # sets, or sets and a pair
TRIPLETS = 10  # the same without sequences
EVEN = 11  # only pairs and fours
ODD_KIND = 12  # four bits: 1 + the only kind held an odd number of times; 0 where there is none or several

# Bits of `suit_class` and `dragon_class`; bits 0-7 are the class.
PAIRS = 8  # three bits: pairs for seven pairs, a four of a kind counts two

# Bits of `half`, each field five kinds wide.
HELD, ODD, FOUR, COUNT = 0, 5, 10, 15

# Bits of `wild`: the kinds that bring a block within the fewest wild tiles that its size allows (LOW), or three more
# (HIGH), of being sets, or sets and a pair, nine bits each; then the wild tiles that it needs itself, 5: too many.
SETS_LOW, SETS_HIGH, PAIR_LOW, PAIR_HIGH, SETS_NEED, PAIR_NEED = 0, 9, 18, 27, 36, 39

# Bits of `wild_combined`, eight each.
NATURAL_PAIR, ANY_PAIR, NO_PAIR = 0, 8, 16

SUIT_CLASSES, DRAGON_CLASSES, WILD_CLASSES = 287, 35, 110
MOST_TILES = 14
CHUNK_SYMBOLS = len(SYMBOLS) ** 3
CHUNK_STATES = (337, 2380)  # states of the smallest automaton after three and after six kinds
# With 0-4 melds: how many classes still differ, of suits and of dragons.
MERGED = ((126, 20), (96, 20), (46, 19), (16, 9), (3, 3))
COMBINED_STARTS = tuple(int(n) for n in np.cumsum([0] + [suits * suits * dragons for suits, dragons in MERGED]))

TABLES = np.dtype(
    [
        ("suit", "u2", (SUIT_BLOCKS,)),
        ("dragon", "u2", (DRAGON_BLOCKS,)),
        ("half", "u4", (HALF,)),
        # Shanten: class of a block that no meld limits; of the dragons with ponged << 3 and konged << 6 kinds, by 125.
        ("suit_class", "u2", (SUIT_BLOCKS,)),
        ("dragon_class", "u2", (64 * DRAGON_BLOCKS,)),
        # Class of a suit that melds limit, three kinds at a time: chunk symbol, then states after 3, 6, 9 kinds.
        ("chunk", "u2", (64 * DRAGON_BLOCKS,)),
        ("first", "u2", (CHUNK_SYMBOLS,)),
        ("second", "u2", (CHUNK_STATES[0] * CHUNK_SYMBOLS,)),
        ("third", "u2", (CHUNK_STATES[1] * CHUNK_SYMBOLS,)),
        # By melds: classes that still differ, then shanten by suit, suit, dragons.
        ("merged", "u1", (5, SUIT_CLASSES)),
        ("merged_dragon", "u1", (5, DRAGON_CLASSES)),
        ("combined", "i1", (COMBINED_STARTS[-1],)),
        # Tiles missing by class, sets and pair (with wild tiles: none, with a natural tile, any).
        ("suit_cost", "u1", (SUIT_CLASSES, 5, 2)),
        ("dragon_cost", "u1", (DRAGON_CLASSES, 5, 2)),
        ("wild", "u8", (SUIT_BLOCKS,)),
        ("wild_class", "u1", (SUIT_BLOCKS,)),
        ("wild_cost", "u1", (WILD_CLASSES, 5, 3)),
        # Of both suits together, by sets and classes: missing for the sets, and with each sort of pair.
        ("wild_combined", "u4", (5, WILD_CLASSES, WILD_CLASSES)),
    ]
)

MAGIC = b"kwx_sim tables"  # how a file of tables begins

Tables = NDArray[np.void]


@functools.cache
def load_tables() -> Tables:
    """The tables, shape (1,), dtype TABLES: from the cache directory where they are there, else built and kept there.

    A cached file that does not have the right size is built anew; without a writable directory they stay in memory.
    """
    path = CACHE_DIR / "tables.bin" if CACHE_DIR is not None else None
    if path is not None:
        tables = _read(path)
        if tables is not None:
            return tables
    tables = build_tables()
    if path is not None:
        _write(path, tables)
    return tables


def _read(path: Path) -> Tables | None:
    try:
        if path.stat().st_size != TABLES.itemsize + len(MAGIC):
            return None
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                return None
            tables = records(1, TABLES)
            file.readinto(tables.view(np.uint8))  # type: ignore[arg-type]  # an array is a buffer
            return tables
    except OSError:
        return None


def _write(path: Path, tables: Tables) -> None:
    """All or nothing: other processes see the whole file or none."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(MAGIC)
                tables.tofile(file)
            os.replace(name, path)
        except OSError:
            os.unlink(name)
    except OSError:
        return


def build_tables() -> Tables:
    """Build the tables, shape (1,), dtype TABLES."""
    tables = records(1, TABLES)
    record = tables[0]
    record["half"] = _half_table()
    record["suit"] = _completion_table(9)
    record["dragon"] = _completion_table(3)
    suits, dragons = automaton.suit_automaton(), automaton.dragon_automaton()
    record["suit_class"] = _final_states(suits, 9) | _pair_counts(9) << PAIRS
    record["dragon_class"] = _dragon_classes(dragons)
    _fill_limited(record, suits)
    _fill_combined(record, suits, dragons)
    _fill_wild(record)
    return tables


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


def _dragon_classes(machine: Automaton) -> NDArray[np.integer]:
    """Class and pairs by block + 125 * (ponged kinds | konged kinds << 3)."""
    path = _chunk_states(machine.steps)[0]
    return (path[_chunk_symbols()] | np.tile(_pair_counts(3), 64) << PAIRS).astype(np.uint16)


def _chunk_symbols() -> NDArray[np.integer]:
    """What three kinds bring: by block + 125 * (ponged | konged << 3), a number of three base-8 digits."""
    melds = np.arange(64)[:, None]
    symbol = np.zeros((64, DRAGON_BLOCKS), np.int64)
    for kind, held in enumerate(_digits(3).astype(np.int64)):
        ponged, konged = melds >> kind & 1, melds >> 3 + kind & 1
        of_kind = np.where(konged, 7, np.where(ponged, 5 + np.minimum(held, 1), held))
        symbol += of_kind << 3 * kind
    return symbol.ravel()


def _chunk_states(steps: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Three steps as one: [state, symbol of three kinds] -> state."""
    one, two, three = steps
    states = three[two[one]]  # state, first, second, third
    return states.transpose(0, 3, 2, 1).reshape(len(one), CHUNK_SYMBOLS)


def _fill_limited(record: np.void, machine: Automaton) -> None:
    steps = _smallest(machine.steps)
    record["chunk"] = _chunk_symbols()
    for name, first in (("first", 0), ("second", 3), ("third", 6)):
        record[name] = _chunk_states(steps[first : first + 3]).ravel()


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


def _fill_wild(record: np.void) -> None:
    machine = automaton.wild_automaton()
    record["wild_class"] = _final_states(machine, 9)
    record["wild_cost"] = machine.classes
    both = _add_costs(machine.classes[:, None], machine.classes[None, :]).astype(np.uint32)
    packed = both[..., 0] << NO_PAIR | both[..., 1] << NATURAL_PAIR | both[..., 2] << ANY_PAIR
    record["wild_combined"] = packed.transpose(2, 0, 1)
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
