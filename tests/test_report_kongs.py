"""Kongs of played rounds: paid again by hand, chains and all; what followed them; players and peaks recounted."""

import numpy as np
import pytest

from analyses import kongs as analysis
from kwx_sim import trials
from kwx_sim.core import state as codes
from kwx_sim.findings.kongs import (
    chain_extra,
    count_frame,
    ending_frame,
    endings,
    money_frame,
    own_frame,
    peak_frame,
    play,
    quantile,
)
from kwx_sim.findings.wins import MIN_EVENTS
from kwx_sim.play import Round
from kwx_sim.report import Table, Work
from kwx_sim.rules import PRESETS, load_rules
from kwx_sim.runs import Run, replay

GAMES, SEED = 1500, 5
KONGS = ("direct_kong", "concealed_kong", "added_kong")


@pytest.fixture(scope="module")
def played():
    """Rounds of every preset."""
    return {name: play(Work((load_rules(name),), GAMES, SEED, 2), load_rules(name)) for name in PRESETS}


def replayed(one, number):
    return replay(Run.of(one.rules, games=GAMES, seed=SEED), number)[0]


# ---------------------------------------------------------------- money


def paid_by_hand(one, number):
    """Kong payments of a round by seat, with its chain and without, from its actions one by one."""
    state = replayed(one, number)
    stepped = Round(one.rules, state["wall"][: one.rules.wall_size].tolist(), int(state["dealer"]))
    terms = one.rules.payment
    amounts = dict(zip(KONGS, (terms.direct_kong, terms.concealed_kong, terms.added_kong), strict=True))
    totals, chain, discards, discarder = ([0] * 3, [0] * 3), 0, 1, 0
    for code in state["log"][: int(state["n_log"])].tolist():
        before = stepped.melds()
        seat, act = stepped.decision().seat, codes.ACTION_NAMES[code >> 5]
        stepped.apply(code)
        for konger in range(3):
            new = [kind for kind, _ in stepped.melds()[konger] if kind != "pong"]
            if len(new) == sum(kind != "pong" for kind, _ in before[konger]):
                continue
            kind = next(kind for kind, tile in stepped.melds()[konger] if (kind, tile) not in before[konger])
            goes_on = discards == 0 or (terms.kong_chain == "table" and discards == 1 and kind == "direct_kong")
            chain, discards = chain + 1 if goes_on else 1, 0
            payers = [discarder] if kind == "direct_kong" else [other for other in range(3) if other != konger]
            doubled = 2 ** (chain - 1) if terms.kong_chain != "none" else 1
            for total, bases in zip(totals, (amounts[kind] * doubled, amounts[kind]), strict=True):
                for payer in payers:
                    total[payer] -= bases
                    total[konger] += bases
        if act in ("discard", "liangdao"):
            discards, discarder = discards + 1, seat
    return totals


@pytest.mark.parametrize("preset", ["platform", "suizhou", "hongzhong"])
def test_kong_payments_and_chains_are_those_paid_by_hand(played, preset):
    one = played[preset]
    made = one.rows["melds"][:, :, 1:].sum(axis=(1, 2))
    several = np.flatnonzero(made >= 2)[:150].tolist()
    single = np.flatnonzero(made == 1)[:30].tolist()
    for number in several + single:
        whole, unchained = paid_by_hand(one, number)
        assert one.rows["kong_points"][number].tolist() == whole
        extra = np.subtract(whole, unchained)
        assert chain_extra(one)[number].tolist() == extra.tolist()
    if one.rules.payment.kong_chain != "none":
        assert (chain_extra(one)[several] != 0).any()


@pytest.mark.parametrize("preset", PRESETS)
def test_settling_without_chains_leaves_the_rounds_as_they_are(played, preset):
    one = played[preset]
    marks = {"win_fan", "win_fans", "win_points"} if preset == "hongzhong" else set()
    for field in set(one.rows.dtype.names) - {"kong_points"} - marks:
        assert (one.rows[field] == one.plain[field]).all()


@pytest.mark.parametrize("preset", PRESETS)
def test_counts_and_money_are_those_of_the_rounds_one_by_one(played, preset):
    one = played[preset]
    counted, with_one, paid, changed_hands, most = [0, 0, 0], [0, 0, 0], 0, 0, 0
    for row in one.rows:
        for kind in range(3):
            made = sum(int(row["melds"][seat][kind + 1]) for seat in range(3))
            counted[kind] += made
            with_one[kind] += made > 0
        for seat in range(3):
            by_kongs = int(row["kong_points"][seat])
            rest = int(row["undecided_points"][seat]) + sum(int(row["win_points"][w][seat]) for w in range(3))
            paid += max(by_kongs, 0)
            changed_hands += max(by_kongs, 0) + max(rest, 0)
            most = max(most, by_kongs)
    counts, money = count_frame(one), money_frame(one).iloc[0]
    assert counts["kongs"].tolist() == [*counted, sum(counted)]
    assert counts["rounds_share"].tolist()[:3] == pytest.approx([n / GAMES for n in with_one])
    assert money["most"] == most
    if paid:
        assert money["paid"] == pytest.approx(paid / GAMES)
        assert money["of_all"] == pytest.approx(paid / changed_hands)
    else:
        assert np.isnan(money["paid"])
    assert np.isnan(money["chain_share"]) == (one.rules.payment.kong_chain == "none")


# ---------------------------------------------------------------- what follows


@pytest.mark.parametrize("preset", ["platform", "hongzhong", "suizhou"])
def test_what_followed_a_kong_is_what_the_rounds_say(played, preset):
    one = played[preset]
    kongs, hits, brings = endings(one)
    for number in range(0, GAMES, 3):
        state, row = replayed(one, number), one.rows[number]
        drawn, fed = (state["outcome"] == how for how in (codes.SELF_DRAWN, codes.DISCARD_WON))
        assert hits["kong_flower"][number] == bool(drawn and state["replacement"] > 0)
        assert hits["kong_cannon"][number] == bool(fed and state["cannon"])
        assert hits["robbed"][number] == (state["outcome"] == codes.KONG_ROBBED)
        assert kongs[number] == int(row["melds"][:, 1:].sum()) + hits["robbed"][number]
        if hits["kong_cannon"][number] or hits["robbed"][number]:
            assert brings[number] == sum(int(points) for points in row["win_points"][:, int(state["feeder"])]) < 0
    frame = ending_frame(one).set_index("ending")
    for ending, happened in hits.items():
        assert frame.loc[ending, "times"] == sum(map(bool, happened))
        assert frame.loc[ending, "of_kongs"] == pytest.approx(sum(map(bool, happened)) / kongs.sum())
        total = sum(int(b) for b, happens in zip(brings, happened, strict=True) if happens)
        assert frame.loc[ending, "a_kong"] == pytest.approx(total / kongs.sum())


# ---------------------------------------------------------------- peaks


@pytest.mark.parametrize("preset", ["platform", "xiangyang"])
def test_peaks_are_those_of_the_rounds_one_by_one(played, preset):
    one = played[preset]
    every, three = [], []
    for row, points in zip(one.rows, trials.points(one.rows), strict=True):
        top = points.tolist().index(points.max())
        every.append(int(points.max()))
        won = int(row["winners"]) >> top & 1 and int(row["win_fans"][top]) >> 14 & 1
        if won and row["declared"][top] and row["melds"][top][1:].any():
            three.append(int(points.max()))
    frame = peak_frame(one).set_index("group")
    for group, took in (("all", every), ("kong_liangdao_kawuxing", three)):
        row = frame.loc[group]
        assert row["rounds"] == len(took)
        assert row["most"] == max(took, default=0)
        if len(took) < MIN_EVENTS:
            assert np.isnan(row["above_10"])
        else:
            assert row["above_10"] == pytest.approx(np.mean([bases > 10 for bases in took]))
    assert frame.loc["all", "mean"] == pytest.approx(np.mean(every))
    assert frame.loc["all", "median"] == sorted(every)[GAMES // 2]
    assert frame.loc["all", "median_low"] <= frame.loc["all", "median"] <= frame.loc["all", "median_high"]


def test_a_quantile_needs_rounds_on_both_sides():
    assert np.isnan(quantile(np.arange(100), 0.99).mean)
    found = quantile(np.arange(10_000), 0.99)
    assert found.mean == 9900
    assert found.ci_low < 9900 < found.ci_high <= 9950


def test_results_by_own_kongs_add_up_to_nothing(played):
    frame = own_frame(played["suizhou"])
    assert frame["seats"].sum() == 3 * GAMES
    known = frame.dropna(subset="result")
    rest = trials.points(played["suizhou"].rows)[played["suizhou"].rows["melds"][:, :, 1:].sum(axis=2) >= len(known)]
    assert (known["result"] * known["seats"]).sum() + rest.sum() == pytest.approx(0, abs=1e-6)


# ---------------------------------------------------------------- players


@pytest.fixture(scope="module")
def section():
    return analysis.analyse(Work((load_rules("suizhou"), load_rules("hongzhong")), 2400, 3, 2))


def test_a_player_s_gain_is_the_mean_over_walls_and_seats(section):
    walls = 2400 // analysis.ROUNDS_PER_WALL
    never, reference = (
        trials.play_seats("suizhou", policy, walls=walls, seed=3) for policy in ("efficient:kong=0", "efficient")
    )
    gained, by_kongs = 0, 0
    for wall in range(walls):
        for seat in range(3):
            ours, theirs = never[wall, seat], reference[wall, seat]
            assert ours["melds"][seat][1:].sum() == 0
            gained += int(trials.points(ours)[seat]) - int(trials.points(theirs)[seat])
            by_kongs += int(ours["kong_points"][seat]) - int(theirs["kong_points"][seat])
    frame = next(part.frame for part in section.parts if isinstance(part, Table) and part.name == "players")
    row = frame[(frame["ruleset"] == "suizhou") & (frame["player"] == "kong_0")].iloc[0]
    assert row["gain"] == pytest.approx(gained / (3 * walls))
    assert row["kong_gain"] == pytest.approx(by_kongs / (3 * walls))
    assert row["gain"] == pytest.approx(row["where_differ"] * row["differ"])


def test_a_player_that_plays_alike_gains_nothing_that_could_be_told():
    rows = trials.play_seats("suizhou", "efficient", walls=50, seed=3)
    found = analysis.compare(rows, rows)
    assert np.isnan(found["gain"].mean)
    assert found["differ"].mean == 0
    assert found["differ"].ci_high > 0


def test_no_player_declares_after_a_kong_where_nothing_is_declared(section):
    frame = next(part.frame for part in section.parts if isinstance(part, Table) and part.name == "players")
    assert not frame.loc[frame["ruleset"] == "hongzhong", "player"].str.endswith("_after").any()


def test_every_text_is_whole(section):
    told = [*section.headline, *(item for part in section.parts for item in getattr(part, "items", ()))]
    for sentence in told:
        for text in (sentence.en, sentence.zh):
            assert "nan" not in text
            assert "{" not in text
