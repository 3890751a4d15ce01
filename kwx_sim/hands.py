"""胡牌, 听牌, 向听, 进张 for people: one hand or a whole array of hands, checked, then answered by the kernels.

`counts` is the concealed tiles: 27 counts, or (n, 27) for n hands. `melds` is the tiles of the called and konged sets
likewise, three of a kind a pong, four a kong; one row of melds holds for every hand. `rules` is a ruleset, the name of
a preset or the path of a file; without it the shapes common to the 84-tile presets hold: four sets and a pair, and
seven pairs. Bad input raises InputError, a ValueError, in one line.
"""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from kwx_sim.core.batch import accept_rows, discard_rows, shanten_rows, wait_rows, win_rows
from kwx_sim.core.tables import load_tables
from kwx_sim.errors import InputError
from kwx_sim.rules import Ruleset, load_rules, pack
from kwx_sim.tiles import NUM_SLOTS, RED, tile_name

__all__ = ["acceptance", "best_discards", "is_hu", "shanten", "waits"]

Rules = Ruleset | str | Path | None
Kernel = Callable[..., int]

ANY_84 = "suizhou"  # its shapes are those of every 84-tile preset
COPIES, SET, WON = 4, 3, 14
NO_MELDS = np.zeros((0, NUM_SLOTS), np.uint8)
COUNT = NO_MELDS.dtype
FEW_ENOUGH = bytes(range(COPIES + 1))


def is_hu(counts: npt.ArrayLike, melds: npt.ArrayLike | None = None, rules: Rules = None) -> Any:
    """胡牌: whether 14 tiles, a meld counting three, are a winning hand.

    Returns a bool, or a bool array (n,). Raises InputError.
    """
    return _answer(win_rows, (WON,), bool, (), counts, melds, rules)


def waits(counts: npt.ArrayLike, melds: npt.ArrayLike | None = None, rules: Rules = None) -> Any:
    """听口: the kinds that complete 13 tiles, a meld counting three, but for those of which the player holds all four.

    Returns a bool array (27,), or (n, 27). Raises InputError.
    """
    return _answer(wait_rows, (WON - 1,), bool, (NUM_SLOTS,), counts, melds, rules)


def shanten(counts: npt.ArrayLike, melds: npt.ArrayLike | None = None, rules: Rules = None) -> Any:
    """向听数: tiles to draw until 13 or 14 tiles, a meld counting three, are ready: −1 won, 0 ready.

    99 where no draw can help: 缺一门 with sets of both suits called. Returns an int, or an int8 array (n,). Raises
    InputError.
    """
    return _answer(shanten_rows, (WON - 1, WON), np.int8, (), counts, melds, rules)


def acceptance(counts: npt.ArrayLike, melds: npt.ArrayLike | None = None, rules: Rules = None) -> Any:
    """进张: the kinds that bring 13 tiles, a meld counting three, a step nearer; for a ready hand, its waits.

    Returns a bool array (27,), or (n, 27). Raises InputError.
    """
    return _answer(accept_rows, (WON - 1,), bool, (NUM_SLOTS,), counts, melds, rules)


def best_discards(counts: npt.ArrayLike, melds: npt.ArrayLike | None = None, rules: Rules = None) -> Any:
    """打牌: the discards that leave 14 tiles, a meld counting three, nearest to ready, and what each then accepts.

    For each such kind the number of tiles that bring the hand nearer: copies of accepted kinds that are neither in the
    hand nor in its melds. −1 for every other kind. Returns an int8 array (27,), or (n, 27). Raises InputError.
    """
    return _answer(discard_rows, (WON,), np.int8, (NUM_SLOTS,), counts, melds, rules)


def _answer(
    kernel: Kernel,
    sizes: Sequence[int],
    dtype: npt.DTypeLike,
    shape: tuple[int, ...],
    counts: npt.ArrayLike,
    melds: npt.ArrayLike | None,
    rules: Rules,
) -> Any:
    hands = _rows("counts", counts)
    one = hands.ndim == 1
    if one:
        hands = hands[None]
    called = NO_MELDS if melds is None else _melds_of(hands, melds)
    packed = _packed(rules)
    out = np.empty((len(hands), *shape), dtype)
    wrong = kernel(load_tables(), packed, hands, called, out)
    if wrong >= 0:
        where = "hand" if one else f"hand {wrong}"
        _refuse(where, packed, sizes, hands[wrong], called[wrong] if len(called) else np.zeros_like(hands[0]))
    if not one:
        return out
    return out[0] if shape else out.item()


def _rows(name: str, values: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """The rows as the kernels take them: uint8, C-contiguous, writable."""
    if isinstance(values, (list, tuple)):
        row = _row_of_ints(values)
        if row is not None:
            return row
    try:
        rows = np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise InputError("hands.shape", name=name, got="ragged") from error
    if rows.ndim not in (1, 2) or rows.shape[-1] != NUM_SLOTS:
        raise InputError("hands.shape", name=name, got=rows.shape)
    if rows.dtype == COUNT:
        # A read-only array is another type to the compiler, and would have every kernel compiled once more.
        return rows if rows.flags.carray else rows.copy()
    if rows.dtype.kind not in "iu":
        raise InputError("hands.dtype", name=name, got=rows.dtype)
    if rows.ndim == 1:
        row = _row_of_ints(rows.tolist())
        if row is not None:
            return row
    outside = (rows < 0) | (rows > COPIES)
    if outside.any():
        *row, slot = np.argwhere(outside)[0].tolist()
        where = f"{name} {row[0]}" if row else name
        raise InputError("hands.count", where=where, tile=_name(slot), got=rows[(*row, slot)])
    return np.ascontiguousarray(rows, COUNT)


def _row_of_ints(values: Sequence[Any]) -> npt.NDArray[np.uint8] | None:
    """One row of counts from 0 to 4, in 0.5 µs; by numpy's way from a list, 3.5. None where it is anything else."""
    if len(values) != NUM_SLOTS or isinstance(values[0], bool):  # numpy tells a list of bools from whole numbers
        return None
    try:
        counts = bytearray(values)
    except (TypeError, ValueError):
        return None
    return None if counts.translate(None, FEW_ENOUGH) else np.frombuffer(counts, COUNT)


def _melds_of(hands: npt.NDArray[np.uint8], melds: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    called = _rows("melds", melds)
    if called.ndim == 1:
        return called[None] if len(hands) == 1 else called[None].repeat(len(hands), axis=0)
    if len(called) != len(hands):
        raise InputError("hands.rows", hands=len(hands), melds=len(called))
    return called


def _packed(rules: Rules) -> npt.NDArray[np.void]:
    return pack(rules) if isinstance(rules, Ruleset) else _packed_by_name(rules or ANY_84)


@cache
def _packed_by_name(name: str | Path) -> npt.NDArray[np.void]:
    return pack(load_rules(name))


def _refuse(
    where: str,
    packed: npt.NDArray[np.void],
    sizes: Sequence[int],
    hand: npt.NDArray[np.uint8],
    melds: npt.NDArray[np.uint8],
) -> NoReturn:
    """Tell what is wrong with a hand that a kernel refused."""
    kinds, wild, wild_kong = (int(packed[field][0]) for field in ("n_kinds", "wild", "wild_kong"))
    for slot, (held, called) in enumerate(zip(hand.tolist(), melds.tolist(), strict=True)):
        if slot >= kinds and held + called:
            raise InputError("hands.kind", where=where, tile=_name(slot), kinds=kinds)
        if called not in (0, 3, 4):
            raise InputError("hands.meld", where=where, tile=_name(slot), got=called)
        if held + called > COPIES:
            raise InputError("hands.copies", where=where, tile=_name(slot), held=held, melded=called)
        if slot == RED and wild and (called == SET or (called and not wild_kong)):
            raise InputError("hands.wild_meld", where=where)
    sets, tiles = int((melds > 0).sum()), int(hand.sum())
    wanted = " / ".join(str(size - SET * sets) for size in sizes if size >= SET * sets)
    if not wanted:
        raise InputError("hands.melds", where=where, got=sets)
    raise InputError("hands.tiles", where=where, wanted=wanted, melds=sets, got=tiles)


def _name(slot: int) -> str:
    return tile_name(slot) if slot <= RED + 2 else f"slot {slot}"
