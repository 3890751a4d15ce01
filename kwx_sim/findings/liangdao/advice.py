"""The rule of thumb beside the simple courses: its lines, the table of what each course brought, and what is advised.

The rule is told as advice only where it brought clearly more than every course of one way for all hands, on rounds
that it was not fitted on; elsewhere the best of those is.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from kwx_sim.findings.liangdao.courses import ARM_NAMES, LEVELS, Courses, Thumb
from kwx_sim.findings.liangdao.forks import BIN_NAMES, BINS, REFERENCE, Forks, gain_a_round, overall, span_name
from kwx_sim.findings.liangdao.settings import own_cap
from kwx_sim.findings.liangdao.wording import capital, listed, precise, told
from kwx_sim.findings.rounds import judged, verdict
from kwx_sim.report.section import Bullets, Column, Paragraph, Part, Table, Words, estimate_columns
from kwx_sim.report.verdicts import DELTA
from kwx_sim.rules import Ruleset

__all__ = ["advice_parts", "advised", "arm_name", "capped", "later_rule", "lines"]


MOSTLY = 0.5
"""Share of a group's hands of which something must hold to be given as the reason."""


def arm_name(arm: str) -> Words:
    """Name one of the six ways."""
    return told(f"arm.{arm}")


def later_rule() -> Words:
    """Say when the players declare of their own."""
    kinds, fan, live = REFERENCE.liangdao_kinds, REFERENCE.liangdao_fan, REFERENCE.liangdao_live
    return told("arms.own_rule", kinds=kinds, fan=fan, live=live)


def advice_parts(fitted_on: int, thumb: Thumb, courses: Courses, why: Words | None = None) -> list[Part]:
    """The rule as it was fitted, whether it is better than the simple courses, and what every course brought.

    Parameters
    ----------
    fitted_on : the number of ready hands of it
    why : `capped`
    """
    return [
        Paragraph(told("thumb.intro", fit=fitted_on)),
        Bullets(lines(thumb)),
        Paragraph(Words.join([*_if_any(why), *_concluded(thumb, courses)])),
        _courses_table(courses),
        Bullets(list(_compared(courses))),
    ]


def advised(rules: Words, thumb: Thumb, courses: Courses, why: Words | None = None) -> Words:
    """Tell for the front page what was best to do: the rule where it is clearly better, else the best simple course."""
    n = len(courses.judged.rows)
    gain = {name: precise(course.gain) for name, course in courses.of.items()}
    simple = arm_name(courses.simple)
    if courses.thumb_is_better:
        rule = Words.join([*lines(thumb, brief=True), *_if_any(why)])
        figures = {"gain": gain["thumb"], "other": gain[courses.simple], "n": n}
        return told("headline.thumb", rules=rules, rule=rule, simple=simple, **figures)
    parts = [told(f"headline.{_best(courses)}", rules=rules, simple=simple, gain=gain[courses.simple], n=n)]
    if close := courses.not_told_apart:
        parts.append(told("headline.close", others=listed(map(arm_name, close)), margin=DELTA))
    if thumb.arm is None:
        parts.append(told("headline.no_better", gain=gain["thumb"], margin=DELTA))
    else:
        parts.append(told("headline.no_rule"))
    return Words.join(parts)


# ---------------------------------------------------------------- the rule


def lines(thumb: Thumb, *, brief: bool = False) -> list[Words]:
    """The rule of thumb as it is told, at most five lines; brief: without the players' rule for later turns."""
    if thumb.arm is not None:
        return [told("thumb.one_way", arm=arm_name(ARM_NAMES[thumb.arm]))]
    found = [
        told(f"thumb.{_how(thumb.counts, least)}", hands=_hands(group), least=least)
        for group, least in zip(thumb.groups, thumb.thresholds, strict=True)
    ]
    otherwise = ARM_NAMES[thumb.otherwise]
    how = "thumb.otherwise_quiet" if otherwise == "quiet" and not brief else "thumb.otherwise"
    return [*found, told(how, arm=arm_name(otherwise), rule=later_rule())]


def capped(rules: Ruleset, forks: Forks, thumb: Thumb) -> Words | None:
    """Say of how many hands of the dearest group 封顶 leaves 亮倒 nothing to double.

    Nothing where the rule does not ask more of that group than of the one before, or the cap explains it of less than
    half of these hands.
    """
    cap, asked = own_cap(rules), thumb.thresholds
    if not (cap and rules.liangdao.inside_cap and len(asked) > 1 and asked[-1] > asked[-2]):
        return None
    fan = forks.value("fan")
    of_group = fan[fan >= BINS["fan"][thumb.groups[-1][0]]]
    share = float((of_group >= cap).mean()) if len(of_group) else 0.0
    if share < MOSTLY:
        return None
    return told("thumb.capped", share=f"{share:.1%}", n=len(of_group), cap=cap)


def _if_any(sentence: Words | None) -> list[Words]:
    return [] if sentence is None else [sentence]


def _how(counts: str, least: int) -> str:
    return "always" if least == 0 else "not_now" if least == LEVELS[counts] else counts


def _hands(group: tuple[int, int]) -> Words:
    last = len(BIN_NAMES["fan"]) - 1
    if group == (0, last):
        return told("thumb.any")
    name = span_name("fan", *group)
    return told("thumb.hands_from" if group[1] == last else "thumb.hands", fan=name.rstrip("+"))


# ---------------------------------------------------------------- what it brought


def _concluded(thumb: Thumb, courses: Courses) -> Iterator[Words]:
    """Say which simple course was best, and whether the rule is better than each of them."""
    simple = arm_name(courses.simple)
    yield told(f"conclude.{_best(courses)}", simple=simple, gain=precise(courses.of[courses.simple].gain))
    if close := courses.not_told_apart:
        yield told("conclude.close", others=listed(map(arm_name, close)), margin=DELTA)
    if thumb.arm is not None:
        yield told("conclude.no_rule")
    else:
        over = precise(overall(courses.judged, courses.over("thumb", courses.simple)))
        yield told(
            "conclude.better" if courses.thumb_is_better else "conclude.no_better",
            simple=simple, over=over, margin=DELTA,
        )  # fmt: skip


def _best(courses: Courses) -> str:
    """How the best simple course is told: nothing is gained over never declaring where it is that."""
    return "simple_never" if courses.simple == "never" else "simple"


def _course_name(name: str) -> Words:
    return arm_name(name) if name in ARM_NAMES else told(f"course.{name}")


def _quoted(name: str) -> Words:
    return told("quoted", name=arm_name(name)) if name in ARM_NAMES else _course_name(name)


def _begun(name: str) -> Words:
    """A course's name at the beginning of a sentence."""
    begun = capital(_course_name(name))
    return told("quoted", name=begun) if name in ARM_NAMES else begun


def _courses_table(courses: Courses) -> Table:
    rows = []
    for name, course in courses.of.items():
        frame = pd.DataFrame([{"course": name, "name": _course_name(name), "n": len(courses.judged.rows)}])
        for prefix in ("declared", "gain", "gain_a_round", "against_full", "against_full_a_round"):
            estimate_columns(frame, prefix, getattr(course, prefix))
        rows.append(frame)
    columns = [
        Column("name", told("head.course")),
        Column("declared", told("head.declared"), "estimate:.1%"),
        Column("gain", told("head.gain"), "estimate:+.3f"),
        Column("against_full", told("head.against_full"), "estimate:+.3f"),
        Column("gain_a_round", told("head.a_round"), "estimate:+.3f"),
        Column("against_full_a_round", told("head.against_full_round"), "estimate:+.3f"),
        Column("n", told("head.n"), "count"),
    ]
    caption = told("thumb.caption", forks=len(courses.judged.rows))
    return Table("courses", pd.concat(rows, ignore_index=True), caption, columns)


def _compared(courses: Courses) -> Iterator[Words]:
    """The rule against the full table and every simple course; without a rule, the best simple course in its place."""
    one = "thumb" if "thumb" in courses.of else courses.simple
    for other in courses.of:
        if other == one:
            continue
        gain = courses.over(one, other)
        names = {"one": _begun(one), "other": _quoted(other)}
        if not gain.any():
            yield told("compare.same", **names)
            continue
        by_fork, by_round = overall(courses.judged, gain), gain_a_round(courses.judged, gain)
        figures = {"fork": precise(by_fork), "round": precise(by_round)}
        yield judged(told(f"compare.{verdict(by_fork)}", margin=DELTA, **figures, **names), by_fork)
