"""Parts of refusals that several readers of untrusted input share: what a file's bytes lack, and the nearest name."""

from __future__ import annotations

import difflib
import json
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, NoReturn

from kwx_sim.errors import InputError

__all__ = [
    "MAX_SHOWN",
    "amount",
    "clipped",
    "context_of",
    "finite",
    "near_to",
    "no_constant",
    "once",
    "shown",
    "why_unreadable",
]

MAX_SHOWN = 60
"""Characters of what came that are told back."""

NEAR = 0.6
"""Likeness (difflib's ratio, 0 to 1) from which a name is worth a hint."""

_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")
_AGAIN = re.compile(r"overwrite|twice")


def clipped(text: str) -> str:
    """Shorten what came for one line."""
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def shown(value: Any) -> str:
    """Write what came as Python does, shortened for one line; only its type where Python cannot write it."""
    try:
        return clipped(repr(value))
    except (ValueError, RecursionError):  # a whole number of too many digits, a list in a list in a list
        return type(value).__name__


def near_to(name: str, known: Iterable[str], prefix: str = "", least: float = NEAR) -> InputError | str:
    """Word a hint to the known name most like `name`, as the end of a refusal; nothing where none is like it.

    prefix : what stands before the name in the hint, such as its section
    least : likeness below which there is no hint
    """
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=least)
    return InputError("refusals.near", near=prefix + near[0]) if near else ""


def context_of(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Give the parameters of what pydantic refused, its list of words ("a, b or c") in the reader's language."""
    context = dict(problem.get("ctx", {}))
    first, either, last = str(context.get("expected", "")).rpartition(" or ")
    if either:
        context["expected"] = InputError("refusals.either", first=first, last=last)
    return context


def why_unreadable(error: Exception) -> InputError:
    """Tell why bytes are no UTF-8, JSON or TOML, from what their decoder or parser raised."""
    if isinstance(error, InputError):
        return error
    if isinstance(error, RecursionError):
        return InputError("refusals.nested")
    if isinstance(error, UnicodeDecodeError):
        return InputError("refusals.not_utf8")
    if isinstance(error, json.JSONDecodeError):
        return InputError("refusals.no_json", line=error.lineno, column=error.colno)
    if not isinstance(error, tomllib.TOMLDecodeError):
        return InputError("refusals.other", problem=" ".join(str(error).split()))
    return _no_toml(str(error))


def _no_toml(problem: str) -> InputError:
    place, again = _PLACE.search(problem), _AGAIN.search(problem)
    if place is None:
        return InputError("refusals.twice" if again else "refusals.no_toml_end")
    return InputError("refusals.again" if again else "refusals.no_toml", line=int(place[1]), column=int(place[2]))


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make the table of a JSON object, for json's `object_pairs_hook`. InputError where a field stands twice."""
    table = dict(pairs)
    if len(table) < len(pairs):
        raise InputError("refusals.twice")
    return table


def no_constant(constant: str) -> NoReturn:
    """Refuse NaN and Infinity, which Python reads though they are no JSON, for json's `parse_constant`."""
    raise InputError("refusals.constant", came=constant)


def finite(number: str) -> float:
    """Read a decimal number, for json's `parse_float`. InputError for one beyond all, such as 1e999."""
    value = float(number)
    if math.isinf(value):
        raise InputError("refusals.constant", came=clipped(number))
    return value


def amount(field: str, value: Any) -> float:
    """Check a finite number that is 0 or more. Raises InputError."""
    try:
        number = math.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    except OverflowError:
        number = math.inf
    if not 0 <= number < math.inf:
        raise InputError("refusals.amount", field=field, came=shown(value))
    return number
