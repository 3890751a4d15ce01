"""`kwx rules`: the presets, and one ruleset with each decision beside its document's words."""

import json

import pytest
from cli_runs import CHINESE, answer, refused, run

from kwx_sim.rules import PRESETS, load_rules, rules_hash
from kwx_sim.rules.decisions import listing, load_decisions


def test_presets_one_line_each():
    lines = run("rules").stdout.splitlines()
    assert [line.split()[0] for line in lines[2:]] == list(PRESETS)
    assert "Xiangyang: cap 8" in run("rules").stdout
    assert "襄阳" in run("rules", env=CHINESE).stdout
    assert [one["name"] for one in answer("rules")] == list(PRESETS)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_field_and_decision_of_a_preset_is_shown(name, lang):
    page = run("rules", name, "--lang", lang).stdout
    flat = "".join(page.split())
    rules = load_rules(name)
    assert rules_hash(rules) in page
    for line in listing(rules):
        assert line.path == "rooms" or f"{line.path} = " in page
    for room in rules.rooms:
        assert room.name in page
        assert f"{room.min_stake:,}" in page
    for decision in load_decisions():
        if decision.concerns(rules.document):
            assert "".join(getattr(decision, lang).split()) in flat, decision.id
            for excerpts in decision.words.values():
                assert all("".join(excerpt.split()) in flat for excerpt in excerpts)


@pytest.mark.parametrize("name", PRESETS)
def test_a_ruleset_as_json(name):
    told = answer("rules", name)
    rules = load_rules(name)
    assert told["rules"] == json.loads(rules.model_dump_json())
    assert told["hash"] == rules_hash(rules)
    known = {decision["id"] for decision in told["decisions"]}
    assert all(set(field["decisions"]) <= known for field in told["fields"])
    assert {"field", "value", "term", "meaning", "words", "decisions"} == set(told["fields"][0])


def test_a_file_of_ones_own(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('extends = "xiangyang"\nname = "mine"\n[payment]\ncap = 32\n', "utf-8")
    page = run("rules", str(file)).stdout
    assert page.startswith("mine  ")
    assert "payment.cap = 32" in page


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('extends = "xiangyang"\n[liangdao]\nmultiplyer = 2\n', ("liangdao.multiplyer", "multiplier")),
        ('extends = "xiangyang"\n[payment]\ncap = "8"\n', ("payment.cap", "'8'")),
        ('extends = "xiangyang"\n[tiles]\nwild = "red_dragon"\n', ("tiles.wild", "84")),
        ("not toml", ("expected TOML",)),
    ],
)
def test_a_bad_file_is_refused_naming_file_and_field(text, parts, tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text(text, "utf-8")
    refused(run("rules", str(file)), "bad.toml", *parts)
    assert run("rules", str(file), env=CHINESE).exit_code == 2
