"""When kernels are compiled, by numba's own word: a guess from the files of the cache would miss a part of them."""

from __future__ import annotations

from collections.abc import Callable

from numba.core import event

from kwx_sim.core.cache import WAITING

__all__ = ["tell_once"]

KINDS = ("numba:compile", WAITING)
"""Begin when a kernel that is not in the cache is compiled, here or by another process; never when one is loaded."""


class _Teller(event.Listener):  # type: ignore[misc]  # numba has no types
    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell

    def on_start(self, _: object) -> None:
        _leave()
        self._tell()

    def on_end(self, _: object) -> None:
        """Nothing: it was told."""


_waiting: list[_Teller] = []


def tell_once(tell: Callable[[], None]) -> None:
    """Call `tell` before the first kernel that this process compiles from now on; never where all are cached.

    Also where it has to wait for another process that compiles one. Whoever asked to be called before and has not been
    is so no more: numba goes on to the next listener but one when a listener leaves while it is told.
    """
    _leave()
    _waiting[:] = [_Teller(tell)]
    for kind in KINDS:
        event.register(kind, _waiting[0])


def _leave() -> None:
    for earlier in _waiting:
        for kind in KINDS:
            event.unregister(kind, earlier)
    _waiting.clear()
