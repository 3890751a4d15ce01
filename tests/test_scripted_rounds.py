"""Rounds with a written wall and written choices, their payments worked out by hand; both engines must give them.

`golden_rounds.jsonl` is the given set; `rounds.jsonl` is built from `rounds.toml` (see wall_builder).
"""

import json
from pathlib import Path
from typing import Any

import pytest
import reference
import wall_builder

from kwx_sim import play
from kwx_sim.tiles import parse_tiles

DATA = Path(__file__).parent / "data"
OUTCOME = ("points", "winners")

# RULES.md section 7: each sequence, with the presets that it speaks of.
SEQUENCES = {
    "7.1": {"platform", "hongzhong", "suizhou"},
    "7.2": {"platform", "suizhou", "xiangyang"},
    "7.3": {"platform", "hongzhong", "suizhou", "shiyan"},
    "7.4": {"platform", "suizhou", "xiangyang"},
    "7.5": {"platform", "hongzhong", "suizhou", "xiangyang", "shiyan"},
    "7.6": {"platform", "suizhou"},
    "7.7": {"platform", "suizhou", "xiangyang", "shiyan"},
    "7.8": {"platform", "suizhou"},
    "7.9": {"platform", "hongzhong", "suizhou"},
    "7.10": {"platform", "hongzhong", "suizhou"},
    "7.11": {"hongzhong"},
    "7.12": {"platform", "suizhou"},
}

# What sections 2 to 6 say that only a whole round can show.
TOPICS = set(
    """
    2.missing_suit 2.own_four 2.wild 2.wild_kong
    3.added_kong 3.concealed_kong 3.direct_kong 3.double_rob 3.double_win 3.last_tile 3.missed_win 3.multiple_wins
    3.no_call_of_wild 3.pong 3.rob_added 3.rob_concealed 3.undecided 3.win_before_pong
    4.after_pong 4.after_replacement 4.applies 4.both_multiplier 4.feeder_pays_all 4.forbid_feeding 4.inside_cap
    4.kong_after 4.locks_hand 4.min_wall 4.multiplier 4.no_live_wait 4.undecided_first_pays
    5.earthly_hand 5.four_to_one 5.heavenly_hand 5.initial_hand 5.kawuxing 5.kong_cannon 5.kong_flower
    5.last_single_tile 5.last_tile_discard 5.last_tile_draw 5.min_fan 5.red_dragon_kong 5.seven_pairs 5.three_dragons
    6.cap 6.cap_for 6.chain.none 6.chain.player 6.chain.table 6.kong_cannon_pays_all 6.kong_payments 6.maima
    6.maima_outside 6.maima_shared 6.piao 6.piao_outside 6.robbed_kong_pays_all
    """.split()
)


def read_cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


ROUNDS = read_cases("rounds.jsonl")
CASES = ROUNDS + read_cases("golden_rounds.jsonl")


def reference_outcome(case: dict[str, Any]) -> dict[str, Any]:
    played = reference.play_script(case)
    winners = [{key: win[key] for key in ("seat", "tile", "by", "fan")} for win in played.winners]
    return {"points": played.points, "winners": winners}


ENGINES = {"reference": reference_outcome, "compiled": play.play_script}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
@pytest.mark.parametrize("engine", ENGINES)
def test_scripted_round(engine: str, case: dict[str, Any]) -> None:
    outcome = ENGINES[engine](case)
    assert {key: outcome[key] for key in OUTCOME} == {key: case[key] for key in OUTCOME}, case["why"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case_is_well_formed(case: dict[str, Any]) -> None:
    wall = parse_tiles(case["wall"])
    assert sorted(wall) == sorted(list(range(19 if case["rules"] == "hongzhong" else 21)) * 4), "four of each kind"
    assert sum(case["points"]) == 0
    assert case["why"]


def test_ids_are_unique() -> None:
    ids = [case["id"] for case in CASES]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_sequence_is_covered(sequence: str) -> None:
    played = {case["rules"] for case in ROUNDS if sequence in case["covers"]}
    assert played >= SEQUENCES[sequence]


def test_tags_are_known_and_all_used() -> None:
    used = {tag for case in ROUNDS for tag in case["covers"]}
    assert used == TOPICS | SEQUENCES.keys()


def test_rounds_are_what_the_plans_give() -> None:
    written = (DATA / "rounds.jsonl").read_text(encoding="utf-8")
    assert written == wall_builder.finished_text(), "run: python tests/wall_builder.py"


def test_a_plan_with_a_fifth_copy_is_refused() -> None:
    with pytest.raises(ValueError, match="more than four of 5p"):
        wall_builder.build_wall(84, 0, ["555p", "55p", ""], "", "", "five")


def test_a_plan_with_two_tiles_in_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="two tiles for place 83"):
        wall_builder.build_wall(84, 0, ["", "", ""], "?*44 1s", "2s", "clash")
