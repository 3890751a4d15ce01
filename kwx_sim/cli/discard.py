"""`kwx discard`: which tile to discard with any hand, and what each could feed."""

from kwx_sim.cli.asking import asking
from kwx_sim.cli.command import option

__all__ = ["discard"]

discard = asking("discard", drawn=option("--drawn", "-d", key="asking.drawn", metavar="TILE"))
