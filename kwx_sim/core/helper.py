"""A second process that compiles beside the first one, started when the first kernel is found missing."""

import atexit
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

__all__ = ["HELPER", "ask_for_help", "ask_nobody", "look_after_helper"]

HELPER = "kwx_sim.warm"
"""What it runs: named, not imported, for it knows the kernels, which know of nothing above them."""

_asked = False
_helper: subprocess.Popen[bytes] | None = None


def ask_for_help(directory: Path) -> None:
    """Start a process that compiles into the same directory what the imported kernels need; once, and if it helps."""
    global _asked, _helper
    if _asked or _processors() < 2 or not os.access(directory, os.W_OK):
        return
    _asked = True
    package = Path(__file__).parents[2]
    paths = os.pathsep.join(filter(None, [str(package), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(directory.absolute().parent)}
    modules = [name for name in sys.modules if name.startswith(f"{__package__}.")]
    with suppress(OSError):
        # Not from the current directory, in which anything may lie. Its stdin tells it when this process ends.
        _helper = subprocess.Popen(
            [sys.executable, "-P", "-m", HELPER, directory.name, *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )


def ask_nobody() -> None:
    """Let this process compile by itself."""
    global _asked
    _asked = True


def look_after_helper() -> None:
    """Notice when the helper has ended: until then the system counts a killed one among the living."""
    if _helper is not None:
        _helper.poll()


@atexit.register
def _dismiss() -> None:
    if _helper is not None and _helper.stdin is not None:
        _helper.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            _helper.wait(5)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
