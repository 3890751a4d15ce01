"""Sums and forks of a run, counted and played again slowly, round by round."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest
from sim_runs import a_run, key_of, totals

import kwx_sim
from kwx_sim import runs
from kwx_sim.core import fork, tally
from kwx_sim.core import state as codes
from kwx_sim.core.fans import KAWUXING
from kwx_sim.core.policy import decide
from kwx_sim.core.round import apply
from kwx_sim.play import Round
from kwx_sim.rules import changed, load_rules
from kwx_sim.runs import Run, replay
from kwx_sim.tiles import MELD_KINDS, Meld

# ---------------------------------------------------------------- sums


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
    assert count[1, :, tally.SELF_DRAWS].sum() > 20


IN_PLAIN_PYTHON = """
import hashlib
from kwx_sim.runs import Run, play_run
for rules in ("platform", "hongzhong"):
    sums = play_run(Run.of(rules, games=8, seed=3))
    print(hashlib.sha256(sums.tobytes()).hexdigest())
"""


def test_kernels_in_plain_python_give_the_same_sums() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    plain = subprocess.run([sys.executable, "-c", IN_PLAIN_PYTHON], env=environment, capture_output=True, check=True)
    compiled = [totals(a_run(rules, games=8, seed=3)) for rules in ("platform", "hongzhong")]
    assert plain.stdout.decode().split() == [hashlib.sha256(sums.tobytes()).hexdigest() for sums in compiled]


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
    player = runs.Player(run)
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
