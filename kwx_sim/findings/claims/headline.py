"""The section's main results: how many claims came out how, which turn round, and what does better still."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kwx_sim.findings.claims.notes import better_always
from kwx_sim.findings.claims.registry import Claim
from kwx_sim.findings.claims.results import NOT_TESTED, VARIED, Results
from kwx_sim.findings.claims.wording import listed
from kwx_sim.report.section import Words, words
from kwx_sim.report.verdicts import COSTS, DEPENDS, FAILS, HOLDS, NOTHING, PERHAPS, UNCLEAR

__all__ = ["counts", "headline", "overview"]


def headline(asked: Sequence[Claim], results: Results) -> list[Words]:
    """Tell the section in a few sentences."""
    return [*overview(asked, results), *_turned(asked, results), *better_always(results)]


def overview(asked: Sequence[Claim], results: Results) -> list[Words]:
    """Tell how many claims came out how, and what became of those that fail."""
    return [words("report_claims.headline.counts", **counts(asked, results)), *_failing(asked, results)]


def counts(asked: Sequence[Claim], results: Results) -> dict[str, int]:
    """Count the claims by how they were judged, and by the verdicts: every claim once in each."""
    judged = [claim for claim in asked if results.verdicts[claim.id] != NOT_TESTED]
    settled = [claim for claim in judged if any(one.exact is not None for one in results.of(claim))]
    given = [results.verdicts[claim.id] for claim in judged]
    return {
        "claims": len(asked),
        "tested": len(judged) - len(settled),
        "stand_ins": sum(claim.stands_in for claim in judged),
        "settled": len(settled),
        "untested": len(asked) - len(judged),
        "few": sum(not results.judged(claim) for claim in judged),
        **{name.lower(): given.count(name) for name in (HOLDS, FAILS, UNCLEAR, DEPENDS)},
    }


def _failing(asked: Sequence[Claim], results: Results) -> list[Words]:
    """Say of the claims that fail which cost, which make no difference, and of which neither is clear."""
    groups: dict[str, list[Claim]] = {COSTS: [], NOTHING: [], PERHAPS: [], VARIED: [], "": []}
    for claim in asked:
        if results.verdicts[claim.id] == FAILS:
            groups[results.way_of_failing(claim)].append(claim)
    parts = [
        words(f"report_claims.headline.fails_{way or 'figure'}", count=len(found), numbers=_numbers(found))
        for way, found in groups.items()
        if found
    ]
    if not parts:
        return []
    return [words("report_claims.headline.failing", parts=Words.join(parts, en="; ", zh="；"))]


def _turned(asked: Sequence[Claim], results: Results) -> list[Words]:
    """Say which claims come out the other way round under another document's rules, and which that fail gain there."""
    judged = [claim for claim in asked if results.judged(claim)]
    turned = [claim for claim in judged if results.turned(claim)]
    gains = [claim for claim in judged if results.gains_elsewhere(claim)]
    told = [_listed_turns("turn", turned) if turned else words("report_claims.headline.turn_none")]
    if gains:
        told.append(_listed_turns("turn_gains", gains))
    return [Words.join(told)]


def _listed_turns(name: str, found: Sequence[Claim]) -> Words:
    return words(f"report_claims.headline.{name}", count=len(found), numbers=_numbers(found))


def _numbers(found: Iterable[Claim]) -> Words:
    return listed(Words(claim.label, claim.label) for claim in found)
