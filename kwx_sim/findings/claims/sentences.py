"""What was found about a claim, in sentences that follow from the figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from kwx_sim.findings.claims.notes import notes
from kwx_sim.findings.claims.registry import Claim
from kwx_sim.findings.claims.results import FEWEST_JUDGED, FEWEST_MOVED, Finding, Results
from kwx_sim.findings.claims.turning import turns
from kwx_sim.findings.claims.wording import (
    exact_figure,
    finding_verdict,
    interval_of,
    joined,
    listed,
    margin,
    quotation,
    rulesets_name,
    verdict,
)
from kwx_sim.report.section import Bullets, Heading, Words, words
from kwx_sim.report.verdicts import COSTS, FAILS, HOLDS, NOTHING, PERHAPS
from kwx_sim.stats import wilson

__all__ = ["block"]

OUTCOMES = ("holds", "fails", COSTS, NOTHING, PERHAPS, "no_size", "open")
"""What a contrast may come to, in the order in which it is told."""


def block(claim: Claim, results: Results) -> list[Heading | Bullets]:
    """Tell all about one claim: its words, the test, the result, and where it turns."""
    head = words(
        "report_claims.block.head",
        number=claim.label,
        short=claim.text("short"),
        verdict=verdict(claim, results),
    )
    heading = Heading(head, claim.label)
    lines = [words("report_claims.block.said", document=claim.document, quotation=quotation(claim))]
    tested = results.of(claim)
    if claim.test == "none":
        lines.append(words("report_claims.block.not_tested", reason=claim.text("left")))
        return [heading, Bullets([*lines, *turns(claim, results)])]
    lines.append(words("report_claims.block.test", test=claim.text("test")))
    if tested:
        lines.append(_by_the_rules(claim, tested) if tested[0].exact is not None else _result(claim, tested))
    lines += notes(claim, results)
    lines += turns(claim, results)
    if claim.has("left"):
        lines.append(words("report_claims.block.left", left=claim.text("left")))
    return [heading, Bullets(lines)]


def _by_the_rules(claim: Claim, tested: Sequence[Finding]) -> Words:
    """Tell what the rules give, and what was counted beside it."""
    named = "" if claim.expected is None else "named_"
    sentence = [
        words(
            f"report_claims.tells.exact.{named}{one.verdict}",
            exact=exact_figure(one),
            expected=f"{claim.expected:g}" if claim.expected is not None else "",
            ruleset=rulesets_name(one.rulesets),
        )
        for one in tested
    ]
    counted = [_counted(one) for one in tested if one.found.n]
    told = [words("report_claims.block.exact", sentence=Words.join(sentence))]
    if counted:
        told.append(words("report_claims.block.shown", cells=Words.join(counted, en="; ", zh="；")))
    return Words.join(told)


def _counted(one: Finding) -> Words:
    """Tell what rounds show of a figure that the rules give: of a share how many of how many."""
    found, given = one.found, {"ruleset": rulesets_name(one.rulesets), "n": f"{one.found.n:,}"}
    if one.claim.unit == "share":
        return words("report_claims.block.counted_share", count=f"{round(found.mean * found.n):,}", **given)
    told = interval_of(one.claim, found.mean, found.low, found.high)
    return words("report_claims.block.counted", **told, **given)


def _result(claim: Claim, tested: Sequence[Finding]) -> Words:
    told = (_cell(claim, one) for one in tested)
    cells = [
        words("report_claims.block.of_ruleset", ruleset=rulesets, told=cell)
        for rulesets, cell in joined((one.rulesets, cell) for one, cell in zip(tested, told, strict=True))
    ]
    return words(
        "report_claims.block.result",
        unit=words(f"report_claims.unit.{claim.unit}"),
        margin=margin(claim),
        cells=Words.join(cells, en="; ", zh="；"),
        sentence=_told(claim, tested),
    )


def _cell(claim: Claim, one: Finding) -> Words:
    """Tell a figure with the interval by which it was judged; of too few data neither."""
    if one.few:
        return finding_verdict(one)
    told = interval_of(claim, one.found.mean, one.low, one.high)
    return words(
        "report_claims.block.cell", **told, n=f"{one.found.n:,}", verdict=words(f"report_claims.verdict.{one.verdict}")
    )


def _told(claim: Claim, tested: Sequence[Finding]) -> Words:
    """Say in plain words what the contrasts come to: once where that is the same under every ruleset."""
    if all(one.few for one in tested):
        return _too_rare(tested)
    if claim.expected is not None:
        return Words.join(_beside_expected(claim.expected, one) for one in tested)
    by_outcome: dict[str, list[Finding]] = {}
    for one in tested:
        by_outcome.setdefault(_outcome(one), []).append(one)
    kind = "players" if claim.test == "players" else "fact"
    given = {
        "margin": margin(claim),
        "unit": words(f"report_claims.unit.{claim.unit}"),
        "reach": _reach(tested),
    }
    return Words.join(
        words(f"report_claims.tells.{kind}.{name}", under=_under(found, tested), **given)
        for name, found in sorted(by_outcome.items(), key=lambda entry: OUTCOMES.index(entry[0]))
    )


def _outcome(one: Finding) -> str:
    """Name the sentence that tells what a contrast comes to."""
    if one.verdict == HOLDS:
        return "holds"
    if one.verdict == FAILS:
        return (one.claim.margin > 0 and one.way_of_failing) or "fails"
    return "no_size" if one.claim.margin == 0 and one.claim.told_as_gain and not one.few else "open"


def _under(found: Sequence[Finding], tested: Sequence[Finding]) -> Words:
    """Name the rulesets of which something is told, where that is not all."""
    return Words("", "") if len(found) == len(tested) else words("report_claims.tells.under", rulesets=_named(found))


def _reach(tested: Sequence[Finding]) -> str:
    """Write how far from 0 the intervals reach, rounded up."""
    far = max((abs(end) for one in tested if not one.few for end in (one.low, one.high)), default=0.0)
    return f"{math.ceil(far * 1000) / 1000:.3f}"


def _named(tested: Iterable[Finding]) -> Words:
    return listed(rulesets_name(one.rulesets) for one in tested)


def _too_rare(tested: Sequence[Finding]) -> Words:
    """Say why nothing is judged; where hardly anything went differently, how much that would have to be worth."""
    rare = [one for one in tested if one.rare and one.claim.margin > 0 and one.claim.expected is None]
    if len(rare) < len(tested):
        return words("report_claims.tells.few", fewest=FEWEST_JUDGED, moved=FEWEST_MOVED)
    share = max(float(wilson(one.found.moved or 0, one.found.n).ci_high) for one in rare)
    return words("report_claims.tells.rare", margin=margin(rare[0].claim), each=f"{rare[0].claim.margin / share:,.1f}")


def _beside_expected(expected: float, one: Finding) -> Words:
    """Say where the number that the document names lies by the interval."""
    place = "below" if expected < one.low else "above" if expected > one.high else "within"
    given = {"expected": f"{expected:g}", "ruleset": rulesets_name(one.rulesets)}
    return words(f"report_claims.tells.expected.{place}", **given)
