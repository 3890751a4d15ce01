"""The one exception for bad input: a line that says what was expected, what came, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any
from unicodedata import category

from kwx_sim.text import t

__all__ = ["InputError", "printable"]

MAX_SHOWN = 500
"""Characters of a parameter that are told: somebody may give a megabyte where a name belongs."""

MAX_BITS = 256
"""Of a whole number told in decimal; Python writes no more than 4300 digits, and raises."""

UNSEEN = frozenset(["Cc", "Cf", "Cs", "Zl", "Zp"])
"""Unicode's categories of marks that are not shown but do something."""


class InputError(ValueError):
    """Bad input, told in one line of the user's language.

    `key` names a template in the catalogue (`tiles.fifth_copy`), `params` fill it. A parameter may itself be an
    `InputError`: it is then told in the same language (the reason within a reason).
    """

    def __init__(self, key: str, **params: Any) -> None:
        super().__init__(key)
        self.key = key
        self.params = params

    def message(self, lang: str = "en") -> str:
        """Tell it in one line for a person, in `lang` (zh or en)."""
        return t(self.key, lang, **{name: _told(value, lang) for name, value in self.params.items()})

    def __str__(self) -> str:
        """Tell it in English, as in tracebacks and logs."""
        return self.message()

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep the parameters on the way out of a worker: BaseException would rebuild the error without them."""
        return _rebuild, (self.key, self.params)


def _told(value: Any, lang: str) -> Any:
    """A parameter as it may stand in the line: short, and of marks that leave a terminal alone."""
    if isinstance(value, InputError):
        return value.message(lang)
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        value = f"{value:#x}"
    return value if value is None or isinstance(value, Number) else _Shown(value)


class _Shown(str):
    """Text of a parameter, and what a template's `!r` makes of it."""

    def __new__(cls, value: Any) -> _Shown:
        return super().__new__(cls, printable(_clipped(_written(value, str))))

    def __init__(self, value: Any) -> None:
        self._repr = printable(_clipped(_written(value, repr)))

    def __repr__(self) -> str:
        return self._repr


def printable(text: str) -> str:
    """Escape what steers a terminal or hides in a line: control and format characters, line ends, half characters."""
    return "".join(_escaped(mark) if category(mark) in UNSEEN else mark for mark in text)


def _escaped(mark: str) -> str:
    return mark.encode("unicode_escape").decode()


def _written(value: Any, write: Callable[[Any], str]) -> str:
    try:
        return write(value)
    except (ValueError, RecursionError):  # a number of too many digits in it, or a list in a list in a list
        return type(value).__name__


def _clipped(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def _rebuild(key: str, params: dict[str, Any]) -> InputError:
    return InputError(key, **params)
