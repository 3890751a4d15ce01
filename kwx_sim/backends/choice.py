"""The choice of who does the work, checked."""

import re
from dataclasses import dataclass
from importlib.util import find_spec

from kwx_sim.errors import InputError

__all__ = ["BACKENDS", "Backend", "default_workers"]

BACKENDS = ("threading", "loky", "dask")
"""Threads of this process, processes of this machine, a cluster; the first is the default."""

MAX_WORKERS = 1024

_ADDRESS = re.compile(r"(tcp|tls)://\S+:\d{1,5}")


@dataclass(frozen=True)
class Backend:
    """Who does the work; `Backend.of` makes one of what a person gives.

    Attributes
    ----------
    name : one of `BACKENDS`
    workers : threads or processes; 0 for `dask`, where it is the cluster that has workers
    scheduler : address of the Dask scheduler, None for the others
    """

    name: str
    workers: int
    scheduler: str | None = None

    @classmethod
    def of(cls, name: str | None = None, workers: int | None = None, scheduler: str | None = None) -> "Backend":
        """Check what was given and fill in the rest: threads, as many as processors. Raises InputError."""
        name = BACKENDS[0] if name is None else name
        if name not in BACKENDS:
            raise InputError("backends.unknown", expected=", ".join(BACKENDS), got=str(name))
        if name != "dask":
            if scheduler is not None:
                raise InputError("backends.no_use_of_scheduler", scheduler=str(scheduler), backend=name)
            return cls(name, default_workers() if workers is None else _checked(workers))
        if workers is not None:
            raise InputError("backends.no_use_of_workers", workers=repr(workers))
        if not isinstance(scheduler, str) or not _ADDRESS.fullmatch(scheduler):
            raise InputError("backends.scheduler", got="–" if scheduler is None else str(scheduler))
        if find_spec("distributed") is None:
            raise InputError("backends.not_installed")
        return cls(name, 0, scheduler)


def default_workers() -> int:
    """As many workers as there are processors for this process."""
    from joblib import cpu_count

    return int(cpu_count())


def _checked(workers: int) -> int:
    if isinstance(workers, bool) or not isinstance(workers, int) or not 1 <= workers <= MAX_WORKERS:
        raise InputError("simulate.whole", field="workers", low=1, high=MAX_WORKERS, got=repr(workers))
    return workers
