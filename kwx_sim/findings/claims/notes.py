"""What is said beside single claims, from figures that stand with others."""

from __future__ import annotations

from collections.abc import Iterator

from kwx_sim.findings.claims.registry import Claim
from kwx_sim.findings.claims.results import BESIDE_IT, FEWEST, RULESET, Explored, Finding, Results
from kwx_sim.findings.claims.wording import interval_of, joined, listed, margin, rulesets_name
from kwx_sim.findings.kongs import HEIGHTS
from kwx_sim.report.cells import amount
from kwx_sim.report.section import SAME, Words, words
from kwx_sim.report.verdicts import FAILS

__all__ = ["always_instead", "better_always", "notes"]

ALWAYS = "ready_declare"
"""The claim whose contrast is always declaring against never."""

NEVER = "liangdao=never"

RARELY = 0.05
"""Where fewer rounds end otherwise, a mean over all of them hides what it is worth in those."""


def notes(claim: Claim, results: Results) -> list[Words]:
    """Tell what belongs to a claim beside its result."""
    told = [*_in_few_rounds(claim, results), *_same_contrast(claim, results)]
    for one in results.of(claim):
        told += [*_beside_always(one, results), *_chaining_alone(one, results), *_ways_to_win(one, results)]
    if claim.see:
        section = words(f"report_{claim.see}.title")
        told.append(claim.text("see", section=section, height=HEIGHTS[1]))
    return told


def _in_few_rounds(claim: Claim, results: Results) -> list[Words]:
    """Tell what it was worth in the rounds that ended otherwise, where these are few."""
    cells = []
    for one in results.of(claim):
        if one.few or one.where_otherwise is None:
            continue
        share, found = one.where_otherwise
        if share < RARELY and found.n >= FEWEST:
            told = interval_of(claim, found.mean, found.low, found.high)
            each = amount(claim.margin / share, ".1f")
            cell = words("report_claims.note.few_cell", share=f"{share:.2%}", n=f"{found.n:,}", each=each, **told)
            cells.append((one.rulesets, cell))
    if not cells:
        return []
    named = [words("report_claims.block.of_ruleset", ruleset=rulesets, told=cell) for rulesets, cell in joined(cells)]
    joined_cells = Words.join(named, en="; ", zh="；")
    return [words("report_claims.note.few_rounds", cells=joined_cells, margin=margin(claim))]


def _same_contrast(claim: Claim, results: Results) -> list[Words]:
    """Name other claims that rest on the same comparison, under rulesets where it is not told with this one."""
    told = {one.judged.claim.id for one in results.explored if one.claim == claim and one.judged is not None}
    others: dict[str, list[Finding]] = {}
    for one in results.tested:
        if one.claim.contrast == claim.contrast and one.claim != claim and one.claim.id not in told:
            others.setdefault(one.claim.label, []).append(one)
    if not others:
        return []
    named = [
        words(
            "report_claims.note.same_one",
            number=label,
            rulesets=listed(rulesets_name(one.rulesets) for one in found),
        )
        for label, found in others.items()
    ]
    return [words("report_claims.note.same", others=listed(named))]


# ---------------------------------------------------------------- 1a, 1b: always declaring


def always_instead(one: Finding, results: Results) -> tuple[str, Explored] | None:
    """Compare what declares on some hands alone with always declaring, both against never: more, less or open."""
    if one.claim.test != "players" or one.claim.against != NEVER or one.claim.id == ALWAYS:
        return None
    for other in results.explored:
        same_ruleset = other.factor == RULESET and one.ruleset in other.rulesets.split(SAME)
        if other.claim.id == ALWAYS and same_ruleset and other.claim.others == one.claim.others:
            more, less = other.found.low > one.high, other.found.high < one.low
            return "more" if more else "less" if less else "open", other
    return None


def _beside_always(one: Finding, results: Results) -> Iterator[Words]:
    found = always_instead(one, results)
    if found is None or one.few:
        return
    way, always = found
    yield words(
        f"report_claims.note.always_{way}",
        ruleset=rulesets_name(one.rulesets),
        number=always.claim.label,
        **_with_n(always),
    )


def _with_n(one: Explored) -> dict[str, str]:
    found = one.found
    return {**interval_of(one.claim, found.mean, found.low, found.high), "n": f"{found.n:,}"}


def better_always(results: Results) -> list[Words]:
    """Say under which rulesets always declaring is better still than claims that hold, with the figures of both."""
    better: dict[str, tuple[Explored, list[Finding]]] = {}
    for one in results.tested:
        found = None if one.few else always_instead(one, results)
        if found is not None and found[0] == "more":
            better.setdefault(one.rulesets, (found[1], []))[1].append(one)
    return [
        words(
            "report_claims.headline.always",
            ruleset=rulesets_name(rulesets),
            than=Words.join(map(_beside, ones), en="; ", zh="；"),
            **_with_n(always),
        )
        for rulesets, (always, ones) in better.items()
    ]


def _beside(one: Finding) -> Words:
    told = interval_of(one.claim, one.found.mean, one.low, one.high)
    short = words("report_claims.headline.claim", number=one.claim.label, short=one.claim.text("short"))
    return words("report_claims.headline.than", claim=short, n=f"{one.found.n:,}", **told)


# ---------------------------------------------------------------- single claims


def _beside_figure(results: Results, claim: str, name: str, ruleset: str) -> Explored | None:
    """Give a figure that was counted beside a claim."""
    for one in results.explored:
        wanted = (one.claim.id, one.factor, one.level) == (claim, BESIDE_IT, name)
        if wanted and ruleset in one.rulesets.split(SAME):
            return one
    return None


def _chaining_alone(one: Finding, results: Results) -> Iterator[Words]:
    """6b: how much the doubling itself pays a player, by what was counted beside 6a."""
    if one.claim.id != "kongs_gain":
        return
    adds, seats = (_beside_figure(results, "chains", name, one.ruleset) for name in ("chain_adds", "dozens_any"))
    if adds is None or seats is None:
        return
    yield words(
        "report_claims.note.chaining",
        ruleset=rulesets_name(one.rulesets),
        number=adds.claim.label,
        each=amount(adds.found.mean * adds.found.n / seats.found.n, ".4f"),
        adds=amount(adds.found.mean, ".2f"),
        chained=f"{adds.found.n:,}",
        seats=f"{seats.found.n:,}",
        effect=amount(one.found.mean, "+.2f"),
    )


def _ways_to_win(one: Finding, results: Results) -> Iterator[Words]:
    """7a: what a self-draw paid, and a win on a discard; that only the extreme was judged."""
    if one.claim.id != "self_draw":
        return
    drawn, fed = (
        _beside_figure(results, one.claim.id, name, one.ruleset) for name in ("self_drawn_win", "discard_win")
    )
    if drawn is None or fed is None:
        return
    yield words(
        f"report_claims.note.{'extreme_fails' if one.verdict == FAILS else 'extreme'}",
        ruleset=rulesets_name(one.rulesets),
        drawn=amount(drawn.found.mean, ".2f"),
        fed=amount(fed.found.mean, ".2f"),
    )
