"""Work for the tests of backends, where workers of other processes can import it."""

import os
import signal
import time
from pathlib import Path

import numpy as np

from kwx_sim.errors import InputError


def squares(item, stopped):
    """Give as much as a block gives, of the item alone."""
    return np.arange(500) * item**2


def obedient(item, stopped):
    """Give nothing where it should give up."""
    return None if stopped() else item


def slow(seconds, notes, item, stopped):
    """Note when it begins and when it is told to give up."""
    end = time.monotonic() + seconds
    note(notes, "begun")
    while time.monotonic() < end:
        if stopped():
            note(notes, "given up")
            return None
        time.sleep(0.01)
    note(notes, "finished")
    return item


def first_is_quick(notes, item, stopped):
    """Take a minute for any item but the first."""
    return slow(60, notes, item, stopped) if item else item


def deadly(notes, killer, times, item, stopped):
    """One item ends its worker so many times, the others take a moment."""
    time.sleep(0.02)
    if item == killer and (died := len(list(Path(notes).glob("died-*")))) < times:
        note(notes, f"died-{died}")
        os.kill(os.getpid(), signal.SIGKILL)
    note(notes, f"done-{item}")
    return item


def refusing(item, stopped):
    """Refuse one item."""
    if item == 3:
        raise InputError("tiles.fifth_copy", tile="5p", count=5)
    return item


def broken(item, stopped):
    """Fail as a mistake in the program does."""
    raise ZeroDivisionError(f"item {item}")


def never_here(item, stopped):
    """Not to be called: say so."""
    raise AssertionError("this worker should have been refused")


def fingerprint():
    """Tell what a test has set for this process."""
    return {"kernels": os.environ.get("TEST_FINGERPRINT", "same"), "numpy": np.__version__}


def own_process():
    """Tell what differs from process to process."""
    return {"process": str(os.getpid())}


def note(notes, what):
    """Note something for the test, in a file of its own."""
    (Path(notes) / f"{what}").touch()
