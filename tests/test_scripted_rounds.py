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

# The twelve sequences that settle doubts (section 7 of the rules), with the presets that each speaks of.
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

# What sections 2 to 6 of the rules say that only a whole round can show.
TOPICS = {
    "2": "missing_suit own_four wild wild_kong",
    "3": "added_kong concealed_kong direct_kong double_rob double_win last_tile missed_win multiple_wins "
    "no_call_of_wild pong rob_added rob_concealed undecided win_before_pong",
    "4": "after_pong after_replacement applies both_multiplier feeder_pays_all forbid_feeding inside_cap kong_after "
    "locks_hand min_wall multiplier no_live_wait undecided_first_pays",
    "5": "earthly_hand four_to_one heavenly_hand initial_hand kawuxing kong_cannon kong_flower last_single_tile "
    "last_tile_discard last_tile_draw min_fan red_dragon_kong seven_pairs three_dragons",
    "6": "cap cap_for chain.none chain.player chain.table kong_cannon_pays_all kong_payments maima maima_outside "
    "maima_shared piao piao_outside robbed_kong_pays_all",
}


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
    topics = {f"{section}.{topic}" for section, names in TOPICS.items() for topic in names.split()}
    assert used == topics | SEQUENCES.keys()


def test_rounds_are_what_the_plans_give() -> None:
    written = (DATA / "rounds.jsonl").read_text(encoding="utf-8")
    assert written == wall_builder.finished_text(), "run: python tests/wall_builder.py"


def test_a_plan_with_a_fifth_copy_is_refused() -> None:
    with pytest.raises(ValueError, match="more than four of 5p"):
        wall_builder.build_wall(84, 0, ["555p", "55p", ""], "", "", "five")


def test_a_plan_with_two_tiles_in_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="two tiles for place 83"):
        wall_builder.build_wall(84, 0, ["", "", ""], "?*44 1s", "2s", "clash")
