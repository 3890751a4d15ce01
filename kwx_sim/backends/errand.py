"""What a worker of another process or machine gets: the work, and what must be the same there as here."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kwx_sim.errors import InputError

__all__ = ["Errand", "Fingerprint", "Work", "compared", "never"]

Work = Callable[[int, Callable[[], bool]], Any]
"""Does item `number`, and asks the other argument now and then whether to give up: then it gives None."""

Fingerprint = Callable[[], Mapping[str, str]]
"""Tells what decides the results of the process that it is called in: versions, hashes of sources."""

_alike: set[tuple[tuple[str, str], ...]] = set()
"""Fingerprints that this process was found to have, so that it is asked once and not for each item."""


@dataclass(frozen=True)
class Errand:
    """The work as it travels; called with an item, it gives the item and its result.

    A worker that joins late is compared as well, before it does anything: by itself.
    """

    work: Work
    fingerprint: Fingerprint | None
    expected: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, work: Work, fingerprint: Fingerprint | None) -> "Errand":
        """Take the fingerprint of this process along."""
        return cls(work, fingerprint, tuple(fingerprint().items()) if fingerprint else ())

    def __call__(
        self, item: int, stopped: Callable[[], bool] | None = None, worker: str | None = None
    ) -> tuple[int, Any]:
        """Do an item. Raises InputError where this process differs from the one that sent the errand."""
        if self.fingerprint and self.expected not in _alike:
            compared(dict(self.expected), self.fingerprint(), worker or f"process {os.getpid()}")
            _alike.add(self.expected)
        return item, self.work(item, stopped or never)


def never() -> bool:
    """Do not give up: workers of the own machine are ended with their process."""
    return False


def compared(expected: Mapping[str, str], found: Mapping[str, str], worker: str) -> None:
    """Raise InputError where a worker differs, naming it and the first field that does."""
    for field in [*expected, *(field for field in found if field not in expected)]:
        here, there = expected.get(field, "–"), found.get(field, "–")
        if here != there:
            raise InputError("backends.differs", worker=worker, field=field, here=here, there=there)
