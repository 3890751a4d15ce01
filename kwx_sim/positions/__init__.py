"""A position: what a player at the table knows when its turn has come, read, checked, and made ready for kernels."""

from kwx_sim.positions.check import check
from kwx_sim.positions.model import Discards, Player, Position, position_of
from kwx_sim.positions.read import read_position
from kwx_sim.positions.table import Assumption, Table

__all__ = ["Assumption", "Discards", "Player", "Position", "Table", "check", "position_of", "read_position"]
