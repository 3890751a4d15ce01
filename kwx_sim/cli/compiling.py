"""When kernels are compiled, by numba's own word: a guess from the files of the cache would miss a part of them."""

from __future__ import annotations

from collections.abc import Callable

from numba.core import event

__all__ = ["tell_once"]

COMPILING = "numba:compile"
"""Begins when a kernel that is not in the cache is compiled; loading one that is there is no such event."""


class _Teller(event.Listener):  # type: ignore[misc]  # numba has no types
    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell

    def on_start(self, _: object) -> None:
        event.unregister(COMPILING, self)
        _waiting.clear()
        self._tell()

    def on_end(self, _: object) -> None:
        """Nothing: it was told."""


_waiting: list[_Teller] = []


def tell_once(tell: Callable[[], None]) -> None:
    """Call `tell` before the first kernel that this process compiles from now on; never where all are cached.

    Whoever asked to be called before and has not been is so no more: numba goes on to the next listener but one when
    a listener leaves while it is told.
    """
    for earlier in _waiting:
        event.unregister(COMPILING, earlier)
    _waiting[:] = [_Teller(tell)]
    event.register(COMPILING, _waiting[0])
