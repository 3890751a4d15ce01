"""Runs: the same to the last bit for any workers and after any interruption; sums against a slow count of rounds."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats as reference

import kwx_sim
from kwx_sim import runs
from kwx_sim.core import fork, series, tally
from kwx_sim.core import state as codes
from kwx_sim.core.fans import KAWUXING
from kwx_sim.core.policy import decide
from kwx_sim.core.rng import fill_wall, noise, stream_key
from kwx_sim.core.round import apply
from kwx_sim.errors import InputError
from kwx_sim.play import Round
from kwx_sim.rules import Ruleset, changed, load_rules
from kwx_sim.runs import Run, play_run, replay
from kwx_sim.simulation import Result, simulate, simulate_all
from kwx_sim.tables import TABLES
from kwx_sim.tiles import MELD_KINDS, Meld

GAMES = 1500


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "BLOCK", 256)
    monkeypatch.setattr(runs, "CHUNK", 96)


def a_run(rules: Ruleset | str = "platform", **given: Any) -> Run:
    return Run.of(rules, **{"games": GAMES, "seed": 7, **given})


def totals(run: Run, workers: int = 1) -> Any:
    return play_run(run, workers=workers)[0]


def same(one: Result, other: Result) -> bool:
    for name, frame in one.tables.items():
        pd.testing.assert_frame_equal(frame, other.tables[name], check_exact=True)
    return one.tables.keys() == other.tables.keys()


# ---------------------------------------------------------------- the same, whoever plays and whenever


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_change_nothing(workers: int) -> None:
    assert totals(a_run(), workers).tobytes() == totals(a_run()).tobytes()


def test_blocks_and_calls_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = totals(a_run()).tobytes()
    monkeypatch.setattr(runs, "BLOCK", 64)
    monkeypatch.setattr(runs, "CHUNK", 16)
    assert totals(a_run(), 2).tobytes() == before


def test_a_table_adds_up_alone_as_with_the_others() -> None:
    everything = totals(a_run())
    for name, table in TABLES.items():
        alone = totals(a_run(tables=[name]))
        for other in series.SUMS.names or ():
            assert alone[other].tobytes() == (
                everything[other].tobytes() if other == table.sums else bytes(everything[other].nbytes)
            )


def test_another_seed_gives_another_result() -> None:
    assert totals(a_run(seed=8)).tobytes() != totals(a_run()).tobytes()


def interrupted_after(blocks: int) -> Callable[[int, int], None]:
    told = []

    def progress(done: int, total: int) -> None:
        told.append(done)
        if len(told) > blocks:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_run_is_resumed_to_the_same_result(tmp_path: Path, workers: int) -> None:
    whole = simulate("platform", games=GAMES, seed=7, workers=1)
    out = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        simulate("platform", games=GAMES, seed=7, workers=workers, out=out, progress=interrupted_after(2))
    finished = len(list(out.glob("block-*.npz")))
    assert 2 <= finished < 6
    told: list[tuple[int, int]] = []
    resumed = simulate(
        "platform", games=GAMES, seed=7, workers=2, resume=out, progress=lambda *so_far: told.append(so_far)
    )
    assert same(whole, resumed)
    assert told[0] == (256 * finished, GAMES)
    assert told[-1] == (GAMES, GAMES)


def test_a_run_is_resumed_without_repeating_its_arguments(tmp_path: Path) -> None:
    given: dict[str, Any] = {"games": 600, "seed": 9, "policies": ["random", "efficient", "efficient:liangdao=never"]}
    given |= {"room": "官甲场", "piao": [0, 1, 2], "tables": ["maima_value"]}
    first = simulate("platform", **given, workers=1, out=tmp_path / "run")
    (tmp_path / "run" / "block-000001.npz").unlink()
    again = simulate(resume=tmp_path / "run", workers=1)
    assert same(first, again)
    assert again.provenance == first.provenance


def test_a_damaged_block_is_told_and_played_again(tmp_path: Path) -> None:
    whole = simulate("xiangyang", games=GAMES, workers=1, out=tmp_path / "run")
    file = tmp_path / "run" / "block-000003.npz"
    file.write_bytes(file.read_bytes()[:200])
    told: list[InputError] = []
    again = simulate(resume=tmp_path / "run", workers=1, notice=told.append)
    assert same(whole, again)
    assert [note.key for note in told] == ["simulate.damaged"]
    assert str(file) in str(told[0])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"rules": "suizhou"}, r"rules\.name"),
        ({"rules": changed(load_rules("platform"), {"liangdao.multiplier": 4})}, r"rules\.liangdao\.multiplier"),
        ({"room": "尊爵场"}, "room"),
        ({"piao": 1}, "piao"),
        ({"policies": "efficient:avoidance=0.25"}, "policies"),
        ({"games": 601}, "games"),
        ({"seed": 2}, "seed"),
        ({"tables": ["maima_value"]}, "tables"),
    ],
)
def test_a_different_run_is_not_continued(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    given: dict[str, Any] = {"rules": "platform", "games": 600, "seed": 1}
    simulate(**given, workers=1, out=tmp_path / "run")
    with pytest.raises(InputError, match=f"{field} is .* there and .* here"):
        simulate(**{**given, **change}, workers=1, resume=tmp_path / "run")


@pytest.mark.parametrize(
    ("target", "value", "field"),
    [
        ("kwx_sim.runs.BLOCK", 512, "block"),
        ("kwx_sim.runs.SOURCE_HASH", "0123456789abcdef", "kernels"),
        ("kwx_sim.runs.version", lambda name: "0", r"versions\.kwx_sim"),
        ("kwx_sim.core.series.SERIES", 8, "series"),
    ],
)
def test_another_program_does_not_continue_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, value: Any, field: str
) -> None:
    simulate("platform", games=300, workers=1, out=tmp_path / "run")
    monkeypatch.setattr(target, value)
    with pytest.raises(InputError, match=f"{field} is .* there and .* here"):
        simulate(resume=tmp_path / "run", workers=1)


INTERRUPTED = """
import sys
from kwx_sim.simulation import simulate
try:
    simulate("xiangyang", games=10**7, workers=2, out=sys.argv[1], progress=lambda *so_far: print(*so_far, flush=True))
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_ctrl_c_stops_within_two_seconds(tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(out)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(4):
        process.stdout.readline()
    asked = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130
    assert time.monotonic() - asked < 2
    process.stdout.close()
    assert json.loads((out / "manifest.json").read_text())["games"] == 10**7
    assert len(list(out.glob("block-*.npz"))) >= 3
    assert not list(out.glob("*.part")) or os.name == "nt"


# ---------------------------------------------------------------- single rounds


def key_of(run_key: np.uint64, number: int) -> np.uint64:
    """`stream_key` for Python, which gets a plain integer out of a kernel."""
    return np.uint64(stream_key(run_key, number))


def test_any_round_can_be_replayed_alone() -> None:
    run = a_run(games=100)
    player = runs._Player(run)
    desk, sums = series.desk(), np.zeros(1, series.SUMS)
    for number in (0, 17, 31, 99):
        player.play(0, number + 1, desk, sums, tallies=7)
        alone, among_others = replay(run, number)[0], desk[0][0]
        for field, length in (("river_tile", "n_river"), ("river_seat", "n_river"), ("log", "n_log")):
            # Beyond what was written lies what earlier rounds left.
            for record in (alone, among_others):
                record[field][int(record[length]) :] = 0
        assert alone.tobytes() == among_others.tobytes()


def test_the_rule_says_who_deals_within_a_series() -> None:
    run = a_run()
    records = [replay(run, number)[0] for number in range(48)]
    for number in range(47):
        if (number + 1) % series.SERIES:
            assert records[number + 1]["dealer"] == records[number]["next_dealer"]
    first = Counter(int(replay(run, number)[0]["dealer"]) for number in range(0, 16 * 300, 16))
    assert min(first.values()) > 70


def test_rulesets_of_one_tile_set_meet_the_same_walls() -> None:
    walls = [replay(a_run(rules), 5)[0]["wall"].tolist() for rules in ("platform", "xiangyang", "shiyan")]
    assert walls[0] == walls[1] == walls[2]


# ---------------------------------------------------------------- sums, counted again slowly


def winners(record: Any) -> list[int]:
    return [seat for seat in range(3) if int(record["winners"]) >> seat & 1]


def settled_otherwise(record: Any, changes: dict[str, Any], winner: int) -> list[int]:
    """The payments of the winner's win, had the same round been played under other rules."""
    rules = changed(load_rules("platform"), changes)
    wall = [int(tile) for tile in record["wall"]]
    other = Round(rules, wall, int(record["dealer"]), [int(choice) for choice in record["piao"]])
    for code in record["log"][: int(record["n_log"])]:
        other.apply(int(code))
    return [int(points) for points in other.state["win_points"][winner]]


def test_kawuxing_sums_are_those_of_a_slow_count() -> None:
    run = a_run(games=400, piao=1)
    count: Counter[Any] = Counter()
    for number in range(run.games):
        record = replay(run, number)[0]
        won_by_fan = False
        for winner in winners(record):
            fan = int(record["win_fans"][winner]) >> KAWUXING & 1
            way = 2 * (int(record["outcome"]) - 1) + fan
            paid = int(record["win_points"][winner][winner])
            count[tally.WINS + way] += 1
            count[tally.PAID + way] += paid
            count[tally.POINTS] += paid
            count[tally.WON_BY_FIVE] += int(record["win_tile"]) in (4, 13)
            if fan:
                won_by_fan = True
                count[tally.PURE] += int(record["win_waits"][winner]).bit_count() == 1
                count[tally.BAMBOO] += int(record["win_tile"]) == 4
                count[tally.OWN] += paid - settled_otherwise(record, {"fans.values.kawuxing": 0}, winner)[winner]
        count[tally.ROUND] += 1
        count[tally.ROUNDS_WITH] += won_by_fan
        count[tally.POINTS] += sum(max(0, int(points)) for points in record["kong_points"])
        own: Counter[int] = Counter()
        for place in range(int(record["n_river"])):
            seat, tile = int(record["river_seat"][place]), int(record["river_tile"][place])
            own[seat] += 1
            number_of_tile = tile % 9 + 1 if tile < 18 else 0
            kind = {4: 0, 5: 1, 6: 2, 0: 4}.get(number_of_tile, 3)
            won = int(record["outcome"]) == codes.DISCARD_WON and place == int(record["n_river"]) - 1
            for turn in (min((own[seat] - 1) // 3, 4), 5):
                count["discard", kind, turn, tally.DISCARDS] += 1
                count["discard", kind, turn, tally.WON] += won
                count["discard", kind, turn, tally.WON_AS_KAWUXING] += won and won_by_fan
    sums = totals(run)["kawuxing"]
    assert sums["sums"].tolist() == [count[k] for k in range(tally.N_KAWUXING)]
    assert count[tally.WINS + 1] + count[tally.WINS + 3] > 5
    for place in np.ndindex(sums["discard_sums"].shape):
        assert sums["discard_sums"][place] == count["discard", *place]
    assert (
        np.diagonal(sums["discard_products"], axis1=2, axis2=3)[..., tally.WON].tolist()
        == sums["discard_sums"][..., tally.WON].tolist()
    )


def test_maima_sums_are_those_of_a_slow_count() -> None:
    run = a_run(games=400)
    count = np.zeros((2, tally.TURNS, tally.N_MAIMA), np.int64)
    groups = np.zeros((2, tally.GROUPS, 5), np.int64)
    for number in range(run.games):
        record = replay(run, number)[0]
        points = record["kong_points"] + record["win_points"].sum(0) + record["undecided_points"]
        groups[1, number % tally.GROUPS] += [3, 0, 0, 0, int((points.astype(np.int64) ** 2).sum())]
        if int(record["outcome"]) != codes.SELF_DRAWN:
            continue
        winner = winners(record)[0]
        tile, declared = int(record["maima_tile"]), int(record["declared"][winner] != 0)
        face = 0 if tile == codes.NO_TILE else 10 if tile >= 18 else tile % 9 + 1
        part = record["win_points"][winner] - settled_otherwise(record, {"maima.enabled": False}, winner)
        earned = int(record["win_points"][winner][winner])
        assert part[winner] == face * 2 * (2 if declared else 1)
        turn = min((int(record["draws"][winner]) - 1) // 3, 4)
        count[declared, turn] += [1, tile != codes.NO_TILE, face, part[winner], 2 * face, earned]
        groups[1, number % tally.GROUPS, 3] += int((part * points).sum())
        groups[0, number % tally.GROUPS] += [1, part[winner], earned, part[winner] * earned, earned**2]
    sums = totals(run)["maima"]
    assert sums["sums"].tolist() == count.tolist()
    assert sums["win_groups"].tolist() == groups[0].tolist()
    assert sums["round_groups"].tolist() == groups[1].tolist()
    assert sums["rounds"] == run.games
    assert count[1, :, tally.SELF_DRAWS].sum() > 20


# ---------------------------------------------------------------- forks


def first_ready_moments(run: Run, number: int) -> list[tuple[Any, int]]:
    """The round's record at each seat's first ready decision, and the action that its policy chose there."""
    record = replay(run, number)[0]
    wall = [int(tile) for tile in record["wall"]]
    played = Round(run.rules, wall, int(record["dealer"]), run.piao)
    found: dict[int, tuple[Any, int]] = {}
    for code in record["log"][: int(record["n_log"])]:
        s, action = played.state, int(code)
        discards = int(s["phase"]) == codes.TURN and action >> 5 in (codes.DISCARD, codes.LIANGDAO)
        if discards and int(s["can_liangdao"]) >> (action & 31) & 1 and int(s["seat"]) not in found:
            found[int(s["seat"])] = (s.copy(), action)
        played.apply(action)
    return list(found.values())


def arm_played(player: Any, key: np.uint64, moment: Any, action: int, arm: str) -> list[int]:
    """One arm from its start to its end, with nothing shared: what is noted of it."""
    t, r = player.tables[0], player.rules[0]
    s = moment.copy()
    seat, start = int(s["seat"]), int(s["draws"][int(s["seat"])])
    apply(t, r, s, (codes.LIANGDAO if arm == "declare" else codes.DISCARD) << 5 | action & 31)
    delay = int(arm.removeprefix("in ")) if arm.startswith("in ") else None
    while int(s["phase"]) != codes.END:
        chosen = int(decide(t, r, s, player.policies[int(s["seat"])], key))
        kind, tile = chosen >> 5, chosen & 31
        if int(s["seat"]) == seat and int(s["phase"]) == codes.TURN and kind in (codes.DISCARD, codes.LIANGDAO):
            may = int(s["can_liangdao"]) >> tile & 1
            if arm == "never":
                kind = codes.DISCARD
            elif delay is not None:
                kind = codes.LIANGDAO if may and int(s["draws"][seat]) - start >= delay else codes.DISCARD
        apply(t, r, s, kind << 5 | tile)
    points = s["kong_points"] + s["win_points"].sum(0) + s["undecided_points"]
    outcome, won = int(s["outcome"]), int(s["winners"]) >> seat & 1
    lost_by_own = outcome in (codes.DISCARD_WON, codes.KONG_ROBBED) and int(s["feeder"]) == seat
    by_draw = won and outcome == codes.SELF_DRAWN
    return [1, int(points[seat]), 0, by_draw, won and not by_draw, lost_by_own, outcome == codes.UNDECIDED]


@pytest.mark.parametrize("policies", ["efficient", "efficient:liangdao=always", "random"])
def test_arms_are_those_of_a_slow_fork(policies: str) -> None:
    run = a_run(games=60, policies=policies)
    player = runs._Player(run)
    expected = np.zeros((fork.N_ARMS, fork.N_VALUES), np.int64)
    forks = 0
    for number in range(run.games):
        key = key_of(player.streams["noise"][0], number)
        for moment, action in first_ready_moments(run, number):
            values = np.array([arm_played(player, key, moment, action, arm) for arm in fork.ARMS], np.int64)
            values[:, fork.GAIN] = values[:, fork.RESULT] - values[fork.NEVER, fork.RESULT]
            expected += values
            forks += 1
    everything = totals(run)["liangdao"]["sums"].reshape(*fork.SHAPE, fork.N_ARMS, fork.N_VALUES)[-1, -1, -1, -1]
    assert everything.tolist() == expected.tolist()
    assert forks > 20


def hand_after(moment: Any, action: int) -> tuple[np.ndarray, list[Meld]]:
    seat = int(moment["seat"])
    counts = moment["counts"][seat].copy()
    counts[action & 31] -= 1
    kinds, tiles = moment["meld_kind"][seat], moment["meld_tile"][seat]
    return counts, [Meld(MELD_KINDS[kinds[i] - 1], int(tiles[i])) for i in range(int(moment["n_melds"][seat]))]


def test_forks_belong_where_the_rules_would_put_them() -> None:
    run = a_run("suizhou", games=60)
    expected: Counter[tuple[int, ...]] = Counter()
    for number in range(run.games):
        for moment, action in first_ready_moments(run, number):
            seat = int(moment["seat"])
            counts, melds = hand_after(moment, action)
            held = np.zeros(27, np.uint8)
            for kind, tile in melds:
                held[tile] += 3 if kind == "pong" else 4
            waits = np.flatnonzero(kwx_sim.waits(counts, held))
            # The own discard lies on the table now: neither in the hand nor yet in what the record has seen.
            live = sum(4 - counts[k] - moment["seen"][k] - (k == action & 31) for k in waits)
            best = max(kwx_sim.score(counts, melds, int(k), "discard", rules=run.rules).fan for k in waits)
            bins = (
                min(max(int(moment["draws"][seat]) - 1, 0) // 3, 4),
                min(len(waits), 3) - 1,
                sum(live >= start for start in fork.LIVE_STARTS) - 1,
                sum(best >= start for start in fork.FAN_STARTS) - 1,
            )
            expected[bins] += 1
    counted = totals(run)["liangdao"]["sums"].reshape(*fork.SHAPE, fork.N_ARMS, fork.N_VALUES)[..., 0, fork.FORKS]
    inner = counted[:-1, :-1, :-1, :-1]
    assert {tuple(map(int, place)): int(inner[tuple(place)]) for place in np.argwhere(inner)} == dict(expected)


def test_pooled_cells_add_up() -> None:
    cells = totals(a_run())["liangdao"]["sums"].reshape(*fork.SHAPE, fork.N_ARMS, fork.N_VALUES)
    for axis in range(4):
        apart, pooled = np.split(cells, [-1], axis=axis)
        assert np.array_equal(apart.sum(axis=axis, keepdims=True), pooled)


def test_a_round_is_one_cluster() -> None:
    run = a_run(games=200)
    sizes = [len(first_ready_moments(run, number)) for number in range(run.games)]
    place = int(np.ravel_multi_index([size - 1 for size in fork.SHAPE], fork.SHAPE))
    forked = totals(run)["liangdao"]
    assert forked["sums"][place, 0, fork.FORKS] == sum(sizes)
    assert forked["squares"][place, 0, fork.FORKS] == sum(size**2 for size in sizes)


def test_declaring_without_consequence_changes_nothing() -> None:
    harmless = {"liangdao.multiplier": 1, "liangdao.shows": "nothing", "liangdao.locks_hand": False}
    forked = totals(a_run(changed(load_rules("platform"), harmless)))["liangdao"]
    assert forked["sums"][..., fork.FORKS].sum() > 1000
    assert not forked["sums"][..., fork.GAIN].any()
    assert not forked["squares"][..., fork.GAIN].any()


def test_doubling_the_multiplier_only_helps_who_declares() -> None:
    gains = []
    for factor in (2, 4):
        run = a_run(changed(load_rules("platform"), {"liangdao.multiplier": factor}), tables=["liangdao_timing"])
        gains.append(totals(run)["liangdao"]["sums"].reshape(*fork.SHAPE, fork.N_ARMS, fork.N_VALUES)[-1, -1, -1, -1])
    assert gains[1][0, fork.GAIN] > gains[0][0, fork.GAIN] > 0


# ---------------------------------------------------------------- chance


MASK = 2**64 - 1


def twin_mix(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def twin_key(run_key: int, number: int) -> int:
    return twin_mix(run_key + (number + 1) * 0x9E3779B97F4A7C15 & MASK)


def twin_noise(key: int, seat: int, decision: int, k: int) -> int:
    own = twin_mix(key + (seat + 1) * 0xD1B54A32D192ED03 & MASK)
    return twin_mix(own + ((decision << 8) + k + 1) * 0x9E3779B97F4A7C15 & MASK)


def twin_wall(kinds: int, key: int) -> list[int]:
    wall = [tile for tile in range(kinds) for _ in range(4)]
    for i in range(len(wall) - 1, 0, -1):
        j = (twin_mix(key + i * 0x9E3779B97F4A7C15 & MASK) >> 32) * (i + 1) >> 32
        wall[i], wall[j] = wall[j], wall[i]
    return wall


@pytest.mark.parametrize("run_key", [0, 1, 2**63 + 5, MASK])
def test_streams_are_those_of_the_plain_twin(run_key: int) -> None:
    wall = np.zeros(84, np.uint8)
    for number in (0, 1, 2, 1000, 10**10):
        key = key_of(np.uint64(run_key), number)
        assert int(key) == twin_key(run_key, number)
        for kinds in (21, 19):
            fill_wall(wall, np.int32(kinds), key)
            assert wall[: 4 * kinds].tolist() == twin_wall(kinds, int(key))
        for seat, decision, k in ((0, 0, 0), (1, 0, 0), (2, 7, 6), (0, 200, 255)):
            assert int(noise(key, np.uint8(seat), np.uint8(decision), k)) == twin_noise(int(key), seat, decision, k)


def test_a_runs_walls_and_dealers_are_those_of_its_streams() -> None:
    run = a_run()
    keys = [int(np.random.SeedSequence(7, spawn_key=(k,)).generate_state(1, np.uint64)[0]) for k in range(3)]
    for number in (0, 5, 16, 33):
        assert replay(run, number)[0]["wall"].tolist() == twin_wall(21, twin_key(keys[0], number))
    for opening in range(20):
        drawn = (twin_key(keys[2], opening) >> 32) * 3 >> 32
        assert int(replay(run, 16 * opening)[0]["dealer"]) == drawn


def test_seeds_and_purposes_have_keys_of_their_own() -> None:
    keys = [runs._streams(seed)[name][0] for seed in range(2000) for name in series.STREAMS.names or ()]
    assert len(set(keys)) == len(keys)


WALLS = 40_000


@pytest.fixture(scope="module")
def walls() -> np.ndarray:
    made = np.zeros((WALLS, 84), np.uint8)
    key = runs._streams(2026)["walls"][0]
    for number in range(WALLS):
        fill_wall(made[number], np.int32(21), key_of(key, number))
    return made


def p_value(counts: np.ndarray, expected: np.ndarray | float, lost: int) -> float:
    """Of Pearson's chi-square test; `lost` degrees of freedom are fixed by the margins."""
    chi2 = float(((counts - expected) ** 2 / expected).sum())
    return float(reference.chi2.sf(chi2, counts.size - lost))


def test_every_wall_holds_four_of_each_kind(walls: np.ndarray) -> None:
    assert (np.sort(walls, axis=1) == np.repeat(np.arange(21), 4)).all()


def test_every_kind_comes_to_every_place_alike(walls: np.ndarray) -> None:
    counts = np.stack([np.bincount(walls[:, place], minlength=21) for place in range(84)])
    # Without replacement the cells vary by 83/84 of the multinomial's variance, over (21 − 1)(84 − 1) free ones.
    chi2 = float(((counts - WALLS / 21) ** 2 / (WALLS / 21)).sum()) * 83 / 84
    assert 1e-4 < reference.chi2.sf(chi2, 20 * 83) < 1 - 1e-4


@pytest.mark.parametrize("places", [(0, 1), (0, 83), (12, 13), (41, 57), (82, 83), (3, 70)])
def test_pairs_of_places_are_independent(walls: np.ndarray, places: tuple[int, int]) -> None:
    one, other = (walls[:, place].astype(np.int64) for place in places)
    counts = np.bincount(21 * one + other, minlength=441).reshape(21, 21)
    expected = np.full((21, 21), 16.0)
    np.fill_diagonal(expected, 12.0)
    assert 1e-4 < p_value(counts, expected * WALLS / (84 * 83), lost=1) < 1 - 1e-4


@pytest.mark.parametrize("apart", [1, 2, 16])
def test_walls_of_different_rounds_are_independent(walls: np.ndarray, apart: int) -> None:
    for place in (0, 40, 83):
        one, other = walls[:-apart, place].astype(np.int64), walls[apart:, place].astype(np.int64)
        counts = np.bincount(21 * one + other, minlength=441)
        assert 1e-4 < p_value(counts, len(one) / 441, lost=1) < 1 - 1e-4


# ---------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"games": 0}, "games: expected a whole number from 1 to"),
        ({"games": 1.5}, "games: expected a whole number"),
        ({"games": True}, "games: expected a whole number"),
        ({"seed": -1}, "seed: expected a whole number from 0"),
        ({"workers": 0}, "workers: expected a whole number"),
        ({"piao": 3}, "piao: expected a whole number from 0 to 2, got 3"),
        ({"piao": [0, 1]}, "piao: expected one for all or one for each"),
        ({"policies": ["random", "random"]}, "policies: expected one for all or one for each"),
        ({"tables": ["maima"]}, "tables: expected some of kawuxing_frequency, .*, got maima"),
        ({"tables": []}, "tables: expected some of"),
        ({"room": "no such"}, "room"),
        ({"rules": None}, "rules: expected a preset"),
        ({"out": "a", "resume": "b"}, "got both"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        simulate(**{"rules": "platform", "games": 10, "workers": 1, **given})
    assert "\n" not in str(refused.value)
    assert refused.value.message("zh") != str(refused.value)


def test_all_presets_a_ruleset_with_rooms_once_a_cap() -> None:
    told: list[tuple[int, int]] = []
    result = simulate_all(games=40, workers=1, piao=2, progress=lambda *so_far: told.append(so_far))
    settings = result.tables["kawuxing_frequency"][["ruleset", "cap", "piao"]].drop_duplicates()
    assert [tuple(row) for row in settings.to_numpy()] == [
        ("platform", 32, "2"),
        ("platform", 64, "2"),
        ("platform", 128, "2"),
        ("hongzhong", 0, "0"),
        ("suizhou", 0, "0"),
        ("xiangyang", 8, "0"),
        ("shiyan", 8, "0"),
    ]
    assert [run["room"] for run in result.provenance][:3] == ["初级场", "官甲场", "富商场"]
    assert told[0] == (0, 280)
    assert told[-1] == (280, 280)
    assert told == sorted(told)
