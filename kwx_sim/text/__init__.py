"""Every text that a person reads, in Chinese and English, in one place.

The catalogue is a folder of TOML files, one an area: the key `tiles.fifth_copy` is the table `[fifth_copy]` of
`tiles.toml`, which holds an `en` and a `zh` template for `str.format`. An area is read when first asked for, so that a
short command does not pay for the rest.
"""

from __future__ import annotations

import os
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["LANGS", "areas", "catalogue", "default_lang", "has", "t"]

LANGS = ("en", "zh")


@cache
def catalogue(area: str) -> dict[str, dict[str, str]]:
    """Read the templates of one area: name -> language -> template. Nested tables have dotted names.

    Raises KeyError where there is no such area.
    """
    source = files(__name__) / f"{area}.toml"
    if not source.is_file():
        raise KeyError(f"no text catalogue for the area {area!r}")
    return dict(_entries("", tomllib.loads(source.read_text(encoding="utf-8"))))


def _entries(prefix: str, table: dict[str, Any]) -> list[tuple[str, dict[str, str]]]:
    found = []
    for name, value in table.items():
        if any(isinstance(inner, dict) for inner in value.values()):
            found += _entries(f"{prefix}{name}.", value)
        else:
            found.append((prefix + name, value))
    return found


def areas() -> list[str]:
    """List the areas, one a file of the catalogue."""
    names = [entry.name for entry in files(__name__).iterdir()]
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def has(key: str) -> bool:
    """Tell whether the catalogue holds `key`."""
    area, _, name = key.partition(".")
    return area in areas() and name in catalogue(area)


def t(key: str, lang: str = "en", **params: Any) -> str:
    """Give the text of `key` in `lang`, its parameters filled in. Raises KeyError for an unknown key or language."""
    area, _, name = key.partition(".")
    return catalogue(area)[name][lang].format(**params)


def default_lang() -> str:
    """Tell the language of the user's locale: zh for a Chinese one, en for any other."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(variable)
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"
