"""`kwx liangdao`: with a hand that a discard makes ready, declare or not, and why."""

from kwx_sim.cli.asking import asking
from kwx_sim.cli.command import option

__all__ = ["liangdao"]

liangdao = asking("liangdao", drawn=option("--drawn", "-d", key="asking.drawn", metavar="TILE"))
