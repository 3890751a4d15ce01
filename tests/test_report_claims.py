"""The documents' claims: every one is there, and the figures are those that a slow way finds."""

import numpy as np
import pytest

from kwx_sim import trials
from kwx_sim.core import fans
from kwx_sim.core.state import DISCARD_WON, SELF_DRAWN
from kwx_sim.findings.claims.beside import BESIDE
from kwx_sim.findings.claims.deals import Deals, mean_of, share_of
from kwx_sim.findings.claims.exact import EXACT
from kwx_sim.findings.claims.registry import Claim, claims
from kwx_sim.findings.claims.samples import DOZENS, MEASURES, gain
from kwx_sim.findings.claims.shapes import lone_kinds, partial_kinds, single_tile_wait
from kwx_sim.findings.claims.wording import level_name
from kwx_sim.rules import changed, load_rules
from kwx_sim.stats import ratio_difference
from kwx_sim.text import LANGS

WALLS, ROUNDS, TURNS, SEED = 40, 600, 400, 4


def deals_of(preset: str, **sizes: int) -> Deals:
    given = {"walls": WALLS, "rounds": ROUNDS, "turns": TURNS, "seed": SEED, "workers": 1} | sizes
    return Deals(load_rules(preset), **given)


@pytest.fixture(scope="module")
def platform():
    return deals_of("platform")


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
    assert claim.has("see") == bool(claim.see)
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


def test_what_it_was_worth_in_the_rounds_that_ended_otherwise(platform):
    claim = Claim(id="x", number=6, document="A", test="players", follows="kong=0", against="")
    played = [
        trials.seat_points(trials.play_seats("platform", player, walls=WALLS, seed=SEED)).reshape(-1)
        for player in ("efficient:kong=0", "efficient")
    ]
    gaps = [int(one) - int(other) for one, other in zip(*played, strict=True) if one != other]
    share, found = gain(claim, platform).where_otherwise()
    assert share == pytest.approx(len(gaps) / (3 * WALLS))
    assert (found.n, found.mean) == (len(gaps), pytest.approx(np.mean(gaps)))
    assert found.low < found.mean < found.high
    assert gain(claim.model_copy(update={"follows": ""}), platform).where_otherwise() is None


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
