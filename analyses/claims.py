"""Do the documents' strategic claims hold when they are played out?

Every claim of the three documents, each by one contrast a ruleset that is written down in
`kwx_sim/findings/claims/claims.toml`: who follows it against who does not, in every seat of the same deals, or a figure
counted in rounds. Judged together; what is explored beside is marked so.
"""

from __future__ import annotations

from kwx_sim.findings.claims.deals import SEATS, Deals
from kwx_sim.findings.claims.page import section
from kwx_sim.findings.claims.registry import claims
from kwx_sim.findings.claims.results import find
from kwx_sim.report import Analysis, Section, Work, run
from kwx_sim.report.section import ruleset_name
from kwx_sim.rules import PRESETS

TABLE = 1
"""Rounds of the table of like players, by the rounds that a player plays in a contrast."""

TURNS = 2
"""Walls with a turn whose discards are compared, by the same."""

EXPLORED = 4
"""By how much smaller what is explored is than what is judged."""


def analyse(work: Work) -> Section:
    """Test every claim under the rulesets at hand."""
    walls = max(work.games // SEATS, EXPLORED)
    deals = {
        rules.name: Deals(
            rules,
            walls=walls,
            rounds=TABLE * work.games,
            turns=TURNS * work.games // (1 if _judges_turns(rules.name) else EXPLORED),
            seed=work.seed,
            workers=work.workers,
            progress=work.progress(ruleset_name(rules.name)),
        )
        for rules in work.rules
    }
    return section(claims(), find(claims(), deals, explored_walls=walls // EXPLORED))


def _judges_turns(ruleset: str) -> bool:
    """Tell whether a claim about discards is judged there; elsewhere turns are but explored."""
    return ruleset not in PRESETS or any(claim.unit == "discard" for claim in claims() if ruleset in claim.presets)


ANALYSIS = Analysis("claims", analyse, presets=PRESETS, together=True, games=240_000, draft_games=4_500, per="claim")


def main() -> None:
    """Run the analysis from the command line."""
    run(ANALYSIS)


if __name__ == "__main__":
    main()
