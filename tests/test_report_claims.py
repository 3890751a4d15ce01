"""The documents' claims: every one is there and told, figures are those that a slow way finds, sentences follow."""

from types import SimpleNamespace

import numpy as np
import pytest

from kwx_sim import trials
from kwx_sim.core import fans
from kwx_sim.core.state import DISCARD_WON, SELF_DRAWN
from kwx_sim.findings.claims import page
from kwx_sim.findings.claims.beside import BESIDE
from kwx_sim.findings.claims.deals import Deals, Found, mean_of, share_of
from kwx_sim.findings.claims.exact import EXACT
from kwx_sim.findings.claims.registry import Claim, claims
from kwx_sim.findings.claims.results import FEWEST_JUDGED, NOT_TESTED, Explored, Finding, Results, find
from kwx_sim.findings.claims.sample import Sample, same_data
from kwx_sim.findings.claims.samples import DOZENS, MEASURES, gain
from kwx_sim.findings.claims.sentences import block, figure, level_name, margin, verdict
from kwx_sim.findings.claims.shapes import lone_kinds, partial_kinds, single_tile_wait
from kwx_sim.report.section import Bullets, Figure, Table
from kwx_sim.report.verdicts import DELTA, FAILS, HOLDS, UNCLEAR
from kwx_sim.rules import PRESETS, changed, load_rules
from kwx_sim.stats import ratio_difference
from kwx_sim.text import LANGS

WALLS, ROUNDS, TURNS, SEED = 40, 600, 400, 4


def deals_of(preset: str, **sizes: int) -> Deals:
    given = {"walls": WALLS, "rounds": ROUNDS, "turns": TURNS, "seed": SEED, "workers": 1} | sizes
    return Deals(load_rules(preset), **given)


@pytest.fixture(scope="module")
def platform():
    return deals_of("platform")


@pytest.fixture(scope="module")
def results():
    deals = {preset: deals_of(preset, rounds=200, turns=200, walls=FEWEST_JUDGED) for preset in PRESETS}
    return find(claims(), deals, explored_walls=6)


def hand(**tiles: int) -> np.ndarray:
    """One hand by kinds: s1 … s9, p1 … p9, red, green, white."""
    counts = np.zeros((1, 27), np.uint8)
    dragons = {"red": 18, "green": 19, "white": 20}
    for tile, n in tiles.items():
        counts[0, dragons[tile] if tile in dragons else "sp".index(tile[0]) * 9 + int(tile[1]) - 1] = n
    return counts


# ---------------------------------------------------------------- the registry


def test_every_number_of_the_rules_has_its_claims():
    assert {claim.number for claim in claims()} == set(range(1, 13))
    by_document = {document: {c.number for c in claims() if c.document == document} for document in "ABC"}
    assert by_document == {"A": set(range(1, 9)), "B": {9}, "C": {10, 11, 12}}


@pytest.mark.parametrize("claim", claims(), ids=lambda claim: claim.id)
def test_a_claim_has_its_words_and_its_one_test(claim):
    names = ["short", "said", "left" if claim.test == "none" else "test"]
    assert all(claim.text(name).told(lang) for name in names for lang in LANGS)
    assert (claim.measure in MEASURES) == (claim.test in ("fact", "exact"))
    assert (claim.measure in EXACT) == (claim.test == "exact")
    assert not claim.split or claim.split in MEASURES
    assert not claim.beside or claim.beside in BESIDE
    assert not set(claim.also) & set(claim.presets)
    if claim.stands_in:
        assert claim.has("left"), "what stands in does not show all"
    if claim.test == "players":
        assert claim.follows != claim.against
        assert claim.unit == "round"


@pytest.mark.parametrize("claim", claims(), ids=lambda claim: claim.id)
def test_what_a_player_does_otherwise_is_told_in_words(claim):
    for field, value, _ in claim.varied():
        told = level_name(field, value)
        assert all(told.told(lang) and "=" not in told.told(lang) for lang in LANGS), value


def test_varied_contrasts_change_one_field():
    claim = Claim(id="x", number=1, document="A", test="players", follows="kong=0", variants={"against": ("pong=0",)})
    ((field, value, varied),) = claim.varied()
    assert (field, value) == ("against", "pong=0")
    assert varied.follows == "kong=0"
    assert varied.against == "pong=0"


# ---------------------------------------------------------------- players


def test_a_gain_is_that_of_trials(platform):
    claim = Claim(id="x", number=6, document="A", test="players", follows="kong=0", against="", others="avoidance=0")
    found = gain(claim, platform).found()
    played = [
        trials.play_seats("platform", player, "efficient:avoidance=0", walls=WALLS, seed=SEED)
        for player in ("efficient:kong=0", "efficient")
    ]
    expected = trials.gain(*played)
    assert found.n == WALLS
    assert found[:4] == pytest.approx([float(value) for value in expected])


def test_fewer_walls_are_the_first_of_more(platform):
    few = deals_of("platform").played("kong=0", walls=7)
    assert platform.played("kong=0").points[:7].tolist() == few.points.tolist()
    assert few.points.tolist() == platform.played("kong=0", walls=7).points.tolist()


def test_piao_adds_its_bases_to_every_win(platform):
    found = MEASURES["piao_when_it_wins"](platform).found()
    none, two = (
        trials.play_seats("platform", "efficient", walls=WALLS, seed=SEED, piao=(piao, 0)).reshape(-1)
        for piao in (0, 2)
    )
    more, wins = 0, 0
    for i, (one, other) in enumerate(zip(none, two, strict=True)):
        seat = i % 3
        if one["winners"] >> seat & 1:
            payers = 2 if one["outcome"] == SELF_DRAWN else 1
            more += 2 * payers * (2 if one["declared"][seat] else 1)
            assert other["winners"] == one["winners"]
            wins += 1
    assert found.n == wins
    assert found.mean == pytest.approx(more / wins)


# ---------------------------------------------------------------- figures of fact


def test_the_mean_maima_tile_by_hand(platform):
    points = []
    for row in platform.table.rounds:
        if row["outcome"] == SELF_DRAWN and row["maima_points"] > 0:
            tile = int(row["maima_tile"])
            points.append(tile % 9 + 1 if tile < 18 else 10)
    found = MEASURES["maima_tile"](platform).found()
    assert found.n == len(points) > 100
    assert found.mean == pytest.approx(np.mean(points))


def test_what_a_chain_lifts_to_dozens_by_hand():
    deals = deals_of("suizhou", rounds=3000)
    plain_rules = changed(load_rules("suizhou"), {"payment.kong_chain": "none"})
    plain = Deals(plain_rules, walls=WALLS, rounds=3000, turns=TURNS, seed=SEED, workers=1).table.rounds
    lifted, seats, more = 0, 0, 0
    for row, other in zip(deals.table.rounds, plain, strict=True):
        assert row["win_points"].tolist() == other["win_points"].tolist(), "players take no notice of chains"
        for seat in range(3):
            added = int(row["kong_points"][seat]) - int(other["kong_points"][seat])
            if added > 0:
                before = int(trials.points(other[None])[0, seat])
                seats, more, lifted = seats + 1, more + added, lifted + (before < DOZENS <= before + added)
    found = MEASURES["dozens_by_the_chain"](deals).found()
    assert (found.n, found.mean) == (seats, pytest.approx(lifted / seats))
    assert seats > 20
    beside = {name: found for name, _, found in BESIDE["dozens"](deals)}
    assert beside["chain_adds"].mean == pytest.approx(more / seats)


def test_the_cannon_is_weighed_against_other_discards():
    deals = deals_of("suizhou", rounds=2000)
    rows = []
    for row in deals.table.rounds:
        kongs = int(row["melds"][:, 1:].sum())
        cannon, other = 0, 0
        if row["outcome"] == DISCARD_WON:
            for seat in range(3):
                if row["winners"] >> seat & 1:
                    paid = int(row["win_points"][seat].clip(min=0).sum())
                    if row["win_fans"][seat] >> fans.KONG_CANNON & 1:
                        cannon += paid
                    else:
                        other += paid
        rows.append((cannon, kongs, other, int(row["discards"]) - kongs))
    data = np.array(rows, float)
    expected = ratio_difference(data.sum(axis=0), data.T @ data)
    found = MEASURES["kong_cannon_cost"](deals).found()
    assert found.n == data[:, 1].sum()
    assert found.mean == pytest.approx(float(expected.mean))
    assert found.se == pytest.approx(float(expected.se), rel=0.01)


def test_a_discarded_4_or_6_never_wins_as_kawuxing(platform):
    fed = 0
    for row in platform.table.rounds:
        if row["outcome"] == DISCARD_WON and row["win_tile"] < 18 and row["win_tile"] % 9 in (3, 5):
            fed += int(row["winners"]).bit_count()
            assert not any(int(mask) >> fans.KAWUXING & 1 for mask in row["win_fans"])
    found = MEASURES["four_six_feeds_kawuxing"](platform).found()
    assert (found.mean, found.low, found.n) == (0, 0, fed)
    assert found.high > 0
    assert found.se > 0


def test_what_a_fed_kong_costs_by_hand():
    deals = deals_of("suizhou")
    gaps = []
    for row, won in zip(deals.table.rounds, trials.points(deals.table.rounds), strict=True):
        if row["melds"][:, 1:].sum() == 1 and row["melds"][:, 1].sum() == 1:
            paid = row["kong_points"].tolist()
            assert sorted(paid) == [-2, 0, 2]
            gaps.append(won[paid.index(0)] - won[paid.index(-2)])
    found = MEASURES["kong_fed_cost"](deals).found()
    assert found.n == len(gaps) > 20
    assert found.mean == pytest.approx(np.mean(gaps))


def test_declaring_on_a_single_tile_by_hand():
    deals = deals_of("xiangyang", rounds=1500)
    gains = []
    for fork in deals.table.forks:
        counts, waits = fork["hand"]["counts"].astype(int), int(fork["hand"]["waits"])
        if waits.bit_count() == 1 and counts[tile := waits.bit_length() - 1] > 0:
            counts[tile] -= 1
            if only_sets(tuple(counts)):
                gains.append(int(fork["points"][0]) - int(fork["points"][5]))
    found = MEASURES["declared_single_tile"](deals).found()
    assert found.n == len(gains) > 30
    assert found.mean == pytest.approx(np.mean(gains))


def only_sets(counts: tuple[int, ...]) -> bool:
    first = next((kind for kind, n in enumerate(counts) if n), None)
    if first is None:
        return True
    left = list(counts)
    if counts[first] >= 3:
        left[first] -= 3
        if only_sets(tuple(left)):
            return True
        left[first] += 3
    if first < 18 and first % 9 < 7 and all(counts[first : first + 3]):
        for kind in range(first, first + 3):
            left[kind] -= 1
        return only_sets(tuple(left))
    return False


def test_a_five_kept_is_weighed_against_other_discards_as_near():
    deals = deals_of("suizhou")
    gaps = []
    for turn in deals.turns:
        legal = [kind for kind in range(27) if turn["legal"] >> kind & 1]
        nearest = min(turn["shanten"][kind] for kind in legal)
        near = [kind for kind in legal if kind < 18 and turn["shanten"][kind] == nearest]
        fives = [turn["points"][kind, 0] for kind in near if kind % 9 == 4]
        others = [turn["points"][kind, 0] for kind in near if kind % 9 != 4]
        if fives and others:
            gaps.append(np.mean(others) - np.mean(fives))
    found = MEASURES["five_kept"](deals).found()
    assert found.n == len(gaps) > 10
    assert found.mean == pytest.approx(np.mean(gaps))


def test_splits_of_a_sample_hold_all_of_it(platform):
    sample = MEASURES["declared"](platform)
    early = sample.labels["turn"] < 5
    parts = [sample.chosen(early).found(), sample.chosen(~early).found()]
    assert sum(part.n for part in parts) == sample.found().n
    assert sum(part.mean * part.n for part in parts) == pytest.approx(sample.found().mean * sample.found().n)


def test_forks_of_one_round_are_one_cluster(platform):
    forks = platform.table.forks
    alone = mean_of((forks["points"][:, 0] - forks["points"][:, 5]).astype(np.int64))
    together = MEASURES["declared"](platform).found()
    assert together.mean == pytest.approx(alone.mean)
    assert together.se != pytest.approx(alone.se, rel=1e-3)


def test_a_share_of_none_has_a_width():
    found = share_of(np.zeros(50), np.ones(50))
    assert (found.mean, found.low) == (0, 0)
    assert 0.05 < found.high < 0.1


# ---------------------------------------------------------------- shapes


def test_lone_and_partial_tiles():
    counts = hand(s1=1, s4=1, s5=1, s9=2, p1=1, p2=1, p3=1, p6=3, p9=1, red=1)
    assert np.flatnonzero(lone_kinds(counts)[0]).tolist() == [0, 17]
    assert np.flatnonzero(partial_kinds(counts)[0]).tolist() == [3, 4, 8]


@pytest.mark.parametrize(
    ("counts", "waits", "single"),
    [
        (hand(s1=1, p1=3, p4=1, p5=1, p6=1), 1 << 0, True),
        (hand(red=1), 1 << 18, True),
        (hand(s4=1, s6=1, p1=2), 1 << 4, False),  # the middle of 4-6
        (hand(s1=1, s2=1, p5=2), 1 << 2, False),  # the end of a sequence
        (hand(s2=1, s3=1, s4=1, s5=1), 1 << 1 | 1 << 4, False),  # two kinds
    ],
)
def test_waits_for_a_single_tile(counts, waits, single):
    assert single_tile_wait(counts, np.array([waits], np.uint32)).tolist() == [single]


# ---------------------------------------------------------------- results and the page


def test_every_claim_has_a_verdict(results):
    assert set(results.verdicts) == {claim.id for claim in claims()}
    for claim in claims():
        assert (results.verdicts[claim.id] == NOT_TESTED) == (claim.test == "none")
        tested = {one.ruleset for one in results.tested if one.claim == claim}
        told = {ruleset for one in results.tested if one.claim == claim for ruleset in (one.ruleset, *one.same)}
        assert told == (set() if claim.test == "none" else set(claim.presets))
        assert "shiyan" not in tested, "no hand paid more at Xiangyang in so few rounds"


def test_an_interval_says_what_the_verdict_says(results):
    for one in results.tested:
        if one.few or one.exact is not None:
            assert np.isnan([one.low, one.high]).all()
            continue
        edge = one.claim.margin
        low, high = one.low, one.high
        if one.claim.expected is None:
            expected = HOLDS if low > edge else FAILS if high < edge else UNCLEAR
        else:
            far, near = (max(abs(end - one.claim.expected) for end in (low, high)), one.claim.expected)
            outside = low > near + edge or high < near - edge
            expected = FAILS if outside else HOLDS if far < edge else UNCLEAR
        assert one.verdict == expected, (one.claim.id, one.ruleset)


NUMBER = Claim(id="maima_mean", number=2, document="A", test="fact", measure="x", unit="loser", expected=5.5)


@pytest.mark.parametrize(
    ("mean", "se", "given", "sentence"),
    [
        (5.71, 0.01, FAILS, "The document's 5.5 lies below the interval (online platform)."),
        (5.3, 0.01, FAILS, "The document's 5.5 lies above the interval (online platform)."),
        (5.51, 0.01, HOLDS, "The document's 5.5 lies within the interval (online platform)."),
        (5.54, 0.01, UNCLEAR, "The document's 5.5 lies below the interval (online platform)."),
        (5.6, 0.2, UNCLEAR, "The document's 5.5 lies within the interval (online platform)."),
    ],
)
def test_a_number_that_the_document_names_is_compared_with_the_interval(monkeypatch, mean, se, given, sentence):
    found = Found(mean, se, mean - 1.96 * se, mean + 1.96 * se, 1000)
    monkeypatch.setattr("kwx_sim.findings.claims.results._sample", lambda *_: SimpleNamespace(found=lambda: found))
    results = find([NUMBER], {"platform": None}, explored_walls=6)
    (one,) = results.tested
    assert (one.verdict, results.verdicts) == (given, {NUMBER.id: given})
    assert (one.low, one.high) == pytest.approx((found.low, found.high), abs=1e-4)
    assert margin(NUMBER) == "5.50 ± 0.05"
    bullets = block(NUMBER, results)[1]
    assert sentence in "".join(item.en for item in bullets.items)


def test_what_the_rules_say_is_no_test_among_others(results):
    by_id = {one.claim.id: one for one in results.tested if one.exact is not None}
    assert by_id.keys() == {"maima_mean", "four_six_feeds"}
    maima, fed = by_id["maima_mean"], by_id["four_six_feeds"]
    assert (maima.exact, maima.verdict) == (480 / 84, FAILS)
    assert (fed.exact, fed.verdict) == (0, FAILS)
    assert verdict(maima.claim, results).en == "FAILS by the rules: exactly 5.714"
    assert "the document's 5.5 is refuted exactly" in "".join(item.en for item in block(maima.claim, results)[1].items)
    others = [one for one in results.tested if one.exact is None and not one.few]
    assert f"The {len(others)} contrasts were judged together" in page.section(claims(), results).parts[2].words.en


def test_rulesets_that_gave_the_same_data_are_one_witness():
    claim = next(claim for claim in claims() if claim.id == "kong_good")
    deals = {preset: deals_of(preset, walls=FEWEST_JUDGED) for preset in ("suizhou", "xiangyang", "shiyan")}
    tested = find([claim], deals, explored_walls=6).tested
    assert [(one.ruleset, one.same) for one in tested] == [("suizhou", ()), ("xiangyang", ("shiyan",))]
    alone = find([claim], {preset: deals[preset] for preset in ("suizhou", "xiangyang")}, explored_walls=6).tested
    assert [(one.p, one.low, one.high) for one in tested] == [(one.p, one.low, one.high) for one in alone]
    told = "".join(item.en for item in block(claim, find([claim], deals, explored_walls=6))[1].items)
    assert "Xiangyang and Shiyan" in told


def test_data_are_the_same_round_by_round():
    one = Sample(np.arange(4000), np.ones(4000))
    other = Sample(one.total + (one.total == 7), one.count)
    assert same_data(one, one)
    assert same_data(one, other), "one in 4,000"
    assert same_data(one, Sample(one.total + (one.total < 20), one.count))
    assert not same_data(one, Sample(one.total + (one.total < 90), one.count)), "more than 2%"
    assert not same_data(one, Sample(one.total + 3 * (one.total < 20), one.count)), "60 bases in 4,000"
    assert same_data(one.chosen(one.total != 9), one)
    assert not same_data(one.chosen(one.total > 9), one)
    rare = Sample(np.eye(1, 4000)[0], one.count)
    assert not same_data(rare, Sample(np.eye(1, 4000, 5)[0], one.count)), "all that is not 0 differs"


def test_a_comparison_has_one_figure(results):
    judged = [one for one in results.explored if one.judged is not None]
    assert {"guarding_pays", "small_feeds_big", "kongs_gain", "kong_good", "kongs_trap", "kong_on_kong"} <= {
        one.claim.id for one in judged
    }
    for one in judged:
        sign = 1 if one.judged.claim.contrast == one.claim.contrast else -1
        assert one.found.mean == pytest.approx(sign * one.judged.found.mean)
    claim = next(claim for claim in claims() if claim.id == "kong_good")
    assert "the same comparison as No. 6b" in "".join(item.en for item in block(claim, results)[1].items)


def test_what_hardly_ever_goes_differently_is_not_judged():
    found = Found(0.0, 0.001, -0.002, 0.002, 5000, moved=29)
    few = Finding(PLAYERS, "suizhou", found)
    assert few.few
    assert few.rare
    assert not Finding(PLAYERS, "suizhou", found._replace(moved=30)).few
    results = Results((few,), (), {PLAYERS.id: UNCLEAR})
    assert verdict(PLAYERS, results).en == "UNCLEAR: only 29 of 5,000 went differently"
    # Wilson's upper end of 29 in 5,000 is 0.00832.
    assert "more than 6.0 bases each time" in "".join(item.en for item in block(PLAYERS, results)[1].items)
    none = Explored(PLAYERS, "suizhou", "turn", "1–3", "round", found._replace(moved=0))
    assert "1–3: none of 5,000 went differently" in told([few], [none])


def test_claims_of_a_number_have_letters():
    assert [claim.label for claim in claims()][:8] == ["1a", "1b", "1c", "1d", "1e", "1f", "2", "3a"]
    assert len({claim.label for claim in claims()}) == len(claims())


def test_best_and_worst_are_told_with_what_they_are_not_told_apart_from():
    def named(label: str, mean: float, half: float) -> Finding:
        claim = PLAYERS.model_copy(update={"id": label})
        return Finding(claim, "suizhou", Found(mean, 0.01, mean, mean, 900), 0, HOLDS, mean - half, mean + half)

    rows = [named("kong_good", 0.6, 0.1), named("only_triplets", 0.5, 0.1), named("dragon_singles", 0.3, 0.05)]
    (best,) = page._ends(Results(tuple(rows), (), {}))
    assert "“a kong is good”" in best.en
    assert "Suizhou +0.60 [+0.50, +0.70], n 900" in best.en
    assert "“triplets alone have no future”" in best.en
    assert "single dragon" not in best.en


def test_what_turns_round_elsewhere_is_counted():
    results = Results((cell(0.3, HOLDS),), (explored("ruleset", "platform", -0.3, 0.01),), {PLAYERS.id: HOLDS})
    told = page.section([PLAYERS], results).headline
    assert "another document 1 of them turn round" in told[1].en
    assert "None of them" in page.section([PLAYERS], Results(results.tested, (), results.verdicts)).headline[1].en


def test_too_few_data_are_not_judged_nor_counted():
    one = Finding(PLAYERS, "suizhou", Found(0.7, 0.2, 0.3, 1.1, FEWEST_JUDGED - 1))
    results = Results((one,), (), {PLAYERS.id: UNCLEAR})
    assert not results.judged(PLAYERS)
    assert verdict(PLAYERS, results).en == "UNCLEAR: too few (n = 99)"
    told = page.section([PLAYERS], results)
    assert told.headline[0].en.startswith("Of 1 strategic claims in the documents 0 could be tested")
    assert "0.7" not in "".join(item.en for item in block(PLAYERS, results)[1].items)


def test_a_verdict_on_a_stand_in_is_of_what_was_tested():
    claim = next(claim for claim in claims() if claim.id == "small_feeds_big")
    ends = {"low": 0.78, "high": 0.82}
    results = Results((Finding(claim, "suizhou", Found(0.8, 0.01, 0.78, 0.82, 900), 0, HOLDS, **ends),), (), {})
    results = Results(results.tested, (), {claim.id: HOLDS})
    told = verdict(claim, results)
    assert told.en == "HOLDS for a stand-in: that keeping shown waits back gains, whatever the hands are worth"
    assert "代替的检验" in told.zh
    assert not any("gained most" in line.en for line in page.section([claim], results).headline), (
        "it is no claim that a player could follow as it stands"
    )


def test_alternative_texts_count_by_the_verdicts():
    """An interval of 95% above the margin is no verdict."""
    given = [HOLDS, FAILS, FAILS, UNCLEAR]
    found = Found(0.08, 0.01, DELTA + 0.01, 0.1, 900)
    rows = [
        Finding(PLAYERS, preset, found, 0.0, one, low=0.01, high=0.15)
        for preset, one in zip(PRESETS, given, strict=False)
    ]
    (forest,) = (
        part
        for part in page.section([PLAYERS], Results(tuple(rows), (), {PLAYERS.id: UNCLEAR})).parts
        if isinstance(part, Figure)
    )
    assert forest.alt.en.endswith("Verdicts: 1 hold, 2 fail, 1 are unclear.")
    assert forest.alt.zh.endswith("成立 1 个，不成立 2 个，不明 1 个。")


def test_figures_of_several_units_stand_in_one_column():
    assert page._interval(0.182, 0.18, 0.184, "share") == "18.2% [18.0%, 18.4%]"
    assert page._interval(-0.51234, -0.6, 0.0, "round") == "−0.512 [−0.600, 0.000]"
    assert page._interval(5.714, 5.69, 5.74, "loser") == "5.714 [5.690, 5.740]"


def test_figures_have_the_decimals_and_the_sign_of_their_unit():
    assert [figure(0.0123, "round"), figure(1.234, "round"), figure(-0.004, "wins")] == ["+0.012", "+1.23", "−0.004"]
    assert [figure(0.123, "share"), figure(5.714, "loser")] == ["12.3%", "5.71"]


def test_any_claim_is_judged_under_a_ruleset_of_one_s_own():
    own = load_rules("shiyan").model_copy(update={"name": "mine"})
    deals = {"mine": Deals(own, walls=12, rounds=50, turns=50, seed=SEED, workers=1)}
    first, last = claims()[0], claims()[-2]
    found = find([first, last], deals, explored_walls=6)
    assert [(one.claim, one.ruleset) for one in found.tested] == [(first, "mine"), (last, "mine")]


def test_what_is_explored_is_adjusted_together(results):
    asked = [one for one in results.explored if one.asked]
    assert len(asked) > 20
    assert all(0 <= one.q <= 1 for one in asked)
    others = [one for one in results.explored if one not in asked]
    assert others
    assert all(np.isnan(one.q) for one in others)
    assert not any(one.clear for one in others if one.judged is None)
    assert all(one.factor == "beside" or one.unit == "share" or one.rare or one.judged for one in others)


def test_the_section_shows_every_claim_and_contrast(results):
    section = page.section(claims(), results)
    tables = {part.name: part for part in section.parts if isinstance(part, Table)}
    assert len(tables["claims"].frame) == len(claims())
    assert len(tables["contrasts"].frame) == len(results.tested)
    assert len(tables["explored"].frame) == sum(one.judged is None for one in results.explored)
    assert [part.name for part in section.parts if isinstance(part, Figure)] == ["players_forest", "facts_forest"]
    assert sum(isinstance(part, Bullets) for part in section.parts) == len(claims())


PLAYERS = Claim(id="ready_declare", number=11, document="C", test="players", follows="a", against="b")


def told(tested, explored=()) -> str:
    results = Results(tuple(tested), tuple(explored), {PLAYERS.id: "UNCLEAR"})
    bullets = block(PLAYERS, results)[1]
    assert isinstance(bullets, Bullets)
    return "\n".join(item.en for item in bullets.items)


def cell(mean: float, verdict: str, ruleset: str = "suizhou") -> Finding:
    found = Found(mean, 0.01, mean - 0.02, mean + 0.02, 1000)
    return Finding(PLAYERS, ruleset, found, 0.0, verdict, low=mean - 0.03, high=mean + 0.03)


@pytest.mark.parametrize(
    ("tested", "sentence"),
    [
        ([cell(0.3, "HOLDS")], "Who played so won more."),
        ([cell(-0.3, "FAILS")], "Who played so won less."),
        ([cell(0.01, "FAILS")], "To play so gained nothing that counts."),
        ([cell(0.05, "UNCLEAR")], "Whether it gains what counts is not clear at this size."),
        (
            [cell(0.3, "HOLDS"), cell(-0.3, "FAILS", "shiyan")],
            "Who played so won more under Suizhou. Under Shiyan it gained nothing that counts.",
        ),
    ],
)
def test_the_sentence_follows_the_contrasts(tested, sentence):
    assert sentence in told(tested)


def test_rulesets_of_which_the_same_is_told_share_a_line():
    assert "Xiangyang, Shiyan +0.30 (" in told([cell(0.3, "HOLDS", "xiangyang"), cell(0.3, "HOLDS", "shiyan")])


def explored(factor: str, level: str, mean: float, q: float) -> Explored:
    ruleset = level if factor == "ruleset" else "suizhou"
    return Explored(PLAYERS, ruleset, factor, level, "round", Found(mean, 0.01, mean - 0.02, mean + 0.02, 1000), q)


def test_where_it_turns_is_told_by_what_is_clear():
    groups = [
        explored("turn", "1–3", -0.3, 0.01),
        explored("turn", "4–6", 0.2, 0.9),
        explored("turn", "7–9", 0.3, 0.01),
    ]
    assert "clearly above 0 for 7–9, clearly below for 1–3" in told([cell(0.1, "HOLDS")], groups)
    assert "Clearly above 0: 7–9; none clearly below." in told([cell(0.1, "HOLDS")], groups[1:])
    assert "Clearly below 0: 1–3; none clearly above." in told([cell(0.1, "HOLDS")], groups[:2])
    assert "No group differs clearly from 0." in told([cell(0.1, "HOLDS")], groups[1:2])


def test_a_ruleset_where_it_is_the_other_way_round_is_named():
    others = [explored("ruleset", "platform", -0.3, 0.01)]
    assert "the other way round under online platform" in told([cell(0.1, "HOLDS")], others)
    assert "other way" not in told([cell(-0.1, "FAILS")], others)
    assert "other way" not in told([cell(0.01, "FAILS")], others)
