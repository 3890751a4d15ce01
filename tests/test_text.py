"""The catalogue: every text in both languages, with the same parameters; errors told from it."""

import pickle
from string import Formatter

import pytest

from kwx_sim import text
from kwx_sim.errors import InputError

ENTRIES = [(f"{area}.{name}", entry) for area in text.areas() for name, entry in text.catalogue(area).items()]


def parameters(template):
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


@pytest.mark.parametrize(("key", "entry"), ENTRIES, ids=[key for key, _ in ENTRIES])
def test_every_text_exists_in_both_languages(key, entry):
    assert set(entry) == {"en", "zh"}
    assert parameters(entry["en"]) == parameters(entry["zh"])
    assert text.has(key)


def test_unknown_keys_are_bugs_and_say_so():
    assert not text.has("tiles.nothing")
    assert not text.has("nothing.at_all")
    with pytest.raises(KeyError):
        text.t("tiles.nothing")
    with pytest.raises(KeyError):
        text.t("nothing.at_all")


@pytest.mark.parametrize(
    ("environment", "lang"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "zh_TW"}, "zh"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": ""}, "en"),
    ],
)
def test_default_language_is_the_locale(environment, lang, monkeypatch):
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    assert text.default_lang() == lang


def test_an_error_is_told_in_both_languages():
    error = InputError("tiles.fifth_copy", tile="5p", count=5)
    assert isinstance(error, ValueError)
    assert str(error) == "5 copies of 5p; there are four of each tile"
    assert "四张" in error.message("zh")


def test_an_error_within_an_error_is_told_in_the_same_language():
    inner = InputError("tiles.empty")
    outer = InputError("tiles.meld_form", got=inner)
    assert str(inner) in str(outer) or repr(str(inner)) in str(outer)
    assert "空的" in outer.message("zh")


def test_a_long_parameter_is_told_in_part():
    message = str(InputError("tiles.unknown", text="x" * 10_000, got="y"))
    assert "x…" in message
    assert len(message) < 1_000


def test_an_error_survives_the_way_out_of_a_worker():
    error = pickle.loads(pickle.dumps(InputError("tiles.fifth_copy", tile="5p", count=5)))
    assert (error.key, error.params, str(error)) == (
        "tiles.fifth_copy",
        {"tile": "5p", "count": 5},
        "5 copies of 5p; there are four of each tile",
    )
