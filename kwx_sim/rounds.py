"""The rounds of a run as a Parquet data set, a row a round, for questions that no table answers.

`kwx simulate --rounds` leaves it under `rounds/` in the run's directory: a file a block, hive-partitioned by `part`
(128 blocks, a million rounds), compressed with zstd. Money is in bases, tiles are written `5s`, `3p`, `中`; a column
that ends in 0, 1 or 2 is that seat's. What did not happen is null. Numbers are wide enough to be subtracted and summed.

| column | what it is |
|---|---|
| `number` | the round, as `kwx play --first` takes it |
| `dealer`, `next_dealer` | seats |
| `outcome` | `self_draw`, `discard`, `robbed`, `undecided` |
| `feeder` | the seat that discarded or put to a kong what was won |
| `win_tile`, `maima_tile` | the tile won by, the tile turned after a self-draw |
| `maima_points` | what that tile brought the winner from both others |
| `wall`, `discards` | tiles left in the wall, discards in all |
| `first_declared` | the seat that was the first to declare (亮倒) |
| `points_0` … | won or lost in all; `kong_`, `win_` and `undecided_points_0` … are its parts |
| `won_0` … | whether the seat won; two win a double win |
| `fan_0`, `fans_0`, `waits_0` … | of a winner: fan before cap and liangdao, fans by name, tiles waited for |
| `declared_at_0` … | own draws when the seat declared |
| `draws_0` … | own draws |
| `pongs_0`, `direct_kongs_0`, `concealed_kongs_0`, `added_kongs_0` … | melds at the end |
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core.state import DISCARD_WON, KONG_ROBBED, NO_TILE
from kwx_sim.play import OUTCOMES
from kwx_sim.rules import FANS
from kwx_sim.tiles import MELD_KINDS, NUM_KINDS, tile_name

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["rounds_to_parquet", "rounds_to_table"]

SEATS = range(3)
NOBODY = 3
COMPRESSION_LEVEL = 1
"""Level 3 takes as long and makes the file no smaller."""


def rounds_to_parquet(rounds: NDArray[np.void]) -> bytes:
    """Rounds, (n,) core.rows.ROUND, as a Parquet file; the same bytes for the same rounds and version of Arrow."""
    import pyarrow as pa
    from pyarrow import parquet

    sink = pa.BufferOutputStream()
    table = rounds_to_table(rounds)
    parquet.write_table(
        table,
        sink,
        compression="zstd",
        compression_level=COMPRESSION_LEVEL,
        # The numbers of the rounds are all different: as differences they take no room at all.
        use_dictionary=[name for name in table.column_names if name != "number"],
        column_encoding={"number": "DELTA_BINARY_PACKED"},
        # Texts are to be read as such, and not as the categories that they are here.
        store_schema=False,
    )
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]  # Arrow has no types


def rounds_to_table(rounds: NDArray[np.void]) -> pa.Table:
    """Rounds, (n,) core.rows.ROUND, as an Arrow table with the columns above."""
    import pyarrow as pa

    won = rounds["winners"][:, None] >> np.arange(3, dtype=np.uint8) & 1 == 1
    fed = np.isin(rounds["outcome"], (DISCARD_WON, KONG_ROBBED))
    declared = rounds["declared"] != 0
    parts = {
        "kong_points": rounds["kong_points"],
        "win_points": rounds["win_points"].sum(axis=1, dtype=np.int32),
        "undecided_points": rounds["undecided_points"],
    }
    columns = {
        "number": rounds["number"],
        "dealer": _numbers(rounds["dealer"]),
        "next_dealer": _numbers(rounds["next_dealer"]),
        "outcome": _texts(rounds["outcome"], _outcome),
        "feeder": _numbers(rounds["feeder"], fed),
        "win_tile": _texts(rounds["win_tile"], tile_name, rounds["win_tile"] != NO_TILE),
        "maima_tile": _texts(rounds["maima_tile"], tile_name, rounds["maima_tile"] != NO_TILE),
        "maima_points": _numbers(rounds["maima_points"]),
        "wall": _numbers(rounds["wall"]),
        "discards": _numbers(rounds["discards"]),
        "first_declared": _numbers(rounds["first_declared"], rounds["first_declared"] != NOBODY),
        **_by_seat("points", sum(parts.values())),
    }
    for name, points in parts.items():
        columns |= _by_seat(name, points)
    columns |= {f"won_{seat}": pa.array(won[:, seat]) for seat in SEATS}
    columns |= _by_seat("fan", rounds["win_fan"], won)
    columns |= {f"fans_{seat}": _texts(rounds["win_fans"][:, seat], _fans, won[:, seat]) for seat in SEATS}
    columns |= {f"waits_{seat}": _texts(rounds["win_waits"][:, seat], _waits, won[:, seat]) for seat in SEATS}
    columns |= _by_seat("declared_at", rounds["declared_at"], declared)
    columns |= _by_seat("draws", rounds["draws"])
    for kind, name in enumerate(MELD_KINDS):
        columns |= _by_seat(f"{name}s", rounds["melds"][:, :, kind])
    return pa.table(columns)


def _by_seat(name: str, values: Any, there: NDArray[np.bool_] | None = None) -> dict[str, Any]:
    """A column a seat of (n, 3) numbers."""
    return {f"{name}_{seat}": _numbers(values[:, seat], None if there is None else there[:, seat]) for seat in SEATS}


def _numbers(values: NDArray[Any], there: NDArray[np.bool_] | None = None) -> Any:
    """A column of whole numbers, four bytes wide: in pandas, narrow and unsigned ones would wrap."""
    import pyarrow as pa

    return pa.array(values.astype(np.int32), mask=None if there is None else ~there)


def _texts(codes: NDArray[Any], text: Callable[[int], str], there: NDArray[np.bool_] | None = None) -> Any:
    """A column of codes as text; each code is put into words once."""
    import pyarrow as pa

    encoded = pa.array(codes, mask=None if there is None else ~there).dictionary_encode()
    words = pa.array(map(text, encoded.dictionary.to_pylist()), pa.string())
    return pa.DictionaryArray.from_arrays(encoded.indices, words)


def _outcome(code: int) -> str:
    return OUTCOMES[code]


def _fans(mask: int) -> str:
    return " ".join(fan for bit, fan in enumerate(FANS) if mask >> bit & 1)


@lru_cache(maxsize=1 << 14)
def _waits(mask: int) -> str:
    return " ".join(tile_name(slot) for slot in range(NUM_KINDS) if mask >> slot & 1)
