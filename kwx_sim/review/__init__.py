"""复盘: recorded rounds gone through decision by decision, for what another choice would have been worth."""

from kwx_sim.review.report import Review
from kwx_sim.review.run import review

__all__ = ["Review", "review"]
