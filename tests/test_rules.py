"""Rulesets: the presets' values, the hash, the packed record, refusals, the decisions beside the documents' words."""

import hashlib
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from kwx_sim.errors import InputError
from kwx_sim.rules import FANS, PRESETS, RULES, Ruleset, changed, load_rules, pack, parse_rules, rules_hash
from kwx_sim.rules.decisions import decisions_for, listing, load_decisions, quotes, stated
from kwx_sim.rules.page import refresh

ROOT = Path(__file__).parent.parent

# ---------------------------------------------------------------- the presets' values
# Columns: platform (A), hongzhong (B), suizhou, xiangyang, shiyan (C). One value stands for all, three for A, B, C.

FIELDS = {
    "tiles.set": (84, 76, 84),
    "tiles.wild": ("none", "red_dragon", "none"),
    "shapes.seven_pairs": (True,),
    "shapes.missing_suit": ("off", "sets_only", "off"),
    "shapes.wild_pair_alone": (False,),
    "shapes.wild_kong": ("none", "concealed", "none"),
    "play.multiple_wins": (True,),
    "play.rob_concealed_kong": (False, False, True),
    "play.missed_win": ("none", "none", "until_own_draw_unless_larger"),
    "play.min_fan_on_discard": (1,),
    "play.min_fan_waived_by_liangdao": (True,),
    "liangdao.enabled": (True, False, True),
    "liangdao.shows": ("waits", "nothing", "hand"),
    "liangdao.multiplier": (2, 1, 2),
    "liangdao.applies": ("winner",),
    "liangdao.both_multiplier": (2, 1, 2),
    "liangdao.inside_cap": (False, False, True),
    "liangdao.locks_hand": (True,),
    "liangdao.kong_after": ("if_waits_unchanged",),
    "liangdao.min_wall": (0,),
    "liangdao.feeder_pays_all": (False, False, True),
    "liangdao.forbid_feeding": (False,),
    "liangdao.undecided_first_pays": (0, 0, 1),
    "fans.combine": ("multiply", "add", "multiply"),
    "fans.four_to_one_self_draw_only": (True, False, False),
    "fans.four_to_one_scope": ("winning_tile", "winning_tile", "all_if_flush"),
    "fans.wild_in_kawuxing": (False,),
    "fans.kong_flower_after_red": (0, 2, 0),
    "fans.robbing_kong_is_self_draw": (False, True, False),
    "payment.base": (1,),
    "payment.cap": (0, 0, 0, 8, 8),
    "payment.cap_for": ({}, {}, {}, {"double_dragon_seven_pairs": 16}, {}),
    "payment.robbed_kong_pays_all": (False, True, False),
    "payment.kong_cannon_pays_all": (False, True, False),
    "payment.direct_kong": (2, 0, 2),
    "payment.concealed_kong": (2, 0, 2),
    "payment.added_kong": (1, 0, 1),
    "payment.kong_chain": ("player", "none", "table"),
    "piao.max": (2, 0, 0),
    "piao.inside_liangdao": (True, False, False),
    "maima.enabled": (True, False, False),
    "maima.dragon": (10,),
    "maima.payer": ("each",),
    "maima.inside_liangdao": (True, False, False),
    "entry_fee": (3, 0, 0),
    # Fans that a document does not have stand here as 0.
    "fans.values.ping_hu": (1, 1, 1),
    "fans.values.all_triplets": (2, 2, 2),
    "fans.values.full_flush": (4, 3, 4),
    "fans.values.seven_pairs": (4, 2, 4),
    "fans.values.dragon_seven_pairs": (8, 0, 8),
    "fans.values.double_dragon_seven_pairs": (32, 0, 16),
    "fans.values.triple_dragon_seven_pairs": (64, 0, 0),
    "fans.values.three_dragons_seven_pairs": (16, 0, 0),
    "fans.values.big_three_dragons": (8, 0, 8),
    "fans.values.small_three_dragons": (4, 0, 4),
    "fans.values.concealed_four_to_one": (4, 0, 4),
    "fans.values.open_four_to_one": (2, 0, 2),
    "fans.values.initial_hand": (4, 0, 0),
    "fans.values.last_single_tile": (0, 0, 4),
    "fans.values.kawuxing": (2, 1, 2),
    "fans.values.self_draw": (0, 1, 0),
    "fans.values.robbing_kong": (2, 0, 2),
    "fans.values.kong_flower": (2, 1, 2),
    "fans.values.kong_cannon": (2, 0, 2),
    "fans.values.last_tile_draw": (2, 0, 2),
    "fans.values.last_tile_discard": (2, 0, 0),
    "fans.values.red_dragon_kong": (0, 2, 0),
    "fans.values.heavenly_hand": (0, 5, 0),
    "fans.values.earthly_hand": (0, 4, 0),
}

ROOMS = [
    ("初级场", 400, 2_000, 100_000, 32),
    ("平民场", 1_000, 5_000, 300_000, 32),
    ("官甲场", 3_000, 20_000, 0, 64),
    ("土豪场", 9_000, 50_000, 0, 64),
    ("富商场", 30_000, 150_000, 0, 128),
    ("尊爵场", 80_000, 400_000, 0, 128),
]


def columns(values):
    if len(values) == 1:
        return values * 5
    return values if len(values) == 5 else (*values, values[2], values[2])


def values_of(rules):
    return {line.path: line.value for line in listing(rules) if line.path != "rooms"}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_has_the_documents_values(preset):
    column = PRESETS.index(preset)
    assert values_of(load_rules(preset)) == {field: columns(values)[column] for field, values in FIELDS.items()}


def test_only_the_platform_has_rooms():
    rooms = [(room.name, room.base, room.min_stake, room.max_stake, room.cap) for room in load_rules("platform").rooms]
    assert rooms == ROOMS
    assert not any(load_rules(name).rooms for name in PRESETS if name != "platform")


def test_presets_know_their_document():
    assert [load_rules(name).document for name in PRESETS] == ["A", "B", "C", "C", "C"]
    assert [load_rules(name).name for name in PRESETS] == list(PRESETS)


# ---------------------------------------------------------------- changing one field

OTHER_WORD = {
    "shapes.missing_suit": "strict",
    "shapes.wild_kong": "none",
    "play.missed_win": "until_own_draw_unless_larger",
    "liangdao.shows": "waits",
    "liangdao.applies": "winner_or_payer",
    "liangdao.kong_after": "never",
    "fans.combine": "multiply",
    "fans.four_to_one_scope": "all",
    "payment.cap_for": {"full_flush": 16},
    "payment.kong_chain": "player",
    "maima.payer": "shared",
}
"""Another value than hongzhong's, where it is no number and no switch."""

CHANGEABLE = [field for field in FIELDS if not field.startswith("tiles.")]


def another(field, value):
    if field in OTHER_WORD:
        return OTHER_WORD[field]
    return not value if isinstance(value, bool) else value + 1


def one_changed(field):
    """Hongzhong, in which every switch may be set, and the same with one field changed."""
    # Its fans of 1 leave no room to raise 屁胡 above 1.
    rules = changed(
        load_rules("hongzhong"), {f"fans.values.{fan}": 2 for fan in ("kawuxing", "self_draw", "kong_flower")}
    )
    return rules, changed(rules, {field: another(field, values_of(rules)[field])})


@pytest.mark.parametrize("field", CHANGEABLE)
def test_every_field_counts_in_the_hash_and_reaches_the_record(field):
    rules, other = one_changed(field)
    assert other != rules
    assert rules_hash(other) != rules_hash(rules)
    assert pack(other) != pack(rules)


def test_the_set_of_tiles_counts_in_the_hash_and_reaches_the_record():
    rules = load_rules("suizhou")
    other = changed(rules, {"tiles.set": 76, "tiles.wild": "red_dragon"})
    assert rules_hash(other) != rules_hash(rules)
    packed, before = pack(other)[0], pack(rules)[0]
    assert (packed["n_kinds"], packed["wall_size"], packed["wild"]) == (19, 76, 1)
    assert (before["n_kinds"], before["wall_size"], before["wild"]) == (21, 84, 0)


def test_names_do_not_count_in_the_hash():
    rules = load_rules("suizhou")
    other = changed(rules, {"name": "ours", "title": "our table", "document": "none"})
    assert rules_hash(other) == rules_hash(rules)
    assert pack(other) == pack(rules)


def test_a_fan_of_value_0_and_an_absent_one_are_the_same():
    rules = load_rules("suizhou")
    assert rules_hash(changed(rules, {"fans.values.self_draw": 0})) == rules_hash(rules)


def test_rooms_count_in_the_hash():
    rules = load_rules("platform")
    fewer = changed(rules, {"rooms": [room.model_dump() for room in rules.rooms[:2]]})
    assert rules_hash(fewer) != rules_hash(rules)


def test_presets_have_hashes_of_their_own():
    hashes = {rules_hash(load_rules(name)) for name in PRESETS}
    assert len(hashes) == len(PRESETS)
    assert all(len(digest) == 12 for digest in hashes)


def test_the_hash_does_not_depend_on_the_order_of_fields():
    data = load_rules("xiangyang").model_dump()
    shuffled = {section: data[section] for section in reversed(data)}
    shuffled["fans"] = data["fans"] | {"values": dict(reversed(data["fans"]["values"].items()))}
    assert rules_hash(parse_rules(shuffled, source="shuffled")) == rules_hash(load_rules("xiangyang"))


def test_every_field_of_the_record_can_change():
    """No field of the record is a leftover: each is reached by some field of a ruleset."""
    reached = set()
    for field in CHANGEABLE:
        rules, other = one_changed(field)
        before, after = pack(rules)[0], pack(other)[0]
        reached |= {name for name in RULES.names if np.any(before[name] != after[name])}
    assert reached | {"n_kinds", "wall_size", "wild"} == set(RULES.names)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_record_holds_each_fan_at_its_place(preset):
    packed = pack(load_rules(preset))[0]
    expected = [columns(FIELDS[f"fans.values.{fan}"])[PRESETS.index(preset)] for fan in FANS]
    assert packed["fan_value"].tolist() == expected


def test_the_record_has_the_base_and_cap_of_the_room():
    rules = load_rules("platform")
    first = pack(rules)[0]
    assert (first["base"], first["cap"]) == (400, 32)
    for name, base, _, _, cap in ROOMS:
        packed = pack(rules, name)[0]
        assert (packed["base"], packed["cap"]) == (base, cap)
    assert pack(load_rules("xiangyang"))[0]["cap"] == 8


@pytest.mark.parametrize(
    ("preset", "says"),
    [("platform", "no room nowhere; expected one of 初级场, "), ("suizhou", "these rules have no rooms, got nowhere")],
)
def test_a_room_that_is_not_there_is_refused(preset, says):
    with pytest.raises(InputError, match=f"rules {preset}: {says}"):
        pack(load_rules(preset), "nowhere")


# ---------------------------------------------------------------- rulesets of one's own


@pytest.fixture
def load(tmp_path):
    def write_and_load(text):
        path = tmp_path / "ours.toml"
        path.write_text(text, encoding="utf-8")
        return load_rules(path)

    return write_and_load


def test_a_file_starts_from_a_preset_and_goes_by_its_own_name(load):
    rules = load('extends = "xiangyang"\n[liangdao]\nmultiplier = 4\n[fans.values]\nkawuxing = 4\nlast_tile_draw = 0')
    changes = {"liangdao.multiplier": 4, "fans.values.kawuxing": 4, "fans.values.last_tile_draw": 0}
    expected = values_of(load_rules("xiangyang")) | changes
    assert values_of(rules) == expected
    assert rules.name == "ours"
    assert "xiangyang" in rules.title


def test_a_file_may_name_itself(load):
    rules = load('extends = "shiyan"\nname = "home"\ntitle = "at home"')
    assert (rules.name, rules.title, rules.document) == ("home", "at home", "C")
    assert rules_hash(rules) == rules_hash(load_rules("shiyan"))


def test_special_caps_replace_those_of_the_preset(load):
    rules = load('extends = "xiangyang"\n[payment]\ncap_for = { full_flush = 32 }')
    assert rules.payment.cap_for == {"full_flush": 32}


def test_rooms_replace_those_of_the_preset(load):
    rules = load('extends = "platform"\n[[rooms]]\nname = "家"\nbase = 1\nmin_stake = 0\nmax_stake = 0\ncap = 0')
    assert [room.name for room in rules.rooms] == ["家"]


def test_a_whole_preset_as_a_file_is_the_same_ruleset(load):
    text = files("kwx_sim.rules").joinpath("presets/hongzhong.toml").read_text("utf-8")
    assert load(text) == load_rules("hongzhong")
    assert load("\ufeff" + text) == load_rules("hongzhong")  # some editors put a mark in front


def test_changed_leaves_the_original_alone():
    rules = load_rules("suizhou")
    before = rules.model_dump()
    other = changed(rules, {"liangdao.multiplier": 1, "fans.values.kawuxing": 4})
    assert (other.liangdao.multiplier, other.fans.value("kawuxing")) == (1, 4)
    assert rules.model_dump() == before
    assert changed(rules, {}) == rules


# ---------------------------------------------------------------- refusals

ROOM = 'name = "a"\nbase = 1\nmin_stake = 9\nmax_stake = {top}\ncap = 1\n'

REFUSED = {
    "unknown section": ("[lianddao]\nmultiplier = 2", "lianddao: unknown field; the nearest known one is liangdao"),
    "unknown field": (
        "[liangdao]\nmultiplyer = 2",
        "liangdao.multiplyer: unknown field; the nearest known one is liangdao.multiplier",
    ),
    "known elsewhere": (
        "[payment]\nmultiplier = 2",
        "payment.multiplier: unknown field; the nearest known one is liangdao.multiplier",
    ),
    "at the top": ('wild = "none"', "wild: unknown field; the nearest known one is tiles.wild"),
    "unknown fan": (
        "[fans.values]\nkawuxin = 2",
        "fans.values.kawuxin: unknown field; the nearest known one is fans.values.kawuxing",
    ),
    "unknown fan in a cap": (
        "[payment]\ncap_for = { full_flash = 2 }",
        "payment.cap_for.full_flash: unknown field; the nearest known one is payment.cap_for.full_flush",
    ),
    "unknown room field": (
        "[[rooms]]\nbas = 3\n" + ROOM.format(top=0),
        "rooms.0.bas: unknown field; the nearest known one is rooms.base",
    ),
    "bool for a number": ("[liangdao]\nmultiplier = true", "liangdao.multiplier: expected a whole number, got True"),
    "float": ("[liangdao]\nmultiplier = 2.0", "liangdao.multiplier: expected a whole number, got 2.0"),
    "not a number": ("[payment]\nbase = nan", "payment.base: expected a whole number, got nan"),
    "text for a switch": ('[play]\nmultiple_wins = "yes"', "play.multiple_wins: expected true or false, got 'yes'"),
    "number for a switch": ("[play]\nmultiple_wins = 1", "play.multiple_wins: expected true or false, got 1"),
    "number for text": ("title = 3", "title: expected text, got 3"),
    "unknown word": (
        '[liangdao]\nshows = "hands"',
        "liangdao.shows: expected 'nothing', 'waits' or 'hand', got 'hands'",
    ),
    "set": ("[tiles]\nset = 85", "tiles.set: expected 84 or 76, got 85"),
    "value for a section": ("liangdao = 5", "liangdao: expected a table of fields, got 5"),
    "value for rooms": ("rooms = 5", "rooms: expected a list, got 5"),
    "too small": ("[piao]\nmax = -1", "piao.max: expected a whole number of at least 0, got -1"),
    "too large": (
        "[fans.values]\nkawuxing = 5000",
        "fans.values.kawuxing: expected a whole number of at most 1024, got 5000",
    ),
    "no name": ('name = ""', "name: expected at least 1 character, got ''"),
    "huge number": ("entry_fee = 0x" + "f" * 1800, "entry_fee: expected a whole number of at most 1000, got "),
    "long text": ('title = "' + "x" * 1000 + '"', "title: expected at most 200 characters, got 'xxx"),
    "control character": ('name = "a\\u001b[2J"', "name: expected text without control characters, got 'a\\x1b[2J'"),
    "wild in 84": ('[tiles]\nwild = "red_dragon"', "tiles.wild: expected none with 84 tiles, got 'red_dragon'"),
    "no wild in 76": ("[tiles]\nset = 76", "tiles.wild: expected red_dragon with 76 tiles, got 'none'"),
    "wild kong": (
        '[shapes]\nwild_kong = "concealed"',
        "shapes.wild_kong: expected none, false or 0 where no tile is wild, got 'concealed'",
    ),
    "wild pair": (
        "[shapes]\nwild_pair_alone = true",
        "shapes.wild_pair_alone: expected none, false or 0 where no tile is wild, got True",
    ),
    "wild kawuxing": (
        "[fans]\nwild_in_kawuxing = true",
        "fans.wild_in_kawuxing: expected none, false or 0 where no tile is wild, got True",
    ),
    "red kong flower": (
        "[fans]\nkong_flower_after_red = 2",
        "fans.kong_flower_after_red: expected none, false or 0 where no tile is wild, got 2",
    ),
    "no plain win": ("[fans.values]\nping_hu = 0", "fans.values.ping_hu: expected 1 or more, got 0"),
    "two rooms of one name": (
        ("[[rooms]]\n" + ROOM.format(top=0)) * 2,
        "rooms: expected a name of its own for each room, got 'a, a'",
    ),
    "stakes": ("[[rooms]]\n" + ROOM.format(top=3), "rooms.0.max_stake: expected 0, or at least min_stake, got 3"),
    "missing in a room": (
        '[[rooms]]\nname = "a"',
        "rooms.0.base: missing; write it, or start from a preset with extends",
    ),
}


@pytest.mark.parametrize(("text", "expected"), REFUSED.values(), ids=REFUSED.keys())
def test_a_wrong_field_is_refused_in_one_line(load, tmp_path, text, expected):
    with pytest.raises(InputError) as refused:
        load('extends = "suizhou"\n' + text)
    for lang in ("en", "zh"):
        line = refused.value.message(lang)
        assert "\n" not in line
        assert len(line) < 300
    assert str(refused.value).startswith(f"{tmp_path / 'ours.toml'}: {expected}")


def test_a_refusal_is_told_in_chinese(load):
    with pytest.raises(InputError) as refused:
        load('extends = "suizhou"\n[liangdao]\nmultiplier = 0')
    assert refused.value.message("zh").endswith("liangdao.multiplier：应为 不小于 1 的整数，得到 0")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "name: missing; write it, or start from a preset with extends"),
        (
            'extends = "beijing"',
            "extends: expected one of platform, hongzhong, suizhou, xiangyang, shiyan, got 'beijing'",
        ),
        ('extends = ["suizhou"]', "extends: expected one of platform, .*, got \\['suizhou'\\]"),
        ("a = ", "expected TOML; "),
        ("a = 1\na = 2", "expected TOML; "),
        ("a = " + "9" * 1900 + "\n" + "b = " + "[" * 1900, "expected TOML; too deeply nested"),
        ("# 1\n" + "a." * 1500 + "a = 1", "expected TOML; line 2 has more than 100 dots"),
        (("#" * 100 + "\n") * 1000, "cannot be read: it has more than 65536 bytes"),
    ],
)
def test_a_file_that_is_no_ruleset_is_refused(load, text, expected):
    with pytest.raises(InputError, match=f"ours.toml: {expected}"):
        load(text)


def test_a_file_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "ours.toml"
    path.write_bytes(b"name = \xff\xfe")
    with pytest.raises(InputError, match=r"ours\.toml: expected TOML; "):
        load_rules(path)


@pytest.mark.parametrize("name", ["beijing", "", ".", "a\0b", "no/such/file.toml"])
def test_a_name_that_is_nothing_is_refused(name):
    with pytest.raises(InputError, match=r"expected a preset .* or a TOML file; no such preset or file"):
        load_rules(name)


def test_a_name_that_is_no_path_is_refused():
    with pytest.raises(InputError, match="cannot be read"):
        load_rules("x" * 5000)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"liangdao.multiplyer": 2}, "changes: liangdao.multiplyer: unknown field; .* liangdao.multiplier"),
        ({"liangdo.multiplier": 2}, "changes: liangdo.multiplier: unknown field; .* liangdao.multiplier"),
        ({"liangdao.multiplier.x": 2}, "changes: liangdao.multiplier.x: unknown field"),
        ({"fans.values.kawuxin": 2}, "changes: fans.values.kawuxin: unknown field; .* fans.values.kawuxing"),
        ({"liangdao.multiplier": 0}, "changes: liangdao.multiplier: expected a whole number of at least 1, got 0"),
        ({"liangdao": 2}, "changes: liangdao: expected a table of fields, got 2"),
        ({"": 2}, "changes: : unknown field"),
    ],
)
def test_a_wrong_change_is_refused(changes, expected):
    with pytest.raises(InputError, match=expected):
        changed(load_rules("suizhou"), changes)


def test_a_ruleset_cannot_be_edited_in_place():
    with pytest.raises(ValueError, match="frozen"):
        load_rules("suizhou").liangdao.multiplier = 3


# ---------------------------------------------------------------- decisions and the documents' words


def excerpts():
    for decision in load_decisions():
        for document, words in decision.words.items():
            yield from ((decision.id, document, excerpt) for excerpt in words)
    for line in listing(load_rules("platform")):
        for document, words in stated(line.path).items():
            yield from ((line.path, document, excerpt) for excerpt in words)


def test_quotations_are_as_they_were_checked():
    """The documents are not ours to ship: each quotation was looked up in its document once, and its digest kept."""
    checked = set((ROOT / "tests/data/quotations.txt").read_text("utf-8").split("\n"))
    wrong = [where for *where, excerpt in excerpts() if digest(where[1], excerpt) not in checked or "\n" in excerpt]
    assert wrong == []


def digest(document, excerpt):
    return f"{document} {hashlib.sha256(excerpt.encode()).hexdigest()[:24]}"


def test_decisions_are_complete():
    fields = set(values_of(load_rules("platform"))) | {"rooms"}
    decisions = load_decisions()
    assert len({decision.id for decision in decisions}) == len(decisions)
    for decision in decisions:
        assert set(decision.fields) <= fields, decision.id
        assert set(decision.words) | set(decision.silent), decision.id
        assert not set(decision.words) & set(decision.silent), decision.id
        assert decision.zh, decision.id
        assert decision.en, decision.id


def test_every_field_is_stated_or_decided():
    lines = listing(load_rules("platform"))
    assert [line.path for line in lines if not stated(line.path) and not decisions_for(line.path)] == []


@pytest.mark.parametrize("preset", PRESETS)
def test_what_a_document_gives_a_preset_stands_beside_it(preset):
    """A value that differs from document to document has words of its document, or a decision."""
    for line in listing(load_rules(preset)):
        if line.path.startswith("fans.values.") and line.value:
            assert line.words or line.decisions, line.path


def test_words_of_a_field():
    assert quotes("liangdao.multiplier", "A") == ("凉倒后胡牌时番数 × 2 倍奖励（liangDaoBonus = 2）",)
    assert quotes("liangdao.multiplier", "B") == ()
    assert "×4" in quotes("fans.values.kawuxing", "C")[0]
    assert quotes("play.rob_concealed_kong", "C") == ("胡别人自抓开明杠的牌（别人自抓开暗杠的牌）",)
    assert quotes("payment.cap_for", "A") == ()


def test_decisions_are_shown_where_they_concern_the_document():
    def ids(preset, field):
        return [
            decision.id for line in listing(load_rules(preset)) if line.path == field for decision in line.decisions
        ]

    assert ids("hongzhong", "shapes.missing_suit") == ["missing-suit"]
    assert ids("suizhou", "shapes.missing_suit") == []
    assert ids("platform", "play.missed_win") == ["missed-win"]  # silent, and that is the decision


def test_a_ruleset_of_no_document_shows_every_decision():
    rules = changed(load_rules("suizhou"), {"document": "home"})
    shown = {decision.id for line in listing(rules) for decision in line.decisions}
    assert shown == {decision.id for decision in load_decisions() if decision.fields}


def test_the_rules_page_is_up_to_date():
    page = (ROOT / "docs/rules.md").read_text("utf-8")
    assert refresh(page) == page, "run: python -m kwx_sim.rules.page docs/rules.md"


def test_the_rules_page_shows_everything():
    page = (ROOT / "docs/rules.md").read_text("utf-8")
    missing = [
        line.path for line in listing(load_rules("platform")) if f"`{line.path}`" not in page and line.path != "rooms"
    ]
    missing += [decision.id for decision in load_decisions() if f"**{decision.id}**" not in page]
    missing += [room.name for room in load_rules("platform").rooms if room.name not in page]
    assert missing == []


def test_every_field_has_a_term_and_a_meaning():
    for line in listing(load_rules("platform")):
        assert line.term, line.path
        assert line.meaning, line.path


def test_the_model_and_the_fans_agree():
    assert set(load_rules("platform").fans.values) <= set(FANS)
    data = load_rules("platform").model_dump()
    data["fans"]["values"] = dict.fromkeys(FANS, 1)
    assert isinstance(parse_rules(data, source="all fans"), Ruleset)
