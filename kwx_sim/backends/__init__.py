"""Who does the work: threads of this process, processes of this machine, or a Dask cluster, all through joblib.

Numbered items of work go out, results come back as they are finished. What an item is, nobody here knows. Workers hold
nothing but the work itself, so one that dies takes nothing with it: its items are done again.
"""

from kwx_sim.backends.choice import BACKENDS, Backend, default_workers
from kwx_sim.backends.desk import finished

__all__ = ["BACKENDS", "Backend", "default_workers", "finished"]
