"""The query: what to do in a position, in worlds that agree with what is known, with figures and reasons."""

from kwx_sim.query.ask import best_discard, should_claim, should_liangdao
from kwx_sim.query.decision import Decision

__all__ = ["Decision", "best_discard", "should_claim", "should_liangdao"]
