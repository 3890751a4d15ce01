"""A run on disk: what was run, one file a finished block, and nothing that is not whole.

A run's directory holds

    manifest.json                               everything that can change a result, and the number of rounds
    blocks/000012.block                         a finished block: its sums, under a checksum
    rounds/part=0000/block-000012.parquet       where asked for, the block's rounds, a row each (`kwx_sim.rounds`)
    run.lock                                    held while a process plays into the directory
    *.csv, *.parquet, notes.md, provenance.json the tables, once all rounds are there

Every file is written under a temporary name, synced and renamed: one that has its name is whole, also after the power
failed. Should it still be damaged later, its checksum tells, and the block is played again. Nothing here is pickled, no
link is followed, and every reader takes at most so many bytes.
"""

from kwx_sim.store.directory import Block, Store, finished_blocks
from kwx_sim.store.files import write_whole
from kwx_sim.store.listing import Listed, list_runs
from kwx_sim.store.manifest import Extent, read_manifest
from kwx_sim.store.merging import merge

__all__ = [
    "Block",
    "Extent",
    "Listed",
    "Store",
    "finished_blocks",
    "list_runs",
    "merge",
    "read_manifest",
    "write_whole",
]
