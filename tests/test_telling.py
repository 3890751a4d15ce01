"""The sentence of an answer for every outcome, what it rests on, its JSON, its HTML: from answers made up for it."""

import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from kwx_sim.positions import Assumption, check, position_of
from kwx_sim.query import Decision
from kwx_sim.query.arms import Arm
from kwx_sim.query.decision import (
    ArmFigures,
    BreakEven,
    CellFigures,
    Difference,
    Provisional,
    Ready,
    Rung,
    Sampling,
    Wait,
)
from kwx_sim.query.figures import Shares
from kwx_sim.query.notebook import as_html
from kwx_sim.query.sheets import break_even, cell_line, ready_lines, sheets
from kwx_sim.query.telling import assumed, how, mark, over_all, provisional, sentence, warning
from kwx_sim.query.told_json import as_json
from kwx_sim.query.words import interval
from kwx_sim.sequences import Cell, Moments, Outcome, State, Verdict, radius, verdict
from kwx_sim.tiles import parse_tile

LADDER = (
    Rung("lock", -0.3, 0.1),
    Rung("show", -1.1, 0.1),
    Rung("multiplier", 2.9, 0.2),
    Rung("feeder_pays_all", 0.1, 0.2),
)
SAMPLING = Sampling(
    worlds=2_000, pilot=400, effective=2_000.0, cut=0.0, bound=102.0, stated_cap=None, exact=False, ended="settled",
    seed=1, rules_hash="abc", kernels="def", version="0", seconds=1.5,
)  # fmt: skip
SHARES = Shares(*np.array([0.25, 0.125, 0.0, 0.5, 0.125, 0.0]), fan=np.float64(2.5), first_cost=np.nan)


def arm(name):
    """An arm from its name: "in 1 5s"; "pong 5s after all" declines a win first."""
    way, _, tile = name.removesuffix(" after all").rpartition(" ")
    return Arm(way, parse_tile(tile), declines=name.endswith(" after all"))


def lead(mean, half):
    return Difference(mean, mean - half, mean + half, mean - 2 * half, mean + 2 * half, 4.0)


def decision(outcome, *others, best="declare 5s", more=0, cells=1, **changes):
    """An answer: the best arm, and for each other its name, the best's lead, and half of its interval."""
    figures = [ArmFigures(arm(best), 1.5, 1.25, 1.75, 1_600, SHARES, None, None)]
    for name, mean, half in others:
        beaten = arm(best) if mean > half else None
        figures.append(ArmFigures(arm(name), 1.5 - mean, 1.0, 2.0, 1_200, SHARES, lead(mean, half), beaten))
    state = {Outcome.ACTION: State.ABOVE, Outcome.TOO_CLOSE: State.WITHIN}.get(outcome, State.OPEN)
    action = best if outcome is Outcome.ACTION else None
    hard = min(figures[1:], key=lambda each: each.behind.low, default=None)
    given = {
        "about": "liangdao",
        "rules": "xiangyang",
        "best": arm(best),
        "other": hard.arm if hard else None,
        "verdict": Verdict(outcome, action, (state,) * cells, more),
        "difference": hard.behind if hard else None,
        "arms": tuple(figures),
        "ladder": LADDER,
        "ladder_against": arm("quiet 5s"),
        "break_even": BreakEven((0.0, 1.0), (1.0, -1.0), (0.1, 0.1), (0.5,)),
        "belief": "uniform",
        "opponents": "efficient:avoidance=0.5",
        "me": "efficient",
        "precision": 0.2,
        "assumptions": (),
        "no_liangdao": False,
        "sampling": SAMPLING,
        "told_by": (arm(best), hard.arm) if hard else None,
    }
    return Decision(**(given | changes))


CASES = {
    "declare": (
        decision(Outcome.ACTION, ("quiet 5s", 1.8, 0.3), ("never 5s", 2.0, 0.3)),
        "Declare, discard 5s: +1.8 bases a round against staying quiet; the doubling is worth 2.9; against that, "
        "hidden waits win 1.1 more from discards.",
        "亮倒，打 5条：比不亮，每局 +1.8 底；加倍多得 2.9；但不亮可多收点炮 1.1。",
    ),
    "declare, other discards behind": (
        decision(Outcome.ACTION, ("declare 6p", 0.5, 0.3), ("quiet 6p", 1.8, 0.3), ladder=()),
        "Declare, discard 5s: +1.8 bases a round against discarding 6p and staying quiet.",
        "亮倒，打 5条：比打6筒不亮，每局 +1.8 底。",
    ),
    "quiet": (
        decision(Outcome.ACTION, ("declare 5s", 0.4, 0.1), best="quiet 5s", ladder=LADDER[:2]),
        "Stay quiet, discard 5s: +0.40 bases a round against declaring; hidden waits win 1.1 more from discards.",
        "先不亮，打 5条：比亮倒，每局 +0.40 底；不亮可多收点炮 1.1。",
    ),
    "quiet, outweighing": (
        decision(
            Outcome.ACTION,
            ("declare 5s", 0.4, 0.1),
            best="quiet 5s",
            ladder=(Rung("show", -0.6, 0.1), Rung("multiplier", 0.7, 0.1), Rung("lock", -0.5, 0.1)),
        ),
        "; hidden waits win 0.60 more from discards, being free to change the hand is worth 0.50; against that, the "
        "doubling is worth 0.70.",
        "；不亮可多收点炮 0.60，不锁手可换牌多得 0.50；但加倍多得 0.70。",
    ),
    "quiet, with nothing certain for it": (
        decision(Outcome.ACTION, ("declare 5s", 0.4, 0.1), best="quiet 5s", ladder=LADDER[2:]),
        "against declaring; against that, the doubling is worth 2.9.",
        "每局 +0.40 底；但加倍多得 2.9。",
    ),
    "never": (
        decision(Outcome.ACTION, ("declare 5s", 0.4, 0.1), best="never 5s", ladder=()),
        "Stay quiet for good, discard 5s: +0.40 bases a round against declaring.",
        "始终不亮，打 5条：比亮倒，每局 +0.40 底。",
    ),
    "in 1": (
        decision(Outcome.ACTION, ("declare 5s", 0.4, 0.1), best="in 1 5s", ladder=()),
        "Discard 5s, declare with the next draw: +0.40 bases a round against declaring.",
        "打 5条，下次摸牌再亮：比亮倒，每局 +0.40 底。",
    ),
    "in 2": (
        decision(Outcome.ACTION, ("declare 5s", 0.4, 0.1), best="in 2 5s", ladder=()),
        "Discard 5s, declare two draws later:",
        "打 5条，再摸两次后亮：",
    ),
    "discard": (
        decision(Outcome.ACTION, ("discard 6p", 0.4, 0.1), best="discard 5s", ladder=(), ladder_against=None),
        "Discard 5s: +0.40 bases a round against discarding 6p.",
        "打 5条：比打6筒，每局 +0.40 底。",
    ),
    "win": (
        decision(Outcome.ACTION, ("declare 5s", 3.0, 0.1), ("never 5s", 3.1, 0.1), best="win 5s"),
        "Win with 5s: +3.0 bases a round against declaring.",
        "胡 5条：比亮倒，每局 +3.0 底。",
    ),
    "pass": (
        decision(Outcome.ACTION, ("win 5s", 3.0, 0.1), ("never 5s", 3.1, 0.1)),
        "Pass, declare, discard 5s: +3.0 bases a round against winning.",
        "过，亮倒，打 5条：比胡牌，每局 +3.0 底。",
    ),
    "kong": (
        decision(Outcome.ACTION, ("discard 5s", 0.4, 0.1), best="concealed_kong 中", ladder=(), ladder_against=None),
        "Make the concealed kong of 中: +0.40 bases a round against discarding 5s.",
        "暗杠 中：比打5条，每局 +0.40 底。",
    ),
    "no kong": (
        decision(Outcome.ACTION, ("added_kong 中", 0.4, 0.1), best="discard 5s", ladder=(), ladder_against=None),
        "No kong, discard 5s: +0.40 bases a round against the kong.",
        "不杠，打 5条：比开杠，每局 +0.40 底。",
    ),
    "any hand": (
        decision(
            Outcome.ACTION, ("discard 6p", 0.4, 0.1), ("declare 6p", 0.7, 0.1), best="discard 5s", about="discard"
        ),
        "Discard 5s: +0.40 bases a round against discarding 6p.",
        "打 5条：比打6筒，每局 +0.40 底。",
    ),
    "claim, win": (
        decision(Outcome.ACTION, ("pass 5s after all", 1.2, 0.1), best="win 5s", about="claim", ladder=()),
        "Win with 5s: +1.2 bases a round against passing.",
        "胡 5条：比过，每局 +1.2 底。",
    ),
    "claim, better not to win": (
        decision(Outcome.ACTION, ("win 5s", 0.8, 0.1), best="pass 5s after all", about="claim", ladder=()),
        "Let 5s go, though it wins: +0.80 bases a round against winning.",
        "过，5条 能胡也别胡（低翻莫胡牌）：比胡牌，每局 +0.80 底。",
    ),
    "claim, pong rather than win": (
        decision(Outcome.ACTION, ("win 5s", 0.8, 0.1), best="pong 5s after all", about="claim", ladder=()),
        "Do not win with 5s, pong 5s: +0.80 bases a round against winning.",
        "5条 别胡，碰 5条：比胡牌，每局 +0.80 底。",
    ),
    "claim, pong": (
        decision(Outcome.ACTION, ("pass 5s", 0.8, 0.1), ("direct_kong 5s", 0.9, 0.1), best="pong 5s", about="claim"),
        "Pong 5s: +0.80 bases a round against passing.",
        "碰 5条：比过，每局 +0.80 底。",
    ),
    "claim, no kong": (
        decision(Outcome.ACTION, ("direct_kong 5s", 0.8, 0.1), best="pass 5s", about="claim", ladder=()),
        "Let 5s go: +0.80 bases a round against the kong.",
        "过，不要 5条：比开杠，每局 +0.80 底。",
    ),
    "only": (
        decision(Outcome.ACTION, best="win 5s", ladder=(), ladder_against=None),
        "Win with 5s: nothing else is legal.",
        "胡 5条：没有别的选择。",
    ),
    "too close": (
        decision(Outcome.TOO_CLOSE, ("quiet 5s", 0.05, 0.1)),
        "Too close to call between “declare, 5s” and “quiet, 5s”: +0.05 bases a round, [−0.05, +0.15]; the doubling is "
        "worth 2.9; against that, hidden waits win 1.1 more from discards.",
        "“亮倒 5条”与“先不亮 5条”难分高下：每局相差 +0.05 底，[−0.05, +0.15]；加倍多得 2.9；但不亮可多收点炮 1.1。",
    ),
    "too close, but only when to declare": (
        decision(Outcome.TOO_CLOSE, ("never 5s", 0.0, 0.1), ("declare 5s", 0.4, 0.1), best="quiet 5s", ladder=()),
        "Stay quiet, discard 5s: +0.40 bases a round against declaring; whether and when to declare later makes no "
        "difference.",
        "先不亮，打 5条：比亮倒，每局 +0.40 底；以后亮不亮、何时亮没有差别。",
    ),
    "too close, but only with which tile": (
        decision(Outcome.TOO_CLOSE, ("declare 6p", 0.0, 0.1), ("quiet 6p", 0.4, 0.1), ladder=()),
        "Declare: +0.40 bases a round against discarding 6p and staying quiet; it makes no difference which "
        "of these is discarded: 5s, 6p.",
        "亮倒：比打6筒不亮，每局 +0.40 底；打这几张里哪张没有差别：5条、6筒。",
    ),
    "too close in one cell of several": (
        decision(Outcome.TOO_CLOSE, ("never 5s", 0.0, 0.1), ("declare 5s", 0.4, 0.1), best="quiet 5s", cells=2),
        "Too close to call between “quiet, 5s” and “declare, 5s”",
        "“先不亮 5条”与“亮倒 5条”难分高下",
    ),
    "equal": (
        decision(
            Outcome.TOO_CLOSE,
            ("quiet 5s", 0.0, 0.0),
            ladder=(),
            sampling=replace(SAMPLING, exact=True, ended="enumerated"),
        ),
        "No difference: “declare, 5s” and “quiet, 5s” are worth the same.",
        "没有差别：“亮倒 5条”与“先不亮 5条”价值相同。",
    ),
    "model dependent": (
        decision(Outcome.MODEL_DEPENDENT, ("never 5s", 0.4, 0.1), cells=2, ladder=()),
        "It depends on what is believed of the others: under some beliefs and opponents “declare, 5s” is better, under "
        "others “never, 5s”.",
        "取决于对别家的看法：在有的看法与对手下“亮倒 5条”更好，在有的之下“始终不亮 5条”更好。",
    ),
    "not settled": (
        decision(Outcome.NOT_SETTLED, ("quiet 5s", 0.1, 0.4), more=12_345, ladder=()),
        "Not settled: “declare, 5s” leads “quiet, 5s” by +0.10 bases a round, [−0.30, +0.50]; some 13,000 more worlds "
        "would settle it.",
        "尚无定论：“亮倒 5条”领先“先不亮 5条”每局 +0.10 底，[−0.30, +0.50]；约再抽 13,000 个世界可见分晓。",
    ),
    "not settled, but only when to declare": (
        decision(
            Outcome.NOT_SETTLED, ("in 1 5s", 0.0, 0.3), ("declare 5s", 0.4, 0.1), best="quiet 5s", ladder=(), more=9
        ),
        "Stay quiet, discard 5s: +0.40 bases a round against declaring; whether and when to declare later is not "
        "settled.",
        "以后亮不亮、何时亮尚无定论。",
    ),
    "hopeless": (
        decision(Outcome.NOT_SETTLED, ("quiet 5s", 0.0, 0.4), more=None, ladder=()),
        "[−0.40, +0.40]; more worlds would hardly settle it.",
        "再多抽也难见分晓。",
    ),
    "nothing known": (
        decision(Outcome.NOT_SETTLED, ("quiet 5s", math.nan, math.inf), more=None),
        "Nothing is known yet: it ended before the first look.",
        "尚无所知：首次查看之前就结束了。",
    ),
}


@pytest.mark.parametrize(("answer", "english", "chinese"), CASES.values(), ids=CASES)
def test_sentence(answer, english, chinese):
    for lang, expected in (("en", english), ("zh", chinese)):
        said = sentence(answer, lang)
        assert said.endswith(expected) or said.startswith(expected)
        assert "\n" not in said
        assert answer.text(lang) == said


@pytest.mark.parametrize("answer", [case[0] for case in CASES.values()], ids=CASES)
def test_json_and_html_of_every_outcome(answer):
    told = as_json(answer, "zh")
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["sentence"] == sentence(answer, "zh")
    assert len(told["arms"]) == len(answer.arms)
    assert answer.to_json()["sentence"] == sentence(answer)
    for lang in ("en", "zh"):
        assert balanced(as_html(answer, lang))


def balanced(page):
    """Whether every element of a page is closed where it should be."""
    open_elements, wrong = [], []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            open_elements.append(tag)

        def handle_endtag(self, tag):
            if not open_elements or open_elements.pop() != tag:
                wrong.append(tag)

    Reader().feed(page)
    return not open_elements and not wrong


def test_json_says_which_first_action_is_clear():
    told = {name: as_json(case[0])["verdict"]["first_action"] for name, case in CASES.items()}
    assert told["declare"] == "declare 5s"
    assert told["claim, pong rather than win"] == "pong 5s"
    assert told["never"] == told["in 1"] == told["too close, but only when to declare"] == "discard 5s"
    assert told["not settled, but only when to declare"] == "discard 5s"
    assert told["kong"] == "concealed_kong 中"
    for name in ("too close", "model dependent", "not settled", "nothing known", "too close in one cell of several"):
        assert told[name] is None


def test_what_is_not_known_is_null():
    told = as_json(CASES["nothing known"][0])
    assert told["arms"][1]["behind"]["mean"] is None
    assert told["arms"][1]["behind"]["low"] is None
    assert type(told["arms"][0]["fan"]) is float
    unknown = SHARES._make([math.nan] * len(SHARES))
    answer = decision(Outcome.ACTION, ("quiet 5s", 1.8, 0.3))
    blank = replace(answer, arms=tuple(replace(each, shares=unknown, worlds=0) for each in answer.arms))
    assert {as_json(blank)["arms"][0][name] for name in ("worlds", *SHARES._fields)} == {None}
    assert sheets(blank, "en", whole="")[1].rows[0] == ["declare, 5s", *"–––––––"]


def test_few_effective_worlds_are_warned_of():
    few = replace(SAMPLING, worlds=20_000, effective=1_500.0, cut=0.125)
    for sampling, belief, warned in ((few, "played", True), (few, "uniform", False), (SAMPLING, "played", False)):
        answer = decision(Outcome.ACTION, ("quiet 5s", 1.8, 0.3), belief=belief, sampling=sampling)
        assert bool(as_json(answer)["warning"]) == warned
        assert ("1,500 of one weight, and" in as_html(answer, "en")) == warned
        assert bool(warning(answer, "zh")) == warned
        assert ("12.5%" in how(answer, "en")) == (warned and belief == "played")
    nothing = replace(SAMPLING, worlds=0, effective=0.0)
    assert not warning(decision(Outcome.NOT_SETTLED, belief="played", sampling=nothing), "en")


def cell(belief, opponents, mean, half, state):
    return CellFigures(belief, opponents, lead(mean, half), state, 1_000, 612.4, sums(mean, half))


def sums(mean, half, worlds=1_000):
    """Those of worlds that give this interval."""
    spread = (half / radius(worlds, 1.0)) ** 2 * (worlds - 1)
    totals = [worlds, worlds, worlds, worlds * mean, worlds * mean, spread + worlds * mean**2]
    return Cell(Moments(np.array(totals)[:, None], np.zeros(1)), bound=0.0)


def test_cells_are_shown_where_there_are_several():
    first, second = cell("played", "efficient", 1.8, 0.3, State.ABOVE), cell("uniform", "a", -0.1, 0.3, State.OPEN)
    answer = decision(Outcome.NOT_SETTLED, ("quiet 5s", 1.8, 0.3), cells=2, belief="played")
    both = replace(answer, cells=(first, second))
    rows = sheets(both, "en", whole="--json")[-1].rows
    assert rows == [
        ["played", "efficient", "+1.80", "[+1.50, +2.10]", "ahead", "1,000", "612"],
        ["uniform", "a", "−0.10", "[−0.40, +0.20]", "open", "1,000", "612"],
    ]
    assert cell_line(second, "zh") == "随机、a：−0.10 [−0.40, +0.20]，未定；1,000 个世界，等效 612"
    told = as_json(both)["cells"]
    assert [each["state"] for each in told] == ["above", "open"]
    assert told[1]["difference"]["mean"] == -0.1
    assert len(sheets(replace(answer, cells=(first,)), "en", whole="")) == len(sheets(both, "en", whole="")) - 1


def over(*cells, **changes):
    """An answer over these cells, the first the headline's; the lead of the best is that of each."""
    first = cells[0].difference
    answer = decision(Outcome.NOT_SETTLED, ("declare 5s", first.mean, first.high - first.mean), best="quiet 5s")
    told = verdict([each.sums for each in cells], answer.precision, "discard 5s", "declare 5s")
    return replace(answer, cells=cells, verdict=told, **changes)


HEADLINE = cell("played_in", "careful", 0.25, 0.2, State.ABOVE)
BEHIND = (
    cell("uniform", "careful", -0.3, 0.2, State.BELOW),
    cell("uniform", "hunter", -0.9, 0.8, State.BELOW),
    cell("uniform", "racer", -0.6, 0.5, State.BELOW),
    cell("played_in", "hunter", -0.7, 0.6, State.BELOW),
)


def test_what_is_open_over_all_is_told_by_the_cells():
    """Not by the interval of the headline, which is clear by itself."""
    answer = over(HEADLINE, *BEHIND, cell("played_in", "racer", 0.1, 0.3, State.OPEN))
    assert answer.verdict.outcome is Outcome.NOT_SETTLED
    english = sentence(answer)
    assert english.startswith(
        "Not settled: of 6 beliefs and opponents “quiet, 5s” against “declare, 5s” is ahead under 1, behind under 4, "
        "not clear under 1; not for certain by more than 0.2 bases on both sides; behind under hunter (uniform) −0.90, "
        "hunter (played_in) −0.70, racer (uniform) −0.60 and 1 more; more "
        "worlds would hardly settle it."
    )
    assert "[" not in english
    assert "doubling" not in english
    assert sentence(answer, "zh").startswith(
        "尚无定论：6 种看法与对手中，“先不亮 5条”比“亮倒 5条”领先 1 种，落后 4 种，未定 1 种；"
        "两边都还不能肯定超过 0.2 底；"
        "落后的有做大（随机）−0.90、做大（按推演）−0.70、抢快（随机）−0.60，另有 1 种；再多抽也难见分晓。"
    )


def test_where_none_is_behind_the_nearest_to_it_is_named():
    answer = over(
        HEADLINE, cell("uniform", "careful", 0.1, 0.3, State.OPEN), cell("uniform", "a", 0.0, 0.1, State.WITHIN)
    )
    said = sentence(answer)
    assert "is ahead under 1, equal under 1, not clear under 1; furthest the other way under a (uniform) 0.00, " in said
    assert "[−0.10, +0.10]; more worlds would hardly settle it." in said


def test_the_worlds_that_would_settle_it_are_those_of_the_open_cells_where_it_takes_no_others():
    alone = over(HEADLINE, cell("uniform", "racer", 0.15, 0.3, State.OPEN))
    assert re.search(r"some [\d,]+ more worlds of racer \(uniform\) would settle it\.$", sentence(alone))
    assert re.search(r"；抢快（随机）约再抽 [\d,]+ 个世界可见分晓。$", sentence(alone, "zh"))
    # To be told apart on both sides by δ takes more of both than to be clear of 0.
    both = over(cell("played_in", "careful", 0.8, 0.9, State.OPEN), cell("uniform", "racer", -0.8, 0.9, State.OPEN))
    assert re.search(r"some [\d,]+ more worlds of those not clear would settle it\.$", sentence(both))


def test_no_worlds_are_promised_of_a_cell_that_has_come_to_an_end():
    """The headline is clear by itself and goes on no more, so it will never be clear by more than δ."""
    apart = over(HEADLINE, cell("uniform", "racer", -0.5, 0.6, State.OPEN))
    assert apart.verdict.more_worlds is None
    assert sentence(apart).endswith("; more worlds would hardly settle it.")


def test_an_answer_says_what_its_headline_says_and_what_all_come_to():
    answer = over(HEADLINE, *BEHIND)
    first = answer.headline
    assert (first.verdict.outcome, first.verdict.action, first.cells) == (Outcome.ACTION, "discard 5s", (HEADLINE,))
    assert first.headline is first
    assert first.text().startswith("Stay quiet, discard 5s: +0.25 bases a round against declaring; ")
    assert answer.text() == f"{first.text()} Over all beliefs and opponents: {sentence(answer)}"
    assert answer.text("zh") == f"{first.text('zh')}综合各种看法与对手：{sentence(answer, 'zh')}"
    assert as_json(answer)["sentence"] == answer.text()
    assert "Over all beliefs and opponents: Not settled" in as_html(answer, "en")
    alike = over(HEADLINE, replace(HEADLINE, belief="uniform"))
    assert over_all(alike) == ""
    assert alike.text() == first.text()


def test_names_are_those_of_the_language():
    answer = over(HEADLINE, *BEHIND, belief="played_in", me="efficient", opponents="efficient:value=1.5")
    rows = sheets(answer, "zh", whole="--json")[-1].rows
    assert [row[:2] for row in rows[:3]] == [["按推演", "谨慎"], ["随机", "谨慎"], ["随机", "做大"]]
    said = [each.text("zh") for each in assumed(answer)]
    assert "此后你按“谨慎（efficient）”打，别家按“做大（efficient:value=1.5）”打：答案只针对这样的牌手" in said
    assert "暗牌按推演；" in how(answer, "zh")
    assert "belief played_in;" in how(answer, "en")


def test_where_every_discard_is_won_at_once_that_is_the_answer():
    lost = SHARES._replace(fed=1.0, fed_first=1.0, first_cost=16.0)
    answer = decision(Outcome.TOO_CLOSE, ("quiet 6p", 0.0, 0.1))
    figures = tuple(replace(each, shares=lost) for each in answer.arms)
    told = {lang: sentence(replace(answer, arms=figures), lang) for lang in ("en", "zh")}
    assert told["en"] == (
        "Whatever leaves the hand ready (5s, 6p) is won at once; ask kwx discard (best_discard), which compares every "
        "discard."
    )
    assert told["zh"] == "打出后仍听牌的（5条、6筒）都当即点炮；请用 kwx discard（best_discard），它比较每一张。"
    assert sentence(replace(answer, arms=(figures[0], answer.arms[1]))).startswith("Too close to call")
    assert sentence(replace(answer, arms=figures, about="discard")).startswith("Too close to call")


def test_bounds_tell_on_which_side_of_0_they_lie():
    assert interval(-1.68, -0.004) == "[−1.68, −0.004]"
    assert interval(0.0004, 0.25) == "[+0.0004, +0.25]"
    assert interval(-0.5, 0.0) == "[−0.50, 0.00]"
    assert interval(-0.006, 1e-9) == "[−0.01, 0.00]"


def test_reasons_that_there_was_no_time_for_are_said_to_be_left_out():
    early = replace(SAMPLING, ended="seconds")
    answer = decision(Outcome.ACTION, ("quiet 5s", 1.8, 0.3), ladder=(), ladder_against=None, break_even=None)
    assert break_even(replace(answer, sampling=early), "en").startswith("The reasons and p* are left out")
    assert break_even(answer, "en") == ""
    assert break_even(replace(answer, sampling=early, about="discard"), "en") == ""


def test_feeding_is_told_by_tile():
    hot = SHARES._replace(fed=0.5, fed_first=0.4, first_cost=5.0)
    others = ("discard 1s", 0.4, 0.1), ("declare 1s", 0.5, 0.1)
    answer = decision(Outcome.ACTION, *others, best="discard 5s", about="discard")
    figures = (answer.arms[0], replace(answer.arms[1], shares=hot), answer.arms[2])
    sheet = sheets(replace(answer, arms=figures, ladder_against=None), "en", whole="")[-1]
    assert sheet.rows == [["discard 1s", "40.0%", "5.00", "2.00", "10.0%"], ["discard 5s", "0.0%", "–", "0.00", "0.0%"]]


def test_html_is_escaped():
    page = as_html(decision(Outcome.ACTION, ("quiet 5s", 1.8, 0.3), rules="<b>&"))
    assert "<b>&" not in page
    assert "&lt;b&gt;&amp;" in page
    assert decision(Outcome.ACTION, ("quiet 5s", 1.8, 0.3))._repr_html_().startswith("<p><strong>")


# ---------------------------------------------------------------- waits and tables


def waiting(discard, *waits):
    """A discard and what it waits for: "5p 4", with the tiles that are left."""
    pairs = (each.split() for each in waits)
    return Ready(parse_tile(discard), tuple(Wait(parse_tile(tile), int(left)) for tile, left in pairs))


def test_waits_are_told_with_what_is_left_of_them():
    ready = (waiting("5s", "5p 4", "8p 0"), waiting("6p", "5p 0"), waiting("中"), waiting("9s", "9s 3"))
    answer = decision(
        Outcome.ACTION, ("quiet 6p", 0.4, 0.1), ("discard 中", 0.5, 0.1), ("concealed_kong 9s", 0.6, 0.1), ready=ready
    )
    assert ready_lines(answer, "en") == [
        "Discard 5s: waits 5p (4 left), 8p (none left).",
        "Discard 6p: no wait is left (5p all seen).",
        "Discard 中: no wait is left (you hold them all).",
    ]
    assert ready_lines(answer, "zh") == [
        "打 5条：听 5筒（剩 4 张）、8筒（已绝）。",
        "打 6筒：听口已绝（5筒 全已见）。",
        "打 中：听口已绝（全在自己手里）。",
    ]
    assert "waits 5p (4 left)" in as_html(answer, "en")
    assert as_json(answer)["ready"][0] == {
        "tile": "5s",
        "waits": [{"tile": "5p", "left": 4}, {"tile": "8p", "left": 0}],
    }


def test_a_table_of_many_arms_is_cut():
    tiles = ["5s", "1s", "2s", "3s", "4s"]
    names = [f"{way} {tile}" for tile in tiles for way in ("never", "quiet", "in 1", "in 2", "declare")][1:]
    others = [(name, 0.1 * n, 0.1) for n, name in enumerate(names, 1)]
    answer = decision(Outcome.ACTION, *others, best="never 5s")
    means, ends, _ = sheets(answer, "en", whole="--json")
    shown = [row[0] for row in means.rows]
    assert shown == [
        *("never, 5s", "quiet, 5s", "in 1, 5s", "in 2, 5s", "declare, 5s"),
        *("never, 1s", "declare, 1s", "never, 2s", "declare, 2s", "never, 3s", "declare, 3s", "never, 4s"),
    ]
    assert [row[0] for row in ends.rows] == shown
    assert means.left_out == ends.left_out == "… and 13 more; --json has all"
    assert "… and 13 more; .table has all" in as_html(answer, "en")
    assert len(as_json(answer)["arms"]) == 25
    assert not any(sheet.left_out for sheet in sheets(CASES["declare"][0], "en", whole="--json"))


def test_the_ladder_of_an_exact_answer_is_said_to_be_sampled():
    exact = replace(CASES["declare"][0], sampling=replace(SAMPLING, exact=True, ended="enumerated"))
    for answer, says in ((exact, True), (CASES["declare"][0], False)):
        why = sheets(answer, "en", whole="--json")[-1].title
        assert why.startswith("Why")
        assert ("sampled" in why) == says


# ---------------------------------------------------------------- what it rests on


def keys(answer):
    return [each.key.removeprefix("positions.assumption.").removeprefix("query.") for each in assumed(answer)]


def test_worlds_played_in_take_the_place_of_what_a_position_assumes():
    table = check(position_of({"hand": "123s 789s 46p 88p 中中中 5s"}), "suizhou")
    given = [each.key.rpartition(".")[2] for each in table.assumptions]
    assert {"wall", "discards", "melds", "undeclared", "missed"} <= set(given)
    played = keys(decision(Outcome.ACTION, assumptions=table.assumptions, belief="played_in"))
    assert played[0] == "belief.played_in"
    assert {"wall", "undeclared", "missed"} <= set(played)
    assert not {"discards", "dealer", "draws", "melds"} & set(played)
    uniform = keys(decision(Outcome.ACTION, assumptions=table.assumptions))
    assert uniform[: len(given) + 1] == ["belief.uniform", *given]


def test_players_and_the_bound_are_named():
    said = [each.text() for each in assumed(CASES["declare"][0])]
    assert any("as careful (efficient), the others as efficient:avoidance=0.5" in line for line in said)
    assert any("B = 102 bases (kong chains left aside)" in line for line in said)
    capless = replace(SAMPLING, stated_cap=64)
    said = [each.text() for each in assumed(decision(Outcome.ACTION, sampling=capless))]
    assert any("at most 64 fan" in line for line in said)
    assert not any("B =" in each.text() for each in assumed(CASES["equal"][0]))


def test_why_nothing_is_declared():
    without = decision(Outcome.ACTION, ("discard 6p", 0.4, 0.1), best="discard 5s", rules="hongzhong", no_liangdao=True)
    assert Assumption("query.assumption.no_liangdao", {"rules": "hongzhong"}) in assumed(without)
    assert "assumption.no_declaring" in keys(decision(Outcome.ACTION, ("discard 6p", 0.4, 0.1), best="discard 5s"))
    assert "assumption.no_declaring" not in keys(CASES["declare"][0])


@pytest.mark.parametrize("ended", ["settled", "worlds", "seconds", "interrupted"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_how_it_ended_is_told_and_marked(ended, lang):
    answer = decision(Outcome.ACTION, sampling=replace(SAMPLING, ended=ended))
    assert "2,000" in how(answer, lang)
    assert "abc" in how(answer, lang)
    assert bool(mark(answer, lang)) == (ended in ("seconds", "interrupted"))


def test_while_it_runs():
    now = Provisional(arm("declare 5s"), arm("quiet 5s"), lead(0.5, 1.0))
    assert provisional(now, "en") == "“declare, 5s” leads “quiet, 5s” by +0.50 bases a round, [−0.50, +1.50]"
    assert provisional(Provisional(arm("win 5s"), None, None), "zh") == "胡 5条"
