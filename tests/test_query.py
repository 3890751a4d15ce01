"""The query: identities and limits that hold whatever the figures, answers that are known, and repeats."""

import re
from collections import Counter
from dataclasses import replace
from math import comb

import numpy as np
import pytest
from decision_quality import sample
from position_maker import position_of_round
from questions import Asked
from small_positions import small_positions

from kwx_sim import score, should_liangdao
from kwx_sim.contest import PILOT, Contest
from kwx_sim.core.payment import maima_points
from kwx_sim.errors import InputError
from kwx_sim.play import Round
from kwx_sim.query import ask
from kwx_sim.query import question as under_way
from kwx_sim.query import worlds as worlds_of_question
from kwx_sim.query.arms import Arm, packed
from kwx_sim.query.ladder import explain
from kwx_sim.query.standing import Sampled
from kwx_sim.query.worlds import BLOCK
from kwx_sim.rules import PRESETS, changed, load_rules, pack
from kwx_sim.sequences import Outcome, schedule, verdict
from kwx_sim.tiles import parse_tiles, tile_name

HAND = "123s 789s 46p 88p 中中中 5s"
WITH_LIANGDAO = [preset for preset in PRESETS if load_rules(preset).liangdao.enabled]
FROZEN = "random:win=0,call=0,own_kong=0,declare=0"
"""Others that never win, call, kong or declare."""
PATIENT = "efficient:min_win=1048576,kong=0,pong=0"
"""An asker that waits for its self-draw."""

NO_DIFFERENCE = {
    "liangdao.shows": "nothing",
    "liangdao.multiplier": 1,
    "liangdao.both_multiplier": 1,
    "liangdao.locks_hand": False,
    "liangdao.feeder_pays_all": False,
    "liangdao.forbid_feeding": False,
    "liangdao.undecided_first_pays": 0,
    "play.min_fan_waived_by_liangdao": False,
}
"""Declaring as a word and nothing else."""


# ---------------------------------------------------------------- identities


@pytest.mark.parametrize("preset", WITH_LIANGDAO)
def test_declaring_that_changes_nothing_makes_no_difference(preset):
    """D ≡ 0 world by world, luck and all: in worlds played in, and in small positions with others who declared."""
    rules = changed(load_rules(preset), NO_DIFFERENCE)
    asked = Asked({"hand": HAND, "wall": 21}, rules, others="efficient:liangdao=always")
    results = asked.results(300)
    assert len(asked.arms) == 5
    assert len(np.unique(results["points"])) > 5
    assert (results == results[:, :1]).all()
    for small in small_positions(load_rules(preset), 5, seed=4):
        told = small.told | {seat: dict(small.told[seat]) for seat in ("next", "previous")}
        for seat in ("next", "previous"):
            told[seat].pop("shown", None)
        asked = Asked(told, rules)
        results = asked.results(50)
        for tile in {arm.tile for arm in asked.arms if arm.declares}:
            alike = [n for n, arm in enumerate(asked.arms) if arm.tile == tile and (arm.declares or arm.hides)]
            assert (results[:, alike] == results[:, alike[:1]]).all()


@pytest.mark.parametrize("preset", WITH_LIANGDAO)
def test_the_bottom_rung_is_zero_and_the_ladder_leads_to_the_difference(preset):
    asked = Asked({"hand": HAND, "wall": 21}, preset)
    pair = [asked.arms[asked.index(name)] for name in ("declare 5s", "quiet 5s")]
    bottom, top = (asked.results(400, packed(pair, rules=rules))["points"] for rules in (1, 0))
    assert (bottom[:, 0] == bottom[:, 1]).all()
    highest = asked.results(400, packed(pair, rules=len(asked.packed_rules) - 1))["points"]
    assert (highest == top).all()
    decision = should_liangdao({"hand": HAND, "wall": 21}, preset, worlds=1_000, workers=1)
    assert sum(rung.mean for rung in decision.ladder) == pytest.approx(decision.ladder_total.mean, abs=1e-12)


def mirrored(told):
    """The same with the suits exchanged."""
    if isinstance(told, dict):
        words = ("replacement", "dealer", "first_declared")
        return {name: value if name in words else mirrored(value) for name, value in told.items()}
    if isinstance(told, list):
        return [mirrored(each) for each in told]
    if isinstance(told, str):
        return re.sub(r"(?<=\d)[sp]", lambda suit: {"s": "p", "p": "s"}[suit.group()], told)
    return told


@pytest.mark.parametrize("preset", PRESETS)
def test_swapping_the_suits_changes_nothing(preset):
    """Exact values to rounding; but a policy that has the choice between equals takes the lower tile, now another."""
    rules, same = load_rules(preset), []
    for small in small_positions(rules, 30, seed=12):
        asked, other = Asked(small.position, rules), Asked(mirrored(small.told), rules)
        swapped = dict(zip((arm.name for arm in other.arms), other.exact()[0], strict=True))
        equal = {
            arm: swapped[mirrored(arm.name)] == pytest.approx(value, abs=1e-12)
            for arm, value in zip(asked.arms, asked.exact()[0], strict=True)
        }
        if not asked.table.hidden.any():
            assert all(equal[arm] for arm in asked.arms if arm.way in ("declare", "win"))
        same.append(all(equal.values()))
    assert np.mean(same) >= 0.9


@pytest.mark.parametrize("preset", PRESETS)
def test_doubling_the_base_doubles_all(preset):
    """Every figure is in bases: with a base twice as large none changes, so every amount of money doubles."""
    rules = load_rules(preset)
    room = "rooms" if rules.rooms else "payment"
    twice = rules.model_dump()
    for each in twice["rooms"] if rules.rooms else [twice["payment"]]:
        each["base"] *= 2
    twice = changed(rules, {"rooms": twice["rooms"]} if room == "rooms" else {"payment.base": twice["payment"]["base"]})
    hand = {"hand": "123s 789s 46s 88s 中 33s 1p" if preset == "hongzhong" else HAND, "wall": 21}
    once, double = Asked(hand, rules), Asked(hand, twice)
    assert double.packed_rules["base"][0] == 2 * once.packed_rules["base"][0]
    assert (once.results(100) == double.results(100)).all()


# ---------------------------------------------------------------- limits


@pytest.mark.parametrize("wall", [3, 9, 21, 38])
def test_against_frozen_players_self_draw_is_hypergeometric(wall):
    """Own draws, one in three tiles of the wall, are that many of all unseen tiles."""
    asked = Asked({"hand": HAND, "wall": wall}, "xiangyang", me=PATIENT, others=FROZEN)
    assert asked.worlds.belief == "played_in"
    count = 6_000
    results = asked.results(count, packed([asked.arms[asked.index("declare 5s")]]))
    live, unseen, draws = 4, 84 - 14, wall // 3
    chance = 1 - comb(unseen - live, draws) / comb(unseen, draws)
    assert abs(results["by_self_draw"].mean() - chance) < 4 * np.sqrt(chance * (1 - chance) / count)
    assert not results["by_discard"].any()
    assert not results["other_won"].any()


@pytest.mark.parametrize("preset", WITH_LIANGDAO)
def test_without_a_live_wait_nothing_is_won(preset):
    asked = Asked(DEAD, preset)
    assert [arm.way for arm in asked.arms].count("declare") == 2
    declares = [arm for arm in asked.arms if arm.declares]
    results = asked.results(1_000, packed(declares))
    assert not results["by_self_draw"].any()
    assert not results["by_discard"].any()


DEAD = {
    "hand": "123s 456s 789p 白白白 发 中",
    "next": {"melds": "pong:发"},
    "previous": {"melds": "pong:中"},
    "wall": 9,
}
"""Ready for 发 or for 中, of which the other three lie in pongs."""


def test_maima_is_480_of_84():
    """Over the full set of tiles; and over the unseen ones in the worlds of a position."""
    rules = pack(load_rules("platform"))[0]
    points = np.array([maima_points(rules, slot) for slot in range(21)])
    assert 4 * points.sum() / 84 == 480 / 84
    asked = Asked({"hand": HAND, "wall": 30, "next": {"melds": "pong:9p"}}, "platform")
    unseen = asked.table.unseen[:21]
    worlds = [asked.world(number)[0] for number in range(3_000)]
    turned = points[[int(world["wall"][int(world["tail"]) - 1]) for world in worlds]]
    expected = (unseen * points).sum() / unseen.sum()
    assert abs(turned.mean() - expected) < 4 * turned.std() / np.sqrt(turned.size)


# ---------------------------------------------------------------- positions of which the answer is known


def closing_round(rules, last, me="123s 456s 789p 白白白 发", drawn="中", others=None):
    """A round with a written wall at my turn, `last` left in it: both others have declared at their first turn.

    Nobody calls, wins or kongs, and everybody discards what it draws. `others` are the next hand and the previous one.
    """
    rules = load_rules(rules) if isinstance(rules, str) else rules
    following, before = others or ("111222333444p 9s", "555666p 777888s 9p")
    hands = [parse_tiles(hand) for hand in (following, before, me)]
    last, drawn = parse_tiles(last), parse_tiles(drawn)
    assert len(last) % 3 == 0
    left = Counter(dict.fromkeys(range(21), 4))
    left.subtract([*(tile for hand in hands for tile in hand), *last, *drawn])
    assert min(left.values()) >= 0
    wall = [*(tile for hand in hands for tile in hand), *sorted(left.elements()), *drawn, *last]
    round_ = Round(rules, wall, dealer=1)
    while int(round_.state["tail"]) - int(round_.state["front"]) > len(last):
        due = round_.decision()
        tile = tile_name(int(round_.state["tile"]))
        if due.kind != "turn":
            round_.apply(f"pass {tile}")
        elif due.seat != 0 and f"liangdao {tile}" in due.legal:
            round_.apply(f"liangdao {tile}")
        else:
            round_.apply(f"discard {tile}")
    assert round_.state["declared"].tolist() == [0, 1, 1]
    return round_


def asked_at(round_):
    return Asked(position_of_round(round_.state, 0, round_.rules), round_.rules)


def paid(rules, by, *, declared, last=False):
    """What I win with 发发 in bases, the others having declared."""
    won = score(
        "123s 456s 789p 白白白 发", [], "发", by, rules=rules, winner_liangdao=declared, payer_liangdao=(True, True),
        events=["last_tile_draw"] if last else [],
    )  # fmt: skip
    return won.payments[0]


@pytest.mark.parametrize("preset", ["xiangyang", "suizhou", "shiyan"])
def test_the_last_own_draw_has_a_closed_form(preset):
    """One live tile among three: each of the others draws and feeds it, or I draw it as the wall's last."""
    asked = asked_at(closing_round(preset, "发 3s 4s"))
    values = dict(zip((arm.name for arm in asked.arms), asked.exact()[0], strict=True))
    for declared, name in ((True, "declare 中"), (False, "quiet 中"), (False, "never 中"), (False, "in 1 中")):
        fed, drawn = paid(preset, "discard", declared=declared), paid(preset, "self_draw", declared=declared, last=True)
        assert values[name] == pytest.approx((2 * fed + drawn) / 3, abs=1e-12)
    # With 中 for a wait nobody can win, and the first who declared pays me.
    assert values["declare 发"] == values["never 发"] == load_rules(preset).liangdao.undecided_first_pays
    assert should_liangdao(asked.position, preset).verdict.action == "declare 中"


def test_the_only_live_tile_is_the_last_of_the_wall():
    """By hand in the engine: the others draw past it, then I draw it; a declared hand brings double."""
    for act, points in (("liangdao", 8), ("discard", 4)):
        round_ = closing_round("xiangyang", "3s 4s 发")
        round_.apply(f"{act} 中")
        for tile in ("3s", "4s"):
            round_.apply(f"discard {tile}")
        assert round_.decision().legal[-1] == "win 发"
        round_.apply("win 发")
        assert round_.points[0] == points
        assert "last_tile_draw" in round_.winners()[0]["fans"]


def test_winner_or_payer_turns_an_answer_round():
    """Payers who declared pay me double in any case, where payers count; then declaring only binds me to feed."""
    best = {}
    for applies in ("winner", "winner_or_payer"):
        changes = {"liangdao.applies": applies, "liangdao.feeder_pays_all": False}
        rules = changed(load_rules("suizhou"), {**changes, "liangdao.undecided_first_pays": 0})
        best[applies] = should_liangdao(asked_at(closing_round(rules, "发 9s 3s 4s 3s 4s")).position, rules)
        assert best[applies].sampling.exact
        assert best[applies].verdict.outcome is Outcome.ACTION
    assert best["winner"].best.name == "declare 中"
    assert best["winner_or_payer"].best.name == "quiet 中"


@pytest.mark.parametrize("preset", WITH_LIANGDAO)
def test_without_a_live_wait_declaring_is_not_the_answer(preset):
    decision = should_liangdao(DEAD, preset, worlds=8_000)
    means = {figures.arm.name: figures.mean for figures in decision.arms}
    assert not decision.best.declares
    assert decision.verdict.action is None or not decision.verdict.action.startswith("declare")
    assert means["declare 发"] <= means["never 发"]


def test_a_dead_wait_costs_what_the_first_to_declare_pays():
    """Xiangyang: against others who win nothing, two bases in every undecided round, and nothing besides."""
    asked = Asked(DEAD, "xiangyang", me=PATIENT, others=FROZEN)
    gains = asked.gains(1_000, "declare 发", "never 发")
    undecided = asked.results(1_000)["undecided"][:, asked.index("declare 发")]
    assert undecided.all()
    never = asked.results(1_000)["by_self_draw"][:, asked.index("never 发")]
    assert (gains[never == 0] == -2).all()
    free = changed(load_rules("xiangyang"), {"liangdao.undecided_first_pays": 0})
    assert (Asked(DEAD, free, me=PATIENT, others=FROZEN).gains(1_000, "declare 发", "never 发")[never == 0] == 0).all()


def test_nine_waits_are_declared_where_nobody_avoids_them():
    decision = should_liangdao("1112345678999p 2s", "platform", opponents="efficient:avoidance=0")
    assert decision.verdict.outcome is Outcome.ACTION
    assert decision.verdict.action == "declare 2s"
    assert decision.difference.low > 0
    (doubling,) = (rung for rung in decision.ladder if rung.rule == "multiplier")
    assert doubling.mean - doubling.half > 0


def test_where_nobody_may_feed_avoidance_plays_no_part():
    free = should_liangdao(HAND, "platform", worlds=1_000)
    assert free.break_even is not None
    rules = changed(load_rules("platform"), {"liangdao.forbid_feeding": True})
    assert should_liangdao(HAND, rules, worlds=1_000).break_even is None
    closed = changed(load_rules("platform"), {"liangdao.shows": "nothing"})
    assert should_liangdao(HAND, closed, worlds=1_000).break_even is None


BOTH_DECLARED = {
    "hand": "123s 789s 46p 88p 5s",
    "drawn": "5s",
    "melds": "pong:中",
    "wall": 3,
    "next": {"shown": "222s 444s 66s 55p 777p", "declared_at": 5},
    "previous": {"shown": "111p 333p 999p 66s 白白", "declared_at": 6},
}


def test_where_others_have_declared_being_locked_and_shown_is_one_step():
    """Nobody can avoid a hand any more: what declaring loses, it loses by feeding, which is the lock's doing."""
    decision = should_liangdao(BOTH_DECLARED, worlds=2_000, opponents="efficient")
    one, other = (next(each for each in decision.arms if each.arm.name == name) for name in ("declare 5s", "quiet 5s"))
    assert one.shares.by_discard == other.shares.by_discard
    assert one.shares.fed > other.shares.fed == 0
    assert decision.ladder[0].rule == "lock_and_show"
    assert decision.ladder[0].mean + decision.ladder[0].half < 0
    assert decision.break_even is None
    assert sum(rung.mean for rung in decision.ladder) == pytest.approx(decision.ladder_total.mean, abs=1e-12)
    nobody = BOTH_DECLARED | {"next": {}, "previous": {}}
    assert [rung.rule for rung in should_liangdao(nobody, worlds=800).ladder][:2] == ["lock", "show"]


def test_an_action_is_told_by_the_arms_that_say_so():
    """The leader has not been told from the discard that another arm, which begins as it does, has dropped."""
    rng = np.random.default_rng(5)
    shared, own = rng.normal(0, 12, 4_000), rng.normal(0, 12, 4_000)
    arms = [Arm("quiet", 8), Arm("never", 8), Arm("never", 5)]
    contest = Contest(len(arms), 40.0, pilot=0)
    contest.add(np.stack([own + 0.8, shared + 0.4, shared], axis=1))
    found = Sampled(arms, contest, contest.look(), 0.2)
    assert (found.standing.leader, found.rival(), found.verdict().outcome) == (0, 2, Outcome.ACTION)
    assert found.difference(0, 2).low < 0 < found.difference(1, 2).low
    assert found.told_by() == (1, 2)
    cell = contest.cell(*found.told_by())
    assert verdict([cell], 0.2, "discard 8", "discard 5").outcome is Outcome.ACTION


def test_a_word_without_consequences_is_too_close_to_call():
    rules = changed(load_rules("xiangyang"), NO_DIFFERENCE)
    decision = should_liangdao(HAND, rules)
    assert decision.verdict.outcome is Outcome.TOO_CLOSE
    assert decision.difference.mean == 0
    assert decision.sampling.ended == "settled"


# ---------------------------------------------------------------- repeats


def told_again(decision):
    """Everything but the time it took."""
    return replace(decision, sampling=replace(decision.sampling, seconds=0.0))


@pytest.mark.parametrize("preset", PRESETS)
def test_the_answer_is_the_same_for_any_number_of_workers(preset):
    """To the last bit: played-in worlds and dealt ones."""
    hand = "123s 789s 46s 88s 中 33s 1p" if preset == "hongzhong" else HAND
    for more in ({}, {"next": {"melds": "pong:9p"}}):
        one, two, three = (should_liangdao({"hand": hand, **more}, preset, worlds=1_500, workers=n) for n in (1, 2, 3))
        assert repr(told_again(one)) == repr(told_again(two)) == repr(told_again(three))


def test_the_seed_changes_the_answers_figures_and_nothing_else_does():
    first, again, other = (should_liangdao(HAND, "xiangyang", worlds=1_500, seed=seed) for seed in (1, 1, 2))
    assert repr(told_again(first)) == repr(told_again(again))
    assert first.difference != other.difference
    assert first.sampling.rules_hash == other.sampling.rules_hash


def test_arms_are_dropped_and_runs_stopped_at_looks_alone():
    """Whatever was told in between: worlds of every arm, and of the run, are those of a look of the schedule."""
    told, looks = [], schedule(PILOT, BLOCK, 4_000)
    decision = should_liangdao(
        {"hand": "23344567s 234567p", "wall": 21},
        "xiangyang",
        worlds=4_000,
        precision=0.01,
        progress=lambda done, most, _: told.append((done, most)),
    )
    assert len({figures.worlds for figures in decision.arms if figures.dropped_by}) > 1
    assert decision.sampling.worlds in looks
    assert {figures.worlds + PILOT for figures in decision.arms} <= set(looks)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert {done % BLOCK for done, _ in told} == {0}
    assert {most for _, most in told} == {4_000}


def test_time_ends_a_run_and_is_marked():
    decision = should_liangdao(HAND, "xiangyang", seconds=1e-6)
    assert decision.sampling.ended == "seconds"
    assert decision.sampling.worlds == BLOCK
    assert (decision.ladder, decision.ladder_against, decision.break_even) == ((), None, None)


def test_a_long_record_gets_fewer_worlds_and_the_ladder_half_as_many(monkeypatch):
    """A world by the record costs as many turns as the record has."""
    rules, ladders = load_rules("xiangyang"), []

    def turns(told):
        return sum(seat != "me" for seat, *_ in told["discards"])

    def most_worlds(told, worlds=None):
        most = set()
        options = {"worlds": worlds, "precision": 1e-6, "belief": "played"}
        should_liangdao(told, rules, **options, progress=lambda *now: most.add(now[1]))
        return most

    def explained(worlds, declare, against, fresh, *, avoided):
        ladders.append(len(fresh))
        return explain(worlds, declare, against, fresh, avoided=avoided)

    monkeypatch.setattr(worlds_of_question, "MOST_RECALLED", 1_600)
    monkeypatch.setattr(under_way, "explain", explained)
    told = sorted((ready.told for ready, _ in sample(rules, 16, 1, "efficient")), key=turns)
    assert turns(told[0]) < 16 < turns(told[-1])
    assert most_worlds(told[0]) == {1_600}
    assert most_worlds(told[-1]) == {1_600 * 16 // turns(told[-1])}
    assert most_worlds(told[-1], worlds=1_700) == {1_700}
    assert ladders == [800, 800 * 16 // turns(told[-1]), 850]


@pytest.mark.parametrize(
    ("belief", "told"),
    [("guess", "expected one of"), ("played", "every discard"), ("played_in", "nothing of the round so far")],
)
def test_a_belief_that_has_nothing_to_go_by_is_refused(belief, told):
    position = {"hand": "123s 789s 46p 88p 5s", "melds": "pong:中", "next": {"melds": "pong:9p"}, "wall": 24}
    with pytest.raises(InputError, match=told):
        should_liangdao(position, "xiangyang", belief=belief, worlds=800)


def test_the_headline_of_a_whole_answer_is_what_it_was_before_the_others():
    question = ask.asked("liangdao", {"hand": HAND, "wall": 30}, "xiangyang", opponents="careful; caller", worlds=1_500)
    headline = question.headline()
    whole = question.with_cells(headline, list(question.cells(headline)))
    assert len(whole.cells) == 4
    assert whole.headline == headline


def test_no_cell_is_begun_once_time_is_up():
    decision = should_liangdao(HAND, "xiangyang", opponents="all", seconds=0.001, workers=1)
    assert decision.sampling.ended == "seconds"
    assert len(decision.cells) == 1
