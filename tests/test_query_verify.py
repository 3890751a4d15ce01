"""The query at length: how often its intervals cover, how often it decides at a tie, and what its choices are worth.

Set KWX_POSITIONS, KWX_TIES, KWX_DECISIONS, KWX_ANSWERS or KWX_ROUNDS for smaller or larger samples; each test prints
its figures (`-s`). The harnesses by themselves are tested on a handful of positions.
"""

import os

import numpy as np
import pytest
import query_series
from decision_quality import (
    PLAYER,
    POSITIONS,
    WALLS,
    WITH_LIANGDAO,
    WORLDS,
    answered,
    counted,
    gains,
    measure,
    sensitivity,
    shown,
)
from scipy import stats
from test_exact import answers, assert_standard, misses, z_scores
from test_query import FROZEN, PATIENT

from kwx_sim import should_liangdao
from kwx_sim.ensemble import MEMBERS
from kwx_sim.policies import parse_policy
from kwx_sim.rules import PRESETS, changed, load_rules
from kwx_sim.sequences import ALPHA, Outcome

verify = pytest.mark.verify

EXACT_POSITIONS = int(os.environ.get("KWX_POSITIONS", "1050"))
TIES = int(os.environ.get("KWX_TIES", "400"))
DECISIONS = int(os.environ.get("KWX_DECISIONS", str(POSITIONS)))
ANSWERS = int(os.environ.get("KWX_ANSWERS", "60"))
ROUNDS = int(os.environ.get("KWX_ROUNDS", "2000"))
OTHER_PLAYER = "efficient:avoidance=0.5,pong=1.6"


def told(what, found, of):
    """A share with its 95% interval, printed; the upper end."""
    low, high = stats.binomtest(found, of).proportion_ci(method="wilson")
    print(f"{what}: {found} of {of}, {found / of:.4f} [{low:.4f}, {high:.4f}]")
    return high


# ---------------------------------------------------------------- coverage


@verify
def test_sequences_cover_over_a_thousand_positions():
    """Of all pairs, and of positions: those in which some pair's sequence misses its exact difference at some look."""
    found = [answer for preset in PRESETS for answer in answers(preset, EXACT_POSITIONS // len(PRESETS), 500, 4_000)]
    missed = np.array([misses(answer) for answer in found])
    print()
    for column, name in enumerate(("raw", "adjusted")):
        told(f"pairs missed, {name}", int(missed[:, column].sum()), int(missed[:, 2].sum()))
        assert told(f"positions with a pair missed, {name}", int((missed[:, column] > 0).sum()), len(found)) <= ALPHA
    raw, adjusted = z_scores(found)
    for name, z in (("raw", raw), ("adjusted", adjusted)):
        told(f"|z| > 1.96, {name}", int((abs(z) > 1.96).sum()), len(z))
        assert_standard(z)


# ---------------------------------------------------------------- ties

MIRRORED = {"hand": "123s 123p 中中中 发发发 7s 7p", "next": {"melds": "pong:白"}, "wall": 18}
"""Ready for 7p or 7s, whatever the suits are called: both discards are worth the same."""
AT_RANDOM = "random:win=1,call=0,own_kong=0,declare=0.3"

FLUSH_OR_TRIPLETS = {
    "hand": "999p 2p 5s",
    "melds": "pong:1p pong:4p pong:7p",
    "discards": {"me": "2p 2p 3s 3s 3s 8s 8s 8s"},
    "wall": 5,
}
"""One tile that brings three times as much as any of three others, and a single draw: 24 bases, or 8."""

DEAR = {
    "hand": "999p 2p 5s",
    "melds": "pong:1p pong:4p pong:7p",
    "discards": {"me": "1s 1s 1s 1s 2s 2s 2s 2s 3s 3s 3s 3s 中 中 中 中 发 发 发"},
    "wall": 5,
}
"""Three of 51 tiles bring 32 more to those who declared; the other 48 times it costs them 2."""

FREE = {"liangdao.undecided_first_pays": 0}


def with_flush(value, changes):
    rules = load_rules("xiangyang")
    fans = {**rules.fans.values, "full_flush": value}
    return changed(rules, {"fans.values": fans, "payment.cap": 64, "payment.cap_for": {}, **changes})


TIED = {
    "suits alike": (MIRRORED, load_rules("xiangyang"), AT_RANDOM, AT_RANDOM),
    "suits alike, maima": (MIRRORED, load_rules("platform"), AT_RANDOM, AT_RANDOM),
    "dear or frequent": (FLUSH_OR_TRIPLETS, with_flush(3, FREE), PATIENT, FROZEN),
    "dear against cheap": (DEAR, with_flush(8, {}), f"{PATIENT},liangdao=never", FROZEN),
}


@verify
@pytest.mark.parametrize("name", TIED)
def test_ties_are_not_decided(name):
    """Two first actions worth exactly the same: in at most 5% of questions the answer names one of them."""
    position, rules, me, others = TIED[name]
    wrong, spread = 0, []
    for seed in range(TIES):
        decision = should_liangdao(
            position, rules, me=me, opponents=others, worlds=5_000, precision=0.01, seed=seed, workers=2, exact=False
        )
        wrong += decision.verdict.outcome is Outcome.ACTION
        spread.append(decision.difference.mean)
    print(f"\n{name}: {decision.best.name} or {decision.other.name}, mean lead {np.mean(np.abs(spread)):.3f}")
    assert told("decided", wrong, TIES) <= ALPHA


# ---------------------------------------------------------------- decisions


@verify
@pytest.mark.parametrize("player", [PLAYER, OTHER_PLAYER])
@pytest.mark.parametrize("preset", WITH_LIANGDAO)
def test_choices_are_not_clearly_worse_than_plain_ones(preset, player):
    """A measure more than a test: the figures are printed."""
    judged = measure(preset, DECISIONS, WORLDS, WALLS, seed=1, workers=2, player=player)
    found = gains(preset, judged)
    print(f"\n{shown(found)}\n{counted(judged)}")
    assert all(each.gain + each.half > 0 for each in found)


@verify
@pytest.mark.parametrize("preset", WITH_LIANGDAO)
def test_answers_over_all_opponents(preset):
    """A measure alone."""
    print("\n" + sensitivity(preset, answered(preset, ANSWERS, WORLDS, seed=1, workers=2)))


@verify
@pytest.mark.parametrize("preset", WITH_LIANGDAO)
def test_rounds_decided_by_the_query_are_worth_more(preset):
    """As above: figures are printed, and the query may not clearly lose to the rule."""
    rounds = query_series.series(load_rules(preset), parse_policy(PLAYER), ROUNDS, worlds=600, seed=1, workers=2)
    print("\n" + query_series.shown(preset, rounds))
    gain = np.array([each.gain for each in rounds])
    assert gain.mean() + 1.96 * gain.std(ddof=1) / np.sqrt(len(gain)) > 0


def test_a_choice_is_worth_as_much_by_both_beliefs_where_it_is_the_same():
    judged = measure("xiangyang", 3, worlds=800, walls=4, seed=1, workers=1, player=OTHER_PLAYER)
    assert all(each.query == each.uniform for each in judged if not each.apart)
    assert "of 3 by the record" in counted(judged)


def test_sensitivity_tells_of_each_belief_and_member():
    (told,) = answered("xiangyang", 1, worlds=800, seed=1, workers=1)
    assert told.outcome in set(Outcome)
    assert told.cells[0][:2] == ("played", "careful")
    lines = sensitivity("xiangyang", [told, told]).splitlines()
    cells = [(belief, name) for name in MEMBERS for belief in ("played", "uniform")]
    assert [tuple(line.split()[:2]) for line in lines[1:]] == cells[1:]


def test_a_round_ends_otherwise_only_where_the_query_does_not_do_as_the_rule():
    rules, player = load_rules("xiangyang"), parse_policy(PLAYER)
    played = [query_series.play(rules, player, number, seed=1, worlds=100) for number in range(8)]
    for each in played:
        assert all(choice.way != "never" for choice in each.choices[:-1]), "asked again after never"
        assert each.gain == 0 or any(choice.way != choice.rule for choice in each.choices)
    assert "8 rounds" in query_series.shown("xiangyang", played)
