"""`kwx claim`: another's tile is on offer; win it or let it go, pong or make a kong of it."""

from kwx_sim.cli.asking import asking
from kwx_sim.cli.command import option

__all__ = ["claim"]

claim = asking(
    "claim",
    offered=option("--offered", "-o", key="claim.offered", metavar="TILE"),
    offered_by=option("--offered-by", "-b", key="claim.offered_by", metavar="SEAT"),
    hand="claim.hand",
)
