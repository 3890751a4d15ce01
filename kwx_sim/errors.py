"""The one exception for bad input: a line that says what was expected, what came, and what to do."""

from __future__ import annotations

from typing import Any

from kwx_sim.text import t

__all__ = ["InputError"]

MAX_SHOWN = 500
"""Characters of a parameter that are told: somebody may give a megabyte where a name belongs."""


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
    if isinstance(value, InputError):
        return value.message(lang)
    if isinstance(value, str) and len(value) > MAX_SHOWN:
        return value[: MAX_SHOWN - 1] + "…"
    return value


def _rebuild(key: str, params: dict[str, Any]) -> InputError:
    return InputError(key, **params)
