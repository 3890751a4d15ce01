"""Records in forms of others: read as what was told of a round, then played again by this engine."""

from kwx_sim.records.importers.mjai import read_mjai
from kwx_sim.records.importers.mpsz import read_mpsz
from kwx_sim.records.importers.rebuild import RecordedRound, rebuild

__all__ = ["RecordedRound", "read_mjai", "read_mpsz", "rebuild"]
