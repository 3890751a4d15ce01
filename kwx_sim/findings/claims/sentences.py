"""What was found about a claim, in sentences that follow from the figures."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from kwx_sim import text
from kwx_sim.findings.claims.registry import Claim
from kwx_sim.findings.claims.results import (
    BESIDE_IT,
    COUNTED,
    FEWEST,
    FEWEST_JUDGED,
    FEWEST_MOVED,
    NOT_TESTED,
    RULESET,
    Explored,
    Finding,
    Results,
)
from kwx_sim.report.cells import amount
from kwx_sim.report.figures import ruleset_name
from kwx_sim.report.section import SAME, Bullets, Heading, Words, words
from kwx_sim.report.verdicts import FAILS, HOLDS
from kwx_sim.stats import wilson

__all__ = [
    "block",
    "exact_figure",
    "figure",
    "finding_verdict",
    "level_name",
    "listed",
    "margin",
    "quotation",
    "rulesets_name",
    "verdict",
]

Told = TypeVar("Told", bound=Hashable)
Key = TypeVar("Key", bound=Hashable)

FORMS = {"share": (".1%", ".1%"), "wins": (".3f", ".3f")}
"""How figures of a unit are written: small ones, and ones of a tenth and more. Bases as below."""

BASES = (".3f", ".2f")
SMALL = 0.1


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
        return [heading, Bullets([*lines, *_turns(claim, results)])]
    lines.append(words("report_claims.block.test", test=claim.text("test")))
    if tested:
        lines.append(_by_the_rules(claim, tested) if tested[0].exact is not None else _result(claim, tested))
    lines += _turns(claim, results)
    if claim.has("left"):
        lines.append(words("report_claims.block.left", left=claim.text("left")))
    return [heading, Bullets(lines)]


def quotation(claim: Claim) -> Words:
    """Quote the document: its own Chinese words, in English after a rendering of them."""
    said = claim.text("said")
    return Words(f"“{said.en}” 「{said.zh}」", f"「{said.zh}」")


def verdict(claim: Claim, results: Results) -> Words:
    """Tell the verdict on a claim: of what it was given, where something stands in; or why there is none."""
    given = results.verdicts[claim.id]
    if given == NOT_TESTED:
        return words("report_claims.verdict.NOT_TESTED")
    tested = results.of(claim)
    if not results.judged(claim):
        return finding_verdict(max(tested, key=lambda one: one.found.n)) if tested else _too_few(0)
    if tested[0].exact is not None:
        return finding_verdict(tested[0])
    name = words(f"report_claims.verdict.{given}")
    if claim.stands_in:
        return words("report_claims.verdict.stand_in", verdict=name, stands=claim.text("stands"))
    return name


def finding_verdict(one: Finding) -> Words:
    """Tell the verdict on one contrast."""
    if one.rare:
        return words("report_claims.verdict.rare", moved=f"{one.found.moved:,}", n=f"{one.found.n:,}")
    if one.few:
        return _too_few(one.found.n)
    name = words(f"report_claims.verdict.{one.verdict}")
    return name if one.exact is None else words("report_claims.verdict.exact", verdict=name, exact=exact_figure(one))


def _too_few(n: int) -> Words:
    return words("report_claims.verdict.few", n=n)


def exact_figure(one: Finding) -> str:
    """Write the figure that the rules give."""
    assert one.exact is not None
    return amount(one.exact, ".0%" if one.claim.unit == "share" else ".3f")


def margin(claim: Claim) -> str:
    """Write the margin, or the number that the document names with the margin about it."""
    around = "" if claim.expected is None else f"{claim.expected:.2f} ± "
    return around + amount(claim.margin, ".0%" if claim.unit == "share" else ".2f")


def figure(value: float, unit: str, sign: str | None = None, *, scale: float | None = None) -> str:
    """Write a figure of a unit; with its sign where it may have one, unless `sign` is given.

    `scale` is the size by which its decimals are chosen, where that is not its own.
    """
    small, large = FORMS.get(unit, BASES)
    form = small if abs(value if scale is None else scale) < SMALL else large
    return amount(value, ("" if unit in COUNTED else "+") + form if sign is None else sign + form)


def rulesets_name(rulesets: str) -> Words:
    """Name one ruleset, or all that gave the same data."""
    *others, last = map(ruleset_name, rulesets.split(SAME))
    return words("report_claims.all", others=listed(others), last=last) if others else last


def level_name(factor: str, level: str) -> Words:
    """Name a group: a preset, a figure beside, what a player does otherwise, or as it is written."""
    if factor == RULESET:
        return rulesets_name(level)
    if factor == BESIDE_IT:
        return words(f"report_claims.level.{level}")
    return _player(level) if "=" in level else Words(level, level)


def _player(parameters: str) -> Words:
    """Say what a player of some parameters does; of one that the catalogue does not name, nothing is to be said."""
    told = []
    for parameter in parameters.split(","):
        name, _, value = parameter.partition("=")
        exact = f"report_claims.player.{name}_{value.replace('.', '_')}"
        key = exact if text.has(exact) else f"report_claims.player.{name}"
        if text.has(key):
            told.append(words(key, value=value))
    return listed(told)


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
    told = _interval_of(one.claim, found.mean, found.low, found.high)
    return words("report_claims.block.counted", **told, **given)


def _result(claim: Claim, tested: Sequence[Finding]) -> Words:
    told = (_cell(claim, one) for one in tested)
    cells = [
        words("report_claims.block.of_ruleset", ruleset=rulesets, told=cell)
        for rulesets, cell in _joined((one.rulesets, cell) for one, cell in zip(tested, told, strict=True))
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
    told = _interval_of(claim, one.found.mean, one.low, one.high)
    return words("report_claims.block.cell", **told, n=f"{one.found.n:,}", verdict=finding_verdict(one))


def _interval_of(claim: Claim, mean: float, low: float, high: float) -> dict[str, str]:
    scale = max(abs(low), abs(high))
    return {
        name: figure(value, claim.unit, scale=scale) for name, value in (("effect", mean), ("low", low), ("high", high))
    }


def _told(claim: Claim, tested: Sequence[Finding]) -> Words:
    """Say in plain words what the contrasts come to."""
    if all(one.few for one in tested):
        return _too_rare(tested)
    kind = "players" if claim.test == "players" else "fact"
    holds = [one for one in tested if one.verdict == HOLDS]
    fails = [one for one in tested if one.verdict == FAILS]
    rest = [one for one in tested if one.verdict not in (HOLDS, FAILS)]
    if len(fails) == len(tested) and kind == "players" and all(one.high < 0 for one in tested):
        return words("report_claims.tells.players.costs")
    if claim.expected is not None:
        return Words.join(_beside_expected(claim.expected, one) for one in tested)
    parts = [(name, found) for name, found in (("holds", holds), ("fails", fails), ("open", rest)) if found]
    if len(parts) == 1:
        return words(f"report_claims.tells.{kind}.{parts[0][0]}")
    return Words.join(
        words(f"report_claims.tells.{kind}.{name}_under", rulesets=_named(found)) for name, found in parts
    )


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


def _joined(told: Iterable[tuple[str, Told]]) -> list[tuple[Words, Told]]:
    """Put rulesets together of which the same is told, as of two that differ in a rare hand alone."""
    by_text: dict[Told, list[str]] = {}
    for preset, one in told:
        by_text.setdefault(one, []).append(preset)
    return [(listed(map(rulesets_name, presets)), text) for text, presets in by_text.items()]


def listed(parts: Iterable[Words]) -> Words:
    """Put names one after another."""
    return Words.join(parts, en=", ", zh="、")


# ---------------------------------------------------------------- where it turns


def _turns(claim: Claim, results: Results) -> list[Words]:
    """Tell what was explored: a line for each factor and unit, and for each ruleset of which it tells another thing."""
    lines = []
    explored = [one for one in results.explored if one.claim == claim]
    for (factor, unit), group in _grouped(explored, lambda one: (one.factor, one.unit)):
        given = {
            "factor": words(f"report_claims.factor.{factor}"),
            "unit": words(f"report_claims.unit.{unit}"),
        }
        if factor == RULESET:
            line = words("report_claims.block.turns_each", levels=_levels(group), **given)
            lines.append(Words.join([line, *_other_way(results.turned(claim))]))
            continue
        by_ruleset = _grouped(group, lambda one: one.rulesets)
        told = ((preset, (_levels(found), *_turning(found))) for preset, found in by_ruleset)
        for rulesets, (levels, *said) in _joined(told):
            line = words("report_claims.block.turns", ruleset=rulesets, levels=levels, **given)
            lines.append(Words.join([line, *said]))
    if claim.beside and not any(one.factor == BESIDE_IT for one in explored):
        lines.append(words("report_claims.block.beside_few", fewest=FEWEST))
    return lines


def _grouped(explored: Sequence[Explored], key: Callable[[Explored], Key]) -> list[tuple[Key, list[Explored]]]:
    """Group by a key, in the order in which its values come first."""
    groups: dict[Key, list[Explored]] = {}
    for one in explored:
        groups.setdefault(key(one), []).append(one)
    return list(groups.items())


def _levels(group: Sequence[Explored]) -> Words:
    """Tell the figure of each group, and what n it rests on: once where that is the same of all."""
    scale = max(abs(one.found.mean) for one in group)
    sizes = {one.found.n for one in group}
    once = len(sizes) == 1 < len(group) and not any(one.rare or one.judged for one in group)
    levels = Words.join((_level(one, scale, with_n=not once) for one in group), en="; ", zh="；")
    return words("report_claims.block.each", levels=levels, n=f"{sizes.pop():,}") if once else levels


def _level(one: Explored, scale: float, *, with_n: bool) -> Words:
    """Tell the figure of a group: with its interval where that is lopsided, as that of a share may be."""
    found = one.found
    given: dict[str, Words | str] = {"level": level_name(one.factor, one.told_level), "n": f"{found.n:,}"}
    if one.judged is not None:
        return _judged_level(one, one.judged, given)
    if one.rare:
        return words(f"report_claims.block.level_{'rare' if found.moved else 'same'}", moved=found.moved, **given)
    n = "_n" if with_n else ""
    if one.unit == "share":
        ends = {"effect": found.mean, "low": found.low, "high": found.high}
        told = {name: figure(value, one.unit) for name, value in ends.items()}
        return words(f"report_claims.block.level_share{n}", **told, **given)
    if found.se == 0:
        return words("report_claims.block.level_constant", effect=figure(found.mean, one.unit, scale=1), **given)
    half = figure((found.high - found.low) / 2, one.unit, "", scale=scale)
    effect = figure(found.mean, one.unit, scale=scale)
    return words(f"report_claims.block.level{n}", effect=effect, half=half, **given)


def _judged_level(one: Explored, judged: Finding, given: dict[str, Words | str]) -> Words:
    """Point to the claim where the same comparison was judged, with its figure."""
    about = "same_contrast" if judged.claim.contrast == one.claim.contrast else "turned_about"
    same = words(f"report_claims.block.{about}", number=judged.claim.label)
    if judged.few:
        return words("report_claims.block.level_few", verdict=finding_verdict(judged), same=same, **given)
    told = _interval_of(one.claim, one.found.mean, one.found.low, one.found.high)
    return words("report_claims.block.level_judged", same=same, **told, **given)


def _turning(group: Sequence[Explored]) -> list[Words]:
    """Say whether the sign changes among the groups, by those that are clear."""
    if not any(one.asked for one in group):
        return []
    above = [one for one in group if one.clear and one.found.mean > 0]
    below = [one for one in group if one.clear and one.found.mean < 0]
    if above and below:
        named = {name: _levels_of(found) for name, found in (("above", above), ("below", below))}
        return [words("report_claims.turning.turns", **named)]
    if not above and not below:
        return [words("report_claims.turning.none")]
    side = "above" if above else "below"
    return [words(f"report_claims.turning.{side}", groups=_levels_of(above or below))]


def _other_way(turned: Sequence[Explored]) -> list[Words]:
    return [words("report_claims.turning.other_way", rulesets=_levels_of(turned))] if turned else []


def _levels_of(group: Sequence[Explored]) -> Words:
    return listed(level_name(one.factor, one.told_level) for one in group)
